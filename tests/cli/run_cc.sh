#!/bin/sh
# Whole CUDA programs compiled by `haul cc` with each clang that is installed: they run by themselves and under haul's
# commands, from the build folder and from an installation, by CMake too; options are taken or refused as documented.
# usage: run_cc.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
root=$1 build=$2
[ -e "$build/standin/libcudart.so.12" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

cat >"$work/kernel.cu" <<'END'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace groups = cooperative_groups;
__managed__ int total = 5;
__constant__ float factor;
__device__ int launches;
namespace {
__global__ void scale(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
    if (i == 0) printf("launch %d\n", ++launches);
}
}
static __global__ void sum(const float *x, int n) {
    auto warp = groups::tiled_partition<32>(groups::this_thread_block());
    float mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[i];
    mine = groups::reduce(warp, mine, groups::plus<float>());
    if (warp.thread_rank() == 0) atomicAdd(&total, (int)mine);
}
int work() {
    float *x, two = 2;
    cudaMallocManaged(&x, 1024 * sizeof *x);
    for (int i = 0; i < 1024; i++) x[i] = 1;
    total += 1;
    cudaMemcpyToSymbol(factor, &two, sizeof two);
    scale << <4, 256 >> > (x, 1024); // as some editors format it, and nvcc reads it
    sum<<<1, 256>>>(x, 1024);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
    printf("total %d\n", total);
    return total != 2054;
}
END
cat >"$work/main.cpp" <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
int work();
int main() {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || properties.major < 8) return 1;
    return work();
}
END
cat >"$work/driver.cu" <<'END'
#include <cuda.h>
#include <nvToolsExtCuda.h>
#include <nvToolsExtCudaRt.h>
__global__ void nothing() {}
int main() {
    CUdevice device;
    nothing<<<1, 1>>>();
    if (cuInit(0) || cuDeviceGet(&device, 0)) return 1;
    nvtxNameCuDevice(device, "first");
    nvtxNameCudaStream(0, "usual");
    return cudaDeviceSynchronize();
}
END
printf 'texture<float> old;\n__global__ void k() { undeclared(); }\n' >"$work/bad.cu"
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(program LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(kernel STATIC kernel.cu)
set_target_properties(kernel PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
add_library(shared SHARED kernel.cu)
add_executable(first main.cpp)
target_link_libraries(first PRIVATE kernel CUDA::cudart)
add_executable(second main.cpp)
target_link_libraries(second PRIVATE shared CUDA::cudart)
add_executable(third driver.cu)
target_link_libraries(third PRIVATE CUDA::cuda_driver)
set_target_properties(third PROPERTIES CUDA_ARCHITECTURES "80;90")
END

cc() { "$haul" cc "$@"; }
prints() { # TEXT COMMAND...: standard output has it
    text=$1
    shift
    "$@" >"$work/out" 2>"$work/err" && grep -q -e "$text" "$work/out" "$work/err"
}
refused() { # TEXT ARGUMENT...: exit code 2, and one line that has it
    text=$1
    shift
    exits_with 2 "$haul" cc "$@" && one_line "$work/err" && grep -q -e "$text" "$work/err"
}

cd "$work" || exit 1
tried=0
# HAUL_TEST_COMPILERS narrows the list, as in compilers.sh
for clang in ${HAUL_TEST_COMPILERS:-clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang-20 clang-21}; do
    case $clang in clang*) ;; *) continue ;; esac
    path=$(command -v $clang) || continue
    path=$(readlink -f "$path")
    case " ${seen:-} " in *" $path "*) continue ;; esac
    seen="${seen:-} $path"
    export HAUL_CLANG=$clang
    "$root/toolchain/cu2ptx" --compiler $clang --find >/dev/null 2>&1 || continue
    tried=1
    result "$clang: a program of two files" cc -O2 -std=c++17 -arch=sm_90 kernel.cu main.cpp -o two
    result "$clang: runs by itself" prints 'total 2054' ./two
    result "$clang: under haul run" prints 'launch 1' "$haul" run -- ./two
    result "$clang: under haul check" prints '0 errors' "$haul" check -- ./two
    result "$clang: under haul profile" prints 'kernel.cu:' "$haul" profile -- ./two
    result "$clang: separate compilation" cc -dc "$root/tests/programs/linked.cu" "$root/tests/programs/shapes.cu"
    result "$clang: objects linked" cc -rdc=true linked.o shapes.o -o linked
    result "$clang: run together" prints '^ok' ./linked
    result "$clang: a stream for each thread, graphs" cc --default-stream per-thread "$root/tests/programs/streams.cu" -o streams
    result "$clang: run" prints '^ok' ./streams
    result "$clang: products of matrices, pipelines" cc "$root/tests/programs/products.cu" -o products
    result "$clang: run" prints '^ok' ./products
    result "$clang: and checked" prints '0 errors' "$haul" check -- ./products
    result "$clang: halves on both sides" cc "$root/tests/toolchain/host_halves.cu" -o halves
    result "$clang: are the same" prints '^0 different' ./halves
    result "$clang: atomic objects on both sides" cc "$root/tests/toolchain/host_atomics.cu" -o atomics
    result "$clang: count in one place" prints '^2256 counts, at most 9990, sum 1128, right$' ./atomics
    result "$clang: a shared library" cc -shared -Xcompiler -fPIC kernel.cu -o libkernel.so
    result "$clang: linked with it" cc main.cpp -L. -lkernel -Xlinker -rpath,"$work" -o with
    result "$clang: run with it" prints 'total 2054' ./with
    result "$clang: the driver API" cc driver.cu -lcuda -o driver
    result "$clang: runs" ./driver
    result "$clang: PTX" cc -ptx --use_fast_math kernel.cu -o kernel.ptx
    result "$clang: has a kernel" grep -q '\.entry .*sum' kernel.ptx
