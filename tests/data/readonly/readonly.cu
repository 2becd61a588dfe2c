/* Kernels made to find out how an H100 counts constant loads, and what of L2 persists. make-launches.py has the
 * launches. */
#include <stdint.h>

extern "C" {

__constant__ uint32_t table[16128]; /* 63 KiB: all that a kernel's own constants leave */

struct words {
    uint32_t w[64];
};

/* ---- one load by a warp, at `distinct` addresses `stride` elements apart ---- */

__global__ void const_lanes(uint32_t *out, uint32_t distinct, uint32_t stride) {
    uint32_t i = threadIdx.x % distinct * stride;
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[i];
}

/* Neighbours share an address, `size` of them. */
__global__ void const_groups(uint32_t *out, uint32_t size, uint32_t stride) {
    uint32_t i = (threadIdx.x & 31) / size * stride;
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[i];
}

__global__ void const_active(uint32_t *out, uint32_t active, uint32_t stride) {
    uint32_t i = threadIdx.x * stride;
    if (threadIdx.x < active) out[threadIdx.x] = table[i];
}

__global__ void const_gather(uint32_t *out, const uint32_t *index) {
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = table[index[t] & 1023];
}

__global__ void const_wide8(uint2 *out, uint32_t distinct, uint32_t stride) {
    out[threadIdx.x] = ((const uint2 *)table)[threadIdx.x % distinct * stride];
}

__global__ void const_wide16(uint4 *out, uint32_t distinct, uint32_t stride) {
    out[threadIdx.x] = ((const uint4 *)table)[threadIdx.x % distinct * stride];
}

__global__ void const_bytes(uint32_t *out, uint32_t distinct, uint32_t stride) {
    out[threadIdx.x] = ((const unsigned char *)table)[threadIdx.x % distinct * stride];
}

__global__ void const_halves(uint32_t *out, uint32_t distinct, uint32_t stride) {
    out[threadIdx.x] = ((const unsigned short *)table)[threadIdx.x % distinct * stride];
}

__global__ void const_three(uint32_t *out, uint32_t distinct, uint32_t stride) {
    uint32_t i = threadIdx.x % distinct * stride;
    out[threadIdx.x] = table[i] + table[i + 1] * 3 + table[i + 4] * 5;
}

/* ---- the same address for all lanes ---- */

__global__ void const_argument(uint32_t *out, uint32_t at) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[at];
}

__global__ void const_block(uint32_t *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[blockIdx.x];
}

