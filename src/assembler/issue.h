/* Copies that warps issue with all their lanes off: where PTX branches round copies, machine code predicates them. */
#ifndef HAUL_ASSEMBLER_ISSUE_H
#define HAUL_ASSEMBLER_ISSUE_H

#include "base/arena.h"
#include "ptx/ir.h"

/* By basic block: the block whose runs issue the copies (cp.async) of this one. That is the block itself, or the one
 * that ends with a branch round it, where the assembler writes predicates in place of that branch. In `memory`;
 * `scratch` is for the work. NULL where the function has no copies. `function` is flat and analysed; both arenas have
 * jump points. The rule was read off machine code: docs/memory-model.md. */
const uint32_t *sim_issuing_blocks(const ptx_function *function, arena *memory, arena *scratch);

#endif
