/* Compute warps and DMA warps that hand buffers back and forth by named barriers, as CudaDMA's did: single, double and
 * manual buffering, beside the plain form.
 *
 * Each block adds up its `rows` rows of 1024 floats: out[block][c] = in[block][0][c] + in[block][1][c] + ..., in this
 * order in all forms. The first 256 threads of a block compute, four columns each; 64 or 128 more move tiles of 4 rows.
 * `rows` is a multiple of 4.
 *
 *     haul profile handover.cu --kernel sums_manual --grid 132 --block 320 \
 *         --arg buf:f01:8650752 --arg buf:zero:135168 --arg i32:64 */
#define HAUL_BLOCK_IS_1D
#include <cuda_runtime.h>
#include <haul/device.h>

#define COLUMNS 1024
#define ROWS 4 /* rows of a tile */
#define TILE (ROWS * COLUMNS)
#define COMPUTE 256 /* threads; the first of the block */
#define DMA 64      /* threads of a set of DMA warps */
#define DMA_WARP(set) ((COMPUTE + (set)*DMA) / 32)

static __device__ __forceinline__ float4 add(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* This thread's four columns of a tile. */
static __device__ __forceinline__ float4 add_tile(float4 sum, const float *tile) {
#pragma unroll
    for (unsigned row = 0; row < ROWS; row++) sum = add(sum, ((const float4 *)(tile + row * COLUMNS))[threadIdx.x]);
    return sum;
}

static __device__ __forceinline__ const float *rows_of_block(const float *in, unsigned rows) {
    return in + (size_t)blockIdx.x * rows * COLUMNS;
}

static __device__ __forceinline__ void put_sum(float *out, float4 sum) {
    ((float4 *)out)[blockIdx.x * (COLUMNS / 4) + threadIdx.x] = sum;
}

/* Blocks of 256 threads. */
extern "C" __global__ void sums_plain(const float *in, float *out, unsigned rows) {
    float4 sum = make_float4(0, 0, 0, 0);
    in = rows_of_block(in, rows);
    for (unsigned k = 0; k < rows / ROWS; k++) sum = add_tile(sum, in + k * TILE);
    put_sum(out, sum);
}

/* A DMA warp's work on tile k, once for each handover. */
static __device__ __forceinline__ void serve(const haul_handover *buffer, haul_team self, haul_channel *channel,
                                             float *tile, const float *from) {
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = TILE, .vector = 4, .threads = DMA);
    haul_dma_await(buffer);
    haul_warps_load(self, fetch, channel, tile, from);
    haul_dma_finish(buffer);
}

/* ---- single buffering: the buffer is either being filled or being used. Blocks of 320 threads ---- */

extern "C" __global__ void sums_single(const float *in, float *out, unsigned rows) {
    __shared__ __align__(128) float tile[TILE];
    __shared__ haul_channel_memory memory;
    HAUL_HANDOVER(buffer, 1, COMPUTE, DMA); /* takes named barriers 1 and 2 */
    const unsigned tiles = rows / ROWS;
    if (threadIdx.x < COMPUTE) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (unsigned k = 0; k < tiles; k++) {
            haul_compute_start(&buffer);
            haul_compute_wait(&buffer); /* work that needs no tile can be done between the two calls */
            sum = add_tile(sum, tile);
        }
        put_sum(out, sum);
    } else {
        const haul_team self = haul_these_warps(DMA_WARP(0), DMA, 3);
        haul_channel channel = haul_warps_channel(self, &memory);
        in = rows_of_block(in, rows);
        for (unsigned k = 0; k < tiles; k++) serve(&buffer, self, &channel, tile, in + k * TILE);
    }
}

/* ---- double buffering: two buffers, each with its own DMA warps. Blocks of 384 threads ---- */

extern "C" __global__ void sums_double(const float *in, float *out, unsigned rows) {
    __shared__ __align__(128) float tile[2][TILE];
    __shared__ haul_channel_memory memory[2];
    HAUL_HANDOVER(even, 1, COMPUTE, DMA);
    HAUL_HANDOVER(odd, 3, COMPUTE, DMA);
    const unsigned tiles = rows / ROWS;
    if (threadIdx.x < COMPUTE) {
        float4 sum = make_float4(0, 0, 0, 0);
        haul_compute_start(&even);
        if (tiles > 1) haul_compute_start(&odd);
        for (unsigned k = 0; k < tiles; k++) {
            const haul_handover buffer = k % 2 ? odd : even;
            haul_compute_wait(&buffer);
            sum = add_tile(sum, tile[k % 2]);
            if (k + 2 < tiles) haul_compute_start(&buffer);
        }
        put_sum(out, sum);
    } else {
        const unsigned set = threadIdx.x >= COMPUTE + DMA;
        const haul_handover buffer = set ? odd : even;
        const haul_team self = haul_these_warps(DMA_WARP(set), DMA, 5 + set);
        haul_channel channel = haul_warps_channel(self, &memory[set]);
        in = rows_of_block(in, rows);
        for (unsigned k = set; k < tiles; k += 2) serve(&buffer, self, &channel, tile[set], in + k * TILE);
    }
}

/* ---- manual buffering: two buffers, which one set of DMA warps serves in turn. Blocks of 320 threads ---- */

extern "C" __global__ void sums_manual(const float *in, float *out, unsigned rows) {
    __shared__ __align__(128) float tile[2][TILE];
    __shared__ haul_channel_memory memory;
    HAUL_HANDOVER(even, 1, COMPUTE, DMA);
    HAUL_HANDOVER(odd, 3, COMPUTE, DMA);
    const unsigned tiles = rows / ROWS;
    if (threadIdx.x < COMPUTE) {
        float4 sum = make_float4(0, 0, 0, 0);
        haul_compute_start(&even);
        if (tiles > 1) haul_compute_start(&odd);
        for (unsigned k = 0; k < tiles; k++) {
            const haul_handover buffer = k % 2 ? odd : even;
            haul_compute_wait(&buffer);
            sum = add_tile(sum, tile[k % 2]);
            if (k + 2 < tiles) haul_compute_start(&buffer);
        }
        put_sum(out, sum);
    } else {
        const haul_team self = haul_these_warps(DMA_WARP(0), DMA, 5);
        haul_channel channel = haul_warps_channel(self, &memory);
        in = rows_of_block(in, rows);
        for (unsigned k = 0; k < tiles; k++) {
            const haul_handover buffer = k % 2 ? odd : even;
            serve(&buffer, self, &channel, tile[k % 2], in + k * TILE);
        }
    }
}
