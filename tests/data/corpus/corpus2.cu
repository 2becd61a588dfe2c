/* More launches of the kind of corpus.cu: questions that its first recording left open. See README.md. */
#include "../truth/truth.cuh"
#include <cuda_pipeline_primitives.h>

#define SMEM(p) ((unsigned)__cvta_generic_to_shared(p))

extern "C" {

/* Any 16-byte unit to any: source and destination unit are a line in the lane's number, modulo a power of two. */
__global__ void async16_map(const float4 *in, float4 *out, int p, int q, int m, int r, int s, int k) {
    __shared__ float4 t[256];
    int from = (threadIdx.x * p + q) & (m - 1), to = (threadIdx.x * r + s) & (k - 1);
    t[threadIdx.x] = make_float4(0, 0, 0, 0);
    __syncthreads();
    __pipeline_memcpy_async(t + to, in + from, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = t[to];
}
/* Lanes switched off by a branch that is too long to be predicated. */
__global__ void async16_branch(const float4 *in, float4 *out, int lanes, int steps) {
    __shared__ float4 s[128];
    s[threadIdx.x] = make_float4(0, 0, 0, 0);
    __syncthreads();
    if ((threadIdx.x & 31) < lanes) {
        float v = 1.0f;
        for (int k = 0; k < steps; k++) v = sqrtf(v + (float)k);
        if (v > 0.0f) __pipeline_memcpy_async(s + threadIdx.x, in + threadIdx.x + (v > 1e30f), 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void async16_odd_lanes(const float4 *in, float4 *out, int which) {
    __shared__ float4 s[128];
    s[threadIdx.x] = make_float4(0, 0, 0, 0);
    __syncthreads();
    if (which >> (threadIdx.x & 31) & 1) __pipeline_memcpy_async(s + threadIdx.x, in + threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void async8_partial(const float2 *in, float2 *out, int lanes) {
    __shared__ float2 s[128];
    s[threadIdx.x] = make_float2(0, 0);
    __syncthreads();
    if ((threadIdx.x & 31) < lanes) __pipeline_memcpy_async(s + threadIdx.x, in + threadIdx.x, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void reread_set(const float *in, float *out, int words, int rounds) {
    float v = 0.0f;
    for (int r = 0; r < rounds; r++)
        for (int i = threadIdx.x; i < words; i += blockDim.x) v += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void reread_shared(const float *in, float *out, int words, int rounds) {
    extern __shared__ float d[];
    float v = 0.0f;
    d[threadIdx.x] = 1.0f;
    __syncthreads();
    for (int r = 0; r < rounds; r++)
        for (int i = threadIdx.x; i < words; i += blockDim.x) v += in[i];
    out[threadIdx.x] = v + d[threadIdx.x ^ 1];
}
__global__ void red_groups(unsigned *out, int divide, int stride) {
    atomicAdd(out + (threadIdx.x / divide) * stride, threadIdx.x);
}
__global__ void red_float(float *out, int mask) {
    atomicAdd(out + (threadIdx.x & mask), 1.0f);
}
__global__ void red_double(double *out, int mask) {
    atomicAdd(out + (threadIdx.x & mask), 1.0);
}
__global__ void cas_lanes(unsigned *out, int mask) {
    atomicCAS(out + (threadIdx.x & mask), 0u, threadIdx.x ? 7u : 7u);
}
__global__ void local_rotate(const float *in, float *out, int shift) {
    float w[32];
    int i = threadIdx.x;
    for (int k = 0; k < 32; k++) w[(k + shift * i) & 31] = in[(i + k) & 127];
    float v = 0.0f;
    for (int k = 0; k < 32; k++) v += w[(k * 3 + (shift & i)) & 31];
    out[i] = v;
}
__global__ void bulk_offset(const char *in, float *out, int offset, int bytes) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(128) float s[2048];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SMEM(&bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SMEM(&bar)), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SMEM(s)),
                     "l"(in + offset), "r"(bytes), "r"(SMEM(&bar)) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @p bra D; bra W; D: }" ::"r"(SMEM(&bar)) : "memory");
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) out[i] = s[i];
#endif
}
__global__ void halves(const unsigned short *in, unsigned short *out, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned short)(in[i + shift] + in[i]);
}
__global__ void window(const float *in, float *out, int n, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = 0.0f;
    for (int k = -radius; k <= radius; k++) {
        int j = i + k;
        j = j < 0 ? 0 : j >= n ? n - 1 : j;
        v += in[j];
    }
    out[i] = v;
}
__global__ void rows4(const float4 *in, float *out, int pitch) {
    float4 v = in[(blockIdx.x * blockDim.y + threadIdx.y) * pitch + threadIdx.x];
    out[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = v.x + v.w;
}
__global__ void column_sum(const double *in, double *out, int rows, int pitch) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0.0;
    for (int r = 0; r < rows; r++) s += in[(size_t)r * pitch + c];
    out[c] = s;
}
__global__ void compact(const unsigned *in, unsigned *out, unsigned *count, int n) {
    __shared__ unsigned base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned keep = i < n && (in[i] & 3) == 0, mask = __ballot_sync(0xffffffffu, keep);
    if (threadIdx.x == 0) base = 0;
    __syncthreads();
    unsigned at = 0;
    if ((threadIdx.x & 31) == 0) at = atomicAdd(&base, __popc(mask));
    at = __shfl_sync(0xffffffffu, at, 0) + __popc(mask & ((1u << (threadIdx.x & 31)) - 1));
    if (keep) out[blockIdx.x * blockDim.x + (at & (blockDim.x - 1))] = 1u;
    __syncthreads();
    if (threadIdx.x == 0) count[blockIdx.x] = base;
}

} /* extern "C" */

int main() {
    for (int p : {1, 3, 5, 7, 9, 2, 6}) for (int q : {0, 1, 2}) L(async16_map, 1, 32, 0, buf("f01", 256), buf("poison", 128), i32(p), i32(q), i32(64), i32(1), i32(0), i32(32));
    for (int p : {3, 5, 7}) for (int r : {3, 5, 7, 9}) L(async16_map, 1, 32, 0, buf("f01", 256), buf("poison", 128), i32(p), i32(0), i32(64), i32(r), i32(0), i32(32));
    for (int m : {4, 8, 16}) for (int p : {1, 3}) L(async16_map, 1, 32, 0, buf("f01", 256), buf("poison", 128), i32(p), i32(0), i32(m), i32(1), i32(0), i32(32));
    for (int p : {11, 13, 21, 29, 33, 41}) L(async16_map, 1, 32, 0, buf("f01", 1024), buf("poison", 128), i32(p), i32(0), i32(256), i32(1), i32(0), i32(32));
    for (int p : {8, 16, 24, 40, 72}) L(async16_map, 1, 32, 0, buf("f01", 4096), buf("poison", 128), i32(p), i32(0), i32(1024), i32(1), i32(0), i32(32));
    for (int r : {2, 3, 6, 8, 10, 16}) L(async16_map, 1, 16, 0, buf("f01", 256), buf("poison", 64), i32(1), i32(0), i32(64), i32(r), i32(0), i32(256));
    for (int n : {1, 7, 8, 16, 31}) L(async16_branch, 1, 128, 0, buf("f01", 600), buf("poison", 512), i32(n), i32(40));
    for (unsigned w : {0x55555555u, 0x33333333u, 0x0f0f0f0fu, 0x00ff00ffu, 0x80000001u, 0xfffffffeu}) L(async16_odd_lanes, 1, 32, 0, buf("f01", 128), buf("poison", 128), i32((int)w));
    for (int n : {1, 5, 17}) L(async8_partial, 1, 128, 0, buf("f01", 256), buf("poison", 256), i32(n));
    for (int w : {44000, 48000, 50000, 52000, 54000, 56000, 58000, 62000, 66000, 70000, 76000, 84000}) L(reread_set, 1, 256, 0, buf("f01", w), buf("poison", 256), i32(w), i32(4));
    for (int s : {1, 20, 40, 90, 160}) L(reread_shared, 1, 256, s * 1024, buf("f01", 32000), buf("poison", 256), i32(32000), i32(3));
    for (int d : {1, 2, 3, 8}) for (int s : {1, 2, 9}) L(red_groups, 2, 96, 0, buf("zero", 1024), i32(d), i32(s));
    for (int m : {0, 1, 7, 31}) L(red_float, 2, 96, 0, buf("zero", 64), i32(m));
    for (int m : {0, 3, 31}) L(red_double, 2, 96, 0, buf("zero", 64), i32(m));
    for (int m : {0, 3, 31}) L(cas_lanes, 2, 96, 0, buf("zero", 64), i32(m));
    for (int s : {0, 1, 2, 5}) L(local_rotate, 1, 128, 0, buf("f01", 128), buf("poison", 128), i32(s));
    for (int o : {0, 16, 32, 48, 112}) for (int b : {16, 112, 128, 400}) L(bulk_offset, 1, 64, 0, buf("f01", 512), buf("poison", 128), i32(o), i32(b));
    for (int s : {0, 1, 7, 16}) L(halves, 3, 160, 0, buf("u32", 260), buf("poison", 240), i32(s));
    for (int r : {1, 4, 9}) L(window, 6, 192, 0, buf("f01", 1100), buf("poison", 1100), i32(1100), i32(r));
    for (int p : {4, 5, 8, 12}) L(rows4, 4, dim3(4, 16), 0, buf("f01", 64 * 4 * p), buf("poison", 256), i32(p));
    for (int p : {64, 65, 80}) L(column_sum, 2, 32, 0, buf("zero", 2 * 40 * p), buf("poison", 128), i32(40), i32(p));
    L(compact, 4, 256, 0, buf("u32", 1000), buf("zero", 1024), buf("poison", 4), i32(1000));
    return 0;
}
