#!/bin/sh
# Unmodified programs on the virtual GPU: haul run, haul check and haul profile before a program that calls the CUDA
# runtime. usage: run_programs.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_program
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

says() { grep -qe "$1" "$work/$2"; }

result 'a program runs' exits_with 0 "$haul" run -- "$program" increase
result 'its results are right' says '^270, no error$' out
result 'and nothing else is said' [ ! -s "$work/err" ]
result 'its exit status is passed on' exits_with 7 "$haul" run -- "$program"
result 'its arguments are, whatever they are' exits_with 7 "$haul" run -- "$program" arguments --device -- 'a b' ''
result 'one by one' [ "$(cat "$work/out")" = "$(printf '[--device]\n[--]\n[a b]\n[]')" ]
result 'so are input and output' sh -c "printf 'hello\n' | '$haul' run -- '$program' streams | grep -qx HELLO"
result 'another machine may be asked for' exits_with 0 "$haul" run --device sim:a100 -- "$program" increase

result 'a right program passes its check' exits_with 0 "$haul" check -- "$program" increase
result 'all launches are checked' says '^5 launches: 0 errors' err
result 'a race makes the check fail' exits_with 1 "$haul" check -- "$program" race
result 'it is named' says 'error: race-shared in race' err
result 'the program alone does not notice' exits_with 0 "$haul" run -- "$program" race
result "a program's own failure is kept" exits_with 3 "$haul" check -- "$program" nowhere
result 'an illegal access fails the launch, and all calls behind it' exits_with 3 "$haul" run -- "$program" nowhere
result 'as on a GPU' says '^700 then 700$' out

result 'a profile counts the first launches of a kernel' exits_with 0 "$haul" profile -- "$program" increase
result 'and says how many there were' says '^increase  *5  *3 ' err
result 'with the memory tables' says 'Global Load' err
result 'more are counted on request' exits_with 0 "$haul" profile --launches 5 -- "$program" increase
result 'all of them here' says '^increase  *5  *5 ' err

result 'a function that is not there fails' exits_with 0 "$haul" run -- "$program" managed
result 'with cudaErrorNotSupported' [ "$(cat "$work/out")" = "$(printf '801\n801')" ]
result 'and is named at the end' says '^haul: cudaMallocManaged() is not supported; the program called it 2 times$' err
result 'a program without PTX' env PROGRAM_WITHOUT_PTX=1 "$haul" run -- "$program" increase
env PROGRAM_WITHOUT_PTX=1 "$haul" run -- "$program" increase >"$work/out" 2>"$work/err"
result 'is told how to keep it' says 'the program has no PTX: compile it with' err

refused() { # WHAT PATTERN COMMAND...
    what=$1 pattern=$2
    shift 2
    result "$what is refused" exits_with 2 "$@"
    result "$what, in one line" one_line "$work/err"
    result "$what, with what to do" says "$pattern" err
}
refused 'no program' 'haul run -- PROGRAM' "$haul" run
refused 'nothing behind --' 'haul run -- PROGRAM' "$haul" run --
refused 'a program that is not there' 'cannot be run: No such file' "$haul" run -- "$work/none"
refused 'a device that is none' 'sim:h99' "$haul" run --device sim:h99 -- "$program"
refused 'a GPU' 'give a sim:MACHINE' "$haul" check --device gpu:0 -- "$program"
refused 'an option for kernels in files' 'not for a program' "$haul" check --sarif a.sarif -- "$program"
refused 'an option for programs' 'is for a program' "$haul" profile --launches 3 a.cu
refused 'a file beside a program' 'files or a program' "$haul" check a.cu -- "$program"
exit $((failures > 0))
