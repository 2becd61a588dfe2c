#!/bin/sh
# Compares constant loads, and persistence in L2, with an H100's counters (tests/data/readonly).
# usage: run_readonly.sh SOURCE_ROOT BUILD_FOLDER
set -u
data=$1/tests/data/readonly
haul=$2/haul
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT

# run_accuracy.sh compares the other counters of these launches.
grep '"kernel":"const_walk"' "$data/h100.jsonl" >"$folder/walks"
"$haul" replay "$folder/walks" --device sim:h100 --ptx "$data/readonly.ptx" >"$folder/constants" || exit 1

# One launch of each kind that goes over L2's size: each takes a second.
grep -E '^\{"id":(207|214|217|219|223|224|229|233|242|247|251|275),' "$data/windows_h100.jsonl" >"$folder/some"
"$haul" replay "$folder/some" --device sim:h100 --ptx "$data/readonly.ptx" >"$folder/windows" || exit 1
python3 "$1/tests/sim/readonly.py" "$data" "$folder"
