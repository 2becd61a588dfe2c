#!/bin/sh
# Holds the virtual H100 and H200 against what such GPUs counted: no fewer pairs may agree than when the model was last improved.
# usage: run_truth.sh SOURCE_ROOT BUILD_FOLDER
set -u
data=$1/tests/data
haul=$2/haul
status=0 device=sim:h100
out=$(mktemp) || exit 1
trap 'rm "$out"' EXIT

# hold FILE EXACT CLOSE PTX...: at least EXACT and CLOSE pairs agree, all outputs are bit-identical
hold() {
    file=$1 exact=$2 close=$3
    shift 3
    "$haul" compare "$data/$file" --device $device --at-least exact="$exact" --at-least close="$close" \
        --at-least outputs=100% "$@" >"$out"
    got=$?
    grep -E '^(below|not zero|close|exact): ' "$out" | sed "s|^|$file: |"
    [ $got -eq 0 ] || { echo "FAILED: $file: status $got"; status=1; }
}

hold truth/h100.jsonl 4000 1537 --ptx "$data/truth/memory_basics.ptx" --ptx "$data/truth/shared_and_async.ptx"
hold corpus/h100.jsonl 6095 2110 --ptx "$data/corpus/corpus.ptx"
hold corpus/h100_2.jsonl 3836 1311 --ptx "$data/corpus/corpus2.ptx"

# hold_source NAME EXACT CLOSE: of the second recording
hold_source() {
    hold "corpus/h100/$1.jsonl" "$2" "$3" --ptx "$data/corpus/$1.ptx"
}

hold_source global 5408 1872
hold_source shared 4901 1701
hold_source atomics 3517 1224
hold_source stack 520 168
hold_source copies 2345 819
hold_source tensors 1612 556
hold_source cub 1064 369
hold_source matrix 1656 574
hold_source sets 1805 605
hold_source rules 610 510
hold_source unseen_plain 7907 2829
hold_source unseen_async 3033 1090
hold_source unseen_cub 618 224
hold_source fresh_hpc 3613 1295
hold_source fresh_bits 2878 1031
hold_source fresh_copies 2481 889
hold_source fresh_libs 1127 403
hold_source fresh_nets 2104 756
hold_source fresh_ampere 778 280
hold_source third_memory 6814 2425
hold_source third_algos 2757 981
hold_source third_async 2453 881
hold_source third_mma 1440 518
hold_source third_libs 1271 459
hold_source third_fast 468 166
hold_source third_small 466 166
hold_source fourth_memory 6160 2191
hold_source fourth_algos 3779 1355
hold_source fourth_async 3346 1204
hold_source fourth_libs 936 336
set --
for module in "$data"/corpus/kernels/*.ptx; do set -- "$@" --ptx "$module"; done
hold corpus/h100/kernels.jsonl 4335 1530 "$@"

# Some of the same launches, counted by an H200: of all the sources, and all of `sets`.
device=sim:h200
for module in "$data"/corpus/*.ptx; do set -- "$@" --ptx "$module"; done
hold corpus/h200/some.jsonl 2408 834 "$@"
hold corpus/h200/sets.jsonl 1805 605 --ptx "$data/corpus/sets.ptx"
exit $status
