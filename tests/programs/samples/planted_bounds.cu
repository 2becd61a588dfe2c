// A defect on purpose: the last block writes behind the array's end. A GPU rounds allocations up, and goes on.
#include "sample.h"

__global__ void fill(int *x, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count) x[i] = i; // found: out-of-bounds
}

int main() {
    int *x = on_device<int>(100);
    fill<<<2, 64>>>(x, 100);
    const cudaError_t error = cudaDeviceSynchronize(); // an error, or none: see above
    printf("%s\n", error == cudaSuccess || error == cudaErrorIllegalAddress ? "ok" : cudaGetErrorName(error));
    return 0;
}
