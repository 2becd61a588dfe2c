// Kernels as real programs have them, with many registers: tiles in registers, unrolled transforms, hashes, sums in
// double precision. Nothing was tuned on them. README.md says how the PTX and the table are made.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void

// ---- products of matrices, tiles in registers ----

template <typename T, int BM, int BN, int BK, int TM, int TN>
__device__ void gemm_tile(const T *a, const T *b, T *c, int m, int n, int k) {
    __shared__ T as[BK][BM + 1], bs[BK][BN];
    constexpr int threads = BM / TM * (BN / TN);
    const int tid = threadIdx.x, row = tid / (BN / TN) * TM, column = tid % (BN / TN) * TN;
    T sum[TM][TN] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll 1
        for (int e = tid; e < BM * BK; e += threads)
            as[e % BK][e / BK] = a[(size_t)(blockIdx.y * BM + e / BK) * k + k0 + e % BK];
#pragma unroll 1
        for (int e = tid; e < BN * BK; e += threads)
            bs[e / BN][e % BN] = b[(size_t)(k0 + e / BN) * n + blockIdx.x * BN + e % BN];
        __syncthreads();
#pragma unroll 1
        for (int q = 0; q < BK; q++) {
            T x[TM], y[TN];
            for (int r = 0; r < TM; r++) x[r] = as[q][row + r];
            for (int s = 0; s < TN; s++) y[s] = bs[q][column + s];
            for (int r = 0; r < TM; r++)
                for (int s = 0; s < TN; s++) sum[r][s] += x[r] * y[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < TM; r++)
        for (int s = 0; s < TN; s++)
            if (blockIdx.y * BM + row + r < m)
                c[(size_t)(blockIdx.y * BM + row + r) * n + blockIdx.x * BN + column + s] = sum[r][s];
}

KERNEL sgemm_64x64_4x4(const float *a, const float *b, float *c, int m, int n, int k) {
    gemm_tile<float, 64, 64, 4, 4, 4>(a, b, c, m, n, k);
}
KERNEL sgemm_64x128_8x4(const float *a, const float *b, float *c, int m, int n, int k) {
    gemm_tile<float, 64, 128, 4, 8, 4>(a, b, c, m, n, k);
}
KERNEL dgemm_64x64_4x4(const double *a, const double *b, double *c, int m, int n, int k) {
    gemm_tile<double, 64, 64, 4, 4, 4>(a, b, c, m, n, k);
}

// ---- products of matrices with tensor cores ----

__device__ void mma_half(float d[4], const uint32_t a[4], const uint32_t b[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void load_four(uint32_t r[4], const void *p) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}

template <int MT, int NT> __device__ void mma_tile(const half *a, const half *b, float *c, int n, int k) {
    __shared__ half as[2 * MT * 16][40], bs[4 * NT * 8][40];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp / 4 * MT * 16, wn = warp % 4 * NT * 8;
    float sum[MT][NT][4] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll 1
        for (int e = threadIdx.x; e < 2 * MT * 16 * 4; e += 256)
            *(uint4 *)&as[e / 4][e % 4 * 8] = *(const uint4 *)&a[(size_t)(blockIdx.y * 2 * MT * 16 + e / 4) * k + k0 + e % 4 * 8];
#pragma unroll 1
        for (int e = threadIdx.x; e < 4 * NT * 8 * 4; e += 256)
            *(uint4 *)&bs[e / 4][e % 4 * 8] = *(const uint4 *)&b[(size_t)(blockIdx.x * 4 * NT * 8 + e / 4) * k + k0 + e % 4 * 8];
        __syncthreads();
#pragma unroll 1
        for (int q = 0; q < 32; q += 16) {
            uint32_t x[MT][4], y[NT][2];
            for (int r = 0; r < MT; r++) load_four(x[r], &as[wm + r * 16 + lane % 16][q + lane / 16 * 8]);
            for (int s = 0; s < NT; s += 2) {
                uint32_t t[4];
                load_four(t, &bs[wn + s * 8 + lane / 16 * 8 + lane % 8][q + lane / 8 % 2 * 8]);
                y[s][0] = t[0], y[s][1] = t[1], y[s + 1][0] = t[2], y[s + 1][1] = t[3];
            }
            for (int r = 0; r < MT; r++)
                for (int s = 0; s < NT; s++) mma_half(sum[r][s], x[r], y[s]);
        }
        __syncthreads();
    }
    for (int r = 0; r < MT; r++)
        for (int s = 0; s < NT; s++)
            for (int h = 0; h < 2; h++)
                *(float2 *)&c[(size_t)((blockIdx.y * 2 * MT + r) * 16 + wm + lane / 4 + h * 8) * n + blockIdx.x * 4 * NT * 8 + wn + s * 8 + lane % 4 * 2] =
                    make_float2(sum[r][s][2 * h], sum[r][s][2 * h + 1]);
}

KERNEL mma_2x2(const half *a, const half *b, float *c, int n, int k) { mma_tile<2, 2>(a, b, c, n, k); }
KERNEL mma_4x4(const half *a, const half *b, float *c, int n, int k) { mma_tile<4, 4>(a, b, c, n, k); }

template <int MT, int NT> __device__ void wmma_tile(const half *a, const half *b, float *c, int n, int k) {
    using namespace nvcuda::wmma;
    fragment<accumulator, 16, 16, 16, float> sum[MT][NT];
    const int warp = threadIdx.x / 32, row = (blockIdx.y * 4 + warp) * MT * 16, column = blockIdx.x * NT * 16;
    for (int r = 0; r < MT; r++)
        for (int s = 0; s < NT; s++) fill_fragment(sum[r][s], 0.0f);
    for (int q = 0; q < k; q += 16) {
        fragment<matrix_a, 16, 16, 16, half, row_major> x[MT];
        fragment<matrix_b, 16, 16, 16, half, col_major> y[NT];
        for (int r = 0; r < MT; r++) load_matrix_sync(x[r], a + (size_t)(row + r * 16) * k + q, k);
        for (int s = 0; s < NT; s++) load_matrix_sync(y[s], b + (size_t)(column + s * 16) * k + q, k);
        for (int r = 0; r < MT; r++)
            for (int s = 0; s < NT; s++) mma_sync(sum[r][s], x[r], y[s], sum[r][s]);
    }
    for (int r = 0; r < MT; r++)
        for (int s = 0; s < NT; s++)
            store_matrix_sync(c + (size_t)(row + r * 16) * n + column + s * 16, sum[r][s], n, mem_row_major);
}

KERNEL wmma_1x1(const half *a, const half *b, float *c, int n, int k) { wmma_tile<1, 1>(a, b, c, n, k); }
KERNEL wmma_2x2(const half *a, const half *b, float *c, int n, int k) { wmma_tile<2, 2>(a, b, c, n, k); }

// ---- stencils ----

template <typename T, int R> __device__ void march_z(const T *in, T *out, const T *weight, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + R, y = blockIdx.y * blockDim.y + threadIdx.y + R;
    if (x >= nx - R || y >= ny - R) return;
    const size_t plane = (size_t)nx * ny;
    const T *p = in + (size_t)y * nx + x;
    T column[2 * R + 1];
    for (int k = 0; k < 2 * R; k++) column[k + 1] = p[k * plane];
    for (int z = R; z < nz - R; z++) {
        for (int k = 0; k < 2 * R; k++) column[k] = column[k + 1];
        column[2 * R] = p[(size_t)(z + R) * plane];
        const T *q = p + z * plane;
        T sum = weight[0] * column[R];
        for (int k = 1; k <= R; k++)
            sum += weight[k] * (column[R - k] + column[R + k] + q[-k] + q[k] + q[-k * nx] + q[k * nx]);
        out[(size_t)y * nx + x + z * plane] = sum;
    }
}

KERNEL march_f32_r2(const float *in, float *out, const float *w, int nx, int ny, int nz) { march_z<float, 2>(in, out, w, nx, ny, nz); }
KERNEL march_f32_r4(const float *in, float *out, const float *w, int nx, int ny, int nz) { march_z<float, 4>(in, out, w, nx, ny, nz); }
KERNEL march_f64_r1(const double *in, double *out, const double *w, int nx, int ny, int nz) { march_z<double, 1>(in, out, w, nx, ny, nz); }
KERNEL march_f64_r2(const double *in, double *out, const double *w, int nx, int ny, int nz) { march_z<double, 2>(in, out, w, nx, ny, nz); }

KERNEL stencil27(const double *__restrict__ in, double *__restrict__ out, double a, double b, double c, double d, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    double sum[4] = {};
#pragma unroll
    for (int k = -1; k <= 1; k++)
#pragma unroll
        for (int j = -1; j <= 1; j++)
#pragma unroll
            for (int i = -1; i <= 1; i++)
                sum[abs(i) + abs(j) + abs(k)] += in[((size_t)(z + k) * ny + y + j) * nx + x + i];
    out[((size_t)z * ny + y) * nx + x] = a * sum[0] + b * sum[1] + c * sum[2] + d * sum[3];
}

KERNEL rows_of_eight(const float *__restrict__ in, float *__restrict__ out, int nx, int ny) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * 8 + 1;
    if (x >= nx - 1) return;
    float v[10][3];
#pragma unroll
    for (int r = 0; r < 10; r++)
        for (int s = 0; s < 3; s++) v[r][s] = in[(y + r - 1) * nx + x + s - 1];
#pragma unroll
    for (int r = 0; r < 8; r++)
        out[(y + r) * nx + x] = 0.2f * (v[r][1] + v[r + 1][0] + v[r + 1][1] + v[r + 1][2] + v[r + 2][1]) -
                                0.05f * (v[r][0] + v[r][2] + v[r + 2][0] + v[r + 2][2]);
}

