// Layers, tables and texts for the third set that judges the model, in variants: NAME__VARIANT is one of several kernels that do the same.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

/* ---- layers ---- */

// Groups of channels, each of `size` numbers in a row: mean and variance, then the numbers scaled. A block has a group.
template <class T> __device__ __forceinline__ T of_block(T v, T *room) {
    for (int k = 16; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
    __syncthreads();
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < blockDim.x / 32 ? room[threadIdx.x % 32] : 0;
    for (int k = 16; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
    return v;
}

KERNEL group_norm__twice(float *y, const float *x, const float *weight, int size, int plane, int channels) {
    __shared__ float room[32];
    const float *p = x + (size_t)blockIdx.x * size;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x) s += p[i];
    const float mean = of_block(s, room) / size;
    for (int i = threadIdx.x; i < size; i += blockDim.x) q += (p[i] - mean) * (p[i] - mean);
    const float scale = rsqrtf(of_block(q, room) / size + 1e-5f);
    const int first = blockIdx.x * (size / plane) % channels;
    for (int i = threadIdx.x; i < size; i += blockDim.x) y[(size_t)blockIdx.x * size + i] = (p[i] - mean) * scale * weight[first + i / plane];
}

KERNEL group_norm__once(float *y, const float *x, const float *weight, int size, int plane, int channels) {
    __shared__ float room[32];
    const float *p = x + (size_t)blockIdx.x * size;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x) s += p[i], q += p[i] * p[i];
    const float mean = of_block(s, room) / size, scale = rsqrtf(of_block(q, room) / size - mean * mean + 1e-5f);
    const int first = blockIdx.x * (size / plane) % channels;
    for (int i = threadIdx.x; i < size; i += blockDim.x) y[(size_t)blockIdx.x * size + i] = (p[i] - mean) * scale * weight[first + i / plane];
}

KERNEL group_norm__fours(float *y, const float *x, const float *weight, int size, int plane, int channels) {
    __shared__ float room[32];
    const float4 *p = (const float4 *)x + (size_t)blockIdx.x * (size / 4);
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < size / 4; i += blockDim.x) {
        const float4 v = p[i];
        s += v.x + v.y + v.z + v.w, q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    const float mean = of_block(s, room) / size, scale = rsqrtf(of_block(q, room) / size - mean * mean + 1e-5f);
    const int first = blockIdx.x * (size / plane) % channels;
    for (int i = threadIdx.x; i < size / 4; i += blockDim.x) {
        const float4 v = p[i];
        const float w = scale * weight[first + 4 * i / plane];
        ((float4 *)y)[(size_t)blockIdx.x * (size / 4) + i] = make_float4((v.x - mean) * w, (v.y - mean) * w, (v.z - mean) * w, (v.w - mean) * w);
    }
}

// Scores with a bias that falls with the distance, and a mask: softmax of rows. A warp, a warp in one pass, or a block has a row.
KERNEL biased_scores__warp(float *y, const float *x, int columns, float slope) {
    const int row = THREAD / 32, lane = threadIdx.x % 32, last = row % columns;
    float m = -INFINITY, s = 0;
    for (int i = lane; i <= last; i += 32) m = fmaxf(m, x[row * columns + i] - slope * (last - i));
    for (int k = 16; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
    for (int i = lane; i <= last; i += 32) s += __expf(x[row * columns + i] - slope * (last - i) - m);
    for (int k = 16; k; k /= 2) s += __shfl_xor_sync(~0u, s, k);
    for (int i = lane; i < columns; i += 32) y[row * columns + i] = i <= last ? __expf(x[row * columns + i] - slope * (last - i) - m) / s : 0;
}

KERNEL biased_scores__joined(float *y, const float *x, int columns, float slope) {
    const int row = THREAD / 32, lane = threadIdx.x % 32, last = row % columns;
    float m = -1e30f, s = 0;
    for (int i = lane; i <= last; i += 32) {
        const float v = x[row * columns + i] - slope * (last - i), n = fmaxf(m, v);
        s = s * __expf(m - n) + __expf(v - n), m = n;
    }
    for (int k = 16; k; k /= 2) {
        const float n = __shfl_xor_sync(~0u, m, k), t = __shfl_xor_sync(~0u, s, k), o = fmaxf(m, n);
        s = s * __expf(m - o) + t * __expf(n - o), m = o;
    }
    for (int i = lane; i < columns; i += 32) y[row * columns + i] = i <= last ? __expf(x[row * columns + i] - slope * (last - i) - m) / s : 0;
}

KERNEL biased_scores__kept(float *y, const float *x, int columns, float slope) {
    extern __shared__ float kept[];
    __shared__ float room[32];
    const int row = blockIdx.x, last = row % columns;
    float s = 0;
    for (int i = threadIdx.x; i <= last; i += blockDim.x) s += kept[i] = __expf(x[row * columns + i] - slope * (last - i));
    const float scale = 1 / of_block(s, room);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) y[row * columns + i] = i <= last ? kept[i] * scale : 0;
}

