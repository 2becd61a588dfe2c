/* Queues, semaphores, locks and mailboxes: who may read a slot, and when it may be filled again. sm_90. */
#include <cuda/barrier>

#include "asyncbugs.cuh"

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

/* The scheduler's warp writes the next tile's number while others still have to read this one. */
KERNEL(tile_number_without_empty_barrier) {
    __shared__ unsigned tile;
    __shared__ mbarrier full, empty;
    if (T == 0) barrier_init(&empty, 96);
    START(&full, 1);
    for (unsigned k = 0; k < 4; k++) {
        if (T == 0) {
            if (FIXED && k) barrier_wait(&empty, (k - 1) % 2);
            tile = k;              /* BUG */
            barrier_arrive(&full); /* BUG */
        } else if (T >= 32) {
            barrier_wait(&full, k % 2);
            const unsigned mine = tile;
            out[128 * k + T] = in[128 * mine + T];
            if (FIXED) barrier_arrive(&empty);
        }
    }
}

/* A loop over several mbarriers, each used once, waits with the parity of the loop. */
KERNEL(parity_of_the_loop_for_each_barrier) {
    __shared__ alignas(128) float s[4][128];
    __shared__ mbarrier full[4];
    if (T == 0)
        for (int k = 0; k < 4; k++) barrier_init(&full[k], 1);
    fence_barrier_init();
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            barrier_expect(&full[k], 512);
            bulk_load(s[k], in + 128 * k, 512, &full[k]);
        }
        barrier_wait(&full[k], FIXED ? 0 : k & 1); /* BUG */
        out[128 * k + T] = s[k][T];
    }
}

/* Scan by look-back: the sum is in a word beside its flag, and no fence is between the two. */
KERNEL(aggregate_beside_flag_without_fence) {
    unsigned *flags = WORD;
    float *sums = out + 2000;
    if (T) return;
    float before = 0;
    if (blockIdx.x) {
        while (*(volatile unsigned *)&flags[blockIdx.x - 1] == 0) {
        }
        if (FIXED) __threadfence();
        ORDERED;
        before = sums[blockIdx.x - 1]; /* BUG */
    }
    sums[blockIdx.x] = before + WHOLE(in[blockIdx.x]);
    if (FIXED) __threadfence();
    ORDERED;
    *(volatile unsigned *)&flags[blockIdx.x] = 1;
    out[blockIdx.x] = before;
}

/* A list's node is published by a compare and swap, which orders nothing. */
KERNEL(node_published_without_fence) {
    unsigned *head = WORD;
    float *values = out + 1000;
    if (T) return;
    if (blockIdx.x == 0) {
        values[blockIdx.x + 1] = in[blockIdx.x];
        if (FIXED) __threadfence();
        unsigned *next = WORD + 1;
        unsigned old = *(volatile unsigned *)head, seen;
        do {
            seen = old;
            ((volatile unsigned *)next)[blockIdx.x + 1] = seen;
            if (FIXED) __threadfence();
            old = atomicCAS(head, seen, blockIdx.x + 1);
        } while (old != seen);
    } else {
        unsigned at;
        do at = *(volatile unsigned *)head;
        while (at == 0);
        if (FIXED) __threadfence();
        ORDERED;
        out[0] = values[at] > 2 ? 1 : 0; /* BUG */
    }
}

/* The grid's barrier has a fence before its counter only. The reader polls with relaxed loads. */
KERNEL(no_fence_after_polling) {
    out[128 * blockIdx.x + T] = in[T];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(WORD, 1);
        unsigned count;
        do PTX("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(count) : "l"(WORD) : "memory");
        while (count < gridDim.x);
        if (FIXED) __threadfence();
    }
    __syncthreads();
    out[2048 + 128 * blockIdx.x + T] = out[128 * ((blockIdx.x + 1) % gridDim.x) + T]; /* BUG */
}

/* Each block sets the flag that it waits for to zero, after another may have raised it. */
KERNEL(flag_cleared_by_its_waiter) {
    volatile unsigned *flag = WORD;
    if (T) return;
    if (blockIdx.x == 0) {
        if (!FIXED) flag[0] = 0; /* BUG */
        while (flag[0] == 0) {
        }
        out[0] = 1;
    } else {
        flag[0] = 1;
    }
}

