/* Kernels by another hand, written before the model was looked at: what is taught, what libraries are made of, what a test of a GPU
 * tries first. Without asynchronous copies and libraries; those are in unseen_async.cu and unseen_cub.cu. Launches are in launches.py. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

extern "C" {

/* ---- vectors ---- */
__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = a * x[i] + y[i];
}
__global__ void saxpy_grid_stride(int n, float a, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = fmaf(a, x[i], y[i]);
}
__global__ void axpby_double2(size_t n, float a, float b, const double *x, const double *y, double *z) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        double2 u = reinterpret_cast<const double2 *>(x)[i], v = reinterpret_cast<const double2 *>(y)[i];
        reinterpret_cast<double2 *>(z)[i] = make_double2(a * u.x + b * v.x, a * u.y + b * v.y);
    }
    if (i == 0 && n % 2) z[n - 1] = a * x[n - 1] + b * y[n - 1];
}
__global__ void haxpy2(int n, const __half2 *x, __half2 *y) {
    const __half2 a = __floats2half2_rn(0.5f, 2.0f);
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) y[i] = __hfma2(a, x[i], y[i]);
}
__global__ void bf16_widen(int n, const __nv_bfloat16 *in, float *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = __bfloat162float(in[i]);
}
__global__ void quantize_int8(int n4, const float4 *in, char4 *out, float scale) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n4) return;
    float4 v = __ldg(in + i);
    out[i] = make_char4((signed char)(v.x * scale), (signed char)(v.y * scale), (signed char)(v.z * scale), (signed char)(v.w * scale));
}
__global__ void dot_int(int n, const int *a, const int *b, int *sum) {
    __shared__ int part[32];
    int s = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) s += a[i] * b[i];
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
        if (threadIdx.x == 0) atomicAdd(sum, s);
    }
}
__global__ void sum_unrolled4(int n, const int *in, int *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x * 4, s = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (i + k * (int)blockDim.x < n) s += in[i + k * blockDim.x];
    out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}
/* the lecture's sixth reduction, last warp without barriers */
__global__ void reduce_classic(int n, const float *in, float *out) {
    extern __shared__ float sh[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    sh[t] = (i < n ? in[i] : 0.0f) + (i + blockDim.x < n ? in[i + blockDim.x] : 0.0f);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (t < s) sh[t] += sh[t + s];
        __syncthreads();
    }
    if (t < 32) {
        float v = sh[t] + sh[t + 32];
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
        if (t == 0) out[blockIdx.x] = v;
    }
}
__global__ void scan_block_shuffle(const int *in, int *out) {
    __shared__ int sums[32];
    int i = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5, v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int o = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += o;
    }
    if (lane == 31) sums[w] = v;
    __syncthreads();
    if (w == 0) {
        int s = lane < (int)blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int o = __shfl_up_sync(~0u, s, d);
            if (lane >= d) s += o;
        }
        sums[lane] = s;
    }
    __syncthreads();
    out[i] = v + (w ? sums[w - 1] : 0);
}
__global__ void compact_ballot(int n, const unsigned *in, unsigned *out, int *count) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned m = __ballot_sync(~0u, keep);
    if (keep) out[(i & ~31) + __popc(m & ((1u << (threadIdx.x & 31)) - 1))] = in[i];
    if ((threadIdx.x & 31) == 0) atomicAdd(count, __popc(m));
}

/* ---- histograms ---- */
__global__ void histogram_warp_private(int n, const unsigned char *in, unsigned *bins) {
    __shared__ unsigned h[4][256];
    for (int k = threadIdx.x; k < 4 * 256; k += blockDim.x) (&h[0][0])[k] = 0;
    __syncthreads();
    unsigned *mine = h[threadIdx.x / 32 % 4];
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        unsigned s = h[0][k] + h[1][k] + h[2][k] + h[3][k];
        if (s) atomicAdd(&bins[k], s);
    }
}
__global__ void histogram_global(int n, const uchar4 *in, unsigned *bins, int shift) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    uchar4 p = in[i];
    atomicAdd(bins + (p.x >> shift), 1u);
    atomicAdd(bins + (p.y >> shift), 1u);
    atomicAdd(bins + (p.z >> shift), 1u);
    atomicAdd(bins + (p.w >> shift), 1u);
}