/* Known when it is compiled. */
__global__ void const_fixed(uint32_t *out) {
    uint32_t s = threadIdx.x;
#pragma unroll
    for (int i = 0; i < 32; i++) s = s * table[i * 4] + table[i * 4 + 1];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

/* A loop over the bank; `zero` keeps the compiler from knowing that lanes agree. */
__global__ void const_walk(uint32_t *out, const uint32_t *zero, uint32_t words, uint32_t step, uint32_t rounds) {
    uint32_t s = 0, from = zero[threadIdx.x];
    for (uint32_t r = 0; r < rounds; r++)
#pragma unroll 1
        for (uint32_t i = from; i < words; i += step) s = s * 3 + table[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

/* ---- other ways to the same bytes ---- */

__global__ void const_generic(uint32_t *out, uint32_t distinct, uint32_t stride) {
    uint32_t i = threadIdx.x % distinct * stride, v;
    asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(&table[i]));
    out[threadIdx.x] = v;
}

__global__ void param_fixed(uint32_t *out, uint32_t a, uint32_t b) {
    out[threadIdx.x] = a + b;
}

__global__ void ldu_lanes(uint32_t *out, const uint32_t *in, uint32_t distinct, uint32_t stride) {
    uint32_t v;
    asm volatile("ldu.global.u32 %0, [%1];" : "=r"(v) : "l"(in + threadIdx.x % distinct * stride));
    out[threadIdx.x] = v;
}

__global__ void ldg_lanes(uint32_t *out, const uint32_t *__restrict__ in, uint32_t distinct, uint32_t stride) {
    out[threadIdx.x] = __ldg(in + threadIdx.x % distinct * stride);
}

/* Many warps, each with many loads: for the rate. */
__global__ void const_rate(uint32_t *out, uint32_t distinct, uint32_t stride, uint32_t rounds) {
    uint32_t i = threadIdx.x % distinct * stride, s = 0;
#pragma unroll 4
    for (uint32_t r = 0; r < rounds; r++) {
        s += table[i];
        i ^= stride;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void ldg_rate(uint32_t *out, const uint32_t *__restrict__ in, uint32_t distinct, uint32_t stride,
                         uint32_t rounds) {
    uint32_t i = threadIdx.x % distinct * stride, s = 0;
#pragma unroll 4
    for (uint32_t r = 0; r < rounds; r++) {
        s += __ldg(in + i);
        i ^= stride;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

/* ---- L2: each round reads all of `hot`, then the next part of `stream` ---- */

static __device__ void mix(uint4 *s, uint4 v) {
    s->x ^= v.x, s->y += v.y, s->z ^= v.z, s->w += v.w;
}

__global__ void hot_stream(const uint4 *__restrict__ hot, const uint4 *__restrict__ stream, uint4 *out,
                           uint32_t hot_count, uint32_t stream_count, uint32_t rounds) {
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    uint4 s = {0, 0, 0, 0};
    for (uint32_t r = 0; r < rounds; r++) {
        for (uint32_t i = t; i < hot_count; i += n) mix(&s, __ldcg(hot + i));
        const uint4 *part = stream + (uint64_t)r * stream_count;
        for (uint32_t i = t; i < stream_count; i += n) mix(&s, __ldcg(part + i));
    }
    out[t] = s;
}

/* The stream by ld.cs, as something that is read once. */
__global__ void hot_streaming(const uint4 *__restrict__ hot, const uint4 *__restrict__ stream, uint4 *out,
                              uint32_t hot_count, uint32_t stream_count, uint32_t rounds) {
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    uint4 s = {0, 0, 0, 0};
    for (uint32_t r = 0; r < rounds; r++) {
        for (uint32_t i = t; i < hot_count; i += n) mix(&s, __ldcg(hot + i));
        const uint4 *part = stream + (uint64_t)r * stream_count;
        for (uint32_t i = t; i < stream_count; i += n) mix(&s, __ldcs(part + i));
    }
    out[t] = s;
}

static __device__ uint4 load(const uint4 *p, uint64_t policy) {
    uint4 v;
    asm volatile("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p), "l"(policy));
    return v;
}

/* The same with cache policies. */
#define POLICIES(name, H, S)                                                                                         \
    __global__ void name(const uint4 *__restrict__ hot, const uint4 *__restrict__ stream, uint4 *out,                \
                         uint32_t hot_count, uint32_t stream_count, uint32_t rounds) {                               \
        uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;                              \
        uint64_t h, p;                                                                                               \
        asm volatile("createpolicy.fractional." H ".b64 %0, 1.0;" : "=l"(h));                                        \
        asm volatile("createpolicy.fractional." S ".b64 %0, 1.0;" : "=l"(p));                                        \
        uint4 s = {0, 0, 0, 0};                                                                                      \
        for (uint32_t r = 0; r < rounds; r++) {                                                                      \
            for (uint32_t i = t; i < hot_count; i += n) mix(&s, load(hot + i, h));                                   \
            const uint4 *part = stream + (uint64_t)r * stream_count;                                                 \
            for (uint32_t i = t; i < stream_count; i += n) mix(&s, load(part + i, p));                               \
        }                                                                                                            \
        out[t] = s;                                                                                                  \
    }
POLICIES(hot_last, "L2::evict_last", "L2::evict_unchanged")
POLICIES(hot_last_first, "L2::evict_last", "L2::evict_first")
POLICIES(hot_first, "L2::evict_unchanged", "L2::evict_first")

/* Half of the hot part. */
__global__ void hot_half(const uint4 *__restrict__ hot, const uint4 *__restrict__ stream, uint4 *out,
                         uint32_t hot_count, uint32_t stream_count, uint32_t rounds) {
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    uint64_t h;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(h));
    uint4 s = {0, 0, 0, 0};
    for (uint32_t r = 0; r < rounds; r++) {
        for (uint32_t i = t; i < hot_count; i += n) mix(&s, load(hot + i, h));
        const uint4 *part = stream + (uint64_t)r * stream_count;
        for (uint32_t i = t; i < stream_count; i += n) mix(&s, __ldcg(part + i));
    }
    out[t] = s;
}
}
