/* mbarriers: arrivals, bytes, phases, initialisation and reuse. sm_90. */
#include "asyncbugs.cuh"

/* ---- arrivals ---- */

/* An ordinary arrival does not wait for the thread's cp.async. */
KERNEL(plain_arrival_for_copies) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    START(&full, 128);
    copy4(s + T, in + T);
    if (FIXED)
        copy_arrive_noinc(&full);
    else
        barrier_arrive(&full);
    barrier_wait(&full, 0);
    out[T] = s[127 - T]; /* BUG */
}

/* Without .noinc the arrival adds one to the count that it takes off. */
KERNEL(noinc_forgotten) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    START(&full, 128);
    copy4(s + T, in + T);
    if (FIXED)
        copy_arrive_noinc(&full);
    else
        copy_arrive(&full);
    barrier_wait(&full, 0); /* BUG */
    out[T] = s[127 - T];
}

/* With .noinc the copies' arrival is one of the count, and the thread's own is one too many. */
KERNEL(noinc_and_own_arrival) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    START(&full, 128);
    copy4(s + T, in + T);
    if (FIXED)
        copy_arrive(&full);
    else
        copy_arrive_noinc(&full);
    barrier_arrive(&full); /* BUG */
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* The count is that of threads, but one lane of each warp arrives. */
KERNEL(count_of_threads_arrivals_of_warps) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    START(&full, FIXED ? 4 : 128);
    s[T] = in[T];
    __syncwarp();
    if (LANE == 0) barrier_arrive(&full);
    barrier_wait(&full, 0); /* BUG */
    out[T] = s[127 - T];
}

/* The count is one, but all lanes of a warp arrive with the bytes. */
KERNEL(all_lanes_expect_bytes) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T < 32) {
        if (!FIXED || T == 0) barrier_expect(&full, 512); /* BUG */
        if (T == 0) bulk_load(s, in, 512, &full);
    }
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* One lane arrives for a warp whose other lanes may still be storing. */
KERNEL(lane_arrives_for_others_stores) {
    __shared__ float s[32];
    __shared__ mbarrier full;
    START(&full, 1);
    if (WARP == 0) {
        s[T] = in[T];
        if (FIXED) __syncwarp();
        if (T == 0) barrier_arrive(&full);
    }
    barrier_wait(&full, 0);
    out[T] = s[31 - T % 32]; /* BUG */
}

/* One lane gives a stage back while other lanes of its warp may still read it. */
KERNEL(lane_releases_for_others_reads) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full, empty;
    START(&full, 1);
    START(&empty, 4);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            if (k) barrier_wait(&empty, (k - 1) % 2);
            fence_async();
            barrier_expect(&full, 512);
            bulk_load(s, in + 128 * k, 512, &full); /* BUG */
        }
        __syncwarp();
        barrier_wait(&full, k % 2);
        out[128 * k + T] = s[127 - T];
        if (FIXED) {
            fence_async();
            __syncwarp();
        }
        if (LANE == 31) barrier_arrive(&empty);
    }
}

/* A stage is given back before it is read. */
KERNEL(release_before_read) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full, empty;
    START(&full, 1);
    START(&empty, 128);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            if (k) barrier_wait(&empty, (k - 1) % 2);
            barrier_expect(&full, 512);
            bulk_load(s, in + 128 * k, 512, &full); /* BUG */
        }
        barrier_wait(&full, k % 2);
        if (!FIXED) barrier_arrive(&empty);
        out[128 * k + T] = s[127 - T];
        if (FIXED) {
            fence_async();
            barrier_arrive(&empty);
        }
    }
}

/* Threads that have no work leave early; the count includes them. */
KERNEL(early_exit_before_arrival) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    START(&full, 128);
    if (T >= 96) {
        s[T] = 0;
        if (FIXED) barrier_arrive(&full);
        return;
    }
    s[T] = in[T];
    barrier_arrive(&full);
    barrier_wait(&full, 0); /* BUG */
    out[T] = s[127 - T];
}

