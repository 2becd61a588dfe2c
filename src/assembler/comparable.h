/* A set of blocks with a search for one that dominates a given block or is dominated by it. */
#ifndef HAUL_ASSEMBLER_COMPARABLE_H
#define HAUL_ASSEMBLER_COMPARABLE_H

#include "assembler/dominance.h"

/* A tree over the times at which blocks are entered; each node covers a range of times. Sets share the nodes. */
typedef struct sim_comparable_node {
    uint32_t child[2];
    uint32_t within; /* highest number of a block entered in the range, + 1 */
    uint32_t around; /* highest number of a block whose subtree contains the whole range, + 1 */
} sim_comparable_node;

typedef struct sim_comparables {
    const sim_dominance *dominance;
    arena *memory;
    sim_comparable_node *nodes; /* node 0 is none */
    size_t count, capacity;
} sim_comparables;

/* Adds a block under a number to the set `root`, which is 0 when it is empty. */
void sim_comparables_add(sim_comparables *c, uint32_t *root, uint32_t block, uint32_t number);
/* Returns the highest number of a block in the set that dominates `block` or that `block` dominates, + 1; 0 if there is
 * none. */
uint32_t sim_comparables_last(const sim_comparables *c, uint32_t root, uint32_t block);

#endif
