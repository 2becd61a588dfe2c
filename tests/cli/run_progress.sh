#!/bin/sh
# The line that shows how far launches have come, on a terminal, and how haul ends when it is interrupted.
# usage: run_progress.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
python3 -c 'import os; os.openpty()' 2>/dev/null || { echo "skipped: this system gives no pseudo-terminals"; exit 77; }
. "$1/tests/cli/terminal.sh"

cat >"$work/empty.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z5emptyv() { ret; }
END
grid=2147483647
limit=100000000 # takes longer than the line takes to appear
[ -z "${HAUL_TEST_ONCE-}" ] || limit=20000000 # with sanitizers, too
on_terminal 'blocks, [0-9,]+/s' 2 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1
result 'an interrupted launch ends by the signal' [ "$ended" = -2 ]
result 'blocks, rate and time are shown' \
    saw 'any(re.search(r"^\[#*\.*\] empty: [0-9,]+ of 2,147,483,647 blocks, [0-9,]+/s, \d+ (s|min|h) left *$", l) for l in lines)'
result 'the line is taken away' saw 're.search(r"\r {20,}\r$", got)'

on_terminal . 0 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1 --limit $limit
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

on_terminal 'MiB of 4.00 GiB' 2 "$haul" stream --device sim --bytes 4G --out "$work/out.bin"
result 'a stream shows its bytes' saw 're.search(r"\] [0-9.]+ .?i?B of 4.00 GiB, ", got)'
result 'an interrupted stream ends by the signal' [ "$ended" = -2 ]
result 'and leaves nothing' [ ! -e "$work/out.bin" ]
result 'not even a part' [ ! -e "$work/out.bin.partial" ]

on_terminal . 0 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid 1000 --block 1
result 'a short launch shows nothing' saw 'got == ""'
on_terminal . 0 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1 --limit $((limit / 5)) --quiet
result 'quiet shows nothing' saw 're.match(r"haul replay: [^\r]*has not ended[^\r\n]*\r\n$", got)'
exits_with 2 "$haul" replay "$work/empty.ptx" --device sim -k empty --grid $grid --threads 1 --limit $limit
result 'a file gets no such line' one_line "$work/err"
result 'nor its beginning' grep -q '^haul replay: [^[]*has not ended' "$work/err"
exit $((failures > 0))
