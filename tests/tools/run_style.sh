#!/bin/sh
# The source keeps the project's style: format, lengths, nothing unfinished, no paths of somebody's machine.
exec "$1/tools/check-style" "$1"
