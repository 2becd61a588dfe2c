#!/bin/sh
# haul check finds operations of a program that nothing orders, and nothing in a program that orders them.
# usage: run_order.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_order
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

says() { grep -qe "$1" "$work/err"; }

# CASE KIND LATER EARLIER: the words of the finding's two ends
finds() {
    result "$1: ordered operations" exits_with 0 "$haul" check -- "$program" "$1" ordered
    result "$1: no finding" says ' 0 errors, 0 warnings, 0 of advice'
    result "$1: nothing orders the two" exits_with 1 "$haul" check -- "$program" "$1" unordered
    result "$1: one finding" says ' 1 error, 0 warnings, 0 of advice'
    result "$1: its kind" says "error: $2 in the program"
    result "$1: the later call" says "^  [a-z]*\( of [0-9]* bytes*\)\{0,1\}, $3 at .*order.c:[0-9]*"
    result "$1: the earlier one" says "^  earlier: [a-z]*\( of [0-9]* bytes*\)\{0,1\}, $4 at .*order.c:[0-9]*"
}

finds copy race-streams cuLaunchKernel cudaMemcpyAsync
result 'a finding says what does what' says 'kernel next in stream 2 reads what the copy in stream 1 writes'
finds kernels race-streams cuLaunchKernel cuLaunchKernel
finds one-order-for-two race-streams cuLaunchKernel cudaMemsetAsync
finds one-order-behind-two race-streams cudaMemcpyAsync cuLaunchKernel
finds constant-memory race-streams cuLaunchKernel cudaMemsetAsync
finds halves race-streams cudaMemsetAsync cudaMemsetAsync
result 'by bytes' says 'write of 1 byte,'
result 'shifted: a copy beside its source' exits_with 0 "$haul" check -- "$program" shifted ordered
result 'shifted: no finding' says ' 0 errors, 0 warnings, 0 of advice'
result 'shifted: a copy into its source' exits_with 1 "$haul" check -- "$program" shifted unordered
result 'shifted: one finding' says 'error: copy-overlaps in the program'
result 'shifted: what overlaps' says 'the copy in stream 1 writes 2 bytes that it reads itself'
result 'unwritten: a copy of what is written in part' exits_with 0 "$haul" check -- "$program" unwritten ordered
result 'unwritten: no finding' says ' 0 errors, 0 warnings, 0 of advice'
result 'unwritten: with strict checks' exits_with 0 "$haul" check --strict -- "$program" unwritten ordered
result 'unwritten: the bytes that nobody has written' says 'reads 1024 bytes, of which nobody has written 1023'
result 'unwritten: a copy of what nobody has written' exits_with 0 "$haul" check -- "$program" unwritten unordered
result 'unwritten: advice' says 'advice: uninitialised-read in the program'
finds wait race-streams cuLaunchKernel cuLaunchKernel
finds ask-stream race-streams cuLaunchKernel cuLaunchKernel
finds ask-event race-streams cuLaunchKernel cuLaunchKernel
finds default-stream race-streams cuLaunchKernel cudaMemset
finds default-between race-streams cuLaunchKernel cuLaunchKernel
finds event race-streams cudaMemcpyAsync cuLaunchKernel
finds release use-after-free cudaFreeAsync cuLaunchKernel
finds release-at-once use-after-free cudaFree cudaMemsetAsync
result 'with what the call does not do' says 'call does not wait either for memory of a pool'
result 'cudaFree() waits for uses of other memory' exits_with 0 "$haul" check -- "$program" release-after-wait ordered
result 'reuse: a pool gives memory to another stream' exits_with 0 "$haul" check -- "$program" reuse ordered
result 'reuse: no finding' says ' 0 errors, 0 warnings, 0 of advice'
finds allocate race-streams cudaMemsetAsync cudaMallocAsync
result 'with what the earlier call does' says 'what the allocation in stream 1 provides, and nothing orders the two'
finds dependent race-streams cudaLaunchKernelExC cudaLaunchKernelExC
result 'with what the kernel lacks' says 'its kernel has no griddepcontrol.wait'
finds dependent-start race-streams cudaLaunchKernelExC cudaLaunchKernelExC
result 'with the place of the access' says ', and does so before its'
finds dependent-in-place race-streams cudaLaunchKernelExC cudaLaunchKernelExC
result 'a read before the wait of what is written behind it' says 'reads what kernel first .*stream 1 writes, and does'
finds dependent-bypass race-streams cudaLaunchKernelExC cudaLaunchKernelExC
result 'launches that do not overlap' exits_with 0 "$haul" check -- "$program" dependent-in-turn ordered
finds dependent-chain race-streams cudaLaunchKernelExC cudaLaunchKernelExC
result 'with the launch between the two' says 'waits for the launch in front only'
result 'an ordinary launch at the end of a chain' exits_with 0 "$haul" check -- "$program" dependent-chain-ends ordered
finds graph race-streams cuGraphAddKernelNode_v2 cuGraphAddKernelNode_v2
result 'graph-memory: read before it is freed' exits_with 0 "$haul" check -- "$program" graph-memory ordered
result 'graph-memory: no finding' says ' 0 errors, 0 warnings, 0 of advice'
result 'graph-memory: read behind that' exits_with 1 "$haul" check -- "$program" graph-memory unordered
result 'graph-memory: its contents are gone' says 'error: uninitialised-read in next'
finds array race-streams cudaMemcpy2DFromArrayAsync cudaMemcpy2DToArrayAsync
finds array-parts race-streams cudaMemcpy2DToArrayAsync cudaMemcpy2DToArrayAsync
finds condition race-streams cuLaunchKernel cuGraphAddKernelNode_v2
finds atomics race-streams cuLaunchKernel cuLaunchKernel
finds result race-host 'host code' cudaMemcpyAsync
result 'with what the program does' says 'the host code reads what the copy in stream 1 writes, and has not waited for it'
finds source race-host 'host code' cudaMemcpyAsync
finds managed race-host 'host code' cuLaunchKernel
finds managed-late race-host 'host code' cuLaunchKernel
finds managed-behind race-host 'host code' cuLaunchKernel
finds fill-pinned race-host 'host code' cudaMemsetAsync
finds fill-managed race-host 'host code' cudaMemsetAsync
finds fill-rectangle race-host 'host code' cudaMemset2DAsync
finds managed-pages race-host 'host code' cuLaunchKernel
finds managed-quarters race-host 'host code' cuLaunchKernel
finds pinned-quarters race-host 'host code' cuLaunchKernel
result 'with where it was' says 'the host code before this call writes what kernel next in stream 0 reads'
finds host-function race-host 'host code' cudaMemcpyAsync
finds host-function-source race-host 'host code' cudaMemcpyAsync

# Launches that are left out of the check: what they store counts as written, and their order still matters.
for compile in off 1; do
    left_out() { # OPTION VALUE CASE
        result "$3, $1, compiled: $compile" \
            exits_with 0 env HAUL_COMPILE=$compile "$haul" check "$1" "$2" -- "$program" "$3" ordered
        result "$3: the other way" \
            exits_with 1 env HAUL_COMPILE=$compile "$haul" check "$1" "$2" -- "$program" "$3" unordered
        result "$3: one finding" says ' 1 error, 0 warnings, 0 of advice'
    }
    left_out --launch-skip 1 fresh
    result 'of the launch that is checked' says 'error: uninitialised-read in next'
    for case in kernels dependent graph atomics managed release; do left_out --kernel none $case; done
done
exit $((failures > 0))
