/* Further right kernels, mostly without locks: rings, sequence locks, tables that are made once, barriers of the grid
 * in levels, copies and their bytes, rounds. haul must report nothing. sm_90. */
#include "asyncbugs.cuh"

__constant__ float table[128];

/* A ring of four slots between two blocks, by acquires and releases and no fence: the indices only rise. */
KERNEL(ring_of_acquires_and_releases) {
    unsigned *head = WORD, *tail = WORD + 1;
    if (T) return;
    if (blockIdx.x == 0) {
        for (unsigned k = 0; k < 12; k++) {
            unsigned taken;
            do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(taken) : "l"(tail) : "memory");
            while (k - taken >= 4);
            out[k % 4] = in[k];
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(head), "r"(k + 1) : "memory");
        }
    } else if (blockIdx.x == 1) {
        float sum = 0;
        for (unsigned k = 0; k < 12; k++) {
            unsigned there;
            do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(head) : "memory");
            while (there <= k);
            sum += out[k % 4];
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(tail), "r"(k + 1) : "memory");
        }
        out[64] = sum;
    }
}

/* A sequence lock whose data is read by relaxed loads: the reader throws away what it has read under an odd number, or
 * under two different ones. */
KERNEL(sequence_lock_of_relaxed_accesses) {
    unsigned *version = WORD, *data = (unsigned *)out + 1000;
    if (T) return;
    if (blockIdx.x == 0) {
        for (unsigned k = 0; k < 4; k++) {
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(version), "r"(2 * k + 1) : "memory");
            __threadfence();
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(data), "r"(k) : "memory");
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(data + 1), "r"(k) : "memory");
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(version), "r"(2 * k + 2) : "memory");
        }
    } else {
        unsigned before, after, a, b;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(before) : "l"(version) : "memory");
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(a) : "l"(data) : "memory");
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(b) : "l"(data + 1) : "memory");
            __threadfence();
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(after) : "l"(version) : "memory");
        } while (before % 2 || before != after);
        out[blockIdx.x] = a == b ? 1 : 2;
    }
}

/* The first block to come makes a table; the others look at its state, and wait only while it is made. */
KERNEL(table_made_once) {
    unsigned *state = WORD;
    __shared__ bool makes;
    unsigned seen;
    if (T == 0) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(state) : "memory");
        makes = seen != 2 && atomicCAS(state, 0, 1) == 0;
    }
    __syncthreads();
    if (makes) {
        out[T] = in[T];
        __threadfence();
        __syncthreads();
        if (T == 0) asm volatile("st.release.gpu.global.u32 [%0], 2;" ::"l"(state) : "memory");
    } else {
        if (T == 0) do
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(state) : "memory");
            while (seen != 2);
        __syncthreads();
    }
    out[1024 + 128 * blockIdx.x + T] = out[127 - T];
}

/* Lanes with the same bin add their number at once; the leader passes the place on. */
KERNEL(places_by_a_leader_of_each_bin) {
    unsigned *next = WORD;
    const unsigned bin = (unsigned)(4 * in[128 * blockIdx.x + T]) % 4;
    const unsigned same = __match_any_sync(~0u, bin);
    const int leader = __ffs((int)same) - 1;
    unsigned place = 0;
    if ((int)LANE == leader) place = atomicAdd(next + bin, (unsigned)__popc(same));
    place = __shfl_sync(same, place, leader) + (unsigned)__popc(same & ((1u << LANE) - 1));
    out[512 * bin + place] = 1;
}

/* A barrier of the grid in two levels: the last block of a pair arrives for both at the root. */
KERNEL(grid_barrier_of_two_levels) {
    for (unsigned k = 1; k <= 3; k++) {
        out[128 * blockIdx.x + T + 512 * k] = in[128 * blockIdx.x + T];
        __syncthreads();
        if (T == 0) {
            __threadfence();
            if (atomicAdd(WORD + 1 + blockIdx.x / 2, 1) == 2 * k - 1) {
                __threadfence();
                atomicAdd(WORD, 1);
            }
            while (*(volatile unsigned *)WORD < 2 * k) {
            }
            __threadfence();
        }
        __syncthreads();
        out[128 * blockIdx.x + T] = out[128 * ((blockIdx.x + 1) % 4) + T + 512 * k];
    }
}

/* The copy is issued before its bytes are told. The phase cannot end, as the arrival is still to come. */
KERNEL(copy_before_its_bytes_are_told) {
    __shared__ alignas(128) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        bulk_load(s, in, 512, &full);
        barrier_expect(&full, 512);
    }
    barrier_wait(&full, 0);
    out[T] = s[T];
}

