"""Kernels for the set tests/data/unseen that NVRTC compiles, with their sizes and choices as macros, as programs do that make kernels while they run.

    unseen_nvrtc.py FOLDER    writes FOLDER/nvrtc.jsonl and FOLDER/nvrtc.files"""
from launch_lines import bits, numbers, whole, zero
from nvrtc_writer import write

LATTICE = """
__device__ const int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__device__ const int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__device__ const int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
#if APART
#define AT(q, i) ((q) * (W * H * D) + (i))
#else
#define AT(q, i) ((i) * 19 + (q))
#endif
extern "C" __global__ void fluid(float *out, const float *in) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    float f[19], r = 0, u = 0, v = 0, w = 0;
#pragma unroll
    for (int q = 0; q < 19; q++) {
        int a = (x - cx[q] + W) % W, b = (y - cy[q] + H) % H, c = (z - cz[q] + D) % D;
        f[q] = 1 + 0.01f * in[AT(q, (c * H + b) * W + a)];
        r += f[q], u += cx[q] * f[q], v += cy[q] * f[q], w += cz[q] * f[q];
    }
    u /= r, v /= r, w /= r;
    float e = 1 - 1.5f * (u * u + v * v + w * w);
#pragma unroll
    for (int q = 0; q < 19; q++) {
        float d = 3 * (cx[q] * u + cy[q] * v + cz[q] * w), t = q == 0 ? 1 / 3.f : q < 7 ? 1 / 18.f : 1 / 36.f;
        out[AT(q, (z * H + y) * W + x)] = f[q] + 0.8f * (t * r * (e + d + 0.5f * d * d) - f[q]);
    }
}
"""

BICUBIC = """
__device__ void weights(float t, float *w) {
    w[0] = t * (-0.5f + t * (1 - 0.5f * t)), w[1] = 1 + t * t * (-2.5f + 1.5f * t), w[2] = t * (0.5f + t * (2 - 1.5f * t)), w[3] = t * t * (-0.5f + 0.5f * t);
}
extern "C" __global__ void bicubic(float *y, const float *x, int w, int h, int ow, int oh) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = (blockIdx.y * blockDim.y + threadIdx.y) * EACH;
    if (j >= ow) return;
    float u = (float)j * (w - 4) / ow + 1, a[4], b[4];
    int p = (int)u;
    weights(u - p, a);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (i + e >= oh) return;
        float v = (float)(i + e) * (h - 4) / oh + 1, s = 0;
        int q = (int)v;
        weights(v - q, b);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float *r = x + (q - 1 + k) * w + p - 1;
            s += b[k] * (a[0] * r[0] + a[1] * r[1] + a[2] * r[2] + a[3] * r[3]);
        }
        y[(i + e) * ow + j] = s;
    }
}
"""

QUEENS = """
extern "C" __global__ void queens(int *count, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = (1 << N) - 1;
    if (t >= n) return;
#if SHARED
    __shared__ int stack[4][N][BLOCK];
#define S(k, d) stack[k][d][threadIdx.x]
#else
    int stack[4][N];
#define S(k, d) stack[k][d]
#endif
    int a = 1 << t % N, b = 1 << t / N % N, found = 0, d = 0;
    if (a == b || a << 1 == b || a >> 1 == b) {
        count[t] = 0;
        return;
    }
    int columns = a | b, left = (a << 2 | b << 1) & all, right = a >> 2 | b >> 1;
    int free = all & ~(columns | left | right);
    for (;;) {
        if (free == 0) {
            if (--d < 0) break;
            columns = S(0, d), left = S(1, d), right = S(2, d), free = S(3, d);
            continue;
        }
        int q = free & -free;
        free ^= q;
        if ((columns | q) == all) {
            found++;
            continue;
        }
        S(0, d) = columns, S(1, d) = left, S(2, d) = right, S(3, d) = free;
        d++;
        columns |= q, left = (left | q) << 1 & all, right = (right | q) >> 1;
        free = all & ~(columns | left | right);
    }
    count[t] = found;
}
"""

SHA = """
__device__ const unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
    0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
    0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
    0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
    0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define R(x, n) __funnelshift_r(x, x, n)
extern "C" __global__ void sha(unsigned *out, const unsigned *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
    for (int k = 0; k < 16; k++) w[k] = in[WIDE ? i * 16 + k : k * n + i];
#pragma unroll UNROLL
    for (int g = 0; g < 4; g++) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            unsigned a = s[7] + (R(s[4], 6) ^ R(s[4], 11) ^ R(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[16 * g + k] + w[k];
            unsigned b = (R(s[0], 2) ^ R(s[0], 13) ^ R(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + a, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = a + b;
            unsigned c = w[(k + 1) % 16], d = w[(k + 14) % 16];
            w[k] += (R(c, 7) ^ R(c, 18) ^ c >> 3) + w[(k + 9) % 16] + (R(d, 17) ^ R(d, 19) ^ d >> 10);
        }
    }
    for (int k = 0; k < 8; k++) out[k * n + i] = s[k];
}
"""

