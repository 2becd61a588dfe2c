#!/bin/sh
# The line that shows how far launches have come, on a terminal, and how haul ends when it is interrupted.
# usage: run_progress.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
python3 -c 'import os; os.openpty()' 2>/dev/null || { echo "skipped: this system gives no pseudo-terminals"; exit 77; }

cat >"$work/empty.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z5emptyv() { ret; }
END

# on_terminal PATTERN SIGNAL COMMAND...: standard error is a terminal; when PATTERN has been seen there SIGNAL is sent (0:
# none). Prints how the command ended, and what the terminal got to $work/terminal.
cat >"$work/terminal.py" <<'END'
import fcntl, os, re, struct, subprocess, sys, termios
pattern, signal, target = sys.argv[1].encode(), int(sys.argv[2]), sys.argv[3]
ours, theirs = os.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(os.environ["TERMINAL_COLUMNS"]), 0, 0))
command = subprocess.Popen(sys.argv[4:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
got = b""
while True:
    try:
        part = os.read(ours, 4096)
    except OSError:
        break
    if not part:
        break
    got += part
    if signal and re.search(pattern, got):
        command.send_signal(signal)
        signal = 0
open(target, "wb").write(got)
print(command.wait())
END
on_terminal() {
    pattern=$1
    signal=$2
    shift 2
    ended=$(TERMINAL_COLUMNS=${columns:-120} timeout 200 python3 "$work/terminal.py" "$pattern" "$signal" "$work/terminal" "$@")
}
saw() { # EXPRESSION of `got`, what the terminal got, and `lines`, what stood in its line, one after the other
    python3 -c "
import re, sys
got = open(sys.argv[1], 'rb').read().decode()
lines = [l for l in re.split(r'[\r\n]+', got) if l.strip()]
sys.exit(0 if $1 else 1)" "$work/terminal"
}

grid=2147483647
on_terminal 'blocks, [0-9,]+/s' 2 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1
result 'an interrupted launch ends by the signal' [ "$ended" = -2 ]
result 'blocks, rate and time are shown' \
    saw 'any(re.search(r"^\[#*\.*\] empty: [0-9,]+ of 2,147,483,647 blocks, [0-9,]+/s, \d+ (s|min|h) left *$", l) for l in lines)'
result 'the line is taken away' saw 're.search(r"\r {20,}\r$", got)'

on_terminal . 0 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1 --limit 200000000
result 'a launch that fails is told' [ "$ended" = 2 ]
result 'behind the line, which is taken away' saw 're.search(r"left *\r+ {20,}\rhaul replay: [^\r]*has not ended[^\r\n]*\r\n$", got)'

columns=60
on_terminal 'of 2,147' 2 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1
result 'the line does not wrap' saw 'max(map(len, lines)) < 60 and "\n" not in got'
columns=120

printf '{"kernel":"empty","grid":[%s],"block":[1],"args":[]}\n' 1 1 $grid >"$work/three.jsonl"
for command in profile check compare; do
    on_terminal 'launch 3 of 3' 15 "$haul" $command "$work/three.jsonl" --ptx "$work/empty.ptx" --device sim --threads 1
    result "haul $command shows which launch it is" saw '"launch 3 of 3, empty: " in got'
    result "haul $command ends by the signal" [ "$ended" = -15 ]
done

on_terminal 'MiB of 256.00 MiB' 2 "$haul" stream --device sim --bytes 256M --out "$work/out.bin"
result 'a stream shows its bytes' saw 're.search(r"\] [0-9.]+ .?i?B of 256.00 MiB, ", got)'
result 'an interrupted stream ends by the signal' [ "$ended" = -2 ]
result 'and leaves nothing' [ ! -e "$work/out.bin" ]
result 'not even a part' [ ! -e "$work/out.bin.partial" ]

on_terminal . 0 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid 1000
result 'a short launch shows nothing' saw 'got == ""'
on_terminal . 0 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1 --limit 40000000 --quiet
result 'quiet shows nothing' saw 're.match(r"haul replay: [^\r]*has not ended[^\r\n]*\r\n$", got)'
exits_with 2 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1 --limit 200000000
result 'a file gets no such line' one_line "$work/err"
result 'nor its beginning' grep -q '^haul replay: [^[]*has not ended' "$work/err"
exit $((failures > 0))
