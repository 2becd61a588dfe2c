#!/bin/sh
# Graphs with conditional nodes. usage: run_conditions.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_conditions
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

gives() { [ "$(cat "$work/out")" = "$1" ]; } # TEXT
says() { grep -q "$1" "$work/err"; }         # TEXT
runs() { # WHAT TASK TEXT
    for command in run check; do
        result "haul $command: $1" exits_with 0 "$haul" $command -- "$program" "$2"
        result 'with its results' gives "$3"
    done
}

runs 'a graph goes round a loop as long as a kernel says' while '10 11'
result 'all its launches are checked' says '^11 launches: 0 errors'
runs 'a kernel chooses a graph, or none' choice '1 3 3 3 '
runs 'a loop in a branch, and a captured branch' nested 5
runs 'nodes that were added by cudaGraphAddNode() change' change '27 38'
result 'conditional nodes that cannot be are refused' exits_with 0 "$haul" run -- "$program" refused
result 'with errors' gives 'cudaErrorInvalidValue cudaErrorInvalidValue cudaErrorNotSupported'
exit $((failures > 0))
