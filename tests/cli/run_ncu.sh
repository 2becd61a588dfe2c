#!/bin/sh
# haul profile --csv: of files and of programs, read by a CSV reader as scripts for ncu have it. usage: run_ncu.sh
# SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
data=$1/tests/data reader=$1/tests/cli/ncu.py

says() { grep -q -- "$1" "$work/$2"; }
reads() { python3 "$reader" "$work/out" "$1"; }
profile() { exits_with 0 "$haul" profile --device sim "$@"; }
launches() {
    head -n 3 "$data/truth/h100.jsonl" >"$work/three.jsonl"
    profile "$work/three.jsonl" --ptx "$data/truth/memory_basics.ptx" --ptx "$data/truth/shared_and_async.ptx" --csv "$@"
}
refuses() { # TEXT ARGUMENT...
    text=$1
    shift
    exits_with 2 "$haul" profile --device sim "$work/copy.ptx" "$@" && says "$text" err && one_line "$work/err"
}

cat >"$work/copy.ptx" <<'END'
.version 8.3
.target sm_90
.address_size 64
.visible .entry _Z4copyPKfPf(.param .u64 in, .param .u64 out) {
.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<2>;
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 128;
add.u64 %rd0, %rd0, %rd2; ld.global.f32 %f0, [%rd0]; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd1, %rd1, %rd3;
st.global.f32 [%rd1], %f0; ret; }
END
one="$work/copy.ptx --kernel copy --grid 2 --block 64 --arg buf:f01:2048 --arg buf:zero:64"

result 'the details page' profile $one --csv
result 'has a row for each metric' reads 'metric("Grid Size") == [2] and metric("Theoretical Occupancy") == [100]'
result 'with sections of Nsight Compute' reads '{"GPU Speed Of Light Throughput", "Memory Workload Analysis", "Launch Statistics", "Occupancy"} <= {r["Section Name"] for r in rows}'
result 'and labels that scripts look for' reads '{"SM Active Cycles", "SM Busy", "Mem Busy", "Eligible Warps Per Scheduler", "Avg. Not Predicated Off Threads Per Warp", "# TPCs", "Average SM Active Cycles"} <= {r["Metric Name"] for r in rows}'
result 'two blocks keep two of 132 SMs busy' reads 'metric("SM Active Cycles") and abs(metric("SM Active Cycles")[0] / (metric("Elapsed Cycles")[0] - 1.6e-6 * metric("SM Frequency")[0]) - 2 / 132) < 0.001'
result 'the launch in each row' reads 'all((r["Kernel Name"], r["Block Size"], r["CC"]) == ("copy(const float *, float *)", "(64, 1, 1)", "9.0") for r in rows)'
result 'and advice as rules' reads 'any(r["Rule Type"] == "OPT" and "Global Load: 32.00 sectors" in r["Rule Description"] for r in rows)'
result 'chosen metrics' profile $one --csv --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,dram__bytes_read,no__such.sum
result 'have their names' reads 'metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == [128] and metric("dram__bytes_read.sum")'
result 'one that haul does not have is told' says 'does not have these metrics, so they are n/a: no__such.sum$' err
result 'and is not available' reads '[r["Metric Value"] for r in rows][-1] == "n/a"'
result 'metrics by expression' profile $one --csv --metrics 'regex:mem_global_op_(ld|st)\.sum$'
result 'are all that it matches' reads 'len(rows) == 8 and all(r["Section Name"] == "Command line profiler metrics" for r in rows)'

separated() { LC_ALL=$1 "$haul" profile $one --csv --device sim >"$work/out" && says "$2" out; }
result 'thousands are separated' separated en_US.UTF-8 '"Shared Memory Configuration Size","byte","[0-9]*,[0-9]*",$'
result 'but not in the locale C' separated C '"Shared Memory Configuration Size","byte","[0-9]*",$'

result 'the raw page' profile $one --csv --page raw --print-kernel-base function
result 'has a row for each launch' reads 'len(rows) == 1 and rows[0]["Kernel Name"] == "copy"'
result 'and a column for each counter' reads 'number("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == [128]'
result 'and for launch and device' reads 'number("launch__grid_size") == [2] and number("device__attribute_multiprocessor_count") == [132]'
result 'units are those of a recorded table' python3 -c '
import csv, sys
tables = []
for path in sys.argv[1:]:
    lines = open(path, newline="").read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("\"ID\""))
    names, units, first = list(csv.reader(lines[start : start + 3]))
    tables.append(dict(zip(names, units)))
ours, recorded = tables
assert list(ours)[:11] == list(recorded)[:11]
both = [name for name in ours if name in recorded]
wrong = [(name, ours[name], recorded[name]) for name in both if ours[name] != recorded[name]]
assert len(both) > 100 and not wrong, wrong
' "$work/out" "$data/ncu/three.csv"
result 'a launch file' launches --page raw --metrics smsp__inst_executed.sum
result 'numbers its launches' reads '[r["ID"] for r in rows] == [str(i) for i in range(3)] and len(rows) == 3'

result 'a page without a table' refuses 'page: is for --csv' --page raw
result 'two formats' refuses 'give one of them' --csv --json
result 'an unknown page' refuses 'use details or raw' --csv --page session

program=$2/tests/standin_launches
[ -e "$program" ] || exit $((failures > 0)) # the stand-in is not built with sanitizers
result 'a program' exits_with 0 "$haul" profile --csv --page raw --out "$work/out.csv" -- "$program" once 300 5
mv "$work/out.csv" "$work/out"
result 'has a row for each of its launches' reads '[r["ID"] for r in rows] == ["0", "1", "2", "3", "4"]'
result 'with its name' reads '{r["Process Name"] for r in rows} == {"standin_launches"}'
result 'on the details page, too' exits_with 0 "$haul" profile --csv --launches 1 -- "$program" once 300 5
cp "$work/err" "$work/out"
result 'as many as are counted' reads 'metric("Grid Size") == [300]'
result 'streams' exits_with 0 "$haul" profile --csv --page raw -- "$2/tests/standin_order" kernels ordered
cp "$work/err" "$work/out"
result 'have numbers, 7 that of the default stream' reads '[r["Stream"] for r in rows] == ["8", "9"]'

exit $((failures > 0))
