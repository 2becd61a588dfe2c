#!/bin/sh
# haul profile --keep-l2 -- PROGRAM: a launch finds in L2 what the one before it left.
# usage: run_keep_l2.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_launches
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

# Sectors that each of two equal launches reads from device memory, as "FIRST SECOND".
reads() { # OPTION...
    exits_with 0 "$haul" profile --json --all "$@" -- "$program" once 300 2
    grep -o '"dram__sectors_read":[0-9]*' "$work/err" | cut -d : -f 2 | xargs
}

cold=$(reads)
first=${cold% *}
result 'a launch reads from memory' [ "$first" -gt 0 ]
result 'and so does the next, as Nsight Compute flushes caches' [ "$cold" = "$first $first" ]
result '--keep-l2 leaves L2 as it is' [ "$(reads --keep-l2)" = "$first 0" ]
result 'also for launches whose counters nobody sees' [ "$(reads --keep-l2 --launch-skip 1)" = 0 ]
result 'it is for programs' exits_with 2 "$haul" profile --keep-l2 "$work/none.ptx" -k k
exit $((failures > 0))
