#!/bin/sh
# haul stream over several ranks: one file, the bytes of one rank, and what a killed rank leaves.
# usage: run_stream.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/ranks/ranks.sh"
. "$1/tests/cli/results.sh"

says() { grep -q -- "$1" "$work/$2"; }
head -c 1000004 /dev/urandom >"$work/in"
"$haul" stream --device sim --quiet --in "$work/in" --out "$work/one" || exit 1

result '4 ranks' exits_with 0 ranks 4 "$haul" stream --device sim --in "$work/in" --out "$work/four" --chunk 64K
result 'write the bytes of one' cmp "$work/one" "$work/four"
result 'and are listed' [ "$(grep -c '^   [0-3]  sim:h100 ' "$work/out")" = 4 ]
result 'no parts are left' [ -z "$(ls "$work" | grep partial)" ]
result '3 ranks, a large halo' exits_with 0 ranks 3 "$haul" stream --device sim -q --halo 70000 --in "$work/in" --out "$work/four"
result 'write the bytes of one as well' cmp "$work/one" "$work/four"
result 'ranks of several kinds' exits_with 0 ranks 2 "$haul" stream --device sim:a100,sim:h200 --json --in "$work/in" --out "$work/four"
result 'each have a device of the list' python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))['ranks']
assert [x['device'] for x in r] == ['sim:a100', 'sim:h200'] and sum(x['items'] for x in r) == 250001" "$work/out"
result 'more ranks than items' sh -c "printf 12345678 >'$work/few'"
result 'are fine' exits_with 0 ranks 4 "$haul" stream --device sim -q -k none --in "$work/few" --out "$work/few.out"
result 'and lose nothing' cmp "$work/few" "$work/few.out"

# The failure of one rank is that of all, told once.
result 'an input that is not there' exits_with 2 ranks 4 "$haul" stream --device sim --in "$work/nothing" --out "$work/x"
result 'is told once' [ "$(grep -c 'cannot be opened' "$work/err")" = 1 ]

# Rank 2 is killed when it has written some chunks. It is slow, as each of its chunks is small.
kill_rank() {
    ranks 4 sh -c 'echo $$ >"$0/process${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"; exec "$@"' "$work" "$haul" stream --device sim --in "$work/in" \
        --out "$work/killed" --chunk 256 --depth 1 --copy-threads 1 >"$work/out" 2>"$work/err" &
    job=$!
    tries=0
    until [ "$(grep -c . "$work/killed.partial.done-2" 2>/dev/null || echo 0)" -ge 3 ] || [ $tries -ge 2000 ]; do
        tries=$((tries + 1))
        sleep 0.01
    done
    kill -9 "$(cat "$work/process2")"
    ! wait $job
}
result 'a killed rank ends all' kill_rank
result 'the others say how to continue' says 'rank [013]: stopped; .* --resume to continue$' err
result 'the parts are left' [ -s "$work/killed.partial" ]
result 'without a whole file' [ ! -e "$work/killed" ]
result 'other options do not continue it' exits_with 2 ranks 4 "$haul" stream --device sim --resume -k none --in "$work/in" --out "$work/killed"
result 'which is told' says 'cannot be resumed' err
result 'another number of ranks continues' exits_with 0 ranks 2 "$haul" stream --device sim --resume --in "$work/in" --out "$work/killed" --chunk 256
result 'with what is there' says 'of the chunks were complete from an earlier run' out
result 'to the bytes of one' cmp "$work/one" "$work/killed"
result 'and leaves no parts' [ -z "$(ls "$work" | grep partial)" ]
exit $((failures > 0))
