"""Kernels for the set tests/data/fresh that NVRTC compiles, with their sizes and choices as macros, as programs do that make kernels while they run.

    fresh_nvrtc.py FOLDER    writes FOLDER/nvrtc.jsonl and FOLDER/nvrtc.files"""
from launch_lines import bits, numbers, whole, zero
from nvrtc_writer import write

SHALLOW_TREE = """
// The votes of decision trees, whose nodes are in rows or in columns.
extern "C" __global__ void trees(float *y, const float *x, const float *cut, const int *feature, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if SHARED
    __shared__ float cuts[TREES * 64];
    __shared__ int features[TREES * 64];
    for (int k = threadIdx.x; k < TREES * 64; k += blockDim.x) cuts[k] = cut[k], features[k] = feature[k];
    __syncthreads();
#else
    const float *cuts = cut;
    const int *features = feature;
#endif
    float s = 0;
    for (int t = 0; t < TREES; t++) {
        int at = 1;
#pragma unroll
        for (int d = 0; d < 5; d++) at = 2 * at + (x[FEATURE_FIRST ? features[t * 64 + at] * n + i : i * 16 + features[t * 64 + at]] > cuts[t * 64 + at]);
        s += cuts[t * 64 + at - 32];
    }
    y[i] = s;
}
"""

LATTICE_GAS = """
// Heat that flows in a lattice of nine directions, in one array of structures or in nine arrays.
#define AT(q, i) (APART ? (q) * W * H + (i) : (i) * 9 + (q))
extern "C" __global__ void flow(float *out, const float *in, float rate) {
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float f[9], t = 0;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int a = x - cx[q], b = y - cy[q];
        a = a < 0 ? a + W : a >= W ? a - W : a, b = b < 0 ? b + H : b >= H ? b - H : b;
        t += f[q] = in[AT(q, b * W + a)];
    }
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float w = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
        out[AT(q, y * W + x)] = f[q] + rate * (w * t * (1 + 0.3f * cx[q] - 0.1f * cy[q]) - f[q]);
    }
}
"""

SMALL_SYSTEMS = """
// Systems of N equations by Gauss and Jordan, a thread or N lanes each.
extern "C" __global__ void solve(REAL *x, const REAL *a, const REAL *b, int n) {
#if LANES
    int t = blockIdx.x * blockDim.x + threadIdx.x, s = t / N, r = t % N;
    if (s >= n) return;
    REAL row[N], v = b[t];
#pragma unroll
    for (int c = 0; c < N; c++) row[c] = a[t * N + c] + (r == c ? 9 : 0);
#pragma unroll
    for (int k = 0; k < N; k++) {
        REAL p = 1 / __shfl_sync(~0u, row[k], k, N), f = row[k] * p, pv = __shfl_sync(~0u, v, k, N);
#pragma unroll
        for (int c = k + 1; c < N; c++) {
            REAL q = __shfl_sync(~0u, row[c], k, N);
            row[c] = r == k ? q * p : row[c] - f * q;
        }
        v = r == k ? pv * p : v - f * pv;
    }
    x[t] = v;
#else
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    REAL m[N][N + 1];
#pragma unroll
    for (int r = 0; r < N; r++) {
#pragma unroll
        for (int c = 0; c < N; c++) m[r][c] = a[(s * N + r) * N + c] + (r == c ? 9 : 0);
        m[r][N] = b[s * N + r];
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        REAL p = 1 / m[k][k];
#pragma unroll
        for (int c = k + 1; c <= N; c++) m[k][c] *= p;
#pragma unroll
        for (int r = 0; r < N; r++)
            if (r != k)
#pragma unroll
                for (int c = k + 1; c <= N; c++) m[r][c] -= m[r][k] * m[k][c];
    }
#pragma unroll
    for (int r = 0; r < N; r++) x[s * N + r] = m[r][N];
#endif
}
"""

LOCAL_MAXIMA = """
// The largest number in a window around each, by looking, by shared memory, or by the method of van Herk within a row of a block.
extern "C" __global__ void peaks(float *y, const float *x, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
#if SHARED
    __shared__ float room[BLOCK + 2 * R];
    for (int k = threadIdx.x; k < BLOCK + 2 * R; k += BLOCK) {
        int at = blockIdx.x * BLOCK + k - R;
        room[k] = at >= 0 && at < n ? x[at] : -1e30f;
    }
    __syncthreads();
    float m = -1e30f;
#pragma unroll
    for (int k = 0; k <= 2 * R; k++) m = fmaxf(m, room[threadIdx.x + k]);
#else
    float m = -1e30f;
    for (int k = -R; k <= R; k++)
        if (i + k >= 0 && i + k < n) m = fmaxf(m, x[i + k]);
#endif
    if (i < n) y[i] = m;
}
"""