/* ---- matrices ---- */
__global__ void matrix_add_pitched(int w, int h, int pitch, const float *a, const float *b, float *c) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) c[y * pitch + x] = a[y * pitch + x] + b[y * pitch + x];
}
__global__ void transpose_naive_any(int w, int h, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x * h + y] = in[y * w + x];
}
__global__ void transpose_tile16(int w, int h, const double *in, double *out) {
    __shared__ double t[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) t[threadIdx.y][threadIdx.x] = in[(size_t)y * w + x];
    __syncthreads();
    int u = blockIdx.y * 16 + threadIdx.x, v = blockIdx.x * 16 + threadIdx.y;
    if (u < h && v < w) out[(size_t)v * h + u] = t[threadIdx.x][threadIdx.y];
}
__global__ void transpose_diagonal(int n, const float *in, float *out) {
    __shared__ float t[32][33];
    int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = in[(by * 32 + threadIdx.y + k) * n + bx * 32 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 32; k += 8) out[(bx * 32 + threadIdx.y + k) * n + by * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y + k];
}
__global__ void gemm_textbook(int n, const float *a, const float *b, float *c) {
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float s = 0.0f;
    for (int m = 0; m < (n + 15) / 16; m++) {
        as[ty][tx] = row < n && m * 16 + tx < n ? a[row * n + m * 16 + tx] : 0.0f;
        bs[ty][tx] = col < n && m * 16 + ty < n ? b[(m * 16 + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++) s = fmaf(as[ty][k], bs[k][tx], s);
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = s;
}
__global__ void gemm_vectors(int n, const float *a, const float *b, float *c) {
    __shared__ float as[8][64 + 4], bs[8][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        if (t < 128) {
            float4 v = *reinterpret_cast<const float4 *>(a + (blockIdx.y * 64 + t / 2) * n + k0 + t % 2 * 4);
            as[t % 2 * 4 + 0][t / 2] = v.x;
            as[t % 2 * 4 + 1][t / 2] = v.y;
            as[t % 2 * 4 + 2][t / 2] = v.z;
            as[t % 2 * 4 + 3][t / 2] = v.w;
        } else {
            int u = t - 128;
            *reinterpret_cast<float4 *>(&bs[u / 16][u % 16 * 4]) = *reinterpret_cast<const float4 *>(b + (k0 + u / 16) * n + blockIdx.x * 64 + u % 16 * 4);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 p = *reinterpret_cast<const float4 *>(&as[k][ty * 4]), q = *reinterpret_cast<const float4 *>(&bs[k][tx * 4]);
            float u[4] = {p.x, p.y, p.z, p.w}, v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] = fmaf(u[i], v[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(c + (blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
__global__ void gemm_tensor_cores(int n, const __half *a, const __half *b, float *c) {
    using namespace nvcuda;
    __shared__ __align__(32) __half as[32][24], bs[16][40];
    int t = threadIdx.x, w = t / 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int e = t; e < 32 * 16; e += 128) as[e / 16][e % 16] = a[(blockIdx.y * 32 + e / 16) * n + k + e % 16];
        for (int e = t; e < 16 * 32; e += 128) bs[e / 32][e % 32] = b[(k + e / 32) * n + blockIdx.x * 32 + e % 32];
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &as[w / 2 * 16][0], 24);
        wmma::load_matrix_sync(fb, &bs[0][w % 2 * 16], 40);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    wmma::store_matrix_sync(c + (blockIdx.y * 32 + w / 2 * 16) * n + blockIdx.x * 32 + w % 2 * 16, acc, n, wmma::mem_row_major);
}
__global__ void gemv_warp_row(int rows, int cols, const float *m, const float *x, float *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0.0f;
    for (int k = lane; k < cols; k += 32) s += m[(size_t)row * cols + k] * x[k];
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) y[row] = s;
}

/* ---- stencils and images ---- */
__global__ void stencil_1d_shared(int n, const float *in, float *out) {
    __shared__ float s[256 + 6];
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = threadIdx.x + 3;
    s[k] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < 3) {
        s[k - 3] = i >= 3 ? in[i - 3] : 0.0f;
        s[k + blockDim.x] = i + (int)blockDim.x < n ? in[i + blockDim.x] : 0.0f;
    }
    __syncthreads();
    float v = 0.0f;
#pragma unroll
    for (int d = -3; d <= 3; d++) v += s[k + d];
    if (i < n) out[i] = v;
}
__global__ void heat_2d(int w, int h, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int i = y * w + x;
        out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4.0f * in[i]);
    }
}
__global__ void heat_3d_marching(int nx, int ny, int nz, const float *__restrict__ in, float *__restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, i = y * nx + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        float above = in[i + plane];
        out[i] = here * 0.4f + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
        below = here;
        here = above;
    }
}
__constant__ float mask5[25] = {1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9, 6, 3, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1};
__global__ void convolve_5x5(int w, int h, const float *in, float *out) {
    __shared__ float t[12][36];
    int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 8 - 2;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 12 * 36; k += 256) {
        int x = x0 + k % 36, y = y0 + k / 36;
        t[k / 36][k % 36] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.0f;
    }
    __syncthreads();
    float s = 0.0f;
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++) s = fmaf(mask5[j * 5 + i], t[threadIdx.y + j][threadIdx.x + i], s);
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = s;
}
__global__ void rgba_to_gray(int n, const uchar4 *in, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 p = in[i];
        out[i] = (unsigned char)((77 * p.x + 151 * p.y + 28 * p.z) >> 8);
    }
}
__global__ void rgb24_to_gray(int n, const unsigned char *in, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (unsigned char)((77 * in[3 * i] + 151 * in[3 * i + 1] + 28 * in[3 * i + 2]) >> 8);
}
__global__ void sobel_bytes(int w, int h, int pitch, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1) return;
    const unsigned char *p = in + y * pitch + x;
    int gx = p[1 - pitch] + 2 * p[1] + p[1 + pitch] - p[-1 - pitch] - 2 * p[-1] - p[pitch - 1];
    int gy = p[pitch - 1] + 2 * p[pitch] + p[pitch + 1] - p[-pitch - 1] - 2 * p[-pitch] - p[1 - pitch];
    out[y * pitch + x] = (unsigned char)min(255, abs(gx) + abs(gy));
}
__global__ void box_blur_rgba(int w, int h, const uchar4 *in, uchar4 *out, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    int sr = 0, sg = 0, sb = 0, n = 0;
    for (int j = max(0, y - r); j <= min(h - 1, y + r); j++)
        for (int i = -1; i <= 1; i++) {
            int u = min(max(x + i, 0), w - 1);
            uchar4 p = __ldg(in + j * w + u);
            sr += p.x, sg += p.y, sb += p.z, n++;
        }
    out[y * w + x] = make_uchar4(sr / n, sg / n, sb / n, 255);
}
__global__ void flip_rows_short4(int w4, const short4 *in, short4 *out) {
    int y = blockIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < w4) {
        short4 p = in[y * w4 + x];
        out[y * w4 + w4 - 1 - x] = make_short4(p.w, p.z, p.y, p.x);
    }
}
__global__ void life_bytes(int w, int h, const unsigned char *in, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int n = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j) n += in[(y + j + h) % h * w + (x + i + w) % w] & 1;
    out[y * w + x] = n == 3 || (n == 2 && (in[y * w + x] & 1));
}
__global__ void downsample_2x2(int w, int h, const float2 *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float2 a = in[2 * y * w + x], b = in[(2 * y + 1) * w + x];
    out[y * w + x] = 0.25f * (a.x + a.y + b.x + b.y);
}

