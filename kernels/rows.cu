/* Rows by index: gather, out[i] = table[index[i]], and scatter, table[index[i]] = in[i].
 *
 * The next row's address is known only when its index has arrived: two latencies, one after the other. It helps to have
 * many rows in flight, to load the indices before they are needed, and to leave no lane idle when rows are short.
 * Indices are unsigned, of 4 or 8 bytes; they must lie in the table, and for scatter differ. Rows follow each other
 * without gaps; the grid has one dimension. */
#include <cuda_runtime.h>
#define HAUL_BLOCK_IS_1D
#include <haul/device.h>
#include "tuned.cuh"

#define BLOCK 256

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

/* A warp a row: with a row of 32 bytes, 30 lanes are idle. */
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
 * Rows of more than 512 bytes are cut into pieces, one for each warp. A lane has two vectors in flight, and a block
 * ends when it has stored them: on an H100 neither more vectors nor blocks with several tiles are as fast. */

#define SMALL ROWS_THREADS /* threads of a block */
#define AHEAD ROWS_AHEAD   /* vectors of a lane */

/* The address where a lane's vector is read and written; rows are counted in vectors. */
typedef struct row_vector {
    size_t ordered, indexed;
    bool exists;
} row_vector;

/* The parameters of a launch. The first fields are constants of the code. */
typedef struct row_groups {
    bool scatter, wide, kept;
    float4 *to;
    const float4 *from;
    const void *index;
    unsigned count, vectors, log2_lanes, pieces; /* vectors of a row */
} row_groups;

static __device__ __forceinline__ row_vector find_vector(const row_groups *g, unsigned k) {
    unsigned lanes = 1u << g->log2_lanes, place = blockIdx.x * (SMALL * AHEAD >> g->log2_lanes);
    place += (k * SMALL + threadIdx.x) >> g->log2_lanes;
    unsigned row = g->pieces == 1 ? place : place / g->pieces;
    unsigned v = (place - row * g->pieces) * lanes + threadIdx.x % lanes;
    row_vector r = {0, 0, row < g->count && v < g->vectors};
    if (r.exists) {
        r.ordered = (size_t)row * g->vectors + v;
        r.indexed = index_at(g->index, row, g->wide) * g->vectors + v;
    }
    return r;
}

static __device__ __forceinline__ void move_groups(row_groups g) {
    const haul_how keep = HAUL_LOAD_NC_NO_ALLOCATE | HAUL_L2_EVICT_LAST, pass = HAUL_L2_EVICT_FIRST;
    const haul_how load = !g.kept ? HAUL_AUTO : g.scatter ? pass : keep;
    const haul_how store = !g.kept ? HAUL_AUTO : g.scatter ? HAUL_L2_EVICT_LAST : pass;
    row_vector at[AHEAD];
    uint4 held[AHEAD];
#pragma unroll
    for (unsigned k = 0; k < AHEAD; k++) at[k] = find_vector(&g, k);
#pragma unroll
    for (unsigned k = 0; k < AHEAD; k++) {
        const float4 *from = g.from + (g.scatter ? at[k].ordered : at[k].indexed);
        if (at[k].exists) haul_load_global(&held[k], haul_global_address(from), 16, load);
    }
#pragma unroll
    for (unsigned k = 0; k < AHEAD; k++) {
        float4 *to = g.to + (g.scatter ? at[k].indexed : at[k].ordered);
        if (at[k].exists) haul_store_global(haul_global_address(to), &held[k], 16, store);
    }
}

/* log2_lanes: 0 to 5; pieces: of 1 << log2_lanes vectors, in a row; the grid covers all pieces, of which there are less
 * than 2^32, SMALL * AHEAD >> log2_lanes a block. ..._kept asks L2 to keep the table's lines, and to evict those of the
 * other side first: that helps if rows are used again, at the cost of other data in L2. */
