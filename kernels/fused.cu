/* C = A * f(B) in single precision, all row-major: A (m x k) small, B (k x n) and C (m x n) wide; f(x) = x |x| + x / 2.
 *
 * B is read and C written once: memory limits the rate, as long as f(B) is not written and read again in between. All
 * forms give the same bits: f(x) = fmaf(x, |x|, 0.5 x), and each element of C begins with 0 and takes one fmaf for each
 * k in ascending order.
 *
 * The forms differ in who waits for whom. If a block passes slabs of B from loading to multiplying threads, all of them
 * wait at a barrier for each slab. If each warp keeps to its own strips, no barrier is needed, and some warps load
 * while others multiply (`strips`, 0.85 of the time of `tiled` on an H100). */
#include <cuda_runtime.h>
#include <cuda_pipeline_primitives.h>
#define HAUL_BLOCK_IS_1D
#include <haul/device.h>
#include "tuned.cuh"

static __device__ __forceinline__ float f(float x) {
    return fmaf(x, fabsf(x), 0.5f * x);
}

static __device__ __forceinline__ float4 f4(float4 x) {
    return make_float4(f(x.x), f(x.y), f(x.z), f(x.w));
}

/* ---- plain: a thread an element of C, so f is taken m times. The grid covers n in x and m in y. ---- */

extern "C" __global__ void __launch_bounds__(256)
    fused_plain(float *c, const float *a, const float *b, unsigned m, unsigned k, unsigned n) {
    unsigned j = blockIdx.x * 256 + threadIdx.x, i = blockIdx.y;
    if (j >= n || i >= m) return;
    float sum = 0.0f;
    for (unsigned l = 0; l < k; l++) sum = fmaf(a[(size_t)i * k + l], f(b[(size_t)l * n + j]), sum);
    c[(size_t)i * n + j] = sum;
}

/* The first of two kernels: t = f(b); the second is product_tiled_<rows>. One float4 a thread; the grid covers count
 * / 4. */
extern "C" __global__ void __launch_bounds__(256) pointwise(float *t, const float *b, unsigned long long count) {
    size_t i = ((size_t)blockIdx.x * 256 + threadIdx.x) * 4;
    if (((size_t)t | (size_t)b) % 16 == 0 && i + 4 <= count) {
        *(float4 *)(t + i) = f4(*(const float4 *)(b + i));
        return;
    }
    for (unsigned l = 0; l < 4; l++) {
        if (i + l < count) t[i + l] = f(b[i + l]);
    }
}

/* ---- tiles ----
 *
 * A block keeps all of A in shared memory, by columns of up to 128, and strides through tiles of C: all rows, 128 to
 * 512 columns. Slabs of 8 rows of B pass through a ring of stages. Eight warps compute: each 16 rows x 128 columns of
 * the tile, a lane 8 x 8, in halves that are adjacent to its neighbours', so that shared memory is read without
 * conflicts and C is written by whole lines. */

#define SLAB 8   /* rows of B in a stage */
#define STAGES 4 /* stages in the ring */
#define AHEAD 2  /* slabs that have been requested when one is multiplied */
#define COMPUTING 256

typedef struct problem {
    float *c;
    const float *a, *b;
    unsigned m, k, n;
    unsigned log2_columns; /* columns of a tile: 128, 256 or 512, for m of up to 128, 64 or 32 */
    unsigned slabs, tiles; /* slabs of a tile; tiles in all */
    bool vectors;          /* all rows of B and C begin at multiples of 16 bytes */
} problem;

static __device__ __forceinline__ problem describe(float *c, const float *a, const float *b, unsigned m, unsigned k,
                                                   unsigned n, unsigned log2_columns) {
    problem p = {c, a, b, m, k, n, log2_columns, 0, 0, false};
    p.slabs = (k + SLAB - 1) / SLAB;
    p.tiles = ((n - 1) >> p.log2_columns) + 1;
    p.vectors = (((size_t)b | (size_t)c) % 16 | n % 4) == 0;
    return p;
}

static __device__ __forceinline__ unsigned columns(const problem *p) {
    return 1u << p->log2_columns;
}

/* Rows of a tile and of the stored A: 32, 64 or 128, as many as m or more. */
static __device__ __forceinline__ unsigned rows(const problem *p) {
    return 1u << (14 - p->log2_columns);
}

