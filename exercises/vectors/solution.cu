/* A thread has four elements. The thread after the last whole vector computes the rest, one by one. */
#include <cuda_runtime.h>

enum { BLOCK = 256 };

__global__ void saxpy_kernel(float *out, float a, const float *x, const float *y, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n / 4) {
        const float4 u = ((const float4 *)x)[i], v = ((const float4 *)y)[i];
        ((float4 *)out)[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
    } else if (i == n / 4) {
        for (int k = i * 4; k < n; k++) out[k] = a * x[k] + y[k];
    }
}

void saxpy(float *out, float a, const float *x, const float *y, int n) {
    saxpy_kernel<<<(n / 4 + 1 + BLOCK - 1) / BLOCK, BLOCK>>>(out, a, x, y, n);
}
