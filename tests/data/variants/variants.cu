// Kernels that real code has, each in several variants: tiles, stages, unrolling, block sizes, widths of vectors. A
// kernel's name is what it does, two underscores, and its variant. launches.py has the launches.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#define KERNEL extern "C" __global__ void

template <int N> struct vector_of;
template <> struct vector_of<1> { using type = float; };
template <> struct vector_of<2> { using type = float2; };
template <> struct vector_of<4> { using type = float4; };

template <int N> struct pack {
    union {
        typename vector_of<N>::type all;
        float each[N];
    };
};

__device__ __forceinline__ float sum_of_warp(float v) {
    for (int k = 16; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
    return v;
}

__device__ __forceinline__ float most_of_warp(float v) {
    for (int k = 16; k; k /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, k));
    return v;
}

template <int THREADS> __device__ __forceinline__ float sum_of_block(float v, float *room) {
    v = sum_of_warp(v);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < THREADS / 32 ? room[threadIdx.x] : 0;
    if (threadIdx.x < 32) v = sum_of_warp(v);
    if (threadIdx.x == 0) room[0] = v;
    __syncthreads();
    v = room[0];
    __syncthreads();
    return v;
}

/* ---- element by element ---- */

template <int W, int U> __device__ __forceinline__ void axpy(float *y, const float *x, float a, int n) {
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / W; i += step * U)
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int at = i + u * step;
            if (at >= n / W) break;
            pack<W> p = ((const pack<W> *)x)[at], q = ((const pack<W> *)y)[at];
            for (int k = 0; k < W; k++) q.each[k] += a * p.each[k];
            ((pack<W> *)y)[at] = q;
        }
}

#define AXPY(W, U) KERNEL axpy__w##W##u##U(float *y, const float *x, float a, int n) { axpy<W, U>(y, x, a, n); }
AXPY(1, 1) AXPY(2, 1) AXPY(4, 1) AXPY(1, 4) AXPY(4, 4)

template <int W> __device__ __forceinline__ void chain(float *out, const float *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / W) return;
    pack<W> p = ((const pack<W> *)in)[i];
    for (int k = 0; k < W; k++) {
        float v = p.each[k];
        v = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
        v = expf(-v * v) + logf(1 + v * v) * sinf(v);
        p.each[k] = v / (1 + fabsf(v));
    }
    ((pack<W> *)out)[i] = p;
}

KERNEL chain__w1(float *out, const float *in, int n) { chain<1>(out, in, n); }
KERNEL chain__w2(float *out, const float *in, int n) { chain<2>(out, in, n); }
KERNEL chain__w4(float *out, const float *in, int n) { chain<4>(out, in, n); }

KERNEL halves__one(__half *y, const __half *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(x[i], x[i], y[i]);
}

KERNEL halves__two(__half2 *y, const __half2 *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) y[i] = __hfma2(x[i], x[i], y[i]);
}

KERNEL halves__eight(uint4 *y, const uint4 *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 8) return;
    uint4 p = x[i], q = y[i];
    __half2 *a = (__half2 *)&p, *b = (__half2 *)&q;
    for (int k = 0; k < 4; k++) b[k] = __hfma2(a[k], a[k], b[k]);
    y[i] = q;
}

/* Rotation of pairs, as positions of tokens are told. */
KERNEL rotary__plain(float *x, const float *angles, int rows, int half) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / half, k = i % half;
    if (row >= rows) return;
    float s, c;
    sincosf(angles[k] * row, &s, &c);
    const float a = x[row * 2 * half + k], b = x[row * 2 * half + half + k];
    x[row * 2 * half + k] = a * c - b * s;
    x[row * 2 * half + half + k] = b * c + a * s;
}

KERNEL rotary__fast(float *x, const float *angles, int rows, int half) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / half, k = i % half;
    if (row >= rows) return;
    float s, c;
    __sincosf(angles[k] * row, &s, &c);
    const float a = x[row * 2 * half + k], b = x[row * 2 * half + half + k];
    x[row * 2 * half + k] = a * c - b * s;
    x[row * 2 * half + half + k] = b * c + a * s;
}

/* ---- norms, softmax, reductions ---- */

