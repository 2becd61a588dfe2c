/* mbarriers in shared memory: arrivals and bytes, and who waits for them. */
#ifndef HAUL_EXEC_MBARRIER_H
#define HAUL_EXEC_MBARRIER_H

#include "state/mbarrier.h"
#include "state/warp.h"

/* NULL when the address is outside shared memory or not a multiple of 8. */
uint64_t *sim_mbarrier_at(sim_block *b, uint32_t address);
/* Takes `arrivals` from the pending count and adds `bytes` to the missing bytes (negative: they came); when both reach
 * zero the phase completes and waiters wake. False when more arrive than are pending, or the byte count leaves its
 * range. */
bool sim_mbarrier_update(sim_block *b, uint64_t *object, uint32_t arrivals, int64_t bytes);

/* Paths in try_wait look again. */
void sim_block_wake_mbarrier_waiters(sim_block *b);

#endif
