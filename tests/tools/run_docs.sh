#!/bin/sh
# The documentation's site is made without a warning, and no link in it is dead.
command -v doxygen >/dev/null || { echo "no doxygen here"; exit 77; }
mkdocs build --help 2>/dev/null | grep -q material || { echo "no mkdocs with the theme material here"; exit 77; }
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$1/tools/make-docs" "$pages"