/* Bytes that come in two parts are told by the arrival and by a later expect_tx of the same thread, each before its
 * copy. */
KERNEL(bytes_told_part_by_part) {
    __shared__ alignas(128) float s[256];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_add_bytes(&full, 512);
        bulk_load(s, in, 512, &full);
        barrier_expect(&full, 512);
        bulk_load(s + 128, in + 128, 512, &full);
    }
    barrier_wait(&full, 0);
    out[T] = s[T] + s[T + 128];
}

/* The producer waits for the parity before the first phase, which is over at once, so that its loop has no special
 * case. */
KERNEL(producer_begins_with_the_other_parity) {
    __shared__ alignas(128) float s[3][128];
    __shared__ mbarrier full[3], empty[3];
    if (T == 0)
        for (int k = 0; k < 3; k++) {
            barrier_init(full + k, 1);
            barrier_init(empty + k, 3);
        }
    fence_barrier_init();
    __syncthreads();
    if (WARP == 3) {
        if (LANE == 0)
            for (unsigned k = 0; k < 8; k++) {
                barrier_wait(empty + k % 3, (k / 3 & 1) ^ 1);
                barrier_expect(full + k % 3, 512);
                bulk_load(s[k % 3], in + 128 * k, 512, full + k % 3);
            }
    } else {
        float sum = 0;
        for (unsigned k = 0; k < 8; k++) {
            barrier_wait(full + k % 3, k / 3 & 1);
            sum += s[k % 3][T] + s[k % 3][127 - T];
            fence_async();
            __syncwarp();
            if (LANE == 0) barrier_arrive(empty + k % 3);
        }
        out[T] = sum;
    }
}

/* Blocks exchange halos for three steps, by flags that hold the number of the step and two buffers. A block is at most
 * one step ahead of its neighbours. */
KERNEL(halos_by_numbered_flags) {
    volatile unsigned *step = WORD;
    const unsigned b = blockIdx.x, left = (b + 3) % 4, right = (b + 1) % 4;
    float v = in[128 * b + T];
    for (unsigned k = 1; k <= 3; k++) {
        float *halo = out + 2048 + 8 * (k % 2);
        if (T == 0) halo[2 * b] = v;
        if (T == 127) halo[2 * b + 1] = v;
        __threadfence();
        __syncthreads();
        if (T == 0) step[b] = k;
        if (T < 2)
            while (step[T ? right : left] < k) {
            }
        __threadfence();
        __syncthreads();
        v += halo[2 * left + 1] + halo[2 * right];
    }
    out[128 * b + T] = v;
}

/* A butterfly through two buffers: a lane writes to the first again when a barrier has followed all reads of it. */
KERNEL(butterfly_in_two_buffers) {
    __shared__ float s[2][128];
    float v = in[T];
    unsigned which = 0;
    for (unsigned d = 1; d < 32; d *= 2, which ^= 1) {
        s[which][T] = v;
        __syncwarp();
        v += s[which][T ^ d];
    }
    out[T] = v;
}

/* The four bytes of a word belong to four blocks: they are places of their own. */
KERNEL(bytes_of_a_word_by_four_blocks) {
    ((unsigned char *)out)[4 * T + blockIdx.x] = (unsigned char)(T + blockIdx.x);
}

/* Sums of a cluster by turns in two buffers: with one barrier a round, a buffer is written again two rounds later. */
CLUSTER(4, cluster_sums_in_two_buffers) {
    __shared__ float parts[2][4];
    const unsigned rank = cluster_rank();
    float sum = 0;
    cluster_sync();
    for (unsigned k = 0; k < 4; k++) {
        if (T < 4)
            PTX("st.shared::cluster.f32 [%0], %1;" ::"r"(peer(&parts[k % 2][rank], T)), "f"(in[128 * rank + k])
                : "memory");
        cluster_sync();
        sum += parts[k % 2][0] + parts[k % 2][1] + parts[k % 2][2] + parts[k % 2][3];
    }
    out[128 * rank + T] = sum;
}

/* A block tries a lock a few times, and adds by itself if it does not get it. Both ways add by atomic operations. */
KERNEL(lock_tried_a_few_times) {
    unsigned *lock = WORD;
    if (T) return;
    bool has = false;
    for (int tries = 0; tries < 4 && !has; tries++) has = atomicCAS(lock, 0, 1) == 0;
    if (has) {
        __threadfence();
        out[0] += 1;
        __threadfence();
        atomicExch(lock, 0);
    } else
        atomicAdd(WORD + 1, 1);
}

