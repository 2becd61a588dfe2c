/* Joins within loops: where the lanes that stay in a loop reconverge after others have left it.
 *
 * Only loops with one entry count: a header that dominates all blocks with an edge back to it. Such loops are nested or
 * disjoint. A branch has a join in such a loop if two of its paths stay in the loop, and its own join lies outside.
 * Most loops have no such branch and are not analysed. */
#include "ptx/cfg.h"

#include <string.h>

/* ---- finding loops ---- */

/* Loops are identified by their header; PTX_NO_BLOCK: none. */
typedef struct loops {
    const ptx_flow *flow;
    uint32_t *of;    /* by block: the innermost loop around it */
    uint32_t *outer; /* by header */
    uint32_t *list;  /* outer loops before inner ones */
    uint32_t count;
    ptx_tree_times times; /* of headers, by `outer` */
    bool *needs_join;     /* by header: a branch may need a join in this loop */
} loops;

/* A back edge leads to a block that is earlier in reverse postorder. */
static bool is_back_edge(const ptx_flow *g, uint32_t latch, uint32_t header) {
    return latch != header && g->rank[latch] >= g->rank[header];
}

/* Returns whether the block is a loop header: it has back edges, all from blocks that it dominates. A block that only
 * jumps to itself does not count, since nothing in it can diverge. */
static bool is_header(const ptx_flow *g, const ptx_tree_times *dominators, uint32_t block) {
    bool any = false;
    for (uint32_t e = g->back.first[block]; e < g->back.first[block + 1]; e++) {
        const uint32_t latch = g->back.to[e];
        if (!is_back_edge(g, latch, block)) continue;
        if (!ptx_is_above(dominators, block, latch)) return false;
        any = true;
    }
    return any;
}

/* Blocks known to be in a loop stand for their header. */
static uint32_t find_root(uint32_t *root, uint32_t block) {
    while (root[block] != block) block = root[block] = root[root[block]];
    return block;
}

/* Adds the block, or the loop that it stands for, to the loop. */
static void add_to_loop(loops *l, uint32_t header, uint32_t block, uint32_t *root, uint32_t *stack, uint32_t *depth) {
    const uint32_t part = find_root(root, block);
    if (part == header) return;
    *(l->of[part] == part ? &l->outer[part] : &l->of[part]) = header;
    root[part] = header;
    stack[(*depth)++] = part;
}

/* Finds the loop of a header: all blocks that lead to its back edges. Inner loops are already collapsed into their
 * headers, so each block is visited once for each loop around it at most. */
static void collapse(loops *l, uint32_t header, uint32_t *root, uint32_t *stack) {
    const ptx_graph *back = &l->flow->back;
    uint32_t depth = 0;
    for (uint32_t e = back->first[header]; e < back->first[header + 1]; e++)
        if (is_back_edge(l->flow, back->to[e], header)) add_to_loop(l, header, back->to[e], root, stack, &depth);
    while (depth) {
        const uint32_t part = stack[--depth];
        for (uint32_t e = back->first[part]; e < back->first[part + 1]; e++)
            add_to_loop(l, header, back->to[e], root, stack, &depth);
    }
    l->of[header] = header;
}

/* Returns the dominator tree as times, which answer whether one block is above another in constant time. */
static ptx_tree_times find_dominators(const ptx_flow *g, arena *scratch) {
    const ptx_graph forward = ptx_graph_reversed(&g->back, scratch);
    const uint32_t *dominator = ptx_dominators_find(&forward, &g->back, 0, scratch);
    return ptx_tree_times_find(g->order, g->order_count, dominator, g->count + 1, scratch);
}

/* In reverse postorder, inner headers come after outer ones. */
static void find_loops(loops *l, arena *scratch) {
    const ptx_flow *g = l->flow;
    const ptx_tree_times dominators = find_dominators(g, scratch);
    const uint32_t nodes = g->count + 1;
    uint32_t *root = ARENA_ARRAY(scratch, nodes, uint32_t), *stack = ARENA_ARRAY(scratch, nodes, uint32_t);
    for (uint32_t b = 0; b < nodes; b++) root[b] = b;
    for (uint32_t i = g->order_count; i-- > 0;)
        if (g->order[i] < g->count && is_header(g, &dominators, g->order[i])) collapse(l, g->order[i], root, stack);
    for (uint32_t i = 0; i < g->order_count; i++)
        if (l->of[g->order[i]] == g->order[i]) l->list[l->count++] = g->order[i];
    l->times = ptx_tree_times_find(l->list, l->count, l->outer, nodes, scratch);
}

