/* Bulk copies whose sides lie differently in their lines, asynchronous copies some lanes of which are switched off, and
 * loops whose trip count differs by lane. */
#include <cuda_runtime.h>

#define SMEM(p) ((unsigned)__cvta_generic_to_shared(p))

static __device__ __forceinline__ void copy16(unsigned to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
static __device__ __forceinline__ void wait_all(void) {
    asm volatile("cp.async.wait_all;" ::: "memory");
}
extern "C" {

/* ---- bulk copies whose two sides lie differently in their lines and sectors ---- */

__global__ void bulk_load_skew(const char *in, unsigned *out, int from, int to, int bytes) {
    __shared__ __align__(128) unsigned tile[2048 + 64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(SMEM(&bar)) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SMEM(&bar)), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         SMEM(tile) + to),
                     "l"(in + from), "r"(bytes), "r"(SMEM(&bar))
                     : "memory");
    }
    __syncthreads();
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(SMEM(&bar))
                     : "memory");
    if (threadIdx.x < bytes / 16) out[threadIdx.x] = tile[to / 4 + threadIdx.x * 4];
}
__global__ void bulk_store_skew(char *out, int from, int to, int bytes) {
    __shared__ __align__(128) unsigned tile[2048 + 64];
    for (unsigned i = threadIdx.x; i < 2048 + 64; i += blockDim.x) tile[i] = i;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + to), "r"(SMEM(tile) + from),
                     "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/* ---- asynchronous copies some lanes of which are switched off ---- */

/* Addresses are there before the guard is known, and the same for all kinds of guards. */
__global__ void guard_before(const float4 *in, unsigned *out, int lanes) {
    __shared__ __align__(128) float4 s[256];
    unsigned long long from = (unsigned long long)(in + threadIdx.x);
    unsigned to = SMEM(s + threadIdx.x), lane = threadIdx.x % 32;
    asm volatile("" : "+l"(from), "+r"(to));
    if ((int)lane < lanes) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    wait_all();
    asm volatile("" ::"l"(from), "r"(to));
    out[threadIdx.x] = (unsigned)from ^ (unsigned)(unsigned long long)in ^ to ^ SMEM(s);
}
/* Lanes that are off have an address of our choice: 0 the copy's, 1 all the same one, 2 none (0). */
__global__ void guard_chosen(const float4 *in, unsigned *out, int lanes, int kind) {
    __shared__ __align__(128) float4 s[256];
    unsigned lane = threadIdx.x % 32, to = SMEM(s + threadIdx.x);
    bool on = (int)lane < lanes;
    unsigned long long from = (unsigned long long)(in + threadIdx.x);
    if (!on) from = kind == 0 ? from : kind == 1 ? (unsigned long long)in : 0;
    asm volatile("" : "+l"(from), "+r"(to));
    if (on) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    wait_all();
    asm volatile("" ::"l"(from), "r"(to));
    out[threadIdx.x] = (unsigned)(from - (on || kind != 2 ? (unsigned long long)in : 0));
}
/* A loop whose last iterations copy nothing: addresses are computed under the guard, or before it. */
__global__ void guard_loop(const float4 *in, unsigned *out, int tiles, int ahead) {
    __shared__ __align__(128) float4 s[4][128];
#pragma unroll 1
    for (int t = 0; t < tiles + ahead; t++) {
        if (t < tiles) copy16(SMEM(&s[t & 3][threadIdx.x]), in + t * 128 + threadIdx.x);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    wait_all();
    out[threadIdx.x] = tiles;
}
__global__ void guard_loop_before(const float4 *in, unsigned *out, int tiles, int ahead) {
    __shared__ __align__(128) float4 s[4][128];
    unsigned long long from = (unsigned long long)(in + threadIdx.x);
#pragma unroll 1
    for (int t = 0; t < tiles + ahead; t++, from += 2048) {
        unsigned to = SMEM(&s[t & 3][threadIdx.x]);
        asm volatile("" : "+l"(from), "+r"(to));
        if (t < tiles) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("" ::"l"(from), "r"(to));
    }
    wait_all();
    out[threadIdx.x] = tiles;
}
__global__ void guard_ca(const float4 *in, unsigned *out, int lanes) {
    __shared__ __align__(128) float4 s[256];
    unsigned long long from = (unsigned long long)(in + threadIdx.x);
    unsigned to = SMEM(s + threadIdx.x), lane = threadIdx.x % 32;
    asm volatile("" : "+l"(from), "+r"(to));
    if ((int)lane < lanes) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    wait_all();
    asm volatile("" ::"l"(from), "r"(to));
    out[threadIdx.x] = (unsigned)from ^ (unsigned)(unsigned long long)in ^ to ^ SMEM(s);
}

/* ---- loops whose trip count differs by lane ---- */

__global__ void loop_lanes(const float *in, float *out, int mask, int least) {
    float v = 0.0f;
    int trips = least + (threadIdx.x & mask);
    for (int k = 0; k < trips; k++) v += in[threadIdx.x + k * 32];
    out[threadIdx.x] = v;
}
__global__ void loop_lanes_from_one(const float *in, float *out, int mask, int least) {
    float v = 0.0f;
    int trips = least + (threadIdx.x & mask), k = 0;
    do v += in[threadIdx.x + k * 32];
    while (++k < trips);
    out[threadIdx.x] = v;
}
__global__ void loop_lanes_step(const float *in, float *out, int mask, int step) {
    float v = 0.0f;
    int end = 8 + (threadIdx.x & mask);
    for (int k = threadIdx.x & 3; k < end; k += step) v += in[threadIdx.x + k * 32];
    out[threadIdx.x] = v;
}
__global__ void loop_lanes_rolled(const float *in, float *out, int mask, int least) {
    float v = 0.0f;
    int trips = least + (threadIdx.x & mask);
#pragma unroll 1
    for (int k = 0; k < trips; k++) v += in[threadIdx.x + k * 32];
    out[threadIdx.x] = v;
}
__global__ void loop_lanes_two_loads(const float *in, const float *on, float *out, int mask, int least) {
    float v = 0.0f;
    int trips = least + (threadIdx.x & mask);
    for (int k = 0; k < trips; k++) v += in[threadIdx.x + k * 32] * on[k];
    out[threadIdx.x] = v;
}
__global__ void loop_lanes_store(const float *in, float *out, int mask, int least) {
    int trips = least + (threadIdx.x & mask);
    for (int k = 0; k < trips; k++) out[threadIdx.x + k * 32] = in[threadIdx.x + k * 32] + 1.0f;
}
__global__ void loop_lanes_while(const float *in, float *out, int mask) {
    float v = in[threadIdx.x], w = 0.0f;
    int k = 0;
    while (v < 1.5f + (float)(threadIdx.x & mask)) {
        v += in[threadIdx.x + 32 * ++k] + 0.5f;
        w += v;
    }
    out[threadIdx.x] = w;
}

} /* extern "C" */
