/* Shared memory: 32 banks of 4 bytes, each of which serves one word a wavefront.
 *
 * Lanes that access different words of one bank wait for each other; lanes that access the same word share it. All
 * tiles are dynamic shared memory, so that a launch chooses the distance. */
#include <cuda_runtime.h>

/* Words `stride` apart; shared memory: blockDim.x * stride words. Conflict-free for odd strides. */
extern "C" __global__ void shared_stride(const float *in, float *out, unsigned n, unsigned stride) {
    extern __shared__ float words[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) words[threadIdx.x * stride] = in[i];
    __syncthreads();
    if (i < n) out[i] = words[threadIdx.x * stride];
}

/* 8-byte accesses go by half warps; n counts vectors, as do stride and the tile. */
extern "C" __global__ void shared_stride2(const float2 *in, float2 *out, unsigned n, unsigned stride) {
    extern __shared__ float2 pairs[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pairs[threadIdx.x * stride] = in[i];
    __syncthreads();
    if (i < n) out[i] = pairs[threadIdx.x * stride];
}

/* 16-byte accesses go by quarter warps. */
extern "C" __global__ void shared_stride4(const float4 *in, float4 *out, unsigned n, unsigned stride) {
    extern __shared__ float4 quads[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) quads[threadIdx.x * stride] = in[i];
    __syncthreads();
    if (i < n) out[i] = quads[threadIdx.x * stride];
}

/* Groups of `group` lanes read one word each group: never a conflict. Shared memory: blockDim.x words. */
extern "C" __global__ void shared_broadcast(const float *in, float *out, unsigned n, unsigned group) {
    extern __shared__ float words[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    words[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = words[threadIdx.x / group];
}

/* Transposes `rows` x `columns` through a 32 x 32 tile, blocks of 32 x 8 threads. The tile is written by rows and read
 * by columns; a row is `pitch` words (>= 32) long. At 32 all words of a column share a bank, at 33 none do.
 * Shared memory: 32 * pitch words. */
extern "C" __global__ void transpose_pitched(const float *in, float *out, unsigned rows, unsigned columns,
                                             unsigned pitch) {
    extern __shared__ float tile[];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8) {
        if (x < columns && y + k < rows)
            tile[(threadIdx.y + k) * pitch + threadIdx.x] = in[(size_t)(y + k) * columns + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8) {
        if (x < rows && y + k < columns) out[(size_t)(y + k) * rows + x] = tile[threadIdx.x * pitch + threadIdx.y + k];
    }
}

/* The same without padding: column c of row r is stored at column c ^ r, so that a column spreads over all banks. */
extern "C" __global__ void transpose_swizzled(const float *in, float *out, unsigned rows, unsigned columns) {
    __shared__ float tile[32][32];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned r = threadIdx.y; r < 32; r += 8, y += 8) {
        if (x < columns && y < rows) tile[r][threadIdx.x ^ r] = in[(size_t)y * columns + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned c = threadIdx.y; c < 32; c += 8, y += 8) {
        if (x < rows && y < columns) out[(size_t)y * rows + x] = tile[threadIdx.x][c ^ threadIdx.x];
    }
}
