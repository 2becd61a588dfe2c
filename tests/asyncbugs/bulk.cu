/* Bulk copies: waits for stores, stages of stores, both ends of a copy, sizes. sm_90. */
#include "asyncbugs.cuh"

/* The tile is overwritten while the engine still reads it. */
KERNEL(source_reused_without_wait) {
    __shared__ alignas(16) float s[128];
    for (int k = 0; k < 3; k++) {
        s[T] = in[128 * k + T]; /* BUG */
        fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * k, s, 512);
            bulk_commit();
            if (FIXED) bulk_wait_read(0);
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* Two stages: the wait leaves in flight the very store whose stage is loaded next. */
KERNEL(load_over_store_in_flight) {
    __shared__ alignas(16) float s[2][128];
    __shared__ mbarrier full[2];
    START(&full[0], 1);
    START(&full[1], 1);
    if (T == 0) {
        for (int k = 0; k < 2; k++) {
            barrier_expect(&full[k], 512);
            bulk_load(s[k], in + 128 * k, 512, &full[k]);
        }
        for (int k = 0; k < 6; k++) {
            barrier_wait(&full[k % 2], k / 2 % 2);
            bulk_store(out + 128 * k, s[k % 2], 512);
            bulk_commit();
            if (k + 2 < 6) {
                bulk_wait_read(FIXED ? 0 : 1);
                barrier_expect(&full[k % 2], 512);
                bulk_load(s[k % 2], in + 128 * (k + 2), 512, &full[k % 2]); /* BUG */
            }
        }
        bulk_wait(0);
    }
}

/* Bulk groups belong to the thread that issued them: a wait by others is over at once. */
KERNEL(wait_by_other_threads) {
    __shared__ alignas(16) float s[128];
    for (int k = 0; k < 3; k++) {
        s[T] = in[128 * k + T]; /* BUG */
        fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * k, s, 512);
            bulk_commit();
        }
        if (FIXED || T != 0) bulk_wait_read(0);
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* The issuing thread waits, but no barrier tells the others that it has. */
KERNEL(wait_not_told_to_others) {
    __shared__ alignas(16) float s[128];
    for (int k = 0; k < 3; k++) {
        s[T] = in[128 * k + T]; /* BUG */
        fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * k, s, 512);
            bulk_commit();
            bulk_wait_read(0);
        }
        if (FIXED) __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* wait_group covers committed stores only. */
KERNEL(store_not_committed) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        if (FIXED) bulk_commit();
        bulk_wait_read(0);
    }
    __syncthreads();
    s[T] = 0; /* BUG */
    out[512 + T] = s[T];
    if (T == 0) {
        bulk_commit();
        bulk_wait(0);
    }
}

/* The stage of a store is counted anew in every tile, so a tile's first one may still be in flight. */
KERNEL(stage_count_restarts) {
    __shared__ alignas(16) float s[3][128];
    int stage = 0;
    for (int tile = 0; tile < 2; tile++) {
        if (!FIXED) stage = 0;
        for (int j = 0; j < 4; j++) {
            s[stage][T] = in[512 * tile + 128 * j + T]; /* BUG */
            fence_async();
            __syncthreads();
            if (T == 0) {
                bulk_store(out + 512 * tile + 128 * j, s[stage], 512);
                bulk_commit();
                bulk_wait_read(2);
            }
            stage = (stage + 1) % 3;
            __syncthreads();
        }
    }
    if (T == 0) bulk_wait(0);
}

/* The wait leaves as many stores in flight as there are stages. */
KERNEL(store_wait_too_loose) {
    __shared__ alignas(16) float s[2][128];
    for (int k = 0; k < 6; k++) {
        if (T == 0) bulk_wait_read(FIXED ? 1 : 2);
        __syncthreads();
        s[k % 2][T] = in[128 * k + T]; /* BUG */
        fence_async();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * k, s[k % 2], 512);
            bulk_commit();
        }
    }
    if (T == 0) bulk_wait(0);
}

/* .read says that the source was read, not that the destination is written. */
KERNEL(read_wait_for_destination) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out + 1024, s, 512);
        bulk_commit();
        if (FIXED)
            bulk_wait(0);
        else
            bulk_wait_read(0);
    }
    __syncthreads();
    out[T] = out[1024 + 127 - T]; /* BUG */
    if (T == 0) bulk_wait(0);
}

