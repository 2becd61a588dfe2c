/* What instructions share that put copies in flight: cp.async, bulk and tensor copies, st.async and red.async. */
#ifndef HAUL_EXEC_OPS_COPIES_H
#define HAUL_EXEC_OPS_COPIES_H

#include "check/hazard.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/ops/lanes.h"
#include "state/async.h"

/* Compiled once a vector extension. */
#define sim_queue_copy SIM_PASTE(sim_queue_copy, SIM_VARIANT)

/* The active lanes' copies, as *made has them but for what says which lanes and group, go to the warp's queue; lanes
 * may have closed different numbers of groups. False when the host has no memory. In ops/async.c. */
bool sim_queue_copy(sim_warp *w, const sim_op *op, uint32_t active, const sim_copy *made);

/* Ends the launch: nothing more can be put in flight. what: "a copy" */
static inline sim_step sim_no_room_for(sim_warp *w, const sim_op *op, uint32_t lanes, const char *what) {
    return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, lanes, "the host has no memory for %s in flight", what);
}

/* What a load fills may lie in another block of the cluster, as may its mbarrier: the block of the mbarrier. b->shared
 * and b->barrier, addresses in the cluster, become those in their blocks; where it `may_differ` from the mbarrier's,
 * the block that is filled is b->destination. NULL: the fault has been recorded. */
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

/* A multicast to those ranks of the cluster: they exist; else the fault has been recorded. */
static inline bool sim_check_ranks(sim_warp *w, const sim_op *op, unsigned lane, uint32_t ranks) {
    if (!(ranks >> w->sm->grid->cluster_blocks)) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane, "multicast to blocks 0x%x of a cluster of %u", ranks,
              w->sm->grid->cluster_blocks);
    return false;
}

/* Puts the lane's copy in flight, to be waited for in block `waits`. False when the host has no memory. Checks do not
 * follow copies whose mbarrier lies in another block. */
static inline bool sim_issue_bulk(sim_warp *w, unsigned lane, sim_block *waits, const sim_bulk *b) {
    if (w->sm->hazards && b->destination)
        sim_hazard_mbarrier_signals(w, lane);
    else if (w->sm->hazards)
        sim_hazard_bulk(w, lane, waits, b);
    return sim_async_add_bulk(waits, b);
}

#endif
