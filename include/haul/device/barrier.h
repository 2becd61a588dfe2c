/* Barriers in shared memory (mbarriers) and named barriers, and CudaDMA's start/finish protocol over the latter. */
#ifndef HAUL_DEVICE_BARRIER_H
#define HAUL_DEVICE_BARRIER_H

#include <haul/device/config.h>

/* ---- mbarriers: a phase ends when all arrivals are in and all expected bytes have come. `barrier` is the shared
 *      address of 8 aligned bytes; a phase is named by its parity, 0 for the first. Before sm_80, where there are
 *      none, the bytes are two words: the arrivals that a phase has, above those that it still waits for, and the
 *      phase's number. ---- */

/* Called by one thread; the others may use the barrier after the block's next barrier. */
HAUL_DEVICE void haul_barrier_init(unsigned barrier, unsigned arrivals) {
#if HAUL_HAS_LDGSTS
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#else
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(barrier), "r"(arrivals << 16 | arrivals), "r"(0) : "memory");
#endif
}

/* After the last haul_barrier_init(): makes the barriers visible to the copy engines. */
HAUL_DEVICE void haul_barrier_init_fence(void) {
#if HAUL_HAS_BULK
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/* Arrives; releases this thread's earlier writes. */
HAUL_DEVICE void haul_barrier_arrive(unsigned barrier) {
#if HAUL_HAS_LDGSTS
    asm volatile("{\n\t"
                 ".reg .b64 state;\n\t"
                 "mbarrier.arrive.shared.b64 state, [%0];\n\t"
                 "}" ::"r"(barrier)
                 : "memory");
#else
    unsigned left;
    asm volatile("atom.acq_rel.cta.shared.add.u32 %0, [%1], %2;" : "=r"(left) : "r"(barrier), "r"(0u - 1u) : "memory");
    if ((left & 0xffff) != 1) return;
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(barrier), "r"((left >> 16) * 0x10001) : "memory");
    asm volatile("red.release.cta.shared.add.u32 [%0], %1;" ::"r"(barrier + 4), "r"(1) : "memory");
#endif
}

/* Arrives when all of this thread's LDGSTS copies so far are complete, possibly at once. */
HAUL_DEVICE void haul_barrier_arrive_after_copies(unsigned barrier) {
#if HAUL_HAS_LDGSTS
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#else
    haul_barrier_arrive(barrier);
#endif
}

#if HAUL_HAS_BULK
/* Arrives and adds `bytes` to the bytes that the phase waits for. Bytes that arrived before also count. */
HAUL_DEVICE void haul_barrier_arrive_expecting(unsigned barrier, unsigned bytes) {
    asm volatile("{\n\t"
                 ".reg .b64 state;\n\t"
                 "mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t"
                 "}" ::"r"(barrier),
                 "r"(bytes)
                 : "memory");
}
#endif

/* Whether the phase of that parity is over; acquires what its arrivals released. May sleep for a while on sm_90. */
HAUL_DEVICE unsigned haul_barrier_passed(unsigned barrier, unsigned parity) {
    unsigned passed;
#if !HAUL_HAS_LDGSTS
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(passed) : "r"(barrier + 4) : "memory");
    return (passed & 1) != parity;
#else
#if HAUL_ARCH >= 90 && !defined(HAUL_DEBUG) /* a debug build counts polls, so a poll must not sleep */
#define HAUL_BARRIER_WAIT "mbarrier.try_wait.parity.shared.b64"
#else
#define HAUL_BARRIER_WAIT "mbarrier.test_wait.parity.shared.b64"
#endif
    asm volatile("{\n\t"
                 ".reg .pred passed;\n\t" HAUL_BARRIER_WAIT " passed, [%1], %2;\n\t"
                 "selp.b32 %0, 1, 0, passed;\n\t"
                 "}"
                 : "=r"(passed)
                 : "r"(barrier), "r"(parity)
                 : "memory");
#undef HAUL_BARRIER_WAIT
    return passed;
#endif
}

/* Blocks until the phase of that parity is over. `object`, `stage` and `role` name the wait in a debug build, which
 * gives up after HAUL_DEBUG_SPINS polls. */
