/* Code of one warp, and of one block, that relies on lanes in lockstep or lacks a barrier. sm_90. */
#include <cooperative_groups.h>
#include "asyncbugs.cuh"
namespace cg = cooperative_groups;

/* The last 32 sums are added by one warp without barriers; volatile only keeps them in memory. */
KERNEL(volatile_tree_without_syncwarp) {
    __shared__ float s[160];
    s[T] = in[T];
    if (T < 32) s[128 + T] = 0;
    __syncthreads();
    if (T < 64) s[T] += s[T + 64];
    __syncthreads();
    if (T < 32) {
#if FIXED
        float v = s[T] + s[T + 32];
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
        if (T == 0) out[0] = v;
#else
        volatile float *w = s;
        w[T] += w[T + 32];
        w[T] += w[T + 16]; /* BUG */
        w[T] += w[T + 8];  /* BUG */
        w[T] += w[T + 4];
        w[T] += w[T + 2];
        w[T] += w[T + 1];
        if (T == 0) out[0] = w[0];
#endif
    }
}

/* The same with ordinary accesses. */
KERNEL(tree_without_syncwarp) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    for (int d = 64; d >= 32; d /= 2) {
        if (T < d) s[T] += s[T + d];
        __syncthreads();
    }
    if (T < 32) {
        for (int d = 16; d; d /= 2) {
            const float v = T < d ? s[T + d] : 0; /* BUG */
            if (FIXED) __syncwarp();
            s[T] += v; /* BUG */
            if (FIXED) __syncwarp();
            ORDERED;
        }
        if (T == 0) out[0] = s[0];
    }
}

/* Each half of the warp has a barrier of its own, and reads what the other half stored. */
KERNEL(barrier_of_half_a_warp) {
    __shared__ float s[128];
    s[T] = in[T];
    if (FIXED)
        __syncwarp();
    else
        __syncwarp(LANE < 16 ? 0x0000ffff : 0xffff0000);
    out[T] = s[T ^ 16]; /* BUG */
}

/* A tile of 16 lanes synchronises itself only. */
KERNEL(tile_barrier_for_the_warp) {
    __shared__ float s[128];
    cg::thread_block block = cg::this_thread_block();
    s[T] = in[T];
    if (FIXED) {
        cg::tiled_partition<32>(block).sync();
    } else {
        cg::tiled_partition<16>(block).sync();
    }
    out[T] = s[T ^ 31]; /* BUG */
}

/* Lanes whose loop is over take no part in the shuffles of the others. */
KERNEL(shuffle_in_loop_of_unequal_length) {
    float sum = 0;
    const int most = FIXED ? 112 : 100 + LANE / 16 * 12;
    for (int i = FIXED ? LANE % 16 : LANE; i < most; i += 16) {
        float v = in[i];
        for (int d = 8; d; d /= 2) v += __shfl_xor_sync(~0u, v, d); /* BUG */
        sum += v;
    }
    out[T] = sum;
}

/* The value comes from a lane that the mask does not name. */
KERNEL(shuffle_from_a_lane_outside_the_mask) {
    if (LANE < 16) out[T] = __shfl_sync(0xffff, in[T], FIXED ? 12 : 20); /* BUG */
}

/* Lanes with equal keys: the first takes a slot for all and hands it over in shared memory. */
KERNEL(leaders_slot_without_syncwarp) {
    __shared__ unsigned slots[128], next;
    if (T == 0) next = 0;
    __syncthreads();
    const unsigned group = __match_any_sync(~0u, LANE % 4), leader = __ffs(group) - 1;
    if (LANE == leader) slots[T] = atomicAdd(&next, __popc(group));
    if (FIXED) __syncwarp();
    ORDERED;
    const unsigned slot = slots[32 * WARP + leader]; /* BUG */
    out[slot + __popc(group & ((1u << LANE) - 1))] = 1;
}

/* The leader's offset of the next round overwrites one that lanes may still have to read. */
KERNEL(warps_offset_overwritten) {
    __shared__ float offset[4];
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        if (LANE == 0) offset[WARP] = in[32 * i + WARP]; /* BUG */
        __syncwarp();
        sum += offset[WARP] * LANE;
        if (FIXED) __syncwarp();
        ORDERED;
    }
    out[T] = sum;
}

