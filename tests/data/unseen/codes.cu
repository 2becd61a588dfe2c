// Images, sounds, texts and bits, in variants; see networks.cu.
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

/* ---- images ---- */

// A frame of video: full luma, and chroma for four pixels together, to words of red, green and blue.
__device__ __forceinline__ uint32_t coloured(int y, int u, int v) {
    const int c = 298 * (y - 16) + 128, d = u - 128, e = v - 128;
    const int r = min(max((c + 409 * e) >> 8, 0), 255), g = min(max((c - 100 * d - 208 * e) >> 8, 0), 255), b = min(max((c + 516 * d) >> 8, 0), 255);
    return r | g << 8 | b << 16 | 0xFF000000u;
}

KERNEL video__pixel(uint32_t *out, const uint8_t *luma, const uint8_t *chroma, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= h || j >= w) return;
    const uint8_t *c = chroma + i / 2 * w + j / 2 * 2;
    out[i * w + j] = coloured(luma[i * w + j], c[0], c[1]);
}

KERNEL video__square(uint32_t *out, const uint8_t *luma, const uint8_t *chroma, int w, int h) {
    const int j = (blockIdx.x * blockDim.x + threadIdx.x) * 2, i = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    if (i >= h || j >= w) return;
    const uchar2 c = *(const uchar2 *)(chroma + i / 2 * w + j);
    for (int r = 0; r < 2; r++) {
        const uchar2 l = *(const uchar2 *)(luma + (i + r) * w + j);
        *(uint2 *)(out + (i + r) * w + j) = make_uint2(coloured(l.x, c.x, c.y), coloured(l.y, c.x, c.y));
    }
}

KERNEL video__four(uint32_t *out, const uint8_t *luma, const uint8_t *chroma, int w, int h) {
    const int j = (blockIdx.x * blockDim.x + threadIdx.x) * 4, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= h || j >= w) return;
    const uchar4 l = *(const uchar4 *)(luma + i * w + j), c = *(const uchar4 *)(chroma + i / 2 * w + j);
    *(uint4 *)(out + i * w + j) = make_uint4(coloured(l.x, c.x, c.y), coloured(l.y, c.x, c.y), coloured(l.z, c.z, c.w), coloured(l.w, c.z, c.w));
}

// A fast transform of eight numbers, then its quantised numbers: blocks of 8 x 8 as in JPEG.
__device__ __forceinline__ void eight_cosines(float *d, int s) {
    const float a = d[0] + d[7 * s], h = d[0] - d[7 * s], b = d[s] + d[6 * s], g = d[s] - d[6 * s];
    const float c = d[2 * s] + d[5 * s], f = d[2 * s] - d[5 * s], e = d[3 * s] + d[4 * s], i = d[3 * s] - d[4 * s];
    const float p = a + e, q = a - e, r = b + c, t = b - c, z = (t + q) * 0.70710678f;
    d[0] = p + r, d[4 * s] = p - r, d[2 * s] = q + z, d[6 * s] = q - z;
    const float k = i + f, l = f + g, m = g + h, n = (k - m) * 0.38268343f, o = 0.5411961f * k + n, u = 1.306563f * m + n, v = l * 0.70710678f;
    d[5 * s] = h - v + o, d[3 * s] = h - v - o, d[s] = h + v + u, d[7 * s] = h + v - u;
}

KERNEL jpeg__thread(int *out, const float *x, int w, int h) {
    const int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y;
    if (bx >= w / 8) return;
    float v[64];
#pragma unroll
    for (int i = 0; i < 64; i++) v[i] = x[(by * 8 + i / 8) * w + bx * 8 + i % 8];
#pragma unroll
    for (int i = 0; i < 8; i++) eight_cosines(v + 8 * i, 1);
#pragma unroll
    for (int i = 0; i < 8; i++) eight_cosines(v + i, 8);
#pragma unroll
    for (int i = 0; i < 64; i++) out[(by * 8 + i / 8) * w + bx * 8 + i % 8] = __float2int_rn(v[i] * 4 / (1 + i / 8 + i % 8));
}

