/* One kernel built up step by step: docs/device.md goes through it.
 *
 * Each output is the mean of 17 neighbours, out[i] = (in[i] + ... + in[i + 16]) / 17, added in this order, so that all
 * kernels give the same bits. `in` has n + 16 floats, both arrays are aligned to 16 bytes, and n is a multiple of 1024
 * but for window_any, which takes any. Blocks have 256 threads (window_roles: 288).
 *
 *     haul profile ladder.cu --kernel window_plain --grid 256 --block 256 \
 *         --arg buf:f01:65552 --arg buf:zero:65536 --arg i32:65536 */
#define HAUL_BLOCK_IS_1D
#include <cuda_runtime.h>
#include <haul/device.h>

#define TAPS 17
#define THREADS 256
#define TILE 1024                /* outputs that a block computes at a time, four a thread */
#define LOADED (TILE + TAPS - 1) /* inputs of these */
#define STAGES 4
#define PITCH (TILE + 32) /* of stages, in floats: each begins at a multiple of 128 bytes, as tiles do in `in` */

/* ---- plain: a thread an output ---- */

extern "C" __global__ void window_plain(const float *in, float *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (unsigned k = 0; k < TAPS; k++) sum += in[i + k];
    out[i] = sum * (1.0f / TAPS);
}

/* ---- vectors: a thread four outputs ---- */

/* Four outputs from the inputs at `p`, in global or in shared memory. */
static __device__ __forceinline__ float4 window4(const float *p) {
    float in[TAPS + 3], sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (unsigned k = 0; k < TAPS + 3; k += 4) *(float4 *)(in + k) = *(const float4 *)(p + k);
#pragma unroll
    for (unsigned k = 0; k < TAPS; k++) {
#pragma unroll
        for (unsigned j = 0; j < 4; j++) sum[j] += in[k + j];
    }
    const float scale = 1.0f / TAPS;
    return make_float4(sum[0] * scale, sum[1] * scale, sum[2] * scale, sum[3] * scale);
}

extern "C" __global__ void window_vectors(const float *in, float *out, unsigned n) {
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) *(float4 *)(out + i) = window4(in + i);
}

/* ---- a tile in shared memory, loaded by the block at once ---- */

extern "C" __global__ void window_block(const float *in, float *out, unsigned n) {
    __shared__ __align__(128) float tile[LOADED];
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = LOADED, .vector = 4, .threads = THREADS, .engine = HAUL_BY_LDG,
                         .destination_free = 1);
    const unsigned first = blockIdx.x * TILE, mine = 4 * threadIdx.x;
    haul_block_load(fetch, 0, tile, in + first);
    *(float4 *)(out + first + mine) = window4(tile + mine);
}

/* ---- two phases: the next tile is in flight, in registers, while this one is used ---- */

extern "C" __global__ void window_two_phases(const float *in, float *out, unsigned n) {
    __shared__ __align__(128) float tile[LOADED];
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = LOADED, .vector = 4, .threads = THREADS, .engine = HAUL_BY_LDG);
    const unsigned tiles = n / TILE, mine = 4 * threadIdx.x;
    if (blockIdx.x < tiles) haul_block_load(fetch, 0, tile, in + blockIdx.x * TILE);
    for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x) {
        const unsigned next = k + gridDim.x;
        HAUL_FLIGHT(coming);
        if (next < tiles) haul_block_load_start(&coming, fetch, 0, tile, in + next * TILE);
        *(float4 *)(out + k * TILE + mine) = window4(tile + mine);
        if (next < tiles) haul_block_wait(&coming);
    }
}

/* ---- a unified pipeline: four stages, every thread fills and uses ---- */

extern "C" __global__ void window_pipeline(const float *in, float *out, unsigned n) {
    __shared__ __align__(128) float tile[STAGES][PITCH];
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = LOADED, .vector = 4, .threads = THREADS);
    HAUL_BLOCK_PIPELINE_WITH(ring, .stages = STAGES, .threads = THREADS);
    const unsigned tiles = n / TILE, mine = 4 * threadIdx.x, ahead = (STAGES - 1) * gridDim.x;
    unsigned next = blockIdx.x;
    for (; next < blockIdx.x + ahead; next += gridDim.x) {
        const unsigned stage = haul_block_pipeline_acquire(&ring);
        if (next < tiles) haul_block_pipeline_load(&ring, fetch, tile[stage], in + next * TILE);
        haul_block_pipeline_commit(&ring);
    }
    for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x, next += gridDim.x) {
        const unsigned full = haul_block_pipeline_wait(&ring), empty = haul_block_pipeline_acquire(&ring);
        if (next < tiles) haul_block_pipeline_load(&ring, fetch, tile[empty], in + next * TILE);
        haul_block_pipeline_commit(&ring);
        *(float4 *)(out + k * TILE + mine) = window4(tile[full] + mine);
        haul_block_pipeline_release(&ring);
    }
}