// Dropout by Philox, and a sum with what came before.
__device__ __forceinline__ uint4 philox(uint32_t at, uint32_t seed) {
    uint4 c = make_uint4(at, 0, 7, 0);
    uint32_t k = seed, l = 0x1BD11BDA;
#pragma unroll
    for (int r = 0; r < 7; r++) {
        const uint32_t h = __umulhi(0xD2511F53, c.x), i = __umulhi(0xCD9E8D57, c.z);
        c = make_uint4(i ^ c.y ^ k, 0xCD9E8D57 * c.z, h ^ c.w ^ l, 0xD2511F53 * c.x);
        k += 0x9E3779B9, l += 0xBB67AE85;
    }
    return c;
}

KERNEL drop_add__each(half *y, const half *x, const half *before, int n, uint32_t seed) {
    const int i = THREAD;
    if (i >= n) return;
    const uint4 r = philox(i / 4, seed);
    const uint32_t v = i % 4 == 0 ? r.x : i % 4 == 1 ? r.y : i % 4 == 2 ? r.z : r.w;
    y[i] = __float2half(__half2float(before[i]) + (v > 0x1999999A ? __half2float(x[i]) * 1.1111112f : 0));
}

KERNEL drop_add__fours(half *y, const half *x, const half *before, int n, uint32_t seed) {
    const int i = THREAD;
    if (4 * i >= n) return;
    const uint4 r = philox(i, seed);
    const uint2 a = ((const uint2 *)x)[i], b = ((const uint2 *)before)[i];
    const float2 p = __half22float2(*(const half2 *)&a.x), q = __half22float2(*(const half2 *)&a.y), s = __half22float2(*(const half2 *)&b.x), t = __half22float2(*(const half2 *)&b.y);
    const half2 u = __floats2half2_rn(s.x + (r.x > 0x1999999A ? p.x * 1.1111112f : 0), s.y + (r.y > 0x1999999A ? p.y * 1.1111112f : 0));
    const half2 v = __floats2half2_rn(t.x + (r.z > 0x1999999A ? q.x * 1.1111112f : 0), t.y + (r.w > 0x1999999A ? q.y * 1.1111112f : 0));
    ((uint2 *)y)[i] = make_uint2(*(const uint32_t *)&u, *(const uint32_t *)&v);
}

KERNEL drop_add__halves(half *y, const half *x, const half *before, int n, uint32_t seed) {
    for (int i = THREAD; 4 * i < n; i += gridDim.x * blockDim.x) {
        const uint4 r = philox(i, seed);
        const half2 scale = __float2half2_rn(1.1111112f), none = __float2half2_rn(0);
        const half2 *a = (const half2 *)x + 2 * i, *b = (const half2 *)before + 2 * i;
        const half2 u = __hfma2(a[0], scale, none), v = __hfma2(a[1], scale, none);
        ((half2 *)y)[2 * i] = __hadd2(b[0], __halves2half2(r.x > 0x1999999A ? __low2half(u) : __low2half(none), r.y > 0x1999999A ? __high2half(u) : __high2half(none)));
        ((half2 *)y)[2 * i + 1] = __hadd2(b[1], __halves2half2(r.z > 0x1999999A ? __low2half(v) : __low2half(none), r.w > 0x1999999A ? __high2half(v) : __high2half(none)));
    }
}

// Whole sums of a product of bytes become halves: scales of rows and columns, a bias, and no negative numbers.
KERNEL rescale__each(half *y, const int *sum, const float *row_scale, const float *column_scale, const float *bias, int rows, int columns) {
    const int j = THREAD, i = blockIdx.y;
    if (j < columns) y[i * columns + j] = __float2half(fmaxf((float)sum[i * columns + j] * row_scale[i] * column_scale[j] + bias[j], 0));
}

