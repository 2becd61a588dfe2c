#!/bin/sh
# The estimate of registers stays as near to ptxas's as it is (tests/data/registers): percent within 4, percent of right
# occupancies.
python3 "$1/tools/registers/score.py" "$2" --at-least "all:89:96" "tuned on:89.5:96.5" "held out:88:96" \
    "up to 40 registers:90.5:97.5" "above 40 registers:44:66" "sm_80:91:98" "sm_89:87:98.5" "sm_90:88:95" "sm_100:90:97" \
    "Triton, Numba:66:84"
