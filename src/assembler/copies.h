/* Copies between registers that machine code needs an instruction for. */
#ifndef HAUL_ASSEMBLER_COPIES_H
#define HAUL_ASSEMBLER_COPIES_H

#include "assembler/loop.h"

/* Returns, by instruction, whether it is a MOV from a register that stays one in machine code. A register allocator
 * gives both registers one place unless their values are needed at the same time. Of a value that only the copy uses,
 * the instruction that makes it writes the other register right away. The result is in `memory`. */
const bool *sim_find_copies(const ptx_function *function, const sim_writers *writers, arena *memory);

#endif
