/* Asynchronous copies: issued, grouped and completed. */
#ifndef HAUL_EXEC_ASYNC_H
#define HAUL_EXEC_ASYNC_H

#include "state/async.h"

#include <haul/status.h>

haul_status sim_async_create(sim_async *a, size_t warps, size_t threads);
void sim_async_free(sim_async *a);
void sim_async_reset(sim_async *a);

/* The warp's queue gets one more copy (to be filled in); NULL when the host has no memory. */
sim_copy *sim_async_add(sim_warp *w);
/* The list of block `b` (the warp's, or of a load the one it goes to) gets one more bulk copy. False when the host has
 * no memory. */
bool sim_async_add_bulk(sim_block *b, const sim_bulk *bulk);
/* Closes the group of each active lane. */
void sim_async_commit(sim_warp *w, uint32_t active);
/* Completes the active lanes' groups but for the newest `keep`; `everything` includes what was not committed. */
void sim_async_wait(sim_warp *w, uint32_t active, uint32_t keep, bool everything);
void sim_async_commit_bulk(sim_warp *w, uint32_t active);
void sim_async_wait_bulk(sim_warp *w, uint32_t active, uint32_t keep);
/* Reductions that other blocks may see the order of are in flight. */
bool sim_async_has_reductions(const sim_async *a);
/* Delivers what would complete transactions or arrivals on the mbarrier at `address`. */
void sim_async_deliver(sim_block *b, uint32_t address);
/* The block ends: everything still in flight arrives. */
void sim_async_finish(sim_block *b);

#endif
