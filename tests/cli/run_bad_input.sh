#!/bin/sh
# Wrong use and unusable input: exit status 2, one line on standard error that says what is wrong, nothing on standard
# output, and no crash.
#   run_bad_input.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"

cat >kernels.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.global .u32 depth;
.visible .entry forever(.param .u64 p)
{
$again:
    bra $again;
}
.visible .entry store(.param .u64 p, .param .u32 v)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [v];
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry trap()
{
    trap;
}
END
line='{"kernel":"store","grid":[1],"block":[1],"args":[{"buf":"zero","words":4},{"i32":1}]}'
echo "$line" >good.jsonl
want "the good launch" 0 "$haul" replay good.jsonl --ptx kernels.ptx --device sim

# --- the command line ---
refuse 'no command given'
refuse 'unknown command rplay: did you mean replay?' rplay
refuse 'unknown command nonsense' nonsense
refuse 'unknown option --kernal: did you mean --kernel?' replay --kernal x
refuse 'unknown option -Z' replay -Z
refuse 'needs NAME' replay good.jsonl --kernel
refuse '\--kernel needs NAME' replay good.jsonl --kernel ''
refuse '\--limit needs N' replay good.jsonl --limit=
refuse 'takes no value' replay good.jsonl --quiet=yes
refuse '`x` is not a whole number' replay good.jsonl --ptx kernels.ptx --limit x
refuse '`-1` is not a whole number' replay good.jsonl --ptx kernels.ptx --threads -1
refuse '`3Q` is not a size' replay good.jsonl --ptx kernels.ptx --memory 3Q
refuse 'no launches given' replay --ptx kernels.ptx
refuse 'no kernels given' replay good.jsonl
refuse 'add --kernel' replay --ptx kernels.ptx --grid 3
refuse 'unknown experiment' lab nonsense
refuse 'takes no names' info nonsense

# --- transfers that cannot be; more of them are in tests/lib/test_diagnose_advice.c ---
refuse 'name one shape' diagnose
refuse 'name one shape' diagnose sequential strided
refuse 'no shape `sequental`: did you mean sequential' diagnose sequental --bytes 16
refuse 'no shape `cube`: choose' diagnose cube
refuse 'add --bytes' diagnose sequential
refuse 'add --bytes' diagnose strided --count 3
refuse 'add --width' diagnose halo
refuse 'add --box' diagnose tile
refuse 'asks for 12$' diagnose sequential --bytes 16 --align 12
refuse 'LDGSTS moves 4, 8 or 16 bytes; this transfer asks for 2' diagnose sequential --bytes 16 --align 2 --engine ldgsts
refuse 'sequential transfer is one run' diagnose sequential --bytes 16 --count 2
refuse '--engine: no `bulck`: did you mean bulk?' diagnose sequential --bytes 16 --engine bulck
refuse '--team: no `grid`' diagnose sequential --bytes 16 --team grid
refuse '--how: no `congruentt`: did you mean congruent?' diagnose sequential --bytes 16 --how congruentt
refuse '--how: `in-flight=many`' diagnose sequential --bytes 16 --how in-flight=many
refuse 'at most 256 bytes a thread' diagnose sequential --bytes 16 --engine ldg --how in-flight=512
refuse 'HAUL_LOAD_CG and HAUL_LOAD_CS: choose one load operator' diagnose sequential --bytes 64 --engine ldg --how cg --how cs
refuse 'HAUL_LOAD_NC and HAUL_LOAD_LU' diagnose sequential --bytes 64 --engine ldg --how nc --how lu
refuse 'HAUL_IN_FLIGHT belongs to LDG' diagnose sequential --bytes 64 --engine bulk --how in-flight=64
refuse 'HAUL_IN_FLIGHT has two numbers' diagnose sequential --bytes 64 --engine ldg --how in-flight=64 --how in-flight=32
refuse 'HAUL_IN_FLIGHT is a multiple of the access width' diagnose sequential --bytes 64 --align 4 --engine ldg --how in-flight=10
refuse 'HAUL_RING_ONLY belongs to halos' diagnose sequential --bytes 64 --how ring-only
want 'a read-only load with an operator' 0 "$haul" diagnose sequential --bytes 64 --engine ldg --how nc --how cs
refuse '--add: no `f31`: did you mean' diagnose sequential --bytes 16 --add f31
refuse '--store or --add' diagnose sequential --bytes 16 --add f32 --store
refuse '--offset: `x`' diagnose sequential --bytes 16 --offset x
refuse 'offsets are not negative' diagnose sequential --bytes 16 --offset=-4
refuse 'is off by 4' diagnose sequential --bytes 16 --offset 4
refuse 'belongs to indirect' diagnose sequential --bytes 16 --index 1
refuse 'has 2 numbers for 3 elements' diagnose indirect --count 3 --bytes 16 --index 1,2
refuse '--box: ' diagnose tile --box 64x
refuse '--box: a box has' diagnose tile --box 0x3
refuse '--box: ' diagnose tile --box 1x1x1x1x1x1
refuse 'add --extent' diagnose tile --box 8x8 --at 1,1
refuse 'out of range' diagnose tile --box 8x8 --extent 8
refuse 'too large' diagnose sequential --bytes 3G
refuse 'shared memory' diagnose sequential --bytes 1M
refuse 'too large' diagnose strided --count 99999999999 --bytes 16
refuse 'not 2000$' diagnose sequential --bytes 16 --threads 2000
refuse 'not 99$' diagnose sequential --bytes 16 --stages 99
refuse '`h1000`: `haul info` lists them' diagnose sequential --bytes 16 --device sim:h1000
refuse 'write sim:NAME' diagnose sequential --bytes 16 --device gpu:0

