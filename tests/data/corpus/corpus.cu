/* Kernels that the truth file does not have: what the model was not made from. One launch per case; see README.md. */
#include "../truth/truth.cuh"
#include <cuda_pipeline_primitives.h>

#define SMEM(p) ((unsigned)__cvta_generic_to_shared(p))

extern "C" {

/* ---- which of the four tag banks a line falls into: bit `bit` of the line number against lines 0 to 3. The load of pair j runs j + 1
 * times, so that the wavefronts of the launch tell which pair shares a bank. ---- */
__global__ void tag_bank(const char *in, int *out, int bit) {
    const char *base = (const char *)(((unsigned long long)in + (1ull << 24) - 1) & ~((1ull << 24) - 1));
    int sum = 0;
    for (int j = 0; j < 4; j++) {
        const char *p = base + (threadIdx.x ? (128ull << bit) : 128ull * j);
        for (int k = 0; k <= j; k++) sum += *(const volatile int *)p;
    }
    out[threadIdx.x] = sum == 0x12345678;
}
__global__ void tag_lines(const char *in, int *out, int stride) {
    out[threadIdx.x] = *(const int *)(in + (size_t)threadIdx.x * 128 * stride);
}

/* ---- types and shapes ---- */
struct triple { float a, b, c; };
struct five { int v[5]; };
__global__ void copy_triple(const struct triple *in, struct triple *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
__global__ void copy_five(const struct five *in, struct five *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
__global__ void copy_char4(const uchar4 *in, uchar4 *out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}
__global__ void copy_short_stride(const short *in, short *out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}
__global__ void store_char_stride(unsigned char *out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = (unsigned char)i;
}
__global__ void store_double_shift(double *out, const double *in, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + shift] = in[i];
}
__global__ void store_float4_stride(float4 *out, const float4 *in, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[(size_t)i * stride] = in[i];
}
__global__ void copy_2d(const float *in, float *out, int nx, int ny, int pitch_in, int pitch_out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) out[y * pitch_out + x] = in[y * pitch_in + x];
}
__global__ void every_nth_lane(const float *in, float *out, int nth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % nth == 0) out[i] = in[i] + 1.0f;
}
__global__ void grid_stride(const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * 2.0f;
}
__global__ void hashed_gather(const float *in, float *out, int n, int mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15;
    if (i < n) out[i] = in[h & mask];
}
__global__ void row_gather(const float4 *in, const unsigned *index, float4 *out, int row, int rows) {
    int r = blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8, lane = threadIdx.x & 7;
    if (r < rows)
        for (int k = lane; k < row; k += 8) out[r * row + k] = in[index[r] * row + k];
}

/* ---- hints ---- */
__global__ void hints_load(const float *in, float *out, int which) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v;
    if (which == 0) v = __ldg(in + i);
    else if (which == 1) v = __ldcg(in + i);
    else if (which == 2) v = __ldcs(in + i);
    else if (which == 3) v = __ldlu(in + i);
    else v = __ldcv(in + i);
    out[i] = v;
}
__global__ void hints_twice(const float *in, float *out, int which) {
    int i = threadIdx.x;
    float v = which ? __ldcg(in + i) : __ldca(in + i);
    __syncthreads();
    float w = which ? __ldcg(in + (i ^ 32)) : __ldca(in + (i ^ 32));
    out[i] = v + w;
}
__global__ void hints_store(const float *in, float *out, int which) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    if (which == 0) __stwb(out + i, v);
    else if (which == 1) __stcg(out + i, v);
    else if (which == 2) __stcs(out + i, v);
    else __stwt(out + i, v);
}
__global__ void store_then_load(float *data, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = (float)i;
    __syncthreads();
    out[i] = *(const volatile float *)(data + (i ^ 1)) + data[(i + 32) & 255];
}
__global__ void load_store_load(float *data, float *out) {
    int i = threadIdx.x;
    float a = data[i];
    data[i] = a + 1.0f;
    __syncthreads();
    out[i] = a + data[i ^ 33];
}