/* The same behind a reduction. */
KERNEL(reduction_read_too_early) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_add(out + 1024, s, 512);
        bulk_commit();
        if (FIXED)
            bulk_wait(0);
        else
            bulk_wait_read(0);
    }
    __syncthreads();
    out[T] = out[1024 + 127 - T]; /* BUG */
    if (T == 0) bulk_wait(0);
}

/* A tile goes out and comes back by the engine, with .read between the two. */
KERNEL(stored_tile_loaded_back) {
    __shared__ alignas(16) float s[2][128];
    __shared__ mbarrier full;
    START(&full, 1);
    s[0][T] = in[T];
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out + 1024, s[0], 512);
        bulk_commit();
        if (FIXED)
            bulk_wait(0);
        else
            bulk_wait_read(0);
        barrier_expect(&full, 512);
        bulk_load(s[1], out + 1024, 512, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[1][127 - T];
    if (T == 0) bulk_wait(0);
}

/* A global tile is updated in place while a bulk copy reads it. */
KERNEL(source_of_load_updated) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s, out, 512, &full);
    }
    if (FIXED) barrier_wait(&full, 0);
    out[T] = in[T]; /* BUG */
    barrier_wait(&full, 0);
    out[128 + T] = s[127 - T];
}

/* Two copies in flight write the same bytes. */
KERNEL(destinations_overlap) {
    __shared__ alignas(16) float s[256];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 1024);
        bulk_load(s, in, 512, &full);
        bulk_load(s + (FIXED ? 128 : 124), in + 1024, 512, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[T] + s[124 + T];
}

/* A second copy is announced on a barrier whose phase is not over. */
KERNEL(second_copy_in_same_phase) {
    __shared__ alignas(16) float s[2][128];
    __shared__ mbarrier full[2];
    START(&full[0], 1);
    START(&full[1], 1);
    if (T == 0)
        for (int k = 0; k < 2; k++) {
            barrier_expect(&full[FIXED ? k : 0], 512); /* BUG */
            bulk_load(s[k], in + 128 * k, 512, &full[FIXED ? k : 0]);
        }
    barrier_wait(&full[0], 0);
    barrier_wait(&full[FIXED ? 1 : 0], FIXED ? 0 : 1);
    out[T] = s[0][127 - T] + s[1][T];
}

/* The destination's address is a multiple of 4, not of 16. */
KERNEL(destination_not_aligned) {
    __shared__ alignas(16) float s[132];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, 512);
        bulk_load(s + (FIXED ? 4 : 1), in, 512, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[4 + (T & 63)];
}

/* The last tile is copied whole, beyond the end of the buffer. */
KERNEL(tail_copied_whole) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    const unsigned bytes = FIXED ? 256 : 512;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, bytes);
        bulk_load(s, in + 4032, bytes, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    if (T < 64) out[T] = s[63 - T];
}

/* The block ends while the engine still reads its shared memory. */
KERNEL(exit_with_store_in_flight) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    fence_async();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512); /* BUG */
        bulk_commit();
        if (FIXED) bulk_wait(0);
    }
}

/* elect.sync waits for all lanes that its mask names; half of them are elsewhere. */
KERNEL(elect_names_absent_lanes) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T < 16) {
        unsigned leads;
        PTX("{\n.reg .pred p;\nelect.sync _|p, %1;\nselp.u32 %0, 1, 0, p;\n}" /* BUG */
            : "=r"(leads)
            : "r"(FIXED ? 0xffffu : ~0u));
        if (leads) {
            barrier_expect(&full, 512);
            bulk_load(s, in, 512, &full);
        }
    }
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* Every warp elects a lane, and each of them issues the copy. */
KERNEL(every_warp_elects) {
    __shared__ alignas(16) float s[128];
    __shared__ mbarrier full;
    unsigned leads;
    START(&full, 1);
    PTX("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(leads));
    if (leads && (!FIXED || WARP == 0)) {
        barrier_expect(&full, 512); /* BUG */
        bulk_load(s, in, 512, &full);
    }
    barrier_wait(&full, 0);
    out[T] = s[127 - T];
}

/* The elected lane issues a store, another lane waits for it. */
KERNEL(elected_lane_stores_lane_zero_waits) {
    __shared__ alignas(16) float s[128];
    s[T] = in[T];
    fence_async();
    __syncthreads();
    if (T == (FIXED ? 0 : 31)) {
        bulk_store(out, s, 512);
        bulk_commit();
    }
    if (T == 0) bulk_wait_read(0);
    __syncthreads();
    s[T] = 0; /* BUG */
    out[512 + T] = s[T];
    bulk_wait(0);
}
