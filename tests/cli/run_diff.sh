#!/bin/sh
# haul diff: sources, records, launch files, git revisions, baselines, limits, bad input.
#   run_diff.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"
"$root/toolchain/cu2ptx" --find >/dev/null 2>&1 || { echo "skipped: no kernel compiler"; exit 77; }

cat >common.h <<'END'
__device__ inline float twice(float x) { return x + x; }
END
cat >k.cu <<'END'
#include "common.h"
// Multiplies and adds.
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void reverse(float *x) {
    __shared__ float s[256];
    s[threadIdx.x] = twice(x[threadIdx.x]);
    __syncthreads();
    x[threadIdx.x] = s[255 - threadIdx.x];
}
END
cat >launches.jsonl <<'END'
{"kernel":"saxpy","grid":[8,1,1],"block":[256,1,1],"args":[{"i32":2048},{"f32":1.5},{"buf":"f01","words":2304},{"buf":"f01","words":2304,"seed":3}]}
{"kernel":"reverse","grid":[1,1,1],"block":[256,1,1],"args":[{"buf":"f01","words":256}]}
END
saxpy="--kernel saxpy --grid 8 --block 256 --arg i32:2048 --arg f32:1.5 --arg buf:f01:2304 --arg buf:f01:2304:3"
cp k.cu old.cu
# Comments alone; one sector a request more; a race.
sed -e 's|^    int i|    // The index,\n    /* in all\n       blocks. */\n&|' -e 's|y\[i\];|& // done|' old.cu >comments.cu
sed 's|x\[i\] + y|x[i + 1] + y|' comments.cu >worse.cu
grep -v __syncthreads old.cu >race.cu

# silent WHAT COMMAND...: status 0 and no output.
silent() {
    what=$1
    shift
    want "$what" 0 "$@"
    [ ! -s out ] || fail "$what: prints $(head -c 500 out)"
}

# --- two sources ---

silent "comments in two sources" "$haul" diff old.cu comments.cu launches.jsonl --fail-on 'sectors>0'
want "a line that got worse" 1 "$haul" diff old.cu worse.cu $saxpy --fail-on 'sectors/request>0' --fail-on 'sectors<0'
has '^== saxpy$'
has '^l1tex__t_sectors_pipe_lsu_mem_global_op_ld  *512 *576 *+12.5%$'
has '^worse.cu:8 *Global Load *sectors/request *4.00 *4.50 *+12.5% *if (i < n) y\[i\] = a \* x\[i + 1\] + y\[i\];$'
has '^worse.cu:8: saxpy: sectors/request grew from 4.00 to 4.33 (+8.3%): more than --fail-on .sectors/request>0. allows'
cat >two.cu <<'END'
extern "C" __global__ void dense(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }
extern "C" __global__ void strided(const float *x, float *y) { y[threadIdx.x] = x[2 * threadIdx.x]; }
END
want "two kernels of one file" 1 "$haul" diff two.cu --kernel dense --kernel strided --block 32 --grid 1 --arg buf:f01:64 \
    --arg buf:zero:32 --fail-on 'sectors/request>0'
has '^two.cu:2: strided: sectors/request grew from 4.00 to 6.00'
want "a new finding" 1 "$haul" diff old.cu race.cu launches.jsonl --check --fail-on 'findings>0'
has '^race.cu:[0-9]*: reverse: new finding race-shared'

# --- records ---

"$haul" profile old.cu $saxpy --device sim --json >old.jsonl
"$haul" profile worse.cu $saxpy --device sim --json >worse.jsonl
"$haul" replay old.cu $saxpy --device sim >replay.jsonl
silent "a record and itself" "$haul" diff old.jsonl old.jsonl
silent "a record and its source" "$haul" diff old.jsonl comments.cu $saxpy
want "two records" 1 "$haul" diff old.jsonl worse.jsonl --fail-on 'sectors>2%'
has '^worse.cu:8: saxpy: sectors grew from 768 to 832 (+8.3%): more than'
want "a change within the limit" 0 "$haul" diff old.jsonl worse.jsonl --fail-on 'sectors>9%' --fail-on 'l1_hit<5' \
    --html page.html
grep -q '<td[^>]*>worse.cu:8' page.html || fail "the page does not have the line"
grep -q 'src=\|<link\|url(' page.html && fail "the page fetches something"
want "the change as JSON" 1 "$haul" diff old.jsonl worse.jsonl --json --fail-on 'global_load sectors>10%'
json 'lines[0]["launches"][0]["lines"][0]["before"] == 5 and lines[0]["launches"][0]["lines"][0]["after"] == 8'
json 'lines[0]["failed"][0]["line"] == 8 and lines[0]["failed"][0]["kernel"] == "saxpy"'
want "--quiet" 1 "$haul" diff old.jsonl worse.jsonl --quiet --fail-on 'sectors>0'
[ ! -s out ] || fail "--quiet prints"
want "other results" 1 "$haul" diff old.jsonl worse.jsonl --fail-on 'outputs>0'
want "records without lines" 1 "$haul" diff replay.jsonl worse.jsonl --fail-on 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld>0'
"$haul" lab strides --out h100 --quiet --device sim:h100
"$haul" lab strides --out a100 --quiet --device sim:a100
silent "a report and itself" "$haul" diff h100/lab.json h100/lab.json
want "two reports" 1 "$haul" diff h100/lab.json a100/lab.json --fail-on 'throughput>0'

