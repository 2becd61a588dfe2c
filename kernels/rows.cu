/* Rows by index: gather, out[i] = table[index[i]], and scatter, table[index[i]] = in[i]. rows_sm90.cu has the form
 * for long rows.
 *
 * Where the next row lies is known only when its index has come: two latencies, one after the other. What helps is to
 * have many rows under way, to know the indices before they are needed, and to leave no lane without work when rows
 * are short. Indices are unsigned, of 4 or 8 bytes; they have to lie in the table, and for scatter to differ. Rows
 * follow each other without gaps; the grid is one of one dimension. */
#include <cuda_runtime.h>

#define BLOCK 256
#define AHEAD 4 /* rows that a group of lanes has under way */

static __device__ __forceinline__ size_t index_at(const void *index, size_t i, bool wide) {
    return wide ? ((const unsigned long long *)index)[i] : ((const unsigned *)index)[i];
}

/* ---- plain: a thread moves one unit of one row; the grid covers all units ---- */

/* By words: rows of a multiple of 4 bytes, aligned to 4. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    gather_words(unsigned *out, const unsigned *table, const void *index, unsigned count, unsigned row_bytes,
                 unsigned index_bytes) {
    unsigned words = row_bytes / 4;
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x, row = i / words;
    if (row < count) out[i] = table[index_at(index, row, index_bytes == 8) * words + i % words];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    scatter_words(unsigned *table, const unsigned *in, const void *index, unsigned count, unsigned row_bytes,
                  unsigned index_bytes) {
    unsigned words = row_bytes / 4;
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x, row = i / words;
    if (row < count) table[index_at(index, row, index_bytes == 8) * words + i % words] = in[i];
}

/* By bytes: rows of any length. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    gather_bytes(char *out, const char *table, const void *index, unsigned count, unsigned row_bytes,
                 unsigned index_bytes) {
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x, row = i / row_bytes;
    if (row < count) out[i] = table[index_at(index, row, index_bytes == 8) * row_bytes + i % row_bytes];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    scatter_bytes(char *table, const char *in, const void *index, unsigned count, unsigned row_bytes,
                  unsigned index_bytes) {
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x, row = i / row_bytes;
    if (row < count) table[index_at(index, row, index_bytes == 8) * row_bytes + i % row_bytes] = in[i];
}

/* ---- by 16-byte vectors: rows of a multiple of 16 bytes, aligned to 16 ---- */

/* A warp a row: of a row of 32 bytes, 30 lanes see nothing. */
static __device__ __forceinline__ void move_row(float4 *to, const float4 *from, unsigned vectors) {
    for (unsigned v = threadIdx.x % 32; v < vectors; v += 32) to[v] = from[v];
}

/* The grid covers all rows, BLOCK / 32 a block. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    gather_warp(float4 *out, const float4 *table, const void *index, unsigned count, unsigned row_bytes,
                unsigned index_bytes) {
    size_t row = ((size_t)blockIdx.x * BLOCK + threadIdx.x) / 32, vectors = row_bytes / 16;
    if (row < count)
        move_row(out + row * vectors, table + index_at(index, row, index_bytes == 8) * vectors, (unsigned)vectors);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    scatter_warp(float4 *table, const float4 *in, const void *index, unsigned count, unsigned row_bytes,
                 unsigned index_bytes) {
    size_t row = ((size_t)blockIdx.x * BLOCK + threadIdx.x) / 32, vectors = row_bytes / 16;
    if (row < count)
        move_row(table + index_at(index, row, index_bytes == 8) * vectors, in + row * vectors, (unsigned)vectors);
}

/* ---- groups: as many lanes a row as it has vectors (1, 2, 4, ... 32), so that short rows fill a warp ----
 *
 * A group has AHEAD rows under way, each the block's number of groups after the one before: what a warp touches on
 * the side that is in order are neighbouring rows. The indices of the next rows are loaded before these are stored. */

/* Of the rows from `row` on, `step` apart; there are `left` from the first one to the end. */
static __device__ __forceinline__ void load_indices(size_t at[AHEAD], const void *index, unsigned row, unsigned step,
                                                    unsigned left, bool wide) {
#pragma unroll
    for (unsigned k = 0; k < AHEAD; k++) {
        if (k * step < left) at[k] = index_at(index, (size_t)row + k * step, wide);
    }
}

static __device__ __forceinline__ void move_group(float4 *to, const float4 *from, const size_t at[AHEAD], unsigned row,
                                                  unsigned step, unsigned left, unsigned vectors, bool scatter) {
    float4 held[AHEAD];
#pragma unroll
    for (unsigned k = 0; k < AHEAD; k++) {
        if (k * step < left) held[k] = from[(scatter ? (size_t)row + k * step : at[k]) * vectors];
    }
#pragma unroll
    for (unsigned k = 0; k < AHEAD; k++) {
        if (k * step < left) to[(scatter ? at[k] : (size_t)row + k * step) * vectors] = held[k];
    }
}

static __device__ __forceinline__ void move_groups(float4 *to, const float4 *from, const void *index, unsigned count,
                                                   unsigned vectors, unsigned log2_lanes, bool wide, bool scatter) {
    unsigned lanes = 1u << log2_lanes, step = BLOCK >> log2_lanes, lane = threadIdx.x % lanes;
    size_t first = (size_t)blockIdx.x * step * AHEAD + threadIdx.x / lanes, hop = (size_t)gridDim.x * step * AHEAD;
    if (first >= count) return;
    unsigned row = (unsigned)first, left = count - row;
    size_t at[AHEAD] = {0}, next[AHEAD] = {0};
    load_indices(at, index, row, step, left, wide);
    for (;;) {
        bool more = left > hop;
        if (more) load_indices(next, index, row + (unsigned)hop, step, left - (unsigned)hop, wide);
        for (unsigned v = lane; v < vectors; v += lanes)
            move_group(to + v, from + v, at, row, step, left, vectors, scatter);
        if (!more) return;
        row += (unsigned)hop;
        left -= (unsigned)hop;
#pragma unroll
        for (unsigned k = 0; k < AHEAD; k++) at[k] = next[k];
    }
}

/* log2_lanes: 0 to 5; any grid. */
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    gather_groups(float4 *out, const float4 *table, const void *index, unsigned count, unsigned row_bytes,
                  unsigned index_bytes, unsigned log2_lanes) {
    if (index_bytes == 8)
        move_groups(out, table, index, count, row_bytes / 16, log2_lanes, true, false);
    else
        move_groups(out, table, index, count, row_bytes / 16, log2_lanes, false, false);
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    scatter_groups(float4 *table, const float4 *in, const void *index, unsigned count, unsigned row_bytes,
                   unsigned index_bytes, unsigned log2_lanes) {
    if (index_bytes == 8)
        move_groups(table, in, index, count, row_bytes / 16, log2_lanes, true, true);
    else
        move_groups(table, in, index, count, row_bytes / 16, log2_lanes, false, true);
}
