/* The second blind test: compiled for compute_80, as programs that ship PTX for older machines are, and made machine code for a Hopper by its driver.
 * Written before the model was looked at. Launches are in launches.py. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <stdint.h>

#define FULL 0xffffffffu
#define FETCH_FLOAT4(p) (reinterpret_cast<const float4 *>(&(p))[0])

extern "C" {

__global__ void axpy_unrolled(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++, i += blockDim.x)
        if (i < n) y[i] += a * x[i];
}
__global__ void dot_float4(int n4, const float4 *__restrict__ a, const float4 *__restrict__ b, float *__restrict__ partial) {
    __shared__ float s[8];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 p = a[i], q = b[i];
        v += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(FULL, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++) v += s[k];
        partial[blockIdx.x] = v;
    }
}
__global__ void matmul_tile_32(int m, int n, int k, const float *a, const float *b, float *c) {
    __shared__ float as[32][32], bs[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    for (int t = 0; t < (k + 31) / 32; t++) {
        as[threadIdx.y][threadIdx.x] = row < m && t * 32 + threadIdx.x < k ? a[row * k + t * 32 + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] = t * 32 + threadIdx.y < k && col < n ? b[(t * 32 + threadIdx.y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 32; i++) s += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = s;
}
__global__ void conv_separable_rows(const float *__restrict__ in, float *__restrict__ out, int w, int pitch) {
    __shared__ float s[4][10 * 16];
    const int x0 = (blockIdx.x * 8 - 1) * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    in += y * pitch + x0, out += y * pitch + x0;
#pragma unroll
    for (int i = 1; i < 9; i++) s[threadIdx.y][threadIdx.x + i * 16] = in[i * 16];
    s[threadIdx.y][threadIdx.x] = x0 >= 0 ? in[0] : 0;
    s[threadIdx.y][threadIdx.x + 144] = w - x0 > 144 ? in[144] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 1; i < 9; i++) {
        float v = 0;
#pragma unroll
        for (int j = -8; j <= 8; j++) v += (0.1f + 0.01f * j) * s[threadIdx.y][threadIdx.x + i * 16 + j];
        out[i * 16] = v;
    }
}
__global__ void conv_separable_columns(const float *__restrict__ in, float *__restrict__ out, int h, int pitch) {
    __shared__ float s[16][10 * 8 + 1];
    const int x = blockIdx.x * 16 + threadIdx.x, y0 = (blockIdx.y * 8 - 1) * 8 + threadIdx.y;
    in += y0 * pitch + x, out += y0 * pitch + x;
#pragma unroll
    for (int i = 1; i < 9; i++) s[threadIdx.x][threadIdx.y + i * 8] = in[i * 8 * pitch];
    s[threadIdx.x][threadIdx.y] = y0 >= 0 ? in[0] : 0;
    s[threadIdx.x][threadIdx.y + 72] = h - y0 > 72 ? in[72 * pitch] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 1; i < 9; i++) {
        float v = 0;
#pragma unroll
        for (int j = -8; j <= 8; j++) v += (0.1f + 0.01f * j) * s[threadIdx.x][threadIdx.y + i * 8 + j];
        out[i * 8 * pitch] = v;
    }
}
__global__ void reduce_min_max(int n, const float *__restrict__ in, float2 *__restrict__ out) {
    extern __shared__ float2 mm[];
    float lo = INFINITY, hi = -INFINITY;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) lo = fminf(lo, in[i]), hi = fmaxf(hi, in[i]);
    mm[threadIdx.x] = make_float2(lo, hi);
    __syncthreads();
    for (int s = blockDim.x >> 1; s; s >>= 1) {
        if (threadIdx.x < s) {
            float2 a = mm[threadIdx.x], b = mm[threadIdx.x + s];
            mm[threadIdx.x] = make_float2(fminf(a.x, b.x), fmaxf(a.y, b.y));
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = mm[0];
}
__global__ void flash_like(const __half *__restrict__ Q, const __half *__restrict__ K, const __half *__restrict__ V, float *__restrict__ O, int T) {
    __shared__ __align__(16) __half ks[2][16][40], vs[2][16][40];
    const int t = threadIdx.x, row = blockIdx.x * 64 + t; /* 64 threads, heads of 32 */
    float q[32], o[32] = {}, peak = -1e30f, sum = 0;
    for (int d = 0; d < 32; d += 2) {
        float2 v = __half22float2(*(const __half2 *)&Q[row * 32 + d]);
        q[d] = v.x, q[d + 1] = v.y;
    }
    auto fetch = [&](int s, int tile) {
        __pipeline_memcpy_async(&ks[s][t / 4][t % 4 * 8], K + (tile * 16 + t / 4) * 32 + t % 4 * 8, 16);
        __pipeline_memcpy_async(&vs[s][t / 4][t % 4 * 8], V + (tile * 16 + t / 4) * 32 + t % 4 * 8, 16);
        __pipeline_commit();
    };
    fetch(0, 0);
    const int tiles = T / 16;
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) {
            fetch(tile + 1 & 1, tile + 1);
            __pipeline_wait_prior(1);
        } else
            __pipeline_wait_prior(0);
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < 32; d++) s += q[d] * __half2float(ks[tile & 1][j][d]);
            float now = fmaxf(peak, s), scale = exp2f(rintf(peak - now)), p = exp2f(rintf(s - now));
            sum = sum * scale + p;
