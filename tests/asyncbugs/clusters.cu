/* Clusters: shared memory of other blocks, multicast, remote arrivals, st.async and red.async. Blocks of a pair. sm_90.
 */
#include "asyncbugs.cuh"

#define peer_arrive(b, rank) \
    PTX("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer(b, rank)) : "memory")
#define peer_store(s, rank, value) PTX("st.shared::cluster.f32 [%0], %1;" ::"r"(peer(s, rank)), "f"(value) : "memory")
#define peer_load(value, s, rank) PTX("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(peer(s, rank)) : "memory")
#define store_async(s, rank, value, b)                                                                                \
    PTX("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(peer(s, rank)), "r"(value), \
        "r"(peer(b, rank))                                                                                            \
        : "memory")
#define add_async(s, rank, value, b)                                                                            \
    PTX("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"( \
            peer(s, rank)),                                                                                     \
        "r"(value), "r"(peer(b, rank))                                                                          \
        : "memory")
#define bulk_send(s, rank, from, bytes, b)                                                                    \
    PTX("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"( \
            peer(s, rank)),                                                                                   \
        "r"(SHARED(from)), "r"(bytes), "r"(peer(b, rank))                                                     \
        : "memory")

/* ---- lifetime ---- */

/* A block ends while the other one reads its shared memory. */
CLUSTER(2, peer_exits_while_read) {
    __shared__ float s[128];
    const unsigned rank = cluster_rank();
    float value;
    s[T] = in[128 * rank + T];
    cluster_sync();
    if (rank == 0) {
        peer_load(value, s + (127 - T), 1); /* BUG */
        out[T] = value;
    }
    if (FIXED) cluster_sync();
}

/* A store to a block that may not run yet. */
CLUSTER(2, peer_written_before_it_runs) {
    __shared__ float s[128];
    const unsigned rank = cluster_rank();
    if (FIXED) cluster_sync();
    peer_store(s + T, rank ^ 1, in[128 * rank + T]); /* BUG */
    cluster_sync();
    out[128 * rank + T] = s[127 - T];
}

/* A late release to a producer whose block has ended. */
CLUSTER(2, release_to_a_block_that_has_ended) {
    __shared__ mbarrier empty;
    const unsigned rank = cluster_rank();
    START(&empty, 1);
    cluster_sync();
    out[128 * rank + T] = in[T];
    if (rank == 1 && T == 0) peer_arrive(&empty, 0); /* BUG */
    if (FIXED && rank == 0) barrier_wait_cluster(&empty, 0);
}

/* A multicast copy still writes to a block that does not wait for it. */
CLUSTER(2, exit_before_multicast_arrives) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    if (rank == 0 && T == 0) multicast_load(s, in, 512, &full, 3); /* BUG */
    if (FIXED || rank == 0) barrier_wait_cluster(&full, 0);
    out[128 * rank + T] = rank == 0 ? s[127 - T] : 1;
}

/* ---- order ---- */

/* The block's barrier in place of the cluster's. */
CLUSTER(2, block_barrier_for_cluster) {
    __shared__ float s[128];
    const unsigned rank = cluster_rank();
    s[T] = 0;
    cluster_sync();
    peer_store(s + T, rank ^ 1, in[128 * rank + T]);
    if (FIXED)
        cluster_sync();
    else
        __syncthreads();
    out[128 * rank + T] = s[127 - T]; /* BUG */
    cluster_sync();
}

/* The arrival stands before the store that it should publish. */
CLUSTER(2, cluster_arrival_before_store) {
    __shared__ float s[128];
    const unsigned rank = cluster_rank();
    float value;
    if (!FIXED) cluster_arrive();
    s[T] = in[128 * rank + T];
    if (FIXED) cluster_arrive();
    cluster_wait();
    peer_load(value, s + T, rank ^ 1); /* BUG */
    out[128 * rank + T] = value;
    cluster_sync();
}

/* A relaxed arrival publishes no stores. */
CLUSTER(2, relaxed_cluster_arrival) {
    __shared__ float s[128];
    const unsigned rank = cluster_rank();
    float value;
    s[T] = in[128 * rank + T];
    if (FIXED)
        cluster_arrive();
    else
        PTX("barrier.cluster.arrive.relaxed;" ::: "memory");
    cluster_wait();
    peer_load(value, s + T, rank ^ 1); /* BUG */
    out[128 * rank + T] = value;
    cluster_sync();
}

/* A thread uses the peer's memory between its own arrival and the wait. */
CLUSTER(2, no_wait_after_arrival) {
    __shared__ float s[128];
    const unsigned rank = cluster_rank();
    float value;
    s[T] = in[128 * rank + T];
    cluster_arrive();
    if (FIXED) cluster_wait();
    peer_load(value, s + T, rank ^ 1); /* BUG */
    out[128 * rank + T] = value;
    if (!FIXED) cluster_wait();
    cluster_sync();
}

/* The remote arrival releases to its own block only. */
CLUSTER(2, remote_arrival_of_block_scope) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 128);
    cluster_sync();
    peer_store(s + T, rank ^ 1, in[128 * rank + T]);
    if (FIXED)
        peer_arrive(&full, rank ^ 1);
    else
        PTX("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(peer(&full, rank ^ 1)) : "memory");
    barrier_wait_cluster(&full, 0);
    out[128 * rank + T] = s[127 - T]; /* BUG */
    cluster_sync();
}

