// The starter after each of the hints was followed, and nothing else was done.
#include <cuda_runtime.h>

enum { BLOCK = 256 };

__global__ void gather_kernel(float *out, const float *in, const int *rows, int count, int width) {
    const int r = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    if (r >= count) return;
    for (int c = threadIdx.x % 32; c < width; c += 32) out[r * width + c] = in[rows[r] * width + c];
}

void gather(float *out, const float *in, const int *rows, int count, int width) {
    gather_kernel<<<(count + BLOCK / 32 - 1) / (BLOCK / 32), BLOCK>>>(out, in, rows, count, width);
}
