#!/bin/sh
# Programs that wait without calling CUDA go on.
# usage: run_progress.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_progress
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

gives() { [ "$(cat "$work/out")" = "$1" ]; } # TEXT
says() { grep -q "$1" "$work/err"; } # TEXT
goes_on() { # WHAT TASK TEXT
    result "a program goes on that waits for $1" exits_with 0 timeout 60 "$haul" run -- "$program" "$2"
    result "with what it waited for" gives "$3"
}

goes_on 'a host function, by a condition variable' host-function '7 1'
goes_on 'what a kernel writes to pinned memory' memory 1
goes_on 'the answer of a kernel that waits for the host' answer 2
goes_on 'a host function that waits for another thread' thread '1 cudaSuccess'
goes_on 'a host function that calls CUDA, which it may not' call cudaErrorNotPermitted

goes_on 'the host in a kernel of the default stream' default-stream '1 cudaSuccess 2'
goes_on 'the host, with work behind it' order '9 cudaSuccess 1 2'
goes_on 'the host, which calls CUDA meanwhile' calls 'cudaSuccess 2'
goes_on 'a kernel of another stream' other-stream 'cudaSuccess 2'
goes_on 'another thread, in cudaDeviceSynchronize()' host-thread 'cudaSuccess 2'
goes_on 'the host in a stream that is destroyed' destroyed 'cudaSuccess 2'
goes_on 'nobody: that is a deadlock' nobody cudaErrorLaunchTimeout
result 'and is told, with the place of the loop' says 'deadlock in kernel answer'
result 'a kernel waits for one of another device' exits_with 0 timeout 60 "$haul" run --gpus 2 -- "$program" other-device
result 'and gets its answer' gives 'cudaSuccess 2'
result 'haul check lets kernels wait, too' exits_with 0 timeout 60 "$haul" check -- "$program" default-stream
result 'with the same result' gives '1 cudaSuccess 2'
exit $((failures > 0))