// ---- bodies ----

__device__ float3 pull(float4 me, float4 other, float3 sum) {
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), s = other.w * inverse * inverse * inverse;
    return make_float3(sum.x + dx * s, sum.y + dy * s, sum.z + dz * s);
}

template <int N> __device__ void bodies_of(const float4 *at, float4 *speed, int n, float dt) {
    __shared__ float4 tile[128];
    float4 me[N];
    float3 sum[N];
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * N;
    for (int k = 0; k < N; k++) me[k] = at[first + k], sum[k] = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = at[t + threadIdx.x];
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < N; k++) sum[k] = pull(me[k], tile[j], sum[k]);
        __syncthreads();
    }
    for (int k = 0; k < N; k++) {
        float4 v = speed[first + k];
        speed[first + k] = make_float4(v.x + dt * sum[k].x, v.y + dt * sum[k].y, v.z + dt * sum[k].z, v.w);
    }
}

KERNEL bodies_1(const float4 *at, float4 *speed, int n, float dt) { bodies_of<1>(at, speed, n, dt); }
KERNEL bodies_4(const float4 *at, float4 *speed, int n, float dt) { bodies_of<4>(at, speed, n, dt); }

KERNEL lennard_jones(const double *x, const double *y, const double *z, double *fx, double *fy, double *fz, double *energy,
                     const int *neighbour, const int *count, int most, double box, double cut2, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double xi = x[i], yi = y[i], zi = z[i];
    double sx = 0, sy = 0, sz = 0, e = 0;
    for (int k = 0; k < count[i]; k++) {
        const int j = neighbour[(size_t)k * n + i];
        double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
        dx -= box * rint(dx / box), dy -= box * rint(dy / box), dz -= box * rint(dz / box);
        const double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= cut2) continue;
        const double i2 = 1.0 / r2, i6 = i2 * i2 * i2, f = 48.0 * i6 * (i6 - 0.5) * i2;
        sx += f * dx, sy += f * dy, sz += f * dz, e += 4.0 * i6 * (i6 - 1.0);
    }
    fx[i] = sx, fy[i] = sy, fz[i] = sz, energy[i] = e;
}

// ---- convolutions ----

template <int K, int TX> __device__ void convolve(const float *in, const float *weight, float *out, int h, int w, int channels, int filters) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * TX, y = blockIdx.y, f = blockIdx.z;
    float sum[TX] = {};
    for (int c = 0; c < channels; c++) {
#pragma unroll
        for (int i = 0; i < K; i++) {
            float row[TX + K - 1];
            for (int k = 0; k < TX + K - 1; k++) row[k] = in[((size_t)c * h + y + i) * w + x + k];
#pragma unroll
            for (int j = 0; j < K; j++) {
                const float q = weight[((f * channels + c) * K + i) * K + j];
                for (int k = 0; k < TX; k++) sum[k] += q * row[k + j];
            }
        }
    }
    for (int k = 0; k < TX; k++) out[((size_t)f * h + y) * w + x + k] = sum[k];
}