KERNEL jpeg__rows(int *out, const float *x, int w, int h) {
    __shared__ float room[16][72];
    const int g = threadIdx.x / 8, k = threadIdx.x % 8, bx = blockIdx.x * 16 + g, by = blockIdx.y;
    float v[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = bx < w / 8 ? x[(by * 8 + k) * w + bx * 8 + i] : 0;
    eight_cosines(v, 1);
    for (int i = 0; i < 8; i++) room[g][k * 9 + i] = v[i];
    __syncwarp();
    for (int i = 0; i < 8; i++) v[i] = room[g][i * 9 + k];
    eight_cosines(v, 1);
    if (bx < w / 8)
#pragma unroll
        for (int i = 0; i < 8; i++) out[(by * 8 + i) * w + bx * 8 + k] = __float2int_rn(v[i] * 4 / (1 + i + k));
}

KERNEL jpeg__shared(int *out, const float *x, int w, int h) {
    __shared__ float room[8][129];
    const int t = threadIdx.x, by = blockIdx.y, base = blockIdx.x * 128;
    for (int i = 0; i < 8; i++)
        if (base + t < w) room[i][t] = x[(by * 8 + i) * w + base + t];
    __syncthreads();
    if (base + t < w) {
        float v[8];
        for (int i = 0; i < 8; i++) v[i] = room[i][t];
        eight_cosines(v, 1);
        for (int i = 0; i < 8; i++) room[i][t] = v[i];
    }
    __syncthreads();
    const int r = t / 16, b = t % 16 * 8;
    if (base + b < w) {
        float v[8];
        for (int i = 0; i < 8; i++) v[i] = room[r][b + i];
        eight_cosines(v, 1);
        for (int i = 0; i < 8; i++) room[r][b + i] = v[i];
    }
    __syncthreads();
    for (int i = 0; i < 8; i++)
        if (base + t < w) out[(by * 8 + i) * w + base + t] = __float2int_rn(room[i][t] * 4 / (1 + i + t % 8));
}

// The median of 3 x 3 pixels by a network that sorts.
__device__ __forceinline__ void order(float &a, float &b) {
    const float l = fminf(a, b);
    b = fmaxf(a, b), a = l;
}
__device__ __forceinline__ float median(float a, float b, float c, float d, float e, float f, float g, float h, float i) {
    order(b, c), order(e, f), order(h, i), order(a, b), order(d, e), order(g, h), order(b, c), order(e, f), order(h, i);
    a = fmaxf(fmaxf(a, d), g), i = fminf(fminf(c, f), i);
    order(b, e), order(e, h), order(b, e);
    return fmaxf(fminf(a, e), fminf(fmaxf(a, e), i));
}

KERNEL despeckle__plain(float *y, const float *x, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= h - 1 || j >= w - 1) return;
    const float *p = x + i * w + j;
    y[i * w + j] = median(p[-w - 1], p[-w], p[-w + 1], p[-1], p[0], p[1], p[w - 1], p[w], p[w + 1]);
}

KERNEL despeckle__rows4(float *y, const float *x, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, from = (blockIdx.y * blockDim.y + threadIdx.y) * 4 + 1;
    if (j < 1 || j >= w - 1 || from >= h - 1) return;
    const float *p = x + from * w + j;
    float a = p[-w - 1], b = p[-w], c = p[-w + 1], d = p[-1], e = p[0], f = p[1];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        if (from + r >= h - 1) return;
        p += w;
        const float g = p[-1], k = p[0], l = p[1];
        y[(from + r) * w + j] = median(a, b, c, d, e, f, g, k, l);
        a = d, b = e, c = f, d = g, e = k, f = l;
    }
}

KERNEL despeckle__tile(float *y, const float *x, int w, int h) {
    __shared__ float t[10][34];
    const int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 32 + tx, i = blockIdx.y * 8 + ty;
    for (int e = ty * 32 + tx; e < 340; e += 256) {
        const int a = blockIdx.y * 8 + e / 34 - 1, b = blockIdx.x * 32 + e % 34 - 1;
        t[e / 34][e % 34] = a >= 0 && a < h && b >= 0 && b < w ? x[a * w + b] : 0;
    }
    __syncthreads();
    if (i < 1 || j < 1 || i >= h - 1 || j >= w - 1) return;
    y[i * w + j] = median(t[ty][tx], t[ty][tx + 1], t[ty][tx + 2], t[ty + 1][tx], t[ty + 1][tx + 1], t[ty + 1][tx + 2], t[ty + 2][tx], t[ty + 2][tx + 1], t[ty + 2][tx + 2]);
}

