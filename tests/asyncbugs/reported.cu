/* Defects of kinds that were reported in the last months: tiles that are filled again, counts that are told too early,
 * arrivals of too narrow a scope, resets that lose an increment. sm_90. */
#include "asyncbugs.cuh"

#define peer_store(p, rank, v) PTX("st.shared::cluster.f32 [%0], %1;" ::"r"(peer(p, rank)), "f"(v) : "memory")

/* The next copies are committed behind the wait of their round: it waits for one group too few. */
KERNEL(round_committed_after_its_wait) {
    __shared__ alignas(16) float s[3][128];
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        copy4(s[k] + T, in + 128 * k + T);
        copy_commit();
    }
    copy_wait(1);
    for (int k = 0; k < 6; k++) {
        copy4(s[(k + 2) % 3] + T, in + 128 * ((k + 2) % 8) + T);
        if (FIXED) copy_commit();
        sum += s[k % 3][T]; /* BUG */
        copy_wait(1);
        if (!FIXED) copy_commit();
    }
    copy_wait(0);
    out[T] = sum;
}

/* Thread 0 tells that the block is done before the other threads have added their counts. */
KERNEL(counts_told_by_first_thread) {
    unsigned *counts = (unsigned *)out;
    __shared__ bool last;
    atomicAdd(counts + T % 8, 1);
    if (FIXED) __syncthreads();
    if (T == 0) {
        __threadfence();
        last = atomicAdd(WORD, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && T < 8) out[64 + T] = (float)counts[T]; /* BUG */
}

/* A partial tile is written by a bulk store and counted without a fence; the reader polls the count. */
KERNEL(stored_part_counted_without_fence) {
    __shared__ alignas(128) float s[128];
    if (blockIdx.x < 3) {
        s[T] = in[128 * blockIdx.x + T];
        fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * blockIdx.x, s, 512);
            bulk_commit();
            if (FIXED)
                bulk_wait(0);
            else
                bulk_wait_read(0);
            __threadfence();
            atomicAdd(WORD, 1);
            bulk_wait(0);
        }
    } else {
        if (T == 0)
            while (*(volatile unsigned *)WORD != 3) {
            }
        __threadfence();
        __syncthreads();
        out[1024 + T] = out[T] + out[128 + T] + out[256 + T]; /* BUG */
    }
}

/* A tile is filled again while slow warps still read it. */
KERNEL(tile_filled_again_under_readers) {
    __shared__ float s[128];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        s[T] = in[128 * k + T]; /* BUG */
        __syncthreads();
        for (int j = 0; j < 128; j += 16) sum += s[(T + j) % 128];
        if (FIXED) __syncthreads();
    }
    out[T] = sum;
}

/* Thread 0 adds up what the others have left, and they begin the next row. */
KERNEL(parts_overwritten_under_thread_zero) {
    __shared__ float parts[128];
    for (int row = 0; row < 4; row++) {
        parts[T] = WHOLE(in[128 * row + T]); /* BUG */
        __syncthreads();
        if (T == 0) {
            float sum = 0;
            for (int k = 0; k < 128; k++) sum += parts[k];
            out[row] = sum;
        }
        if (FIXED) __syncthreads();
    }
}

/* Each block fills its own tile, and the other block stores there meanwhile. */
CLUSTER(2, own_fill_beside_peers_store) {
    __shared__ float s[128];
    const unsigned rank = cluster_rank();
    s[T] = -1;
    __syncthreads();
    if (FIXED)
        cluster_sync();
    else
        cluster_arrive();
    peer_store(s + T, rank ^ 1, in[128 * rank + T]); /* BUG */
    if (!FIXED) cluster_wait();
    cluster_sync();
    out[128 * rank + T] = s[T];
}