CHANNELS_LAST = """
extern "C" __global__ void channels_last(float *y, const float *x, const float *k) {
    int f = threadIdx.x, p = (blockIdx.x * blockDim.y + threadIdx.y) * EACH;
    float s[EACH] = {};
    for (int u = 0; u < 3; u++)
        for (int v = 0; v < 3; v++)
#pragma unroll 4
            for (int c = 0; c < C; c++) {
                float w = k[((u * 3 + v) * C + c) * F + f];
#pragma unroll
                for (int e = 0; e < EACH; e++) s[e] += w * x[((p / OW + u) * W + p % OW + e + v) * C + c];
            }
    for (int e = 0; e < EACH; e++) y[(p + e) * F + f] = fmaxf(s[e], 0);
}
"""

PENTA = """
extern "C" __global__ void penta(float *x, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float p1 = 0, q1 = 0, r1 = 0, p2 = 0, q2 = 0, r2 = 0;
    float p[L], q[L], r[L];
#pragma unroll UNROLL
    for (int k = 0; k < L; k++) {
        float l = -1 - p2 * 0.25f, d = 6 + 0.25f * q2 * -1 - l * -p1, g = b[k * n + i] - 0.25f * r2 - l * r1;
        float inverse = 1 / d, a = (-1 - l * q1) * inverse, c = 0.25f * inverse;
        p2 = p1, q2 = q1, r2 = r1;
        p1 = a, q1 = c, r1 = g * inverse;
        p[k] = a, q[k] = c, r[k] = r1;
    }
    float u = 0, v = 0;
#pragma unroll UNROLL
    for (int k = L - 1; k >= 0; k--) {
        float w = r[k] - p[k] * u - q[k] * v;
        x[k * n + i] = w;
        v = u, u = w;
    }
}
"""

HARMONICS = """
extern "C" __global__ void harmonics(float *y, const float *c, const float *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if APART
    float a = d[i], b = d[n + i], e = d[2 * n + i];
#define C(k) c[(k) * n + i]
#else
    float a = d[3 * i], b = d[3 * i + 1], e = d[3 * i + 2];
#define C(k) c[i * 16 + (k)]
#endif
    float r = rsqrtf(a * a + b * b + e * e + 1e-12f), x = a * r, y1 = b * r, z = e * r, xx = x * x, yy = y1 * y1, zz = z * z;
    float s = 0.282095f * C(0) - 0.488603f * (y1 * C(1) - z * C(2) + x * C(3));
    s += 1.092548f * (x * y1 * C(4) - y1 * z * C(5) - x * z * C(7)) + 0.315392f * (2 * zz - xx - yy) * C(6) + 0.546274f * (xx - yy) * C(8);
    s += -0.590044f * y1 * (3 * xx - yy) * C(9) + 2.890611f * x * y1 * z * C(10) - 0.457046f * y1 * (4 * zz - xx - yy) * C(11);
    s += 0.373176f * z * (2 * zz - 3 * xx - 3 * yy) * C(12) - 0.457046f * x * (4 * zz - xx - yy) * C(13) + 1.445306f * z * (xx - yy) * C(14) - 0.590044f * x * (xx - 3 * yy) * C(15);
    y[i] = s;
}
"""

SEGMENTED = """
extern "C" __global__ void segmented(float *y, const float *x, int segments, int length) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    if (i >= segments) return;
    float m = -3e38f, s = 0;
    for (int k = lane; k < length; k += LANES) {
        float v = x[i * length + k];
        m = fmaxf(m, v), s += v * v;
    }
    for (int k = LANES / 2; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k)), s += __shfl_xor_sync(~0u, s, k);
    if (lane == 0) y[2 * i] = m, y[2 * i + 1] = sqrtf(s);
}
"""

UNZIP = """
extern "C" __global__ void unzip(float *y, const float *x, int n) {
#if HOW == 2
    __shared__ float room[4 * 256 + 4];
    int base = blockIdx.x * 256;
    for (int e = threadIdx.x; e < 1024; e += 256) room[e] = x[base * 4 + e];
    __syncthreads();
    for (int k = 0; k < 4; k++) y[k * n + base + threadIdx.x] = room[threadIdx.x * 4 + k];
#else
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if HOW == 1
    float4 v = ((const float4 *)x)[i];
    y[i] = v.x, y[n + i] = v.y, y[2 * n + i] = v.z, y[3 * n + i] = v.w;
#else
    for (int k = 0; k < 4; k++) y[k * n + i] = x[4 * i + k];
#endif
#endif
}
"""