// An image shrunk to 3 / 5 by Lanczos' window of six, along columns.
__device__ __forceinline__ float lanczos(float d) {
    const float p = 3.14159265f * d;
    return fabsf(d) < 1e-4f ? 1 : fabsf(d) >= 3 ? 0 : 3 * __sinf(p) * __sinf(p / 3) / (p * p);
}

KERNEL shrink__computed(float *y, const float *x, const float *table, int w, int h, int out) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= out || j >= w) return;
    const float at = (i + 0.5f) * 5 / 3 - 0.5f;
    const int from = (int)floorf(at) - 4;
    float s = 0, t = 0;
#pragma unroll
    for (int k = 0; k < 10; k++) {
        const float c = lanczos((from + k - at) * 0.6f);
        s += c * x[min(max(from + k, 0), h - 1) * w + j], t += c;
    }
    y[i * w + j] = s / t;
}

KERNEL shrink__table(float *y, const float *x, const float *table, int w, int h, int out) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= out || j >= w) return;
    const int from = (int)floorf((i + 0.5f) * 5 / 3 - 0.5f) - 4;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 10; k++) s += table[i % 3 * 10 + k] * x[min(max(from + k, 0), h - 1) * w + j];
    y[i * w + j] = s;
}

KERNEL shrink__four(float *y, const float *x, const float *table, int w, int h, int out) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= out || j >= w / 4) return;
    const int from = (int)floorf((i + 0.5f) * 5 / 3 - 0.5f) - 4;
    float4 s = {};
#pragma unroll
    for (int k = 0; k < 10; k++) {
        const float c = table[i % 3 * 10 + k];
        const float4 v = ((const float4 *)x)[min(max(from + k, 0), h - 1) * w / 4 + j];
        s.x += c * v.x, s.y += c * v.y, s.z += c * v.z, s.w += c * v.w;
    }
    ((float4 *)y)[i * w / 4 + j] = s;
}

// An integral image's columns: sums of all rows above.
KERNEL integral_columns__loop(float *y, const float *x, int w, int h) {
    const int j = THREAD;
    if (j >= w) return;
    float s = 0;
    for (int i = 0; i < h; i++) y[i * w + j] = s += x[i * w + j];
}

KERNEL integral_columns__ahead(float *y, const float *x, int w, int h) {
    const int j = THREAD;
    if (j >= w) return;
    float s = 0;
    for (int i = 0; i < h; i += 8) {
        float v[8];
#pragma unroll
        for (int k = 0; k < 8; k++) v[k] = x[(i + k) * w + j];
#pragma unroll
        for (int k = 0; k < 8; k++) y[(i + k) * w + j] = s += v[k];
    }
}

/* ---- sounds ---- */

// A filter of 64 taps that keeps every fourth sample.
KERNEL decimate__plain(float *y, const float *x, const float *taps, int n) {
    const int i = THREAD;
    if (i >= n) return;
    float s = 0;
    for (int k = 0; k < 64; k++) s += x[4 * i + k] * taps[k];
    y[i] = s;
}

KERNEL decimate__fours(float *y, const float *x, const float *taps, int n) {
    const int i = THREAD;
    if (i >= n) return;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const float4 v = ((const float4 *)x)[i + k], c = ((const float4 *)taps)[k];
        s += v.x * c.x + v.y * c.y + v.z * c.z + v.w * c.w;
    }
    y[i] = s;
}

KERNEL decimate__phases(float *y, const float *x, const float *taps, int n) {
    __shared__ float room[4][128 + 16], c[64];
    const int t = threadIdx.x, base = blockIdx.x * 128;
    for (int e = t; e < 4 * 143 + 1; e += 128)
        if (4 * base + e < 4 * n + 60) room[e % 4][e / 4] = x[4 * base + e];
    if (t < 64) c[t] = taps[t];
    __syncthreads();
    if (base + t >= n) return;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 64; k++) s += room[k % 4][t + k / 4] * c[k];
    y[base + t] = s;
}

