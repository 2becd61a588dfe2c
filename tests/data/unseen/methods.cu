// Numerical methods, graphs and small systems, in variants; see networks.cu.
#include <cuda_pipeline.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

/* ---- grids ---- */

__device__ __forceinline__ float star_weight(int k) { return k == 0 ? -2.847f : k == 1 ? 1.6f : k == 2 ? -0.2f : k == 3 ? 0.0254f : -0.00179f; }

// A star of radius 4 in three dimensions, as seismic codes have it.
KERNEL star__points(float *y, const float *x, int w, int h, int d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 4, j = blockIdx.y * blockDim.y + threadIdx.y + 4, k = blockIdx.z + 4;
    if (i >= w - 4 || j >= h - 4 || k >= d - 4) return;
    const int at = (k * h + j) * w + i;
    float s = 3 * star_weight(0) * x[at];
#pragma unroll
    for (int r = 1; r <= 4; r++)
        s += star_weight(r) * (x[at - r] + x[at + r] + x[at - r * w] + x[at + r * w] + x[at - r * w * h] + x[at + r * w * h]);
    y[at] = s;
}

KERNEL star__columns(float *y, const float *x, int w, int h, int d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 4, j = blockIdx.y * blockDim.y + threadIdx.y + 4;
    if (i >= w - 4 || j >= h - 4) return;
    float z[9];
#pragma unroll
    for (int r = 0; r < 8; r++) z[r + 1] = x[(r * h + j) * w + i];
    for (int k = 4; k < d - 4; k++) {
        const int at = (k * h + j) * w + i;
#pragma unroll
        for (int r = 0; r < 8; r++) z[r] = z[r + 1];
        z[8] = x[at + 4 * w * h];
        float s = 3 * star_weight(0) * z[4];
#pragma unroll
        for (int r = 1; r <= 4; r++) s += star_weight(r) * (x[at - r] + x[at + r] + x[at - r * w] + x[at + r * w] + z[4 - r] + z[4 + r]);
        y[at] = s;
    }
}

KERNEL star__tile(float *y, const float *x, int w, int h, int d) {
    __shared__ float tile[16][40];
    const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 32 + tx + 4, j = blockIdx.y * 8 + ty + 4, t = ty * 32 + tx;
    const bool inside = i < w - 4 && j < h - 4;
    float z[9];
#pragma unroll
    for (int r = 0; r < 8; r++) z[r + 1] = inside ? x[(r * h + j) * w + i] : 0;
    for (int k = 4; k < d - 4; k++) {
        __syncthreads();
        for (int e = t; e < 16 * 40; e += 256) {
            const int a = blockIdx.y * 8 + e / 40, b = blockIdx.x * 32 + e % 40;
            tile[e / 40][e % 40] = a < h && b < w ? x[(k * h + a) * w + b] : 0;
        }
        __syncthreads();
        if (!inside) continue;
        const int at = (k * h + j) * w + i;
#pragma unroll
        for (int r = 0; r < 8; r++) z[r] = z[r + 1];
        z[8] = x[at + 4 * w * h];
        float s = 3 * star_weight(0) * z[4];
#pragma unroll
        for (int r = 1; r <= 4; r++) s += star_weight(r) * (tile[ty + 4][tx + 4 - r] + tile[ty + 4][tx + 4 + r] + tile[ty + 4 - r][tx + 4] + tile[ty + 4 + r][tx + 4] + z[4 - r] + z[4 + r]);
        y[at] = s;
    }
}

// One step of Jacobi's method with a source, in doubles.
KERNEL jacobi__plain(double *y, const double *x, const double *f, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= h - 1 || j >= w - 1) return;
    const int at = i * w + j;
    y[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - w] + x[at + w] - f[at]);
}

KERNEL jacobi__rows4(double *y, const double *x, const double *f, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, from = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (j < 1 || j >= w - 1 || from >= h) return;
    double a = from ? x[(from - 1) * w + j] : 0, b = x[from * w + j];
#pragma unroll
    for (int i = from; i < from + 4; i++) {
        if (i >= h - 1) return;
        const int at = i * w + j;
        const double c = x[at + w];
        if (i) y[at] = 0.25 * (x[at - 1] + x[at + 1] + a + c - f[at]);
        a = b, b = c;
    }
}

