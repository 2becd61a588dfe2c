#!/bin/sh
# haul lab: known numbers, output in every form, exit codes. usage: run_lab.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"

wrong_use() { exits_with 2 "$haul" lab "$@" && one_line "$work/err"; }

# Cells of a table's rows in lab.json: rows as lists of numbers and texts.
holds() { # section, table, python expression over `rows`
    python3 - "$work/all/lab.json" "$@" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
section, table, expression = sys.argv[2:]

def tables(node, name):
    if isinstance(node, dict):
        if node.get("name") == name and "rows" in node:
            yield node
        for value in node.values():
            yield from tables(value, name)
    if isinstance(node, list):
        for value in node:
            yield from tables(value, name)

found = [t for s in document["sections"] if s["name"] == section for t in tables(s, table)]
rows = found[0]["rows"]
for row in rows:
    print(row)
sys.exit(not eval("(" + expression + ")"))
END
}

result 'runs every experiment and checks its results' exits_with 0 "$haul" lab --device sim:h100 --out "$work/all"
cp "$work/out" "$work/text"
csv_has_stride_5() { grep -q '^5,' "$work/all/tables/strides-load_stride.csv"; }
result 'saves each table as CSV' csv_has_stride_5
result 'lists the experiments' exits_with 0 "$haul" lab --list
for name in strides batches derivatives banks readonly writes reuse staging saxpy maxpool stencil transpose texture rows matvec fused roles overlap host; do
    result "names $name" grep -q "^$name " "$work/out"
done

result 'a load at stride 5 takes 20 sectors' holds strides load_stride \
    '[(r["sectors"], r["wavefronts"]) for r in rows if r["stride"] == 5] == [(20, 2)]'
result 'a load at stride 64 takes 32 sectors in 8 wavefronts' holds strides load_stride \
    '[(r["sectors"], r["wavefronts"]) for r in rows if r["stride"] == 64] == [(32, 8)]'
result 'L2 is asked for lines, 2 to 32 of them, and misses pairs of sectors' holds strides load_stride \
    '[(r["l2_requests"], r["l2_misses"]) for r in rows if r["stride"] in (2, 4, 8, 16, 32)] ==
     [(2, 8), (4, 16), (8, 32), (16, 64), (32, 64)]'
shows_l2_chart() { grep -q 'L2 traffic of a load' "$work/all/report.html"; }
result 'a chart has L2 requests and misses' shows_l2_chart
result 'a store at stride 8 takes 32 sectors' holds strides store_stride \
    '[r["sectors"] for r in rows if r["stride"] == 8] == [32]'
result 'a vector asks once for what a loop asks for four times' holds batches forms \
    'rows[0]["load_sectors"] == 4 * rows[3]["load_sectors"] and rows[0]["loads"] == 4 * rows[3]["loads"]'
result 'a copy of 32 x 5 takes 25, 23 and 20 sectors' holds derivatives copy \
    '[(r["unpadded"], r["lead"], r["pitch"]) for r in rows if r["size"] == "32 x 5"] == [(25, 23, 20)]'
result 'a copy of 64 x 1 takes 10 or 8 sectors' holds derivatives copy \
    '[(r["unpadded"], r["lead"]) for r in rows if r["size"] == "64 x 1"] == [(10, 8)]'
result 'the fast difference finds four of nine sectors in L1' holds derivatives derivative_fast \
    '[(r["sectors"], r["hits"]) for r in rows if r["size"] == "32 x 1"] == [(9, 4)] * 3'
result 'conflicts follow the power of two in the stride' holds banks strides \
    'all(r["conflicts_4"] == (r["stride"] & -r["stride"]) - 1 for r in rows)'
result 'a broadcast never conflicts' holds banks broadcast 'all(r["conflicts"] == 0 for r in rows)'
result '[32][32] conflicts 31 times a load, [32][33] and a swizzle never' holds banks tiles \
    '{r["tile"]: r["per_load"] for r in rows}["[32][32]"] == 31 and
     all(r["load_conflicts"] == 0 for r in rows if r["tile"] in ("[32][33]", "[32][32] swizzled"))'
result 'a constant bank answers one address at a time' holds readonly lookups \
    '[r["requests"] for r in rows][:6] == [1, 2, 4, 8, 16, 32] and all(r["wavefronts"] <= 2 for r in rows[:6])'
result 'L1 hands every store on, L2 writes back what it has no room for' holds writes stores \
    'all(r["l1"] == r["l2"] for r in rows) and [r["device"] > 0 for r in rows] == [False] * 4 + [True] and
     rows[4]["device"] <= rows[4]["words"] / 8'
result 'L2 keeps a table from kernel to kernel, and a window keeps it over a stream until a reset' holds reuse programs \
    '[(r["first"] > 0, r["again"] > 0, r["behind"] > 0) for r in rows] ==
     [(True, True, True), (True, False, True), (True, False, False), (True, False, True)]'
result 'a fill in the default stream takes the overlap away from streams that are ordered with it' holds host ways \
    '[r["ratio"] > 1.1 for r in rows[:5]] == [True, False, False, False, True]'
result 'the host computes beside the device at no cost, and reads write-combined memory slowly' holds host ways \
    'rows[5]["ratio"] == 1 and rows[6]["us"] > rows[5]["us"] + 150 and rows[8]["us"] > 20 * rows[7]["us"]'
