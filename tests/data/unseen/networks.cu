// Kernels of networks, in variants, of other kinds than those of ../variants and ../blind. A kernel's name is what it does, two underscores, and its
// variant. launches.py has the launches.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

__device__ __forceinline__ float sum_of_lanes(float v, int lanes) {
    for (int k = lanes / 2; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
    return v;
}

/* ---- attention in a window ---- */

// Scores of each query with the 32 keys that end at it, 64 numbers a row: s[i][w] = q[i] * k[i - w].
KERNEL window_scores__plain(float *s, const float *q, const float *k, int length) {
    const int i = THREAD / 32, w = THREAD % 32;
    if (i >= length) return;
    float d = 0;
    if (i >= w)
        for (int c = 0; c < 64; c++) d += q[i * 64 + c] * k[(i - w) * 64 + c];
    s[i * 32 + w] = d;
}

KERNEL window_scores__fours(float *s, const float *q, const float *k, int length) {
    const int i = THREAD / 32, w = THREAD % 32;
    if (i >= length) return;
    float d = 0;
    if (i >= w)
        for (int c = 0; c < 16; c++) {
            const float4 a = ((const float4 *)q)[i * 16 + c], b = ((const float4 *)k)[(i - w) * 16 + c];
            d += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
    s[i * 32 + w] = d;
}

KERNEL window_scores__tile(float *s, const float *q, const float *k, int length) {
    __shared__ float keys[64 + 31][65];
    const int per = 64, base = blockIdx.x * per;
    for (int e = threadIdx.x; e < (per + 31) * 64; e += blockDim.x) {
        const int row = base - 31 + e / 64;
        keys[e / 64][e % 64] = row >= 0 && row < length ? k[row * 64 + e % 64] : 0;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < per * 32; e += blockDim.x) {
        const int i = base + e / 32, w = e % 32;
        if (i >= length) return;
        float d = 0;
        for (int c = 0; c < 64; c++) d += q[i * 64 + c] * keys[e / 32 + 31 - w][c];
        s[i * 32 + w] = d;
    }
}

/* ---- mixtures of experts ---- */

__device__ __forceinline__ void add(float &s, float w, float v) { s += w * v; }
__device__ __forceinline__ void add(float2 &s, float w, float2 v) { s.x += w * v.x, s.y += w * v.y; }
__device__ __forceinline__ void add(float4 &s, float w, float4 v) { s.x += w * v.x, s.y += w * v.y, s.z += w * v.z, s.w += w * v.w; }
// y[t] = the weighted sum of four rows of x, which `slot` names.
template <typename T> __device__ __forceinline__ void combine(T *y, const T *x, const float *weight, const int *slot, int tokens, int width) {
    const int i = THREAD, w = width * 4 / sizeof(T), t = i / w;
    if (t >= tokens) return;
    T s = {};
#pragma unroll
    for (int k = 0; k < 4; k++) add(s, weight[4 * t + k], x[(size_t)slot[4 * t + k] * w + i % w]);
    y[i] = s;
}
KERNEL combine__w1(float *y, const float *x, const float *weight, const int *slot, int tokens, int width) { combine(y, x, weight, slot, tokens, width); }
KERNEL combine__w2(float2 *y, const float2 *x, const float *weight, const int *slot, int tokens, int width) { combine(y, x, weight, slot, tokens, width); }
KERNEL combine__w4(float4 *y, const float4 *x, const float *weight, const int *slot, int tokens, int width) { combine(y, x, weight, slot, tokens, width); }

// The two largest of 64 logits and their shares.
__device__ __forceinline__ void put_route(float *share, int *expert, int row, float a, int ia, float b, int ib) {
    const float e = __expf(b - a);
    share[2 * row] = 1 / (1 + e), share[2 * row + 1] = e / (1 + e), expert[2 * row] = ia, expert[2 * row + 1] = ib;
}

KERNEL route__thread(float *share, int *expert, const float *x, int rows) {
    const int row = THREAD;
    if (row >= rows) return;
    float a = -3e38f, b = -3e38f;
    int ia = 0, ib = 0;
    for (int k = 0; k < 64; k++) {
        const float v = x[row * 64 + k];
        if (v > a)
            b = a, ib = ia, a = v, ia = k;
        else if (v > b)
            b = v, ib = k;
    }
    put_route(share, expert, row, a, ia, b, ib);
}

KERNEL route__warp(float *share, int *expert, const float *x, int rows) {
    const int row = THREAD / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float2 v = ((const float2 *)x)[row * 32 + lane];
    float a = fmaxf(v.x, v.y), b = fminf(v.x, v.y);
    int ia = 2 * lane + (v.y > v.x), ib = 2 * lane + (v.y <= v.x);
    for (int k = 16; k; k /= 2) {
        const float c = __shfl_xor_sync(~0u, a, k), d = __shfl_xor_sync(~0u, b, k);
        const int ic = __shfl_xor_sync(~0u, ia, k), id = __shfl_xor_sync(~0u, ib, k);
        if (c > a || (c == a && ic < ia)) {
            if (a > d) b = a, ib = ia; else b = d, ib = id;
            a = c, ia = ic;
        } else if (c > b)
            b = c, ib = ic;
    }
    if (lane == 0) put_route(share, expert, row, a, ia, b, ib);
}

KERNEL route__tile(float *share, int *expert, const float *x, int rows) {
    __shared__ float tile[64 * 65];
    const int base = blockIdx.x * 64;
    for (int e = threadIdx.x; e < 64 * 64; e += blockDim.x) tile[e / 64 * 65 + e % 64] = base + e / 64 < rows ? x[base * 64 + e] : 0;
    __syncthreads();
    const int row = base + threadIdx.x;
    if (threadIdx.x >= 64 || row >= rows) return;
    float a = -3e38f, b = -3e38f;
    int ia = 0, ib = 0;
    for (int k = 0; k < 64; k++) {
        const float v = tile[threadIdx.x * 65 + k];
        if (v > a)
            b = a, ib = ia, a = v, ia = k;
        else if (v > b)
            b = v, ib = k;
    }
    put_route(share, expert, row, a, ia, b, ib);
}

/* ---- matrices of few bits times a vector ---- */

// y = W x with signed bytes, `words` of four bytes in a row.
KERNEL matvec8__warp(int *y, const int *w, const int *x, int rows, int words) {
    const int row = THREAD / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int s = 0;
    for (int i = lane; i < words; i += 32) s = __dp4a(w[row * words + i], x[i], s);
    s = __reduce_add_sync(~0u, s);
    if (lane == 0) y[row] = s;
}

KERNEL matvec8__fours(int *y, const int *w, const int *x, int rows, int words) {
    const int row = THREAD / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int s = 0;
    for (int i = lane; i < words / 4; i += 32) {
        const int4 a = ((const int4 *)w)[row * words / 4 + i], b = ((const int4 *)x)[i];
        s = __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, s))));
    }
    s = __reduce_add_sync(~0u, s);
    if (lane == 0) y[row] = s;
}

