/* Max pooling of radius 15: out[i] is the largest of in[i - 15] to in[i + 15], clamped to the array.
 *
 * Each element is wanted 31 times. The plain form asks global memory each time and lives off L1; the staged form asks
 * once, keeps the block's part and a halo of 15 on either side in shared memory, and reads it from there. */
#include <cuda_runtime.h>

#define RADIUS 15
#define BLOCK 256 /* threads a block of the staged form */

extern "C" __global__ void maxpool15_plain(float *out, const float *in, int n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = i < RADIUS ? 0 : (int)i - RADIUS, to = i < n - RADIUS ? (int)i + RADIUS : n - 1;
    float largest = in[from];
    for (int k = from + 1; k <= to; k++) largest = fmaxf(largest, in[k]);
    out[i] = largest;
}

/* Elements beyond either end count as minus infinity: they never win. */
extern "C" __global__ void maxpool15_staged(float *out, const float *in, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    long long first = (long long)blockIdx.x * BLOCK - RADIUS;
    for (int k = threadIdx.x; k < BLOCK + 2 * RADIUS; k += BLOCK) {
        tile[k] = first + k >= 0 && first + k < n ? in[first + k] : __int_as_float(0xff800000);
    }
    __syncthreads();
    float largest = tile[threadIdx.x];
#pragma unroll
    for (int k = 1; k <= 2 * RADIUS; k++) largest = fmaxf(largest, tile[threadIdx.x + k]);
    if (first + RADIUS + threadIdx.x < n) out[first + RADIUS + threadIdx.x] = largest;
}
