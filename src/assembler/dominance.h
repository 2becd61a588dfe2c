/* Dominance: which blocks every path to a block goes through. */
#ifndef HAUL_ASSEMBLER_DOMINANCE_H
#define HAUL_ASSEMBLER_DOMINANCE_H

#include "base/arena.h"
#include "ptx/dominators.h"
#include "ptx/edges.h"

typedef struct sim_dominance {
    uint32_t *order; /* blocks, each after the one that dominates it */
    uint32_t order_count;
    uint32_t *rank;       /* by block: its position in the order */
    uint32_t *parent;     /* by block: the nearest other block that dominates it; PTX_NO_BLOCK: none */
    ptx_tree_times times; /* by block, for the tree of parents */
    ptx_predecessors above;
} sim_dominance;

void sim_dominance_find(const ptx_function *function, arena *memory, sim_dominance *dominance);

/* A block dominates itself. */
static inline bool sim_dominates(const sim_dominance *d, uint32_t above, uint32_t below) {
    return ptx_is_above(&d->times, above, below);
}

/* Finds where a value comes from that some blocks write. Sets top[b] for each of the `count` listed blocks, which come
 * in the dominance's order. It is
 *   b itself, if paths with different values meet there or no path comes from elsewhere;
 *   otherwise the last block above it that writes the value, or in which such paths meet, with no write since.
 * The list must contain all blocks from which a listed one can be reached without a write in between; for others `top`
 * is PTX_NO_BLOCK. Takes few iterations over the list and its blocks' predecessors. */
void sim_find_tops(const sim_dominance *dominance, const uint32_t *blocks, uint32_t count, const bool *writes,
                   uint32_t *top);

#endif