KERNEL matvec8__rows4(int *y, const int *w, const int *x, int rows, int words) {
    const int row = THREAD / 32 * 4, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int s[4] = {};
    for (int i = lane; i < words / 4; i += 32) {
        const int4 b = ((const int4 *)x)[i];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const int4 a = ((const int4 *)w)[(row + r) * words / 4 + i];
            s[r] = __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, s[r]))));
        }
    }
    for (int r = 0; r < 4; r++) s[r] = __reduce_add_sync(~0u, s[r]);
    if (lane < 4) y[row + lane] = lane == 0 ? s[0] : lane == 1 ? s[1] : lane == 2 ? s[2] : s[3];
}

// y = W x with four bits a number, eight in a word, and a scale for each 32.
__device__ __forceinline__ float eight(uint32_t q, const float *x) {
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) s += ((int)(q >> 4 * k & 15) - 8) * x[k];
    return s;
}

KERNEL matvec4__global(float *y, const uint32_t *q, const float *scale, const float *x, int rows, int columns) {
    const int row = THREAD / 32, lane = threadIdx.x % 32, words = columns / 8;
    if (row >= rows) return;
    float s = 0;
    for (int i = lane; i < words; i += 32) s += eight(q[row * words + i], x + 8 * i) * scale[row * words / 4 + i / 4];
    s = sum_of_lanes(s, 32);
    if (lane == 0) y[row] = s;
}

