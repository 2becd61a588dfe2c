/* Instructions that machine code has behind a branch, although PTX has them before. */
#ifndef HAUL_ASSEMBLER_SINK_H
#define HAUL_ASSEMBLER_SINK_H

#include "assembler/pass.h"

/* Moves loads, and what is computed from them, to where a branch leads, when only that way needs them:
 *
 *     x = load; if (p) store(x);      becomes      if (p) { x = load; store(x); }
 *
 * so that lanes which go the other way do not load, as they do not on hardware. Results are the same. `*sunk` is `flat`
 * with its instructions in another order, or `flat` itself if nothing moves; it lives in the module's arena.
 * Errors: out of memory. */
sim_pass_fn sim_sink;

#endif
