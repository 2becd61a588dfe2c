/* Asynchronous copies: issues them, groups them and completes them. state/async.h has the data, async.c says when each
 * kind completes. A block's copies are touched only by the host thread that runs its SM, so nothing is locked. */
#ifndef HAUL_EXEC_ASYNC_H
#define HAUL_EXEC_ASYNC_H

#include "state/async.h"

#include <haul/status.h>

/* Create, free and reset the queues of a place for blocks. A reset, before a block starts there, forgets whatever is in
 * flight. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_async_create(sim_async *a, size_t warps, size_t threads);
void sim_async_free(sim_async *a);
void sim_async_reset(sim_async *a);

/* Appends a copy, to be filled in, to the warp's queue. Returns NULL if the host has no memory. */
sim_copy *sim_async_add(sim_warp *w);
/* The copy has been filled in: moves its data now if the schedule says so. */
void sim_async_issued(sim_warp *w, sim_copy *c);
/* Appends a bulk copy to the list of block `b`: the warp's own, or for a load the destination's. Returns false if the
 * host has no memory. */
bool sim_async_add_bulk(sim_block *b, const sim_bulk *bulk);
/* Closes the group of each active lane. */
void sim_async_commit(sim_warp *w, uint32_t active);
/* Completes the active lanes' groups except the newest `keep`. `everything` includes copies that are not committed. */
void sim_async_wait(sim_warp *w, uint32_t active, uint32_t keep, bool everything);
/* The same for bulk groups, which belong to single threads; see sim_async_wait(). */
void sim_async_commit_bulk(sim_warp *w, uint32_t active);
/* read: waits only until the sources have been read */
void sim_async_wait_bulk(sim_warp *w, uint32_t active, uint32_t keep, bool read);
/* Notes that copies of the block complete on the mbarrier at `barrier`. */
void sim_async_carries(sim_async *a, uint32_t barrier);
/* A warp has passed a wait on the mbarrier at `barrier`: counts it for the estimate of time, with the stages of copies
 * that it leaves in flight. */
void sim_async_passed(sim_warp *w, uint32_t barrier);
/* Returns whether reductions are in flight whose order other blocks can see. */
bool sim_async_has_reductions(const sim_async *a);
/* Before turn `turn` of a warp of the block: moves the data of some copies in flight, as the schedule says. */
void sim_async_meanwhile(sim_block *b, uint64_t turn);
/* Delivers the copies that complete transactions or arrivals on the mbarrier at `address`. */
void sim_async_deliver(sim_block *b, uint32_t address);
/* Delivers everything still in flight at the end of the block. */
void sim_async_finish(sim_block *b);

#endif
