/* Tensor memory (TMEM): its allocation, and the work in flight on it. */
#ifndef HAUL_EXEC_TMEM_H
#define HAUL_EXEC_TMEM_H

#include "state/tmem.h"

/* Returns the tensor memory of the block's SM; NULL if the host has no memory for it. */
sim_tmem *sim_tmem_of(const sim_block *b);
void sim_tmems_free(sim_sm *sm);

/* Allocates `columns` (a power of two) at the same address in the tensor memories of `blocks` blocks from `first` on.
 * Returns false if they are not free. */
bool sim_tmem_allocate(sim_block *first, unsigned blocks, uint32_t columns, uint32_t *address);
/* Frees columns and wakes warps that wait for columns. Returns false if the block has not allocated these. */
bool sim_tmem_free(const sim_block *b, uint32_t address, uint32_t columns);
/* Wakes the warps that wait for columns. */
void sim_tmem_wake(sim_sm *sm);
/* Returns whether the block owns all these columns. */
bool sim_tmem_owns(const sim_block *b, uint32_t column, uint32_t columns);

/* Puts work in flight. Returns false if the host has no memory. */
bool sim_tmem_add(sim_block *b, const sim_tmem_work *work);
/* Performs the work covered by commits on the block's mbarrier at `address`, commit by commit, until its phase
 * completes. */
void sim_tmem_deliver(sim_block *b, uint32_t address, uint32_t phase);
/* Ends the block: performs the remaining work and frees the block's columns. */
void sim_tmem_finish(sim_block *b);
void sim_tmem_reset(sim_block *b);

#endif
