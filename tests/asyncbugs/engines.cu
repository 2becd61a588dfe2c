/* Further defects of bulk copies, their mbarriers, clusters, products and registers of warpgroups. sm_90a. */
#include "asyncbugs.cuh"

#define peer_load(v, p, rank) PTX("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(peer(p, rank)) : "memory")
#define bulk_load_for(blocks, s, g, b)                                                                           \
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 512, " \
        "[%2], %3;" ::"r"(SHARED(s)),                                                                            \
        "l"(g), "r"(SHARED(b)), "h"((unsigned short)(blocks))                                                    \
        : "memory")
#define multiply(b)                                                                                             \
    PTX("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                        \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(describe(b))                                          \
        : "memory")

static __device__ __forceinline__ uint64_t describe(const void *b) {
    return (uint64_t)(SHARED(b) >> 4) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

/* The size of a bulk copy is a multiple of 16. */
KERNEL(bulk_copy_of_odd_tail) {
    __shared__ alignas(128) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    const unsigned bytes = FIXED ? 496 : 4 * (gridDim.x + 124);
    if (T == 0) {
        barrier_expect(&full, bytes);
        bulk_load(s, in, bytes, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    if (T < 124) out[T] = s[T];
}

/* Sums in global memory are set to zero by ordinary stores, and reductions of the copy engine add to them. The fence is
 * for shared memory only. */
KERNEL(sums_in_global_memory_zeroed_without_fence) {
    __shared__ alignas(128) float s[128];
    s[T] = in[T];
    out[T] = 0;
    if (FIXED)
        fence_async_all();
    else
        fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_add(out, s, 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* Rows of 16 floats lie 20 apart. The copy takes the words between them along, which nobody has written. */
KERNEL(padding_of_rows_stored) {
    __shared__ alignas(128) float s[8][20];
    s[T / 16][T % 16] = in[T];
    if (FIXED && T < 32) s[T / 4][16 + T % 4] = 0;
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 640); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* A tile is stored and then added to. Bulk operations of one thread have no order, in one group or in two. */
KERNEL(added_before_the_store_is_done) {
    __shared__ alignas(128) float s[2][128];
    s[0][T] = in[T];
    s[1][T] = in[128 + T];
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s[0], 512); /* BUG */
        bulk_commit();
        if (FIXED) bulk_wait(0);
        bulk_add(out, s[1], 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* try_wait gives up after a time that the system sets. A loop that ends after some tries has waited for nothing. */
KERNEL(wait_gives_up_after_some_tries) {
    __shared__ alignas(128) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, in, 512, &full);
    }
    unsigned done = 0;
    for (int tries = 0; !done && (FIXED || tries < 8); tries++)
        PTX("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000;\nselp.u32 %0, 1, 0, p;\n}"
            : "=r"(done)
            : "r"(SHARED(&full))
            : "memory");
    out[T] = s[T]; /* BUG */
    barrier_wait(&full, 0);
}

/* A product uses the second stage when the first one is there. */
KERNEL(product_of_a_stage_in_flight) {
    __shared__ alignas(128) unsigned b[2][64];
    __shared__ mbarrier full[2];
    unsigned a[4] = {0x3c003c00, 0x40003c00, 0x3c00, 0x4000};
    float d[4] = {};
    if (T == 0) {
        barrier_init(full, 1);
        barrier_init(full + 1, 1);
        fence_barrier_init();
    }
    __syncthreads();
    if (T == 0)
        for (int k = 0; k < 2; k++) {
            barrier_expect(full + k, 256);
            bulk_load(b[k], in + 64 * k, 256, full + k);
        }
    for (int k = 0; k < 2; k++) {
        barrier_wait(full + (FIXED ? k : 0), 0);
        PTX("wgmma.fence.sync.aligned;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
        multiply(b[k]); /* BUG */
        PTX("wgmma.commit_group.sync.aligned;" ::: "memory");
        PTX("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    }
    for (int i = 0; i < 4; i++) out[128 * i + T] = d[i];
    barrier_wait(full + 1, 0);
}

/* The mask of a multicast copy names a block that the cluster does not have. */
CLUSTER(2, multicast_to_a_block_that_is_not_there) {
    __shared__ alignas(128) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    if (T == 0 && cluster_rank() == 0) bulk_load_for(FIXED ? 3 : 7, s, in, &full); /* BUG */
    barrier_wait_cluster(&full, 0);
    out[128 * cluster_rank() + T] = s[T];
    cluster_sync();
}

/* A flag in another block's shared memory, behind a fence whose scope is one block. */
CLUSTER(2, flag_in_peer_memory_with_block_fence) {
    __shared__ float s[128];
    __shared__ volatile unsigned flag;
    const unsigned rank = cluster_rank();
    if (T == 0) flag = 0;
    s[T] = 0;
    cluster_sync();
    if (rank == 1) {
        s[T] = in[T];
        __syncthreads();
        if (T == 0) {
            if (FIXED)
                PTX("fence.acq_rel.cluster;" ::: "memory");
            else
                PTX("fence.acq_rel.cta;" ::: "memory");
            PTX("st.relaxed.cluster.shared::cluster.u32 [%0], 1;" ::"r"(peer((const void *)&flag, 0)) : "memory");
        }
    } else {
        if (T == 0) {
            unsigned seen;
            do
                PTX("ld.relaxed.cluster.shared::cta.u32 %0, [%1];"
                    : "=r"(seen)
                    : "r"(SHARED((const void *)&flag))
                    : "memory");
            while (!seen);
            PTX("fence.acq_rel.cluster;" ::: "memory");
        }
        __syncthreads();
        float v;
        peer_load(v, s + 127 - T, 1); /* BUG */
        out[T] = v;
    }
    cluster_sync();
}

/* The lanes that copy wait for an mbarrier of the cluster's first block; the second block uses its own tile, whose
 * mbarrier nobody waits for. */
CLUSTER(2, waits_for_the_tile_of_the_first_block) {
    __shared__ alignas(128) float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    cluster_sync();
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, in + 128 * rank, 512, &full);
    }
    if (FIXED || rank == 0) barrier_wait_cluster(&full, 0);
    cluster_sync();
    out[128 * rank + T] = s[T]; /* BUG */
    cluster_sync();
    if (rank) barrier_wait_cluster(&full, 0);
}

/* Two of three warpgroups raise their registers; the third does not give up its own. All have 168, as many as there
 * are. */
#undef KERNEL
#if FIXED
#define KERNEL(name) extern "C" __global__ void __maxnreg__(168) ok_##name(const float *in, float *out)
#else
#define KERNEL(name) extern "C" __global__ void __maxnreg__(168) bad_##name(const float *in, float *out)
#endif
KERNEL(registers_raised_but_never_lowered) {
    if (WARP < 4) {
        if (FIXED) PTX("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
        out[T] = in[T];
    } else {
        PTX("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory"); /* BUG */
        out[T] = in[T] + 1;
    }
}
