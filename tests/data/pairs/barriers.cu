/* Barriers, mbarriers, flags and masks: bad_NAME has one defect, of one of the kinds named above
 * it, and ok_NAME is the same without. */
#include "pairs.cuh"

extern "C" {

/* mbarrier-misuse */
__global__ void bad_over_arrive(ARGS) {
    TILE;
    START(64);
    s[T] = in[T];
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}
__global__ void ok_over_arrive(ARGS) {
    TILE;
    START(128);
    s[T] = in[T];
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}

/* mbarrier-misuse, race-shared, deadlock */
__global__ void bad_two_phases_behind(ARGS) {
    TILE;
    START(64);
    if (T < 64) {
        s[T] = 1;
        mb_arrive(&bar);
        mb_wait(&bar, 0);
        s[T] = 2;
        mb_arrive(&bar);
        mb_wait(&bar, 1);
    } else {
        mb_wait(&bar, 0);
        out[T] = s[T - 64];
    }
}
__global__ void ok_two_phases_behind(ARGS) {
    TILE;
    START(128);
    if (T < 64) {
        s[T] = 1;
        mb_arrive(&bar);
        mb_wait(&bar, 0);
    } else {
        mb_arrive(&bar);
        mb_wait(&bar, 0);
        out[T] = s[T - 64];
    }
}

/* mbarrier-misuse */
__global__ void bad_expect_limit(ARGS) {
    TILE;
    START(1);
    if (T == 0) mb_expect_only(&bar, 1 << 20);
    __syncthreads();
    out[T] = 0;
}
__global__ void ok_expect_limit(ARGS) {
    TILE;
    START(1);
    if (T == 0) mb_expect_only(&bar, 1 << 10);
    __syncthreads();
    out[T] = 0;
}

/* mbarrier-misuse */
__global__ void bad_inval_in_flight(ARGS) {
    TILE;
    START(2);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
        mb_inval(&bar);
    }
    __syncthreads();
    out[T] = 1;
}
__global__ void ok_inval_in_flight(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    __syncthreads();
    if (T == 0) mb_inval(&bar);
    out[T] = s[T];
}

/* mbarrier-misuse */
__global__ void bad_store_over_mbarrier(ARGS) {
    TILE;
    START(128);
    ((volatile unsigned *)&bar)[T & 1] = T;
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = 1;
}
__global__ void ok_store_over_mbarrier(ARGS) {
    TILE;
    START(128);
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    __syncthreads();
    if (T == 0) mb_inval(&bar);
    __syncthreads();
    if (T < 2) ((volatile unsigned *)&bar)[T] = T;
    out[T] = 1;
}

