/* Matrix times vector: y = A x, A row-major, rows x columns floats, each of which is used once.
 *
 * All forms add in one order, so they give the same bits. Each row has 32 partial sums: sum l takes the columns j with
 * j / 4 % 32 == l, in ascending order, each by one fmaf. Then sum l and sum l ^ 16 are added, l and l ^ 8, and so on
 * down to l ^ 1. A warp whose lanes read adjacent vectors adds this way. Blocks of BLOCK threads. */
#include <cuda_runtime.h>
#include "tuned.cuh"

#define BLOCK MATVEC_THREADS
#define WARPS (BLOCK / 32)
#define SPAN 128                         /* columns that a warp reads at a time */
static const int UNROLL = MATVEC_UNROLL; /* pragmas take no macros */
#define ROWS 4                           /* rows of a warp of the staged form */
#define PART 4096                        /* columns of x that the staged form keeps */

static __device__ __forceinline__ float add_lanes(float sum) {
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    return sum;
}

static __device__ __forceinline__ float dot4(float4 a, float4 x, float sum) {
    return fmaf(a.w, x.w, fmaf(a.z, x.z, fmaf(a.y, x.y, fmaf(a.x, x.x, sum))));
}

/* Up to four products, for rows that begin anywhere. */
static __device__ __forceinline__ float dot_words(const float *a, const float *x, unsigned words, float sum) {
#pragma unroll
    for (unsigned c = 0; c < 4; c++) {
        if (c < words) sum = fmaf(a[c], x[c], sum);
    }
    return sum;
}

/* ---- plain: a thread a row; adjacent lanes read words that are a row apart. The grid covers the rows. ---- */

extern "C" __global__ void __launch_bounds__(BLOCK)
    matvec_plain(float *y, const float *a, const float *x, unsigned rows, unsigned columns) {
    unsigned row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= rows) return;
    a += (size_t)row * columns;
    float sums[32] = {0.0f};
    for (unsigned j = 0; j < columns; j += SPAN) {
#pragma unroll
        for (unsigned l = 0; l < 32; l++) {
            if (j + 4 * l < columns) sums[l] = dot_words(a + j + 4 * l, x + j + 4 * l, columns - j - 4 * l, sums[l]);
        }
    }
#pragma unroll
    for (unsigned half = 0; half < 5; half++) {
#pragma unroll
        for (unsigned l = 0; l < 16; l++) {
            if (l < 16u >> half) sums[l] += sums[l + (16 >> half)];
        }
    }
    y[row] = sums[0];
}

/* ---- a warp a row, 16 bytes a lane; x comes from L1 and L2. The grid covers the rows, WARPS a block. ---- */

static __device__ __forceinline__ bool in_vectors(const float *a, const float *x, unsigned columns) {
    return (((size_t)a | (size_t)x) % 16 | columns % 4) == 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    matvec_warp(float *y, const float *a, const float *x, unsigned rows, unsigned columns) {
    unsigned row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    a += (size_t)row * columns;
    float sum = 0.0f;
    if (in_vectors(a, x, columns)) {
        const float4 *a4 = (const float4 *)a, *x4 = (const float4 *)x;
#pragma unroll UNROLL
        for (unsigned j = lane; j < columns / 4; j += 32) sum = dot4(a4[j], x4[j], sum);
    } else {
        for (unsigned j = lane * 4; j < columns; j += SPAN) sum = dot_words(a + j, x + j, columns - j, sum);
    }
    sum = add_lanes(sum);
    if (lane == 0) y[row] = sum;
}

/* ---- staged: a block keeps x in shared memory, part by part; a warp streams ROWS rows past it ---- */

/* Columns `first` to `first + count` of x. */
static __device__ __forceinline__ void stage_part(float *part, const float *x, unsigned first, unsigned count) {
    for (unsigned j = threadIdx.x; j < count; j += BLOCK) part[j] = x[first + j];
}

/* The warp's rows by vectors of the part; rows beyond the last repeat the last one. */
static __device__ __forceinline__ void stream_vectors(float sums[ROWS], const float *const a[ROWS], const float *part,
                                                      unsigned first, unsigned count) {
    const float4 *x = (const float4 *)part;
#pragma unroll 2
    for (unsigned j = threadIdx.x % 32; j < count / 4; j += 32) {
        float4 v[ROWS];
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) v[r] = ((const float4 *)(a[r] + first))[j];
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) sums[r] = dot4(v[r], x[j], sums[r]);
    }
}

static __device__ __forceinline__ void stream_words(float sums[ROWS], const float *const a[ROWS], const float *part,
                                                    unsigned first, unsigned count) {
    for (unsigned j = threadIdx.x % 32 * 4; j < count; j += SPAN) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) sums[r] = dot_words(a[r] + first + j, part + j, count - j, sums[r]);
    }
}

/* The grid covers the rows, ROWS * WARPS a block. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    matvec_staged(float *y, const float *a, const float *x, unsigned rows, unsigned columns) {
    __shared__ __align__(16) float part[PART];
    unsigned row = (blockIdx.x * WARPS + threadIdx.x / 32) * ROWS;
    const float *from[ROWS];
    float sums[ROWS] = {0.0f};
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) from[r] = a + (size_t)min(row + r, rows - 1) * columns;
    for (unsigned first = 0; first < columns; first += PART) {
        unsigned count = min((unsigned)PART, columns - first);
        stage_part(part, x, first, count);
        __syncthreads();
        if (in_vectors(a, 0, columns))
            stream_vectors(sums, from, part, first, count);
        else
            stream_words(sums, from, part, first, count);
        __syncthreads(); /* all have used the part before the next one is stored */
    }
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        float sum = add_lanes(sums[r]);
        if (threadIdx.x % 32 == 0 && row + r < rows) y[row + r] = sum;
    }
}