/* The block's position: slab `slab` of tile `tile`, in stage `stage`. */
typedef struct place {
    unsigned tile, slab, stage;
} place;

static __device__ __forceinline__ place first_place(void) {
    place at = {blockIdx.x, 0, 0};
    return at;
}

static __device__ __forceinline__ void go_on(place *at, const problem *p) {
    at->stage = (at->stage + 1) % STAGES;
    if (++at->slab < p->slabs) return;
    at->slab = 0;
    at->tile += gridDim.x;
}

/* Stores A by columns, with zeros for rows beyond m. Called by all threads of the block. */
static __device__ __forceinline__ void keep_a(float *kept, const problem *p, unsigned rows) {
    for (unsigned i = threadIdx.x; i < p->k * rows; i += blockDim.x) {
        unsigned row = i % rows, l = i / rows;
        kept[i] = row < p->m ? p->a[(size_t)row * p->k + l] : 0.0f;
    }
}

/* ---- filling stages: thread `t` of `threads` copies, and then applies f to, the same vectors ---- */

static __device__ __forceinline__ unsigned slab_rows(const problem *p, place at) {
    return min((unsigned)SLAB, p->k - at.slab * SLAB);
}

static __device__ __forceinline__ float *stage_of(float *ring, const problem *p, place at) {
    return ring + (at.stage * SLAB << p->log2_columns);
}

/* Words `column` to `column + 3` of a row of B; words beyond n become zeros. */
static __device__ __forceinline__ void fill_vector(float *to, const float *row, unsigned column, const problem *p) {
    if (p->vectors) {
        __pipeline_memcpy_async(to, row + min(column, p->n - 4), 16, column < p->n ? 0 : 16);
        return;
    }
#pragma unroll 1
    for (unsigned l = 0; l < 4; l++)
        __pipeline_memcpy_async(to + l, row + min(column + l, p->n - 1), 4, column + l < p->n ? 0 : 4);
}

/* The threads take a row in turns, or several rows at a time. */
static __device__ __forceinline__ void fill(float *ring, const problem *p, place at, unsigned t, unsigned threads) {
    const unsigned reach = threads * 4, down = max(reach >> p->log2_columns, 1u);
    unsigned row = t * 4 >> p->log2_columns, first = at.tile << p->log2_columns;
    float *to = stage_of(ring, p, at) + t * 4;
    const float *from = p->b + (size_t)(at.slab * SLAB + row) * p->n;
#pragma unroll 1
    for (; row < slab_rows(p, at); row += down, to += down * columns(p), from += (size_t)down * p->n) {
#pragma unroll
        for (unsigned i = 0; i < columns(p); i += reach) fill_vector(to + i, from, first + t * 4 % columns(p) + i, p);
    }
}

static __device__ __forceinline__ void apply(float *ring, const problem *p, place at, unsigned t, unsigned threads) {
    float *stage = stage_of(ring, p, at) + t * 4;
    unsigned words = slab_rows(p, at) << p->log2_columns;
#pragma unroll 4
    for (unsigned i = 0; i < SLAB * columns(p); i += threads * 4) {
        if (t * 4 + i < words) *(float4 *)(stage + i) = f4(*(const float4 *)(stage + i));
    }
}

/* ---- computing ---- */

typedef struct lane_place {
    unsigned row, column; /* row and column of its first element of the tile */
} lane_place;

/* A warp's lanes are 2 down and 16 across; there are as many warps down as the tile has times 16 rows. */
static __device__ __forceinline__ lane_place lane_in_tile(const problem *p) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, down = rows(p) / 16;
    lane_place at = {warp % down * 16 + lane % 2 * 4, warp / down * 128 + lane / 2 * 4};
    return at;
}

