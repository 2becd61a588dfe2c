/* y = alpha * x + y, the "hello, world" of GPUs: one thread an element. */
#include <cuda_runtime.h>

extern "C" __global__ void saxpy(int n, float alpha, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = alpha * x[i] + y[i];
}
