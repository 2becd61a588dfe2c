/* Waits, bytes and fences that miss what they are for. */
#include "pairs.cuh"

extern "C" {

/* async-read-before-wait, race-shared */
__global__ void bad_halves(ARGS) {
    __shared__ alignas(16) float s[256];
    V("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(SMEM(s + 2 * T)), "l"(in + 2 * T) : M);
    V("cp.async.commit_group;" ::: M);
    if (T & 1) V("cp.async.wait_group 0;" ::: M);
    __syncthreads();
    out[T] = s[T];
}
__global__ void ok_halves(ARGS) {
    __shared__ alignas(16) float s[256];
    V("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(SMEM(s + 2 * T)), "l"(in + 2 * T) : M);
    V("cp.async.commit_group;" ::: M);
    V("cp.async.wait_group 0;" ::: M);
    __syncthreads();
    out[T] = s[T];
}

/* async-read-before-wait */
__global__ void bad_atomic_on_arriving(ARGS) {
    __shared__ float s[128];
    __pipeline_memcpy_async(s + T, in + T, 4);
    __pipeline_commit();
    atomicAdd(s + T, 1.0f);
    __pipeline_wait_prior(0);
    __syncthreads();
    out[T] = s[T];
}
__global__ void ok_atomic_on_arriving(ARGS) {
    __shared__ float s[128];
    __pipeline_memcpy_async(s + T, in + T, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    atomicAdd(s + (T ^ 32), 1.0f);
    __syncthreads();
    out[T] = s[T];
}

/* async-read-before-wait, race-shared */
__global__ void bad_two_copies_same_place(ARGS) {
    __shared__ float s[128];
    __pipeline_memcpy_async(s + T, in + T, 4);
    __pipeline_memcpy_async(s + (T ^ 1), in + 128 + T, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[T] = s[T];
}
__global__ void ok_two_copies_same_place(ARGS) {
    __shared__ float s[256];
    __pipeline_memcpy_async(s + T, in + T, 4);
    __pipeline_memcpy_async(s + 128 + (T ^ 1), in + 128 + T, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[T] = s[T] + s[T + 128];
}

/* async-read-before-wait, race-shared */
__global__ void bad_bulk_and_cp_async(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    __pipeline_memcpy_async(s + 64 + T, in + T, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    mb_wait(&bar, 0);
    __syncthreads();
    out[T] = s[T];
}
__global__ void ok_bulk_and_cp_async(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    __pipeline_memcpy_async(s + 128 + T, in + T, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    mb_wait(&bar, 0);
    __syncthreads();
    out[T] = s[T] + s[255 - T];
}

/* deadlock, mbarrier-misuse */
__global__ void bad_expect_twice(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect_only(&bar, 512);
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_expect_twice(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect_only(&bar, 256);
        mb_expect(&bar, 256);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* async-read-before-wait, mbarrier-misuse, deadlock */
__global__ void bad_expect_after_arrive(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_arrive(&bar);
        mb_expect_only(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_expect_after_arrive(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect_only(&bar, 512);
        mb_arrive(&bar);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* deadlock */
__global__ void bad_split_bytes(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 1024);
        bulk_load(s, in, 512, &bar);
        if (n < 0) bulk_load(s + 128, in + 128, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_split_bytes(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 1024);
        bulk_load(s, in, 512, &bar);
        bulk_load(s + 128, in + 128, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T] + s[128 + T];
}

/* mbarrier-misuse, deadlock */
__global__ void bad_every_thread_expects(ARGS) {
    TILE;
    START(1);
    mb_expect(&bar, 512);
    if (T == 0) bulk_load(s, in, 512, &bar);
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_every_thread_expects(ARGS) {
    TILE;
    START(128);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    } else
        mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* misaligned */
__global__ void bad_bulk_dst_align(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 496);
        bulk_load(s + 1, in, 496, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[1 + (T & 63)];
}
__global__ void ok_bulk_dst_align(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 496);
        bulk_load(s + 4, in, 496, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[4 + (T & 63)];
}

/* async-source-overwritten */
__global__ void bad_wait_before_commit(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_wait_read(0);
        bulk_commit();
    }
    __syncthreads();
    s[T] = 1;
    out[512 + T] = s[T];
    if (T == 0) bulk_wait(0);
}
__global__ void ok_wait_before_commit(ARGS) {
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
    s[T] = 1;
    out[512 + T] = s[T];
    if (T == 0) bulk_wait(0);
}

/* missing-proxy-fence */
__global__ void bad_fence_loop(ARGS) {
    TILE;
    for (int k = 0; k < 3; k++) {
        s[T] = in[k * 128 + T];
        if (k == 0) proxy_fence();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + k * 128, s, 512);
            bulk_commit();
            bulk_wait_read(0);
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}
__global__ void ok_fence_loop(ARGS) {
    TILE;
    for (int k = 0; k < 3; k++) {
        s[T] = in[k * 128 + T];
        proxy_fence();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + k * 128, s, 512);
            bulk_commit();
            bulk_wait_read(0);
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* missing-proxy-fence, race-shared */
__global__ void bad_fence_after_barrier_of_other(ARGS) {
    TILE;
    s[T] = in[T];
    __syncthreads();
    if (T == 32) proxy_fence();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}
__global__ void ok_fence_after_barrier_of_other(ARGS) {
    TILE;
    s[T] = in[T];
    __syncthreads();
    if (T == 32) proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}

/* deadlock */
__global__ void bad_test_wait_spin(ARGS) {
    TILE;
    START(2);
    if (T == 0) mb_arrive(&bar);
    unsigned done = 0;
    while (!done)
        V("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(SMEM(&bar))
          : M);
    out[T] = 1;
}
__global__ void ok_test_wait_spin(ARGS) {
    TILE;
    START(2);
    if (T == 0 || T == 64) mb_arrive(&bar);
    unsigned done = 0;
    while (!done)
        V("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(SMEM(&bar))
          : M);
    out[T] = 1;
}

/* 2 blocks: deadlock */
__global__ void bad_flag_never(ARGS) {
    volatile int *f = (volatile int *)(out + 1024);
    if (T == 0) {
        if (blockIdx.x == 0) {
            while (f[0] == 0)
                ;
            f[1] = 1;
        } else {
            while (f[1] == 0)
                ;
            f[0] = 1;
        }
    }
}
__global__ void ok_flag_never(ARGS) {
    volatile int *f = (volatile int *)(out + 1024);
    if (T == 0) {
        if (blockIdx.x == 0) {
            f[1] = 1;
            while (f[0] == 0)
                ;
        } else {
            while (f[1] == 0)
                ;
            f[0] = 1;
        }
    }
}
}
