/* Instructions that PTX has before a branch and machine code after it. */
#ifndef HAUL_ASSEMBLER_SINK_H
#define HAUL_ASSEMBLER_SINK_H

#include "assembler/pass.h"

/* Machine code predicates a path of up to this many instructions instead of branching to it. */
enum { SIM_MOST_PREDICATED = 8 };

/* Moves loads, and computations from them, after a branch if only one of its paths needs them:
 *
 *     x = load; if (p) store(x);      becomes      if (p) { x = load; store(x); }
 *
 * Lanes on the other path then do not load, as on hardware. Results are the same. A new function has the same
 * instructions in another order. */
sim_pass_fn sim_sink;

#endif
