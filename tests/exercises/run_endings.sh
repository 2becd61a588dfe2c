#!/bin/sh
# How tests of haul exercise end: source that does not compile, programs that do not end, crash or talk.
# usage: run_endings.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/exercises/trials.sh"

# Tests a file with this body of scale().
body() { printf '#include <cuda_runtime.h>\n#include <cstdlib>\n#include <cstdio>\n%s\n' "$1" >$name.cu; }

name=undeclared
body 'void scale(float *out, const float *in, int n) { nothing_of_that_name(); }'
ends 2 'undeclared.cu:4:.*nothing_of_that_name' test copies undeclared.cu
[ "$(tail -n 1 "$work/err" | grep -c '^haul exercise: undeclared.cu: does not compile')" = 1 ] || fail "the last line is not haul's"
name=missing
body 'void other() {}'
ends 2 'has no `void scale(float \*out, const float \*in, int n)`' test copies missing.cu
ends 2 'is not a CUDA file' test copies missing.txt

name=endless
body 'void scale(float *out, const float *in, int n) { for (volatile int i = 0; i < 1;) {} }'
ends 1 'did not end in time.*The program does not end' test copies endless.cu --timeout 2
name=spin
body '__global__ void k(volatile float *o) { while (*o != 1) {} }
void scale(float *out, const float *in, int n) { k<<<1, 1>>>(out); }'
ends 1 'deadlock.*Threads wait for an event that can never happen' test copies spin.cu
name=crash
body 'void scale(float *out, const float *in, int n) { out[0] = 1; }'
ends 1 'ended by a signal.*The host part of your program crashed' test copies crash.cu
name=leave
body 'void scale(float *out, const float *in, int n) { exit(0); }'
ends 1 'do not call exit' test copies leave.cu
name=talk
body '__global__ void k(float *o, const float *i, int n) { printf("said by the kernel\\n"); }
void scale(float *out, const float *in, int n) { k<<<1, 1>>>(out, in, n); }'
ends 1 'said by the kernel.*256 of 256 results are wrong, the first at \[0\]: nothing instead of' test copies talk.cu
done_with "tests end with what is wrong"
