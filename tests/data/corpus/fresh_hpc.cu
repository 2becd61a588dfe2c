/* The second blind test: what is written for linear algebra, grids, particles, signals and graphs, as in textbooks, CUDA's samples and
 * mini-applications. Written before the model was looked at. Launches are in launches.py. */
#include <math.h>
#include <stdint.h>

#define FULL 0xffffffffu

template <typename T> struct vec2d {
    T x, y;
};
template <typename T> __device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(FULL, v, offset);
    return v;
}
template <int SIZE> __device__ __forceinline__ int conflict_free(int i) { return i + (i >> 5) + (i >> (2 * SIZE)); }

__constant__ float c_stencil[9] = {0.05f, 0.1f, 0.05f, 0.1f, 0.4f, 0.1f, 0.05f, 0.1f, 0.05f};
__constant__ float c_row_filter[17] = {0.01f, 0.02f, 0.03f, 0.05f, 0.07f, 0.08f, 0.1f, 0.1f, 0.08f, 0.1f, 0.1f, 0.08f, 0.07f, 0.05f, 0.03f, 0.02f, 0.01f};
__constant__ float4 c_centroids[12] = {{.1f, .2f, .3f, .4f}, {.9f, .2f, .1f, .4f}, {.5f, .5f, .5f, .5f}, {.8f, .8f, .1f, .1f}, {.2f, .9f, .9f, .3f}, {.6f, .1f, .7f, .2f},
                                       {.3f, .3f, .8f, .8f}, {.7f, .6f, .2f, .9f}, {.4f, .7f, .4f, .1f}, {.1f, .1f, .9f, .9f}, {.9f, .9f, .9f, .9f}, {.0f, .5f, .1f, .7f}};

extern "C" {

/* ---- sparse ---- */
__global__ void spmv_ell(int rows, int width, const int *__restrict__ cols, const float *__restrict__ vals, const float *__restrict__ x, float *__restrict__ y, int n) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < rows) {
        float dot = 0;
        for (int k = 0; k < width; k++) {
            unsigned col = (unsigned)cols[k * rows + row] % n;
            dot += vals[k * rows + row] * x[col];
        }
        y[row] = dot;
    }
}
__global__ void spmv_dia(int rows, int diagonals, const int *__restrict__ offsets, const double *__restrict__ data, const double *__restrict__ x, double *__restrict__ y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double sum = 0;
    for (int d = 0; d < diagonals; d++) {
        int col = row + offsets[d] - diagonals / 2;
        if (col >= 0 && col < rows) sum += data[(size_t)d * rows + row] * x[col];
    }
    y[row] = sum;
}
__global__ void spmv_coo(int nnz, const unsigned *rows, const unsigned *cols, const unsigned *vals, const unsigned *x, unsigned *y, int n) {
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < nnz; k += gridDim.x * blockDim.x) atomicAdd(&y[rows[k] % n], (vals[k] >> 20) * (x[cols[k] % n] >> 20));
}
__global__ void spmv_csr_warp(int rows, const int *__restrict__ row_start, const unsigned *__restrict__ cols, const float *__restrict__ vals, const float *__restrict__ x,
                              float *__restrict__ y, int per, int n) {
    const int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows) return;
    const int begin = row_start[row] * per, end = row_start[row + 1] * per;
    float sum = 0;
    for (int k = begin + lane; k < end; k += 32) sum += vals[k] * __ldg(&x[cols[k] % n]);
    sum = warp_sum(sum);
    if (lane == 0) y[row] = sum;
}
__global__ void spmv_bsr3(int block_rows, int per, const unsigned *__restrict__ cols, const float *__restrict__ vals, const float *__restrict__ x, float *__restrict__ y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, br = t / 3, r = t % 3;
    if (br >= block_rows) return;
    float sum = 0;
    for (int k = 0; k < per; k++) {
        unsigned bc = cols[br * per + k] % n;
        for (int c = 0; c < 3; c++) sum += vals[((br * per + k) * 3 + r) * 3 + c] * x[bc * 3 + c];
    }
    y[t] = sum;
}
__global__ void csr_stream(int rows, int per, const float *__restrict__ vals, const unsigned *__restrict__ cols, const float *__restrict__ x, float *__restrict__ y, int n) {
    __shared__ float products[1024];
    int first = blockIdx.x * (1024 / per), last = min(first + 1024 / per, rows), count = (last - first) * per;
    for (int i = threadIdx.x; i < count; i += blockDim.x) products[i] = vals[first * per + i] * x[cols[first * per + i] % n];
    __syncthreads();
    for (int row = first + threadIdx.x; row < last; row += blockDim.x) {
        float s = 0;
        for (int k = 0; k < per; k++) s += products[(row - first) * per + k];
        y[row] = s;
    }
}

