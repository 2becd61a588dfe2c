/* A row of the tile has an additional word, so that the words of a column lie in 32 different banks. */
#include <cuda_runtime.h>

enum { TILE = 32, ROWS = 8 };

__global__ void transpose_kernel(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    const int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (int row = threadIdx.y; row < TILE; row += ROWS) {
        const int x = left + threadIdx.x, y = top + row;
        if (x < width && y < height) tile[row][threadIdx.x] = in[y * width + x];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < TILE; row += ROWS) {
        const int x = left + row, y = top + threadIdx.x;
        if (x < width && y < height) out[x * height + y] = tile[threadIdx.x][row];
    }
}

void transpose(float *out, const float *in, int width, int height) {
    const dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transpose_kernel<<<blocks, dim3(TILE, ROWS)>>>(out, in, width, height);
}
