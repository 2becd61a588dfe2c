#!/bin/sh
# Builds the device benchmark with nvcc, and runs it where there is a GPU. On demand only: the default build knows
# nothing of it.
#
# usage: tools/device/bench.sh [--build-only] [--out FOLDER] [--ptx FOLDER] [arguments of bench_device]
#
# The architecture is that of the first GPU, or $HAUL_BENCH_ARCH (sm_90 without either). FOLDER (default build/bench-device)
# gets the program and, where nvcc is missing but the program is there, is run as it is. The shipped kernels come as nvcc
# compiles them and, from the folder of --ptx (default build/kernels, where a build of haul leaves it), as haul embeds
# them.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$root/build/bench-device
ptx=$root/build/kernels
run=yes
while [ $# -gt 0 ]; do
    case $1 in
    --build-only) run=no ;;
    --out)
        out=$2
        shift
        ;;
    --ptx)
        ptx=$2
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
arch=${arch:-sm_90}
nvcc=${NVCC:-nvcc}

# Of the sources given, those that must be compiled, each with its output. A change anywhere rebuilds all: there are few.
stale() {
    for source; do
        case $source in
        "$root"/kernels/*.cu) output=$out/kernels/$(basename "$source" .cu).cubin ;;
        *) output=$out/$(basename "$(dirname "$source")")_$(basename "$source").o ;;
        esac
        if [ -n "$(find "$root/bench" "$root/kernels" "$root/include" -newer "$output" 2>/dev/null || echo new)" ]; then
            printf '%s %s\n' "$source" "$output"
        fi
    done
}

# compile FLAGS: reads what stale() has written.
compile() {
    xargs -r -P 4 -n 2 sh -c '"$0" -O3 -arch="$1" $2 -I "$3/include" -I "$3" -I "$3/src" "$4" -o "$5"' \
        "$nvcc" "$arch" "$1" "$root"
}

build() {
    stale "$root"/kernels/*.cu | compile "-std=c++17 -cubin"
    stale "$root"/bench/device/*.cu "$root"/bench/peers/*.cu | compile "-std=c++17 -c"
    # The kernels' host functions, without the list of what haul's programs embed.
    stale $(find "$root"/kernels -name '*.c' ! -name kernels.c) "$root"/src/base/status.c "$root"/src/base/memory.c |
        compile -c
    "$nvcc" -arch="$arch" "$out"/*.o -ldl -o "$out/bench_device"
}

mkdir -p "$out/kernels"
if command -v "$nvcc" >/dev/null 2>&1; then
    build
elif [ ! -x "$out/bench_device" ]; then
    echo "bench.sh: no nvcc here: install the CUDA toolkit (12.8 or newer), or set NVCC" >&2
    exit 1
fi
for file in "$ptx"/*.ptx; do
    [ ! -e "$file" ] || cp "$file" "$out/kernels/"
done
[ $run = no ] || exec "$out/bench_device" "$@"
