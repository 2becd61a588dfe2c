/* Protocols between threads that go wrong at one step: rounds, claims, queues, order of neighbours, barriers by number,
 * locks. sm_90. */
#include "asyncbugs.cuh"

static __device__ __forceinline__ unsigned acquired(const unsigned *word) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

static __device__ __forceinline__ unsigned relaxed(const unsigned *word) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

static __device__ __forceinline__ void release(unsigned *word, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

static __device__ __forceinline__ void store_relaxed(unsigned *word, unsigned value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

__constant__ float table[128];

/* The flag of the next round is cleared while threads still look at that of the last one. */
KERNEL(flag_cleared_before_all_have_looked) {
    __shared__ float v[256];
    __shared__ int changed;
    int rounds = 0;
    v[T] = in[T];
    do {
        if (FIXED) __syncthreads();
        if (T == 0) changed = 0; /* BUG */
        __syncthreads();
        const float a = v[T], b = v[(T + 1) % 256];
        __syncthreads();
        if (b > a) v[T] = b;
        if (b > a) atomicExch(&changed, 1);
        __syncthreads();
    } while (changed && ++rounds < 20); /* BUG */
    out[T] = v[T];
}

/* A sort leaves the block's barrier out once partners are 32 apart, but they are in different warps then. */
KERNEL(partners_32_apart_without_barrier) {
    __shared__ float v[256];
    v[T] = in[T];
    __syncthreads();
    for (unsigned k = 2; k <= 256; k <<= 1)
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            const unsigned x = T ^ j;
            if (x > T) {
                const float a = v[T], b = v[x];                    /* BUG */
                if ((a > b) == ((T & k) == 0)) v[T] = b, v[x] = a; /* BUG */
            }
            if (FIXED || j > 32)
                __syncthreads();
            else
                __syncwarp();
        }
    __syncthreads();
    out[T] = v[T]; /* BUG */
}

/* Several threads hold the maximum, and each stores its place. */
KERNEL(place_stored_by_all_that_hold_the_maximum) {
    __shared__ int best;
    __shared__ unsigned place;
    const int mine = (int)(8 * in[T]);
    if (T == 0) best = -1, place = 1000;
    __syncthreads();
    atomicMax(&best, mine);
    __syncthreads();
    if (mine == best) {
        if (FIXED)
            atomicMin(&place, T);
        else
            place = T; /* BUG */
    }
    __syncthreads();
    if (T == 0) out[0] = (float)place;
}

/* A wavefront over 4 x 4 tiles: a tile waits for the one at its left, but not for the one above. */
KERNEL(waits_for_left_but_not_for_above) {
    const unsigned tile = blockIdx.x, row = tile / 4, column = tile % 4;
    unsigned *done = WORD;
    if (T == 0) {
        if (column)
            while (acquired(done + tile - 1) == 0) {
            }
        if (FIXED && row)
            while (acquired(done + tile - 4) == 0) {
            }
    }
    __syncthreads();
    float sum = in[32 * tile + T];
    if (column) sum += out[32 * (tile - 1) + T];
    if (row) sum += out[32 * (tile - 4) + T]; /* BUG */
    out[32 * tile + T] = sum;
    __syncthreads();
    if (T == 0) release(done + tile, 1);
}

/* Whoever comes first makes a table; later blocks look at its flag without acquiring it. */
KERNEL(table_is_there_by_a_relaxed_look) {
    unsigned *flag = WORD;
    if (T == 0 && (FIXED ? acquired(flag) : relaxed(flag)) != 2) {
        if (atomicCAS(flag + 1, 0, 1) == 0) {
            for (unsigned i = 0; i < 32; i++) out[1024 + i] = 2 * in[i];
            release(flag, 2);
        } else
            while ((FIXED ? acquired(flag) : relaxed(flag)) != 2) {
            }
    }
    __syncthreads();
    out[32 * blockIdx.x + T] = out[1024 + T]; /* BUG */
}

/* Threads claim vertices by a test and a store. */
KERNEL(vertex_claimed_in_two_steps) {
    unsigned *visited = WORD, *count = WORD + 64;
    const unsigned v = (unsigned)(64 * in[64 * blockIdx.x + T]) % 64;
    bool mine;
    if (FIXED)
        mine = atomicExch(visited + v, 1) == 0;
    else {
        mine = visited[v] == 0;   /* BUG */
        if (mine) visited[v] = 1; /* BUG */
    }
    if (mine) atomicAdd(count, 1);
}

/* A counter of 64 bits as two words: the carry is added without an atomic operation. */
KERNEL(carry_added_without_atomics) {
    unsigned *count = WORD;
    const unsigned more = 0x40000000u + T;
    if (FIXED)
        atomicAdd((unsigned long long *)count, (unsigned long long)more);
    else if (atomicAdd(count, more) + more < more)
        count[1]++; /* BUG */
}

/* Threads whose own values have settled leave a loop with barriers. */
KERNEL(settled_threads_leave_the_loop) {
    __shared__ float v[128];
    v[T] = in[T];
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        const float next = 0.5f * (v[T] + v[(T + 1) % 128]);
        const bool moves = fabsf(next - v[T]) > 0.2f;
        __syncthreads(); /* BUG */
        v[T] = next;
        if (FIXED) {
            if (!__syncthreads_or(moves)) break;
        } else {
            __syncthreads(); /* BUG */
            if (!moves) break;
        }
    }
    out[T] = v[T];
}