/* ---- networks ---- */
__global__ void softmax_like_rows(int cols, const float *in, float *out) {
    __shared__ float red[8];
    const float *row = in + (size_t)blockIdx.x * cols;
    float m = 0.0f;
    for (int k = threadIdx.x; k < cols; k += blockDim.x) m = fmaxf(m, row[k]);
    for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = m;
    __syncthreads();
    m = red[0];
    for (int k = 1; k < (int)blockDim.x / 32; k++) m = fmaxf(m, red[k]);
    __syncthreads();
    float s = 0.0f;
    for (int k = threadIdx.x; k < cols; k += blockDim.x) {
        float e = 1.0f / (1.0f + (m - row[k]));
        out[(size_t)blockIdx.x * cols + k] = e;
        s += e;
    }
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0.0f;
    for (int k = 0; k < (int)blockDim.x / 32; k++) s += red[k];
    for (int k = threadIdx.x; k < cols; k += blockDim.x) out[(size_t)blockIdx.x * cols + k] /= s;
}
__global__ void softmax_warp(int rows, int cols, const float *in, float *out) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float v[4], m = -1e30f, s = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int c = threadIdx.x + 32 * k;
        v[k] = c < cols ? in[row * cols + c] : -1e30f;
        m = fmaxf(m, v[k]);
    }
    for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
