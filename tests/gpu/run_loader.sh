#!/bin/sh
# Messages of haul if the driver, the GPU or a kernel on it fails, with the driver of this folder.
#   run_loader.sh SOURCE_ROOT BUILD_FOLDER
set -u
haul=$2/haul
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

cat >kernels.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 p, .param .u32 v)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [v];
    st.global.u32 [%rd1], %r1;
    ret;
}
END

# says PATTERN FAKE_CUDA DEVICE ARGUMENT...: a launch with these arguments too is refused in one line.
says() {
    pattern=$1 fake=$2 device=$3
    shift 3
    LD_LIBRARY_PATH=${library:-$build/new} FAKE_CUDA=$fake timeout 60 "$haul" replay --ptx kernels.ptx \
        --kernel store --once --arg buf:zero:4 --arg i32:1 --device "$device" "$@" >out 2>err
    status=$?
    if [ $status -ne 2 ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] || ! grep -q -e "$pattern" err; then
        echo "FAILED: FAKE_CUDA='$fake' --device $device $*"
        echo "  status $status, wanted 2 and one line with: $pattern"
        head -c 600 out err
        failed=1
    fi
}

# runs FAKE_CUDA DEVICE: the launch goes well.
runs() {
    LD_LIBRARY_PATH=${library:-$build/new} FAKE_CUDA=$1 timeout 60 "$haul" replay --ptx kernels.ptx --kernel store \
        --once --arg buf:zero:4 --arg i32:1 --device "$2" >out 2>err || {
        echo "FAILED: FAKE_CUDA='$1' --device $2: $(cat err)"
        failed=1
    }
}

build=$2/tests/gpu

# --- the driver ---

runs "" gpu:0
runs "" gpu
runs "" auto
if ! "$haul" info | grep -q '^gpu:'; then # else a real driver answers
    library=/nonexistent says 'no NVIDIA driver (libcuda.so.1).*--device sim:h100' "" gpu:0
fi
mkdir broken && echo no library >broken/libcuda.so.1
library=$work/broken says 'gpu: .*libcuda.so.1: .*--device sim:h100' "" gpu:0
library=$build/old says 'too old: libcuda.so.1 has no cuLaunchKernelEx; haul needs one for CUDA 12.0' "" gpu:0
says 'too old: it is for CUDA 11.4' version=11040 gpu:0
says 'finds no GPU.*CUDA_VISIBLE_DEVICES.*(CUDA_ERROR_NO_DEVICE, 100)' cuInit=100 gpu:0
says 'stub for linking' cuInit=34 gpu:0
says 'have different versions: restart the machine' cuInit=803 gpu:0
says 'haul does not know (CUDA error, 12345)' cuInit=12345 gpu:0
runs cuInit=100 auto
runs version=11040 auto

# --- the device ---

says 'the driver finds no GPU' devices=0 gpu:0
says 'there is one GPU on this machine, gpu:0' "" gpu:1
says 'there are 2 GPUs on this machine, gpu:0 to gpu:1' devices=2 gpu:2
runs devices=2 gpu:1
says 'the number of a GPU must follow' "" gpu:x
says 'gpu:0: no such device (CUDA_ERROR_INVALID_DEVICE)' cuDeviceGet=101 gpu:0
says 'another process has the GPU for itself' cuDevicePrimaryCtxRetain=46 gpu:0
says 'gpu:0: 272 B asked for, .* are left' cuMemAlloc_v2=2 gpu:0
says 'copying to the device: .*an error that cannot be corrected' cuMemcpyHtoD_v2=214 gpu:0

# --- modules ---

says "kernels.ptx:7: Unknown symbol 'q' (gpu:0's PTX compiler, CUDA_ERROR_INVALID_PTX)" cuModuleLoadDataEx=218 gpu:0
says 'is PTX 8.0, which gpu:0.s driver (CUDA 12.1) does not know' 'cuModuleLoadDataEx=222 version=12010' gpu:0
says 'is for sm_80, but gpu:0 is sm_90: compile it for that (--arch sm_90)' cuModuleLoadDataEx=209 gpu:0
says 'kernels.ptx: gpu:0: loading a module: .*libnvidia-ptxjitcompiler' cuModuleLoadDataEx=221 gpu:0

# --- launches ---

says 'takes 2 arguments, 3 given' "" gpu:0 --arg i32:1
says 'launch: threads per block 2048, but gpu:0 allows 1024' "" gpu:0 --block 1024,2
says 'launch: block z 65, but gpu:0 allows 64' "" gpu:0 --block 1,1,65
says 'launch: grid y 65536, but gpu:0 allows 65535' "" gpu:0 --grid 1,65536
says 'launch: bytes of shared memory per block 307200, but gpu:0 allows 232448' "" gpu:0 --smem 300K
says 'launching a kernel: the launch needs more registers' cuLaunchKernelEx=701 gpu:0
says 'waiting for a kernel: a kernel accessed memory outside its buffers.*CUDA_ERROR_ILLEGAL_ADDRESS.*haul check' \
    cuCtxSynchronize=700 gpu:0
says 'no multiple of the access.s size (CUDA_ERROR_MISALIGNED_ADDRESS)' cuCtxSynchronize=716 gpu:0
says 'an assertion in a kernel failed (CUDA_ERROR_ASSERT)' cuCtxSynchronize=710 gpu:0
says 'a kernel executed an illegal instruction.*(CUDA_ERROR_ILLEGAL_INSTRUCTION)' cuCtxSynchronize=715 gpu:0
says 'a kernel trapped.*(CUDA_ERROR_LAUNCH_FAILED)' cuCtxSynchronize=719 gpu:0
says "exceeded the driver's time limit" cuCtxSynchronize=702 gpu:0

[ $failed -eq 0 ] && echo "what fails is told"
exit $failed
