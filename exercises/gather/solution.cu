/* A warp takes a row: its lanes read one index, and then go along the row together. */
#include <cuda_runtime.h>

enum { BLOCK = 256, WARP = 32, ROWS = BLOCK / WARP };

__global__ void gather_kernel(float *out, const float *in, const int *rows, int count, int width) {
    const int r = blockIdx.x * ROWS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (r >= count) return;
    const int from = rows[r];
    for (int c = lane; c < width; c += WARP) out[r * width + c] = in[from * width + c];
}

void gather(float *out, const float *in, const int *rows, int count, int width) {
    gather_kernel<<<(count + ROWS - 1) / ROWS, BLOCK>>>(out, in, rows, count, width);
}
