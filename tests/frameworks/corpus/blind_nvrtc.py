"""Kernels for the set tests/data/blind that NVRTC compiles, with their sizes and choices as macros, as programs do that make kernels while they run.

    blind_nvrtc.py FOLDER    writes FOLDER/nvrtc.jsonl and FOLDER/nvrtc.files"""
from launch_lines import numbers, zero
from nvrtc_writer import write

POLYNOMIAL = """
extern "C" __global__ void polynomial(float *y, const float *x, const float *c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i], s = 0;
#pragma unroll UNROLL
        for (int k = DEGREE; k >= 0; k--) s = s * v + c[k];
        y[i] = s;
    }
}
"""

PRODUCT = """
extern "C" __global__ void product(float *c, const float *a, const float *b) {
    __shared__ float ta[TILE][TILE + 1], tb[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float s[EACH] = {};
    for (int at = 0; at < K; at += TILE) {
        for (int e = 0; e < EACH; e++) {
            int r = e * (TILE / EACH);
            ta[y + r][x] = a[(row + r) * K + at + x];
            tb[y + r][x] = b[(at + y + r) * N + column];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            for (int e = 0; e < EACH; e++) s[e] += ta[y + e * (TILE / EACH)][k] * tb[k][x];
        __syncthreads();
    }
    for (int e = 0; e < EACH; e++) c[(row + e * (TILE / EACH)) * N + column] = s[e];
}
"""

LORENZ = """
extern "C" __global__ void lorenz(REAL *out, const REAL *in, int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    REAL p[3] = {in[i], in[n + i], in[2 * n + i]};
    const REAL h = (REAL)0.005;
    for (int s = 0; s < steps; s++) {
        REAL k[4][3], q[3] = {p[0], p[1], p[2]};
#pragma unroll
        for (int r = 0; r < 4; r++) {
            k[r][0] = 10 * (q[1] - q[0]);
            k[r][1] = q[0] * (28 - q[2]) - q[1];
            k[r][2] = q[0] * q[1] - (REAL)(8.0 / 3) * q[2];
            for (int d = 0; d < 3; d++) q[d] = p[d] + (r == 2 ? h : h / 2) * k[r][d];
        }
        for (int d = 0; d < 3; d++) p[d] += h / 6 * (k[0][d] + 2 * k[1][d] + 2 * k[2][d] + k[3][d]);
    }
    for (int d = 0; d < 3; d++) out[d * n + i] = p[d];
}
"""

BIQUAD = """
extern "C" __global__ void biquad(float *y, const float *x, int channels, int length) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float u = 0, v = 0;
#pragma unroll UNROLL
    for (int t = 0; t < length; t++) {
        float in = x[t * channels + c], out = 0.2f * in + u;
        u = 0.4f * in - -0.37f * out + v;
        v = 0.2f * in - 0.19f * out;
        y[t * channels + c] = out;
    }
}
"""

TABLE = """
extern "C" __global__ void table(float *y, const float *x, const float *values, int n) {
#if SHARED
    __shared__ float t[1025];
    for (int k = threadIdx.x; k < 1025; k += blockDim.x) t[k] = values[k];
    __syncthreads();
#else
    const float *t = values;
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float u = fminf(fmaxf(x[i] * 128 + 512, 0.f), 1023.f);
        int k = (int)u;
        y[i] = t[k] + (u - k) * (t[k + 1] - t[k]);
    }
}
"""

ISING = """
extern "C" __global__ void ising(int *spin, unsigned seed, int parity) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = 2 * x + ((y ^ parity) & 1), at = y * WIDTH + i;
    int s = (spin[at] & 2) - 1;
    int n = (spin[y * WIDTH + (i + 1) % WIDTH] & 2) + (spin[y * WIDTH + (i + WIDTH - 1) % WIDTH] & 2)
          + (spin[(y + 1) % HEIGHT * WIDTH + i] & 2) + (spin[(y + HEIGHT - 1) % HEIGHT * WIDTH + i] & 2) - 4;
    unsigned r = (at * 747796405u + seed) ^ (seed >> 7);
    r = ((r >> ((r >> 28) + 4)) ^ r) * 277803737u;
    r = r >> 22 ^ r;
    if (r * 2.3283064e-10f < __expf(-0.88f * s * n)) spin[at] = s < 0 ? 2 : 0;
}
"""

WAVELET = """
extern "C" __global__ void wavelet(float *y, const float *x, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w / 2 || j >= h / 2) return;
#if PAIRS
    float2 p = ((const float2 *)x)[2 * j * w / 2 + i], q = ((const float2 *)x)[(2 * j + 1) * w / 2 + i];
    float a = p.x, b = p.y, c = q.x, d = q.y;
#else
    float a = x[2 * j * w + 2 * i], b = x[2 * j * w + 2 * i + 1], c = x[(2 * j + 1) * w + 2 * i], d = x[(2 * j + 1) * w + 2 * i + 1];
#endif
    y[j * w + i] = (a + b + c + d) / 2;
    y[j * w + w / 2 + i] = (a - b + c - d) / 2;
    y[(j + h / 2) * w + i] = (a + b - c - d) / 2;
    y[(j + h / 2) * w + w / 2 + i] = (a - b - c + d) / 2;
}
"""

