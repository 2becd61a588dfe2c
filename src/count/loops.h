/* Loops of compare-and-swaps on shared memory.
 *
 * Machine code has them for atomics that shared memory has no instruction for. In each round, one lane of each bank
 * swaps. Warps of a block that come to such loops between the same barriers take their rounds side by side: of those
 * that want a word in one round the first one of the block gets it, and the others' swaps fail. The virtual GPU runs
 * warps one after the other, so the loops are kept and counted together. */
#ifndef HAUL_COUNT_LOOPS_H
#define HAUL_COUNT_LOOPS_H

#include "count/counting.h"

typedef struct sim_loop {
    sim_tally *swaps, *loads; /* where they are counted */
    uint32_t address[SIM_LANES], active;
    uint8_t bytes;
    bool loads_again; /* in each round; otherwise it continues with the value that the last swap returned */
} sim_loop;

/* Prepares for a launch. Returns false if memory is short. */
bool sim_loops_create(sim_counting *c);
void sim_loops_renew(sim_counting *c);
void sim_loops_free(sim_counting *c);

/* Counts a loop whose warp meets no other one. `contest` may be NULL. */
void sim_count_loop_alone(const sim_loop *loop, const sim_contest *contest);

/* Returns the rounds of such a loop, without counting it. */
uint32_t sim_loop_rounds(const sim_loop *loop, const sim_contest *contest);

/* Counts a loop along with those of the block's other warps, now or before sim_count_loops() returns. */
void sim_count_loop_among(sim_counting *c, const sim_warp *w, const sim_loop *loop);

/* Counts the loops that are kept. */
void sim_count_loops(sim_counting *c);

/* The warp passed a barrier: it will meet other warps anew. */
void sim_loops_barrier(sim_counting *c, const sim_warp *w);

#endif
