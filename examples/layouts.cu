/* One 32 x 32 tile of floats, written by rows and read by columns, in three layouts of shared memory: out = in
 * transposed. Blocks of 256 threads, a tile each.
 *
 *     haul profile layouts.cu --kernel turn_padded --grid 64 --block 256 --arg buf:u32:65536 --arg buf:zero:65536 */
#define HAUL_BLOCK_IS_1D
#include <cuda_runtime.h>
#include <haul/device.h>

#define SIDE 32
#define THREADS 256

/* Element (row, column) of a tile whose rows are `pitch` bytes apart. */
static __device__ __forceinline__ float element(const float *tile, unsigned pitch, unsigned row, unsigned column) {
    return tile[row * (pitch / 4) + column];
}

/* Threads 0 to 31 of a warp read a column, and write a row. */
static __device__ __forceinline__ void put_columns(float *out, const float *tile, unsigned pitch) {
    for (unsigned k = threadIdx.x; k < SIDE * SIDE; k += THREADS) out[k] = element(tile, pitch, k % SIDE, k / SIDE);
}

/* Rows 128 bytes apart: a whole column lies in one bank. */
extern "C" __global__ void turn_plain(const float *in, float *out) {
    __shared__ __align__(128) float tile[SIDE * SIDE];
    HAUL_STRIDED_WITH(fetch, float, .rows = SIDE, .row = SIDE, .global_pitch = SIDE, .vector = 4, .threads = THREADS,
                      .destination_free = 1);
    haul_block_load(fetch, 0, tile, in + blockIdx.x * SIDE * SIDE);
    put_columns(out + blockIdx.x * SIDE * SIDE, tile, SIDE * 4);
}

/* Rows 132 bytes apart: each begins one bank further. The pitch allows only accesses of single words. */
extern "C" __global__ void turn_padded(const float *in, float *out) {
    enum { PITCH = HAUL_PADDED_PITCH(SIDE * 4, 4) };
    __shared__ __align__(128) float tile[SIDE * PITCH / 4];
    HAUL_STRIDED_WITH(fetch, float, .rows = SIDE, .row = SIDE, .shared_pitch = PITCH / 4, .global_pitch = SIDE,
                      .threads = THREADS, .destination_free = 1);
    haul_block_load(fetch, 0, tile, in + blockIdx.x * SIDE * SIDE);
    put_columns(out + blockIdx.x * SIDE * SIDE, tile, PITCH);
}

/* No padding: column c of row r is stored at column c ^ r. Threads write it, since no transfer of rows swizzles. */
extern "C" __global__ void turn_swizzled(const float *in, float *out) {
    __shared__ __align__(128) float tile[SIDE][SIDE];
    in += blockIdx.x * SIDE * SIDE, out += blockIdx.x * SIDE * SIDE;
    for (unsigned k = threadIdx.x; k < SIDE * SIDE; k += THREADS)
        tile[k / SIDE][haul_swizzle(k / SIDE, k % SIDE, SIDE, 4)] = in[k];
    __syncthreads();
    for (unsigned k = threadIdx.x; k < SIDE * SIDE; k += THREADS)
        out[k] = tile[k % SIDE][haul_swizzle(k % SIDE, k / SIDE, SIDE, 4)];
}