/* One k: 8 words of A, 8 of f(B), 64 fmaf. */
static __device__ __forceinline__ void multiply(float sums[8][8], const float *a, const float *b) {
    float4 a0 = *(const float4 *)a, a1 = *(const float4 *)(a + 8);
    float4 b0 = *(const float4 *)b, b1 = *(const float4 *)(b + 64);
    float left[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    float right[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
#pragma unroll
        for (unsigned j = 0; j < 8; j++) sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
    }
}

static __device__ __forceinline__ void multiply_slab(float sums[8][8], const float *kept, float *ring, const problem *p,
                                                     place at, lane_place lane) {
    const float *a = kept + at.slab * SLAB * rows(p) + lane.row;
    const float *b = stage_of(ring, p, at) + lane.column;
    if (slab_rows(p, at) == SLAB) {
#pragma unroll
        for (unsigned l = 0; l < SLAB; l++) multiply(sums, a + l * rows(p), b + l * columns(p));
        return;
    }
#pragma unroll 1
    for (unsigned l = 0; l < slab_rows(p, at); l++) multiply(sums, a + l * rows(p), b + l * columns(p));
}

static __device__ __forceinline__ void store_words(float *c, const float *from, unsigned column, unsigned n) {
#pragma unroll
    for (unsigned l = 0; l < 4; l++) {
        if (column + l < n) c[column + l] = from[l];
    }
}

static __device__ __forceinline__ void store_tile(float sums[8][8], const problem *p, unsigned tile, lane_place lane) {
    unsigned column = (tile << p->log2_columns) + lane.column;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        unsigned row = lane.row + i / 4 * 8 + i % 4;
        float *c = p->c + (size_t)row * p->n;
#pragma unroll
        for (unsigned j = 0; j < 8; j += 4) {
            float *v = &sums[i][j];
            unsigned to = column + j / 4 * 64;
            if (row < p->m && p->vectors && to < p->n) *(float4 *)(c + to) = make_float4(v[0], v[1], v[2], v[3]);
            if (row < p->m && !p->vectors) store_words(c, v, to, p->n);
        }
    }
}

/* ---- unified: every thread fills, applies and computes; one barrier a slab ---- */

static __device__ __forceinline__ void fill_ahead(float *ring, const problem *p, place *ahead) {
    if (ahead->tile < p->tiles) fill(ring, p, *ahead, threadIdx.x, COMPUTING);
    __pipeline_commit(); /* also if nothing is left: the waits count groups */
    go_on(ahead, p);
}

static __device__ __forceinline__ void run_unified(problem p, float *kept, bool with_f) {
    float *ring = kept + p.k * rows(&p);
    lane_place lane = lane_in_tile(&p);
    place at = first_place(), ahead = at;
    keep_a(kept, &p, rows(&p));
    for (unsigned s = 0; s < AHEAD; s++) fill_ahead(ring, &p, &ahead);
    for (; at.tile < p.tiles; at.tile += gridDim.x) {
        float sums[8][8] = {{0.0f}};
        for (at.slab = 0; at.slab < p.slabs; at.slab++, at.stage = (at.stage + 1) % STAGES) {
            fill_ahead(ring, &p, &ahead);
            __pipeline_wait_prior(AHEAD);
            if (with_f) apply(ring, &p, at, threadIdx.x, COMPUTING);
            __syncthreads(); /* the slab has arrived; the one before the last has been used: STAGES >= AHEAD + 2 */
            multiply_slab(sums, kept, ring, &p, at, lane);
        }
        store_tile(sums, &p, at.tile, lane);
    }
}

/* One kernel for each width: for A of up to 32, 64 and 128 rows. */
#define EACH_WIDTH(KERNEL) \
    KERNEL(32, 9)          \
    KERNEL(64, 8)          \
    KERNEL(128, 7)

/* Blocks of COMPUTING threads, any grid; shared memory: k * rows() + STAGES * SLAB * columns() floats. product_tiled is
 * the second of two kernels: C = A * B. */
#define UNIFIED_KERNELS(rows, log2_columns)                                                                  \
    extern "C" __global__ void __launch_bounds__(COMPUTING, 2)                                               \
        fused_tiled_##rows(float *c, const float *a, const float *b, unsigned m, unsigned k, unsigned n) {   \
        extern __shared__ __align__(128) float shared[];                                                     \
        run_unified(describe(c, a, b, m, k, n, log2_columns), shared, true);                                 \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(COMPUTING, 2)                                               \
        product_tiled_##rows(float *c, const float *a, const float *b, unsigned m, unsigned k, unsigned n) { \
        extern __shared__ __align__(128) float shared[];                                                     \
        run_unified(describe(c, a, b, m, k, n, log2_columns), shared, false);                                \
    }
EACH_WIDTH(UNIFIED_KERNELS)