COSINES = """
extern "C" __global__ void cosines(float *y, const float *x, int w) {
    __shared__ float s[4][8][9], c[8][8];
    int t = threadIdx.x, b = t / 64, r = t / 8 % 8, k = t % 8, at = (blockIdx.y * 8 + r) * w + (blockIdx.x * 4 + b) * 8 + k;
    if (t < 64) c[r][k] = (r ? 0.5f : 0.35355339f) * cosf(3.14159265f * r * (2 * k + 1) / 16);
    s[b][r][k] = x[at];
    __syncthreads();
    float v = 0;
#if UNROLLED
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int q = 0; q < 8; q++) v += s[b][r][q] * c[k][q];
    __syncthreads();
    s[b][r][k] = v;
    __syncthreads();
    v = 0;
#if UNROLLED
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int q = 0; q < 8; q++) v += s[b][q][k] * c[r][q];
    y[at] = v;
}
"""

ROTATIONS = """
extern "C" __global__ void rotations(float *y, const float *q, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if APART
#define Q(k) q[k * n + i]
#define X(k) x[k * n + i]
#define Y(k) y[k * n + i]
#else
#define Q(k) q[4 * i + k]
#define X(k) x[3 * i + k]
#define Y(k) y[3 * i + k]
#endif
    float a = Q(0), b = Q(1), c = Q(2), d = Q(3), u = X(0), v = X(1), w = X(2), r = rsqrtf(a * a + b * b + c * c + d * d);
    a *= r, b *= r, c *= r, d *= r;
    float e = 2 * (c * w - d * v), f = 2 * (d * u - b * w), g = 2 * (b * v - c * u);
    Y(0) = u + a * e + c * g - d * f;
    Y(1) = v + a * f + d * e - b * g;
    Y(2) = w + a * g + b * f - c * e;
}
"""

SPHERES = """
__device__ float distance(float x, float y, float z) {
    float d = y + 1;
    for (int k = 0; k < SPHERES_N; k++) {
        float a = x - k * 0.7f + 2, b = y - 0.3f * k + 1, c = z - 4 - 0.2f * k;
        d = fminf(d, sqrtf(a * a + b * b + c * c) - 0.5f);
    }
    return d;
}
extern "C" __global__ void spheres(float *image, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (2.f * i - w) / h, v = (2.f * j - h) / h, r = rsqrtf(u * u + v * v + 1), t = 0;
    for (int s = 0; s < 40; s++) {
        float d = distance(u * r * t, v * r * t, r * t);
        if (d < 0.001f || t > 20) break;
        t += d;
    }
    image[j * w + i] = t;
}
"""


def launches(w):
    n = 1 << 20
    for degree, unroll in ((8, 9), (60, 1), (60, 4), (60, 61)):
        w.launch(POLYNOMIAL, {"DEGREE": degree, "UNROLL": unroll}, (528,), (256,), zero(n), numbers(n), numbers(61, 2), n)
    for tile, each in ((16, 1), (32, 1), (32, 4), (32, 8)):
        w.launch(PRODUCT, {"TILE": tile, "EACH": each, "K": 384, "N": 512}, (512 // tile, 384 // tile), (tile, tile // each), zero(384 * 512), numbers(384 * 384),
                 numbers(384 * 512, 2))
    for real, kind, words in (("float", "f32", 1), ("double", "f64", 2)):
        for block in (64, 256):
            w.launch(LORENZ, {"REAL": real}, (32768 // block,), (block,), zero(words * 3 * 32768), numbers(3 * 32768, 1, kind), 50, 32768)
    for unroll in (1, 8):
        w.launch(BIQUAD, {"UNROLL": unroll}, (128,), (128,), zero(16384 * 200), numbers(16384 * 200), 16384, 200)
    for shared in (0, 1):
        for blocks in (264, 2048):
            w.launch(TABLE, {"SHARED": shared}, (blocks,), (256,), zero(2 * n), numbers(2 * n), numbers(1025, 2), 2 * n)
    for block in ((32, 4), (128, 2)):
        w.launch(ISING, {"WIDTH": 2048, "HEIGHT": 1024}, (1024 // block[0], 1024 // block[1]), block, {"buf": "u32", "words": 2048 * 1024, "seed": 5}, 12345, 1)
    for pairs in (0, 1):
        w.launch(WAVELET, {"PAIRS": pairs}, (1600 // 64, 1200 // 16), (32, 8), zero(1600 * 1200), numbers(1600 * 1200), 1600, 1200)
    for unrolled in (0, 1):
        w.launch(COSINES, {"UNROLLED": unrolled}, (1024 // 32, 768 // 8), (256,), zero(1024 * 768), numbers(1024 * 768), 1024)
    for apart in (0, 1):
        w.launch(ROTATIONS, {"APART": apart}, (500000 // 128 + 1,), (128,), zero(1500000), numbers(2000000), numbers(1500000, 2), 500000)
    for count in (3, 8):
        w.launch(SPHERES, {"SPHERES_N": count}, (640 // 32, 480 // 8), (32, 8), zero(640 * 480), 640, 480)


if __name__ == "__main__":
    write(launches, __doc__)
