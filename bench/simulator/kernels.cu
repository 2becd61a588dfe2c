/* Kernels of bench_simulator, run beside those that ship: ordinary forms of ordinary kernels. */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

/* ---- C = A * B, n x n, tiles of 64 x 64, through four stages of asynchronous copies; n a multiple of 64 ---- */

#define STAGES 4
#define SIDE 64  /* of a block's tile of C */
#define DEPTH 16 /* columns of A and rows of B in a stage */

struct stage {
    float a[SIDE][DEPTH], b[DEPTH][SIDE];
};

static __device__ void fetch_stage(struct stage *s, const float *a, const float *b, unsigned n, unsigned k) {
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&s->a[t / 4][t % 4 * 4], a + (size_t)(t / 4) * n + k + t % 4 * 4, 16);
    __pipeline_memcpy_async(&s->b[t / 16][t % 16 * 4], b + (size_t)(k + t / 16) * n + t % 16 * 4, 16);
}

extern "C" __global__ void __launch_bounds__(256) product_staged(const float *a, const float *b, float *c, unsigned n) {
    __shared__ __align__(16) struct stage stages[STAGES];
    unsigned row = threadIdx.x / 16 * 4, column = threadIdx.x % 16 * 4;
    float sum[4][4] = {};
    a += (size_t)blockIdx.y * SIDE * n;
    b += blockIdx.x * SIDE;
    for (unsigned s = 0; s < STAGES - 1; s++) {
        if (s * DEPTH < n) fetch_stage(&stages[s], a, b, n, s * DEPTH);
        __pipeline_commit();
    }
    for (unsigned k = 0; k < n; k += DEPTH) {
        const struct stage *s = &stages[k / DEPTH % STAGES];
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        unsigned ahead = k + (STAGES - 1) * DEPTH;
        if (ahead < n) fetch_stage(&stages[ahead / DEPTH % STAGES], a, b, n, ahead);
        __pipeline_commit();
#pragma unroll
        for (unsigned j = 0; j < DEPTH; j++) {
            float4 right = *(const float4 *)&s->b[j][column];
#pragma unroll
            for (unsigned i = 0; i < 4; i++) {
                float left = s->a[row + i][j];
                sum[i][0] = fmaf(left, right.x, sum[i][0]);
                sum[i][1] = fmaf(left, right.y, sum[i][1]);
                sum[i][2] = fmaf(left, right.z, sum[i][2]);
                sum[i][3] = fmaf(left, right.w, sum[i][3]);
            }
        }
    }
    c += (size_t)(blockIdx.y * SIDE + row) * n + blockIdx.x * SIDE + column;
    for (unsigned i = 0; i < 4; i++)
        *(float4 *)(c + (size_t)i * n) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

/* ---- C = A * B, n x n, tiles of 64 x 64, 4 x 4 elements a thread; columns of A are rows in shared memory; n a
 * multiple of 64 ---- */

#define PANEL 8 /* columns of A and rows of B in shared memory */

extern "C" __global__ void __launch_bounds__(256)
    product_in_registers(const float *a, const float *b, float *c, unsigned n) {
    __shared__ float left[PANEL][SIDE], right[PANEL][SIDE];
    unsigned t = threadIdx.x, row = t / 16 * 4, column = t % 16 * 4;
    float sum[4][4] = {};
    a += (size_t)blockIdx.y * SIDE * n;
    b += blockIdx.x * SIDE;
    for (unsigned k = 0; k < n; k += PANEL) {
        for (unsigned i = t; i < PANEL * SIDE; i += 256) {
            left[i % PANEL][i / PANEL] = a[(size_t)(i / PANEL) * n + k + i % PANEL];
            right[i / SIDE][i % SIDE] = b[(size_t)(k + i / SIDE) * n + i % SIDE];
        }
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < PANEL; j++)
#pragma unroll
            for (unsigned i = 0; i < 4; i++)
#pragma unroll
                for (unsigned x = 0; x < 4; x++) sum[i][x] = fmaf(left[j][row + i], right[j][column + x], sum[i][x]);
        __syncthreads();
    }
    c += (size_t)(blockIdx.y * SIDE + row) * n + blockIdx.x * SIDE + column;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned x = 0; x < 4; x++) c[(size_t)i * n + x] = sum[i][x];
}

