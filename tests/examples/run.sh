#!/bin/sh
# The examples do what their comments say. usage: run.sh SOURCE_ROOT BUILD_FOLDER
set -u
root=$1
build=$2
failures=0

expect() { # name, pattern, then a command
    name=$1
    pattern=$2
    shift 2
    if out=$("$@" 2>&1) && printf '%s\n' "$out" | grep -Eq "$pattern"; then
        echo "ok      $name"
    else
        echo "FAILED  $name: no '$pattern' in"
        printf '%s\n' "$out" | sed 's/^/        /'
        failures=$((failures + 1))
    fi
}

row_sums() { # kernel, blocks
    "$build/haul" profile "$root/examples/row_sums.cu" --device sim:h100 --kernel "$1" --grid "$2" --block 256 \
        --arg buf:f01:65536 --arg buf:zero:1024 --arg i32:1024 --arg i32:64
}

expect 'saxpy is right' 'saxpy of 1000 floats on .*: 0 wrong' "$build/examples/saxpy" "$build/examples/saxpy.ptx"
expect 'saxpy counts its sectors' ' 250  .*sectors' "$build/examples/saxpy" "$build/examples/saxpy.ptx"
expect 'data larger than its memory is streamed' '^0 of 1048576 items are wrong' \
    "$build/examples/stream" "$build/examples/stream.ptx"
expect 'a thread a row takes 32 sectors a request' '\b32\.00\b' row_sums row_sums 4
expect 'a warp a row takes four' '\b4\.00\b' row_sums row_sums_by_warp 128

expect 'a texture enlarges as four loads do' '^zoom_texture +0\.00' "$build/examples/zoom" "$build/examples/zoom.ptx"
expect 'a surface is changed in place' '^the surface.s image is inverted' "$build/examples/zoom" "$build/examples/zoom.ptx" \
    sim:a100

transpose() { # expected exit status, options
    wanted=$1
    shift
    "$build/haul" check "$root/examples/transpose.cu" --kernel transpose --grid 4,4 --block 32,8 \
        --arg buf:f01:16384 --arg buf:zero:16384 --arg i32:128 "$@"
    [ $? -eq "$wanted" ]
}

expect 'the transpose is as it expects' '4 of 4 expectations hold' transpose 0
expect 'without padding its banks conflict' 'transpose.cu:26: failed: .*: 15872 measured' transpose 1 -D PADDING=0
expect 'without its barrier there is a race' 'transpose.cu:.*: error: race-shared' transpose 1 -D BARRIER=

guard() { # expected exit status, kernel
    "$build/examples/guard" "$build/examples/row_sums.ptx" "$2"
    [ $? -eq "$1" ]
}

expect 'the guard lets a warp a row pass' 'row_sums_by_warp: 0 wasteful loads' guard 0 row_sums_by_warp
expect 'the guard stops a thread a row and names the line' 'row_sums.cu:16: 32.00 sectors' guard 1 row_sums

for rung in "sim:a100 ladder.ptx" "sim:h100 ladder.sm_90.ptx"; do
    # shellcheck disable=SC2086 # two words
    set -- $rung
    expect "every rung of the ladder is right on $1" '^window_any .* right' "$build/examples/ladder" "$build/examples/$2" "$1"
done

for ported in "sim:a100 cudadma.ptx" "sim:h100 cudadma.sm_90.ptx"; do
    # shellcheck disable=SC2086 # two words
    set -- $ported
    expect "programs in CudaDMA's manner are right on $1" '^sparse_pipeline .* right' \
        "$build/examples/cudadma" "$build/examples/$2" "$1"
done

# Kernels that do the same leave the same bytes: hashes of the buffers, worked out by another program.
replay() { # machine, NAME of examples/NAME.cu, kernel, blocks, threads, arguments...
    machine=$1 ptx=$build/examples/$2.ptx kernel=$3 grid=$4 block=$5
    [ "$machine" = h100 ] && ptx=$build/examples/$2.sm_90.ptx
    shift 5
    "$build/haul" replay "$ptx" --device "sim:$machine" --kernel "$kernel" --grid "$grid" --block "$block" "$@"
}

# Indices of which some are there several times: i * 12 mod 256.
twelves=$(mktemp)
trap 'rm -f "$twelves"' EXIT
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<256I", *(12 * i % 256 for i in range(256))))' >"$twelves"

for machine in a100 h100; do
    for form in plain:256 single:320 double:384 manual:320; do
        expect "sums_${form%:*} is right on $machine" '"after": ?"21167fab3edef38b"' \
            replay $machine handover "sums_${form%:*}" 3 "${form#*:}" \
            --arg buf:f01:86016 --arg buf:zero:3072 --arg i32:28
    done
    for form in plain rows; do
        expect "gather_$form is right on $machine" '"after": ?"7298ab48f1c7deb4"' \
            replay $machine shapes gather_$form 32 128 --arg buf:u32:65536 --arg buf:perm:256:7 --arg buf:zero:65536
        expect "add_$form is right on $machine" '"after": ?"1476c30c42116219"' \
            replay $machine shapes add_$form 32 128 --arg buf:u32:65536:5 --arg "buf:file=$twelves" --arg buf:u32:65536
    done
    for form in plain padded swizzled; do
        expect "turn_$form is right on $machine" '"after": ?"f8b79cc2eee55e20"' \
            replay $machine layouts turn_$form 64 256 --arg buf:u32:65536 --arg buf:zero:65536
    done
done

for pair in "sim:a100 tiles.ptx" "sim:h100 tiles.sm_90.ptx"; do
    # shellcheck disable=SC2086 # two words
    set -- $pair
    expect "means of tiles are right on $1" '^mean_halo: 0 of 5550' "$build/examples/tiles" "$build/examples/$2" "$1"
done

mistake() { # machine, kernel: the launch has to fail
    ! "$build/haul" profile "$root/examples/mistakes.cu" --device "sim:$1" -D HAUL_DEBUG -D HAUL_DEBUG_SPINS=1000 \
        --kernel "$2" --grid 1 --block 64 --arg buf:f01:8192
}

for machine in a100 h100; do
    expect "a fifth tile for four stages ends on $machine" 'ring:0: filling: .* all stages are taken' mistake $machine five_tiles
    expect "a wait without a commit ends on $machine" 'ring:0: using: .* never committed' mistake $machine no_commit
    expect "a producer in the wrong warp ends on $machine" "ring:0: producer: .* runs the producer's" mistake $machine wrong_role
    expect "an address that is off ends on $machine" 'transfer:0: .* not aligned' mistake $machine misaligned
    expect "a block of other threads ends on $machine" 'transfer:0: block: .* another number' mistake $machine fewer_threads
done
expect 'a round too many ends with the stage and the role' 'ring:2: consumer: .* waited too long' mistake a100 a_round_more

refused() {
    ! "$root/toolchain/cu2ptx" --arch sm_80 -D REFUSED "$root/examples/mistakes.cu" -o -
}
expect 'LDGSTS of two bytes does not compile' 'haul: fetch: LDGSTS moves 4, 8 or 16 bytes; this transfer asks for 2' refused
exit $((failures != 0))
