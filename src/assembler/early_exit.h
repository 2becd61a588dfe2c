/* Threads that have nothing left to do but one guarded store end before it. */
#ifndef HAUL_ASSEMBLER_EARLY_EXIT_H
#define HAUL_ASSEMBLER_EARLY_EXIT_H

#include "assembler/pass.h"

/* Lets the other threads return before the guarded store or atomic that ends a function:
 *
 *     x = load; @p store(x); return;     becomes     x = load; @!p return; store(x); return;
 *
 * so that sim_sink() moves the load behind the new branch. PTX by Triton ends like this, nvcc's has a branch. Results
 * are the same. */
sim_pass_fn sim_exit_early;

#endif
