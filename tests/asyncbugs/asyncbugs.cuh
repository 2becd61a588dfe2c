/* The vocabulary of the suite's kernels: one PTX instruction each. They are macros, so that tools name the kernel's own
 * line. Each file is compiled twice: with FIXED 0 its kernels are defects, bad_NAME; with FIXED 1 they are the repaired
 * twins, ok_NAME. The line that a tool should name has the comment BUG. */
#ifndef ASYNCBUGS_CUH
#define ASYNCBUGS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#ifndef FIXED
#define FIXED 1
#endif
#if FIXED
#define KERNEL(name) extern "C" __global__ void ok_##name(const float *in, float *out)
#define CLUSTER(blocks, name) \
    extern "C" __global__ void __cluster_dims__(blocks, 1, 1) ok_##name(const float *in, float *out)
#else
#define KERNEL(name) extern "C" __global__ void bad_##name(const float *in, float *out)
#define CLUSTER(blocks, name) \
    extern "C" __global__ void __cluster_dims__(blocks, 1, 1) bad_##name(const float *in, float *out)
#endif

#define T threadIdx.x
#define LANE (threadIdx.x % 32)
#define WARP (threadIdx.x / 32)
#define PTX(...) asm volatile(__VA_ARGS__)
#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))
typedef unsigned long long mbarrier;

/* ---- cp.async ---- */

#define copy4(s, g) PTX("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED(s)), "l"(g) : "memory")
#define copy16(s, g) PTX("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(s)), "l"(g) : "memory")
#define copy_commit() PTX("cp.async.commit_group;" ::: "memory")
#define copy_wait(n) PTX("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define copy_arrive(b) PTX("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(SHARED(b)) : "memory")
#define copy_arrive_noinc(b) PTX("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(SHARED(b)) : "memory")

/* ---- mbarriers ---- */

#define barrier_init(b, n) PTX("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(b)), "r"(n) : "memory")
#define barrier_inval(b) PTX("mbarrier.inval.shared.b64 [%0];" ::"r"(SHARED(b)) : "memory")
#define barrier_arrive(b) PTX("{\n.reg .b64 t;\nmbarrier.arrive.shared.b64 t, [%0];\n}" ::"r"(SHARED(b)) : "memory")
#define barrier_expect(b, bytes) \
    PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SHARED(b)), "r"(bytes) : "memory")
#define barrier_add_bytes(b, bytes) \
    PTX("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(SHARED(b)), "r"(bytes) : "memory")
#define barrier_wait(b, parity)                                                                                   \
    PTX("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra WAIT;\n}" ::"r"( \
            SHARED(b)),                                                                                           \
        "r"(parity)                                                                                               \
        : "memory")
#define fence_barrier_init() PTX("fence.mbarrier_init.release.cluster;" ::: "memory")

/* ---- bulk copies ---- */

#define bulk_load(s, g, bytes, b)                                                                                   \
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(s)), \
        "l"(g), "r"(bytes), "r"(SHARED(b))                                                                          \
        : "memory")
#define bulk_store(g, s, bytes) \
    PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(g), "r"(SHARED(s)), "r"(bytes) : "memory")
#define bulk_add(g, s, bytes)                                                                                  \
    PTX("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(g), "r"(SHARED(s)), \
        "r"(bytes)                                                                                             \
        : "memory")
#define bulk_commit() PTX("cp.async.bulk.commit_group;" ::: "memory")
#define bulk_wait(n) PTX("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#define bulk_wait_read(n) PTX("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")

/* ---- proxy fences: shared memory, global memory, both ---- */

#define fence_async() PTX("fence.proxy.async.shared::cta;" ::: "memory")
#define fence_async_global() PTX("fence.proxy.async.global;" ::: "memory")
#define fence_async_all() PTX("fence.proxy.async;" ::: "memory")

/* ---- clusters ---- */

#define cluster_arrive() PTX("barrier.cluster.arrive.release;" ::: "memory")
#define cluster_wait() PTX("barrier.cluster.wait.acquire;" ::: "memory")
#define cluster_sync() PTX("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory")
#define barrier_wait_cluster(b, parity)                                                                    \
    PTX("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n" \
        "@!p bra WAIT;\n}" ::"r"(SHARED(b)),                                                               \
        "r"(parity)                                                                                        \
        : "memory")

/* The rank of this block in its cluster. */
static __device__ __forceinline__ unsigned cluster_rank(void) {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* The shared address of what block `rank` has at the place of p. */
static __device__ __forceinline__ unsigned peer(const void *p, unsigned rank) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(SHARED(p)), "r"(rank));
    return address;
}

/* Initialises one mbarrier for `count` arrivals, for all threads of the block. */
#define START(b, count)             \
    do {                            \
        if (T == 0) {               \
            barrier_init(b, count); \
            fence_barrier_init();   \
        }                           \
        __syncthreads();            \
    } while (0)

/* ---- several blocks of a cluster ---- */

#define multicast_load(s, g, bytes, b, blocks)                                                                        \
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], " \
        "%4;" ::"r"(SHARED(s)),                                                                                       \
        "l"(g), "r"(bytes), "r"(SHARED(b)), "h"((unsigned short)(blocks))                                             \
        : "memory")

/* ---- flags and named barriers ---- */

#define store_release(p, v) PTX("st.release.gpu.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define load_acquire(v, p) PTX("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define load_relaxed(v, p) PTX("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define named_sync(id, count) PTX("bar.sync %0, %1;" ::"n"(id), "n"(count) : "memory")
/* Keeps the compiler from moving accesses across it. */
#define ORDERED PTX("" ::: "memory")

/* ---- results ---- */

/* Flags and counters lie behind the results. */
#define WORD ((unsigned *)(out + 4000))
/* Whole numbers, whose sum is the same in any order; WHOLE_64 gives small ones. */
#define WHOLE(x) rintf(1024 * (x))
#define WHOLE_64(x) floorf(64 * (x))

#endif
