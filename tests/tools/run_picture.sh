#!/bin/sh
# README's picture shows what the kernels move now. Shares of peak are left out: a kernel's estimated time depends on which compiler made its PTX.
picture=docs/images/row_sums.svg
without_shares() { sed 's/[0-9.]*% of peak/% of peak/'; }
without_shares <"$1/$picture" >"${TMPDIR:-/tmp}/picture.$$"
"$1/tools/site/draw-picture" "$2/haul" | without_shares | diff - "${TMPDIR:-/tmp}/picture.$$"
status=$?
rm -f "${TMPDIR:-/tmp}/picture.$$"
[ $status -eq 0 ] || { echo "$picture is stale: run make docs"; exit 1; }
