/* Starts blocks: chooses the next cluster, the blocks' positions in the grid, and the initial registers of their warps.
 *
 * A place on an SM runs many blocks one after another. Constants, and the special registers that depend on the lane
 * only, are set once for all of them. A start sets the rest. Local memory is cleared as far as the last block has used
 * it. A register is cleared only if an instruction may read it before one writes it. */
#include "assembler/shared_layout.h"
#include "check/hazard.h"
#include "exec/async.h"
#include "exec/barrier.h"
#include "exec/call.h"
#include "exec/paths.h"
#include "exec/sm.h"
#include "exec/tmem.h"
#include "exec/unfenced.h"
#include "jit/compiled.h"
#include "state/block.h"

#include <string.h>

/* ---- special registers ---- */

/* Returns a special register that differs between lanes. Threads are numbered with x running fastest. */
static uint32_t lane_special(const sim_warp *w, unsigned special, uint32_t lane) {
    const uint32_t *size = w->sm->grid->block;
    uint32_t thread = w->index * SIM_LANES + lane;
    switch (special) {
    case PTX_SPECIAL_TID_X: return thread % size[0];
    case PTX_SPECIAL_TID_Y: return thread / size[0] % size[1];
    case PTX_SPECIAL_TID_Z: return thread / size[0] / size[1];
    case PTX_SPECIAL_LANEID: return lane;
    case PTX_SPECIAL_LANEMASK_EQ: return 1u << lane;
    case PTX_SPECIAL_LANEMASK_LE: return 0xffffffffu >> (31 - lane);
    case PTX_SPECIAL_LANEMASK_LT: return (1u << lane) - 1;
    case PTX_SPECIAL_LANEMASK_GE: return 0xffffffffu << lane;
    case PTX_SPECIAL_LANEMASK_GT: return 0xfffffffeu << lane;
    default: return 0;
    }
}

/* Without clusters, each block is its own cluster. */
static uint64_t cluster_special(const sim_grid *g, const sim_block *b, unsigned special) {
    switch (special) {
    case PTX_SPECIAL_CLUSTERID_X: return b->at[0] / g->cluster[0];
    case PTX_SPECIAL_NCLUSTERID_X: return g->grid[0] / g->cluster[0];
    case PTX_SPECIAL_CLUSTER_CTAID_X: return b->at[0] % g->cluster[0];
    case PTX_SPECIAL_CLUSTER_NCTAID_X: return g->cluster[0];
    case PTX_SPECIAL_CLUSTERID_Y: return b->at[1] / g->cluster[1];
    case PTX_SPECIAL_NCLUSTERID_Y: return g->grid[1] / g->cluster[1];
    case PTX_SPECIAL_CLUSTER_CTAID_Y: return b->at[1] % g->cluster[1];
    case PTX_SPECIAL_CLUSTER_NCTAID_Y: return g->cluster[1];
    case PTX_SPECIAL_CLUSTERID_Z: return b->at[2] / g->cluster[2];
    case PTX_SPECIAL_NCLUSTERID_Z: return g->grid[2] / g->cluster[2];
    case PTX_SPECIAL_CLUSTER_CTAID_Z: return b->at[2] % g->cluster[2];
    case PTX_SPECIAL_CLUSTER_NCTAID_Z: return g->cluster[2];
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER: return g->explicit_cluster ? SIM_ALL_LANES : 0;
    case PTX_SPECIAL_CLUSTER_CTARANK: return b->rank;
    case PTX_SPECIAL_CLUSTER_NCTARANK: return g->cluster_blocks;
    default: return 0;
    }
}

