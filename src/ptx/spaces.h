/* State spaces of memory accesses: which one an operand is in. */
#ifndef HAUL_PTX_SPACES_H
#define HAUL_PTX_SPACES_H

#include "ptx/ir.h"

/* Returns the memory operand of a single lane's access (ptx_is_access); NULL for other instructions. */
const ptx_operand *ptx_accessed_memory(const ptx_instruction *instruction);
/* Returns the space of the instruction's memory operand number `which`, from 0, by its modifiers. */
ptx_space ptx_space_of_memory(const ptx_instruction *instruction, unsigned which);
/* Returns whether the operand is one of the instruction's, an address in brackets, and generic. */
bool ptx_is_generic(const ptx_instruction *instruction, const ptx_operand *operand);
/* Returns whether the row's accesses can only be to shared memory. */
bool ptx_has_shared_only(unsigned op);
/* Returns the most bytes that the instruction may move: 16, or 32 for loads and stores of global memory or at a generic
 * address. */
enum { PTX_USUAL_ACCESS = 16, PTX_WIDE_ACCESS = 32 };
unsigned ptx_most_bytes(const ptx_instruction *instruction);

/* Gives loads, stores and atomics without a state space that name a variable that variable's space, like ptxas 13.0.
 * They stay generic if the instruction has no such form: 32 bytes of shared memory. */
void ptx_name_spaces(ptx_function *function);

#endif