KERNEL matvec4__shared(float *y, const uint32_t *q, const float *scale, const float *x, int rows, int columns) {
    extern __shared__ float room[];
    const int row = THREAD / 32, lane = threadIdx.x % 32, words = columns / 8;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) room[i + i / 8] = x[i];
    __syncthreads();
    if (row >= rows) return;
    float s = 0;
    for (int i = lane; i < words; i += 32) s += eight(q[row * words + i], room + 9 * i) * scale[row * words / 4 + i / 4];
    s = sum_of_lanes(s, 32);
    if (lane == 0) y[row] = s;
}

KERNEL matvec4__wide(float *y, const uint32_t *q, const float *scale, const float *x, int rows, int columns) {
    const int row = THREAD / 32, lane = threadIdx.x % 32, groups = columns / 32;
    if (row >= rows) return;
    float s = 0;
    for (int i = lane; i < groups; i += 32) {
        const uint4 w = ((const uint4 *)q)[row * groups + i];
        const float *p = x + 32 * i;
        s += (eight(w.x, p) + eight(w.y, p + 8) + eight(w.z, p + 16) + eight(w.w, p + 24)) * scale[row * groups + i];
    }
    s = sum_of_lanes(s, 32);
    if (lane == 0) y[row] = s;
}

/* ---- convolutions as products ---- */

// Winograd's transform of the input, F(2 x 2, 3 x 3): 16 planes of tiles.
__device__ __forceinline__ void winograd(float v[4][4]) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const float a = v[0][j], b = v[1][j], c = v[2][j], d = v[3][j];
        v[0][j] = a - c, v[1][j] = b + c, v[2][j] = c - b, v[3][j] = b - d;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float a = v[i][0], b = v[i][1], c = v[i][2], d = v[i][3];
        v[i][0] = a - c, v[i][1] = b + c, v[i][2] = c - b, v[i][3] = b - d;
    }
}

KERNEL winograd__planes(float *u, const float *x, int channels, int h, int w) {
    const int tw = w / 2 - 1, th = h / 2 - 1, i = THREAD, c = blockIdx.y;
    if (i >= tw * th) return;
    const float *p = x + ((size_t)c * h + i / tw * 2) * w + i % tw * 2;
    float v[4][4];
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4; k++) v[r][k] = p[r * w + k];
    winograd(v);
    for (int r = 0; r < 16; r++) u[((size_t)r * channels + c) * tw * th + i] = v[r / 4][r % 4];
}

KERNEL winograd__pairs(float *u, const float *x, int channels, int h, int w) {
    const int tw = w / 2 - 1, th = h / 2 - 1, i = THREAD, c = blockIdx.y;
    if (i >= tw * th) return;
    const float2 *p = (const float2 *)(x + ((size_t)c * h + i / tw * 2) * w + i % tw * 2);
    float v[4][4];
    for (int r = 0; r < 4; r++) {
        const float2 a = p[r * w / 2], b = p[r * w / 2 + 1];
        v[r][0] = a.x, v[r][1] = a.y, v[r][2] = b.x, v[r][3] = b.y;
    }
    winograd(v);
    for (int r = 0; r < 16; r++) u[((size_t)r * channels + c) * tw * th + i] = v[r / 4][r % 4];
}

KERNEL winograd__together(float *u, const float *x, int channels, int h, int w) {
    const int tw = w / 2 - 1, th = h / 2 - 1, i = THREAD, c = blockIdx.y;
    if (i >= tw * th) return;
    const float2 *p = (const float2 *)(x + ((size_t)c * h + i / tw * 2) * w + i % tw * 2);
    float v[4][4];
    for (int r = 0; r < 4; r++) {
        const float2 a = p[r * w / 2], b = p[r * w / 2 + 1];
        v[r][0] = a.x, v[r][1] = a.y, v[r][2] = b.x, v[r][3] = b.y;
    }
    winograd(v);
    float4 *out = (float4 *)u + ((size_t)c * tw * th + i) * 4;
    for (int r = 0; r < 4; r++) out[r] = make_float4(v[r][0], v[r][1], v[r][2], v[r][3]);
}

