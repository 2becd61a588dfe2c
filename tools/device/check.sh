#!/bin/sh
# Everything about haul that only a GPU can tell, in one go: the kernels' tests, the sweeps of transfers and pipelines, the
# instruction tests, the lab, what a debug build says, the machine code, and compute-sanitizer over a part of it.
#
# usage: tools/device/check.sh [--build FOLDER] [--log FOLDER] [--points N] [CHECK...]
#
# FOLDER: of a build with tests (default build); logs, one a check, go to build/device-check, or where --log says. N: points
# of each sweep on each architecture (default 50000). CHECK: kernels sweeps isa lab debug sass sanitizer (default: all that
# the machine has the tools for). Exit status: how many failed.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build
log=
points=50000
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 ;;
    --log) log=$2 ;;
    --points) points=$2 ;;
    *) break ;;
    esac
    shift 2
done
log=${log:-$build/device-check}
[ $# -gt 0 ] || set -- kernels sweeps isa lab debug sass sanitizer
mkdir -p "$log"
export HAUL_TEST_DEVICE=gpu:0
failures=0
processes=$(nproc)
[ "$processes" -le 12 ] || processes=12

# says NAME STATUS [REMARK]: a line a check.
says() {
    if [ "$2" -eq 0 ]; then
        echo "ok      $1${3:+: $3}"
    else
        echo "FAILED  $1${3:+: $3} ($log/$1.log)"
        failures=$((failures + 1))
    fi
}

# run NAME COMMAND...: its output and its status go to the log. With & behind it, several at a time.
run() {
    name=$1
    shift
    "$@" >"$log/$name.log" 2>&1
    echo $? >"$log/$name.status"
}

# result NAME [PATTERN]: of what was run; the last line of the log with the pattern is the remark.
result() {
    says "$1" "$(cat "$log/$1.status")" "$(grep -E "${2:-\[ +(PASSED|FAILED) +\]}" "$log/$1.log" | tail -n 1)"
}

kernels() {
    for test in "$build"/tests/kernels_test_*; do
        run "$(basename "$test")" "$test" &
    done
    wait
    for test in "$build"/tests/kernels_test_*; do result "$(basename "$test")"; done
}

# A process for each core, each from a seed of its own. The first few points alone: they compile for all.
sweeps() {
    for program in device_test_sweep device_test_pipelines; do
        [ -x "$build/tests/$program" ] || continue
        HAUL_SWEEP_POINTS=24 "$build/tests/$program" >/dev/null 2>&1
        i=0
        while [ $i -lt "$processes" ]; do
            run $program.$i env HAUL_SWEEP_POINTS=$((points / processes + 1)) HAUL_SWEEP_SEED=$((1 + i * 100000)) \
                "$build/tests/$program" &
            i=$((i + 1))
        done
        wait
        cat "$log/$program".*.log >"$log/$program.log"
        cat "$log/$program".*.status | sort -n | tail -n 1 >"$log/$program.status"
        result $program
    done
}

isa() {
    run isa env HAUL_TEST_DEVICE=gpu "$build/tests/sim_test_isa" &
    for test in tensor cluster; do run sim_test_$test "$build/tests/sim_test_$test" & done
    wait
    for test in isa sim_test_tensor sim_test_cluster; do result $test; done
}

lab() {
    run lab "$build/haul" lab --device gpu:0 --out "$log/lab"
    result lab FAILED
}

# Every mistake of the example ends its launch with a message, and does not hang.
debug() {
    for kernel in five_tiles no_commit wrong_role a_round_more misaligned fewer_threads; do
        timeout 60 "$build/haul" profile "$root/examples/mistakes.cu" --device gpu:0 -D HAUL_DEBUG --kernel $kernel \
            --grid 1 --block 64 --arg buf:f01:8192 >"$log/debug_$kernel.log" 2>&1
        status=$?
        [ $status -ne 0 ] && [ $status -ne 124 ] && grep -q 'haul: ' "$log/debug_$kernel.log"
        says debug_$kernel $? "$(grep -m 1 'haul: ' "$log/debug_$kernel.log")"
    done
}

# No local memory in any kernel that ships, and 16-byte accesses in those that are built for them.
sass() {
    command -v cuobjdump >/dev/null && command -v nvcc >/dev/null || { echo "skipped sass: no nvcc or no cuobjdump"; return; }
    for source in "$root"/kernels/*.cu; do
        name=$(basename "$source" .cu)
        nvcc -O3 -std=c++17 -arch=sm_90 -cubin -I "$root/include" "$source" -o "$log/$name.cubin" &&
            cuobjdump -sass "$log/$name.cubin" >"$log/$name.sass" || { says "sass_$name" 1; continue; }
        awk '/Function : /{f = $3} / (LDL|STL)[. ]/{n[f]++} END {for (k in n) print k, n[k]; exit length(n) > 0}' \
            "$log/$name.sass" >"$log/sass_$name.log"
        says "sass_$name" $? "accesses to local memory: $(wc -l <"$log/sass_$name.log") kernels"
    done
}

sanitized='kernels_test_saxpy kernels_test_copies kernels_test_maxpool kernels_test_stencil kernels_test_transpose
    kernels_test_rows kernels_test_fused kernels_test_matvec device_test_sweep device_test_pipelines'

sanitizer() {
    command -v compute-sanitizer >/dev/null || { echo "skipped sanitizer: no compute-sanitizer"; return; }
    for tool in memcheck racecheck synccheck; do
        for test in $sanitized; do
            run $tool.$test env HAUL_SWEEP_POINTS=480 timeout 200 compute-sanitizer --tool $tool --error-exitcode 99 \
                "$build/tests/$test" &
        done
        wait
        for test in $sanitized; do result $tool.$test SUMMARY; done
    done
}

for check; do
    $check
done
exit $failures
