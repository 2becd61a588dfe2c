#!/bin/sh
# Makes the PTX of the kernels anew, with nvcc of CUDA 13.0 or later: make-ptx.sh [NAME...], of all sources without names.
# NAME_bad.ptx has the defects, NAME_ok.ptx the repaired twins. Comments, empty lines and folders in .file are left out.
set -eu
cd "$(dirname "$0")"
NVCC=${NVCC:-nvcc}

architecture() {
    case $1 in
    groups | named_barriers) echo sm_80 ;;
    clusters | engines | locks | matrix | tensor_maps | visibility) echo sm_90a ;;
    tcgen05) echo sm_100a ;;
    *) echo sm_90 ;;
    esac
}

[ $# -gt 0 ] || set -- $(ls ./*.cu | sed 's|^\./||; s|\.cu$||')
for name; do
    for fixed in 0 1; do
        case $name$fixed in right*0) continue ;; esac
        twin=$([ $fixed = 1 ] && echo ok || echo bad)
        "$NVCC" -std=c++17 -O3 -arch="$(architecture "$name")" -lineinfo -ptx -DFIXED=$fixed -o "${name}_$twin.whole" "$name.cu"
        sed -e '/^[[:space:]]*$/d; /^\/\//d; s|\.file\([[:space:]]*[0-9]*\) ".*/\([^/"]*\)".*|.file\1 "\2"|' \
            "${name}_$twin.whole" >"${name}_$twin.ptx"
        rm "${name}_$twin.whole"
    done
done
