/* A thread walks down a column and keeps the element above in a register, so that each row is loaded once, apart from
 * the first row of each strip. */
#include <cuda_runtime.h>

enum { WIDTH = 32, HEIGHT = 8, STRIP = 16 };

__global__ void derivative_kernel(float *out, const float *in, int n0, int n1, int pitch) {
    const int x = blockIdx.x * WIDTH + threadIdx.x;
    const int first = (blockIdx.y * HEIGHT + threadIdx.y) * STRIP;
    if (x >= n0 || first >= n1) return;
    float above = in[first * pitch + x];
#pragma unroll
    for (int k = 0; k < STRIP; k++) {
        const int y = first + k;
        if (y >= n1) return;
        const float below = in[(y + 1) * pitch + x];
        out[y * pitch + x] = below - above;
        above = below;
    }
}

void derivative(float *out, const float *in, int n0, int n1, int pitch) {
    const int rows = HEIGHT * STRIP;
    const dim3 blocks((n0 + WIDTH - 1) / WIDTH, (n1 + rows - 1) / rows);
    derivative_kernel<<<blocks, dim3(WIDTH, HEIGHT)>>>(out, in, n0, n1, pitch);
}
