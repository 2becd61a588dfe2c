/* Block barriers (bar, barrier) and the ends of threads, which may complete them.
 *
 * Barriers count warps: a warp has arrived when all its live lanes have, wherever they diverged. An
 * arrival that completes a barrier opens it at once: all paths that wait there become ready, and the barrier is reset
 * for the next phase. A path that was parked executes its instruction again; `resumes` tells it that the barrier has
 * opened. The results of votes are in the barrier's record, where each path reads them when it goes on.
 *
 * Barriers of a warp are in paths.c, those of a cluster in cluster.c. The checks learn of arrivals, openings and
 * passes. */
#include "exec/barrier.h"

#include "check/hazard.h"
#include "count/count.h"
#include "exec/cluster.h"
#include "exec/paths.h"
#include "exec/products.h"
#include "state/block.h"

#include <string.h>

/* Without a thread count, the barrier waits for all warps with a live lane, so ends of threads complete it, too. */
static bool is_complete(const sim_block *b, const sim_barrier *bar) {
    if (bar->warps == 0) return false;
    return bar->warps >= (bar->expected ? bar->expected : b->live_warps);
}

/* Wakes the waiting paths and merges those of a warp that go on at the same place. */
static void open_barrier(sim_block *b, uint32_t id) {
    sim_barrier *bar = &b->barriers[id];
    bar->result_popc = bar->popc;
    bar->result_threads = bar->threads;
    bar->warps = bar->expected = bar->threads = bar->popc = 0;
    b->sm->progress++;
    if (b->sm->hazards) sim_hazard_barrier_open(b, id);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        sim_warp *w = &b->warps[i];
        for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
            sim_path *p = &w->paths[__builtin_ctz(left)];
            if (p->state != SIM_PATH_AT_BARRIER || p->barrier != id) continue;
            p->resumes = 1;
            if (b->sm->hazards) sim_hazard_barrier_pass(w, id, p->mask);
            sim_warp_wake(w, p);
        }
        sim_warp_merge(w);
    }
}

/* Lanes of the warp have arrived or ended. The warp arrives when none is missing. */
static void note_arrival(sim_barrier *bar, const sim_warp *w) {
    uint32_t *lanes = &bar->lanes[w->index];
    if (!*lanes || (*lanes & w->live) != w->live) return;
    *lanes = 0;
    bar->warps++;
}

/* Most kernels use one barrier of the 16, so only those that were used are cleared. */
void sim_barriers_reset(sim_block *b) {
    for (uint32_t used = b->used_barriers; used; used &= used - 1)
        memset(&b->barriers[__builtin_ctz(used)], 0, sizeof *b->barriers);
    b->used_barriers = 0;
}

/* Barriers no longer wait for lanes that have ended. */
static void lanes_ended(sim_warp *w) {
    sim_block *b = w->block;
    b->sm->progress++;
    b->sm->changes++;
    b->live_warps -= w->live == 0;
    for (uint32_t used = b->used_barriers; used; used &= used - 1) {
        const uint32_t id = (uint32_t)__builtin_ctz(used);
        note_arrival(&b->barriers[id], w);
        if (is_complete(b, &b->barriers[id])) open_barrier(b, id);
    }
    sim_cluster_lanes_ended(w);
    sim_products_wake(w);
}

sim_step sim_warp_exit(sim_warp *w, uint32_t lanes) {
    sim_path *path = w->path;
    const bool goes_on = sim_warp_drop_lanes(w, lanes);
    lanes_ended(w);
    if (!goes_on) return sim_warp_switch(w);
    w->active = path->mask;
    return SIM_NEXT;
}

/* Notes the arrival. Returns true if it has opened the barrier. A thread count says how many warps this phase waits
 * for. */
static bool arrive(sim_warp *w, uint32_t id, uint32_t expected, uint32_t lanes, uint32_t votes) {
    sim_barrier *bar = &w->block->barriers[id];
    w->block->used_barriers |= 1u << id;
    bar->lanes[w->index] |= lanes;
    w->sm->changes++;
    bar->threads += (uint32_t)__builtin_popcount(lanes);
    bar->popc += (uint32_t)__builtin_popcount(votes & lanes);
    if (expected) bar->expected = expected / SIM_LANES;
    sim_count_barrier(w->sm->counting, w);
    note_arrival(bar, w);
    if (!is_complete(w->block, bar)) return false;
    open_barrier(w->block, id);
    return true;
}

bool sim_barrier_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes, uint32_t votes) {
    if (w->sm->hazards) sim_hazard_barrier_arrive(w, op, id, expected, lanes, false);
    return arrive(w, id, expected, lanes, votes);
}

/* Executed twice by a path that has to wait: once to arrive, once to go on. */
sim_step sim_barrier_sync(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes,
                          uint32_t votes) {
    if (w->path->resumes) {
        w->path->resumes = 0;
        return SIM_NEXT;
    }
    if (w->sm->hazards) sim_hazard_barrier_arrive(w, op, id, expected, lanes, true);
    if (arrive(w, id, expected, lanes, votes)) {
        if (w->sm->hazards) sim_hazard_barrier_pass(w, id, lanes);
        return SIM_NEXT;
    }
    w->sm->waits.barriers++;
    w->path->barrier = (uint8_t)id;
    return sim_warp_wait(w, sim_pc(w, op), lanes, SIM_PATH_AT_BARRIER);
}
