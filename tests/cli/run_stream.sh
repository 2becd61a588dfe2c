#!/bin/sh
# haul stream: files through kernels in chunks, timelines, exit codes. usage: run_stream.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"

says() { grep -q -- "$1" "$work/$2"; }
refuses() { # TEXT ARGUMENT...
    text=$1
    shift
    exits_with 2 "$haul" stream --device sim "$@" && says "$text" err && one_line "$work/err"
}

python3 - "$work" <<'END'
import random, struct, sys
random.seed(1)
x = [random.randrange(1 << 20) / 1024 for _ in range(70001)]
y = [random.randrange(1 << 10) / 4 for _ in x]
write = lambda name, v: open(f"{sys.argv[1]}/{name}", "wb").write(struct.pack(f"{len(v)}f", *v))
write("x", x), write("y", y)
write("pooled", [max(x[max(0, i - 15):i + 16]) for i in range(len(x))])
write("sum", [2 * a + b for a, b in zip(x, y)])
END

pool() { exits_with 0 "$haul" stream --device sim --quiet --in "$work/x" --out "$work/got" "$@" && cmp "$work/got" "$work/pooled"; }
result 'maxpool15 over a file, planned' pool
result 'maxpool15 over a file, in small chunks' pool --chunk 1K --depth 3
result 'maxpool15 over a file, in a small budget' pool --budget 64K --host-budget 100K --copy-threads 2
result 'two inputs' exits_with 0 "$haul" stream --device sim -q -k saxpy -i "$work/x" -i "$work/y" -o "$work/got" -c 10000
result 'two inputs are added' cmp "$work/got" "$work/sum"
result 'launches of which a sample is counted' \
    exits_with 0 "$haul" stream --device sim -q -k saxpy -i "$work/x" -i "$work/y" -o "$work/sampled" -c 10000 --sample 8
result 'give the same results' cmp "$work/got" "$work/sampled"
result 'no kernel' exits_with 0 "$haul" stream --device sim -q -k none -i "$work/x" -o "$work/got"
result 'no kernel leaves the data' cmp "$work/got" "$work/x"

cat >"$work/scale.ptx" <<'END'
.version 8.3
.target sm_90
.address_size 64
.visible .entry scale(.param .u32 n, .param .f32 by, .param .u64 in, .param .u64 out) {
.reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .pred %p;
ld.param.u32 %r0, [n]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.u32 %r4, %r1, %r2, %r3; setp.ge.u32 %p, %r4, %r0; @%p bra done;
ld.param.f32 %f0, [by]; ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r4, 4;
add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2; ld.global.f32 %f1, [%rd0]; mul.f32 %f1, %f1, %f0;
st.global.f32 [%rd1], %f1;
done: ret; }
END
result 'a kernel of PTX' exits_with 0 "$haul" stream "$work/scale.ptx" --device sim -q -k scale -b 64 --arg n --arg f32:1 \
    --arg in --arg out -i "$work/x" -o "$work/got" -c 5000
result 'a kernel of PTX leaves what it has to' cmp "$work/got" "$work/x"

result 'text' exits_with 0 "$haul" stream --device sim --bytes 4M --pinned --timeline "$work/t.svg" --timeline "$work/t.json"
result 'text has the engines' says '^to device ' out
result 'a picture' python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" "$work/t.svg"
result 'trace events' python3 -c "
import json, sys
events = [e for e in json.load(open(sys.argv[1]))['traceEvents'] if e['ph'] == 'X']
assert len(events) > 6 and all(e['dur'] >= 0 for e in events)
for tid in {e['tid'] for e in events}: # an engine does one thing at a time
    mine = sorted((e['ts'], e['ts'] + e['dur']) for e in events if e['tid'] == tid)
    assert all(a[1] <= b[0] + 0.01 for a, b in zip(mine, mine[1:]))" "$work/t.json"
result 'JSON' exits_with 0 "$haul" stream --device sim --bytes 4M --json
result 'JSON has the account' python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
assert r['complete'] == [{'first': 0, 'items': 1 << 20}] and 0 < r['efficiency'] <= 1 and r['numbers'] == 'simulated'" "$work/out"

result 'an unknown kernel is refused' refuses 'did you mean maxpool15' --kernel maxpool
result 'a file that is not there is refused' refuses 'cannot be opened' --in "$work/nothing"
result 'too small a budget is refused' refuses 'budget' --budget 100 --bytes 1M
result 'an odd file is refused' refuses 'not a whole number' --in "$work/scale.ptx"
result 'what holds no kernels is refused' refuses 'neither PTX' --kernel smooth data.bin
result 'a timeline without a kind is refused' refuses 'svg' --timeline "$work/t.txt"
result 'a folder for output is refused' refuses 'cannot be' --bytes 1M --out "$work/nowhere/out"
mkfifo "$work/pipe"
result 'what is no file is not replaced by the output' refuses 'is not a regular file' --bytes 1M --out "$work/pipe"
result 'it is still there' [ -p "$work/pipe" ]

# The output may not replace what is read, by whatever name.
cp "$work/x" "$work/kept"
ln "$work/kept" "$work/hard"
ln -s kept "$work/soft"
cp "$work/x" "$work/late.partial"
replaces() { # INPUT OUTPUT: refused, with both files as they were
    refuses 'is the file of input 1' --in "$work/$1" --out "$work/$2" && cmp "$work/x" "$work/kept" && cmp "$work/x" "$work/late.partial"
}
result 'an output over its input is refused' replaces kept kept
result 'by another path' replaces kept ../"${work##*/}"/kept
result 'by a hard link' replaces kept hard
result 'by a symbolic link' replaces kept soft
result 'of an input by a symbolic link' replaces soft kept
result 'of an input beside the output' replaces late.partial late
result 'of standard input' refuses 'is the file of input 1 (/dev/stdin)' --in /dev/stdin --out "$work/kept" <"$work/kept"
result 'of the second input' refuses 'is the file of input 2' -k saxpy --in "$work/x" --in "$work/kept" --out "$work/kept"
ln -s elsewhere "$work/link"
result 'a symbolic link is not replaced' refuses 'is a symbolic link and would be replaced' --in "$work/x" --out "$work/link"
result 'it is still a link' [ -h "$work/link" ]
result 'a copy beside it is fine' exits_with 0 "$haul" stream --device sim -q -k none --in "$work/kept" --out "$work/new"

# Sizes are looked at before anything runs.
result 'chunks smaller than their halo are refused' refuses 'fewer than the 1000 of the halo' --halo 1000 --chunk 1K --bytes 1M
result 'a halo beyond memory is refused' refuses 'with its halo of 200000000 needs .* a smaller halo' --halo 100000000 --bytes 4G
result 'a halo beyond the data is none' exits_with 0 "$haul" stream --device sim -q --halo 100000000 --bytes 64K
result 'too many threads are refused' refuses 'give at most 1024' --bytes 1M --copy-threads 99999999999
result 'a fault is told' exits_with 2 "$haul" stream "$work/scale.ptx" --device sim -k scale --arg i32:100000000 --arg f32:1 \
    --arg in --arg out --per-block 1 -i "$work/x" -o "$work/got2" -c 50000
result 'a fault leaves no output' [ ! -e "$work/got2" ]
result 'a fault leaves no part of one' [ ! -e "$work/got2.partial" ]
exit $((failures > 0))
