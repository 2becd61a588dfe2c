#!/bin/bash
# Records variants of kernels by nvcc, Triton, Numba, CuPy and Inductor on a GPU: times, then warp states.
# usage: HAUL=COMMAND OUT=FOLDER tests/frameworks/corpus/record_variants.sh    takes about 5 minutes; LIMIT: its seconds (default 470)
# Nsight Compute is needed for the states only.
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
HAUL=${HAUL:-$root/build/haul}
HAUL=$(realpath "$HAUL")
OUT=${OUT:?where the files go}
here=$root/tests/frameworks/corpus
work=$(mktemp -d) start=$SECONDS
mkdir -p "$OUT"
export CUDA_CACHE_PATH=$work/cc CUDA_CACHE_MAXSIZE=4294967296
left() { echo $((${LIMIT:-470} - (SECONDS - start))); }
say() { echo "$((SECONDS - start)) s: $*" | tee -a "$OUT/log.txt"; }
say "haul: $HAUL $("$HAUL" --version 2>&1 | head -1); $(nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader | head -1)"

# 1. launches: Triton and Numba write them; CuPy and Inductor run on the virtual GPU, which records them
for part in element-wise reductions products others; do
    (TRITON_CACHE_DIR=$work/cache-$part timeout 200 python3 "$here/variants_triton.py" "$work" $part >"$OUT/triton-$part.said" 2>&1; say "triton $part: $(wc -l <"$work/triton-$part.jsonl") launches") &
    wait_for="${wait_for:-} $!"
done
(timeout 120 python3 "$here/variants_numba.py" "$work" >"$OUT/numba.said" 2>&1; say "numba: $(wc -l <"$work/numba.jsonl") launches") &
wait_for="$wait_for $!"
record() { # NAME SCRIPT WORD
    (cd "$work" && TRITON_CACHE_DIR=$work/cache-$1 timeout -k 5 ${RECORD:-170} "$HAUL" replay --record "$work/$1.raw.jsonl" -- python3 "$here/$2" $3 >"$OUT/$1.said" 2>&1
    for f in "$work/$1.raw.files"/*.ptx; do [ -e "$f" ] && sed -i 's/^\.version 9\.[1-9]$/.version 9.0/' "$f"; done
    python3 "$here/condense.py" "$work/$1.raw.jsonl" "$work/$1.jsonl" 120000 >>"$OUT/$1.said" 2>&1
    rm -rf "$work/$1.raw.files"; say "$1: $(wc -l <"$work/$1.jsonl") launches") &
    later="${later:-} $!"
}
later=
record cupy-1 variants_cupy.py 1
record cupy-2 variants_cupy.py 2
record inductor-layers variants_inductor.py layers
record inductor-more variants_inductor.py more
record inductor-products variants_inductor.py products

# 2. times; the driver compiles CUDA's module once, before anything is limited
nvcc -O3 -std=c++17 -arch=sm_90 -ptx "$root/tests/data/variants/variants.cu" -o "$work/variants.ptx"
python3 "$root/tests/data/variants/launches.py" | sed 's/^{/{"ptx":"variants.ptx",/' >"$work/cuda.jsonl"
head -1 "$work/cuda.jsonl" >"$work/one.jsonl"
timeout 100 "$HAUL" replay "$work/one.jsonl" --device gpu:0 --once --quiet >"$OUT/one.said" 2>&1
say "module compiled: $?"
measure() { # NAME SECONDS
    [ -s "$work/$1.jsonl" ] || return
    timeout $(($2 + 20)) python3 "$here/measure.py" "$HAUL" "$work/$1.jsonl" "$OUT/$1.jsonl" --readings 0 --seconds 60 --budget "$2" >"$OUT/$1.measured" 2>&1
    say "$(tail -n 1 "$OUT/$1.measured")"
}
# Times are taken while nothing else keeps this host's cores busy.
wait $wait_for $later
for name in cuda triton-element-wise triton-reductions triton-products triton-others numba cupy-1 cupy-2 inductor-layers inductor-more inductor-products; do
    l=$(left); [ "$l" -gt 20 ] && measure $name $((l < 90 ? l : 90))
done
cp -r "$work/triton.files" "$work/numba.files" "$OUT/"
for n in cupy-1 cupy-2 inductor-layers inductor-more inductor-products; do [ -d "$work/$n.files" ] && cp -r "$work/$n.files" "$OUT/"; done
say "times are there: $(cat "$OUT"/*.jsonl | wc -l) launches, $(du -sm "$OUT" | cut -f1) MB"

# 3. warp states, as far as time is left
for name in cuda triton-products triton-reductions triton-element-wise triton-others numba; do
    l=$(left); [ "$l" -gt 25 ] && [ -s "$OUT/$name.jsonl" ] || continue
    cp "$OUT/$name.jsonl" "$work/.s.jsonl"
    timeout $((l - 10)) ncu --csv --page raw --cache-control all --clock-control none --section WarpStateStats --section LaunchStats --section SpeedOfLight \
        --metrics gpu__time_duration.sum,sm__cycles_active.avg,smsp__inst_executed.sum,sm__warps_active.avg.per_cycle_active \
        "$HAUL" replay "$work/.s.jsonl" --device gpu:0 --once --quiet >"$OUT/$name.states.csv" 2>"$OUT/$name.states.err"
    say "states of $name: $(wc -l <"$OUT/$name.states.csv") lines"
done
gzip -f "$OUT"/*.states.csv
say "done; $(du -sm "$OUT" | cut -f1) MB"
rm -rf "$work"