/* A barrier of the warp where the data of the next warp is needed. */
KERNEL(warp_barrier_for_two_warps) {
    __shared__ float s[128];
    s[T] = in[T];
    if (FIXED)
        __syncthreads();
    else
        __syncwarp();
    if (T < 64) s[T] += s[T + 64]; /* BUG */
    __syncthreads();
    out[T] = s[T % 64];
}

/* A scan in place: others still have to read what is overwritten. */
KERNEL(scan_in_place_with_one_barrier) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    for (unsigned d = 1; d < 128; d *= 2) {
        const float v = T >= d ? s[T - d] : 0; /* BUG */
        if (FIXED) __syncthreads();
        ORDERED;
        s[T] += v; /* BUG */
        __syncthreads();
    }
    out[T] = s[T];
}

/* The first warp zeroes the counters, all count at once. */
KERNEL(counters_zeroed_without_barrier) {
    __shared__ unsigned counters[32];
    if (T < 32) counters[T] = 0;
    if (FIXED) __syncthreads();
    ORDERED;
    atomicAdd(&counters[(unsigned)(in[T] * 32) % 32], 1u); /* BUG */
    __syncthreads();
    if (T < 32) out[T] = counters[T];
}

/* Bits of one word of shared memory are set by many threads without atomics. */
KERNEL(bits_set_without_atomics) {
    __shared__ unsigned seen[4];
    if (T < 4) seen[T] = 0;
    __syncthreads();
    if (FIXED)
        atomicOr(&seen[T % 4], 1u << T / 4);
    else
        seen[T % 4] |= 1u << T / 4; /* BUG */
    __syncthreads();
    if (T < 4) out[T] = __popc(seen[T]);
}

/* Whether this block is the last is decided by one thread, and read by the others before a barrier. */
KERNEL(is_last_read_without_barrier) {
    __shared__ bool last;
    float *sums = out + 64;
    unsigned *count = (unsigned *)(out + 1000);
    if (T == 0) {
        sums[blockIdx.x] = rintf(1024 * in[blockIdx.x]);
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    if (FIXED) __syncthreads();
    ORDERED;
    if (last) { /* BUG */
        __threadfence();
        if (T == 0)
            for (unsigned i = 0; i < gridDim.x; i++) out[0] += ((volatile float *)sums)[i];
    }
}

/* Bytes side by side in one word: each thread reads and writes the whole word. */
KERNEL(bytes_updated_as_words) {
    __shared__ unsigned words[32];
    if (T < 32) words[T] = 0;
    __syncthreads();
    if (FIXED)
        ((unsigned char *)words)[T] = T;
    else
        words[T / 4] = (words[T / 4] & ~(255u << T % 4 * 8)) | T << T % 4 * 8; /* BUG */
    __syncthreads();
    if (T < 32) out[T] = words[T] >> 8 & 255;
}

/* A peer adds to counters that their block may not have zeroed yet. */
CLUSTER(2, peers_counters_not_zeroed) {
    __shared__ unsigned counters[128];
    counters[T] = 0;
    if (FIXED)
        cg::this_cluster().sync();
    else
        __syncthreads();
    unsigned *theirs = cg::this_cluster().map_shared_rank(counters, cluster_rank() ^ 1);
    atomicAdd(&theirs[T], 3u); /* BUG */
    cg::this_cluster().sync();
    out[128 * cluster_rank() + T] = counters[T];
}

/* Blocks pass their tile around; the next round overwrites what the neighbour still reads. */
CLUSTER(4, tile_overwritten_before_neighbour_reads) {
    __shared__ float tile[128];
    cg::cluster_group cluster = cg::this_cluster();
    tile[T] = in[128 * cluster_rank() + T];
    cluster.sync();
    for (int i = 0; i < 3; i++) {
        const float v = cluster.map_shared_rank(tile, (cluster_rank() + 1) % 4)[T]; /* BUG */
        if (FIXED) cluster.sync();
        ORDERED;
        tile[T] = v; /* BUG */
        cluster.sync();
    }
    out[128 * cluster_rank() + T] = tile[T];
    cluster.sync();
}
