#!/bin/sh
# Completion for bash: it offers exactly the words that haul accepts. usage: run_completion.sh SOURCE_ROOT BUILD_FOLDER
[ -n "${BASH_VERSION-}" ] || { command -v bash >/dev/null || { echo 'skipped: no bash'; exit 77; }; exec bash "$0" "$@"; }
set -u
. "$1/tests/cli/results.sh"
. "$2/completion/haul" || exit 1
root=$1

complete_line() { # LINE: prints the replies, one a line
    COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
    _haul
    printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # LINE WORD...: exactly these
    line=$1
    shift
    complete_line "$line" | sort -u >"$work/out"
    printf '%s\n' "$@" | sort -u | diff - "$work/out"
}
offers_also() { # LINE WORD...: these, and perhaps more
    line=$1
    shift
    complete_line "$line" >"$work/out"
    for word; do grep -qxe "$word" "$work/out" || return 1; done
}
offers_nothing() { [ -z "$(complete_line "$1")" ]; }
commands=$("$haul" help | sed -n 's/^  \([a-z]*\) .*/\1/p')

result 'commands' offers 'haul ' $commands help --help --version
result 'a command that has begun' offers 'haul prof' profile
result 'the command of help' offers 'haul help di' diagnose diff
for command in $commands; do
    result "options of $command" offers "haul $command --" \
        $("$haul" "$command" --help | sed -n '/^options:$/,$s/^ *\(-., \)\?\(--[a-z0-9-]*\).*/\2/p')
done

result 'devices' offers_also 'haul profile --device ' sim:h100 sim:a100 gpu:0 auto
result 'are those of haul info' offers 'haul run --device sim:' $("$haul" info | sed -n 's/^sim:\([a-z0-9]*\) .*/\1/p')
result 'only the part after a colon is replaced' offers 'haul profile --device sim:h' h100 h200
result 'also after =' offers 'haul profile --device=sim:b' b200
result 'values by letter' offers 'haul profile -d sim:a1' a100
result 'a value after =' offers 'haul profile --page=r' raw
result 'findings' offers 'haul check --ignore race-s' $(sed -n 's/^FINDING([A-Z_]*, "\(race-s[a-z-]*\)".*/\1/p' "$root/include/haul/findings.def")
result 'exercises' offers 'haul exercise test tran' transpose
result 'experiments' offers 'haul lab st' strides stencil staging
result 'numbers cannot be completed' offers_nothing 'haul profile --lines '

mkdir -p "$work/a b/folder" && touch "$work/a b/one kernel.cu" "$work/a b/launches.jsonl" && cd "$work/a b" || exit 1
result 'files' offers 'haul profile ' folder 'one kernel.cu' launches.jsonl
result 'files of an option' offers 'haul profile --html l' launches.jsonl
result 'folders of an option' offers 'haul profile --include ' folder
result 'programs' offers_also 'haul profile --launches 1 -- pyth' python3
result 'and their arguments' offers 'haul run -- python3 la' launches.jsonl
result 'no program after -- of other commands' offers 'haul kernels -- la' launches.jsonl

# The words of options: haul knows each. Another reason to refuse one does not matter.
cat >"$work/k.ptx" <<'END'
.version 8.3
.target sm_90
.address_size 64
.visible .entry k() { ret; }
END
knows() { # COMMAND...: the last argument is an option, which gets each of its words
    words=$(complete_line "haul $1 ${!#} ")
    [ -n "$words" ] || return 1
    for word in $words; do
        "$haul" "$@" "$word" >/dev/null 2>"$work/err" </dev/null
        ! grep -qF "\`$word\`" "$work/err" || return 1
    done
}
result 'pages' knows profile "$work/k.ptx" --device sim -q -k k --csv --page
result 'bases of names' knows profile "$work/k.ptx" --device sim -q -k k --csv --print-kernel-base
result 'grades' knows check "$work/k.ptx" --device sim -q -k k --grade
result 'schedules' knows check "$work/k.ptx" --device sim -q -k k --schedule
result 'engines' knows diagnose sequential --bytes 4096 -q --engine
result 'teams' knows diagnose sequential --bytes 4096 -q --team
result 'types to add' knows diagnose sequential --bytes 4096 -q --add
result 'ways of a transfer' knows diagnose sequential --bytes 4096 -q --how

exit $((failures > 0))
