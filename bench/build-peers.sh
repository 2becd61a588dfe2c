#!/bin/sh
# Builds a library of peers that haul bench loads, from all CUDA sources of a folder. The build of haul calls it where nvcc
# is.
#
# usage: bench/build-peers.sh FOLDER OUT.so [ARCHITECTURE...]
#
# FOLDER: bench/peers (CUB, cuBLAS, cuda::pipeline, CudaDMA's double buffer) or bench/candidates (forms by hand).
# ARCHITECTURE: 80, 90, ... (default: 80 and 90, and PTX for what comes later). NVCC names the compiler.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ $# -lt 2 ]; then
    echo 'usage: bench/build-peers.sh FOLDER OUT.so [ARCHITECTURE...]' >&2
    exit 2
fi
folder=$1
out=$2
shift 2
[ $# -gt 0 ] || set -- 80 90

targets=
for architecture; do
    targets="$targets -gencode arch=compute_$architecture,code=sm_$architecture"
done
targets="$targets -gencode arch=compute_$architecture,code=compute_$architecture"

objects=$(mktemp -d "${TMPDIR:-/tmp}/peers.XXXXXX")
trap 'rm -rf "$objects"' EXIT
# shellcheck disable=SC2086 # the targets are words
printf '%s\n' "$folder"/*.cu |
    xargs -P 4 -I{} sh -c '"$0" "$@" -c "{}" -o "'"$objects"'/$(basename {}).o"' "${NVCC:-nvcc}" -O3 -std=c++17 \
        -Xcompiler -fPIC,-fvisibility=hidden -I "$here/../include" $targets
"${NVCC:-nvcc}" -shared "$objects"/*.o -ldl -o "$out"
