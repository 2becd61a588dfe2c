#!/bin/sh
# Constant descriptors fold: the PTX of fold.cu has the fewest and widest accesses, no local memory, no divisions, no
# branch or loop that is left over; the assembler, if there is one, spills nothing. With every compiler that is
# installed. usage: run_fold.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
tests=$root/tests/device

# Prints what of $work/found is not as fold.expected has it.
compare() {
    awk '
        /^#/ { next }
        NR == FNR { expected[$1] = $0; next }
        { seen[$1] = 1 }
        $4 > 0 { print $1 ": uses local memory" }
        $5 > 0 { print $1 ": divides" }
        !($1 in expected) { print $1 ": not in fold.expected"; next }
        {
            split(expected[$1], e, " ")
            if (e[2] == "-") next
            if ($2 > e[2] + 0) print $1 ": " $2 " branches, not " e[2]
            if ($3 != e[3]) print $1 ": " $3 " loops, not " e[3]
            moves = ""
            for (i = 6; i <= NF; i++) moves = moves " " $i
            wanted = expected[$1]
            sub(/^[^ ]+ [^ ]+ [^ ]+/, "", wanted)
            if (moves != wanted) print $1 ":" moves ", not" wanted
        }' "$tests/fold.expected" "$work/found"
}

folds() { # compiler, architecture
    "$cu2ptx" --no-lineinfo --compiler "$1" --arch "sm_$2" "$tests/fold.cu" -o "$work/fold.ptx" 2>"$work/log" || {
        cat "$work/log"
        fail "$1 sm_$2: does not compile"
        return
    }
    awk -f "$tests/fold.awk" "$work/fold.ptx" >"$work/found"
    compare >"$work/wrong"
    [ -s "$work/found" ] || fail "$1 sm_$2: no kernels"
    [ -s "$work/wrong" ] && { cat "$work/wrong"; fail "$1 sm_$2"; }
    command -v ptxas >/dev/null 2>&1 || return
    ptxas -v -arch="sm_$2" "$work/fold.ptx" -o "$work/fold.cubin" >"$work/log" 2>&1 || {
        grep -v '^ptxas info' "$work/log"
        fail "$1 sm_$2: ptxas"
    }
    grep -E '[1-9][0-9]* bytes (stack frame|spill)' "$work/log" && fail "$1 sm_$2: the assembler spills"
    command -v cuobjdump >/dev/null 2>&1 || return
    cuobjdump -sass "$work/fold.cubin" | grep -E '(LDL|STL)[. ]' && fail "$1 sm_$2: machine code uses local memory"
}

for compiler in $compilers; do
    for arch in 80 90; do folds "$compiler" "$arch"; done
done
echo "folded by$compilers; $failures failed"
[ "$failures" -eq 0 ]
