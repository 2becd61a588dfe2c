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
expect 'a thread a row takes 32 sectors a request' '\b32\.00\b' row_sums row_sums 4
expect 'a warp a row takes four' '\b4\.00\b' row_sums row_sums_by_warp 128

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

# All kernels leave the same sums: the hash of the second buffer, worked out by another program.
handover() { # device, PTX, kernel, threads
    "$build/haul" replay "$build/examples/$2" --device "$1" --kernel "$3" --grid 3 --block "$4" \
        --arg buf:f01:86016 --arg buf:zero:3072 --arg i32:28
}

for form in plain:256 single:320 double:384 manual:320; do
    kernel=sums_${form%:*}
    for machine in a100:handover h100:handover.sm_90; do
        expect "$kernel is right on sim:${machine%:*}" '"after": ?"21167fab3edef38b"' \
            handover "sim:${machine%:*}" "${machine#*:}.ptx" "$kernel" "${form#*:}"
    done
done
exit $((failures != 0))
