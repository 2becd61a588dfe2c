#!/bin/sh
# The output and the exit status of each command, on recorded launches and on source of a few lines.
#   run_commands.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"

cp "$truth"/*.ptx "$truth"/*.cu "$work"
grep '"aos3"' "$truth/h100.jsonl" | head -n 1 >"$work/aos3.jsonl"
cat >"$work/saxpy.cu" <<'END'
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
END

# --- help and version ---

want version 0 "$haul" --version
has '^haul [0-9]*\.[0-9]*\.[0-9]*$'
want help 0 "$haul" help
for command in lab replay compare profile check diagnose stream info; do
    has "^  $command "
done
for command in lab replay compare profile check diagnose stream info; do
    want "$command --help" 0 "$haul" $command --help
    has "^usage: haul $command"
    has '^  -d, --device NAME'
done
cp "$work/out" "$work/by_option"
want "help info" 0 "$haul" help info
cmp -s "$work/out" "$work/by_option" || fail "'haul help info' and 'haul info --help' differ"

# --- info ---

want info 0 "$haul" info
has '^sim:h100 .*NVIDIA H100 80GB HBM3 .*sm_90 '
has '^sim:h100 *132 '
has '^sim:rtx4090 *2 ' # copy engines
has '^sim:a100 '
has '^sim:v100 .*sm_70 '
has '^sim:t4 *40 *1,024 *16 '  # SMs; threads and blocks of an SM
has '^sim:v100 *6.00 MiB *0 B ' # nothing persists in its L2
grep '"async4"' "$truth/h100.jsonl" | head -n 1 >"$work/async4.jsonl"
want 'cp.async before sm_80' 2 "$haul" replay "$work/async4.jsonl" --ptx "$work/shared_and_async.ptx" --device sim:t4
has "'cp.async.*' needs sm_80 or later, but t4 is sm_75"
want "info --json" 0 "$haul" info --json
python3 -m json.tool "$work/out" >"$work/pretty" || fail "info --json is no JSON"
mkdir nvrtc && ln -s "$2/tests/lib/libnvrtc_mock.so" nvrtc/libnvrtc.so.13
want "info with NVRTC" 0 env LD_LIBRARY_PATH="$work/nvrtc" "$haul" info
has "^nvrtc *12[.]9 .*/libnvrtc"

# --- dynamic shared memory ---

printf '.version 7.5\n.target sm_80\n.address_size 64\n.visible .entry k() {\nret;\n}\n' >"$work/k.ptx"
want "48 KiB of dynamic shared memory" 0 "$haul" replay "$work/k.ptx" --kernel k --grid 1 --block 32 --smem 49152
grep -q opted_in "$work/out" && fail "48 KiB need no opt-in"
want "more than that" 0 "$haul" replay "$work/k.ptx" --kernel k --grid 1 --block 32 --smem 60000
has '"opted_in":true'
want "a profile of it" 0 "$haul" profile "$work/k.ptx" --kernel k --grid 1 --block 32 --smem 60000
has 'by opt-in: a program has'
want "more than the GPU has" 2 "$haul" replay "$work/k.ptx" --kernel k --grid 1 --block 32 --smem 240000
has 'sim:h100 allows 232448'

# --- diagnose ---

