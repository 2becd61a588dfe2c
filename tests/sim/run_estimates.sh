#!/bin/sh
# Holds estimated times against what an H100 took: no worse than when the estimate was last improved.
# usage: run_estimates.sh SOURCE_ROOT BUILD_FOLDER
set -u
data=$1/tests/data
haul=$2/haul
status=0

# hold FILE MEDIAN NINE_OF_TEN PTX...: so many times too long or too short, at most
hold() {
    file=$1 median=$2 most=$3
    shift 3
    "$haul" replay "$data/$file" --device sim:h100 "$@" | python3 -c '
import json, sys
name, median, most, recorded = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
pairs = [(json.loads(a)["estimate_us"], json.loads(b).get("us")) for a, b in zip(sys.stdin, open(recorded, encoding="utf-8"))]
off = sorted(max(e / us, us / e) for e, us in pairs if us)
half, nine = off[len(off) // 2], off[len(off) * 9 // 10]
print("%s: %d launches, median %.2f, nine of ten %.2f, worst %.2f" % (name, len(off), half, nine, off[-1]))
sys.exit(half > median or nine > most)' "$file" "$median" "$most" "$data/$file" || {
        echo "$file: expected $median and $most"
        status=1
    }
}

hold estimates/h100.jsonl 1.08 1.26 --ptx "$data/estimates/small.ptx"
for name in global shared atomics copies cub matrix; do
    hold corpus/h100/$name.jsonl 1.10 1.26 --ptx "$data/corpus/$name.ptx"
done
set --
for module in "$data"/corpus/kernels/*.ptx; do set -- "$@" --ptx "$module"; done
hold corpus/h100/kernels.jsonl 1.13 1.70 "$@"
exit $status