KERNEL rescale__fours(half *y, const int *sum, const float *row_scale, const float *column_scale, const float *bias, int rows, int columns) {
    const int j = THREAD, i = blockIdx.y;
    if (4 * j >= columns) return;
    const int4 v = ((const int4 *)sum)[i * columns / 4 + j];
    const float4 s = ((const float4 *)column_scale)[j], b = ((const float4 *)bias)[j];
    const float r = row_scale[i];
    half2 *o = (half2 *)y + (i * columns + 4 * j) / 2;
    o[0] = __floats2half2_rn(fmaxf(v.x * r * s.x + b.x, 0), fmaxf(v.y * r * s.y + b.y, 0));
    o[1] = __floats2half2_rn(fmaxf(v.z * r * s.z + b.z, 0), fmaxf(v.w * r * s.w + b.w, 0));
}

KERNEL rescale__columns(half *y, const int *sum, const float *row_scale, const float *column_scale, const float *bias, int rows, int columns) {
    const int j = THREAD;
    if (j >= columns) return;
    const float s = column_scale[j], b = bias[j];
    for (int i = blockIdx.y * 8; i < blockIdx.y * 8 + 8; i++) y[i * columns + j] = __float2half(fmaxf((float)sum[i * columns + j] * row_scale[i] * s + b, 0));
}

// Tokens find their places among those of their expert: counts of a block, then places.
KERNEL slots__global(int *count, int *slot, const int *expert, int n) {
    const int i = THREAD;
    if (i < n) slot[i] = atomicAdd(&count[expert[i] & 63], 1);
}

KERNEL slots__shared(int *count, int *slot, const int *expert, int n) {
    __shared__ int mine[64], base[64];
    const int i = THREAD, t = threadIdx.x;
    if (t < 64) mine[t] = 0;
    __syncthreads();
    const int e = expert[i] & 63, at = atomicAdd(&mine[e], 1);
    __syncthreads();
    if (t < 64) base[t] = atomicAdd(&count[t], mine[t]);
    __syncthreads();
    if (i < n) slot[i] = base[e] + at;
}

KERNEL slots__match(int *count, int *slot, const int *expert, int n) {
    const int i = THREAD, lane = threadIdx.x % 32;
    const int e = expert[i] & 63;
    const uint32_t same = __match_any_sync(~0u, e);
    const int leader = __ffs(same) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(&count[e], __popc(same));
    base = __shfl_sync(~0u, base, leader);
    if (i < n) slot[i] = base + __popc(same & ((1u << lane) - 1));
}

// Rows of other lengths, which begin at `first`: the largest of each.
KERNEL ragged_max__thread(float *y, const float *x, const int *first, int rows) {
    const int i = THREAD;
    if (i >= rows) return;
    const int from = i * 24 + (first[i] & 7), to = (i + 1) * 24 + (first[i + 1] & 7);
    float m = -INFINITY;
    for (int k = from; k < to; k++) m = fmaxf(m, x[k]);
    y[i] = m;
}

KERNEL ragged_max__eights(float *y, const float *x, const int *first, int rows) {
    const int i = THREAD / 8, lane = threadIdx.x % 8;
    if (i >= rows) return;
    const int from = i * 24 + (first[i] & 7), to = (i + 1) * 24 + (first[i + 1] & 7);
    float m = -INFINITY;
    for (int k = from + lane; k < to; k += 8) m = fmaxf(m, x[k]);
    for (int k = 4; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
    if (lane == 0) y[i] = m;
}

KERNEL ragged_max__warp(float *y, const float *x, const int *first, int rows) {
    const int i = THREAD / 32, lane = threadIdx.x % 32;
    if (i >= rows) return;
    const int from = i * 24 + (first[i] & 7), to = (i + 1) * 24 + (first[i + 1] & 7);
    float m = from + lane < to ? x[from + lane] : -INFINITY;
    for (int k = 16; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
    if (lane == 0) y[i] = m;
}

// A dense layer by m16n8k16: tiles of 64 x 64, four warps of 32 x 32, a bias, and no negative numbers.
__device__ __forceinline__ void mma(float *d, const uint32_t *a, uint32_t b, uint32_t c) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(c));
}

__device__ __forceinline__ void ldmatrix4(uint32_t *r, const half *p) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}

