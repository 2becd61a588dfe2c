// Numerics, graphs and images for the third set that judges the model, in variants; see layers.cu.
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

/* ---- grids ---- */

// Elastic waves: stresses from velocities on a staggered grid, differences of fourth order.
#define DIFFERENCE(p, s) (1.125f * ((p)[s] - (p)[0]) - 0.041666667f * ((p)[2 * (s)] - (p)[-(s)]))

KERNEL elastic__plain(float *xx, float *yy, float *xy, const float *u, const float *v, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, at = i * w + j;
    if (i < 2 || j < 2 || i >= h - 2 || j >= w - 2) return;
    const float a = DIFFERENCE(u + at, 1), b = DIFFERENCE(v + at, w);
    xx[at] += 0.3f * a + 0.1f * b, yy[at] += 0.1f * a + 0.3f * b, xy[at] += 0.1f * (DIFFERENCE(u + at, w) + DIFFERENCE(v + at, 1));
}

KERNEL elastic__rows(float *xx, float *yy, float *xy, const float *u, const float *v, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, from = max(2, (int)blockIdx.y * 16), to = min(h - 2, (int)blockIdx.y * 16 + 16);
    if (j < 2 || j >= w - 2) return;
    float a[4], b[4];
    for (int k = 0; k < 3; k++) a[k + 1] = u[(from - 1 + k) * w + j], b[k + 1] = v[(from - 1 + k) * w + j];
    for (int i = from; i < to; i++) {
        const int at = i * w + j;
#pragma unroll
        for (int k = 0; k < 3; k++) a[k] = a[k + 1], b[k] = b[k + 1];
        a[3] = u[at + 2 * w], b[3] = v[at + 2 * w];
        const float p = DIFFERENCE(u + at, 1), q = DIFFERENCE(b + 1, 1);
        xx[at] += 0.3f * p + 0.1f * q, yy[at] += 0.1f * p + 0.3f * q, xy[at] += 0.1f * (DIFFERENCE(a + 1, 1) + DIFFERENCE(v + at, 1));
    }
}

KERNEL elastic__tile(float *xx, float *yy, float *xy, const float *u, const float *v, int w, int h) {
    __shared__ float tu[11][36], tv[11][36];
    const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 8 + ty, j = blockIdx.x * 32 + tx, at = i * w + j;
    for (int e = ty * 32 + tx; e < 11 * 35; e += 256) {
        const int a = min(max((int)blockIdx.y * 8 + e / 35 - 1, 0), h - 1), b = min(max((int)blockIdx.x * 32 + e % 35 - 1, 0), w - 1);
        tu[e / 35][e % 35] = u[a * w + b], tv[e / 35][e % 35] = v[a * w + b];
    }
    __syncthreads();
    if (i < 2 || j < 2 || i >= h - 2 || j >= w - 2) return;
    const float *p = &tu[ty + 1][tx + 1], *q = &tv[ty + 1][tx + 1];
    const float a = DIFFERENCE(p, 1), b = DIFFERENCE(q, 36);
    xx[at] += 0.3f * a + 0.1f * b, yy[at] += 0.1f * a + 0.3f * b, xy[at] += 0.1f * (DIFFERENCE(p, 36) + DIFFERENCE(q, 1));
}

// Burgers' equation in three dimensions and 64 bits, against the wind.
__device__ __forceinline__ double upwind(double c, double l, double r) { return c > 0 ? c * (c - l) : c * (r - c); }

KERNEL burgers__points(double *y, const double *x, int w, int h, int d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z + 1;
    if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1) return;
    const double *p = x + ((size_t)k * h + j) * w + i, c = *p;
    y[((size_t)k * h + j) * w + i] = c - 0.1 * (upwind(c, p[-1], p[1]) + upwind(c, p[-w], p[w]) + upwind(c, p[-w * h], p[w * h])) + 0.01 * (p[-1] + p[1] + p[-w] + p[w] - 4 * c);
}

KERNEL burgers__columns(double *y, const double *x, int w, int h, int d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1) return;
    double below = x[j * w + i], c = x[(h + j) * w + i];
    for (int k = 1; k < d - 1; k++) {
        const double *p = x + ((size_t)k * h + j) * w + i, above = p[w * h];
        y[((size_t)k * h + j) * w + i] = c - 0.1 * (upwind(c, p[-1], p[1]) + upwind(c, p[-w], p[w]) + upwind(c, below, above)) + 0.01 * (p[-1] + p[1] + p[-w] + p[w] - 4 * c);
        below = c, c = above;
    }
}

