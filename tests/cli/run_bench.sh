#!/bin/sh
# haul bench on a virtual GPU: estimated, stamped so, verified; names and options. usage: run_bench.sh SOURCE_ROOT BUILD
set -u
. "$1/tests/cli/results.sh"

wrong_use() { exits_with 2 "$haul" bench "$@" && one_line "$work/err"; }
bench() { exits_with 0 "$haul" bench --device sim:h100 --size 64K "$@"; }

# A python expression over `ratios` and `times`, the tables' rows, and `facts`.
holds() {
    python3 - "$work/all/bench.json" "$1" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
tables = {t["name"]: t["rows"] for s in document["sections"] for t in s["tables"]}
ratios, times, facts, checks = tables["ratios"], tables["times"], document["facts"], document["checks"]
sys.exit(not eval("(" + sys.argv[2] + ")"))
END
}

result 'measures every row' bench --out "$work/all"
cp "$work/out" "$work/text"
result 'lists the rows' exits_with 0 "$haul" bench --list
rows=$(cut -d' ' -f1 "$work/out")
for row in $rows; do
    result "$row has the recommended form, the plain one and a copy" holds \
        "sorted(t['who'] for t in times if t['row'] == '$row') == ['haul', 'memcpy', 'plain']"
done
result 'every result is verified' holds "checks['failed'] == 0 and checks['passed'] == 1"
result 'it says that numbers are simulated' holds "facts['numbers'].startswith('simulated')"
result 'it says how it was called' holds "facts['command'].startswith('haul bench --device sim:h100')"
result 'wanted ratios are shown but not judged' holds \
    "any(r.get('wanted') == 1.01 and 'reached' not in r for r in ratios if r['row'] == 'copy')"
result 'what only a peer can tell is marked' holds \
    "[r['reached'] for r in ratios if r['against'] == 'cub'] == ['not measured'] * 2"
result 'ratios are those of the rates' holds \
    "all(abs(r['ratio'] - h['rate'] / m['rate']) < 1e-6 * r['ratio'] for r in ratios for h in times for m in times
         if r['against'] == m['label'] and h['who'] == 'haul' and m['who'] == 'memcpy' and h['row'] == m['row'] == r['row'])"
result 'the text shows the ceiling' grep -q 'The ceiling: a plain copy' "$work/text"
result 'there is a chart' grep -q '<svg' "$work/all/bench.svg"
result 'a work stands for its rows' bench stencil --json
result 'those and no others were measured' test "$(grep -c '"who": "haul"' "$work/out")" -eq 3
result 'rows have names of their own' bench stencil-4 copy --json
result 'two were measured' test "$(grep -c '"who": "haul"' "$work/out")" -eq 2
result 'every form can be measured' bench saxpy-25 --forms --json
result 'all of them were' test "$(grep -c '"kernel": "saxpy' "$work/out")" -eq 9
result 'forms that a machine does not have are left out' \
    exits_with 0 "$haul" bench saxpy-25 --forms --device sim:a100 --size 64K --json
result 'all others were measured' test "$(grep -c '"kernel": "saxpy' "$work/out")" -eq 8
result '--quiet prints nothing' bench copy --quiet
result 'nothing was printed' test ! -s "$work/out"
result 'a row that cannot be measured is a failed check' \
    exits_with 1 "$haul" bench copy --device sim:h100 --memory 1M
result 'it is told why' grep -q 'could not be measured: ' "$work/out"
result 'an unknown name is one line and exit 2' wrong_use trnspose
result 'it names the near one' grep -q 'did you mean transpose' "$work/err"
result 'peers without a GPU are refused' wrong_use copy --device sim --peers libmine.so
result 'an unknown device is one line and exit 2' wrong_use --device sim:none
exit $((failures != 0))