# --- devices ---
refuse 'no such machine' replay good.jsonl --ptx kernels.ptx --device sim:h1000
refuse 'must be auto, sim:MACHINE or gpu:NUMBER' replay good.jsonl --ptx kernels.ptx --device cray
refuse 'gpu' replay good.jsonl --ptx kernels.ptx --device gpu:77

# --- files ---
refuse 'missing.jsonl: cannot be opened' replay missing.jsonl --ptx kernels.ptx
refuse 'missing.ptx: cannot be opened' replay good.jsonl --ptx missing.ptx
refuse 'is a directory' replay . --ptx kernels.ptx
refuse 'is a directory' replay good.jsonl --ptx .
refuse 'has no launches' replay /dev/null --ptx kernels.ptx
refuse 'missing.bin: cannot be opened' replay kernels.ptx -k store -a buf:file=missing.bin -a i32:1
refuse 'nowhere/x.bin: cannot be written' replay kernels.ptx -k store -a buf:zero:4,out=nowhere/x.bin -a i32:1
refuse 'no such file: missing.cu' replay missing.cu -k store
mkdir folder.cu
refuse 'folder.cu is a directory, not a file' replay folder.cu -k store

# --- outputs are tried before the work: each of these takes long when it begins ---
echo text >file
refuse 'file: is a file, not a folder' lab --out file
refuse 'nowhere/x: cannot be made' lab --out nowhere/x
refuse 'nowhere/x: cannot be made' bench --out nowhere/x
refuse '\--out needs DIR' lab --out ''
refuse 'nowhere/x.html: cannot be written' profile kernels.ptx -k forever --html nowhere/x.html -a buf:zero:4
refuse 'nowhere/x.sarif: cannot be written' check kernels.ptx -k forever --sarif nowhere/x.sarif -a buf:zero:4

# --- standard output that takes nothing: one line, too ---
for command in 'replay good.jsonl --ptx kernels.ptx' info help --version 'info --help' 'lab --list'; do
    # shellcheck disable=SC2086 # words
    want "$command to a full device" 2 sh -c '"$@" >/dev/full' sh "$haul" $command
    has 'standard output'
done