/* Whether the block is in the loop, directly or in one nested in it. */
static bool is_in(const loops *l, uint32_t block, uint32_t loop) {
    return l->of[block] != PTX_NO_BLOCK && ptx_is_above(&l->times, loop, l->of[block]);
}

/* ---- loops that may contain joins ---- */

/* Returns the innermost loop that the edge stays in. An edge to a header from outside does not count as in its loop. */
static uint32_t loop_of_edge(const loops *l, uint32_t from, uint32_t to) {
    const uint32_t loop = to < l->flow->count ? l->of[to] : PTX_NO_BLOCK;
    return loop == to && loop != PTX_NO_BLOCK && !is_in(l, from, loop) ? l->outer[loop] : loop;
}

/* Whether loop `inner` is `outer` or nested in it; every loop is inside none. */
static bool is_inside(const loops *l, uint32_t inner, uint32_t outer) {
    return outer == PTX_NO_BLOCK || (inner != PTX_NO_BLOCK && ptx_is_above(&l->times, outer, inner));
}

/* Finds the loop in which two of the block's edges stay: the second innermost of the edges' loops. They also stay in
 * the loops around it. */
static void note_branch(loops *l, const ptx_function *f, uint32_t block) {
    const ptx_flow *g = l->flow;
    const uint32_t join = f->blocks[block].join;
    uint32_t first = PTX_NO_BLOCK, second = PTX_NO_BLOCK;
    for (uint32_t e = g->first_edge[block]; e < g->first_edge[block + 1]; e++) {
        const uint32_t loop = loop_of_edge(l, block, g->to[e]);
        if (is_inside(l, loop, first)) {
            second = first;
            first = loop;
        } else if (is_inside(l, loop, second)) {
            second = loop;
        }
    }
    for (; second != PTX_NO_BLOCK && (join == PTX_NO_BLOCK || !is_in(l, join, second)); second = l->outer[second])
        l->needs_join[second] = true;
}

static loops new_loops(const ptx_flow *g, arena *scratch) {
    const uint32_t nodes = g->count + 1;
    loops l = {.flow = g,
               .of = ARENA_ARRAY(scratch, nodes, uint32_t),
               .outer = ARENA_ARRAY(scratch, nodes, uint32_t),
               .list = ARENA_ARRAY(scratch, nodes, uint32_t),
               .needs_join = ARENA_ARRAY(scratch, nodes, bool)};
    for (uint32_t b = 0; b < nodes; b++) l.of[b] = l.outer[b] = PTX_NO_BLOCK;
    return l;
}

/* ---- joins in one loop ---- */

/* The body of a loop. */
typedef struct body {
    uint32_t header;
    uint32_t *block, count; /* its blocks */
    uint32_t *place;        /* by block of the function: 1 + its index in the body; 0: not in the loop */
} body;

static void add_to_body(body *l, uint32_t block) {
    if (l->place[block]) return;
    l->block[l->count++] = block;
    l->place[block] = l->count;
}

/* Finds the blocks from which the header is reached again. */
static void find_body(const ptx_flow *g, uint32_t header, body *l) {
    for (uint32_t k = 0; k < l->count; k++) l->place[l->block[k]] = 0;
    l->header = header;
    l->count = 0;
    add_to_body(l, header);
    for (uint32_t e = g->back.first[header]; e < g->back.first[header + 1]; e++)
        if (is_back_edge(g, g->back.to[e], header)) add_to_body(l, g->back.to[e]);
    for (uint32_t k = 1; k < l->count; k++)
        for (uint32_t e = g->back.first[l->block[k]]; e < g->back.first[l->block[k] + 1]; e++)
            add_to_body(l, g->back.to[e]);
}

/* Whether the edge stays in the loop. */
static bool is_edge_in(const ptx_flow *g, const body *l, uint32_t edge) {
    return g->to[edge] < g->count && l->place[g->to[edge]] != 0;
}