// Correlations of a sound with itself at 128 lags, summed over blocks.
KERNEL lags__thread(float *y, const float *x, int n) {
    const int lag = threadIdx.x;
    float s = 0;
    for (int i = blockIdx.x * 1024; i < blockIdx.x * 1024 + 1024; i++) s += x[i] * x[i + lag];
    atomicAdd(&y[lag], s);
}

KERNEL lags__shared(float *y, const float *x, int n) {
    __shared__ float room[1024 + 128];
    const int lag = threadIdx.x;
    for (int e = lag; e < 1152; e += 128) room[e] = x[blockIdx.x * 1024 + e];
    __syncthreads();
    float s = 0;
#pragma unroll 8
    for (int i = 0; i < 1024; i++) s += room[i] * room[i + lag];
    atomicAdd(&y[lag], s);
}

KERNEL lags__registers(float *y, const float *x, int n) {
    __shared__ float room[1024 + 128];
    const int t = threadIdx.x, lag = t % 32 * 4, part = t / 32;
    for (int e = t; e < 1152; e += 128) room[e] = x[blockIdx.x * 1024 + e];
    __syncthreads();
    float s[4] = {}, b[4];
    for (int k = 0; k < 3; k++) b[k] = room[part * 256 + lag + k];
#pragma unroll 4
    for (int i = part * 256; i < part * 256 + 256; i++) {
        const float a = room[i];
        b[3] = room[i + lag + 3];
        for (int k = 0; k < 4; k++) s[k] += a * b[k];
        for (int k = 0; k < 3; k++) b[k] = b[k + 1];
    }
    for (int k = 0; k < 4; k++) atomicAdd(&y[lag + k], s[k]);
}

/* ---- texts ---- */

// Lines of a text, counted.
KERNEL lines__bytes(int *count, const uint8_t *text, int n) {
    int s = 0;
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) s += text[i] == 10;
    s = __reduce_add_sync(~0u, s);
    if (threadIdx.x % 32 == 0) atomicAdd(count, s);
}

KERNEL lines__words(int *count, const uint8_t *text, int n) {
    int s = 0;
    for (int i = THREAD; i < n / 4; i += gridDim.x * blockDim.x) s += __popc(__vcmpeq4(((const uint32_t *)text)[i], 0x0A0A0A0A)) / 8;
    s = __reduce_add_sync(~0u, s);
    if (threadIdx.x % 32 == 0) atomicAdd(count, s);
}

KERNEL lines__sixteen(int *count, const uint8_t *text, int n) {
    int s = 0;
    for (int i = THREAD; i < n / 16; i += gridDim.x * blockDim.x) {
        const uint4 v = ((const uint4 *)text)[i];
        s += __popc(__vcmpeq4(v.x, 0x0A0A0A0A)) + __popc(__vcmpeq4(v.y, 0x0A0A0A0A)) + __popc(__vcmpeq4(v.z, 0x0A0A0A0A)) + __popc(__vcmpeq4(v.w, 0x0A0A0A0A));
    }
    s = __reduce_add_sync(~0u, s / 8);
    if (threadIdx.x % 32 == 0) atomicAdd(count, s);
}

// Three bytes become four letters of base 64.
__device__ __forceinline__ uint32_t letter(uint32_t v) { return v + (v < 26 ? 65 : v < 52 ? 71 : v < 62 ? -4 : v == 62 ? -19 : -16); }

KERNEL base64__bytes(uint8_t *out, const uint8_t *in, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const uint32_t v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    for (int k = 0; k < 4; k++) out[4 * i + k] = letter(v >> (18 - 6 * k) & 63);
}

KERNEL base64__word(uint8_t *out, const uint8_t *in, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const uint32_t v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    ((uint32_t *)out)[i] = letter(v >> 18) | letter(v >> 12 & 63) << 8 | letter(v >> 6 & 63) << 16 | letter(v & 63) << 24;
}