// The matrix of a 3 x 3 convolution's inputs: nine rows for each channel.
KERNEL columns_of__each(float *y, const float *x, int channels, int h, int w) {
    const int i = THREAD, n = h * w;
    if (i >= channels * 9 * n) return;
    const int p = i % n, r = i / n % 9, c = i / n / 9, a = p / w + r / 3 - 1, b = p % w + r % 3 - 1;
    y[i] = a >= 0 && a < h && b >= 0 && b < w ? x[c * n + a * w + b] : 0;
}

KERNEL columns_of__pixel(float *y, const float *x, int channels, int h, int w) {
    const int i = THREAD, n = h * w;
    if (i >= channels * n) return;
    const int c = i / n, p = i % n, u = p / w, v = p % w;
#pragma unroll
    for (int r = 0; r < 9; r++) {
        const int a = u + r / 3 - 1, b = v + r % 3 - 1;
        y[(c * 9 + r) * n + p] = a >= 0 && a < h && b >= 0 && b < w ? x[c * n + a * w + b] : 0;
    }
}

KERNEL columns_of__loop(float *y, const float *x, int channels, int h, int w) {
    const int i = THREAD, n = h * w;
    if (i >= channels * n) return;
    const int c = i / n, p = i % n, u = p / w, v = p % w;
#pragma unroll 1
    for (int r = 0; r < 9; r++) {
        const int a = u + r / 3 - 1, b = v + r % 3 - 1;
        y[(c * 9 + r) * n + p] = a >= 0 && a < h && b >= 0 && b < w ? x[c * n + a * w + b] : 0;
    }
}

// A transposed convolution of stride 2 with 4 x 4 weights, one channel at a time.
KERNEL upsample__gather(float *y, const float *x, const float *k, int h, int w) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
    if (i >= 2 * h || j >= 2 * w) return;
    float s = 0;
    for (int u = (i + 1) % 2; u < 4; u += 2)
        for (int v = (j + 1) % 2; v < 4; v += 2) {
            const int a = (i + 1 - u) / 2, b = (j + 1 - v) / 2;
            if (i + 1 >= u && a < h && j + 1 >= v && b < w) s += x[(c * h + a) * w + b] * k[c * 16 + u * 4 + v];
        }
    y[(c * 2 * h + i) * 2 * w + j] = s;
}

KERNEL upsample__scatter(float *y, const float *x, const float *k, int h, int w) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
    if (i >= h || j >= w) return;
    const float s = x[(c * h + i) * w + j];
    for (int u = 0; u < 4; u++)
        for (int v = 0; v < 4; v++) {
            const int a = 2 * i + u - 1, b = 2 * j + v - 1;
            if (a >= 0 && a < 2 * h && b >= 0 && b < 2 * w) atomicAdd(&y[(c * 2 * h + a) * 2 * w + b], s * k[c * 16 + u * 4 + v]);
        }
}

KERNEL upsample__quads(float *y, const float *x, const float *k, int h, int w) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
    if (i >= h || j >= w) return;
    float n[3][3];
    for (int u = 0; u < 3; u++)
        for (int v = 0; v < 3; v++) {
            const int a = i + u - 1, b = j + v - 1;
            n[u][v] = a >= 0 && a < h && b >= 0 && b < w ? x[(c * h + a) * w + b] : 0;
        }
    const float *m = k + c * 16;
#pragma unroll
    for (int p = 0; p < 2; p++) {
        float2 o;
        o.x = n[2 * p][0] * m[(3 - 3 * p) * 4 + 3] + n[1][1] * m[(1 + p) * 4 + 1] + n[1][0] * m[(1 + p) * 4 + 3] + n[2 * p][1] * m[(3 - 3 * p) * 4 + 1];
        o.y = n[1][1] * m[(1 + p) * 4 + 2] + n[1][2] * m[(1 + p) * 4] + n[2 * p][1] * m[(3 - 3 * p) * 4 + 2] + n[2 * p][2] * m[(3 - 3 * p) * 4];
        ((float2 *)y)[(c * 2 * h + 2 * i + p) * w + j] = o;
    }
}

/* ---- recurrent and small layers ---- */

// The gates of a recurrent unit: h = (1 - z) * tanh(n + r * m) + z * h.
__device__ __forceinline__ float gates(float r, float z, float n, float m, float h) {
    r = 1 / (1 + __expf(-r)), z = 1 / (1 + __expf(-z));
    return (1 - z) * tanhf(n + r * m) + z * h;
}

