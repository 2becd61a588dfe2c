#!/bin/sh
# CUDA C++ programs as nvcc compiles them, with CUB, Thrust, libcu++ and cooperative groups, on the virtual GPU: their
# results are right, and `haul check` finds nothing. usage: run.sh SOURCE_ROOT BUILD_FOLDER. Prints one line a program;
# exits 1 if any failed.
set -u
programs=$1/tests/programs
haul=$2/haul
[ -e "$2/standin" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }
work=$(mktemp -d "$2/programs.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$PATH:/usr/local/cuda/bin
failed=0

command -v nvcc >/dev/null 2>&1 || { echo "skipped: nvcc is not installed"; exit 77; }
printf '#include <cub/version.cuh>\n#include <thrust/version.h>\n' >"$work/libraries.cu"
nvcc -arch=sm_90 -E "$work/libraries.cu" >/dev/null 2>&1 || { echo "skipped: nvcc finds no CUB and Thrust (CCCL)"; exit 77; }

fail() {
    echo "FAILED  $1"
    sed 's/^/        /' "$work/log" | head -n 30
    failed=1
}

compile() { # NAME FLAG...
    name=$1
    shift
    nvcc -std=c++17 "$@" -gencode arch=compute_90,code=compute_90 -o "$work/$name" "$programs/$name.cu"
}

# The same, of several files that are linked on the device.
compile_linked() { # NAME OTHER FLAG...
    name=$1 other=$2
    shift 2
    nvcc -std=c++17 "$@" -rdc=true -gencode arch=compute_90,code=compute_90 -gencode arch=compute_90,code=sm_90 \
        -o "$work/$name" "$programs/$name.cu" "$programs/$other.cu"
}

runs() { # NAME WHAT
    timeout 600 "$haul" run -- "$work/$1" >"$work/log" 2>&1 || { fail "$1, $2"; return; }
    timeout 600 "$haul" check -- "$work/$1" >"$work/log" 2>&1 || { fail "$1, $2, with checks"; return; }
    echo "ok      $1, $2"
}

try() { # NAME WHAT COMMAND...: the command makes the program
    name=$1 what=$2
    shift 2
    "$@" >"$work/log" 2>&1 || { fail "$name, $what: does not compile"; return; }
    runs "$name" "$what"
}

try linked "two files" compile_linked linked shapes
try linked "two files, -G, PTX that is not packed" compile_linked linked shapes -G --compress-mode=none
try streams "default" compile streams
strip -o "$work/stripped" "$work/streams"
try streams "the shared runtime" compile streams -cudart shared
try solvers "-lineinfo, PTX packed by LZ4" compile solvers -lineinfo --compress-mode=speed
try selecting "CUB" compile selecting --compress-mode=speed
try products "wmma, pipelines" compile products
try sorting "CUB" compile sorting --compress-mode=speed
try containers "Thrust" compile containers --compress-mode=speed

"$haul" run -- "$work/stripped" >"$work/log" 2>&1
if [ $? -eq 2 ] && [ "$(wc -l <"$work/log")" -eq 1 ] && grep -q "stripped: keep its symbols" "$work/log"; then
    echo "ok      stripped, with the static runtime: refused in one line"
else
    fail "stripped, with the static runtime"
fi
exit $failed