KERNEL base64__four(uint8_t *out, const uint8_t *in, int n) {
    const int i = THREAD;
    if (4 * i >= n) return;
    const uint32_t *p = (const uint32_t *)in + 3 * i, a = p[0], b = p[1], c = p[2];
    const uint32_t v[4] = {__byte_perm(a, 0, 0x4012), __byte_perm(a, b, 0x7345) & 0xFFFFFF, __byte_perm(b, c, 0x7234) & 0xFFFFFF, __byte_perm(c, 0, 0x4123)};
    uint32_t o[4];
    for (int k = 0; k < 4; k++) o[k] = letter(v[k] >> 18) | letter(v[k] >> 12 & 63) << 8 | letter(v[k] >> 6 & 63) << 16 | letter(v[k] & 63) << 24;
    ((uint4 *)out)[i] = make_uint4(o[0], o[1], o[2], o[3]);
}

KERNEL base64__table(uint8_t *out, const uint8_t *in, int n) {
    __shared__ uint8_t table[64];
    if (threadIdx.x < 64) table[threadIdx.x] = letter(threadIdx.x);
    __syncthreads();
    const int i = THREAD;
    if (i >= n) return;
    const uint32_t v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    ((uint32_t *)out)[i] = table[v >> 18] | table[v >> 12 & 63] << 8 | table[v >> 6 & 63] << 16 | (uint32_t)table[v & 63] << 24;
}

// Local alignment of pairs of 128 bytes, affine gaps left out: a warp or a block has a pair.
KERNEL align__block(int *best, const uint8_t *a, const uint8_t *b) {
    __shared__ int row[3][129];
    const int t = threadIdx.x, p = blockIdx.x * 128;
    const int mine = a[p + t] & 3;
    int most = 0;
    for (int k = 0; k < 3; k++) row[k][t] = 0;
    if (t < 3) row[t][128] = 0;
    __syncthreads();
    for (int d = 0; d < 255; d++) {
        const int j = d - t;
        int s = 0;
        if (j >= 0 && j < 128) {
            const int up = row[(d + 2) % 3][t], left = j ? row[(d + 2) % 3][t + 1] : 0, corner = j ? row[(d + 1) % 3][t] : 0;
            s = max(max(0, corner + (mine == (b[p + j] & 3) ? 2 : -1)), max(up, left) - 1);
            most = max(most, s);
        }
        row[d % 3][t + 1] = s;
        __syncthreads();
    }
    most = __reduce_max_sync(~0u, most);
    if (t % 32 == 0) atomicMax(&best[blockIdx.x], most);
}

KERNEL align__warp(int *best, const uint8_t *a, const uint8_t *b) {
    const int lane = threadIdx.x, p = blockIdx.x * 128;
    int mine[4], last[4] = {}, corner = 0, most = 0;
    for (int k = 0; k < 4; k++) mine[k] = a[p + lane * 4 + k] & 3;
    int out = 0;
    for (int d = 0; d < 128 + 31; d++) {
        const int j = d - lane;
        int up = __shfl_up_sync(~0u, out, 1);
        if (lane == 0) up = 0;
        if (j >= 0 && j < 128) {
            const int c = b[p + j] & 3;
            int diagonal = corner;
            corner = up;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const int s = max(max(0, diagonal + (mine[k] == c ? 2 : -1)), max(up, last[k]) - 1);
                diagonal = last[k];
                last[k] = up = s;
                most = max(most, s);
            }
            out = up;
        }
    }
    most = __reduce_max_sync(~0u, most);
    if (lane == 0) best[blockIdx.x] = most;
}

/* ---- bits ---- */

// A filter by Bloom with four probes into 2^23 bits, and with all probes in one word of 32.
__device__ __forceinline__ uint32_t mixed(uint32_t h) {
    h ^= h >> 16, h *= 0x85EBCA6B, h ^= h >> 13, h *= 0xC2B2AE35;
    return h ^ h >> 16;
}

KERNEL bloom__all(uint8_t *y, const uint32_t *bits, const uint32_t *key, int n) {
    const int i = THREAD;
    if (i >= n) return;
    int found = 1;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t h = mixed(key[i] + k * 0x9E3779B9) & ((1 << 23) - 1);
        found &= bits[h / 32] >> h % 32;
    }
    y[i] = found & 1;
}