/* ---- grids ---- */
__global__ void stencil_9pt_ghost(int w, int h, int pitch, const float *__restrict__ in, float *__restrict__ out) {
    extern __shared__ float tile[];
    const int sw = blockDim.x + 2, sh = blockDim.y + 2;
    const int bx = blockIdx.x * blockDim.x, by = blockIdx.y * blockDim.y;
    for (int j = threadIdx.y; j < sh; j += blockDim.y)
        for (int i = threadIdx.x; i < sw; i += blockDim.x) {
            int gx = bx + i, gy = by + j;
            tile[j * sw + i] = gx < w + 2 && gy < h + 2 ? in[gy * pitch + gx] : 0.0f;
        }
    __syncthreads();
    int x = bx + threadIdx.x, y = by + threadIdx.y;
    if (x >= w || y >= h) return;
    float v = 0;
#pragma unroll
    for (int dy = 0; dy < 3; dy++)
#pragma unroll
        for (int dx = 0; dx < 3; dx++) v += c_stencil[dy * 3 + dx] * tile[(threadIdx.y + dy) * sw + threadIdx.x + dx];
    out[(y + 1) * pitch + x + 1] = v;
}
__global__ void stencil_3d_box(int nx, int ny, int nz, const float *__restrict__ in, float *__restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    float s = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) s += in[((z + dz) * ny + y + dy) * nx + x + dx];
    out[(z * ny + y) * nx + x] = s * (1.0f / 27);
}
__global__ void fdtd_25d(int nx, int ny, int nz, const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float plane[8 + 4][32 + 4];
    const int gx = blockIdx.x * 32 + threadIdx.x, gy = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 2, ty = threadIdx.y + 2;
    const int sheet = nx * ny;
    const float *p = in + gy * nx + gx;
    float behind2 = p[0], behind1 = p[sheet], here = p[2 * sheet], front1 = p[3 * sheet], front2;
    for (int z = 2; z < nz - 2; z++) {
        front2 = p[(z + 2) * sheet];
        __syncthreads();
        plane[ty][tx] = here;
        if (threadIdx.y < 2) {
            plane[threadIdx.y][tx] = gy >= 2 ? p[z * sheet - 2 * nx] : 0;
            plane[ty + 8][tx] = gy + 8 < ny ? p[z * sheet + 8 * nx] : 0;
        }
        if (threadIdx.x < 2) {
            plane[ty][threadIdx.x] = gx >= 2 ? p[z * sheet - 2] : 0;
            plane[ty][tx + 32] = gx + 32 < nx ? p[z * sheet + 32] : 0;
        }
        __syncthreads();
        float v = 0.5f * here;
#pragma unroll
        for (int r = 1; r <= 2; r++) v += (plane[ty - r][tx] + plane[ty + r][tx] + plane[ty][tx - r] + plane[ty][tx + r]) * (0.1f / r);
        v += 0.1f * (front1 + behind1) + 0.05f * (front2 + behind2);
        out[z * sheet + gy * nx + gx] = v;
        behind2 = behind1, behind1 = here, here = front1, front1 = front2;
    }
}
__global__ void lattice_stream(int w, int h, const float *__restrict__ from, float *__restrict__ to) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float f[9], rho = 0;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int sx = (x - cx[q] + w) % w, sy = (y - cy[q] + h) % h;
        f[q] = from[(q * h + sy) * w + sx];
        rho += f[q];
    }
