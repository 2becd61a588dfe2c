#!/bin/sh
# The estimate of registers stays as near to ptxas's as it is (tests/data/registers): percent within 4, percent of right
# occupancies.
python3 "$1/tools/registers/score.py" "$2" --at-least "all:89.4:97" "tuned on:90:97.4" "held out:88.6:96.3" \
    "up to 40 registers:90.8:98" "above 40 registers:51.8:74" "sm_80:91:98.7" "sm_89:89:99" "sm_90:88.5:96.4" \
    "sm_100:90.4:97.5" "Triton, Numba:69:86"