KERNEL convolve_3x3_4(const float *in, const float *wt, float *out, int h, int w, int c, int f) { convolve<3, 4>(in, wt, out, h, w, c, f); }
KERNEL convolve_5x5_4(const float *__restrict__ in, const float *__restrict__ wt, float *__restrict__ out, int h, int w, int c, int f) {
    convolve<5, 4>(in, wt, out, h, w, c, f);
}

KERNEL winograd_input(const float *in, float *out, int h, int w, int tiles) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    if (t >= tiles) return;
    const int across = (w - 2) / 2, y = t / across * 2, x = t % across * 2;
    float d[4][4], s[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) d[i][j] = in[((size_t)c * h + y + i) * w + x + j];
    for (int j = 0; j < 4; j++) {
        s[0][j] = d[0][j] - d[2][j], s[1][j] = d[1][j] + d[2][j];
        s[2][j] = d[2][j] - d[1][j], s[3][j] = d[1][j] - d[3][j];
    }
    for (int i = 0; i < 4; i++) {
        out[((size_t)(4 * i + 0) * gridDim.y + c) * tiles + t] = s[i][0] - s[i][2];
        out[((size_t)(4 * i + 1) * gridDim.y + c) * tiles + t] = s[i][1] + s[i][2];
        out[((size_t)(4 * i + 2) * gridDim.y + c) * tiles + t] = s[i][2] - s[i][1];
        out[((size_t)(4 * i + 3) * gridDim.y + c) * tiles + t] = s[i][1] - s[i][3];
    }
}

// ---- transforms ----

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ void butterfly(float2 &a, float2 &b) {
    const float2 t = a;
    a = make_float2(t.x + b.x, t.y + b.y), b = make_float2(t.x - b.x, t.y - b.y);
}
__device__ void fft4(float2 &a, float2 &b, float2 &c, float2 &d) {
    butterfly(a, c), butterfly(b, d);
    d = make_float2(d.y, -d.x);
    butterfly(a, b), butterfly(c, d);
}
__device__ void fft8(float2 v[8]) {
    for (int k = 0; k < 4; k++) butterfly(v[k], v[k + 4]);
    const float h = 0.70710678f;
    v[5] = make_float2(h * (v[5].x + v[5].y), h * (v[5].y - v[5].x));
    v[6] = make_float2(v[6].y, -v[6].x);
    v[7] = make_float2(h * (v[7].y - v[7].x), -h * (v[7].x + v[7].y));
    fft4(v[0], v[1], v[2], v[3]), fft4(v[4], v[5], v[6], v[7]);
}

KERNEL fft_radix4(const float2 *in, float2 *out, int n, int stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, q = n / 4, k = i % stride;
    float2 a = in[i], b = in[i + q], c = in[i + 2 * q], d = in[i + 3 * q], w;
    const float angle = -1.5707963f * k / stride;
    __sincosf(angle, &w.y, &w.x);
    const float2 w2 = times(w, w), w3 = times(w2, w);
    b = times(b, w), c = times(c, w2), d = times(d, w3);
    fft4(a, b, c, d);
    const int to = (i - k) * 4 + k;
    out[to] = a, out[to + stride] = c, out[to + 2 * stride] = b, out[to + 3 * stride] = d;
}

KERNEL fft_radix8(const float2 *in, float2 *out, int n, int stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, q = n / 8, k = i % stride;
    float2 v[8], w, power = make_float2(1, 0);
    for (int j = 0; j < 8; j++) v[j] = in[i + j * q];
    __sincosf(-0.78539816f * k / stride, &w.y, &w.x);
    for (int j = 1; j < 8; j++) power = times(power, w), v[j] = times(v[j], power);
    fft8(v);
    const int to = (i - k) * 8 + k, order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (int j = 0; j < 8; j++) out[to + j * stride] = v[order[j]];
}

KERNEL fft_512_shared(float2 *data) {
    __shared__ float re[8 * 66], im[8 * 66];
    float2 v[8], *p = data + (size_t)blockIdx.x * 512 + threadIdx.x;
    for (int j = 0; j < 8; j++) v[j] = p[j * 64];
    fft8(v);
    for (int j = 1; j < 8; j++) {
        float2 w;
        __sincosf(-6.2831853f * j * threadIdx.x / 512, &w.y, &w.x);
        v[j] = times(v[j], w);
    }
    for (int j = 0; j < 8; j++) re[threadIdx.x * 8 + j + threadIdx.x / 8] = v[j].x, im[threadIdx.x * 8 + j + threadIdx.x / 8] = v[j].y;
    __syncthreads();
    for (int j = 0; j < 8; j++) v[j] = make_float2(re[threadIdx.x + j * 66], im[threadIdx.x + j * 66]);
    fft8(v);
    for (int j = 0; j < 8; j++) p[j * 64] = v[j];
}

KERNEL dct_8x4(const float *in, float *out, int width) {
    const float *p = in + (size_t)(blockIdx.y * 4) * width + (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    float v[4][8];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 8; c++) v[r][c] = p[r * width + c];
    for (int r = 0; r < 4; r++) {
        float t[8];
        for (int c = 0; c < 4; c++) t[c] = v[r][c] + v[r][7 - c], t[7 - c] = v[r][c] - v[r][7 - c];
        v[r][0] = t[0] + t[1] + t[2] + t[3], v[r][4] = t[0] - t[1] - t[2] + t[3];
        v[r][2] = 1.3065630f * (t[0] - t[3]) + 0.5411961f * (t[1] - t[2]), v[r][6] = 0.5411961f * (t[0] - t[3]) - 1.3065630f * (t[1] - t[2]);
        v[r][1] = 1.387f * t[7] + 1.176f * t[6] + 0.786f * t[5] + 0.276f * t[4];
        v[r][3] = 1.176f * t[7] - 0.276f * t[6] - 1.387f * t[5] - 0.786f * t[4];
        v[r][5] = 0.786f * t[7] - 1.387f * t[6] + 0.276f * t[5] + 1.176f * t[4];
        v[r][7] = 0.276f * t[7] - 0.786f * t[6] + 1.176f * t[5] - 1.387f * t[4];
    }
    float *q = out + (p - in);
    for (int c = 0; c < 8; c++)
        for (int r = 0; r < 2; r++) q[r * width + c] = v[r][c] + v[3 - r][c], q[(3 - r) * width + c] = v[r][c] - v[3 - r][c];
}

