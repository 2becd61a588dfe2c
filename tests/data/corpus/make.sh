#!/bin/sh
# Makes the files here anew.
#     make.sh ptx BUILD                            compiles the sources (nvcc), and takes the PTX of the shipped kernels out of BUILD
#     make.sh read HAUL FOLDER [READINGS [NAME...]] lets Nsight Compute count every launch on gpu:0, READINGS times (2), and writes
#                                                  FOLDER/NAME.jsonl
set -u
here=$(cd "$(dirname "$0")" && pwd)
names="global shared atomics stack copies tensors cub matrix kernels sets unseen_plain unseen_async unseen_cub
    fresh_hpc fresh_nets fresh_bits fresh_copies fresh_libs fresh_ampere
    third_memory third_algos third_async third_mma third_libs third_fast third_small
    fourth_memory fourth_algos fourth_async fourth_libs"

flags() {
    case $1 in
    fresh_ampere) echo -arch=compute_80 ;;
    fresh_bits) echo -std=c++17 -arch=sm_90 -lineinfo ;;
    fresh_*) echo -std=c++17 -arch=sm_90 ;;
    third_fast) echo -std=c++17 -arch=compute_80 -use_fast_math ;;
    third_small) echo -std=c++17 -arch=compute_75 -Xcicc -O1 ;;
    third_*) echo -std=c++17 -arch=compute_90a ;;
    fourth_*) echo -std=c++17 -arch=compute_90 ;;
    *) echo -arch=sm_90 ;;
    esac
}

# third_small is third_fast, compiled otherwise.
source_of() {
    [ "$1" = third_small ] && echo third_fast || echo "$1"
}

compile() {
    for name in $names; do
        [ "$name" = kernels ] && continue
        # shellcheck disable=SC2046
        nvcc -O3 $(flags "$name") -ptx "$here/$(source_of "$name").cu" -o "$1/corpus.ptx" && "$here/trim.py" "$1/corpus.ptx" >"$here/$name.ptx" || exit 1
    done
    rm -f "$1/corpus.ptx"
}

# What an H100 gets: the PTX for sm_90 where there is one.
take_kernels() {
    mkdir -p "$here/kernels"
    "$here/launches.py" kernels >"$1/corpus.jsonl"
    for module in "$here"/../../../kernels/*.cu; do
        name=$(basename "$module" .cu)
        ptx=$1/kernels/$name.sm_90.ptx
        [ -e "$ptx" ] || ptx=$1/kernels/$name.ptx
        "$here/trim.py" "$ptx" "$1/corpus.jsonl" "$name" >"$here/kernels/$name.ptx" || exit 1
    done
    rm -f "$1/corpus.jsonl"
}

# count NAME HAUL FOLDER READING
count() {
    "$here/launches.py" "$1" >"$3/$1.launches"
    case $1 in
    kernels) files=$(echo "$here"/kernels/*.ptx) ;;
    some) files=$(echo "$here"/*.ptx "$here"/kernels/*.ptx) ;;
    *) files=$here/$1.ptx ;;
    esac
    ptx=$(for f in $files; do printf -- '--ptx %s ' "$f"; done)
    # shellcheck disable=SC2086
    "$2" replay "$3/$1.launches" $ptx --device gpu:0 --counters --readings 1 >"$3/$1.$4" && rm -f "$3/$1.launches"
}

count_all() {
    haul=$1 folder=$2 readings=${3:-2}
    shift 2
    [ $# -gt 0 ] && shift
    [ $# -gt 0 ] && names=$*
    mkdir -p "$folder"
    reading=1
    while [ $reading -le "$readings" ]; do
        for name in $names; do
            count "$name" "$haul" "$folder" $reading || echo "$name: reading $reading failed"
        done
        reading=$((reading + 1))
    done
    for name in $names; do
        "$here/merge.py" "$folder/$name".[1-9] >"$folder/$name.jsonl" && rm -f "$folder/$name".[1-9]
    done
}

case ${1:-} in
ptx) compile "$2" && take_kernels "$2" ;;
read) shift && count_all "$@" ;;
*) sed -n '2,6s/^# //p' "$0"; exit 2 ;;
esac