want diagnose 0 "$haul" diagnose sequential --bytes 4096 --align 16 --threads 256 --engine auto --stages 4 --device sim:h100
has '^Engine *bulk copy$'
has '^Sectors *128$'
has 'Nothing that was tried would make it faster'
want "diagnose on an A100" 0 "$haul" diagnose sequential --bytes 4096 --device sim:a100
has '^Engine *LDGSTS$'
want "diagnose strided" 0 "$haul" diagnose strided --count 64 --bytes 16 --shared-pitch 128 --global-pitch 512 --engine ldg
has '^\.\.\. by bank conflicts *56$'
has 'to 144 bytes instead of 128'
want "diagnose --run-time" 0 "$haul" diagnose sequential --bytes 16384 --align 4 --engine ldg --run-time
has "Make it constant"
want "diagnose indirect" 0 "$haul" diagnose indirect --count 4 --bytes 64 --index 9,2,2,7 --team warp
has '^\.\.\. and for indices *1$'
want "diagnose halo" 0 "$haul" diagnose halo --width 32 --height 16 --align 4 --at 0,0 --extent 64,64 --global-pitch 256
has '^\.\.\. outside the array *51$'
want "diagnose tile" 0 "$haul" diagnose tile --box 64x32 --global-pitch 16384 --add f32 --engine tensor
has '^Engine *tensor copy$'
want "diagnose --quiet" 0 "$haul" diagnose tile --box 64x32 --quiet
[ ! -s "$work/out" ] || fail "diagnose --quiet prints"
want "diagnose --json" 0 "$haul" diagnose sequential --bytes 4096 --align 4 --offset 4,4 --blocks 64 --json
python3 - "$work/out" <<'END' || fail "diagnose --json says something else"
import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not (d["machine"] == "h100" and d["engine"] == "LDGSTS" and d["limit"] == "bytes in flight" and not d["optimal"]
              and d["classes"]["LDGSTS (through L1)"]["requests"] == d["requests"] == 32
              and "grid" in [a["change"] for a in d["advice"]] and all(a["text"] for a in d["advice"])))
END

# --- replay ---

want replay 0 "$haul" replay "$work/aos3.jsonl" --ptx "$work/memory_basics.ptx" --device sim:h100
json 'len(lines) == 1 and lines[0]["kernel"] == "aos3"'
json 'lines[0]["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"] == 576'
cp "$work/out" "$work/replayed"
python3 - "$work/aos3.jsonl" "$work/replayed" <<'END' || fail "replay changes what the line says"
import json, sys
before, after = (json.load(open(path)) for path in sys.argv[1:])
sys.exit(any(before[key] != after[key] for key in ("id", "kernel", "grid", "block", "smem", "args", "file")))
END
want "replay on one thread" 0 "$haul" replay "$work/aos3.jsonl" --ptx "$work/memory_basics.ptx" --device sim:h100 --threads 1
cmp -s "$work/out" "$work/replayed" || fail "one thread gives other results than many"
want "replay of what was printed" 0 "$haul" replay "$work/replayed" --ptx "$work/memory_basics.ptx" --device sim:h100
cmp -s "$work/out" "$work/replayed" || fail "a replayed line gives other results"
want "replay --quiet" 0 "$haul" replay "$work/aos3.jsonl" --ptx "$work/memory_basics.ptx" --quiet
[ ! -s "$work/out" ] || fail "replay --quiet prints"
want "replay on b200" 0 "$haul" replay "$work/aos3.jsonl" --ptx "$work/memory_basics.ptx" --device sim:b200
json 'lines[0]["args"][1]["after"] == "'"$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["args"][1]["after"])' "$work/aos3.jsonl")"'"'

# --- a launch of options, buffers to files and from them ---

want "replay --kernel" 0 "$haul" replay "$work/memory_basics.ptx" --kernel copy_int2 --grid 2 --block 32 \
    --arg buf:iota:128:5,out="$work/first.bin" --arg buf:zero:128,out="$work/second.bin"
cmp -s "$work/first.bin" "$work/second.bin" || fail "the copy differs from what was copied"
json 'lines[0]["grid"] == [2, 1, 1] and lines[0]["args"][0]["seed"] == 5'
want "replay of a file" 0 "$haul" replay --ptx "$work/memory_basics.ptx" -k copy_int2 -g 2 -b 32 \
    -a buf:file="$work/first.bin" -a buf:poison:128,out="$work/third.bin"
cmp -s "$work/first.bin" "$work/third.bin" || fail "the copy of a file differs from it"

