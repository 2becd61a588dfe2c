#!/bin/sh
# haul check under several schedules: witnesses of planted defects, results that differ, launches that repeat.
#   run_witness.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"
hazards=$root/tests/data/hazards
pairs=$root/tests/data/pairs

# --- a witness for each error that depends on an order ---

want "the planted defects" 1 "$haul" check "$hazards/launches.jsonl" --ptx "$hazards/hazards.ptx" --witness --sarif log.sarif --junit log.xml
has 'witness: --schedule early: word 0 of argument 1 is 0x3f1e377a (0.618034005) under early, and$'
has '; 13 of 14 errors have a witness$'
python3 "$root/tests/cli/sarif.py" log.sarif || fail "the SARIF log with witnesses is not as the standard has it"
grep -q 'Witness: --schedule unfenced: word 0 of argument 1' log.sarif || fail "the SARIF log has no witness"
grep -q '^witness: --schedule dirty: word' log.xml || fail "the JUnit file has no witness"

want "the planted defects as JSON" 1 "$haul" check "$hazards/launches.jsonl" --ptx "$hazards/hazards.ptx" --witness --json
python3 - <<'END' || fail "the witnesses are not those expected"
import json, sys
wanted = {"bad_no_wait": "early", "bad_wait_too_loose": "early", "bad_no_commit": "early", "bad_refill_too_early": "reversed",
          "bad_write_write": "reversed", "bad_no_syncwarp": "diverged", "bad_no_proxy_fence": "unfenced",
          "bad_uninitialised_shared": "dirty", "bad_global_race": "reversed"}
launches = {l["kernel"]: l["findings"] for l in map(json.loads, open("out"))}
wrong = [k for k, schedule in wanted.items() if launches[k][0]["witness"]["schedule"] != schedule]
wrong += [k for k, found in launches.items() for f in found
          if f["kind"] in ("deadlock", "misaligned", "out-of-bounds") and "witness" in f]
w = launches["bad_no_wait"][0]["witness"]
if (w["argument"], w["word"], w["differing"], w["usual"], w["value"]) != (1, 0, 128, "0x00000000", "0x3f1e377a"):
    wrong.append(w)
print(*wrong, sep="\n")
sys.exit(bool(wrong))
END

# At least this many defects of the pairs in these files have a witness.
for file in waits:8 stages:12 clusters:6 tensors:4; do
    name=${file%:*}
    python3 "$root/tests/cli/pairs.py" launches "$pairs/$name.cu" >pairs.jsonl
    want "the pairs of $name.cu" 1 "$haul" check pairs.jsonl --ptx "$pairs/$name.ptx" --witness --json
    python3 - "$name" "${file#*:}" <<'END' || fail "too few defects of $name.cu have a witness"
import json, sys
looked = [[f["witness"] for f in l["findings"] if "witness" in f] for l in map(json.loads, open("out"))]
found = sum(any(w["schedule"] for w in of) for of in looked)
print(f"{sys.argv[1]}.cu: {found} of {sum(map(bool, looked))} defects have a witness")
sys.exit(found < int(sys.argv[2]))
END
done

# --- a witness can be repeated ---

repeat() {
    want "--schedule $1" 1 "$haul" check "$hazards/hazards.ptx" -k bad_no_wait --block 128 -a buf:f01:4096:1 -a buf:zero:4096:1,out="$2" \
        -a i32:4096 --schedule "$1" --quiet
}
repeat in-order usual
repeat early witness
[ "$(od -An -tx4 -N4 usual | tr -d ' ')" = 00000000 ] || fail "the usual order does not leave the value that the witness names"
[ "$(od -An -tx4 -N4 witness | tr -d ' ')" = 3f1e377a ] || fail "the schedule does not leave the value that the witness names"

# --- results of several schedules ---

