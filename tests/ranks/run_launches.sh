#!/bin/sh
# haul compare, check and tune over 4 ranks print what one process prints. usage: run_launches.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/ranks/ranks.sh"
. "$1/tests/cli/results.sh"

same() { # CODE ARGUMENT...: standard output, and the files one.* and four.* that {} in an argument names
    code=$1
    shift
    for who in one four; do
        : >"$work/$who"
        set_of=$(printf '%s\n' "$@" | sed "s|{}|$work/$who|")
        oldIFS=$IFS
        IFS='
'
        if [ $who = one ]; then
            "$haul" $set_of >"$work/$who" 2>"$work/err"
        else
            ranks 4 "$haul" $set_of >"$work/$who" 2>"$work/err"
        fi
        ended=$?
        IFS=$oldIFS
        [ $ended -eq "$code" ] || return 1
    done
    for one in "$work"/one*; do cmp "$one" "$work/four${one#"$work/one"}" || return 1; done
    rm -f "$work"/one* "$work"/four*
}

truth=$1/tests/data/truth
head -n 24 "$truth/h100.jsonl" >"$work/launches.jsonl"
result 'compare' same 0 compare "$work/launches.jsonl" --ptx "$truth/memory_basics.ptx" --ptx "$truth/shared_and_async.ptx" --all
result 'compare --summary' same 0 compare "$work/launches.jsonl" --ptx "$truth/memory_basics.ptx" --ptx "$truth/shared_and_async.ptx" --summary --json

hazards=$1/tests/data/hazards
result 'check' same 1 check "$hazards/launches.jsonl" --ptx "$hazards/hazards.ptx" --sarif '{}.sarif' --junit '{}.junit'
head -n 12 "$hazards/launches.jsonl" >"$work/hazards.jsonl"
result 'check --witness' same 1 check "$work/hazards.jsonl" --ptx "$hazards/hazards.ptx" --witness --schedules 3 --json
result 'a kernel that is not there' same 2 check "$hazards/launches.jsonl" --ptx "$truth/memory_basics.ptx"

cat >"$work/scale.cu" <<'END'
#ifndef THREADS
#define THREADS 128
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
__global__ void __launch_bounds__(THREADS) scale(int n, const float *in, float *out) {
    for (int k = 0; k < ITEMS; k++) {
        int i = (blockIdx.x * ITEMS + k) * THREADS + threadIdx.x;
        if (i < n) out[i] = 2 * in[i];
    }
}
END
tunes() {
    set -- tune "$work/scale.cu" --device sim:h100 --kernel scale --block THREADS --grid 'ceil(65536, ITEMS * THREADS)' --arg i32:65536 \
        --arg buf:f01:65536 --arg buf:zero:65536 --try THREADS=64,128 --try ITEMS=1,2 --all --json
    "$haul" "$@" >"$work/tune1" 2>"$work/err" && ranks 4 "$haul" "$@" >"$work/tune4" 2>"$work/err"
}
result 'tune' tunes
result 'tune finds the same' python3 -c "
import json, sys
def parts(path):
    d = json.load(open(path))
    return [t for s in d['sections'] for t in s.get('tables', [])]
a, b = parts(sys.argv[1]), parts(sys.argv[2])
assert a and a == b" "$work/tune1" "$work/tune4"
exit $((failures > 0))