/* The last warp to finish adds up the parts of all, without a barrier of the block. */
KERNEL(last_warp_adds_up) {
    __shared__ float parts[4];
    __shared__ unsigned done;
    if (T == 0) done = 0;
    __syncthreads();
    float sum = in[T];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (LANE == 0) {
        parts[WARP] = sum;
        __threadfence_block();
        if (atomicAdd(&done, 1) == 3) {
            __threadfence_block();
            out[0] = parts[0] + parts[1] + parts[2] + parts[3];
        }
    }
}

/* Blocks are counted by reductions that release, and one thread acquires the count for its block. */
KERNEL(counted_by_releasing_reductions) {
    if (blockIdx.x < 3) {
        out[128 * blockIdx.x + T] = in[128 * blockIdx.x + T];
        __syncthreads();
        if (T == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(WORD) : "memory");
    } else {
        unsigned there;
        if (T == 0) do
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(WORD) : "memory");
            while (there < 3);
        __syncthreads();
        out[1024 + T] = out[T] + out[128 + T] + out[256 + T];
    }
}

/* Each block has a queue of rows, which the others take from as well once theirs are done. */
KERNEL(rows_taken_from_others) {
    __shared__ unsigned row;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned queue = (blockIdx.x + k) % 4;
        for (;;) {
            if (T == 0) row = atomicAdd(WORD + queue, 1);
            __syncthreads();
            const unsigned own = row;
            __syncthreads();
            if (own >= 4) break;
            out[128 * (4 * queue + own) + T] = in[128 * (4 * queue + own) + T];
        }
    }
}

/* A volatile look at the maximum saves atomic operations; an old value costs one more. */
KERNEL(maximum_looked_at_first) {
    const int own = __float_as_int(in[128 * blockIdx.x + T]);
    if (own > *(volatile int *)out) atomicMax((int *)out, own);
}

/* A vertex is visited by the first to exchange its mark; a volatile look comes first. */
KERNEL(vertex_visited_once) {
    const unsigned vertex = (unsigned)(1024 * in[128 * blockIdx.x + T]) % 64;
    volatile unsigned *marks = WORD - 64;
    if (marks[vertex] == 0 && atomicExch((unsigned *)marks + vertex, 1) == 0) out[vertex] = 1;
}

/* Copies of a warp for itself: each lane waits for its own, and the barrier of the warp is for the others'. */
KERNEL(copies_within_a_warp) {
    __shared__ alignas(16) float s[4][32];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        copy4(&s[WARP][LANE], in + 128 * k + T);
        copy_commit();
        copy_wait(0);
        __syncwarp();
        sum += s[WARP][31 - LANE];
        __syncwarp();
    }
    out[T] = sum;
}

/* Warps leave one after the other, and take their arrivals out of the phases to come. The last warp fills a buffer
 * again when all have passed the phase after the one in which they read it. */
KERNEL(warps_drop_out) {
    __shared__ float s[2][128];
    __shared__ mbarrier b;
    START(&b, 128);
    float sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (WARP < k) break;
        s[k % 2][T] = in[128 * k + T];
        if (WARP == k) {
            PTX("{\n.reg .b64 t;\nmbarrier.arrive_drop.shared.b64 t, [%0];\n}" ::"r"(SHARED(&b)) : "memory");
            break;
        }
        barrier_arrive(&b);
        barrier_wait(&b, k % 2);
        sum += s[k % 2][127 - LANE];
    }
    out[T] = sum;
}

/* A ring of two sources of bulk stores: at most one of them is read when a source is filled again. */
KERNEL(ring_of_bulk_stores) {
    __shared__ alignas(128) float s[2][128];
    for (unsigned k = 0; k < 6; k++) {
        if (T == 0) bulk_wait_read(1);
        __syncthreads();
        s[k % 2][T] = in[128 * k + T];
        fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * k, s[k % 2], 512);
            bulk_commit();
        }
    }
    if (T == 0) bulk_wait(0);
}

/* A flag that is exchanged in and polled by additions of nothing. */
KERNEL(flag_polled_by_additions) {
    if (blockIdx.x == 0) {
        out[T] = in[T];
        __threadfence();
        __syncthreads();
        if (T == 0) atomicExch(WORD, 1);
    } else if (blockIdx.x == 1) {
        if (T == 0)
            while (atomicAdd(WORD, 0) == 0) {
            }
        __threadfence();
        __syncthreads();
        out[128 + T] = out[127 - T];
    }
}

