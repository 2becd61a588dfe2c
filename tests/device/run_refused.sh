#!/bin/sh
# Wrong uses that compile do not run: the launch says what is wrong, whatever the compiler has made of it. A null pointer
# must not let it delete the kernel. With every compiler that is installed.
# usage: run_refused.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
haul=$2/haul

# launch KERNEL FLAGS: of $work/refused.ptx, on $machine
launch() {
    timeout 60 "$haul" check "$work/refused.ptx" --device "sim:$machine" --kernel "$1" --grid 1 --block 64 \
        --arg buf:f01:65536 --arg buf:f01:65536 --arg buf:zero:64 --arg buf:zero:4096 --arg "i64:$2" >"$work/said" 2>&1
}

refuses() { # kernel, flags, what it says
    launch "$1" "$2"
    status=$?
    [ $status -eq 1 ] || fail "$compiler sm_$arch: $1 $2: status $status"
    grep -q -e "$3" "$work/said" || { head -5 "$work/said"; fail "$compiler sm_$arch: $1 $2 does not say: $3"; }
}

takes() { # kernel, flags
    launch "$1" "$2" || { head -5 "$work/said"; fail "$compiler sm_$arch: $1 $2 is refused"; }
}

compile() { # further arguments of cu2ptx
    "$cu2ptx" --compiler "$compiler" --arch "sm_$arch" "$@" "$root/tests/device/refused.cu" -o "$work/refused.ptx" ||
        fail "$compiler sm_$arch: $*: does not compile"
}

# What is known when everything is inlined: clang does not compile it, and elsewhere the launch ends.
known() {
    lacks='bulk and tensor loads complete on a channel'
    case $compiler in
    clang*)
        "$cu2ptx" --compiler "$compiler" --arch "sm_$arch" -D KNOWN "$root/tests/device/refused.cu" \
            -o "$work/refused.ptx" >"$work/said" 2>&1 && fail "$compiler sm_$arch: compiles without channel and type"
        grep -q 'error: .*says no type of the elements to add' "$work/said" || fail "$compiler sm_$arch: takes no type"
        [ "$arch" -eq 80 ] && return
        [ "$(grep -c "error: .*$lacks" "$work/said")" -eq 3 ] || fail "$compiler sm_$arch: takes no channel"
        return
        ;;
    esac
    compile -D KNOWN || return
    refuses no_type 0 'says no type of the elements to add'
    [ "$arch" -eq 80 ] && return
    for kernel in no_channel no_channel_gather no_channel_tile; do refuses $kernel 0 "$lacks"; done
}

any_build() {
    for kernel in no_channel_auto no_channel_gather no_channel_start; do takes $kernel 0; done
    refuses no_type 0 'says no type of the elements to add'
    for kernel in null_source null_target null_index null_index_scatter no_index no_index_store null_view null_flight; do
        refuses $kernel 0 'error: \(out-of-bounds\|illegal-access\|trap\)'
    done
    [ "$arch" -eq 80 ] && return
    refuses no_channel "$bulk" 'bulk and tensor loads complete on a channel'
    refuses null_shared 0 'error: out-of-bounds'
    refuses null_shared_store 0 'error: out-of-bounds'
}

# Flags as numbers: HAUL_BY_LDG and the like, as include/haul/flags.h has them.
flags() {
    cat >"$work/flags.c" <<END
#include <haul/flags.h>
#include <stdio.h>
int main(void) { printf("%lld\n", (long long)($1)); return 0; }
END
    cc -I "$root/include" "$work/flags.c" -o "$work/flags" && "$work/flags"
}

debug_build() {
    takes debug_flags "$ldg"
    takes debug_pipeline "$ldg"
    refuses debug_flags "$two_engines" 'HAUL_BY_LDG and HAUL_BY_LDGSTS: choose one engine'
    refuses debug_flags "$two_operators" 'HAUL_LOAD_CG and HAUL_LOAD_CS: choose one load operator'
    refuses debug_flags "$lacking" 'HAUL_IN_FLIGHT belongs to LDG'
    refuses debug_flags "$part" 'HAUL_IN_FLIGHT is a multiple of the access width'
    refuses debug_flags "$ring_only" 'HAUL_RING_ONLY belongs to halos'
    refuses debug_flags "$unknown" 'no such flag'
    refuses debug_pipeline "$two_engines" 'HAUL_BY_LDG and HAUL_BY_LDGSTS: choose one engine'
    refuses debug_null_shared 0 'the pointer to shared memory is null'
    refuses debug_null_index 0 'the pointer to the list of indices is null'
    refuses debug_shape 0 "moves another shape than the descriptor's"
    refuses debug_halo 0 "moves another shape than the descriptor's"
}

ldg=$(flags HAUL_BY_LDG)
bulk=$(flags HAUL_BY_BULK)
two_engines=$(flags 'HAUL_BY_LDG | HAUL_BY_LDGSTS')
two_operators=$(flags 'HAUL_BY_LDG | HAUL_LOAD_CG | HAUL_LOAD_CS')
lacking=$(flags 'HAUL_BY_LDGSTS | HAUL_IN_FLIGHT(32)')
part=$(flags 'HAUL_BY_LDG | HAUL_IN_FLIGHT(24)')
ring_only=$(flags HAUL_RING_ONLY)
unknown=$(flags '1ull << 45')
for compiler in $compilers; do
    for pair in "80 a100" "90 h100"; do
        arch=${pair% *} machine=${pair#* }
        known
        compile && any_build
        compile -D HAUL_DEBUG && debug_build
    done
done
echo "refused by$compilers; $failures failed"
[ "$failures" -eq 0 ]