/* The wait acquires from its own block only. */
CLUSTER(2, wait_of_block_scope) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 128);
    cluster_sync();
    peer_store(s + T, rank ^ 1, in[128 * rank + T]);
    peer_arrive(&full, rank ^ 1);
    if (FIXED)
        barrier_wait_cluster(&full, 0);
    else
        barrier_wait(&full, 0);
    out[128 * rank + T] = s[127 - T]; /* BUG */
    cluster_sync();
}

/* Half of the warps wait at the cluster's barrier, the others at the block's. */
CLUSTER(2, cluster_barrier_in_branch) {
    const unsigned rank = cluster_rank();
    if (FIXED || T < 64) cluster_sync(); /* BUG */
    __syncthreads();
    out[128 * rank + T] = in[T];
}

/* ---- barriers of the peer ---- */

/* The peer's barrier is used after a barrier of the own block only. */
CLUSTER(2, peer_barrier_not_initialised) {
    __shared__ mbarrier ready;
    const unsigned rank = cluster_rank();
    START(&ready, 1);
    if (FIXED) cluster_sync();
    if (T == 0) peer_arrive(&ready, rank ^ 1); /* BUG */
    barrier_wait_cluster(&ready, 0);
    out[128 * rank + T] = in[T];
    cluster_sync();
}

/* A relaxed arrival at the cluster's barrier publishes the initialisation only behind fence.mbarrier_init. */
CLUSTER(2, initialised_without_fence) {
    __shared__ mbarrier ready;
    const unsigned rank = cluster_rank();
    if (T == 0) {
        barrier_init(&ready, 1);
        if (FIXED) fence_barrier_init();
    }
    PTX("barrier.cluster.arrive.relaxed;" ::: "memory");
    cluster_wait();
    if (T == 0) peer_arrive(&ready, rank ^ 1); /* BUG */
    barrier_wait_cluster(&ready, 0);
    out[128 * rank + T] = in[T];
    cluster_sync();
}

/* Data is multicast to two blocks, but only one of them expects the bytes. */
CLUSTER(2, multicast_not_expected_by_peer) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0 && (FIXED || rank == 0)) barrier_expect(&full, 512);
    cluster_sync();
    if (rank == 0 && T == 0) multicast_load(s, in, 512, &full, 3);
    barrier_wait_cluster(&full, 0); /* BUG */
    out[128 * rank + T] = s[127 - T];
    cluster_sync();
}

/* Each block multicasts its half; the barriers expect the own half only. */
CLUSTER(2, multicast_bytes_of_own_half) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, FIXED ? 512 : 256);
    cluster_sync();
    if (T == 0) multicast_load(s + 64 * rank, in + 64 * rank, 256, &full, 3);
    barrier_wait_cluster(&full, 0);
    out[128 * rank + T] = s[127 - T]; /* BUG */
    cluster_sync();
}

/* The barrier counts the bytes of four blocks, those of two arrive. */
CLUSTER(2, multicast_bytes_of_too_many_blocks) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, FIXED ? 512 : 1024);
    cluster_sync();
    if (T == 0) multicast_load(s + 64 * rank, in + 64 * rank, 256, &full, 3);
    barrier_wait_cluster(&full, 0); /* BUG */
    out[128 * rank + T] = s[127 - T];
    cluster_sync();
}

