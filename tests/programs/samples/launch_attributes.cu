// Attributes of launches: priorities, programmatic dependence of one kernel on another, and a cooperative launch.
#include "sample.h"

enum { COUNT = 4096, BLOCK = 256 };

__global__ void first(int *x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 3 * i;
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// May begin while the first one still runs; what that has written is there behind the wait.
__global__ void second(const int *x, int *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, own = i % 7;
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    y[i] = x[COUNT - 1 - i] + own;
}

__device__ unsigned arrived;

// A barrier of the grid, made by hand: all blocks of a cooperative launch run at once.
__device__ void wait_for_all() {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (*(volatile unsigned *)&arrived < gridDim.x) continue;
        __threadfence();
    }
    __syncthreads();
}

__global__ void rotate(int *x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, value = x[(i + 1) % COUNT];
    wait_for_all();
    x[i] = value;
}

int main() {
    static int got[COUNT];
    int wrong = 0, least, greatest;
    cudaStream_t stream;
    int *x = on_device<int>(COUNT), *y = on_device<int>(COUNT);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));

    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(COUNT / BLOCK);
    config.blockDim = dim3(BLOCK);
    config.stream = stream;
    config.attrs = attributes;
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[0].val.priority = greatest;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, first, x));
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    config.numAttrs = 2;
    CHECK(cudaLaunchKernelEx(&config, second, (const int *)x, y));
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, rotate, y));
    CHECK(cudaMemcpyAsync(got, y, sizeof got, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++) {
        const int from = (i + 1) % COUNT;
        wrong += got[i] != 3 * (COUNT - 1 - from) + from % 7;
    }
    printf("first %d, last %d, %d wrong\n", got[0], got[COUNT - 1], wrong);
    expect("three kernels", wrong == 0);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return finish();
}
