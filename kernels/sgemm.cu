/* C = A * B in single precision, row-major, n x n, through 16 x 16 tiles in shared memory.
 *
 * Each element of A and B is loaded n / 16 times instead of n times. Blocks of 16 x 16 threads; the grid covers C. */
#include <cuda_runtime.h>

#define TILE 16

extern "C" __global__ void sgemm_tiled(const float *a, const float *b, float *c, unsigned n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k += TILE) {
        tile_a[y][x] = row < n && k + x < n ? a[(size_t)row * n + k + x] : 0.0f;
        tile_b[y][x] = column < n && k + y < n ? b[(size_t)(k + y) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < TILE; j++) sum = fmaf(tile_a[y][j], tile_b[j][x], sum);
        __syncthreads();
    }
    if (row < n && column < n) c[(size_t)row * n + column] = sum;
}