/* Shortest paths in place: the tile's row k is read by threads while its owner stores to it. */
KERNEL(row_read_while_relaxed) {
    __shared__ float d[16][16];
    const unsigned x = T % 16, y = T / 16;
    d[y][x] = WHOLE(in[T]) - 500;
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        const float through = d[y][k] + d[k][x]; /* BUG */
        if (FIXED) __syncthreads();
        if (through < d[y][x]) d[y][x] = through;
        __syncthreads();
    }
    out[T] = d[y][x];
}

/* Test and store is no lock: two threads may both find it free. */
KERNEL(test_and_store_lock_in_shared_memory) {
    __shared__ unsigned lock;
    __shared__ float sum;
    if (T == 0) lock = 0, sum = 0;
    __syncthreads();
    if (LANE == 0) {
        if (FIXED) {
            while (atomicCAS(&lock, 0, 1) != 0) {
            }
        } else {
            while (*(volatile unsigned *)&lock != 0) {
            }
            *(volatile unsigned *)&lock = 1; /* BUG */
        }
        __threadfence_block();
        sum += WHOLE(in[WARP]); /* BUG */
        __threadfence_block();
        if (FIXED)
            atomicExch(&lock, 0);
        else
            *(volatile unsigned *)&lock = 0;
    }
    __syncthreads();
    if (T == 0) out[0] = sum;
}

/* The same between blocks, in global memory. */
KERNEL(test_and_store_lock_of_blocks) {
    float *sum = out + 2000;
    if (T) return;
    if (FIXED) {
        while (atomicCAS(WORD, 0, 1) != 0) {
        }
    } else {
        while (*(volatile unsigned *)WORD != 0) {
        }
        *(volatile unsigned *)WORD = 1; /* BUG */
    }
    __threadfence();
    *sum += WHOLE(in[blockIdx.x]); /* BUG */
    __threadfence();
    if (FIXED)
        atomicExch(WORD, 0);
    else
        *(volatile unsigned *)WORD = 0;
}

/* A value of 64 bits is stored in two halves, and a loop waits until it is not zero. */
KERNEL(wide_value_stored_in_halves) {
    volatile unsigned long long *value = (volatile unsigned long long *)WORD;
    if (T) return;
    if (blockIdx.x == 0) {
        const unsigned low = __float_as_uint(in[0]), high = __float_as_uint(in[1]);
        if (FIXED) {
            *value = (unsigned long long)high << 32 | low;
        } else {
            ((volatile unsigned *)value)[0] = low;
            ((volatile unsigned *)value)[1] = high;
        }
    } else {
        unsigned long long seen;
        do seen = *value; /* BUG */
        while (seen == 0);
        out[0] = __uint_as_float((unsigned)seen);
        out[1] = __uint_as_float((unsigned)(seen >> 32));
    }
}

/* Four warps' partial sums: the loop goes on when two of them have come. */
KERNEL(semaphore_waits_for_half_the_warps) {
    __shared__ float sums[4];
    __shared__ unsigned count;
    if (T == 0) count = 0;
    __syncthreads();
    if (WARP && LANE == 0) {
        sums[WARP] = in[WARP];
        __threadfence_block();
        atomicAdd(&count, 1);
    }
    if (T == 0) {
        while (*(volatile unsigned *)&count < (FIXED ? 3 : 2)) {
        }
        __threadfence_block();
        out[0] = sums[1] + sums[2] + sums[3]; /* BUG */
    }
}