/* A role synchronises on barrier 0, which __syncthreads() of the others uses, too. */
KERNEL(role_uses_barrier_zero) {
    __shared__ float s[256];
    if (T < 128) {
        s[T] = in[T];
        if (FIXED)
            PTX("bar.sync 1, 128;" ::: "memory");
        else
            PTX("bar.sync 0, 128;" ::: "memory"); /* BUG */
        s[T + 128] = s[127 - T];
    }
    __syncthreads(); /* BUG */
    out[T] = s[T / 2 + 128];
}

/* Three warps vote at the block's barrier, the fourth comes to the same barrier with the count of three. */
KERNEL(vote_of_the_block_without_a_warp) {
    __shared__ float s[128];
    int count = 0;
    s[T] = in[T];
    __syncthreads();
    if (FIXED || WARP < 3)
        count = __syncthreads_count(s[127 - T] > 0.5f); /* BUG */
    else
        PTX("bar.sync 0, 96;" ::: "memory"); /* BUG */
    out[T] = (float)count;
}

/* Two groups take turns by two barriers. Nobody has arrived for the first turn. */
KERNEL(nobody_gives_the_first_turn) {
    __shared__ float s[128];
    const unsigned group = T / 128;
    if (FIXED && group == 1) PTX("bar.arrive 2, 256;" ::: "memory");
    for (unsigned i = 0; i < 3; i++) {
        PTX("bar.sync %0, 256;" ::"r"(2 + group) : "memory"); /* BUG */
        s[T % 128] = in[T] + (float)i;
        PTX("bar.sync %0, 128;" ::"r"(4 + group) : "memory");
        const float x = s[127 - T % 128];
        PTX("bar.sync %0, 128;" ::"r"(4 + group) : "memory");
        out[256 * i + T] = x;
        if (group == 0 || i < 2) PTX("bar.arrive %0, 256;" ::"r"(3 - group) : "memory");
    }
}

/* Lanes with equal keys read the table's old count; their leader updates it before all have read. */
KERNEL(leader_updates_what_its_group_reads) {
    __shared__ int counts[8];
    if (T < 8) counts[T] = 0;
    __syncwarp();
    for (unsigned r = 0; r < 3; r++) {
        const int key = (int)(8 * in[32 * r + T]) & 7;
        const unsigned equal = __match_any_sync(~0u, key);
        const int before = __popc(equal & ((1u << T) - 1));
        const int base = counts[key]; /* BUG */
        if (FIXED) __syncwarp();
        if (before == 0) counts[key] = base + __popc(equal); /* BUG */
        __syncwarp();
        out[32 * r + T] = (float)(base + before);
    }
}

/* Threads drop out of the barrier in each round. */
KERNEL(threads_drop_out_in_each_round) {
    __shared__ mbarrier b;
    __shared__ float s[64];
    START(&b, 64);
    for (unsigned i = 0; i < 3; i++) {
        s[T] = in[64 * i + T];
        if (FIXED)
            barrier_arrive(&b);
        else
            PTX("{\n.reg .b64 t;\nmbarrier.arrive_drop.shared.b64 t, [%0];\n}" ::"r"(SHARED(&b)) : "memory"); /* BUG */
        barrier_wait(&b, i & 1);                                                                              /* BUG */
        out[64 * i + T] = s[63 - T];
        __syncthreads();
    }
}

/* The capacity of a list is tested after the store. */
KERNEL(capacity_tested_after_the_store) {
    __shared__ float list[48];
    __shared__ unsigned count;
    if (T == 0) count = 0;
    __syncthreads();
    const float x = in[T];
    if (x > 0.3f) {
        const unsigned i = atomicAdd(&count, 1);
        if (!FIXED || i < 48) list[i] = x; /* BUG */
    }
    __syncthreads();
    unsigned large = 0;
    for (unsigned i = 0; i < count && i < 48; i++) large += list[i] > 0.3f;
    if (T == 0) out[0] = (float)large;
}

/* The producer counts one tile less than the consumer. */
KERNEL(producer_ends_a_tile_too_soon) {
    __shared__ alignas(128) float s[32];
    __shared__ mbarrier full, empty;
    const unsigned tiles = 7;
    if (T == 0) {
        barrier_init(&full, 1);
        barrier_init(&empty, 1);
        fence_barrier_init();
    }
    __syncthreads();
    unsigned k = 0;
    if (WARP == 0) {
        for (unsigned t = blockIdx.x; T == 0 && t < (FIXED ? tiles : tiles - 1); t += 2, k++) {
            if (k) barrier_wait(&empty, (k - 1) & 1);
            fence_async();
            barrier_expect(&full, 128);
            bulk_load(s, in + 32 * t, 128, &full);
        }
    } else {
        for (unsigned t = blockIdx.x; t < tiles; t += 2, k++) {
            barrier_wait(&full, k & 1); /* BUG */
            out[32 * t + LANE] = s[31 - LANE];
            fence_async();
            __syncwarp();
            if (LANE == 0) barrier_arrive(&empty);
        }
    }
    __syncthreads();
}