__device__ __forceinline__ void tile_product(float s[2][4][4], const half *a, const half *b, int row, int column, int lane) {
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
        uint32_t u[2][4], v[2][4];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            ldmatrix4(u[i], a + (row + i * 16 + lane % 16) * 40 + k + lane / 16 * 8);
            ldmatrix4(v[i], b + (column + i * 16 + lane % 16) * 40 + k + lane / 16 * 8);
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) mma(s[i][j], u[i], v[j / 2][j % 2], v[j / 2][j % 2 + 2]);
    }
}

__device__ __forceinline__ void dense_out(half *y, const float *bias, float s[2][4][4], int n, int row, int column, int lane) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int r = row + i * 16 + lane / 4, c = column + j * 8 + lane % 4 * 2;
            *(half2 *)(y + r * n + c) = __floats2half2_rn(fmaxf(s[i][j][0] + bias[c], 0), fmaxf(s[i][j][1] + bias[c + 1], 0));
            *(half2 *)(y + (r + 8) * n + c) = __floats2half2_rn(fmaxf(s[i][j][2] + bias[c], 0), fmaxf(s[i][j][3] + bias[c + 1], 0));
        }
}

KERNEL dense__direct(half *y, const half *a, const half *b, const float *bias, int m, int n, int k) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.y * 64 + warp / 2 * 32, column = blockIdx.x * 64 + warp % 2 * 32;
    float s[2][4][4] = {};
    for (int p = 0; p < k; p += 16) {
        uint32_t u[2][4];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int q = 0; q < 4; q++) u[i][q] = *(const uint32_t *)(a + (row + i * 16 + q % 2 * 8 + lane / 4) * k + p + q / 2 * 8 + lane % 4 * 2);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const half *c = b + (column + j * 8 + lane / 4) * k + p + lane % 4 * 2;
            for (int i = 0; i < 2; i++) mma(s[i][j], u[i], *(const uint32_t *)c, *(const uint32_t *)(c + 8));
        }
    }
    dense_out(y, bias, s, n, row, column, lane);
}

KERNEL dense__staged(half *y, const half *a, const half *b, const float *bias, int m, int n, int k) {
    __shared__ __align__(16) half ta[64 * 40], tb[64 * 40];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float s[2][4][4] = {};
    for (int p = 0; p < k; p += 32) {
        for (int e = t; e < 256; e += 128) {
            *(uint4 *)(ta + e / 4 * 40 + e % 4 * 8) = *(const uint4 *)(a + (blockIdx.y * 64 + e / 4) * k + p + e % 4 * 8);
            *(uint4 *)(tb + e / 4 * 40 + e % 4 * 8) = *(const uint4 *)(b + (blockIdx.x * 64 + e / 4) * k + p + e % 4 * 8);
        }
        __syncthreads();
        tile_product(s, ta, tb, warp / 2 * 32, warp % 2 * 32, lane);
        __syncthreads();
    }
    dense_out(y, bias, s, n, blockIdx.y * 64 + warp / 2 * 32, blockIdx.x * 64 + warp % 2 * 32, lane);
}

template <int STAGES> __device__ __forceinline__ void dense_pipeline(half *y, const half *a, const half *b, const float *bias, int n, int k) {
    __shared__ __align__(16) half room[STAGES][2][64 * 40];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float s[2][4][4] = {};
    const auto ask = [&](int p) {
        if (p < k)
            for (int e = t; e < 256; e += 128) {
                __pipeline_memcpy_async(room[p / 32 % STAGES][0] + e / 4 * 40 + e % 4 * 8, a + (blockIdx.y * 64 + e / 4) * k + p + e % 4 * 8, 16);
                __pipeline_memcpy_async(room[p / 32 % STAGES][1] + e / 4 * 40 + e % 4 * 8, b + (blockIdx.x * 64 + e / 4) * k + p + e % 4 * 8, 16);
            }
        __pipeline_commit();
    };
    for (int q = 0; q < STAGES - 1; q++) ask(q * 32);
    for (int p = 0; p < k; p += 32) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        ask(p + (STAGES - 1) * 32);
        tile_product(s, room[p / 32 % STAGES][0], room[p / 32 % STAGES][1], warp / 2 * 32, warp % 2 * 32, lane);
    }
    dense_out(y, bias, s, n, blockIdx.y * 64 + warp / 2 * 32, blockIdx.x * 64 + warp % 2 * 32, lane);
}
KERNEL dense__two(half *y, const half *a, const half *b, const float *bias, int m, int n, int k) { dense_pipeline<2>(y, a, b, bias, n, k); }
KERNEL dense__three(half *y, const half *a, const half *b, const float *bias, int m, int n, int k) { dense_pipeline<3>(y, a, b, bias, n, k); }
KERNEL dense__four(half *y, const half *a, const half *b, const float *bias, int m, int n, int k) { dense_pipeline<4>(y, a, b, bias, n, k); }