DENSITY = """
extern "C" __global__ void density(float *y, const float *p, const int *cell, int cells) {
    int c = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (c >= cells) return;
    float4 me = ((const float4 *)p)[c * 32 + lane];
    float s = 0;
#if HOW == 1
    __shared__ float4 rooms[BLOCK / 32][32];
    float4 *room = rooms[threadIdx.x / 32];
#endif
    for (int k = 0; k < 9; k++) {
        int o = cell[c * 9 + k];
#if HOW == 1
        __syncwarp();
        room[lane] = ((const float4 *)p)[o * 32 + lane];
        __syncwarp();
#elif HOW == 2
        float4 their = ((const float4 *)p)[o * 32 + lane];
#endif
        for (int j = 0; j < 32; j++) {
#if HOW == 1
            float4 q = room[j];
#elif HOW == 2
            float4 q = make_float4(__shfl_sync(~0u, their.x, j), __shfl_sync(~0u, their.y, j), __shfl_sync(~0u, their.z, j), __shfl_sync(~0u, their.w, j));
#else
            float4 q = ((const float4 *)p)[o * 32 + j];
#endif
            float a = me.x - q.x, b = me.y - q.y, d = me.z - q.z, r = fmaxf(1 - 0.25f * (a * a + b * b + d * d), 0.f);
            s += q.w * r * r * r;
        }
    }
    y[c * 32 + lane] = s;
}
"""

NOISE = """
__device__ float corner(int x, int y, float u, float v) {
    unsigned h = x * 374761393u + y * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return (h & 1 ? u : -u) + (h & 2 ? v : -v);
}
extern "C" __global__ void noise(float *out, int w, int octaves) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0, f = 1 / 64.f, a = 1;
#pragma unroll UNROLL
    for (int k = 0; k < OCTAVES; k++) {
        float u = i * f, v = j * f;
        int x = (int)u, y = (int)v;
        u -= x, v -= y;
        float p = u * u * u * (u * (6 * u - 15) + 10), q = v * v * v * (v * (6 * v - 15) + 10);
        float l = corner(x, y, u, v), m = corner(x + 1, y, u - 1, v), n = corner(x, y + 1, u, v - 1), o = corner(x + 1, y + 1, u - 1, v - 1);
        l += p * (m - l), n += p * (o - n);
        s += a * (l + q * (n - l));
        f *= 2, a *= 0.5f;
    }
    out[j * w + i] = s;
}
"""

TONES = """
extern "C" __global__ void tones(float *y, const float *x, int bins) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    const float *in = x + blockIdx.y * 256;
#if SHARED
    __shared__ float room[256];
    for (int e = threadIdx.x; e < 256; e += blockDim.x) room[e] = in[e];
    __syncthreads();
    in = room;
#endif
    if (k >= bins) return;
    float c = 2 * cosf(3.14159265f * k / bins), a = 0, b = 0;
#pragma unroll UNROLL
    for (int t = 0; t < 256; t++) {
        float s = in[t] + c * a - b;
        b = a, a = s;
    }
    y[blockIdx.y * bins + k] = a * a + b * b - c * a * b;
}
"""

MATCHES = """
extern "C" __global__ void matches(int *y, const unsigned char *text, const int *back, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i * 4 + 1024, from = at - 4 * (back[i] + 1), length = 0;
#if WORDS
    const unsigned *p = (const unsigned *)(text + at), *q = (const unsigned *)(text + from);
    for (int k = 0; k < 8; k++) {
        unsigned d = (p[k] ^ q[k]) & 0x01010101;
        if (d) {
            length = 4 * k + (__ffs(d) - 1) / 8;
            break;
        }
        length = 4 * k + 4;
    }
#else
    while (length < 32 && ((text[at + length] ^ text[from + length]) & 1) == 0) length++;
#endif
    y[i] = length;
}
"""

SMALL = """
extern "C" __global__ void small(float *y, const float *a, const float *x, int n) {
#if HOW == 0
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= n) return;
    for (int i = 0; i < 16; i++) {
        float s = 0;
        for (int k = 0; k < 16; k++) s += a[b * 256 + i * 16 + k] * x[b * 16 + k];
        y[b * 16 + i] = s;
    }
#elif HOW == 1
    int t = blockIdx.x * blockDim.x + threadIdx.x, b = t / 16, i = t % 16;
    if (b >= n) return;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float4 u = ((const float4 *)a)[b * 64 + i * 4 + k], v = ((const float4 *)x)[b * 4 + k];
        s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    y[b * 16 + i] = s;
#else
    int t = blockIdx.x * blockDim.x + threadIdx.x, b = t / 16, i = t % 16;
    if (b >= n) return;
    float v = x[b * 16 + i], s = 0, all = 0;
#pragma unroll
    for (int r = 0; r < 16; r++) {
        s = a[b * 256 + r * 16 + i] * v;
        for (int k = 8; k; k /= 2) s += __shfl_xor_sync(~0u, s, k);
        if (i == r) all = s;
    }
    y[b * 16 + i] = all;
#endif
}
"""


