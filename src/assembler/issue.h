/* Copies that warps issue with all lanes inactive: PTX branches around them, machine code predicates them. */
#ifndef HAUL_ASSEMBLER_ISSUE_H
#define HAUL_ASSEMBLER_ISSUE_H

#include "base/arena.h"
#include "ptx/ir.h"

/* Returns, by basic block, the block whose executions issue the copies (cp.async) of this one. That is the block
 * itself, or the one that ends with a branch around it, if the assembler replaces that branch by predicates. The result
 * is in `memory`; `scratch` is for temporary data. Returns NULL if the function has no copies. `function` is flat and
 * analysed; both arenas have jump points. The rule was read off machine code: docs/memory-model.md. */
const uint32_t *sim_issuing_blocks(const ptx_function *function, arena *memory, arena *scratch);

/* Returns, by basic block, whether machine code predicates its instructions: the block is the short path of an `if`,
 * with or without `else`. The result is in `memory`; `scratch` is for temporary data. */
const bool *sim_predicated_blocks(const ptx_function *function, arena *memory, arena *scratch);

#endif
