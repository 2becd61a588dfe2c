#!/bin/sh
# No include of the source goes the wrong way.
exec "$1/tools/check-includes" "$1"
