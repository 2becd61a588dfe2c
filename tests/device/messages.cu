/* Wrong descriptors and pipelines. run_messages.sh compiles the parts of this file, which must fail, and looks for the
 * lines of messages.expected in what the compiler says. (Clang gives up after 20 errors.) */
#include <haul/device.h>

#if PART == 1
extern "C" __global__ void wrong(void) {
    HAUL_SEQUENTIAL(align_3, 12, 3, 32, HAUL_AUTO);
    HAUL_SEQUENTIAL(team_48, 16, 16, 48, HAUL_AUTO);
    HAUL_SEQUENTIAL(narrow, 16, 2, 32, HAUL_BY_LDGSTS);
    HAUL_SEQUENTIAL(around, 16, 8, 32, HAUL_BY_LDGSTS | HAUL_BYPASS_L1);
    HAUL_SEQUENTIAL(both_ways, 16, 16, 32, HAUL_BYPASS_L1 | HAUL_THROUGH_L1);
    HAUL_SEQUENTIAL(bulk, 1024, 16, 32, HAUL_BY_BULK);
    HAUL_TILE(tensor, 4, 2, 16, 16, 1, 1, 1, 64, 16, 32, HAUL_BY_TENSOR);
    HAUL_SEQUENTIAL(added_by_2, 16, 2, 32, HAUL_ADD_F32);
}
#elif PART == 2
extern "C" __global__ void wrong(void) {
    HAUL_SEQUENTIAL(added_bf16, 16, 2, 32, HAUL_ADD_BF16);
    HAUL_SEQUENTIAL(held, 4096, 16, 32, HAUL_BY_LDG | HAUL_IN_FLIGHT(512));
    HAUL_SEQUENTIAL(operation, 16, 16, 32, HAUL_LOAD_CS);
    HAUL_SEQUENTIAL(fetch, 16, 16, 32, HAUL_L2_FETCH_128);
    HAUL_SEQUENTIAL(fetch_cs, 16, 16, 32, HAUL_BY_LDG | HAUL_LOAD_CS | HAUL_L2_FETCH_128);
    HAUL_SEQUENTIAL(empty, 0, 16, 32, HAUL_AUTO);
    HAUL_SEQUENTIAL(part, 10, 4, 32, HAUL_ADD_F32);
    HAUL_STRIDED(pitch, 4, 16, 24, 64, 16, 32, HAUL_AUTO);
}
#elif PART == 3
extern "C" __global__ void wrong(void) {
    HAUL_STRIDED(far, 4, 16, 16, 20, 8, 32, HAUL_AUTO);
    HAUL_STRIDED(tensor_rows, 4, 16, 16, 32, 16, 32, HAUL_BY_TENSOR);
    HAUL_SEQUENTIAL(bulk_8, 64, 8, 32, HAUL_BY_BULK);
    HAUL_STRIDED(congruent, 4, 16, 24, 32, 8, 32, HAUL_CONGRUENT);
    HAUL_STRIDED(overlap, 4, 32, 16, 32, 16, 32, HAUL_AUTO);
    HAUL_INDIRECT(rows, 4, 32, 16, 32, 16, 32, HAUL_AUTO);
    HAUL_HALO(twelve, 12, 8, 8, 1, 128, 16, 32, HAUL_AUTO);
    HAUL_HALO(element_8, 8, 8, 8, 1, 128, 4, 32, HAUL_AUTO);
}
#elif PART == 4
extern "C" __global__ void wrong(void) {
    HAUL_HALO(halo_pitch, 4, 8, 8, 1, 72, 16, 32, HAUL_AUTO);
    HAUL_HALO(bulk_box, 4, 8, 8, 4, 64, 16, 32, HAUL_BY_BULK);
    HAUL_HALO(no_halo, 4, 8, 8, 0, 64, 16, 32, HAUL_AUTO);
    HAUL_HALO(tight, 4, 8, 8, 1, 32, 4, 32, HAUL_AUTO);
    HAUL_HALO(odd_side, 2, 8, 8, 1, 32, 4, 32, HAUL_BY_LDGSTS);
    HAUL_HALO(tensor_halo, 4, 8, 8, 4, 64, 16, 32, HAUL_BY_TENSOR);
    HAUL_TILE(six, 4, 6, 8, 1, 1, 1, 1, 32, 4, 32, HAUL_AUTO);
    HAUL_TILE(tile_rows, 4, 2, 8, 8, 1, 1, 1, 16, 4, 32, HAUL_AUTO);
}
#elif PART == 5
extern "C" __global__ void wrong(void) {
    HAUL_TILE(wide, 4, 2, 512, 1, 1, 1, 1, 2048, 16, 32, HAUL_BY_TENSOR);
    HAUL_TILE(sixteen, 16, 2, 8, 8, 1, 1, 1, 128, 16, 32, HAUL_BY_TENSOR);
    HAUL_HANDOVER(handover, 15, 64, 32);
    HAUL_HANDOVER(handover_48, 1, 64, 48);
    HAUL_BLOCK_PIPELINE(many, 17, 256, HAUL_AUTO);
    HAUL_SPLIT_PIPELINE(both, 4, 0, 64, 1, 64, HAUL_AUTO);
    HAUL_SPLIT_PIPELINE(parts, 4, 0, 48, 2, 64, HAUL_AUTO);
}
#elif PART == 6
extern "C" __global__ void wrong(void) {
    HAUL_SEQUENTIAL(engines, 16, 16, 32, HAUL_BY_LDG | HAUL_BY_LDGSTS);
    HAUL_SEQUENTIAL(three, 16, 16, 32, HAUL_BY_LDG | HAUL_BY_LDGSTS | HAUL_BY_TENSOR);
    HAUL_SEQUENTIAL(cached, 16, 16, 32, HAUL_BY_LDG | HAUL_LOAD_CG | HAUL_LOAD_CS);
    HAUL_SEQUENTIAL(plain, 16, 16, 32, HAUL_BY_LDG | HAUL_LOAD_CA | HAUL_LOAD_CV);
    HAUL_SEQUENTIAL(kept, 16, 16, 32, HAUL_BY_LDG | HAUL_LOAD_NC_NO_ALLOCATE | HAUL_LOAD_CG);
    HAUL_SEQUENTIAL(stored, 16, 16, 32, HAUL_BY_LDG | HAUL_STORE_CG | HAUL_STORE_CS);
    HAUL_SEQUENTIAL(evicted, 16, 16, 32, HAUL_L2_EVICT_FIRST | HAUL_L2_EVICT_LAST);
    HAUL_SEQUENTIAL(fetched, 16, 16, 32, HAUL_BY_LDG | HAUL_L2_FETCH_64 | HAUL_L2_FETCH_256);
    HAUL_SEQUENTIAL(added, 16, 8, 32, HAUL_ADD_U32 | HAUL_ADD_F64);
    HAUL_SEQUENTIAL(numbers, 64, 16, 32, HAUL_BY_LDG | HAUL_IN_FLIGHT(32) | HAUL_IN_FLIGHT(64));
}
#elif PART == 7
extern "C" __global__ void wrong(void) {
    HAUL_SEQUENTIAL(last_use, 16, 16, 32, HAUL_BY_LDG | HAUL_LOAD_NC | HAUL_LOAD_LU);
    HAUL_SEQUENTIAL(again, 16, 16, 32, HAUL_BY_LDG | HAUL_LOAD_NC | HAUL_LOAD_CV);
    HAUL_SEQUENTIAL(hinted, 16, 16, 32, HAUL_BY_LDG | HAUL_LOAD_CG | HAUL_L2_EVICT_LAST);
    HAUL_SEQUENTIAL(hinted_store, 16, 16, 32, HAUL_BY_LDG | HAUL_STORE_CS | HAUL_L2_EVICT_LAST);
    HAUL_SEQUENTIAL(hinted_fetch, 16, 16, 32, HAUL_BY_LDGSTS | HAUL_L2_FETCH_64 | HAUL_L2_EVICT_LAST);
    HAUL_SEQUENTIAL(unknown, 16, 16, 32, 1ull << 45);
    HAUL_SEQUENTIAL(held_24, 4096, 16, 32, HAUL_BY_LDG | HAUL_IN_FLIGHT(24));
    HAUL_SEQUENTIAL(held_8, 4096, 16, 32, HAUL_BY_LDG | HAUL_IN_FLIGHT(8));
    HAUL_STRIDED(held_10, 4, 12, 12, 16, 4, 32, HAUL_BY_LDG | HAUL_IN_FLIGHT(10));
    HAUL_SEQUENTIAL(held_congruent, 4096, 4, 32, HAUL_BY_LDG | HAUL_CONGRUENT | HAUL_IN_FLIGHT(24));
    HAUL_TILE(held_tile, 4, 2, 8, 8, 1, 1, 1, 48, 16, 32, HAUL_BY_LDG | HAUL_IN_FLIGHT(8));
    HAUL_HALO(held_halo, 4, 6, 8, 1, 32, 16, 32, HAUL_BY_LDG | HAUL_IN_FLIGHT(4));
}
#elif PART == 8
extern "C" __global__ void wrong(void) {
    HAUL_SEQUENTIAL(bulk_held, 4096, 16, 32, HAUL_BY_BULK | HAUL_IN_FLIGHT(64));
    HAUL_SEQUENTIAL(ldgsts_held, 4096, 16, 32, HAUL_BY_LDGSTS | HAUL_IN_FLIGHT(64));
    HAUL_SEQUENTIAL(auto_held, 4096, 16, 32, HAUL_AUTO | HAUL_IN_FLIGHT(64));
    HAUL_SEQUENTIAL(bulk_stored, 4096, 16, 32, HAUL_BY_BULK | HAUL_STORE_CS);
    HAUL_SEQUENTIAL(ldg_through, 4096, 16, 32, HAUL_BY_LDG | HAUL_THROUGH_L1);
    HAUL_SEQUENTIAL(bulk_around, 4096, 16, 32, HAUL_BY_BULK | HAUL_BYPASS_L1);
    HAUL_SEQUENTIAL(ldgsts_loaded, 4096, 16, 32, HAUL_BY_LDGSTS | HAUL_LOAD_CS);
    HAUL_SEQUENTIAL(bulk_fetched, 4096, 16, 32, HAUL_BY_BULK | HAUL_L2_FETCH_64);
    const unsigned size = gridDim.x;
    const haul_transfer transfers[] = {
        haul_sequential(size, 16, 32, HAUL_BY_LDG | HAUL_LOAD_CG | HAUL_LOAD_CS),
        haul_strided(4, size, size, size, 16, 32, HAUL_BY_BULK | HAUL_IN_FLIGHT(64)),
        haul_indirect(4, size, size, size, 3, 32, HAUL_AUTO),
        haul_halo(4, size, 8, 1, 64, 4, 32, HAUL_INDEX_64),
        haul_tile(4, 6, size, 8, 1, 1, 1, 32, 4, 32, HAUL_AUTO),
    };
    (void)transfers;
}
#elif PART == 9
extern "C" __global__ void wrong(void) {
    HAUL_SEQUENTIAL(ring_only, 16, 16, 32, HAUL_RING_ONLY);
    HAUL_SEQUENTIAL(no_corners, 16, 16, 32, HAUL_NO_CORNERS);
    HAUL_SEQUENTIAL(unbounded, 16, 16, 32, HAUL_UNBOUNDED);
    HAUL_STRIDED(index_64, 4, 16, 16, 16, 16, 32, HAUL_INDEX_64);
    HAUL_TILE(tile_ring, 4, 2, 8, 8, 1, 1, 1, 32, 4, 32, HAUL_RING_ONLY);
    HAUL_TILE(tile_congruent, 4, 2, 8, 8, 1, 1, 1, 32, 4, 32, HAUL_CONGRUENT);
    HAUL_HALO(halo_added, 4, 8, 8, 1, 40, 4, 32, HAUL_ADD_F32);
    HAUL_SEQUENTIAL(stages_written, 16, 16, 32, HAUL_STAGES_WRITTEN);
    HAUL_BLOCK_PIPELINE(ring_engines, 2, 256, HAUL_BY_LDG | HAUL_BY_LDGSTS);
    HAUL_BLOCK_PIPELINE(ring_flags, 2, 256, HAUL_BY_LDG | HAUL_LOAD_CS);
    HAUL_WARP_PIPELINE(ring_bulk, 2, 8, HAUL_BY_BULK);
    HAUL_THREAD_PIPELINE(ring_threads, 2, HAUL_BY_BULK);
    HAUL_SPLIT_PIPELINE(ring_split, 2, 0, 32, 1, 32, HAUL_BY_LDG | HAUL_BY_TENSOR);
}
#elif PART == 10
extern "C" __global__ void wrong(void) {
    HAUL_HALO_WITH(named_tight, float, .width = 8, .height = 8, .radius = 1, .shared_pitch = 8);
    HAUL_HALO_WITH(named_empty, float, .radius = 1);
    HAUL_HALO_WITH(named_two, float, .width = 8, .height = 8, .radius = 1, .engine = HAUL_BY_LDG,
                   .load = HAUL_LOAD_CG | HAUL_LOAD_CS);
    HAUL_SEQUENTIAL_WITH(named_other, float, .count = 64, .engine = HAUL_BY_LDG, .load = HAUL_STORE_CG);
    HAUL_SEQUENTIAL_WITH(named_bulk, float, .count = 64, .vector = 4, .engine = HAUL_BY_BULK);
    HAUL_SEQUENTIAL_WITH(named_held, float, .count = 64, .vector = 4, .engine = HAUL_BY_LDG, .in_flight = 17);
    HAUL_SEQUENTIAL_WITH(named_lacking, float, .count = 64, .vector = 4, .in_flight = 8);
    HAUL_STRIDED_WITH(named_rows, float, .rows = 4, .row = 4);
    HAUL_TILE_WITH(named_gap, float, .box0 = 8, .box2 = 8);
    HAUL_SEQUENTIAL_WITH(named_switch, float, .count = 64, .congruent = 2);
    HAUL_BLOCK_PIPELINE_WITH(named_ring, .stages = 17, .threads = 64);
    HAUL_BLOCK_PIPELINE_WITH(named_engine, .stages = 2, .threads = 64, .engine = HAUL_LOAD_CS);
}
#elif PART == 11
extern "C" __global__ void wrong(void) {
    HAUL_HALO_WITH(named_congruent, float, .width = 8, .height = 8, .radius = 1, .congruent = 1);
}
#endif
