/* Groups of cp.async: which group a wait covers, who waits, and when shared memory may be used again. sm_80. */
#include "asyncbugs.cuh"

/* Three groups are committed ahead, and the wait leaves three in flight. */
KERNEL(prologue_wait_too_loose) {
    __shared__ float s[4][128];
    for (int k = 0; k < 3; k++) {
        copy4(&s[k][T], in + 128 * k + T);
        copy_commit();
    }
    for (int k = 0; k < 8; k++) {
        copy_wait(FIXED ? 2 : 3);
        __syncthreads();
        out[128 * k + T] = s[k % 4][127 - T]; /* BUG */
        if (k + 3 < 8) copy4(&s[(k + 3) % 4][T], in + 128 * (k + 3) + T);
        copy_commit();
    }
}

/* The last rounds commit no empty groups, so the constant of the wait no longer fits. */
KERNEL(tail_without_empty_groups) {
    __shared__ float s[3][128];
    for (int k = 0; k < 2; k++) {
        copy4(&s[k][T], in + 128 * k + T);
        copy_commit();
    }
    for (int k = 0; k < 6; k++) {
        copy_wait(1);
        __syncthreads();
        out[128 * k + T] = s[k % 3][127 - T]; /* BUG */
        if (k + 2 < 6) copy4(&s[(k + 2) % 3][T], in + 128 * (k + 2) + T);
        if (FIXED || k + 2 < 6) copy_commit();
    }
}

/* wait_group covers committed groups only. */
KERNEL(copies_not_committed) {
    __shared__ float s[128];
    copy4(s + T, in + T);
    if (FIXED) copy_commit();
    copy_wait(0);
    __syncthreads();
    out[T] = s[127 - T]; /* BUG */
}

/* The group is closed before the copy is issued. */
KERNEL(commit_before_copy) {
    __shared__ float s[128];
    if (!FIXED) copy_commit();
    copy4(s + T, in + T);
    if (FIXED) copy_commit();
    copy_wait(0);
    out[T] = s[T]; /* BUG */
}

/* A block barrier waits for threads, not for their copies. */
KERNEL(barrier_without_wait) {
    __shared__ float s[128];
    copy4(s + T, in + T);
    copy_commit();
    if (FIXED) copy_wait(0);
    __syncthreads();
    out[T] = s[127 - T]; /* BUG */
    copy_wait(0);
}

/* Each warp waits for its own copies, then reads those of others. */
KERNEL(wait_for_own_warp_only) {
    __shared__ float s[128];
    copy4(s + T, in + T);
    copy_commit();
    copy_wait(0);
    if (FIXED)
        __syncthreads();
    else
        __syncwarp();
    out[T] = s[(T + 32) % 128]; /* BUG */
}

/* The barrier stands before the wait. */
KERNEL(barrier_before_wait) {
    __shared__ float s[128];
    copy4(s + T, in + T);
    copy_commit();
    if (!FIXED) __syncthreads();
    copy_wait(0);
    if (FIXED) __syncthreads();
    out[T] = s[127 - T]; /* BUG */
}

/* Only the first warp waits; the groups of the others are theirs alone. */
KERNEL(one_warp_waits_for_all) {
    __shared__ float s[128];
    copy4(s + T, in + T);
    copy_commit();
    if (FIXED || WARP == 0) copy_wait(0);
    __syncthreads();
    out[T] = s[127 - T]; /* BUG */
}

/* The epilogue stores its results to the stages of the main loop, where a last copy is still in flight. */
KERNEL(epilogue_over_copies_in_flight) {
    __shared__ float s[2][128];
    float sum = 0;
    copy4(&s[0][T], in + T);
    copy_commit();
    for (int k = 0; k < 3; k++) {
        copy_wait(0);
        __syncthreads();
        copy4(&s[(k + 1) % 2][T], in + 128 * (k + 1) + T); /* the last one is one too many */
        copy_commit();
        sum += s[k % 2][127 - T];
    }
    if (FIXED) copy_wait(0);
    __syncthreads();
    s[1][T] = sum; /* BUG */
    __syncthreads();
    out[T] = s[1][127 - T];
    copy_wait(0);
}