// A matrix of seven diagonals times a vector.
KERNEL diagonals__thread(float *y, const float *m, const float *x, int n, int a, int b) {
    const int i = THREAD;
    if (i >= n) return;
    const int off[7] = {-b, -a, -1, 0, 1, a, b};
    float s = 0;
#pragma unroll
    for (int k = 0; k < 7; k++) {
        const int j = i + off[k];
        if (j >= 0 && j < n) s += m[k * n + i] * x[j];
    }
    y[i] = s;
}

KERNEL diagonals__rows(float *y, const float *m, const float *x, int n, int a, int b) {
    const int i = THREAD;
    if (i >= n) return;
    const int off[7] = {-b, -a, -1, 0, 1, a, b};
    float s = 0;
#pragma unroll
    for (int k = 0; k < 7; k++) s += m[i * 7 + k] * x[min(max(i + off[k], 0), n - 1)];
    y[i] = s;
}

KERNEL diagonals__fours(float *y, const float *m, const float *x, int n, int a, int b) {
    const int i = THREAD * 4;
    if (i >= n) return;
    const int off[7] = {-b, -a, -1, 0, 1, a, b};
    float s[4] = {};
#pragma unroll
    for (int k = 0; k < 7; k++) {
        const float4 v = *(const float4 *)(m + k * n + i);
        const float w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int e = 0; e < 4; e++) s[e] += w[e] * x[min(max(i + e + off[k], 0), n - 1)];
    }
    *(float4 *)(y + i) = make_float4(s[0], s[1], s[2], s[3]);
}

// Elements with four corners: forces are added at the corners by atomic operations, or each corner gathers from eight elements.
KERNEL elements__scatter(float *force, const float *place, const int *corner, int n, int nodes) {
    const int e = THREAD;
    if (e >= n) return;
    int c[4];
    float p[4][3], m[3] = {};
    for (int k = 0; k < 4; k++) {
        c[k] = corner[4 * e + k];
        for (int d = 0; d < 3; d++) p[k][d] = place[3 * c[k] + d], m[d] += 0.25f * p[k][d];
    }
    for (int k = 0; k < 4; k++)
        for (int d = 0; d < 3; d++) atomicAdd(&force[3 * c[k] + d], m[d] - p[k][d]);
}

KERNEL elements__apart(float *force, const float *place, const int *corner, int n, int nodes) {
    const int e = THREAD;
    if (e >= n) return;
    const int4 c = ((const int4 *)corner)[e];
    for (int d = 0; d < 3; d++) {
        const float *p = place + d * nodes;
        float *f = force + d * nodes;
        const float a = p[c.x], b = p[c.y], g = p[c.z], h = p[c.w], m = 0.25f * (a + b + g + h);
        atomicAdd(f + c.x, m - a), atomicAdd(f + c.y, m - b), atomicAdd(f + c.z, m - g), atomicAdd(f + c.w, m - h);
    }
}

KERNEL elements__gather(float *force, const float *place, const int *corner, int n, int nodes) {
    const int i = THREAD;
    if (i >= nodes) return;
    float f[3] = {};
    const float p[3] = {place[3 * i], place[3 * i + 1], place[3 * i + 2]};
    for (int e = i * 5; e < i * 5 + 5; e++) {
        const int4 c = ((const int4 *)corner)[e];
        for (int d = 0; d < 3; d++) f[d] += 0.25f * (place[3 * c.x + d] + place[3 * c.y + d] + place[3 * c.z + d] + place[3 * c.w + d]) - p[d];
    }
    for (int d = 0; d < 3; d++) force[3 * i + d] = f[d];
}

/* ---- systems and transforms ---- */

// Rows of 256 complex numbers transformed: a warp has eight numbers a lane and exchanges by shuffles, or by shared memory.
__device__ __forceinline__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