KERNEL jacobi__async(double *y, const double *x, const double *f, int w, int h) {
    __shared__ double tile[10][34];
    const int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 32 + tx, i = blockIdx.y * 8 + ty;
    for (int e = ty * 32 + tx; e < 340; e += 256) {
        const int a = blockIdx.y * 8 + e / 34 - 1, b = blockIdx.x * 32 + e % 34 - 1;
        if (a >= 0 && a < h && b >= 0 && b < w) __pipeline_memcpy_async(&tile[e / 34][e % 34], &x[a * w + b], 8);
    }
    __pipeline_commit();
    const bool inside = i >= 1 && j >= 1 && i < h - 1 && j < w - 1;
    const double g = inside ? f[i * w + j] : 0;
    __pipeline_wait_prior(0);
    __syncthreads();
    if (inside) y[i * w + j] = 0.25 * (tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] + tile[ty + 2][tx + 1] - g);
}

// Particles' charge onto the four corners of their cells, on a grid of 64 x 64.
__device__ __forceinline__ void deposit(float *grid, float u, float v, float q) {
    u = fminf(fmaxf(u * 8 + 32, 0.f), 62.9f), v = fminf(fmaxf(v * 8 + 32, 0.f), 62.9f);
    const int i = (int)u, j = (int)v;
    u -= i, v -= j;
    atomicAdd(&grid[j * 64 + i], q * (1 - u) * (1 - v));
    atomicAdd(&grid[j * 64 + i + 1], q * u * (1 - v));
    atomicAdd(&grid[j * 64 + i + 64], q * (1 - u) * v);
    atomicAdd(&grid[j * 64 + i + 65], q * u * v);
}

KERNEL deposit__global(float *grid, const float *x, const float *y, const float *q, int n) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) deposit(grid, x[i], y[i], q[i]);
}

