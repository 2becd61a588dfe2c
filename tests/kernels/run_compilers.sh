#!/bin/sh
# PTX from every compiler that is installed gives the same bits: the launches of each module, whose outputs are recorded,
# run with the PTX of one compiler after the other. What includes <haul/device.h> is compiled for both architectures.
# Each file is copied first, as learners do who edit the copy. The build's own compiler has made PTX of all files already:
# with that one, only the first file that includes a header is copied. usage: run_compilers.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
haul=$2/haul
built=$2/kernels

# The architectures that module $1 is compiled for; kernels/CMakeLists.txt has the rule.
architectures() {
    case $1 in
    *_sm90) echo sm_90 ;;
    *_sm90a) echo sm_90a ;;
    *) if grep -q '^#include <haul/device.h>' "$root/kernels/$1.cu"; then echo sm_80 sm_90; else echo sm_80; fi ;;
    esac
}

# Whether the build compiled the kernels with $1.
is_own() {
    chosen=$(sed -n 's/^HAUL_KERNEL_COMPILER:[A-Z]*=//p' "$built/../CMakeCache.txt")
    [ "$("$cu2ptx" --compiler "$1" --find)" = "$("$cu2ptx" --compiler "${chosen:-auto}" --find)" ]
}

# Whether module $1 includes a header that no earlier one has.
has_new_header() {
    grep '^#include' "$root/kernels/$1.cu" >"$work/included"
    grep -v -x -F -f "$work/headers" "$work/included" >>"$work/headers"
}

# Module $1, compiled by $2 for $3.
compile_copy() {
    cp "$root/kernels/$1.cu" "$work/copy.cu" &&
        "$cu2ptx" --compiler "$2" --arch "$3" "$work/copy.cu" -o "$work/module.ptx"
}
take_built() {
    ptx=$built/$1.$3.ptx
    [ -e "$ptx" ] || ptx=$built/$1.ptx
    grep -q "^\.target $3" "$ptx" && cp "$ptx" "$work/module.ptx"
}

# It leaves the recorded bytes.
agrees() {
    "$haul" compare "$root/tests/data/kernels/$1.jsonl" --ptx "$work/module.ptx" --device sim:h100 >"$work/lines"
}

for compiler in $compilers; do
    own=no
    ! is_own "$compiler" || own=yes
    : >"$work/headers"
    for file in "$root"/kernels/*.cu; do
        module=$(basename "$file" .cu)
        grep -q '"after"' "$root/tests/data/kernels/$module.jsonl" || fail "$module has no launches with recorded outputs"
        get=compile_copy
        has_new_header "$module" || [ $own = no ] || get=take_built
        for arch in $(architectures "$module"); do
            $get "$module" "$compiler" "$arch" && agrees "$module" ||
                fail "$module with $compiler for $arch: $(grep differs "$work/lines")"
        done
    done
done
echo "compared:$compilers"
exit $((failures != 0))