KERNEL bloom__stops(uint8_t *y, const uint32_t *bits, const uint32_t *key, int n) {
    const int i = THREAD;
    if (i >= n) return;
    int found = 1;
    for (int k = 0; k < 4 && found; k++) {
        const uint32_t h = mixed(key[i] + k * 0x9E3779B9) & ((1 << 23) - 1);
        found = bits[h / 32] >> h % 32 & 1;
    }
    y[i] = found;
}

KERNEL bloom__word(uint8_t *y, const uint32_t *bits, const uint32_t *key, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const uint32_t h = mixed(key[i]), g = mixed(h), mask = 1u << (g & 31) | 1u << (g >> 5 & 31) | 1u << (g >> 10 & 31) | 1u << (g >> 15 & 31);
    y[i] = (bits[h & ((1 << 18) - 1)] & mask) == mask;
}

// ChaCha20's stream: a thread has a block of 16 words, or four lanes have it.
#define QUARTER(a, b, c, d) \
    (a += b, d = __funnelshift_l(d ^ a, d ^ a, 16), c += d, b = __funnelshift_l(b ^ c, b ^ c, 12), a += b, d = __funnelshift_l(d ^ a, d ^ a, 8), c += d, \
     b = __funnelshift_l(b ^ c, b ^ c, 7))

__device__ __forceinline__ uint32_t chacha_word(int k, uint32_t i) {
    const uint32_t c[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    return k < 4 ? c[k] : k < 12 ? k * 0x01010101u : k == 12 ? i : k * 77u;
}

KERNEL chacha__thread(uint32_t *out, const uint32_t *in) {
    const uint32_t i = THREAD;
    uint32_t x[16];
#pragma unroll
    for (int k = 0; k < 16; k++) x[k] = chacha_word(k, i);
#pragma unroll
    for (int r = 0; r < 10; r++) {
        QUARTER(x[0], x[4], x[8], x[12]), QUARTER(x[1], x[5], x[9], x[13]), QUARTER(x[2], x[6], x[10], x[14]), QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]), QUARTER(x[1], x[6], x[11], x[12]), QUARTER(x[2], x[7], x[8], x[13]), QUARTER(x[3], x[4], x[9], x[14]);
    }
#pragma unroll
    for (int k = 0; k < 16; k++) out[i * 16 + k] = in[i * 16 + k] ^ (x[k] + chacha_word(k, i));
}

KERNEL chacha__wide(uint32_t *out, const uint32_t *in) {
    const uint32_t i = THREAD;
    uint32_t x[16];
#pragma unroll
    for (int k = 0; k < 16; k++) x[k] = chacha_word(k, i);
#pragma unroll 1
    for (int r = 0; r < 10; r++) {
        QUARTER(x[0], x[4], x[8], x[12]), QUARTER(x[1], x[5], x[9], x[13]), QUARTER(x[2], x[6], x[10], x[14]), QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]), QUARTER(x[1], x[6], x[11], x[12]), QUARTER(x[2], x[7], x[8], x[13]), QUARTER(x[3], x[4], x[9], x[14]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint4 v = ((const uint4 *)in)[i * 4 + k];
        ((uint4 *)out)[i * 4 + k] = make_uint4(v.x ^ (x[4 * k] + chacha_word(4 * k, i)), v.y ^ (x[4 * k + 1] + chacha_word(4 * k + 1, i)),
                                               v.z ^ (x[4 * k + 2] + chacha_word(4 * k + 2, i)), v.w ^ (x[4 * k + 3] + chacha_word(4 * k + 3, i)));
    }
}

