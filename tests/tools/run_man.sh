#!/bin/sh
# The manual pages are what the tables of commands and options say, and groff, man and mandoc have nothing to complain
# about. Each command has a page with the options of its --help.
set -u
page=$(mktemp)
trap 'rm -f "$page" "$page".*' EXIT

"$2/tools/haul_gen_man" "$1/docs/man/haul.1.in" >"$page" || exit 1
diff -u "$1/docs/man/haul.1" "$page" || { echo "docs/man/haul.1 is not current: run make docs"; exit 1; }
complain() { [ ! -s "$page.warnings" ] || { echo "$1:"; cat "$page.warnings"; exit 1; }; }
check() { # PAGE
    if command -v groff >/dev/null; then groff -ww -man -Tutf8 "$1" >/dev/null 2>"$page.warnings"; complain "$1"; fi
    if command -v man >/dev/null; then MANWIDTH=80 man -l --warnings "$1" >/dev/null 2>"$page.warnings"; complain "$1"; fi
    if command -v mandoc >/dev/null; then mandoc -T lint -W warning "$1" >"$page.warnings" 2>&1; complain "$1"; fi
}
options() { sed -n "$1" | sort -u; } # the long names

check "$page"
for command in $("$2/haul" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    own=$2/man/haul-$command.1
    check "$own"
    "$2/haul" "$command" --help | options '/^options:$/,$s/^ *\(-., \)\?--\([a-z0-9-]*\).*/\2/p' >"$page.help"
    options '/^\.SH OPTIONS/,$s/^\(\\fB\\-.\\fR, \)\?\\fB\\-\\-\(.*\)\\fR\( .*\)\?$/\2/p' <"$own" | sed 's/\\-/-/g; s/\\fR.*//' >"$page.options"
    [ -s "$page.help" ] && diff "$page.help" "$page.options" || { echo "haul-$command.1 has other options than --help"; exit 1; }
    grep -q "^\.BR haul.-$command (1)" "$page" || { echo "haul.1 does not name haul-$command.1"; exit 1; }
done
