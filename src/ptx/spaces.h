/* State spaces of accesses to memory: which one an operand is in, and whose name says it. */
#ifndef HAUL_PTX_SPACES_H
#define HAUL_PTX_SPACES_H

#include "ptx/ir.h"

/* The space of the instruction's memory operand number `which`, from 0, as its modifiers say. */
ptx_space ptx_space_of_memory(const ptx_instruction *instruction, unsigned which);
/* The operand is one of the instruction's, an address in brackets, and generic. */
bool ptx_is_generic(const ptx_instruction *instruction, const ptx_operand *operand);
/* The row knows no other space for its accesses than shared memory. */
bool ptx_has_shared_only(unsigned op);
/* How many bytes the instruction may move: 16, and 32 where it loads or stores global memory or at a generic address.
 */
enum { PTX_USUAL_ACCESS = 16, PTX_WIDE_ACCESS = 32 };
unsigned ptx_most_bytes(const ptx_instruction *instruction);

/* Loads, stores and atomics without a state space that name a variable become those of its space, as ptxas 13.0 makes
 * them. They stay generic where the instruction has no such form: 32 bytes of shared memory. */
void ptx_name_spaces(ptx_function *function);

#endif
