/* Which nodes of a graph all paths to a node go through. */
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

/* The graph with its edges turned round. Allocates in `memory`. */
ptx_graph ptx_graph_reversed(const ptx_graph *graph, arena *memory);

/* Finds each node's immediate dominator on paths from `root`. The root has none (PTX_NO_BLOCK), nor has a node that no
 * path leads to. `back` is the graph with its edges turned round; with the two exchanged, and the exit as root, these
 * are the post-dominators. Near-linear in nodes and edges. Allocates in `memory`. */
uint32_t *ptx_dominators_find(const ptx_graph *graph, const ptx_graph *back, uint32_t root, arena *memory);

/* When a walk through a tree of parents enters each node, and when it leaves it for good. */
typedef struct ptx_tree_times {
    uint32_t *enter, *leave;
} ptx_tree_times;

/* `order` has `count` of the nodes 0 .. nodes - 1, each behind its parent; a node without one has PTX_NO_BLOCK. */
ptx_tree_times ptx_tree_times_find(const uint32_t *order, uint32_t count, const uint32_t *parent, uint32_t nodes,
                                   arena *memory);

/* Whether `above` is `below`, or a parent's parent's ... of it. */
static inline bool ptx_is_above(const ptx_tree_times *t, uint32_t above, uint32_t below) {
    return t->enter[above] <= t->enter[below] && t->leave[below] <= t->leave[above];
}

#endif
