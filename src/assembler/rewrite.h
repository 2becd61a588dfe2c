/* Rewrites a function: copies its instructions with some of them changed, dropped or added. */
#ifndef HAUL_ASSEMBLER_REWRITE_H
#define HAUL_ASSEMBLER_REWRITE_H

#include "base/arena.h"
#include "ptx/ir.h"

typedef struct sim_rewrite {
    const ptx_function *from;
    ptx_function *to;               /* the result, once ended */
    uint32_t *moved;                /* by old instruction: its new position */
    size_t instructions, registers; /* capacity */
    arena *memory;
} sim_rewrite;

void sim_rewrite_begin(sim_rewrite *w, const ptx_function *from, arena *memory);

/* Begins the replacement of the old function's instruction i; call it once for each, in order. */
void sim_rewrite_at(sim_rewrite *w, uint32_t i);
void sim_rewrite_add(sim_rewrite *w, ptx_instruction i);

/* Returns a new register. `name` is not copied. */
uint32_t sim_rewrite_register(sim_rewrite *w, ptx_type type, const char *name);

/* Moves labels and blocks along with their instructions. */
void sim_rewrite_end(sim_rewrite *w);

#endif
