#!/bin/sh
# Records what a GPU counts for kernels by other compilers. Each script here whose framework is installed runs on the virtual GPU, which
# writes its launches as launch files (`haul replay --record`). The GPU then runs these launches, and Nsight Compute counts them. Writes
# FOLDER/NAME.jsonl and NAME.files (launches and their inputs), FOLDER/NAME.counted.jsonl (with the GPU's counters and times) and
# FOLDER/NAME.compared (how the virtual GPU agrees).
# usage: tests/frameworks/corpus/record.sh HAUL FOLDER [SECONDS] [READINGS] [MACHINE]
# SECONDS: the limit of each script on the virtual GPU (default 240). READINGS: how often counters are read (default 1). MACHINE: the virtual
# GPU to compare with (default sim:h200).
set -u
haul=${1:?usage: record.sh HAUL FOLDER [SECONDS] [READINGS] [MACHINE]}
out=${2:?usage: record.sh HAUL FOLDER [SECONDS] [READINGS] [MACHINE]}
seconds=${3:-240}
readings=${4:-1}
machine=${5:-sim:h200}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"

# Drops launches that this GPU's driver cannot run: kernels for another architecture. A framework's compiler may also write a newer version of
# PTX than the driver knows; today's kernels need nothing newer than 9.0.
prepare() { # NAME
    sed -i 's/^\.version 9\.[1-9]$/.version 9.0/' "$out/$1.files"/*.ptx
    for foreign in $(grep -lE '^\.target sm_1' "$out/$1.files"/*.ptx); do sed -i "/$(basename "$foreign")/d" "$out/$1.jsonl"; done
}

# One launch file after the other, so that timed launches have the GPU to themselves. measure.py names launches that fail or hang.
count() { # NAME
    prepare "$1"
    flock "$out/gpu.lock" python3 "$here/measure.py" "$haul" "$out/$1.jsonl" "$out/$1.counted.jsonl" --readings "$readings" \
        >"$out/$1.count-errors" 2>&1
    "$haul" compare "$out/$1.counted.jsonl" --device "$machine" --summary >"$out/$1.compared" 2>&1
    echo "$(tail -n 1 "$out/$1.count-errors"); $(tail -n 1 "$out/$1.compared")"
}

for script in "$here"/*_launches.py; do
    framework=$(basename "$script" _launches.py)
    module=$framework
    [ "$framework" = inductor ] && module=torch
    python3 -c "import $module" 2>/dev/null || { echo "skipped $framework: no $module" && continue; }
    for part in $(sed -n 's/^PARTS = {\(.*\)}$/\1/p' "$script" | grep -o '"[a-z-]*"' | tr -d '"' | grep . || echo all); do
        name=$framework-$part
        words=$part
        [ "$part" = all ] && words=
        (TRITON_CACHE_DIR=$out/cache/$name timeout -k 5 "$seconds" "$haul" replay --record "$out/$name.jsonl" \
            -- python3 "$script" $words >"$out/$name.printed" 2>"$out/$name.errors"
        [ -s "$out/$name.jsonl" ] && count "$name") &
    done
done
wait