KERNEL deposit__shared(float *grid, const float *x, const float *y, const float *q, int n) {
    __shared__ float mine[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) deposit(mine, x[i], y[i], q[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (mine[i] != 0) atomicAdd(&grid[i], mine[i]);
}

// Particles pushed through a field that they interpolate from a grid of 128 x 128.
__device__ __forceinline__ float interpolated(const float *f, float u, float v) {
    const int i = (int)u, j = (int)v;
    u -= i, v -= j;
    return (f[j * 128 + i] * (1 - u) + f[j * 128 + i + 1] * u) * (1 - v) + (f[j * 128 + 128 + i] * (1 - u) + f[j * 128 + 129 + i] * u) * v;
}

__device__ __forceinline__ float4 pushed(float4 p, const float *ex, const float *ey) {
    const float u = fminf(fmaxf(p.x * 16 + 64, 0.f), 126.9f), v = fminf(fmaxf(p.y * 16 + 64, 0.f), 126.9f);
    p.z += 0.01f * interpolated(ex, u, v), p.w += 0.01f * interpolated(ey, u, v);
    p.x += 0.01f * p.z, p.y += 0.01f * p.w;
    return p;
}

KERNEL push__together(float *p, const float *ex, const float *ey, int n) {
    const int i = THREAD;
    if (i < n) ((float4 *)p)[i] = pushed(((float4 *)p)[i], ex, ey);
}

KERNEL push__apart(float *p, const float *ex, const float *ey, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float4 q = pushed(make_float4(p[i], p[n + i], p[2 * n + i], p[3 * n + i]), ex, ey);
    p[i] = q.x, p[n + i] = q.y, p[2 * n + i] = q.z, p[3 * n + i] = q.w;
}

/* ---- small systems ---- */

// Factors of 12 x 12 matrices without pivots; the diagonal is made large.
KERNEL lu__thread(float *a, int n) {
    const int t = THREAD;
    if (t >= n) return;
    float m[12][12];
#pragma unroll
    for (int i = 0; i < 12; i++)
#pragma unroll
        for (int j = 0; j < 12; j++) m[i][j] = a[t * 144 + i * 12 + j] + (i == j ? 30 : 0);
#pragma unroll
    for (int k = 0; k < 12; k++)
#pragma unroll
        for (int i = k + 1; i < 12; i++) {
            const float f = m[i][k] / m[k][k];
            m[i][k] = f;
#pragma unroll
            for (int j = k + 1; j < 12; j++) m[i][j] -= f * m[k][j];
        }
#pragma unroll
    for (int i = 0; i < 12; i++)
#pragma unroll
        for (int j = 0; j < 12; j++) a[t * 144 + i * 12 + j] = m[i][j];
}

KERNEL lu__shared(float *a, int n) {
    __shared__ float room[8][12][13];
    const int lane = threadIdx.x % 16, g = threadIdx.x / 16, t = blockIdx.x * 8 + g;
    float(*m)[13] = room[g];
    if (t < n)
        for (int e = lane; e < 144; e += 16) m[e / 12][e % 12] = a[t * 144 + e] + (e / 12 == e % 12 ? 30 : 0);
    __syncwarp();
    for (int k = 0; k < 12; k++) {
        if (lane > k && lane < 12) {
            const float f = m[lane][k] / m[k][k];
            m[lane][k] = f;
            for (int j = k + 1; j < 12; j++) m[lane][j] -= f * m[k][j];
        }
        __syncwarp();
    }
    if (t < n)
        for (int e = lane; e < 144; e += 16) a[t * 144 + e] = m[e / 12][e % 12];
}

KERNEL lu__lanes(float *a, int n) {
    const int lane = threadIdx.x % 16, t = THREAD / 16;
    float r[12];
#pragma unroll
    for (int j = 0; j < 12; j++) r[j] = t < n && lane < 12 ? a[t * 144 + lane * 12 + j] + (lane == j ? 30 : 0) : 1;
#pragma unroll
    for (int k = 0; k < 12; k++) {
        const float f = r[k] / __shfl_sync(~0u, r[k], k, 16);
#pragma unroll
        for (int j = k + 1; j < 12; j++) {
            const float v = __shfl_sync(~0u, r[j], k, 16);
            if (lane > k) r[j] -= f * v;
        }
        if (lane > k) r[k] = f;
    }
    if (t < n && lane < 12)
#pragma unroll
        for (int j = 0; j < 12; j++) a[t * 144 + lane * 12 + j] = r[j];
}

// The largest eigenvalues of symmetric 3 x 3 matrices in closed form.
__device__ __forceinline__ float eigenvalue(float a, float b, float c, float d, float e, float f) {
    const float m = (a + b + c) / 3, p = d * d + e * e + f * f, q = (a - m) * (a - m) + (b - m) * (b - m) + (c - m) * (c - m) + 2 * p, s = sqrtf(q / 6) + 1e-20f;
    const float A = (a - m) / s, B = (b - m) / s, C = (c - m) / s, D = d / s, E = e / s, F = f / s;
    const float r = 0.5f * (A * (B * C - F * F) - D * (D * C - F * E) + E * (D * F - B * E));
    return m + 2 * s * cosf(acosf(fminf(fmaxf(r, -1.f), 1.f)) / 3);
}

KERNEL eigen__together(float *y, const float *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float *p = x + 6 * i;
    y[i] = eigenvalue(p[0], p[1], p[2], p[3], p[4], p[5]);
}

KERNEL eigen__pairs(float *y, const float *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float2 *p = (const float2 *)x + 3 * i, a = p[0], b = p[1], c = p[2];
    y[i] = eigenvalue(a.x, a.y, b.x, b.y, c.x, c.y);
}

KERNEL eigen__staged(float *y, const float *x, int n) {
    __shared__ float room[128 * 6];
    const int base = blockIdx.x * 128;
    for (int e = threadIdx.x; e < 768 && base * 6 + e < 6 * n; e += 128) room[e] = x[base * 6 + e];
    __syncthreads();
    const float *p = room + 6 * threadIdx.x;
    if (base + threadIdx.x < n) y[base + threadIdx.x] = eigenvalue(p[0], p[1], p[2], p[3], p[4], p[5]);
}

// Sums of all earlier doubles within blocks of 1024.
KERNEL prefix__lanes(double *y, const double *x) {
    __shared__ double sums[32];
    const int t = threadIdx.x, at = blockIdx.x * 1024 + t;
    double v = x[at];
    for (int k = 1; k < 32; k *= 2) {
        const double u = __shfl_up_sync(~0u, v, k);
        if (t % 32 >= k) v += u;
    }
    if (t % 32 == 31) sums[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        double s = sums[t];
        for (int k = 1; k < 32; k *= 2) {
            const double u = __shfl_up_sync(~0u, s, k);
            if (t >= k) s += u;
        }
        sums[t] = s;
    }
    __syncthreads();
    y[at] = v + (t >= 32 ? sums[t / 32 - 1] : 0);
}

KERNEL prefix__four(double *y, const double *x) {
    __shared__ double sums[8];
    const int t = threadIdx.x;
    const double2 *p = (const double2 *)x + blockIdx.x * 512 + 2 * t;
    double2 a = p[0], b = p[1];
    a.y += a.x, b.x += a.y, b.y += b.x;
    double v = b.y;
    for (int k = 1; k < 32; k *= 2) {
        const double u = __shfl_up_sync(~0u, v, k);
        if (t % 32 >= k) v += u;
    }
    if (t % 32 == 31) sums[t / 32] = v;
    __syncthreads();
    double before = v - b.y;
    for (int k = 0; k < t / 32; k++) before += sums[k];
    double2 *q = (double2 *)y + blockIdx.x * 512 + 2 * t;
    q[0] = make_double2(a.x + before, a.y + before), q[1] = make_double2(b.x + before, b.y + before);
}

KERNEL prefix__shared(double *y, const double *x) {
    __shared__ double room[2][1024];
    const int t = threadIdx.x;
    int now = 0;
    room[0][t] = x[blockIdx.x * 1024 + t];
    for (int k = 1; k < 1024; k *= 2, now ^= 1) {
        __syncthreads();
        room[now ^ 1][t] = room[now][t] + (t >= k ? room[now][t - k] : 0);
    }
    y[blockIdx.x * 1024 + t] = room[now][t];
}

/* ---- Fourier ---- */

// One stage of a transform of n complex numbers in global memory, radix 2: spans of `span`.
KERNEL stage__sincos(float2 *y, const float2 *x, const float2 *table, int n, int span) {
    const int i = THREAD;
    if (i >= n / 2) return;
    const int k = i % span;
    const float2 a = x[i], b = x[i + n / 2];
    float s, c;
    sincospif(-(float)k / span, &s, &c);
    const float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    const int o = (i - k) * 2 + k;
    y[o] = make_float2(a.x + t.x, a.y + t.y), y[o + span] = make_float2(a.x - t.x, a.y - t.y);
}

KERNEL stage__fast(float2 *y, const float2 *x, const float2 *table, int n, int span) {
    const int i = THREAD;
    if (i >= n / 2) return;
    const int k = i % span;
    const float2 a = x[i], b = x[i + n / 2];
    float s, c;
    __sincosf(-3.14159265f * k / span, &s, &c);
    const float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    const int o = (i - k) * 2 + k;
    y[o] = make_float2(a.x + t.x, a.y + t.y), y[o + span] = make_float2(a.x - t.x, a.y - t.y);
}

KERNEL stage__table(float2 *y, const float2 *x, const float2 *table, int n, int span) {
    const int i = THREAD;
    if (i >= n / 2) return;
    const int k = i % span;
    const float2 a = x[i], b = x[i + n / 2], w = table[k * (4096 / span)];
    const float2 t = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    const int o = (i - k) * 2 + k;
    y[o] = make_float2(a.x + t.x, a.y + t.y), y[o + span] = make_float2(a.x - t.x, a.y - t.y);
}

KERNEL stage__pairs(float2 *y, const float2 *x, const float2 *table, int n, int span) {
    const int i = THREAD * 2;
    if (i >= n / 2) return;
    const int k = i % span, o = (i - k) * 2 + k;
    const float4 a = *(const float4 *)&x[i], b = *(const float4 *)&x[i + n / 2];
    const float2 w = table[k * (4096 / span)], v = table[(k + 1) * (4096 / span)];
    const float4 t = make_float4(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x, b.z * v.x - b.w * v.y, b.z * v.y + b.w * v.x);
    *(float4 *)&y[o] = make_float4(a.x + t.x, a.y + t.y, a.z + t.z, a.w + t.w);
    *(float4 *)&y[o + span] = make_float4(a.x - t.x, a.y - t.y, a.z - t.z, a.w - t.w);
}

/* ---- graphs ---- */

// Triangles at each vertex of a graph of n vertices, whose rows of neighbours are bits: a block a vertex.
KERNEL triangles__warps(int *y, const uint32_t *bits, int words) {
    __shared__ uint32_t mine[64];
    const int v = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int i = threadIdx.x; i < words; i += blockDim.x) mine[i] = bits[v * words + i];
    __syncthreads();
    int s = 0;
    for (int u = warp; u < words * 32; u += warps)
        if (mine[u / 32] >> u % 32 & 1)
            for (int i = lane; i < words; i += 32) s += __popc(mine[i] & bits[u * words + i]);
    s = __reduce_add_sync(~0u, s);
    if (lane == 0 && s) atomicAdd(&y[v], s);
}

KERNEL triangles__threads(int *y, const uint32_t *bits, int words) {
    __shared__ uint32_t mine[64];
    const int v = blockIdx.x;
    for (int i = threadIdx.x; i < words; i += blockDim.x) mine[i] = bits[v * words + i];
    __syncthreads();
    int s = 0;
    for (int u = threadIdx.x; u < words * 32; u += blockDim.x)
        if (mine[u / 32] >> u % 32 & 1)
            for (int i = 0; i < words; i++) s += __popc(mine[i] & bits[u * words + i]);
    s = __reduce_add_sync(~0u, s);
    if (threadIdx.x % 32 == 0 && s) atomicAdd(&y[v], s);
}

KERNEL triangles__fours(int *y, const uint32_t *bits, int words) {
    __shared__ uint4 mine[16];
    const int v = blockIdx.x, four = words / 4;
    for (int i = threadIdx.x; i < four; i += blockDim.x) mine[i] = ((const uint4 *)bits)[v * four + i];
    __syncthreads();
    int s = 0;
    for (int u = threadIdx.x; u < words * 32; u += blockDim.x)
        if (((const uint32_t *)mine)[u / 32] >> u % 32 & 1)
            for (int i = 0; i < four; i++) {
                const uint4 a = mine[i], b = ((const uint4 *)bits)[u * four + i];
                s += __popc(a.x & b.x) + __popc(a.y & b.y) + __popc(a.z & b.z) + __popc(a.w & b.w);
            }
    s = __reduce_add_sync(~0u, s);
    if (threadIdx.x % 32 == 0 && s) atomicAdd(&y[v], s);
}

// A step of a search by breadth: vertices whose level is below 3 give their 8 neighbours level 9 if these have more.
// The levels before the step and after it are apart.
KERNEL frontier__plain(int *out, const int *level, const int *next, int n) {
    const int i = THREAD;
    if (i >= n || level[i] >= 3) return;
    for (int k = 0; k < 8; k++) atomicMin(&out[next[i * 8 + k]], 9);
}

KERNEL frontier__checked(int *out, const int *level, const int *next, int n) {
    const int i = THREAD;
    if (i >= n || level[i] >= 3) return;
    for (int k = 0; k < 8; k++) {
        const int v = next[i * 8 + k];
        if (level[v] > 9) atomicMin(&out[v], 9);
    }
}

KERNEL frontier__edges(int *out, const int *level, const int *next, int n) {
    const int e = THREAD;
    if (e >= 8 * n || level[e / 8] >= 3) return;
    atomicMin(&out[next[e]], 9);
}

KERNEL frontier__wide(int *out, const int *level, const int *next, int n) {
    const int i = THREAD;
    if (i >= n || level[i] >= 3) return;
    const int4 a = ((const int4 *)next)[2 * i], b = ((const int4 *)next)[2 * i + 1];
    atomicMin(&out[a.x], 9), atomicMin(&out[a.y], 9), atomicMin(&out[a.z], 9), atomicMin(&out[a.w], 9);
    atomicMin(&out[b.x], 9), atomicMin(&out[b.y], 9), atomicMin(&out[b.z], 9), atomicMin(&out[b.w], 9);
}

// Ranks of a list by jumping over pointers, out of place.
KERNEL jump__1(int *out, int *sum, const int *next, const int *value, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const int a = next[i];
    out[i] = next[a], sum[i] = value[i] + value[a];
}

KERNEL jump__4(int *out, int *sum, const int *next, const int *value, int n) {
    const int i = THREAD * 4;
    if (i >= n) return;
    const int4 a = *(const int4 *)&next[i], v = *(const int4 *)&value[i];
    *(int4 *)&out[i] = make_int4(next[a.x], next[a.y], next[a.z], next[a.w]);
    *(int4 *)&sum[i] = make_int4(v.x + value[a.x], v.y + value[a.y], v.z + value[a.z], v.w + value[a.w]);
}

KERNEL jump__strided(int *out, int *sum, const int *next, const int *value, int n) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const int a = next[i];
        out[i] = next[a], sum[i] = value[i] + value[a];
    }
}

