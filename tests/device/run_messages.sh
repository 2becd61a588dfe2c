#!/bin/sh
# Wrong descriptors and pipelines, and null pointers, do not compile, and the compiler says what is wrong, as
# messages.expected has it; right ones of the newer architecture do. With every compiler that is installed. usage: run_messages.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
tests=$root/tests/device

# sm_80, whose messages are all that there are.
messages() { # compiler
    : >"$work/said"
    sed -n "s/^#.*PART == //p" "$tests/messages.cu" >"$work/parts"
    while read -r part; do
        "$cu2ptx" --compiler "$1" --arch sm_80 -D "PART=$part" "$tests/messages.cu" -o "$work/none.ptx" \
            </dev/null >>"$work/said" 2>&1 && fail "$1: part $part compiles"
    done <"$work/parts"
    while IFS= read -r line; do
        grep -qF "$line" "$work/said" || fail "$1 does not say: $line"
    done <"$tests/messages.expected"
}

# Code that needs sm_90 is refused for sm_80 and accepted for sm_90.
forced_bulk() { # compiler
    cat >"$work/bulk.cu" <<'END'
#include <haul/device.h>
__shared__ __align__(16) char tile[1024];
extern "C" __global__ void bulk(const char *from) {
    HAUL_SEQUENTIAL(t, 1024, 16, 32, HAUL_BY_BULK);
    __shared__ haul_channel_memory memory;
    haul_channel channel = haul_warp_channel(&memory);
    haul_warp_load(t, &channel, tile, from);
}
END
    "$cu2ptx" --compiler "$1" --arch sm_90 "$work/bulk.cu" -o "$work/bulk.ptx" || fail "$1: a bulk copy for sm_90"
    "$cu2ptx" --compiler "$1" --arch sm_80 "$work/bulk.cu" -o "$work/bulk.ptx" >"$work/said" 2>&1 &&
        fail "$1: a bulk copy for sm_80 compiles"
    grep -q 'haul: t: bulk and tensor copies need sm_90 or later' "$work/said" || fail "$1 does not refuse bulk for sm_80"
}

# One mistake is one error that fits on a screen, and its first line says it. nvcc quotes the line with all macros
# expanded.
short_messages() { # compiler
    cat >"$work/one.cu" <<'END'
#include <haul/device.h>
extern "C" __global__ void one(void) {
#ifdef NAMED
    HAUL_HALO_WITH(t, float, .width = 8, .height = 8, .radius = 1, .engine = HAUL_BY_LDG | HAUL_BY_LDGSTS);
#else
    HAUL_HALO(t, 4, 8, 8, 1, 40, 4, 32, HAUL_BY_LDG | HAUL_BY_LDGSTS);
#endif
}
END
    for form in POSITIONAL NAMED; do
        "$cu2ptx" --compiler "$1" --arch sm_80 -D $form "$work/one.cu" -o "$work/one.ptx" >"$work/said" 2>&1
        head -1 "$work/said" | grep -q 'one\.cu.*haul: t: HAUL_BY_LDG and HAUL_BY_LDGSTS: choose one engine' ||
            fail "$1 $form: the first line does not say it: $(head -1 "$work/said")"
        [ "$(wc -l <"$work/said")" -le 24 ] && [ "$(wc -c <"$work/said")" -le 2400 ] ||
            fail "$1 $form: the error has $(wc -lc <"$work/said") lines and bytes"
    done
}

# Null pointers are refused where they are written.
nulls() { # compiler
    : >"$work/said"
    for part in 1 2; do
        "$cu2ptx" --compiler "$1" --arch sm_80 -D "PART=$part" "$tests/nulls.cu" -o "$work/none.ptx" >>"$work/said" 2>&1
    done
    sed -n 's/.*nulls\.cu[:(]\([0-9]*\)[:)].*error.*null.*/\1/p' "$work/said" | sort -n >"$work/found"
    grep -n '// null$' "$tests/nulls.cu" | cut -d: -f1 >"$work/wanted"
    diff "$work/wanted" "$work/found" || fail "$1: null pointers of nulls.cu are not refused, or others are"
}

for compiler in $compilers; do
    messages "$compiler"
    nulls "$compiler"
    short_messages "$compiler"
    forced_bulk "$compiler"
done
echo "$(wc -l <"$tests/messages.expected") messages by$compilers; $failures failed"
[ "$failures" -eq 0 ]
