#!/bin/sh
# Builds the device benchmark with nvcc, and runs it where there is a GPU. On demand only: the default build knows
# nothing of it.
#
# usage: tools/device/bench.sh [--build-only] [--out FOLDER] [arguments of bench_device]
#
# The architecture is that of the first GPU, or $HAUL_BENCH_ARCH (sm_90 without either). FOLDER (default build/bench-device)
# gets the program and, where nvcc is missing but the program is there, is run as it is.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$root/build/bench-device
run=yes
while [ $# -gt 0 ]; do
    case $1 in
    --build-only) run=no ;;
    --out)
        out=$2
        shift
        ;;
    *) break ;;
    esac
    shift
done

arch=${HAUL_BENCH_ARCH:-}
if [ -z "$arch" ] && command -v nvidia-smi >/dev/null 2>&1; then
    arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '.')
fi
nvcc=${NVCC:-nvcc}
mkdir -p "$out"
if command -v "$nvcc" >/dev/null 2>&1; then
    for source in "$root"/bench/device/*.cu "$root"/bench/peers/*.cu; do
        object=$out/$(basename "$source" .cu).o
        # A change in a header rebuilds all: there are few files.
        if [ -n "$(find "$root/bench/device" "$root/bench/peers" -newer "$object" 2>/dev/null || echo new)" ]; then
            echo "$source $object"
        fi
    done | xargs -r -P 4 -n 2 sh -c '"$0" -O3 -std=c++17 -arch="$1" -c "$2" -o "$3"' "$nvcc" "${arch:-sm_90}"
    "$nvcc" -arch="${arch:-sm_90}" "$out"/*.o -o "$out/bench_device"
elif [ ! -x "$out/bench_device" ]; then
    echo "bench.sh: no nvcc here: install the CUDA toolkit (12.8 or newer), or set NVCC" >&2
    exit 1
fi
[ $run = no ] || exec "$out/bench_device" "$@"
