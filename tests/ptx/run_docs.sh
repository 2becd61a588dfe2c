#!/bin/sh
# docs/ptx.md is up to date with isa.def.
page=$(mktemp)
trap 'rm -f "$page"' EXIT
"$2/tools/haul_gen_ptx_docs" >"$page" || exit 1
diff "$1/docs/ptx.md" "$page" || {
    echo "docs/ptx.md is stale: run $2/tools/haul_gen_ptx_docs >docs/ptx.md"
    exit 1
}