KERNEL haar_of_16(const float *in, float *out, int n) {
    float v[16];
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    if (i >= n) return;
    for (int k = 0; k < 16; k += 4) *(float4 *)&v[k] = *(const float4 *)&in[i + k];
    for (int s = 1; s < 16; s *= 2)
        for (int k = 0; k < 16; k += 2 * s) {
            const float a = v[k], b = v[k + s];
            v[k] = 0.70710678f * (a + b), v[k + s] = 0.70710678f * (a - b);
        }
    for (int k = 0; k < 16; k += 4) *(float4 *)&out[i + k] = *(const float4 *)&v[k];
}

// ---- hashes and ciphers ----

__device__ uint32_t turn(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

KERNEL sha256_rounds(const uint32_t *message, uint32_t *out, const uint32_t *k, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll 8
    for (int t = 0; t < 64; t++) {
        const uint32_t e = s[4], a = s[0];
        const uint32_t t1 = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k[t] + message[t * n + i];
        const uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int q = 7; q > 0; q--) s[q] = s[q - 1];
        s[4] += t1, s[0] = t1 + t2;
    }
    for (int q = 0; q < 8; q++) out[i * 8 + q] = s[q];
}

KERNEL xtea(const uint2 *in, uint2 *out, uint4 key, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint32_t k[4] = {key.x, key.y, key.z, key.w};
    uint2 v = in[i];
    uint32_t sum = 0;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        v.x += (((v.y << 4) ^ (v.y >> 5)) + v.y) ^ (sum + k[sum & 3]);
        sum += 0x9e3779b9;
        v.y += (((v.x << 4) ^ (v.x >> 5)) + v.x) ^ (sum + k[(sum >> 11) & 3]);
    }
    out[i] = v;
}

__device__ void quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d) {
    a += b, d = turn(d ^ a, 16), c += d, b = turn(b ^ c, 20);
    a += b, d = turn(d ^ a, 24), c += d, b = turn(b ^ c, 25);
}

KERNEL chacha(const uint32_t *key, uint4 *out, uint32_t nonce) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t s[16], v[16];
    s[0] = 0x61707865, s[1] = 0x3320646e, s[2] = 0x79622d32, s[3] = 0x6b206574;
    for (int k = 0; k < 8; k++) s[4 + k] = key[k];
    s[12] = i, s[13] = nonce, s[14] = nonce + 1, s[15] = nonce + 2;
    for (int k = 0; k < 16; k++) v[k] = s[k];
#pragma unroll 1
    for (int r = 0; r < 10; r++) {
        for (int k = 0; k < 4; k++) quarter(v[k], v[4 + k], v[8 + k], v[12 + k]);
        for (int k = 0; k < 4; k++) quarter(v[k], v[4 + (k + 1) % 4], v[8 + (k + 2) % 4], v[12 + (k + 3) % 4]);
    }
    for (int k = 0; k < 4; k++) out[i * 4 + k] = make_uint4(v[4 * k] + s[4 * k], v[4 * k + 1] + s[4 * k + 1], v[4 * k + 2] + s[4 * k + 2], v[4 * k + 3] + s[4 * k + 3]);
}

KERNEL keccak_rounds(uint64_t *state, const uint64_t *constant, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t a[25];
    for (int k = 0; k < 25; k++) a[k] = state[(size_t)k * n + i];
#pragma unroll 1
    for (int r = 0; r < 24; r++) {
        uint64_t c[5], b[25];
        for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        for (int x = 0; x < 5; x++) {
            const uint64_t next = c[(x + 1) % 5], d = c[(x + 4) % 5] ^ (next << 1 | next >> 63);
            for (int y = 0; y < 25; y += 5) a[x + y] ^= d;
        }
        const int shift[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};
        for (int x = 0; x < 5; x++)
            for (int y = 0; y < 5; y++) {
                const uint64_t v = a[x + 5 * y];
                const int s = shift[x + 5 * y];
                b[y + 5 * ((2 * x + 3 * y) % 5)] = s ? v << s | v >> (64 - s) : v;
            }
        for (int x = 0; x < 5; x++)
            for (int y = 0; y < 5; y++) a[x + 5 * y] = b[x + 5 * y] ^ (~b[(x + 1) % 5 + 5 * y] & b[(x + 2) % 5 + 5 * y]);
        a[0] ^= constant[r];
    }
    for (int k = 0; k < 25; k++) state[(size_t)k * n + i] = a[k];
}

KERNEL montgomery_256(const uint32_t *x, const uint32_t *y, uint32_t *out, uint32_t inverse, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t a[8], b[8], t[9] = {};
    const uint32_t p[8] = {0xffffffed, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x7fffffff};
    for (int k = 0; k < 8; k++) a[k] = x[k * n + i], b[k] = y[k * n + i];
#pragma unroll
    for (int j = 0; j < 2; j++) {
        uint64_t carry = 0;
        for (int k = 0; k < 8; k++) carry += (uint64_t)a[k] * b[j] + t[k], t[k] = (uint32_t)carry, carry >>= 32;
        t[8] += (uint32_t)carry;
        const uint32_t m = t[0] * inverse;
        carry = ((uint64_t)m * p[0] + t[0]) >> 32;
        for (int k = 1; k < 8; k++) carry += (uint64_t)m * p[k] + t[k], t[k - 1] = (uint32_t)carry, carry >>= 32;
        carry += t[8], t[7] = (uint32_t)carry, t[8] = (uint32_t)(carry >> 32);
    }
    for (int k = 0; k < 8; k++) out[k * n + i] = t[k];
}