#pragma unroll
    for (int q = 0; q < 9; q++) to[(q * h + y) * w + x] = f[q] + 0.6f * (rho * (q == 0 ? 4.0f / 9 : q < 5 ? 1.0f / 9 : 1.0f / 36) - f[q]);
}
__global__ void jacobi_residual(int n, const float *__restrict__ u, const float *__restrict__ f, float *__restrict__ v, unsigned *worst) {
    __shared__ unsigned block_worst;
    if (threadIdx.x == 0 && threadIdx.y == 0) block_worst = 0;
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float r = 0;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        int c = y * n + x;
        float w = 0.25f * (u[c - 1] + u[c + 1] + u[c - n] + u[c + n] - f[c]);
        r = fabsf(w - u[c]);
        v[c] = w;
    }
    atomicMax(&block_worst, __float_as_uint(r));
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) atomicMax(worst, block_worst);
}
__global__ void red_black_gs(int w, int h, float *u, int color) {
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1, x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((y + color) & 1);
    if (x < w - 1 && y < h - 1) u[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);
}
__global__ void restrict_full_weight(int nc, const double *__restrict__ fine, double *__restrict__ coarse) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, nf = 2 * nc + 1;
    if (i >= nc || j >= nc) return;
    const double *f = fine + (2 * j + 1) * nf + 2 * i + 1;
    coarse[j * nc + i] = 0.25 * f[0] + 0.125 * (f[1] + f[-1] + f[nf] + f[-nf]) + 0.0625 * (f[nf + 1] + f[nf - 1] + f[1 - nf] + f[-1 - nf]);
}
__global__ void tridiagonal_pcr(const float *a0, const float *b0, const float *c0, const float *d0, float *x, int n) {
    extern __shared__ float sh[];
    float *a = sh, *b = a + n, *c = b + n, *d = c + n;
    int i = threadIdx.x, g = blockIdx.x * n + i;
    a[i] = i ? a0[g] : 0, b[i] = b0[g] + 4, c[i] = i < n - 1 ? c0[g] : 0, d[i] = d0[g];
    for (int step = 1; step < n; step *= 2) {
        __syncthreads();
        int lo = max(i - step, 0), hi = min(i + step, n - 1);
        float k1 = i >= step ? a[i] / b[lo] : 0, k2 = i + step < n ? c[i] / b[hi] : 0;
        float na = -a[lo] * k1, nb = b[i] - c[lo] * k1 - a[hi] * k2, nc = -c[hi] * k2, nd = d[i] - d[lo] * k1 - d[hi] * k2;
        __syncthreads();
        a[i] = na, b[i] = nb, c[i] = nc, d[i] = nd;
    }
    x[g] = d[i] / b[i];
}
__global__ void thomas_columns(int systems, int n, const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c, float *d, float *scratch) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float beta = b[s] + 3.0f;
    d[s] /= beta;
    for (int k = 1; k < n; k++) {
        float g = c[(k - 1) * systems + s] / beta;
        scratch[k * systems + s] = g;
        beta = b[k * systems + s] + 3.0f - a[k * systems + s] * g;
        d[k * systems + s] = (d[k * systems + s] - a[k * systems + s] * d[(k - 1) * systems + s]) / beta;
    }
    for (int k = n - 2; k >= 0; k--) d[k * systems + s] -= scratch[(k + 1) * systems + s] * d[(k + 1) * systems + s];
}