/* The consumers never give the stage back. */
KERNEL(stage_never_released) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full, empty;
    START(&full, 1);
    START(&empty, 96);
    if (WARP == 0) {
        if (T == 0)
            for (int k = 0; k < 2; k++) {
                barrier_wait(&empty, (k + 1) % 2); /* BUG */
                barrier_expect(&full, 512);
                bulk_load(s, in + 128 * k, 512, &full);
            }
    } else
        for (int k = 0; k < 2; k++) {
            barrier_wait(&full, k % 2);
            out[128 * k + T] = s[T];
            fence_async();
            if (FIXED) barrier_arrive(&empty);
        }
}

/* ---- bytes ---- */

/* Two operands arrive on one barrier, which expects the bytes of one. */
KERNEL(bytes_of_one_operand) {
    __shared__ alignas(16) float a[128], b[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, FIXED ? 1024 : 512);
        bulk_load(a, in, 512, &full);
        bulk_load(b, in + 128, 512, &full);
    }
    barrier_wait(&full, 0);
    out[T] = a[127 - T] + b[T]; /* BUG */
}

/* The barrier expects more bytes than are copied. */
KERNEL(more_bytes_than_copied) {
    __shared__ alignas(16) float a[128], b[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 1024);
        bulk_load(a, in, 512, &full);
        if (FIXED) bulk_load(b, in + 128, 512, &full);
    }
    barrier_wait(&full, 0); /* BUG */
    out[T] = a[127 - T] + (FIXED ? b[T] : 0);
}

/* The bytes of a stage arrive on the barrier of another one. */
KERNEL(bytes_on_wrong_barrier) {
    __shared__ alignas(16) float s[2][128];
    __shared__ mbarrier full[2];
    START(&full[0], 1);
    START(&full[1], 1);
    if (T == 0)
        for (int k = 0; k < 2; k++) {
            barrier_expect(&full[k], 512);
            bulk_load(s[k], in + 128 * k, 512, &full[FIXED ? k : 1 - k]);
        }
    barrier_wait(&full[0], 0);
    out[T] = s[0][127 - T]; /* BUG */
    barrier_wait(&full[1], 0);
    out[128 + T] = s[1][127 - T];
}

/* The tail's bytes are fewer, the expected ones are not. */
KERNEL(bytes_of_the_tail) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    for (int k = 0; k < 3; k++) {
        const unsigned bytes = k == 2 ? 256 : 512;
        if (T == 0) {
            barrier_expect(&full, FIXED ? bytes : 512);
            bulk_load(s, in + 128 * k, bytes, &full);
        }
        barrier_wait(&full, k % 2); /* BUG */
        if (4 * T < bytes) out[128 * k + T] = s[T];
        fence_async();
        __syncthreads();
    }
}

/* The arrival comes before the bytes are made known, and ends the phase. */
KERNEL(bytes_told_after_arrival) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        if (!FIXED) barrier_arrive(&full);
        barrier_add_bytes(&full, 512);
        bulk_load(s, in, 512, &full);
        if (FIXED) barrier_arrive(&full);
    }
    barrier_wait(&full, 0);
    out[T] = s[127 - T]; /* BUG */
}

/* ---- phases ---- */

/* Every round waits for the first phase. */
KERNEL(parity_never_flips) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            barrier_expect(&full, 512);
            bulk_load(s, in + 128 * k, 512, &full);
        }
        barrier_wait(&full, FIXED ? k % 2 : 0); /* BUG */
        out[128 * k + T] = s[127 - T];
        fence_async();
        __syncthreads();
    }
}

/* The parity flips in every round rather than each time round the ring. */
KERNEL(parity_flips_with_each_stage) {
    __shared__ alignas(16) float s[2][128];
    __shared__ mbarrier full[2];
    START(&full[0], 1);
    START(&full[1], 1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            barrier_expect(&full[k % 2], 512);
            bulk_load(s[k % 2], in + 128 * k, 512, &full[k % 2]);
        }
        barrier_wait(&full[k % 2], FIXED ? k / 2 % 2 : k % 2); /* BUG */
        out[128 * k + T] = s[k % 2][127 - T];
        fence_async();
        __syncthreads();
    }
}