#pragma unroll
    for (int k = 0; k < 4; k++) s += v[k] = v[k] - m;
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (threadIdx.x + 32 * k < cols) out[row * cols + threadIdx.x + 32 * k] = v[k] / s;
}
__global__ void layernorm_float4(int cols4, const float4 *in, const float4 *gamma, float4 *out) {
    __shared__ float2 part[8];
    float2 s = make_float2(0.0f, 0.0f);
    const float4 *row = in + blockIdx.x * cols4;
    for (int k = threadIdx.x; k < cols4; k += blockDim.x) {
        float4 v = row[k];
        s.x += v.x + v.y + v.z + v.w;
        s.y += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d; d /= 2) {
        s.x += __shfl_down_sync(~0u, s.x, d);
        s.y += __shfl_down_sync(~0u, s.y, d);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < (int)blockDim.x / 32; k++) part[0].x += part[k].x, part[0].y += part[k].y;
    }
    __syncthreads();
    float mean = part[0].x / (4 * cols4), scale = 1.0f / sqrtf(part[0].y / (4 * cols4) - mean * mean + 1e-5f);
    for (int k = threadIdx.x; k < cols4; k += blockDim.x) {
        float4 v = row[k], g = gamma[k];
        out[blockIdx.x * cols4 + k] = make_float4((v.x - mean) * scale * g.x, (v.y - mean) * scale * g.y, (v.z - mean) * scale * g.z, (v.w - mean) * scale * g.w);
    }
}
__global__ void attention_scores(int length, int dim, const float *q, const float *k, float *s) {
    __shared__ float qs[16][33], ks[16][33];
    float acc = 0.0f;
    for (int d0 = 0; d0 < dim; d0 += 32) {
        for (int e = threadIdx.y * 16 + threadIdx.x; e < 512; e += 256) {
            qs[e / 32][e % 32] = q[(blockIdx.y * 16 + e / 32) * dim + d0 + e % 32];
            ks[e / 32][e % 32] = k[(blockIdx.x * 16 + e / 32) * dim + d0 + e % 32];
        }
        __syncthreads();
#pragma unroll 8
        for (int d = 0; d < 32; d++) acc = fmaf(qs[threadIdx.y][d], ks[threadIdx.x][d], acc);
        __syncthreads();
    }
    s[(blockIdx.y * 16 + threadIdx.y) * length + blockIdx.x * 16 + threadIdx.x] = acc;
}
__global__ void embedding_float4(int dim4, const int *ids, const float4 *table, float4 *out, int vocabulary) {
    int id = (unsigned)ids[blockIdx.x] % vocabulary;
    for (int k = threadIdx.x; k < dim4; k += blockDim.x) out[blockIdx.x * dim4 + k] = table[(size_t)id * dim4 + k];
}
__global__ void embedding_bag(int dim, int bag, const unsigned *ids, const __half *table, float *out, int vocabulary) {
    for (int k = threadIdx.x; k < dim; k += blockDim.x) {
        float s = 0.0f;
        for (int j = 0; j < bag; j++) s += __half2float(table[ids[blockIdx.x * bag + j] % vocabulary * dim + k]);
        out[blockIdx.x * dim + k] = s;
    }
}
__global__ void bias_relu_inplace(int cols, int rows, const float *bias, float *x) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float b = bias[c];
    for (int r = blockIdx.y; r < rows; r += gridDim.y) x[r * cols + c] = fmaxf(x[r * cols + c] + b, 0.0f);
}
__global__ void nchw_to_nhwc(int c, int hw, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < c * hw) out[i % hw * c + i / hw] = in[i];
}
__global__ void maxpool_2x2(int w, int h, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, ow = w / 2, oh = h / 2;
    if (x < ow && y < oh) {
        const float *p = in + blockIdx.z * w * h + 2 * y * w + 2 * x;
        out[blockIdx.z * ow * oh + y * ow + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1]));
    }
}

