#!/bin/sh
# An exercise: its solution solves it, its starter does not, and each wrong solution of wrong.list gets the hint that fits.
# usage: exercise.sh SOURCE_ROOT BUILD_FOLDER NAME
set -u
. "$1/tests/want.sh"
name=$3 folder=$1/exercises/$3
[ -e "$2/standin/libcudart.so.12" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }
# HAUL_TEST_COMPILERS narrows the list, as in compilers.sh
case " ${HAUL_TEST_COMPILERS:-clang} " in *" clang"*) ;; *) echo "skipped: it is tried with clang elsewhere"; exit 77 ;; esac
"$1/toolchain/cu2ptx" --compiler clang --find >/dev/null 2>&1 || { echo "skipped: no clang is installed"; exit 77; }

try() { # FILE: what it prints, in one line, goes to FILE.out, the exit code to FILE.code
    "$haul" exercise test "$name" "$1" --threads 1 --timeout 240 >"$1.text" 2>&1
    echo $? >"$1.code"
    tr -s ' \n' '  ' <"$1.text" >"$1.out"
}

expect() { # FILE CODE WORDS WHAT
    [ "$(cat "$1.code")" -eq "$2" ] && grep -q -F -e "$3" "$1.out" && return
    fail "$4: exit code $(cat "$1.code"), no '$3' in:"
    cat "$1.text"
}

cp "$folder/solution.cu" solution.cu
try solution.cu &
by_hints=$1/tests/exercises/by_hints/$name.cu
[ ! -e "$by_hints" ] || { cp "$by_hints" by_hints.cu && try by_hints.cu & }
number=0
grep -e "^$name :: " "$1/tests/exercises/wrong.list" >rows
while read -r row; do
    number=$((number + 1))
    what=$(printf '%s\n' "$row" | awk -F ' :: ' '{print $2}')
    if [ "$what" = starter ]; then
        cp "$folder/starter.cu" $number.cu
    elif [ -e "$1/tests/exercises/wrong/$what" ]; then
        cp "$1/tests/exercises/wrong/$what" $number.cu
    else
        printf '%s\n' "$row" | awk -F ' :: ' '{print $3}' >change
        sed -E -f change "$folder/solution.cu" >$number.cu
        cmp -s "$folder/solution.cu" $number.cu && fail "$what: the change changes nothing"
    fi
    try $number.cu &
    [ $((number % 2)) -eq 1 ] || wait # two at a time: some exercises take much memory
done <rows
wait
[ $number -ge 4 ] || fail "wrong.list has no starter and three wrong solutions of $name"

expect solution.cu 0 "solution.cu solves $name" "the solution"
[ ! -e "$by_hints" ] || expect by_hints.cu 0 "by_hints.cu solves $name" "what following the hints leads to"
number=0
while read -r row; do
    number=$((number + 1))
    what=$(printf '%s\n' "$row" | awk -F ' :: ' '{print $2}')
    expect $number.cu 1 "$(printf '%s\n' "$row" | awk -F ' :: ' '{print $4}')" "$what"
    grep -q 'Hint: ' $number.cu.out || fail "$what: no hint"
done <rows
done_with "$name: the solution passes; $number others are refused, each with its hint"