/* Split sums: the last split waits until one of the three before it has come. */
KERNEL(last_split_waits_for_one) {
    float *partial = out + 1000;
    if (blockIdx.x < 3) {
        partial[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
        __syncthreads();
        if (T == 0) {
            __threadfence();
            atomicAdd(WORD, 1);
        }
    } else {
        if (T == 0) {
            unsigned count;
            do PTX("ld.acquire.gpu.u32 %0, [%1];" : "=r"(count) : "l"(WORD) : "memory");
            while (FIXED ? count != 3 : count == 0);
        }
        __syncthreads();
        out[T] = partial[T] + partial[128 + T] + partial[256 + T]; /* BUG */
    }
}

/* The leader's offset is taken from lane 0, which may not be among the lanes that append. */
KERNEL(offset_from_lane_zero) {
    if (in[T] > 0.5f && LANE != 0) {
        const unsigned mask = __activemask(), leader = __ffs(mask) - 1;
        unsigned at = 0;
        if (LANE == leader) at = atomicAdd(WORD, __popc(mask));
        at = __shfl_sync(mask, at, FIXED ? leader : 0); /* BUG */
        out[at + __popc(mask & ((1u << LANE) - 1))] = 1;
    }
}

__device__ float hidden_row[32];
__device__ float hidden_next[32];

/* A row of a module's variable is one element too short for the loop; its neighbour is another variable. */
KERNEL(store_beyond_a_device_variable) {
    if (T == 0) hidden_next[0] = in[0];
    __syncthreads();
    if (T < (FIXED ? 32 : 33)) hidden_row[T] = in[T]; /* BUG */
    __syncthreads();
    out[T] = T < 32 ? hidden_row[31 - T] : T == 32 ? hidden_next[0] : 0;
}

__device__ float hidden_rows_behind[4][128];
__device__ float hidden_rows[4][128];

/* The same with variables that fill whole units of memory, so that nothing need lie between them. */
KERNEL(row_beyond_a_device_variable) {
    for (int row = 0; row < (FIXED ? 4 : 5); row++) hidden_rows[row][T] = in[128 * row + T]; /* BUG */
    hidden_rows_behind[0][T] = in[T];
    __syncthreads();
    out[T] = hidden_rows[3][127 - T] + hidden_rows_behind[0][127 - T];
}

__device__ int lookup[100];
__device__ int lookup_of_others[100];

/* A table's index is not clamped. */
KERNEL(load_beyond_a_device_variable) {
    if (T < 100) lookup[T] = (int)T, lookup_of_others[T] = 7;
    __syncthreads();
    const unsigned at = FIXED ? min(T, 99u) : T;
    out[T] = (float)lookup[at]; /* BUG */
}

/* cuda::barrier: the data of others is read between the arrival and the wait. */
KERNEL(read_between_arrival_and_wait) {
    __shared__ float s[128];
    __shared__ alignas(8) char memory[sizeof(block_barrier)];
    block_barrier &bar = *(block_barrier *)memory;
    if (T == 0) init(&bar, 128);
    __syncthreads();
    s[T] = in[T];
    auto token = bar.arrive();
    float v = 0;
    if (!FIXED) v = s[127 - T]; /* BUG */
    bar.wait(static_cast<decltype(token) &&>(token));
    if (FIXED) v = s[127 - T];
    out[T] = v;
}

/* The smallest value and its place are two words. */
KERNEL(minimum_and_place_in_two_words) {
    unsigned long long *both = (unsigned long long *)(out + 3000);
    unsigned *least = WORD, *place = WORD + 1;
    const unsigned value = 0x40000000 - __float_as_uint(in[128 * blockIdx.x + T]);
    if (FIXED) {
        atomicMax(both, (unsigned long long)value << 32 | (128 * blockIdx.x + T));
    } else {
        if (value > atomicMax(least, value)) *place = T; /* BUG */
    }
}

/* A block's counts are added to the grid's before all threads have counted. */
KERNEL(counts_added_before_barrier) {
    __shared__ unsigned bins[32];
    if (T < 32) bins[T] = 0;
    __syncthreads();
    atomicAdd(&bins[__float_as_uint(in[128 * blockIdx.x + T]) % 32], 1);
    if (FIXED) __syncthreads();
    if (T < 32) atomicAdd((unsigned *)out + T, bins[T]); /* BUG */
}

/* The carry of a scan in rounds is overwritten before all have read it. */
KERNEL(carry_overwritten_before_read) {
    __shared__ float carry;
    if (T == 0) carry = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        const float mine = carry + WHOLE(in[128 * k + T]);
        if (FIXED) __syncthreads();
        if (T == 127) carry = mine; /* BUG */
        __syncthreads();
        out[128 * k + T] = mine;
    }
}

