/* Roles: half of a block's threads copy tiles into shared memory, the other half computes with the tile before.
 *
 * Lanes of a warp with different roles take turns: each warp runs both sides with half of its lanes, so it issues both
 * sides' instructions, and its loads are half as wide. Roles of whole warps cost neither. */
#include <cuda_runtime.h>

enum { TILE = 128 }; /* elements; a block has two threads for each */

/* Double-buffered: the producers' next tile arrives while the consumers use this one. */
static __device__ __forceinline__ void work(float *out, const float *in, unsigned tiles, unsigned rounds, bool copies,
                                            unsigned i) {
    __shared__ float stages[2][TILE];
    unsigned k = blockIdx.x, s = 0;
    if (copies && k < tiles) stages[0][i] = in[(size_t)k * TILE + i];
    for (; k < tiles; k += gridDim.x, s ^= 1) {
        __syncthreads();
        const unsigned next = k + gridDim.x;
        if (copies) {
            if (next < tiles) stages[s ^ 1][i] = in[(size_t)next * TILE + i];
        } else {
            float v = stages[s][i];
            for (unsigned r = 0; r < rounds; r++) v = __fmaf_rn(v, 0.5f, 0.25f);
            out[(size_t)k * TILE + i] = v;
        }
    }
}

/* in, out: tiles of 128 floats; blocks of 256 threads. Even lanes copy, odd ones compute. */
extern "C" __global__ void roles_by_lane(const float *in, float *out, unsigned tiles, unsigned rounds) {
    work(out, in, tiles, rounds, threadIdx.x % 2 == 0, threadIdx.x / 2);
}

/* Even warps copy, odd ones compute. */
extern "C" __global__ void roles_by_warp(const float *in, float *out, unsigned tiles, unsigned rounds) {
    work(out, in, tiles, rounds, threadIdx.x / 32 % 2 == 0, threadIdx.x / 64 * 32 + threadIdx.x % 32);
}
