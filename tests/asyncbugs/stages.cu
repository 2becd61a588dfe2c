/* Stages, counts and sums whose parts come from several threads or blocks. sm_90. */
#include "asyncbugs.cuh"

/* A loop is left early; the code behind it takes the parity that the whole loop would have led to. */
KERNEL(parity_after_a_loop_left_early) {
    __shared__ alignas(128) float s[2][128];
    __shared__ mbarrier full[2];
    if (T == 0) {
        barrier_init(&full[0], 1);
        barrier_init(&full[1], 1);
    }
    fence_barrier_init();
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        if (k == 3 && in[0] < 2) break;
        if (T == 0) {
            barrier_expect(&full[k % 2], 512);
            bulk_load(s[k % 2], in + 128 * k, 512, &full[k % 2]);
        }
        barrier_wait(&full[k % 2], k / 2 % 2);
        sum += s[k % 2][T];
        fence_async();
        __syncthreads();
    }
    if (T == 0) {
        barrier_expect(&full[1], 512);
        bulk_load(s[1], in + 1024, 512, &full[1]);
    }
    barrier_wait(&full[1], FIXED ? 1 : 0); /* BUG */
    out[T] = sum + s[1][127 - T];
}

/* The producer makes one stage fewer than its consumers take. */
KERNEL(one_stage_never_filled) {
    __shared__ alignas(128) float s[4][128];
    __shared__ mbarrier full[4];
    if (T == 0)
        for (int k = 0; k < 4; k++) barrier_init(&full[k], 1);
    fence_barrier_init();
    __syncthreads();
    if (T == 0)
        for (int k = 0; k < (FIXED ? 4 : 3); k++) {
            barrier_expect(&full[k], 512);
            bulk_load(s[k], in + 128 * k, 512, &full[k]);
        }
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        barrier_wait(&full[k], 0); /* BUG */
        sum += s[k][T];
    }
    out[T] = sum;
}

/* A block waits for its own reduction only, and reads the sum of all blocks. */
KERNEL(sum_read_after_own_reduction) {
    __shared__ alignas(128) float s[128];
    s[T] = WHOLE(in[128 * blockIdx.x + T]);
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_add(out, s, 512);
        bulk_commit();
        bulk_wait(0);
        __threadfence();
        const unsigned before = atomicAdd(WORD, 1);
        if (FIXED ? before == gridDim.x - 1 : blockIdx.x == gridDim.x - 1) {
            __threadfence();
            out[1024] = out[0]; /* BUG */
        }
    }
}

/* One block sets the sums to zero to which others may already have added. */
KERNEL(sums_zeroed_by_one_block) {
    __shared__ alignas(128) float s[128];
    s[T] = WHOLE(in[128 * blockIdx.x + T]);
    fence_async();
    if (blockIdx.x == 0) {
        out[T] = 0; /* BUG */
        __threadfence();
        fence_async_global();
    }
    __syncthreads();
    if (T) return;
    if (FIXED) {
        if (blockIdx.x == 0) atomicExch(WORD, 1);
        while (*(volatile unsigned *)WORD == 0) {
        }
        __threadfence();
        fence_async_all();
    }
    bulk_add(out, s, 512);
    bulk_commit();
    bulk_wait(0);
}

/* The mbarrier counts one arrival more than its copies and the thread that expects bytes make. */
KERNEL(one_arrival_too_many_expected) {
    __shared__ alignas(128) float s[256];
    __shared__ mbarrier full;
    START(&full, FIXED ? 129 : 130);
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, in, 512, &full);
    }
    copy4(s + 128 + T, in + 1024 + T);
    copy_arrive_noinc(&full);
    barrier_wait(&full, 0); /* BUG */
    out[T] = s[127 - T] + s[255 - T];
}

/* Counts in shared memory are read before the other blocks of the cluster have added theirs. */
CLUSTER(2, counts_read_before_peers_add) {
    __shared__ unsigned bins[32];
    const unsigned rank = cluster_rank();
    if (T < 32) bins[T] = 0;
    cluster_sync();
    const unsigned bin = __float_as_uint(in[128 * rank + T]) % 64;
    PTX("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(peer(&bins[bin % 32], bin / 32)) : "memory");
    if (FIXED)
        cluster_sync();
    else
        __syncthreads();
    if (T < 32) ((unsigned *)out)[32 * rank + T] = bins[T]; /* BUG */
    cluster_sync();
}

/* Two threads fill halves of a stage and tell their bytes each; the mbarrier counts one of them. */
KERNEL(two_producers_counted_as_one) {
    __shared__ alignas(128) float s[256];
    __shared__ mbarrier full;
    START(&full, FIXED ? 2 : 1);
    if (LANE == 0 && WARP < 2) {
        barrier_expect(&full, 512);
        bulk_load(s + 128 * WARP, in + 128 * WARP, 512, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[T] + s[128 + T]; /* BUG */
}

/* Half of a warp's lanes wait for their copies. */
KERNEL(half_the_lanes_wait) {
    __shared__ alignas(128) float s[128];
    copy4(s + T, in + T);
    copy_commit();
    if (FIXED || LANE < 16) copy_wait(0);
    __syncwarp();
    out[T] = s[T]; /* BUG */
}

/* A thread that has left the mbarrier for good arrives once more. */
KERNEL(arrival_after_leaving) {
    __shared__ float s[128];
    __shared__ mbarrier bar;
    START(&bar, 128);
    s[T] = in[T];
    if (T == 127)
        PTX("{\n.reg .b64 t;\nmbarrier.arrive_drop.shared.b64 t, [%0];\n}" ::"r"(SHARED(&bar)) : "memory");
    else
        barrier_arrive(&bar);
    barrier_wait(&bar, 0);
    float v = s[127 - T];
    if (T != 127 || !FIXED) barrier_arrive(&bar); /* BUG */
    if (T != 127) barrier_wait(&bar, 1);
    out[T] = v;
}

/* The last block to arrive sets the counter to zero before the others have seen that it was full. */
KERNEL(counter_reset_under_waiters) {
    out[128 * blockIdx.x + T] = in[T];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        if (atomicAdd(WORD, 1) == gridDim.x - 1) {
            if (FIXED)
                atomicExch(WORD + 1, 1);
            else
                atomicExch(WORD, 0);
        } else {
            while (*(volatile unsigned *)(FIXED ? WORD + 1 : WORD) != (FIXED ? 1 : gridDim.x)) { /* BUG */
            }
        }
        __threadfence();
    }
    __syncthreads();
    out[2048 + 128 * blockIdx.x + T] = out[128 * ((blockIdx.x + 1) % gridDim.x) + T];
}
