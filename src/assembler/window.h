/* How many times a warp waits for loads that do not depend on each other. ptxas issues a load early only while few
 * registers hold results that nothing has read yet; the other loads follow when these have come. */
#ifndef HAUL_ASSEMBLER_WINDOW_H
#define HAUL_ASSEMBLER_WINDOW_H

#include "base/arena.h"
#include "ptx/ir.h"

typedef struct sim_window sim_window;

/* Returns a window for a function's registers, in `memory`. */
sim_window *sim_window_new(const ptx_function *function, arena *memory);

/* Begins a chain of basic blocks: the instructions from `first` to `end`. */
void sim_window_begin(sim_window *window, const ptx_function *function, uint32_t first, uint32_t end);

/* Appends the chain's next instruction. A load's result is ready after `depth` waits of the chain, and after `apart` if
 * the iterations of an unrolled loop do not wait for each other; 0: the instruction is no load. */
void sim_window_add(sim_window *window, const ptx_function *function, uint32_t index, unsigned depth, unsigned apart);

/* Returns the waits of the instructions so far. `levels`: what they would be if all independent loads waited together.
 * `rounds`: machine code has as many copies of the chain, whose loads go ahead together. `apart`: no iteration waits
 * for another one. */
float sim_window_waits(const sim_window *window, unsigned levels, unsigned rounds, bool apart);

#endif