/* ---- strips: every warp works alone, and no barrier is left ----
 *
 * A warp takes all rows of A and a strip of C: 64, 32 or 16 columns, for m of up to 32, 64 or 128, so that a lane has 8
 * x 8 sums whatever m is. It loads STRIP_SLAB rows of its strip of B into registers while it multiplies the rows
 * before, which it has stored, with f applied, in its own part of shared memory. Only A is shared by a block. Lanes are
 * placed so that pairs of neighbours read the same words of B, and neighbouring pairs the same of A: 16-byte loads from
 * shared memory then take two wavefronts, 8 for 64 fmaf of each lane. */

#define STRIP_WARPS FUSED_STRIP_WARPS /* warps of a block */
#define STRIP_MOST 16                 /* rows of B that are multiplied at a time, at most */

/* A strip's shape, known to the compiler: rows * columns of C are 64 * 32; a slab is that many rows of B, of which each
 * lane has whole vectors. */
typedef struct strip_shape {
    unsigned rows, columns, slab;
} strip_shape;
#define STRIP_SLAB(rows) ((rows) == 32 ? FUSED_STRIP_SLAB_32 : FUSED_STRIP_SLAB)

/* A warp's next work: a slab from row `row` of B on, columns `column` on. */
typedef struct strip_place {
    unsigned column, row;
} strip_place;

/* A lane's vectors of a slab of B: its vector number i lies in row i * (128 / columns) + lane / (columns / 4). */
#define STRIP_VECTORS(shape) ((shape).slab * (shape).columns / 128)
#define STRIP_MOST_VECTORS (STRIP_MOST / 2)

static __device__ __forceinline__ unsigned strip_row(strip_shape s, unsigned i) {
    return i * (128 / s.columns) + threadIdx.x % 32 / (s.columns / 4);
}

static __device__ __forceinline__ unsigned strip_column(strip_shape s) {
    return threadIdx.x % (s.columns / 4) * 4;
}

static __device__ __forceinline__ float4 load_words(const float *b, unsigned column, unsigned n) {
    return make_float4(column < n ? b[0] : 0.0f, column + 1 < n ? b[1] : 0.0f, column + 2 < n ? b[2] : 0.0f,
                       column + 3 < n ? b[3] : 0.0f);
}

