/* Defects within a block that copy nothing asynchronously: values that are still read, lists and counters of a warp,
 * barriers with names, mbarriers, alignment, bytes that nobody writes. One block of 128 threads. sm_90. */
#include "asyncbugs.cuh"

#define bar_sync(id, count) PTX("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory")
#define bar_arrive(id, count) PTX("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory")
#define load_matrix(to, from) \
    PTX("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(to) : "r"(SHARED(from)) : "memory")
#define wait_for_token(b, token)                                                                                 \
    PTX("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.shared.b64 p, [%0], %1;\n@!p bra WAIT;\n}" ::"r"(SHARED(b)), \
        "l"(token)                                                                                               \
        : "memory")

/* All warps find for themselves that a round is to be skipped. A fast one then fills the values that slow ones look at.
 */
KERNEL(values_overwritten_after_a_skip) {
    __shared__ float s[128];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        s[T] = in[128 * k + T]; /* BUG */
        __syncthreads();
        float most = 0;
        for (int j = 0; j < 128; j += 16) most = fmaxf(most, s[j]); /* BUG */
        if (most < (k % 2 ? 0 : 2)) {
            if (FIXED) __syncthreads();
            continue;
        }
        sum += s[127 - T];
        __syncthreads();
    }
    out[T] = sum;
}

/* All threads read the sum in word 0, which thread 0 overwrites for the next stage. */
KERNEL(sum_overwritten_by_next_stage) {
    __shared__ float s[128];
    s[T] = WHOLE(in[T]);
    __syncthreads();
    for (unsigned d = 64; d; d /= 2) {
        if (T < d) s[T] += s[T + d];
        __syncthreads();
    }
    const float scale = s[0]; /* BUG */
    if (FIXED) __syncthreads();
    s[T] = in[T] * scale; /* BUG */
    __syncthreads();
    out[T] = s[127 - T];
}

/* A warp's lanes store a list, and all read it. A shuffle between the two makes the lanes meet, but orders no memory
 * accesses: PTX gives that to bar.warp.sync only. */
KERNEL(list_read_behind_a_shuffle) {
    __shared__ unsigned list[4][32];
    const bool takes_part = in[T] > 0.25f;
    const unsigned votes = __ballot_sync(~0u, takes_part);
    if (takes_part) list[WARP][__popc(votes & ((1u << LANE) - 1))] = T;
    unsigned n = takes_part;
    for (int d = 16; d; d /= 2) n += __shfl_xor_sync(~0u, n, d);
    if (FIXED) __syncwarp();
    unsigned sum = 0;
    for (unsigned k = 0; k < n; k++) sum += list[WARP][k]; /* BUG */
    out[T] = (float)sum;
}

/* Lane 0 empties the warp's buffer, and other lanes add to the counter of the next round before that. */
KERNEL(counter_emptied_without_syncwarp) {
    __shared__ unsigned count[4], kept[4][32];
    unsigned sum = 0;
    if (LANE == 0) count[WARP] = 0;
    __syncwarp();
    for (int k = 0; k < 4; k++) {
        const unsigned at = atomicAdd(&count[WARP], 1); /* BUG */
        kept[WARP][at % 32] = (unsigned)WHOLE(in[128 * k + T]);
        __syncwarp();
        for (int j = 0; j < 32; j++) sum += kept[WARP][j];
        __syncwarp();
        if (LANE == 0) count[WARP] = 0; /* BUG */
        if (FIXED) __syncwarp();
    }
    out[T] = (float)sum;
}

/* The barrier of a region of 48 threads was left out, as their number is no multiple of a warp's. */
KERNEL(guarded_region_without_barrier) {
    __shared__ float s[48];
    if (T < 48) s[T] = in[T];
    if (FIXED) __syncthreads();
    if (T < 48) out[T] = s[47 - T]; /* BUG */
}

/* A fence orders a thread's own accesses. It waits for nobody. */
KERNEL(fence_instead_of_barrier) {
    __shared__ float s[128];
    s[T] = in[T];
    if (FIXED)
        __syncthreads();
    else
        __threadfence_block();
    out[T] = s[127 - T]; /* BUG */
}

/* Warps are counted by a volatile load and a volatile store: counts are lost. */
KERNEL(volatile_count_of_warps) {
    __shared__ volatile unsigned count;
    if (T == 0) count = 0;
    __syncthreads();
    if (LANE == 0) {
        if (FIXED)
            atomicAdd((unsigned *)&count, 1);
        else
            count = count + 1; /* BUG */
    }
    __syncthreads();
    out[T] = (float)count;
}

/* A butterfly through shared memory needs a barrier of the warp on both sides of the reads. */
KERNEL(butterfly_with_one_syncwarp) {
    __shared__ float s[128];
    float v = WHOLE(in[T]);
    for (unsigned d = 1; d < 32; d *= 2) {
        s[T] = v; /* BUG */
        __syncwarp();
        v += s[T ^ d]; /* BUG */
        if (FIXED) __syncwarp();
    }
    out[T] = v;
}

/* Two roles pass two barriers, one in the opposite order. */
KERNEL(named_barriers_in_opposite_order) {
    __shared__ float s[128];
    const unsigned role = T / 64;
    s[T] = in[T];
    bar_sync(FIXED || role == 0 ? 1 : 2, 128); /* BUG */
    const float v = s[127 - T];
    bar_sync(FIXED || role == 0 ? 2 : 1, 128); /* BUG */
    s[T] = v;
    out[T] = s[T];
}

