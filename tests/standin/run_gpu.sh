#!/bin/sh
# Programs on a real GPU, with drivers in place of the real one: a mock (gpu_driver.c) and the virtual GPU's.
# usage: run_gpu.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
library=$2/gpu/libcuda.so.1
program=$2/tests/standin_gpu_program
[ -e "$library" ] && [ -e "$program" ] || { echo "skipped: made on x86-64, without sanitizers"; exit 77; }
unset LD_LIBRARY_PATH CUDA_VISIBLE_DEVICES HAUL_GPU_DRIVER

says() { grep -qe "$1" "$work/$2"; }
gives() { [ "$(cat "$work/out")" = "$(printf "$1")" ]; } # TEXT
mock=$2/tests/gpu_driver/libcuda.so.1
mocked() { # CODE TASK [VARIABLE=VALUE...]
    code=$1 task=$2
    shift 2
    exits_with "$code" env HAUL_GPU_DRIVER="$mock" HAUL_STANDIN_LAUNCHES=99999 "$@" LD_PRELOAD="$library" "$program" "$task"
}

# --- the library alone ---
nm -D --defined-only "$library" 2>/dev/null | sed -n 's/.* [TtWw] \(cu.*\)/\1/p' | LC_ALL=C sort >"$work/exported"
sed -n 's/^[A-Z]*(\([A-Za-z0-9_]*\), .*/\1/p' "$1/src/standin/cuda/names.def" >"$work/names"
result 'all names of the driver are exported' cmp -s "$work/names" "$work/exported"
result 'a program that calls no CUDA' mocked 3 nothing
result 'gets no report' [ ! -s "$work/err" ]
result 'the first call leaves all arguments as they are' mocked 3 registers
result 'and so does the next' gives '590\n590'
result 'what the driver lacks' mocked 3 missing
result 'is not found' gives 'cuLaunchKernelEx: 500\ncuMemAlloc_v2: 500\nby name: 500'
result 'a driver that cannot be loaded' mocked 5 launches HAUL_GPU_DRIVER=/nowhere/libcuda.so.1
result 'is told in one line' one_line "$work/err"

# --- the report ---
launches='^blas::increase<float, 4>  *3  *3  various  *64  *60.75 us  *20.25 us  *10.25 us  *30.25 us  *10.6%$'
result 'a program with launches of all kinds' mocked 3 launches MOCK_TELLS=1
result 'has times by kernel' says "$launches" err
result 'of kernels of libraries too' says '^plain  *1  *1  400  *32 x 4  *400.25 us ' err
result 'also of those that came another way' says '^other  *1  *1  5  *1  *5.25 us ' err
result 'of graphs' says '^\[graph launch\]  *1  *1  *100.25 us ' err
result 'and of cooperative ones' says '^waits  *1  *1  7  *8 x 8 x 8  *7.25 us ' err
result 'the kernel that took the most comes first' says '^plain' err
result 'captured launches are told' says '^1 launch was captured' err
result 'so is what events cost' says '0.25 us apart' err
result 'the driver is used as it may be, and no event is left' gives 'driver: 0 events left'
result 'times come while the program runs' mocked 3 many
result 'of all launches' says '^blas::increase<float, 4>  *5,003  *5,003 ' err
result 'launches of several threads' mocked 3 threads MOCK_TELLS=1
result 'are all timed' says '^blas::increase<float, 4>  *20,003  *20,003 ' err
result 'and no event is left' gives 'driver: 0 events left'
result 'a program that resets the device' mocked 3 reset
result 'loses no times' says '^blas::increase<float, 4>  *6  *6 ' err

