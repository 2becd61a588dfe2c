// A sum in three ways: a tree in shared memory, shuffles within warps, and one atomic operation a block.
#include "sample.h"

template <int THREADS> __global__ void sum_by_tree(const int *in, int count, int *out) {
    __shared__ int part[THREADS];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = blockIdx.x * THREADS + t; i < count; i += gridDim.x * THREADS) sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

__device__ int sum_of_warp(int value) {
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

__global__ void sum_by_shuffles(const int *in, int count, int *total) {
    __shared__ int of_warp[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += in[i];
    sum = sum_of_warp(sum);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    sum = sum_of_warp(lane < blockDim.x / warpSize ? of_warp[lane] : 0);
    if (lane == 0) atomicAdd(total, sum);
}

int main() {
    const int count = 100003;
    static int values[100003];
    int want = 0, got = 0;
    for (int &v : values) want += v = (int)draw(1000) - 300;

    int *in = on_device(count, values), *parts = on_device<int>(64), *total = on_device<int>(1);
    sum_by_tree<256><<<64, 256>>>(in, count, parts);
    sum_by_tree<64><<<1, 64>>>(parts, 64, total);
    to_host(&got, total, 1);
    printf("by a tree: %d\n", got);
    expect("the sum by a tree", got == want);

    CHECK(cudaMemset(total, 0, sizeof *total));
    sum_by_shuffles<<<64, 256>>>(in, count, total);
    to_host(&got, total, 1);
    printf("by shuffles: %d\n", got);
    expect("the sum by shuffles", got == want);
    CHECK(cudaFree(in));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(total));
    return finish();
}
