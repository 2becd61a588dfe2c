/* Block barriers: bar and barrier in all their forms. */
#ifndef HAUL_EXEC_BARRIER_H
#define HAUL_EXEC_BARRIER_H

#include "state/block.h"

/* The lanes arrive at barrier `id`, which expects `expected` threads (0: all of the block). `votes`: the lanes whose
 * predicate is true. Returns true if this arrival completes the barrier. */
bool sim_barrier_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes, uint32_t votes);
/* The lanes arrive and wait. Returns SIM_NEXT if the barrier is complete; the results are in the block's barrier
 * record. Otherwise parks the path, and op runs again after completion. */
sim_step sim_barrier_sync(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes,
                          uint32_t votes);

/* Resets the barriers for the next block in this place. */
void sim_barriers_reset(sim_block *b);

/* Ends the lanes in `lanes` of the running path; barriers that waited for them may complete. */
sim_step sim_warp_exit(sim_warp *w, uint32_t lanes);

#endif
