#!/bin/sh
# docs/check.md is up to date with findings.def and metrics.def, and the rules that it shows are read.
page=$(mktemp)
trap 'rm -f "$page"' EXIT
"$2/tools/haul_gen_check_docs" "$1/docs/check.md.in" >"$page" || exit 1
diff "$1/docs/check.md" "$page" || {
    echo "docs/check.md is stale: run make docs"
    exit 1
}
