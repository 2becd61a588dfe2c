/* Stages: groups, sizes, parities, counts and who waits for what: bad_NAME has one defect, of one of the kinds named
 * above it, and ok_NAME is the same without. */
#include "pairs.cuh"

extern "C" {

/* async-read-before-wait, race-shared */
__global__ void bad_pipe_wait(ARGS) {
    __shared__ float s[3][128];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], in + k * 128 + T, 4);
        __pipeline_commit();
    }
    for (int k = 0; k < 8; k++) {
        if (k + 2 < 8) {
            __pipeline_memcpy_async(&s[(k + 2) % 3][T], in + (k + 2) * 128 + T, 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(3);
        __syncthreads();
        out[k * 128 + T] = s[k % 3][127 - T];
        __syncthreads();
    }
}
__global__ void ok_pipe_wait(ARGS) {
    __shared__ float s[3][128];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], in + k * 128 + T, 4);
        __pipeline_commit();
    }
    for (int k = 0; k < 8; k++) {
        if (k + 2 < 8) {
            __pipeline_memcpy_async(&s[(k + 2) % 3][T], in + (k + 2) * 128 + T, 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        out[k * 128 + T] = s[k % 3][127 - T];
        __syncthreads();
    }
}

/* async-read-before-wait, race-shared */
__global__ void bad_pipe_tail(ARGS) {
    __shared__ float s[3][128];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], in + k * 128 + T, 4);
        __pipeline_commit();
    }
    for (int k = 0; k < 8; k++) {
        if (k + 2 < 8) {
            __pipeline_memcpy_async(&s[(k + 2) % 3][T], in + (k + 2) * 128 + T, 4);
            __pipeline_commit();
        }
        __pipeline_wait_prior(2);
        __syncthreads();
        out[k * 128 + T] = s[k % 3][127 - T];
        __syncthreads();
    }
}
__global__ void ok_pipe_tail(ARGS) {
    __shared__ float s[3][128];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], in + k * 128 + T, 4);
        __pipeline_commit();
    }
    for (int k = 0; k < 8; k++) {
        if (k + 2 < 8) {
            __pipeline_memcpy_async(&s[(k + 2) % 3][T], in + (k + 2) * 128 + T, 4);
            __pipeline_commit();
            __pipeline_wait_prior(2);
        } else
            __pipeline_wait_prior(0);
        __syncthreads();
        out[k * 128 + T] = s[k % 3][127 - T];
        __syncthreads();
    }
}

/* race-shared */
__global__ void bad_pipe_refill(ARGS) {
    __shared__ float s[2][128];
    __pipeline_memcpy_async(&s[0][T], in + T, 4);
    __pipeline_commit();
    for (int k = 0; k < 8; k++) {
        if (k + 1 < 8) __pipeline_memcpy_async(&s[(k + 1) & 1][T], in + (k + 1) * 128 + T, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[k * 128 + T] = s[k & 1][127 - T];
    }
}
__global__ void ok_pipe_refill(ARGS) {
    __shared__ float s[2][128];
    __pipeline_memcpy_async(&s[0][T], in + T, 4);
    __pipeline_commit();
    for (int k = 0; k < 8; k++) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k + 1 < 8) __pipeline_memcpy_async(&s[(k + 1) & 1][T], in + (k + 1) * 128 + T, 4);
        __pipeline_commit();
        out[k * 128 + T] = s[k & 1][127 - T];
    }
}

