#!/bin/sh
# docs/runtime.md is up to date with runtime.def, whose rows are in the order that they are looked for in.
# usage: run_docs.sh SOURCE_ROOT BUILD_FOLDER
page=$(mktemp)
trap 'rm -f "$page"' EXIT
sed -n 's/^[A-Z]*(\(.*\))$/\1/p' "$1/src/standin/runtime.def" | LC_ALL=C sort -c || exit 1
"$2/tools/haul_gen_runtime_docs" >"$page" || exit 1
diff "$1/docs/runtime.md" "$page" || {
    echo "docs/runtime.md is stale: run $2/tools/haul_gen_runtime_docs >docs/runtime.md"
    exit 1
}
