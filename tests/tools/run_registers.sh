#!/bin/sh
# The estimate of registers stays as near to ptxas's as it is (tests/data/registers): percent within 4, percent of right
# occupancies.
python3 "$1/tools/registers/score.py" "$2" --at-least "all:89.6:97.1" "tuned on:89.8:97.4" "held out:89.1:96.5" \
    "up to 40 registers:90.9:97.9" "above 40 registers:50:74" "sm_80:91:98.7" "sm_89:88.7:99" "sm_90:88.8:96.4" \
    "sm_100:90.5:97.5" "Triton, Numba:69:86"
