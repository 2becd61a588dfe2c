/* Guarded stores and atomics that machine code branches around. */
#ifndef HAUL_ASSEMBLER_BRANCH_H
#define HAUL_ASSEMBLER_BRANCH_H

#include "assembler/pass.h"

/* Turns the guard of an atomic, and that of a pair of stores, into a branch:
 *
 *     x = load; @p atom(x);     becomes     x = load; @!p bra L; atom(x); L:
 *
 * so that sim_sink() moves the load behind the branch. Triton and clang write such guards, nvcc branches. Results are
 * the same. */
sim_pass_fn sim_branch_around;

#endif
