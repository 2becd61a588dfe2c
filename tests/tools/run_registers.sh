#!/bin/sh
# The estimate of registers stays as near to ptxas's as it is (tests/data/registers): percent within 4, percent of right
# occupancies. The first table has the tree's kernels, the second larger ones, as programs have them.
set -e
score="$1/tools/registers/score.py"
python3 "$score" "$2" --at-least "all:90.8:97.4" "tuned on:90.9:97.5" "held out:90.5:97.1" "up to 40 registers:92.1:98.1" \
    "above 40 registers:53.7:78.1" "sm_80:92.9:99.4" "sm_89:89.9:99.5" "sm_90:90:96.8" "sm_100:91.8:97.8" "Triton, Numba:70:88"
python3 "$score" "$2" --record "$1/tests/data/registers/programs.tsv" --at-least "all:72:80" "above 40 registers:45:66"