template <int THREADS, int W> __device__ __forceinline__ void layer_norm(float *out, const float *in, const float *w, int columns) {
    __shared__ float room[32];
    const pack<W> *row = (const pack<W> *)(in + (size_t)blockIdx.x * columns);
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < columns / W; i += THREADS) {
        const pack<W> p = row[i];
        for (int k = 0; k < W; k++) s += p.each[k], q += p.each[k] * p.each[k];
    }
    const float mean = sum_of_block<THREADS>(s, room) / columns;
    const float r = rsqrtf(sum_of_block<THREADS>(q, room) / columns - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < columns / W; i += THREADS) {
        pack<W> p = row[i];
        const pack<W> g = ((const pack<W> *)w)[i];
        for (int k = 0; k < W; k++) p.each[k] = (p.each[k] - mean) * r * g.each[k];
        ((pack<W> *)(out + (size_t)blockIdx.x * columns))[i] = p;
    }
}

#define NORM(T, W) \
    KERNEL layer_norm__t##T##w##W(float *o, const float *x, const float *g, int c) { layer_norm<T, W>(o, x, g, c); }
NORM(64, 1) NORM(128, 1) NORM(256, 1) NORM(1024, 1) NORM(128, 4) NORM(256, 4)

/* A warp a row: values stay in registers. */
template <int N> __device__ __forceinline__ void softmax_by_warps(float *out, const float *in, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float v[N], most = -INFINITY, sum = 0;
    for (int k = 0; k < N; k++) most = fmaxf(most, v[k] = in[row * 32 * N + k * 32 + lane]);
    most = most_of_warp(most);
    for (int k = 0; k < N; k++) sum += v[k] = __expf(v[k] - most);
    sum = 1 / sum_of_warp(sum);
    for (int k = 0; k < N; k++) out[row * 32 * N + k * 32 + lane] = v[k] * sum;
}

KERNEL softmax__warps(float *out, const float *in, int rows) { softmax_by_warps<32>(out, in, rows); }

template <int THREADS> __device__ __forceinline__ void softmax_by_blocks(float *out, const float *in, int columns) {
    __shared__ float room[32];
    const float *row = in + (size_t)blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS) most = fmaxf(most, row[i]);
    most = most_of_warp(most);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = most;
    __syncthreads();
    most = room[threadIdx.x % 32 % (THREADS / 32)];
    most = most_of_warp(most);
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += THREADS) sum += __expf(row[i] - most);
    sum = 1 / sum_of_block<THREADS>(sum, room);
    for (int i = threadIdx.x; i < columns; i += THREADS) out[(size_t)blockIdx.x * columns + i] = __expf(row[i] - most) * sum;
}

KERNEL softmax__t64(float *out, const float *in, int columns) { softmax_by_blocks<64>(out, in, columns); }
KERNEL softmax__t256(float *out, const float *in, int columns) { softmax_by_blocks<256>(out, in, columns); }
KERNEL softmax__t1024(float *out, const float *in, int columns) { softmax_by_blocks<1024>(out, in, columns); }

template <int THREADS, int U> __device__ __forceinline__ void sum_all(float *out, const float *in, int n) {
    __shared__ float room[32];
    float s[U] = {0};
    for (int i = blockIdx.x * THREADS * U + threadIdx.x; i < n; i += gridDim.x * THREADS * U)
#pragma unroll
        for (int u = 0; u < U; u++)
            if (i + u * THREADS < n) s[u] += in[i + u * THREADS];
    for (int u = 1; u < U; u++) s[0] += s[u];
    const float total = sum_of_block<THREADS>(s[0], room);
    if (threadIdx.x == 0) atomicAdd(out, total);
}

#define SUM(T, U) KERNEL sum__t##T##u##U(float *o, const float *x, int n) { sum_all<T, U>(o, x, n); }
SUM(128, 1) SUM(256, 1) SUM(256, 4) SUM(256, 8) SUM(1024, 1) SUM(1024, 4)

