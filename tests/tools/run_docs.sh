#!/bin/sh
# The reference pages of the public headers build without a warning.
command -v doxygen >/dev/null || { echo "no doxygen here"; exit 77; }
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$1/tools/make-docs" "$pages"
