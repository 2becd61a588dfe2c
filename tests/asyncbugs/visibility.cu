/* What an access may not see, and who is told: weak and relaxed accesses, flags told too early, arrivals at the wrong
 * place. Blocks and pairs of blocks. sm_90. */
#include "asyncbugs.cuh"

#define FLAG ((unsigned *)(out + 4000))
#define store_async(s, value, b)                                                                                 \
    PTX("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(s), "r"(value), "r"(b) \
        : "memory")
#define bulk_add_to(s, from, bytes, b)                                                                           \
    PTX("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, " \
        "[%3];" ::"r"(s),                                                                                        \
        "r"(SHARED(from)), "r"(bytes), "r"(b)                                                                    \
        : "memory")
#define release_add(p) PTX("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(p) : "memory")

static __device__ __forceinline__ unsigned acquire(const unsigned *p) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

/* The read-only path for bytes that the kernel has written. */
KERNEL(read_only_load_of_written_data) {
    out[T] = in[T];
    __syncthreads();
    float v;
    if (FIXED)
        v = out[127 - T];
    else
        PTX("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(out + 127 - T) : "memory"); /* BUG */
    out[512 + T] = v;
}

/* A line that was discarded and not written again. */
KERNEL(discarded_line_read) {
    out[T] = in[T];
    __syncthreads();
    if (T < 4) PTX("discard.global.L2 [%0], 128;" ::"l"((FIXED ? out + 512 : out) + 32 * T) : "memory");
    __syncthreads();
    out[1024 + T] = out[127 - T]; /* BUG */
}

/* The second copy is issued behind the arrival that should stand for both. */
KERNEL(copies_after_arrival) {
    __shared__ alignas(16) float s[256];
    __shared__ mbarrier full;
    START(&full, 128);
    copy4(s + T, in + T);
    if (!FIXED) copy_arrive_noinc(&full);
    copy4(s + 128 + T, in + 128 + T);
    if (FIXED) copy_arrive_noinc(&full);
    barrier_wait(&full, 0);
    out[T] = s[T] + s[255 - T]; /* BUG */
}

/* A relaxed arrival publishes no stores. */
KERNEL(relaxed_arrival_for_stores) {
    __shared__ float s[64];
    __shared__ mbarrier full;
    START(&full, 64);
    if (T < 64) {
        s[T] = in[T];
        if (FIXED)
            barrier_arrive(&full);
        else
            PTX("{\n.reg .b64 t;\nmbarrier.arrive.relaxed.cta.shared::cta.b64 t, [%0];\n}" ::"r"(SHARED(&full))
                : "memory");
    } else {
        barrier_wait(&full, 0);
        out[T - 64] = s[127 - T]; /* BUG */
    }
}

/* A relaxed wait acquires nothing. */
KERNEL(relaxed_wait_for_stores) {
    __shared__ float s[64];
    __shared__ mbarrier full;
    START(&full, 64);
    if (T < 64) {
        s[T] = in[T];
        barrier_arrive(&full);
    } else {
        if (FIXED)
            barrier_wait(&full, 0);
        else
            PTX("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%0], 0;\n@!p bra "
                "WAIT;\n}" ::"r"(SHARED(&full))
                : "memory");
        out[T - 64] = s[127 - T]; /* BUG */
    }
}

/* The flag says that the source was read, not that the destination was written. */
KERNEL(published_after_read_wait) {
    __shared__ alignas(16) float s[128];
    if (blockIdx.x == 0) {
        s[T] = in[T];
        fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out, s, 512);
            bulk_commit();
            if (FIXED)
                bulk_wait(0);
            else
                bulk_wait_read(0);
            release_add(FLAG);
            bulk_wait(0);
        }
    } else {
        if (T == 0)
            while (!acquire(FLAG)) {
            }
        __syncthreads();
        out[512 + T] = out[127 - T]; /* BUG */
    }
}

/* A bulk reduction adds to ordinary stores of the other block. */
CLUSTER(2, sum_zeroed_without_fence) {
    __shared__ alignas(16) unsigned from[128], sum[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    from[T] = T;
    if (!FIXED) fence_async();
    sum[T] = 1;
    if (FIXED) fence_async_all();
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    if (T == 0) bulk_add_to(peer(sum, rank ^ 1), from, 512, peer(&full, rank ^ 1)); /* BUG */
    barrier_wait_cluster(&full, 0);
    out[128 * rank + T] = (float)sum[127 - T];
    cluster_sync();
}

/* cp.async refills what a bulk store still reads. */
KERNEL(cp_async_over_store_in_flight) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        if (FIXED) bulk_wait_read(0);
    }
    __syncthreads();
    copy4(s + T, in + 128 + T); /* BUG */
    copy_commit();
    copy_wait(0);
    __syncthreads();
    out[512 + T] = s[127 - T];
    if (T == 0) bulk_wait(0);
}

/* The release goes to the block's own barrier in place of the leader's. */
CLUSTER(2, released_on_own_barrier) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full, empty;
    const unsigned rank = cluster_rank();
    if (T == 0) barrier_init(&empty, 2);
    START(&full, 1);
    cluster_sync();
    for (unsigned i = 0; i < 2; i++) {
        if (T == 0) {
            barrier_expect(&full, 512);
            if (rank == 0) {
                if (i) barrier_wait_cluster(&empty, 0); /* BUG */
                multicast_load(s, in + 128 * i, 512, &full, 3);
            }
        }
        barrier_wait_cluster(&full, i);
        out[256 * rank + 128 * i + T] = s[127 - T];
        fence_async();
        __syncthreads();
        if (T == 0 && i == 0)
            PTX("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer(&empty, FIXED ? 0 : rank))
                : "memory");
    }
    cluster_sync();
}

/* Data for the other block, and the sender's mbarrier. */
CLUSTER(2, sent_with_the_senders_barrier) {
    __shared__ unsigned s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 1);
    if (T == 0) barrier_expect(&full, 512);
    cluster_sync();
    store_async(peer(&s[T], rank ^ 1), T, peer(&full, FIXED ? rank ^ 1 : rank)); /* BUG */
    barrier_wait_cluster(&full, 0);
    out[128 * rank + T] = (float)s[127 - T];
    cluster_sync();
}
