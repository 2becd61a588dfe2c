#!/bin/sh
# The sample programs on the virtual GPU: each prints what it has to under `haul run`, `haul profile` and `haul check`; its
# profile has kernels in it; and checks find the planted defects and nothing else. usage: run_samples.sh SOURCE_ROOT
# BUILD_FOLDER [NAME...]. Prints one line a program; exits 1 if any failed.
set -u
samples=$1/tests/programs/samples
examples=$1/examples/programs
built=$2/tests/programs
haul=$2/haul
[ -e "$2/standin" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }
[ -d "$built" ] || { echo "skipped: nvcc was not there when the build was configured"; exit 77; }
work=$(mktemp -d "$2/samples.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# Runs a command of haul with the program; its status has to be as given, and its output as expected.
same() { # NAME STATUS COMMAND
    timeout 100 "$haul" "$3" -- "$built/$1" >"$work/$1.out" 2>"$work/$1.err"
    status=$?
    [ $status -eq "$2" ] || { echo "haul $3: status $status, not $2"; cat "$work/$1.out" "$work/$1.err"; return 1; }
    diff "$samples/$1.out" "$work/$1.out" || { echo "haul $3: its output differs"; cat "$work/$1.err"; return 1; }
}

source_of() { # NAME
    [ -e "$samples/$1.cu" ] && echo "$samples/$1.cu" || echo "$examples/$1.cu"
}

# The lines that are marked with what is found there, as haul names them.
planted() { # NAME
    sed -n "s|^.*// found: \([a-z-]*\)\$|\1|p" "$(source_of "$1")" | while read -r kind; do
        line=$(grep -n "// found: $kind\$" "$(source_of "$1")" | cut -d: -f1)
        echo "$1.cu:$line: error: $kind"
    done
}

try() { # NAME
    same "$1" 0 run || return 1
    same "$1" 0 profile || return 1
    grep -q 'Kernels of this program' "$work/$1.err" || { echo "haul profile: no kernels"; cat "$work/$1.err"; return 1; }
    planted "$1" >"$work/$1.planted"
    refused=$(sed -n 's|^// Calls that fail: \([0-9]*\)$|\1|p' "$(source_of "$1")")
    ends=1
    [ -s "$work/$1.planted" ] || [ -n "$refused" ] || ends=0
    same "$1" "$ends" check || return 1
    failed=$(sed -n "s/^\([0-9]*\) calls* of the program's failed\$/\1/p" "$work/$1.err")
    [ "$failed" = "$refused" ] || { echo "haul check: ${failed:-0} calls failed"; cat "$work/$1.err"; return 1; }
    if [ ! -s "$work/$1.planted" ] && grep -q ': error: \|: warning: ' "$work/$1.err"; then
        echo "haul check finds something"
        cat "$work/$1.err"
        return 1
    fi
    while read -r line; do
        grep -q "^[^ ]*$line" "$work/$1.err" || { echo "not found: $line"; cat "$work/$1.err"; return 1; }
    done <"$work/$1.planted"
}

report() { # NAME
    if try "$1" >"$work/$1.log" 2>&1; then
        echo "ok      $1"
    else
        echo "FAILED  $1"
        sed 's/^/        /' "$work/$1.log" | head -n 40
    fi
}

root=$1
shift 2
[ $# -gt 0 ] || set -- $(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$root/tests/programs/samples.list")
for name; do report "$name"; done | tee "$work/all"
! grep -q '^FAILED' "$work/all"
