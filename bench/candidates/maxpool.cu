/* Max pooling of radius 15, out[i] = max of in[i - 15 .. i + 15] clamped to the array: 8 bytes an element.
 *
 * All forms work on vectors of four. The four windows of vector i share vectors i - 3 to i + 3; what differs comes out
 * of vectors i - 4 (its last three elements) and i + 4 (its first three). So a thread needs the maxima of seven
 * vectors, which doubling gives in three steps, and three running maxima from either side: about 20 maxima for four
 * results instead of 120. The forms differ in how neighbours' vectors come: again through L1, by warp shuffles, through
 * shared memory, or out of a tile that the bulk engine brought. 16-byte aligned arrays, positive values, any n. */
#include "candidates.h"
#include "primitives.h"

#define NEVER 0.0f /* beyond the ends: below every positive value */
#define REACH 4    /* vectors on either side */

/* Vectors that hold n elements, the last perhaps in part. */
DEVICE int vectors_of(int n) {
    return (n - 1) / 4 + 1;
}

DEVICE float max4(float4 v) {
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

/* The four results out of the last three of vector i - 4, the vectors between, and the first three of vector i + 4. */
DEVICE float4 windows(float4 left, float between, float4 right) {
    float zw = fmaxf(left.z, left.w), xy = fmaxf(right.x, right.y);
    return make_float4(fmaxf(between, fmaxf(left.y, zw)), fmaxf(between, fmaxf(zw, right.x)),
                       fmaxf(between, fmaxf(left.w, xy)), fmaxf(between, fmaxf(xy, right.z)));
}

/* A vector that the array's ends cut, or that lies outside; seldom. */
static __device__ __noinline__ float4 cut_vector(const float *in, int v, int n) {
    float e[4];
    for (int k = 0; k < 4; k++) {
        long long i = 4ll * v + k;
        e[k] = i >= 0 && i < n ? in[i] : NEVER;
    }
    return make_float4(e[0], e[1], e[2], e[3]);
}

DEVICE float4 vector_at(const float *in, int v, int n) {
    return (unsigned)v < (unsigned)(n / 4) ? ((const float4 *)in)[v] : cut_vector(in, v, n);
}

DEVICE void put_vector(float *out, int v, int n, float4 r) {
    if (v < n / 4) {
        ((float4 *)out)[v] = r;
    } else {
        float e[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (4ll * v + k < n) out[4ll * v + k] = e[k];
        }
    }
}

/* Nine loads a vector; eight of them find their line in L1. */
DEVICE void pool_loads(int threads, float *out, const float *in, int n) {
    int v = blockIdx.x * threads + threadIdx.x;
    if (v >= vectors_of(n)) return;
    float between = max4(vector_at(in, v, n));
#pragma unroll
    for (int d = 1; d < REACH; d++) {
        between = fmaxf(between, fmaxf(max4(vector_at(in, v - d, n)), max4(vector_at(in, v + d, n))));
    }
    put_vector(out, v, n, windows(vector_at(in, v - REACH, n), between, vector_at(in, v + REACH, n)));
}

/* The value of vector +d of a warp that holds rows of 32 vectors, one row a register. */
DEVICE float after(float here, float next, int d, int lane) {
    return __shfl_sync(~0u, lane < d ? next : here, (lane + d) & 31);
}

DEVICE float before(float previous, float here, int d, int lane) {
    return __shfl_sync(~0u, lane >= 32 - d ? previous : here, (lane - d) & 31);
}

/* A warp's `rows` * 32 vectors, of which all but REACH on either side become results. v: this lane's first vector. */
DEVICE void pool_rows(int rows, const float4 *row, float *out, int v, int end, int n) {
    int lane = threadIdx.x & 31;
    float one[9], two[9], four[9], left[9][3], right[9][3];
#pragma unroll
    for (int j = 0; j < rows; j++) {
        one[j] = max4(row[j]);
        left[j][2] = row[j].w;
        left[j][1] = fmaxf(row[j].z, row[j].w);
        left[j][0] = fmaxf(row[j].y, left[j][1]);
        right[j][0] = row[j].x;
        right[j][1] = fmaxf(row[j].x, row[j].y);
        right[j][2] = fmaxf(right[j][1], row[j].z);
    }
#pragma unroll
    for (int j = 0; j < rows; j++) two[j] = fmaxf(one[j], after(one[j], one[j + 1 < rows ? j + 1 : j], 1, lane));
#pragma unroll
    for (int j = 0; j < rows; j++) four[j] = fmaxf(two[j], after(two[j], two[j + 1 < rows ? j + 1 : j], 2, lane));
#pragma unroll
    for (int j = 0; j < rows; j++) {
        int p = j > 0 ? j - 1 : j, q = j + 1 < rows ? j + 1 : j;
        float between = fmaxf(four[j], before(four[p], four[j], 3, lane)), l[3], r[3];
#pragma unroll
        for (int k = 0; k < 3; k++) {
            l[k] = before(left[p][k], left[j][k], REACH, lane);
            r[k] = after(right[j][k], right[q][k], REACH, lane);
        }
        float4 result = make_float4(fmaxf(between, l[0]), fmaxf(between, fmaxf(l[1], r[0])),
                                    fmaxf(between, fmaxf(l[2], r[1])), fmaxf(between, r[2]));
        int inside = (j > 0 || lane >= REACH) && (j < rows - 1 || lane < 32 - REACH);
        if (inside && v + 32 * j < end) put_vector(out, v + 32 * j, n, result);
    }
}

/* Warps on their own: each loads `rows` rows of 32 vectors that overlap the neighbour warps' by 2 * REACH. */
DEVICE void pool_warps(int rows, int threads, float *out, const float *in, int n) {
    int keep = 32 * rows - 2 * REACH, warp = blockIdx.x * (threads / 32) + threadIdx.x / 32;
    int v = warp * keep - REACH + (threadIdx.x & 31), end = vectors_of(n);
    float4 row[9];
    if (warp * keep >= end) return;
    if (warp > 0 && (warp + 1) * keep + REACH <= n / 4) {
#pragma unroll
        for (int j = 0; j < rows; j++) row[j] = ((const float4 *)in)[v + 32 * j];
    } else {
#pragma unroll
        for (int j = 0; j < rows; j++) row[j] = vector_at(in, v + 32 * j, n);
    }
    pool_rows(rows, row, out, v, end, n);
}

/* A block's vectors and their maxima in shared memory. */
DEVICE void pool_shared(int vectors, int threads, float *out, const float *in, int n) {
    extern __shared__ __align__(128) float4 tile[];
    int span = vectors * threads, first = blockIdx.x * span, end = vectors_of(n);
    float *top = (float *)(tile + span + 2 * REACH);
    float4 own[8], edge;
    int slot = threadIdx.x < REACH ? (int)threadIdx.x : span + (int)threadIdx.x;
#pragma unroll
    for (int k = 0; k < vectors; k++) own[k] = vector_at(in, first + k * threads + threadIdx.x, n);
    if (threadIdx.x < 2 * REACH) {
        edge = vector_at(in, first - REACH + slot, n);
        tile[slot] = edge;
        top[slot] = max4(edge);
    }
#pragma unroll
    for (int k = 0; k < vectors; k++) {
        tile[k * threads + threadIdx.x + REACH] = own[k];
        top[k * threads + threadIdx.x + REACH] = max4(own[k]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < vectors; k++) {
        int t = k * threads + threadIdx.x + REACH;
        float between = max4(own[k]);
#pragma unroll
        for (int d = 1; d < REACH; d++) between = fmaxf(between, fmaxf(top[t - d], top[t + d]));
        float4 result = windows(tile[t - REACH], between, tile[t + REACH]);
        if (first + t - REACH < end) put_vector(out, first + t - REACH, n, result);
    }
}

/* Thread 0: asks for the vectors of a tile and REACH on either side, as far as they are whole and inside; `stage`
 * holds vector `first` - REACH in front. */
DEVICE void pool_fill(float4 *stage, int first, int span, const float *in, int n, unsigned barrier) {
    int from = first - REACH < 0 ? 0 : first - REACH, to = first + span + REACH;
    if (to > n / 4) to = n / 4;
    unsigned bytes = to > from ? (to - from) * 16u : 0;
    barrier_expect(barrier, bytes);
    if (bytes != 0) bulk_load(stage + (from - first + REACH), (const float4 *)in + from, bytes, barrier);
}

DEVICE float4 staged_vector(const float4 *stage, int first, const float *in, int v, int n) {
    return (unsigned)v < (unsigned)(n / 4) ? stage[v - first + REACH] : cut_vector(in, v, n);
}

/* Warps read rows out of the stage; each warp's part is 32 * rows - 2 * REACH vectors. */
DEVICE void pool_stage(int rows, int threads, const float4 *stage, int first, float *out, const float *in, int n) {
    int keep = 32 * rows - 2 * REACH, end = vectors_of(n);
    int v = first + (threadIdx.x / 32) * keep - REACH + (threadIdx.x & 31);
    float4 row[9];
#pragma unroll
    for (int j = 0; j < rows; j++) row[j] = staged_vector(stage, first, in, v + 32 * j, n);
    pool_rows(rows, row, out, v, end, n);
}

/* One tile a block through the bulk engine. */
DEVICE void pool_tile(int rows, int threads, float *out, const float *in, int n) {
    extern __shared__ __align__(128) float4 stage[];
    __shared__ __align__(8) unsigned long long full;
    int span = (32 * rows - 2 * REACH) * (threads / 32), first = blockIdx.x * span;
    unsigned barrier = shared_address(&full);
    if (threadIdx.x == 0) {
        barrier_init(barrier, 1);
        barrier_fence();
        pool_fill(stage, first, span, in, n, barrier);
    }
    __syncthreads();
    barrier_wait(barrier, 0);
    pool_stage(rows, threads, stage, first, out, in, n);
}

/* A grid that stays with a ring of `stages` tiles. */
DEVICE void pool_ring(int rows, unsigned stages, int threads, float *out, const float *in, int n) {
    extern __shared__ __align__(128) float4 stage[];
    __shared__ __align__(8) unsigned long long full[16];
    int span = (32 * rows - 2 * REACH) * (threads / 32), tiles = (vectors_of(n) + span - 1) / span;
    unsigned pitch = span + 2 * REACH, round = 0;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < stages; s++) barrier_init(shared_address(&full[s]), 1);
        barrier_fence();
        for (unsigned s = 0; s < stages; s++) {
            int t = blockIdx.x + s * gridDim.x;
            if (t < tiles) pool_fill(stage + s * pitch, t * span, span, in, n, shared_address(&full[s]));
        }
    }
    __syncthreads();
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, round++) {
        unsigned s = round % stages;
        int next = t + stages * gridDim.x;
        barrier_wait(shared_address(&full[s]), round / stages & 1);
        pool_stage(rows, threads, stage + s * pitch, t * span, out, in, n);
        __syncthreads();
        if (threadIdx.x == 0 && next < tiles) {
            pool_fill(stage + s * pitch, next * span, span, in, n, shared_address(&full[s]));
        }
    }
}

