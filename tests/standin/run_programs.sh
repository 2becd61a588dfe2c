#!/bin/sh
# Unmodified programs on the virtual GPU: haul run, haul check and haul profile before a program that calls the CUDA
# runtime. usage: run_programs.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_program
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

wrong() { ! "$@"; }
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
result 'and that sums are scaled' says '^3 of 5 launches counted, the sums scaled' err
result 'with the memory tables' says 'Global Load' err
result 'a program may have the same' exits_with 0 "$haul" profile --json -- "$program" increase
result 'with the same remark' says '"launches":5,"counted":3,"scaled":true' err
result 'a long launch of one block' exits_with 0 "$haul" profile --json -- "$program" increase-often
result 'gets advice' says '"advice":\[.*"kind":"few-blocks"' err
result 'more are counted on request' exits_with 0 "$haul" profile --launches 5 -- "$program" increase
result 'all of them here' says '^increase  *5  *5 ' err
result 'and nothing is scaled then' wrong says 'the sums scaled' err

result 'kernels are chosen by name' exits_with 0 "$haul" profile --kernel other -- "$program" increase
result 'what is left out is not shown' wrong says '^increase' err
result 'or by an expression' exits_with 0 "$haul" profile --kernel 'regex:^incr' --launches 9 -- "$program" increase
result 'all that match are counted' says '^increase  *5  *5 ' err
result 'or by their number' exits_with 0 "$haul" profile --launch-skip 1 --launch-count 2 -- "$program" increase
result 'two behind the first' says '^increase  *5  *2 ' err
result 'or by the NVTX range that they are in' \
    exits_with 0 "$haul" profile --json --range 'regex:^second' -- "$program" ranges
result 'one of three is' says '"launch":2,.*"block":\[64,1,1\]' err
result 'alone' [ "$(grep -c '"block"' "$work/err")" = 1 ]
result 'or by their stream' exits_with 0 "$haul" profile --stream 0 -- "$program" increase
result 'all five are in the default one' says '^increase  *5  *3 ' err
result 'and none in another' exits_with 0 "$haul" profile --stream 1 -- "$program" increase
result 'where none is counted' says '^increase  *5  *0 ' err
result 'a stream has a number' exits_with 2 "$haul" profile --stream main -- "$program" increase
result 'each launch is shown on request' exits_with 0 "$haul" profile --all -- "$program" increase
result 'with its number in the program' says '^Launch 2 of the program' err
result 'a profile may be a page' exits_with 0 "$haul" profile --quiet --html "$work/page.html" -- "$program" increase
result 'which has the kernels' grep -q 'Kernels of this program' "$work/page.html"
result 'and nothing is printed' [ ! -s "$work/err" ]
result 'a report may go to a file' exits_with 0 "$haul" profile --out "$work/report" -- "$program" increase
result 'and not to standard error' [ ! -s "$work/err" ]
result 'it is there' grep -q '^increase' "$work/report"
result 'a full disk does not end the program' exits_with 0 "$haul" profile --out /dev/full -- "$program" increase
result 'but the report says so' says '^haul: /dev/full: cannot be written: No space left on device$' err
result 'each process has its own' exits_with 0 "$haul" profile --out "$work/report.txt" -- "$program" processes
result 'in its own file' [ "$(grep -l '^increase' "$work"/report.txt "$work"/report.*.txt | wc -l)" = 2 ]

ends_with() { # STATUS HOW: a program that ends in that way, with a race that its check finds all the same
    exits_with "$1" "$haul" check -- "$program" end "$2" && says 'error: race-shared in race' err && says '^1 launch:' err
}
result 'a program that ends at once is checked' ends_with 1 at-once
result 'one that aborts is' ends_with 134 abort
result 'one that crashes is' ends_with 139 crash
result 'one that is told to end is' ends_with 143 terminate
# The standard error of these is a pipe, whose end comes after the watcher's.
mkdir "$work/temporary"
killed() { # COMMAND ARGUMENT...: of a program that has no say in its end
    command=$1
    shift
    TMPDIR=$work/temporary "$haul" $command -- "$program" "$@" 2>&1 >"$work/out" | cat >"$work/err"
}
result 'a program that is killed has its profile' killed profile killed
result 'haul says so' says '^haul: process [0-9]* was killed by signal 9 .* after 4 launches' err
result 'and what was counted' says '^increase  *[123]  *[123] ' err
result 'and its check' killed check killed
result 'with the same remark' says 'was killed by signal 9 .* after 4 launches' err
result 'and its totals' says '^[1-4] launch.*: [0-9]* error' err
result 'so does one that has no stack left' killed profile killed overflow
result 'with its signal' says 'was killed by signal 11 .* after 4 launches' err
result 'and its kernels' says '^increase  *[123]  *[123] ' err
result "a report's file has that of a killed program" killed "profile --out $work/killed.txt" killed
result 'of that alone' grep -q '^increase  *[123]' "$work/killed.txt"
result 'a killed child is reported on' killed check lose-child
result 'beside the report of its parent' \
    [ "$(grep -c 'was killed by signal 9\|^1 launch: ' "$work/err")" = 2 ]