/* Returns a special register that is the same in all lanes of a warp. */
static uint64_t block_special(const sim_warp *w, unsigned special) {
    const sim_grid *g = w->sm->grid;
    const sim_block *b = w->block;
    switch (special) {
    case PTX_SPECIAL_NTID_X: return g->block[0];
    case PTX_SPECIAL_NTID_Y: return g->block[1];
    case PTX_SPECIAL_NTID_Z: return g->block[2];
    case PTX_SPECIAL_CTAID_X: return b->at[0];
    case PTX_SPECIAL_CTAID_Y: return b->at[1];
    case PTX_SPECIAL_CTAID_Z: return b->at[2];
    case PTX_SPECIAL_NCTAID_X: return g->grid[0];
    case PTX_SPECIAL_NCTAID_Y: return g->grid[1];
    case PTX_SPECIAL_NCTAID_Z: return g->grid[2];
    case PTX_SPECIAL_WARPID: return w->index;
    case PTX_SPECIAL_NWARPID: return g->machine->max_threads_per_sm / SIM_LANES;
    case PTX_SPECIAL_SMID: return w->sm->index;
    case PTX_SPECIAL_NSMID: return g->machine->sms;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE: return g->shared_bytes - SIM_SHARED_START;
    case PTX_SPECIAL_RESERVED_SMEM_END:
    case PTX_SPECIAL_RESERVED_SMEM_CAP: return SIM_SHARED_START;
    case PTX_SPECIAL_AGGR_SMEM_SIZE: return g->shared_bytes;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE: return g->dynamic_bytes;
    default: return cluster_special(g, b, special);
    }
}

/* Fill the slot of a special register, from which instructions read it like any other. */
static void fill_lane_special(sim_warp *w, const sim_special_slot *s) {
    for (uint32_t l = 0; l < SIM_LANES; l++) SIM_SLOT(w, uint32_t, s->slot)[l] = lane_special(w, s->special, l);
}

static void fill_block_special(sim_warp *w, const sim_special_slot *s) {
    uint64_t value = block_special(w, s->special), *wide = SIM_SLOT(w, uint64_t, s->slot);
    uint32_t *narrow = SIM_SLOT(w, uint32_t, s->slot);
    if (ptx_bits(ptx_special_types[s->special]) == 64)
        for (uint32_t l = 0; l < SIM_LANES; l++) wide[l] = value;
    else
        for (uint32_t l = 0; l < SIM_LANES; l++) narrow[l] = (uint32_t)value;
}

/* Returns whether the special register is the same for every block in this place, also in a later grid of blocks of
 * this shape. */
static bool is_of_place(unsigned special) {
    switch (special) {
    case PTX_SPECIAL_NTID_X:
    case PTX_SPECIAL_NTID_Y:
    case PTX_SPECIAL_NTID_Z:
    case PTX_SPECIAL_WARPID:
    case PTX_SPECIAL_NWARPID:
    case PTX_SPECIAL_SMID:
    case PTX_SPECIAL_NSMID: return true;
    default: return ptx_special_differs_by_lane(special);
    }
}

/* ---- warps ---- */

/* Sets what is the same for every block in this place: constants, and special registers of the lane, the warp and the
 * block's shape. No instruction writes them. */
static void prepare_warp(sim_block *b, uint32_t index) {
    const sim_program *p = b->sm->grid->program;
    sim_warp *w = &b->warps[index];
    w->block = b;
    w->sm = b->sm;
    w->ops = p->ops;
    w->compiled = b->sm->native ? p->compiled : NULL;
    w->first_form = (uint8_t)sim_first_form(b->sm);
    w->index = index;
    memset(w->regs, 0, p->constants_at);
    memcpy(w->regs, p->template, SIM_SLOTS_FIXED);
    memcpy(w->regs + p->constants_at, p->template + p->constants_at, p->constants_bytes);
    memset(w->paths, 0, sizeof w->paths);
    memset(w->joins, 0, sizeof w->joins);
    for (size_t s = 0; s < p->special_count; s++) {
        const sim_special_slot *own = &p->specials[s];
        if (ptx_special_differs_by_lane(own->special))
            fill_lane_special(w, own);
        else if (is_of_place(own->special))
            fill_block_special(w, own);
    }
}

/* Starts the warp at operation 0 with the lanes that exist: the last warp of a block may have fewer. */
static void start_warp(sim_block *b, uint32_t index) {
    const sim_grid *g = b->sm->grid;
    const sim_program *p = g->program;
    sim_warp *w = &b->warps[index];
    uint32_t threads = g->threads - index * SIM_LANES;
    /* Registers that may be read before they are written start as zero, so that such a kernel does the same on every
     * run. */
    for (size_t z = 0; z < p->zeroed_count; z++) memset(w->regs + p->zeroed[z].slot, 0, p->zeroed[z].bytes);
    SIM_PREDICATE(w, SIM_SLOT_CARRY) = 0;
    for (size_t s = 0; s < p->special_count; s++)
        if (!is_of_place(p->specials[s].special)) fill_block_special(w, &p->specials[s]);
    w->tainted = false;
    w->waited = 0;
    if (w->calls) sim_calls_reset(w);
    sim_warp_start(w, threads >= SIM_LANES ? SIM_ALL_LANES : (1u << threads) - 1);
}