result 'roles of lanes issue both sides and load half as wide' holds roles forms \
    'rows[0]["instructions"] > 1.5 * rows[1]["instructions"] and [r["sectors"] for r in rows] == [2, 4]'
result '16-byte copies around L1 fetch twice what is not aligned' holds staging ways \
    '[r["bypass_sectors"] for r in rows if r["way"] == "16 B, LDGSTS around L1"] == [256, 512, 512]'
result '16-byte copies through L1 pay for one sector more a warp' holds staging ways \
    '[r["l1_sectors"] for r in rows if r["way"] == "16 B, LDGSTS through L1"][:2] == [256, 272]'
result 'every rung of SAXPY moves the same bytes' holds saxpy rungs \
    'len(rows) >= 6 and all((r["read"], r["written"]) == (8 << 20, 4 << 20) for r in rows)'
result 'vectors take a quarter of the loads' holds saxpy rungs 'rows[0]["loads"] == 4 * rows[1]["loads"]'
result 'grids that stay are slower than a vector a thread' holds saxpy time \
    '(lambda t: t["LDGSTS, 2 stages of 3"] > 1.01 * t["float4"] and t["scalar"] > t["float4"])({r["form"]: r["time_us"] for r in rows})'
result 'copies are issued with all lanes off' holds saxpy time \
    '(lambda n: n["float4"] == 0 and n["LDGSTS, 2 stages of 3"] > 32768)({r["form"]: r["ldgsts"] for r in rows})'
# clang 14 does not pass the promise on: its PTX has no read-only loads there.
if awk '/entry batch_restrict/,/^}/' "$2/kernels/batches.ptx" | grep -q 'ld.global.nc'; then
    result 'what __restrict__ promises makes fewer stores of a line, and less time' holds batches time \
        '(lambda r: 4 * r[2]["l2_stores"] == r[1]["l2_stores"] and 1.5 * r[2]["time_us"] < r[1]["time_us"])(rows)'
fi
result 'staged max pooling touches a fraction of the sectors' holds maxpool forms \
    'rows[0]["sectors"] > 20 * rows[1]["sectors"] and rows[1]["conflicts"] == 0'
result 'vectors and their maxima take a tenth of the shared loads' holds maxpool forms \
    'rows[1]["shared_loads"] > 10 * rows[2]["shared_loads"] and rows[2]["conflicts"] == 0'
result 'a word of padding takes the conflicts of the difference away' holds derivatives forms \
    '[r["conflicts"] > 0 for r in rows] == [False, False, True, False]'
result 'tiles with rings ask for each element about once' holds stencil forms \
    'all(r["sectors"] < 2 * 16384 for r in rows if not r["form"].startswith(("cached", "neighbours")) and r["radius"] <= 4)'
result 'a plain transpose stores eight times the sectors' holds transpose forms \
    'rows[0]["store_sectors"] == 8 * rows[1]["store_sectors"] and rows[0]["load_sectors"] == rows[1]["load_sectors"]'
result 'only the wide padded tile has conflicts' holds transpose forms \
    '[r["form"] for r in rows if r["conflicts"] > 0] == ["tile [64][65], 16 bytes"]'
result 'groups of lanes take a sixteenth of the loads for rows of 32 bytes' holds rows gather \
    '(lambda n: n["a warp a row"] == 16 * n["groups of lanes"])(
         {r["form"]: r["loads"] for r in rows if r["row"] == 32})'
result 'a block that keeps x reads A once, and little else' holds matvec forms \
    '131072 <= rows[2]["sectors"] < 1.05 * 131072 and rows[2]["conflicts"] == 0'
result 'fusing halves the traffic' holds fused forms \
    'all(rows[1]["l2_written"] == 2 * r["l2_written"] and rows[1]["l2_read"] > 1.9 * r["l2_read"] for r in rows[2:])'
result 'planned chunks leave little but the transfers' holds overlap ways \
    '(lambda n: n["planned, pinned"] < 1.25 < 1.4 < n["one after the other, pinned"])({r["way"]: r["ratio"] for r in rows})'

result 'the text shows tables and passed checks' grep -q 'launches gave the host.s results' "$work/text"
result 'the page has charts' grep -q '<svg' "$work/all/report.html"
fetches() { [ -s "$work/all/report.html" ] && ! grep -Eiq '(src|href)="?(https?:)?//|@import|url\(' "$work/all/report.html"; }
result 'the page fetches nothing' fetches
again() { [ -z "${HAUL_TEST_ONCE-}" ]; } # sanitizers have seen all experiments by now
same() { "$haul" lab --json --device sim:h100 --threads 1 >"$work/json" && cmp "$work/json" "$work/all/lab.json"; }
again && result '--json prints what lab.json holds, with any number of threads' same
result '--quiet prints nothing' exits_with 0 "$haul" lab strides --quiet
result 'nothing was printed' test ! -s "$work/out"
again && result 'runs on an older machine' exits_with 0 "$haul" lab --device sim:a100 --quiet
result 'an experiment that cannot run is a failed check' exits_with 1 "$haul" lab saxpy --memory 1M
result 'it is told why' grep -q 'could not be run: device memory' "$work/out"
result 'an unknown experiment is one line and exit 2' wrong_use stride
result 'it names the near one' grep -q 'strides' "$work/err"
result 'an unknown device is one line and exit 2' wrong_use --device sim:none
result 'a folder that cannot be made is one line and exit 2' wrong_use strides --out "$work/none/below"
exit $((failures != 0))