/* The parity is not flipped when the ring wraps. */
KERNEL(parity_kept_after_wrap) {
    __shared__ alignas(16) float s[3][128];
    __shared__ mbarrier full[3];
    for (int k = 0; k < 3; k++) START(&full[k], 1);
    int stage = 0;
    unsigned parity = 0;
    for (int k = 0; k < 6; k++) {
        if (T == 0) {
            barrier_expect(&full[stage], 512);
            bulk_load(s[stage], in + 128 * k, 512, &full[stage]);
        }
        barrier_wait(&full[stage], parity); /* BUG */
        out[128 * k + T] = s[stage][127 - T];
        fence_async();
        __syncthreads();
        if (++stage == 3) {
            stage = 0;
            if (FIXED) parity ^= 1;
        }
    }
}

/* The producer begins with the consumers' parity: it waits for a release that nobody owes. */
KERNEL(producer_starts_with_consumer_parity) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full, empty;
    START(&full, 1);
    START(&empty, 96);
    if (WARP == 0) {
        if (T == 0)
            for (int k = 0; k < 3; k++) {
                barrier_wait(&empty, FIXED ? (k + 1) % 2 : k % 2); /* BUG */
                barrier_expect(&full, 512);
                bulk_load(s, in + 128 * k, 512, &full);
            }
    } else
        for (int k = 0; k < 3; k++) {
            barrier_wait(&full, k % 2);
            out[128 * k + T] = s[T];
            fence_async();
            barrier_arrive(&empty);
        }
}

/* The consumers begin with the producer's parity: their first wait is over at once. */
KERNEL(consumer_starts_with_producer_parity) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, in, 512, &full);
    }
    barrier_wait(&full, FIXED ? 0 : 1); /* BUG */
    out[T] = s[127 - T];
}

/* The wait for one of two operands is missing. */
KERNEL(wait_for_one_of_two) {
    __shared__ alignas(16) float a[128], b[128];
    __shared__ mbarrier full[2];
    START(&full[0], 1);
    START(&full[1], 1);
    if (T == 0) {
        barrier_expect(&full[0], 512);
        bulk_load(a, in, 512, &full[0]);
        barrier_expect(&full[1], 512);
        bulk_load(b, in + 128, 512, &full[1]);
    }
    barrier_wait(&full[0], 0);
    if (FIXED) barrier_wait(&full[1], 0);
    out[T] = a[127 - T] + b[T]; /* BUG */
    barrier_wait(&full[1], 0);
}

/* The wait stands behind the use. */
KERNEL(wait_after_use) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, in, 512, &full);
    }
    if (FIXED) barrier_wait(&full, 0);
    out[T] = s[127 - T]; /* BUG */
    barrier_wait(&full, 0);
}

/* try_wait gives up after a while; its result is not looked at. */
KERNEL(try_wait_without_loop) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, in, 512, &full);
    }
    if (FIXED)
        barrier_wait(&full, 0);
    else
        PTX("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n}" ::"r"(SHARED(&full))
            : "memory");
    out[T] = s[127 - T]; /* BUG */
}

/* A stage is filled again without a wait for its consumers. */
KERNEL(refill_without_release) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full, empty;
    START(&full, 1);
    START(&empty, 96);
    if (WARP == 0) {
        if (T == 0)
            for (int k = 0; k < 2; k++) {
                if (FIXED) barrier_wait(&empty, (k + 1) % 2);
                if (!FIXED) barrier_wait(&full, (k + 1) % 2);
                barrier_expect(&full, 512);
                bulk_load(s, in + 128 * k, 512, &full); /* BUG */
            }
    } else
        for (int k = 0; k < 2; k++) {
            barrier_wait(&full, k % 2);
            out[128 * k + T] = s[T];
            fence_async();
            barrier_arrive(&empty);
        }
}

/* The next phase begins before the waiting threads have seen the end of the last: they may miss two of them. */
KERNEL(phases_run_ahead_of_a_waiter) {
    __shared__ mbarrier step, seen;
    START(&step, 1);
    START(&seen, 32);
    if (T == 0)
        for (int k = 0; k < 3; k++) {
            if (FIXED && k) barrier_wait(&seen, (k - 1) % 2);
            barrier_arrive(&step); /* BUG */
        }
    if (WARP == 1)
        for (int k = 0; k < 3; k++) {
            barrier_wait(&step, k % 2);
            out[32 * k + LANE] = in[LANE];
            if (FIXED) barrier_arrive(&seen);
        }
}