// A sound's layer: two taps far apart for each of 32 channels.
KERNEL dilated__each(float *y, const float *x, const float *w, int n, int apart) {
    const int t = THREAD, c = blockIdx.y;
    if (t >= n) return;
    float s = 0;
    for (int k = 0; k < 32; k++) s += w[(c * 32 + k) * 2] * (t >= apart ? x[k * n + t - apart] : 0) + w[(c * 32 + k) * 2 + 1] * x[k * n + t];
    y[c * n + t] = tanhf(s);
}

KERNEL dilated__eight(float *y, const float *x, const float *w, int n, int apart) {
    const int t = THREAD, c = blockIdx.y * 8;
    if (t >= n) return;
    float s[8] = {};
#pragma unroll 4
    for (int k = 0; k < 32; k++) {
        const float a = t >= apart ? x[k * n + t - apart] : 0, b = x[k * n + t];
#pragma unroll
        for (int i = 0; i < 8; i++) s[i] += w[((c + i) * 32 + k) * 2] * a + w[((c + i) * 32 + k) * 2 + 1] * b;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) y[(c + i) * n + t] = tanhf(s[i]);
}

KERNEL dilated__weights(float *y, const float *x, const float *w, int n, int apart) {
    __shared__ float2 kept[32][8];
    const int t = THREAD, c = blockIdx.y * 8;
    for (int e = threadIdx.x; e < 256; e += blockDim.x) kept[e % 32][e / 32] = ((const float2 *)w)[(c + e / 32) * 32 + e % 32];
    __syncthreads();
    if (t >= n) return;
    float s[8] = {};
    for (int k = 0; k < 32; k++) {
        const float a = t >= apart ? x[k * n + t - apart] : 0, b = x[k * n + t];
#pragma unroll
        for (int i = 0; i < 8; i++) s[i] += kept[k][i].x * a + kept[k][i].y * b;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) y[(c + i) * n + t] = tanhf(s[i]);
}

// A polynomial of degree 12 in pairs of halves.
KERNEL half_series__two(half2 *y, const half2 *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const half2 v = x[i];
    half2 s = __float2half2_rn(0.25f);
#pragma unroll
    for (int k = 1; k <= 12; k++) s = __hfma2(s, v, __float2half2_rn(1.0f / k));
    y[i] = s;
}

KERNEL half_series__eight(half2 *y, const half2 *x, int n) {
    const int i = THREAD;
    if (4 * i >= n) return;
    uint4 q = ((const uint4 *)x)[i];
    half2 *v = (half2 *)&q;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        half2 s = __float2half2_rn(0.25f);
#pragma unroll
        for (int k = 1; k <= 12; k++) s = __hfma2(s, v[j], __float2half2_rn(1.0f / k));
        v[j] = s;
    }
    ((uint4 *)y)[i] = q;
}

KERNEL half_series__floats(half2 *y, const half2 *x, int n) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const float2 v = __half22float2(x[i]);
        float a = 0.25f, b = 0.25f;
#pragma unroll
        for (int k = 1; k <= 12; k++) a = a * v.x + 1.0f / k, b = b * v.y + 1.0f / k;
        y[i] = __floats2half2_rn(a, b);
    }
}

// Rows through shared memory by the copy engine: scaled, and written back. STAGES rows are on their way.
__device__ __forceinline__ uint32_t shared_at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