KERNEL sum__tree(float *out, const float *in, int n) {
    __shared__ float tile[256];
    float s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += in[i];
    tile[threadIdx.x] = s;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (threadIdx.x < k) tile[threadIdx.x] += tile[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

template <int U> __device__ __forceinline__ void sum_columns(float *out, const float *in, int rows, int columns) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int part = rows / gridDim.y;
    float s[U] = {0};
    if (j >= columns) return;
    for (int i = blockIdx.y * part; i < (blockIdx.y + 1) * part; i += U)
#pragma unroll
        for (int u = 0; u < U; u++) s[u] += in[(size_t)(i + u) * columns + j];
    for (int u = 1; u < U; u++) s[0] += s[u];
    atomicAdd(out + j, s[0]);
}

KERNEL sum_columns__u1(float *out, const float *in, int rows, int columns) { sum_columns<1>(out, in, rows, columns); }
KERNEL sum_columns__u4(float *out, const float *in, int rows, int columns) { sum_columns<4>(out, in, rows, columns); }
KERNEL sum_columns__u8(float *out, const float *in, int rows, int columns) { sum_columns<8>(out, in, rows, columns); }

/* ---- products ---- */

template <int BM, int BN, int BK, int TM, int TN>
__device__ __forceinline__ void sgemm(float *c, const float *a, const float *b, int n, int k) {
    constexpr int THREADS = BM / TM * (BN / TN);
    __shared__ float as[BK][BM + 4], bs[BK][BN];
    const int t = threadIdx.x, row = t / (BN / TN) * TM, column = t % (BN / TN) * TN;
    float total[TM][TN] = {};
    a += (size_t)blockIdx.y * BM * k;
    b += blockIdx.x * BN;
    for (int at = 0; at < k; at += BK) {
        for (int i = t; i < BM * BK; i += THREADS) as[i % BK][i / BK] = a[(size_t)(i / BK) * k + at + i % BK];
        for (int i = t; i < BN * BK; i += THREADS) bs[i / BN][i % BN] = b[(size_t)(at + i / BN) * n + i % BN];
        __syncthreads();
#pragma unroll
        for (int p = 0; p < BK; p++) {
            float u[TM], v[TN];
            for (int i = 0; i < TM; i++) u[i] = as[p][row + i];
            for (int j = 0; j < TN; j++) v[j] = bs[p][column + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) total[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) c[(size_t)(blockIdx.y * BM + row + i) * n + blockIdx.x * BN + column + j] = total[i][j];
}

#define SGEMM(BM, BN, BK, TM, TN) \
    KERNEL sgemm__##BM##x##BN##x##BK##t##TM##x##TN(float *c, const float *a, const float *b, int n, int k) { \
        sgemm<BM, BN, BK, TM, TN>(c, a, b, n, k); \
    }
SGEMM(16, 16, 16, 1, 1) SGEMM(32, 32, 16, 2, 2) SGEMM(64, 64, 8, 4, 4) SGEMM(64, 64, 16, 4, 4) SGEMM(128, 128, 8, 8, 8) SGEMM(128, 64, 8, 8, 4)

template <int BM, int BN, int STAGES> __device__ __forceinline__ void hgemm(float *c, const __half *a, const __half *b, int n, int k) {
    using namespace nvcuda::wmma;
    constexpr int BK = 32, WARPS = 4, PART = BM / 2, THREADS = WARPS * 32;
    extern __shared__ __align__(16) __half room[];
    constexpr int A = BM * (BK + 8), B = BK * (BN + 8);
    __half *as = room, *bs = room + STAGES * A;
    const int warp = threadIdx.x / 32, wm = warp / 2 * PART, wn = warp % 2 * (BN / 2);
    fragment<accumulator, 16, 16, 16, float> total[PART / 16][BN / 32];
    for (auto &r : total)
        for (auto &f : r) fill_fragment(f, 0);
    auto fetch = [&](int stage, int at) {
        for (int i = threadIdx.x; i < BM * BK / 8; i += THREADS)
            __pipeline_memcpy_async(as + stage * A + i / 4 * (BK + 8) + i % 4 * 8, a + (size_t)(blockIdx.y * BM + i / 4) * k + at + i % 4 * 8, 16);
        for (int i = threadIdx.x; i < BK * BN / 8; i += THREADS)
            __pipeline_memcpy_async(bs + stage * B + i / (BN / 8) * (BN + 8) + i % (BN / 8) * 8,
                                    b + (size_t)(at + i / (BN / 8)) * n + blockIdx.x * BN + i % (BN / 8) * 8, 16);
    };
    for (int s = 0; s < STAGES - 1; s++) {
        if (s * BK < k) fetch(s, s * BK);
        __pipeline_commit();
    }
    for (int at = 0, s = 0; at < k; at += BK, s = (s + 1) % STAGES) {
        __pipeline_wait_prior(STAGES - 2 < 0 ? 0 : STAGES - 2);
        __syncthreads();
        if (at + (STAGES - 1) * BK < k) fetch((s + STAGES - 1) % STAGES, at + (STAGES - 1) * BK);
        __pipeline_commit();
#pragma unroll
        for (int p = 0; p < BK; p += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> fa[PART / 16];
            fragment<matrix_b, 16, 16, 16, __half, row_major> fb[BN / 32];
            for (int i = 0; i < PART / 16; i++) load_matrix_sync(fa[i], as + s * A + (wm + i * 16) * (BK + 8) + p, BK + 8);
            for (int j = 0; j < BN / 32; j++) load_matrix_sync(fb[j], bs + s * B + p * (BN + 8) + wn + j * 16, BN + 8);
            for (int i = 0; i < PART / 16; i++)
                for (int j = 0; j < BN / 32; j++) mma_sync(total[i][j], fa[i], fb[j], total[i][j]);
        }
    }
    for (int i = 0; i < PART / 16; i++)
        for (int j = 0; j < BN / 32; j++)
            store_matrix_sync(c + (size_t)(blockIdx.y * BM + wm + i * 16) * n + blockIdx.x * BN + wn + j * 16, total[i][j], n, mem_row_major);
}

#define HGEMM(BM, BN, S) \
    KERNEL hgemm__##BM##x##BN##s##S(float *c, const __half *a, const __half *b, int n, int k) { hgemm<BM, BN, S>(c, a, b, n, k); }
HGEMM(32, 32, 2) HGEMM(64, 64, 2) HGEMM(64, 64, 3) HGEMM(64, 64, 4) HGEMM(128, 64, 3) HGEMM(128, 128, 2) HGEMM(128, 128, 3)

/* Bytes with a scale for each column; four products an instruction. */
template <int T> __device__ __forceinline__ void product_of_bytes(float *c, const int *a, const int *b, const float *scale, int n, int k4) {
    __shared__ int as[16][17 * T], bs[16][17 * T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    int total[T][T] = {};
    for (int at = 0; at < k4; at += 16) {
        for (int i = 0; i < T; i++) {
            as[ty][tx + i * 17] = a[(blockIdx.y * 16 * T + ty + i * 16) * k4 + at + tx];
            bs[ty][tx + i * 17] = b[(blockIdx.x * 16 * T + ty + i * 16) * k4 + at + tx];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; p++)
            for (int i = 0; i < T; i++)
                for (int j = 0; j < T; j++) total[i][j] = __dp4a(as[ty][p + i * 17], bs[tx][p + j * 17], total[i][j]);
        __syncthreads();
    }
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            const int row = blockIdx.y * 16 * T + ty + i * 16, column = blockIdx.x * 16 * T + tx + j * 16;
            c[row * n + column] = total[i][j] * scale[column];
        }
}

KERNEL bytes__1(float *c, const int *a, const int *b, const float *s, int n, int k) { product_of_bytes<1>(c, a, b, s, n, k); }
KERNEL bytes__2(float *c, const int *a, const int *b, const float *s, int n, int k) { product_of_bytes<2>(c, a, b, s, n, k); }
KERNEL bytes__4(float *c, const int *a, const int *b, const float *s, int n, int k) { product_of_bytes<4>(c, a, b, s, n, k); }

/* Matrix by vector: some lanes a row. */
template <int LANES> __device__ __forceinline__ void matvec(float *y, const float4 *m, const float4 *x, int rows, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / LANES;
    if (row >= rows) return;
    float s = 0;
    for (int j = i % LANES; j < columns / 4; j += LANES) {
        const float4 a = m[(size_t)row * columns / 4 + j], b = x[j];
        s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int k = LANES / 2; k; k /= 2) s += __shfl_down_sync(~0u, s, k, LANES);
    if (i % LANES == 0) y[row] = s;
}

KERNEL matvec__1(float *y, const float4 *m, const float4 *x, int rows, int columns) { matvec<1>(y, m, x, rows, columns); }
KERNEL matvec__8(float *y, const float4 *m, const float4 *x, int rows, int columns) { matvec<8>(y, m, x, rows, columns); }
KERNEL matvec__32(float *y, const float4 *m, const float4 *x, int rows, int columns) { matvec<32>(y, m, x, rows, columns); }

/* Sparse rows: `lanes` of them, `each` entries in a row. */
template <int LANES> __device__ __forceinline__ void sparse(float *y, const float *v, const int *index, const float *x, int rows, int each) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / LANES;
    if (row >= rows) return;
    float s = 0;
    for (int j = row * each + i % LANES; j < (row + 1) * each; j += LANES) s += v[j] * x[index[j]];
    for (int k = LANES / 2; k; k /= 2) s += __shfl_down_sync(~0u, s, k, LANES);
    if (i % LANES == 0) y[row] = s;
}

KERNEL sparse__1(float *y, const float *v, const int *i, const float *x, int r, int e) { sparse<1>(y, v, i, x, r, e); }
KERNEL sparse__4(float *y, const float *v, const int *i, const float *x, int r, int e) { sparse<4>(y, v, i, x, r, e); }
KERNEL sparse__32(float *y, const float *v, const int *i, const float *x, int r, int e) { sparse<32>(y, v, i, x, r, e); }

/* Attention in one pass: a thread a query of 32 numbers, keys and values by tiles. */
template <int TILE> __device__ __forceinline__ void attention(float *out, const float *q, const float *k, const float *v, int length) {
    constexpr int D = 32;
    __shared__ float ks[TILE][D], vs[TILE][D];
    const size_t head = (size_t)blockIdx.y * length * D;
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float mine[D], total[D] = {}, most = -INFINITY, sum = 0;
    for (int d = 0; d < D; d++) mine[d] = q[head + row * D + d] * 0.17677669f;
    for (int at = 0; at < length; at += TILE) {
        for (int i = threadIdx.x; i < TILE * D; i += blockDim.x) {
            ks[i / D][i % D] = k[head + at * D + i];
            vs[i / D][i % D] = v[head + at * D + i];
        }
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float s = 0;
            for (int d = 0; d < D; d++) s += mine[d] * ks[j][d];
            const float next = fmaxf(most, s), old = __expf(most - next), p = __expf(s - next);
            sum = sum * old + p;
            for (int d = 0; d < D; d++) total[d] = total[d] * old + p * vs[j][d];
            most = next;
        }
        __syncthreads();
    }
    for (int d = 0; d < D; d++) out[head + row * D + d] = total[d] / sum;
}

