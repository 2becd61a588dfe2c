#!/bin/sh
# The toolchain: what must compile does so with each compiler that is installed, and bad use is told apart from bad
# source. usage: run.sh SOURCE_ROOT BUILD_FOLDER. Prints one line a check; the exit status is 1 if any failed.
set -u
root=$1
work=$(mktemp -d "${2:-/tmp}/toolchain.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cu2ptx=$root/toolchain/cu2ptx
failures=0

check() { # name, then a command
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        sed 's/^/        /' "$work/log" | head -n 30
        failures=$((failures + 1))
    fi
}

compilers() {
    for c in clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang-20 clang-21 clang-22 clang nvcc; do
        command -v "$c" >/dev/null 2>&1 && echo "$c"
    done
}

# $1 compiles file $2 for $3 and the PTX says so; where there is an assembler, it accepts the result.
compiles() {
    "$cu2ptx" --compiler "$1" --arch "$3" "$2" -o "$work/out.ptx" || return 1
    grep -q "^\.target $3" "$work/out.ptx" || return 1
    grep -q '\.loc' "$work/out.ptx" || return 1
    if command -v ptxas >/dev/null 2>&1; then
        ptxas -arch="$3" "$work/out.ptx" -o /dev/null
    fi
}
