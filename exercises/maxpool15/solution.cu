/* A block stages its elements and a halo of 15 on either side. Maxima of windows of 16 are made by doubling: four
 * steps instead of 15 comparisons; two of them, 15 apart, cover a window of 31. */
#include <cuda_runtime.h>

enum { RADIUS = 15, BLOCK = 256, OUTPUTS = 1024, SPAN = OUTPUTS + 2 * RADIUS, PADDED = SPAN + 16 };

/* largest[k] becomes the largest of tile[k] and the one `step` after it. */
static __device__ void widen(float *largest, const float *tile, int step) {
    for (int k = threadIdx.x; k < SPAN; k += BLOCK) largest[k] = fmaxf(tile[k], tile[k + step]);
    __syncthreads();
}

__global__ void maxpool15_kernel(float *out, const float *in, int n) {
    __shared__ float a[PADDED], b[PADDED];
    const long long first = (long long)blockIdx.x * OUTPUTS;
    for (int k = threadIdx.x; k < PADDED; k += BLOCK) {
        const long long i = first - RADIUS + k;
        a[k] = i >= 0 && i < n && k < SPAN ? in[i] : -INFINITY;
        b[k] = -INFINITY;
    }
    __syncthreads();
    widen(b, a, 1);
    widen(a, b, 2);
    widen(b, a, 4);
    widen(a, b, 8);
    for (int k = threadIdx.x; k < OUTPUTS && first + k < n; k += BLOCK) out[first + k] = fmaxf(a[k], a[k + RADIUS]);
}

void maxpool15(float *out, const float *in, int n) {
    const unsigned blocks = ((unsigned)n + OUTPUTS - 1) / OUTPUTS;
    maxpool15_kernel<<<blocks, BLOCK>>>(out, in, n);
}
