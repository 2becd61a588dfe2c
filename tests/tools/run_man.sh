#!/bin/sh
# The manual page is what the tables of commands and options say, and groff has nothing to complain about.
set -u
page=$(mktemp)
trap 'rm -f "$page" "$page.warnings"' EXIT

"$2/tools/haul_gen_man" "$1/docs/man/haul.1.in" >"$page" || exit 1
diff -u "$1/docs/man/haul.1" "$page" || { echo "docs/man/haul.1 is not current: run make docs"; exit 1; }
command -v groff >/dev/null || exit 0
groff -ww -man -Tutf8 "$page" >/dev/null 2>"$page.warnings"
[ ! -s "$page.warnings" ] || { cat "$page.warnings"; exit 1; }
