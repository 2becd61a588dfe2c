/* y = alpha * x + y through four stages of shared memory: LDGSTS on sm_80, bulk copies on sm_90. n: a multiple of 1024.
 */
#define HAUL_BLOCK_IS_1D
#include <cuda_runtime.h>
#include <haul/device.h>

#define THREADS 256
#define STAGES 4
#define TILE 1024

extern "C" __global__ void saxpy(unsigned n, float alpha, const float *x, float *y) {
    __shared__ __align__(128) float4 stage_x[STAGES][THREADS], stage_y[STAGES][THREADS];
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = TILE, .vector = 4, .threads = THREADS);
    HAUL_BLOCK_PIPELINE_WITH(ring, .stages = STAGES, .threads = THREADS);
    const unsigned tiles = n / TILE, t = threadIdx.x;
    unsigned next = blockIdx.x;
    for (unsigned k = 0; k < STAGES - 1; k++, next += gridDim.x) {
        const unsigned empty = haul_block_pipeline_acquire(&ring);
        if (next < tiles) {
            haul_block_pipeline_load(&ring, fetch, stage_x[empty], x + (size_t)next * TILE);
            haul_block_pipeline_load(&ring, fetch, stage_y[empty], y + (size_t)next * TILE);
        }
        haul_block_pipeline_commit(&ring);
    }
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, next += gridDim.x) {
        const unsigned full = haul_block_pipeline_wait(&ring), empty = haul_block_pipeline_acquire(&ring);
        if (next < tiles) {
            haul_block_pipeline_load(&ring, fetch, stage_x[empty], x + (size_t)next * TILE);
            haul_block_pipeline_load(&ring, fetch, stage_y[empty], y + (size_t)next * TILE);
        }
        haul_block_pipeline_commit(&ring);
        const float4 a = stage_x[full][t], b = stage_y[full][t];
        haul_block_pipeline_release(&ring);
        ((float4 *)y)[(size_t)tile * THREADS + t] =
            make_float4(fmaf(alpha, a.x, b.x), fmaf(alpha, a.y, b.y), fmaf(alpha, a.z, b.z), fmaf(alpha, a.w, b.w));
    }
}
