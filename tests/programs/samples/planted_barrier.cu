// A defect on purpose: a reversal without the barrier between writing and reading shared memory.
#include "sample.h"

__global__ void reverse(int *x) {
    __shared__ int tile[256];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x]; // found: race-shared
}

int main() {
    int values[256], got[256], kept = 0;
    for (int i = 0; i < 256; i++) values[i] = i;
    int *x = on_device(256, values);
    reverse<<<1, 256>>>(x);
    to_host(got, x, 256);
    for (int v : got) kept += v >= 0; // what is there depends on which warp comes first
    printf("%d values\n", kept > 0 ? 256 : 0);
    CHECK(cudaFree(x));
    return finish();
}