result 'a filter by kernel' mocked 3 launches HAUL_STANDIN_KERNELS=waits HAUL_STANDIN_JSON=1
result 'takes that only' says '^{"launch":7,"kernel":"waits","grid":\[7,1,1\],"block":\[8,8,8\],"smem":0,"us":7.25}$' err
result 'and sums it' says '"launches":1,"counted":1,"scaled":false,"captured":1,"device":"Mock GPU 0","stamp":"measured"' err
result 'a filter by number' mocked 3 launches HAUL_STANDIN_LAUNCH_SKIP=1 HAUL_STANDIN_LAUNCH_COUNT=2
result 'leaves two launches' says '^blas::increase<float, 4>  *2  *2 ' err
result 'and no others' [ "$(grep -c ' us .*%$' "$work/err")" -eq 1 ]
result 'the first of each kernel' mocked 3 launches HAUL_STANDIN_LAUNCHES=1
result 'may do' says '^blas::increase<float, 4>  *3  *1  *various  *64  *30.75 us  *10.25 us  *10.25 us  *10.25 us ' err
result 'which is told' says '5 of 7 launches timed, the sums scaled' err
result 'a range' mocked 3 range HAUL_STANDIN_RANGES=inner NVTX_INJECTION64_PATH="$library"
result 'takes the launches in it' says '^blas::increase<float, 4>  *1  *1  *8 x 2  *64  *8.25 us ' err
result 'and no others' [ "$(grep -c ' us .*%$' "$work/err")" -eq 1 ]
result 'launches one by one' mocked 3 launches HAUL_STANDIN_EVERY_LAUNCH=1
result 'have a table' says '^ *3  plain  *400 x 1 x 1  *32 x 4 x 1  *256 B  *400.25 us$' err
result 'a range that the program never enters' mocked 3 launches HAUL_STANDIN_RANGES=none
result 'leaves nothing' says 'launched no kernel' err

# --- the end ---
result 'a program whose kernel faults' mocked 3 fault
result 'sees it' gives refused
result 'and its launches are reported, with the times there are' says '^faults  *1  *0 ' err
result 'which is told' says '[0-6] of 8 launches timed' err
result 'a program that ends at once' mocked 6 _exit
result 'has its report' says '^plain' err
result 'one that a signal ends' mocked 143 kill
result 'as well' says '^plain' err
result 'and one that aborts' mocked 134 abort
result 'too' says '^plain' err
result 'of two processes' mocked 3 fork
result 'one reports' [ "$(grep -c '^plain' "$work/err")" -eq 1 ]

# --- haul, with the virtual GPU as the driver ---
HAUL_GPU_DRIVER=$2/standin/libcuda.so.1
export HAUL_GPU_DRIVER
driver=$2/tests/standin_driver
for way in linked dlopen entry; do
    result "a program, $way" exits_with 0 "$haul" profile --device gpu:0 -- "$driver" increase "$way"
    result 'gives its own results' gives '273'
    result 'and times' says '^increase  *3  *3  4  *64  *[0-9.]* us  [0-9.]* us ' err
done
same() { # TASK: by the virtual GPU alone, and through the library that times
    HAUL_GPU_DRIVER= "$haul" run -- "$driver" "$1" <"$work/names" >"$work/alone" 2>/dev/null
    exits_with $? "$haul" profile --device gpu:0 -- "$driver" "$1" <"$work/names" && cmp -s "$work/alone" "$work/out"
}
for task in names entries packed library fatbin link log contexts device function memory graphics; do
    result "calls are forwarded: $task" same $task
done
result 'a report in a file' exits_with 0 "$haul" profile --device gpu:0 --out "$work/report" -- "$driver" increase
result 'is not on standard error' [ ! -s "$work/err" ]
result 'but there' says '^increase' report
result 'a run' exits_with 0 "$haul" run --device gpu:0 -- "$driver" increase
result 'says nothing' [ ! -s "$work/err" ]
visible() { # LIST DEVICE: what the program sees
    CUDA_VISIBLE_DEVICES=$1 exits_with 0 "$haul" run --device "$2" -- sh -c 'echo "$CUDA_VISIBLE_DEVICES"'
}
result 'the GPU is chosen' exits_with 0 "$haul" run --device gpu:0 -- sh -c 'echo "$CUDA_VISIBLE_DEVICES"'
result 'by its number' gives 0
result 'of those that are visible' visible 3,1 gpu
result 'the first' gives 3

refused() { # TEXT ARGUMENT...
    text=$1
    shift
    exits_with 2 "$haul" "$@" && one_line "$work/err" && says "$text" err
}
result 'a GPU that is not there' refused 'there is one GPU on this machine, gpu:0' profile --device gpu:1 -- "$driver"
result 'checks' refused 'compute-sanitizer' check --device gpu:0 -- "$driver" increase
result 'recording' refused 'recorded on the virtual GPU only' replay --device gpu:0 --record "$work/r.jsonl" -- "$driver"
result 'a number that is none' refused 'the number of a GPU must follow' run --device gpu:x -- "$driver"
HAUL_GPU_DRIVER=/nowhere/libcuda.so.1
result 'no driver' refused 'no NVIDIA driver\|/nowhere/libcuda.so.1' profile --device gpu:0 -- "$driver"
exit $((failures > 0))