/* race-shared, async-read-before-wait */
__global__ void bad_warp_wait(ARGS) {
    __shared__ float s[128];
    __pipeline_memcpy_async(s + T, in + T, 4);
    __pipeline_commit();
    if (T < 32) __pipeline_wait_prior(0);
    __syncthreads();
    out[T] = s[127 - T];
}
__global__ void ok_warp_wait(ARGS) {
    __shared__ float s[128];
    __pipeline_memcpy_async(s + T, in + T, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[T] = s[127 - T];
}

/* async-read-before-wait */
__global__ void bad_zfill_overwrite(ARGS) {
    __shared__ float s[128];
    __pipeline_memcpy_async(s + T, in + T, 4, T < 100 ? 0 : 4);
    if (T >= 100) s[T] = 0;
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[T] = s[T];
}
__global__ void ok_zfill_overwrite(ARGS) {
    __shared__ float s[128];
    __pipeline_memcpy_async(s + T, in + T, 4, T < 100 ? 0 : 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[T] = s[T];
}

/* out-of-bounds */
__global__ void bad_zfill_bounds(ARGS) {
    __shared__ float s[128];
    int i = 4000 + T;
    V("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(SMEM(s + T)), "l"(in + i), "r"(4) : M);
    V("cp.async.wait_all;" ::: M);
    out[T] = s[T];
}
__global__ void ok_zfill_bounds(ARGS) {
    __shared__ float s[128];
    int i = 4000 + T;
    V("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(SMEM(s + T)), "l"(in + i), "r"(i < n ? 4 : 0) : M);
    V("cp.async.wait_all;" ::: M);
    out[T] = s[T];
}

/* misaligned */
__global__ void bad_cp16_shared(ARGS) {
    __shared__ alignas(16) float s[1024];
    V("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SMEM(s + 5 * T)), "l"(in + 4 * T) : M);
    V("cp.async.wait_all;" ::: M);
    out[T] = s[5 * T];
}
__global__ void ok_cp16_shared(ARGS) {
    __shared__ alignas(16) float s[1024];
    V("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SMEM(s + 8 * T)), "l"(in + 4 * T) : M);
    V("cp.async.wait_all;" ::: M);
    out[T] = s[8 * T];
}

/* async-read-before-wait */
__global__ void bad_arrive_too_early(ARGS) {
    TILE;
    START(128);
    V("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SMEM(s + T)), "l"(in + T) : M);
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}
__global__ void ok_arrive_too_early(ARGS) {
    TILE;
    START(128);
    V("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SMEM(s + T)), "l"(in + T) : M);
    V("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(SMEM(&bar)) : M);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}

/* deadlock, mbarrier-misuse */
__global__ void bad_noinc(ARGS) {
    TILE;
    START(128);
    V("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SMEM(s + T)), "l"(in + T) : M);
    V("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(SMEM(&bar)) : M);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}
__global__ void ok_noinc(ARGS) {
    TILE;
    START(128);
    V("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SMEM(s + T)), "l"(in + T) : M);
    V("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(SMEM(&bar)) : M);
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}

/* async-read-before-wait, race-shared */
__global__ void bad_two_copies_one_wait(ARGS) {
    TILE2;
    if (T == 0) {
        mb_init(&bar[0], 1);
        mb_init(&bar[1], 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0)
        for (int i = 0; i < 2; i++) {
            mb_expect(&bar[i], 512);
            bulk_load(s[i], in + 128 * i, 512, &bar[i]);
        }
    mb_wait(&bar[0], 0);
    out[T] = s[0][T] + s[1][T];
    mb_wait(&bar[1], 0);
}
__global__ void ok_two_copies_one_wait(ARGS) {
    TILE2;
    if (T == 0) {
        mb_init(&bar[0], 1);
        mb_init(&bar[1], 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0)
        for (int i = 0; i < 2; i++) {
            mb_expect(&bar[i], 512);
            bulk_load(s[i], in + 128 * i, 512, &bar[i]);
        }
    mb_wait(&bar[0], 0);
    mb_wait(&bar[1], 0);
    out[T] = s[0][T] + s[1][T];
}

/* async-read-before-wait, race-shared, mbarrier-misuse */
__global__ void bad_load_loop_sync(ARGS) {
    TILE;
    START(1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            mb_expect(&bar, 512);
            bulk_load(s, in + k * 128, 512, &bar);
        }
        mb_wait(&bar, k & 1);
        out[k * 128 + T] = s[127 - T];
    }
}
__global__ void ok_load_loop_sync(ARGS) {
    TILE;
    START(1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            mb_expect(&bar, 512);
            bulk_load(s, in + k * 128, 512, &bar);
        }
        mb_wait(&bar, k & 1);
        out[k * 128 + T] = s[127 - T];
        __syncthreads();
    }
}

/* async-read-before-wait, race-shared, deadlock, mbarrier-misuse */
__global__ void bad_load_loop_parity(ARGS) {
    TILE;
    START(1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            mb_expect(&bar, 512);
            bulk_load(s, in + k * 128, 512, &bar);
        }
        mb_wait(&bar, 0);
        out[k * 128 + T] = s[127 - T];
        __syncthreads();
    }
}
__global__ void ok_load_loop_parity(ARGS) {
    TILE;
    START(1);
    unsigned ph = 0;
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            mb_expect(&bar, 512);
            bulk_load(s, in + k * 128, 512, &bar);
        }
        mb_wait(&bar, ph);
        ph ^= 1;
        out[k * 128 + T] = s[127 - T];
        __syncthreads();
    }
}

/* missing-proxy-fence */
__global__ void bad_generic_then_load(ARGS) {
    TILE;
    START(1);
    s[T] = in[T];
    __syncthreads();
    out[T] = s[127 - T];
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in + 128, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[128 + T] = s[127 - T];
}
__global__ void ok_generic_then_load(ARGS) {
    TILE;
    START(1);
    s[T] = in[T];
    __syncthreads();
    out[T] = s[127 - T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in + 128, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[128 + T] = s[127 - T];
}

/* race-shared, async-source-overwritten, missing-proxy-fence */
__global__ void bad_store_before_sync(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}
__global__ void ok_store_before_sync(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}

/* async-source-overwritten */
__global__ void bad_store_wait_by_other(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
    }
    if (T == 32) bulk_wait_read(0);
    __syncthreads();
    s[T] = 0;
    if (T == 0) bulk_wait(0);
    out[512 + T] = s[T];
}
__global__ void ok_store_wait_by_other(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait_read(0);
    }
    __syncthreads();
    s[T] = 0;
    if (T == 0) bulk_wait(0);
    out[512 + T] = s[T];
}

/* out-of-bounds */
__global__ void bad_bulk_store_oob(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out + 4096 - 64, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}
__global__ void ok_bulk_store_oob(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out + 4096 - 128, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}

/* out-of-bounds, mbarrier-misuse, uninitialised-read */
__global__ void bad_bulk_over_variable(ARGS) {
    __shared__ alignas(128) float a[64];
    __shared__ alignas(128) float b[64];
    __shared__ alignas(8) u64 bar;
    START(1);
    if (T < 64) b[T] = 1;
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(a, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = a[T & 63] + b[T & 63];
}
__global__ void ok_bulk_over_variable(ARGS) {
    __shared__ alignas(128) float a[64];
    __shared__ alignas(128) float b[64];
    __shared__ alignas(8) u64 bar;
    START(1);
    if (T < 64) b[T] = 1;
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 256);
        bulk_load(a, in, 256, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = a[T & 63] + b[T & 63];
}

/* 2 blocks: race-global */
__global__ void bad_bulk_store_overlap(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out + blockIdx.x * 64, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}
__global__ void ok_bulk_store_overlap(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out + blockIdx.x * 128, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}

/* 2 blocks: race-global */
__global__ void bad_bulk_add_plain(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_add(out, s, 512);
        bulk_commit();
        bulk_wait(0);
        out[0] += 1;
    }
}
__global__ void ok_bulk_add_plain(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_add(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}

/* mbarrier-misuse */
__global__ void bad_init_by_all(ARGS) {
    TILE;
    mb_init(&bar, 1);
    mb_fence();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_init_by_all(ARGS) {
    TILE;
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* mbarrier-misuse */
__global__ void bad_init_no_sync(ARGS) {
    TILE;
    if (T == 0) {
        mb_init(&bar, 128);
        mb_fence();
    }
    s[T] = in[T];
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}
__global__ void ok_init_no_sync(ARGS) {
    TILE;
    if (T == 0) {
        mb_init(&bar, 128);
        mb_fence();
    }
    s[T] = in[T];
    __syncthreads();
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}

/* mbarrier-misuse */
__global__ void bad_reinit(ARGS) {
    TILE;
    for (int k = 0; k < 2; k++) {
        if (T == 0) {
            mb_init(&bar, 128);
            mb_fence();
        }
        __syncthreads();
        mb_arrive(&bar);
    }
    out[T] = 1;
}
__global__ void ok_reinit(ARGS) {
    TILE;
    for (int k = 0; k < 2; k++) {
        if (T == 0) {
            mb_init(&bar, 128);
            mb_fence();
        }
        __syncthreads();
        mb_arrive(&bar);
        mb_wait(&bar, 0);
        __syncthreads();
        if (T == 0) mb_inval(&bar);
        __syncthreads();
    }
    out[T] = 1;
}

/* mbarrier-misuse, uninitialised-read */
__global__ void bad_no_init(ARGS) {
    TILE;
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    __syncthreads();
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_no_init(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    __syncthreads();
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* deadlock */
__global__ void bad_missing_arrive(ARGS) {
    TILE;
    START(128);
    s[T] = in[T];
    if (T != 77) mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}
__global__ void ok_missing_arrive(ARGS) {
    TILE;
    START(127);
    s[T] = in[T];
    if (T != 77) mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = T == 50 ? 0 : s[127 - T];
}

/* deadlock */
__global__ void bad_named_order(ARGS) {
    if (T < 64) {
        V("bar.sync 1, 128;" ::: M);
        V("bar.sync 2, 128;" ::: M);
    } else {
        V("bar.sync 2, 128;" ::: M);
        V("bar.sync 1, 128;" ::: M);
    }
    out[T] = 1;
}
__global__ void ok_named_order(ARGS) {
    if (T < 64) {
        V("bar.sync 1, 128;" ::: M);
        V("bar.sync 2, 128;" ::: M);
    } else {
        V("bar.sync 1, 128;" ::: M);
        V("bar.sync 2, 128;" ::: M);
    }
    out[T] = 1;
}

/* barrier-misuse, deadlock */
__global__ void bad_named_counts(ARGS) {
    if (T < 64)
        V("bar.sync 1, 128;" ::: M);
    else
        V("bar.sync 1, 64;" ::: M);
    out[T] = 1;
}
__global__ void ok_named_counts(ARGS) {
    if (T < 64)
        V("bar.sync 1, 128;" ::: M);
    else
        V("bar.sync 1, 128;" ::: M);
    out[T] = 1;
}

/* race-shared */
__global__ void bad_arrive_sync(ARGS) {
    __shared__ float a[128];
    if (T < 64) {
        a[T] = in[T];
        V("bar.arrive 1, 128;" ::: M);
        a[T] = 2;
    } else {
        V("bar.sync 1, 128;" ::: M);
        out[T] = a[T - 64];
    }
}
__global__ void ok_arrive_sync(ARGS) {
    __shared__ float a[128];
    if (T < 64) {
        a[T] = in[T];
        V("bar.arrive 1, 128;" ::: M);
    } else {
        V("bar.sync 1, 128;" ::: M);
        out[T] = a[T - 64];
    }
}

/* async-read-before-wait, race-shared */
__global__ void bad_roles_wait_other(ARGS) {
    TILE2;
    if (T == 0) {
        mb_init(&bar[0], 1);
        mb_init(&bar[1], 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar[0], 512);
        bulk_load(s[0], in, 512, &bar[0]);
        mb_expect(&bar[1], 512);
        bulk_load(s[1], in + 128, 512, &bar[1]);
    }
    if (T >= 32) {
        mb_wait(&bar[1], 0);
        out[T] = s[0][T];
    }
    mb_wait(&bar[0], 0);
}
__global__ void ok_roles_wait_other(ARGS) {
    TILE2;
    if (T == 0) {
        mb_init(&bar[0], 1);
        mb_init(&bar[1], 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar[0], 512);
        bulk_load(s[0], in, 512, &bar[0]);
        mb_expect(&bar[1], 512);
        bulk_load(s[1], in + 128, 512, &bar[1]);
    }
    if (T >= 32) {
        mb_wait(&bar[1], 0);
        out[T] = s[1][T];
    }
    mb_wait(&bar[0], 0);
}

/* deadlock, mbarrier-misuse */
__global__ void bad_wait_lane_only(ARGS) {
    TILE;
    START(2);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    if (T == 32) mb_wait(&bar, 0);
    out[T] = 1;
}
__global__ void ok_wait_lane_only(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    if (T == 32) mb_wait(&bar, 0);
    out[T] = 1;
}

/* missing-commit, async-read-before-wait */
__global__ void bad_store_no_commit(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_wait(0);
    }
}
__global__ void ok_store_no_commit(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}

/* race-shared */
__global__ void bad_volatile_flag(ARGS) {
    __shared__ volatile int f;
    __shared__ volatile float d[2];
    if (T == 0) f = 0;
    __syncthreads();
    if (T == 0) {
        ((float *)d)[0] = in[3];
        f = 1;
    }
    if (T == 64) {
        while (!f)
            ;
        out[0] = ((float *)d)[0];
    }
}
__global__ void ok_volatile_flag(ARGS) {
    __shared__ volatile int f;
    __shared__ volatile float d[2];
    if (T == 0) f = 0;
    __syncthreads();
    if (T == 0) {
        d[0] = in[3];
        __threadfence_block();
        f = 1;
    }
    if (T == 64) {
        while (!f)
            ;
        __threadfence_block();
        out[0] = d[0];
    }
}
}