KERNEL philox_normals(float4 *out, uint2 key, int n) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 c = make_uint4(i, 0, 0, 0);
#pragma unroll
    for (int r = 0; r < 10; r++) {
        const uint32_t h0 = __umulhi(0xD2511F53, c.x), l0 = 0xD2511F53 * c.x, h1 = __umulhi(0xCD9E8D57, c.z), l1 = 0xCD9E8D57 * c.z;
        c = make_uint4(h1 ^ c.y ^ key.x, l1, h0 ^ c.w ^ key.y, l0);
        key.x += 0x9E3779B9, key.y += 0xBB67AE85;
    }
    const float u = 2.3283064e-10f * (c.x + 0.5f), v = 2.3283064e-10f * (c.z + 0.5f), r = sqrtf(-2 * __logf(u)), q = sqrtf(-2 * __logf(v));
    float4 z;
    __sincosf(1.4629181e-9f * c.y, &z.x, &z.y), __sincosf(1.4629181e-9f * c.w, &z.z, &z.w);
    out[i] = make_float4(r * z.x, r * z.y, q * z.z, q * z.w);
}

// ---- equations ----

KERNEL euler_flux(const double *rho, const double *mx, const double *my, const double *e, double *fr, double *fx, double *fy, double *fe, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    double f[2][4], u[2][4], speed = 0;
    for (int s = 0; s < 2; s++) {
        u[s][0] = rho[i + s], u[s][1] = mx[i + s], u[s][2] = my[i + s], u[s][3] = e[i + s];
        const double v = u[s][1] / u[s][0], p = 0.4 * (u[s][3] - 0.5 * (u[s][1] * u[s][1] + u[s][2] * u[s][2]) / u[s][0]);
        f[s][0] = u[s][1], f[s][1] = u[s][1] * v + p, f[s][2] = u[s][2] * v, f[s][3] = (u[s][3] + p) * v;
        speed = fmax(speed, fabs(v) + sqrt(1.4 * p / u[s][0]));
    }
    fr[i] = 0.5 * (f[0][0] + f[1][0] - speed * (u[1][0] - u[0][0]));
    fx[i] = 0.5 * (f[0][1] + f[1][1] - speed * (u[1][1] - u[0][1]));
    fy[i] = 0.5 * (f[0][2] + f[1][2] - speed * (u[1][2] - u[0][2]));
    fe[i] = 0.5 * (f[0][3] + f[1][3] - speed * (u[1][3] - u[0][3]));
}

KERNEL weno5(const double *__restrict__ in, double *__restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 5) return;
    const double a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3], e = in[i + 4];
    const double q0 = a - 2 * b + c, q1 = b - 2 * c + d, q2 = c - 2 * d + e;
    const double r0 = a - 4 * b + 3 * c, r1 = b - d, r2 = 3 * c - 4 * d + e;
    const double s0 = 1e-6 + 1.0833333 * q0 * q0 + 0.25 * r0 * r0, s1 = 1e-6 + 1.0833333 * q1 * q1 + 0.25 * r1 * r1,
                 s2 = 1e-6 + 1.0833333 * q2 * q2 + 0.25 * r2 * r2;
    const double w0 = 0.1 / (s0 * s0), w1 = 0.6 / (s1 * s1), w2 = 0.3 / (s2 * s2);
    out[i] = (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) / (6 * (w0 + w1 + w2));
}

KERNEL maxwell_e(float *ex, float *ey, float *ez, const float *hx, const float *hy, const float *hz, const float *ca, const float *cb, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx || y >= ny) return;
    for (int z = 1; z < nz; z++) {
        const int i = (z * ny + y) * nx + x;
        const float a = ca[i], b = cb[i], x0 = hx[i], y0 = hy[i], z0 = hz[i];
        ex[i] = a * ex[i] + b * (z0 - hz[i - nx] - y0 + hy[i - nx * ny]);
        ey[i] = a * ey[i] + b * (x0 - hx[i - nx * ny] - z0 + hz[i - 1]);
        ez[i] = a * ez[i] + b * (y0 - hy[i - 1] - x0 + hx[i - nx]);
    }
}

KERNEL lattice_d2q9(const float *in, float *out, float omega, int nx, int ny) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, n = nx * ny, i = y * nx + x;
    if (x < 1 || x >= nx - 1) return;
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float f[9], rho = 0, u = 0, v = 0;
    for (int q = 0; q < 9; q++) {
        f[q] = in[q * n + i - cy[q] * nx - cx[q]];
        rho += f[q], u += cx[q] * f[q], v += cy[q] * f[q];
    }
    u = __fdividef(u, rho), v = __fdividef(v, rho);
    for (int q = 0; q < 9; q++) {
        const float w = q == 0 ? 0.44444445f : q < 5 ? 0.11111111f : 0.02777778f, c = 3 * (cx[q] * u + cy[q] * v);
        out[q * n + i] = f[q] + omega * (w * rho * (1 + c + 0.5f * c * c - 1.5f * (u * u + v * v)) - f[q]);
    }
}

KERNEL heat_rk4(const double *in, double *out, double k, double dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 4;
    if (i >= n - 4) return;
    double u[9], a[7], b[5], c[3];
    for (int j = 0; j < 9; j++) u[j] = in[i + j - 4];
    for (int j = 0; j < 7; j++) a[j] = k * (u[j] - 2 * u[j + 1] + u[j + 2]);
    for (int j = 0; j < 5; j++) b[j] = k * (u[j + 1] + 0.5 * dt * a[j] - 2 * (u[j + 2] + 0.5 * dt * a[j + 1]) + u[j + 3] + 0.5 * dt * a[j + 2]);
    for (int j = 0; j < 3; j++) c[j] = k * (u[j + 2] + 0.5 * dt * b[j] - 2 * (u[j + 3] + 0.5 * dt * b[j + 1]) + u[j + 4] + 0.5 * dt * b[j + 2]);
    const double d = k * (u[3] + dt * c[0] - 2 * (u[4] + dt * c[1]) + u[5] + dt * c[2]);
    out[i] = u[4] + dt / 6 * (a[3] + 2 * b[2] + 2 * c[1] + d);
}

