#!/bin/sh
# Twenty kernels as users bring them, launched from the command line: arguments of every type, structures by value, typed
# buffers. usage: run_arguments.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
ptx=$work/brought.ptx

# Whether a kernel leaves these numbers at the beginning of the buffer that is its last argument.
leaves() { # KERNEL TYPE "NUMBERS" OPTION...
    kernel=$1 type=$2 numbers=$3
    shift 3
    "$haul" replay -q "$ptx" --kernel "$kernel" --block 4 "$@" --arg "buf:zero:16,out=$work/bytes" && holds
}

# The type is one of od's.
holds() {
    # shellcheck disable=SC2086
    set -- $numbers
    [ "$(od -An -v -t "$type" "$work/bytes" | xargs | cut -d' ' -f"1-$#")" = "$numbers" ]
}

refuses() { # "PART OF THE MESSAGE" KERNEL OPTION...
    part=$1 kernel=$2
    shift 2
    exits_with 2 "$haul" replay -q "$ptx" --kernel "$kernel" --block 4 "$@" && one_line "$work/err" && grep -qF -- "$part" "$work/err"
}

result 'the kernels compile' "$1/toolchain/cu2ptx" "$1/tests/data/arguments/brought.cu" -o "$ptx"

result 'i8, u8, i16, u16' leaves narrow d4 '59402 59402' --arg i8:-128 --arg u8:255 --arg i16:-6260 --arg u16:65535
result 'i64, u64, u32' leaves wide u8 '18446744069414584319 18446744069414584319' \
    --arg i64:1 --arg u64:18446744065119617025 --arg u32:4294967295
result 'bool' leaves truth d4 '12 12' --arg bool:true --arg bool:0
result 'f16, and a buffer of it' leaves half_scale f4 '-4.5 -4.5' --arg f16:1.5 --arg buf:f16:16,value=-3
result 'bf16, and a buffer of it' leaves bfloat_scale f4 '6 6' --arg bf16:2 --arg buf:bf16:16,value=3
result 'f64, and a buffer of it' leaves doubles f8 '0.75 0.75' --arg f64:0.1 --arg buf:f64:16,value=7.5
result 'float2' leaves offset f4 '3 4 3 4' --arg f32x2:1,2 --arg buf:f32:32,value=2
result 'uchar4 and float4' leaves colour f4 '1 4 9 16' --arg u8x4:1,2,3,4 --arg f32x4:1,2,3,4
result 'short3 and int3' leaves short_vector d4 '4321 4321' --arg i16x3:1,2,3 --arg i32x3:0,0,4
result 'a view: a pointer, sizes and a pitch' leaves sum_row f4 '16 16 16 16' \
    --arg 'struct:{data=buf:f32:64,value=2,rows=i32:4,columns=i32:8,pitch=i64:16}'
result 'padding between fields' leaves mixed f8 '-0.5 -0.5' --arg 'struct:{i8:3 f64:2.5 bool:true i16:-1}'
result 'an array in a structure' leaves smooth f4 '6 6' --arg 'struct:{weights=f32[5]:1,2,3,4,5,taps=i32:3}' --arg buf:f32:16,value=1
result 'padding up to the alignment of the parameter' leaves aligned d4 '321 321' --arg 'struct:{i32:1,i32:2,i32:3}'
result 'bytes' leaves bits f4 '1 1' --arg bytes:0000803f
result 'an array of pointers' leaves gather d4 '6 6' \
    --arg 'struct:{struct:{buf:i32:16,value=1,buf:i32:16,value=2,buf:i32:16,value=3},i32:3}'
result 'an empty structure' leaves nothing d4 '7 7' --arg u8:0
result 'a template by its declaration' leaves 'times<unsigned char, 3>' u1 '21 21 21 21' --arg u8:7
result 'a function object' leaves apply f4 '7 7' --arg 'struct:{a=f32:2,b=f32:1}' --arg buf:f32:16,value=3

# This one's results are inside its structure: d is m x n, the rows and columns of blocks and threads.
type=f4 numbers='10 10 10 10'
result 'structures in structures, as those of products' "$haul" replay -q "$ptx" --kernel multiply --grid 2 --block 2 --arg "struct:{
    shape=struct:{m=i32:2,n=i32:2,k=i32:3}
    a=struct:{data=buf:f16:6,value=1,stride=i64:3} b=struct:{data=buf:f16:6,value=2,stride=i64:2}
    end=struct:{alpha=f32:0.5,beta=f32:3,d=buf:zero:4,out=$work/bytes}
    split=i32[3]:1,1,4}"
result 'and their result' holds
type=f4 numbers='3.75 3.75'
result 'a pack of structures' "$haul" replay -q "$ptx" --kernel sum --block 4 --arg "buf:zero:4,out=$work/bytes" \
    --arg 'struct:{f32:1.5,u8:1}' --arg 'struct:{f32:2.25,u8:2}'
result 'and its result' holds

# The line that replay prints is a launch file's line.
launch='struct:{data=buf:f32:64,uniform=-1:1,rows=i32:4,columns=i32:8,pitch=i64:16}'
result 'replay prints a line' exits_with 0 "$haul" replay "$ptx" --kernel sum_row --block 4 --arg "$launch" --arg buf:zero:4
cp "$work/out" "$work/launch.jsonl"
result 'which a launch file may have, with the same outputs' exits_with 0 "$haul" compare "$work/launch.jsonl" --ptx "$ptx"

result 'what the parameter is not, is refused' refuses 'pass it as `u8:1`' truth --arg i32:1 --arg bool:1 --arg buf:zero:4
result 'a structure of another size, too' refuses 'pass a structure as `struct:{...}`' sum_row --arg struct:{i32:1} --arg buf:zero:4
result 'a number out of range' refuses 'not between 0 and 255' narrow --arg i8:1 --arg u8:256
result 'a vector with too many numbers' refuses 'f32x2 needs 2 numbers, and 3 are given' offset --arg f32x2:1,2,3
result 'braces that do not match' refuses 'the braces do not match' sum_row --arg 'struct:{struct:{i32:1}'
result 'names for some fields' refuses 'either all fields have names or none has' sum_row --arg 'struct:{a=i32:1,i32:2}'
result 'two fields of one name' refuses 'two fields have the name `a`' sum_row --arg 'struct:{a=i32:1,a=i32:2}'
result 'a distribution without a type' refuses 'a distribution needs a type' sum_row --arg buf:zero:4,uniform=0:1
result 'bounds in the wrong order' refuses 'the lower bound comes first' sum_row --arg buf:i32:4,uniform=1:0
result 'a bound beyond the type' refuses 'uniform: 300 is no u8' sum_row --arg buf:u8:4,uniform=0:300

result 'haul kernels lists them' exits_with 0 "$haul" kernels "$ptx"
result 'with their parameters' grep -q '^sum_row  .*24 bytes, u64' "$work/out"
result 'demangled' grep -q '^times<unsigned char, 3>(unsigned char, unsigned char\*)  ' "$work/out"
result 'a forgotten --block is said' sh -c "\"$haul\" replay \"$ptx\" --kernel nothing --arg u8:0 --arg buf:zero:4 2>&1 >/dev/null |
    grep -q 'note: neither --grid nor --block is given: the launch has 1 block of 1 thread'"
exit $((failures > 0))
