/* Loads that only spare a thread an atomic operation: `if (x > *most) atomicMax(most, x);`. While all threads raise the
 * word by maxima, or lower it by minima, the word ends with the same value whatever such a load finds. Or
 * `if (*seen == 0 && atomicCAS(seen, 0, 1) == 0)`: the swap decides who goes on, and a thread that turns away might as
 * well have tried and failed. C++ and PTX call both a race all the same. */
#ifndef HAUL_CHECK_LOOK_FIRST_H
#define HAUL_CHECK_LOOK_FIRST_H

#include "check/loops.h"
#include "ptx/liveness.h"

/* True if the kernel has atomic minima, maxima or compare-and-swaps. */
bool sim_may_look_first(const ptx_function *f);
/* Sets SIM_USE_LOOKS or SIM_USE_TRIES in the table, by instruction, for ordinary loads whose value has no effect but
 * that the thread executes minima or maxima of the same word, or a compare-and-swap, or leaves them out. Allocates in
 * `memory`, which has a jump point. */
void sim_looks_mark(const sim_loops *loops, const ptx_liveness *live, arena *memory, uint16_t *table);

#endif
