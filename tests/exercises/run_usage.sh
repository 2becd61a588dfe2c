#!/bin/sh
# haul exercise without compiling anything: the list, starters that are never overwritten, hints, and wrong use.
# usage: run_usage.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/want.sh"

want "the list" 0 "$haul" exercise list
has '^transpose  *A transpose without bank conflicts'
for name in $(tr -d '[],"' <"$root/exercises/exercises.json"); do has "^$name  "; done
want "the list as JSON" 0 "$haul" exercise list --json
has '"name": "transpose"'

want "a starter" 0 "$haul" exercise start copies
has '^copies.cu: written'
cmp -s copies.cu "$root/exercises/copies/starter.cu" || fail "copies.cu is not the starter"
echo mine >copies.cu
refuse 'copies.cu: already exists and stays as it is' exercise start copies
[ "$(cat copies.cu)" = mine ] || fail "a learner's file was overwritten"
want "a starter elsewhere" 0 "$haul" exercise start copies other.cu
refuse 'none/a.cu: cannot be made' exercise start copies none/a.cu

want "the first hint" 0 "$haul" exercise hint copies
has '^Hint 1 of 5: '
has 'The next one: haul exercise hint copies 2'
want "the last hint" 0 "$haul" exercise hint copies 5
want "a hint as JSON" 0 "$haul" exercise hint copies 2 --json
json "lines[0]['number'] == 2 and lines[0]['hints'] == 5 and lines[0]['hint']"
for number in 0 6 two 2x -1 99999999999999999999999; do
    refuse 'copies has hints 1 to 5\|unknown option' exercise hint copies $number
done

refuse 'no action is given' exercise
refuse 'unknown action tset: did you mean test?' exercise tset copies
refuse 'unknown action zzz' exercise zzz
refuse 'which exercise?' exercise test
refuse 'unknown exercise copys: did you mean copies?' exercise start copys
refuse 'unknown exercise zzz: `haul exercise list` lists them' exercise hint zzz
refuse 'one word too many' exercise list copies
refuse 'one word too many' exercise test copies copies.cu other.cu
refuse 'missing.cu: cannot be read' exercise test copies missing.cu
refuse 'missing.cu: cannot be read' exercise score copies missing.cu
refuse 'sim:nonesuch' exercise test copies --device sim:nonesuch
done_with "the list, starters and hints; what is wrong is said in one line"
