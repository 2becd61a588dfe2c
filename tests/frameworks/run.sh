#!/bin/sh
# Frameworks that compile kernels as they run: each script here that finds its framework is run under `haul run`, and, where there is a
# GPU, without it too; both have to print the same. Not part of the tests of the build: frameworks are large.
# usage: tests/frameworks/run.sh HAUL [SECONDS]
set -u
haul=${1:?usage: run.sh HAUL [SECONDS]}
seconds=${2:-120}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
for script in "$here"/*.py; do
    name=$(basename "$script" .py)
    python3 -c "import ${name%_kernels}" 2>/dev/null || { echo "skipped $name: no ${name%_kernels}" && continue; }
    timeout "$seconds" "$haul" run -- python3 "$script" >"$work/virtual" 2>"$work/errors"
    status=$?
    if [ $status -ne 0 ]; then
        echo "FAILED  $name: ended with $status" && tail -n 12 "$work/errors"
        failures=$((failures + 1))
    elif [ ! -e /dev/nvidia0 ]; then
        echo "ran     $name:" && cat "$work/virtual"
    elif timeout "$seconds" python3 "$script" >"$work/real" 2>/dev/null && diff "$work/real" "$work/virtual"; then
        echo "ok      $name: as on the GPU:" && cat "$work/virtual"
    else
        echo "FAILED  $name" && cat "$work/real" && failures=$((failures + 1))
    fi
done
exit $((failures > 0))
