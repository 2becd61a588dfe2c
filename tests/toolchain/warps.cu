/* Votes, shuffles, matches, reductions, barriers, fences, clocks. */
#include <cuda_runtime.h>
#include "results.cuh"

#define ALL 0xffffffffu
#define SHUFFLES(type, value)                                                                            \
    PUT(__shfl_sync(ALL, (type)(value), (int)b & 31)), PUT(__shfl_sync(ALL, (type)(value), (int)b, 8));  \
    PUT(__shfl_up_sync(ALL, (type)(value), c & 31)), PUT(__shfl_up_sync(ALL, (type)(value), 3, 16));     \
    PUT(__shfl_down_sync(ALL, (type)(value), c & 31)), PUT(__shfl_down_sync(ALL, (type)(value), 3, 16)); \
    PUT(__shfl_xor_sync(ALL, (type)(value), 5)), PUT(__shfl_xor_sync(ALL, (type)(value), 1, 4));

KERNEL(shuffles) {
    OPERANDS;
    SHUFFLES(int, a);
    SHUFFLES(unsigned int, a);
    SHUFFLES(float, (float)a);
    SHUFFLES(long, LA);
    SHUFFLES(unsigned long, LA);
    SHUFFLES(long long, LA);
    SHUFFLES(unsigned long long, LA);
    SHUFFLES(double, (double)LA);
}
KERNEL(votes) {
    OPERANDS;
    PUT(__activemask());
    PUT(__ballot_sync(ALL, a & 1)), PUT(__any_sync(ALL, (a & 63) == 0)), PUT(__all_sync(ALL, (a & 63) != 0));
    PUT(__any_sync(ALL, 0x100)), PUT(__uni_sync(ALL, (int)(b & 1)));
    if (a & 1) {
        const unsigned int half = __activemask();
        PUT(__ballot_sync(half, b & 1));
    } else {
        PUT(a);
    }
}
#define MATCHES(type, value)                                           \
    {                                                                  \
        int agree;                                                     \
        PUT(__match_any_sync(ALL, (type)(value)));                     \
        PUT(__match_all_sync(ALL, (type)(value), &agree)), PUT(agree); \
        PUT(__match_all_sync(ALL, (type)7, &agree)), PUT(agree);       \
    }
KERNEL(matches) {
    OPERANDS;
    MATCHES(int, a & 3);
    MATCHES(unsigned int, a & 3);
    MATCHES(float, a & 3);
    MATCHES(long, LA & 3);
    MATCHES(unsigned long, LA & 3);
    MATCHES(long long, LA & 3);
    MATCHES(unsigned long long, LA & 3);
    MATCHES(double, (double)(LA & 3));
}
KERNEL(reductions) {
    OPERANDS;
    PUT(__reduce_add_sync(ALL, (int)a)), PUT(__reduce_add_sync(ALL, a));
    PUT(__reduce_min_sync(ALL, (int)a)), PUT(__reduce_min_sync(ALL, a));
    PUT(__reduce_max_sync(ALL, (int)a)), PUT(__reduce_max_sync(ALL, a));
    PUT(__reduce_and_sync(ALL, a | 0xff00ff00u)), PUT(__reduce_or_sync(ALL, a & 0xff)), PUT(__reduce_xor_sync(ALL, a));
}
KERNEL(barriers) {
    OPERANDS;
    __shared__ unsigned int tile[128];
    tile[threadIdx.x] = a;
    __syncthreads();
    PUT(tile[127 - threadIdx.x]);
    PUT(__syncthreads_count((int)(a & 1))), PUT(__syncthreads_and(a != 0)), PUT(__syncthreads_or((a & 0xff) == 0));
    __syncwarp();
    tile[threadIdx.x] = b;
    __syncwarp(ALL);
    PUT(tile[threadIdx.x ^ 1]);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    __nanosleep(10);
    PUT(clock64() - clock64() > 0 ? 1 : 0);
    PUT(clock() == 0 ? 1 : 0);
    __prof_trigger(3);
    if (c == 0xdeadbeef && a == c) __trap();
    if (c == 0xdeadbeee && a == c) __brkpt();
}
#if __CUDA_ARCH__ >= 900
KERNEL(clusters) {
    OPERANDS;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    const dim3 d = __clusterDim(), r = __clusterRelativeBlockIdx(), g = __clusterGridDimInClusters(),
               i = __clusterIdx();
    PUT(d.x + d.y + d.z + r.x + r.y + r.z + g.x + g.y + g.z + i.y + i.z);
    PUT(__clusterRelativeBlockRank() + __clusterSizeInBlocks() + a);
}
#endif
