#!/bin/sh
# Programs that wait without calling CUDA go on.
# usage: run_progress.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_progress
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

gives() { [ "$(cat "$work/out")" = "$1" ]; } # TEXT
goes_on() { # WHAT TASK TEXT
    result "a program goes on that waits for $1" exits_with 0 timeout 60 "$haul" run -- "$program" "$2"
    result "with what it waited for" gives "$3"
}

goes_on 'a host function, by a condition variable' host-function '7 1'
goes_on 'what a kernel writes to pinned memory' memory 1
goes_on 'the answer of a kernel that waits for the host' answer 2
goes_on 'a host function that waits for another thread' thread '1 cudaSuccess'
goes_on 'a host function that calls CUDA, which it may not' call cudaErrorNotPermitted
exit $((failures > 0))