# --- launch lines; more of them are in tests/lib/test_launches.c ---
refuse_line() {
    pattern=$1
    printf '%s\n' "$2" >bad.jsonl
    refuse "$pattern" replay bad.jsonl --ptx kernels.ptx
}
refuse_line 'bad.jsonl:1: not valid JSON' '{"kernel":"store"'
refuse_line 'bad.jsonl:1: kernel: is missing' '{}'
refuse_line 'bad.jsonl:1: grid: -1 is not between' '{"kernel":"store","grid":[-1],"block":[1],"args":[]}'
refuse_line 'bad.jsonl:1: grid: 99999999999 is not between' '{"kernel":"store","grid":[99999999999],"block":[1],"args":[]}'
refuse_line 'grid' '{"kernel":"store","grid":[1,99999],"block":[1],"args":[{"buf":"zero","words":4},{"i32":1}]}'
refuse_line 'block' '{"kernel":"store","grid":[1],"block":[1025],"args":[{"buf":"zero","words":4},{"i32":1}]}'
refuse_line 'block' '{"kernel":"store","grid":[1],"block":[64,64],"args":[{"buf":"zero","words":4},{"i32":1}]}'
refuse_line 'shared memory' '{"kernel":"store","grid":[1],"block":[1],"smem":400000,"args":[{"buf":"zero","words":4},{"i32":1}]}'
refuse_line 'bad.jsonl:1: no kernel `stoer` in kernels.ptx: did you mean `store`?' \
    '{"kernel":"stoer","grid":[1],"block":[1],"args":[]}'
refuse_line 'no kernel `unheard_of`' '{"kernel":"unheard_of","grid":[1],"block":[1],"args":[]}'
refuse_line 'bad.jsonl:1: .*takes 2 arguments, 1 given' '{"kernel":"store","grid":[1],"block":[1],"args":[{"i64":0}]}'
refuse_line 'argument' '{"kernel":"store","grid":[1],"block":[1],"args":[{"buf":"zero","words":4},{"i64":1}]}'
refuse_line 'bad.jsonl:1: args\[0\]: device memory' \
    '{"kernel":"store","grid":[1],"block":[1],"args":[{"buf":"zero","words":1000000000000},{"i32":1}]}'
refuse_line 'words: -4 is not between' '{"kernel":"store","grid":[1],"block":[1],"args":[{"buf":"zero","words":-4},{"i32":1}]}'

refuse_line 'bad.jsonl:1: unknown field `grd`: did you mean `grid`?' '{"kernel":"store","grd":[1],"block":[1],"args":[]}'
refuse_line 'bad.jsonl:1: args\[0\]: unknown field `wrods`: did you mean `words`?' \
    '{"kernel":"store","grid":[1],"block":[1],"args":[{"buf":"zero","wrods":4},{"i32":1}]}'
refuse_line 'bad.jsonl:1: kernel store: argument 2 is a floating-point number, but parameter `v` is a whole number' \
    '{"kernel":"store","grid":[1],"block":[1],"args":[{"buf":"zero","words":4},{"f32":1}]}'

# --- names that several kernels have: void ld<float, 4>(float*), void ld<float, 8>(float*), copy(float*), copy(int*) ---
cat >several.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z2ldIfLi4EEvPT_(.param .u64 p) { ret; }
.visible .entry _Z2ldIfLi8EEvPT_(.param .u64 p) { ret; }
.visible .entry _Z4copyPf(.param .u64 p) { ret; }
.visible .entry _Z4copyPi(.param .u64 p) { ret; }
END
echo '{"kernel":"ld","grid":[1],"block":[1],"args":[{"buf":"zero","words":4}]}' >several.jsonl
for command in replay profile check; do
    refuse '`ld` is the name of 2 kernels, give one in full: `ld<float, 4>`, `ld<float, 8>`' \
        $command several.ptx -k ld -a buf:zero:4
    refuse 'several.jsonl:1: `ld` is the name of 2 kernels' $command several.jsonl several.ptx
done
refuse '`copy` is the name of 2 kernels, give one in full: `copy(float\*)`, `copy(int\*)`' \
    stream several.ptx -k copy -a in --bytes 4K
refuse 'several.jsonl:1: `ld` is the name of 2 kernels' compare several.jsonl --ptx several.ptx
refuse 'no kernel `ld<float, 5>` in several.ptx; there is `ld<float, 4>`, `ld<float, 8>`' \
    replay several.ptx -k 'ld<float, 5>' -a buf:zero:4