/* Elements beyond k or n count as zeros. */
static __device__ __forceinline__ void load_strip(float4 held[STRIP_MOST_VECTORS], strip_shape s, const problem *p,
                                                  strip_place at) {
    unsigned column = at.column + strip_column(s), row = at.row + strip_row(s, 0);
    const float *from = p->b + (size_t)row * p->n + column;
#pragma unroll
    for (unsigned i = 0; i < STRIP_VECTORS(s); i++, row += 128 / s.columns, from += (size_t)(128 / s.columns) * p->n) {
        held[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (row < p->k && p->vectors && column < p->n) held[i] = __ldcs((const float4 *)from);
        if (row < p->k && !p->vectors) held[i] = load_words(from, column, p->n);
    }
}

static __device__ __forceinline__ void keep_strip(float *slab, const float4 held[STRIP_MOST_VECTORS], strip_shape s) {
#pragma unroll
    for (unsigned i = 0; i < STRIP_VECTORS(s); i++)
        *(float4 *)(slab + strip_row(s, i) * s.columns + strip_column(s)) = f4(held[i]);
}

/* The place of the lane's sums: rows `row` + 0 to 3 and, half the strip's rows further, 4 to 7; columns likewise. Bit 0
 * of the lane counts down, bit 1 across, the others fill the rest of both. */
static __device__ __forceinline__ lane_place lane_in_strip(strip_shape s) {
    unsigned lane = threadIdx.x % 32, more = lane / 4, across = s.columns / 8; /* lanes across, 2 to 8 */
    lane_place at = {(lane % 2 + more / (across / 2) * 2) * 4, (lane / 2 % 2 + more % (across / 2) * 2) * 4};
    return at;
}

static __device__ __forceinline__ void multiply_strip(float sums[8][8], const float *a, const float *b, strip_shape s) {
    float4 a0 = *(const float4 *)a, a1 = *(const float4 *)(a + s.rows / 2);
    float4 b0 = *(const float4 *)b, b1 = *(const float4 *)(b + s.columns / 2);
    float left[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    float right[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
#pragma unroll
        for (unsigned j = 0; j < 8; j++) sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
    }
}

/* Rows `first` to `first + slab` of f(B), fewer where k ends. */
static __device__ __forceinline__ void multiply_strips(float sums[8][8], const float *kept, const float *slab,
                                                       strip_shape s, unsigned first, unsigned k, lane_place lane) {
    const float *a = kept + first * s.rows + lane.row, *b = slab + lane.column;
    if (first + s.slab <= k) {
#pragma unroll
        for (unsigned l = 0; l < s.slab; l++) multiply_strip(sums, a + l * s.rows, b + l * s.columns, s);
        return;
    }
#pragma unroll 1
    for (unsigned l = 0; first + l < k; l++) multiply_strip(sums, a + l * s.rows, b + l * s.columns, s);
}

static __device__ __forceinline__ void store_strip(float sums[8][8], strip_shape s, const problem *p, unsigned column,
                                                   lane_place lane) {
    column += lane.column;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        unsigned row = lane.row + i % 4 + i / 4 * (s.rows / 2);
        float *c = p->c + (size_t)row * p->n;
#pragma unroll
        for (unsigned j = 0; j < 8; j += 4) {
            float *v = &sums[i][j];
            unsigned to = column + j / 4 * (s.columns / 2);
            if (row < p->m && p->vectors && to < p->n) __stcs((float4 *)(c + to), make_float4(v[0], v[1], v[2], v[3]));
            if (row < p->m && !p->vectors) store_words(c, v, to, p->n);
        }
    }
}

static __device__ __forceinline__ void next_slab(strip_place *at, strip_shape s, const problem *p, unsigned hop) {
    at->row += s.slab;
    if (at->row < p->k) return;
    at->row = 0;
    at->column = at->column < p->n && hop < p->n - at->column ? at->column + hop : p->n;
}

/* The strips of a warp, from `ahead` on, whose loads have been issued. */
static __device__ __forceinline__ void run_strips(problem p, float *kept, strip_shape s) {
    const unsigned warp = threadIdx.x / 32, hop = gridDim.x * STRIP_WARPS * s.columns;
    float *slabs = kept + p.k * s.rows + warp * 2 * s.slab * s.columns;
    strip_place at = {(blockIdx.x * STRIP_WARPS + warp) * s.columns, 0}, ahead = at;
    lane_place lane = lane_in_strip(s);
    float4 held[STRIP_MOST_VECTORS];
    unsigned now = 0;
    keep_a(kept, &p, s.rows);
    __syncthreads();
    if (at.column >= p.n) return;
    load_strip(held, s, &p, ahead);
    while (at.column < p.n) {
        float sums[8][8] = {{0.0f}};
        unsigned column = at.column;
        do {
            float *slab = slabs + now * s.slab * s.columns;
            keep_strip(slab, held, s);
            next_slab(&ahead, s, &p, hop);
            load_strip(held, s, &p, ahead);
            __syncwarp(); /* the slab has arrived; all lanes have read the other one before this */
            multiply_strips(sums, kept, slab, s, at.row, p.k, lane);
            next_slab(&at, s, &p, hop);
            now ^= 1;
        } while (at.row > 0);
        store_strip(sums, s, &p, column, lane);
    }
}

/* Blocks of 32 * STRIP_WARPS threads, any grid; shared memory: k * rows() + 2 * slab * columns * STRIP_WARPS
 * floats. */
#define KERNEL_BY_STRIPS(rows, log2_columns)                                                                \
    extern "C" __global__ void __launch_bounds__(32 * STRIP_WARPS, FUSED_STRIP_BLOCKS)                      \
        fused_strips_##rows(float *c, const float *a, const float *b, unsigned m, unsigned k, unsigned n) { \
        extern __shared__ __align__(128) float shared[];                                                    \
        const strip_shape shape = {rows, 2048 / rows, STRIP_SLAB(rows)};                                    \
        HAUL_STATIC_ASSERT(STRIP_SLAB(rows) <= STRIP_MOST && STRIP_SLAB(rows) * (2048 / rows) % 128 == 0,   \
                           "a lane loads whole vectors of a slab, as many as it has registers for");        \
        run_strips(describe(c, a, b, m, k, n, log2_columns), shared, shape);                                \
    }
EACH_WIDTH(KERNEL_BY_STRIPS)

/* ---- specialised, by hand: two warps fill stages and apply f, eight compute ----
 *
 * Each stage has two named barriers: `full`, at which the producers arrive and the consumers wait, and `free`, the
 * reverse. A producer waits for its own copies only, applies f to the vectors that it copied itself, and then arrives:
 * no barrier among producers is needed. */

