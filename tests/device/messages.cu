/* Wrong descriptors and pipelines. run_messages.sh compiles the parts of this file, which must fail, and looks for the
 * lines of messages.expected in what the compiler says. (Clang gives up after 20 errors.) */
#include <haul/device.h>

extern "C" __global__ void wrong(void) {
#if PART == 1
    HAUL_SEQUENTIAL(align_3, 12, 3, 32, HAUL_AUTO);
    HAUL_SEQUENTIAL(team_48, 16, 16, 48, HAUL_AUTO);
    HAUL_SEQUENTIAL(narrow, 16, 2, 32, HAUL_BY_LDGSTS);
    HAUL_SEQUENTIAL(around, 16, 8, 32, HAUL_BY_LDGSTS | HAUL_BYPASS_L1);
    HAUL_SEQUENTIAL(both_ways, 16, 16, 32, HAUL_BYPASS_L1 | HAUL_THROUGH_L1);
    HAUL_SEQUENTIAL(bulk, 1024, 16, 32, HAUL_BY_BULK);
    HAUL_TILE(tensor, 4, 2, 16, 16, 1, 1, 1, 64, 16, 32, HAUL_BY_TENSOR);
    HAUL_SEQUENTIAL(added_by_2, 16, 2, 32, HAUL_ADD_F32);
#elif PART == 2
    HAUL_SEQUENTIAL(added_bf16, 16, 2, 32, HAUL_ADD_BF16);
    HAUL_SEQUENTIAL(held, 4096, 16, 32, HAUL_BY_LDG | HAUL_IN_FLIGHT(512));
    HAUL_SEQUENTIAL(operation, 16, 16, 32, HAUL_LOAD_CS);
    HAUL_SEQUENTIAL(fetch, 16, 16, 32, HAUL_L2_FETCH_128);
    HAUL_SEQUENTIAL(fetch_cs, 16, 16, 32, HAUL_BY_LDG | HAUL_LOAD_CS | HAUL_L2_FETCH_128);
    HAUL_SEQUENTIAL(empty, 0, 16, 32, HAUL_AUTO);
    HAUL_SEQUENTIAL(part, 10, 4, 32, HAUL_ADD_F32);
    HAUL_STRIDED(pitch, 4, 16, 24, 64, 16, 32, HAUL_AUTO);
#elif PART == 3
    HAUL_STRIDED(far, 4, 16, 16, 20, 8, 32, HAUL_AUTO);
    HAUL_STRIDED(tensor_rows, 4, 16, 16, 32, 16, 32, HAUL_BY_TENSOR);
    HAUL_SEQUENTIAL(bulk_8, 64, 8, 32, HAUL_BY_BULK);
    HAUL_STRIDED(congruent, 4, 16, 24, 32, 8, 32, HAUL_CONGRUENT);
    HAUL_STRIDED(overlap, 4, 32, 16, 32, 16, 32, HAUL_AUTO);
    HAUL_INDIRECT(rows, 4, 32, 16, 32, 16, 32, HAUL_AUTO);
    HAUL_HALO(twelve, 12, 8, 8, 1, 128, 16, 32, HAUL_AUTO);
    HAUL_HALO(element_8, 8, 8, 8, 1, 128, 4, 32, HAUL_AUTO);
#elif PART == 4
    HAUL_HALO(halo_pitch, 4, 8, 8, 1, 72, 16, 32, HAUL_AUTO);
    HAUL_HALO(bulk_box, 4, 8, 8, 4, 64, 16, 32, HAUL_BY_BULK);
    HAUL_HALO(no_halo, 4, 8, 8, 0, 64, 16, 32, HAUL_AUTO);
    HAUL_HALO(tight, 4, 8, 8, 1, 32, 4, 32, HAUL_AUTO);
    HAUL_HALO(odd_side, 2, 8, 8, 1, 32, 4, 32, HAUL_BY_LDGSTS);
    HAUL_HALO(tensor_halo, 4, 8, 8, 4, 64, 16, 32, HAUL_BY_TENSOR);
    HAUL_TILE(six, 4, 6, 8, 1, 1, 1, 1, 32, 4, 32, HAUL_AUTO);
    HAUL_TILE(tile_rows, 4, 2, 8, 8, 1, 1, 1, 16, 4, 32, HAUL_AUTO);
#elif PART == 5
    HAUL_TILE(wide, 4, 2, 512, 1, 1, 1, 1, 2048, 16, 32, HAUL_BY_TENSOR);
    HAUL_TILE(sixteen, 16, 2, 8, 8, 1, 1, 1, 128, 16, 32, HAUL_BY_TENSOR);
    HAUL_HANDOVER(handover, 15, 64, 32);
    HAUL_HANDOVER(handover_48, 1, 64, 48);
    HAUL_BLOCK_PIPELINE(many, 17, 256, HAUL_AUTO);
    HAUL_SPLIT_PIPELINE(both, 4, 0, 64, 1, 64, HAUL_AUTO);
    HAUL_SPLIT_PIPELINE(parts, 4, 0, 48, 2, 64, HAUL_AUTO);
#endif
}