template <int STAGES> __device__ __forceinline__ void bulk_rows(float *y, const float *x, int rows) {
    __shared__ __align__(128) float room[STAGES][1024];
    __shared__ __align__(8) uint64_t full[STAGES];
    const int t = threadIdx.x, step = gridDim.x;
    if (t == 0)
        for (int k = 0; k < STAGES; k++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_at(&full[k])));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const auto ask = [&](int row, int k) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4096;" ::"r"(shared_at(&full[k])) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(shared_at(room[k])), "l"(x + (size_t)row * 1024), "r"(shared_at(&full[k])) : "memory");
    };
    if (t == 0)
        for (int k = 0; k < STAGES; k++)
            if (blockIdx.x + k * step < rows) ask(blockIdx.x + k * step, k);
    int k = 0, phase = 0;
    for (int row = blockIdx.x; row < rows; row += step) {
        uint32_t done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared_at(&full[k])), "r"(phase) : "memory");
        const float4 v = ((const float4 *)room[k])[t];
        ((float4 *)y)[(size_t)row * 256 + t] = make_float4(v.x * 1.5f + 1, v.y * 1.5f + 1, v.z * 1.5f + 1, v.w * 1.5f + 1);
        __syncthreads();
        if (t == 0 && row + STAGES * step < rows) {
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            ask(row + STAGES * step, k);
        }
        if (++k == STAGES) k = 0, phase ^= 1;
    }
}
KERNEL bulk_rows__one(float *y, const float *x, int rows) { bulk_rows<1>(y, x, rows); }
KERNEL bulk_rows__two(float *y, const float *x, int rows) { bulk_rows<2>(y, x, rows); }
KERNEL bulk_rows__six(float *y, const float *x, int rows) { bulk_rows<6>(y, x, rows); }

/* ---- tables, codes and texts ---- */

// Rounds of a cipher by tables: one table whose words are rotated, four tables, or copies for the lanes.
KERNEL tables__one(uint4 *y, const uint4 *x, const uint32_t *table, int n) {
    __shared__ uint32_t t[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = table[k];
    __syncthreads();
    const int i = THREAD;
    if (i >= n) return;
    uint4 v = x[i];
#define ONE(a, b, c, d) (t[a & 255] ^ __funnelshift_l(t[b >> 8 & 255], t[b >> 8 & 255], 8) ^ __funnelshift_l(t[c >> 16 & 255], t[c >> 16 & 255], 16) ^ __funnelshift_l(t[d >> 24], t[d >> 24], 24))
#pragma unroll 2
    for (int r = 0; r < 10; r++)
        v = make_uint4(ONE(v.x, v.y, v.z, v.w) ^ r, ONE(v.y, v.z, v.w, v.x) ^ 3 * r, ONE(v.z, v.w, v.x, v.y) ^ 5 * r, ONE(v.w, v.x, v.y, v.z) ^ 7 * r);
    y[i] = v;
}

KERNEL tables__four(uint4 *y, const uint4 *x, const uint32_t *table, int n) {
    __shared__ uint32_t t[4][256];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) t[k / 256][k % 256] = __funnelshift_l(table[k % 256], table[k % 256], k / 256 * 8);
    __syncthreads();
    const int i = THREAD;
    if (i >= n) return;
    uint4 v = x[i];
#define FOUR(a, b, c, d) (t[0][a & 255] ^ t[1][b >> 8 & 255] ^ t[2][c >> 16 & 255] ^ t[3][d >> 24])
#pragma unroll 2
    for (int r = 0; r < 10; r++)
        v = make_uint4(FOUR(v.x, v.y, v.z, v.w) ^ r, FOUR(v.y, v.z, v.w, v.x) ^ 3 * r, FOUR(v.z, v.w, v.x, v.y) ^ 5 * r, FOUR(v.w, v.x, v.y, v.z) ^ 7 * r);
    y[i] = v;
}

KERNEL tables__global(uint4 *y, const uint4 *x, const uint32_t *t, int n) {
    const int i = THREAD;
    if (i >= n) return;
    uint4 v = x[i];
#pragma unroll 2
    for (int r = 0; r < 10; r++)
        v = make_uint4(ONE(v.x, v.y, v.z, v.w) ^ r, ONE(v.y, v.z, v.w, v.x) ^ 3 * r, ONE(v.z, v.w, v.x, v.y) ^ 5 * r, ONE(v.w, v.x, v.y, v.z) ^ 7 * r);
    y[i] = v;
}

KERNEL tables__copies(uint4 *y, const uint4 *x, const uint32_t *table, int n) {
    __shared__ uint32_t room[256 * 16];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) room[k] = table[k / 16];
    __syncthreads();
    const int i = THREAD;
    if (i >= n) return;
    const uint32_t *t = room + threadIdx.x % 16;
    uint4 v = x[i];
