#!/bin/sh
# The line that shows on a terminal how far a program's launch has come.
# usage: run_terminal.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_launches
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }
python3 -c 'import os; os.openpty()' 2>/dev/null || { echo "skipped: this system gives no pseudo-terminals"; exit 77; }
. "$1/tests/cli/terminal.sh"

export HAUL_COMPILE=off HAUL_PROGRESS_AFTER=0 # the same on each host
line='^\[#*\.*\] launch 1, loop: [0-9,]+ of [0-9,]+ blocks, [0-9,]+/s, \d+ s left *$'
shows_line="any(re.search(r'$line', l) for l in lines)"

rounds=20000 # blocks for several rounds, so that the line is drawn again after the first one on fast hosts, too
on_terminal . 0 "$haul" run --threads 1 -- "$program" loop $rounds
result 'a program runs on a terminal' [ "$ended" = 0 ]
result 'kernel, launch, blocks, rate and time are shown' saw "$shows_line"
result 'the line is taken away' saw 're.search(r"\r {20,}\r$", got)'
result 'nothing else is shown' saw 'all(l.startswith("[") and "launch 1, loop" in l for l in lines)'
on_terminal . 0 "$haul" profile --sample 100 --threads 1 -- "$program" loop 6000
result 'a profile shows it too' saw "$shows_line"
result 'and takes it away before the report' saw 're.search(r"\r {20,}\r\S*Memory profile", got)'
result 'in which it is not' saw '"[#" not in got[got.index("Memory profile"):]'
on_terminal . 0 "$haul" check --threads 1 -- "$program" loop $rounds
result 'so does a check' saw "$shows_line"
result 'its report is behind it' saw 're.search(r"\r {20,}\r1 launch: ", got)'
columns=60
on_terminal . 0 "$haul" run --threads 1 -- "$program" loop 6000
result 'the line does not wrap' saw 'max(map(len, lines)) <= 60 and "\n" not in got and "of 6" in got'
columns=120
on_terminal . 0 "$haul" run --threads 1 -- "$program" loop 4000 3
result 'it says which launch it is' saw 'any("launch 3, loop: " in l for l in lines)'
on_terminal . 0 sh -c "'$haul' profile --sample 100 --threads 1 -- '$program' print 6000 >&2"
result 'it is taken away before what a kernel prints' \
    saw 'len(re.findall(r"(?<= {30}\r)ok\r\n|(?<=\n)ok\r\n", got)) == 3 and "] launch 1, print" in got'
on_terminal . 0 sh -c "printf 'Computing ... ' >&2; '$haul' run --threads 1 -- '$program' loop 6000"
result 'what the program has written of a line stays' saw 're.search(r"^Computing \.\.\.  {120}\r\r\[", got)'
on_terminal 'blocks, [0-9,]+/s' 2 "$haul" run --threads 1 -- "$program" loop 20000000
result 'an interrupted program ends by the signal' [ "$ended" = -2 ]
result 'and its line is taken away' saw 're.search(r"\r {20,}\r$", got)'

unset HAUL_PROGRESS_AFTER
on_terminal . 0 "$haul" run -- "$program" once 1000 3
result 'short launches show nothing' saw 'got == ""'
on_terminal . 0 "$haul" run --quiet --threads 1 -- "$program" loop 6000
result 'quiet shows nothing' saw 'got == ""'
exits_with 0 "$haul" run --threads 1 -- "$program" loop 6000
result 'a file gets nothing' [ ! -s "$work/err" ]
exit $((failures > 0))