KERNEL recurrent__w1(float *h, const float *a, const float *b, int batch, int width) {
    const int i = THREAD, s = i / width, c = i % width;
    if (s >= batch) return;
    const float *p = a + s * 3 * width + c, *q = b + s * 3 * width + c;
    h[i] = gates(p[0] + q[0], p[width] + q[width], p[2 * width], q[2 * width], h[i]);
}

KERNEL recurrent__w4(float *h, const float *a, const float *b, int batch, int width) {
    const int i = THREAD, w = width / 4, s = i / w, c = i % w;
    if (s >= batch) return;
    const float4 *p = (const float4 *)a + s * 3 * w + c, *q = (const float4 *)b + s * 3 * w + c;
    const float4 r = p[0], t = q[0], z = p[w], y = q[w], n = p[2 * w], m = q[2 * w];
    float4 g = ((float4 *)h)[i];
    g.x = gates(r.x + t.x, z.x + y.x, n.x, m.x, g.x), g.y = gates(r.y + t.y, z.y + y.y, n.y, m.y, g.y);
    g.z = gates(r.z + t.z, z.z + y.z, n.z, m.z, g.z), g.w = gates(r.w + t.w, z.w + y.w, n.w, m.w, g.w);
    ((float4 *)h)[i] = g;
}

// Viterbi's best paths of 64 states: a block has a sequence.
KERNEL viterbi__shared(float *out, int *back, const float *step, const float *emit, int length) {
    __shared__ float t[64][65], best[2][64];
    const int s = threadIdx.x;
    for (int i = s; i < 4096; i += 64) t[i / 64][i % 64] = step[i];
    best[0][s] = emit[(size_t)blockIdx.x * length * 64 + s];
    __syncthreads();
    for (int i = 1; i < length; i++) {
        float m = -3e38f;
        int at = 0;
        for (int k = 0; k < 64; k++) {
            const float v = best[(i - 1) % 2][k] + t[k][s];
            if (v > m) m = v, at = k;
        }
        const size_t e = ((size_t)blockIdx.x * length + i) * 64 + s;
        best[i % 2][s] = m + emit[e];
        back[e] = at;
        __syncthreads();
    }
    out[blockIdx.x * 64 + s] = best[(length - 1) % 2][s];
}

KERNEL viterbi__registers(float *out, int *back, const float *step, const float *emit, int length) {
    __shared__ float best[2][64];
    const int s = threadIdx.x;
    float t[64];
#pragma unroll
    for (int k = 0; k < 64; k++) t[k] = step[k * 64 + s];
    best[0][s] = emit[(size_t)blockIdx.x * length * 64 + s];
    __syncthreads();
    for (int i = 1; i < length; i++) {
        const size_t e = ((size_t)blockIdx.x * length + i) * 64 + s;
        const float add = emit[e];
        float m = -3e38f;
        int at = 0;
#pragma unroll
        for (int k = 0; k < 64; k++) {
            const float v = best[(i - 1) % 2][k] + t[k];
            if (v > m) m = v, at = k;
        }
        best[i % 2][s] = m + add;
        back[e] = at;
        __syncthreads();
    }
    out[blockIdx.x * 64 + s] = best[(length - 1) % 2][s];
}

KERNEL viterbi__global(float *out, int *back, const float *step, const float *emit, int length) {
    __shared__ float best[2][64];
    const int s = threadIdx.x;
    best[0][s] = emit[(size_t)blockIdx.x * length * 64 + s];
    __syncthreads();
    for (int i = 1; i < length; i++) {
        float m = -3e38f;
        int at = 0;
        for (int k = 0; k < 64; k++) {
            const float v = best[(i - 1) % 2][k] + __ldg(&step[k * 64 + s]);
            if (v > m) m = v, at = k;
        }
        const size_t e = ((size_t)blockIdx.x * length + i) * 64 + s;
        best[i % 2][s] = m + emit[e];
        back[e] = at;
        __syncthreads();
    }
    out[blockIdx.x * 64 + s] = best[(length - 1) % 2][s];
}