/* ---- records of four words become records of three ---- */

extern "C" __global__ void shorten_records(unsigned n, const float *in, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[3 * i] = in[4 * i] + in[4 * i + 1];
    out[3 * i + 1] = in[4 * i + 2];
    out[3 * i + 2] = in[4 * i + 3];
}

/* ---- out = in transposed, n x n; tiles of 32 x 32, blocks of 32 x 8; n a multiple of 32 ---- */

extern "C" __global__ void transpose_padded(const float *in, float *out, unsigned n) {
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) out[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* ---- counts of the low byte of each word: a histogram a block, added up at the end; blocks of 256 ---- */

extern "C" __global__ void histogram_shared(const unsigned *words, unsigned *counts, unsigned n) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    unsigned step = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) atomicAdd(&mine[words[i] & 255], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

/* ---- sorts runs of 1024 keys, a block of 512 threads each ---- */

extern "C" __global__ void bitonic_sort(unsigned *keys) {
    __shared__ unsigned run[1024];
    unsigned t = threadIdx.x;
    keys += (size_t)blockIdx.x * 1024;
    run[t] = keys[t];
    run[t + 512] = keys[t + 512];
    for (unsigned size = 2; size <= 1024; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned at = 2 * t - (t & (stride - 1));
            unsigned low = run[at], high = run[at + stride];
            bool up = (t & size / 2) == 0;
            if ((low > high) == up) {
                run[at] = high;
                run[at + stride] = low;
            }
        }
    __syncthreads();
    keys[t] = run[t];
    keys[t + 512] = run[t + 512];
}

/* ---- other types than words: y = a * x + y and products in double precision, pairs of halves, bytes ---- */

extern "C" __global__ void saxpy_double(unsigned n, double a, const double *x, double *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fma(a, x[i], y[i]);
}

/* C = A * B, n x n, tiles and blocks of 16 x 16; n a multiple of 16 */
extern "C" __global__ void __launch_bounds__(256)
    product_double(const double *a, const double *b, double *c, unsigned n) {
    __shared__ double left[16][16], right[16][16];
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    double sum = 0;
    for (unsigned k = 0; k < n; k += 16) {
        left[threadIdx.y][threadIdx.x] = a[(size_t)y * n + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(size_t)(k + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < 16; j++) sum = fma(left[threadIdx.y][j], right[j][threadIdx.x], sum);
        __syncthreads();
    }
    c[(size_t)y * n + x] = sum;
}

static __device__ unsigned multiply_add(unsigned a, unsigned b, unsigned c) {
    unsigned d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

/* A polynomial of degree 8 in each half. */
extern "C" __global__ void polynomial_half2(unsigned n, const unsigned *x, unsigned *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = x[i] & 0x3bff3bffu, sum = 0x3c003c00u;
#pragma unroll
    for (unsigned k = 0; k < 8; k++) sum = multiply_add(sum, value, 0x34003800u + k * 0x00100010u);
    y[i] = sum;
}

/* One byte a thread. */
extern "C" __global__ void brighten_bytes(unsigned n, const unsigned char *in, unsigned char *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bright = in[i] + 40u;
    out[i] = bright > 255 ? 255 : bright;
}

/* A sum for each block of 256: within warps by shuffles, then of the warps' sums. */
extern "C" __global__ void __launch_bounds__(256) sum_shuffled(const float *in, float *out, unsigned n) {
    __shared__ float sums[8];
    float sum = 0;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
    for (unsigned k = 16; k; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = threadIdx.x < 8 ? sums[threadIdx.x] : 0;
    for (unsigned k = 4; k; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/* ---- approximate functions: a step of n bodies, option prices, rows of weights, rotations and gates ---- */

/* The pull of all bodies on each; n a multiple of 256, blocks of 256. */
extern "C" __global__ void __launch_bounds__(256) pull_bodies(const float4 *bodies, float4 *pulls, unsigned n) {
    __shared__ float4 tile[256];
    float4 own = bodies[blockIdx.x * 256 + threadIdx.x], sum = make_float4(0, 0, 0, 0);
    for (unsigned first = 0; first < n; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (unsigned k = 0; k < 256; k++) {
            float x = tile[k].x - own.x, y = tile[k].y - own.y, z = tile[k].z - own.z;
            float near = rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, 0.01f))));
            float pull = tile[k].w * near * near * near;
            sum.x = fmaf(pull, x, sum.x);
            sum.y = fmaf(pull, y, sum.y);
            sum.z = fmaf(pull, z, sum.z);
        }
        __syncthreads();
    }
    pulls[blockIdx.x * 256 + threadIdx.x] = sum;
}

static __device__ float normal_share(float d) {
    float k = __fdividef(1.0f, fmaf(0.2316419f, fabsf(d), 1.0f));
    float sum = fmaf(k, 1.330274429f, -1.821255978f);
    sum = fmaf(sum, k, 1.781477937f);
    sum = fmaf(sum, k, -0.356563782f);
    sum = fmaf(sum, k, 0.31938153f) * k;
    float below = 0.39894228f * __expf(-0.5f * d * d) * sum;
    return d > 0 ? 1.0f - below : below;
}

/* Prices of call options, by Black and Scholes. */
extern "C" __global__ void price_options(unsigned n, const float *price, const float *strike, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = fmaf(25.0f, price[i], 5.0f), x = fmaf(99.0f, strike[i], 1.0f), years = 0.25f + price[i];
    float root = 0.3f * years * rsqrtf(years);
    float first = __fdividef(__logf(__fdividef(s, x)) + (0.02f + 0.045f) * years, root);
    out[i] = s * normal_share(first) - x * __expf(-0.02f * years) * normal_share(first - root);
}

/* Weights that add up to one in each row of 128, a warp each; blocks of 256. */
extern "C" __global__ void weigh_rows(unsigned rows, const float4 *in, float4 *out) {
    unsigned row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float4 v = in[(size_t)row * 32 + lane];
    float most = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    for (unsigned k = 16; k; k /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, k));
    v = make_float4(__expf(v.x - most), __expf(v.y - most), __expf(v.z - most), __expf(v.w - most));
    float sum = v.x + v.y + v.z + v.w;
    for (unsigned k = 16; k; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    float by = __fdividef(1.0f, sum);
    out[(size_t)row * 32 + lane] = make_float4(v.x * by, v.y * by, v.z * by, v.w * by);
}

static __device__ float gate(float x) {
    float t;
    asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(x));
    return 0.5f * x * (1.0f + t);
}

/* Pairs turned by an angle of their own, and gated. */
extern "C" __global__ void turn_pairs(unsigned n, const float2 *in, float2 *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 v = in[i];
    float angle = (float)(i & 1023) * 0.01f, s = __sinf(angle), c = __cosf(angle);
    out[i] = make_float2(gate(v.x * c - v.y * s), gate(v.x * s + v.y * c));
}

/* ---- C = A * B^T of halves by the matrix units, n x n; tiles of 64 x 64, blocks of 128; n a multiple of 64 ---- */

#define ROW 40 /* halves between rows of 32: eight rows of ldmatrix lie in different banks */

static __device__ void load_fragment(unsigned r[4], const unsigned short *at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(at)));
}

