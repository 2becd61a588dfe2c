/* Copies: the plainest memory-bound kernel, by words, by 16-byte vectors, and by the copy engine both ways. */
#include <haul/device.h>

#include "tuned.cuh"

#define PACED COPY_PACED_THREADS /* threads of a paced block */
#define TILE COPY_BULK_FLOATS    /* floats that the copy engine moves at a time */
#define STAGES COPY_BULK_STAGES

extern "C" __global__ void copy_scalar(const float *in, float *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

/* in and out: 16-byte aligned, here and below. One thread for each four floats, the last up to three by single words.
 */
extern "C" __global__ void copy_vector(const float *in, float *out, unsigned n) {
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        *(float4 *)(out + i) = *(const float4 *)(in + i);
        return;
    }
    for (; i < n; i++) out[i] = in[i];
}

/* The same, but no thread of a block stores before all its loads have arrived: memory switches less often between
 * reading and writing. Blocks of PACED threads. */
extern "C" __global__ void __launch_bounds__(PACED)
    copy_paced(const float *__restrict__ in, float *__restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * PACED + threadIdx.x;
    if ((blockIdx.x + 1) * PACED <= n / 4) {
        float4 vector = ((const float4 *)in)[i];
        haul_block_loaded(__float_as_uint(vector.x));
        ((float4 *)out)[i] = vector;
    } else {
        for (unsigned k = i * 4; k < n && k - i * 4 < 4; k++) out[k] = in[k];
    }
}

/* Starts the copy of tile k into the next stage, if there is such a tile. */
static __device__ __forceinline__ void fetch_tile(haul_pipeline *p, haul_transfer tile, float *stages, const float *in,
                                                  unsigned k, unsigned tiles) {
    unsigned s = haul_warp_pipeline_acquire(p);
    if (k < tiles) haul_warp_pipeline_load(p, tile, stages + s * TILE, in + (size_t)k * TILE);
    haul_warp_pipeline_commit(p);
}

/* Blocks of one warp that only issues copies: bulk copies bring tiles into STAGES stages, and bulk copies take them
 * out. No data passes through a register. (For sm_80, LDGSTS brings them, and stores take them out.) */
extern "C" __global__ void __launch_bounds__(32) copy_bulk(const float *in, float *out, unsigned n) {
    extern __shared__ __align__(128) float stages[];
    HAUL_SEQUENTIAL_WITH(tile, float, .count = TILE, .vector = 4, .threads = 32);
    HAUL_WARP_PIPELINE_WITH(p, .stages = STAGES, .warps = 1);
    unsigned tiles = n / TILE, ahead = blockIdx.x;
    for (unsigned s = 1; s < STAGES; s++, ahead += gridDim.x) fetch_tile(&p, tile, stages, in, ahead, tiles);
    for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x, ahead += gridDim.x) {
        unsigned s = haul_warp_pipeline_wait(&p);
        HAUL_FLIGHT(out_of_here);
        haul_warp_store_start(&out_of_here, tile, out + (size_t)k * TILE, stages + s * TILE);
        fetch_tile(&p, tile, stages, in, ahead, tiles);
        haul_warp_wait_read(&out_of_here);
        haul_warp_pipeline_release(&p);
    }
    for (unsigned k = blockIdx.x * 32 + threadIdx.x; k < n % TILE; k += gridDim.x * 32)
        out[(size_t)tiles * TILE + k] = in[(size_t)tiles * TILE + k];
}
