/* Control flow between blocks, both ways. */
#ifndef HAUL_PTX_EDGES_H
#define HAUL_PTX_EDGES_H

#include "ptx/ir.h"

/* A block's edges in order: on to the next block, to the one that a branch takes, to those of its table. */
static inline uint32_t ptx_edge_count(const ptx_block *b) {
    return 2 + b->table_count;
}

/* Where edge `k` leads, less than ptx_edge_count(); PTX_NO_BLOCK where there is none, or it leads out. */
static inline uint32_t ptx_edge(const ptx_block *b, uint32_t k) {
    return k == 0 ? b->next : k == 1 ? b->taken : b->table[k - 2];
}

/* A loop of one block: it jumps to itself, by no table. */
static inline bool ptx_repeats(const ptx_function *f, uint32_t block) {
    return f->blocks[block].next == block || f->blocks[block].taken == block;
}

/* The blocks that have an edge to block b: blocks[first[b]] .. blocks[first[b + 1] - 1], in the order of the function;
 * one that has several edges to it is there as often. */
typedef struct ptx_predecessors {
    uint32_t *first, *blocks;
} ptx_predecessors;

/* For a function with blocks (after control-flow analysis). Allocates in `memory`. */
void ptx_predecessors_find(const ptx_function *function, arena *memory, ptx_predecessors *predecessors);

static inline uint32_t ptx_predecessor_count(const ptx_predecessors *p, uint32_t block) {
    return p->first[block + 1] - p->first[block];
}

#endif
