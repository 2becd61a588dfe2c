#!/bin/sh
# <cuda/pipeline> with stages that a block shares, by every compiler that is installed: what comes out is what a kernel
# without a pipeline gives, and haul check finds nothing. usage: run_block_pipelines.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
haul=$2/haul
kernels=$root/tests/toolchain/block_pipelines.cu

# Kernel $2 with blocks of $3, compiled by $1, leaves its results in $4.
checked() {
    "$haul" check "$kernels" --compiler "$1" --device sim:a100 --kernel "$2" --block "$3" --quiet \
        --arg "buf:poison:640,out=$4" --arg buf:f01:640 --arg i32:10
}

for compiler in $compilers; do
    checked "$compiler" plain 64 "$work/plain" || fail "$compiler: a kernel without a pipeline"
    for form in unified:64 by_role:128 by_count:128; do
        checked "$compiler" "${form%:*}" "${form#*:}" "$work/out" || fail "$compiler: findings in ${form%:*}"
        cmp -s "$work/plain" "$work/out" || fail "$compiler: ${form%:*} gives something else"
    done
done
echo "checked:$compilers"
exit $((failures != 0))
