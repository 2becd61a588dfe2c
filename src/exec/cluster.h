/* Clusters: blocks that run together and reach each other's shared memory. Here they share one SM.
 *
 * A shared::cluster address has the block's rank, plus one, above the bits of an address within a block; without it, it
 * is the executing block's own. */
#ifndef HAUL_EXEC_CLUSTER_H
#define HAUL_EXEC_CLUSTER_H

#include "state/block.h"

enum { SIM_CLUSTER_SHIFT = 24, SIM_CLUSTER_MOST = 8 };

/* Some lane's address names a block. */
static inline bool sim_cluster_names_block(const uint32_t address[SIM_LANES], uint32_t active) {
    uint32_t all = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) all |= address[l] & (0 - (active >> l & 1));
    return all >> SIM_CLUSTER_SHIFT != 0;
}

/* The address in the block of that rank which corresponds to `address`. */
uint32_t sim_cluster_map(uint32_t address, uint32_t rank);
/* The rank of the block that the address lies in. */
uint32_t sim_cluster_rank(const sim_block *b, uint32_t address);
/* The block that a shared::cluster address lies in, and the address within it; NULL when there is none, or it has
 * ended.
 */
sim_block *sim_cluster_block(sim_block *b, uint32_t *address);
/* The lanes of `active` whose addresses lie in the same block as the first one's, and their addresses within it. 0:
 * there is no such block, and the fault has been recorded. */
uint32_t sim_cluster_split(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                           uint32_t local[SIM_LANES], sim_block **owner);
/* Records the fault of a lane that names a block which is not there. */
sim_step sim_cluster_fault(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address);

/* barrier.cluster: the lanes arrive; they wait as long as sim_cluster_waits(). */
void sim_cluster_arrive(sim_warp *w, const sim_op *op, uint32_t lanes);
bool sim_cluster_waits(const sim_warp *w, uint32_t lanes);
/* Lanes of the warp have ended: the barrier may open. */
void sim_cluster_lanes_ended(sim_warp *w);

#endif
