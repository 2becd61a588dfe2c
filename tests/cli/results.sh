# For the scripts of this folder that report by result: a folder to work in, and how its lines are made. Read with
#   . "$1/tests/cli/results.sh"
# where $1 is the root of the source and $2 the build folder; at the end: exit $((failures > 0)).
haul=$2/haul
work=$(mktemp -d "$2/results.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

result() { # name, then a command that has to succeed
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        cat "$work/log" "$work/out" "$work/err" 2>/dev/null | sed 's/^/        /' | head -n 20
        failures=$((failures + 1))
    fi
}

exits_with() { # code, then a command, whose output goes to $work/out and $work/err
    code=$1
    shift
    "$@" >"$work/out" 2>"$work/err"
    [ $? -eq "$code" ]
}

one_line() { [ "$(wc -l <"$1")" -eq 1 ]; }
