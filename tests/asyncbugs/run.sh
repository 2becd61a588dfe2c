#!/bin/sh
# haul check on all pairs of the suite, under two schedules and with --strict: every defect is found at its line, no
# repaired twin has a finding, nor has a kernel of right.cu.
#   run.sh SOURCE_ROOT BUILD_FOLDER
# With RENEW=1 it also renews the tables of docs/asyncbugs.md.
set -u
haul=$2/haul
suite=$1/tests/asyncbugs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check TWIN MACHINE TO OPTION...: judges haul check with these options, whose output goes to $work/TO.
check() {
    twin=$1 machine=$2 to=$work/$3
    shift 3
    timeout 300 "$haul" check "$work/launches.jsonl" "$suite"/*_"$twin".ptx --device "$machine" --json "$@" >"$to" 2>"$work/err"
    status=$?
    want=$([ "$twin" = bad ] && echo 1 || echo 0)
    [ $status -eq "$want" ] || { echo "FAILED: $twin, $machine, $*: status $status: $(head -c 500 "$work/err")"; failed=1; }
    python3 "$suite/asyncbugs.py" judge "$twin" "$machine" "$to" "$@" || { echo "FAILED: $twin, $machine, $*"; failed=1; }
}

for machine in sim:h100 sim:b200; do
    for twin in ok bad; do
        python3 "$suite/asyncbugs.py" launches $twin $machine >"$work/launches.jsonl" || failed=1
        check $twin $machine out --schedule reversed
        check $twin $machine $machine.strict --strict
        check $twin $machine $machine.found --schedule in-order
    done
done

# Right kernels of kinds that are easily taken for defects.
for schedule in in-order reversed random:1; do
    timeout 300 "$haul" check "$suite/right.jsonl" "$suite"/right*_ok.ptx --device sim:h100 --schedule $schedule >"$work/right" 2>&1 ||
        { echo "FAILED: right.cu, $schedule:"; cat "$work/right"; failed=1; }
done

# The tables of the page are those of this run.
page=$work/asyncbugs.md
[ -z "${RENEW:-}" ] || page=$1/docs/asyncbugs.md
[ -n "${RENEW:-}" ] || cp "$1/docs/asyncbugs.md" "$page"
python3 "$suite/asyncbugs.py" docs "$page" "$work" || [ -n "${RENEW:-}" ] ||
    { echo "FAILED: docs/asyncbugs.md is not up to date: make docs renews it"; failed=1; }
exit $failed