KERNEL attention__16(float *o, const float *q, const float *k, const float *v, int l) { attention<16>(o, q, k, v, l); }
KERNEL attention__64(float *o, const float *q, const float *k, const float *v, int l) { attention<64>(o, q, k, v, l); }

/* ---- neighbours ---- */

template <int PAD> __device__ __forceinline__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[32][32 + PAD];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    const int u = blockIdx.y * 32 + threadIdx.x, w = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y) out[(size_t)(w + k) * n + u] = tile[threadIdx.x][threadIdx.y + k];
}

KERNEL transpose__plain(float *out, const float *in, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y) out[(size_t)x * n + y + k] = in[(size_t)(y + k) * n + x];
}
KERNEL transpose__shared(float *out, const float *in, int n) { transpose<0>(out, in, n); }
KERNEL transpose__padded(float *out, const float *in, int n) { transpose<1>(out, in, n); }

KERNEL heat__plain(float *out, const float *in, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    out[y * w + x] = 0.2f * (in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}

template <int R> __device__ __forceinline__ void heat(float *out, const float *in, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.y * blockDim.y + threadIdx.y) * R;
    if (x < 1 || x >= w - 1 || y + R >= h) return;
    float up = in[max(y - 1, 0) * w + x], here = in[y * w + x];
#pragma unroll
    for (int r = 0; r < R; r++) {
        const float down = in[(y + r + 1) * w + x];
        out[(y + r) * w + x] = 0.2f * (here + in[(y + r) * w + x - 1] + in[(y + r) * w + x + 1] + up + down);
        up = here, here = down;
    }
}
KERNEL heat__4(float *out, const float *in, int w, int h) { heat<4>(out, in, w, h); }
KERNEL heat__8(float *out, const float *in, int w, int h) { heat<8>(out, in, w, h); }

