/* Matrix times vector: y = A x, A row-major, rows x columns floats, each of which is used once.
 *
 * All forms add in one order, so they give the same bits. A row is cut into pieces of PIECE columns. Each piece has 32
 * partial sums: sum l takes the columns j with j / 4 % 32 == l, in ascending order, each by one fmaf. Then the row has
 * 32 sums: sum l adds those of the pieces, in ascending order. Last, sum l and sum l ^ 16 are added, l and l ^ 8, and
 * so on down to l ^ 1. A warp whose lanes read adjacent vectors adds this way, and so do several warps that share a row
 * piece by piece. Blocks of BLOCK threads. */
#include <cuda_runtime.h>
#include "tuned.cuh"

#define BLOCK MATVEC_THREADS
#define WARPS (BLOCK / 32)
#define SPAN 128                         /* columns that a warp reads at a time */
static const int UNROLL = MATVEC_UNROLL; /* pragmas take no macros */
#define PIECE 2048                       /* columns whose sums are added first */
#define ROWS 4                           /* rows of a warp of the staged form */
#define PART (2 * PIECE)                 /* columns of x that the staged form keeps */

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
    for (unsigned first = 0; first < columns; first += PIECE) {
        float piece[32] = {0.0f};
        for (unsigned j = first; j < columns && j < first + PIECE; j += SPAN) {
#pragma unroll
            for (unsigned l = 0; l < 32; l++) {
                if (j + 4 * l < columns)
                    piece[l] = dot_words(a + j + 4 * l, x + j + 4 * l, columns - j - 4 * l, piece[l]);
            }
        }
#pragma unroll
        for (unsigned l = 0; l < 32; l++) sums[l] += piece[l];
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

/* A lane's sum of a piece of `count` columns. */
static __device__ __forceinline__ float sum_vectors(const float *a, const float *x, unsigned count) {
    const float4 *a4 = (const float4 *)a, *x4 = (const float4 *)x;
    float sum = 0.0f;
#pragma unroll UNROLL
    for (unsigned j = threadIdx.x % 32; j < count / 4; j += 32) sum = dot4(a4[j], x4[j], sum);
    return sum;
}

static __device__ __forceinline__ float sum_words(const float *a, const float *x, unsigned count) {
    float sum = 0.0f;
    for (unsigned j = threadIdx.x % 32 * 4; j < count; j += SPAN) sum = dot_words(a + j, x + j, count - j, sum);
    return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    matvec_warp(float *y, const float *a, const float *x, unsigned rows, unsigned columns) {
    unsigned row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    a += (size_t)row * columns;
    float sum = 0.0f;
    const bool vectors = in_vectors(a, x, columns);
    for (unsigned first = 0; first < columns; first += PIECE) {
        const unsigned count = min((unsigned)PIECE, columns - first);
        sum += vectors ? sum_vectors(a + first, x + first, count) : sum_words(a + first, x + first, count);
    }
    sum = add_lanes(sum);
    if (lane == 0) y[row] = sum;
}

/* ---- staged: a block keeps x in shared memory, part by part; a warp streams ROWS rows past it ---- */

/* Columns `first` to `first + count` of x. */
static __device__ __forceinline__ void stage_part(float *part, const float *x, unsigned first, unsigned count) {
    for (unsigned j = threadIdx.x; j < count; j += BLOCK) part[j] = x[first + j];
}

/* The warp's rows by vectors of a piece; rows beyond the last repeat the last one. */
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
        for (unsigned at = 0; at < count; at += PIECE) {
            const unsigned here = min((unsigned)PIECE, count - at);
            float piece[ROWS] = {0.0f};
            if (in_vectors(a, 0, columns))
                stream_vectors(piece, from, part + at, first + at, here);
            else
                stream_words(piece, from, part + at, first + at, here);
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++) sums[r] += piece[r];
        }
        __syncthreads(); /* all have used the part before the next one is stored */
    }
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        float sum = add_lanes(sums[r]);
        if (threadIdx.x % 32 == 0 && row + r < rows) y[row + r] = sum;
    }
}

