#!/bin/sh
# A program that ends while the library that compiles kernels is being loaded. usage: run_loading.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_launches
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

export LD_LIBRARY_PATH="$2/tests/slow_llvm" HAUL_LLVM=LLVM-14 XDG_CACHE_HOME="$work/cache"
result 'a program ends well that ends soon after its kernel' exits_with 0 "$haul" run --threads 1 -- "$program" loop 3000
result 'though its kernel made haul load the library' grep -q '^loaded' "$work/err"
exit $((failures > 0))