#pragma unroll
            for (int d = 0; d < 32; d++) o[d] = o[d] * scale + p * __half2float(vs[tile & 1][j][d]);
            peak = now;
        }
        __syncthreads();
    }
    for (int d = 0; d < 32; d += 4) *(float4 *)&O[row * 32 + d] = make_float4(o[d] / sum, o[d + 1] / sum, o[d + 2] / sum, o[d + 3] / sum);
}
__global__ void hgemm_wmma_padded(int n, const __half *__restrict__ a, const __half *__restrict__ b, float *__restrict__ c) {
    using namespace nvcuda;
    __shared__ __align__(16) __half as[2][64][24], bs[2][16][72];
    const int t = threadIdx.x, warp = t / 32, wr = warp / 2 * 32, wc = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 4; i++) wmma::fill_fragment(acc[i / 2][i % 2], 0.0f);
    auto fetch = [&](int s, int p) {
        __pipeline_memcpy_async(&as[s][t / 2][t % 2 * 8], a + (blockIdx.y * 64 + t / 2) * n + p + t % 2 * 8, 16);
        __pipeline_memcpy_async(&bs[s][t / 8][t % 8 * 8], b + (p + t / 8) * n + blockIdx.x * 64 + t % 8 * 8, 16);
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int p = 0, s = 0; p < n; p += 16, s ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (p + 16 < n) fetch(s ^ 1, p + 16);
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
        for (int i = 0; i < 2; i++) wmma::load_matrix_sync(fa[i], &as[s][wr + 16 * i][0], 24), wmma::load_matrix_sync(fb[i], &bs[s][0][wc + 16 * i], 72);
        for (int i = 0; i < 4; i++) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) wmma::store_matrix_sync(c + (blockIdx.y * 64 + wr + i / 2 * 16) * n + blockIdx.x * 64 + wc + i % 2 * 16, acc[i / 2][i % 2], n, wmma::mem_row_major);
}
__global__ void black_scholes(int n, const float *__restrict__ price, const float *__restrict__ strike, const float *__restrict__ years, float *__restrict__ call, float *__restrict__ put) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float S = 5 + 25 * price[i], X = 1 + 99 * strike[i], T = 0.25f + 9.75f * years[i], root = sqrtf(T);
    float d1 = (__logf(S / X) + 0.065f * T) / (0.3f * root), d2 = d1 - 0.3f * root;
    auto cnd = [](float d) {
        float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
        float v = 0.39894228f * __expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
        return d > 0 ? 1.0f - v : v;
    };
    float c1 = cnd(d1), c2 = cnd(d2), decay = __expf(-0.02f * T);
    call[i] = S * c1 - X * decay * c2;
    put[i] = X * decay * (1.0f - c2) - S * (1.0f - c1);
}
__global__ void sobol_dimensions(int n, const unsigned *__restrict__ directions, float *__restrict__ out) {
    __shared__ unsigned v[32];
    if (threadIdx.x < 32) v[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned g = i ^ i >> 1, x = 0;
        for (int k = 0; k < 32; k++)
            if (g >> k & 1) x ^= v[k];
        out[blockIdx.y * n + i] = x * (1.0f / 4294967296.0f);
    }
}
__global__ void merge_tiles(const unsigned *__restrict__ in, unsigned *__restrict__ out, int stride) {
    __shared__ unsigned s[512];
    int t = threadIdx.x, base = blockIdx.x * 512;
    s[t] = base + 2 * t, s[t + 256] = base + 2 * t + (in[base + t] & 1);
    for (; stride < 512; stride <<= 1) {
        int lpos = t & (stride - 1);
        unsigned *b = s + 2 * (t - lpos);
        __syncthreads();
        unsigned ka = b[lpos], kb = b[lpos + stride];
        int lo = 0, hi = stride;
        while (lo < hi) {
            int mid = (lo + hi) / 2;
            if (b[stride + mid] < ka) lo = mid + 1;
            else hi = mid;
        }
        int pa = lo + lpos;
        lo = 0, hi = stride;
        while (lo < hi) {
            int mid = (lo + hi) / 2;
            if (b[mid] <= kb) lo = mid + 1;
            else hi = mid;
        }
        int pb = lo + lpos;
        __syncthreads();
        b[pa] = ka, b[pb] = kb;
    }
    __syncthreads();
    out[base + t] = s[t], out[base + t + 256] = s[t + 256];
}
__global__ void odd_block_3d(int nx, int ny, int nz, const double *__restrict__ in, double *__restrict__ out) {
    __shared__ double plane[3][7][13];
    int x = blockIdx.x * 13 + threadIdx.x, y = blockIdx.y * 7 + threadIdx.y, z = blockIdx.z * 3 + threadIdx.z;
    bool on = x < nx && y < ny && z < nz;
    plane[threadIdx.z][threadIdx.y][threadIdx.x] = on ? in[(z * ny + y) * nx + x] : 0;
    __syncthreads();
    if (on) out[(z * ny + y) * nx + x] = plane[threadIdx.z][threadIdx.y][12 - threadIdx.x] + plane[2 - threadIdx.z][threadIdx.y][threadIdx.x];
}
__global__ void adaptive_ranks(int n, const float *__restrict__ x, int *__restrict__ rank) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = 0, k = i + 1;
    while (k < n && x[k] < x[i]) k++, r++;
    rank[i] = r;
}
__global__ void bfloat_sum(int n, const __nv_bfloat162 *__restrict__ a, const __nv_bfloat162 *__restrict__ b, __nv_bfloat162 *__restrict__ c) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) c[i] = __hadd2(a[i], b[i]);
}
__global__ void counters_64(int n, const unsigned *__restrict__ in, unsigned long long *bins) {
    __shared__ unsigned long long local[32];
    if (threadIdx.x < 32) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.x < 32) atomicAdd(&local[in[i] >> 27], 1ull << 33);
    __syncthreads();
    if (threadIdx.x < 32 && local[threadIdx.x]) atomicAdd(bins + threadIdx.x, local[threadIdx.x]);
}
}
