#!/bin/sh
# haul profile --device gpu:0 -- PROGRAM on a real GPU: runs sample programs by themselves and timed, shows each report,
# and fails where the output differs, a launch has no time, or a report shows no kernel.
# usage: on-gpu.sh BUILD_FOLDER [NAME...], with the names of tests/programs/samples.list. Programs are compiled with nvcc
# for the first GPU's compute capability (ARCH sets another one), unless PROGRAMS names a folder that has them.
set -u
build=$(cd "$1" && pwd) || exit 2
shift
programs=$(cd "$(dirname "$0")/../programs" && pwd)
haul=$build/haul
[ $# -gt 0 ] || set -- scan_look_back n_body driver_module graph_capture clusters cooperative_grid host_threads streams_and_events
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
built=${PROGRAMS:-}
if [ -z "$built" ]; then
    ARCH=${ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)}
    export ARCH
    built=$work/built
    mkdir "$built"
    for name; do
        sh "$programs/build.sh" "$name" "$built" >"$work/$name.build" 2>&1 || { echo "$name:"; cat "$work/$name.build"; }
    done
fi

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

timed() { # NAME COMMAND...: its output and status, and how long it took
    to=$work/$1
    shift
    begin=$(milliseconds)
    timeout 120 "$@" >"$to.out" 2>"$to.err"
    echo $? >"$to.status"
    echo $(($(milliseconds) - begin)) >"$to.ms"
}

try() { # NAME
    timed alone "$built/$1"
    timed haul "$haul" profile --device gpu:0 --out "$work/report" -- "$built/$1"
    rm -f "$work/lines"
    timed json "$haul" profile --device gpu:0 --json --out "$work/lines" -- "$built/$1"
    echo "alone $(cat "$work/alone.ms") ms, timed $(cat "$work/haul.ms") ms"
    cat "$work/haul.err" "$work/report"
    cmp "$work/alone.status" "$work/haul.status" || return 1
    diff "$programs/samples/$1.out" "$work/haul.out" || return 1
    grep -q '"kernel":.*"us":' "$work/lines" || { echo "no launch was seen"; return 1; }
    tail -n 1 "$work/lines" | grep -q '"scaled":false' || { echo "launches have no times"; return 1; }
}

"$haul" info
failed=0
for name; do
    echo
    if try "$name" >"$work/log" 2>&1; then echo "ok      $name"; else echo "FAILED  $name" && failed=1; fi
    sed 's/^/        /' "$work/log"
done

echo
echo "Refusals, of a check and of a GPU that is not there:"
"$haul" check --device gpu:0 -- true
"$haul" profile --device gpu:99 -- true
exit $failed
