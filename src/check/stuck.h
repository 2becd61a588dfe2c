/* Describes what the threads of a block wait for when nothing can run: who waits where, for which barrier, how far that
 * is, and where those are who could still arrive. Works with and without checks. */
#ifndef HAUL_CHECK_STUCK_H
#define HAUL_CHECK_STUCK_H

#include "base/text.h"
#include "state/block.h"

/* Returns the shared address of the mbarrier that the path's first lane waits for. */
uint32_t sim_stuck_mbarrier(const sim_warp *w, const sim_path *p);
/* Describes the event that the path waits for, and how far it is: "barrier 1: 64 of 96 threads have arrived". */
void sim_stuck_put_event(text *out, const sim_warp *w, const sim_path *p);
/* Describes the path's threads and all others of its block (at the cluster's barrier: of its cluster) by place:
 * "64 threads (warps 0-1) wait here; 64 threads (warps 2-3) have ended". */
void sim_stuck_put_others(text *out, const sim_warp *w, const sim_path *p);
/* Describes all threads of the block, one place after the other: ": 32 threads (warp 0) wait at ...". */
void sim_stuck_put_block(text *out, const sim_block *b);
/* "block (1,0,0)" */
void sim_stuck_put_name(text *out, const sim_block *b);

#endif