/* ---- L1 ---- */
__global__ void reread_set(const float *in, float *out, int words, int rounds) {
    float v = 0.0f;
    for (int r = 0; r < rounds; r++)
        for (int i = threadIdx.x; i < words; i += blockDim.x) v += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void stencil5(const float *in, float *out, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < nx - 1 && y < ny - 1) {
        const float *p = in + y * nx + x;
        out[y * nx + x] = p[0] + p[-1] + p[1] + p[-nx] + p[nx];
    }
}
__global__ void matvec(const float *a, const float *x, float *y, int n, int m) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (warp >= n) return;
    float s = 0.0f;
    for (int j = lane; j < m; j += 32) s += a[(size_t)warp * m + j] * x[j];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (lane == 0) y[warp] = s;
}
__global__ void spmv(const unsigned *seed, const float *x, float *y, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int first = r * 5 + (r & 3), count = 3 + (r & 3);
    float s = 0.0f;
    for (int k = 0; k < count; k++) s += x[seed[first + k] % (unsigned)n];
    y[r] = s;
}

/* ---- atomics ---- */
__global__ void atomic_return(unsigned *counter, unsigned *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter + (threadIdx.x & 3), 1u) < 100000u;
}
__global__ void atomic_max_spread(int *out, const unsigned *in, int mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax(out + (in[i] & mask), i);
}
__global__ void atomic_float_rows(float *out) {
    atomicAdd(out + (threadIdx.x & 31) * 4, 1.0f);
}
__global__ void atomic_64(unsigned long long *out) {
    atomicAdd(out + (threadIdx.x % 24), 1ull);
}
__global__ void atomic_exch_lane(unsigned *out, unsigned *old) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    old[i] = atomicExch(out + i * 2, (unsigned)i);
}
__global__ void shared_atomic(const unsigned *in, unsigned *out, int shift) {
    __shared__ unsigned h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&h[in[blockIdx.x * 256 + threadIdx.x] >> shift], 1u);
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = h[threadIdx.x];
}
__global__ void shared_atomic_max(const int *in, int *out) {
    __shared__ int m;
    if (threadIdx.x == 0) m = 0;
    __syncthreads();
    atomicMax(&m, in[blockIdx.x * blockDim.x + threadIdx.x] >> 1);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = m;
}

