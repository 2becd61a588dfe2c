/* Exercise: accesses of 16 bytes.
 *
 * The kernel below computes out[i] = a * x[i] + y[i] with loads and stores of 4 bytes. It needs the minimum of sectors,
 * but four times as many instructions as with accesses of 16 bytes.
 *
 * Let each thread load and store a float4. The test allows at most a quarter of the load instructions, and a few for
 * the end.
 *
 * Keep: the function saxpy(). All arrays are device memory of n floats, aligned to 256 bytes; n is at least 1 and may
 * be any number, not only a multiple of 4. */
#include <cuda_runtime.h>

enum { BLOCK = 256 };

__global__ void saxpy_kernel(float *out, float a, const float *x, const float *y, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}

void saxpy(float *out, float a, const float *x, const float *y, int n) {
    saxpy_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(out, a, x, y, n);
}
