/* The time of a warp that runs alone. */
#ifndef HAUL_ASSEMBLER_ALONE_H
#define HAUL_ASSEMBLER_ALONE_H

#include "assembler/chain.h"
#include "assembler/price.h"
#include "assembler/schedule.h"

typedef struct sim_alone sim_alone;

/* Returns a clock for the function's chains, in `memory`, which has a jump point. */
sim_alone *sim_alone_new(const ptx_function *function, sim_prices *prices, arena *memory);

/* Returns the cycles of the chain's blocks, from its first one on, until the next call. Of a loop, `rounds` iterations
 * follow each other without a branch; the cycles are those of one. */
const sim_timing *sim_time_chain(sim_alone *alone, const sim_chain *chain, unsigned rounds);

#endif
