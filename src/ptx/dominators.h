/* Dominators of a graph: the nodes that all paths to a node go through. */
#ifndef HAUL_PTX_DOMINATORS_H
#define HAUL_PTX_DOMINATORS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Nodes 0 .. count - 1; node n's edges lead to to[first[n]] .. to[first[n + 1] - 1]. */
typedef struct ptx_graph {
    uint32_t count;
    uint32_t *first, *to;
} ptx_graph;

/* Returns the graph with reversed edges. Allocates in `memory`. */
ptx_graph ptx_graph_reversed(const ptx_graph *graph, arena *memory);

/* Finds each node's immediate dominator on paths from `root`. The root and unreachable nodes have none (PTX_NO_BLOCK).
 * `back` is the graph with reversed edges. With the two exchanged, and the exit as root, the result is the
 * post-dominators. Near-linear in nodes and edges. Allocates in `memory`. */
uint32_t *ptx_dominators_find(const ptx_graph *graph, const ptx_graph *back, uint32_t root, arena *memory);

/* When a walk through a tree enters each node, and when it leaves it for good. */
typedef struct ptx_tree_times {
    uint32_t *enter, *leave;
} ptx_tree_times;

/* `order` lists `count` of the nodes 0 .. nodes - 1, each after its parent; a node without a parent has
 * PTX_NO_BLOCK. */
ptx_tree_times ptx_tree_times_find(const uint32_t *order, uint32_t count, const uint32_t *parent, uint32_t nodes,
                                   arena *memory);

/* Returns whether `above` is `below` or one of its ancestors. */
static inline bool ptx_is_above(const ptx_tree_times *t, uint32_t above, uint32_t below) {
    return t->enter[above] <= t->enter[below] && t->leave[below] <= t->leave[above];
}

#endif
