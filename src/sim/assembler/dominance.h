/* Which blocks every way to a block goes through. */
#ifndef HAUL_SIM_ASSEMBLER_DOMINANCE_H
#define HAUL_SIM_ASSEMBLER_DOMINANCE_H

#include "base/arena.h"
#include "ptx/edges.h"

typedef struct sim_dominance {
    uint32_t *order; /* blocks, each behind the one that dominates it */
    uint32_t order_count;
    uint32_t *parent;        /* by block: the nearest other that dominates it; PTX_NO_BLOCK: none */
    uint32_t *enter, *leave; /* by block: when a walk through the tree of parents enters it, and leaves it for good */
    ptx_predecessors above;
} sim_dominance;

void sim_dominance_find(const ptx_function *function, arena *memory, sim_dominance *dominance);

/* A block dominates itself. */
static inline bool sim_dominates(const sim_dominance *d, uint32_t above, uint32_t below) {
    return d->enter[above] <= d->enter[below] && d->leave[below] <= d->leave[above];
}

#endif
