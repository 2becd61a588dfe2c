#!/bin/sh
# How launches end: faults, deadlocks and assertions name the user's line, once, and --timeout ends what takes long.
# usage: run_ends.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"

cat >ends.ptx <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 what[5] = {119, 104, 97, 116, 0};
.global .align 1 .b8 ring[5] = {114, 105, 110, 103, 0};
.global .align 1 .b8 role[5] = {114, 111, 108, 101, 0};
.visible .entry fault(.param .u64 p) {
    .reg .b64 %rd<3>;
    .loc 1 4 1
    ld.param.u64 %rd1, [p];
    .loc 1 5 9
    add.u64 %rd1, %rd1, 0;
    .loc 2 100 1, function_name $load, inlined_at 1 5 9
    ld.global.u32 %rd2, [%rd1+4096];
    ret;
}
.visible .entry deadlock() {
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .loc 1 9 1
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra ONE;
    .loc 1 10 1
    bar.sync 1, 64;
    ret;
ONE:
    .loc 1 11 1
    bar.sync 2, 64;
    ret;
}
.visible .entry asserts() {
    .reg .b64 %rd<4>;
    .loc 1 14 1
    mov.u64 %rd1, what;
    cvta.global.u64 %rd1, %rd1;
    mov.u64 %rd2, ring;
    cvta.global.u64 %rd2, %rd2;
    mov.u64 %rd3, role;
    cvta.global.u64 %rd3, %rd3;
    .loc 1 15 5
    add.u64 %rd1, %rd1, 0;
    .loc 3 70 1, function_name $expect, inlined_at 1 15 5
    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 2; st.param.b64 [d], %rd3; st.param.b64 [e], 1;
    call.uni __assertfail, (a, b, c, d, e); }
    ret;
}
.visible .entry endless(.param .u64 p) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, 0;
MORE:
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    bra MORE;
}
.file 1 "/src/mine.cu"
.file 2 "/usr/local/cuda/include/sm_32_intrinsics.hpp"
.file 3 "/opt/haul/include/haul/device/config.h"
PTX

# --- the line is the user's, not that of a header that it was inlined from ---
for command in profile replay; do
    want "$command: a fault" 2 "$haul" $command ends.ptx -k fault -b 64 -g 4 --arg buf:zero:4 -d sim:h100
    has '/src/mine.cu:5: access outside any allocation'
    want "$command: an assertion of the device library" 2 "$haul" $command ends.ptx -k asserts -b 64 -g 4 -d sim:h100
    has 'mine.cu:15: ring:2: role: assertion failed: what (kernel asserts, block 0,0,0, thread 0,0,0)'
    want "$command: a deadlock" 2 "$haul" $command ends.ptx -k deadlock -b 64 -g 300 -d sim:h100
    has 'block (0,0,0) and 299 more blocks: 32 threads (warp 0) wait at mine.cu:11 for barrier 2'
    [ "$(grep -o 'block (' err | wc -l)" -eq 1 ] || fail "$command: a deadlock is told more than once: $(cat err)"
done
want "stream: a fault" 2 "$haul" stream ends.ptx -k fault --arg in --bytes 1K -d sim:h100
has '/src/mine.cu:5: access outside any allocation'

# --- time is limited, and incomplete files go ---
for command in replay profile check compare; do
    want "$command: --timeout" 2 "$haul" $command ends.ptx -k endless --arg buf:zero:4 -d sim:h100 --timeout 1
    has "haul $command: stopped after 1 s: --timeout"
done
want "stream: --timeout" 2 "$haul" stream ends.ptx -k endless --arg out --bytes 1K --out result -d sim:h100 --timeout 1
has 'haul stream: stopped after 1 s: --timeout'
[ ! -e result ] && [ ! -e result.partial ] || fail "stream: --timeout leaves $(ls result*)"

# --- a sample is counted, and its figures are scaled to all blocks ---
cat >sample.ptx <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 p) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 64, %r2;
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd2, %rd1, %rd2;
    st.global.u32 [%rd2], %r3;
    ret;
}
PTX
set -- sample.ptx -k fill -b 64 -g 512 --arg buf:zero:32768 -d sim:h100 --json
want "replay" 0 "$haul" replay "$@"
mv out all
want "replay: --sample" 0 "$haul" replay "$@" --sample 16
json 'lines[0]["args"] == json.loads(open("all").readline())["args"]' # all blocks have run
json 'lines[0]["counters"]["inst_global_st"] == json.loads(open("all").readline())["counters"]["inst_global_st"] == 1024'

done_with "faults, deadlocks, assertions, time limits, samples"
