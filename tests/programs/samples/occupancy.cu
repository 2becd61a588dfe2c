// How many blocks a processor holds: more shared memory leaves fewer, and the best block is found by the runtime.
#include "sample.h"

__global__ void square(int *x, int count) {
    extern __shared__ int shared[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    shared[threadIdx.x] = x[i];
    x[i] = shared[threadIdx.x] * shared[threadIdx.x];
}

__global__ void __launch_bounds__(128, 4) bounded(int *x) {
    x[threadIdx.x]++;
}

static size_t shared_of(int block) {
    return block * sizeof(int);
}

static int blocks_with(int threads, size_t shared) {
    int blocks = -1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, threads, shared));
    return blocks;
}

int main() {
    cudaDeviceProp p;
    int least = 0, block = 0, best = 0, wrong = 0, bounded_blocks = 0;
    size_t left = 0;
    cudaFuncAttributes attributes;
    CHECK(cudaGetDeviceProperties(&p, 0));
    for (int threads = 32; threads <= 1024; threads *= 2) {
        const int blocks = blocks_with(threads, 0);
        best = blocks * threads > best ? blocks * threads : best;
        expect("threads fit", blocks > 0 && blocks * threads <= p.maxThreadsPerMultiProcessor);
        expect("blocks fit", blocks <= p.maxBlocksPerMultiProcessor);
    }
    printf("a small kernel fills a processor: %s\n", best == p.maxThreadsPerMultiProcessor ? "yes" : "no");
    expect("a full processor", best == p.maxThreadsPerMultiProcessor);
    for (size_t shared = 0, before = 1 << 30; shared <= p.sharedMemPerBlock; shared += 8 << 10) {
        const size_t blocks = blocks_with(64, shared);
        expect("more memory, not more blocks", blocks <= before && blocks * shared <= p.sharedMemPerMultiprocessor);
        before = blocks;
    }
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&left, square, 2, 64));
    expect("what is left for one of two", left > 0 && blocks_with(64, left) >= 2);
    CHECK(cudaFuncGetAttributes(&attributes, bounded));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&bounded_blocks, bounded, 128, 0));
    printf("bounded: blocks of %d\n", attributes.maxThreadsPerBlock);
    expect("bounds", attributes.maxThreadsPerBlock == 128 && bounded_blocks >= 4 && attributes.numRegs > 0);

    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least, &block, square, shared_of));
    expect("a block of whole warps", block % p.warpSize == 0 && block <= p.maxThreadsPerBlock);
    expect("a grid that fills the device", least >= p.multiProcessorCount);
    const int count = 5000;
    static int values[count], got[count];
    for (int i = 0; i < count; i++) values[i] = i - 2500;
    int *x = on_device(count, values);
    square<<<(count + block - 1) / block, block, shared_of(block)>>>(x, count);
    to_host(got, x, count);
    for (int i = 0; i < count; i++) wrong += got[i] != values[i] * values[i];
    printf("squares: %d wrong\n", wrong);
    expect("squares", wrong == 0);
    CHECK(cudaFree(x));
    return finish();
}