/* ---- sparse, graphs, search, sort ---- */
__device__ int row_start(int r, int average) { return r * average + (int)((unsigned)r * 2654435761u >> 29) % average; }
__global__ void spmv_csr_scalar(int rows, int average, const unsigned *cols, const float *vals, const float *x, float *y, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.0f;
    for (int k = row_start(r, average); k < row_start(r + 1, average); k++) s += vals[k] * x[cols[k] % n];
    y[r] = s;
}
__global__ void spmv_csr_vector(int rows, int average, const unsigned *cols, const double *vals, const double *x, double *y, int n) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    double s = 0.0;
    if (r < rows)
        for (int k = row_start(r, average) + lane; k < row_start(r + 1, average); k += 8) s += vals[k] * x[cols[k] % n];
    for (int d = 4; d; d /= 2) s += __shfl_down_sync(~0u, s, d, 8);
    if (r < rows && lane == 0) y[r] = s;
}
__global__ void gather_indexed(int n, const int *index, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}
__global__ void scatter_indexed(int n, const int *index, const float2 *in, float2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = in[i];
}
__global__ void lower_bound_many(int n, const int *sorted, int queries, const unsigned *q, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    int lo = 0, hi = n, key = (int)(q[i] >> 20);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (sorted[mid] < key) lo = mid + 1;
        else hi = mid;
    }
    out[i] = lo;
}
__global__ void merge_path(int n, int m, const int *a, const int *b, int *out, int each) {
    int d = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    if (d >= n + m) return;
    int lo = max(0, d - m), hi = min(d, n);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] <= b[d - mid - 1]) lo = mid + 1;
        else hi = mid;
    }
    int i = lo, j = d - lo;
    for (int k = 0; k < each && d + k < n + m; k++) out[d + k] = j >= m || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}
__global__ void bitonic_block(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[512];
    for (int k = threadIdx.x; k < 512; k += 256) s[k] = in[blockIdx.x * 512 + k];
    __syncthreads();
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            int p = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = !(threadIdx.x & (size / 2));
            unsigned a = s[p], b = s[p + stride];
            if ((a > b) == up) s[p] = b, s[p + stride] = a;
            __syncthreads();
        }
    for (int k = threadIdx.x; k < 512; k += 256) out[blockIdx.x * 512 + k] = s[k];
}
__global__ void odd_even_sort(const short *in, short *out) {
    __shared__ short s[128];
    int t = threadIdx.x;
    s[t] = in[t], s[t + 64] = in[t + 64];
    __syncthreads();
    for (int k = 0; k < 128; k++) {
        int i = 2 * t + (k & 1);
        if (i + 1 < 128 && s[i] > s[i + 1]) {
            short u = s[i];
            s[i] = s[i + 1];
            s[i + 1] = u;
        }
        __syncthreads();
    }
    out[t] = s[t], out[t + 64] = s[t + 64];
}
__global__ void list_walk(const int *next, int *out, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < steps; k++) at = next[at];
    out[i] = at;
}
__global__ void collatz(int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    if (i >= n) return;
    for (unsigned v = i + 1; v != 1; steps++) v = v & 1 ? 3 * v + 1 : v / 2;
    out[i] = steps;
}
__global__ void ragged_rows(int rows, const float *in, float *out) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.0f;
    for (int k = 0; k < r % 7 + 1; k++) s += in[r * 8 + k];
    out[r] = s;
}

/* ---- structures ---- */
struct vec3 { float x, y, z; };
struct atom5 { float x, y, z, q; int type; };
struct body48 { double3 p, v; };
struct mixed { char tag; short level; int count; long long stamp; };
__global__ void vec3_length2(int n, const vec3 *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i].x * in[i].x + in[i].y * in[i].y + in[i].z * in[i].z;
}
__global__ void vec3_scale(int n, vec3 *io, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) io[i] = vec3{io[i].x * a, io[i].y * a, io[i].z * a};
}
__global__ void atoms_charge(int n, const atom5 *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (in[i].type & 1) ? in[i].q : -in[i].q;
}
__global__ void bodies_move(int n, body48 *b, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i].p.x += dt * b[i].v.x, b[i].p.y += dt * b[i].v.y, b[i].p.z += dt * b[i].v.z;
}
__global__ void mixed_update(int n, mixed *m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        m[i].tag = 7;
        m[i].count += m[i].level;
        m[i].stamp = (long long)m[i].count * 3;
    }
}
__global__ void soa_to_aos(int n, const float *x, const float *y, const float *z, vec3 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = vec3{x[i], y[i], z[i]};
}
__global__ void aos_to_soa_shared(int n, const float *in, float *x, float *y, float *z) {
    __shared__ float s[3 * 192];
    int base = blockIdx.x * 192 * 3;
    for (int k = threadIdx.x; k < 576; k += 192)
        if (base + k < 3 * n) s[k] = in[base + k];
    __syncthreads();
    int i = blockIdx.x * 192 + threadIdx.x;
    if (i < n) x[i] = s[3 * threadIdx.x], y[i] = s[3 * threadIdx.x + 1], z[i] = s[3 * threadIdx.x + 2];
}

