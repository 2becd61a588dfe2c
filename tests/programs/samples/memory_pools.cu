// Stream-ordered memory: from the device's pool and one of our own, kept for reuse, counted and given back.
#include "sample.h"

__global__ void fill(int *x, int count, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = value + i;
}

__global__ void sum(const int *x, int count, int *out) {
    int mine = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) mine += x[i];
    atomicAdd(out, mine);
}

static unsigned long long used(cudaMemPool_t pool) {
    unsigned long long bytes = 0;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    return bytes;
}

int main() {
    const int count = 3000, rounds = 4;
    int device, supported = 0, got = 0, want = 0;
    cudaStream_t stream;
    cudaMemPool_t usual, own;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
    expect("pools", supported == 1);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceGetDefaultMemPool(&usual, device));
    unsigned long long keep = ~0ull, threshold = 0;
    CHECK(cudaMemPoolSetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMemPoolGetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &threshold));
    expect("the threshold", threshold == keep);

    int *total;
    CHECK(cudaMallocAsync((void **)&total, sizeof *total, stream));
    CHECK(cudaMemsetAsync(total, 0, sizeof *total, stream));
    for (int round = 0; round < rounds; round++) {
        int *x;
        CHECK(cudaMallocAsync((void **)&x, count * sizeof *x, stream));
        fill<<<(count + 255) / 256, 256, 0, stream>>>(x, count, round);
        sum<<<1, 256, 0, stream>>>(x, count, total);
        CHECK(cudaFreeAsync(x, stream));
        want += count * round + count * (count - 1) / 2;
    }
    CHECK(cudaMemcpyAsync(&got, total, sizeof got, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(total, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("sum of %d rounds: %d\n", rounds, got);
    expect("the sum", got == want);
    expect("nothing is used any more", used(usual) == 0);
    CHECK(cudaMemPoolTrimTo(usual, 0));

    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = device;
    CHECK(cudaMemPoolCreate(&own, &props));
    int *blocks[3], sums = 0;
    for (int *&block : blocks) CHECK(cudaMallocFromPoolAsync((void **)&block, 1 << 16, own, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect("three blocks are used", used(own) >= 3ull << 16);
    for (int *block : blocks) fill<<<1, 64, 0, stream>>>(block, 64, 5);
    for (int *block : blocks) {
        int values[64];
        CHECK(cudaMemcpyAsync(values, block, sizeof values, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int v : values) sums += v;
        CHECK(cudaFreeAsync(block, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    printf("sum of blocks: %d\n", sums);
    expect("the blocks", sums == 3 * (64 * 5 + 63 * 32) && used(own) == 0);
    CHECK(cudaMemPoolDestroy(own));
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
