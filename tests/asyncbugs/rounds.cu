/* Loops, rings and lanes: stages, rounds and masks that are off by one. sm_90. */
#include "asyncbugs.cuh"

/* Two buffers, and a wait that leaves two stores in flight. */
KERNEL(store_ring_waits_one_late) {
    __shared__ alignas(128) float s[2][128];
    for (int k = 0; k < 6; k++) {
        float *stage = s[k % 2];
        if (T == 0) {
            if (FIXED)
                bulk_wait_read(1);
            else
                bulk_wait_read(2);
        }
        __syncthreads();
        stage[T] = in[128 * k + T] * 2; /* BUG */
        fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * k, stage, 512);
            bulk_commit();
        }
    }
    if (T == 0) bulk_wait(0);
}

/* One thread waits until the reduction has read its source; no barrier tells the warps that fill it again. */
KERNEL(reduction_source_refilled_by_other_warp) {
    __shared__ alignas(128) float s[128];
    for (int k = 0; k < 2; k++) {
        s[T] = in[128 * k + T]; /* BUG */
        fence_async();
        __syncthreads();
        if (T == 96) {
            bulk_add(out, s, 512);
            bulk_commit();
            bulk_wait_read(0);
        }
        if (FIXED) __syncthreads();
    }
    if (T == 96) bulk_wait(0);
}

/* An mbarrier is made anew while other warps still wait for its first phase. */
KERNEL(reinit_for_second_stage) {
    __shared__ alignas(128) float s[256];
    __shared__ mbarrier bar;
    START(&bar, 1);
    if (T == 0) {
        barrier_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    barrier_wait(&bar, 0);
    float v = s[T];
    if (FIXED) __syncthreads();
    if (T == 0) {
        barrier_inval(&bar); /* BUG */
        barrier_init(&bar, 1);
        fence_barrier_init();
    }
    __syncthreads();
    if (T == 0) {
        barrier_expect(&bar, 512);
        bulk_load(s + 128, in + 128, 512, &bar);
    }
    barrier_wait(&bar, 0);
    out[T] = v + s[128 + T];
}

/* Lane 0 waits for the mbarrier, and no __syncwarp() makes the other lanes wait for lane 0. */
KERNEL(one_lane_polls) {
    __shared__ alignas(128) float s[128];
    __shared__ mbarrier bar;
    START(&bar, 1);
    if (T == 0) {
        barrier_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    if (FIXED || LANE == 0) barrier_wait(&bar, 0);
    out[T] = s[T]; /* BUG */
}

/* The pitch is less than a row, so copies of two threads overlap. */
KERNEL(copies_of_two_rows_overlap) {
    __shared__ alignas(16) float s[8 * 132];
    const unsigned row = T / 16, column = T % 16 * 4, pitch = FIXED ? 68 : 60;
    copy16(&s[row * pitch + column], in + row * 64 + column); /* BUG */
    copy_commit();
    copy_wait(0);
    __syncthreads();
    for (int i = 0; i < 4; i++) out[4 * T + i] = s[row * pitch + column + i];
}

/* Both halves of a double buffer are the same one. */
KERNEL(double_buffer_index_not_flipped) {
    __shared__ float s[2][128];
    s[0][T] = in[T];
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        const int now = FIXED ? k % 2 : 0, next = FIXED ? (k + 1) % 2 : 0;
        const float v = s[now][127 - T];        /* BUG */
        s[next][T] = v + in[128 * (k + 1) + T]; /* BUG */
        __syncthreads();
    }
    out[T] = s[0][T];
}

/* A barrier in a loop whose length depends on the thread. */
KERNEL(barrier_in_loop_of_unequal_length) {
    __shared__ float s[128];
    s[T] = 0;
    const unsigned rounds = FIXED ? 4 : 3 + T / 64;
    for (unsigned k = 0; k < rounds; k++) {
        s[T] += in[128 * k + T];
        __syncthreads(); /* BUG */
    }
    out[T] = s[127 - T];
}

/* Lanes of the tail skip the shuffles, whose mask names them. */
KERNEL(full_mask_after_tail_exit) {
    const unsigned n = 112;
    float v = 0;
    if (FIXED || T < n) {
        v = T < n ? in[T] : 0;
        for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d); /* BUG */
    }
    if (LANE == 0) out[WARP] = v;
}

/* The shuffles' mask was made before another branch left fewer lanes. */
KERNEL(stale_active_mask) {
    unsigned active = __ballot_sync(~0u, LANE < 24);
    float v = in[T];
    if (LANE < (FIXED ? 24 : 16)) {
        for (int d = 4; d; d /= 2) v += __shfl_xor_sync(active, v, d); /* BUG */
    }
    out[T] = v;
}