# A gather by buf:perm:N: every lane has a sector of its own, or nearly.
cat >gather.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry gather(.param .u64 out, .param .u64 in, .param .u64 indices)
{
    .reg .b64 %rd<8>;
    .reg .b32 %r<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.u64 %rd3, [indices];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.u64 %rd5, %rd3, %rd4;
    ld.global.u32 %r2, [%rd5];
    mul.wide.u32 %rd6, %r2, 4;
    add.u64 %rd6, %rd2, %rd6;
    ld.global.u32 %r3, [%rd6];
    add.u64 %rd7, %rd1, %rd4;
    st.global.u32 [%rd7], %r3;
    ret;
}
END
for fill in perm:4096 shuffle:4096:7 index:4096 index:256,below=4K; do
    want "a gather by $fill" 0 "$haul" replay gather.ptx -k gather -g 1 -b 256 -a buf:zero:256 -a buf:u32:4096 -a buf:$fill --device sim
    json '8 * 4 + 8 * 29 < lines[0]["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"] <= 8 * 4 + 8 * 32'
done

want "profile --json" 0 "$haul" profile aos3.jsonl --ptx memory_basics.ptx --device sim:h100 --json
cp "$work/out" profiled.jsonl
want "replay of what profile printed" 0 "$haul" replay profiled.jsonl --ptx memory_basics.ptx --device sim:h100

# --- compare ---

want compare 0 "$haul" compare "$truth/h100.jsonl" --device sim:h100 --ptx "$work/memory_basics.ptx" \
    --ptx "$work/shared_and_async.ptx"
tail -n 1 "$work/out" >"$work/last"
grep -q '^exact: [0-9]* of [0-9]* pairs ([0-9.]*%), outputs: 154 of 154 launches bit-identical$' "$work/last" ||
    fail "compare ends with: $(cat "$work/last")"
has '^close: [0-9]* of [0-9]* pairs ([0-9.]*%)$'
has '^not zero: exact 1[0-9]* of 1[0-9]* pairs ([0-9.]*%), close [0-9]* of [0-9]* pairs ([0-9.]*%)$'
want "compare --all" 0 "$haul" compare "$work/aos3.jsonl" --all --device sim:h100 --ptx "$work/memory_basics.ptx"
has '^agrees  [0-9]* aos3: inst_global_ld: 48 recorded, 48 here (exact)$'
sed 's/"after":"[0-9a-f]*"/"after":"0123456789abcdef"/' "$work/aos3.jsonl" >"$work/wrong.jsonl"
want "compare with enough" 0 "$haul" compare "$work/aos3.jsonl" --device sim:h100 --ptx "$work/memory_basics.ptx" \
    --at-least exact=100% --at-least close=98.5%
has '^exact: 25 of 25 pairs'
sed 's/"inst_global_ld":48/"inst_global_ld":47/' "$work/aos3.jsonl" >"$work/few.jsonl"
want "compare with too few" 1 "$haul" compare "$work/few.jsonl" --device sim:h100 --ptx "$work/memory_basics.ptx" \
    --at-least exact=99.5%
has '^below: exact: 24 of 25 agree (96.00%), at least 99.5% should$'
want "compare with a number" 0 "$haul" compare "$work/few.jsonl" --quiet --device sim:h100 --ptx "$work/memory_basics.ptx" \
    --at-least exact=24
want "compare with a larger one" 1 "$haul" compare "$work/few.jsonl" --json --device sim:h100 --ptx "$work/memory_basics.ptx" \
    --at-least exact=25 --at-least close=1
json 'lines[-1]["below"] == ["exact"] and lines[-1]["exact"] == {
    "agreeing": 24, "pairs": 25, "nonzero_agreeing": 6, "nonzero_pairs": 7}'
for wrong in exact exact= exakt=1 exact=101% exact=1.5 exact=-1 exact=nan% exact=1%% =1 close=x; do
    refuse "^haul compare: --at-least: .$wrong. is not understood: write exact=" compare "$work/aos3.jsonl" \
        --ptx "$work/memory_basics.ptx" --at-least "$wrong"
done
want "compare with other outputs" 1 "$haul" compare "$work/wrong.jsonl" --device sim:h100 --ptx "$work/memory_basics.ptx"
has 'outputs: 0 of 1 launches bit-identical$'
has '^below: outputs: 0 of 1 agree (0.00%), at least 100% should$'
want "compare with other outputs, which may be" 0 "$haul" compare "$work/wrong.jsonl" --device sim:h100 \
    --ptx "$work/memory_basics.ptx" --at-least outputs=0
