#!/bin/sh
# Several devices as an unmodified program sees them.
# usage: run_devices.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_devices
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

says() { grep -qe "$1" "$work/$2"; }
gives() { [ "$(cat "$work/out")" = "$(printf "$1")" ]; } # TEXT
runs() { result "$1" exits_with 0 "$haul" "${3-run}" --gpus 3 -- "$program" "$2"; } # WHAT TASK [COMMAND]

runs 'a program finds as many devices as it is given' list
result 'each thread has its own, and each is another one' gives '3 devices, at first 0, then 2, in a new thread 0, still 2
no such device: cudaErrorInvalidDevice\nnames are equal, UUIDs differ, PCI ids differ, of device 1'
result 'a list may choose among them' exits_with 0 env CUDA_VISIBLE_DEVICES=3,1 "$haul" run --gpus 4 -- "$program" list
result 'by their numbers' says '^2 devices, at first 0' out
runs 'each device has its modules and variables' variables
result 'managed ones aside' gives '11 15, managed 9'
runs 'addresses say which device they are of' memory
result 'for copies, fills and frees, whichever is current' gives 'devices 0 1 2
by address 2, between devices 3, to a peer 2, as a box 2\nfilled from elsewhere 0\nno such device: cudaErrorInvalidDevice
freed from elsewhere: cudaSuccess\ntwice: cudaErrorInvalidValue'
runs 'kernels reach the memory of a peer' peers
result 'while access is on; a fault ends one device alone' gives 'device 0 reaches 0 1 1, atomics 1
itself: cudaErrorInvalidDevice\nnot yet: cudaErrorPeerAccessNotEnabled\nonce: cudaSuccess
twice: cudaErrorPeerAccessAlreadyEnabled\nread 21, written 22, atomic 1366\noff: cudaSuccess
then: cudaErrorIllegalAddress\nthe other device: cudaSuccess'
result 'and says why' says 'memory of another device without peer access' err
result 'devices without NVLink are no peers' exits_with 0 "$haul" run --gpus 3 --device sim:rtx4090 -- "$program" copies
result 'but copies lead from one to the other' gives 'device 0 reaches 0 0 0: cudaErrorPeerAccessUnsupported, copied 20'
runs 'a fault belongs to the device of its stream' fault
result 'whichever is current' gives 'waited: cudaErrorIllegalAddress\nhere: cudaSuccess\nthere: cudaErrorIllegalAddress'
runs 'pinned, registered and managed memory is for all devices' host
result 'at the same address' gives '8 9 10, of devices 1 1 1'
runs 'streams and events of other devices are used' streams
result 'where CUDA allows it' gives 'a stream of device 0\nlaunch: cudaErrorInvalidResourceHandle
record: cudaErrorInvalidResourceHandle\nwait: cudaSuccess\ncopy: cudaSuccess\nsynchronize: cudaSuccess\n21
event: cudaSuccess\nelapsed: cudaErrorInvalidResourceHandle\ndestroy: cudaSuccess'
runs 'a graph has kernels of two devices' graph
result 'in the order of their events' gives 'captured: cudaSuccess\nmade: cudaSuccess\ndone: cudaSuccess\n4 23'
runs 'memory of a pool is for the devices that it names' pool
result 'not for all peers' gives 'on device 1, access 0 then 3: 2\nfreed: cudaSuccess'
runs 'contexts are of a device' contexts
result 'which the runtime takes too' gives 'primary contexts differ, memory in the second: 1
own context of device 1, for the runtime 1\npeer: cudaSuccess\ntwice: cudaErrorPeerAccessAlreadyEnabled
its own: cudaErrorDeviceUninitialized\nlaunch: cudaSuccess\n21\nand again device 0
kernel of another: cudaErrorInvalidResourceHandle'
runs 'a kernel of a library is for all devices' library
result 'with variables of each' gives 'launch: cudaSuccess\nlaunch: cudaSuccess\n1 11'
runs 'virtual memory is mapped for several devices' virtual
result 'also at a multicast address' says '^4 9$' out

runs 'processes share memory and events' processes
result 'and wait for each other' gives 'its own: cudaErrorDeviceUninitialized\nmemory: cudaSuccess\nagain: cudaSuccess
event: cudaSuccess\nat the same address: 1\nwait: cudaSuccess\nsynchronize: cudaSuccess\nquery: cudaSuccess\n3
closed: cudaSuccess\nonce more: cudaErrorInvalidValue\n3, the child ended with 0'
runs 'work that nobody waits for is done' progress
result 'on each device' gives '21'
node() { result "$1" exits_with "$3" "$haul" check --device sim:h200x2 -- "$program" "$2"; } # WHAT TASK STATUS
node 'a flag of the scope of the system hands data over between devices' flag 0
result 'while the kernel that waits was launched first' gives '5'
node 'a flag whose scope is one device is found' narrow-flag 1
result 'on the side that has it' says 'scope-too-narrow in give_narrow, launch 1, device 1' err
node 'a flag without a release is found' relaxed-flag 1
result 'by the bytes that it announces' says 'race-peers in take, launch 0, device 0' err
node 'a flag without an acquire is found' relaxed-read 1
result 'by the same' says 'race-peers in take_relaxed, launch 0, device 0' err
result 'the number of devices is given once' exits_with 2 "$haul" run --device sim:h200x2 --gpus 4 -- "$program" list
result 'and has a limit' exits_with 2 "$haul" run --device sim:h200x9 -- "$program" list
runs 'a profile names the device of a kernel' work profile
result 'of each launch' says '^plus  *2 .* 0$' err
result 'and in titles' says '^== plus, device 1$' err
result 'a check names it too' exits_with 1 "$haul" check --gpus 2 -- "$program" overrun
result 'behind the launch' says '^error: out-of-bounds in plus, launch 0, device 1$' err
for task in variables memory host graph library virtual; do
    result "$task: no finding" exits_with "$([ $task = memory ] && echo 1 || echo 0)" "$haul" check --gpus 3 -- "$program" $task
    result "$task: in its launches" says ' 0 errors' err
done
result 'one device is the default' exits_with 0 "$haul" run -- "$program" list
result 'as ever' says '^1 devices, at first 0, then 0,' out
result 'there are at most eight' exits_with 2 "$haul" run --gpus 9 -- "$program" list
result 'of virtual GPUs' says '1 to 8 virtual GPUs' err
exit $((failures > 0))