KERNEL chemistry(const double *y, double *dy, const double *rate, const double *temperature, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double c[8], w[8] = {};
    const double t = temperature[i], inverse = 1.0 / t;
    for (int k = 0; k < 8; k++) c[k] = y[(size_t)k * n + i];
#pragma unroll
    for (int r = 0; r < 3; r++) {
        const double k = rate[2 * r] * exp(-rate[2 * r + 1] * inverse);
        const double q = k * c[r] * c[(r + 3) % 8];
        w[r] -= q, w[(r + 3) % 8] -= q, w[(r + 1) % 8] += q, w[(r + 5) % 8] += q;
    }
    for (int k = 0; k < 8; k++) dy[(size_t)k * n + i] = w[k];
}

KERNEL invert_4x4(const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a[4][4], b[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) a[r][c] = in[(r * 4 + c) * n + i], b[r][c] = r == c;
    for (int k = 0; k < 4; k++) {
        const float p = __frcp_rn(a[k][k]);
        for (int c = 0; c < 4; c++) a[k][c] *= p, b[k][c] *= p;
        for (int r = 0; r < 4; r++) {
            const float f = a[r][k];
            if (r != k)
                for (int c = 0; c < 4; c++) a[r][c] -= f * a[k][c], b[r][c] -= f * b[k][c];
        }
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) out[(r * 4 + c) * n + i] = b[r][c];
}

KERNEL cholesky_6(const double *in, double *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a[6][6];
    for (int r = 0; r < 6; r++)
        for (int c = 0; c <= r; c++) a[r][c] = in[(size_t)(r * 6 + c) * n + i];
    for (int k = 0; k < 6; k++) {
        const double d = rsqrt(a[k][k]);
        for (int r = k; r < 6; r++) a[r][k] *= d;
        for (int c = k + 1; c < 6; c++)
            for (int r = c; r < 6; r++) a[r][c] -= a[r][k] * a[c][k];
    }
    for (int r = 0; r < 6; r++)
        for (int c = 0; c <= r; c++) out[(size_t)(r * 6 + c) * n + i] = a[r][c];
}

KERNEL sun_3x3(const float2 *u, const float2 *v, float2 *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 a[9], b[9];
    for (int k = 0; k < 9; k++) a[k] = u[k * n + i], b[k] = v[k * n + i];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            float2 s = make_float2(0, 0);
            for (int k = 0; k < 3; k++) {
                const float2 p = times(a[r * 3 + k], b[k * 3 + c]);
                s.x += p.x, s.y += p.y;
            }
            out[(r * 3 + c) * n + i] = s;
        }
}

KERNEL black_scholes(const float *price, const float *strike, const float *years, float *call, float *put, float rate, float sigma, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * sigma * sigma) * t) / (sigma * root), d2 = d1 - sigma * root;
    float c[2];
    for (int k = 0; k < 2; k++) {
        const float d = k ? d2 : d1, q = 1 / (1 + 0.2316419f * fabsf(d));
        const float p = 0.39894228f * expf(-0.5f * d * d) * q * (0.31938153f + q * (-0.356563782f + q * (1.781477937f + q * (-1.821255978f + q * 1.330274429f))));
        c[k] = d > 0 ? 1 - p : p;
    }
    const float discounted = x * expf(-rate * t);
    call[i] = s * c[0] - discounted * c[1];
    put[i] = discounted * (1 - c[1]) - s * (1 - c[0]);
}

// ---- rays ----

KERNEL trace_spheres(const float4 *sphere, const float3 *colour, float4 *out, int count, int width, int height, float3 eye, float3 light) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float3 o = eye, d = make_float3((x - 0.5f * width) / height, 0.5f - (float)y / height, 1), sum = make_float3(0, 0, 0);
    float weight = 1, scale = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
    d = make_float3(d.x * scale, d.y * scale, d.z * scale);
#pragma unroll 1
    for (int bounce = 0; bounce < 4; bounce++) {
        float nearest = 1e30f;
        int hit = -1;
        for (int k = 0; k < count; k++) {
            const float4 s = sphere[k];
            const float3 l = make_float3(s.x - o.x, s.y - o.y, s.z - o.z);
            const float b = l.x * d.x + l.y * d.y + l.z * d.z, det = b * b - (l.x * l.x + l.y * l.y + l.z * l.z) + s.w * s.w;
            if (det < 0) continue;
            const float t = b - sqrtf(det);
            if (t > 1e-3f && t < nearest) nearest = t, hit = k;
        }
        if (hit < 0) break;
        const float4 s = sphere[hit];
        const float3 p = make_float3(o.x + nearest * d.x, o.y + nearest * d.y, o.z + nearest * d.z);
        const float3 m = make_float3((p.x - s.x) / s.w, (p.y - s.y) / s.w, (p.z - s.z) / s.w), c = colour[hit];
        const float lit = fmaxf(0.1f, m.x * light.x + m.y * light.y + m.z * light.z) * weight, turn = 2 * (m.x * d.x + m.y * d.y + m.z * d.z);
        sum = make_float3(sum.x + lit * c.x, sum.y + lit * c.y, sum.z + lit * c.z);
        o = p, d = make_float3(d.x - turn * m.x, d.y - turn * m.y, d.z - turn * m.z), weight *= 0.5f;
    }
    out[y * width + x] = make_float4(sum.x, sum.y, sum.z, 1);
}

KERNEL triangles(const float3 *vertex, const int3 *face, const float3 *origin, const float3 *direction, float4 *hit, int faces, int rays) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays) return;
    const float3 o = origin[i], d = direction[i];
    float best = 1e30f, bu = 0, bv = 0;
    int which = -1;
    for (int k = 0; k < faces; k++) {
        const int3 f = face[k];
        const float3 a = vertex[f.x], b = vertex[f.y], c = vertex[f.z];
        const float3 e = make_float3(b.x - a.x, b.y - a.y, b.z - a.z), g = make_float3(c.x - a.x, c.y - a.y, c.z - a.z);
        const float3 p = make_float3(d.y * g.z - d.z * g.y, d.z * g.x - d.x * g.z, d.x * g.y - d.y * g.x);
        const float inverse = __fdividef(1, e.x * p.x + e.y * p.y + e.z * p.z);
        const float3 s = make_float3(o.x - a.x, o.y - a.y, o.z - a.z);
        const float u = inverse * (s.x * p.x + s.y * p.y + s.z * p.z);
        const float3 q = make_float3(s.y * e.z - s.z * e.y, s.z * e.x - s.x * e.z, s.x * e.y - s.y * e.x);
        const float v = inverse * (d.x * q.x + d.y * q.y + d.z * q.z), t = inverse * (g.x * q.x + g.y * q.y + g.z * q.z);
        if (u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < best) best = t, bu = u, bv = v, which = k;
    }
    hit[i] = make_float4(best, bu, bv, __int_as_float(which));
}

