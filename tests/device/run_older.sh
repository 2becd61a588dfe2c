#!/bin/sh
# The device library for sm_70 (clang) and sm_75 (nvcc): examples/ladder.cu and handover.cu compile, the assembler takes
# them, their results are right and haul check finds nothing; LDGSTS is refused.
# usage: run_older.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
haul=$2/haul

# ptxas 13 knows sm_75 and later.
assembles() { # file
    command -v ptxas >/dev/null 2>&1 || return
    [ "$arch" -ge 75 ] || return
    ptxas -arch="sm_$arch" "$1" -o "$work/older.cubin" >"$work/said" 2>&1 ||
        { head -5 "$work/said"; fail "$compiler sm_$arch: ptxas"; }
}

compile() { # example
    "$cu2ptx" --no-lineinfo --compiler "$compiler" --arch "sm_$arch" "$root/examples/$1.cu" -o "$work/$1.ptx" ||
        fail "$compiler sm_$arch: $1 does not compile"
    grep -qE 'cp\.async|mbarrier|createpolicy' "$work/$1.ptx" && fail "$compiler sm_$arch: $1 has instructions of sm_80"
    assembles "$work/$1.ptx"
}

checks() { # example, kernel, threads, arguments
    example=$1 kernel=$2 threads=$3
    shift 3
    "$haul" check "$work/$example.ptx" --kernel "$kernel" --grid 2 --block "$threads" "$@" >"$work/said" 2>&1 ||
        { head -5 "$work/said"; fail "$compiler sm_$arch: $kernel"; }
}

ladder_is_right() {
    compile ladder
    "$2/examples/ladder" "$work/ladder.ptx" sim:a100 >"$work/said" || fail "$compiler sm_$arch: ladder"
    [ "$(grep -c right "$work/said")" -eq 8 ] || { cat "$work/said"; fail "$compiler sm_$arch: ladder is wrong"; }
    checks ladder window_roles 288 --arg buf:f01:16400 --arg buf:zero:16384 --arg i32:16384
    checks ladder window_pipeline 256 --arg buf:f01:16400 --arg buf:zero:16384 --arg i32:16384
}

refuses_ldgsts() {
    cat >"$work/ldgsts.cu" <<'END'
#include <haul/device.h>
extern "C" __global__ void wrong(void) {
    HAUL_SEQUENTIAL(copied, 16, 16, 32, HAUL_BY_LDGSTS);
    HAUL_SEQUENTIAL_WITH(evicted, float, .count = 64, .evict = HAUL_L2_EVICT_FIRST);
}
END
    "$cu2ptx" --compiler "$compiler" --arch "sm_$arch" "$work/ldgsts.cu" -o "$work/ldgsts.ptx" >"$work/said" 2>&1 &&
        fail "$compiler sm_$arch: LDGSTS compiles"
    grep -q 'haul: copied: LDGSTS needs sm_80 or later' "$work/said" || fail "$compiler sm_$arch: takes LDGSTS"
    grep -q 'haul: evicted: eviction priorities need sm_80' "$work/said" || fail "$compiler sm_$arch: takes priorities"
}

for compiler in $compilers; do
    arch=70
    case $compiler in nvcc) arch=75 ;; esac
    ladder_is_right "$@"
    compile handover
    checks handover sums_manual 320 --arg buf:f01:32768 --arg buf:zero:2048 --arg i32:16
    refuses_ldgsts
done
echo "sm_70 and sm_75 by$compilers; $failures failed"
[ "$failures" -eq 0 ]
