/* A function's instructions written anew, some of them changed, left out or added. */
#ifndef HAUL_ASSEMBLER_REWRITE_H
#define HAUL_ASSEMBLER_REWRITE_H

#include "base/arena.h"
#include "ptx/ir.h"

typedef struct sim_rewrite {
    const ptx_function *from;
    ptx_function *to;               /* the result, once ended */
    uint32_t *moved;                /* by old instruction: its new place */
    size_t instructions, registers; /* room */
    arena *memory;
} sim_rewrite;

void sim_rewrite_begin(sim_rewrite *w, const ptx_function *from, arena *memory);

/* Whatever is added from here on stands for the old function's instruction i; in order, each of them once. */
void sim_rewrite_at(sim_rewrite *w, uint32_t i);
void sim_rewrite_add(sim_rewrite *w, ptx_instruction i);

/* A new register of the type that `like` has. `name` is not copied. */
uint32_t sim_rewrite_register(sim_rewrite *w, uint32_t like, const char *name);

/* Labels and blocks are put where their instructions went. */
void sim_rewrite_end(sim_rewrite *w);

#endif