template <bool SHUFFLES> __device__ __forceinline__ void spectrum(float2 *y, const float2 *x, float2 *room) {
    const int row = THREAD / 32, lane = threadIdx.x % 32;
    float2 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = x[row * 256 + k * 32 + lane];
#pragma unroll
    for (int span = 4; span; span /= 2)
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (!(k & span)) {
                float2 w;
                __sincosf(-3.14159265f * ((k & (span - 1)) * 32 + lane) / (span * 32), &w.y, &w.x);
                const float2 a = v[k], b = v[k + span];
                v[k] = make_float2(a.x + b.x, a.y + b.y), v[k + span] = times(make_float2(a.x - b.x, a.y - b.y), w);
            }
#pragma unroll
    for (int span = 16; span; span /= 2) {
        float2 w;
        __sincosf(-3.14159265f * (lane & (span - 1)) / span, &w.y, &w.x);
        if (!SHUFFLES) {
            __syncwarp();
#pragma unroll
            for (int k = 0; k < 8; k++) room[k * 32 + lane] = v[k];
            __syncwarp();
        }
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float2 o = SHUFFLES ? make_float2(__shfl_xor_sync(~0u, v[k].x, span), __shfl_xor_sync(~0u, v[k].y, span)) : room[k * 32 + (lane ^ span)];
            v[k] = lane & span ? times(make_float2(o.x - v[k].x, o.y - v[k].y), w) : make_float2(v[k].x + o.x, v[k].y + o.y);
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++) y[row * 256 + k * 32 + lane] = v[k];
}
KERNEL spectrum__shuffles(float2 *y, const float2 *x) { spectrum<true>(y, x, nullptr); }
KERNEL spectrum__shared(float2 *y, const float2 *x) {
    __shared__ float2 room[8][256];
    spectrum<false>(y, x, room[threadIdx.x / 32]);
}

// Systems of 8 x 4 by Householder's reflections: a thread has one, in registers.
KERNEL reflect__thread(float *y, const float *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    float a[8][4];
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) a[r][c] = x[(r * 4 + c) * n + i];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float s = 0;
#pragma unroll
        for (int r = k; r < 8; r++) s += a[r][k] * a[r][k];
        const float norm = copysignf(sqrtf(s), -a[k][k]), u = a[k][k] - norm, b = 1 / (norm * u);
#pragma unroll
        for (int c = k + 1; c < 4; c++) {
            float d = u * a[k][c];
#pragma unroll
            for (int r = k + 1; r < 8; r++) d += a[r][k] * a[r][c];
            d *= b, a[k][c] += u * d;
#pragma unroll
            for (int r = k + 1; r < 8; r++) a[r][c] += a[r][k] * d;
        }
        a[k][k] = norm;
#pragma unroll
        for (int c = k; c < 4; c++) y[(k * 4 + c) * n + i] = a[k][c];
    }
}

KERNEL reflect__lanes(float *y, const float *x, int n) {
    const int t = THREAD, i = t / 8, r = t % 8;
    if (i >= n) return;
    const float4 v = ((const float4 *)x)[t];
    float a[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float s = r >= k ? a[k] * a[k] : 0;
        for (int j = 4; j; j /= 2) s += __shfl_xor_sync(~0u, s, j, 8);
        const float top = __shfl_sync(~0u, a[k], k, 8), norm = copysignf(sqrtf(s), -top), b = 1 / (norm * (top - norm)), u = r < k ? 0 : r == k ? top - norm : a[k];
#pragma unroll
        for (int c = k + 1; c < 4; c++) {
            float d = u * a[c];
            for (int j = 4; j; j /= 2) d += __shfl_xor_sync(~0u, d, j, 8);
            a[c] += u * d * b;
        }
        if (r == k) a[k] = norm;
    }
    if (r < 4) ((float4 *)y)[i * 4 + r] = make_float4(a[0], a[1], a[2], a[3]);
}

