#!/bin/sh
# docs/runtime.md and docs/driver.md are up to date with the tables of functions, whose rows are in the order that they
# are looked for in. usage: run_docs.sh SOURCE_ROOT BUILD_FOLDER
page=$(mktemp)
trap 'rm -f "$page"' EXIT
for table in runtime/runtime.def cuda/names.def cuda/functions.def; do
    sed -n 's/^[A-Z]*(\([A-Za-z0-9_]*\).*/\1/p' "$1/src/standin/$table" | LC_ALL=C sort -c || exit 1
done
for what in runtime driver; do
    "$2/tools/haul_gen_runtime_docs" $what >"$page" || exit 1
    diff "$1/docs/$what.md" "$page" || {
        echo "docs/$what.md is stale: run $2/tools/haul_gen_runtime_docs $what >docs/$what.md"
        exit 1
    }
done
