#!/bin/sh
# The points that haul exercise gives, and exercises whose files are damaged.
# usage: run_scores.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/exercises/trials.sh"

# Points: all for the solution; fewer for what asks for more sectors; 20 less for a need that does not hold.
cp "$exercises/gather/solution.cu" solution.cu
ends 0 'score 100 of 100' score gather solution.cu --json
python3 - "$work/out" <<'END' || fail "the score as JSON"
import json, sys
tables = {t["name"]: t["rows"] for t in json.load(open(sys.argv[1]))["sections"][0]["tables"]}
points = {row["part"]: row["points"] for row in tables["points"]}
metrics = {row["what"]: row for row in tables["metrics"]}
assert points["score"] == 100 and points["time"] == 50
assert metrics["Sectors, L1"]["own"] == metrics["Sectors, L1"]["shipped"] >= metrics["Sectors, L1"]["ideal"] > 0
END
# Four lanes to a row: a request asks for each sector twice, half of it each time.
sed 's/WARP = 32/WARP = 4/' solution.cu >quarters.cu
ends 0 'needs that do not hold -20 0' score gather quarters.cu
points=$(sed -n 's/.*score \([0-9]*\) of 100.*/\1/p' "$work/out")
[ "$points" -lt 75 ] || fail "four lanes to a row score $points"
ends 0 'solves gather' test gather solution.cu --device sim:a100

printf 'void gather(float *, const float *, const int *, int, int) {}\n' >empty.cu
ends 1 'score 0 of 100' score gather empty.cu

# Damaged exercises end with one line that names the file.
mkdir -p tree/toolchain
cp -r "$exercises" tree/exercises
cp "$root/toolchain/cu2ptx" tree/toolchain
export HAUL_TOOLCHAIN="$work/tree/toolchain"
damaged() { # FILE SED PATTERN
    sed -i "$2" "tree/exercises/$1"
    refuse "$3" exercise hint copies
    cp "$exercises/$1" "tree/exercises/$1"
}
want "an exercise elsewhere" 0 "$haul" exercise hint copies
damaged copies/exercise.json '1d' 'exercise.json:[0-9]*: '
damaged copies/exercise.json 's/"title"/"name"/' 'there is no title'
damaged copies/exercise.json 's/"async_copies"/"copies"/' 'a need names no metric'
damaged copies/exercise.json 's/"at_least": 1/"at_least": "1"/' 'a need has one of'
damaged copies/exercise.json 's/"finding": "race/"findings": "race/' 'unknown key'
damaged symptoms.json 's/"hint"/"hints"/' 'has no hint'
damaged exercises.json 's/\[.*/{}/' 'a list of at most 64 names'
done_with "scores have their points; damaged exercises have their line"
