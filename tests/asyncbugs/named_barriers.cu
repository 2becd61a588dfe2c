/* Named barriers and block barriers between roles, early exits, reductions' scratch. Four warps, or eight. sm_80. */
#include "asyncbugs.cuh"

#define named_arrive(id, count) PTX("bar.arrive %0, %1;" ::"n"(id), "n"(count) : "memory")

/* The count is that of the block, but one of two roles comes. 256 threads. */
KERNEL(count_of_block_for_one_role) {
    __shared__ float s[128];
    if (T < 128) {
        s[T] = in[T];
        if (FIXED)
            named_sync(1, 128);
        else
            named_sync(1, 256); /* BUG */
        out[T] = s[127 - T];
    }
}

/* The threads that arrive and those that wait disagree about the count. */
KERNEL(counts_differ) {
    __shared__ float s[64];
    if (T < 64) {
        s[T] = in[T];
        if (FIXED)
            named_arrive(1, 128);
        else
            named_arrive(1, 64); /* BUG */
    } else {
        named_sync(1, 128);
        out[T] = s[127 - T];
    }
}

/* __syncthreads() in the branch of one role. */
KERNEL(block_barrier_in_role) {
    __shared__ float s[64];
    if (T < 64) {
        s[T] = in[T];
        if (FIXED)
            named_sync(1, 64);
        else
            __syncthreads(); /* BUG */
        out[T] = s[63 - T];
    } else {
        out[T] = in[T];
        __syncwarp();
    }
    if (FIXED || T >= 64) __syncthreads();
    out[128 + T] = s[T % 64];
}

/* In a loop the roles execute different numbers of block barriers. */
KERNEL(block_barriers_out_of_step) {
    __shared__ float s[128];
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        s[T] = in[128 * k + T];
        __syncthreads();
        sum += s[127 - T];
        if (FIXED || T < 64) __syncthreads(); /* BUG */
    }
    out[T] = sum;
}

/* A role that has no work arrives once more before the barrier has opened. */
KERNEL(arrives_twice) {
    __shared__ float s[64];
    if (T < 64) {
        for (int k = 0; k < 2; k++) {
            s[T] = in[64 * k + T];
            named_arrive(1, 128); /* BUG */
            if (FIXED) named_sync(2, 128);
        }
    } else {
        for (int k = 0; k < 2; k++) {
            named_sync(1, 128);
            out[64 * k + T] = s[127 - T];
            if (FIXED) named_arrive(2, 128);
        }
    }
}

/* Two pairs of warps use one barrier. */
KERNEL(one_barrier_for_two_groups) {
    __shared__ float s[128];
    s[T] = in[T];
    if (T < 64)
        named_sync(1, 64); /* BUG */
    else if (FIXED)
        named_sync(2, 64);
    else
        named_sync(1, 64);
    out[T] = s[T ^ 32];
}

/* The producer arrives before it stores. */
KERNEL(arrival_before_store) {
    __shared__ float s[64];
    if (T < 64) {
        if (!FIXED) named_arrive(1, 128);
        s[T] = in[T];
        if (FIXED) named_arrive(1, 128);
    } else {
        named_sync(1, 128);
        out[T] = s[127 - T]; /* BUG */
    }
}

/* The consumer never tells that the buffer is free. */
KERNEL(buffer_never_freed) {
    __shared__ float s[64];
    for (int k = 0; k < 2; k++) {
        if (T < 64) {
            if (k) named_sync(2, 128); /* BUG */
            s[T] = in[64 * k + T];
            named_arrive(1, 128);
        } else {
            named_sync(1, 128);
            out[64 * k + T] = s[127 - T];
            if (FIXED && k == 0) named_arrive(2, 128);
        }
    }
}

/* The producer overwrites the buffer without a look at the barrier that frees it. */
KERNEL(buffer_taken_without_wait) {
    __shared__ float s[64];
    for (int k = 0; k < 2; k++) {
        if (T < 64) {
            if (FIXED && k) named_sync(2, 128);
            s[T] = in[64 * k + T]; /* BUG */
            if (!FIXED && k) named_sync(2, 128);
            named_arrive(1, 128);
        } else {
            named_sync(1, 128);
            out[64 * k + T] = s[127 - T];
            if (k == 0) named_arrive(2, 128);
        }
    }
}

/* A warp without work returns before a barrier that counts it. */
KERNEL(early_return_before_named_barrier) {
    __shared__ float s[128];
    s[T] = in[T];
    if (!FIXED && T >= 96) return;
    named_sync(1, 128); /* BUG */
    if (T < 96) out[T] = s[T + 32];
}

/* The scratch of a reduction is used again before all have read its result. */
KERNEL(reduction_scratch_reused) {
    __shared__ float scratch[4];
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        float v = in[128 * k + T];
        for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
        if (LANE == 0) scratch[WARP] = v; /* BUG */
        __syncthreads();
        sum += scratch[0] + scratch[1] + scratch[2] + scratch[3];
        if (FIXED) __syncthreads();
    }
    out[T] = sum;
}

/* One part of a tile is filled while other threads still copy it in. */
KERNEL(fill_over_copy_in) {
    __shared__ float s[128];
    s[T] = in[T];
    if (FIXED) __syncthreads();
    if (T < 32) s[96 + T] = 0; /* BUG */
    __syncthreads();
    out[T] = s[127 - T];
}

/* A lane reads what the winning lane of its warp has stored. */
KERNEL(winner_lane_without_syncwarp) {
    __shared__ float best[4];
    const float v = in[T];
    float most = v;
    for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    const unsigned winners = __ballot_sync(~0u, v == most);
    if (LANE == __ffs(winners) - 1) best[WARP] = v;
    if (FIXED) __syncwarp();
    if (LANE == 0) out[WARP] = best[WARP]; /* BUG */
}

/* A barrier of the whole warp in the branch of one lane. */
KERNEL(full_mask_in_branch_of_one_lane) {
    __shared__ float s[128];
    s[T] = in[T];
    if (LANE == 0) {
        s[T] += 1;
        if (!FIXED) __shfl_sync(~0u, s[T], 0); /* BUG */
    }
    __syncwarp();
    out[T] = s[T ^ 1];
}

/* There are sixteen barriers. */
KERNEL(barrier_sixteen) {
    __shared__ float s[128];
    s[T] = in[T];
    const int barrier = (FIXED ? 15 : 16) + (int)in[0];
    PTX("barrier.sync %0, 128;" ::"r"(barrier) : "memory"); /* BUG */
    out[T] = s[127 - T];
}

/* Barriers count whole warps. */
KERNEL(barrier_for_part_of_a_warp) {
    __shared__ float s[128];
    s[T] = in[T];
    const int count = (FIXED ? 128 : 100) + (int)in[0];
    PTX("barrier.sync 1, %0;" ::"r"(count) : "memory"); /* BUG */
    out[T] = s[127 - T];
}
