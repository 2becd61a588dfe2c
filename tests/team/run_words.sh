#!/bin/sh
# haul_add_check() and haul_add_profile() take their words, refuse bad ones with a line that says what to do, and skip where
# the machine lacks what a test needs.
set -u
. "$1/tests/want.sh"
build=$2
want "cmake --install" 0 cmake --install "$build" --prefix "$work/prefix" --component haul
cp "$root/examples/team/kernels/transpose.cu" "$root/tests/data/hazards/hazards.ptx" .
head -n 2 "$root/tests/data/hazards/launches.jsonl" | sed 's/"expect":\[[^]]*\]/"ptx":"hazards.ptx"/' >found.jsonl
sed -n 2p found.jsonl >clean.jsonl

project() { # LINES: a project without languages; the libraries and their dependencies are not needed for tests
    printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(words LANGUAGES NONE)' 'enable_testing()' \
        'find_package(haul REQUIRED)' "$1" >CMakeLists.txt
    rm -rf build
}
configure() { cmake -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix" >out 2>&1; }
refuse_call() { # PATTERN CALL
    what=$2
    project "$2"
    configure && fail "$what: not refused"
    tr '\n' ' ' <out | tr -s ' ' >err # CMake folds lines
    cp err out
    has "$1"
    has "CMakeLists.txt:[56]"
}
launch='KERNEL transpose GRID 4,4 BLOCK 32,8 ARGS buf:f01:16384 buf:zero:16384 i32:128'

refuse_call 'haul_add_check(a): no file given: name CUDA source' 'haul_add_check(a)'
refuse_call "'k.cpp' is neither a word of haul_add_check() nor CUDA source" 'haul_add_check(a k.cpp)'
refuse_call 'no such file: .*/nothing.cu' "haul_add_check(a nothing.cu $launch)"
refuse_call 'no launches: add KERNEL name GRID n BLOCK n' 'haul_add_check(a transpose.cu)'
refuse_call 'KERNEL transpose has no BLOCK' 'haul_add_check(a transpose.cu KERNEL transpose)'
refuse_call 'GRID describes a launch: add KERNEL' 'haul_add_check(a found.jsonl GRID 4)'
refuse_call 'GRID has no value' 'haul_add_check(a transpose.cu KERNEL transpose GRID BLOCK 32)'
refuse_call 'TARGET app is not a target' 'haul_add_check(a TARGET app)'
refuse_call 'KERNEL describes a launch, but the program of TARGET makes its own' 'haul_add_check(a TARGET app KERNEL k)'
refuse_call "'NAMES' is neither a word" 'haul_add_check(a NAMES found.jsonl)'
refuse_call "names no kernel: write 'KERNEL: sectors <= 4'" 'haul_add_check(a found.jsonl EXPECT "sectors <= 4")'
refuse_call 'has a test of this name already' 'haul_add_check(a found.jsonl)
haul_add_check(a found.jsonl)'
refuse_call 'BASELINE and REVISION are two comparisons' 'haul_add_profile(a found.jsonl BASELINE b.json REVISION main)'
refuse_call 'FAIL_ON and CHECK belong to a comparison' 'haul_add_profile(a found.jsonl FAIL_ON "sectors>2%")'
refuse_call "fails by limits only: add FAIL_ON, as 'sectors>2%'" 'haul_add_profile(a found.jsonl REVISION main)'
refuse_call 'expectations and a comparison are two tests' 'haul_add_profile(a found.jsonl BASELINE b.json EXPECT "k: sectors <= 4")'
refuse_call 'haul has no component other: give library, tests, or none' 'find_package(haul REQUIRED COMPONENTS other)'
refuse_call 'libhaul is not installed beside the command' 'find_package(haul REQUIRED COMPONENTS library)'

program=
if [ -x "$build/tests/standin_program" ]; then
    program="add_executable(app IMPORTED)
set_target_properties(app PROPERTIES IMPORTED_LOCATION $build/tests/standin_program)
haul_add_check(program TARGET app ARGS increase)"
fi
project "$program
haul_add_check(found found.jsonl)
haul_add_check(graded found.jsonl GRADE warning IGNORE async-* LABELS kernels)
haul_add_check(NAME clean clean.jsonl DEVICE sim:a100 TIMEOUT 60 JUNIT clean.xml REQUIRED)
haul_add_profile(limited clean.jsonl EXPECT \"ok_no_wait: sectors <= 1\")
haul_add_profile(no_baseline clean.jsonl BASELINE none.json)
haul_add_profile(revision clean.jsonl REVISION HEAD FAIL_ON \"sectors>2%\" \"global_load sectors>0\" CHECK)
haul_add_check(no_clang transpose.cu COMPILER clang $launch)
haul_add_check(must_have_clang transpose.cu COMPILER clang REQUIRED $launch)
haul_add_profile(no_gpu clean.jsonl DEVICE gpu:0 BASELINE none.json)"
configure || fail "the project is not configured: $(cat out)"
cp out err
what="a missing baseline"
has "no_baseline): none.json does not exist yet: build the target haul_update_baselines"
git init -q . && git add ./*.jsonl ./*.ptx && git -c user.name=team -c user.email=team@example.org commit -q -m "A launch"
mkdir bin
for tool in sh cat sed readlink dirname mktemp rm grep; do ln -s "$(command -v $tool)" bin; done
ctest=$(command -v ctest)
PATH=$work/bin "$ctest" --test-dir build --output-on-failure >out 2>&1
what="the tests"
for result in "found \.*\*\*\*Failed" "graded \.* *Passed" "clean \.* *Passed" "limited \.*\*\*\*Failed" "no_baseline \.*\*\*\*Failed" \
    "no_clang \.*\*\*\*Skipped" "must_have_clang \.*\*\*\*Failed" "async-read-before-wait in bad_no_wait" "there is no such baseline: add --update" \
    "expected sectors <= 1" "no clang .* found: install it"; do
    has "$result"
done
"$work/prefix/bin/haul" info --json | grep -q '"gpu:[0-9]' || has "no_gpu \.*\*\*\*Skipped"
[ -z "$program" ] || has "program \.* *Passed"
[ -s build/clean.xml ] || fail "JUNIT wrote nothing"
want "a revision" 0 ctest --test-dir build -R revision
want "labels" 0 ctest --test-dir build -N -L kernels
has "graded"
done_with "words of haul_add_check() and haul_add_profile()"
