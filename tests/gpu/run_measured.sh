#!/bin/sh
# Measured beside simulated: haul profile, haul lab and the times of haul replay, with the driver and the ncu of this
# folder. What the GPU gives here is what the virtual one gives, so that both sides have to agree.
#   run_measured.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"
data=$root/tests/data/ncu
export LD_LIBRARY_PATH="$2/tests/gpu/new" HAUL_NCU="$root/tests/gpu/ncu" FAKE_NCU_LOG="$data/three.csv"

head -n 3 "$truth/h100.jsonl" >"$work/three.jsonl"
ptx="--ptx $truth/memory_basics.ptx"

# --- times ---

want "replay" 0 "$haul" replay "$work/three.jsonl" $ptx --device gpu:0 --repeat 4
json 'len(lines) == 3 and all(0 < l["us_low"] <= l["us"] <= l["us_high"] for l in lines)'
json 'all(a["after"] for l in lines for a in l["args"] if "buf" in a)'
want "replay --once" 0 "$haul" replay "$work/three.jsonl" $ptx --device gpu:0 --once
json 'not any("us" in l for l in lines)'
want "a simulated replay" 0 "$haul" replay "$work/three.jsonl" $ptx --device sim:h100
json 'all("us" not in l and l["estimate_us"] > 0 for l in lines)'

# --- profile ---

want profile 0 "$haul" profile "$work/three.jsonl" $ptx --device gpu:0
has '^Measured on NVIDIA H100 80GB HBM3: .* us (.* us to .* us), estimated .* us\.$'
has '^Counter .*Simulated  *Measured .*Nsight Compute$'
has '^sectors of global loads, LDGSTS included  *8  *8  *-  *l1tex__t_sectors_pipe_lsu_mem_global_op_ld$'
has '^sectors read from device memory  *4  *80  *-95.0%'
has '^Global Load  *1  *1  *1  *4'
want "profile --json" 0 "$haul" profile "$work/three.jsonl" $ptx --device gpu:0 --json
json 'all(l["measured"]["device"] == "NVIDIA H100 80GB HBM3" and l["measured"]["us"] > 0 for l in lines)'
json 'all(l["measured"]["outputs_identical"] for l in lines)'
json '[l["measured"]["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"] for l in lines] == [4, 8, 16]'
json '[l["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"] for l in lines] == [4, 8, 16]'
want "profile --html" 0 "$haul" profile "$work/three.jsonl" $ptx --device gpu:0 --html "$work/profile.html" --quiet
grep -q 'Measured on NVIDIA H100' "$work/profile.html" || fail "the page has no measured times"
# --- diff ---

want "diff" 0 "$haul" diff "$truth/memory_basics.ptx" "$truth/memory_basics.ptx" "$work/three.jsonl" --device gpu:0 --repeat 4 \
    --fail-on 'us>900%'
[ ! -s "$work/out" ] || fail "diff finds changes where there are none"

want "profile without leave" 0 env FAKE_NCU_LOG="$data/permission.txt" \
    sh -c '"$@" 2>remark' sh "$haul" profile "$work/three.jsonl" $ptx --device gpu:0
has '^Measured on NVIDIA H100'
grep -q 'no counters of NVIDIA H100.*NVreg_Restrict' "$work/remark" || fail "nothing says why there are no counters"

# --- lab ---

want "lab without ncu" 0 env HAUL_NCU=/nonexistent "$haul" lab saxpy --device gpu:0
has 'No counters *HAUL_NCU: /nonexistent is not a program'
has '^  Measured on *NVIDIA H100 80GB HBM3 (gpu:0)$'
has '^The same launches on NVIDIA H100 80GB HBM3, beside what the virtual GPU says:$'
has '^saxpy_scalar .* us .* us$'
has 'ok  *\([0-9]*\) of \1 launches gave the host.s results'
if grep -q -- ' -1 ' "$work/out"; then fail "the lab shows counters that nobody read"; fi

# A table of ncu for the lab's launches: two of the batches, with more load sectors than the virtual GPU has.
python3 - "$work/batches.csv" <<'END'
import sys
names = ["ID", "Kernel Name", "Block Size", "Grid Size", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
rows = [names, ["", "", "", "", "sector"]]
for k, kernel in enumerate(["batch_looped", "batch_unrolled", "batch_restrict", "batch_vector"]):
    rows.append([str(k), kernel, "(128, 1, 1)", "(16, 1, 1)", "4,096" if k < 3 else "1,025"])
open(sys.argv[1], "w").write("".join(",".join('"%s"' % c for c in r) + "\n" for r in rows))
END
want "lab with counters" 0 env FAKE_NCU_LOG="$work/batches.csv" "$haul" lab batches --device gpu:0 --out "$work/lab"
has '^batch_looped(8192) .* 4,096  *4,096 .*1 of 1$'
has '^batch_vector(8192) .* 1,024  *1,025 .*0 of 1$'
has '3 of 4 counters that the architecture fixes are what the NVIDIA H100 80GB HBM3 counted'
python3 - "$work/lab/lab.json" <<'END' || fail "lab.json has no measured numbers"
import json, sys
text = json.dumps(json.load(open(sys.argv[1])))
sys.exit(0 if '"load_sectors_measured": 1025' in text else 1)
END
grep -q 'The same launches on NVIDIA H100' "$work/lab/report.html" || fail "report.html has no measured numbers"
want "lab with others' counters" 1 "$haul" lab batches --device gpu:0
has 'FAILED.*could not be run: ncu: launch 0 was of kernel copy_stride'

done_with "measured and simulated stand side by side"
