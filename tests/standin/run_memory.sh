#!/bin/sh
# Memory as an unmodified program sees it: at one address on both sides, or for kernels alone.
# usage: run_memory.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_memory
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

says() { grep -qe "$1" "$work/$2"; }
gives() { [ "$(cat "$work/out")" = "$(printf "$1")" ]; } # TEXT
runs() { result "$1" exits_with 0 "$haul" "${3-run}" -- "$program" "$2"; } # WHAT TASK [COMMAND]

runs 'kernels use managed, pinned and registered memory at the address of the host' in-place
result 'where the host finds what they wrote' gives '20 40 80'
runs 'what the host wrote there counts as written' in-place check
result 'for the checks' says '^3 launches: 0 errors' err

runs 'addresses are described' describe
result 'by where they lead' gives 'device: device, device 0, for kernels
managed: managed, device 0, for kernels, for the host\npinned: host, device 0, for kernels, for the host
registered: host, device 0, for kernels, for the host\nplain: not registered, device -2, for the host
range: from the start, 1000\nflags: 2; of managed memory: cudaErrorInvalidValue\nplain: cudaErrorInvalidValue'
runs 'advice about managed memory is kept' advise
result 'and only about managed memory' gives 'mostly read 1, preferred -1, prefetched to 0\nused by 0 -2 -2
attached: cudaSuccess\ndevice memory: cudaErrorInvalidValue\ntoo large: cudaErrorInvalidValue
no device: cudaErrorInvalidDevice'
runs 'copies go where their addresses lead' copy
result 'whatever their direction says, but not from unknown memory' gives '10\ncudaErrorInvalidValue
cudaErrorInvalidMemcpyDirection'

result 'a host that touches device memory ends by SIGSEGV' exits_with 139 "$haul" run -- "$program" touch
result 'with what it touched' says 'host code touched device memory.* byte 16 of an allocation of 1024, at' err
result 'and where' says 'memory.c:[0-9]*, in touch_device_memory$' err
result 'likewise in a library' exits_with 139 "$haul" run -- "$program" touch-in-library
result 'where the program called it' says 'byte 0 of an allocation of 1024, at memory.c:[0-9]*, in touch_in_library$' err

runs 'a kernel goes on that reads and writes behind its allocations, as on a GPU' behind
result 'within the page' gives '512 48 cudaSuccess'
result 'which is said at the end' says '^haul: kernel twice wrote up to 156 bytes beyond an allocation of 100 bytes, .*haul check' err
result 'once' one_line "$work/err"
runs 'haul profile does the same' behind profile
result 'with the same results' gives '512 48 cudaSuccess'
result 'haul check ends the kernel' exits_with 1 "$haul" check -- "$program" behind
result 'and says where' says 'out-of-bounds.*' err
runs 'a kernel ends that accesses memory in no page' far
result 'with the error of a GPU' gives 'cudaErrorIllegalAddress'
exit $((failures > 0))