/* ---- cache operators, hints ---- */
__global__ void cache_operators(const float *in, float *out, int which) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0.0f, w = 0.0f;
    switch (which) {
    case 0: v = __ldcs(in + i), w = __ldcs(in + i); break;
    case 1: v = __ldcg(in + i), w = __ldcg(in + i + 1); break;
    case 2: v = __ldlu(in + i), w = in[i]; break;
    case 3: v = __ldcv(in + i), w = __ldcv(in + i + 1); break;
    case 4: v = __ldca(in + i), w = __ldca(in + i + 1); break;
    }
    switch (which) {
    case 0: __stcs(out + i, v + w); break;
    case 1: __stcg(out + i, v + w); break;
    case 2: __stwt(out + i, v + w); break;
    default: __stwb(out + i, v + w); break;
    }
}
__global__ void policy_loads(const float4 *a, const float4 *b, float4 *out, int n) {
    unsigned long long keep, drop;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(drop));
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float4 u, v;
        asm volatile("ld.global.L2::cache_hint.v4.f32 {%0,%1,%2,%3}, [%4], %5;" : "=f"(u.x), "=f"(u.y), "=f"(u.z), "=f"(u.w) : "l"(a + i % 64), "l"(keep));
        asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32 {%0,%1,%2,%3}, [%4], %5;" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(b + i), "l"(drop));
        u.x += v.x, u.y += v.y, u.z += v.z, u.w += v.w;
        asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1,%2,%3,%4}, %5;" ::"l"(out + i), "f"(u.x), "f"(u.y), "f"(u.z), "f"(u.w), "l"(drop) : "memory");
    }
}
__global__ void sector_promotions(const float *in, float *out, int which, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0.0f;
    const float *p = in + i * stride;
    if (which == 0) asm volatile("ld.global.L2::64B.f32 %0, [%1];" : "=f"(v) : "l"(p));
    if (which == 1) asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(v) : "l"(p));
    if (which == 2) asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(v) : "l"(p));
    if (which == 3) asm volatile("ld.global.nc.L1::evict_last.f32 %0, [%1];" : "=f"(v) : "l"(p));
    out[i] = v;
}
__global__ void prefetch_ahead(const float *in, float *out, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
    for (int k = 0; k < rounds; k++) {
        if (k + 1 < rounds) asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i + (k + 1) * step));
        out[i + k * step] = in[i + k * step] * 2.0f;
    }
}
__global__ void volatile_neighbours(volatile float *x, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i] + x[i + 1] + x[i + 2];
}
__global__ void acquire_release(unsigned *flags, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(flags + i) : "memory");
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(out + i), "r"(v + 1) : "memory");
}
__global__ void reread_two_strides(const float *in, float *out, int n, int stride) {
    float s = 0.0f;
    for (int k = threadIdx.x; k < n; k += blockDim.x) s += in[blockIdx.x * n + k];
    __syncthreads();
    for (int k = threadIdx.x; k < n / stride; k += blockDim.x) s += in[blockIdx.x * n + k * stride];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void funnel_copy(int words, const unsigned *in, unsigned *out, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words) out[i] = __funnelshift_r(in[i], in[i + 1], shift);
}
__global__ void byte_reverse_copy(int n, const unsigned char *in, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}
__global__ void scale_in_place_twice(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] *= 2.0f;
    __threadfence();
    x[i] += 1.0f;
}
__global__ void two_outputs(int n, const float *in, float *even, float *odd) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i % 2 == 0) even[i / 2] = in[i];
    else odd[i / 2] = in[i];
}
__global__ void nested_exits(int n, const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    if (v % 2) {
        out[i] = v;
        return;
    }
    if (v % 3) {
        out[i] = in[i + 1];
        if (v % 5 == 0) return;
        out[i + n] = v;
    } else {
        out[i] = in[i + 2] + in[i + 40];
    }
}
__global__ void sign_select(int n, const float *a, const float *b, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] > 0.5f ? a[i] : b[i];
}

