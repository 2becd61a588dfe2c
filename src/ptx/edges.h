/* The block of an instruction, and edges between blocks, in both directions. */
#ifndef HAUL_PTX_EDGES_H
#define HAUL_PTX_EDGES_H

#include "base/search.h"
#include "ptx/ir.h"
#include "ptx/traits.h"

/* Returns the block that an instruction of the function is in. */
static inline uint32_t ptx_block_of(const ptx_function *f, uint32_t instruction) {
    size_t block;
    SEARCH_FIRST(block, f->block_count, k, f->blocks[k].end <= instruction);
    return (uint32_t)block;
}

/* A block's edges in order: to the next block, to the branch target, to the blocks of its table. */
static inline uint32_t ptx_edge_count(const ptx_block *b) {
    return 2 + b->table_count;
}

/* Returns the target of edge `k` < ptx_edge_count(); PTX_NO_BLOCK if there is none, or it leaves the function. */
static inline uint32_t ptx_edge(const ptx_block *b, uint32_t k) {
    return k == 0 ? b->next : k == 1 ? b->taken : b->table[k - 2];
}

/* Returns whether the block is a loop of its own: it jumps to itself, without a table. */
static inline bool ptx_repeats(const ptx_function *f, uint32_t block) {
    return f->blocks[block].next == block || f->blocks[block].taken == block;
}

/* Returns whether the function ends right at the beginning of the block, for all lanes that come there. */
static inline bool ptx_ends_at_once(const ptx_function *f, uint32_t block) {
    const ptx_block *b = &f->blocks[block];
    const ptx_instruction *first = &f->instructions[b->first];
    return b->first < b->end && ptx_is(first->op, PTX_KIND_END) && !first->guarded;
}

/* The predecessors of block b: blocks[first[b]] .. blocks[first[b + 1] - 1], in the function's order. A block with
 * several edges to b appears that often. */
typedef struct ptx_predecessors {
    uint32_t *first, *blocks;
} ptx_predecessors;

/* For a function with blocks (after control-flow analysis). Allocates in `memory`. */
void ptx_predecessors_find(const ptx_function *function, arena *memory, ptx_predecessors *predecessors);

static inline uint32_t ptx_predecessor_count(const ptx_predecessors *p, uint32_t block) {
    return p->first[block + 1] - p->first[block];
}

#endif
