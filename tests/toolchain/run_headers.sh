#!/bin/sh
# Random numbers, complex numbers, atomic objects and other functions of the headers, by every compiler that is installed: the kernels
# give what is written here, and haul check finds nothing. usage: run_headers.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/compilers.sh"
haul=$2/haul
tests=$root/tests/toolchain

# gives COMPILER FILE KERNEL THREADS WORDS EXPECTED [ARG...]: the kernel's first argument is a buffer of so many words,
# which holds what is expected when it ends.
gives() {
    what="$1: $3 of $2.cu" kernel=$3 threads=$4 words=$5 expected=$6
    file=$work/$2.ptx
    shift 6
    "$haul" check "$file" --device sim:h100 --kernel "$kernel" --block "$threads" --quiet "$@" \
        --arg "buf:zero:$words,out=$work/out" || { fail "$what: findings"; return; }
    found=$(od -An -v -td4 "$work/out" | tr -s ' \n' ' ' | sed 's/^ //;s/ $//')
    [ "$found" = "$expected" ] || fail "$what: $found"
}
zeros() {
    printf '0 %.0s' $(seq "$1") | sed 's/ $//'
}

for c in $compilers; do
    for file in random bounds atomic_objects; do
        "$cu2ptx" --compiler "$c" "$tests/$file.cu" -o "$work/$file.ptx" || fail "$c: $file.cu"
    done
    # The numbers of NVIDIA's library, and those that the authors of Philox published.
    gives "$c" random xorwow 2 8 \
        '789125713 -1138584182 1106748476 1206440693 922832079 -1383840529 958411265 1588285743'
    gives "$c" random philox 2 8 \
        '1158483830 1944096801 1539648582 -310745956 -1603579559 1449849309 1356490261 -708898769'
    gives "$c" random cipher 1 4 '1713891541 -513161843 -1135104948 -1694442536'
    gives "$c" random jumps 32 32 "$(zeros 32)"
    gives "$c" random distributions 64 3 '0 -7 996'
    gives "$c" bounds words 64 64 "$(zeros 64)" --arg buf:u32:192
    gives "$c" bounds halves 64 64 "$(zeros 64)" --arg buf:u32:192
    gives "$c" bounds barriers 64 64 "$(zeros 64)"
    gives "$c" atomic_objects objects 64 8 '189 1048575 64 0 189 1 7 -1'
    case $c in
    *nvcc*) ;; # its toolkit may be without the libraries
    *)
        "$cu2ptx" --compiler "$c" "$tests/libraries.cu" -o "$work/libraries.ptx" || fail "$c: libraries.cu"
        gives "$c" libraries complex_numbers 1 6 '-490 220 -40 402 5 0'
        ;;
    esac
    gives "$c" atomic_objects sums 64 65 "$(yes 2080 | head -n 65 | tr '\n' ' ' | sed 's/ $//')"
done
echo "checked:$compilers"
exit $((failures != 0))
