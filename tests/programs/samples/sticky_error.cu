// A kernel writes to an address without memory. The launch itself succeeds, as it does not wait. All later calls fail
// with the same error, which no call clears.
#include "sample.h"

__global__ void write_nowhere(int *x) {
    x[threadIdx.x] = 1; // found: out-of-bounds
}

int main() {
    int *x = on_device<int>(4), *more = nullptr;
    write_nowhere<<<1, 1>>>((int *)0x10);
    expect("the launch does not wait, so it succeeds", cudaGetLastError() == cudaSuccess);
    const cudaError_t waited = cudaDeviceSynchronize(), allocated = cudaMalloc(&more, 4);
    printf("wait: %s\nallocation: %s\n", cudaGetErrorName(waited), cudaGetErrorName(allocated));
    expect("the wait fails", waited == cudaErrorIllegalAddress);
    expect("and stays so", allocated == cudaErrorIllegalAddress && cudaGetLastError() == cudaErrorIllegalAddress);
    expect("for ever", cudaFree(x) == cudaErrorIllegalAddress && cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    if (!sample_failures) printf("ok\n");
    return sample_failures > 0;
}
