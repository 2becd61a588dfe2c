/* Clusters: blocks that run together and can access each other's shared memory. All blocks of a cluster share one SM
 * here.
 *
 * A shared::cluster address holds the block's rank plus one above the bits of an address within a block. If those bits
 * are zero, it belongs to the executing block. */
#ifndef HAUL_EXEC_CLUSTER_H
#define HAUL_EXEC_CLUSTER_H

#include "state/block.h"

enum { SIM_CLUSTER_SHIFT = 24, SIM_CLUSTER_MOST = 8 };

/* Returns whether an active lane's address names a block. */
static inline bool sim_cluster_names_block(const uint32_t address[SIM_LANES], uint32_t active) {
    uint32_t all = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) all |= address[l] & (0 - (active >> l & 1));
    return all >> SIM_CLUSTER_SHIFT != 0;
}

typedef enum sim_cluster_access { SIM_CLUSTER_LOAD, SIM_CLUSTER_STORE, SIM_CLUSTER_ATOMIC } sim_cluster_access;

/* Returns the address that corresponds to `address` in the block of rank `rank`. If there is no such block, no access
 * to it succeeds. */
uint32_t sim_cluster_map(uint32_t address, uint32_t rank);
/* Returns the rank of the block that the address lies in. */
uint32_t sim_cluster_rank(const sim_block *b, uint32_t address);
/* Returns the block that a shared::cluster address lies in and turns `address` into the address within it. Returns NULL
 * if there is no such block or if it has ended. */
sim_block *sim_cluster_block(sim_block *b, uint32_t *address);
/* Returns the lanes of `active` whose addresses lie in the same block as the first lane's, and their addresses within
 * it. If there is no such block, records the fault and returns 0. */
uint32_t sim_cluster_split(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                           uint32_t local[SIM_LANES], sim_block **owner);
/* Returns the lanes of `active` whose addresses lie in no block that has ended. What the others write is lost; with
 * checks it is a finding. For writes without a result. */
uint32_t sim_cluster_lose(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES]);
/* Records the fault of a lane that names a block which does not exist. */
sim_step sim_cluster_fault(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address);

/* Counts an access by lanes to the shared memory of `owner`, at `local`, for the estimate of time: nothing if that is
 * the warp's own block. */
void sim_cluster_note_access(sim_warp *w, uint32_t lanes, const uint32_t local[SIM_LANES], sim_block *owner,
                             sim_cluster_access kind);

/* barrier.cluster: the lanes arrive, then wait as long as sim_cluster_waits() is true. */
void sim_cluster_arrive(sim_warp *w, const sim_op *op, uint32_t lanes);
bool sim_cluster_waits(const sim_warp *w, uint32_t lanes);
/* Lanes of the warp have ended, which may complete the barrier. */
void sim_cluster_lanes_ended(sim_warp *w);

#endif
