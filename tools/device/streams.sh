#!/bin/sh
# Measures haul stream on a GPU: overlap against the transfers alone, pageable memory, and a file sixteen times as large as
# the device memory that may be used.
#
# usage: tools/device/streams.sh HAUL FOLDER [GIB]     HAUL: the program; FOLDER: has room for 2 x GIB (default 16)
set -eu
haul=${1:?usage: streams.sh HAUL FOLDER [GIB]}
folder=${2:?usage: streams.sh HAUL FOLDER [GIB]}
gib=${3:-16}
device=${HAUL_DEVICE:-gpu:0}
trap 'rm -f "$folder/streams.in" "$folder/streams.out"' EXIT

# "1G pinned: 25.60 ms, 83.9 GB/s over the link, to device busy 98.0 %"
line() { # LABEL OPTION...
    label=$1
    shift
    "$haul" stream --device "$device" --json "$@" | python3 -c '
import json, sys
r = json.load(sys.stdin)
moved = sum(r["engines"].get(e, {}).get("bytes", 0) for e in ("to device", "to host"))
print("%-34s %9.2f ms  %6.2f GB/s over the link  %s busy %.1f %%  (%d chunks, %d at once, %d threads, %d MiB pinned)" % (
    sys.argv[1], r["elapsed_us"] / 1e3, moved / r["elapsed_us"] / 1e3, r["busiest"], 100 * r["efficiency"], r["chunks"],
    r["depth"], r["threads"], r["pinned_bytes"] >> 20))' "$label"
}

"$haul" lab overlap --device "$device"
for chunk in 8M 16M 32M 64M; do line "1G pinned, chunks of $chunk" --bytes 1G --pinned --repeat 4 --chunk $chunk; done
for depth in 2 3 4 6; do line "1G pinned, $depth at once" --bytes 1G --pinned --repeat 4 --depth $depth; done
for i in 1 2 3; do line "1G pinned, planned ($i)" --bytes 1G --pinned --repeat 4; done
for threads in 1 2 4 8 12; do line "1G pageable, $threads threads" --bytes 1G --repeat 4 --copy-threads $threads; done
for chunk in 2M 4M 16M; do line "1G pageable, chunks of $chunk" --bytes 1G --repeat 4 --chunk $chunk; done
line "1G pageable, planned" --bytes 1G --repeat 4

"$haul" stream --device "$device" --quiet --kernel none --bytes "${gib}G" --out "$folder/streams.in"
dd if="$folder/streams.in" of=/dev/null bs=32M iflag=direct 2>&1 | sed -n 's/^.*copied/read alone:/p'
dd if=/dev/zero of="$folder/streams.out" bs=32M count=$((gib * 32)) oflag=direct conv=fsync 2>&1 | sed -n 's/^.*copied/write alone:/p'
line "${gib}G file through 1G" --in "$folder/streams.in" --out "$folder/streams.out" --budget 1G --host-budget 1G
line "${gib}G file through 1G, 8 threads" --in "$folder/streams.in" --out "$folder/streams.out" --budget 1G --copy-threads 8
