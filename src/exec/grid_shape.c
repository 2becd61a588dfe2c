#include "exec/grid_shape.h"

#include "base/number.h"
#include "base/status.h"
#include "machine/host.h"

#include <string.h>

#define DEFAULT_LIMIT (1ull << 36)
#define FRAME_BUDGET (4ull << 30)
#define SMALL_FRAMES (16ull << 20) /* every host has this much */

/* A grid that synchronises is resident as a whole. */
static uint32_t fewest_resident(const sim_grid *g) {
    const uint64_t sms = g->machine->sms;
    return g->program->syncs_grid ? (uint32_t)((g->clusters + sms - 1) / sms) * g->cluster_blocks : g->cluster_blocks;
}

/* Hardware spreads a cluster over SMs; here it always fits on one. */
static void choose_resident(sim_grid *g) {
    const bool all_fit = g->blocks <= (uint64_t)g->resident * g->machine->sms;
    const uint32_t fewest = all_fit ? fewest_resident(g) : g->cluster_blocks;
    g->resident -= g->resident % g->cluster_blocks;
    if (g->resident < fewest) g->resident = fewest;
}

/* Unchecked launches keep the order of warps of their schedule, but its copies complete at the wait. */
void sim_grid_describe(const sim_launch *l, const haul_occupancy *occupancy, const uint32_t cluster[3], sim_grid *g) {
    *g = (sim_grid){.program = l->program,
                    .machine = l->machine,
                    .memory = l->memory,
                    .regions = l->check ? *sim_memory_regions(l->memory) : NULL,
                    .heap = l->heap,
                    .heap_user = l->heap_user,
                    .textures = l->textures,
                    .params = l->params,
                    .dynamic_bytes = l->dynamic_bytes,
                    .check = l->check,
                    .follower = l->follower,
                    .strict = l->strict,
                    .node = l->check ? l->node : NULL,
                    .schedule = l->schedule,
                    .resident = occupancy->blocks_per_sm};
    if (!l->check) g->schedule = (sim_schedule){.turns = l->schedule.turns, .seed = l->schedule.seed};
    memcpy(g->grid, l->grid, sizeof g->grid);
    memcpy(g->block, l->block, sizeof g->block);
    g->threads = l->block[0] * l->block[1] * l->block[2];
    g->warps = (g->threads + SIM_LANES - 1) / SIM_LANES;
    g->shared_bytes = (uint32_t)(l->program->dynamic_shared_at + l->dynamic_bytes);
    g->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    memcpy(g->cluster, cluster, sizeof g->cluster);
    g->cluster_blocks = g->cluster[0] * g->cluster[1] * g->cluster[2];
    g->explicit_cluster = l->cluster[0] || l->program->function->cluster[0];
    g->clusters = g->blocks / g->cluster_blocks;
    g->end_cluster = g->clusters;
    choose_resident(g);
    g->used_sms = g->clusters < l->machine->sms ? (uint32_t)g->clusters : l->machine->sms;
    g->instruction_limit = l->instruction_limit ? l->instruction_limit : DEFAULT_LIMIT;
}

/* Returns the local memory of `resident` blocks on each SM. */
static uint64_t frames_of(const sim_grid *g, uint32_t resident) {
    uint64_t blocks = (uint64_t)resident * g->used_sms;
    if (g->program->frame_bytes > UINT32_MAX) return UINT64_MAX;
    return (blocks < g->blocks ? blocks : g->blocks) * g->threads * g->program->frame_bytes;
}

/* Local memory can be large; limits resident blocks to FRAME_BUDGET. The limit is the same on every host, so that
 * kernels behave the same. If the host still has too little memory, the launch fails. */
haul_status sim_grid_fit_frames(sim_grid *g) {
    while (g->resident > fewest_resident(g) && frames_of(g, g->resident) > FRAME_BUDGET)
        g->resident -= g->cluster_blocks;
    uint64_t needed = frames_of(g, g->resident);
    char amount[32];
    if (needed <= SMALL_FRAMES || needed <= sim_host_available()) return HAUL_OK;
    return haul_fail(
        HAUL_ERROR_OUT_OF_MEMORY,
        "launch: %llu bytes of local memory per thread need %s for the resident blocks: more than the host has",
        (unsigned long long)g->program->frame_bytes, number_format_bytes((double)needed, amount));
}
