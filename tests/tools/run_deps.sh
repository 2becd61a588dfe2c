#!/bin/sh
# tools/install-deps.sh leaves a machine alone that has everything, names what is missing on one that has not, and
# refuses options that it does not know.
set -u
script=$1/tools/install-deps.sh
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

fail() {
    printf '%s\n' "$@"
    exit 1
}

"$script" --check >"$tools/out" 2>&1 || fail "something is missing after all:" "$(cat "$tools/out")"
[ ! -s "$tools/out" ] || fail "it speaks although nothing is missing:" "$(cat "$tools/out")"

"$script" --everything >"$tools/out" 2>&1
[ $? -eq 2 ] || fail "an unknown option is not refused with status 2"
grep -q "unknown option '--everything'" "$tools/out" || fail "the refusal does not name the option"

# A machine with nothing but the basic commands: no compiler, no apt.
mkdir "$tools/bin"
for command in sh cat cut echo env id mktemp printf rm sed head; do
    ln -s "$(command -v $command)" "$tools/bin/$command" 2>/dev/null || true
done
PATH=$tools/bin /bin/sh "$script" --minimal >"$tools/out" 2>&1
[ $? -eq 1 ] || fail "a bare machine does not end with status 1"
for word in gcc cmake ninja jansson libsmartcols "no apt here"; do
    grep -q "$word" "$tools/out" || fail "'$word' is not named:" "$(cat "$tools/out")"
done