used_nothing() { # COMMAND
    TMPDIR=$work/temporary "$haul" $1 --out "$work/none.txt" -- true 2>&1 | cat >"$work/out"
}
result 'a program without the GPU has a note instead of a report' used_nothing check
result 'which says why' says '^haul: the program used no GPU, so there is nothing to report$' out
result 'but not if haul is to be quiet' used_nothing 'profile --quiet'
result 'then nothing is said' [ ! -s "$work/out" ]
result 'nothing stays behind' [ -z "$(ls "$work/temporary")" ]
result 'one that launches nothing has a report' exits_with 0 "$haul" profile -- "$program" no-launch
result 'which says so' says '^The program launched no kernel\.$' err
result 'as does one of other kernels' exits_with 0 "$haul" profile --kernel other -- "$program" increase
result 'but with the reason' says '^No launch was of a kernel that --kernel names\.$' err
result 'launches are recorded' \
    exits_with 0 "$haul" replay --record "$work/record.jsonl" --launches 2 -- "$program" increase
result 'as many of a kernel and shape as asked for' says '^haul: 2 launches recorded$' err
result 'their program goes on' says '^270, no error$' out
result 'what is recorded can be compared' exits_with 0 "$haul" compare --device sim "$work/record.jsonl"
result 'and gives what the program got' says 'outputs: 2 of 2 launches bit-identical' out
result 'also after all files have been moved' sh -c \
    "mkdir '$work/there' && mv '$work'/record.* '$work/there' && '$haul' replay --device sim '$work/there/record.jsonl'"
result 'so is a cluster that the launch asks for' \
    exits_with 0 "$haul" replay --record "$work/cluster.jsonl" -- "$program" cluster
result 'with its size' grep -q '"cluster": *\[2, *1, *1\]' "$work/cluster.jsonl"
result 'and gives the same' exits_with 0 "$haul" compare --device sim "$work/cluster.jsonl"
result 'launches with pointers in structures are recorded' \
    exits_with 0 "$haul" replay --record "$work/pointers.jsonl" --launches 2 -- "$program" pointers
result 'also if they share a buffer' grep -q '"of": *\[0, *[0-9]*\]' "$work/pointers.jsonl"
result 'but none with pointers in buffers' says 'follow is not recorded: the buffer of argument 0 has addresses' err
result 'the rest is there' says '^haul: 2 launches recorded, 1 left out$' err
result 'and gives the same' exits_with 0 "$haul" compare --device sim "$work/pointers.jsonl"
result 'findings may be left out' exits_with 1 "$haul" check --ignore race-shared -- "$program" race
result 'by their kind' wrong says 'race-shared in race' err
result 'findings go to SARIF and JUnit too' \
    exits_with 1 "$haul" check --sarif "$work/a.sarif" --junit "$work/a.xml" -- "$program" race
result 'SARIF has them' grep -q 'race-shared' "$work/a.sarif"
result 'JUnit has them' grep -q '<failure' "$work/a.xml"
result 'a call that fails makes a check fail' exits_with 1 "$haul" check -- "$program" failures
result 'it is named' says '^error: cudaMemcpy() gave CUDA_ERROR_INVALID_VALUE' err
result 'once' [ "$(grep -c 'gave CUDA' "$work/err")" = 1 ]
result 'with its place in the program' says '^  at .*\(ignore_failures\|main\)' err
result 'and counted' says '^2 calls of the program.s failed' err

result 'launches that cannot be are refused' exits_with 0 "$haul" run -- "$program" refused
result 'with the errors of a GPU' says '^1 1 1 720 1$' out

result 'a function that is not there fails' exits_with 0 "$haul" run -- "$program" graphics
result 'with cudaErrorNotSupported' [ "$(cat "$work/out")" = "$(printf '801\n801')" ]
result 'and is named at the end' says '^haul: cudaGraphicsMapResources() is not supported; the program called it 2 times$' err
result 'a function that is private to libraries fails' exits_with 0 "$haul" run -- "$program" table
result 'and leaves no error behind' says '^801, then 0$' out
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
printf '\177ELF broken' >"$work/broken" && chmod +x "$work/broken"
refused 'a broken program' 'broken: cannot be run: Exec format error' "$haul" run -- "$work/broken"
refused 'no device' '--gpus' "$haul" run --gpus 0 -- "$program"
refused 'one for a report that is not there' 'cannot be run: No such file' "$haul" check -- "$work/none"
refused 'a device that is none' 'sim:h99' "$haul" run --device sim:h99 -- "$program"
refused 'a GPU' 'compute-sanitizer' "$haul" check --device gpu:0 -- "$program"
refused 'an option for kernels in files' 'not for a program' "$haul" check --grid 1 -- "$program"
refused 'a kernel that is no expression' 'not a regular expression' "$haul" profile --kernel 'regex:(' -- "$program"
refused 'a file of rules that is not there' 'cannot be opened' "$haul" check --expect "$work/none" -- "$program"
refused 'a file that cannot be written' 'cannot be' "$haul" profile --out "$work/none/report" -- "$program"
refused 'recording to nowhere' 'replay --record FILE' "$haul" replay -- "$program"
refused 'an option for programs' 'is for a program' "$haul" profile --launches 3 a.cu
refused 'a file beside a program' 'files or a program' "$haul" check a.cu -- "$program"
exit $((failures > 0))