KERNEL heat__tile(float *out, const float *in, int w, int h) {
    __shared__ float t[18][34];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, me = threadIdx.y * 32 + threadIdx.x;
    for (int i = me; i < 18 * 34; i += blockDim.y * 32) {
        const int x = min(max(x0 + i % 34 - 1, 0), w - 1), y = min(max(y0 + i / 34 - 1, 0), h - 1);
        t[i / 34][i % 34] = in[y * w + x];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 16; k += blockDim.y)
        out[(y0 + k) * w + x0 + threadIdx.x] = 0.2f * (t[k + 1][threadIdx.x + 1] + t[k + 1][threadIdx.x] + t[k + 1][threadIdx.x + 2] +
                                                        t[k][threadIdx.x + 1] + t[k + 2][threadIdx.x + 1]);
}

/* Seven points in three dimensions: a thread a point, or a thread a column. */
KERNEL seven__points(float *out, const float *in, int w, int h, int d) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= w - 1 || y >= h - 1 || z >= d - 1) return;
    const int i = (z * h + y) * w + x;
    out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - w * h] + in[i + w * h] - 6 * in[i]);
}
KERNEL seven__columns(float *out, const float *in, int w, int h, int d) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    float below = in[y * w + x], here = in[(h + y) * w + x];
    for (int z = 1; z < d - 1; z++) {
        const int i = (z * h + y) * w + x;
        const float above = in[i + w * h];
        out[i] = here + 0.1f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + below + above - 6 * here);
        below = here, here = above;
    }
}

