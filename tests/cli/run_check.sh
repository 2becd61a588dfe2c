#!/bin/sh
# haul check: planted defects and their fixed twins, expectations, suppressions, the files for CI, exit statuses.
#   run_check.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"
hazards=$root/tests/data/hazards

cp "$hazards"/hazards.ptx "$hazards"/hazards.cu "$hazards"/launches.jsonl .

# --- planted defects: each found with an expected kind, at the lines of its kernel; nothing in the twins ---

want "the planted defects" 1 "$haul" check launches.jsonl --ptx hazards.ptx --json --sarif log.sarif --junit log.xml
python3 - <<'END' || fail "the planted defects"
import json, re, sys
expected = {d["id"]: d["expect"] for d in map(json.loads, open("launches.jsonl"))}
wrong = []
spans, kernel = {}, None
for number, line in enumerate(open("hazards.cu"), 1):
    found = re.search(r"__global__ void (\w+)\(", line)
    if found:
        kernel = found.group(1)
    spans.setdefault(kernel, []).append(number)
seen = set()
for launch in map(json.loads, open("out")):
    seen.add(launch["id"])
    kinds = {f["kind"] for f in launch["findings"]}
    want = expected[launch["id"]]
    if want and not kinds & set(want) or not want and kinds:
        wrong.append(f"{launch['kernel']}: {sorted(kinds)}, not one of {want}")
    for f in launch["findings"]:
        if f["kind"] in want and (f["file"] != "hazards.cu" or f["line"] not in spans[launch["kernel"]]):
            wrong.append(f"{launch['kernel']}: {f['kind']} at {f['file']}:{f['line']}")
if seen != set(expected):
    wrong.append("not every launch has a line")
print("\n".join(wrong))
sys.exit(bool(wrong))
END
python3 "$root/tests/cli/sarif.py" log.sarif || fail "the SARIF log is not as the standard has it"
if command -v xmllint >/dev/null; then
    xmllint --noout log.xml || fail "the JUnit file is not well-formed"
fi
[ "$(grep -c '<testcase' log.xml)" -eq 32 ] || fail "the JUnit file has not one case a launch"
cp out in_order
for schedule in reversed random random:7; do
    want "--schedule $schedule" 1 "$haul" check launches.jsonl --ptx hazards.ptx --json --schedule $schedule
    python3 - <<'END' || fail "--schedule $schedule finds other defects"
import json, sys
def kinds(name):
    return {d["kernel"]: {f["kind"] for f in d["findings"]} for d in map(json.loads, open(name))}
usual, other = kinds("in_order"), kinds("out")
# In some orders a race has a consequence that is a finding of its own: it reads what nobody has written yet.
allowed = {kernel: found | {"uninitialised-read"} if "race-shared" in found else found for kernel, found in usual.items()}
sys.exit(not all(usual[kernel] <= other[kernel] <= allowed[kernel] for kernel in usual))
END
done
want "one thread" 1 "$haul" check launches.jsonl --ptx hazards.ptx --json --threads 1
cmp -s in_order out || fail "one thread finds other defects than many"

want "the text" 1 "$haul" check launches.jsonl --ptx hazards.ptx
has '^hazards.cu:[0-9]*: error: race-shared in bad_write_write, launch 10$'
has '^  > *[0-9]* |     s\[threadIdx.x % 64\] = in\[threadIdx.x\];$'
has '^  why: '
has '^  cure: '
has '^32 launches: '

# --- kernels that are right ---

want "the launches of the truth" 0 "$haul" check "$truth/h100.jsonl" --ptx "$truth/memory_basics.ptx" --ptx \
    "$truth/shared_and_async.ptx"
has '^154 launches: 0 errors, 0 warnings, 0 of advice$'
corpus=$root/tests/data/corpus
# local_stack takes its indices from its input: it does read elements that it has not written.
want "the launches of the corpus" 1 "$haul" check "$corpus/h100.jsonl" "$corpus/h100_2.jsonl" "$corpus/corpus.ptx" \
    "$corpus/corpus2.ptx"
has '^corpus.cu:322: error: uninitialised-read in local_stack, launch 163$'
has '^383 launches: 1 error, 0 warnings, 0 of advice$'

# --- a launch that cannot begin or that faults is a finding; the others go on ---

