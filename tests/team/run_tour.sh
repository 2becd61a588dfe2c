#!/bin/sh
# The tour of docs/team.md from find_package(haul) on: a team's project builds with an installed haul, its tests pass, and a
# planted regression fails the test that guards it, by name and line. tools/try-team.sh makes the whole tour in a bare system.
set -u
. "$1/tests/want.sh"
build=$2
unset HAUL_TOOLCHAIN CMAKE_PREFIX_PATH

plant() { # FILE OLD NEW: the file has the words once
    [ "$(grep -cF "$2" "$1")" -eq 1 ] || fail "'$2' is not in $1 once"
    cp "$1" original
    sed -i "s|$2|$3|" "$1"
}
mend() { cp original "$1"; }
run_tests() { # WHAT STATUS OPTION...: its output and its messages are in one file
    label=$1 code=$2
    shift 2
    want "$label" "$code" sh -c 'ctest --test-dir build --output-on-failure "$@" 2>&1' ctest "$@"
}
passes() { grep -Eq "$1 \.*   Passed" out || fail "$what: $1 does not pass: $(cat out)"; }
fails() { grep -Eq "$1 \.*\*\*\*Failed" out || fail "$what: $1 does not fail: $(cat out)"; }

sectors_in_python() { # STATUS TEXT
    [ -d "$work/prefix/share/haul/python" ] || return 0 # not in a build with sanitizers
    want "Python" "$1" sh -c 'PYTHONPATH=$0/share/haul/python python3 sectors.py 2>&1' "$work/prefix"
    has "$2"
}

"$root/toolchain/cu2ptx" --find >out 2>&1 || { cat out && exit 77; }
want "cmake --install" 0 cmake --install "$build" --prefix "$work/prefix"
cp -r "$root"/examples/team/* .
want "find_package(haul)" 0 cmake -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix"
want "the build" 0 cmake --build build
run_tests "the tests" 0
for test in check.transpose check.launches traffic.row_sums traffic.baseline guard; do passes $test; done

sectors_in_python 0 "row_sums: 8192 sectors loaded, 8192 are needed"

# Columns of the tile share a bank: the expectation in the source fails, and so does the comparison.
plant kernels/transpose.cu "PADDING = 1" "PADDING = 0"
run_tests "bank conflicts" 8 -E guard
fails check.transpose
fails check.launches
fails traffic.baseline
passes traffic.row_sums
has "kernels/transpose.cu:11: failed: expected bank_conflicts == 0: 15872 measured in transpose"
has "kernels/transpose.cu:11: transpose: shared_wavefronts grew"
mend kernels/transpose.cu

plant kernels/transpose.cu "__syncthreads();" ""
run_tests "a race" 8 -R check
fails check.transpose
has "kernels/transpose.cu:11: error: race-shared in transpose"
grep -q '"uri": "kernels/transpose.cu"' build/haul.sarif || fail "$what: haul.sarif does not name the file"
mend kernels/transpose.cu

# Each lane reads columns / 32 elements one after the other.
plant kernels/row_sums.cu "int i = lane; i < columns; i += 32" "int i = lane * columns / 32; i < (lane + 1) * columns / 32; i++"
run_tests "strided loads" 8 -R "guard|row_sums"
fails traffic.row_sums
fails guard
has "expected global_load sectors <= 8192: 16384 measured, most at row_sums.cu:6 in row_sums"
has "row_sums: 16384 sectors loaded, 8192 are needed"

sectors_in_python 1 "AssertionError: row_sums loads more than it needs"

# The intended change goes into the baseline.
want "the baseline" 0 cmake --build build --target haul_update_baselines
run_tests "the baseline's test" 0 -R traffic.baseline
passes traffic.baseline
mend kernels/row_sums.cu

done_with "a team's project builds, and planted regressions fail its tests"
