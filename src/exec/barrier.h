/* Block barriers: bar and barrier in all their forms. */
#ifndef HAUL_EXEC_BARRIER_H
#define HAUL_EXEC_BARRIER_H

#include "state/block.h"

/* The lanes arrive at barrier `id`, naming `expected` threads (0: all of the block); `votes`: those whose predicate is
 * true. True when that opened it. */
bool sim_barrier_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes, uint32_t votes);
/* The same and wait. SIM_NEXT when the barrier has opened (results are in the block's barrier record); else the path is
 * parked, and op runs again when it has. */
sim_step sim_barrier_sync(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes,
                          uint32_t votes);

/* A new block takes this one's place. */
void sim_barriers_reset(sim_block *b);

/* The lanes in `lanes` of the running path end; barriers that waited for them may open. */
sim_step sim_warp_exit(sim_warp *w, uint32_t lanes);

#endif