KERNEL chacha__lanes(uint32_t *out, const uint32_t *in) {
    const uint32_t t = THREAD, i = t / 4, q = t % 4;
    uint32_t a = chacha_word(q, i), b = chacha_word(4 + q, i), c = chacha_word(8 + q, i), d = chacha_word(12 + q, i);
    const uint32_t sa = a, sb = b, sc = c, sd = d;
    for (int r = 0; r < 10; r++) {
        QUARTER(a, b, c, d);
        b = __shfl_sync(~0u, b, (q + 1) % 4, 4), c = __shfl_sync(~0u, c, (q + 2) % 4, 4), d = __shfl_sync(~0u, d, (q + 3) % 4, 4);
        QUARTER(a, b, c, d);
        b = __shfl_sync(~0u, b, (q + 3) % 4, 4), c = __shfl_sync(~0u, c, (q + 2) % 4, 4), d = __shfl_sync(~0u, d, (q + 1) % 4, 4);
    }
    out[i * 16 + q] = in[i * 16 + q] ^ (a + sa), out[i * 16 + 4 + q] = in[i * 16 + 4 + q] ^ (b + sb);
    out[i * 16 + 8 + q] = in[i * 16 + 8 + q] ^ (c + sc), out[i * 16 + 12 + q] = in[i * 16 + 12 + q] ^ (d + sd);
}

// Codes by Morton of points of 3 x 10 bits.
__device__ __forceinline__ uint32_t apart(uint32_t v) {
    v = (v | v << 16) & 0x030000FF, v = (v | v << 8) & 0x0300F00F, v = (v | v << 4) & 0x030C30C3;
    return (v | v << 2) & 0x09249249;
}

KERNEL morton__magic(uint32_t *y, const uint32_t *x, const uint32_t *table, int n) {
    const int i = THREAD;
    if (i < n) y[i] = apart(x[i] & 1023) | apart(x[i] >> 10 & 1023) << 1 | apart(x[i] >> 20 & 1023) << 2;
}

KERNEL morton__loop(uint32_t *y, const uint32_t *x, const uint32_t *table, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const uint32_t v = x[i];
    uint32_t s = 0;
    for (int k = 0; k < 10; k++) s |= (v >> k & 1) << 3 * k | (v >> (10 + k) & 1) << (3 * k + 1) | (v >> (20 + k) & 1) << (3 * k + 2);
    y[i] = s;
}

KERNEL morton__table(uint32_t *y, const uint32_t *x, const uint32_t *table, int n) {
    __shared__ uint32_t t[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) t[k] = table[k];
    __syncthreads();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t v = x[i];
        y[i] = t[v & 1023] | t[v >> 10 & 1023] << 1 | t[v >> 20 & 1023] << 2;
    }
}

// Complex numbers in the order of their reversed indices.
KERNEL reverse__gather(float2 *y, const float2 *x, int bits) {
    const uint32_t i = THREAD;
    y[i] = x[__brev(i) >> (32 - bits)];
}

KERNEL reverse__scatter(float2 *y, const float2 *x, int bits) {
    const uint32_t i = THREAD;
    y[__brev(i) >> (32 - bits)] = x[i];
}

KERNEL reverse__tile(float2 *y, const float2 *x, int bits) {
    __shared__ float2 t[32][33];
    const int tx = threadIdx.x, ty = threadIdx.y, half = bits - 5, middle = blockIdx.x;
    const uint32_t other = __brev(middle) >> (32 - (bits - 10));
    for (int r = ty; r < 32; r += blockDim.y) t[r][tx] = x[(uint32_t)r << half | middle << 5 | tx];
    __syncthreads();
    for (int r = ty; r < 32; r += blockDim.y) y[(uint32_t)r << half | other << 5 | tx] = t[__brev(tx) >> 27][__brev(r) >> 27];
}

// Rows of 32 keys, each in order.
KERNEL sort_rows__lanes(uint32_t *x, int rows) {
    const int i = THREAD, lane = threadIdx.x % 32;
    uint32_t v = x[i];
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            const uint32_t o = __shfl_xor_sync(~0u, v, j);
            v = ((lane & j) == 0) == ((lane & k) == 0) ? min(v, o) : max(v, o);
        }
    x[i] = v;
}

KERNEL sort_rows__shared(uint32_t *x, int rows) {
    __shared__ uint32_t room[128];
    const int i = THREAD, t = threadIdx.x, lane = t % 32;
    room[t] = x[i];
    __syncwarp();
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            const uint32_t a = room[t], o = room[t ^ j];
            __syncwarp();
            room[t] = ((lane & j) == 0) == ((lane & k) == 0) ? min(a, o) : max(a, o);
            __syncwarp();
        }
    x[i] = room[t];
}

