#!/bin/sh
# Parts of the driver API that programs use seldom (values.c). usage: run_values.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_values
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

says() { grep -qe "$1" "$work/$2"; }
gives() { [ "$(cat "$work/out")" = "$(printf "$1")" ]; } # TEXT
runs() { result "$1" exits_with 0 "$haul" run -- "$program" "$2"; } # WHAT TASK

runs 'streams wait for values' values
result 'of other streams and of the host' gives 'before: 600\nwritten: 0x10000000007\nnever: 702'
result 'and it is said what nobody writes' says 'a stream waits for the value .* nothing else will be done' err
runs 'memory operations come in batches' batches
result 'also as nodes of graphs' \
    gives 'batch: 11\ncaptured: 12\nnode: 2 operations, the last writes 12\nchanged: 13'
runs 'graphs own objects' objects
result 'up to their last reference' gives "flags 8\nwithout the graph\nthe graph's ends\nwithout the executable
the program's ends\nonce more: 1"
runs 'copies come in batches' copies
result 'and prefetches too' gives 'copied: 21 22\nprefetched to 0'
runs 'boxes are copied in batches, too' boxes
result 'whose source may be read at once' gives 'boxes: 32 33 35 36\nno height: 1, no order: 1, no stream: 1'
runs 'green contexts have SMs' green
result 'and run kernels and streams' gives '132 SMs: 8 groups of 10\n2 groups of 16, 100 left
its 16 SMs, current: 1, its stream: 1, done: 0, 31\ntwice: 201'
runs 'the runtime calls them execution contexts' execution
result 'and divides SMs into groups of any size' gives '132 SMs by 8: 16, 112, 4 left, no unit: 915
device 0, 16 of 132 SMs, ids differ: 1, 32\ntwice: 201, none: 1'
runs 'memory is shared as a file descriptor' share
result 'with another process' gives 'the child ended with 0, and left 42\nno such memory: 1'
runs 'a pool is shared as a file descriptor' pools
result 'and another process opens its memory' gives 'of its own: 1 1
imported: what it uses: 1, for allocations: 1, for the device: 1\nfreed again: 1\nno such memory: 1
the child ended with 0, and left 42\nno such pool: 1'
runs 'pools of the host have pinned memory' host-pools
result 'that host code uses, too' \
    gives 'supported: 1\n42 in memory of type 1\n42 in memory of type 1\nfor the device: 1'
runs 'a process suspends its calls' checkpoints
result 'until it is restored and unlocked' gives 'states 2 1 0, read before 0, then 7
unlocked early: 401, another process: 801'
runs 'failed calls are logged' logs
result 'for programs that ask' gives 'core dumps go to core.%%p, 8 bytes\ntold: level 0, 1\na wrong copy: 1
1 call, log: [CUDA][E] device memory: 4 bytes at 0x40 lie in no allocation'
for task in batches copies boxes; do
    result "$task: a check finds nothing" exits_with 0 "$haul" check -- "$program" $task
done
result 'a check names the calls that fail' exits_with 1 "$haul" check -- "$program" green
result 'and those alone' says '^1 call of the program.s failed' err
exit $((failures > 0))
