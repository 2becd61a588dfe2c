#!/bin/sh
# The estimate of registers stays as near to ptxas's as it is (tests/data/registers): percent within 4, percent of right
# occupancies.
python3 "$1/tools/registers/score.py" "$2" --at-least "all:89.8:97.1" "tuned on:89.9:97.4" "held out:89.7:96.6" \
    "up to 40 registers:91.1:97.9" "above 40 registers:52:75" "sm_80:92.9:98.8" "sm_89:89.3:99" "sm_90:89:96.5" \
    "sm_100:90.7:97.5" "Triton, Numba:69:87"