// The best value of a knapsack: a block has a problem of 64 things and a capacity of 1023.
KERNEL knapsack__one(int *y, const int *weight, const int *value) {
    __shared__ int best[2][1024];
    for (int c = threadIdx.x; c < 1024; c += blockDim.x) best[0][c] = 0;
    __syncthreads();
    for (int k = 0; k < 64; k++) {
        const int w = weight[blockIdx.x * 64 + k] + 1, v = value[blockIdx.x * 64 + k];
        for (int c = threadIdx.x; c < 1024; c += blockDim.x) {
            const int old = best[k % 2][c];
            best[(k + 1) % 2][c] = c >= w ? max(old, best[k % 2][c - w] + v) : old;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = best[0][1023];
}

KERNEL knapsack__staged(int *y, const int *weight, const int *value) {
    __shared__ int best[2][1024], ws[64], vs[64];
    for (int c = threadIdx.x; c < 1024; c += blockDim.x) best[0][c] = 0;
    for (int k = threadIdx.x; k < 64; k += blockDim.x) ws[k] = weight[blockIdx.x * 64 + k] + 1, vs[k] = value[blockIdx.x * 64 + k];
    __syncthreads();
    for (int k = 0; k < 64; k++) {
        const int w = ws[k], v = vs[k];
#pragma unroll 4
        for (int c = threadIdx.x; c < 1024; c += blockDim.x) {
            const int old = best[k % 2][c];
            best[(k + 1) % 2][c] = c >= w ? max(old, best[k % 2][c - w] + v) : old;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = best[0][1023];
}

/* ---- chance ---- */

// Threefry with 12 rounds, as a generator without state: the mean of a function at random points.
__device__ __forceinline__ uint2 threefry(uint32_t a, uint32_t b, uint32_t k0, uint32_t k1) {
    const uint32_t k2 = 0x1BD11BDA ^ k0 ^ k1, keys[3] = {k0, k1, k2};
    const int turns[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    a += k0, b += k1;
#pragma unroll
    for (int r = 0; r < 12; r++) {
        a += b, b = __funnelshift_l(b, b, turns[r % 8]) ^ a;
        if (r % 4 == 3) a += keys[(r / 4 + 1) % 3], b += keys[(r / 4 + 2) % 3] + r / 4 + 1;
    }
    return make_uint2(a, b);
}

template <int UNROLL> __device__ __forceinline__ void integral(float *y, int rounds, int seed) {
    const int i = THREAD;
    float s = 0;
#pragma unroll UNROLL
    for (int k = 0; k < rounds; k++) {
        const uint2 r = threefry(i, k, seed, 77);
        const float u = r.x * 2.3283064e-10f, v = r.y * 2.3283064e-10f;
        s += __expf(-u * v) * (u * u + v * v < 1);
    }
    y[i] = s / rounds;
}
KERNEL integral__u1(float *y, int rounds, int seed) { integral<1>(y, rounds, seed); }
KERNEL integral__u4(float *y, int rounds, int seed) { integral<4>(y, rounds, seed); }

// A walk over an 8 x 8 x 8 lattice, by xorshift: visits are counted.
KERNEL walk__global(int *visits, int steps) {
    uint32_t s = THREAD * 2654435761u + 1;
    int at = s >> 23;
    for (int k = 0; k < steps; k++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        at = (at + (1 << 3 * (s >> 28) % 9) + 512) & 511;
        atomicAdd(&visits[at], 1);
    }
}

KERNEL walk__shared(int *visits, int steps) {
    __shared__ int mine[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    uint32_t s = THREAD * 2654435761u + 1;
    int at = s >> 23;
    for (int k = 0; k < steps; k++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        at = (at + (1 << 3 * (s >> 28) % 9) + 512) & 511;
        atomicAdd(&mine[at], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) atomicAdd(&visits[i], mine[i]);
}