/* A stage is filled again while slower warps still read it. */
KERNEL(refill_before_all_have_read) {
    __shared__ float s[2][128];
    copy4(&s[0][T], in + T);
    copy_commit();
    for (int k = 0; k < 6; k++) {
        if (k + 1 < 6) copy4(&s[(k + 1) % 2][T], in + 128 * (k + 1) + T);
        copy_commit();
        copy_wait(1);
        __syncthreads();
        out[128 * k + T] = s[k % 2][127 - T]; /* BUG */
        if (FIXED) __syncthreads();
    }
}

/* A ring with one stage too few for its prefetch distance. */
KERNEL(one_stage_too_few) {
    __shared__ float s[4][128];
    const int stages = FIXED ? 4 : 3;
    for (int k = 0; k < 2; k++) {
        copy4(&s[k][T], in + 128 * k + T);
        copy_commit();
    }
    for (int k = 0; k < 8; k++) {
        if (k + 2 < 8) copy4(&s[(k + 2) % stages][T], in + 128 * (k + 2) + T);
        copy_commit();
        copy_wait(2);
        __syncthreads();
        out[128 * k + T] = s[k % stages][127 - T]; /* BUG */
    }
}

/* The copy that replaces a tile is moved ahead of the tile's last use. */
KERNEL(copy_moved_ahead_of_use) {
    __shared__ float s[128];
    copy4(s + T, in + T);
    copy_commit();
    copy_wait(0);
    if (!FIXED) {
        copy4(s + T, in + 128 + T);
        copy_commit();
    }
    out[T] = s[T]; /* BUG */
    if (FIXED) {
        copy4(s + T, in + 128 + T);
        copy_commit();
    }
    copy_wait(0);
    out[128 + T] = s[T];
}

/* Fragments are loaded before the wait, to hide their latency. */
KERNEL(ldmatrix_before_wait) {
    __shared__ alignas(16) float s[4][32];
    unsigned r;
    if (T < 32) {
        if (T < 8) copy16(&s[0][4 * T], in + 4 * T);
        copy_commit();
        if (FIXED) copy_wait(0);
        __syncwarp();
        PTX("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" /* BUG */
            : "=r"(r)
            : "r"(SHARED(&s[0][4 * (T % 8)]))
            : "memory");
        out[T] = __uint_as_float(r);
        copy_wait(0);
    }
}

/* Lanes wait for their own rows; ldmatrix reads the rows of others. */
KERNEL(ldmatrix_of_other_lanes_rows) {
    __shared__ alignas(16) float s[32][4];
    unsigned r;
    if (T < 32) {
        copy16(s[T], in + 4 * T);
        copy_commit();
        copy_wait(0);
        if (FIXED) __syncwarp();
        PTX("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" /* BUG */
            : "=r"(r)
            : "r"(SHARED(s[(T + 8) % 32]))
            : "memory");
        out[T] = __uint_as_float(r);
    }
}

/* The tail of a tile is neither copied nor filled with zeros. */
KERNEL(tail_not_filled) {
    __shared__ float s[128];
    const unsigned bytes = T < 100 ? 4 : 0;
    if (FIXED)
        PTX("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(SHARED(s + T)), "l"(in + T), "r"(bytes) : "memory");
    else if (bytes)
        copy4(s + T, in + T);
    copy_commit();
    copy_wait(0);
    __syncthreads();
    out[T] = s[127 - T]; /* BUG */
}

/* The source is updated in place while the copy reads it. */
KERNEL(source_updated_in_place) {
    __shared__ float s[128];
    out[T] = in[T];
    copy4(s + T, out + T);
    copy_commit();
    if (FIXED) copy_wait(0);
    out[T] = 2 * in[T]; /* BUG */
    copy_wait(0);
    out[128 + T] = s[T];
}

/* 16-byte copies from rows that begin at a multiple of 4 bytes. */
KERNEL(source_not_aligned) {
    __shared__ alignas(16) float s[512];
    copy16(s + 4 * T, in + 4 * T + (FIXED ? 4 : 1)); /* BUG */
    copy_commit();
    copy_wait(0);
    out[T] = s[4 * T];
}

/* A reduction's scratch is the memory of a copy that nobody has waited for. */
KERNEL(scratch_shares_memory) {
    __shared__ float s[256];
    copy4(s + 128 + T, in + T);
    copy_commit();
    float *scratch = FIXED ? s : s + 128;
    scratch[T] = in[128 + T]; /* BUG */
    __syncthreads();
    const float sum = scratch[T] + scratch[T ^ 64];
    copy_wait(0);
    __syncthreads();
    out[T] = sum + s[128 + (T ^ 1)];
}
