/* Words of global memory that hand data from block to block. sm_90. */
#include "asyncbugs.cuh"
#define store_release_block(p, v) PTX("st.release.cta.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define load_acquire_block(v, p) PTX("ld.acquire.cta.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")

/* The wait is relaxed; a barrier of the block does not make it an acquire. */
KERNEL(relaxed_poll_then_barrier) {
    float *data = out + 1024;
    if (blockIdx.x == 0) {
        data[T] = in[T];
        __syncthreads();
        if (T == 0) store_release(WORD, 1);
    } else if (blockIdx.x == 1) {
        if (T == 0) {
            unsigned v;
            do {
                if (FIXED)
                    load_acquire(v, WORD);
                else
                    load_relaxed(v, WORD);
            } while (v != 1);
        }
        __syncthreads();
        out[T] = data[T]; /* BUG */
    }
}

/* The flag is released for the block only. */
KERNEL(flag_released_for_the_block) {
    float *data = out + 1024;
    if (T) return;
    if (blockIdx.x == 0) {
        data[0] = in[0];
        if (FIXED)
            store_release(WORD, 1);
        else
            store_release_block(WORD, 1);
    } else if (blockIdx.x == 1) {
        unsigned v;
        do load_acquire(v, WORD);
        while (v != 1);
        out[0] = data[0]; /* BUG */
    }
}

/* The flag is acquired for the block only. */
KERNEL(flag_acquired_for_the_block) {
    float *data = out + 1024;
    if (T) return;
    if (blockIdx.x == 0) {
        data[0] = in[0];
        store_release(WORD, 1);
    } else if (blockIdx.x == 1) {
        unsigned v;
        do {
            if (FIXED)
                load_acquire(v, WORD);
            else
                load_acquire_block(v, WORD);
        } while (v != 1);
        out[0] = data[0]; /* BUG */
    }
}

/* One thread's fence before the barrier covers its own stores only. */
KERNEL(fence_of_one_thread_before_barrier) {
    float *data = out + 1024;
    if (blockIdx.x == 0) {
        data[T] = in[T];
        if (FIXED || T == 0) __threadfence();
        __syncthreads();
        if (T == 0) *(volatile unsigned *)WORD = 1;
    } else if (blockIdx.x == 1) {
        if (T == 0) {
            while (*(volatile unsigned *)WORD != 1) {
            }
            __threadfence();
        }
        __syncthreads();
        out[T] = data[T]; /* BUG */
    }
}

/* Data and flag are volatile, and nothing orders the two. */
KERNEL(volatile_data_and_flag) {
    volatile float *data = out + 1024;
    volatile unsigned *flag = WORD;
    if (T) return;
    if (blockIdx.x == 0) {
        *data = in[0];
        if (FIXED) __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 1) {
        while (*flag != 1) {
        }
        if (FIXED) __threadfence();
        out[0] = *data; /* BUG */
    }
}

