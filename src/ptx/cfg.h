/* A function's control flow, used to find joins: cfg.c has blocks and joins, near_joins.c the joins within loops. */
#ifndef HAUL_PTX_CFG_H
#define HAUL_PTX_CFG_H

#include "ptx/dominators.h"
#include "ptx/ir.h"

/* Blocks 0 .. count-1 and the exit `count`. */
typedef struct ptx_flow {
    uint32_t count;
    uint32_t *first_edge; /* count + 1: block b's edges are first_edge[b] .. first_edge[b + 1] - 1 */
    uint32_t *to;         /* of each edge */
    bool *dropped;        /* by edge: it is ignored */
    uint32_t edge_count;
    uint32_t *order; /* reachable blocks in reverse postorder */
    uint32_t order_count;
    uint32_t *rank; /* of each block in `order`; PTX_NO_BLOCK: unreachable */
    ptx_graph back; /* kept edges reversed, and edges that end endless loops */
} ptx_flow;

/* Sets the near joins of blocks whose joins are known. Allocates in `memory`. */
void ptx_find_near_joins(arena *memory, ptx_function *function, const ptx_flow *flow, arena *scratch);

#endif
