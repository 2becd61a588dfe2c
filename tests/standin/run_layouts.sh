#!/bin/sh
# Structures have the sizes of the CUDA that a program was made for. usage: run_layouts.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
[ -e "$2/tests/standin_layouts13" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

gives() { [ "$(cat "$work/out")" = "$(printf "$1")" ]; } # TEXT
fits() { # VERSION SIZES
    result "a program of CUDA $1 gets its structures" exits_with 0 "$haul" run -- "$2/tests/standin_layouts$1"
    result 'and nothing behind them' gives "$3"
}

fits 11 "$2" 'pointer 0 24\nresource 0 64\nsampler 0 68\nkernel 0 52\ndevice 0 728'
fits 12 "$2" 'pointer 0 24\nresource 0 64\nsampler 0 72\nkernel 0 144\ndevice 0 1032'
fits 13 "$2" 'pointer 0 88\nresource 0 144\nsampler 0 72\nkernel 0 144\ndevice 0 1008'
exit $((failures > 0))