for name in 'ld<float, 4>' 'ld<float,4>(float *)' _Z2ldIfLi4EEvPT_ 'copy(int*)'; do
    want "$name" 0 "$haul" replay several.ptx -g 1 -b 1 -k "$name" -a buf:zero:4 --device sim
done
cp several.ptx again.ptx
refuse 'kernel `_Z4copyPf` is in several.ptx and in again.ptx: give one of them, or name it as `file`' \
    replay several.ptx again.ptx -k _Z4copyPf -a buf:zero:4
echo '{"kernel":"ld<float, 4>","file":"again","grid":[1],"block":[1],"args":[{"buf":"zero","words":4}]}' >chosen.jsonl
want "a file that is chosen" 0 "$haul" replay chosen.jsonl several.ptx again.ptx --device sim

# --- arguments that are not what the kernel takes ---
refuse 'argument 2 is a floating-point number, but parameter `v` is a whole number (.u32); pass it as `u32:3`' \
    replay kernels.ptx -k store -a buf:zero:4 -a f32:3 --device sim
refuse 'argument 2 is 1 byte, but parameter `v` is 4 bytes; pass it as `u32:3`' \
    replay kernels.ptx -k store -a buf:zero:4 -a u8:3 --device sim
refuse 'argument 2 is a buffer, whose address is 8 bytes, but parameter `v` is 4 bytes' \
    replay kernels.ptx -k store -a buf:zero:4 -a buf:zero:4 --device sim
refuse 'globals.depth: its value is a floating-point number, but variable `depth` is a whole number' \
    replay kernels.ptx -k store -a buf:zero:4 -a i32:3 --global depth=f32:1 --device sim
refuse 'globals.depth: its value is 8 bytes, but variable `depth` is 4 bytes; pass it as `u32:1`' \
    replay kernels.ptx -k store -a buf:zero:4 -a i32:3 --global depth=i64:1 --device sim
refuse 'not a permutation' replay kernels.ptx -k store -a buf:perm:256:12 -a i32:1

# --- what kernels do ---
refuse 'has not ended' replay kernels.ptx -k forever -a buf:zero:4 --limit 100000 --device sim
refuse 'trap' replay kernels.ptx -k trap --device sim
refuse '0x8' replay kernels.ptx -k store -a i64:8 -a i32:1 --device sim
refuse 'device memory' replay kernels.ptx -k store -a buf:zero:1M -a i32:1 --memory 1M --device sim

# --- PTX ---
refuse_ptx() {
    pattern=$1
    printf '%s\n' "$2" >bad.ptx
    refuse "bad.ptx.*$pattern" replay good.jsonl --ptx bad.ptx
}
refuse_ptx '' 'nonsense'
refuse_ptx 'the text ends' '.version 8.0
.target sm_80
.visible .entry store(.param .u64 p'
refuse_ptx 'frobnicate' '.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 p)
{
    frobnicate.b32 %r1, %r2;
    ret;
}'
refuse_ptx ':3:17: .k. has 65536 bytes of static shared memory, a kernel may have 49152: use dynamic' '.version 8.0
.target sm_90
.visible .entry k() { .shared .b8 tile[65536]; ret; }'
: >bad.ptx
refuse '' replay good.jsonl --ptx bad.ptx
head -c 100000 /dev/zero >bad.ptx
refuse 'bad.ptx' replay good.jsonl --ptx bad.ptx
for bytes in 10 100 1000 2000 5000 10000; do
    head -c $bytes "$truth/memory_basics.ptx" >bad.ptx
    refuse '' replay good.jsonl --ptx bad.ptx
done

# --- source: the compiler's own words come first ---
if "$root/toolchain/cu2ptx" --find >/dev/null 2>&1; then
    echo '__global__ void k(int *p) { p[0] = undefined; }' >bad.cu
    refuse 'haul replay: bad.cu: .* could not compile it' replay bad.cu -k k -a buf:zero:4 --quiet
    refuse 'compiler not found: nonsense' replay bad.cu -k k --compiler nonsense
fi

done_with "what cannot be is refused"
