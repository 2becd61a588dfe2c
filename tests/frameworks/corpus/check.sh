#!/bin/sh
# Kernels by others' compilers under `haul check`: runs each script here whose framework is installed, all at once, and counts launches and
# findings. On a machine with a GPU the scripts run there, too, and have to print the same. Writes NAME.json, NAME.printed and NAME.gpu.
# usage: tests/frameworks/corpus/check.sh HAUL FOLDER [SECONDS] [OPTION OF HAUL CHECK...]
set -u
haul=${1:?usage: check.sh HAUL FOLDER [SECONDS] [OPTION...]}
out=${2:?usage: check.sh HAUL FOLDER [SECONDS] [OPTION...]}
seconds=${3:-480}
shift 2
[ $# -gt 0 ] && shift
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
for script in "$here"/*_launches.py; do
    name=$(basename "$script" _launches.py)
    module=$name
    [ "$name" = inductor ] && module=torch
    python3 -c "import $module" 2>/dev/null || { echo "skipped $name: no $module" && continue; }
    for part in $(sed -n 's/^PARTS = {\(.*\)}$/\1/p' "$script" | grep -o '"[a-z-]*"' | tr -d '"' | grep . || echo all); do
        words=$part
        [ "$part" = all ] && words=
        (TRITON_CACHE_DIR=$out/cache/$name-$part timeout -k 5 "$seconds" "$haul" check --json --out "$out/$name-$part.json" "$@" \
            -- python3 "$script" $words >"$out/$name-$part.printed" 2>"$out/$name-$part.errors"
        [ -e /dev/nvidia0 ] || exit 0
        timeout "$seconds" python3 "$script" $words >"$out/$name-$part.gpu" 2>/dev/null
        diff "$out/$name-$part.gpu" "$out/$name-$part.printed" && echo "$name-$part: as on the GPU") &
    done
done
wait
python3 "$here/count.py" --findings "$out"/*.json
