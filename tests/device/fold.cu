/* Transfers with constant descriptors, one a kernel: run_fold.sh looks at what becomes of them. */
#define HAUL_BLOCK_IS_1D
#include <haul/device.h>

__shared__ __align__(128) char tile[45056];
__shared__ haul_channel_memory memory;

#define KERNEL(name, ...)                                                                              \
    extern "C" __global__ void name(char *global, const unsigned *index, int x, int y, unsigned width, \
                                    unsigned height, const haul_tensor_view *view) {                   \
        __VA_ARGS__;                                                                                   \
    }

/* A team's load without a channel: all engines but bulk and tensor copies. */
#define LOAD(name, team, DESCRIPTOR) KERNEL(name, DESCRIPTOR; haul_##team##_load(t, 0, tile, global))
#define STORE(name, team, DESCRIPTOR) KERNEL(name, DESCRIPTOR; haul_##team##_store(t, global, tile))
#define BULK_LOAD(name, team, DESCRIPTOR)                                           \
    KERNEL(name, DESCRIPTOR; haul_channel channel = haul_##team##_channel(&memory); \
           haul_##team##_load(t, &channel, tile, global))

LOAD(sequential_ldg, block, HAUL_SEQUENTIAL(t, 16384, 16, 256, HAUL_BY_LDG))
LOAD(sequential_ldg_8_in_flight, block, HAUL_SEQUENTIAL(t, 32768, 16, 256, HAUL_BY_LDG | HAUL_IN_FLIGHT(128)))
LOAD(sequential_ldg_streaming, block, HAUL_SEQUENTIAL(t, 8192, 16, 256, HAUL_BY_LDG | HAUL_LOAD_CS))
LOAD(sequential_ldg_read_only, block, HAUL_SEQUENTIAL(t, 8192, 16, 256, HAUL_BY_LDG | HAUL_LOAD_NC))
LOAD(sequential_ldg_read_only_streaming, block,
     HAUL_SEQUENTIAL(t, 8192, 16, 256, HAUL_BY_LDG | HAUL_LOAD_NC | HAUL_LOAD_CS))
LOAD(sequential_ldg_read_only_l2, block, HAUL_SEQUENTIAL(t, 8192, 16, 256, HAUL_BY_LDG | HAUL_LOAD_NC | HAUL_LOAD_CG))
LOAD(sequential_ldg_2, block, HAUL_SEQUENTIAL(t, 1024, 2, 256, HAUL_BY_LDG))
LOAD(sequential_ldgsts, block, HAUL_SEQUENTIAL(t, 16384, 16, 256, HAUL_BY_LDGSTS))
LOAD(sequential_ldgsts_8, block, HAUL_SEQUENTIAL(t, 4096, 8, 128, HAUL_BY_LDGSTS))
LOAD(sequential_ldgsts_fetch, block, HAUL_SEQUENTIAL(t, 4096, 16, 256, HAUL_BY_LDGSTS | HAUL_L2_FETCH_128))
LOAD(sequential_tail, block, HAUL_SEQUENTIAL(t, 4099, 16, 128, HAUL_BY_LDGSTS))
LOAD(strided_ldgsts, block, HAUL_STRIDED(t, 8, 512, 528, 4096, 16, 128, HAUL_BY_LDGSTS))
LOAD(warp_ldg, warp, HAUL_SEQUENTIAL(t, 512, 16, 32, HAUL_BY_LDG))
LOAD(thread_ldg, thread, HAUL_SEQUENTIAL(t, 64, 16, 1, HAUL_BY_LDG))
KERNEL(warps_ldgsts, HAUL_SEQUENTIAL(t, 8192, 16, 128, HAUL_BY_LDGSTS);
       haul_warps_load(haul_these_warps(1, 128, 1), t, 0, tile, global))
KERNEL(two_phases, HAUL_SEQUENTIAL(t, 16384, 16, 256, HAUL_BY_LDG); HAUL_FLIGHT(f);
       haul_block_load_start(&f, t, 0, tile, global); haul_block_wait(&f))
KERNEL(gather_ldgsts, HAUL_INDIRECT(t, 4, 512, 512, 512, 16, 32, HAUL_BY_LDGSTS);
       haul_warp_gather(t, 0, tile, global, index))
KERNEL(halo_unbounded, HAUL_HALO(t, 4, 32, 8, 4, 160, 16, 256, HAUL_BY_LDGSTS | HAUL_UNBOUNDED);
       haul_block_halo_load(t, tile + 656, global, haul_area(x, y, width, height, 4096), 0))
KERNEL(tile_unbounded, HAUL_TILE(t, 4, 2, 32, 32, 1, 1, 1, 144, 16, 256, HAUL_BY_LDGSTS | HAUL_UNBOUNDED);
       haul_block_tile_load(t, 0, tile, view, haul_at2(x, y)))
STORE(store_sequential, block, HAUL_SEQUENTIAL(t, 8192, 16, 256, HAUL_BY_LDG))
STORE(store_streaming, block, HAUL_SEQUENTIAL(t, 4096, 16, 256, HAUL_BY_LDG | HAUL_STORE_CS))
KERNEL(add_f32, HAUL_SEQUENTIAL(t, 4096, 16, 256, HAUL_BY_LDG | HAUL_ADD_F32); haul_block_add(t, global, tile))
KERNEL(scatter, HAUL_INDIRECT(t, 4, 512, 512, 512, 16, 32, HAUL_BY_LDG); haul_warp_scatter(t, global, tile, index))

/* The same by named fields. */
LOAD(named_sequential, block,
     HAUL_SEQUENTIAL_WITH(t, float, .count = 4096, .vector = 4, .threads = 256, .engine = HAUL_BY_LDG))
LOAD(named_in_flight, block,
     HAUL_SEQUENTIAL_WITH(t, float4, .count = 2048, .threads = 256, .in_flight = 8, .engine = HAUL_BY_LDG))
LOAD(named_read_only, block,
     HAUL_SEQUENTIAL_WITH(t, float, .count = 2048, .vector = 4, .threads = 256, .engine = HAUL_BY_LDG,
                          .load = HAUL_LOAD_CS, .read_only = 1))
LOAD(named_strided, block,
     HAUL_STRIDED_WITH(t, float, .rows = 8, .row = 128, .shared_pitch = 132, .global_pitch = 1024, .vector = 4,
                       .threads = 128, .engine = HAUL_BY_LDGSTS))
KERNEL(named_gather, HAUL_INDIRECT_WITH(t, float, .rows = 4, .row = 128, .vector = 4, .threads = 32);
       haul_warp_gather(t, 0, tile, global, index))
KERNEL(named_halo,
       HAUL_HALO_WITH(t, float, .width = 32, .height = 8, .radius = 4, .vector = 4, .threads = 256, .unbounded = 1);
       haul_block_halo_load(t, tile + 656, global,
                            HAUL_AREA(float, .x = x, .y = y, .width = width, .height = height, .pitch = 1024), 0))
KERNEL(named_tile, HAUL_TILE_WITH(t, float, .box0 = 32, .box1 = 32, .shared_pitch = 36, .vector = 4, .threads = 256,
                                  .engine = HAUL_BY_LDGSTS, .unbounded = 1);
       haul_block_tile_load(t, 0, tile, view, haul_at2(x, y)))
KERNEL(named_add, HAUL_SEQUENTIAL_WITH(t, float, .count = 1024, .vector = 4, .threads = 256, .engine = HAUL_BY_LDG,
                                       .add = HAUL_ADD_F32);
       haul_block_add(t, global, tile))

/* Run-time places and rounds: branches and loops are left, but no divisions, and all in registers. */
KERNEL(congruent, HAUL_SEQUENTIAL(t, 5000, 1, 256, HAUL_CONGRUENT | HAUL_BY_LDGSTS);
       haul_block_load(t, 0, tile + x, global + x))
KERNEL(congruent_long, HAUL_SEQUENTIAL(t, 40000, 1, 256, HAUL_CONGRUENT | HAUL_BY_LDG | HAUL_IN_FLIGHT(64));
       haul_block_load(t, 0, tile + x, global + x))
KERNEL(congruent_ldg, HAUL_SEQUENTIAL(t, 5000, 1, 256, HAUL_CONGRUENT | HAUL_BY_LDG);
       haul_block_load(t, 0, tile + x, global + x))
KERNEL(congruent_store, HAUL_SEQUENTIAL(t, 5000, 1, 256, HAUL_CONGRUENT | HAUL_BY_LDG);
       haul_block_store(t, global + x, tile + x))
KERNEL(halo_ldg, HAUL_HALO(t, 4, 32, 8, 3, 152, 4, 256, HAUL_BY_LDG);
       haul_block_halo_load(t, tile + 656, global, haul_area(x, y, width, height, 4096), 0))
KERNEL(halo_ldgsts, HAUL_HALO(t, 4, 32, 8, 4, 160, 16, 256, HAUL_BY_LDGSTS);
       haul_block_halo_load(t, tile + 656, global, haul_area(x, y, width, height, 4096), 0))
KERNEL(tile_5d, HAUL_TILE(t, 4, 5, 8, 4, 4, 2, 2, 48, 16, 128, HAUL_BY_LDGSTS);
       haul_block_tile_load(t, 0, tile, view, haul_at5(x, y, x, y, x)))
KERNEL(tile_store, HAUL_TILE(t, 4, 2, 30, 32, 1, 1, 1, 128, 8, 256, HAUL_BY_LDG);
       haul_block_tile_store(t, view, haul_at2(x, y), tile))
KERNEL(
    block_pipeline, HAUL_SEQUENTIAL(t, 4096, 16, 256, HAUL_AUTO); HAUL_BLOCK_PIPELINE(p, 4, 256, HAUL_AUTO);
    for (int k = 0; k < 3; k++) {
        const unsigned filled = haul_block_pipeline_acquire(&p);
        if (k < x) haul_block_pipeline_load(&p, t, tile + filled * 4096, global + 4096ll * k);
        haul_block_pipeline_commit(&p);
    } for (int k = 0; k < x; k++) {
        const unsigned full = haul_block_pipeline_wait(&p);
        const unsigned filled = haul_block_pipeline_acquire(&p);
        if (k + 3 < x) haul_block_pipeline_load(&p, t, tile + filled * 4096, global + 4096ll * (k + 3));
        haul_block_pipeline_commit(&p);
        ((float *)global)[y * k + threadIdx.x] = ((float *)tile)[full * 1024 + (threadIdx.x ^ 5)];
        haul_block_pipeline_release(&p);
    })
KERNEL(
    split_pipeline, HAUL_SEQUENTIAL(t, 4096, 16, 64, HAUL_AUTO); HAUL_SPLIT_PIPELINE(p, 4, 0, 64, 2, 256, HAUL_AUTO);
    if (haul_is_producer(&p)) {
        haul_producer w = haul_producer_of(&p);
        for (int k = 0; k < x; k++) {
            const unsigned filled = haul_producer_acquire(&w);
            haul_producer_load(&w, t, tile + filled * 4096, global + 4096ll * k);
            haul_producer_commit(&w);
        }
    } else if (haul_is_consumer(&p)) {
        haul_consumer r = haul_consumer_of(&p);
        for (int k = 0; k < x; k++) {
            const unsigned full = haul_consumer_wait(&r);
            ((float *)global)[y * k + threadIdx.x] = ((float *)tile)[full * 1024 + (threadIdx.x ^ 5) % 1024];
            haul_consumer_release(&r);
        }
    })

#if HAUL_HAS_BULK
BULK_LOAD(bulk_sequential, block, HAUL_SEQUENTIAL(t, 16384, 16, 256, HAUL_AUTO))
BULK_LOAD(bulk_warp, warp, HAUL_SEQUENTIAL(t, 16384, 16, 32, HAUL_AUTO))
BULK_LOAD(bulk_thread, thread, HAUL_SEQUENTIAL(t, 16384, 16, 1, HAUL_AUTO))
BULK_LOAD(bulk_rows, warp, HAUL_STRIDED(t, 32, 512, 512, 4096, 16, 32, HAUL_BY_BULK))
BULK_LOAD(named_bulk, block, HAUL_SEQUENTIAL_WITH(t, float, .count = 4096, .vector = 4, .threads = 256))
STORE(bulk_store, block, HAUL_SEQUENTIAL(t, 8192, 16, 256, HAUL_AUTO))
KERNEL(bulk_add, HAUL_SEQUENTIAL(t, 8192, 16, 256, HAUL_ADD_F32); haul_block_add(t, global, tile))
KERNEL(tensor_load, HAUL_TILE(t, 4, 2, 32, 32, 1, 1, 1, 128, 16, 256, HAUL_AUTO);
       haul_channel channel = haul_block_channel(&memory);
       haul_block_tile_load(t, &channel, tile, view, haul_at2(x, y)))
KERNEL(tensor_store, HAUL_TILE(t, 4, 2, 32, 32, 1, 1, 1, 128, 16, 256, HAUL_BY_TENSOR);
       haul_block_tile_store(t, view, haul_at2(x, y), tile))
#endif