#define PRODUCING 64
#define ROLES (COMPUTING + PRODUCING)

static __device__ __forceinline__ unsigned full(unsigned stage) {
    return 1 + stage;
}

static __device__ __forceinline__ unsigned free_again(unsigned stage) {
    return 1 + STAGES + stage;
}

static __device__ __forceinline__ void barrier_wait(unsigned barrier) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(ROLES) : "memory");
}

static __device__ __forceinline__ void barrier_arrive(unsigned barrier) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(ROLES) : "memory");
}

static __device__ __forceinline__ void produce(const problem *p, float *ring) {
    unsigned t = threadIdx.x - COMPUTING;
    place at = first_place(), ahead = at;
    for (unsigned round = 0; at.tile < p->tiles; round++, go_on(&ahead, p)) {
        if (ahead.tile < p->tiles) {
            if (round >= STAGES) barrier_wait(free_again(ahead.stage));
            fill(ring, p, ahead, t, PRODUCING);
        }
        __pipeline_commit();
        if (round < AHEAD) continue;
        __pipeline_wait_prior(AHEAD);
        apply(ring, p, at, t, PRODUCING);
        barrier_arrive(full(at.stage));
        go_on(&at, p);
    }
}

/* A stage is released only if a producer will wait for it, so that no barrier is left half full at the end. */
static __device__ __forceinline__ void consume(const problem *p, const float *kept, float *ring) {
    lane_place lane = lane_in_tile(p);
    place at = first_place();
    unsigned left = blockIdx.x < p->tiles ? ((p->tiles - 1 - blockIdx.x) / gridDim.x + 1) * p->slabs : 0;
    for (; at.tile < p->tiles; at.tile += gridDim.x) {
        float sums[8][8] = {{0.0f}};
        for (at.slab = 0; at.slab < p->slabs; at.slab++, left--, at.stage = (at.stage + 1) % STAGES) {
            barrier_wait(full(at.stage));
            multiply_slab(sums, kept, ring, p, at, lane);
            if (left > STAGES) barrier_arrive(free_again(at.stage));
        }
        store_tile(sums, p, at.tile, lane);
    }
}

static __device__ __forceinline__ void run_by_hand(problem p, float *kept) {
    float *ring = kept + p.k * rows(&p);
    keep_a(kept, &p, rows(&p));
    __syncthreads();
    if (threadIdx.x >= COMPUTING)
        produce(&p, ring);
    else
        consume(&p, kept, ring);
}

/* Blocks of ROLES threads; otherwise as above. */
#define KERNEL_BY_HAND(rows, log2_columns)                                                                   \
    extern "C" __global__ void __launch_bounds__(ROLES, 2)                                                   \
        fused_by_hand_##rows(float *c, const float *a, const float *b, unsigned m, unsigned k, unsigned n) { \
        extern __shared__ __align__(128) float shared[];                                                     \
        run_by_hand(describe(c, a, b, m, k, n, log2_columns), shared);                                       \
    }
EACH_WIDTH(KERNEL_BY_HAND)

/* ---- specialised, by two pipelines: a warp copies, a warp applies f, eight compute ----
 *
 * Slabs come into one ring by strided transfers, bulk copies on sm_90. The second warp takes them from there, and
 * stores f of them in another ring: it is the consumer of one pipeline and the producer of the other. */

#define RAW 3   /* slabs in the ring for copies */
#define READY 2 /* slabs in the ring for multiplying */

/* Slabs that begin or end beyond a whole slab, or off 16-byte boundaries, use a separate descriptor. */
static __device__ __forceinline__ void copy_slab(haul_producer *w, const problem *p, place at, float *to) {
    unsigned first = at.tile << p->log2_columns, pitch = columns(p) * 4;
    unsigned rows = slab_rows(p, at), bytes = min(columns(p), p->n - first) * 4;
    const float *from = p->b + (size_t)at.slab * SLAB * p->n + first;
    long long apart = p->n * 4ll;
    if (!p->vectors)
        haul_producer_load(w, haul_strided(rows, bytes, pitch, apart, 4, 32, HAUL_AUTO), to, from);
    else if (rows < SLAB || bytes < pitch)
        haul_producer_load(w, haul_strided(rows, bytes & ~15u, pitch, apart, 16, 32, HAUL_AUTO), to, from);
    else
        haul_producer_load(w, haul_strided(SLAB, pitch, pitch, apart, 16, 32, HAUL_AUTO), to, from);
}

