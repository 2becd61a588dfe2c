#!/bin/sh
# A library that contains the static runtime and has no symbols. usage: run_stripped.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_stripped made=$2/tests/stripped
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

counts() { "$haul" run --gpus 2 -- "$program" "$2" >"$work/out" 2>"$work/err" && [ "$(cat "$work/out")" = "$1" ]; } # DEVICES LIBRARY

result 'by itself the library uses its own runtime' exits_with 0 "$program" "$made/libstripped.so"
result 'which has no devices' grep -qx -- -40 "$work/out"
result 'under haul it has those of haul: the archive beside it tells where its functions are' counts 2 "$made/libstripped.so"

cp "$made/libstripped.so" "$work"
mkdir -p "$work/toolkit/lib64"
cp "$made/libcudart_static.a" "$work/toolkit/lib64"
export CUDA_HOME="$work/toolkit"
result 'or that of the toolkit which CUDA_HOME names' counts 2 "$work/libstripped.so"
export CUDA_HOME="$work"
for bytes in 4 60 200 1000; do
    head -c $bytes "$made/libcudart_static.a" >"$work/libcudart_static.a"
    result "an archive of $bytes bytes tells nothing" counts -40 "$work/libstripped.so"
done
sed 's/cudaGetDeviceCount/cudaGetDeviceNobody/g' "$made/libcudart_static.a" >"$work/libcudart_static.a"
result 'nor does one without the runtime' counts -40 "$work/libstripped.so"
cp "$2/tests/other_release/libcudart_static.a" "$work"
result 'a runtime of another release is left alone' counts -40 "$work/libstripped.so"
exit $((failures > 0))
