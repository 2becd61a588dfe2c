/* Right kernels of kinds that are easily taken for defects: synchronisation through words of memory, as libraries write
 * it. haul must report nothing. sm_90. */
#include <cooperative_groups.h>
#include <cuda/barrier>

#include "asyncbugs.cuh"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

/* Scan by look-back: state and sum in one word of 64 bits. */
KERNEL(look_back_in_one_word) {
    volatile unsigned long long *states = (volatile unsigned long long *)(out + 3000);
    if (T) return;
    const unsigned own = (unsigned)WHOLE(in[blockIdx.x]);
    unsigned before = 0;
    if (blockIdx.x) {
        states[blockIdx.x] = 1ull << 32 | own;
        for (int b = (int)blockIdx.x - 1; b >= 0; b--) {
            unsigned long long seen;
            do seen = states[b];
            while (seen >> 32 == 0);
            before += (unsigned)seen;
            if (seen >> 32 == 2) break;
        }
    }
    states[blockIdx.x] = 2ull << 32 | (before + own);
    out[blockIdx.x] = (float)before;
}

/* The same with three arrays: the state says which of the two others to read. */
KERNEL(look_back_with_arrays) {
    unsigned *states = WORD;
    float *aggregates = out + 1000, *prefixes = out + 2000;
    if (T) return;
    const float own = WHOLE(in[blockIdx.x]);
    float before = 0;
    if (blockIdx.x) {
        aggregates[blockIdx.x] = own;
        __threadfence();
        *(volatile unsigned *)&states[blockIdx.x] = 1;
        for (int b = (int)blockIdx.x - 1; b >= 0; b--) {
            unsigned state;
            do state = *(volatile unsigned *)&states[b];
            while (state == 0);
            __threadfence();
            before += state == 2 ? prefixes[b] : aggregates[b];
            if (state == 2) break;
        }
    }
    prefixes[blockIdx.x] = before + own;
    __threadfence();
    *(volatile unsigned *)&states[blockIdx.x] = 2;
    out[blockIdx.x] = before;
}

/* Blocks add to a tile in turn. */
KERNEL(semaphore_in_turn) {
    float *tile = out + 1000;
    if (T == 0) {
        unsigned turn;
        do load_relaxed(turn, WORD);
        while (turn != blockIdx.x);
        __threadfence();
    }
    __syncthreads();
    tile[T] += in[128 * blockIdx.x + T];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(WORD, 1);
    }
}

