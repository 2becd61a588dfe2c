#!/bin/sh
# Programs for CudaDMA compile with haul/cudadma.h and do what they did, without findings; wrong ones are refused, as
# cudadma_wrong.expected has it. With every compiler that is installed. usage: run_cudadma.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
tests=$root/tests/device
haul=$2/haul

arguments='{"buf":"u32","words":16384},{"buf":"zero","words":16384},{"buf":"shuffle","words":64},{"i32":2100},{"i32":24}'

# All kernels that are right, in one run.
right() {
    sed -n 's/^KERNEL(\([a-z0-9_]*\)).*/\1/p' "$tests/cudadma.cu" | grep -v '^wrong' >"$work/kernels"
    awk -v arguments="$arguments" \
        '{ printf "{\"id\":%d,\"kernel\":\"%s\",\"grid\":[1],\"block\":[192],\"args\":[%s]}\n", NR, $1, arguments }' \
        "$work/kernels" >"$work/launches.jsonl"
    timeout 120 "$haul" check "$work/launches.jsonl" --ptx "$work/cudadma.ptx" --device "sim:a100" >"$work/said" 2>&1 ||
        { head -20 "$work/said"; fail "$compiler: findings"; }
}

launch() { # kernel, bytes
    timeout 60 "$haul" check "$work/cudadma.ptx" --device "sim:a100" --kernel "$1" --grid 1 --block 192 \
        --arg buf:u32:16384 --arg buf:zero:16384 --arg buf:shuffle:64 --arg "i32:$2" --arg i32:24 >"$work/said" 2>&1
}

wrong() { # kernel, bytes, what is said
    launch "$1" "$2" && fail "$compiler: $1 passes"
    grep -q -e "$3" "$work/said" || { head -5 "$work/said"; fail "$compiler: $1 does not say: $3"; }
}

# Code that the compiler refuses.
messages() {
    : >"$work/said"
    sed -n "s/^#.*PART == //p" "$tests/cudadma_wrong.cu" >"$work/parts"
    while read -r part; do
        "$cu2ptx" --compiler "$compiler" --arch sm_80 -D "PART=$part" "$tests/cudadma_wrong.cu" -o "$work/none.ptx" \
            </dev/null >>"$work/said" 2>&1 && fail "$compiler: part $part compiles"
    done <"$work/parts"
    while IFS= read -r line; do
        grep -qF "$line" "$work/said" || fail "$compiler does not say: $line"
    done <"$tests/cudadma_wrong.expected"
}

for compiler in $compilers; do
    messages
    "$cu2ptx" --compiler "$compiler" --arch sm_80 "$tests/cudadma.cu" -o "$work/cudadma.ptx" || {
        fail "$compiler: does not compile"
        continue
    }
    right
    wrong wrong_transfer 0 'haul: wrong byte'
    wrong wrong_wait 0 'error: race'
    wrong wrong_id 8 'haul: a dmaID is 0 to 7'
done
echo "$(wc -l <"$work/kernels") kernels and $(wc -l <"$tests/cudadma_wrong.expected") messages by$compilers; $failures failed"
[ "$failures" -eq 0 ]
