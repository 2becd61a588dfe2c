// A histogram of bytes: each block counts in shared memory, then adds its counts to the global ones.
#include "sample.h"

enum { BINS = 256 };

__global__ void count_bytes(const uchar4 *data, int quads, unsigned *bins) {
    __shared__ unsigned mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        const uchar4 v = data[i];
        atomicAdd(&mine[v.x], 1);
        atomicAdd(&mine[v.y], 1);
        atomicAdd(&mine[v.z], 1);
        atomicAdd(&mine[v.w], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (mine[b]) atomicAdd(&bins[b], mine[b]);
}

int main() {
    const int bytes = 80000;
    static unsigned char data[bytes];
    unsigned want[BINS] = {}, got[BINS], most = 0, wrong = 0;
    for (unsigned char &v : data) want[v = (unsigned char)(draw(16) * draw(16))]++;
    unsigned char *on = on_device(bytes, data);
    unsigned *bins = on_device<unsigned>(BINS);
    CHECK(cudaMemset(bins, 0, sizeof got));
    count_bytes<<<24, 192>>>((const uchar4 *)on, bytes / 4, bins);
    to_host(got, bins, BINS);
    for (unsigned b = 0; b < BINS; b++) {
        wrong += got[b] != want[b];
        if (got[b] > got[most]) most = b;
    }
    printf("most frequent: %u, %u times; %u bins wrong\n", most, got[most], wrong);
    expect("the histogram", wrong == 0);
    CHECK(cudaFree(on));
    CHECK(cudaFree(bins));
    return finish();
}