/* ---- split: a block takes one, two or four rows, and its warps a piece each at a time ----
 *
 * For fewer rows than there are warps: rows are divided, and each vector of x is used for all rows of the block. With
 * 1024 rows a warp a row leaves seven eighths of an SM's warps empty. The grid covers the rows. */

#define SPLIT MATVEC_SPLIT_THREADS
#define SPLIT_WARPS (SPLIT / 32)
#define SPLIT_UNROLL MATVEC_SPLIT_UNROLL

/* A lane's sums of a piece: vectors `first` to `end` of each row. */
static __device__ __forceinline__ void split_vectors(unsigned rows, float sums[4], const float4 *const a[4],
                                                     const float4 *x, unsigned first, unsigned end) {
    unsigned j = first + threadIdx.x % 32;
    for (; j + (SPLIT_UNROLL - 1) * 32 < end; j += SPLIT_UNROLL * 32) {
        float4 v[SPLIT_UNROLL][4], w[SPLIT_UNROLL];
#pragma unroll
        for (unsigned u = 0; u < SPLIT_UNROLL; u++) {
#pragma unroll
            for (unsigned r = 0; r < rows; r++) v[u][r] = __ldcs(a[r] + j + u * 32);
        }
#pragma unroll
        for (unsigned u = 0; u < SPLIT_UNROLL; u++) w[u] = x[j + u * 32];
#pragma unroll
        for (unsigned u = 0; u < SPLIT_UNROLL; u++) {
#pragma unroll
            for (unsigned r = 0; r < rows; r++) sums[r] = dot4(v[u][r], w[u], sums[r]);
        }
    }
    for (; j < end; j += 32) {
#pragma unroll
        for (unsigned r = 0; r < rows; r++) sums[r] = dot4(__ldcs(a[r] + j), x[j], sums[r]);
    }
}

static __device__ __forceinline__ void split_piece(unsigned rows, float sums[4], const float *const a[4],
                                                   const float *x, unsigned first, unsigned count, bool vectors) {
    if (vectors) {
        const float4 *const a4[4] = {(const float4 *)a[0], (const float4 *)a[1], (const float4 *)a[2],
                                     (const float4 *)a[3]};
        split_vectors(rows, sums, a4, (const float4 *)x, first / 4, (first + count) / 4);
        return;
    }
#pragma unroll
    for (unsigned r = 0; r < rows; r++) sums[r] = sum_words(a[r] + first, x + first, count);
}

/* Threads 32 r to 32 r + 31 keep the 32 sums of row r, and add those of the pieces as these become known. */
static __device__ __forceinline__ void split_rows(unsigned rows, float *y, const float *a, const float *x,
                                                  unsigned height, unsigned columns) {
    __shared__ float parts[SPLIT_WARPS][4][32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * rows;
    const bool vectors = in_vectors(a, x, columns);
    const float *from[4];
    float sum = 0.0f;
#pragma unroll
    for (unsigned r = 0; r < 4; r++) from[r] = a + (size_t)min(row + (r < rows ? r : 0), height - 1) * columns;
    for (unsigned first = 0; first < columns; first += SPLIT_WARPS * PIECE) {
        const unsigned here = first + warp * PIECE;
        float piece[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        if (here < columns) split_piece(rows, piece, from, x, here, min((unsigned)PIECE, columns - here), vectors);
#pragma unroll
        for (unsigned r = 0; r < rows; r++) parts[warp][r][lane] = piece[r];
        __syncthreads();
        if (warp < rows) {
            for (unsigned w = 0; w < SPLIT_WARPS && first + w * PIECE < columns; w++) sum += parts[w][warp][lane];
        }
        __syncthreads(); /* all have been added before the next ones are stored */
    }
    if (warp >= rows) return;
    sum = add_lanes(sum);
    if (lane == 0 && row + warp < height) y[row + warp] = sum;
}

#define SPLIT_KERNEL(count)                                                                               \
    extern "C" __global__ void __launch_bounds__(SPLIT, MATVEC_SPLIT_BLOCKS)                              \
        matvec_split_##count(float *y, const float *a, const float *x, unsigned rows, unsigned columns) { \
        split_rows(count, y, a, x, rows, columns);                                                        \
    }
SPLIT_KERNEL(1)
SPLIT_KERNEL(2)
SPLIT_KERNEL(4)
