#!/bin/sh
# Replays all recorded sets: docs/accuracy.md is what comes, so no pair agrees or differs unnoticed; README quotes its figures.
# usage: run_accuracy.sh SOURCE_ROOT BUILD_FOLDER
page=$(mktemp) || exit 1
trap 'rm -f "$page"' EXIT
"$1/tools/accuracy" "$2" >"$page" || exit 1
diff "$1/docs/accuracy.md" "$page" || {
    echo "docs/accuracy.md is stale. If all that changed is as good or better, run make docs"
    exit 1
}
grep -oE '[0-9,]+ of [0-9,]+ \([0-9.]+ %\)' "$1/README.md" | while read -r figure; do
    grep -qF "$figure" "$page" && continue
    echo "README.md says $figure, docs/accuracy.md does not"
    exit 1
done
