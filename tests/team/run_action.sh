#!/bin/sh
# The steps of action.yml, run one by one outside GitHub on a pull request that makes a kernel worse: findings, changes and
# failures are in the SARIF file, in the summary, and in the job's log.
set -u
. "$1/tests/want.sh"
build=$2
unset HAUL_TOOLCHAIN GITHUB_ACTIONS
"$root/toolchain/cu2ptx" --find >out 2>&1 || { cat out && exit 77; }
mkdir bin
ln -s "$build/haul" bin/haul
PATH=$work/bin:$PATH

step() { # NAME: runs the step of action.yml as GitHub does, with the environment that it gets
    script=$(awk -v name="$1" '$0 ~ "- name: " name "$" { at = 1 } at && sub(/^ *run: ./, "") { sub(/.$/, ""); print; exit }' "$root/action.yml")
    [ -n "$script" ] || fail "action.yml has no step $1"
    env GITHUB_ACTION_PATH="$root" GITHUB_STEP_SUMMARY="$work/step.md" GITHUB_OUTPUT="$work/output" GITHUB_ACTIONS=true \
        PACKAGE= LAUNCHES=launches.jsonl KERNELS= ARGUMENTS="--grade warning" BASE="$base" FAIL_ON="sectors>2% shared_wavefronts>2%" \
        DEVICE=sim:h100 bash -e -o pipefail -c "$script" >"$work/out" 2>"$work/err"
}
commit() { git add -A && git -c user.name=team -c user.email=team@example.org commit -q -m "$1"; }
# Each variable of the steps is set by action.yml.
for name in PACKAGE LAUNCHES KERNELS ARGUMENTS BASE FAIL_ON DEVICE; do
    grep -q "^ *$name: \${{ inputs\." "$root/action.yml" || fail "action.yml does not set $name"
done

mkdir team && cp -r "$root"/examples/team/* team && cd team || exit 1
git init -q . && commit "A team's kernels"
base=$(git rev-parse HEAD)
what="install"
step "Install haul" || fail "$what: $(cat "$work/err")"
has "is installed already"

what="nothing changed"
step "Check the kernels" || fail "$what: $(cat "$work/out" "$work/err")"
has "check: all is well"
grep -q "launches.jsonl.: 0 of 2 launch pairs changed" "$work/step.md" || fail "$what: $(cat "$work/step.md")"

sed -i 's/PADDING = 1/PADDING = 0/' kernels/transpose.cu
sed -i 's/if (lane == 0) out/out/' kernels/row_sums.cu
cp launches.jsonl more.jsonl && commit "Make both kernels worse"
rm -f "$work/step.md" "$work/output"
what="a pull request"
step "Check the kernels"
[ $? -eq 1 ] || fail "$what: does not end with 1: $(cat "$work/out" "$work/err")"
has "^::error file=kernels/transpose.cu,line=11,title=expectation in transpose::expected bank_conflicts == 0: 15872 measured"
has "^::error file=kernels/transpose.cu,line=11,title=shared_wavefronts>2%25::transpose: shared_wavefronts grew from 512 to 16,384"
has "^::error file=kernels/row_sums.cu,line=8,title=race-global in row_sums"
cp "$work/step.md" "$work/out" && : >"$work/err"
has "^| kernels/transpose.cu:11 | transpose | error | \*\*expectation\*\*: expected bank_conflicts == 0"
has "^| kernels/row_sums.cu:8 | row_sums | error | \*\*race-global\*\*"
has "^| kernels/transpose.cu:11 | transpose | Shared Load | shared_wavefronts | 512 | 16,384 |"
cp "$work/output" "$work/out"
for output in sarif=haul-reports/haul.sarif junit=haul-reports/haul.xml summary=haul-reports/summary.md; do
    has "^$output$"
    [ -s "${output#*=}" ] || fail "$what: no ${output#*=}"
done
python3 - haul-reports/haul.sarif <<'END' || fail "$what: haul.sarif does not have both places"
import json, sys
results = json.load(open(sys.argv[1]))["runs"][0]["results"]
places = {(p["artifactLocation"]["uri"], p["region"]["startLine"]) for r in results for p in [r["locations"][0]["physicalLocation"]]}
sys.exit(not {("kernels/transpose.cu", 11), ("kernels/row_sums.cu", 8)} <= places)
END

want "a new launch file" 1 sh -c 'exec "$0" "$@" 2>/dev/null' "$root/tools/action/check" --launches more.jsonl --base "$base"
grep -q "more.jsonl. is new" haul-reports/summary.md || fail "$what: not said to be new"
want "a missing file" 2 "$root/tools/action/check" --launches nowhere.jsonl
has "no such file: nowhere.jsonl"
echo '{' >broken.jsonl
want "a broken launch file" 2 "$root/tools/action/check" --launches broken.jsonl
has "broken.jsonl:1"
grep -q "could not be checked: haul check: broken.jsonl:1" haul-reports/summary.md || fail "$what: not in the summary: $(cat haul-reports/summary.md)"
done_with "the steps of action.yml"
