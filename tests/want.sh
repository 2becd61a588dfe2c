# For scripts that say how commands end and what they print: a folder to work in, which is the current one, and want,
# has, json and refuse. Read with
#   . "$1/tests/want.sh"
# where $1 is the root of the source and $2 the build folder; at the end: done_with "what was shown".
root=$1
haul=$2/haul
truth=$root/tests/data/truth
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# want WHAT STATUS COMMAND...: its output goes to $work/out; standard error has one line with status 2, and none with others.
want() {
    what=$1 status=$2
    shift 2
    timeout 300 "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] || fail "$what: status $got, not $status: $(head -c 500 "$work/err")"
    lines=0
    [ "$status" -eq 2 ] && lines=1
    [ "$(wc -l <"$work/err")" -eq $lines ] || fail "$what: standard error has: $(head -c 500 "$work/err")"
}

# has PATTERN: the last command's output, or its message, matches it.
has() {
    grep -q -e "$1" "$work/out" "$work/err" || fail "$what: no line with '$1' in: $(head -c 2000 "$work/out" "$work/err")"
}

# refuse PATTERN ARGUMENT...: haul ends with status 2, one line that has the pattern, and nothing on standard output.
refuse() {
    pattern=$1
    shift
    want "haul $*" 2 "$haul" "$@"
    has "$pattern"
    [ ! -s "$work/out" ] || fail "$what: prints on standard output"
}

# json EXPRESSION: true of `lines`, the last command's output as one JSON value a line.
json() {
    python3 - "$work/out" "$1" <<'END' || fail "$what: not so: $1"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
sys.exit(0 if eval(sys.argv[2]) else 1)
END
}

done_with() {
    [ $failed -eq 0 ] && echo "$*"
    exit $failed
}
