#!/bin/sh
# haul's way to a GPU's counters, with the driver and the ncu of this folder: what is read, and what is said when it
# cannot be.
#   run_counters.sh SOURCE_ROOT BUILD_FOLDER
set -u
root=$1
haul=$2/haul
truth=$root/tests/data/truth
data=$root/tests/data/ncu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$2/tests/gpu/new" HAUL_NCU="$root/tests/gpu/ncu" TMPDIR="$work/tmp"
mkdir "$work/tmp"
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# want WHAT STATUS PATTERN COMMAND...: how it ends, and what its output, or its one message, has.
want() {
    what=$1 status=$2 pattern=$3
    shift 3
    timeout 120 "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] || fail "$what: status $got, not $status: $(head -c 500 "$work/err")"
    [ "$status" -ne 2 ] || [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$what: no single line: $(cat "$work/err")"
    grep -q -e "$pattern" "$work/out" "$work/err" || fail "$what: no '$pattern' in: $(head -c 1000 "$work/out" "$work/err")"
    [ -z "$(ls "$work/tmp")" ] || fail "$what: leaves $(ls "$work/tmp")"
}

ptx="--ptx $truth/memory_basics.ptx --ptx $truth/shared_and_async.ptx"

# --- a file of 154 launches as an H100 counted them ---

export FAKE_NCU_LOG="$data/truth.csv"
want compare 0 '^exact: 4004 of 4004 pairs (100.00%), outputs: 154 of 154 launches bit-identical' \
    "$haul" compare "$truth/h100.jsonl" $ptx --device gpu:0
want "replay --counters" 0 . "$haul" replay "$truth/h100.jsonl" $ptx --device gpu:0 --counters --repeat 1
cp "$work/out" "$work/mine.jsonl"
want "compare with one's own file" 0 '^exact: 39[0-9]* of 4004' "$haul" compare "$work/mine.jsonl" $ptx --device sim:h100
want "compare on the GPU with one's own file" 0 '^close: \([0-9]*\) of \1 pairs' \
    "$haul" compare "$work/mine.jsonl" $ptx --device gpu:0

# --- readings ---

head -n 3 "$truth/h100.jsonl" >"$work/three.jsonl"
sed 's/"80"/"84"/g' "$data/three.csv" >"$work/moved.csv"
export FAKE_NCU_LOG="$data/three.csv $work/moved.csv" FAKE_NCU_STATE="$work/state"
: >"$work/state"
want "two readings" 0 '"dram__sectors_read":\[80,84\]' \
    "$haul" replay "$work/three.jsonl" $ptx --device gpu:0 --counters
: >"$work/state"
want "one reading" 0 '"dram__sectors_read":80,' \
    "$haul" replay "$work/three.jsonl" $ptx --device gpu:0 --counters --readings 1
unset FAKE_NCU_STATE
export FAKE_NCU_LOG="$data/three.csv"
want "a launch of options" 0 '"l1tex__t_sectors_pipe_lsu_mem_global_op_ld":4' env FAKE_NCU_LOG="$work/one.csv" sh -c \
    'grep -v "^\"[12]\"" "$1" >"$2"; shift 2; exec "$@"' sh "$data/three.csv" "$work/one.csv" \
    "$haul" replay --kernel copy_stride --grid 1 --block 32 --arg buf:u32:32 --arg buf:poison:32 --arg i32:1 \
    $ptx --device gpu:0 --counters

# --- what can go wrong ---

replay="$haul replay $work/three.jsonl $ptx --device gpu:0 --counters"
want "not permitted" 2 'NVreg_RestrictProfilingToAdminUsers=0.*CAP_SYS_ADMIN' \
    env FAKE_NCU_LOG="$data/permission.txt" $replay
want "no ncu" 2 'HAUL_NCU: /nonexistent is no program' env HAUL_NCU=/nonexistent $replay
want "ncu killed" 2 'ncu: was ended by signal 9' env FAKE_NCU_HOW=killed $replay
want "ncu too slow" 2 'did not end within 1 s' env FAKE_NCU_HOW=slow $replay --timeout 1
want "no output" 2 'ncu: printed no table' env FAKE_NCU_HOW=quiet $replay
want "bad status" 2 'ncu: ended with exit status 3' env FAKE_NCU_HOW=code=3 $replay
want "too few launches" 2 'ncu: saw 3 of 154 launches' \
    "$haul" replay "$truth/h100.jsonl" $ptx --device gpu:0 --counters --repeat 1
want "other launches" 2 'launch 0 was of kernel copy_stride; here it is of ' \
    sh -c 'tail -n 3 "$1" >"$2"; shift 2; exec "$@"' sh "$truth/h100.jsonl" "$work/last.jsonl" \
    "$haul" replay "$work/last.jsonl" $ptx --device gpu:0 --counters
head -c 20000 "$data/three.csv" >"$work/cut.csv"
want "a table cut short" 2 'of its output: ' env FAKE_NCU_LOG="$work/cut.csv" $replay
want "standard input" 2 'cannot be read again under ncu' \
    sh -c 'in=$1; shift; exec "$@" <"$in"' sh "$work/three.jsonl" "$haul" replay - $ptx --device gpu:0 --counters
want "TMPDIR" 2 '/nonexistent/haul-ncu-.*: cannot be made' env TMPDIR=/nonexistent $replay
want "a fault only under ncu" 2 'a kernel failed while its counters were read; without ncu it does not' \
    env FAKE_NCU_LOG="$data/fault.csv" FAKE_NCU_HOW=code=9 $replay

# --- haul info ---

want info 0 'ncu *2025.3.1.0 *.*tests/gpu/ncu' "$haul" info

[ $failed -eq 0 ] && echo "counters are read as they should be"
exit $failed
