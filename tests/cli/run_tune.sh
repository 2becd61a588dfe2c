#!/bin/sh
# haul tune on a virtual GPU: variants are compiled, verified and ranked by estimate. usage: run_tune.sh SOURCE_ROOT BUILD
set -u
"$1/toolchain/cu2ptx" --find >/dev/null 2>&1 || { echo "no compiler of CUDA source"; exit 77; }
. "$1/tests/cli/results.sh"

tune() { exits_with 0 "$haul" tune --device sim:h100 "$@"; }
says() { # what, then arguments that are wrong
    what=$1
    shift
    exits_with 2 "$haul" tune --device sim:h100 "$@" && one_line "$work/err" && grep -q "$what" "$work/err"
}
own() { tune "$work/scale.cu" --kernel scale --arg i32:4096 --arg buf:f01:4096 --grid 'ceil(4096, THREADS)' --block THREADS "$@"; }

cat >"$work/scale.cu" <<'CU'
extern "C" __global__ void scale(int n, float *x) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n - (THREADS == 256)) x[i] *= 2.0f;
}
CU
# Variants of every shipped kernel compile with what another value of each constant is, and are right.
result 'lists the shipped kernels' tune --list
result 'a shipped kernel is tuned' tune saxpy.paced --try SAXPY_PACED_THREADS=256,512 --size 16K --out "$work/all"
result 'and its constants become a header' grep -q '#define SAXPY_PACED_THREADS [0-9]' "$work/all/tuned.h"
result 'which says how it came about' grep -q ' haul tune --device sim:h100 .*saxpy.paced' "$work/all/tuned.h"
result 'and a chart' grep -q '<svg' "$work/all/saxpy.paced.svg"
result 'and JSON' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
rows = d["sections"][0]["tables"][0]["rows"]
sys.exit(not (d["facts"]["numbers"].startswith("simulated") and len(rows) == 3 and all(r["us"] > 0 for r in rows)))' \
    "$work/all/tune.json"
result 'a kernel of one'"'"'s own is tuned' own --try THREADS=64,128,256 --header "$work/mine.h"
result 'and what is wrong does not win' grep -q 'define THREADS \(64\|128\)' "$work/mine.h"
result 'and is told' own --try THREADS=64,256 --all
result 'with its reason' grep -q 'wrong: its results differ' "$work/out"
cat >"$work/forms.cu" <<'CU'
template <int N, class T> __global__ void scale(int n, T *x) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) x[i] *= N;
}
template __global__ void scale<2, float>(int, float *);
template __global__ void scale<3, float>(int, float *);
CU
forms() { "$@" "$work/forms.cu" --arg i32:4096 --arg buf:f01:4096 --grid 'ceil(4096, THREADS)' --block THREADS --try THREADS=64,128; }
result 'an instance of a template is tuned' forms tune --kernel 'scale<2, float>'
result 'and what several are called is refused' forms says '`scale` is the name of 2 kernels' --kernel scale
result 'too many threads are not compiled' own --try THREADS=64,2048 --all
result 'but refused' grep -q 'refused: a block has at most 1024 threads' "$work/out"
result 'an unknown kernel is named with its neighbour' says 'did you mean saxpy?' saxpi
result 'nothing named' says 'what is to be tuned' --quiet
result 'nothing to tune' says 'nothing to tune' "$work/scale.cu" --kernel scale --try THREADS=64
result 'an unknown constant' says 'did you mean SAXPY_PACED_THREADS' saxpy.paced --try SAXPY_PACED=1,2
result 'no compiler' says 'compiler not found' saxpy.paced --compiler none
result 'nothing that compiles' says 'none of 2 variants could be timed; the first: not compiled' "$work/scale.cu" --kernel scale \
    --try TREADS=1,2
exit $((failures > 0))