/* ---- shared memory ---- */
__global__ void shared_double(const double *in, double *out, int stride) {
    __shared__ double s[32 * 17];
    s[threadIdx.x * stride] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * stride];
}
__global__ void shared_char(const unsigned char *in, unsigned char *out, int stride) {
    __shared__ unsigned char s[128 * 33];
    s[threadIdx.x * stride] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * stride];
}
__global__ void shared_short(const short *in, short *out, int stride) {
    __shared__ short s[128 * 33];
    s[threadIdx.x * stride] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * stride];
}
__global__ void shared_gather(const float *in, const unsigned *index, float *out) {
    __shared__ float s[1024];
    for (int k = 0; k < 4; k++) s[k * 256 + threadIdx.x] = in[k * 256 + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[index[threadIdx.x] & 1023];
}
__global__ void shared_gather4(const float4 *in, const unsigned *index, float4 *out) {
    __shared__ float4 s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[index[threadIdx.x] & 255];
}
__global__ void shared_gather2(const float2 *in, const unsigned *index, float2 *out) {
    __shared__ float2 s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[index[threadIdx.x] & 255];
}
__global__ void shared_half_warp4(const float4 *in, float4 *out, int step) {
    __shared__ float4 s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x % 32 < 20) out[threadIdx.x] = s[(threadIdx.x / step) * 3 & 255];
}
__global__ void shared_scatter4(const float4 *in, const unsigned *index, float4 *out) {
    __shared__ float4 s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    s[(index[0] + threadIdx.x * 5) & 255] = in[threadIdx.x ^ 1];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void swizzle_transpose(const float *in, float *out) {
    __shared__ float t[32 * 32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int k = 0; k < 32; k += 8) t[(y + k) * 32 + (x ^ (y + k))] = in[(y + k) * 32 + x];
    __syncthreads();
    for (int k = 0; k < 32; k += 8) out[(y + k) * 32 + x] = t[x * 32 + (x ^ (y + k))];
}
__global__ void shared_rows(const float *in, float *out, int pitch) {
    extern __shared__ float d[];
    d[threadIdx.y * pitch + threadIdx.x] = in[threadIdx.y * blockDim.x + threadIdx.x];
    __syncthreads();
    float v = 0.0f;
    for (int k = 0; k < 8; k++) v += d[(threadIdx.x % blockDim.y) * pitch + k];
    out[threadIdx.y * blockDim.x + threadIdx.x] = v;
}
__global__ void bitonic(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[512];
    s[threadIdx.x] = in[blockIdx.x * 512 + threadIdx.x];
    s[threadIdx.x + 256] = in[blockIdx.x * 512 + threadIdx.x + 256];
    for (unsigned k = 2; k <= 512; k <<= 1)
        for (unsigned j = k >> 1; j; j >>= 1) {
            __syncthreads();
            unsigned a = 2 * threadIdx.x - (threadIdx.x & (j - 1)), b = a + j;
            unsigned x = s[a], y = s[b];
            if ((x > y) == ((a & k) == 0)) { s[a] = y; s[b] = x; }
        }
    __syncthreads();
    out[blockIdx.x * 512 + threadIdx.x] = s[threadIdx.x];
    out[blockIdx.x * 512 + threadIdx.x + 256] = s[threadIdx.x + 256];
}
__global__ void scan_block(const unsigned *in, unsigned *out) {
    __shared__ unsigned warp_sum[32];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 1; d < 32; d <<= 1) {
        unsigned u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += u;
    }
    if (lane == 31) warp_sum[warp] = v;
    __syncthreads();
    if (warp == 0) {
        unsigned s = lane < blockDim.x / 32 ? warp_sum[lane] : 0;
        for (int d = 1; d < 32; d <<= 1) {
            unsigned u = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d) s += u;
        }
        warp_sum[lane] = s;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + (warp ? warp_sum[warp - 1] : 0);
}
__global__ void sgemm_register(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][65], tb[16][64];
    int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
    float acc[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 1024; i += 256) ta[i & 15][i >> 4] = a[(blockIdx.y * 64 + (i >> 4)) * n + k + (i & 15)];
        for (int i = threadIdx.x; i < 1024; i += 256) tb[i >> 6][i & 63] = b[(k + (i >> 6)) * n + blockIdx.x * 64 + (i & 63)];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float x[4], y[4];
            for (int i = 0; i < 4; i++) x[i] = ta[j][ty * 4 + i];
            for (int i = 0; i < 4; i++) y[i] = tb[j][tx * 4 + i];
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++) acc[p][q] = fmaf(x[p], y[q], acc[p][q]);
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) c[(blockIdx.y * 64 + ty * 4 + p) * n + blockIdx.x * 64 + tx * 4 + q] = acc[p][q];
}
__constant__ float weights[64] = {0.5f, 0.25f, 0.125f};
__global__ void convolve(const float *in, float *out, int n, int taps) {
    __shared__ float s[256 + 64];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < 64) s[256 + threadIdx.x] = i + 256 < n ? in[i + 256] : 0.0f;
    __syncthreads();
    float v = 0.0f;
    for (int k = 0; k < taps; k++) v = fmaf(s[threadIdx.x + k], weights[k], v);
    if (i < n) out[i] = v;
}
__global__ void local_stack(const unsigned *in, unsigned *out, int depth) {
    unsigned stack[24];
    int i = blockIdx.x * blockDim.x + threadIdx.x, top = 0;
    for (int k = 0; k < depth; k++) stack[(top = (top + (in[(i + k) & 255] & 7) + 1) % 24)] = in[(i * 3 + k) & 255];
    unsigned v = 0;
    for (int k = 0; k < depth; k++) v += stack[(k * 5 + i) % (depth < 24 ? depth : 24)] & 1u ? 3u : 1u;
    out[i] = v > 100000u;
}

