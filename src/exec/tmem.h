/* Tensor memory: allocated, and its work done. */
#ifndef HAUL_EXEC_TMEM_H
#define HAUL_EXEC_TMEM_H

#include "state/tmem.h"

/* The tensor memory of the block's SM; NULL when the host has no memory for it. */
sim_tmem *sim_tmem_of(const sim_block *b);
void sim_tmems_free(sim_sm *sm);

/* `columns` (a power of two) in the tensor memories of `blocks` blocks from `first` on, at the same place in each;
 * false when there are not as many. */
bool sim_tmem_allocate(sim_block *first, unsigned blocks, uint32_t columns, uint32_t *address);
/* False when the block has not allocated these. Wakes those who wait for columns. */
bool sim_tmem_free(const sim_block *b, uint32_t address, uint32_t columns);
/* Those who wait for columns look again. */
void sim_tmem_wake(sim_sm *sm);
/* The columns are all the block's. */
bool sim_tmem_owns(const sim_block *b, uint32_t column, uint32_t columns);

/* False when the host has no memory. */
bool sim_tmem_add(sim_block *b, const sim_tmem_work *work);
/* Does what a commit on the block's mbarrier at `address` covers, commit by commit, until its phase is over. */
void sim_tmem_deliver(sim_block *b, uint32_t address, uint32_t phase);
/* The block ends: what is left is done, and its columns are given back. */
void sim_tmem_finish(sim_block *b);
void sim_tmem_reset(sim_block *b);

#endif
