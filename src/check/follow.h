/* Follows which bytes of global memory a launch reads and writes, without checking anything. For launches that a
 * checked program leaves out: what they write counts as written from then on, and what they use is compared with what
 * other streams and the host use at the same time. */
#ifndef HAUL_CHECK_FOLLOW_H
#define HAUL_CHECK_FOLLOW_H

#include "check/use_list.h"
#include "machine/memory.h"
#include "state/block.h"

#include <haul/haul.h>

/* Returns NULL if the host has no memory. */
sim_follower *sim_follower_create(const sim_memory *memory);
void sim_follower_free(sim_follower *f);
/* Makes it as new, for another launch with the same memory. */
void sim_follower_clear(sim_follower *f);

/* The following are called by any thread of the launch. */

/* Lanes issue copies to shared memory; a bulk or tensor copy is issued. */
void sim_follow_copies(sim_follower *f, uint32_t lanes, const sim_copy *copy);
void sim_follow_bulk(sim_follower *f, const sim_bulk *bulk);
/* Lanes access global memory, each op->bytes from its address on. */
void sim_follow_lanes(const sim_warp *w, const sim_op *op, uint32_t lanes, const uint64_t address[SIM_LANES],
                      haul_action action);
/* The same for a plain access by the whole warp, with adjacent lanes in each half. */
void sim_follow_span(sim_follower *f, const sim_op *op, uint64_t first, uint64_t second);

/* Adds what the launch has used to the list, and sorts that. No use has an instruction (SIM_NO_INSTRUCTION). */
void sim_follower_uses(sim_follower *f, sim_use_list *uses);
/* Returns whether the list is incomplete, because the host had too little memory. */
bool sim_follower_failed(const sim_follower *f);

#endif