#define GROUPS_KERNEL(name, scatter, kept)                                                                     \
    extern "C" __global__ void __launch_bounds__(SMALL)                                                        \
        name(float4 *to, const float4 *from, const void *index, unsigned count, unsigned row_bytes,            \
             unsigned index_bytes, unsigned log2_lanes, unsigned pieces) {                                     \
        const unsigned vectors = row_bytes / 16;                                                               \
        const row_groups narrow = {scatter, false, kept, to, from, index, count, vectors, log2_lanes, pieces}; \
        const row_groups wide = {scatter, true, kept, to, from, index, count, vectors, log2_lanes, pieces};    \
        if (index_bytes == 8)                                                                                  \
            move_groups(wide);                                                                                 \
        else                                                                                                   \
            move_groups(narrow);                                                                               \
    }
GROUPS_KERNEL(gather_groups, false, false)
GROUPS_KERNEL(gather_kept, false, true)
GROUPS_KERNEL(scatter_groups, true, false)
GROUPS_KERNEL(scatter_kept, true, true)

/* ---- transfers: a warp moves a stage of rows through shared memory ----
 *
 * On the side of the indices there is an indirect transfer, on the other a sequential one; no register holds any of the
 * data. On sm_90 rows of HAUL_BULK_WORTH bytes and more go by bulk copies: a lane issues a row's copy with one
 * instruction, and one copy moves the whole stage to or from the other side. Stages are small and blocks many, so that
 * enough is in flight: blocks with several tiles and rings of stages are slower. */

static __device__ __forceinline__ void gather_stage(char *out, const char *table, const char *index, unsigned rows,
                                                    unsigned row_bytes, char *stage, haul_how how) {
    __shared__ haul_channel_memory memory;
    haul_channel channel = haul_warp_channel(&memory);
    haul_warp_gather(haul_indirect(rows, row_bytes, row_bytes, row_bytes, 16, 32, how | HAUL_DESTINATION_FREE),
                     &channel, stage, table, index);
    haul_warp_store(haul_sequential(rows * row_bytes, 16, 32, HAUL_AUTO), out, stage);
}

static __device__ __forceinline__ void scatter_stage(char *table, const char *in, const char *index, unsigned rows,
                                                     unsigned row_bytes, char *stage, haul_how how) {
    __shared__ haul_channel_memory memory;
    haul_channel channel = haul_warp_channel(&memory);
    haul_warp_load(haul_sequential(rows * row_bytes, 16, 32, HAUL_DESTINATION_FREE), &channel, stage, in);
    haul_warp_scatter(haul_indirect(rows, row_bytes, row_bytes, row_bytes, 16, 32, how), table, stage, index);
}

/* Blocks of 32 threads; the grid covers the rows, stage_rows a block; shared memory: stage_rows * row_bytes. */
extern "C" __global__ void __launch_bounds__(32)
    gather_transfer(char *out, const char *table, const char *index, unsigned count, unsigned row_bytes,
                    unsigned index_bytes, unsigned stage_rows) {
    extern __shared__ __align__(128) char stage[];
    unsigned first = blockIdx.x * stage_rows, rows = min(stage_rows, count - first);
    row_bytes &= ~15u; /* tells the compiler that there are no tails */
    char *to = out + (size_t)first * row_bytes;
    index += (size_t)first * index_bytes;
    if (index_bytes == 8)
        gather_stage(to, table, index, rows, row_bytes, stage, HAUL_INDEX_64);
    else
        gather_stage(to, table, index, rows, row_bytes, stage, HAUL_AUTO);
}

extern "C" __global__ void __launch_bounds__(32)
    scatter_transfer(char *table, const char *in, const char *index, unsigned count, unsigned row_bytes,
                     unsigned index_bytes, unsigned stage_rows) {
    extern __shared__ __align__(128) char stage[];
    unsigned first = blockIdx.x * stage_rows, rows = min(stage_rows, count - first);
    row_bytes &= ~15u; /* tells the compiler that there are no tails */
    const char *from = in + (size_t)first * row_bytes;
    index += (size_t)first * index_bytes;
    if (index_bytes == 8)
        scatter_stage(table, from, index, rows, row_bytes, stage, HAUL_INDEX_64);
    else
        scatter_stage(table, from, index, rows, row_bytes, stage, HAUL_AUTO);
}