/* A status and its value are two words of one pair, which are stored one after the other. */
KERNEL(pair_stored_in_halves) {
    volatile uint2 *pair = (volatile uint2 *)WORD;
    if (T) return;
    if (blockIdx.x == 0) {
        const unsigned value = __float_as_uint(in[0]);
        if (FIXED)
            PTX("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(pair), "r"(1), "r"(value) : "memory");
        else
            pair->y = value, pair->x = 1;
    } else if (blockIdx.x == 1) {
        unsigned status, value;
        do
            PTX("ld.volatile.global.v2.u32 {%0, %1}, [%2];" /* BUG */
                : "=r"(status), "=r"(value)
                : "l"(pair)
                : "memory");
        while (status != 1);
        out[0] = __uint_as_float(value);
    }
}

/* Block 0 zeroes the counter that others already count with. */
KERNEL(counter_zeroed_by_first_block) {
    if (T) return;
    if (!FIXED && blockIdx.x == 0) *WORD = 0; /* BUG */
    ORDERED;
    atomicAdd(WORD, 1 + blockIdx.x);
}

/* A mailbox of one slot: the sender does not wait until the receiver has read it. */
KERNEL(mailbox_overwritten) {
    float *box = out + 1024;
    unsigned v;
    if (T) return;
    if (blockIdx.x == 0) {
        for (unsigned i = 1; i <= 3; i++) {
            *box = WHOLE(in[i]); /* BUG */
            store_release(WORD, i);
            if (FIXED) do
                    load_acquire(v, WORD + 1);
                while (v != i);
        }
    } else if (blockIdx.x == 1) {
        float sum = 0;
        unsigned last = 0;
        while (last != 3) {
            do load_acquire(v, WORD);
            while (v == last);
            last = v;
            sum += *box; /* BUG */
            store_release(WORD + 1, last);
        }
        out[0] = FIXED ? sum : sum * 0;
    }
}

/* A queue: the reader gives the slot back before it has read it. */
KERNEL(slot_given_back_before_read) {
    float *slots = out + 1024;
    unsigned *head = WORD, *tail = WORD + 1, v;
    if (T) return;
    if (blockIdx.x == 0) {
        for (unsigned i = 0; i < 6; i++) {
            do load_acquire(v, tail);
            while (i - v >= 2);
            slots[i % 2] = in[i];
            store_release(head, i + 1);
        }
    } else if (blockIdx.x == 1) {
        for (unsigned i = 0; i < 6; i++) {
            do load_acquire(v, head);
            while (v <= i);
            if (!FIXED) store_release(tail, i + 1);
            const float x = slots[i % 2]; /* BUG */
            if (FIXED) store_release(tail, i + 1);
            out[i] = FIXED ? x : x * 0;
        }
    }
}

/* Stream-K: four warps store a partial tile, the fix-up waits for the first of them. */
KERNEL(fixup_waits_for_one_warp) {
    float *partial = out + 1024;
    if (blockIdx.x == 0) {
        partial[T] = in[T];
        __threadfence();
        __syncwarp();
        if (LANE == 0) atomicAdd(WORD, 1);
    } else if (blockIdx.x == 1) {
        if (T == 0) {
            while (*(volatile unsigned *)WORD < (FIXED ? 4 : 1)) {
            }
            __threadfence();
        }
        __syncthreads();
        out[T] = in[128 + T] + partial[T]; /* BUG */
    }
}

/* The number of appended elements is read with an ordinary load while others append. */
KERNEL(count_read_while_others_append) {
    if (T == 0) atomicAdd(WORD, 1);
    __syncthreads();
    if (T == 0) out[blockIdx.x] = FIXED ? 0.0f : *WORD * 0.0f; /* BUG */
}

/* One block stores what others add to. */
KERNEL(sum_stored_and_added) {
    float *sum = out + 1024;
    if (T) return;
    if (blockIdx.x == 0) {
        if (FIXED)
            atomicAdd(sum, WHOLE(in[0]));
        else
            *sum = WHOLE(in[0]); /* BUG */
    } else {
        atomicAdd(sum, WHOLE(in[blockIdx.x]));
    }
}

/* Atomics for the cluster, between blocks of different clusters. */
CLUSTER(2, atomics_for_the_cluster) {
    if (T) return;
    if (FIXED)
        PTX("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(WORD) : "memory");
    else
        PTX("red.relaxed.cluster.global.add.u32 [%0], 1;" ::"l"(WORD) : "memory"); /* BUG */
}

/* Bits of a frontier in global memory, set by many blocks without atomics. */
KERNEL(frontier_bits_without_atomics) {
    unsigned *seen = WORD;
    if (T) return;
    if (FIXED)
        atomicOr(seen, 1u << blockIdx.x);
    else
        *seen |= 1u << blockIdx.x; /* BUG */
}

/* The lock is tried, and the work done whether it was taken or not. */
KERNEL(lock_tried_once) {
    float *sum = out + 1024;
    if (T) return;
    unsigned taken = atomicCAS(WORD, 0, 1);
    if (FIXED)
        while (taken) taken = atomicCAS(WORD, 0, 1);
    __threadfence();
    *sum += WHOLE(in[blockIdx.x]); /* BUG */
    __threadfence();
    atomicExch(WORD, 0);
}

/* Two blocks take two locks in opposite order. */
KERNEL(two_locks_in_opposite_order) {
    if (T || blockIdx.x > 1) return;
    unsigned *first = WORD + (FIXED ? 0 : blockIdx.x), *second = WORD + (FIXED ? 1 : blockIdx.x ^ 1);
    unsigned *met = WORD + 2;
    while (atomicCAS(first, 0, 1)) {
    }
    if (!FIXED) {
        atomicAdd(met, 1);
        while (*(volatile unsigned *)met < 2) {
        }
    }
    while (atomicCAS(second, 0, 1)) { /* BUG */
    }
    __threadfence();
    out[1024] += 1;
    __threadfence();
    atomicExch(second, 0);
    atomicExch(first, 0);
}

/* A reader counts itself in after it has begun to read. */
KERNEL(rows_swapped_without_reader) {
    float *row = out + 1024;
    if (blockIdx.x == 0) {
        if (T == 0) {
            unsigned v;
            do load_acquire(v, WORD);
            while (v != 128);
        }
        __syncthreads();
        row[T] = in[T]; /* BUG */
    } else if (blockIdx.x == 1) {
        float v = 0;
        if (FIXED) v = row[T];
        __threadfence();
        atomicAdd(WORD, 1);
        if (!FIXED) v = *(volatile float *)&row[T] * 0; /* BUG */
        out[T] = v;
    }
}

/* Warps take turns, and update a sum in shared memory. Turn and sum are volatile. */
KERNEL(volatile_sum_behind_volatile_turn) {
    __shared__ unsigned turn;
    __shared__ float sum;
    volatile unsigned *whose = &turn;
    volatile float *updated = &sum;
    if (T == 0) turn = 0, sum = 0;
    __syncthreads();
    if (LANE == 0) {
        while (*whose != WARP) {
        }
        if (FIXED) __threadfence_block();
        *updated = *updated + WHOLE(in[WARP]); /* BUG */
        if (FIXED) __threadfence_block();
        *whose = WARP + 1;
    }
    __syncthreads();
    if (T == 0) out[0] = sum;
}

/* The same between two warps: data and flag in shared memory are volatile. */
KERNEL(volatile_data_and_flag_of_warps) {
    __shared__ unsigned flag;
    __shared__ float data;
    volatile unsigned *ready = &flag;
    volatile float *handed_over = &data;
    if (T == 0) flag = 0;
    __syncthreads();
    if (T == 0) {
        *handed_over = in[0];
        if (FIXED) __threadfence_block();
        *ready = 1;
    }
    if (T == 32) {
        while (*ready == 0) {
        }
        if (FIXED) __threadfence_block();
        out[0] = *handed_over; /* BUG */
    }
}

/* The grid's barrier waits for one block too few. */
KERNEL(grid_barrier_one_block_short) {
    out[128 * blockIdx.x + T] = in[T];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(WORD, 1);
        while (*(volatile unsigned *)WORD < gridDim.x - (FIXED ? 0 : 1)) {
        }
        __threadfence();
    }
    __syncthreads();
    out[1024 + 128 * blockIdx.x + T] = out[128 * ((blockIdx.x + 1) % gridDim.x) + T]; /* BUG */
}

/* Ordinary loads of a flag race with the store that sets it. */
KERNEL(flag_polled_by_weak_loads) {
    unsigned v;
    if (T) return;
    if (blockIdx.x == 0) {
        out[1024] = in[0];
        store_release(WORD, 1);
    } else if (blockIdx.x == 1) {
        do {
            if (FIXED)
                load_acquire(v, WORD);
            else
                PTX("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(WORD) : "memory"); /* BUG */
        } while (v != 1);
        out[0] = out[1024]; /* BUG */
    }
}

/* The flag is released before the tile's last row is stored. */
KERNEL(flag_before_last_row) {
    float *tile = out + 1024, sum = 0;
    unsigned v = 0;
    if (blockIdx.x == 0) {
        for (int row = 0; row < 4; row++) {
            if (!FIXED && row == 3) {
                __syncthreads();
                if (T == 0) store_release(WORD, 1);
            }
            tile[128 * row + T] = in[T] + row;
        }
        if (FIXED) {
            __syncthreads();
            if (T == 0) store_release(WORD, 1);
        }
    } else if (blockIdx.x == 1) {
        while (T == 0 && v != 1) load_acquire(v, WORD);
        __syncthreads();
        for (int row = 0; row < 4; row++) sum += tile[128 * row + T]; /* BUG */
        out[T] = FIXED ? sum : sum * 0;
    }
}

/* One warp waits, all read. */
KERNEL(acquired_by_one_warp) {
    float *data = out + 1024;
    unsigned v = 0;
    if (blockIdx.x == 0) {
        data[T] = in[T];
        __syncthreads();
        if (T == 0) store_release(WORD, 1);
    } else if (blockIdx.x == 1) {
        while (T == 0 && v != 1) load_acquire(v, WORD);
        if (FIXED)
            __syncthreads();
        else
            __syncwarp();
        out[T] = data[T]; /* BUG */
    }
}

/* Two warps have a flag each; a third waits for the first only. */
KERNEL(flag_of_the_other_warp) {
    __shared__ float data[64];
    __shared__ unsigned flags[2];
    volatile unsigned *ready = flags;
    if (T < 2) flags[T] = 0;
    __syncthreads();
    if (WARP < 2) {
        data[T] = in[T];
        __threadfence_block();
        __syncwarp();
        if (LANE == 0) ready[WARP] = 1;
    } else if (WARP == 2) {
        while (LANE == 0 && (ready[0] == 0 || (FIXED && ready[1] == 0))) {
        }
        __syncwarp();
        __threadfence_block();
        out[LANE] = data[LANE] + data[32 + LANE]; /* BUG */
    }
}

/* The wait is for the other tile's flag. */
KERNEL(flag_of_the_other_tile) {
    float *tiles = out + 1024;
    unsigned v = 0;
    if (blockIdx.x < 2) {
        tiles[128 * blockIdx.x + T] = in[T];
        __syncthreads();
        if (T == 0) store_release(WORD + blockIdx.x, 1);
    } else if (blockIdx.x == 2) {
        while (T == 0 && v != 1) load_acquire(v, WORD + (FIXED ? 1 : 0));
        __syncthreads();
        out[T] = tiles[128 + T]; /* BUG */
    }
}