/* ---- atomics ---- */
__global__ void atomics_of(int n, const unsigned *key, unsigned *bins, int mask, int which) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = key[i] >> 7 & mask;
    switch (which) {
    case 0: atomicAdd(bins + k, 1u); break;
    case 1: atomicMin(bins + k, key[i]); break;
    case 2: atomicOr(bins + k / 32, 1u << k % 32); break;
    case 3: atomicMax((int *)bins + k, (int)key[i]); break;
    case 4: atomicInc(bins + k, 1000u); break;
    }
}
__global__ void atomic_f64_rows(int n, const float *in, double *rows, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(rows + i / width, 1.0);
}
__global__ void atomic_half2_pairs(int n, __half2 *out, int mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out + (i & mask), __floats2half2_rn(1.0f, 2.0f));
}
__global__ void atomic_bf162_pairs(int n, __nv_bfloat162 *out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out + i * stride, __floats2bfloat162_rn(1.0f, 2.0f));
}
__global__ void exchange_128(const ulonglong2 *in, ulonglong2 *slots, ulonglong2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ulonglong2 v = in[i], o;
    asm volatile("{ .reg .b128 a, b; mov.b128 a, {%2, %3}; atom.global.b128.exch b, [%4], a; mov.b128 {%0, %1}, b; }"
                 : "=l"(o.x), "=l"(o.y) : "l"(v.x), "l"(v.y), "l"(slots + i) : "memory");
    out[i] = o;
}
__global__ void float_max_cas(int n, const float *in, int *best, int buckets) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(best + i % buckets, __float_as_int(in[i]));
}
__global__ void degree_count(int edges, const unsigned *from, int *degree, int *order, int nodes) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) atomicAdd(degree + from[e] % nodes, 1);
    if (e < edges && order) atomicSub(order + e % 3, 1);
}
__global__ void warp_leader_add(int n, const int *in, unsigned long long *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    v = __reduce_add_sync(~0u, v);
    if (threadIdx.x % 32 == 0) atomicAdd(total, (unsigned long long)v);
}
__global__ void shared_bins_any(int n, const unsigned *in, unsigned *out, int which, int mask) {
    __shared__ unsigned s[128];
    __shared__ unsigned long long d[64];
    for (int k = threadIdx.x; k < 128; k += blockDim.x) s[k] = which == 1 ? ~0u : 0;
    if (threadIdx.x < 64) d[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned v = in[blockIdx.x * n + i], k = v & mask;
        if (which == 0) atomicAdd(s + k, 1u);
        if (which == 1) atomicMin(s + k, v);
        if (which == 2) atomicXor(s + k, v);
        if (which == 3) atomicAdd(d + k % 64, (unsigned long long)v);
        if (which == 4) atomicExch(s + threadIdx.x % 128, v);
        if (which == 5) atomicMax((int *)s + k * 4 % 128, (int)v);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 128; k += blockDim.x) out[blockIdx.x * 128 + k] = s[k] + (unsigned)d[k % 64];
}
__global__ void shared_cursor(const unsigned *in, unsigned *out, int *counts) {
    __shared__ int cursor;
    if (threadIdx.x == 0) cursor = 0;
    __syncthreads();
    if (in[blockIdx.x * blockDim.x + threadIdx.x] & 1) atomicAdd(&cursor, 1);
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = cursor;
    out[blockIdx.x * blockDim.x + threadIdx.x] = cursor;
}

