/* Halves that machine code extends to a word as it loads them. */
#ifndef HAUL_ASSEMBLER_EXTEND_H
#define HAUL_ASSEMBLER_EXTEND_H

#include "base/arena.h"
#include "ptx/ir.h"

/* A scalar load of 16 bits with at least one use that works on a word made of them. Loads of signed halves are extended
 * for signed operations, others for unsigned ones, both for sums and logic. The rest stay halves, of which two share a
 * register. */
bool sim_is_extended_load(const uint8_t *extended, const ptx_instruction *load);

/* By register: how uses extend it. Allocates in `memory`. */
const uint8_t *sim_find_extended(const ptx_function *function, arena *memory);

#endif