#define COPY(a) t[(a) * 16]
#define MANY(a, b, c, d) (COPY(a & 255) ^ __funnelshift_l(COPY(b >> 8 & 255), COPY(b >> 8 & 255), 8) ^ __funnelshift_l(COPY(c >> 16 & 255), COPY(c >> 16 & 255), 16) ^ __funnelshift_l(COPY(d >> 24), COPY(d >> 24), 24))
#pragma unroll 2
    for (int r = 0; r < 10; r++)
        v = make_uint4(MANY(v.x, v.y, v.z, v.w) ^ r, MANY(v.y, v.z, v.w, v.x) ^ 3 * r, MANY(v.z, v.w, v.x, v.y) ^ 5 * r, MANY(v.w, v.x, v.y, v.z) ^ 7 * r);
    y[i] = v;
}

// SHA-1 of blocks of 64 bytes: words in registers, in shared memory, or two messages by a thread.
template <bool SHARED, int BLOCKS> __device__ __forceinline__ void sha1(uint32_t *y, const uint32_t *x, int n, uint32_t (*room)[16]) {
    const int at = THREAD * BLOCKS;
    if (at >= n) return;
    uint32_t own[BLOCKS][16], h[BLOCKS][5];
#pragma unroll
    for (int m = 0; m < BLOCKS; m++) {
        uint32_t *w = SHARED ? room[threadIdx.x] : own[m];
#pragma unroll
        for (int k = 0; k < 16; k++) w[k] = x[k * n + at + m];
        h[m][0] = 0x67452301, h[m][1] = 0xEFCDAB89, h[m][2] = 0x98BADCFE, h[m][3] = 0x10325476, h[m][4] = 0xC3D2E1F0;
    }
#pragma unroll
    for (int r = 0; r < 80; r++)
#pragma unroll
        for (int m = 0; m < BLOCKS; m++) {
            uint32_t *w = SHARED ? room[threadIdx.x] : own[m], *s = h[m];
            if (r >= 16) {
                const uint32_t v = w[(r + 13) % 16] ^ w[(r + 8) % 16] ^ w[(r + 2) % 16] ^ w[r % 16];
                w[r % 16] = __funnelshift_l(v, v, 1);
            }
            const uint32_t f = r < 20 ? (s[1] & s[2]) | (~s[1] & s[3]) : r < 40 || r >= 60 ? s[1] ^ s[2] ^ s[3] : (s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3]);
            const uint32_t k = r < 20 ? 0x5A827999 : r < 40 ? 0x6ED9EBA1 : r < 60 ? 0x8F1BBCDC : 0xCA62C1D6;
            const uint32_t v = __funnelshift_l(s[0], s[0], 5) + f + s[4] + k + w[r % 16];
            s[4] = s[3], s[3] = s[2], s[2] = __funnelshift_l(s[1], s[1], 30), s[1] = s[0], s[0] = v;
        }
#pragma unroll
    for (int m = 0; m < BLOCKS; m++)
#pragma unroll
        for (int k = 0; k < 5; k++) y[k * n + at + m] = h[m][k];
}
KERNEL sha1__thread(uint32_t *y, const uint32_t *x, int n) { sha1<false, 1>(y, x, n, nullptr); }
KERNEL sha1__two(uint32_t *y, const uint32_t *x, int n) { sha1<false, 2>(y, x, n, nullptr); }
KERNEL sha1__shared(uint32_t *y, const uint32_t *x, int n) {
    __shared__ uint32_t room[128][16];
    sha1<true, 1>(y, x, n, room);
}

// An automaton of 64 states reads pieces of 128 bytes and counts where it accepts.
KERNEL automaton__global(int *y, const uint8_t *text, const int *next, int n) {
    const int i = THREAD;
    if (i >= n) return;
    int s = 0, found = 0;
    for (int k = 0; k < 128; k++) s = next[s * 32 + (text[i * 128 + k] & 31)] & 63, found += s == 63;
    y[i] = found;
}

KERNEL automaton__words(int *y, const uint8_t *text, const int *next, int n) {
    const int i = THREAD;
    if (i >= n) return;
    int s = 0, found = 0;
    for (int k = 0; k < 8; k++) {
        const uint4 v = ((const uint4 *)text)[i * 8 + k];
        const uint32_t w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 16; j++) s = next[s * 32 + (w[j / 4] >> j % 4 * 8 & 31)] & 63, found += s == 63;
    }
    y[i] = found;
}

