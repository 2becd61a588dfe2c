#!/bin/bash
# Records kernels by nvcc, Triton, Numba, NVRTC, CuPy and Inductor on a GPU: counters of nvcc's while the others are written, then times, counters of the
# others, and warp states.
# usage: HAUL=COMMAND OUT=FOLDER tests/frameworks/corpus/record_variants.sh [SET [nvcc|others]]    SET: variants (default), blind, unseen, fresh or
# kinds, as in tests/data; a word after it leaves out the launches by other compilers or by nvcc, so that two runs reach all counters.
# Takes 5 to 9 minutes; LIMIT: its seconds (default 520). READINGS: how often counters are read (default 1). OUT gets log.txt and results.tar.gz, which
# is written after each step. Nsight Compute is needed for counters and states only. `tools/accuracy BUILD FOLDER` scores a model with what was in results.tar.gz.
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
HAUL=$(realpath "${HAUL:-$root/build/haul}")
OUT=${OUT:?where the files go}
set=${1:-variants} only=${2:-}
case $set in
variants) triton="element-wise reductions products others" cupy="1 2" inductor="layers more products" ;;
blind) triton="layers reductions products" cupy="1 2 3" inductor="layers losses moves steps" ;;
unseen) triton="products rows grids" cupy="blocks own images" inductor="tuned layers images products" ;;
fresh) triton="products rows grids" cupy="blocks own images" inductor="tuned layers moves products" ;;
kinds) triton="products rows grids" cupy="own images" inductor="layers images attention" ;;
*) echo "record_variants.sh: $set: no such set" >&2 && exit 2 ;;
esac
case $only in "" | nvcc | others) ;; *) echo "record_variants.sh: $only: neither nvcc nor others" >&2 && exit 2 ;; esac
here=$root/tests/frameworks/corpus
work=$(mktemp -d) start=$SECONDS
got=$work/got
mkdir -p "$OUT" "$got"
export CUDA_CACHE_PATH=$work/cc CUDA_CACHE_MAXSIZE=4294967296
left() { echo $((${LIMIT:-520} - (SECONDS - start))); }
say() { echo "$((SECONDS - start)) s: $*" | tee -a "$OUT/log.txt"; }
save() { tar -C "$work" -cf - got $(cd "$work" && ls -d ./*.files 2>/dev/null | grep -v raw) | gzip -1 >"$OUT/.results.tar.gz" && mv "$OUT/.results.tar.gz" "$OUT/results.tar.gz"; }
say "haul: $HAUL $("$HAUL" --version 2>&1 | head -1); $(nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader | head -1)"

# 1. launches: Triton, Numba and NVRTC write them; CuPy and Inductor run on the virtual GPU, which records them
pids=
[ "$only" = nvcc ] && triton= cupy= inductor=
written() { # NAME SCRIPT [WORD]
    [ -e "$here/$2" ] || return
    (TRITON_CACHE_DIR=$work/cache-$1 timeout -k 5 110 python3 "$here/$2" "$work" ${3:-} >"$got/$1.said" 2>&1; say "$1: $(wc -l <"$work/$1.jsonl") launches") &
    pids="$pids $!" others="$others $1"
}
recorded() { # NAME SCRIPT WORD
    (cd "$work" && TRITON_CACHE_DIR=$work/cache-$1 timeout -k 5 100 "$HAUL" replay --record "$work/$1.raw.jsonl" -- python3 "$here/$2" $3 >"$got/$1.said" 2>&1
    for f in "$work/$1.raw.files"/*.ptx; do [ -e "$f" ] && sed -i 's/^\.version 9\.[1-9]$/.version 9.0/' "$f"; done
    python3 "$here/condense.py" "$work/$1.raw.jsonl" "$work/$1.jsonl" 120000 >>"$got/$1.said" 2>&1
    rm -rf "$work/$1.raw.files"; say "$1: $(wc -l <"$work/$1.jsonl") launches") &
    pids="$pids $!" others="$others $1"
}
others=
for part in $triton; do written triton-$part ${set}_triton.py $part; done
if [ "$only" != nvcc ]; then
    written numba ${set}_numba.py
    written nvrtc ${set}_nvrtc.py
fi
for part in $cupy; do recorded cupy-$part ${set}_cupy.py $part; done
for part in $inductor; do recorded inductor-$part ${set}_inductor.py $part; done

measure() { # NAME SECONDS READINGS TARGET
    [ -s "$work/$1.jsonl" ] || return
    timeout -k 5 $(($2 + 15)) python3 "$here/measure.py" "$HAUL" "$work/$1.jsonl" "$got/$4.jsonl" --readings $3 --seconds 60 --budget "$2" >"$got/$4.measured" 2>&1
    say "$3 readings: $(tail -n 1 "$got/$4.measured")"
}

# 2. counters of nvcc's kernels, which do not depend on what else keeps this host's cores busy; the driver compiles each large module once beforehand
if [ "$only" != others ]; then
    nvccs=
    for source in "$root/tests/data/$set"/*.cu; do
        nvcc -O3 -std=c++17 -arch=sm_90 -ptx "$source" -o "$work/$(basename "$source" .cu).ptx" &
        nvccs="$nvccs $!"
    done
    python3 "$root/tests/data/$set/launches.py" >"$work/nvcc.jsonl"
    wait $nvccs
    cp "$work"/*.ptx "$got"
    for module in "$work"/*.ptx; do grep -m 1 "\"ptx\":\"$(basename "$module")\"" "$work/nvcc.jsonl"; done >"$work/one.jsonl"
    timeout 100 "$HAUL" replay "$work/one.jsonl" --device gpu:0 --once --quiet >"$got/one.said" 2>&1
    say "modules compiled: $?"
    most=150
    [ "$only" = nvcc ] && most=400
    l=$(left); [ "$l" -gt 150 ] && measure nvcc $((l - 110 < most ? l - 110 : most)) ${READINGS:-1} nvcc.counted
    save
fi
wait $pids

# 3. times, while nothing else keeps this host's cores busy
for name in nvcc $others; do
    l=$(left); [ "$l" -gt 20 ] && measure $name $((l < 90 ? l - 5 : 90)) 0 $name
    save
done
say "times are there: $(cat "$got"/*.jsonl | wc -l) lines, $(stat -c %s "$OUT/results.tar.gz") bytes"

# 4. counters of the others, each of which has its share of the time that states leave
lines() { cat /dev/null $(for n in "$@"; do echo "$work/$n.jsonl"; done) 2>/dev/null | wc -l; }
waiting=$others
for name in $others; do
    all=$(lines $waiting) waiting=${waiting# $name}
    l=$((($(left) - 90) * $(lines "$name") / (all ? all : 1))); [ "$l" -gt 8 ] && measure $name "$l" ${READINGS:-1} $name.counted && save
done

# 5. warp states of the launches whose times are there
states() { # NAME
    l=$(left); [ "$l" -gt 20 ] && [ -s "$got/$1.jsonl" ] || return
    cp "$got/$1.jsonl" "$work/.s.jsonl"
    timeout -k 5 $((l - 8)) ncu --csv --page raw --cache-control all --clock-control none --section WarpStateStats --section LaunchStats \
        --metrics gpu__time_duration.sum,sm__cycles_active.avg,smsp__inst_executed.sum,sm__warps_active.avg.per_cycle_active \
        "$HAUL" replay "$work/.s.jsonl" --device gpu:0 --once --quiet 2>"$got/$1.states.err" | gzip >"$got/$1.states.csv.gz"
    say "states of $1: $(zcat "$got/$1.states.csv.gz" | wc -l) lines"
    save
}
for name in nvcc $others; do states $name; done

save
say "done; $(stat -c %s "$OUT/results.tar.gz") bytes"
rm -rf "$work"
