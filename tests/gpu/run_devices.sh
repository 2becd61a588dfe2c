#!/bin/sh
# haul stream over two GPUs, by the driver of this folder: chunks go to the one that asks first, and the bytes are those of
# one GPU. usage: run_devices.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
export LD_LIBRARY_PATH="$2/tests/gpu/new" FAKE_CUDA="devices=2"

says() { grep -q -- "$1" "$work/$2"; }
head -c 400004 /dev/urandom >"$work/in"
result 'one GPU' exits_with 0 "$haul" stream --device gpu:1 -q --in "$work/in" --out "$work/one" --chunk 32K
result 'all GPUs' exits_with 0 "$haul" stream --device gpu:all --in "$work/in" --out "$work/two" --chunk 32K
result 'give the same bytes' cmp "$work/one" "$work/two"
result 'and are listed' says '^1: gpu:1 ' out
result 'a list' exits_with 0 "$haul" stream --device gpu:1,gpu:0 -q --in "$work/in" --out "$work/two" --chunk 8K
result 'gives the same bytes' cmp "$work/one" "$work/two"
result 'one GPU twice' exits_with 2 "$haul" stream --device gpu:0,gpu:0 --bytes 1M
result 'is refused' says 'gpu:0 is named twice\|only a virtual GPU' err
result 'a third one' exits_with 2 "$haul" stream --device gpu:0,gpu:2 --bytes 1M
result 'is not there' says 'there are 2 GPUs' err
result 'real and virtual ones' exits_with 2 "$haul" stream --device gpu:0,sim:h100 --bytes 1M
result 'do not work together' says 'do not work together' err
FAKE_CUDA="devices=2 cuMemcpyDtoHAsync_v2=719@30"
result 'a failure' exits_with 2 "$haul" stream --device gpu:all --in "$work/in" --out "$work/three" --chunk 8K --keep-partial
result 'names the GPU' says 'device [01] (gpu:[01]): ' err
result 'and what is complete' says 'are complete in the .partial file' err
FAKE_CUDA="devices=2"
result 'from where another run continues' exits_with 0 "$haul" stream --device gpu:all --in "$work/in" --out "$work/three" --chunk 8K --resume
result 'to the same bytes' cmp "$work/one" "$work/three"
exit $((failures > 0))