/* mbarrier-misuse */
__global__ void bad_copy_over_mbarrier(ARGS) {
    struct Q {
        float f[124];
        u64 b;
        u64 c;
    };
    __shared__ alignas(128) Q q;
    if (T == 0) {
        mb_init(&q.b, 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0) {
        mb_expect(&q.b, 512);
        bulk_load(q.f, in, 512, &q.b);
    }
    mb_wait(&q.b, 0);
    out[T] = T < 124 ? q.f[T] : 0;
}
__global__ void ok_copy_over_mbarrier(ARGS) {
    struct Q {
        float f[124];
        u64 b;
        u64 c;
    };
    __shared__ alignas(128) Q q;
    if (T == 0) {
        mb_init(&q.b, 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0) {
        mb_expect(&q.b, 496);
        bulk_load(q.f, in, 496, &q.b);
    }
    mb_wait(&q.b, 0);
    out[T] = T < 124 ? q.f[T] : 0;
}

/* 2 blocks: race-global */
__global__ void bad_flag_no_fence(ARGS) {
    volatile int *flag = (volatile int *)(out + 1024);
    if (blockIdx.x == 0) {
        if (T == 0) {
            out[0] = 5;
            *flag = 1;
        }
    } else if (T == 0) {
        while (*flag == 0)
            ;
        __threadfence();
        out[1] = out[0];
    }
}
__global__ void ok_flag_no_fence(ARGS) {
    volatile int *flag = (volatile int *)(out + 1024);
    if (blockIdx.x == 0) {
        if (T == 0) {
            out[0] = 5;
            __threadfence();
            *flag = 1;
        }
    } else if (T == 0) {
        while (*flag == 0)
            ;
        __threadfence();
        out[1] = out[0];
    }
}

/* 2 blocks: race-global */
__global__ void bad_flag_cta_fence(ARGS) {
    volatile int *flag = (volatile int *)(out + 1024);
    if (blockIdx.x == 0) {
        if (T == 0) {
            out[0] = 5;
            __threadfence_block();
            *flag = 1;
        }
    } else if (T == 0) {
        while (*flag == 0)
            ;
        __threadfence();
        out[1] = out[0];
    }
}
__global__ void ok_flag_cta_fence(ARGS) {
    volatile int *flag = (volatile int *)(out + 1024);
    if (blockIdx.x == 0) {
        if (T == 0) {
            out[0] = 5;
            __threadfence();
            *flag = 1;
        }
    } else if (T == 0) {
        while (*flag == 0)
            ;
        __threadfence();
        out[1] = out[0];
    }
}

/* 2 blocks: race-global */
__global__ void bad_reader_no_fence(ARGS) {
    volatile int *flag = (volatile int *)(out + 1024);
    if (blockIdx.x == 0) {
        if (T == 0) {
            out[0] = 5;
            __threadfence();
            *flag = 1;
        }
    } else if (T == 0) {
        while (*flag == 0)
            ;
        out[1] = out[0];
    }
}
__global__ void ok_reader_no_fence(ARGS) {
    int *flag = (int *)(out + 1024);
    if (blockIdx.x == 0) {
        if (T == 0) {
            out[0] = 5;
            V("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : M);
        }
    } else if (T == 0) {
        int v;
        do V("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(flag) : M);
        while (v == 0);
        out[1] = out[0];
    }
}

/* 2 blocks: race-global */
__global__ void bad_last_block(ARGS) {
    __shared__ bool last;
    out[blockIdx.x * 128 + T] = in[T];
    __syncthreads();
    if (T == 0) last = atomicAdd((unsigned *)(out + 2048), 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        out[1024 + T] = out[T] + out[128 + T];
    }
}
__global__ void ok_last_block(ARGS) {
    __shared__ bool last;
    out[blockIdx.x * 128 + T] = in[T];
    __threadfence();
    __syncthreads();
    if (T == 0) last = atomicAdd((unsigned *)(out + 2048), 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        out[1024 + T] = out[T] + out[128 + T];
    }
}

/* stack-overflow, out-of-bounds */
__global__ void bad_stack(ARGS) {
    float a[16];
    for (int i = 0; i < 16; i++) a[(i + n) & 15] = in[i];
    a[n * 4] = 3;
    out[T] = a[(n + T) & 15];
}
__global__ void ok_stack(ARGS) {
    float a[16];
    for (int i = 0; i < 16; i++) a[(i + n) & 15] = in[i];
    a[(n * 4) & 15] = 3;
    out[T] = a[(n + T) & 15];
}

/* illegal-access, out-of-bounds */
__global__ void bad_shared_of_global(ARGS) {
    float v;
    V("ld.shared.f32 %0, [%1];" : "=f"(v) : "l"(in + T) : M);
    out[T] = v;
}
__global__ void ok_shared_of_global(ARGS) {
    float v;
    V("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(in + T) : M);
    out[T] = v;
}

/* illegal-access, out-of-bounds */
__global__ void bad_global_of_shared(ARGS) {
    __shared__ float a[128];
    a[T] = in[T];
    __syncthreads();
    float v;
    V("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(a + (127 - T)) : M);
    out[T] = v;
}
__global__ void ok_global_of_shared(ARGS) {
    __shared__ float a[128];
    a[T] = in[T];
    __syncthreads();
    float v;
    V("ld.f32 %0, [%1];" : "=f"(v) : "l"(a + (127 - T)) : M);
    out[T] = v;
}

/* shuffle-mask */
__global__ void bad_shfl_exited(ARGS) {
    if ((T & 31) >= 16) return;
    out[T] = __shfl_sync(0xffffffffu, in[T], 20);
}
__global__ void ok_shfl_exited(ARGS) {
    if ((T & 31) >= 16) return;
    out[T] = __shfl_sync(0xffffu, in[T], 3);
}

/* shuffle-mask */
__global__ void bad_shfl_from_outside(ARGS) {
    float v = in[T];
    if ((T & 31) < 16) v = __shfl_sync(0xffffu, v, 20);
    out[T] = v;
}
__global__ void ok_shfl_from_outside(ARGS) {
    float v = in[T];
    if ((T & 31) < 16) v = __shfl_sync(0xffffu, v, 10);
    out[T] = v;
}

/* shuffle-mask */
__global__ void bad_ballot_outside(ARGS) {
    out[T] = (float)__ballot_sync(0x0000ffffu, in[T] > 0.5f);
}
__global__ void ok_ballot_outside(ARGS) {
    out[T] = (float)__ballot_sync(0xffffffffu, in[T] > 0.5f);
}

/* shuffle-mask */
__global__ void bad_match(ARGS) {
    unsigned m = 0;
    if (T & 1) m = __match_any_sync(0xffffffffu, (int)(in[T] * 4));
    out[T] = m;
}
__global__ void ok_match(ARGS) {
    unsigned m = 0;
    if (T & 1) m = __match_any_sync(0xaaaaaaaau, (int)(in[T] * 4));
    out[T] = m;
}

/* shuffle-mask */
__global__ void bad_reduce_branches(ARGS) {
    unsigned v = T;
    if (in[T] >= 0 && (T & 4))
        v = __reduce_add_sync(0xffffffffu, v);
    else
        v = __reduce_add_sync(0xffffffffu, v) + 1;
    out[T] = v;
}
__global__ void ok_reduce_branches(ARGS) {
    unsigned v = T;
    if (in[T] >= 0 && (T & 4))
        v = __reduce_add_sync(0xf0f0f0f0u, v);
    else
        v = __reduce_add_sync(0x0f0f0f0fu, v) + 1;
    out[T] = v;
}

/* async-read-before-wait, race-shared */
__global__ void bad_ring_overrun(ARGS) {
    TILE2;
    if (T == 0) {
        for (int i = 0; i < 2; i++) {
            mb_init(&bar[i], 1);
            mb_init(&bar[2 + i], 96);
        }
        mb_fence();
    }
    __syncthreads();
    if (T < 32) {
        if (T == 0)
            for (int k = 0; k < 6; k++) {
                int st = k & 1;
                if (k >= 3) mb_wait(&bar[2 + st], (k / 2 - 1) & 1);
                mb_expect(&bar[st], 512);
                bulk_load(s[st], in + 128 * k, 512, &bar[st]);
            }
    } else
        for (int k = 0; k < 6; k++) {
            int st = k & 1;
            mb_wait(&bar[st], (k / 2) & 1);
            out[k * 128 + T] = s[st][T];
            mb_arrive(&bar[2 + st]);
        }
}
__global__ void ok_ring_overrun(ARGS) {
    TILE2;
    if (T == 0) {
        for (int i = 0; i < 2; i++) {
            mb_init(&bar[i], 1);
            mb_init(&bar[2 + i], 96);
        }
        mb_fence();
    }
    __syncthreads();
    if (T < 32) {
        if (T == 0)
            for (int k = 0; k < 6; k++) {
                int st = k & 1;
                if (k >= 2) mb_wait(&bar[2 + st], (k / 2 - 1) & 1);
                mb_expect(&bar[st], 512);
                bulk_load(s[st], in + 128 * k, 512, &bar[st]);
            }
    } else
        for (int k = 0; k < 6; k++) {
            int st = k & 1;
            mb_wait(&bar[st], (k / 2) & 1);
            out[k * 128 + T] = s[st][T];
            mb_arrive(&bar[2 + st]);
        }
}

/* deadlock, mbarrier-misuse */
__global__ void bad_empty_parity(ARGS) {
    TILE2;
    if (T == 0) {
        for (int i = 0; i < 2; i++) {
            mb_init(&bar[i], 1);
            mb_init(&bar[2 + i], 96);
        }
        mb_fence();
    }
    __syncthreads();
    if (T < 32) {
        if (T == 0)
            for (int k = 0; k < 6; k++) {
                int st = k & 1;
                mb_wait(&bar[2 + st], (k / 2) & 1);
                mb_expect(&bar[st], 512);
                bulk_load(s[st], in + 128 * k, 512, &bar[st]);
            }
    } else
        for (int k = 0; k < 6; k++) {
            int st = k & 1;
            mb_wait(&bar[st], (k / 2) & 1);
            out[k * 128 + T] = s[st][T];
            mb_arrive(&bar[2 + st]);
        }
}
__global__ void ok_empty_parity(ARGS) {
    TILE2;
    if (T == 0) {
        for (int i = 0; i < 2; i++) {
            mb_init(&bar[i], 1);
            mb_init(&bar[2 + i], 96);
        }
        mb_fence();
    }
    __syncthreads();
    if (T < 32) {
        if (T == 0)
            for (int k = 0; k < 6; k++) {
                int st = k & 1;
                mb_wait(&bar[2 + st], (k / 2 + 1) & 1);
                mb_expect(&bar[st], 512);
                bulk_load(s[st], in + 128 * k, 512, &bar[st]);
            }
    } else
        for (int k = 0; k < 6; k++) {
            int st = k & 1;
            mb_wait(&bar[st], (k / 2) & 1);
            out[k * 128 + T] = s[st][T];
            mb_arrive(&bar[2 + st]);
        }
}

/* async-read-before-wait, race-shared, mbarrier-misuse */
__global__ void bad_full_parity(ARGS) {
    TILE2;
    if (T == 0) {
        for (int i = 0; i < 2; i++) {
            mb_init(&bar[i], 1);
            mb_init(&bar[2 + i], 96);
        }
        mb_fence();
    }
    __syncthreads();
    if (T < 32) {
        if (T == 0)
            for (int k = 0; k < 6; k++) {
                int st = k & 1;
                mb_wait(&bar[2 + st], (k / 2 + 1) & 1);
                mb_expect(&bar[st], 512);
                bulk_load(s[st], in + 128 * k, 512, &bar[st]);
            }
    } else
        for (int k = 0; k < 6; k++) {
            int st = k & 1;
            mb_wait(&bar[st], 0);
            out[k * 128 + T] = s[st][T];
            mb_arrive(&bar[2 + st]);
        }
}
__global__ void ok_full_parity(ARGS) {
    TILE2;
    if (T == 0) {
        for (int i = 0; i < 2; i++) {
            mb_init(&bar[i], 1);
            mb_init(&bar[2 + i], 96);
        }
        mb_fence();
    }
    __syncthreads();
    if (T < 32) {
        if (T == 0)
            for (int k = 0; k < 6; k++) {
                int st = k & 1;
                mb_wait(&bar[2 + st], (k / 2 + 1) & 1);
                mb_expect(&bar[st], 512);
                bulk_load(s[st], in + 128 * k, 512, &bar[st]);
            }
    } else
        for (int k = 0; k < 6; k++) {
            int st = k & 1;
            mb_wait(&bar[st], (k / 2) & 1);
            out[k * 128 + T] = s[st][T];
            mb_arrive(&bar[2 + st]);
        }
}

/* deadlock, barrier-misuse, barrier-divergence, race-shared */
__global__ void bad_barrier_ids(ARGS) {
    __shared__ float a[128];
    if (T < 64) {
        a[T] = in[T];
        V("bar.sync 1, 128;" ::: M);
    } else {
        V("bar.sync 2, 128;" ::: M);
        out[T] = a[T - 64];
    }
}
__global__ void ok_barrier_ids(ARGS) {
    __shared__ float a[128];
    if (T < 64) {
        a[T] = in[T];
        V("bar.sync 1, 128;" ::: M);
    } else {
        V("bar.sync 1, 128;" ::: M);
        out[T] = a[T - 64];
    }
}

/* race-shared, barrier-misuse */
__global__ void bad_same_id(ARGS) {
    __shared__ float a[128];
    a[T] = in[T];
    if (T < 64)
        V("bar.sync 1, 64;" ::: M);
    else
        V("bar.sync 1, 64;" ::: M);
    out[T] = a[T ^ 96];
}
__global__ void ok_same_id(ARGS) {
    __shared__ float a[128];
    a[T] = in[T];
    if (T < 64)
        V("bar.sync 1, 64;" ::: M);
    else
        V("bar.sync 2, 64;" ::: M);
    out[T] = a[T ^ 32];
}

/* misaligned */
__global__ void bad_bulk_size(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 500);
        bulk_load(s, in, 500, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_bulk_size(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* out-of-bounds */
__global__ void bad_bulk_past_end(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in + n - 64, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_bulk_past_end(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in + n - 128, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* uninitialised-read */
__global__ void bad_bulk_too_few(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 256);
        bulk_load(s, in, 256, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_bulk_too_few(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* uninitialised-read */
__global__ void bad_store_uninit(ARGS) {
    TILE;
    if (T < 64) s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}
__global__ void ok_store_uninit(ARGS) {
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
__global__ void bad_store_stage_reuse(ARGS) {
    TILE2;
    for (int k = 0; k < 4; k++) {
        float *p = s[k & 1];
        if (T == 0 && k >= 2) bulk_wait_read(2);
        __syncthreads();
        p[T] = in[k * 128 + T];
        proxy_fence();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + k * 128, p, 512);
            bulk_commit();
        }
    }
    if (T == 0) bulk_wait(0);
    (void)bar;
}
__global__ void ok_store_stage_reuse(ARGS) {
    TILE2;
    for (int k = 0; k < 4; k++) {
        float *p = s[k & 1];
        if (T == 0 && k >= 2) bulk_wait_read(1);
        __syncthreads();
        p[T] = in[k * 128 + T];
        proxy_fence();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + k * 128, p, 512);
            bulk_commit();
        }
    }
    if (T == 0) bulk_wait(0);
    (void)bar;
}

/* async-source-overwritten, race-shared, uninitialised-read */
__global__ void bad_exit_before_store(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
    }
}
__global__ void ok_exit_before_store(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait_read(0);
    }
}

/* deadlock, mbarrier-misuse */
__global__ void bad_both_roles(ARGS) {
    TILE;
    START(1);
    if (T % 64 == 0) {
        mb_expect(&bar, 512);
        if (T == 0) bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    mb_wait(&bar, 1);
    out[T] = s[T];
}
__global__ void ok_both_roles(ARGS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
}
