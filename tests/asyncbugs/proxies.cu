/* Proxy fences: ordinary accesses, cp.async included, and the copy engine see each other's work only behind one. sm_90.
 */
#include "asyncbugs.cuh"

/* Stores, a block barrier, and a bulk store of what was stored. */
KERNEL(store_then_bulk_store) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    if (FIXED) fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* A warp's named barrier in place of the block's. */
KERNEL(store_then_bulk_store_of_a_warp) {
    __shared__ alignas(16) float s[64];
    if (T < 64) {
        s[T] = in[T];
        if (FIXED) fence_async();
        PTX("bar.sync 1, 64;" ::: "memory");
        if (T == 0) {
            bulk_store(out, s, 256); /* BUG */
            bulk_commit();
            bulk_wait(0);
        }
    }
}

/* The fence covers global memory, the stores went to shared memory. */
KERNEL(fence_of_wrong_space) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    if (FIXED)
        fence_async();
    else
        fence_async_global();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* The issuing thread's fence stands before the barrier: it covers that thread's stores only. */
KERNEL(fence_by_issuing_thread_only) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    if (FIXED || T == 0) fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* The last store comes behind the fence. */
KERNEL(store_after_fence) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    if (!FIXED) fence_async();
    if (T >= 120) s[T] = 0;
    if (FIXED) fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* The only fence is in a loop that an empty sequence does not enter. */
KERNEL(fence_in_loop_not_entered) {
    __shared__ alignas(16) float s[128];
    const int rounds = (int)in[4095]; /* 0: numbers are below 1 */
    s[T] = 0;
    if (FIXED) fence_async();
    for (int k = 0; k < rounds; k++) {
        s[T] += in[128 * k + T];
        fence_async();
    }
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* Only the first of several tiles is fenced. */
KERNEL(fence_in_first_round_only) {
    __shared__ alignas(16) float s[128];
    for (int k = 0; k < 3; k++) {
        s[T] = in[128 * k + T];
        if (FIXED || k == 0) fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * k, s, 512); /* BUG */
            bulk_commit();
            bulk_wait_read(0);
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* cp.async writes through the generic proxy: waiting for it is not enough. */
KERNEL(cp_async_then_bulk_store) {
    __shared__ alignas(16) float s[128];
    copy4(s + T, in + T);
    copy_commit();
    copy_wait(0);
    if (FIXED) fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* The fence stands before the wait for cp.async. */
KERNEL(fence_before_wait_of_cp_async) {
    __shared__ alignas(16) float s[128];
    copy4(s + T, in + T);
    copy_commit();
    if (!FIXED) fence_async();
    copy_wait(0);
    if (FIXED) fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* A tile is filled with zeros, then a bulk copy overwrites it: the zeros may come last. */
KERNEL(fill_then_bulk_load) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    s[T] = 0;
    if (FIXED) fence_async();
    __syncthreads();
    if (T == 0) {
        barrier_expect(&full, 384);
        bulk_load(s, in, 384, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* Sums by shared atomics are added to global memory by the engine. */
KERNEL(atomics_then_bulk_reduction) {
    __shared__ alignas(16) float s[32];
    if (T < 32) s[T] = 0;
    __syncthreads();
    atomicAdd(&s[T % 32], 1.0f);
    if (FIXED) fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_add(out, s, 128); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* stmatrix is an ordinary store. */
KERNEL(stmatrix_then_bulk_store) {
    __shared__ alignas(16) unsigned s[32];
    if (T < 32) {
        PTX("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(SHARED(s + 4 * (T % 8))), "r"(T + 1)
            : "memory");
        if (FIXED) fence_async();
        __syncwarp();
        if (T == 0) {
            bulk_store(out, s, 128); /* BUG */
            bulk_commit();
            bulk_wait(0);
        }
    }
}

/* Warps hand a tile to a storing warp by an mbarrier. */
KERNEL(mbarrier_hands_over_without_fence) {
    __shared__ alignas(16) float s[96];
    __shared__ mbarrier full;
    START(&full, 96);
    if (WARP > 0) {
        s[T - 32] = in[T];
        if (FIXED) fence_async();
        barrier_arrive(&full);
    } else if (T == 0) {
        barrier_wait(&full, 0);
        bulk_store(out, s, 384); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* A block stores to global memory and reads it back by a bulk copy. */
KERNEL(global_store_then_bulk_load) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    out[1024 + T] = in[T];
    if (FIXED) fence_async_global();
    __syncthreads();
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, out + 1024, 512, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* The fence covers shared memory, the stores went to global memory. */
KERNEL(global_store_fence_of_shared) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    out[1024 + T] = in[T];
    if (FIXED)
        fence_async_all();
    else
        fence_async();
    __syncthreads();
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, out + 1024, 512, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* A block polls a flag, then its engine reads what the other block stored before the flag. 2 blocks. */
KERNEL(flag_then_bulk_load) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    unsigned *flag = (unsigned *)(out + 2048);
    START(&full, 1);
    if (blockIdx.x == 0) {
        out[1024 + T] = in[T];
        __syncthreads();
        if (T == 0) PTX("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        if (T == 0) {
            unsigned seen = 0;
            while (!seen) PTX("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
            if (FIXED) fence_async_global();
            barrier_expect(&full, 512);
            bulk_load(s, out + 1024, 512, &full); /* BUG */
        }
        barrier_wait(&full, 0);
        out[T] = s[127 - T];
    }
}

/* Ordinary loads, then a bulk copy over what they read: nothing tells the engine that they are done. */
KERNEL(read_then_bulk_load) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            barrier_expect(&full, 512);
            bulk_load(s, in + 128 * k, 512, &full); /* BUG */
        }
        barrier_wait(&full, k % 2);
        out[128 * k + T] = s[127 - T];
        if (FIXED) fence_async();
        __syncthreads();
    }
}

/* The same in a ring whose stages are given back by an mbarrier. */
KERNEL(read_then_release_to_engine) {
    __shared__ alignas(16) float s[2][128];
    __shared__ mbarrier full[2], empty[2];
    for (int k = 0; k < 2; k++) {
        START(&full[k], 1);
        START(&empty[k], 96);
    }
    if (WARP == 0) {
        if (T == 0)
            for (int k = 0; k < 6; k++) {
                barrier_wait(&empty[k % 2], (k / 2 + 1) % 2);
                barrier_expect(&full[k % 2], 512);
                bulk_load(s[k % 2], in + 128 * k, 512, &full[k % 2]); /* BUG */
            }
    } else
        for (int k = 0; k < 6; k++) {
            barrier_wait(&full[k % 2], k / 2 % 2);
            out[128 * k + T] = s[k % 2][T];
            if (FIXED) fence_async();
            barrier_arrive(&empty[k % 2]);
        }
}
