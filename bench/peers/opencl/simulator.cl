/* The kernels of bench/simulator/kernels.cu. OpenCL has no asynchronous copies in stages: the product loads each tile
 * and waits. */
#define SIDE 64
#define DEPTH 16

__kernel void product_staged(__global const float *a, __global const float *b, __global float *c, uint n) {
    __local float left_tile[SIDE][DEPTH], right_tile[DEPTH][SIDE];
    uint t = get_local_id(0), row = t / 16 * 4, column = t % 16 * 4;
    float4 sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    a += get_group_id(1) * SIDE * n;
    b += get_group_id(0) * SIDE;
    for (uint k = 0; k < n; k += DEPTH) {
        *(__local float4 *)&left_tile[t / 4][t % 4 * 4] = *(__global const float4 *)(a + t / 4 * n + k + t % 4 * 4);
        *(__local float4 *)&right_tile[t / 16][t % 16 * 4] =
            *(__global const float4 *)(b + (k + t / 16) * n + t % 16 * 4);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint j = 0; j < DEPTH; j++) {
            float4 right = *(__local const float4 *)&right_tile[j][column];
#pragma unroll
            for (uint i = 0; i < 4; i++) sum[i] = fma((float4)(left_tile[row + i][j]), right, sum[i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c += (get_group_id(1) * SIDE + row) * n + get_group_id(0) * SIDE + column;
    for (uint i = 0; i < 4; i++) *(__global float4 *)(c + i * n) = sum[i];
}

__kernel void transpose_padded(__global const float *in, __global float *out, uint n) {
    __local float tile[32][33];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
    for (uint j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(size_t)(y + j) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + tx;
    y = get_group_id(0) * 32 + ty;
    for (uint j = 0; j < 32; j += 8) out[(size_t)(y + j) * n + x] = tile[tx][ty + j];
}

__kernel void histogram_shared(__global const uint *words, __global uint *counts, uint n) {
    __local uint mine[256];
    uint t = get_local_id(0), step = get_num_groups(0) * get_local_size(0);
    mine[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += step) atomic_add(&mine[words[i] & 255], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[t], mine[t]);
}

__kernel void bitonic_sort(__global uint *keys) {
    __local uint run[1024];
    uint t = get_local_id(0);
    keys += get_group_id(0) * 1024;
    run[t] = keys[t];
    run[t + 512] = keys[t + 512];
    for (uint size = 2; size <= 1024; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint at = 2 * t - (t & (stride - 1));
            uint low = run[at], high = run[at + stride];
            bool up = (t & size / 2) == 0;
            if ((low > high) == up) {
                run[at] = high;
                run[at + stride] = low;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[t] = run[t];
    keys[t + 512] = run[t + 512];
}
