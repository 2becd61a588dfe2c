/* Locks, tickets and other words of memory that threads of several blocks synchronise by. sm_90a. */
#include "asyncbugs.cuh"

#define SUM (out + 2000)

/* A compare and swap and an exchange are relaxed: they order no data, not even volatile data. */
KERNEL(lock_without_fences) {
    volatile float *sum = SUM;
    if (T == 0) {
        while (atomicCAS(WORD, 0, 1) != 0) {
        }
        if (FIXED) __threadfence();
        *sum = *sum + WHOLE(in[blockIdx.x]); /* BUG */
        if (FIXED) __threadfence();
        atomicExch(WORD, 0);
    }
}

/* The lock is given back by a volatile store. */
KERNEL(lock_given_back_by_volatile_store) {
    float *sum = SUM;
    if (T == 0) {
        while (atomicCAS(WORD, 0, 1) != 0) {
        }
        if (FIXED) __threadfence();
        PTX("" ::: "memory");
        *sum += WHOLE(in[blockIdx.x]); /* BUG */
        if (FIXED) __threadfence();
        PTX("" ::: "memory");
        *(volatile unsigned *)WORD = 0;
    }
}

/* Ticket lock: the turn is a volatile word. */
KERNEL(ticket_lock_without_fences) {
    volatile unsigned *turn = WORD + 1;
    float *sum = SUM;
    if (T == 0) {
        const unsigned ticket = atomicAdd(WORD, 1);
        while (*turn != ticket) {
        }
        if (FIXED) __threadfence();
        PTX("" ::: "memory");
        *sum += WHOLE(in[blockIdx.x]); /* BUG */
        if (FIXED) __threadfence();
        PTX("" ::: "memory");
        *turn = ticket + 1;
    }
}

/* Relaxed atomics for the lock and relaxed accesses for the data. The twin acquires and releases. */
KERNEL(lock_of_relaxed_atomics) {
    float *sum = SUM, old;
    unsigned taken;
    if (T == 0) {
        do {
            if (FIXED)
                PTX("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;" : "=r"(taken) : "l"(WORD) : "memory");
            else
                PTX("atom.relaxed.gpu.cas.b32 %0, [%1], 0, 1;" : "=r"(taken) : "l"(WORD) : "memory");
        } while (taken);
        PTX("ld.relaxed.gpu.f32 %0, [%1];" : "=f"(old) : "l"(sum) : "memory"); /* BUG */
        old += WHOLE(in[blockIdx.x]);
        PTX("st.relaxed.gpu.f32 [%0], %1;" ::"l"(sum), "f"(old) : "memory"); /* BUG */
        if (FIXED)
            PTX("st.release.gpu.u32 [%0], 0;" ::"l"(WORD) : "memory");
        else
            PTX("st.relaxed.gpu.u32 [%0], 0;" ::"l"(WORD) : "memory");
    }
}

/* The fences are for the block, the lock is for all blocks. */
KERNEL(lock_with_fences_of_block_scope) {
    float *sum = SUM;
    if (T == 0) {
        while (atomicCAS(WORD, 0, 1) != 0) {
        }
        if (FIXED)
            __threadfence();
        else
            __threadfence_block();
        *sum += WHOLE(in[blockIdx.x]); /* BUG */
        if (FIXED)
            __threadfence();
        else
            __threadfence_block();
        atomicExch(WORD, 0);
    }
}

/* The fence comes after the lock is given back. */
KERNEL(fence_after_lock_is_given_back) {
    float *sum = SUM;
    if (T == 0) {
        while (atomicCAS(WORD, 0, 1) != 0) {
        }
        __threadfence();
        *sum += WHOLE(in[blockIdx.x]); /* BUG */
        if (FIXED) __threadfence();
        atomicExch(WORD, 0);
        if (!FIXED) __threadfence();
    }
}

/* Thread 0 takes the lock for its block, and gives it back before the other threads are done. */
KERNEL(lock_given_back_before_other_threads) {
    float *sums = SUM;
    if (T == 0) {
        while (atomicCAS(WORD, 0, 1) != 0) {
        }
        __threadfence();
    }
    __syncthreads();
    sums[T] += WHOLE(in[128 * blockIdx.x + T]); /* BUG */
    __threadfence();
    if (FIXED) __syncthreads();
    if (T == 0) atomicExch(WORD, 0);
}

/* One lane of each warp locks the block's sum in shared memory, and its fences are missing. */
KERNEL(lock_in_shared_memory_without_fences) {
    __shared__ unsigned lock;
    __shared__ float sum;
    if (T == 0) lock = 0, sum = 0;
    __syncthreads();
    if (LANE == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        if (FIXED) __threadfence_block();
        PTX("" ::: "memory");
        sum += WHOLE(in[WARP]); /* BUG */
        PTX("" ::: "memory");
        if (FIXED) __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (T == 0) out[0] = sum;
}

/* A barrier of the grid over a volatile counter orders nothing without fences. */
KERNEL(grid_barrier_without_fences) {
    volatile unsigned *arrived = WORD;
    out[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
    if (FIXED) __threadfence();
    __syncthreads();
    if (T == 0) {
        atomicAdd(WORD, 1);
        while (*arrived < gridDim.x) {
        }
        if (FIXED) __threadfence();
    }
    __syncthreads();
    out[1024 + 128 * blockIdx.x + T] = __ldcg(out + 128 * ((blockIdx.x + 1) % gridDim.x) + T); /* BUG */
}

/* The last block adds up what all have stored. Thread 0 takes the ticket before its block's other threads have stored.
 */
KERNEL(ticket_before_other_threads_stores) {
    __shared__ bool last;
    out[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
    __threadfence();
    if (FIXED) __syncthreads();
    if (T == 0) last = atomicAdd(WORD, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += __ldcg(out + 128 * b + T); /* BUG */
        out[2048 + T] = sum;
    }
}

/* The block's next tile is fetched into one word, which a slow warp has not read yet. */
KERNEL(tile_number_overwritten) {
    __shared__ unsigned next;
    while (true) {
        if (T == 0) next = atomicAdd(WORD, 1); /* BUG */
        __syncthreads();
        const unsigned tile = next;
        if (FIXED) __syncthreads();
        if (tile >= 8) break;
        out[128 * tile + T] = in[128 * tile + T];
    }
}

/* A counter of the grid, and atomics for a block. */
KERNEL(counter_with_atomics_of_block_scope) {
    if (T == 0) {
        if (FIXED)
            atomicAdd(WORD, 1);
        else
            atomicAdd_block(WORD, 1); /* BUG */
    }
}

/* The last block adds up what all have stored, behind fences for a block. */
KERNEL(ticket_with_fences_of_block_scope) {
    __shared__ bool last;
    out[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
    if (FIXED)
        __threadfence();
    else
        __threadfence_block();
    __syncthreads();
    if (T == 0) last = atomicAdd(WORD, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += __ldcg(out + 128 * b + T); /* BUG */
        out[2048 + T] = sum;
    }
}