/* The phase is kept in shared memory, and flipped before all have read it. */
KERNEL(shared_parity_flipped_early) {
    __shared__ mbarrier step;
    __shared__ unsigned parity;
    if (T == 0) parity = 0;
    START(&step, 128);
    for (int k = 0; k < 3; k++) {
        const unsigned mine = parity; /* BUG */
        barrier_arrive(&step);
        if (FIXED) barrier_wait(&step, mine);
        if (T == 0) parity = mine ^ 1;
        if (!FIXED) barrier_wait(&step, mine);
        __syncthreads();
        out[128 * k + T] = in[T] + (float)mine;
    }
}

/* ---- initialisation and the end ---- */

/* Other threads use the barrier before they know that it is initialised. */
KERNEL(initialised_without_barrier) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    if (T == 0) {
        barrier_init(&full, 128);
        fence_barrier_init();
    }
    if (FIXED) __syncthreads();
    s[T] = in[T];
    barrier_arrive(&full); /* BUG */
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* Every warp initialises the barrier, and takes others' arrivals away. */
KERNEL(initialised_by_every_warp) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    if (FIXED ? T == 0 : LANE == 0) barrier_init(&full, 128); /* BUG */
    if (FIXED)
        __syncthreads();
    else
        __syncwarp();
    s[T] = in[T];
    barrier_arrive(&full);
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* A thread that has seen the phase ends the barrier while others still wait. */
KERNEL(invalidated_while_others_wait) {
    __shared__ float s[128];
    __shared__ mbarrier full;
    START(&full, 128);
    s[T] = in[T];
    barrier_arrive(&full);
    barrier_wait(&full, 0);
    if (FIXED) __syncthreads();
    if (T == 0) barrier_inval(&full); /* BUG */
    out[T] = s[127 - T];
}

/* The barrier is initialised again for the next tile without an end of its first life. */
KERNEL(initialised_again_in_use) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    for (int k = 0; k < 2; k++) {
        if (T == 0) {
            barrier_init(&full, 1); /* BUG */
            fence_barrier_init();
            barrier_expect(&full, 512);
            bulk_load(s, in + 128 * k, 512, &full);
        }
        __syncthreads();
        barrier_wait(&full, 0);
        out[128 * k + T] = s[127 - T];
        fence_async();
        if (FIXED) {
            __syncthreads();
            if (T == 0) barrier_inval(&full);
        }
    }
}

/* The memory of a barrier in use becomes part of a tile. */
KERNEL(barrier_memory_reused) {
    __shared__ alignas(16) union {
        mbarrier full;
        float tile[128];
    } u;
    __shared__ alignas(16) float s[128];
    START(&u.full, 1);
    if (T == 0) {
        barrier_expect(&u.full, 512);
        bulk_load(s, in, 512, &u.full);
    }
    barrier_wait(&u.full, 0);
    const float mine = s[127 - T];
    if (FIXED) {
        __syncthreads();
        if (T == 0) barrier_inval(&u.full);
        __syncthreads();
    }
    u.tile[T] = mine; /* BUG */
    __syncthreads();
    out[T] = u.tile[T ^ 1];
}

/* A phase counts less than 2^20 bytes. */
KERNEL(more_bytes_than_a_phase_counts) {
    __shared__ __align__(128) float s[128];
    __shared__ mbarrier b;
    START(&b, 1);
    if (T == 0) {
        barrier_expect(&b, FIXED ? 512 : 1 << 21); /* BUG */
        bulk_load(s, in, 512, &b);
    }
    if (FIXED) {
        barrier_wait(&b, 0);
        out[T] = s[T];
    }
}

/* The number of consumers is computed, and zero. */
KERNEL(mbarrier_for_nobody) {
    __shared__ mbarrier b;
    if (T == 0) barrier_init(&b, FIXED ? 128 : (unsigned)in[0]); /* BUG */
    __syncthreads();
    if (FIXED) {
        barrier_arrive(&b);
        barrier_wait(&b, 0);
    }
    out[T] = 1;
}