/* ---- blocks and clusters ---- */

/* Returns what uninitialised shared memory holds. */
static int first_byte(const sim_grid *g) {
    return g->schedule.is_dirty ? SIM_DIRT : 0;
}

/* Clears local memory up to the highest offset that the last block in this place has used. */
static void clear_frames(const sim_grid *g, sim_block *b) {
    for (uint32_t t = 0; b->frame_used && t < g->threads; t++)
        memset(b->frames + t * g->program->frame_bytes, 0, b->frame_used);
    b->frame_used = 0;
}

/* A multiplicative hash permutes the numbers below a power of two; numbers from `count` on are skipped. An odd factor
 * and a sum are a permutation modulo a power of two. */
uint64_t sim_shuffled(uint64_t number, uint64_t count, uint64_t seed) {
    uint64_t mask = 1;
    while (mask < count) mask *= 2;
    mask -= 1;
    do number = ((number ^ (seed & mask)) * 0x9e3779b1u + 0x7f4a7c15u) & mask;
    while (number >= count);
    return number;
}

/* Returns the SM's next cluster. */
static uint64_t cluster_in_turn(const sim_sm *sm) {
    const sim_grid *g = sm->grid;
    switch (g->schedule.turns) {
    case HAUL_SCHEDULE_REVERSED: return g->clusters - 1 - sm->next_cluster;
    case HAUL_SCHEDULE_RANDOM: return sim_shuffled(sm->next_cluster, g->clusters, g->schedule.seed);
    default: return sm->next_cluster;
    }
}

/* Starts the block of that rank in its place. Initial contents are the same on every run: shared memory holds
 * zeros, or SIM_DIRT in schedules that show reads of uninitialised memory. */
static void start_block(sim_sm *sm, sim_block *b, uint32_t rank) {
    const sim_grid *g = sm->grid;
    b->cluster_index = cluster_in_turn(sm);
    sim_place_block(g, b->cluster_index, rank, b);
    b->rank = rank;
    b->cluster = b - rank;
    b->cluster_arrivals = 0;
    memset(b->updated, 0, sizeof b->updated);
    b->live_warps = g->warps;
    sm->changes++;
    b->running = true;
    sim_barriers_reset(b);
    memset(b->shared, first_byte(g), g->shared_bytes);
    if (b->engine_view != b->shared) memset(b->engine_view, first_byte(g), g->shared_bytes);
    clear_frames(g, b);
    sim_async_reset(&b->async);
    sim_unfenced_reset(b);
    sim_tmem_reset(b);
    for (uint32_t w = 0; w < g->warps; w++) {
        if (!b->prepared) prepare_warp(b, w);
        start_warp(b, w);
    }
    b->prepared = true;
    sm->running++;
}

/* The places of a cluster's blocks follow each other. All must be free: its blocks start together. */
bool sim_start_cluster(sim_sm *sm, sim_block *first) {
    const sim_grid *g = sm->grid;
    if (sm->next_cluster >= g->end_cluster || (first - sm->blocks) % g->cluster_blocks) return false;
    for (uint32_t r = 0; r < g->cluster_blocks; r++)
        if (first[r].running) return false;
    for (uint32_t r = 0; r < g->cluster_blocks; r++) start_block(sm, &first[r], r);
    /* The checks follow a cluster as one domain, from here on. */
    if (sm->hazards) sim_hazard_start(first);
    sm->next_cluster += g->used_sms;
    return true;
}

bool sim_sm_cancel_cluster(sim_sm *sm, uint32_t first[3]) {
    sim_block b;
    if (sm->next_cluster >= sm->grid->end_cluster) return false;
    sim_place_block(sm->grid, cluster_in_turn(sm), 0, &b);
    memcpy(first, b.at, sizeof b.at);
    sm->next_cluster += sm->grid->used_sms;
    return true;
}
