/* Locks that threads take by atomicCAS() or atomicExch() in a loop, without a fence after that.
 *
 * A read-modify-write counts as an acquire (flag.c), since what it orders is mostly right on hardware: accesses after
 * the loop wait for its result. PTX promises no such thing, and a load may find its line in L1, as it was before the
 * last holder of the lock changed it. So it is recorded what instructions do while their thread holds such a lock. */
#ifndef HAUL_CHECK_LOCK_H
#define HAUL_CHECK_LOCK_H

#include "check/global.h"
#include "check/global_shadow.h"

/* By instruction: what it was when it accessed global memory. */
enum {
    SIM_LOCKED = 1,           /* in a lock */
    SIM_LACKS_FENCE = 2,      /* without a fence since the lock was taken */
    SIM_LACKS_GRIDS_FENCE = 4 /* without one that reaches other blocks */
};

/* Returns a zeroed table, which the caller frees; NULL: the kernel has no such locks. */
haul_status sim_locks_find(const sim_program *p, const uint8_t *uses, uint8_t **locked);

/* Called before a strong access: it may take or give back a lock. */
void sim_lock_visit(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool writes);
/* Called before lanes of the view access global memory. */
void sim_lock_note(sim_warp *w, const sim_op *op, sim_view *v, uint32_t lanes, const uint64_t address[SIM_LANES],
                   haul_action action);

/* True if both accesses are in locks, and only a lock that was taken without a fence orders them. */
bool sim_lock_lacks_fence(const sim_grid *g, const sim_logged *e, const sim_touch *t);
/* Returns the grade: a load that may find an old line in L1 is a warning. */
haul_finding_grade sim_lock_grade(const sim_grid *g, const sim_logged *e, const sim_touch *t);

#endif