/* Two groups take turns; one that is done tells itself instead of the other. */
KERNEL(turn_given_to_itself) {
    __shared__ float s[64];
    const unsigned group = T / 64;
    if (T < 64) s[T] = 0;
    __syncthreads();
    if (group == 1) bar_arrive(1, 128);
    for (int k = 0; k < 2; k++) {
        bar_sync(1 + group, 128); /* BUG */
        s[T % 64] += in[T + 128 * k];
        if (group == 0 || k == 0) bar_arrive(FIXED ? 2 - group : 1 + group, 128); /* BUG */
    }
    __syncthreads();
    out[T] = s[T % 64];
}

/* An arrival stands for the lanes of a warp, but each lane makes it: the phase's count is exceeded. */
KERNEL(all_lanes_arrive_for_the_warp) {
    __shared__ float s[128];
    __shared__ mbarrier b;
    START(&b, 128);
    s[T] = in[T];
    __syncwarp();
    if (!FIXED || LANE == 0)
        PTX("{\n.reg .b64 t;\nmbarrier.arrive.shared.b64 t, [%0], 32;\n}" ::"r"(SHARED(&b)) : "memory"); /* BUG */
    barrier_wait(&b, 0);
    out[T] = s[127 - T]; /* BUG */
}

/* The token of one mbarrier's arrival is waited for on another one, whose phases lag behind. */
KERNEL(token_of_another_barrier) {
    __shared__ float s[128];
    __shared__ mbarrier a, b;
    unsigned long long first, second;
    if (T == 0) {
        barrier_init(&a, 128);
        barrier_init(&b, 128);
    }
    __syncthreads();
    barrier_arrive(&a);
    barrier_wait(&a, 0);
    PTX("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(first) : "r"(SHARED(&a)) : "memory");
    s[T] = in[T];
    PTX("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(second) : "r"(SHARED(&b)) : "memory");
    wait_for_token(&b, FIXED ? second : first); /* BUG */
    out[T] = s[127 - T];                        /* BUG */
}

/* The eighth neighbour is one element beyond the thread's own array. */
KERNEL(index_beyond_a_local_array) {
    float v[8];
    for (unsigned k = 0; k < 8; k++) v[(k + T) % 8] = in[8 * T + k];
    float sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned at = FIXED ? (T + k) % 8 : T % 8 + k;
        sum += v[at]; /* BUG */
    }
    out[T] = sum;
}

struct entry {
    unsigned char kind;
    unsigned value;
};

/* Entries are compared as words, with the three bytes of padding that no member covers. */
KERNEL(padding_of_a_struct_compared) {
    __shared__ entry s[128];
    if (FIXED) *(unsigned *)&s[T] = 0;
    ((volatile entry *)s)[T].kind = (unsigned char)(T % 2);
    ((volatile entry *)s)[T].value = T;
    __syncthreads();
    out[T] = *(volatile unsigned *)&s[127 - T] == 1 ? 1 : 2; /* BUG */
}

/* Rows with a word of padding: every second row begins at an odd word, where no float4 can be. */
KERNEL(wide_store_to_padded_rows) {
    __shared__ alignas(16) float s[32][FIXED ? 36 : 33];
    *(float4 *)&s[T / 4][4 * (T % 4)] = *(const float4 *)(in + 4 * T); /* BUG */
    __syncthreads();
    out[T] = s[T % 32][T / 32];
}

/* ldmatrix needs rows at multiples of 16 bytes. */
KERNEL(rows_of_ldmatrix_not_aligned) {
    const unsigned pitch = FIXED ? 8 : 6;
    __shared__ alignas(16) unsigned s[64];
    unsigned v;
    if (T < 64) s[T] = T;
    __syncthreads();
    if (T >= 32) return;
    load_matrix(v, s + pitch * (LANE % 8)); /* BUG */
    out[T] = (float)v;
}

/* Data in front of an mbarrier moves it to a place that is no multiple of 8. */
KERNEL(mbarrier_at_odd_place) {
    __shared__ alignas(8) char raw[64];
    __shared__ float s[128];
    mbarrier *b = (mbarrier *)(raw + (FIXED ? 8 : 4));
    if (T == 0) barrier_init(b, 128); /* BUG */
    __syncthreads();
    s[T] = in[T];
    barrier_arrive(b);
    barrier_wait(b, 0);
    out[T] = s[127 - T];
}

/* The rows of a fragment of halves lie 20 of them apart: 40 bytes, not a multiple of 16. */
KERNEL(rows_of_fragment_not_aligned) {
    const unsigned pitch = FIXED ? 24 : 20;
    __shared__ alignas(32) unsigned short s[16 * 24];
    unsigned v[8];
    for (unsigned i = T; i < 16 * 24; i += 128) s[i] = (unsigned short)i;
    __syncthreads();
    if (T >= 32) return;
    PTX("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" /* BUG */
        : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7])
        : "r"(SHARED(s)), "r"(pitch)
        : "memory");
    out[T] = (float)(v[0] ^ v[1] ^ v[2] ^ v[3] ^ v[4] ^ v[5] ^ v[6] ^ v[7]);
}

/* Threads without a row leave, and half a warp multiplies. */
KERNEL(product_of_half_a_warp) {
    const unsigned a = 0x3c003c00, b = 0x3c003c00 + T;
    float d[4] = {};
    if (!FIXED && T >= 112) return;
    PTX("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" /* BUG */
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a), "r"(a), "r"(b));
    if (T < 112) out[T] = d[0] + d[1] + d[2] + d[3];
}