KERNEL sort_rows__ranks(uint32_t *x, int rows) {
    const int i = THREAD, lane = threadIdx.x % 32;
    const uint32_t v = x[i];
    int rank = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        const uint32_t o = __shfl_sync(~0u, v, k);
        rank += o < v || (o == v && k < lane);
    }
    x[i - lane + rank] = v;
}

// Differences become sums again, in rows of 256 whole numbers.
KERNEL deltas__thread(int *y, const int *x, int rows) {
    const int r = THREAD;
    if (r >= rows) return;
    int s = 0;
    for (int k = 0; k < 256; k++) y[r * 256 + k] = s += x[r * 256 + k];
}

KERNEL deltas__warp(int *y, const int *x, int rows) {
    const int r = THREAD / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    int before = 0;
    for (int k = lane; k < 256; k += 32) {
        int v = x[r * 256 + k];
        for (int j = 1; j < 32; j *= 2) {
            const int u = __shfl_up_sync(~0u, v, j);
            if (lane >= j) v += u;
        }
        y[r * 256 + k] = v += before;
        before = __shfl_sync(~0u, v, 31);
    }
}

KERNEL deltas__eights(int *y, const int *x, int rows) {
    const int r = THREAD / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    int4 a = ((const int4 *)x)[r * 64 + 2 * lane], b = ((const int4 *)x)[r * 64 + 2 * lane + 1];
    a.y += a.x, a.z += a.y, a.w += a.z, b.x += a.w, b.y += b.x, b.z += b.y, b.w += b.z;
    int v = b.w;
    for (int j = 1; j < 32; j *= 2) {
        const int u = __shfl_up_sync(~0u, v, j);
        if (lane >= j) v += u;
    }
    v -= b.w;
    ((int4 *)y)[r * 64 + 2 * lane] = make_int4(a.x + v, a.y + v, a.z + v, a.w + v);
    ((int4 *)y)[r * 64 + 2 * lane + 1] = make_int4(b.x + v, b.y + v, b.z + v, b.w + v);
}

// A part of an array of three dimensions, copied to one of its own: faces and boxes that neighbours exchange.
KERNEL pack__thread(float *y, const float *x, int w, int h, int nx, int ny, int nz) {
    const int i = THREAD;
    if (i >= nx * ny * nz) return;
    y[i] = x[((i / nx / ny + 3) * h + i / nx % ny + 3) * w + i % nx + 3];
}

KERNEL pack__rows(float *y, const float *x, int w, int h, int nx, int ny, int nz) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= ny * nz) return;
    const float *p = x + ((row / ny + 3) * h + row % ny + 3) * w + 3;
    for (int i = threadIdx.x; i < nx; i += blockDim.x) y[row * nx + i] = p[i];
}

KERNEL pack__blocks(float *y, const float *x, int w, int h, int nx, int ny, int nz) {
    for (int r = blockIdx.x * blockDim.y + threadIdx.y; r < ny * nz; r += gridDim.x * blockDim.y)
        for (int i = threadIdx.x; i < nx; i += blockDim.x) y[r * nx + i] = x[((r / ny + 3) * h + r % ny + 3) * w + 3 + i];
}

// Looks up a table of 2048 numbers many times, whose places depend on what was found.
KERNEL lookups__global(int *y, const int *table, const int *x, int n, int rounds) {
    const int i = THREAD;
    if (i >= n) return;
    int v = x[i] & 2047;
    for (int k = 0; k < rounds; k++) v = (table[v] + k) & 2047;
    y[i] = v;
}

KERNEL lookups__shared(int *y, const int *table, const int *x, int n, int rounds) {
    __shared__ int t[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) t[k] = table[k];
    __syncthreads();
    const int i = THREAD;
    if (i >= n) return;
    int v = x[i] & 2047;
    for (int k = 0; k < rounds; k++) v = (t[v] + k) & 2047;
    y[i] = v;
}

KERNEL lookups__two(int *y, const int *table, const int *x, int n, int rounds) {
    const int i = THREAD * 2;
    if (i >= n) return;
    int u = x[i] & 2047, v = x[i + 1] & 2047;
    for (int k = 0; k < rounds; k++) u = (table[u] + k) & 2047, v = (table[v] + k) & 2047;
    y[i] = u, y[i + 1] = v;
}