/* Two groups of warps write half a tile each; the barrier before the bulk store is that of one group. */
KERNEL(store_after_barrier_of_one_half) {
    __shared__ alignas(128) float s[256];
    s[T] = in[T] * 2;
    fence_async();
    if (FIXED)
        __syncthreads();
    else if (T < 128)
        named_sync(1, 128);
    else
        named_sync(2, 128);
    if (T == 0) {
        bulk_store(out, s, 1024); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* Two groups take turns with one buffer; nothing tells the second that the first is done with it. */
KERNEL(groups_share_a_buffer_without_turns) {
    __shared__ float s[128];
    const unsigned group = T / 128, t = T % 128;
    if (FIXED && group == 1) named_sync(3, 256);
    s[t] = in[T]; /* BUG */
    if (group == 0)
        named_sync(1, 128);
    else
        named_sync(2, 128);
    out[T] = s[127 - t];
    if (FIXED && group == 0) named_sync(3, 256);
}

/* One block fills a table; the others wait for it and do not acquire. */
KERNEL(table_made_by_the_first) {
    float *table = out + 1000;
    __shared__ unsigned first;
    if (T == 0) first = atomicCAS(WORD, 0, 1) == 0;
    __syncthreads();
    if (first) {
        table[T] = in[T];
        __threadfence();
        __syncthreads();
        if (T == 0) atomicExch(WORD, 2);
    } else {
        while (*(volatile unsigned *)WORD != 2) {
        }
        if (FIXED) __threadfence();
        ORDERED;
    }
    out[128 * blockIdx.x + T] = table[127 - T]; /* BUG */
    if (first) out[128 * blockIdx.x + T] = in[127 - T];
}

/* A slot of a queue is taken as soon as the tail has passed it, before its producer has filled it. */
KERNEL(slot_read_before_it_is_filled) {
    unsigned *tail = WORD, *ready = WORD + 8;
    float *slots = out + 1000;
    if (T) return;
    if (blockIdx.x == 0) {
        const unsigned at = atomicAdd(tail, 1);
        slots[at] = in[0];
        __threadfence();
        *(volatile unsigned *)&ready[at] = 1;
    } else {
        if (FIXED)
            while (*(volatile unsigned *)&ready[0] == 0) {
            }
        else
            while (*(volatile unsigned *)tail == 0) {
            }
        __threadfence();
        out[0] = slots[0]; /* BUG */
    }
}

/* The value of a hash table's slot is read as soon as its key is there. */
KERNEL(value_read_when_key_is_there) {
    unsigned *key = WORD, *done = WORD + 1;
    float *value = out + 1000;
    if (T) return;
    if (blockIdx.x == 0) {
        if (atomicCAS(key, 0, 42) == 0) {
            *value = in[0];
            __threadfence();
            atomicExch(done, 1);
        }
    } else {
        while (atomicCAS(key, 42, 42) != 42) {
        }
        if (FIXED)
            while (atomicAdd(done, 0) == 0) {
            }
        __threadfence();
        out[0] = *value; /* BUG */
    }
}

/* A version counter around the data: the reader does not look at it again. */
KERNEL(version_not_looked_at_again) {
    volatile unsigned *version = WORD, *data = (volatile unsigned *)out + 1000;
    if (T) return;
    if (blockIdx.x == 0) {
        for (unsigned k = 1; k <= 3; k++) {
            *version = 2 * k - 1;
            __threadfence();
            data[0] = k;
            data[1] = k;
            __threadfence();
            *version = 2 * k;
        }
    } else {
        unsigned before, a, b;
        do {
            before = *version;
            __threadfence();
            a = data[0]; /* BUG */
            b = data[1];
            __threadfence();
        } while (before % 2 || (FIXED && *version != before));
        out[0] = a == b ? 1 : 2;
    }
}

/* A cluster's block reads what its peer has copied there; only the peer has waited. */
CLUSTER(2, peer_reads_tile_of_unfinished_copy) {
    __shared__ alignas(128) float s[128];
    __shared__ mbarrier full;
    float v;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, in + 128 * cluster_rank(), 512, &full);
    }
    if (FIXED) barrier_wait(&full, 0);
    cluster_sync();
    PTX("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(peer(s + T, cluster_rank() ^ 1)) : "memory"); /* BUG */
    if (!FIXED) barrier_wait(&full, 0);
    out[128 * cluster_rank() + T] = v;
    cluster_sync();
}

/* A stack of free slots: its top is taken by a load and a store. */
KERNEL(free_slot_taken_without_atomics) {
    volatile unsigned *top = WORD;
    if (T) return;
    unsigned mine;
    if (FIXED) {
        mine = atomicAdd((unsigned *)top, 1);
    } else {
        mine = *top; /* BUG */
        *top = mine + 1;
    }
    __threadfence();
    out[mine] = 1;
}