KERNEL automaton__shared(int *y, const uint8_t *text, const int *next, int n) {
    __shared__ uint8_t table[64 * 32];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) table[k] = next[k] & 63;
    __syncthreads();
    const int i = THREAD;
    if (i >= n) return;
    int s = 0, found = 0;
    for (int k = 0; k < 8; k++) {
        const uint4 v = ((const uint4 *)text)[i * 8 + k];
        const uint32_t w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 16; j++) s = table[s * 32 + (w[j / 4] >> j % 4 * 8 & 31)], found += s == 63;
    }
    y[i] = found;
}

// How alike fingerprints of 1024 bits are: one is compared with many.
KERNEL alike__thread(float *y, const uint32_t *x, const uint32_t *one, int n) {
    const int i = THREAD;
    if (i >= n) return;
    int both = 0, either = 0;
    for (int k = 0; k < 32; k++) both += __popc(x[i * 32 + k] & one[k]), either += __popc(x[i * 32 + k] | one[k]);
    y[i] = (float)both / (float)max(either, 1);
}

KERNEL alike__fours(float *y, const uint32_t *x, const uint32_t *one, int n) {
    const int i = THREAD / 8, lane = threadIdx.x % 8;
    if (i >= n) return;
    const uint4 a = ((const uint4 *)x)[i * 8 + lane], b = ((const uint4 *)one)[lane];
    int both = __popc(a.x & b.x) + __popc(a.y & b.y) + __popc(a.z & b.z) + __popc(a.w & b.w);
    int either = __popc(a.x | b.x) + __popc(a.y | b.y) + __popc(a.z | b.z) + __popc(a.w | b.w);
    for (int k = 4; k; k /= 2) both += __shfl_xor_sync(~0u, both, k), either += __shfl_xor_sync(~0u, either, k);
    if (lane == 0) y[i] = (float)both / (float)max(either, 1);
}

KERNEL alike__warp(float *y, const uint32_t *x, const uint32_t *one, int n) {
    const int i = THREAD / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    const uint32_t a = x[i * 32 + lane], b = one[lane];
    const int both = __reduce_add_sync(~0u, __popc(a & b)), either = __reduce_add_sync(~0u, __popc(a | b));
    if (lane == 0) y[i] = __fdividef((float)both, (float)max(either, 1));
}

// A hash table of 2^19 keys is filled: linear steps, or buckets of four.
KERNEL fill__linear(uint32_t *table, int *steps, const uint32_t *key, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const uint32_t k = key[i] | 1;
    uint32_t at = k * 0x9E3779B1 >> 13;
    int tries = 1;
    for (;; tries++) {
        const uint32_t old = atomicCAS(&table[at], 0, k);
        if (old == 0 || old == k) break;
        at = (at + 1) & ((1 << 19) - 1);
    }
    if (tries > 8) atomicMax(steps, tries);
}

KERNEL fill__looks(uint32_t *table, int *steps, const uint32_t *key, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const uint32_t k = key[i] | 1;
    uint32_t at = k * 0x9E3779B1 >> 13;
    int tries = 1;
    for (;; tries++) {
        uint32_t old = *(volatile uint32_t *)&table[at];
        if (old == 0) old = atomicCAS(&table[at], 0, k);
        if (old == 0 || old == k) break;
        at = (at + 1) & ((1 << 19) - 1);
    }
    if (tries > 8) atomicMax(steps, tries);
}

// Counters that are more or less in demand: `mask` is how many there are, less one.
KERNEL demand__plain(int *count, const uint32_t *x, int n, uint32_t mask) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) atomicAdd(&count[x[i] & mask], 1);
}

KERNEL demand__match(int *count, const uint32_t *x, int n, uint32_t mask) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t b = x[i] & mask, same = __match_any_sync(__activemask(), b);
        if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&count[b], __popc(same));
    }
}

KERNEL demand__shared(int *count, const uint32_t *x, int n, uint32_t mask) {
    __shared__ int mine[1024];
    for (int k = threadIdx.x; k <= mask; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[x[i] & mask], 1);
    __syncthreads();
    for (int k = threadIdx.x; k <= mask; k += blockDim.x)
        if (mine[k]) atomicAdd(&count[k], mine[k]);
}
