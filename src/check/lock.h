/* Locks that threads take by atomicCAS() or atomicExch() in a loop, without a fence after that.
 *
 * A read-modify-write counts as an acquire (flag.c): accesses after the loop wait for its result, and most locks are
 * right on hardware. PTX promises no such thing, and a load may find its line in L1 as it was before the lock's last
 * holder changed it, if a block of the same SM has loaded it since that SM's last fence. So such pairs are advice. What
 * instructions do while their thread holds a lock is recorded for that. */
#ifndef HAUL_CHECK_LOCK_H
#define HAUL_CHECK_LOCK_H

#include "check/global.h"
#include "check/global_shadow.h"

/* By instruction: what it was when it accessed global memory. */
enum {
    SIM_LOCKED = 1,
    SIM_LACKS_FENCE = 2,      /* there was no fence since the lock was taken */
    SIM_LACKS_GRIDS_FENCE = 4 /* none that reaches other blocks */
};

/* Returns whether the kernel may take such locks. uses: sim_grid.uses. */
bool sim_may_lock(const ptx_function *f, const uint16_t *uses);

/* Called before a strong access: it may take or give back a lock. */
void sim_lock_visit(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool writes);
/* Called before lanes of the view access global memory. */
void sim_lock_note(sim_warp *w, const sim_op *op, sim_view *v, uint32_t lanes, const uint64_t address[SIM_LANES],
                   haul_action action);

/* True if both accesses are in locks, and only a lock that was taken without a fence orders them. */
bool sim_lock_lacks_fence(const sim_grid *g, const sim_logged *e, const sim_touch *t);

#endif