/* A block waits for its copies and arrives at the leader's barrier; the arrival's scope is the block. */
CLUSTER(2, relayed_arrival_of_block_scope) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    const unsigned rank = cluster_rank();
    START(&full, 256);
    cluster_sync();
    copy4(s + T, in + 128 * rank + T);
    copy_commit();
    copy_wait(0);
    if (FIXED)
        PTX("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer(&full, 0)) : "memory");
    else
        PTX("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(peer(&full, 0)) : "memory");
    if (rank == 0) {
        float v;
        barrier_wait_cluster(&full, 0);
        PTX("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(peer(s + 127 - T, 1)) : "memory"); /* BUG */
        out[T] = v + s[127 - T];
    }
    cluster_sync();
}

/* The reader sets the count back to zero when the writer may already have counted the next round. */
KERNEL(reset_loses_the_next_round) {
    volatile unsigned *count = WORD;
    if (T) return;
    if (blockIdx.x == 0) {
        for (int k = 0; k < 3; k++) {
            out[k] = in[k];
            __threadfence();
            atomicAdd((unsigned *)count, 1); /* BUG */
        }
    } else {
        float sum = 0;
        for (unsigned k = 0; k < (FIXED ? 3 : 1); k++) {
            while (*count < k + 1) {
            }
            __threadfence();
            if (!FIXED) *count = 0; /* BUG */
            sum += out[k];
        }
        out[64] = sum;
    }
}

/* The consumer gives back the next stage instead of the one that it has read. */
KERNEL(next_stage_given_back) {
    __shared__ alignas(128) float s[2][128];
    __shared__ mbarrier full[2], empty[2];
    if (T == 0)
        for (int k = 0; k < 2; k++) {
            barrier_init(full + k, 1);
            barrier_init(empty + k, 32);
        }
    fence_barrier_init();
    __syncthreads();
    if (T == 32) {
        for (int k = 0; k < 4; k++) {
            if (k >= 2) barrier_wait(empty + k % 2, 0);
            barrier_expect(full + k % 2, 512);
            bulk_load(s[k % 2], in + 128 * k, 512, full + k % 2);
        }
    } else if (T < 32) {
        float sum = 0;
        for (int k = 0; k < 4; k++) {
            barrier_wait(full + k % 2, k / 2);
            if (!FIXED) barrier_arrive(empty + (k + 1) % 2);
            for (int j = 0; j < 4; j++) sum += s[k % 2][T + 32 * j]; /* BUG */
            fence_async();
            if (FIXED) barrier_arrive(empty + k % 2);
        }
        out[T] = sum;
    }
}

/* Two warps read a stage; its barrier counts the arrival of one. */
KERNEL(stage_given_back_by_one_of_two) {
    __shared__ alignas(128) float s[128];
    __shared__ mbarrier full, empty;
    if (T == 0) {
        barrier_init(&full, 1);
        barrier_init(&empty, FIXED ? 2 : 1);
    }
    fence_barrier_init();
    __syncthreads();
    if (T == 64) {
        for (int k = 0; k < 2; k++) {
            if (k) barrier_wait(&empty, 0);
            barrier_expect(&full, 512);
            bulk_load(s, in + 128 * k, 512, &full); /* BUG */
        }
    } else if (T < 64) {
        float sum = 0;
        for (int k = 0; k < 2; k++) {
            barrier_wait(&full, k);
            sum += s[T] + s[T + 64]; /* BUG */
            fence_async();
            __syncwarp();
            if (LANE == 0 && (FIXED || WARP == 0)) barrier_arrive(&empty);
        }
        out[T] = sum;
    }
}

/* Rows beyond the matrix are filled with zeros, by copies of no bytes: they are asynchronous as well. */
KERNEL(zero_filled_rows_read_early) {
    __shared__ alignas(16) float s[512];
    const unsigned bytes = T < 96 ? 16 : 0;
    PTX("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(SHARED(s + 4 * T)), "l"(in + 4 * T), "r"(bytes)
        : "memory");
    copy_commit();
    if (FIXED || T < 96) copy_wait(0);
    out[T] = s[4 * T] + s[4 * T + 3]; /* BUG */
}

/* A warp turns a matrix over through shared memory without a barrier of the warp. */
KERNEL(matrix_turned_without_syncwarp) {
    __shared__ alignas(16) unsigned s[4][32];
    unsigned v = T, w;
    PTX("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(SHARED(s[WARP] + 4 * (LANE % 8))), "r"(v)
        : "memory");
    if (FIXED) __syncwarp();
    PTX("ld.shared.u32 %0, [%1];" : "=r"(w) : "r"(SHARED(s[WARP] + (31 - LANE))) : "memory"); /* BUG */
    out[T] = (float)w;
}

/* The maximum of a row is read before all have offered theirs. */
KERNEL(maximum_read_before_barrier) {
    __shared__ int most;
    if (T == 0) most = 0;
    __syncthreads();
    atomicMax(&most, (int)WHOLE(in[T]));
    if (FIXED) __syncthreads();
    out[T] = (float)most; /* BUG */
}

/* Blocks smooth a row in place: the neighbours' edges are read while they are overwritten. */
KERNEL(row_smoothed_in_place) {
    float *from = out, *to = FIXED ? out + 2048 : out;
    const unsigned at = 128 * blockIdx.x + T;
    from[at] = in[at];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(WORD, 1);
        while (*(volatile unsigned *)WORD < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    const float left = at ? from[at - 1] : 0, right = at < 128 * gridDim.x - 1 ? from[at + 1] : 0; /* BUG */
    __syncthreads();
    to[at] = left + right;
}

/* The fence reaches the cluster, and the flag is for another one. */
KERNEL(fence_of_cluster_scope_for_the_grid) {
    volatile unsigned *flag = WORD;
    if (blockIdx.x == 0) {
        out[T] = in[T];
        __syncthreads();
        if (T == 0) {
            if (FIXED)
                PTX("fence.acq_rel.gpu;" ::: "memory");
            else
                PTX("fence.acq_rel.cluster;" ::: "memory");
            *flag = 1;
        }
    } else {
        if (T == 0) {
            while (*flag == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[512 + T] = out[127 - T]; /* BUG */
    }
}

/* The block ends while a tile that nobody needs is still on its way. */
KERNEL(exit_with_load_in_flight) {
    __shared__ alignas(128) float s[2][128];
    __shared__ mbarrier full[2];
    START(full, 1);
    START(full + 1, 1);
    if (T == 0)
        for (int k = 0; k < 2; k++) {
            barrier_expect(full + k, 512);
            bulk_load(s[k], in + 128 * k, 512, full + k); /* BUG */
        }
    barrier_wait(full, 0);
    out[T] = s[0][T];
    if (FIXED) barrier_wait(full + 1, 0);
}

/* A warp reads what another warp has copied; only the barrier of the warp is between. */
KERNEL(copied_tile_behind_syncwarp) {
    __shared__ alignas(16) float s[128];
    copy4(s + T, in + T);
    copy_commit();
    copy_wait(0);
    if (FIXED)
        __syncthreads();
    else
        __syncwarp();
    out[T] = s[T ^ 32]; /* BUG */
}

/* Each bucket has a lock of its own, and the sum of all of them has none. */
KERNEL(sum_under_two_locks) {
    unsigned *lock = WORD + (FIXED ? 0 : blockIdx.x % 2);
    if (T) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    out[blockIdx.x] = in[blockIdx.x];
    out[64] += WHOLE(in[blockIdx.x]); /* BUG */
    __threadfence();
    atomicExch(lock, 0);
}

/* The flag of the first round is still set when the second begins. */
KERNEL(flag_of_the_first_round_seen_again) {
    volatile unsigned *flag = WORD, *taken = WORD + 1;
    if (T) return;
    for (unsigned round = 1; round <= 2; round++) {
        if (blockIdx.x == 0) {
            while (*taken != round - 1) {
            }
            __threadfence();
            out[0] = in[round]; /* BUG */
            __threadfence();
            *flag = FIXED ? round : 1;
        } else {
            while (*flag < (FIXED ? round : 1)) {
            }
            __threadfence();
            out[round] = out[0]; /* BUG */
            __threadfence();
            *taken = round;
        }
    }
}

/* One lane issues the bulk stores, another commits and waits. */
KERNEL(stores_committed_by_another_lane) {
    __shared__ alignas(128) float s[128];
    s[T] = in[T];
    fence_async();
    __syncthreads();
    if (T == 0) bulk_store(out, s, 512);
    if (T == (FIXED ? 0 : 1)) {
        bulk_commit();
        bulk_wait(0);
    }
    __syncthreads();
    s[T] = 0; /* BUG */
    if (T == 0) {
        bulk_commit();
        bulk_wait(0);
    }
}