/* A thread without work in a round arrives all the same, and reads nothing. */
KERNEL(rounds_of_unequal_work) {
    __shared__ float s[128];
    const unsigned rounds = 1 + T / 40;
    float sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        s[T] = in[128 * k + T];
        __syncthreads();
        if (k < rounds) sum += s[(T + 40) % 128];
        __syncthreads();
    }
    out[T] = sum;
}

/* The last block sets its ticket back by an ordinary store: what the ticket returned says that all others have come. */
KERNEL(ticket_set_back_by_an_ordinary_store) {
    __shared__ bool is_last;
    out[1024 + 32 * blockIdx.x + T] = in[32 * blockIdx.x + T];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        is_last = atomicInc(WORD, gridDim.x) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    float sum = 0;
    for (unsigned b = 0; b < gridDim.x; b++) sum += out[1024 + 32 * b + T];
    out[T] = sum;
    if (T == 0) *WORD = 0;
}

/* A barrier of the grid whose last block sets the count back before it turns the sense. */
KERNEL(count_set_back_before_the_sense_turns) {
    unsigned *count = WORD, *sense = WORD + 1;
    unsigned mine = 0;
    out[1024 + 32 * blockIdx.x + T] = in[32 * blockIdx.x + T];
    for (unsigned round = 0; round < 3; round++) {
        __syncthreads();
        if (T == 0) {
            mine ^= 1;
            __threadfence();
            if (atomicAdd(count, 1) == gridDim.x - 1) {
                *count = 0;
                __threadfence();
                asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(sense), "r"(mine) : "memory");
            } else {
                unsigned seen;
                do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(sense) : "memory");
                while (seen != mine);
            }
        }
        __syncthreads();
        const float *from = out + 1024 + 512 * (round & 1);
        float *to = out + 1024 + 512 * (~round & 1);
        to[32 * blockIdx.x + T] = from[(32 * blockIdx.x + T + 32) % (32 * gridDim.x)];
    }
}

/* Lists by bucket are built by exchanges, and walked by the last block. */
KERNEL(buckets_walked_by_the_last_block) {
    unsigned *head = WORD, *next = (unsigned *)out + 1024;
    const unsigned me = 32 * blockIdx.x + T + 1, key = (unsigned)(8 * in[me]) % 8;
    __shared__ bool is_last;
    next[me] = atomicExch(head + key, me);
    __syncthreads();
    if (T == 0) {
        __threadfence();
        is_last = atomicAdd(WORD + 16, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last || T >= 8) return;
    unsigned length = 0;
    for (unsigned i = head[T]; i; i = next[i]) length++;
    out[T] = (float)length;
}

/* A warp's leader holds a lock for all its lanes. */
KERNEL(lock_held_for_the_warp) {
    if (LANE == 0) {
        while (atomicCAS(WORD, 0, 1) != 0) __nanosleep(20);
        __threadfence();
    }
    __syncwarp();
    out[LANE] += WHOLE_64(in[64 * blockIdx.x + T]);
    __threadfence();
    __syncwarp();
    if (LANE == 0) atomicExch(WORD, 0);
}

/* One array is used as floats, then as bytes, then as words. */
KERNEL(phases_share_an_array) {
    __shared__ union {
        float numbers[128];
        unsigned words[128];
        unsigned char bytes[512];
    } s;
    s.numbers[T] = in[T];
    __syncthreads();
    const float x = s.numbers[127 - T];
    __syncthreads();
    s.bytes[4 * T] = (unsigned char)T;
    s.bytes[4 * T + 1] = 1;
    __syncthreads();
    const unsigned y = s.words[127 - T] & 0xffff;
    __syncthreads();
    s.words[T] = y;
    __syncthreads();
    out[T] = x + (float)s.words[T ^ 3];
}

/* Odd blocks have one barrier more. */
KERNEL(odd_blocks_have_a_barrier_more) {
    __shared__ float s[64];
    s[T] = in[T];
    if (blockIdx.x & 1) {
        __syncthreads();
        s[T] += 1;
    }
    __syncthreads();
    out[64 * blockIdx.x + T] = s[63 - T];
}

/* All threads use a barrier by its count where others say __syncthreads(): the counts are equal. */
KERNEL(barrier_zero_with_the_count_of_the_block) {
    __shared__ float s[128];
    s[T] = in[T];
    if (WARP & 1)
        __syncthreads();
    else
        PTX("bar.sync 0, 128;" ::: "memory");
    out[T] = s[127 - T];
}

/* A constant table is read through its generic address. */
KERNEL(constant_table_read_by_address) {
    const float *from = in[T] < 2 ? table : in;
    out[T] = from[127 - T];
}