cat >faults.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 p)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry trap()
{
    trap;
}
END
cat >faults.jsonl <<'END'
{"id":5,"kernel":"store","grid":[1],"block":[1],"args":[{"i64":8}]}
{"id":6,"kernel":"trap","grid":[1],"block":[1],"args":[]}
{"id":7,"kernel":"store","grid":[1],"block":[1025],"args":[{"buf":"zero","words":4}]}
{"id":8,"kernel":"store","grid":[1],"block":[1],"args":[{"buf":"zero","words":4}]}
END
want "launches that fault" 1 "$haul" check faults.jsonl --ptx faults.ptx --json
json '[l["id"] for l in lines] == [5, 6, 7, 8]'
json 'lines[0]["findings"][0]["kind"] in ("out-of-bounds", "illegal-access")'
json 'lines[1]["findings"][0]["kind"] == "trap"'
json 'lines[2]["findings"][0]["kind"] == "launch-limit"'
json 'lines[3]["findings"] == []'
want "a launch that does not" 0 "$haul" check faults.ptx -k store -g 1 -b 1 -a buf:zero:4
has '^1 launch: 0 errors, 0 warnings, 0 of advice$'
want "--quiet" 1 "$haul" check faults.jsonl --ptx faults.ptx --quiet
[ ! -s out ] || fail "check --quiet prints"

# --- what to ignore ---

cat >known.txt <<'END'
# the launch that is too large is there to see what happens
store: launch-limit
trap: ignore trap on purpose
* at faults.ptx:10: out-of-bounds
* at faults.ptx:10: illegal-access
END
want "--suppress" 0 "$haul" check faults.jsonl --ptx faults.ptx --suppress known.txt --sarif log.sarif
has '; 3 ignored$'
python3 "$root/tests/cli/sarif.py" log.sarif || fail "the SARIF log with suppressions is not as the standard has it"
grep -q '"justification": "on purpose"' log.sarif || fail "the SARIF log does not say why something is suppressed"
want "--ignore" 1 "$haul" check faults.jsonl --ptx faults.ptx --ignore 'launch-*' --ignore trap --json
json '[len(l["findings"]) for l in lines] == [1, 0, 0, 0]'

# --- expectations, from files ---

grep '"aos3"' "$root/tests/data/truth/h100.jsonl" | head -n 1 >aos3.jsonl
cp "$root"/tests/data/truth/memory_basics.* .
cat >good.txt <<'END'
aos3: sectors/request <= 12, bank_conflicts == 0, no findings, l1_hit > 60%
aos3 at memory_basics.cu:62: global_load sectors/request == 12
aos3: l1tex__t_sectors_pipe_lsu_mem_global_op_ld == 576, occupancy == 100%
END
want "expectations that hold" 0 "$haul" check aos3.jsonl --ptx memory_basics.ptx --expect good.txt
has '; 7 of 7 expectations hold$'
echo 'aos3: global_load sectors/request <= 4' >bad.txt
want "an expectation that does not" 1 "$haul" check aos3.jsonl --ptx memory_basics.ptx --expect bad.txt --junit log.xml
has '^bad.txt:1: failed: expected global_load sectors/request <= 4: 12 measured, most at memory_basics.cu:62 in aos3, launch'
grep -q 'failures="1"' log.xml || fail "the JUnit file does not count the failed expectation"
want "expectations as JSON" 1 "$haul" check aos3.jsonl --ptx memory_basics.ptx --expect bad.txt --json
json 'lines[0]["expectations"][0]["holds"] is False and lines[0]["expectations"][0]["value"] == 12'

# --- a list with a launch that cannot run: the others are checked ---

{ cat aos3.jsonl; sed 's/"aos3"/"nothing"/' aos3.jsonl; cat aos3.jsonl; } >mixed.jsonl
want "a launch that cannot run" 2 "$haul" check mixed.jsonl --ptx memory_basics.ptx --json
has 'mixed.jsonl:2: .*no kernel `nothing`'
json '[line["kernel"] for line in lines] == ["aos3", "nothing", "aos3"]'
json '"no kernel `nothing`" in lines[1]["error"] and not any("error" in line for line in lines[::2])'
want "its entries in files" 2 "$haul" check mixed.jsonl --ptx memory_basics.ptx --sarif log.sarif --junit log.xml
has '^2 launches: '
python3 "$root/tests/cli/sarif.py" log.sarif || fail "the SARIF log of a launch that cannot run is not as the standard has it"
grep -q '"executionSuccessful": false' log.sarif || fail "the SARIF log calls a run with a launch that cannot run successful"
grep -q '<testsuite name="haul check" tests="3" failures="0" errors="1"' log.xml || fail "the JUnit file does not count the error"
grep -q '<error type="cannot-run" message=".*no kernel `nothing`' log.xml || fail "the JUnit file does not say why"
sed 1q mixed.jsonl | sed 's/"aos3"/"nothing"/' >none.jsonl
want "nothing but a launch that cannot run" 2 "$haul" check none.jsonl --ptx memory_basics.ptx --junit log.xml
grep -q '<testsuite name="haul check" tests="1" failures="0" errors="1"' log.xml || fail "no JUnit file if nothing can run"