static __device__ __forceinline__ void copy_slabs(const haul_split *raw, const problem *p, float *ring) {
    haul_producer w = haul_producer_of(raw);
    for (place at = first_place(); at.tile < p->tiles; go_on(&at, p)) {
        unsigned s = haul_producer_acquire(&w);
        copy_slab(&w, p, at, ring + (s * SLAB << p->log2_columns));
        haul_producer_commit(&w);
    }
}

static __device__ __forceinline__ void apply_slab(float *to, const float *from, unsigned words) {
#pragma unroll 4
    for (unsigned i = threadIdx.x % 32 * 4; i < words; i += 32 * 4) {
        *(float4 *)(to + i) = f4(*(const float4 *)(from + i));
    }
}

static __device__ __forceinline__ void apply_slabs(const haul_split *raw, const haul_split *ready, const problem *p,
                                                   const float *raw_ring, float *ready_ring) {
    haul_consumer r = haul_consumer_of(raw);
    haul_producer w = haul_producer_of(ready);
    for (place at = first_place(); at.tile < p->tiles; go_on(&at, p)) {
        unsigned from = haul_consumer_wait(&r), to = haul_producer_acquire(&w);
        apply_slab(ready_ring + (to * SLAB << p->log2_columns), raw_ring + (from * SLAB << p->log2_columns),
                   slab_rows(p, at) << p->log2_columns);
        haul_consumer_release(&r);
        haul_producer_commit(&w);
    }
}

static __device__ __forceinline__ void multiply_slabs(const haul_split *ready, const problem *p, const float *kept,
                                                      float *ring) {
    haul_consumer r = haul_consumer_of(ready);
    lane_place lane = lane_in_tile(p);
    place at = first_place();
    for (; at.tile < p->tiles; at.tile += gridDim.x) {
        float sums[8][8] = {{0.0f}};
        for (at.slab = 0; at.slab < p->slabs; at.slab++) {
            at.stage = haul_consumer_wait(&r);
            multiply_slab(sums, kept, ring, p, at, lane);
            haul_consumer_release(&r);
        }
        store_tile(sums, p, at.tile, lane);
    }
}

/* Columns beyond n in the last tile are multiplied too, but not stored: they get a value once. */
static __device__ __forceinline__ void clear_ring(float *ring, unsigned words) {
    for (unsigned i = threadIdx.x * 4; i < words; i += ROLES * 4) *(float4 *)(ring + i) = make_float4(0, 0, 0, 0);
    haul_proxy_fence();
}

static __device__ __forceinline__ void run_roles(problem p, float *kept) {
    float *raw_ring = kept + p.k * rows(&p), *ready_ring = raw_ring + RAW * SLAB * columns(&p);
    keep_a(kept, &p, rows(&p));
    if (p.n % columns(&p)) clear_ring(raw_ring, RAW * SLAB * columns(&p));
    HAUL_SPLIT_PIPELINE_WITH(raw, .stages = RAW, .first_producer_warp = 8, .producer_warps = 1,
                             .first_consumer_warp = 9, .consumer_warps = 1);
    HAUL_SPLIT_PIPELINE_WITH(ready, .stages = READY, .first_producer_warp = 9, .producer_warps = 1,
                             .consumer_warps = COMPUTING / 32, .engine = HAUL_BY_LDG);
    if (haul_is_producer(&raw))
        copy_slabs(&raw, &p, raw_ring);
    else if (haul_is_consumer(&raw))
        apply_slabs(&raw, &ready, &p, raw_ring, ready_ring);
    else
        multiply_slabs(&ready, &p, kept, ready_ring);
}

/* Blocks of ROLES threads, any grid; shared memory: k * rows() + (RAW + READY) * SLAB * columns() floats. */
#define KERNEL_WITH_ROLES(rows, log2_columns)                                                              \
    extern "C" __global__ void __launch_bounds__(ROLES, 2)                                                 \
        fused_roles_##rows(float *c, const float *a, const float *b, unsigned m, unsigned k, unsigned n) { \
        extern __shared__ __align__(128) float shared[];                                                   \
        run_roles(describe(c, a, b, m, k, n, log2_columns), shared);                                       \
    }
EACH_WIDTH(KERNEL_WITH_ROLES)
