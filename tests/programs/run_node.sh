#!/bin/sh
# Kernels on two devices that hand data over by flags (node.cu), and the example halo2: `haul check` finds each defect, and
# nothing in the right ones. usage: run_node.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
root=$1 program=$work/node halo=$work/halo2
[ -e "$2/standin" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }
"$root/toolchain/cu2ptx" --compiler clang --find >/dev/null 2>&1 || { echo "skipped: clang is not installed"; exit 77; }

says() { grep -qe "$1" "$work/err"; }
gives() { [ "$(cat "$work/out")" = "$1" ]; }
compiles() { # SOURCE PROGRAM [OPTION]
    "$haul" cc -std=c++17 ${3-} -I"$root/include" "$root/$1" -o "$2" >"$work/log" 2>&1
}
found() { # DEFECT KIND KERNEL
    result "$1: found" exits_with 1 "$haul" check --device sim:h200x2 -- "$program" "$1"
    result "$1: in its kernel" says "error: $2 in $3, launch"
}

result 'haul cc compiles the kernels' compiles tests/programs/node.cu "$program"
result 'nothing is found in the right ones' exits_with 0 "$haul" check --device sim:h200x2 -- "$program" right
result 'and the sums are right' gives 1633920
# Each of three rounds sends 256 words and a flag, which takes a sector.
result 'a profile counts what a kernel sends to its peer' exits_with 0 \
    "$haul" profile --json --device sim:h200x2 -- "$program" right
result 'sector by sector' says '"nvltx__bytes_data_user":3168'
found fence race-peers pull
found release scope-too-narrow push
found acquire race-peers pull
found reuse race-peers push
found atomic scope-too-narrow push
found plain race-peers pull
found free use-after-free read_late

for sm in 80 90; do
    result "sm_$sm: haul cc compiles transfers" compiles tests/programs/node_transfers.cu "$work/transfers" -arch=sm_$sm
    result "sm_$sm: four devices give each other tiles" exits_with 0 "$haul" check --device sim:h200x4 -- "$work/transfers"
    result "sm_$sm: which are right" gives ok
done
result 'haul cc compiles the example' compiles examples/programs/halo2.cu "$halo"
result 'it runs on two devices' exits_with 0 "$haul" check --device sim:h200x2 -- "$halo" 2000 5
result 'and is right' gives ok
# It compares the bits of one, two and four devices.
result 'haul cc compiles the stencil' compiles bench/stencil_node.cu "$work/stencil" -arch=sm_90
result 'four devices exchange the borders of both sides' exits_with 0 "$haul" check --device sim:h200x4 -- "$work/stencil" 64 2
exit $((failures > 0))
