/* Tiles of 1024 floats, each written back in reverse order: by plain loads, by asynchronous copies, with the next tile
 * in flight, and by haul's device library. docs/tutorial-async.md goes through it:
 *
 *     haul profile reverse.cu --kernel reverse_plain --grid 132 --block 256 \
 *         --arg buf:f01:1081344 --arg buf:zero:1081344 --arg i32:1056
 *
 * A thread moves four floats of each tile. reverse_no_wait lacks the wait for its copies. */
#define HAUL_BLOCK_IS_1D
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <haul/device.h>

enum { THREADS = 256, TILE = 4 * THREADS };

/* Four floats of the reversed tile. */
static __device__ __forceinline__ float4 reversed(const float *tile) {
    const float4 v = ((const float4 *)tile)[THREADS - 1 - threadIdx.x];
    return make_float4(v.w, v.z, v.y, v.x);
}

extern "C" __global__ void reverse_plain(const float4 *in, float4 *out, int tiles) {
    __shared__ __align__(128) float tile[TILE];
    for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
        ((float4 *)tile)[threadIdx.x] = in[k * THREADS + threadIdx.x];
        __syncthreads();
        out[k * THREADS + threadIdx.x] = reversed(tile);
        __syncthreads();
    }
}

extern "C" __global__ void reverse_no_wait(const float4 *in, float4 *out, int tiles) {
    __shared__ __align__(128) float tile[TILE];
    for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
        __pipeline_memcpy_async(tile + 4 * threadIdx.x, in + k * THREADS + threadIdx.x, 16);
        __pipeline_commit();
        __syncthreads();
        out[k * THREADS + threadIdx.x] = reversed(tile);
        __syncthreads();
    }
}

extern "C" __global__ void reverse_async(const float4 *in, float4 *out, int tiles) {
    __shared__ __align__(128) float tile[TILE];
    for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
        __pipeline_memcpy_async(tile + 4 * threadIdx.x, in + k * THREADS + threadIdx.x, 16);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        out[k * THREADS + threadIdx.x] = reversed(tile);
        __syncthreads();
    }
}

/* While one stage is read, the copy of the next tile is in flight to the other. */
extern "C" __global__ void reverse_two_stages(const float4 *in, float4 *out, int tiles) {
    __shared__ __align__(128) float stages[2][TILE];
    int stage = 0;
    __pipeline_memcpy_async(stages[0] + 4 * threadIdx.x, in + blockIdx.x * THREADS + threadIdx.x, 16);
    __pipeline_commit();
    for (int k = blockIdx.x; k < tiles; k += gridDim.x, stage ^= 1) {
        const int next = k + gridDim.x;
        if (next < tiles)
            __pipeline_memcpy_async(stages[stage ^ 1] + 4 * threadIdx.x, in + next * THREADS + threadIdx.x, 16);
        __pipeline_commit(); // in the last round an empty group: the wait counts groups
        __pipeline_wait_prior(1);
        __syncthreads();
        out[k * THREADS + threadIdx.x] = reversed(stages[stage]);
        __syncthreads();
    }
}

/* The same by haul's device library, with as many stages as STAGES says. */
#ifndef STAGES
#define STAGES 4
#endif
extern "C" __global__ void reverse_pipeline(const float *in, float4 *out, int tiles) {
    __shared__ __align__(128) float stages[STAGES][TILE];
    HAUL_SEQUENTIAL_WITH(fetch, float, .count = TILE, .vector = 4, .threads = THREADS);
    HAUL_BLOCK_PIPELINE_WITH(ring, .stages = STAGES, .threads = THREADS);
    int next = blockIdx.x;
    for (int s = 1; s < STAGES; s++, next += gridDim.x) {
        const unsigned empty = haul_block_pipeline_acquire(&ring);
        if (next < tiles) haul_block_pipeline_load(&ring, fetch, stages[empty], in + next * TILE);
        haul_block_pipeline_commit(&ring);
    }
    for (int k = blockIdx.x; k < tiles; k += gridDim.x, next += gridDim.x) {
        const unsigned full = haul_block_pipeline_wait(&ring), empty = haul_block_pipeline_acquire(&ring);
        if (next < tiles) haul_block_pipeline_load(&ring, fetch, stages[empty], in + next * TILE);
        haul_block_pipeline_commit(&ring);
        out[k * THREADS + threadIdx.x] = reversed(stages[full]);
        haul_block_pipeline_release(&ring);
    }
}