/* ---- asynchronous copies ---- */
__global__ void async16_ca_skew(const float4 *in, float4 *out, int shift, int skew) {
    __shared__ float4 s[160];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(SMEM(s + skew + threadIdx.x)), "l"(in + threadIdx.x + shift) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = s[skew + threadIdx.x];
}
__global__ void async16_both(const float4 *in, float4 *out, int shift, int skew) {
    __shared__ float4 s[160];
    __pipeline_memcpy_async(s + skew + threadIdx.x, in + threadIdx.x + shift, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[skew + threadIdx.x];
}
__global__ void async16_gather(const float4 *in, const unsigned *index, float4 *out) {
    __shared__ float4 s[128];
    __pipeline_memcpy_async(s + threadIdx.x, in + (index[threadIdx.x] & 511), 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void async16_rows(const float4 *in, float4 *out, int pitch) {
    __shared__ float4 s[8][8];
    __pipeline_memcpy_async(&s[threadIdx.y][threadIdx.x], in + threadIdx.y * pitch + threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.y * 8 + threadIdx.x] = s[threadIdx.y][threadIdx.x];
}
__global__ void async16_partial(const float4 *in, float4 *out, int lanes) {
    __shared__ float4 s[128];
    s[threadIdx.x] = make_float4(0, 0, 0, 0);
    __syncthreads();
    if ((threadIdx.x & 31) < lanes) __pipeline_memcpy_async(s + threadIdx.x, in + threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void async4_gather(const float *in, const unsigned *index, float *out) {
    __shared__ float s[128];
    __pipeline_memcpy_async(s + threadIdx.x, in + (index[threadIdx.x] & 2047), 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void async4_transposed(const float *in, float *out, int pitch) {
    __shared__ float s[32 * 33];
    for (int k = 0; k < 32; k += 4) __pipeline_memcpy_async(s + threadIdx.x * pitch + threadIdx.y + k, in + (threadIdx.y + k) * 32 + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = 0; k < 32; k += 4) out[(threadIdx.y + k) * 32 + threadIdx.x] = s[(threadIdx.y + k) * pitch + threadIdx.x];
}
__global__ void async_stages(const float4 *in, float4 *out, int tiles) {
    __shared__ float4 s[4][128];
    for (int t = 0; t < 3; t++) {
        if (t < tiles) __pipeline_memcpy_async(&s[t][threadIdx.x], in + (blockIdx.x * tiles + t) * 128 + threadIdx.x, 16);
        __pipeline_commit();
    }
    for (int t = 0; t < tiles; t++) {
        __pipeline_wait_prior(2);
        __syncthreads();
        float4 v = s[t & 3][threadIdx.x ^ 1];
        v.x += 1.0f;
        out[(blockIdx.x * tiles + t) * 128 + threadIdx.x] = v;
        if (t + 3 < tiles) __pipeline_memcpy_async(&s[(t + 3) & 3][threadIdx.x], in + (blockIdx.x * tiles + t + 3) * 128 + threadIdx.x, 16);
        __pipeline_commit();
    }
}
__global__ void bulk_both_ways(const float4 *in, float4 *out, int bytes) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(128) float4 s[512];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SMEM(&bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SMEM(&bar)), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SMEM(s)),
                     "l"((const char *)in + (size_t)blockIdx.x * bytes), "r"(bytes), "r"(SMEM(&bar)) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @p bra D; bra W; D: }" ::"r"(SMEM(&bar)) : "memory");
    for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x) s[i].x += 1.0f;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"((char *)out + (size_t)blockIdx.x * bytes), "r"(SMEM(s)), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
#endif
}

} /* extern "C" */

int main() {
    for (int b = 0; b <= 16; b++) L(tag_bank, 1, 2, 0, buf("iota", 1 << 23), buf("poison", 2), i32(b));
    for (int s : {1, 2, 3, 5, 6, 7, 9, 12, 17, 31, 33, 64, 100, 127, 129, 255, 257, 500, 511, 513, 1000}) L(tag_lines, 1, 32, 0, buf("iota", 32 * 32 * s + 32), buf("poison", 32), i32(s));
    for (int n : {32, 100, 1000}) L(copy_triple, (n + 127) / 128, 128, 0, buf("f01", 3 * n), buf("poison", 3 * n), i32(n));
    for (int n : {32, 100, 1000}) L(copy_five, (n + 95) / 96, 96, 0, buf("u32", 5 * n), buf("poison", 5 * n), i32(n));
    for (int s : {1, 2, 3, 8, 9}) L(copy_char4, 2, 64, 0, buf("u32", 128 * s), buf("poison", 128), i32(s));
    for (int s : {1, 3, 16, 17, 64}) L(copy_short_stride, 2, 96, 0, buf("u32", 96 * s + 8), buf("poison", 96), i32(s));
    for (int s : {1, 2, 31, 33}) L(store_char_stride, 2, 64, 0, buf("zero", 32 * s + 8), i32(s));
    for (int s : {0, 1, 2, 3, 5}) L(store_double_shift, 3, 80, 0, buf("zero", 512), buf("f01", 480), i32(s));
    for (int s : {1, 2, 3, 5}) L(store_float4_stride, 2, 48, 0, buf("zero", 384 * s), buf("f01", 384), i32(s));
    L(copy_2d, dim3(4, 8), dim3(16, 4), 0, buf("f01", 70 * 32), buf("poison", 72 * 32), i32(50), i32(30), i32(70), i32(72));
    L(copy_2d, dim3(2, 4), dim3(33, 5), 0, buf("f01", 70 * 32), buf("poison", 72 * 32), i32(66), i32(20), i32(70), i32(72));
    L(copy_2d, dim3(8, 4), dim3(8, 8), 0, buf("f01", 64 * 32), buf("poison", 64 * 32), i32(64), i32(32), i32(64), i32(64));
    for (int n : {2, 3, 5, 8, 31}) L(every_nth_lane, 3, 100, 0, buf("f01", 300), buf("zero", 300), i32(n));
    L(grid_stride, 7, 224, 0, buf("f01", 20000), buf("poison", 20000), i32(20000));
    L(grid_stride, 132, 1024, 0, buf("f01", 500000), buf("poison", 500000), i32(500000));
    for (int m : {63, 1023, 65535}) L(hashed_gather, 8, 128, 0, buf("f01", 65536), buf("poison", 1024), i32(1024), i32(m));
    for (int r : {2, 8, 20, 32}) L(row_gather, 4, 128, 0, buf("f01", 64 * 4 * r), buf("perm", 64, 37), buf("poison", 60 * 4 * r), i32(r), i32(60));
    for (int w = 0; w < 5; w++) L(hints_load, 4, 128, 0, buf("f01", 512), buf("poison", 512), i32(w));
    for (int w = 0; w < 2; w++) L(hints_twice, 1, 256, 0, buf("f01", 256), buf("poison", 256), i32(w));
    for (int w = 0; w < 4; w++) L(hints_store, 4, 128, 0, buf("f01", 512), buf("poison", 512), i32(w));
    L(store_then_load, 1, 256, 0, buf("zero", 256), buf("poison", 256));
    L(load_store_load, 1, 256, 0, buf("f01", 256), buf("poison", 256));
    for (int w : {1024, 16384, 40000, 60000, 100000}) L(reread_set, 1, 256, 0, buf("f01", w), buf("poison", 256), i32(w), i32(3));
    L(reread_set, 264, 256, 0, buf("f01", 20000), buf("poison", 264 * 256), i32(20000), i32(2));
    L(stencil5, dim3(8, 32), dim3(32, 8), 0, buf("f01", 65536), buf("zero", 65536), i32(256), i32(256));
    L(stencil5, dim3(4, 64), dim3(64, 4), 0, buf("f01", 256 * 256), buf("zero", 256 * 256), i32(250), i32(256));
    L(matvec, 16, 256, 0, buf("f01", 100 * 1000), buf("f01", 1000, 3), buf("poison", 100), i32(100), i32(1000));
    L(spmv, 8, 128, 0, buf("u32", 8192), buf("f01", 4096), buf("poison", 1000), i32(1000), i32(4096));
    L(atomic_return, 4, 128, 0, buf("zero", 4), buf("poison", 512));
    for (int m : {15, 255, 4095}) L(atomic_max_spread, 4, 128, 0, buf("zero", 4096), buf("u32", 512), i32(m));
    L(atomic_float_rows, 4, 96, 0, buf("zero", 128));
    L(atomic_64, 4, 96, 0, buf("zero", 64));
    L(atomic_exch_lane, 2, 128, 0, buf("zero", 512), buf("poison", 256));
    for (int s : {24, 27, 30}) L(shared_atomic, 4, 256, 0, buf("u32", 1024), buf("poison", 1024), i32(s));
    L(shared_atomic_max, 4, 256, 0, buf("u32", 1024), buf("poison", 4));
    for (int s : {1, 2, 3, 8, 16, 17}) L(shared_double, 1, 32, 0, buf("u32", 64), buf("poison", 64), i32(s));
    for (int s : {1, 2, 4, 5, 33}) L(shared_char, 1, 128, 0, buf("u32", 32), buf("poison", 32), i32(s));
    for (int s : {1, 2, 3, 33}) L(shared_short, 1, 128, 0, buf("u32", 64), buf("poison", 64), i32(s));
    for (int s : {1, 33, 577, 4093}) L(shared_gather, 1, 256, 0, buf("f01", 1024), buf("perm", 4096, s), buf("poison", 256));
    L(shared_gather, 1, 256, 0, buf("f01", 1024), buf("u32", 256), buf("poison", 256));
    for (int s : {1, 3, 17, 101}) L(shared_gather4, 1, 256, 0, buf("f01", 1024), buf("perm", 256, s), buf("poison", 1024));
    for (int s : {1, 3, 17, 101}) L(shared_gather2, 1, 256, 0, buf("f01", 512), buf("perm", 256, s), buf("poison", 512));
    L(shared_gather4, 1, 256, 0, buf("f01", 1024), buf("u32", 256), buf("poison", 1024));
    L(shared_gather2, 1, 256, 0, buf("f01", 512), buf("u32", 256), buf("poison", 512));
    for (int s : {1, 2, 4, 7}) L(shared_half_warp4, 1, 256, 0, buf("f01", 1024), buf("zero", 1024), i32(s));
    L(shared_scatter4, 1, 256, 0, buf("f01", 1024), buf("u32", 8), buf("poison", 1024));
    L(swizzle_transpose, 1, dim3(32, 8), 0, buf("f01", 1024), buf("poison", 1024));
    for (int p : {16, 17, 20, 24, 33}) L(shared_rows, 1, dim3(16, 16), 16 * 33 * 4, buf("f01", 256), buf("poison", 256), i32(p));
    L(bitonic, 3, 256, 0, buf("u32", 1536), buf("poison", 1536));
    L(scan_block, 3, 512, 0, buf("iota", 1536), buf("poison", 1536));
    L(sgemm_register, dim3(2, 2), 256, 0, buf("f01", 16384), buf("f01", 16384, 5), buf("poison", 16384), i32(128));
    L(convolve, 5, 256, 0, buf("f01", 1200), buf("poison", 1200), i32(1200), i32(31));
    L(local_stack, 2, 128, 0, buf("u32", 256), buf("poison", 256), i32(24));
    for (int sh : {0, 1, 2}) for (int sk : {0, 1, 3}) L(async16_ca_skew, 1, 128, 0, buf("f01", 600), buf("poison", 512), i32(sh), i32(sk));
    for (int sh : {0, 1, 2, 3, 5, 7}) for (int sk : {0, 1, 2, 3, 4, 7}) L(async16_both, 1, 128, 0, buf("f01", 600), buf("poison", 512), i32(sh), i32(sk));
    for (int s : {1, 3, 17, 101}) L(async16_gather, 1, 128, 0, buf("f01", 2048), buf("perm", 512, s), buf("poison", 512));
    L(async16_gather, 1, 128, 0, buf("f01", 2048), buf("u32", 128), buf("poison", 512));
    for (int p : {8, 9, 10, 16, 32}) L(async16_rows, 1, dim3(8, 8), 0, buf("f01", 1024), buf("poison", 256), i32(p));
    for (int n : {1, 4, 7, 8, 17, 31}) L(async16_partial, 1, 128, 0, buf("f01", 512), buf("poison", 512), i32(n));
    for (int s : {1, 33, 577}) L(async4_gather, 1, 128, 0, buf("f01", 2048), buf("perm", 2048, s), buf("poison", 128));
    for (int p : {32, 33}) L(async4_transposed, 1, dim3(32, 4), 0, buf("f01", 1024), buf("poison", 1024), i32(p));
    L(async_stages, 4, 128, 0, buf("f01", 4 * 9 * 512), buf("poison", 4 * 9 * 512), i32(9));
    for (int b : {16, 144, 2048, 8192}) L(bulk_both_ways, 3, 128, 0, buf("f01", 3 * b / 4), buf("zero", 3 * b / 4), i32(b));
    return 0;
}
