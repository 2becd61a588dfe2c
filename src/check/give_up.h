/* Waits for mbarriers that may be passed over: loops around mbarrier.try_wait or test_wait that end after some tries.
 */
#ifndef HAUL_CHECK_GIVE_UP_H
#define HAUL_CHECK_GIVE_UP_H

#include "base/arena.h"
#include "ptx/ir.h"
#include "ptx/liveness.h"

/* True if the kernel goes on in some place, and does the same there, whether or not the wait has succeeded. `live`: of
 * the function, which has blocks. Then sets `behind`, by block and zeroed, for the blocks that the kernel reaches only
 * if this wait has succeeded, or another one that stands in for it. */
bool sim_may_give_up(const ptx_function *f, const ptx_liveness *live, uint32_t wait, arena *memory, bool *behind);

#endif
