/* Values that are constant in each iteration of a loop that the assembler unrolls whole: those made of its counter. */
#ifndef HAUL_ASSEMBLER_ROUNDS_H
#define HAUL_ASSEMBLER_ROUNDS_H

#include "base/arena.h"
#include "ptx/ir.h"

/* Returns by register whether it is such a value, in `scratch`. */
const bool *sim_find_round_constants(const ptx_function *function, arena *scratch);

#endif