/* K(name, threads, floats a block or 0, blocks per SM, dynamic shared bytes, body) */
#define ARGUMENTS out, in, n
#define KEEP(rows, threads) ((32 * (rows)-2 * REACH) * ((threads) / 32))
#define LOADS(K, threads) K(loads_t##threads, threads, 4 * (threads), 0, 0, pool_loads(threads, ARGUMENTS))
#define WARPS(K, rows, threads) \
    K(warps##rows##_t##threads, threads, 4 * KEEP(rows, threads), 0, 0, pool_warps(rows, threads, ARGUMENTS))
#define SHARED(K, vectors, threads)                                                                                  \
    K(shared##vectors##_t##threads, threads, 4 * (vectors) * (threads), 0, 20 * ((vectors) * (threads) + 2 * REACH), \
      pool_shared(vectors, threads, ARGUMENTS))
#define SHARED_FEW(K, vectors, threads, blocks)                                                     \
    K(shared##vectors##_t##threads##_##blocks, threads, 4 * (vectors) * (threads), 0, ROOM(blocks), \
      pool_shared(vectors, threads, ARGUMENTS))
#define STAGE(rows, threads) (16 * (KEEP(rows, threads) + 2 * REACH))
#define TILE(K, rows, threads)                                                            \
    K(tile##rows##_t##threads, threads, 4 * KEEP(rows, threads), 0, STAGE(rows, threads), \
      pool_tile(rows, threads, ARGUMENTS))
#define RING(K, rows, stages, threads, blocks)                                                             \
    K(ring##rows##x##stages##_t##threads##_b##blocks, threads, 0, blocks, STAGE(rows, threads) * (stages), \
      pool_ring(rows, stages, threads, ARGUMENTS))
#define MAXPOOL_CANDIDATES(K) \
    LOADS(K, 128)             \
    LOADS(K, 256)             \
    LOADS(K, 512)             \
    WARPS(K, 1, 128)          \
    WARPS(K, 1, 256)          \
    WARPS(K, 2, 128)          \
    WARPS(K, 2, 256)          \
    WARPS(K, 4, 64)           \
    WARPS(K, 4, 128)          \
    WARPS(K, 4, 256)          \
    SHARED(K, 1, 128)         \
    SHARED(K, 1, 256)         \
    SHARED(K, 1, 512)         \
    SHARED(K, 2, 128)         \
    SHARED(K, 2, 256)         \
    SHARED(K, 2, 512)         \
    SHARED(K, 4, 128)         \
    SHARED(K, 4, 256)         \
    SHARED_FEW(K, 2, 256, 5)  \
    SHARED(K, 3, 256)         \
    SHARED(K, 4, 512)         \
    SHARED(K, 2, 1024)        \
    TILE(K, 2, 128)           \
    TILE(K, 2, 256)           \
    TILE(K, 2, 512)           \
    TILE(K, 4, 128)           \
    TILE(K, 4, 256)           \
    RING(K, 2, 3, 256, 4)     \
    RING(K, 4, 3, 256, 2)     \
    RING(K, 2, 3, 512, 2)

#define KERNEL(name, threads, per_block, blocks, shared, body)                         \
    extern "C" __global__ void __launch_bounds__(threads)                              \
        maxpool_##name(float *__restrict__ out, const float *__restrict__ in, int n) { \
        body;                                                                          \
    }
MAXPOOL_CANDIDATES(KERNEL)

static int start(const candidate *c, const haul_peer_job *job) {
    int n = (int)job->n;
    void *arguments[] = {(void *)&job->out, (void *)&job->in, &n};
    return candidate_launch(c, job, arguments);
}

#define ROW(name, threads, per_block, blocks, shared, body) \
    {"maxpool", #name, (const void *)maxpool_##name, threads, per_block, blocks, 1, shared, start},
const candidate maxpool_candidates[] = {MAXPOOL_CANDIDATES(ROW){nullptr}};