/* The first split stores its part while the others already add theirs. */
KERNEL(first_split_stores_under_the_others) {
    unsigned *flag = WORD;
    if (blockIdx.x == 0) {
        out[T] = WHOLE_64(in[T]); /* BUG */
        __threadfence();
        __syncwarp();
        if (T == 0) release(flag, 1);
    } else {
        if (FIXED && T == 0)
            while (acquired(flag) == 0) {
            }
        __syncwarp();
        atomicAdd(out + T, WHOLE_64(in[32 * blockIdx.x + T])); /* BUG */
    }
}

/* The last block turns counts into offsets; the others use them without waiting for it. */
KERNEL(offsets_used_before_they_are_there) {
    unsigned *count = WORD, *arrived = WORD + 32, *ready = WORD + 33, *offset = WORD + 64;
    __shared__ bool is_last;
    const unsigned key = (unsigned)(16 * in[32 * blockIdx.x + T]) % 16;
    atomicAdd(count + key, 1);
    __threadfence();
    __syncthreads();
    if (T == 0) is_last = atomicAdd(arrived, 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last && T == 0) {
        unsigned sum = 0;
        __threadfence();
        for (unsigned i = 0; i < 16; i++) {
            offset[i] = sum; /* BUG */
            sum += __ldcg(count + i);
        }
        release(ready, 1);
    }
    if (FIXED) {
        if (T == 0)
            while (acquired(ready) == 0) {
            }
        __syncthreads();
    }
    out[32 * blockIdx.x + T] = (float)offset[key]; /* BUG */
}

/* A lane sets elements to zero that its own copy still fills. */
KERNEL(tail_zeroed_under_its_copy) {
    __shared__ alignas(16) float s[128];
    copy16(s + 4 * T, in + 4 * T); /* BUG */
    copy_commit();
    if (FIXED) copy_wait(0);
    if (T >= 28)
        for (unsigned i = 0; i < 4; i++) s[4 * T + i] = 0; /* BUG */
    copy_wait(0);
    __syncwarp();
    out[T] = s[4 * (31 - T)];
}

/* A kernel updates a constant table through its generic address. */
KERNEL(constant_table_stored_to) {
    if (!FIXED) PTX("st.f32 [%0], %1;" ::"l"(table + T), "f"(in[T]) : "memory"); /* BUG */
    out[T] = FIXED ? in[T] : table[127 - T];
}

/* A lock is taken without a fence after that: PTX lets the loads in it find old lines in L1. */
KERNEL(no_fence_after_taking_the_lock) {
    if (T) return;
    for (unsigned round = 0; round < 2; round++) {
        while (atomicCAS(WORD, 0, 1) != 0) {
        }
        if (FIXED) __threadfence();
        out[0] += WHOLE_64(in[2 * blockIdx.x + round]); /* BUG */
        __threadfence();
        atomicExch(WORD, 0);
    }
}

/* Two blocks raise their flags and look at each other's: without a fence.sc both may see nothing. */
KERNEL(both_look_before_they_are_seen) {
    if (T) return;
    store_relaxed(WORD + blockIdx.x, 1);
    if (FIXED)
        PTX("fence.sc.gpu;" ::: "memory");
    else
        PTX("fence.acq_rel.gpu;" ::: "memory"); /* BUG */
    if (relaxed(WORD + 1 - blockIdx.x) == 0) out[0] = 1;
}

/* A stack's head is loaded without an acquire after a push, and its nodes are read. */
KERNEL(head_loaded_without_acquire) {
    unsigned *head = WORD, *next = WORD + 16;
    if (T) return;
    const unsigned me = blockIdx.x + 1;
    out[64 + me] = in[me];
    for (unsigned seen = relaxed(head);;) {
        next[me] = seen;
        __threadfence();
        const unsigned found = atomicCAS(head, seen, me);
        if (found == seen) break;
        seen = found;
    }
    float sum = 0;
    for (unsigned n = FIXED ? acquired(head) : relaxed(head); n; n = next[n]) sum += out[64 + n]; /* BUG */
    out[blockIdx.x] = sum > 0;
}

/* Threads read a counter each by an ordinary load, then all add to the first one, in the usual order after its reader's
 * own addition. */
KERNEL(count_read_while_others_add) {
    const unsigned before = WORD[T]; /* BUG */
    if (FIXED) __syncthreads();
    atomicAdd(WORD, 1); /* BUG */
    out[T] = (float)before;
}