// Systems of five diagonals along lines of 96 points, in 32 or 64 bits: neighbours in memory, or each line by itself.
template <class T> __device__ __forceinline__ void penta(T *x, int n, int step, int line) {
    const int i = THREAD;
    if (i >= n) return;
    T *p = x + (size_t)i * line;
    T a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    for (int k = 0; k < 96; k++) {
        const T g = 1 / (T(8) - a - e * b), h = (T(2) - e * c) * g, z = (p[(size_t)k * step] - f * d) * g;
        d = z, e = h, b = c, c = g, a = h * g, f = T(0.5) * g + h;
        p[(size_t)k * step] = z;
    }
    T last = 0, before = 0;
    for (int k = 95; k >= 0; k--) {
        const T v = p[(size_t)k * step] - T(0.25) * last - T(0.125) * before;
        before = last, last = v;
        p[(size_t)k * step] = v;
    }
}
KERNEL penta__together(float *x, int n) { penta<float>(x, n, n, 1); }
KERNEL penta__lines(float *x, int n) { penta<float>(x, n, 1, 96); }
KERNEL penta64__together(double *x, int n) { penta<double>(x, n, n, 1); }

// Potentials of charges in 64 bits: from memory, by tiles, or four by a thread.
KERNEL charges__global(double *y, const double *x, int n, int m) {
    const int i = THREAD;
    const double a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    double s = 0;
    for (int j = 0; j < m; j++) {
        const double u = x[3 * j] - a, v = x[3 * j + 1] - b, w = x[3 * j + 2] - c;
        s += rsqrt(u * u + v * v + w * w + 1e-3);
    }
    y[i] = s;
}

KERNEL charges__tile(double *y, const double *x, int n, int m) {
    __shared__ double room[3][128];
    const int i = THREAD, t = threadIdx.x;
    const double a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    double s = 0;
    for (int from = 0; from < m; from += 128) {
        __syncthreads();
        for (int e = t; e < 384; e += blockDim.x) room[e % 3][e / 3] = x[3 * from + e];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 128; j++) {
            const double u = room[0][j] - a, v = room[1][j] - b, w = room[2][j] - c;
            s += rsqrt(u * u + v * v + w * w + 1e-3);
        }
    }
    y[i] = s;
}

// Barrier options by paths: normals by Box and Muller of a generator by xor and shift, one path or two by a thread.
__device__ __forceinline__ uint32_t next_of(uint32_t &s) { return s ^= s << 13, s ^= s >> 17, s ^= s << 5; }

template <int PATHS, bool FAST> __device__ __forceinline__ void barrier(float *y, int steps, uint32_t seed) {
    uint32_t s = (THREAD + 1) * 2654435761u ^ seed;
    float v[PATHS], alive[PATHS];
    for (int p = 0; p < PATHS; p++) v[p] = 0, alive[p] = 1;
    for (int k = 0; k < steps; k++)
#pragma unroll
        for (int p = 0; p < PATHS; p++) {
            const float a = (next_of(s) + 0.5f) * 2.3283064e-10f, b = next_of(s) * 2.3283064e-10f;
            const float r = FAST ? __fsqrt_rn(-2 * __logf(a)) * __cosf(6.2831853f * b) : sqrtf(-2 * logf(a)) * cosf(6.2831853f * b);
            v[p] += 0.02f * r - 0.0002f;
            if (v[p] > 0.25f) alive[p] = 0;
        }
    float sum = 0;
    for (int p = 0; p < PATHS; p++) sum += alive[p] * fmaxf(expf(v[p]) - 1, 0);
    y[THREAD] = sum / PATHS;
}
KERNEL barrier__one(float *y, int steps, uint32_t seed) { barrier<1, false>(y, steps, seed); }
KERNEL barrier__fast(float *y, int steps, uint32_t seed) { barrier<1, true>(y, steps, seed); }
KERNEL barrier__two(float *y, int steps, uint32_t seed) { barrier<2, true>(y, steps, seed); }

// Means of clusters: points of eight numbers are added to the sums of their cluster.
KERNEL means__global(float *sum, int *count, const float *x, const int *label, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const int c = label[i];
    for (int d = 0; d < 8; d++) atomicAdd(&sum[c * 8 + d], x[d * n + i]);
    atomicAdd(&count[c], 1);
}

KERNEL means__shared(float *sum, int *count, const float *x, const int *label, int n) {
    __shared__ float mine[64 * 8];
    __shared__ int many[64];
    for (int k = threadIdx.x; k < 512; k += blockDim.x) mine[k] = 0;
    if (threadIdx.x < 64) many[threadIdx.x] = 0;
    __syncthreads();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const int c = label[i];
        for (int d = 0; d < 8; d++) atomicAdd(&mine[c * 8 + d], x[d * n + i]);
        atomicAdd(&many[c], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 512; k += blockDim.x) atomicAdd(&sum[k], mine[k]);
    if (threadIdx.x < 64) atomicAdd(&count[threadIdx.x], many[threadIdx.x]);
}

