#!/bin/sh
# PTX from every compiler that is installed gives the same bits: the launches of each module, whose outputs are recorded,
# run with the PTX of one compiler after the other. What includes <haul/device.h> is compiled for both architectures.
# Each file is copied first, as learners do who edit the copy. usage: run_compilers.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
haul=$2/haul

# The architectures that module $1 is compiled for; kernels/CMakeLists.txt has the rule.
architectures() {
    case $1 in
    *_sm90) echo sm_90 ;;
    *_sm90a) echo sm_90a ;;
    *) if grep -q '^#include <haul/device.h>' "$root/kernels/$1.cu"; then echo sm_80 sm_90; else echo sm_80; fi ;;
    esac
}

# Module $1, compiled by $2 for $3, leaves the recorded bytes.
agrees() {
    cp "$root/kernels/$1.cu" "$work/copy.cu" &&
        "$cu2ptx" --compiler "$2" --arch "$3" "$work/copy.cu" -o "$work/copy.ptx" &&
        "$haul" compare "$root/tests/data/kernels/$1.jsonl" --ptx "$work/copy.ptx" --device sim:h100 >"$work/lines"
}

for file in "$root"/kernels/*.cu; do
    module=$(basename "$file" .cu)
    launches=$root/tests/data/kernels/$module.jsonl
    grep -q '"after"' "$launches" || fail "$module has no launches with recorded outputs"
    for compiler in $compilers; do
        for arch in $(architectures "$module"); do
            agrees "$module" "$compiler" "$arch" || fail "$module with $compiler for $arch: $(grep differs "$work/lines")"
        done
    done
done
echo "compared:$compilers"
exit $((failures != 0))
