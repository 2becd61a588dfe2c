# For scripts that look at what a command shows on a terminal, behind results.sh. Read with
#   . "$1/tests/cli/terminal.sh"

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
