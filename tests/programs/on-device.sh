#!/bin/sh
# The sample programs on a real GPU: compiles all of samples.list with nvcc, runs each, and compares what it prints with
# what it prints on the virtual one. usage: on-device.sh [NAME...]. Prints one line a program; exits 1 if any failed.
# ARCH (default: the first GPU's compute capability, as in 90) is what they are compiled for.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ARCH=${ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)}
export ARCH
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- $(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$here/samples.list")
mkdir "$work/built"
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c \
    'sh "$1/build.sh" "$2" "$3/built" >"$3/$2.build" 2>&1 || echo "$2" >>"$3/broken"' sh "$here" {} "$work"

try() { # NAME
    if [ -e "$work/broken" ] && grep -qx "$1" "$work/broken"; then
        echo "does not compile"
        cat "$work/$1.build"
        return 1
    fi
    timeout 100 "$work/built/$1" >"$work/$1.out" 2>"$work/$1.err"
    status=$?
    diff "$here/samples/$1.out" "$work/$1.out" && [ $status -eq 0 ] && return 0
    echo "status $status"
    head -n 20 "$work/$1.err"
    return 1
}

failed=0
for name; do
    if try "$name" >"$work/log" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        sed 's/^/        /' "$work/log" | head -n 30
        failed=1
    fi
done
exit $failed