def launches(w):
    for apart in (0, 1):
        for block in ((32, 4), (64, 2)):
            w.launch(LATTICE, {"APART": apart, "W": 64, "H": 48, "D": 40}, (64 // block[0], 48 // block[1], 40), block, zero(19 * 64 * 48 * 40), numbers(19 * 64 * 48 * 40))
    for each, block in ((1, (32, 8)), (1, (128, 2)), (2, (32, 8)), (4, (64, 2))):
        w.launch(BICUBIC, {"EACH": each}, (1280 // block[0], 960 // each // block[1]), block, zero(1280 * 960), numbers(720 * 540), 720, 540, 1280, 960)
    for shared, block in ((0, 32), (0, 128), (1, 32), (1, 64)):
        w.launch(QUEENS, {"N": 9, "SHARED": shared, "BLOCK": block}, (16384 // block,), (block,), zero(16384), 16384)
    for wide, unroll, block in ((1, 1, 128), (1, 4, 128), (0, 1, 128), (0, 4, 128), (0, 4, 256)):
        w.launch(SHA, {"WIDE": wide, "UNROLL": unroll}, (131072 // block,), (block,), zero(8 * 131072), bits(16 * 131072), 131072)
    for each, rows in ((1, 4), (2, 4), (4, 4), (4, 2), (8, 2)):
        w.launch(CHANNELS_LAST, {"EACH": each, "C": 32, "F": 64, "W": 66, "OW": 64}, (4096 // each // rows,), (64, rows), zero(4096 * 64), numbers(66 * 66 * 32), numbers(9 * 32 * 64, 2))
    for unroll, block in ((1, 64), (4, 64), (4, 128), (8, 32)):
        w.launch(PENTA, {"L": 32, "UNROLL": unroll}, (32768 // block,), (block,), zero(32 * 32768), numbers(32 * 32768), 32768)
    for apart, block in ((0, 128), (0, 512), (1, 128), (1, 512)):
        w.launch(HARMONICS, {"APART": apart}, (400000 // block + 1,), (block,), zero(400000), numbers(16 * 400000), numbers(3 * 400000, 2), 400000)
    for lanes, block in ((1, 128), (4, 128), (8, 128), (32, 128), (32, 512)):
        w.launch(SEGMENTED, {"LANES": lanes}, (32768 * lanes // block,), (block,), zero(65536), numbers(32768 * 96), 32768, 96)
    for how in (0, 1, 2):
        w.launch(UNZIP, {"HOW": how}, (4096,), (256,), zero(4 << 20), numbers(4 << 20), 1 << 20)
    for how, block in ((0, 128), (1, 128), (2, 128), (1, 256)):
        w.launch(DENSITY, {"HOW": how, "BLOCK": block}, (4096 * 32 // block,), (block,), zero(4096 * 32), numbers(4 * 4096 * 32), whole(4096 * 9, 4096), 4096)
    for unroll, block in ((1, (32, 8)), (1, (64, 2)), (5, (32, 8)), (5, (8, 16))):
        w.launch(NOISE, {"OCTAVES": 5, "UNROLL": unroll}, (1024 // block[0], 768 // block[1]), block, zero(1024 * 768), 1024, 5)
    for shared, unroll, block in ((0, 1, 128), (0, 8, 128), (1, 1, 128), (1, 8, 128), (1, 8, 64)):
        w.launch(TONES, {"SHARED": shared, "UNROLL": unroll}, (128 // block, 1000), (block,), zero(128000), numbers(256000), 128)
    for words, block in ((0, 128), (1, 128), (1, 512)):
        w.launch(MATCHES, {"WORDS": words}, (400000 // block + 1,), (block,), zero(400000), bits(400000 + 300), whole(400000, 250), 400000)
    for how, lanes, block in ((0, 1, 64), (1, 16, 128), (1, 16, 256), (2, 16, 128)):
        w.launch(SMALL, {"HOW": how}, (20000 * lanes // block + 1,), (block,), zero(16 * 20000), numbers(256 * 20000), numbers(16 * 20000, 2), 20000)


if __name__ == "__main__":
    write(launches, __doc__)