struct node {
    float lo[3], hi[3];
    int left, right;
};

KERNEL walk_boxes(const node *tree, const float3 *origin, const float3 *direction, int *hit, int rays) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays) return;
    const float3 o = origin[i], d = direction[i], r = make_float3(1 / d.x, 1 / d.y, 1 / d.z);
    int stack[24], depth = 0, at = 0, found = -1;
    for (;;) {
        const node n = tree[at];
        const float x0 = (n.lo[0] - o.x) * r.x, x1 = (n.hi[0] - o.x) * r.x, y0 = (n.lo[1] - o.y) * r.y, y1 = (n.hi[1] - o.y) * r.y,
                    z0 = (n.lo[2] - o.z) * r.z, z1 = (n.hi[2] - o.z) * r.z;
        const float in = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1)), out = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
        if (in <= out && n.left < 0) found = ~n.left;
        if (in <= out && n.left >= 0) {
            stack[depth++] = n.right, at = n.left;
            continue;
        }
        if (!depth || found >= 0) break;
        at = stack[--depth];
    }
    hit[i] = found;
}

KERNEL mandelbrot_two(uint32_t *out, double x0, double y0, double step, int width, int most) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2, y = blockIdx.y;
    double cx[2], zx[2] = {}, zy[2] = {};
    const double cy = y0 + y * step;
    uint32_t count[2] = {};
    for (int k = 0; k < 2; k++) cx[k] = x0 + (x + k) * step;
    for (int t = 0; t < most; t++) {
        for (int k = 0; k < 2; k++) {
            const double xx = zx[k] * zx[k], yy = zy[k] * zy[k];
            count[k] += xx + yy < 4;
            zy[k] = 2 * zx[k] * zy[k] + cy, zx[k] = xx - yy + cx[k];
        }
        if (count[0] <= t && count[1] <= t) break;
    }
    *(uint2 *)&out[y * width + x] = make_uint2(count[0], count[1]);
}

// ---- sorting and sums ----

__device__ void order(uint32_t &a, uint32_t &b) {
    const uint32_t t = min(a, b);
    b = max(a, b), a = t;
}

template <int N> __device__ void sort_network(uint32_t *data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t v[N];
    for (int k = 0; k < N; k++) v[k] = data[(size_t)k * n + i];
    for (int p = 1; p < N; p *= 2)
        for (int k = p; k >= 1; k /= 2)
            for (int j = k % p; j + k < N; j += 2 * k)
                for (int s = 0; s < k; s++)
                    if ((s + j) / (2 * p) == (s + j + k) / (2 * p) && s + j + k < N) order(v[s + j], v[s + j + k]);
    for (int k = 0; k < N; k++) data[(size_t)k * n + i] = v[k];
}

KERNEL sort_8(uint32_t *data, int n) { sort_network<8>(data, n); }
KERNEL sort_16(uint32_t *data, int n) { sort_network<16>(data, n); }

KERNEL median_5x5(const float *in, float *out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y + 2;
    if (x >= width - 2) return;
    float v[25];
    for (int k = 0; k < 25; k++) v[k] = in[(y + k / 5 - 2) * width + x + k % 5 - 2];
#pragma unroll
    for (int r = 0; r < 13; r++)
#pragma unroll
        for (int k = r + 1; k < 25; k++) {
            const float t = fminf(v[r], v[k]);
            if (r < 5) v[k] = fmaxf(v[r], v[k]), v[r] = t;
        }
    out[y * width + x] = v[4];
}

KERNEL bitonic_warp(uint64_t *data) {
    uint64_t v[4], *p = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; k++) v[k] = p[k];
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int s = 1; s < 32; s *= 2)
        for (int k = 0; k < 4; k++) {
            const uint64_t other = __shfl_xor_sync(~0u, v[k], s);
            const bool up = ((lane & s) == 0) == ((lane & (2 * s)) == 0);
            v[k] = (v[k] < other) == up ? v[k] : other;
        }
    for (int k = 0; k < 4; k++) p[k] = v[k];
}

KERNEL histogram_16(const uint4 *in, uint32_t *out, int n) {
    uint32_t count[16] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint4 v = in[i];
        const uint32_t w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 16; k++)
            for (int q = 0; q < 4; q++) count[k] += (w[q] & 15) == k;
    }
    for (int k = 0; k < 16; k++) atomicAdd(&out[k], count[k]);
}

KERNEL layer_norm_8(const float4 *in, float4 *out, const float4 *gain, const float4 *bias, int columns, float epsilon) {
    const int row = blockIdx.x, warp = threadIdx.x / 32;
    __shared__ float sums[2][32];
    float4 v[4];
    float sum = 0, squares = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = in[(size_t)row * columns + threadIdx.x + k * blockDim.x];
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
        squares += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
    for (int s = 16; s; s /= 2) sum += __shfl_xor_sync(~0u, sum, s), squares += __shfl_xor_sync(~0u, squares, s);
    if (threadIdx.x % 32 == 0) sums[0][warp] = sum, sums[1][warp] = squares;
    __syncthreads();
    sum = squares = 0;
    for (int k = 0; k < blockDim.x / 32; k++) sum += sums[0][k], squares += sums[1][k];
    const float mean = sum / (4 * columns), scale = rsqrtf(squares / (4 * columns) - mean * mean + epsilon);
    for (int k = 0; k < 4; k++) {
        const float4 g = gain[threadIdx.x + k * blockDim.x], b = bias[threadIdx.x + k * blockDim.x];
        out[(size_t)row * columns + threadIdx.x + k * blockDim.x] =
            make_float4((v[k].x - mean) * scale * g.x + b.x, (v[k].y - mean) * scale * g.y + b.y, (v[k].z - mean) * scale * g.z + b.z, (v[k].w - mean) * scale * g.w + b.w);
    }
}