/* ---- shared memory ---- */
__global__ void shared_double_stride(const double *in, double *out, int stride) {
    __shared__ double s[2048];
    s[threadIdx.x * stride % 2048] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[(blockDim.x - 1 - threadIdx.x) * stride % 2048];
}
__global__ void shared_float4_matrix(const float4 *in, float4 *out, int pitch) {
    extern __shared__ float4 rows4[];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    rows4[y * pitch + x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = rows4[(threadIdx.x % 16) * pitch + threadIdx.x / 16 % 8];
}
__global__ void shared_vec3(const vec3 *in, vec3 *out) {
    __shared__ vec3 s[192];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[191 - threadIdx.x];
}
__global__ void shared_struct_mixed(const mixed *in, mixed *out) {
    __shared__ mixed s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void shared_bytes_table(const unsigned char *in, unsigned char *out, int n) {
    __shared__ unsigned char t[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = (unsigned char)(k * 7 + 3);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = t[in[i]];
}
__global__ void shared_pad_columns(const float *in, float *out, int pad) {
    extern __shared__ float tile[];
    int p = 32 + pad;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) tile[y * p + threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) out[y * 32 + threadIdx.x] = tile[threadIdx.x * p + y] + tile[threadIdx.x * p + (y ^ 1)];
}
__global__ void shared_complex_fft(const float2 *in, const float2 *twiddle, float2 *out) {
    __shared__ float2 s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t], s[t + 64] = in[blockIdx.x * 128 + t + 64];
    __syncthreads();
    for (int half = 1; half < 128; half *= 2) {
        int j = t & (half - 1), p = 2 * t - j;
        float2 w = twiddle[j * (64 / half)], a = s[p], b = s[p + half];
        float2 c = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        s[p] = make_float2(a.x + c.x, a.y + c.y);
        s[p + half] = make_float2(a.x - c.x, a.y - c.y);
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = s[t], out[blockIdx.x * 128 + t + 64] = s[t + 64];
}
__global__ void nbody_tiles(int n, const float4 *p, float4 *out) {
    __shared__ float4 tile[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    float4 me = p[i], f = make_float4(0, 0, 0, 0);
    for (int b = 0; b < n; b += 96) {
        tile[threadIdx.x] = p[b + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 96; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            f.x += dx * tile[k].w, f.y += dy * tile[k].w, f.z += dz * tile[k].w;
        }
        __syncthreads();
    }
    out[i] = f;
}
__global__ void lu_column(const float *in, float *out) {
    __shared__ float m[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    m[y][x] = in[(blockIdx.x * 16 + y) * 16 + x] + (x == y ? 16.0f : 0.0f);
    __syncthreads();
    for (int k = 0; k < 15; k++) {
        if (y > k && x == k) m[y][k] /= m[k][k];
        __syncthreads();
        if (y > k && x > k) m[y][x] -= m[y][k] * m[k][x];
        __syncthreads();
    }
    out[(blockIdx.x * 16 + y) * 16 + x] = m[y][x];
}
__global__ void sliding_window(const float *in, float *out, int n) {
    __shared__ float s[160];
    int i = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < 32) s[128 + threadIdx.x] = i + 128 < n ? in[i + 128] : 0.0f;
    __syncthreads();
    float v = 0.0f;
    for (int k = 0; k < 32; k++) v = fmaxf(v, s[threadIdx.x + k]);
    if (i < n) out[i] = v;
}
__global__ void warp_transpose_shuffle(const float *in, float *out) {
    int lane = threadIdx.x & 31, base = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 128;
    float v[4];
    for (int k = 0; k < 4; k++) v[k] = in[base + k * 32 + lane];
    for (int k = 0; k < 4; k++) v[k] = __shfl_sync(~0u, v[k], (lane * 5 + k) & 31);
    *(float4 *)(out + base + lane * 4) = make_float4(v[0], v[1], v[2], v[3]);
}

/* ---- constant and local memory ---- */
__constant__ int palette[256] = {3, 1, 4, 1, 5, 9, 2, 6};
struct settings { float gain; int shift; float bias[6]; };
__constant__ settings config = {1.5f, 3, {1, 2, 3, 4, 5, 6}};
__global__ void palette_lookup(int n, const unsigned char *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = palette[in[i]];
}
__global__ void config_use(int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * config.gain + config.bias[i % 6] + (float)(i >> config.shift);
}
__global__ void digits_local(int n, const unsigned *in, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char d[10];
    int k = 0;
    for (unsigned v = in[i]; k < 10; v /= 10) d[k++] = (unsigned char)(v % 10);
    out[i] = d[in[i] % 10];
}
__global__ void median_local(int w, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[9];
    for (int k = 0; k < 9; k++) v[k] = in[i + k];
    for (int a = 1; a < w; a++) {
        float x = v[a];
        int b = a;
        while (b > 0 && v[b - 1] > x) v[b] = v[b - 1], b--;
        v[b] = x;
    }
    out[i] = v[w / 2];
}
__global__ void histogram_local(int each, const unsigned char *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h[16];
    for (int k = 0; k < 16; k++) h[k] = 0;
    for (int k = 0; k < each; k++) h[in[i * each + k] & 15]++;
    for (int k = 0; k < 16; k++) out[k * gridDim.x * blockDim.x + i] = h[k];
}

/* ---- sets, occupancy ---- */
__global__ void __launch_bounds__(1024, 2) big_blocks(int n, const float4 *in, float4 *out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float4 v = in[i];
        out[i] = make_float4(v.w, v.z, v.y, v.x);
    }
}
__global__ void loop_over_table(const float *table, float *out, int n, int rounds) {
    extern __shared__ float ballast[];
    float s = 0.0f;
    for (int r = 0; r < rounds; r++)
        for (int k = threadIdx.x; k < n; k += blockDim.x) s += table[k];
    if (s < 0.0f) ballast[threadIdx.x] = s;
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void sum_columns_of(int rows, int cols, const float *in, float *out) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float s = 0.0f;
    for (int r = blockIdx.y; r < rows; r += gridDim.y) s += in[(size_t)r * cols + c];
    out[blockIdx.y * cols + c] = s;
}
__global__ void copy_reversed_blocks(const float4 *in, float4 *out, int n) {
    int b = gridDim.x - 1 - blockIdx.x, i = b * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[n - 1 - i];
}

} /* extern "C" */
