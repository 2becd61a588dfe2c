#!/bin/sh
# --schedules of profile and compare: counters that depend on the order of blocks have a range.
#   run_orders.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"

# chain: each block waits for the one before, by polling. tally: takes tickets. plain, staged: see no other thread.
cat >orders.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry chain(.param .u64 p)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra FREE;
POLL:
    ld.volatile.global.u32 %r2, [%rd1+-4];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra POLL;
FREE:
    st.volatile.global.u32 [%rd1], 1;
    ret;
}
.visible .entry tally(.param .u64 p)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [p];
    atom.global.inc.u32 %r1, [%rd1], 1000;
    st.global.u32 [%rd1+128], %r1;
    ret;
}
.visible .entry plain(.param .u64 p)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    st.global.u32 [%rd1], 1;
    ret;
}
.visible .entry staged(.param .u64 p)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    .shared .u32 s;
    ld.param.u64 %rd1, [p];
    st.shared.u32 [s], 1;
    ld.shared.u32 %r1, [s];
    st.global.u32 [%rd1], %r1;
    ret;
}
END

# launch KERNEL LOADS: LOADS are the recorded global loads.
launch() {
    printf '{"kernel":"%s","grid":[300],"block":[1],"args":[{"buf":"zero","words":512}],"counters":{"inst_global_ld":%s}}\n' "$1" "$2"
}

launch chain 0 >chain.jsonl
want "a kernel that polls" 0 "$haul" profile chain.jsonl --ptx orders.ptx --schedules 5
has '^By The Order Of Blocks '
has '^global loads '
launch tally 0 >tally.jsonl
want "a kernel that takes tickets" 0 "$haul" profile tally.jsonl --ptx orders.ptx --schedules 5
has '^No exact counter differs between 3 orders of blocks\.$'
for kernel in plain staged; do
    launch $kernel 0 >$kernel.jsonl
    want "a kernel that sees no other thread: $kernel" 0 "$haul" profile $kernel.jsonl --ptx orders.ptx --schedules 5
    has '^The launch ran once: its counters cannot depend on the order of blocks\.$'
done
want "the range as JSON" 0 "$haul" profile chain.jsonl --ptx orders.ptx --schedules 5 --json
json 'all(row["least"] <= row["here"] <= row["most"] and row["least"] < row["most"] for l in lines for row in l["tables"]["orders"])'
json '[row["least"] for l in lines for row in l["tables"]["orders"] if row["counter"] == "global loads"][0] >= 299'

# Some order polls more often than the usual one. 5 loads cannot be, since 299 blocks poll.
launch chain '[2000,3000]' >inside.jsonl
want "a reading that some order gives" 0 "$haul" compare inside.jsonl --ptx orders.ptx --schedules 5
has '^inside  0 chain: inst_global_ld: 2000 to 3000 recorded, '
has '^by the order of blocks: 1 pairs, 1 of them recorded within the range over orders$'
launch chain 5 >outside.jsonl
want "a reading that no order gives" 0 "$haul" compare outside.jsonl --ptx orders.ptx --schedules 5
has '^outside 0 chain: inst_global_ld: 5 recorded, '
has '^exact: 0 of 0 pairs '
launch tally 5 >wrong.jsonl
want "a wrong reading that is no matter of order" 0 "$haul" compare wrong.jsonl --ptx orders.ptx --schedules 5 --json
json 'lines[-1]["ordered"]["pairs"] == 0 and lines[-1]["exact"]["agreeing"] == 0 and lines[-1]["exact"]["pairs"] == 1'

want "a program" 2 "$haul" profile --schedules 2 -- true
has 'cannot repeat a program.s: record them with'

done_with "ranges over orders in profile and compare"