/* ---- particles ---- */
__global__ void nbody_softened(int n, const float4 *__restrict__ bodies, float3 *__restrict__ accel) {
    extern __shared__ float4 tile4[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[min(i, n - 1)];
    float3 acc = {0, 0, 0};
    for (int base = 0; base < n; base += blockDim.x) {
        int j = base + threadIdx.x;
        tile4[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < blockDim.x; k++) {
            float4 o = tile4[k];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float s = o.w / (r2 * sqrtf(r2));
            acc.x += dx * s, acc.y += dy * s, acc.z += dz * s;
        }
        __syncthreads();
    }
    if (i < n) accel[i] = acc;
}
__global__ void cells_count(int n, const float3 *__restrict__ at, unsigned *count, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = at[i];
    int c = min((int)(p.x * cells), cells - 1) + cells * (min((int)(p.y * cells), cells - 1) + cells * min((int)(p.z * cells), cells - 1));
    atomicAdd(count + c, 1);
}
__global__ void kmeans_assign(int n, const float4 *__restrict__ points, unsigned char *__restrict__ nearest, int *counts) {
    __shared__ int local[12];
    if (threadIdx.x < 12) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 p = points[i];
        float best = 1e30f;
        int which = 0;
        for (int k = 0; k < 12; k++) {
            float4 c = c_centroids[k];
            float d = (p.x - c.x) * (p.x - c.x) + (p.y - c.y) * (p.y - c.y) + (p.z - c.z) * (p.z - c.z) + (p.w - c.w) * (p.w - c.w);
            if (d < best) best = d, which = k;
        }
        nearest[i] = which;
        atomicAdd(&local[which], 1);
    }
    __syncthreads();
    if (threadIdx.x < 12) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
__global__ void centroid_lookup(int n, const unsigned *__restrict__ which, float4 *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = c_centroids[which[i] % 12];
}
__global__ void nearest_k(int queries, int points, const float2 *__restrict__ q, const float2 *__restrict__ p, float *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    float best[6];
    for (int k = 0; k < 6; k++) best[k] = 1e30f;
    float2 me = q[i];
    for (int j = 0; j < points; j++) {
        float2 o = p[j];
        float d = (o.x - me.x) * (o.x - me.x) + (o.y - me.y) * (o.y - me.y);
        if (d < best[5]) {
            int k = 5;
            for (; k > 0 && best[k - 1] > d; k--) best[k] = best[k - 1];
            best[k] = d;
        }
    }
    for (int k = 0; k < 6; k++) out[i * 6 + k] = best[k];
}
__global__ void leapfrog_soa(int n, float dt, const float *__restrict__ ax, const float *__restrict__ ay, const float *__restrict__ az, float *x, float *y, float *z, float *vx,
                             float *vy, float *vz) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float ux = vx[i] + dt * ax[i], uy = vy[i] + dt * ay[i], uz = vz[i] + dt * az[i];
        vx[i] = ux, vy[i] = uy, vz[i] = uz;
        x[i] += dt * ux, y[i] += dt * uy, z[i] += dt * uz;
    }
}