/* The block that comes last adds up what the others have left. */
KERNEL(last_block_adds_up) {
    __shared__ bool is_last;
    float *partial = out + 1000;
    partial[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
    __threadfence();
    __syncthreads();
    if (T == 0) is_last = atomicAdd(WORD, 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    float sum = 0;
    for (unsigned b = 0; b < gridDim.x; b++) sum += partial[128 * b + T];
    out[T] = sum;
}

/* A ring of four slots from one block to another. */
KERNEL(ring_of_one_producer) {
    unsigned *head = WORD, *tail = WORD + 32;
    float *ring = out + 1000;
    unsigned seen;
    for (unsigned k = 0; k < 16; k++) {
        if (blockIdx.x == 0) {
            if (T == 0 && k >= 4) {
                do load_acquire(seen, tail);
                while (seen < k - 3);
            }
            __syncthreads();
            ring[128 * (k % 4) + T] = in[(128 * k + T) % 4096];
            __syncthreads();
            if (T == 0) store_release(head, k + 1);
        } else {
            if (T == 0) {
                do load_acquire(seen, head);
                while (seen < k + 1);
            }
            __syncthreads();
            out[T] += ring[128 * (k % 4) + T];
            __syncthreads();
            if (T == 0) store_release(tail, k + 1);
        }
    }
}

/* A queue with a number in each slot: several producers, several consumers. */
KERNEL(queue_with_numbered_slots) {
    unsigned *numbers = WORD, *in_at = WORD + 8, *out_at = WORD + 9;
    float *slots = out + 1000;
    unsigned seen;
    if (T) return;
    for (unsigned k = 0; k < 4; k++) {
        if (blockIdx.x < 2) {
            const unsigned at = atomicAdd(in_at, 1), round = at / 4;
            do load_acquire(seen, &numbers[at % 4]);
            while (seen != 2 * round);
            slots[at % 4] = WHOLE(in[4 * blockIdx.x + k]);
            store_release(&numbers[at % 4], 2 * round + 1);
        } else {
            const unsigned at = atomicAdd(out_at, 1), round = at / 4;
            do load_acquire(seen, &numbers[at % 4]);
            while (seen != 2 * round + 1);
            atomicAdd(out, slots[at % 4]);
            store_release(&numbers[at % 4], 2 * round + 2);
        }
    }
}

/* Two stages, each with a full and an empty barrier, whose phases flip. */
KERNEL(double_buffer_of_bulk_copies) {
    __shared__ alignas(128) float s[2][128];
    __shared__ mbarrier full[2], empty[2];
    if (T == 0)
        for (int k = 0; k < 2; k++) {
            barrier_init(&full[k], 1);
            barrier_init(&empty[k], 128);
        }
    fence_barrier_init();
    __syncthreads();
    if (T >= 128) {
        for (int k = 0; k < 8 && T == 128; k++) {
            if (k >= 2) barrier_wait(&empty[k % 2], (k / 2 - 1) % 2);
            barrier_expect(&full[k % 2], 512);
            bulk_load(s[k % 2], in + 128 * k, 512, &full[k % 2]);
        }
        return;
    }
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        barrier_wait(&full[k % 2], k / 2 % 2);
        sum += s[k % 2][127 - T];
        barrier_arrive(&empty[k % 2]);
    }
    out[T] = sum;
}

/* Work between the arrival and the wait that needs nobody else's data. */
KERNEL(split_arrival_and_wait) {
    __shared__ float s[128];
    __shared__ alignas(8) char memory[sizeof(block_barrier)];
    block_barrier &bar = *(block_barrier *)memory;
    if (T == 0) init(&bar, 128);
    __syncthreads();
    float own = 0;
    for (int k = 0; k < 3; k++) {
        s[T] = in[128 * k + T];
        auto token = bar.arrive();
        own += in[512 + T];
        bar.wait(static_cast<decltype(token) &&>(token));
        own += s[127 - T];
        bar.arrive_and_wait();
    }
    out[T] = own;
}

/* A barrier of the grid by the highest bit of a counter, three times. */
KERNEL(grid_barrier_by_the_highest_bit) {
    for (unsigned k = 0; k < 3; k++) {
        out[1100 * k + 128 * blockIdx.x + T] = in[128 * blockIdx.x + T] + k;
        __syncthreads();
        if (T == 0) {
            const unsigned add = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
            __threadfence();
            const unsigned old = atomicAdd(WORD, add);
            while (((old ^ *(volatile unsigned *)WORD) & 0x80000000u) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[1100 * k + 512 + 128 * blockIdx.x + T] = out[1100 * k + 128 * (gridDim.x - 1 - blockIdx.x) + T];
    }
}

/* A barrier of the grid whose counter is set to zero by the last to arrive, and whose generation the others wait for.
 */
KERNEL(grid_barrier_by_generation) {
    unsigned *count = WORD, *generation = WORD + 1;
    for (unsigned k = 0; k < 3; k++) {
        out[1100 * k + 128 * blockIdx.x + T] = in[128 * blockIdx.x + T] + k;
        __syncthreads();
        if (T == 0) {
            const unsigned now = *(volatile unsigned *)generation;
            __threadfence();
            if (atomicAdd(count, 1) == gridDim.x - 1) {
                *(volatile unsigned *)count = 0;
                __threadfence();
                *(volatile unsigned *)generation = now + 1;
            } else {
                while (*(volatile unsigned *)generation == now) {
                }
            }
            __threadfence();
        }
        __syncthreads();
        out[1100 * k + 512 + 128 * blockIdx.x + T] = out[1100 * k + 128 * (gridDim.x - 1 - blockIdx.x) + T];
    }
}

/* A counter that only rises: each round waits for as many arrivals more. */
KERNEL(grid_barrier_that_only_rises) {
    for (unsigned k = 0; k < 4; k++) {
        out[900 * k + 128 * blockIdx.x + T] = in[128 * blockIdx.x + T] + k;
        __syncthreads();
        if (T == 0) {
            __threadfence();
            atomicAdd(WORD, 1);
            while (*(volatile unsigned *)WORD < (k + 1) * gridDim.x) {
            }
            __threadfence();
        }
        __syncthreads();
        out[900 * k + 450 + 128 * (blockIdx.x % 2) + T] = 0 * out[900 * k + 128 * (gridDim.x - 1 - blockIdx.x) + T];
    }
}

/* Blocks of a cluster hand tiles on in a ring, with the cluster's barrier in two halves. */
CLUSTER(4, ring_through_a_cluster) {
    __shared__ float s[2][128];
    const unsigned rank = cluster_rank();
    s[0][T] = in[128 * rank + T];
    cluster_sync();
    for (int k = 0; k < 4; k++) {
        float v;
        PTX("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(peer(&s[k % 2][T], (rank + 1) % 4)) : "memory");
        s[(k + 1) % 2][T] = v + 1;
        cluster_arrive();
        out[128 * (4 * k + rank) + T] = v;
        cluster_wait();
    }
}

/* Lanes that append take their places from one atomic. */
KERNEL(places_from_one_atomic) {
    if (in[128 * blockIdx.x + T] > 0.5f) {
        const auto active = cg::coalesced_threads();
        unsigned at = 0;
        if (active.thread_rank() == 0) at = atomicAdd(WORD, active.size());
        at = active.shfl(at, 0) + active.thread_rank();
        out[at] = 1;
    }
}

/* Nodes are pushed on a stack; the last block takes all of them. */
KERNEL(stack_of_nodes) {
    unsigned *head = WORD, *next = WORD + 8, *done = WORD + 1;
    float *values = out + 1000;
    if (T) return;
    values[blockIdx.x + 1] = WHOLE(in[blockIdx.x]);
    unsigned old = *(volatile unsigned *)head, seen;
    do {
        seen = old;
        next[blockIdx.x + 1] = seen;
        __threadfence();
        old = atomicCAS(head, seen, blockIdx.x + 1);
    } while (old != seen);
    __threadfence();
    if (atomicAdd(done, 1) != gridDim.x - 1) return;
    __threadfence();
    float sum = 0;
    for (unsigned at = atomicExch(head, 0); at; at = next[at]) sum += values[at];
    out[0] = sum;
}

/* Data and flag of each pair in one store of 8 bytes; the reader says by a counter how far it is. */
KERNEL(pairs_of_data_and_flag) {
    unsigned *pairs = WORD, *taken = (unsigned *)out + 3900;
    if (T >= 32) return;
    for (unsigned k = 1; k <= 6; k++) {
        if (blockIdx.x == 0) {
            if (k > 1)
                while (*(volatile unsigned *)&taken[T] < k - 1) {
                }
            PTX("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(pairs + 2 * T), "r"(__float_as_uint(in[32 * k + T])),
                "r"(k)
                : "memory");
        } else {
            unsigned data, flag;
            do
                PTX("ld.volatile.global.v2.u32 {%0, %1}, [%2];"
                    : "=r"(data), "=r"(flag)
                    : "l"(pairs + 2 * T)
                    : "memory");
            while (flag != k);
            out[32 * k + T] = __uint_as_float(data);
            *(volatile unsigned *)&taken[T] = k;
        }
    }
}

/* Two pairs in 16 bytes; the loop looks at both flags. */
KERNEL(two_pairs_in_one_store) {
    unsigned *line = WORD;
    if (T >= 8) return;
    if (blockIdx.x == 0) {
        PTX("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(line + 4 * T), "r"(__float_as_uint(in[T])),
            "r"(1), "r"(__float_as_uint(in[8 + T]))
            : "memory");
    } else {
        unsigned a, b, first, second;
        do
            PTX("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(a), "=r"(first), "=r"(b), "=r"(second)
                : "l"(line + 4 * T)
                : "memory");
        while (first != 1 || second != 1);
        out[2 * T] = __uint_as_float(a), out[2 * T + 1] = __uint_as_float(b);
    }
}

/* A lock that is looked at before it is tried. */
KERNEL(lock_looked_at_first) {
    float *sum = out + 2000;
    if (T) return;
    for (;;) {
        while (*(volatile unsigned *)WORD != 0) {
        }
        if (atomicCAS(WORD, 0, 1) == 0) break;
    }
    __threadfence();
    *sum += WHOLE(in[blockIdx.x]);
    __threadfence();
    atomicExch(WORD, 0);
}

/* The same in shared memory, given back by a volatile store. */
KERNEL(lock_in_shared_memory_looked_at_first) {
    __shared__ unsigned lock;
    __shared__ float sum;
    if (T == 0) lock = 0, sum = 0;
    __syncthreads();
    if (LANE == 0) {
        for (;;) {
            while (*(volatile unsigned *)&lock != 0) {
            }
            if (atomicCAS(&lock, 0, 1) == 0) break;
        }
        __threadfence_block();
        sum += WHOLE(in[WARP]);
        __threadfence_block();
        *(volatile unsigned *)&lock = 0;
    }
    __syncthreads();
    if (T == 0) out[0] = sum;
}

/* Tickets: the turn is a volatile word, and each block comes three times. */
KERNEL(tickets) {
    volatile unsigned *turn = WORD + 1;
    float *sum = out + 2000;
    if (T) return;
    for (int k = 0; k < 3; k++) {
        const unsigned ticket = atomicAdd(WORD, 1);
        while (*turn != ticket) {
        }
        __threadfence();
        ORDERED;
        *sum += WHOLE(in[blockIdx.x]);
        __threadfence();
        ORDERED;
        *turn = ticket + 1;
    }
}

/* Two blocks take turns with one word, eight times. */
KERNEL(two_blocks_in_turn) {
    volatile unsigned *turn = WORD;
    volatile float *data = out + 1000;
    if (T) return;
    for (unsigned k = 0; k < 8; k++) {
        while (*turn % 2 != blockIdx.x) {
        }
        __threadfence();
        data[0] = data[0] + WHOLE(in[k]);
        __threadfence();
        *turn = 1 - blockIdx.x;
    }
}

/* The next tile's number is taken by one thread, and told to the block between two barriers. */
KERNEL(tile_number_between_barriers) {
    __shared__ unsigned tile;
    for (;;) {
        __syncthreads();
        if (T == 0) tile = atomicAdd(WORD, 1);
        __syncthreads();
        if (tile >= 12) return;
        out[128 * tile + T] = in[128 * tile + T];
    }
}

/* A warp waits for others by a counter in shared memory; all of them have to come. */
KERNEL(counter_of_warps) {
    __shared__ float sums[4];
    __shared__ unsigned count;
    if (T == 0) count = 0;
    __syncthreads();
    if (LANE == 0) {
        sums[WARP] = in[WARP];
        __threadfence_block();
        atomicAdd(&count, 1);
        if (WARP == 3) {
            while (*(volatile unsigned *)&count != 4) {
            }
            __threadfence_block();
            out[0] = sums[0] + sums[1] + sums[2] + sums[3];
        }
    }
}

/* All threads release by themselves; one waits for all and tells its block. */
KERNEL(each_thread_releases) {
    float *partial = out + 1000;
    if (blockIdx.x) {
        partial[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
        PTX("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(WORD) : "memory");
    } else {
        if (T == 0) {
            unsigned count;
            do load_acquire(count, WORD);
            while (count < 128 * (gridDim.x - 1));
        }
        __syncthreads();
        out[T] = partial[128 + T] + partial[256 + T] + partial[384 + T];
    }
}

/* A queue's lock: each waits for the one before it. */
KERNEL(lock_in_a_queue) {
    unsigned *last = WORD, *open = WORD + 8;
    float *sum = out + 2000;
    if (T) return;
    const unsigned before = atomicExch(last, blockIdx.x + 1);
    if (before) {
        while (*(volatile unsigned *)&open[before - 1] == 0) {
        }
        __threadfence();
    }
    ORDERED;
    *sum += WHOLE(in[blockIdx.x]);
    __threadfence();
    ORDERED;
    *(volatile unsigned *)&open[blockIdx.x] = 1;
}

/* Warps of one role wait for the other's flag in shared memory, round by round. */
KERNEL(flags_of_warps_by_round) {
    __shared__ float data[32];
    __shared__ unsigned filled, emptied;
    if (T == 0) filled = emptied = 0;
    __syncthreads();
    for (unsigned k = 1; k <= 4; k++) {
        if (WARP == 0) {
            while (*(volatile unsigned *)&emptied < k - 1) {
            }
            __threadfence_block();
            data[LANE] = in[32 * k + LANE];
            __threadfence_block();
            __syncwarp();
            if (LANE == 0) *(volatile unsigned *)&filled = k;
        } else if (WARP == 1) {
            while (*(volatile unsigned *)&filled < k) {
            }
            __threadfence_block();
            out[32 * k + LANE] = data[31 - LANE];
            __threadfence_block();
            __syncwarp();
            if (LANE == 0) *(volatile unsigned *)&emptied = k;
        }
    }
}

/* ---- counts that are set back, and words that several threads store to ---- */

/* The last block to arrive sets the count back and opens the barrier; any block may be the last. */
KERNEL(count_set_back_by_the_last) {
    volatile unsigned *count = WORD, *generation = WORD + 1;
    for (unsigned round = 0; round < 3; round++) {
        out[128 * blockIdx.x + T] += in[T + round];
        __syncthreads();
        if (T == 0) {
            __threadfence();
            if (atomicAdd((unsigned *)count, 1) == gridDim.x - 1) {
                *count = 0;
                __threadfence();
                *generation = round + 1;
            } else {
                while (*generation == round) {
                }
            }
            __threadfence();
        }
        __syncthreads();
        out[2048 + 128 * blockIdx.x + T] += out[128 * ((blockIdx.x + 1) % gridDim.x) + T];
        __syncthreads();
        if (T == 0) {
            __threadfence();
            if (atomicAdd(WORD + 2, 1) == gridDim.x * (round + 1) - 1) *(volatile unsigned *)(WORD + 3) = round + 1;
            while (*(volatile unsigned *)(WORD + 3) < round + 1) {
            }
            __threadfence();
        }
        __syncthreads();
    }
}

/* The sense of a barrier turns with each round. */
KERNEL(barrier_with_a_sense) {
    volatile unsigned *sense = WORD + 1;
    unsigned own = 0;
    for (unsigned round = 0; round < 4; round++) {
        own ^= 1;
        out[128 * blockIdx.x + T] = in[T + round];
        __syncthreads();
        if (T == 0) {
            __threadfence();
            if (atomicSub(WORD + 2, 1) == 1u - gridDim.x) {
                atomicExch(WORD + 2, 0);
                __threadfence();
                *sense = own;
            }
            while (*sense != own) {
            }
            __threadfence();
        }
        __syncthreads();
    }
}

/* A slot is filled by stores and emptied by atomicExch(). */
KERNEL(slot_emptied_by_exchange) {
    volatile unsigned *slot = WORD;
    if (T) return;
    if (blockIdx.x == 0) {
        for (unsigned k = 1; k <= 4; k++) {
            while (*slot != 0) {
            }
            out[k] = in[k];
            __threadfence();
            *slot = k;
        }
    } else {
        for (unsigned taken = 0; taken < 4;) {
            const unsigned k = atomicExch((unsigned *)slot, 0);
            if (k == 0) continue;
            __threadfence();
            out[64 + k] = out[k];
            taken++;
        }
    }
}

/* A lock taken by exchange and given back by a volatile store behind a fence. */
KERNEL(lock_taken_by_exchange) {
    volatile unsigned *lock = WORD;
    if (T) return;
    do {
        while (*lock) {
        }
    } while (atomicExch((unsigned *)lock, 1));
    __threadfence();
    out[0] += WHOLE(in[blockIdx.x]);
    __threadfence();
    *lock = 0;
}

/* Permits: a block takes one by compare and swap and gives it back by an addition. */
KERNEL(permits_for_two) {
    volatile unsigned *used = WORD;
    if (T) return;
    for (;;) {
        const unsigned now = *used;
        if (now < 2 && atomicCAS((unsigned *)used, now, now + 1) == now) break;
    }
    __threadfence();
    atomicAdd(out, WHOLE(in[blockIdx.x]));
    __threadfence();
    atomicSub((unsigned *)used, 1);
}

/* Any block that finds one says where: which of them is of no importance. */
KERNEL(any_finder_will_do) {
    volatile unsigned *found = WORD;
    if (blockIdx.x) {
        if (in[128 * blockIdx.x + T] >= 0) *found = blockIdx.x;
        return;
    }
    if (T) return;
    while (*found == 0) {
    }
    out[0] = 1;
}

/* One thread polls; another one of its block stores the next value after a barrier. */
KERNEL(polled_and_stored_by_two_threads) {
    volatile unsigned *turn = WORD;
    for (unsigned k = 0; k < 4; k++) {
        if (k % 2 == blockIdx.x) {
            if (T == 0) {
                while (*turn != k) {
                }
                __threadfence();
            }
            __syncthreads();
            out[T] += in[128 * k + T];
            __syncthreads();
            if (T == 64) {
                __threadfence();
                *turn = k + 1;
            }
        }
        __syncthreads();
    }
}

/* Every block that is done stores the same value, and a counter says how many. */
KERNEL(all_store_done) {
    volatile unsigned *done = WORD;
    out[128 * blockIdx.x + T] = in[T];
    __syncthreads();
    if (T) return;
    __threadfence();
    if (atomicAdd(WORD + 1, 1) >= 1) *done = 1;
    while (*done == 0) {
    }
}

/* A warp looks back over 32 predecessors at once. */
KERNEL(warp_looks_back) {
    volatile unsigned long long *states = (volatile unsigned long long *)(out + 3000);
    const unsigned own = (unsigned)WHOLE(in[blockIdx.x]);
    unsigned before = 0;
    if (T >= 32) return;
    if (LANE == 0) states[blockIdx.x] = 1ull << 32 | own;
    for (int at = (int)blockIdx.x - 1 - (int)LANE;; at -= 32) {
        unsigned long long seen = 2ull << 32;
        if (at >= 0) do
                seen = states[at];
            while (seen >> 32 == 0);
        const unsigned whole = __ballot_sync(~0u, seen >> 32 == 2), last = __ffs((int)whole);
        unsigned part = !last || LANE < last ? (unsigned)seen : 0;
        for (int d = 16; d; d /= 2) part += __shfl_xor_sync(~0u, part, d);
        before += part;
        if (last) break;
    }
    if (LANE == 0) {
        states[blockIdx.x] = 2ull << 32 | (before + own);
        out[blockIdx.x] = (float)before;
    }
}

/* A version counter with several writers, who take it by compare and swap. */
KERNEL(version_of_several_writers) {
    volatile unsigned *version = WORD, *data = (volatile unsigned *)out + 1000;
    if (T) return;
    if (blockIdx.x < 2) {
        unsigned now;
        do now = *version & ~1u;
        while (atomicCAS((unsigned *)version, now, now + 1) != now);
        __threadfence();
        data[0] = now + 2;
        data[1] = now + 2;
        __threadfence();
        *version = now + 2;
    } else {
        unsigned before, a, b;
        do {
            before = *version;
            __threadfence();
            a = data[0];
            b = data[1];
            __threadfence();
        } while (before % 2 || *version != before);
        out[blockIdx.x] = a == b ? 1 : 2;
    }
}

/* Blocks of a split add their tiles in turn, and the last sets the semaphore back. */
KERNEL(semaphore_set_back_by_the_last_split) {
    volatile unsigned *turn = WORD;
    const unsigned split = gridDim.x - 1 - blockIdx.x;
    if (T == 0) {
        while (*turn != split) {
        }
        __threadfence();
    }
    __syncthreads();
    out[T] = (split ? out[T] : 0) + in[128 * split + T];
    __threadfence();
    __syncthreads();
    if (T == 0) *turn = split + 1 == gridDim.x ? 0 : split + 1;
}

/* A tree of one warp with volatile accesses, and a barrier of the warp between loads and stores. */
KERNEL(volatile_tree_with_syncwarp) {
    __shared__ volatile float s[64];
    if (T >= 32) return;
    s[T] = in[T];
    s[T + 32] = 0;
    __syncwarp();
    for (int d = 16; d; d /= 2) {
        const float v = s[T] + s[T + d];
        __syncwarp();
        s[T] = v;
        __syncwarp();
    }
    out[T] = s[0];
}

/* Three buffers and one barrier a round: a buffer is filled two rounds after it was read. */
KERNEL(three_buffers_one_barrier) {
    __shared__ alignas(16) float s[3][128];
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        copy4(s[k] + T, in + 128 * k + T);
        copy_commit();
    }
    for (int k = 0; k < 8; k++) {
        copy_wait(1);
        __syncthreads();
        sum += s[k % 3][127 - T];
        if (k + 2 < 8) copy4(s[(k + 2) % 3] + T, in + 128 * (k + 2) + T);
        copy_commit();
    }
    out[T] = sum;
}

/* Counts of each warp apart, then of the block by the first threads. */
KERNEL(counts_of_warps_apart) {
    __shared__ unsigned counts[4][16];
    for (unsigned k = T; k < 64; k += 128) counts[k / 16][k % 16] = 0;
    __syncthreads();
    atomicAdd(&counts[WARP][(unsigned)WHOLE(in[T]) % 16], 1);
    __syncthreads();
    if (T < 16) out[T] = (float)(counts[0][T] + counts[1][T] + counts[2][T] + counts[3][T]);
}

/* All warps load the sum so far, and the first one adds to it. */
KERNEL(sum_loaded_by_all_warps) {
    float before;
    PTX("ld.global.f32 %0, [%1];" : "=f"(before) : "l"(out + 32 * blockIdx.x + LANE));
    const float sum = before + in[LANE];
    if (T < 32) out[32 * blockIdx.x + T] = sum;
}

/* The greatest value, by a loop of compare and swap that begins with an ordinary load. */
KERNEL(greatest_by_compare_and_swap) {
    int *most = (int *)out, seen = *most;
    const int own = __float_as_int(in[128 * blockIdx.x + T]);
    while (seen < own) {
        const int now = atomicCAS(most, seen, own);
        if (now == seen) break;
        seen = now;
    }
}

/* Tiles by a shared counter, handed to the block with two barriers. */
KERNEL(tiles_by_a_counter) {
    __shared__ unsigned tile;
    for (;;) {
        if (T == 0) tile = atomicAdd(WORD, 1);
        __syncthreads();
        const unsigned own = tile;
        __syncthreads();
        if (own >= 16) break;
        out[128 * own + T] = in[128 * own + T];
    }
}

/* All warps of a block sum a row among their lanes, and the first one divides it by its sum in place. */
KERNEL(row_divided_by_all_warps) {
    float v;
    PTX("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(out + 32 * blockIdx.x + LANE));
    float sum = v + in[LANE];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (WARP == 0) out[32 * blockIdx.x + LANE] = v / sum;
}

/* The same with rows of 16, of which each half of a warp has one; the first half stores. */
KERNEL(short_row_divided_by_halves_of_warps) {
    float v;
    PTX("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(out + 16 * blockIdx.x + T % 16));
    float sum = v + in[T % 16];
    for (int d = 8; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (T < 16) out[16 * blockIdx.x + T] = v / sum;
}