// Costs of warping one sequence to another (64 x 64), by diagonals: a warp, or a block.
KERNEL warping__warp(float *y, const float *a, const float *b) {
    const int pair = THREAD / 32, lane = threadIdx.x % 32;
    const float *p = a + pair * 64, *q = b + pair * 64;
    const float m0 = p[2 * lane], m1 = p[2 * lane + 1];
    float last0 = 1e30f, last1 = 1e30f, corner = lane ? 1e30f : 0, out = 1e30f;
    for (int d = 0; d < 64 + 31; d++) {
        const int j = d - lane;
        float up = __shfl_up_sync(~0u, out, 1);
        if (lane == 0) up = 1e30f;
        if (j >= 0 && j < 64) {
            const float v = q[j];
            const float c0 = fabsf(m0 - v) + fminf(fminf(corner, up), last0);
            const float c1 = fabsf(m1 - v) + fminf(fminf(last0, c0), last1);
            corner = up, last0 = c0, last1 = c1, out = c1;
        }
    }
    if (lane == 31) y[pair] = last1;
}

KERNEL warping__block(float *y, const float *a, const float *b) {
    __shared__ float row[3][65], q[64];
    const int t = threadIdx.x;
    const float mine = a[blockIdx.x * 64 + t];
    q[t] = b[blockIdx.x * 64 + t];
    for (int k = 0; k < 3; k++) row[k][t + 1] = 1e30f;
    if (t < 3) row[t][0] = 1e30f;
    __syncthreads();
    for (int d = 0; d < 127; d++) {
        const int j = d - t;
        float *now = row[d % 3];
        const float *old = row[(d + 2) % 3], *older = row[(d + 1) % 3];
        float c = 1e30f;
        if (j >= 0 && j < 64) {
            const float corner = t == 0 && j == 0 ? 0 : older[t];
            c = fabsf(mine - q[j]) + fminf(fminf(corner, old[t]), old[t + 1]);
        }
        now[t + 1] = c;
        __syncthreads();
    }
    if (t == 63) y[blockIdx.x] = row[126 % 3][64];
}

// Distances in a graph of eight edges a vertex are lowered once, by vertices, by edges or by warps' groups of lanes.
KERNEL relax__vertices(int *far, const int *near, const int *to, const int *cost, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const int d = near[i];
    for (int k = 0; k < 8; k++) atomicMin(&far[to[i * 8 + k]], d + cost[i * 8 + k]);
}

KERNEL relax__edges(int *far, const int *near, const int *to, const int *cost, int n) {
    const int e = THREAD;
    if (e < 8 * n) atomicMin(&far[to[e]], near[e / 8] + cost[e]);
}

KERNEL relax__looks(int *far, const int *near, const int *to, const int *cost, int n) {
    const int e = THREAD;
    if (e >= 8 * n) return;
    const int d = near[e / 8] + cost[e], v = to[e];
    if (d < near[v]) atomicMin(&far[v], d);
}

// Pairs of a key and a value in order: 1024 a block, in shared memory, or in registers as long as partners are in a warp.
KERNEL pairs__shared(uint64_t *x) {
    __shared__ uint64_t room[1024];
    const int t = threadIdx.x;
    for (int k = t; k < 1024; k += 512) room[k] = x[blockIdx.x * 1024 + k];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            const int a = 2 * t - (t & (j - 1)), b = a + j;
            const uint64_t u = room[a], v = room[b];
            if ((u > v) == !(a & k)) room[a] = v, room[b] = u;
        }
    __syncthreads();
    for (int k = t; k < 1024; k += 512) x[blockIdx.x * 1024 + k] = room[k];
}

KERNEL pairs__mixed(uint64_t *x) {
    __shared__ uint64_t room[1024];
    const int t = threadIdx.x;
    uint64_t v = x[blockIdx.x * 1024 + t];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            uint64_t o;
            if (j >= 32) {
                __syncthreads();
                room[t] = v;
                __syncthreads();
                o = room[t ^ j];
            } else
                o = __shfl_xor_sync(~0u, v, j);
            const bool low = !(t & j) == !(t & k);
            v = (o < v) == low ? o : v;
        }
    x[blockIdx.x * 1024 + t] = v;
}

