/* Functions shared by instructions that put copies in flight: cp.async, bulk and tensor copies, st.async and
 * red.async. */
#ifndef HAUL_EXEC_OPS_COPIES_H
#define HAUL_EXEC_OPS_COPIES_H

#include "check/follow.h"
#include "check/hazard.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/ops/lanes.h"
#include "state/async.h"

/* Compiled once for each vector extension. */
#define sim_queue_copy SIM_PASTE(sim_queue_copy, SIM_VARIANT)

/* Queues the active lanes' copies for the warp. They are as in *made, except for lanes and group: lanes may have closed
 * different numbers of groups. Returns false if the host has no memory. In ops/async.c. */
bool sim_queue_copy(sim_warp *w, const sim_op *op, uint32_t active, const sim_copy *made);

/* Ends the launch because nothing more can be put in flight. what: "a copy" */
static inline sim_step sim_no_room_for(sim_warp *w, const sim_op *op, uint32_t lanes, const char *what) {
    return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, lanes, "the host has no memory for %s in flight", what);
}

/* Returns the block that holds a load's mbarrier. Destination and mbarrier may lie in other blocks of the cluster.
 * Turns b->shared and b->barrier from cluster addresses into addresses within their blocks. If the destination
 * `may_differ` from the mbarrier's block, stores it in b->destination. Returns NULL after recording a fault. */
static inline sim_block *sim_load_waiter(sim_warp *w, const sim_op *op, unsigned lane, sim_bulk *b, bool may_differ) {
    const uint32_t shared = b->shared, barrier = b->barrier;
    sim_block *owner = sim_cluster_block(w->block, &b->shared), *waits = sim_cluster_block(w->block, &b->barrier);
    if (!owner || !waits) {
        sim_cluster_fault(w, op, 1u << lane, owner ? barrier : shared);
        return NULL;
    }
    if ((owner == waits || may_differ) && sim_mbarrier_at(waits, b->barrier)) {
        if (owner != waits) b->destination = owner;
        return waits;
    }
    sim_fault(
        w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
        "mbarrier at shared 0x%x: must be 8-byte aligned and inside shared memory, in the block that 0x%x lies in",
        barrier, shared);
    return NULL;
}

/* Checks that the ranks of a multicast exist in the cluster; records the fault otherwise. */
static inline bool sim_check_ranks(sim_warp *w, const sim_op *op, unsigned lane, uint32_t ranks) {
    if (!(ranks >> w->sm->grid->cluster_blocks)) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane, "multicast to blocks 0x%x of a cluster of %u", ranks,
              w->sm->grid->cluster_blocks);
    return false;
}

/* True if both lanes have the same value in that register. */
static inline bool sim_lanes_agree(const sim_warp *w, uint32_t slot, bool is_wide, unsigned lane, unsigned other) {
    return sim_lane_address(w, slot, is_wide, lane) == sim_lane_address(w, slot, is_wide, other);
}

/* Returns whether two lanes' operands are the same. */
typedef bool sim_operands_agree(const sim_warp *w, const sim_op *op, unsigned lane, unsigned other);

/* Returns whether the lane's store repeats that of a lower active lane: it writes the same bytes to the same place.
 * Hardware executes such stores once: ptxas makes a loop over the distinct operands of a warp, whereas for loads, which
 * signal an mbarrier, and for reductions it makes one over the lanes. */
static inline bool sim_repeats_store(const sim_warp *w, const sim_op *op, uint32_t active, unsigned lane,
                                     sim_operands_agree *agree) {
    for (uint32_t lower = active & ((1u << lane) - 1); lower; lower &= lower - 1)
        if (agree(w, op, lane, (unsigned)__builtin_ctz(lower))) return true;
    return false;
}

/* Puts the lane's copy in flight; block `waits` will wait for it. Returns false if the host has no memory. Checks do
 * not follow copies whose mbarrier lies in another block. */
static inline bool sim_issue_bulk(sim_warp *w, unsigned lane, sim_block *waits, const sim_bulk *b) {
    const bool is_remote = b->destination || waits != w->block;
    if (w->sm->hazards && is_remote) sim_hazard_mbarrier_signals(w, lane);
    if (w->sm->hazards && !b->destination) sim_hazard_bulk(w, lane, waits, b);
    if (w->sm->follower) sim_follow_bulk(w->sm->follower, b);
    return sim_async_add_bulk(waits, b);
}

#endif