# --- launch files ---

sed 's/"grid":\[8/"grid":[4/; s/"words":2304/"words":1280/g' launches.jsonl >half.jsonl
want "two launch files" 0 "$haul" diff launches.jsonl half.jsonl --ptx k.cu
has '^4 blocks of 256 threads; before 8 blocks of 256 threads.$'
has '^inst_global_ld *128 *64 *-50.0%$'

# --- a baseline ---

want "--update" 0 "$haul" diff --baseline base.json launches.jsonl --ptx k.cu --check --update
silent "the baseline and its source" "$haul" diff --baseline base.json launches.jsonl --ptx k.cu
cp base.json first.json
cp comments.cu k.cu
silent "the baseline and comments" "$haul" diff --baseline base.json launches.jsonl --ptx k.cu
want "--update after comments" 0 "$haul" diff --baseline base.json launches.jsonl --ptx k.cu --check --update
cmp -s base.json first.json || fail "a comment changes the baseline"
cp worse.cu k.cu
want "the baseline and a line that got worse" 1 "$haul" diff --baseline base.json launches.jsonl --ptx k.cu
has '^k.cu:8: saxpy: sectors grew from 768 to 832'
cp race.cu k.cu
want "the baseline and a race" 1 "$haul" diff --baseline base.json launches.jsonl --ptx k.cu
has 'new finding race-shared'
cp old.cu k.cu
head -n 1 launches.jsonl >one.jsonl
want "a launch that is gone" 1 "$haul" diff --baseline base.json one.jsonl --ptx k.cu
has '^reverse: 1 block of 256 threads: is in the baseline, but was not launched'

# --- a revision ---

if command -v git >/dev/null; then
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null TMPDIR="$work/tmp"
    mkdir -p repository/sub tmp
    cp common.h k.cu launches.jsonl repository/sub
    cd repository || exit 1
    git init -q . && git add -A && git -c user.name=n -c user.email=e commit -q -m first || fail "git does not work here"
    cd sub || exit 1
    silent "the same revision" "$haul" diff --rev HEAD launches.jsonl --ptx k.cu
    cp "$work/comments.cu" k.cu
    silent "a revision and comments" "$haul" diff --rev HEAD launches.jsonl --ptx k.cu
    cp "$work/worse.cu" k.cu
    want "a revision and a line that got worse" 1 "$haul" diff --rev HEAD launches.jsonl --ptx k.cu --fail-on 'sectors>2%'
    has '^k.cu:8: saxpy: sectors grew from 768 to 832'
    cp "$work/old.cu" k.cu
    sed -i 's/x + x/x * x + 3/' common.h
    cd "$work" || exit 1
    want "an included file that changed" 0 "$haul" diff --rev HEAD repository/sub/launches.jsonl --ptx repository/sub/k.cu
    has '^== reverse$'
    grep -q '^== saxpy' "$work/out" && fail "saxpy does not use the included file"
    refuse 'there is no such revision' diff --rev none repository/sub/k.cu $saxpy
    refuse 'new.cu: is not in HEAD' diff --rev HEAD repository/sub/k.cu --ptx repository/new.cu $saxpy
    git -C repository status --porcelain | grep -qv '^ M' && fail "haul changed the repository"
    [ -z "$(ls tmp)" ] || fail "temporary files stay: $(ls tmp)"
fi

# --- bad input ---

refuse 'two files to compare' diff
refuse 'two files to compare' diff k.cu
refuse 'two files to compare' diff old.jsonl old.jsonl old.jsonl
refuse 'no such file: none.cu' diff none.cu k.cu --kernel saxpy
refuse 'no launches given' diff k.cu old.cu
refuse 'no kernel .nope.' diff k.cu old.cu --kernel nope
refuse 'has no results to compare with' diff k.cu launches.jsonl
refuse 'needs --baseline' diff --update k.cu
refuse 'there is no such baseline' diff --baseline none.json k.cu $saxpy
refuse 'is not a baseline' diff --baseline launches.jsonl k.cu $saxpy
refuse 'is a baseline of sim:h100' diff --baseline base.json --device sim:a100 launches.jsonl --ptx k.cu
refuse 'give one of them' diff --baseline base.json --rev HEAD k.cu
refuse 'is not understood' diff old.jsonl old.jsonl --fail-on sectors
refuse 'did you mean sectors' diff old.jsonl old.jsonl --fail-on 'sektors>1'
refuse 'needs the traffic of source lines' diff replay.jsonl replay.jsonl --fail-on 'sectors>1'
refuse 'must be checked: add --check' diff old.jsonl old.jsonl --fail-on 'findings>0'
refuse 'cannot be written' diff old.jsonl old.jsonl --html none/page.html
printf '{"kernel":"k","counters":{}}\n{"kernel":' >cut.jsonl
refuse 'cut.jsonl: launch 2 has no results' diff old.jsonl cut.jsonl

done_with "versions are compared by kernel and line"
