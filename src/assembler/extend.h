/* 16-bit values that machine code extends to a word when it loads them. */
#ifndef HAUL_ASSEMBLER_EXTEND_H
#define HAUL_ASSEMBLER_EXTEND_H

#include "base/arena.h"
#include "ptx/ir.h"

/* Returns whether this is a scalar load of 16 bits with at least one use that extends it to a word. Loads of signed
 * values are extended for signed operations, others for unsigned ones, both for sums and logic. The rest stay halves,
 * two of which share a register. */
bool sim_is_extended_load(const uint8_t *extended, const ptx_instruction *load);

/* Returns, by register, how uses extend it. Allocates in `memory`. */
const uint8_t *sim_find_extended(const ptx_function *function, arena *memory);

#endif
