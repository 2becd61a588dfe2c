#!/bin/sh
# Host threads that use virtual GPUs at the same time (threads.c). usage: run_threads.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_threads
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

ends() { # with findings or without
    "$@" >"$work/out" 2>"$work/err"
    [ $? -le 1 ]
}
has_line() { grep -qx "$1" "$work/out"; }
gives() { [ "$(cat "$work/out")" = "$1" ]; }

result 'a thread calls while another one runs a kernel' exits_with 0 "$haul" run -- "$program" beside
result 'many times' gives 'many calls, many things made, the last copy is there'
result 'kernels of two devices run at the same time' exits_with 0 "$haul" run --gpus 2 -- "$program" 2 300 1 500
result 'with right results' gives 19200
result 'as do those of four, with allocations between' exits_with 0 "$haul" run --gpus 4 -- "$program" 4 100 3 50
result 'with right results, too' gives 38400
result 'in a profile they take turns' exits_with 0 "$haul" profile --gpus 2 -- "$program" 2 50 1 50
result 'with the same results' gives 3200
for task in run profile check; do
    for by in copy kernel; do
        result "$task: a kernel ends that polls what another thread's $by sets" ends "$haul" $task -- "$program" $by
        result 'without an error' has_line ended
    done
done
exit $((failures > 0))