/* ---- images and chance ---- */

// Means of like patches: 3 x 3 patches in a window of 5 x 5.
KERNEL patches__plain(float *y, const float *x, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 3 || j < 3 || i >= h - 3 || j >= w - 3) return;
    const float *p = x + i * w + j;
    float sum = 0, total = 0;
    for (int a = -2; a <= 2; a++)
#pragma unroll
        for (int b = -2; b <= 2; b++) {
            float d = 0;
#pragma unroll
            for (int e = -1; e <= 1; e++)
#pragma unroll
                for (int f = -1; f <= 1; f++) {
                    const float v = p[e * w + f] - p[(a + e) * w + b + f];
                    d += v * v;
                }
            const float c = __expf(-d);
            sum += c * p[a * w + b], total += c;
        }
    y[i * w + j] = sum / total;
}

KERNEL patches__tile(float *y, const float *x, int w, int h) {
    __shared__ float t[14][38];
    const int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 32 + tx, i = blockIdx.y * 8 + ty;
    for (int e = ty * 32 + tx; e < 14 * 38; e += 256) t[e / 38][e % 38] = x[min(max((int)blockIdx.y * 8 + e / 38 - 3, 0), h - 1) * w + min(max((int)blockIdx.x * 32 + e % 38 - 3, 0), w - 1)];
    __syncthreads();
    if (i >= h || j >= w) return;
    float sum = 0, total = 0;
    for (int a = -2; a <= 2; a++)
#pragma unroll
        for (int b = -2; b <= 2; b++) {
            float d = 0;
#pragma unroll
            for (int e = -1; e <= 1; e++)
#pragma unroll
                for (int f = -1; f <= 1; f++) {
                    const float v = t[ty + 3 + e][tx + 3 + f] - t[ty + 3 + a + e][tx + 3 + b + f];
                    d += v * v;
                }
            const float c = __expf(-d);
            sum += c * t[ty + 3 + a][tx + 3 + b], total += c;
        }
    y[i * w + j] = sum / total;
}

// Red, green and blue of eight bits become lightness and two colours.
__device__ __forceinline__ float3 lab(float r, float g, float b) {
    const float x = cbrtf(0.4124f * r + 0.3576f * g + 0.1805f * b), y = cbrtf(0.2126f * r + 0.7152f * g + 0.0722f * b), z = cbrtf(0.0193f * r + 0.1192f * g + 0.9505f * b);
    return make_float3(116 * y - 16, 500 * (x - y), 200 * (y - z));
}

KERNEL lab__interleaved(float *out, const uint8_t *in, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float3 v = lab(in[3 * i] / 255.f, in[3 * i + 1] / 255.f, in[3 * i + 2] / 255.f);
    out[3 * i] = v.x, out[3 * i + 1] = v.y, out[3 * i + 2] = v.z;
}

KERNEL lab__planes(float *out, const uint8_t *in, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float3 v = lab(in[i] / 255.f, in[n + i] / 255.f, in[2 * n + i] / 255.f);
    out[i] = v.x, out[n + i] = v.y, out[2 * n + i] = v.z;
}

KERNEL lab__fours(float *out, const uint8_t *in, int n) {
    const int i = THREAD;
    if (4 * i >= n) return;
    const uchar4 r = ((const uchar4 *)in)[i], g = ((const uchar4 *)(in + n))[i], b = ((const uchar4 *)(in + 2 * n))[i];
    const float s = 1 / 255.f;
    const float3 p = lab(r.x * s, g.x * s, b.x * s), q = lab(r.y * s, g.y * s, b.y * s), u = lab(r.z * s, g.z * s, b.z * s), v = lab(r.w * s, g.w * s, b.w * s);
    ((float4 *)out)[i] = make_float4(p.x, q.x, u.x, v.x), ((float4 *)(out + n))[i] = make_float4(p.y, q.y, u.y, v.y), ((float4 *)(out + 2 * n))[i] = make_float4(p.z, q.z, u.z, v.z);
}