template <int R, int PER> __device__ __forceinline__ void convolve(float *out, const float *in, const float *weights, int w, int h) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * PER, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x + PER + R > w || y + R > h) return;
    float total[PER] = {};
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
        for (int s = 0; s < R; s++)
            for (int p = 0; p < PER; p++) total[p] += in[(y + r) * w + x + s + p] * weights[r * R + s];
    for (int p = 0; p < PER; p++) out[y * w + x + p] = total[p];
}
KERNEL convolve__r3p1(float *o, const float *i, const float *k, int w, int h) { convolve<3, 1>(o, i, k, w, h); }
KERNEL convolve__r5p1(float *o, const float *i, const float *k, int w, int h) { convolve<5, 1>(o, i, k, w, h); }
KERNEL convolve__r5p4(float *o, const float *i, const float *k, int w, int h) { convolve<5, 4>(o, i, k, w, h); }

KERNEL pool__plain(float *out, const float *in, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w / 2 || y >= h / 2) return;
    const float *p = in + 2 * y * w + 2 * x;
    out[y * (w / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1]));
}
KERNEL pool__pairs(float *out, const float2 *in, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w / 2 || y >= h / 2) return;
    const float2 a = in[2 * y * (w / 2) + x], b = in[(2 * y + 1) * (w / 2) + x];
    out[y * (w / 2) + x] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}

/* ---- order: scans, sorts, counts ---- */

template <int PER> __device__ __forceinline__ void scan(float *out, const float *in) {
    __shared__ float room[8];
    const size_t base = (size_t)blockIdx.x * 256 * PER + threadIdx.x * PER;
    float v[PER], sum = 0;
    for (int k = 0; k < PER; k++) v[k] = sum += in[base + k];
    float before = sum;
    for (int k = 1; k < 32; k *= 2) {
        const float other = __shfl_up_sync(~0u, before, k);
        if (threadIdx.x % 32 >= k) before += other;
    }
    if (threadIdx.x % 32 == 31) room[threadIdx.x / 32] = before;
    __syncthreads();
    before -= sum;
    for (int k = 0; k < threadIdx.x / 32; k++) before += room[k];
    for (int k = 0; k < PER; k++) out[base + k] = v[k] + before;
}
KERNEL scan__1(float *out, const float *in) { scan<1>(out, in); }
KERNEL scan__4(float *out, const float *in) { scan<4>(out, in); }
KERNEL scan__16(float *out, const float *in) { scan<16>(out, in); }

