#!/bin/sh
# haul check knows heaps that a program divides itself, and permissions, if the program describes them by NVTX.
# usage: run_regions.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_regions
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

says() { grep -qe "$1" "$work/err"; }

# CASE KIND SENTENCE: the program ends well, with one finding
wrong() {
    result "$1" exits_with 1 "$haul" check -- "$program" "$1"
    result "$1: its kind" says "error: $2 in fill"
    result "$1: the sentence" says "$3"
    result "$1: one finding" says '1 error, 0 warnings'
}

result 'a right program' exits_with 0 "$haul" check -- "$program"
result 'a program that is not checked' exits_with 0 "$haul" run -- "$program" beyond
wrong beyond out-of-bounds '0 bytes past the end of a region of 63 bytes, in no region of the program'
wrong forbidden illegal-access 'the permissions that the program has given these bytes allow no write'
wrong unregistered use-after-free 'the program has unregistered the region of 64 bytes that held this'
wrong reset use-after-free 'the program has unregistered the region of 64 bytes that held this'
exit $((failures > 0))