done
unset HAUL_CLANG
[ $tried = 1 ] || { echo "skipped: no clang 14 or later is installed, or it is tried elsewhere"; exit 77; }

result 'dependencies are written' cc -MD -MF kernel.d -c kernel.cu -o kernel.o
result 'and name the source' grep -q 'kernel.o:.*kernel.cu' kernel.d
result '--dryrun writes nothing' prints 'cu2ptx' "$haul" cc --dryrun kernel.cu main.cpp -o dry
result 'no program' [ ! -e dry ]
result 'options that mean nothing here are ignored' cc -gencode arch=compute_75,code=sm_75 -gencode arch=compute_120,code=sm_120 \
    -Xptxas -v -maxrregcount=32 -lineinfo --extended-lambda -expt-relaxed-constexpr -Wno-deprecated-gpu-targets -cudart static \
    -diag-suppress 177 -m64 -t 4 driver.cu -lcuda -o ignored
result 'an unknown option is refused' refused 'unknown option: --zoo' --zoo kernel.cu
result 'a value that is missing' refused '-o needs a value' kernel.cu -o
result 'no file' refused 'no input file'
result 'a file that is not there' refused 'no such file: none.cu' none.cu
mkdir -p folder.cu
result 'a folder' refused 'folder.cu is a directory' folder.cu
touch kernels.ptx launches.jsonl
result 'a full disk' sh -c '! "$0" cc -help >/dev/full 2>full && grep -qx "haul cc: standard output cannot be written" full' "$haul"
result 'PTX' refused 'kernels.ptx is PTX, which cannot be linked' kernels.ptx
result 'a launch file' refused 'launches.jsonl is a launch file' launches.jsonl
result 'an architecture that is none' refused 'not an architecture' -arch=ninety kernel.cu
result "NVIDIA's libraries" refused 'which haul does not have' kernel.cu main.cpp -lcublas
result 'source that is wrong' exits_with 2 "$haul" cc bad.cu
result 'is told with its line' grep -q 'bad.cu:[12]' "$work/err"

if command -v cmake >/dev/null && command -v ninja >/dev/null; then
    result 'an installation' cmake --install "$build" --prefix "$work/prefix"
    result 'compiles' "$work/prefix/bin/haul" cc kernel.cu main.cpp -o installed
    result 'what runs' prints 'total 2054' ./installed
    result 'with its own library' sh -c 'ldd ./installed | grep -q "libcudart.*/prefix/"'
    toolchain=$(find "$work/prefix" -name haul.cmake)
    result 'CMake takes its toolchain file' cmake -G Ninja -S . -B project -DCMAKE_TOOLCHAIN_FILE="$toolchain"
    result 'builds a project' cmake --build project
    for program in first second; do
        result "runs its $program program" prints 'total 2054' "project/$program"
    done
    result 'runs its third program' project/third
    result 'the same from the source, by make' cmake -G "Unix Makefiles" -S . -B other -DHAUL_LIBRARIES="$(cd "$build" && pwd)/standin" \
        -DCMAKE_TOOLCHAIN_FILE="$root/toolchain/haul.cmake"
    result 'builds' cmake --build other
    result 'runs' prints 'total 2054' other/first
fi
exit $((failures > 0))