HAUL_DEVICE void haul_barrier_wait(unsigned barrier, unsigned parity, const char *object, unsigned stage,
                                   const char *role) {
#ifdef HAUL_DEBUG
    for (unsigned spins = 0; !haul_barrier_passed(barrier, parity); spins++) {
        HAUL_EXPECT(spins < HAUL_DEBUG_SPINS, object, stage, role,
                    "haul: waited too long: the other side never came: fewer threads run than the descriptor says, or "
                    "one side makes fewer rounds than the other");
    }
#else
    while (!haul_barrier_passed(barrier, parity)) {
    }
#endif
}

/* ---- named barriers: 16 a block, in hardware; barrier 0 is __syncthreads(). For whole warps; `threads` is the number
 *      of threads that sync or arrive, together. ---- */

/* Blocks until `threads` threads have arrived; orders their accesses to memory. */
HAUL_DEVICE void haul_named_sync(unsigned id, unsigned threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Arrives without waiting. */
HAUL_DEVICE void haul_named_arrive(unsigned id, unsigned threads) {
    asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* ---- pacing ---- */

/* Called by all threads of the block: returns when all threads' loads so far on which `loaded` depends have arrived.
 * __syncthreads() alone waits for threads, not for their loads in flight. If a streaming kernel's blocks first complete
 * all loads and then store, memory switches less often between reading and writing: 0.5 to 1 % faster on an H100
 * (bench/results/bench_device-2026-11-21.md). Combine several loaded words by any operation that needs them all. */
HAUL_DEVICE void haul_block_loaded(unsigned loaded) {
    asm volatile("{\n\t"
                 ".reg .pred loaded, all;\n\t"
                 "setp.ne.u32 loaded, %0, 0x7f7ffff1;\n\t"
                 "bar.red.and.pred all, 0, loaded;\n\t"
                 "}" ::"r"(loaded)
                 : "memory");
}

/* ---- handovers ---- */

/* CudaDMA's protocol: compute warps and DMA warps hand one buffer back and forth. The compute warps signal that the
 * buffer may be filled (start), do other work, and wait until it is full (wait). The DMA warps wait for the start
 * (await), transfer, and signal that it is full (finish). Uses named barriers `first` and `first` + 1.
 *
 * Single buffering: start and wait around each use. Double buffering: two handovers, each with its own set of DMA
 * warps. Manual: two handovers, and one set of DMA warps that serves both in turn. examples/handover.cu has all
 * three. */
typedef struct haul_handover {
    unsigned first, threads;
} haul_handover;

#define HAUL_HANDOVER(name, first_id, compute_threads, dma_threads)                                              \
    HAUL_STATIC_ASSERT((first_id) >= 1 && (first_id) <= 14,                                                      \
                       "haul: " #name ": a handover takes two of the named barriers 1 to 15; "                   \
                       "this one starts at " #first_id);                                                         \
    HAUL_STATIC_ASSERT((compute_threads) % 32 == 0 && (dma_threads) % 32 == 0 && (compute_threads) > 0 &&        \
                           (dma_threads) > 0 && (compute_threads) + (dma_threads) <= 1024,                       \
                       "haul: " #name                                                                            \
                       ": a handover is between whole warps, up to 1024 threads; this one has " #compute_threads \
                       " and " #dma_threads);                                                                    \
    const haul_handover name = {first_id, (compute_threads) + (dma_threads)}

/* All compute warps: signals that the buffer may be filled. Does not block. */
HAUL_DEVICE void haul_compute_start(const haul_handover *h) {
    haul_named_arrive(h->first, h->threads);
}
/* All compute warps: blocks until the buffer is full and may be read. */
HAUL_DEVICE void haul_compute_wait(const haul_handover *h) {
    haul_named_sync(h->first + 1, h->threads);
}
/* All DMA warps: blocks until the buffer may be filled. */
HAUL_DEVICE void haul_dma_await(const haul_handover *h) {
    haul_named_sync(h->first, h->threads);
}
/* All DMA warps, after the transfer's wait: signals that the buffer is full. Does not block. */
HAUL_DEVICE void haul_dma_finish(const haul_handover *h) {
    haul_named_arrive(h->first + 1, h->threads);
}

#endif