static __device__ void multiply_add_tile(float d[4], const unsigned a[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(128)
    product_halves(const unsigned short *a, const unsigned short *b, float *c, unsigned n) {
    __shared__ __align__(16) unsigned short left[2][64][ROW], right[2][64][ROW];
    unsigned t = threadIdx.x, lane = t % 32, down = t / 64 * 32, across = t / 32 % 2 * 32;
    float sum[2][4][4] = {};
    a += (size_t)blockIdx.y * 64 * n;
    b += (size_t)blockIdx.x * 64 * n;
    for (unsigned k = 0; k <= n; k += 32) {
        for (unsigned i = 0; i < 2 && k < n; i++) {
            unsigned row = t / 4 + 32 * i, column = t % 4 * 8;
            __pipeline_memcpy_async(&left[k / 32 % 2][row][column], a + (size_t)row * n + k + column, 16);
            __pipeline_memcpy_async(&right[k / 32 % 2][row][column], b + (size_t)row * n + k + column, 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (unsigned part = 0; part < 32 && k; part += 16) {
            unsigned rows[2][4], columns[2][4];
#pragma unroll
            for (unsigned i = 0; i < 2; i++) {
                load_fragment(rows[i], &left[(k / 32 - 1) % 2][down + 16 * i + lane % 16][part + lane / 16 * 8]);
                load_fragment(columns[i], &right[(k / 32 - 1) % 2][across + 16 * i + lane % 16][part + lane / 16 * 8]);
            }
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
#pragma unroll
                for (unsigned j = 0; j < 4; j++)
                    multiply_add_tile(sum[i][j], rows[i], columns[j / 2][j % 2], columns[j / 2][j % 2 + 2]);
        }
        __syncthreads();
    }
    c += (size_t)(blockIdx.y * 64 + down + lane / 4) * n + blockIdx.x * 64 + across + lane % 4 * 2;
#pragma unroll
    for (unsigned i = 0; i < 2; i++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            *(float2 *)(c + (size_t)(16 * i) * n + 8 * j) = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2 *)(c + (size_t)(16 * i + 8) * n + 8 * j) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
}

/* ---- where a warp's lanes lie far apart ---- */

/* out = table at scattered places; `mask` one less than its words, a power of two. */
extern "C" __global__ void gather_words(unsigned n, const unsigned *places, const unsigned *table, unsigned *out,
                                        unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[places[i] & mask];
}

/* The other way round. */
extern "C" __global__ void scatter_words(unsigned n, const unsigned *places, const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[places[i]] = in[i];
}

/* A field of records of 33 words becomes one of records of 17. */
extern "C" __global__ void copy_fields(unsigned n, const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(size_t)i * 17] = in[(size_t)i * 33];
}

/* y = A * x, A in compressed rows; a thread a row. */
extern "C" __global__ void multiply_rows(unsigned n, const unsigned *starts, const unsigned *columns,
                                         const float *values, const float *x, float *y) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (unsigned k = starts[row]; k < starts[row + 1]; k++) sum = fmaf(values[k], x[columns[k]], sum);
    y[row] = sum;
}

/* Keys but 0 go to a table of mask + 1 words with open addressing. */
extern "C" __global__ void insert_keys(unsigned n, const unsigned *keys, unsigned *table, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i] | 1;
    for (unsigned at = (key * 0x9e3779b1u >> 8) & mask;; at = (at + 1) & mask) {
        unsigned old = atomicCAS(&table[at], 0, key);
        if (old == 0 || old == key) return;
    }
}

/* Counts the equal keys before each key: a pass of a counting sort. */
extern "C" __global__ void rank_keys(unsigned n, const unsigned *keys, unsigned *counts, unsigned *ranks,
                                     unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ranks[i] = atomicAdd(&counts[keys[i] & mask], 1);
}

/* A step of a search, breadth first: what the vertices 0 to n - 1 have edges to and nobody has seen goes to a queue. */
extern "C" __global__ void expand_frontier(unsigned n, const unsigned *starts, const unsigned *edges, unsigned *seen,
                                           unsigned *queue, unsigned *tail) {
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (unsigned k = starts[v]; k < starts[v + 1]; k++) {
        unsigned to = edges[k];
        if (seen[to] == 0 && atomicExch(&seen[to], 1) == 0) queue[atomicAdd(tail, 1)] = to;
    }
}