template <int N> __device__ __forceinline__ void sort(float *data) {
    __shared__ float s[N];
    for (int i = threadIdx.x; i < N; i += blockDim.x) s[i] = data[(size_t)blockIdx.x * N + i];
    for (int size = 2; size <= N; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < N / 2; i += blockDim.x) {
                const int a = 2 * i - (i & (step - 1)), b = a + step;
                const bool up = !(a & size);
                if ((s[a] > s[b]) == up) {
                    const float t = s[a];
                    s[a] = s[b], s[b] = t;
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) data[(size_t)blockIdx.x * N + i] = s[i];
}
KERNEL sort__256(float *data) { sort<256>(data); }
KERNEL sort__2048(float *data) { sort<2048>(data); }

KERNEL histogram__global(unsigned *bins, const unsigned *in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(bins + in[i] % 256, 1);
}
template <int COPIES> __device__ __forceinline__ void histogram(unsigned *bins, const unsigned *in, int n) {
    __shared__ unsigned s[COPIES][257];
    for (int i = threadIdx.x; i < COPIES * 257; i += blockDim.x) (&s[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[threadIdx.x % COPIES][in[i] % 256], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += s[c][b];
        atomicAdd(bins + b, sum);
    }
}
KERNEL histogram__1(unsigned *bins, const unsigned *in, int n) { histogram<1>(bins, in, n); }
KERNEL histogram__8(unsigned *bins, const unsigned *in, int n) { histogram<8>(bins, in, n); }

KERNEL compact__lanes(unsigned *out, unsigned *count, const unsigned *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] & 1) out[atomicAdd(count, 1)] = in[i];
}
KERNEL compact__warps(unsigned *out, unsigned *count, const unsigned *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const bool take = i < n && in[i] & 1;
    const unsigned mask = __ballot_sync(~0u, take);
    unsigned at = 0;
    if (lane == 0) at = atomicAdd(count, __popc(mask));
    at = __shfl_sync(~0u, at, 0);
    if (take) out[at + __popc(mask & ((1u << lane) - 1))] = in[i];
}

/* The K largest of a row of 1,024 numbers, by a warp that removes the largest one K times. */
template <int K> __device__ __forceinline__ void largest(float *out, const float *in, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float v[32];
    for (int k = 0; k < 32; k++) v[k] = in[row * 1024 + k * 32 + lane];
    for (int r = 0; r < K; r++) {
        float mine = v[0];
        for (int k = 1; k < 32; k++) mine = fmaxf(mine, v[k]);
        const float most = most_of_warp(mine);
        if (lane == 0) out[row * K + r] = most;
        for (int k = 0; k < 32; k++) v[k] = v[k] == most ? -INFINITY : v[k];
    }
}
KERNEL largest__4(float *out, const float *in, int rows) { largest<4>(out, in, rows); }
KERNEL largest__16(float *out, const float *in, int rows) { largest<16>(out, in, rows); }

/* ---- gathers and searches ---- */

template <int W> __device__ __forceinline__ void gather(float *out, const float *table, const int *index, int rows, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, per = width / W, row = i / per;
    if (row >= rows) return;
    ((pack<W> *)out)[i] = ((const pack<W> *)table)[(size_t)index[row] * per + i % per];
}
KERNEL gather__w1(float *o, const float *t, const int *i, int r, int w) { gather<1>(o, t, i, r, w); }
KERNEL gather__w4(float *o, const float *t, const int *i, int r, int w) { gather<4>(o, t, i, r, w); }

KERNEL scatter__add(float *out, const float *in, const int *index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out + index[i], in[i]);
}
KERNEL scatter__store(float *out, const float *in, const int *index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = in[i];
}

KERNEL search__halves(int *out, const int *sorted, const int *keys, int n, int m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < keys[i]) low = middle + 1;
        else high = middle;
    }
    out[i] = low;
}
KERNEL search__strides(int *out, const int *sorted, const int *keys, int n, int m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int low = 0;
    for (int step = n / 2; step; step /= 2)
        if (sorted[low + step - 1] < keys[i]) low += step;
    out[i] = low;
}

