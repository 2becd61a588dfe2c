#!/bin/sh
# The documentation's site is made without a warning, and no link in it is dead.
for command in doxygen mkdocs; do
    command -v $command >/dev/null || { echo "no $command here"; exit 77; }
done
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$1/tools/make-docs" "$pages"
