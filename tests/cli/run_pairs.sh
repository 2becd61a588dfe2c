#!/bin/sh
# haul check on the pairs of kernels in tests/data/pairs, under three schedules.
#   run_pairs.sh SOURCE_ROOT BUILD_FOLDER
set -u
root=$1
haul=$2/haul
pairs=$root/tests/data/pairs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for source in "$pairs"/*.cu; do
    python3 "$root/tests/cli/pairs.py" launches "$source" >"$work/launches.jsonl" || failed=1
    for schedule in in-order reversed random:7; do
        "$haul" check "$work/launches.jsonl" --ptx "${source%.cu}.ptx" --json --schedule $schedule >"$work/out" 2>"$work/err"
        status=$?
        [ $status -eq 1 ] || { echo "FAILED: $source, $schedule: status $status: $(head -c 500 "$work/err")"; failed=1; }
        python3 "$root/tests/cli/pairs.py" judge "$source" "$work/out" || { echo "FAILED: $source, $schedule"; failed=1; }
    done
done
exit $failed
