/* Shared by the candidate kernels: accesses with cache hints, mbarriers, bulk copies. */
#ifndef HAUL_BENCH_CANDIDATES_PRIMITIVES_H
#define HAUL_BENCH_CANDIDATES_PRIMITIVES_H

#include <cuda_runtime.h>

#define DEVICE static __device__ __forceinline__

/* How a 16-byte access asks the caches to treat its line. Load and store: constants after inlining. */
enum { USUAL, STREAM, NO_L1, NO_L1_256, FIRST_OUT, LAST_OUT };

DEVICE unsigned long long policy_of(int hint) {
    unsigned long long policy;
    if (hint == LAST_OUT) {
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    } else {
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    }
    return policy;
}

#define LOAD4(form, v, p) \
    asm volatile(form " {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p))

DEVICE float4 load4(const float4 *p, int hint) {
    float4 v;
    switch (hint) {
    case STREAM: return __ldcs(p);
    case NO_L1: LOAD4("ld.global.L1::no_allocate.v4.f32", v, p); return v;
    case NO_L1_256: LOAD4("ld.global.L1::no_allocate.L2::256B.v4.f32", v, p); return v;
    case FIRST_OUT:
    case LAST_OUT:
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(p), "l"(policy_of(hint)));
        return v;
    default: return *p;
    }
}

DEVICE void store4(float4 *p, float4 v, int hint) {
    switch (hint) {
    case STREAM: __stcs(p, v); break;
    case NO_L1:
        asm volatile("st.global.L1::no_allocate.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z),
                     "f"(v.w));
        break;
    case FIRST_OUT:
    case LAST_OUT:
        asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(p), "f"(v.x), "f"(v.y),
                     "f"(v.z), "f"(v.w), "l"(policy_of(hint)));
        break;
    default: *p = v;
    }
}

DEVICE unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

DEVICE void barrier_init(unsigned barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* After the inits, before the copies that arrive there; by the thread that did the inits. */
DEVICE void barrier_fence(void) {
    asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;" ::: "memory");
}

DEVICE void barrier_expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

DEVICE void barrier_wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n\t"
                     ".reg .pred complete;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n\t"
                     "selp.b32 %0, 1, 0, complete;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

DEVICE void bulk_load(void *to, const void *from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

DEVICE void bulk_load_hint(void *to, const void *from, unsigned bytes, unsigned barrier, int hint) {
    if (hint == USUAL) {
        bulk_load(to, from, bytes, barrier);
        return;
    }
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(barrier), "l"(policy_of(hint))
        : "memory");
}

/* Stores and commits; the shared side was written before a fence and a barrier. */
DEVICE void bulk_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\t"
                 "cp.async.bulk.commit_group;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}

/* Waits until all but the newest `pending` bulk stores have read their shared memory. */
#define bulk_store_wait(pending) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory")

DEVICE void bulk_store_fence(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Dynamic shared memory that lets exactly `blocks` blocks onto an SM of 228 KiB, each with 1 KiB for the system. */
#define ROOM(blocks) ((233472 / (blocks)-1024) / 128 * 128)

/* Whether stores may leave while other threads' loads are under way. Memory turns between reading and writing; a block
 * (or a cluster) that first has all its loads and then stores makes the turns fewer. */
enum { FREE, BLOCK, CLUSTER };

/* Holds all threads until everybody's vectors are in registers. A plain barrier would not: it waits for threads, not
 * for their loads, so the barrier gets a condition that depends on what was loaded. */
DEVICE void all_arrived(int pace, const float4 *v, int vectors) {
    if (pace == FREE) return;
    int never = 0;
#pragma unroll
    for (int k = 0; k < vectors; k++) never |= v[k].x == __int_as_float(0x7f7ffff1);
    never = __syncthreads_or(never);
    if (pace == CLUSTER) asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}

#endif