static uint32_t edges_in(const ptx_flow *g, const body *l, uint32_t b) {
    uint32_t count = 0;
    for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) count += is_edge_in(g, l, e);
    return count;
}

/* Returns whether two of the block's edges stay in the loop without a known join there. */
static bool diverges_in(const ptx_function *f, const ptx_flow *g, const body *l, uint32_t b) {
    const ptx_block *block = &f->blocks[b];
    const uint32_t nearest = block->near_count ? block->near_joins[block->near_count - 1] : block->join;
    return edges_in(g, l, b) > 1 && (nearest == PTX_NO_BLOCK || !l->place[nearest]);
}

/* Makes the graph of one iteration. Its exit is the header's next iteration; edges that leave the loop are omitted. */
static ptx_graph graph_of_round(const ptx_flow *g, const body *l, arena *scratch) {
    ptx_graph round = {.count = l->count + 1, .first = ARENA_ARRAY(scratch, l->count + 2, uint32_t)};
    for (uint32_t k = 0; k < l->count; k++) round.first[k + 1] = round.first[k] + edges_in(g, l, l->block[k]);
    round.first[l->count + 1] = round.first[l->count];
    round.to = ARENA_ARRAY(scratch, round.first[l->count], uint32_t);
    for (uint32_t k = 0, n = 0; k < l->count; k++) {
        const uint32_t b = l->block[k];
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
            if (is_edge_in(g, l, e)) round.to[n++] = g->to[e] == l->header ? l->count : l->place[g->to[e]] - 1;
    }
    return round;
}

/* Appends a join. Loops are visited from the outside in, so the innermost comes last. */
static void add_near_join(arena *memory, ptx_block *b, uint32_t join) {
    uint32_t *joins = ARENA_ARRAY(memory, b->near_count + 1, uint32_t);
    for (uint32_t k = 0; k < b->near_count; k++) joins[k] = b->near_joins[k];
    joins[b->near_count++] = join;
    b->near_joins = joins;
}

/* The analysis of one loop. */
typedef struct round_work {
    arena *memory;
    ptx_function *function;
    const ptx_flow *flow;
    const body *body;
} round_work;

/* Finds the joins of one loop: the post-dominators in the graph of one iteration. */
static void find_joins_in(void *context, arena *scratch) {
    const round_work *w = context;
    const ptx_flow *g = w->flow;
    const body *l = w->body;
    ptx_function *f = w->function;
    bool any = false;
    for (uint32_t k = 0; k < l->count; k++) any = any || diverges_in(f, g, l, l->block[k]);
    if (!any) return;
    const ptx_graph round = graph_of_round(g, l, scratch), back = ptx_graph_reversed(&round, scratch);
    const uint32_t *dominator = ptx_dominators_find(&back, &round, l->count, scratch);
    for (uint32_t k = 0; k < l->count; k++)
        if (dominator[k] < l->count && diverges_in(f, g, l, l->block[k]))
            add_near_join(w->memory, &f->blocks[l->block[k]], l->block[dominator[k]]);
}

/* Most functions have no loop at all, which is found quickly. */
static bool has_back_edge(const ptx_flow *g) {
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->back.first[b]; e < g->back.first[b + 1]; e++)
            if (is_back_edge(g, g->back.to[e], b)) return true;
    return false;
}

/* Each loop has its own memory, since many may be nested. */
void ptx_find_near_joins(arena *memory, ptx_function *f, const ptx_flow *g, arena *scratch) {
    if (!has_back_edge(g)) return;
    loops l = new_loops(g, scratch);
    find_loops(&l, scratch);
    for (uint32_t b = 0; b < g->count; b++)
        if (l.of[b] != PTX_NO_BLOCK && g->first_edge[b + 1] - g->first_edge[b] > 1) note_branch(&l, f, b);
    body one = {.block = ARENA_ARRAY(scratch, g->count + 1, uint32_t),
                .place = ARENA_ARRAY(scratch, g->count + 1, uint32_t)};
    round_work work = {memory, f, g, &one};
    for (uint32_t i = 0; i < l.count; i++) {
        if (!l.needs_join[l.list[i]]) continue;
        find_body(g, l.list[i], &one);
        arena_with_scratch(memory, find_joins_in, &work);
    }
}
