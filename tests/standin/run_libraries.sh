#!/bin/sh
# The runtime's functions of libraries, and its texts of errors. usage: run_libraries.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_libraries
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

gives() { [ "$(cat "$work/out")" = "$(printf "$1")" ]; } # TEXT

for command in run check profile; do
    result "haul $command: a library's kernels are launched by their handles" exits_with 0 "$haul" $command -- "$program" library
    result 'and its variables and names are found' gives 'add: 44, 4 bytes, 2 kernels\ncudaErrorSymbolNotFound cudaErrorSymbolNotFound'
done
result 'functions of the driver are found by their names' exits_with 0 "$haul" run -- "$program" functions
result 'in the form of a version' gives '0 0, 0\n0 1 1\n0 2 1'
result 'errors have the texts that programs know' exits_with 0 "$haul" run -- "$program" errors
result 'in the runtime and in the driver' gives 'no error\ninvalid argument\nout of memory
no kernel image is available for execution on the device\nan illegal memory access was encountered
unspecified launch failure\ntoo many blocks in cooperative launch\noperation not supported\nunknown error
unrecognized error code\n0 an illegal memory access was encountered'
result 'NVML tells of devices' exits_with 0 "$haul" run -- "$2/tests/standin_nvml"
result 'what is known of them' gives '1 0 0 0 2\n0 7 NVIDIA H100 80GB HBM3 (virtual)\n0 0 1 40\n0 0 1 16\n0 1\n0 0 0\n0 0\n0 13.0.0\n0 0 1980 2619\n3 Not Supported\n0 1'
exit $((failures > 0))
