/* Barriers of a block, a warp and a cluster, memory fences, clocks, and the calls that end or pause a thread. */
#ifndef HAUL_TOOLCHAIN_SYNCHRONISE_H
#define HAUL_TOOLCHAIN_SYNCHRONISE_H

#include "device.h"

/* clang has these as built-ins, but clang 14 takes it that an intrinsic never writes a variable whose address is not
 * passed around, and so carries values of __shared__ variables across a barrier. Inline assembly that clobbers memory
 * says what is meant. */
HAUL_TC_DEVICE void haul_tc_syncthreads() {
    asm volatile("bar.sync 0;" ::: "memory");
}
#define __syncthreads() haul_tc_syncthreads()

HAUL_TC_DEVICE int __syncthreads_count(int predicate) {
    int count;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(count)
                 : "r"(predicate)
                 : "memory");
    return count;
}

#define HAUL_SYNC_VOTE(op)                                                                     \
    HAUL_TC_DEVICE int __syncthreads_##op(int predicate) {                                     \
        int result;                                                                            \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." #op ".pred q, 0, p; " \
                     "selp.s32 %0, 1, 0, q; }"                                                 \
                     : "=r"(result)                                                            \
                     : "r"(predicate)                                                          \
                     : "memory");                                                              \
        return result;                                                                         \
    }
HAUL_SYNC_VOTE(and)
HAUL_SYNC_VOTE(or)
#undef HAUL_SYNC_VOTE

HAUL_TC_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

/* A barrier by its number, 0 to 15: of the whole block, or of so many threads, in whole warps. */
HAUL_TC_DEVICE void __barrier_sync(unsigned int number) {
    asm volatile("barrier.sync %0;" ::"r"(number) : "memory");
}
HAUL_TC_DEVICE void __barrier_sync_count(unsigned int number, unsigned int threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

HAUL_TC_DEVICE void __threadfence_block() {
    asm volatile("membar.cta;" ::: "memory");
}
HAUL_TC_DEVICE void __threadfence() {
    asm volatile("membar.gl;" ::: "memory");
}
HAUL_TC_DEVICE void __threadfence_system() {
    asm volatile("membar.sys;" ::: "memory");
}

#define HAUL_READ_SREG(function, type, bits, constraint, sreg)                           \
    HAUL_TC_DEVICE type function {                                                       \
        type value;                                                                      \
        asm volatile("mov.u" bits " %0, %%" sreg ";" : "=" constraint(value)::"memory"); \
        return value;                                                                    \
    }
HAUL_READ_SREG(clock64(), long long, "64", "l", "clock64")
HAUL_READ_SREG(__nv_globaltimer(), unsigned long long, "64", "l", "globaltimer")
#undef HAUL_READ_SREG
HAUL_TC_DEVICE clock_t clock() {
    return (clock_t)clock64();
}

HAUL_TC_DEVICE void __nanosleep(unsigned int ns) {
    asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}
HAUL_TC_DEVICE void __trap() {
    asm volatile("trap;" ::: "memory");
}
HAUL_TC_DEVICE void __brkpt() {
    asm volatile("brkpt;" ::: "memory");
}
/* The event number must be a constant, 0 to 15. */
#define __prof_trigger(event) asm volatile("pmevent %0;" ::"n"(event))

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
HAUL_TC_DEVICE void __cluster_barrier_arrive() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}
HAUL_TC_DEVICE void __cluster_barrier_arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
HAUL_TC_DEVICE void __cluster_barrier_wait() {
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

#define HAUL_CLUSTER_DIMENSION(function, sreg)                                              \
    HAUL_TC_DEVICE dim3 function() {                                                        \
        unsigned int x, y, z;                                                               \
        asm("mov.u32 %0, %%" sreg ".x; mov.u32 %1, %%" sreg ".y; mov.u32 %2, %%" sreg ".z;" \
            : "=r"(x), "=r"(y), "=r"(z));                                                   \
        return dim3(x, y, z);                                                               \
    }
HAUL_CLUSTER_DIMENSION(__clusterDim, "cluster_nctaid")
HAUL_CLUSTER_DIMENSION(__clusterRelativeBlockIdx, "cluster_ctaid")
HAUL_CLUSTER_DIMENSION(__clusterGridDimInClusters, "nclusterid")
HAUL_CLUSTER_DIMENSION(__clusterIdx, "clusterid")
#undef HAUL_CLUSTER_DIMENSION

HAUL_TC_DEVICE unsigned int __clusterRelativeBlockRank() {
    unsigned int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
HAUL_TC_DEVICE unsigned int __clusterSizeInBlocks() {
    unsigned int size;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}
HAUL_TC_DEVICE void __threadfence_cluster() {
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
}
/* Return the address of the same shared variable in another block of the cluster, and the block that owns a shared
 * variable. */
HAUL_TC_DEVICE void *__cluster_map_shared_rank(const void *address, unsigned int rank) {
    void *mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
    return mapped;
}
HAUL_TC_DEVICE unsigned int __cluster_query_shared_rank(const void *address) {
    unsigned int rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
    return rank;
}
#endif

#endif