/* The leader multicasts the next tile when its own block has read the last one; the peer may not have. */
CLUSTER(2, multicast_before_peer_has_read) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    for (int k = 0; k < 3; k++) {
        if (rank == 0 && T == 0) multicast_load(s, in + 128 * k, 512, &full, 3); /* BUG */
        barrier_wait_cluster(&full, k % 2);
        if (T == 0 && k < 2) barrier_expect(&full, 512);
        out[256 * k + 128 * rank + T] = s[127 - T];
        fence_async();
        if (FIXED)
            cluster_sync();
        else
            __syncthreads();
    }
    cluster_sync();
}

/* A block copies to its peer, and overwrites the source before the peer's barrier says that it was read. */
CLUSTER(2, sent_tile_overwritten) {
    __shared__ alignas(16) float from[128], to[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    from[T] = in[128 * rank + T];
    fence_async();
    cluster_sync();
    if (T == 0) bulk_send(to, rank ^ 1, from, 512, &full);
    if (FIXED) {
        barrier_wait_cluster(&full, 0);
        cluster_sync();
    }
    __syncthreads();
    from[T] = 0; /* BUG */
    barrier_wait_cluster(&full, 0);
    out[128 * rank + T] = to[127 - T] + from[T];
    cluster_sync();
}

/* ---- st.async, red.async ---- */

/* What st.async sends is read without a wait for its barrier. */
CLUSTER(2, st_async_not_waited_for) {
    __shared__ unsigned s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    store_async(s + T, rank ^ 1, T + 1, &full);
    if (FIXED) barrier_wait_cluster(&full, 0);
    out[128 * rank + T] = __uint_as_float(s[127 - T]); /* BUG */
    barrier_wait_cluster(&full, 0);
    cluster_sync();
}

/* The cluster's barrier does not wait for st.async. */
CLUSTER(2, cluster_barrier_for_st_async) {
    __shared__ unsigned s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    store_async(s + T, rank ^ 1, T + 1, &full);
    if (FIXED)
        barrier_wait_cluster(&full, 0);
    else
        cluster_sync();
    out[128 * rank + T] = __uint_as_float(s[127 - T]); /* BUG */
    barrier_wait_cluster(&full, 0);
    cluster_sync();
}

/* The barrier expects the bytes of half the stores. */
CLUSTER(2, st_async_bytes_of_half) {
    __shared__ unsigned s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, FIXED ? 512 : 256);
    cluster_sync();
    store_async(s + T, rank ^ 1, T + 1, &full);
    barrier_wait_cluster(&full, 0);
    out[128 * rank + T] = __uint_as_float(s[127 - T]); /* BUG */
    cluster_sync();
}

/* Two st.async of a ring go to one slot, which the peer may still read. */
CLUSTER(2, st_async_before_peer_has_read) {
    __shared__ unsigned s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    for (int k = 0; k < 2; k++) {
        store_async(s + T, rank ^ 1, T + 10 * k, &full); /* BUG */
        barrier_wait_cluster(&full, k);
        if (T == 0 && k == 0) barrier_expect(&full, 512);
        out[256 * k + 128 * rank + T] = (float)s[127 - T];
        if (FIXED)
            cluster_sync();
        else
            __syncthreads();
    }
    cluster_sync();
}

/* A sum by red.async is read before all additions have arrived. */
CLUSTER(2, red_async_read_early) {
    __shared__ unsigned sum;
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    if (T == 0) sum = 0;
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    add_async(&sum, rank ^ 1, T, &full);
    if (FIXED) barrier_wait_cluster(&full, 0);
    if (T == 0) out[rank] = (float)sum; /* BUG */
    barrier_wait_cluster(&full, 0);
    cluster_sync();
}

/* Each block loads a half for both. It waits until its own threads have read the last tile; the peer's may not have. */
CLUSTER(2, halves_freed_by_own_block_only) {
    __shared__ __align__(128) float s[128];
    __shared__ mbarrier full, empty;
    const unsigned rank = cluster_rank();
    float sum = 0;
    if (T == 0) {
        barrier_init(&full, 1);
        barrier_init(&empty, 2);
        fence_barrier_init();
    }
    cluster_sync();
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            barrier_expect(&full, 512);
            if (k > 0) barrier_wait_cluster(&empty, (k - 1) % 2);
            multicast_load(s + 64 * rank, in + 128 * k + 64 * rank, 256, &full, 3); /* BUG */
        }
        barrier_wait_cluster(&full, k % 2);
        sum += s[T]; /* BUG */
        fence_async();
        __syncthreads();
        if (T < 2) peer_arrive(&empty, FIXED ? T : rank);
    }
    out[128 * rank + T] = sum;
    cluster_sync();
}