KERNEL softmax_row(const __nv_bfloat162 *in, __nv_bfloat162 *out, int columns) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float2 v[4];
    float most = -1e30f, sum = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = __bfloat1622float2(in[(size_t)row * columns + lane + k * 32]);
        most = fmaxf(most, fmaxf(v[k].x, v[k].y));
    }
    for (int s = 16; s; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
    for (int k = 0; k < 4; k++) v[k].x = expf(v[k].x - most), v[k].y = expf(v[k].y - most), sum += v[k].x + v[k].y;
    for (int s = 16; s; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
    for (int k = 0; k < 4; k++) out[(size_t)row * columns + lane + k * 32] = __floats2bfloat162_rn(v[k].x / sum, v[k].y / sum);
}

KERNEL adam(float *weight, const float *gradient, float *m, float *v, float rate, float b1, float b2, float epsilon, float c1, float c2, int n) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n) return;
    float4 w = *(float4 *)&weight[i], g = *(const float4 *)&gradient[i], a = *(float4 *)&m[i], b = *(float4 *)&v[i];
    float *pw = &w.x, *pg = &g.x, *pa = &a.x, *pb = &b.x;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        pa[k] = b1 * pa[k] + (1 - b1) * pg[k], pb[k] = b2 * pb[k] + (1 - b2) * pg[k] * pg[k];
        pw[k] -= rate * (pa[k] / c1) / (sqrtf(pb[k] / c2) + epsilon);
    }
    *(float4 *)&weight[i] = w, *(float4 *)&m[i] = a, *(float4 *)&v[i] = b;
}

KERNEL smith_waterman(const uint8_t *a, const uint8_t *b, int *best, int rows, int columns, int gap, int match, int miss) {
    const int strip = blockIdx.x * blockDim.x + threadIdx.x;
    int h[16] = {}, most = 0, left[16];
    uint32_t c[16];
    for (int k = 0; k < 16; k++) c[k] = b[strip * 16 + k], left[k] = 0;
    for (int r = 0; r < rows; r++) {
        const uint32_t q = a[r];
        int diagonal = 0, before = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const int s = max(max(0, diagonal + (q == c[k] ? match : -miss)), max(h[k], before) - gap);
            diagonal = h[k], h[k] = before = s, most = max(most, s);
        }
    }
    best[strip] = most + left[0] * columns;
}

KERNEL csr_vector(const int *row, const int *column, const double *value, const double *x, double *y, int rows) {
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    double sum = 0;
    for (int k = row[r] + lane; k < row[r + 1]; k += 32) sum += value[k] * x[column[k]];
    for (int s = 16; s; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
    if (!lane) y[r] = sum;
}

KERNEL thomas(const double *a, const double *b, const double *c, const double *d, double *x, double *work, int n, int systems) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= systems) return;
    double cp = c[i] / b[i], dp = d[i] / b[i];
    work[i] = cp, x[i] = dp;
    for (int k = 1; k < n; k++) {
        const size_t at = (size_t)k * systems + i;
        const double m = 1 / (b[at] - a[at] * cp);
        cp = c[at] * m, dp = (d[at] - a[at] * dp) * m;
        work[at] = cp, x[at] = dp;
    }
    for (int k = n - 2; k >= 0; k--) dp = x[(size_t)k * systems + i] -= work[(size_t)k * systems + i] * dp;
}

KERNEL bilinear_rgba(const uchar4 *in, uchar4 *out, int width, int height, int pitch, float m0, float m1, float m2, float m3, float m4, float m5) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float u = m0 * x + m1 * y + m2, v = m3 * x + m4 * y + m5;
    const int iu = (int)floorf(u), iv = (int)floorf(v);
    if (iu < 0 || iv < 0 || iu >= width - 1 || iv >= height - 1) return;
    const float a = u - iu, b = v - iv, w[4] = {(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b};
    const uchar4 p[4] = {in[iv * pitch + iu], in[iv * pitch + iu + 1], in[(iv + 1) * pitch + iu], in[(iv + 1) * pitch + iu + 1]};
    float r = 0.5f, g = 0.5f, c = 0.5f, t = 0.5f;
    for (int k = 0; k < 4; k++) r += w[k] * p[k].x, g += w[k] * p[k].y, c += w[k] * p[k].z, t += w[k] * p[k].w;
    out[y * pitch + x] = make_uchar4((uint8_t)r, (uint8_t)g, (uint8_t)c, (uint8_t)t);
}

KERNEL attention_16(const float *q, const float *k, const float *v, float *out, int n, float scale) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[16], sum[16] = {}, most = -1e30f, total = 0;
    for (int c = 0; c < 16; c++) x[c] = q[i * 16 + c] * scale;
    for (int j = 0; j < n; j++) {
        float s = 0;
        for (int c = 0; c < 16; c++) s += x[c] * k[j * 16 + c];
        const float next = fmaxf(most, s), old = __expf(most - next), p = __expf(s - next);
        total = total * old + p, most = next;
        for (int c = 0; c < 16; c++) sum[c] = sum[c] * old + p * v[j * 16 + c];
    }
    for (int c = 0; c < 16; c++) out[i * 16 + c] = sum[c] / total;
}

KERNEL legendre(const double *x, double *out, int degree, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double t = x[i];
    double before = 1, now = t;
    for (int l = 1; l < degree; l++) {
        const double next = ((2 * l + 1) * t * now - l * before) / (l + 1);
        before = now, now = next;
    }
    out[i] = now;
}

KERNEL dwt_97(float *data, int width, int rows) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float a = data[x], b = data[width + x], c = data[2 * width + x], s = 0, d = b - 1.5861343f * (a + c);
    for (int y = 2; y < rows - 2; y += 2) {
        const float e = data[(y + 1) * width + x], f = data[(y + 2) * width + x];
        const float d1 = e - 1.5861343f * (c + f), s1 = c - 0.0529801f * (d + d1), d2 = d + 0.8829111f * (s + s1);
        data[(y - 1) * width + x] = 0.8128930f * d2, data[y * width + x] = 1.2301741f * (s1 + 0.4435068f * d2);
        c = f, d = d1, s = s1;
    }
}

KERNEL horner_8(const float *x, float *out, const float *c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = c[8];
    for (int k = 7; k >= 0; k--) sum = sum * x[i] + c[k];
    out[i] = sum;
}
