/* Dominators of a graph, and numbers that answer ancestor queries in its dominator tree.
 *
 * The algorithm is Lengauer's and Tarjan's, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), in its
 * simple form with path compression. All arrays are indexed by node and come from the caller's arena. Post-dominators
 * are found by the same function on the reversed graph. */
#include "ptx/dominators.h"

#include "ptx/ir.h"

#include <string.h>

ptx_graph ptx_graph_reversed(const ptx_graph *g, arena *memory) {
    ptx_graph r = {.count = g->count,
                   .first = ARENA_ARRAY(memory, g->count + 2, uint32_t),
                   .to = ARENA_ARRAY(memory, g->first[g->count] + 1, uint32_t)};
    /* counts start two entries up and are summed one entry up; filling the lists moves them into place */
    for (uint32_t e = 0; e < g->first[g->count]; e++) r.first[g->to[e] + 2]++;
    for (uint32_t n = 1; n < g->count + 2; n++) r.first[n] += r.first[n - 1];
    for (uint32_t n = 0; n < g->count; n++)
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++) r.to[r.first[g->to[e] + 1]++] = n;
    return r;
}

/* All arrays are indexed by node; PTX_NO_BLOCK means none. */
typedef struct search {
    const ptx_graph *graph;
    uint32_t *order, *parent; /* depth-first: the nodes in preorder, and each node's parent in the tree */
    uint32_t count;
    uint32_t *semi;                    /* preorder number of the semidominator; PTX_NO_BLOCK: unreached */
    uint32_t *ancestor;                /* in the forest of finished nodes, with compressed paths */
    uint32_t *label;                   /* the node with the smallest semi on the path to the root */
    uint32_t *bucket, *next_in_bucket; /* nodes by their semidominator */
    uint32_t *dominator;
    uint32_t *stack;
} search;

static uint32_t *new_row(arena *memory, uint32_t nodes, uint32_t value) {
    uint32_t *row = ARENA_ARRAY(memory, nodes, uint32_t);
    for (uint32_t n = 0; n < nodes; n++) row[n] = value;
    return row;
}

static search new_search(const ptx_graph *g, arena *memory) {
    search s = {.graph = g};
    uint32_t **rows[] = {&s.order,  &s.parent,         &s.semi,      &s.ancestor, &s.label,
                         &s.bucket, &s.next_in_bucket, &s.dominator, &s.stack};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = new_row(memory, g->count, PTX_NO_BLOCK);
    for (uint32_t n = 0; n < g->count; n++) s.label[n] = n;
    return s;
}

/* Gives a node its preorder number and puts it on the stack. */
static void visit(search *s, uint32_t node, uint32_t parent, uint32_t *depth) {
    s->parent[node] = parent;
    s->semi[node] = s->count;
    s->order[s->count++] = node;
    s->stack[(*depth)++] = node;
}

/* Numbers all nodes that `root` reaches, depth first and without recursion. */
static void walk(search *s, uint32_t root, arena *memory) {
    uint32_t depth = 0, *at = ARENA_ARRAY(memory, s->graph->count, uint32_t);
    memcpy(at, s->graph->first, s->graph->count * sizeof *at);
    visit(s, root, PTX_NO_BLOCK, &depth);
    while (depth) {
        const uint32_t node = s->stack[depth - 1];
        if (at[node] == s->graph->first[node + 1]) {
            depth--;
            continue;
        }
        const uint32_t next = s->graph->to[at[node]++];
        if (s->semi[next] == PTX_NO_BLOCK) visit(s, next, node, &depth);
    }
}

/* Compresses the path from `node` to its root, and returns the best label on it. */
static uint32_t evaluate(search *s, uint32_t node) {
    uint32_t depth = 0;
    if (s->ancestor[node] == PTX_NO_BLOCK) return node;
    for (uint32_t n = node; s->ancestor[s->ancestor[n]] != PTX_NO_BLOCK; n = s->ancestor[n]) s->stack[depth++] = n;
    while (depth) {
        const uint32_t n = s->stack[--depth], above = s->ancestor[n];
        if (s->semi[s->label[above]] < s->semi[s->label[n]]) s->label[n] = s->label[above];
        s->ancestor[n] = s->ancestor[above];
    }
    return s->label[node];
}

/* Lowers the semidominator of `node` if its predecessor `from` gives a better one. Predecessors that are unreachable
 * from the root do not count. */
static void lower_semi(search *s, uint32_t node, uint32_t from) {
    if (s->semi[from] == PTX_NO_BLOCK) return;
    const uint32_t best = s->semi[evaluate(s, from)];
    if (best < s->semi[node]) s->semi[node] = best;
}

/* Nodes whose semidominator is `of` either have it as their immediate dominator, or share the dominator of a node above
 * them, which the last loop of ptx_dominators_find() fills in. */
static void empty_bucket(search *s, uint32_t of) {
    for (uint32_t n = s->bucket[of]; n != PTX_NO_BLOCK; n = s->next_in_bucket[n]) {
        const uint32_t best = evaluate(s, n);
        s->dominator[n] = s->semi[best] < s->semi[n] ? best : of;
    }
    s->bucket[of] = PTX_NO_BLOCK;
}

uint32_t *ptx_dominators_find(const ptx_graph *g, const ptx_graph *back, uint32_t root, arena *memory) {
    search s = new_search(g, memory);
    walk(&s, root, memory);
    for (uint32_t i = s.count; i-- > 1;) {
        const uint32_t node = s.order[i];
        for (uint32_t e = back->first[node]; e < back->first[node + 1]; e++) lower_semi(&s, node, back->to[e]);
        const uint32_t semi = s.order[s.semi[node]];
        s.next_in_bucket[node] = s.bucket[semi];
        s.bucket[semi] = node;
        s.ancestor[node] = s.parent[node];
        empty_bucket(&s, s.parent[node]);
    }
    for (uint32_t i = 1; i < s.count; i++) {
        const uint32_t node = s.order[i];
        if (s.dominator[node] != s.order[s.semi[node]]) s.dominator[node] = s.dominator[s.dominator[node]];
    }
    return s.dominator;
}

/* Children come after their parents in the order. So counting the nodes of each subtree first allows handing out ranges
 * of times from the front. */
ptx_tree_times ptx_tree_times_find(const uint32_t *order, uint32_t count, const uint32_t *parent, uint32_t nodes,
                                   arena *memory) {
    ptx_tree_times t = {ARENA_ARRAY(memory, nodes + 1, uint32_t), ARENA_ARRAY(memory, nodes + 1, uint32_t)};
    uint32_t *size = ARENA_ARRAY(memory, nodes + 1, uint32_t), *given = ARENA_ARRAY(memory, nodes + 1, uint32_t);
    uint32_t time = 0;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t node = order[i];
        size[node]++;
        if (parent[node] != PTX_NO_BLOCK) size[parent[node]] += size[node];
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = order[i];
        uint32_t *from = parent[node] == PTX_NO_BLOCK ? &time : &given[parent[node]];
        t.enter[node] = *from;
        t.leave[node] = *from + size[node];
        *from += size[node];
        given[node] = t.enter[node] + 1;
    }
    return t;
}
