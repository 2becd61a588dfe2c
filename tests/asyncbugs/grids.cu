/* Defects between the blocks of a grid: work counters of persistent kernels, parts of a split that are added up,
 * queues, trees, look-back over tiles. Four blocks of 128 threads. sm_90. */
#include "asyncbugs.cuh"

/* The last block to begin sets the counter of tiles back, while others fetch from it. Only the last one to leave knows
 * that nobody does: the store and the others' additions are unordered. */
KERNEL(work_counter_set_back_early) {
    __shared__ unsigned tile;
    unsigned *next = WORD, *left = WORD + 1;
    if (!FIXED && T == 0 && atomicAdd(left, 1) == gridDim.x - 1) *next = 0; /* BUG */
    for (;;) {
        if (T == 0) tile = atomicAdd(next, 1); /* BUG */
        __syncthreads();
        const unsigned own = tile;
        __syncthreads();
        if (own >= 16) break;
        out[128 * own + T] = in[128 * own + T];
    }
    if (FIXED && T == 0) {
        __threadfence();
        if (atomicAdd(left, 1) == gridDim.x - 1) {
            __threadfence();
            *next = 0;
        }
    }
}

/* The owner of a tile adds the parts of three blocks, each of which sets a bit. One bit says nothing of the others. */
KERNEL(owner_waits_for_any_bit) {
    volatile unsigned *bits = WORD;
    if (blockIdx.x) {
        out[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
        __threadfence();
        __syncthreads();
        if (T == 0) atomicOr((unsigned *)bits, 1u << blockIdx.x);
    } else {
        if (T == 0)
            while (FIXED ? (*bits & 14) != 14 : (*bits & 14) == 0) {
            }
        __threadfence();
        __syncthreads();
        out[1024 + T] = out[128 + T] + out[256 + T] + out[384 + T]; /* BUG */
    }
}

/* Two sums over the grid share the memory of their parts. Nothing orders a block's second part behind the first sum,
 * which the last block takes. */
KERNEL(second_sum_in_the_same_parts) {
    __shared__ bool last;
    for (int k = 0; k < 2; k++) {
        float *parts = out + 2048 + (FIXED ? 4 * k : 0);
        if (T == 0) {
            parts[blockIdx.x] = WHOLE(in[128 * blockIdx.x + k]); /* BUG */
            __threadfence();
            last = atomicAdd(WORD + k, 1) == gridDim.x - 1;
            __threadfence();
        }
        __syncthreads();
        if (last && T == 0) out[k] = parts[0] + parts[1] + parts[2] + parts[3]; /* BUG */
        __syncthreads();
    }
}

/* Producers take slots of a queue and count those that are filled. Three filled slots need not be the first three. */
KERNEL(filled_slots_counted_out_of_order) {
    unsigned *head = WORD;
    volatile unsigned *filled = WORD + 1;
    if (T) return;
    if (blockIdx.x < 3) {
        const unsigned slot = atomicAdd(head, 1);
        out[slot] = in[slot];
        if (FIXED)
            while (*filled != slot) {
            }
        __threadfence();
        if (FIXED)
            *filled = slot + 1;
        else
            atomicAdd((unsigned *)filled, 1);
    } else {
        float sum = 0;
        for (unsigned k = 0; k < 3; k++) {
            while (*filled <= k) {
            }
            __threadfence();
            sum += out[k]; /* BUG */
        }
        out[64] = sum;
    }
}

/* A tree is built from its leaves: the second thread at a node goes on, with what the first one has left. Its atomic
 * operation is relaxed, and no fence makes the child's box come first. */
KERNEL(parent_from_children_without_fence) {
    unsigned node = 4 + blockIdx.x;
    if (T) return;
    out[node] = in[node];
    while (node > 1) {
        if (FIXED) __threadfence();
        if (atomicAdd(WORD + node / 2, 1) == 0) return;
        if (FIXED) __threadfence();
        node /= 2;
        out[node] = fmaxf(out[2 * node], out[2 * node + 1]); /* BUG */
    }
}

/* Blocks set bytes of a word, and one polls the word. Accesses of different sizes are not morally strong: the poll
 * synchronises with none of the stores. */
KERNEL(flags_of_bytes_polled_as_a_word) {
    if (blockIdx.x < 3) {
        out[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
        __threadfence();
        __syncthreads();
        if (T == 0) {
            if (FIXED)
                ((volatile unsigned *)WORD)[blockIdx.x] = 1;
            else
                ((volatile unsigned char *)WORD)[blockIdx.x] = 1; /* BUG */
        }
    } else {
        if (FIXED && T < 3)
            while (((volatile unsigned *)WORD)[T] != 1) {
            }
        if (!FIXED && T == 0)
            while (*(volatile unsigned *)WORD != 0x010101) { /* BUG */
            }
        __threadfence();
        __syncthreads();
        out[1024 + T] = out[T] + out[128 + T] + out[256 + T]; /* BUG */
    }
}

/* Blocks are counted by a volatile load and a volatile store. Both are strong, but together no atomic operation: counts
 * are lost. */
KERNEL(volatile_count_of_blocks) {
    volatile unsigned *count = WORD;
    out[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
    if (T == 0) {
        if (FIXED)
            atomicAdd((unsigned *)count, 1);
        else
            *count = *count + 1; /* BUG */
    }
}

/* A block sleeps for as long as another one usually takes. */
KERNEL(sleeps_instead_of_waiting) {
    if (blockIdx.x == 0) {
        out[T] = in[T];
        __threadfence();
        __syncthreads();
        if (T == 0) *(volatile unsigned *)WORD = 1;
    } else if (blockIdx.x == 1) {
        if (FIXED) {
            while (*(volatile unsigned *)WORD == 0) {
            }
            __threadfence();
        } else
            __nanosleep(100000);
        out[128 + T] = out[127 - T]; /* BUG */
    }
}

/* Look-back over tiles: a tile's sum up to there takes the place of its own sum, which a later block may be reading, as
 * it has seen that status. */
KERNEL(prefix_replaces_the_aggregate) {
    volatile unsigned *status = WORD;
    float *own_sums = out + 2048, *sums = FIXED ? out + 2112 : own_sums;
    const unsigned b = blockIdx.x;
    if (T) return;
    const float own = WHOLE(in[b]);
    float sum = own;
    own_sums[b] = own;
    __threadfence();
    status[b] = 1;
    for (int k = (int)b - 1; k >= 0; k--) {
        unsigned seen;
        do seen = status[k];
        while (seen == 0);
        __threadfence();
        sum += seen == 2 ? sums[k] : own_sums[k]; /* BUG */
        if (seen == 2) break;
    }
    sums[b] = sum; /* BUG */
    __threadfence();
    status[b] = 2;
    out[b] = sum;
}
