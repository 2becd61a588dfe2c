#!/bin/sh
# haul check finds misuse of the runtime in a program, and nothing in one that uses it rightly.
# usage: run_misuse.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_misuse
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

says() { grep -qe "$1" "$work/err"; }
silent() { ! grep -qe 'note:\|error:\|warning:' "$work/err"; }

# CASE [OPTION]: without the misuse there is no word of it
right() {
    result "$1: a right program" exits_with 0 "$haul" check ${2:-} -- "$program" "$1" right
    result "$1: no word" silent
}

right leaks --leaks
result 'leaks are no finding by default' exits_with 0 "$haul" check -- "$program" leaks
result 'leaks, by default: no word' silent
result 'leaks, if asked for' exits_with 1 "$haul" check --leaks -- "$program" leaks
result 'leaks: six places' says ' 0 errors, 6 warnings'
result 'leaks: their kind' says 'warning: not-released in the program'
result 'leaks: summed by place' says '3 allocations of device memory (3072 bytes) made here and never released'
result 'leaks: the place' says 'allocation of 3072 bytes, cudaMalloc at .*misuse.c:'
result 'leaks: one stream' says '1 stream made here and never released'
result 'leaks: from a pool' says '1 allocation from a memory pool (512 bytes)'
result 'leaks: pinned memory, an event, a graph' [ "$(grep -c '1 event\|1 graph\|1 allocation of pinned' "$work/err")" = 3 ]
result 'leaks can be left out' exits_with 0 "$haul" check --leaks --ignore not-released -- "$program" leaks

right typed-leaks --leaks
result 'leaks by functions of headers' exits_with 1 "$haul" check --leaks -- "$program" typed-leaks
result 'typed leaks: each has its place' [ "$(grep -c 'misuse.c:[0-9]*: warning: not-released' "$work/err")" = 3 ]
result 'typed leaks: a size' says 'allocation of 512 bytes, cudaMalloc at .*misuse.c:'
result 'typed leaks: a large sum' says '(5368709120 bytes) made here'
result 'typed leaks: no size that is wrong' says '  allocation, cudaMalloc at .*misuse.c:'

right answer-left-behind
result 'an answer that is left behind' exits_with 1 "$haul" check -- "$program" answer-left-behind
result 'the call that gets it' says '^error: cudaGetLastError() gave CUDA_ERROR_OUT_OF_MEMORY'
result 'whose error it is' says 'this is the error of cudaMalloc() at misuse.c:[0-9]*, in answer_left_behind'

right failure-seen-late
result 'a failure that the program sees late' exits_with 1 "$haul" check -- "$program" failure-seen-late
result 'it is reported where it happens' says '^error: cudaLaunchKernel() gave CUDA_ERROR_INVALID_VALUE'
result 'and where the program sees it' says '^note: cudaGetLastError() gave CUDA_ERROR_INVALID_VALUE'
result 'with the launch' says 'this is the error of cudaLaunchKernel() at misuse.c:[0-9]*, in launch'
result 'the call is counted once' says '^1 call of the program'

right unseen-launch
result 'a launch whose error nobody sees' exits_with 1 "$haul" check -- "$program" unseen-launch
result 'is named' says '^note: the program never asks for the error of the launch at misuse.c:[0-9]*, in launch'

right refused-launch
result 'a launch that the machine cannot run' exits_with 1 "$haul" check -- "$program" refused-launch
result 'is an error' says '^error: cudaLaunchKernel() gave CUDA_ERROR_NOT_SUPPORTED'
result 'with its reason' says "'tcgen05.wait::ld' needs .*, but h100 is sm_90; choose another device"
result 'that nobody asks for' says '^note: the program never asks for the error of the launch at misuse.c:[0-9]*, in launch'

right fault
result 'a kernel that faults' exits_with 1 "$haul" check -- "$program" fault
result 'has the place of its launch' says '^note: launch 0, which failed, is made at misuse.c:[0-9]*, in launch'
exit $((failures > 0))
