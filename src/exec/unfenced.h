/* Schedules in which ordinary stores reach the copy engine and background products at a proxy fence, not before
 * (sim_schedule.is_unfenced). The engine's view of shared memory is a copy, sim_block.engine_view. For global memory
 * each block remembers the words that it has stored to since its last fence, as they were before. */
#ifndef HAUL_EXEC_UNFENCED_H
#define HAUL_EXEC_UNFENCED_H

#include "state/block.h"

/* Call before lanes of the warp store to global memory. If the host has no memory, the store is seen at once. */
void sim_unfenced_store(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]);
/* A proxy fence for these spaces: the engine now sees all stores of the cluster. By rights only those that the fence's
 * threads know of, but stores may become visible at any time. */
void sim_unfenced_fence(sim_block *b, bool shared, bool global);
/* Replaces `count` bytes, which the engine has read at `address` for the block, by what it sees there. */
void sim_unfenced_hide(const sim_block *b, uint64_t address, unsigned char *bytes, uint32_t count);
/* The engine is about to write `count` bytes of shared memory from `at` on; it has written them. Bytes stored before,
 * and without a fence, may come later than its own: they stay. `before` gets the memory's old bytes. */
void sim_unfenced_before_write(const sim_block *b, uint32_t at, uint32_t count, unsigned char *before);
void sim_unfenced_after_write(sim_block *b, uint32_t at, uint32_t count, const unsigned char *before);
void sim_unfenced_reset(sim_block *b);
void sim_unfenced_free(sim_block *b);

#endif