want "compare --summary" 0 "$haul" compare "$truth/h100.jsonl" --summary --device sim:h100 --ptx "$work/memory_basics.ptx" \
    --ptx "$work/shared_and_async.ptx"
has '^inst_global_ld  *exact  *123  *123  *123  *-  *-$'
has '^inst_executed  *info  *154  *[0-9]*  *[0-9.]*%  *[0-9.]*%$'
has '^exact: [0-9]* of [0-9]* pairs'
sed 's/"inst_global_ld":48/"inst_global_ld":40/; s/}}$/},"us":3.5}/' "$work/aos3.jsonl" >"$work/timed.jsonl"
want "compare --summary with a time" 0 "$haul" compare "$work/timed.jsonl" --summary --device sim:h100 --ptx "$work/memory_basics.ptx"
has '^inst_global_ld  *exact  *1  *0  *0  *20.0%  *20.0%$'
has 'Recorded times.*Mean error'
want "compare --summary --json" 0 "$haul" compare "$work/timed.jsonl" --summary --json --device sim:h100 \
    --ptx "$work/memory_basics.ptx"
json 'len(lines) == 1 and lines[0]["times"][0]["us"] == 3.5 and [c["differences"] for c in lines[0]["counters"] if
    c["counter"] == "inst_global_ld"] == [[{"id": lines[0]["times"][0]["id"], "kernel": "aos3", "low": 40, "high": 40,
    "ours": 48, "error": 0.2, "agrees": False}]]'
want "compare --json" 1 "$haul" compare "$work/wrong.jsonl" --json --device sim:h100 --ptx "$work/memory_basics.ptx"
json 'lines[0]["outputs_identical"] is False and lines[-1]["outputs"] == {"identical": 0, "launches": 1}'

# --- profile ---

want profile 0 "$haul" profile aos3.jsonl --ptx memory_basics.ptx --device sim:h100 --html profile.html
has '^Global Load  *48  *48  *54  *576  *12.00  *4.00  *66.7%  *18.00 KiB  *192$'
has '^L1/TEX Load '
has '^Device Memory '
has '^Theoretical Occupancy '
has '^memory_basics.cu:62 .*in\[3 \* i\] + in\[3 \* i + 1\]'
has 'lanes lie 12 bytes apart'
if command -v xmllint >/dev/null; then
    xmllint --noout profile.html || fail "the page is not well-formed"
fi
grep -q 'src=\|url(\|fetch(' profile.html && fail "the page fetches something"
want "profile --json" 0 "$haul" profile aos3.jsonl --ptx memory_basics.ptx --device sim:h100 --json
json 'lines[0]["advice"][0]["kind"] == "array-of-structures" and lines[0]["advice"][0]["line"] == 62'
json 'lines[0]["tables"]["l1tex"][0]["sectors_per_request"] == 12'
cd / || exit 1

# --- CUDA source, from any folder ---

if "$root/toolchain/cu2ptx" --find >/dev/null 2>&1; then
    want "profile of source" 0 "$haul" profile "$work/saxpy.cu" --kernel saxpy --grid 256 --block 256 --arg i32:65536 \
        --arg f32:1.5 --arg buf:f01:65536 --arg buf:f01:65536:7 --device sim:a100
    has '^== saxpy$'
    has '^Global Load  *4,096  *4,096  *4,096  *16,384  *4.00'
    has '^saxpy.cu:3 '
    cat >"$work/main.cu" <<'END'
extern __device__ float slope;
__device__ float line(float x);
__global__ void draw(float *y) { y[threadIdx.x] = line(threadIdx.x) + slope; }
END
    cat >"$work/line.cu" <<'END'
__device__ float slope = 2;
__device__ float line(float x) { return slope * x; }
END
    want "profile of sources that are linked" 0 "$haul" profile "$work/main.cu" "$work/line.cu" --link --kernel draw --grid 1 \
        --block 32 --arg buf:zero:32 --device sim:a100
    has '^main.cu:3 '
    has '^line.cu:2 '
    want "a source that lacks another" 2 "$haul" profile "$work/main.cu" "$work/main.cu" --link --kernel draw --device sim:a100
else
    echo "no kernel compiler: source is not tried"
fi

done_with "all as it has to be"
