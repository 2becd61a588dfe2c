/* C = A * B, n x n, through 16 x 16 tiles in local memory, as kernels/sgemm.cu has it. */
#define TILE 16

__kernel void sgemm_tiled(__global const float *a, __global const float *b, __global float *c, uint n) {
    __local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint row = get_group_id(1) * TILE + y, column = get_group_id(0) * TILE + x;
    float sum = 0.0f;
    for (uint k = 0; k < n; k += TILE) {
        tile_a[y][x] = row < n && k + x < n ? a[(size_t)row * n + k + x] : 0.0f;
        tile_b[y][x] = column < n && k + y < n ? b[(size_t)(k + y) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint j = 0; j < TILE; j++) sum = fma(tile_a[y][j], tile_b[j][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n) c[(size_t)row * n + column] = sum;
}
