/* mbarriers in shared memory: arrivals, transaction bytes and waiters. */
#ifndef HAUL_EXEC_MBARRIER_H
#define HAUL_EXEC_MBARRIER_H

#include "state/mbarrier.h"
#include "state/warp.h"

/* Returns the mbarrier object, or NULL if the address is outside shared memory or not a multiple of 8. */
uint64_t *sim_mbarrier_at(sim_block *b, uint32_t address);
/* Subtracts `arrivals` from the pending count and adds `bytes` to the missing bytes (negative: bytes arrived). When
 * both reach zero, the phase completes and waiters wake. Returns false if there are more arrivals than pending ones or
 * if the byte count leaves its range. */
bool sim_mbarrier_update(sim_block *b, uint64_t *object, uint32_t arrivals, int64_t bytes);

/* Wakes paths in try_wait, which then test again. */
void sim_block_wake_mbarrier_waiters(sim_block *b);

#endif