/* ---- signals ---- */
__global__ void fft_radix2_stage(int half, const float2 *__restrict__ in, float2 *__restrict__ out, int span) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half) return;
    int k = i & (span - 1);
    float s, c;
    sincospif(-(float)k / span, &s, &c);
    float2 a = in[i], b = in[i + half], t = {b.x * c - b.y * s, b.x * s + b.y * c};
    int j = ((i - k) << 1) + k;
    out[j] = make_float2(a.x + t.x, a.y + t.y);
    out[j + span] = make_float2(a.x - t.x, a.y - t.y);
}
__global__ void fft_radix4_block(const float2 *__restrict__ in, float2 *__restrict__ out) {
    __shared__ float re[256], im[256];
    int t = threadIdx.x; /* 64 threads, 256 points */
    float2 v[4];
    for (int r = 0; r < 4; r++) v[r] = in[blockIdx.x * 256 + t + 64 * r];
    for (int span = 1; span < 256; span *= 4) {
        int k = t & (span - 1);
        for (int r = 1; r < 4; r++) {
            float s, c;
            sincospif(-0.5f * r * k / span, &s, &c);
            v[r] = make_float2(v[r].x * c - v[r].y * s, v[r].x * s + v[r].y * c);
        }
        float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y}, c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
        v[0] = {a.x + c.x, a.y + c.y}, v[2] = {a.x - c.x, a.y - c.y}, v[1] = {b.x + d.x, b.y + d.y}, v[3] = {b.x - d.x, b.y - d.y};
        int j = ((t - k) << 2) + k;
        __syncthreads();
        for (int r = 0; r < 4; r++) re[j + r * span] = v[r].x, im[j + r * span] = v[r].y;
        __syncthreads();
        for (int r = 0; r < 4; r++) v[r] = make_float2(re[t + 64 * r], im[t + 64 * r]);
    }
    for (int r = 0; r < 4; r++) out[blockIdx.x * 256 + t + 64 * r] = v[r];
}
__global__ void walsh_block(const float *in, float *out, int log2n) {
    extern __shared__ float sw[];
    int n = 1 << log2n, base = blockIdx.x << log2n;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sw[k] = in[base + k];
    for (int stride = n >> 1; stride >= 1; stride >>= 1) {
        __syncthreads();
        for (int p = threadIdx.x; p < n / 2; p += blockDim.x) {
            int lo = p & (stride - 1), i = ((p - lo) << 1) + lo;
            float a = sw[i], b = sw[i + stride];
            sw[i] = a + b, sw[i + stride] = a - b;
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x) out[base + k] = sw[k];
}
__global__ void haar_levels(const float *in, float *approx, float *detail) {
    __shared__ float s[512];
    int t = threadIdx.x;
    const float2 *p = (const float2 *)in + blockIdx.x * 512;
    float2 v = p[t];
    detail[blockIdx.x * 512 + t] = (v.x - v.y) * 0.70710678f;
    s[t] = (v.x + v.y) * 0.70710678f;
    __syncthreads();
    for (int n = blockDim.x / 2; n > 0; n /= 2) {
        float a = 0, d = 0;
        if (t < n) a = (s[2 * t] + s[2 * t + 1]) * 0.70710678f, d = (s[2 * t] - s[2 * t + 1]) * 0.70710678f;
        __syncthreads();
        if (t < n) s[t] = a, approx[blockIdx.x * 512 + n + t] = d;
        __syncthreads();
    }
    if (t == 0) approx[blockIdx.x * 512] = s[0];
}
__global__ void dct_8x8(const float *__restrict__ in, float *__restrict__ out, int pitch) {
    __shared__ float block[8][4][9];
    const int bx = (blockIdx.x * 4 + threadIdx.y) * 8, by = blockIdx.y * 8, tx = threadIdx.x;
    for (int r = 0; r < 8; r++) block[r][threadIdx.y][tx] = in[(by + r) * pitch + bx + tx];
    __syncwarp();
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = block[tx][threadIdx.y][k];
    for (int k = 0; k < 4; k++) {
        float a = v[k], b = v[7 - k];
        block[tx][threadIdx.y][k] = a + b;
        block[tx][threadIdx.y][7 - k] = (a - b) * (0.3f + 0.1f * k);
    }
    __syncwarp();
    for (int k = 0; k < 8; k++) v[k] = block[k][threadIdx.y][tx];
    for (int k = 0; k < 4; k++) {
        float a = v[k], b = v[7 - k];
        out[(by + k) * pitch + bx + tx] = a + b;
        out[(by + 7 - k) * pitch + bx + tx] = (a - b) * (0.3f + 0.1f * k);
    }
}
__global__ void fir_filter(int n, const float *__restrict__ in, float *__restrict__ out) {
    extern __shared__ float window[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    window[threadIdx.x + 16] = i < n ? in[i] : 0;
    if (threadIdx.x < 16) window[threadIdx.x] = i >= 16 ? in[i - 16] : 0;
    __syncthreads();
    float acc = 0;
#pragma unroll
    for (int k = 0; k < 17; k++) acc += c_row_filter[k] * window[threadIdx.x + 16 - k];
    if (i < n) out[i] = acc;
}

/* ---- dense tiles ---- */
__global__ void lu_tile(float *a, int lda) {
    __shared__ float s[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    float *mine = a + blockIdx.x * 16 * lda;
    s[ty][tx] = mine[ty * lda + tx] + (tx == ty ? 8.0f : 0.0f);
    __syncthreads();
    for (int k = 0; k < 15; k++) {
        if (tx == k && ty > k) s[ty][k] /= s[k][k];
        __syncthreads();
        if (tx > k && ty > k) s[ty][tx] -= s[ty][k] * s[k][tx];
        __syncthreads();
    }
    mine[ty * lda + tx] = s[ty][tx];
}
__global__ void cholesky_column(const double *a, double *l, int n) {
    extern __shared__ double m[];
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) m[i] = 1.0 / (1 + i / n + i % n) + (i / n == i % n ? n : 0) + 0 * a[i];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0) m[k * n + k] = sqrt(m[k * n + k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) m[i * n + k] /= m[k * n + k];
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            for (int j = k + 1; j <= i; j++) m[i * n + j] -= m[i * n + k] * m[j * n + k];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) l[i] = i % n <= i / n ? m[i] : 0.0;
}
__global__ void trsm_lower(int n, const float *__restrict__ l, float *b, int ldb) {
    __shared__ float ls[32][33];
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) ls[i / n][i % n] = l[i];
    __syncthreads();
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= ldb) return;
    for (int i = 0; i < n; i++) {
        float x = b[i * ldb + col];
        for (int j = 0; j < i; j++) x -= ls[i][j] * b[j * ldb + col];
        b[i * ldb + col] = x / (1.0f + ls[i][i]);
    }
}
__global__ void floyd_tile(int n, int k0, int *dist, int phase) {
    __shared__ int own[16][16], across[16][16], down[16][17];
    int b = k0 / 16, bx = blockIdx.x, by = blockIdx.y;
    if (phase == 0) bx = by = b;
    if (phase == 1 && by == 1) by = bx, bx = b;
    else if (phase == 1) by = b;
    if (phase && (phase == 1 ? bx == b && by == b : bx == b || by == b)) return;
    int x = bx * 16 + threadIdx.x, y = by * 16 + threadIdx.y;
    own[threadIdx.y][threadIdx.x] = dist[y * n + x];
    across[threadIdx.y][threadIdx.x] = dist[(k0 + threadIdx.y) * n + x];
    down[threadIdx.y][threadIdx.x] = dist[y * n + k0 + threadIdx.x];
    __syncthreads();
    int d = own[threadIdx.y][threadIdx.x];
    for (int k = 0; k < 16; k++) d = min(d, (down[threadIdx.y][k] & 0xffff) + (across[k][threadIdx.x] & 0xffff));
    dist[y * n + x] = d;
}
__global__ void gemm_regs_4x4(int m, int n, int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    __shared__ float as[16][64 + 1], bs[16][64];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int p = 0; p < k; p += 16) {
        for (int i = threadIdx.x; i < 64 * 16; i += 256) {
            as[i % 16][i / 16] = row0 + i / 16 < m && p + i % 16 < k ? a[(row0 + i / 16) * k + p + i % 16] : 0;
            bs[i / 64][i % 64] = col0 + i % 64 < n && p + i / 64 < k ? b[(p + i / 64) * n + col0 + i % 64] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 16; q++) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; i++) ra[i] = as[q][ty * 4 + i], rb[i] = bs[q][tx + 16 * i];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (row0 + ty * 4 + i < m && col0 + tx + 16 * j < n) c[(row0 + ty * 4 + i) * n + col0 + tx + 16 * j] = acc[i][j];
}
__global__ void __launch_bounds__(256) gemm_regs_8x8(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    __shared__ __align__(16) float as[2][8][128], bs[2][8][128];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, ar = t / 2, ac = t % 2 * 4, br = t / 32, bc = t % 32 * 4;
    const float *ap = a + (blockIdx.y * 128 + ar) * n + ac, *bp = b + br * n + blockIdx.x * 128 + bc;
    float acc[8][8] = {};
    float4 av = *(const float4 *)ap, bv = *(const float4 *)bp;
    int buf = 0;
    as[0][ac][ar] = av.x, as[0][ac + 1][ar] = av.y, as[0][ac + 2][ar] = av.z, as[0][ac + 3][ar] = av.w;
    *(float4 *)&bs[0][br][bc] = bv;
    __syncthreads();
    for (int p = 8; p <= n; p += 8) {
        if (p < n) av = *(const float4 *)(ap + p), bv = *(const float4 *)(bp + p * n);
#pragma unroll
        for (int q = 0; q < 8; q++) {
            float ra[8], rb[8];
            *(float4 *)ra = *(float4 *)&as[buf][q][ty * 4], *(float4 *)(ra + 4) = *(float4 *)&as[buf][q][64 + ty * 4];
            *(float4 *)rb = *(float4 *)&bs[buf][q][tx * 4], *(float4 *)(rb + 4) = *(float4 *)&bs[buf][q][64 + tx * 4];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
        }
        if (p < n) {
            buf ^= 1;
            as[buf][ac][ar] = av.x, as[buf][ac + 1][ar] = av.y, as[buf][ac + 2][ar] = av.z, as[buf][ac + 3][ar] = av.w;
            *(float4 *)&bs[buf][br][bc] = bv;
            __syncthreads();
        }
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j += 4)
            *(float4 *)&c[(blockIdx.y * 128 + (i / 4) * 64 + ty * 4 + i % 4) * n + blockIdx.x * 128 + (j / 4) * 64 + tx * 4] = *(float4 *)&acc[i][j];
}
__global__ void gemv_columns(int rows, int cols, const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y) {
    __shared__ float part[8][33];
    int row = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    if (row < rows)
        for (int c = threadIdx.y; c < cols; c += 8) s += a[c * rows + row] * x[c];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0 && row < rows) {
        for (int k = 1; k < 8; k++) s += part[k][threadIdx.x];
        y[row] = s;
    }
}
__global__ void gemv_shared_vector(int rows, int cols4, const float4 *__restrict__ a, const float4 *__restrict__ x, float *__restrict__ y) {
    extern __shared__ float4 xs[];
    for (int k = threadIdx.x; k < cols4; k += blockDim.x) xs[k] = x[k];
    __syncthreads();
    int row = blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8, part = threadIdx.x % 8;
    float s = 0;
    if (row < rows)
        for (int k = part; k < cols4; k += 8) {
            float4 u = a[row * cols4 + k], v = xs[k];
            s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        }
    for (int o = 4; o; o >>= 1) s += __shfl_xor_sync(FULL, s, o, 8);
    if (row < rows && part == 0) y[row] = s;
}
__global__ void rank1_update(int m, int n, float alpha, const float *__restrict__ x, const float *__restrict__ y, float *a) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i0 = blockIdx.y * 4;
    if (j >= n) return;
    float yj = alpha * y[j];
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i0 + i < m) a[(i0 + i) * n + j] += x[i0 + i] * yj;
}
__global__ void givens_rows(int n, float *a, float *b, float c, float s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        vec2d<float> v = {a[i], b[i]};
        a[i] = c * v.x + s * v.y;
        b[i] = c * v.y - s * v.x;
    }
}
__global__ void syrk_triangle(int n, int k, const float *__restrict__ a, float *__restrict__ c) {
    if (blockIdx.x > blockIdx.y) return;
    __shared__ float p[8][9], q[8][9];
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    float s = 0;
    for (int t = 0; t < k; t += 8) {
        p[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
        q[threadIdx.y][threadIdx.x] = a[(blockIdx.x * 8 + threadIdx.y) * k + t + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 8; i++) s += p[threadIdx.y][i] * q[threadIdx.x][i];
        __syncthreads();
    }
    if (col <= row && row < n) c[row * n + col] = s;
}

/* ---- reductions and prefix sums ---- */
__global__ void reduce_interleaved(const int *in, int *out) {
    extern __shared__ int si[];
    unsigned t = threadIdx.x;
    si[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned i = 2 * s * t;
        if (i + s < blockDim.x) si[i] += si[i + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = si[0];
}
__global__ void reduce_modulo(const int *in, int *out) {
    extern __shared__ int si[];
    unsigned t = threadIdx.x;
    si[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0 && t + s < blockDim.x) si[t] += si[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = si[0];
}
__device__ unsigned blocks_done = 0;
__global__ void reduce_last_block(int n, const int *in, volatile int *partial, int *out) {
    __shared__ int sums[32];
    __shared__ bool last;
    int s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) s += in[i];
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        s = 0;
        for (int k = 0; k < blockDim.x / 32; k++) s += sums[k];
        partial[blockIdx.x] = s;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        s = 0;
        for (int b = 0; b < gridDim.x; b++) s += partial[b];
        *out = s;
    }
}
__global__ void scan_blelloch(const int *in, int *out, int n) {
    extern __shared__ int temp[];
    int t = threadIdx.x, offset = 1, ai = t, bi = t + n / 2;
    temp[conflict_free<5>(ai)] = in[blockIdx.x * n + ai];
    temp[conflict_free<5>(bi)] = in[blockIdx.x * n + bi];
    for (int d = n >> 1; d > 0; d >>= 1, offset *= 2) {
        __syncthreads();
        if (t < d) temp[conflict_free<5>(offset * (2 * t + 2) - 1)] += temp[conflict_free<5>(offset * (2 * t + 1) - 1)];
    }
    if (t == 0) temp[conflict_free<5>(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = conflict_free<5>(offset * (2 * t + 1) - 1), b = conflict_free<5>(offset * (2 * t + 2) - 1), v = temp[a];
            temp[a] = temp[b];
            temp[b] += v;
        }
    }
    __syncthreads();
    out[blockIdx.x * n + ai] = temp[conflict_free<5>(ai)];
    out[blockIdx.x * n + bi] = temp[conflict_free<5>(bi)];
}
__global__ void scan_brent_kung(const int *in, int *out) {
    extern __shared__ int xy[];
    int t = threadIdx.x, n = 2 * blockDim.x;
    xy[2 * t] = in[blockIdx.x * n + 2 * t], xy[2 * t + 1] = in[blockIdx.x * n + 2 * t + 1];
    for (int stride = 1; stride <= blockDim.x; stride *= 2) {
        __syncthreads();
        int i = (t + 1) * 2 * stride - 1;
        if (i < n) xy[i] += xy[i - stride];
    }
    for (int stride = n / 4; stride > 0; stride /= 2) {
        __syncthreads();
        int i = (t + 1) * stride * 2 - 1;
        if (i + stride < n) xy[i + stride] += xy[i];
    }
    __syncthreads();
    out[blockIdx.x * n + t] = xy[t], out[blockIdx.x * n + t + blockDim.x] = xy[t + blockDim.x];
}
__global__ void scan_kogge_stone(const float *in, float *out, int n) {
    extern __shared__ float pingpong[];
    int t = threadIdx.x, from = 0, i = blockIdx.x * blockDim.x + t;
    pingpong[t] = i < n ? in[i] : 0;
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        float v = pingpong[from * blockDim.x + t];
        if (t >= d) v += pingpong[from * blockDim.x + t - d];
        from ^= 1;
        pingpong[from * blockDim.x + t] = v;
    }
    if (i < n) out[i] = pingpong[from * blockDim.x + t];
}
__global__ void segmented_sum(int n, const unsigned *flags, const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int v = i < n ? in[i] : 0;
    bool head = lane == 0 || (i < n && flags[i] % 5 == 0);
    unsigned heads = __ballot_sync(FULL, head), upto = heads & (FULL >> (31 - lane));
    int start = 31 - __clz(upto);
    for (int d = 1; d < 32; d *= 2) {
        int o = __shfl_up_sync(FULL, v, d);
        if (lane - d >= start) v += o;
    }
    bool tail = lane == 31 || (heads >> (lane + 1) & 1);
    if (i < n && tail) out[i] = v;
}

/* ---- graphs ---- */
__global__ void bfs_level(int n, int degree, const unsigned *__restrict__ neighbours, const int *__restrict__ level, int *next, int current, int *changed) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && level[v] == current)
        for (int e = 0; e < degree; e++) {
            unsigned u = neighbours[v * degree + e] % n;
            if (atomicCAS(&next[u], 0, current + 2) == 0) atomicAdd(changed, 1);
        }
}
__global__ void bfs_seed_bits(int n, const unsigned *__restrict__ frontier, const unsigned *__restrict__ neighbours, unsigned *next, int degree) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !(frontier[v >> 5] >> (v & 31) & 1)) return;
    for (int e = 0; e < degree; e++) {
        unsigned u = neighbours[e * n + v] % n;
        atomicOr(&next[u >> 5], 1u << (u & 31));
    }
}
__global__ void find_roots(int n, const int *__restrict__ parent, int *root) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int p = parent[v] & v;
    while ((parent[p] & p) != p) p = parent[p] & p;
    root[v] = p;
}
__global__ void pagerank_pull(int n, int degree, const unsigned *__restrict__ from, const float *__restrict__ rank, float *__restrict__ next) {
    int v = blockIdx.x * (blockDim.x / 4) + threadIdx.x / 4, part = threadIdx.x % 4;
    float s = 0;
    if (v < n)
        for (int e = part; e < degree; e += 4) s += rank[from[v * degree + e] % n];
    s += __shfl_xor_sync(FULL, s, 1);
    s += __shfl_xor_sync(FULL, s, 2);
    if (v < n && part == 0) next[v] = 0.15f / n + 0.85f * s / degree;
}
__global__ void relax_edges(int m, const unsigned *__restrict__ a, const unsigned *__restrict__ b, const unsigned *__restrict__ w, const unsigned *__restrict__ dist, unsigned *next, int n) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    unsigned d = dist[a[e] % n];
    if (d != ~0u) atomicMin(&next[b[e] % n], (d >> 8) + (w[e] & 255));
}
__global__ void triangle_bits(int n, int words, const unsigned *__restrict__ rows, unsigned long long *total) {
    unsigned long long mine = 0;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n * n; p += gridDim.x * blockDim.x) {
        int i = p / n, j = p % n;
        if (rows[i * words + j / 32] >> (j % 32) & 1)
            for (int k = 0; k < words; k++) mine += __popc(rows[i * words + k] & rows[j * words + k]);
    }
    mine = warp_sum(mine);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, mine);
}
}
