/* Clusters: shared memory of other blocks, arrivals and copies that go there. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#include "pairs.cuh"

static __device__ __forceinline__ unsigned remote(void *p, unsigned rank) {
    unsigned r;
    V("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(SMEM(p)), "r"(rank));
    return r;
}
static __device__ __forceinline__ void remote_arrive(u64 *b, unsigned rank) {
    V("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote(b, rank)) : M);
}
static __device__ __forceinline__ void mb_wait_cluster(u64 *b, unsigned parity) {
    V("{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @p bra D; bra W; D: "
      "}" ::"r"(SMEM(b)),
      "r"(parity)
      : M);
}
static __device__ __forceinline__ void multicast(void *s, const void *g, unsigned n, u64 *b, unsigned short m) {
    V("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;" ::"r"(SMEM(s)),
      "l"(g), "r"(n), "r"(SMEM(b)), "h"(m)
      : M);
}

extern "C" {

/* 4 blocks: race-shared, use-after-free, illegal-access, uninitialised-read */
__global__ void __cluster_dims__(2, 1, 1) bad_dsmem_no_sync(ARGS) {
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = in[T];
    float *p = c.map_shared_rank(s, c.block_rank() ^ 1);
    out[blockIdx.x * 128 + T] = p[127 - T];
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) ok_dsmem_no_sync(ARGS) {
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = in[T];
    c.sync();
    float *p = c.map_shared_rank(s, c.block_rank() ^ 1);
    out[blockIdx.x * 128 + T] = p[127 - T];
    c.sync();
}

/* 4 blocks: use-after-free, illegal-access, race-shared */
__global__ void __cluster_dims__(2, 1, 1) bad_dsmem_exit(ARGS) {
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = in[T];
    c.sync();
    if (c.block_rank() == 0) {
        float *p = c.map_shared_rank(s, 1);
        out[blockIdx.x * 128 + T] = p[127 - T];
    }
}
__global__ void __cluster_dims__(2, 1, 1) ok_dsmem_exit(ARGS) {
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = in[T];
    c.sync();
    if (c.block_rank() == 0) {
        float *p = c.map_shared_rank(s, 1);
        out[blockIdx.x * 128 + T] = p[127 - T];
    }
    c.sync();
}

/* 4 blocks: race-shared */
__global__ void __cluster_dims__(2, 1, 1) bad_dsmem_block_sync(ARGS) {
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = 0;
    c.sync();
    float *p = c.map_shared_rank(s, c.block_rank() ^ 1);
    p[T] = in[T];
    __syncthreads();
    out[blockIdx.x * 128 + T] = s[127 - T];
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) ok_dsmem_block_sync(ARGS) {
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = 0;
    c.sync();
    float *p = c.map_shared_rank(s, c.block_rank() ^ 1);
    p[T] = in[T];
    c.sync();
    out[blockIdx.x * 128 + T] = s[127 - T];
    c.sync();
}

/* 4 blocks: mbarrier-misuse, race-shared */
__global__ void __cluster_dims__(2, 1, 1) bad_remote_init(ARGS) {
    TILE;
    auto c = cg::this_cluster();
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0) remote_arrive(&bar, c.block_rank() ^ 1);
    mb_wait_cluster(&bar, 0);
    out[blockIdx.x * 128 + T] = 1;
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) ok_remote_init(ARGS) {
    TILE;
    auto c = cg::this_cluster();
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
    }
    c.sync();
    if (T == 0) remote_arrive(&bar, c.block_rank() ^ 1);
    mb_wait_cluster(&bar, 0);
    out[blockIdx.x * 128 + T] = 1;
    c.sync();
}

/* 4 blocks: async-read-before-wait, race-shared */
__global__ void __cluster_dims__(2, 1, 1) bad_multicast_wait(ARGS) {
    TILE;
    auto c = cg::this_cluster();
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
    }
    c.sync();
    if (T == 0) mb_expect(&bar, 512);
    c.sync();
    if (c.block_rank() == 0 && T == 0) multicast(s, in, 512, &bar, 3);
    if (c.block_rank() == 0) mb_wait_cluster(&bar, 0);
    out[blockIdx.x * 128 + T] = s[T];
    mb_wait_cluster(&bar, 0);
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) ok_multicast_wait(ARGS) {
    TILE;
    auto c = cg::this_cluster();
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
    }
    c.sync();
    if (T == 0) mb_expect(&bar, 512);
    c.sync();
    if (c.block_rank() == 0 && T == 0) multicast(s, in, 512, &bar, 3);
    mb_wait_cluster(&bar, 0);
    out[blockIdx.x * 128 + T] = s[T];
    c.sync();
}

/* 4 blocks: deadlock */
__global__ void __cluster_dims__(2, 1, 1) bad_multicast_bytes(ARGS) {
    TILE;
    auto c = cg::this_cluster();
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
    }
    c.sync();
    if (T == 0) mb_expect(&bar, 1024);
    c.sync();
    if (c.block_rank() == 0 && T == 0) multicast(s, in, 512, &bar, 3);
    mb_wait_cluster(&bar, 0);
    out[blockIdx.x * 128 + T] = s[T];
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) ok_multicast_bytes(ARGS) {
    TILE;
    auto c = cg::this_cluster();
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
    }
    c.sync();
    if (T == 0) mb_expect(&bar, 512);
    c.sync();
    if (c.block_rank() == 0 && T == 0) multicast(s, in, 512, &bar, 3);
    mb_wait_cluster(&bar, 0);
    out[blockIdx.x * 128 + T] = s[T];
    c.sync();
}

/* 4 blocks: deadlock, barrier-divergence, barrier-misuse */
__global__ void __cluster_dims__(2, 1, 1) bad_cluster_barrier(ARGS) {
    auto c = cg::this_cluster();
    if (T < 64)
        c.sync();
    else
        V("bar.sync 1, 128;" ::: M);
    out[blockIdx.x * 128 + T] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) ok_cluster_barrier(ARGS) {
    auto c = cg::this_cluster();
    c.sync();
    V("bar.sync 1, 128;" ::: M);
    out[blockIdx.x * 128 + T] = 1;
}

/* 4 blocks: race-shared */
__global__ void __cluster_dims__(2, 1, 1) bad_cluster_arrive_early(ARGS) {
    __shared__ float s[128];
    auto c = cg::this_cluster();
    V("barrier.cluster.arrive.aligned;" ::: M);
    s[T] = in[T];
    V("barrier.cluster.wait.aligned;" ::: M);
    float *p = c.map_shared_rank(s, c.block_rank() ^ 1);
    out[blockIdx.x * 128 + T] = p[T];
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) ok_cluster_arrive_early(ARGS) {
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = in[T];
    V("barrier.cluster.arrive.aligned;" ::: M);
    V("barrier.cluster.wait.aligned;" ::: M);
    float *p = c.map_shared_rank(s, c.block_rank() ^ 1);
    out[blockIdx.x * 128 + T] = p[T];
    c.sync();
}
}