/* ---- a specialised pipeline: warp 0 fills, the others use ---- */

extern "C" __global__ void window_roles(const float *in, float *out, unsigned n) {
    __shared__ __align__(128) float tile[STAGES][PITCH];
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = LOADED, .vector = 4, .threads = 32);
    HAUL_SPLIT_PIPELINE_WITH(ring, .stages = STAGES, .producer_warps = 1, .first_consumer_warp = 1,
                             .consumer_warps = THREADS / 32);
    const unsigned tiles = n / TILE, mine = 4 * (threadIdx.x - 32);
    if (haul_is_producer(&ring)) {
        haul_producer producer = haul_producer_of(&ring);
        for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x) {
            const unsigned empty = haul_producer_acquire(&producer);
            haul_producer_load(&producer, fetch, tile[empty], in + k * TILE);
            haul_producer_commit(&producer);
        }
    } else {
        haul_consumer consumer = haul_consumer_of(&ring);
        for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x) {
            const unsigned full = haul_consumer_wait(&consumer);
            *(float4 *)(out + k * TILE + mine) = window4(tile[full] + mine);
            haul_consumer_release(&consumer);
        }
    }
}

/* ---- stores: results also leave by a transfer, a bulk store on sm_90 ---- */

extern "C" __global__ void window_stored(const float *in, float *out, unsigned n) {
    __shared__ __align__(128) float tile[STAGES][PITCH], result[TILE];
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = LOADED, .vector = 4, .threads = THREADS);
    HAUL_SEQUENTIAL_WITH(send, float, .count = TILE, .vector = 4, .threads = THREADS);
    HAUL_BLOCK_PIPELINE_WITH(ring, .stages = STAGES, .threads = THREADS);
    HAUL_FLIGHT(leaving);
    const unsigned tiles = n / TILE, mine = 4 * threadIdx.x, ahead = (STAGES - 1) * gridDim.x;
    unsigned next = blockIdx.x;
    for (; next < blockIdx.x + ahead; next += gridDim.x) {
        const unsigned stage = haul_block_pipeline_acquire(&ring);
        if (next < tiles) haul_block_pipeline_load(&ring, fetch, tile[stage], in + next * TILE);
        haul_block_pipeline_commit(&ring);
    }
    for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x, next += gridDim.x) {
        const unsigned full = haul_block_pipeline_wait(&ring), empty = haul_block_pipeline_acquire(&ring);
        if (next < tiles) haul_block_pipeline_load(&ring, fetch, tile[empty], in + next * TILE);
        haul_block_pipeline_commit(&ring);
        const float4 sum = window4(tile[full] + mine);
        haul_block_pipeline_release(&ring);
        if (k != blockIdx.x) haul_block_wait_read(&leaving); /* the last result has been read */
        *(float4 *)(result + mine) = sum;
        haul_block_store_start(&leaving, send, out + k * TILE, result);
    }
    if (blockIdx.x < tiles) haul_block_wait(&leaving);
}

/* ---- any n: the last tile is a shorter transfer, of as many bytes as there are ---- */

static __device__ __forceinline__ void fill_any(haul_pipeline *ring, float (*tile)[PITCH], const float *in, unsigned n,
                                                unsigned long long first) {
    const unsigned stage = haul_block_pipeline_acquire(ring);
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = LOADED, .vector = 4, .threads = THREADS);
    if (first + TILE <= n) {
        haul_block_pipeline_load(ring, fetch, tile[stage], in + first);
    } else if (first < n) {
        const unsigned bytes = (unsigned)(n - first + TAPS - 1) * 4;
        haul_block_pipeline_load(ring, haul_sized(fetch, bytes), tile[stage], in + first);
    }
    haul_block_pipeline_commit(ring);
}

extern "C" __global__ void window_any(const float *in, float *out, unsigned n) {
    __shared__ __align__(128) float tile[STAGES][PITCH];
    HAUL_BLOCK_PIPELINE_WITH(ring, .stages = STAGES, .threads = THREADS);
    const unsigned long long hop = (unsigned long long)gridDim.x * TILE;
    unsigned long long first = (unsigned long long)blockIdx.x * TILE;
    for (unsigned k = 0; k < STAGES - 1; k++) fill_any(&ring, tile, in, n, first + k * hop);
    for (; first < n; first += hop) {
        const unsigned full = haul_block_pipeline_wait(&ring);
        fill_any(&ring, tile, in, n, first + (STAGES - 1) * hop);
        const float4 sum = window4(tile[full] + 4 * threadIdx.x);
        const float each[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            if (first + 4 * threadIdx.x + j < n) out[first + 4 * threadIdx.x + j] = each[j];
        }
        haul_block_pipeline_release(&ring);
    }
}