# --- a tensor store reads only what leads into its array: 24 of the box's 32 words ---

cat >send.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry send(.param .align 64 .b8 map[128], .param .u32 written, .param .u64 array)
{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<1>;
    .shared .align 128 .b8 tile[128];
    mov.u32 %r0, %tid.x;
    ld.param.u32 %r1, [written];
    mov.u32 %r2, tile;
    mad.lo.u32 %r3, %r0, 4, %r2;
    setp.lt.u32 %p0, %r0, %r1;
    @%p0 st.shared.u32 [%r3], %r0;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 ret;
    mov.b64 %rd0, map;
    mov.u32 %r4, 0;
    cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd0, {%r4}], [%r2];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
END
for written in 24 23; do
    echo '{"kernel":"send","grid":[1],"block":[32],"args":[{"tensor":"f32","of":2,"extent":[24],"pitch":[],"box":[32]},' \
        '{"u32":'$written'},{"buf":"zero","words":24}]}' >send.$written.jsonl
done
want "a box that is written as far as its array goes" 0 "$haul" check send.24.jsonl --ptx send.ptx
want "a box that lacks a word of the array" 1 "$haul" check send.23.jsonl --ptx send.ptx
has 'error: uninitialised-read in send'

# --- wrong use ---

echo 'aos3: sectors =< 4' >nonsense.txt
refuse 'nonsense.txt:1: expected one of' check aos3.jsonl --ptx memory_basics.ptx --expect nonsense.txt
refuse 'nonsense.txt:1: no finding is called `sectors`' check aos3.jsonl --ptx memory_basics.ptx --suppress nonsense.txt
refuse 'no finding is called `race-shred`: did you mean `race-shared`?' check aos3.jsonl --ptx memory_basics.ptx --ignore race-shred
refuse 'missing.txt: cannot be opened' check aos3.jsonl --ptx memory_basics.ptx --expect missing.txt
refuse '`high` is none of error, warning, advice' check aos3.jsonl --ptx memory_basics.ptx --grade high
refuse '`backwards` is none of' check aos3.jsonl --ptx memory_basics.ptx --schedule backwards
refuse 'kernels are checked on the virtual GPU' check aos3.jsonl --ptx memory_basics.ptx --device gpu:0
refuse 'cannot be written' check aos3.jsonl --ptx memory_basics.ptx --sarif nowhere/x.sarif --quiet
refuse 'no kernel `nothing`' check memory_basics.ptx --kernel nothing
sed 's/^__global__ void aos3/\/\/ haul: expect nonsense\n&/' memory_basics.cu >other.cu
grep -q 'expect nonsense' other.cu || sed '62s/$/ \/\/ haul: expect nonsense/' memory_basics.cu >other.cu
mv other.cu memory_basics.cu
refuse 'memory_basics.cu:6[0-9]: ' check aos3.jsonl --ptx memory_basics.ptx

# --- comments in CUDA source ---

if "$root/toolchain/cu2ptx" --find >/dev/null 2>&1; then
    cat >transpose.cu <<'END'
// haul: expect sectors/request <= 4
// haul: expect no findings
__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][WIDTH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x]; // haul: expect global_load sectors/request == 4
    __syncthreads();
    // haul: expect shared_load bank_conflicts == 0
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}
END
    set -- transpose.cu -k transpose -g 4,4 -b 32,32 -a buf:f01:16384 -a buf:zero:16384 -a i32:128
    want "a padded tile" 0 "$haul" check "$@" -D WIDTH=33
    has '; 4 of 4 expectations hold$'
    want "a tile without padding" 1 "$haul" check "$@" -D WIDTH=32
    has 'transpose.cu:8: failed: expected shared_load bank_conflicts == 0: 15872 measured in transpose, launch 0$'
    has '^  >      9 |     out\[(blockIdx.x'
else
    echo "no kernel compiler: comments in source are not tried"
fi

done_with "all as it has to be"
