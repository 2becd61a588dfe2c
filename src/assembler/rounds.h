/* Loops that the assembler unrolls whole, and values that are constant in each of their iterations: those made of the
 * counter. */
#ifndef HAUL_ASSEMBLER_ROUNDS_H
#define HAUL_ASSEMBLER_ROUNDS_H

#include "base/arena.h"
#include "ptx/ir.h"

typedef struct sim_rounds {
    const bool *whole;    /* by block: a loop of one block that the assembler unrolls whole */
    const bool *constant; /* by register: a value that is constant in each iteration of such a loop */
    const bool *folded;   /* by instruction of such a loop: machine code has none for it */
} sim_rounds;

/* Returns whether the instruction sets a register to a constant that another one before `end` overwrites before any
 * reads it. Triton writes zeros in front of loads without a mask. */
bool sim_is_overwritten(const ptx_function *function, uint32_t index, uint32_t end);

/* The result is in `scratch`. */
sim_rounds sim_find_rounds(const ptx_function *function, arena *scratch);

#endif