PREFIX_CODES = """
// Codes of one to eight bits are read, 64 words a thread, with a table of 256 lengths and letters.
extern "C" __global__ void read_codes(unsigned *y, const unsigned *in, const unsigned *table, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if SHARED
    __shared__ unsigned t[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = table[k];
    __syncthreads();
#else
    const unsigned *t = table;
#endif
    if (i >= n) return;
    unsigned long long window = 0;
    unsigned sum = 0;
    int have = 0;
    for (int k = 0; k < WORDS; k++) {
        window |= (unsigned long long)in[TURNED ? k * n + i : i * WORDS + k] << have, have += 32;
        while (have >= 8) {
            unsigned e = t[window & 255], l = (e & 7) + 1;
            sum = sum * 31 + (e >> 8), window >>= l, have -= l;
        }
    }
    y[i] = sum;
}
"""

TILES_OF_SHARES = """
// Covariances of series: each block has a tile of pairs.
extern "C" __global__ void together(float *y, const float *x, int series, int length) {
    __shared__ float a[TILE][PIECE + PAD], b[TILE][PIECE + PAD];
    int tx = threadIdx.x % TILE, ty = threadIdx.x / TILE, rows = blockDim.x / TILE;
    float s[EACH] = {};
    for (int from = 0; from < length; from += PIECE) {
        for (int e = threadIdx.x; e < TILE * PIECE; e += blockDim.x) {
            a[e / PIECE][e % PIECE] = x[(blockIdx.y * TILE + e / PIECE) * length + from + e % PIECE];
            b[e / PIECE][e % PIECE] = x[(blockIdx.x * TILE + e / PIECE) * length + from + e % PIECE];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < PIECE; k++)
#pragma unroll
            for (int r = 0; r < EACH; r++) s[r] += a[ty + r * (TILE / EACH)][k] * b[tx][k];
        __syncthreads();
    }
    for (int r = 0; r < EACH; r++) y[(blockIdx.y * TILE + ty + r * rows) * series + blockIdx.x * TILE + tx] = s[r] / length;
}
"""


def launches(w):
    n = 1 << 16
    for shared, first, block in ((0, 0, 128), (0, 1, 128), (1, 0, 128), (1, 1, 256)):
        w.launch(SHALLOW_TREE, {"TREES": 20, "SHARED": shared, "FEATURE_FIRST": first}, n // block, block, zero(n), numbers(16 * n), numbers(20 * 64, 2), whole(20 * 64, 16), n)
    for apart, block in ((0, (32, 8)), (1, (32, 8)), (1, (128, 2)), (1, (16, 16))):
        w.launch(LATTICE_GAS, {"W": 768, "H": 512, "APART": apart}, (768 // block[0], 512 // block[1]), block, zero(9 * 768 * 512), numbers(9 * 768 * 512), 0.6)
    n = 40000
    for lanes, block in ((0, 64), (0, 128), (1, 128), (1, 256)):
        w.launch(SMALL_SYSTEMS, {"N": 8, "LANES": lanes, "REAL": "float"}, (n * (8 if lanes else 1) + block - 1) // block, block, zero(8 * n), numbers(64 * n), numbers(8 * n, 2), n)
    for lanes, block in ((0, 64), (1, 128)):
        w.launch(SMALL_SYSTEMS, {"N": 4, "LANES": lanes, "REAL": "double"}, (n * (4 if lanes else 1) + block - 1) // block, block, zero(8 * n), numbers(16 * n, kind="f64"),
                 numbers(4 * n, 2, "f64"), n)
    n = 1 << 20
    for shared, block in ((0, 128), (0, 512), (1, 128), (1, 512)):
        w.launch(LOCAL_MAXIMA, {"R": 10, "SHARED": shared, "BLOCK": block}, n // block, block, zero(n), numbers(n), n)
    n = 32768
    for shared, turned, block in ((0, 0, 128), (0, 1, 128), (1, 1, 128), (1, 1, 32)):
        w.launch(PREFIX_CODES, {"WORDS": 16, "SHARED": shared, "TURNED": turned}, n // block, block, zero(n), bits(16 * n), bits(256, 2), n)
    for tile, piece, pad, each in ((32, 32, 1, 4), (32, 32, 0, 4), (32, 16, 1, 8), (32, 64, 1, 4)):
        w.launch(TILES_OF_SHARES, {"TILE": tile, "PIECE": piece, "PAD": pad, "EACH": each}, (512 // tile, 512 // tile), tile * tile // each, zero(512 * 512), numbers(512 * 256), 512, 256)


if __name__ == "__main__":
    write(launches, __doc__)
