#!/bin/sh
# haul profile --timeline: trace events of launches and of a program's streams keep the format's rules.
# usage: run_trace.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
data=$1/tests/data reader=$1/tests/cli/trace.py

reads() { python3 "$reader" "$work/t.json" "$@" >"$work/spans" && [ -s "$work/spans" ]; } # the events of a track
names() { cut -d ' ' -f 3- "$work/spans" | tr '\n' ';'; }
follow() { # each span begins where the one before ends, all within the first, which is the block
    awk 'NR == 1 { from = $1; to = $2; at = from; next } $1 != at { exit 1 } { at = $2 } END { exit at != to }' "$work/spans"
}

sed -n '2p;4p' "$data/hazards/launches.jsonl" >"$work/two.jsonl" # kernels with a wait for copies
result 'launches of a file' exits_with 0 "$haul" profile "$work/two.jsonl" --ptx "$data/hazards/hazards.ptx" --device sim -q --timeline "$work/t.json"
result 'come one after the other' reads 'Streams of device 0' 'default stream'
result 'with their names' [ "$(names)" = 'ok_no_wait;ok_wait_too_loose;' ]
result 'a block is on an SM' reads 'Launch 1: ok_wait_too_loose' 'SM 0, place 0'
result 'with its parts' [ "$(names)" = 'block (0,0,0);lines 39 to 44;wait for copies, line 45;lines 46 to 47;' ]
result 'which fill its time' follow

cat >"$work/waves.ptx" <<'END'
.version 8.3
.target sm_90
.address_size 64
.visible .entry waves(.param .u64 to) .maxntid 1024, 1, 1 {
.reg .b64 %rd; .reg .b32 %r<2>; .shared .align 4 .b8 tile[4];
ld.param.u64 %rd, [to]; mov.u32 %r0, %tid.x; mov.u32 %r1, 7; st.shared.u32 [tile], %r1; bar.sync 0;
ld.shared.u32 %r1, [tile]; st.global.u32 [%rd], %r1; ret; }
END
result 'more blocks than fit' exits_with 0 "$haul" profile "$work/waves.ptx" --kernel waves --grid 300 --block 1024 \
    --arg buf:zero:1 --device sim:h100 -q --timeline "$work/t.json"
result 'run in waves' reads 'Launch 0: waves' 'SM 0, place 0'
result 'of the blocks that the SM gets' [ "$(grep -c '^[0-9 ]*block' "$work/spans")" -eq 2 ]
result 'and wait at barriers' grep -q 'barrier, PTX line 6$' "$work/spans"
result 'a file that cannot be written' exits_with 2 "$haul" profile "$work/waves.ptx" --kernel waves --grid 1 --block 32 \
    --arg buf:zero:1 --device sim -q --timeline "$work/none/t.json"

program=$2/tests/standin_order
[ -e "$program" ] || exit $((failures > 0)) # the stand-in is not built with sanitizers
result 'a program' exits_with 0 "$haul" profile -q --timeline "$work/t2.json" -- "$program" copy ordered
mv "$work/t2.json" "$work/t.json"
result 'has a track for a stream that copies' reads 'Streams of device 0' 'stream 1'
result 'which is named' [ "$(names)" = 'copy to device;' ]
copied=$(cut -d ' ' -f 2 "$work/spans")
result 'and one for the stream that waits for it' reads 'Streams of device 0' 'stream 2'
result 'whose kernel begins after the copy' [ "$(cut -d ' ' -f 1 "$work/spans")" -ge "$copied" ]

exit $((failures > 0))
