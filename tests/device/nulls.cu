/* Calls with null pointers. run_messages.sh compiles both parts, and looks for an error at each line that ends in
 * `null` and at no other. (Clang gives up after 20 errors.) */
#include <haul/device.h>

__shared__ haul_channel_memory memory;
__shared__ __align__(128) char tile[1024];

extern "C" __global__ void nulls(char *to, const char *from, const unsigned *index, const haul_tensor_view *view) {
    HAUL_SEQUENTIAL(t, 1024, 16, 32, HAUL_BY_LDG);
    HAUL_INDIRECT(rows, 4, 256, 256, 256, 16, 32, HAUL_BY_LDG);
    HAUL_HALO(halo, 4, 8, 8, 1, 48, 4, 32, HAUL_BY_LDG);
    HAUL_TILE(box, 4, 2, 8, 8, 1, 1, 1, 32, 16, 32, HAUL_BY_LDG);
    HAUL_BLOCK_PIPELINE(ring, 2, 32, HAUL_BY_LDG);
    haul_team team = haul_these_warps(0, 32, 0);
    haul_channel channel = haul_warp_channel(&memory);
    const haul_place place = haul_area(0, 0, 8, 8, 32);
    const haul_coordinates at = haul_at2(0, 0);
    HAUL_FLIGHT(flight);
#if PART == 1
    haul_warp_load(t, 0, tile, from);                               /* LDG takes no channel */
    haul_warp_load(t, 0, 0, from);                                  // null
    haul_warp_load(t, &channel, tile, 0);                           // null
    haul_warps_load(team, t, &channel, 0, from);                    // null
    haul_warps_store(team, t, 0, tile);                             // null
    haul_warp_load_start(0, t, 0, tile, from);                      // null
    haul_warps_load_start(&flight, team, t, 0, 0, from);            // null
    haul_warp_gather(rows, 0, 0, from, index);                      // null
    haul_warp_gather(rows, 0, tile, from, 0);                       // null
    haul_warps_gather_start(&flight, team, rows, 0, tile, from, 0); // null
    haul_warp_scatter(rows, to, 0, index);                          // null
    haul_warp_scatter_add(rows, to, tile, 0);                       // null
    haul_block_store(t, to, 0);                                     // null
    haul_block_add(t, 0, tile);                                     // null
#elif PART == 2
    haul_warp_gather(rows, 0, tile, from, index);
    haul_block_halo_load(halo, 0, from, place, 0);                 // null
    haul_block_halo_store(halo, to, 0, place);                     // null
    haul_block_tile_load(box, 0, tile, 0, at);                     // null
    haul_block_tile_store(box, view, at, 0);                       // null
    haul_block_tile_add(box, 0, at, tile);                         // null
    haul_block_pipeline_load(&ring, t, 0, from);                   // null
    haul_block_pipeline_gather(&ring, rows, tile, from, 0);        // null
    haul_block_pipeline_halo_load(&ring, halo, 0, from, place, 0); // null
    haul_block_pipeline_tile_load(&ring, box, tile, 0, at);        // null
    haul_warp_channel(0);                                          // null
    haul_warps_channel(team, 0);                                   // null
    haul_block_pipeline("none", 0, 2, 32, HAUL_AUTO);              // null
#endif
    (void)channel, (void)flight;
}
