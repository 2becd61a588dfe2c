#!/bin/sh
# Measures haul bench in several processes and writes their output as one file of results, with its chart.
#
# usage: bench/run.sh [--processes N] [--out STEM] HAUL [arguments of haul bench]
#
# Default: 5 processes; STEM is bench/results/bench-DEVICE-DATE, as in bench-h100-2026-11-21, which becomes STEM.md and
# STEM.svg.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
processes=5
stem=
while [ $# -gt 0 ]; do
    case $1 in
    --processes) processes=$2 ;;
    --out) stem=$2 ;;
    *) break ;;
    esac
    shift 2
done
if [ $# -lt 1 ]; then
    echo 'usage: bench/run.sh [--processes N] [--out STEM] HAUL [arguments of haul bench]' >&2
    exit 2
fi
haul=$1
shift

runs=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX")
trap 'rm -rf "$runs"' EXIT
i=0
while [ $i -lt "$processes" ]; do
    i=$((i + 1))
    "$haul" bench "$@" --quiet --out "$runs/$i"
    echo "process $i of $processes"
done

if [ -z "$stem" ]; then
    name=$(python3 -c 'import json, sys
words = json.load(open(sys.argv[1]))["facts"]["device"].split()
print(next((w for w in words if any(c.isdigit() for c in w)), words[-1]).lower())' "$runs/1/bench.json")
    stem=$here/results/bench-$name-$(date -u +%Y-%m-%d)
fi
"$here/table.py" "$runs"/*/bench.json >"$stem.md"
cp "$runs/1/bench.svg" "$stem.svg"
echo "written: $stem.md and $stem.svg"