// A product of complex matrices, in tiles of 16 x 16; `async` fetches the next tiles while it multiplies.
KERNEL complex_product__plain(float2 *c, const float2 *a, const float2 *b, int n) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float2 s = {};
    for (int k = 0; k < n; k++) {
        const float2 u = a[i * n + k], v = b[k * n + j];
        s.x += u.x * v.x - u.y * v.y, s.y += u.x * v.y + u.y * v.x;
    }
    c[i * n + j] = s;
}

KERNEL complex_product__tile(float2 *c, const float2 *a, const float2 *b, int n) {
    __shared__ float2 ta[16][17], tb[16][17];
    const int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 16 + x, i = blockIdx.y * 16 + y;
    float2 s = {};
    for (int at = 0; at < n; at += 16) {
        ta[y][x] = a[i * n + at + x], tb[y][x] = b[(at + y) * n + j];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const float2 u = ta[y][k], v = tb[k][x];
            s.x += u.x * v.x - u.y * v.y, s.y += u.x * v.y + u.y * v.x;
        }
        __syncthreads();
    }
    c[i * n + j] = s;
}

KERNEL complex_product__async(float2 *c, const float2 *a, const float2 *b, int n) {
    __shared__ float2 ta[2][16][17], tb[2][16][17];
    const int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 16 + x, i = blockIdx.y * 16 + y;
    float2 s = {};
    __pipeline_memcpy_async(&ta[0][y][x], &a[i * n + x], 8);
    __pipeline_memcpy_async(&tb[0][y][x], &b[y * n + j], 8);
    __pipeline_commit();
    for (int at = 0, p = 0; at < n; at += 16, p ^= 1) {
        if (at + 16 < n) {
            __pipeline_memcpy_async(&ta[p ^ 1][y][x], &a[i * n + at + 16 + x], 8);
            __pipeline_memcpy_async(&tb[p ^ 1][y][x], &b[(at + 16 + y) * n + j], 8);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const float2 u = ta[p][y][k], v = tb[p][k][x];
            s.x += u.x * v.x - u.y * v.y, s.y += u.x * v.y + u.y * v.x;
        }
        __syncthreads();
    }
    c[i * n + j] = s;
}

// Scale and shift of normalised rows by their token's own vectors: y = x * (1 + a[t]) + b[t], in halves.
KERNEL modulate__two(__half2 *y, const __half2 *x, const __half2 *ab, int rows, int width, int each) {
    const int i = THREAD, w = width / 2, r = i / w, c = i % w;
    if (r >= rows) return;
    const float2 v = __half22float2(x[i]), a = __half22float2(ab[r / each * 2 * w + c]), b = __half22float2(ab[r / each * 2 * w + w + c]);
    y[i] = __floats2half2_rn(v.x * (1 + a.x) + b.x, v.y * (1 + a.y) + b.y);
}

KERNEL modulate__eight(uint4 *y, const uint4 *x, const uint4 *ab, int rows, int width, int each) {
    const int i = THREAD, w = width / 8, r = i / w, c = i % w;
    if (r >= rows) return;
    uint4 v = x[i];
    const uint4 a = ab[r / each * 2 * w + c], b = ab[r / each * 2 * w + w + c];
    __half2 *pv = (__half2 *)&v;
    for (int k = 0; k < 4; k++) {
        const float2 f = __half22float2(pv[k]), g = __half22float2(((const __half2 *)&a)[k]), h = __half22float2(((const __half2 *)&b)[k]);
        pv[k] = __floats2half2_rn(f.x * (1 + g.x) + h.x, f.y * (1 + g.y) + h.y);
    }
    y[i] = v;
}

KERNEL modulate__rows(__half2 *y, const __half2 *x, const __half2 *ab, int rows, int width, int each) {
    const int w = width / 2, t = blockIdx.y, c = THREAD;
    if (c >= w) return;
    const float2 a = __half22float2(ab[t * 2 * w + c]), b = __half22float2(ab[t * 2 * w + w + c]);
    for (int r = t * each; r < (t + 1) * each && r < rows; r++) {
        const float2 v = __half22float2(x[(size_t)r * w + c]);
        y[(size_t)r * w + c] = __floats2half2_rn(v.x * (1 + a.x) + b.x, v.y * (1 + a.y) + b.y);
    }
}
