#ifndef PAIRS_CUH
#define PAIRS_CUH

/* What the pairs' kernels are written with: mbarriers, bulk copies and fences, an instruction each. */
#include <cuda_runtime.h>
#include <cuda_pipeline_primitives.h>
#include <stdint.h>

#define SMEM(p) ((unsigned)__cvta_generic_to_shared(p))
#define V asm volatile
#define M "memory"
typedef unsigned long long u64;
static __device__ __forceinline__ void mb_init(u64 *b, unsigned n) {
    V("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SMEM(b)), "r"(n) : M);
}
static __device__ __forceinline__ void mb_fence() {
    V("fence.mbarrier_init.release.cluster;" ::: M);
}
static __device__ __forceinline__ void mb_inval(u64 *b) {
    V("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(SMEM(b)) : M);
}
static __device__ __forceinline__ void mb_arrive(u64 *b) {
    V("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SMEM(b)) : M);
}
static __device__ __forceinline__ void mb_arrive_n(u64 *b, unsigned n) {
    V("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(SMEM(b)), "r"(n) : M);
}
static __device__ __forceinline__ void mb_expect(u64 *b, unsigned n) {
    V("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SMEM(b)), "r"(n) : M);
}
static __device__ __forceinline__ void mb_expect_only(u64 *b, unsigned n) {
    V("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(SMEM(b)), "r"(n) : M);
}
static __device__ __forceinline__ void mb_wait(u64 *b, unsigned parity) {
    V("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra D; bra W; D: }" ::"r"(SMEM(b)),
      "r"(parity)
      : M);
}
static __device__ __forceinline__ void bulk_load(void *s, const void *g, unsigned n, u64 *b) {
    V("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SMEM(s)), "l"(g),
      "r"(n), "r"(SMEM(b))
      : M);
}
static __device__ __forceinline__ void bulk_store(void *g, const void *s, unsigned n) {
    V("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(g), "r"(SMEM(s)), "r"(n) : M);
}
static __device__ __forceinline__ void bulk_add(float *g, const void *s, unsigned n) {
    V("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(g), "r"(SMEM(s)), "r"(n) : M);
}
static __device__ __forceinline__ void bulk_commit() {
    V("cp.async.bulk.commit_group;" ::: M);
}
#define bulk_wait(n) V("cp.async.bulk.wait_group " #n ";" ::: M)
#define bulk_wait_read(n) V("cp.async.bulk.wait_group.read " #n ";" ::: M)
static __device__ __forceinline__ void proxy_fence() {
    V("fence.proxy.async.shared::cta;" ::: M);
}
static __device__ __forceinline__ void proxy_fence_global() {
    V("fence.proxy.async.global;" ::: M);
}
static __device__ __forceinline__ void proxy_fence_all() {
    V("fence.proxy.async;" ::: M);
}
#define ARGS const float *in, float *out, int n
#define T threadIdx.x
#define TILE                               \
    __shared__ alignas(128) float s[1024]; \
    __shared__ alignas(8) u64 bar
#define TILE2                                \
    __shared__ alignas(128) float s[2][512]; \
    __shared__ alignas(8) u64 bar[4]
#define START(c)              \
    do {                      \
        if (T == 0) {         \
            mb_init(&bar, c); \
            mb_fence();       \
        }                     \
        __syncthreads();      \
    } while (0)

#endif
