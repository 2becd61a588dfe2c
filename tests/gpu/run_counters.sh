#!/bin/sh
# haul's way to a GPU's counters, with the driver and the ncu of this folder: what is read, and what is said when it
# cannot be.
#   run_counters.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"
data=$root/tests/data/ncu
export LD_LIBRARY_PATH="$2/tests/gpu/new" HAUL_NCU="$root/tests/gpu/ncu" TMPDIR="$work/tmp"
mkdir "$work/tmp"

# gives WHAT STATUS PATTERN COMMAND...: how it ends, what its output or its one message has, and that it leaves nothing.
gives() {
    name=$1 wanted=$2 pattern=$3
    shift 3
    want "$name" "$wanted" "$@"
    has "$pattern"
    [ -z "$(ls "$work/tmp")" ] || fail "$what: leaves $(ls "$work/tmp")"
}

ptx="--ptx $truth/memory_basics.ptx --ptx $truth/shared_and_async.ptx"

# --- a file of 154 launches as an H100 counted them ---

export FAKE_NCU_LOG="$data/truth.csv"
gives compare 0 '^exact: 3850 of 3850 pairs (100.00%), outputs: 154 of 154 launches bit-identical' \
    "$haul" compare "$truth/h100.jsonl" $ptx --device gpu:0
gives "replay --counters" 0 . "$haul" replay "$truth/h100.jsonl" $ptx --device gpu:0 --counters --repeat 1
cp "$work/out" "$work/mine.jsonl"
gives "compare with one's own file" 0 '^exact: 38[0-9]* of 3850' "$haul" compare "$work/mine.jsonl" $ptx --device sim:h100
gives "compare on the GPU with one's own file" 0 '^close: \([0-9]*\) of \1 pairs' \
    "$haul" compare "$work/mine.jsonl" $ptx --device gpu:0

# --- readings ---

head -n 3 "$truth/h100.jsonl" >"$work/three.jsonl"
sed 's/"80"/"84"/g' "$data/three.csv" >"$work/moved.csv"
export FAKE_NCU_LOG="$data/three.csv $work/moved.csv" FAKE_NCU_STATE="$work/state"
: >"$work/state"
gives "two readings" 0 '"dram__sectors_read":\[80,84\]' \
    "$haul" replay "$work/three.jsonl" $ptx --device gpu:0 --counters
: >"$work/state"
gives "one reading" 0 '"dram__sectors_read":80,' \
    "$haul" replay "$work/three.jsonl" $ptx --device gpu:0 --counters --readings 1
unset FAKE_NCU_STATE
export FAKE_NCU_LOG="$data/three.csv"
gives "a launch of options" 0 '"l1tex__t_sectors_pipe_lsu_mem_global_op_ld":4' env FAKE_NCU_LOG="$work/one.csv" sh -c \
    'grep -v "^\"[12]\"" "$1" >"$2"; shift 2; exec "$@"' sh "$data/three.csv" "$work/one.csv" \
    "$haul" replay --kernel copy_stride --grid 1 --block 32 --arg buf:u32:32 --arg buf:poison:32 --arg i32:1 \
    $ptx --device gpu:0 --counters

# --- what can go wrong ---

replay="$haul replay $work/three.jsonl $ptx --device gpu:0 --counters"
gives "not permitted" 2 'NVreg_RestrictProfilingToAdminUsers=0.*CAP_SYS_ADMIN' \
    env FAKE_NCU_LOG="$data/permission.txt" $replay
gives "no ncu" 2 'HAUL_NCU: /nonexistent is not a program' env HAUL_NCU=/nonexistent $replay
gives "ncu killed" 2 'ncu: was ended by signal 9' env FAKE_NCU_HOW=killed $replay
gives "ncu too slow" 2 'stopped after 1 s: --timeout' env FAKE_NCU_HOW=slow $replay --timeout 1
gives "no output" 2 'ncu: printed no table' env FAKE_NCU_HOW=quiet $replay
gives "bad status" 2 'ncu: ended with exit status 3' env FAKE_NCU_HOW=code=3 $replay
gives "too few launches" 2 'ncu: saw 3 of 154 launches' \
    "$haul" replay "$truth/h100.jsonl" $ptx --device gpu:0 --counters --repeat 1
gives "other launches" 2 'launch 0 was of kernel copy_stride; here it is of ' \
    sh -c 'tail -n 3 "$1" >"$2"; shift 2; exec "$@"' sh "$truth/h100.jsonl" "$work/last.jsonl" \
    "$haul" replay "$work/last.jsonl" $ptx --device gpu:0 --counters
head -c 20000 "$data/three.csv" >"$work/cut.csv"
gives "a table cut short" 2 'of its output: ' env FAKE_NCU_LOG="$work/cut.csv" $replay
gives "standard input" 2 'cannot be read again under ncu' \
    sh -c 'in=$1; shift; exec "$@" <"$in"' sh "$work/three.jsonl" "$haul" replay - $ptx --device gpu:0 --counters
gives "TMPDIR" 2 '/nonexistent/haul-ncu-.*: cannot be made' env TMPDIR=/nonexistent $replay
gives "a fault only under ncu" 2 'a kernel failed while its counters were read; without ncu the launches do not fail' \
    env FAKE_NCU_LOG="$data/fault.csv" FAKE_NCU_HOW=code=9 $replay

# --- haul info ---

gives info 0 'ncu *2025.3.1.0 *.*tests/gpu/ncu' "$haul" info

done_with "counters are read as they should be"
