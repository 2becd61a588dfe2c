#!/bin/sh
# PTX from every compiler that is installed gives the same bits: each module's launches are replayed with the PTX of one
# after the other. What includes <haul/device.h> is compiled for both architectures, which have to give the same bits too.
# usage: run_compilers.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
haul=$2/haul

# The architectures that module $1 is compiled for; kernels/CMakeLists.txt has the rule.
architectures() {
    case $1 in
    *_sm90) echo sm_90 ;;
    *) if grep -q '^#include <haul/device.h>' "$root/kernels/$1.cu"; then echo sm_80 sm_90; else echo sm_80; fi ;;
    esac
}

# The hashes of the buffers after each launch of module $1, compiled by $2 for $3: from a copy of its file, as learners edit.
hashes() {
    mkdir -p "$work/copies"
    cp "$root/kernels/$1.cu" "$work/copies" &&
        "$cu2ptx" --compiler "$2" --arch "$3" "$work/copies/$1.cu" -o "$work/$1.ptx" &&
        "$haul" replay "$root/tests/data/kernels/$1.jsonl" --ptx "$work/$1.ptx" --device sim:h100 >"$work/lines" &&
        grep -o '"after": *"[0-9a-f]*"' "$work/lines"
}

for compiler in $compilers; do
    for file in "$root"/kernels/*.cu; do
        module=$(basename "$file" .cu)
        [ -e "$root/tests/data/kernels/$module.jsonl" ] || fail "$module has no launches"
        for arch in $(architectures "$module"); do
            hashes "$module" $compiler "$arch" >"$work/now" || fail "$module with $compiler for $arch"
            [ -e "$work/$module.first" ] || cp "$work/now" "$work/$module.first"
            cmp -s "$work/now" "$work/$module.first" || fail "$module: $compiler for $arch gives other bits than others of$compilers"
        done
    done
done
echo "compared:$compilers"
exit $((failures != 0))
