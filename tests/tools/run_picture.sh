#!/bin/sh
# README's picture shows what the kernels move now.
picture=docs/images/row_sums.svg
"$1/tools/site/draw-picture" "$2/haul" | diff - "$1/$picture" || { echo "$picture is stale: run make docs"; exit 1; }