grep '"ok_' "$hazards/launches.jsonl" >right.jsonl
want "kernels that are right" 0 "$haul" check right.jsonl --ptx "$hazards/hazards.ptx" --schedules 10
has '^hazards.cu:[0-9]*: advice: schedule-dependent-result in ok_global_race, launch 29$'
has 'the order of atomic operations, first in this line, may be the cause$'
has '; results of 1 of 16 launches differ between 10 schedules$'
want "the same without advice" 0 "$haul" check right.jsonl --ptx "$hazards/hazards.ptx" --schedules 10 --grade warning --json
json 'all(l["findings"] == [] for l in lines)'
json '[l["schedules"]["differ"] for l in lines].count(True) == 1'
json 'all(l["schedules"]["compared"] == 10 for l in lines)'

cat >odd.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.global .u32 runs;
.visible .entry together(.param .u64 p)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r0, %tid.x;
    mad.wide.u32 %rd2, %r0, 4, %rd1;
    activemask.b32 %r1;
    st.global.u32 [%rd2], %r1;
    ret;
}
.visible .entry count(.param .u64 p)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [p];
    ld.global.u32 %r1, [runs];
    add.u32 %r1, %r1, 1;
    st.global.u32 [runs], %r1;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry has_counted(.param .u32 wanted)
{
    .reg .b32 %r<3>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [wanted];
    ld.global.u32 %r2, [runs];
    setp.ne.u32 %p1, %r1, %r2;
    @%p1 trap;
    ret;
}
END
want "a difference that nothing explains" 1 "$haul" check odd.ptx -k together --grid 1 --block 32 -a buf:zero:32 --schedules 8
has '^warning: schedule-dependent-result in together, launch 0$'
has 'word 0 of argument 0 is 0x00000001 (1) under diverged, and 0xffffffff (-1) under in-order; 32$'

# Each run begins with what the launch before left, and the next launch with what the usual order left.
cat >count.jsonl <<'END'
{"id":0,"kernel":"count","grid":[1],"block":[1],"args":[{"buf":"zero","words":1}]}
{"id":1,"kernel":"count","grid":[1],"block":[1],"args":[{"buf":"zero","words":1}]}
{"id":2,"kernel":"has_counted","grid":[1],"block":[1],"args":[{"i32":2}]}
END
want "variables" 0 "$haul" check count.jsonl odd.ptx --schedules 6 --witness
has '^3 launches: 0 errors, 0 warnings, 0 of advice; no result differs between 6 schedules$'

# A launch that fails, or cannot begin, has nothing to compare; the next ones go on.
cat >failing.jsonl <<'END'
{"id":0,"kernel":"has_counted","grid":[1],"block":[1],"args":[{"i32":7}]}
{"id":1,"kernel":"count","grid":[1],"block":[2048],"args":[{"buf":"zero","words":1}]}
{"id":2,"kernel":"count","grid":[1],"block":[1],"args":[{"i64":8}]}
{"id":3,"kernel":"count","grid":[1],"block":[1],"args":[{"buf":"zero","words":1}]}
END
want "launches that fail" 1 "$haul" check failing.jsonl odd.ptx --schedules 3 --witness --json
json '[[f["kind"] for f in l["findings"]] for l in lines] == [["trap"], ["launch-limit"], ["out-of-bounds"], []]'
json 'not any("witness" in f for l in lines for f in l["findings"])'

# --- deadlocks say who waits where, how far it is, and where the others are ---

want "deadlocks" 1 "$haul" check "$hazards/launches.jsonl" --ptx "$hazards/hazards.ptx" --json
json 'any("barrier 1: 64 of 96 threads have arrived" in f["what"] and "64 threads (warps 2-3) have ended" in f["what"] for l in lines for f in l["findings"])'
json 'any("parity 0" in f["what"] and "1 of 1 arrivals have come, 512 of 768 bytes have arrived" in f["what"] for l in lines for f in l["findings"])'

# --- wrong use ---

want "a schedule that does not exist" 2 "$haul" check odd.ptx -k count -a buf:zero:1 --schedule early+soon
grep -q 'early+soon. is none of in-order, reversed, late, early' err || fail "the message does not list the schedules"
want "a program" 2 "$haul" check --witness -- true
grep -q 'cannot repeat a program.s: record them with `haul replay --record' err || fail "the message does not say what to do"
done_with "witnesses, results of several schedules, deadlocks"
