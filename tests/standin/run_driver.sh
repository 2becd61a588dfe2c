#!/bin/sh
# Unmodified programs that use the driver API, libcuda.so.1, on the virtual GPU.
# usage: run_driver.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_driver
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

says() { grep -qe "$1" "$work/$2"; }
gives() { [ "$(cat "$work/out")" = "$(printf "$1")" ]; } # TEXT
runs() { result "$1" exits_with 0 "$haul" run -- "$program" "$2" "${3-}"; } # WHAT TASK [WAY]

runs 'a program that is linked with libcuda' increase
result 'has right results' gives '273'
result 'and nothing is said' [ ! -s "$work/err" ]
runs 'one that opens libcuda.so.1 itself' increase dlopen
result 'has them too' gives '273'
runs 'one that asks cuGetProcAddress' increase entry
result 'as well' gives '273'
LD_LIBRARY_PATH=$2/standin
export LD_LIBRARY_PATH
result 'the library works by itself' exits_with 0 "$program" increase
result 'with the same results' gives '273'
unset LD_LIBRARY_PATH

sed -n 's/^[A-Z]*(\([A-Za-z0-9_]*\), .*/\1/p' "$1/src/standin/cuda/names.def" >"$work/names"
"$haul" run -- "$program" names <"$work/names" >"$work/out" 2>"$work/err"
result 'all names are found' gives "$(wc -l <"$work/names") names, 0 missing"
nm -D --defined-only "$2/standin/libcuda.so.1" 2>/dev/null | sed 's/.* //' | LC_ALL=C sort >"$work/exported"
result 'and nothing else is exported' cmp -s "$work/names" "$work/exported"

runs 'a form is chosen by the version' entries
result 'of CUDA that asks' gives 'cuMemAlloc 2000: 1\ncuMemAlloc 12000: 1\ncuCtxCreate 11000: 1\ncuCtxCreate 13000: 1
cuMemcpyHtoDAsync 12000: 1\ncuLaunchKernel 7000: 1\ncuMemcpy 7000: 1\nnone: CUDA_ERROR_NOT_FOUND\nstatus 1, 1
too old: CUDA_ERROR_NOT_FOUND\nstatus 2'

runs 'parameters may be packed' packed
result 'or set one by one' gives '260\ntoo few: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES\nnone: CUDA_ERROR_INVALID_VALUE\n265'
runs 'a kernel of a library' library
result 'is launched like a function' gives 'increase, parameter 2 at 12\n262\nunloaded: CUDA_ERROR_INVALID_HANDLE'
runs 'fat binaries are modules' fatbin
result 'if PTX is in them' gives '2 kernels\n2 kernels\nwithout PTX: CUDA_ERROR_NO_BINARY_FOR_GPU
a cubin: CUDA_ERROR_NO_BINARY_FOR_GPU'
result 'and else it is said what to do' says 'machine code alone (a cubin).*hand over PTX' err
runs 'registers of a kernel' registers
result 'are those of its machine code, if the binary has some for the device' gives 'sm_90: 77 registers
768 threads: 0\n1024 threads: 701\nsm_80: an estimate\n768 threads: 0\n1024 threads: 0'
result 'and too many threads for them are refused' says 'threads per block 1024, but the kernel, with 77 registers a thread, allows 768' err
runs 'PTX is linked' link
result 'into a module' gives '257'
runs 'what is wrong with PTX' log
result 'is in the error log' says "^49 characters: PTX:3:1: expected a declaration, found 'nonsense'$" out

runs 'contexts are on a stack' contexts
result 'and primary ones counted' gives 'before cuInit: CUDA_ERROR_NOT_INITIALIZED
without a context: CUDA_ERROR_INVALID_CONTEXT\nprimary: 0\npopped the second: 1\nthe first is current: 1
destroyed: CUDA_ERROR_CONTEXT_IS_DESTROYED\nno context at all: CUDA_ERROR_INVALID_CONTEXT
primary: CUDA_ERROR_INVALID_CONTEXT\nreleased too often: CUDA_ERROR_INVALID_CONTEXT'
runs 'a stream or an address tells the context' handles
result 'where none is current' gives 'memory of kind 2\ndefault stream: CUDA_ERROR_INVALID_CONTEXT
no stream: CUDA_ERROR_INVALID_CONTEXT'
runs 'all attributes of the device are known' device
result 'and no others' gives 'version 13000\nNVIDIA H100 80GB HBM3 (virtual), 0000:02:00.0 is device 0, 3:0 gives 101, and 0 gives 1
0 attributes unknown\n5120 bits of memory bus\ndevice 1: CUDA_ERROR_INVALID_DEVICE
its name: CUDA_ERROR_INVALID_DEVICE\nno attribute: CUDA_ERROR_INVALID_VALUE'
runs 'functions tell what they need' function
result 'and handles that are none are refused' gives '264 blocks of 1024\n115712 bytes for each of two
cooperative: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE\nno function: CUDA_ERROR_INVALID_HANDLE
no module: CUDA_ERROR_INVALID_HANDLE'
runs 'memory is copied by address and filled by rows' memory
result 'and the host is called' gives '7 7 0 0 7 7 0 0\ncalled 1 time'
runs 'runtime and driver' shared
result 'share contexts and memory' gives 'primary: 1\n273'

runs 'a function that is not there fails' graphics
result 'with CUDA_ERROR_NOT_SUPPORTED' gives 'graphics: CUDA_ERROR_NOT_SUPPORTED'
result 'and is named at the end' says '^haul: cuGLInit() is not supported; the program called it 1 time$' err

result 'a right program passes its check' exits_with 0 "$haul" check -- "$program" increase
result 'all launches are checked' says '^3 launches: 0 errors' err
result 'a profile counts the launches' exits_with 0 "$haul" profile -- "$program" increase
result 'of the kernel' says '^increase  *3  *3 ' err
exit $((failures > 0))