// Newton's steps to the roots of z^3 = 1.
template <class T> __device__ __forceinline__ void roots(int *y, int w, int h, int most) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= h || j >= w) return;
    T a = (T(j) - w / 2) / 200 + T(0.001), b = (T(i) - h / 2) / 200;
    int k = 0;
    for (; k < most; k++) {
        const T p = a * a - b * b, q = 2 * a * b, r = p * a - q * b - 1, s = p * b + q * a, d = 3 * (p * p + q * q);
        a -= (r * p + s * q) / d, b -= (s * p - r * q) / d;
        if (r * r + s * s < T(1e-6)) break;
    }
    y[i * w + j] = k;
}
KERNEL roots__single(int *y, int w, int h, int most) { roots<float>(y, w, h, most); }
KERNEL roots__double(int *y, int w, int h, int most) { roots<double>(y, w, h, most); }

// Smooth noise of four octaves: corners from a table in memory, in shared memory, or by a hash.
template <class Corner> __device__ __forceinline__ float noise(float x, float y, Corner corner) {
    float sum = 0, high = 1;
#pragma unroll
    for (int o = 0; o < 4; o++, x *= 2, y *= 2, high *= 0.5f) {
        const int i = (int)floorf(x), j = (int)floorf(y);
        const float u = x - i, v = y - j, p = u * u * (3 - 2 * u), q = v * v * (3 - 2 * v);
        const float a = corner(i, j), b = corner(i + 1, j), c = corner(i, j + 1), d = corner(i + 1, j + 1);
        sum += high * (a + p * (b - a) + q * (c - a) + p * q * (a - b - c + d));
    }
    return sum;
}

KERNEL noise__table(float *y, const float *table, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < h && j < w) y[i * w + j] = noise(j / 32.f, i / 32.f, [=](int a, int b) { return table[(b * 57 + a) & 1023]; });
}

KERNEL noise__shared(float *y, const float *table, int w, int h) {
    __shared__ float t[1024];
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < 1024; k += blockDim.x * blockDim.y) t[k] = table[k];
    __syncthreads();
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < h && j < w) y[i * w + j] = noise(j / 32.f, i / 32.f, [&](int a, int b) { return t[(b * 57 + a) & 1023]; });
}

KERNEL noise__hash(float *y, const float *table, int w, int h) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < h && j < w)
        y[i * w + j] = noise(j / 32.f, i / 32.f, [](int a, int b) {
            uint32_t v = a * 374761393u + b * 668265263u;
            v = (v ^ v >> 13) * 1274126177u;
            return (v ^ v >> 16) * 2.3283064e-10f;
        });
}

// Vectors turned by quaternions: structures, arrays, or structures through shared memory.
__device__ __forceinline__ float3 turned(float4 q, float3 v) {
    const float tx = 2 * (q.y * v.z - q.z * v.y), ty = 2 * (q.z * v.x - q.x * v.z), tz = 2 * (q.x * v.y - q.y * v.x);
    return make_float3(v.x + q.w * tx + q.y * tz - q.z * ty, v.y + q.w * ty + q.z * tx - q.x * tz, v.z + q.w * tz + q.x * ty - q.y * tx);
}

KERNEL turn__structures(float *y, const float *q, const float *x, int n) {
    const int i = THREAD;
    if (i < n) ((float3 *)y)[i] = turned(((const float4 *)q)[i], ((const float3 *)x)[i]);
}

KERNEL turn__arrays(float *y, const float *q, const float *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float3 v = turned(make_float4(q[i], q[n + i], q[2 * n + i], q[3 * n + i]), make_float3(x[i], x[n + i], x[2 * n + i]));
    y[i] = v.x, y[n + i] = v.y, y[2 * n + i] = v.z;
}

KERNEL turn__staged(float *y, const float *q, const float *x, int n) {
    __shared__ float room[3 * 256];
    const int i = THREAD, t = threadIdx.x, base = blockIdx.x * 768;
    for (int k = t; k < 768; k += 256) room[k] = x[base + k];
    __syncthreads();
    const float3 v = turned(((const float4 *)q)[i], make_float3(room[3 * t], room[3 * t + 1], room[3 * t + 2]));
    room[3 * t] = v.x, room[3 * t + 1] = v.y, room[3 * t + 2] = v.z;
    __syncthreads();
    for (int k = t; k < 768; k += 256) y[base + k] = room[k];
}