KERNEL chase__1(int *out, const int *next, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int me = i;
    for (int r = 0; r < rounds; r++) i = next[i % n];
    out[me] = i;
}
KERNEL chase__2(int *out, const int *next, int n, int rounds) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    int i = me, j = me + n / 2;
    for (int r = 0; r < rounds; r++) i = next[i % n], j = next[j % n];
    out[me] = i + j;
}

/* ---- arithmetic ---- */

template <int U> __device__ __forceinline__ void bodies(float4 *out, const float4 *in, int n) {
    __shared__ float4 tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 me = in[i];
    float3 a = {0, 0, 0};
    for (int at = 0; at < n; at += 128) {
        tile[threadIdx.x] = in[at + threadIdx.x];
        __syncthreads();
#pragma unroll U
        for (int j = 0; j < 128; j++) {
            const float4 o = tile[j];
            const float x = o.x - me.x, y = o.y - me.y, z = o.z - me.z;
            const float r = rsqrtf(x * x + y * y + z * z + 0.01f), s = o.w * r * r * r;
            a.x += x * s, a.y += y * s, a.z += z * s;
        }
        __syncthreads();
    }
    out[i] = make_float4(a.x, a.y, a.z, 0);
}
KERNEL bodies__u1(float4 *out, const float4 *in, int n) { bodies<1>(out, in, n); }
KERNEL bodies__u8(float4 *out, const float4 *in, int n) { bodies<8>(out, in, n); }

KERNEL fractal__32(int *out, int w, int h, int most) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float a = 3.f * x / w - 2, b = 2.f * y / h - 1;
    float u = 0, v = 0;
    int k = 0;
    for (; k < most && u * u + v * v < 4; k++) {
        const float t = u * u - v * v + a;
        v = 2 * u * v + b, u = t;
    }
    out[y * w + x] = k;
}
KERNEL fractal__64(int *out, int w, int h, int most) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const double a = 3. * x / w - 2, b = 2. * y / h - 1;
    double u = 0, v = 0;
    int k = 0;
    for (; k < most && u * u + v * v < 4; k++) {
        const double t = u * u - v * v + a;
        v = 2 * u * v + b, u = t;
    }
    out[y * w + x] = k;
}

KERNEL random__hash(unsigned *out, int rounds) {
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x, hits = 0;
    for (int r = 0; r < rounds; r++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        const float x = (s & 0xffff) / 65536.f, y = (s >> 16) / 65536.f;
        hits += x * x + y * y < 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = hits;
}

/* Copies through shared memory: registers, or asynchronous copies of two or four stages. */
template <int STAGES> __device__ __forceinline__ void staged(float *out, const float *in, int tiles) {
    __shared__ float4 room[STAGES][256];
    const int t = threadIdx.x, step = gridDim.x;
    for (int s = 0; s < STAGES - 1; s++) {
        const int tile = blockIdx.x + s * step;
        if (tile < tiles) __pipeline_memcpy_async(&room[s][t], (const float4 *)in + tile * 256 + t, 16);
        __pipeline_commit();
    }
    for (int tile = blockIdx.x, s = 0; tile < tiles; tile += step, s = (s + 1) % STAGES) {
        const int ahead = tile + (STAGES - 1) * step;
        if (ahead < tiles) __pipeline_memcpy_async(&room[(s + STAGES - 1) % STAGES][t], (const float4 *)in + ahead * 256 + t, 16);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        const float4 a = room[s][t ^ 1];
        ((float4 *)out)[tile * 256 + t] = make_float4(a.x * 2, a.y * 2, a.z * 2, a.w * 2);
        __syncthreads();
    }
}
KERNEL staged__2(float *out, const float *in, int tiles) { staged<2>(out, in, tiles); }
KERNEL staged__4(float *out, const float *in, int tiles) { staged<4>(out, in, tiles); }
KERNEL staged__registers(float *out, const float *in, int tiles) {
    __shared__ float4 room[256];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        room[threadIdx.x] = ((const float4 *)in)[tile * 256 + threadIdx.x];
        __syncthreads();
        const float4 a = room[threadIdx.x ^ 1];
        ((float4 *)out)[tile * 256 + threadIdx.x] = make_float4(a.x * 2, a.y * 2, a.z * 2, a.w * 2);
        __syncthreads();
    }
}
