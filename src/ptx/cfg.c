/* Basic blocks, and where lanes that diverged meet again.
 *
 * That place is the immediate post-dominator, with one refinement: a way that only leaves the function is left out as
 * long as another way is there. Lanes that take it are gone, so those that stay need not wait for them:
 *
 *     if (a) { if (b) return; x; }   y;      `if (a)` joins at y, although y does not post-dominate it
 *
 * Ways that leave a loop are left out as well, for joins within it: what machine code has BREAK for.
 *
 *     while (c) { if (a) { if (b) break; x; } y; } z;      `if (a)` joins at y, and those that left at z
 */
#include "ptx/ir.h"

#include <string.h>

/* ---- blocks ---- */

static bool is_exit(const ptx_instruction *i) {
    return i->op == PTX_OP_RET || i->op == PTX_OP_EXIT || i->op == PTX_OP_TRAP;
}

static bool ends_block(const ptx_instruction *i) {
    return i->op == PTX_OP_BRA || i->op == PTX_OP_BRX_IDX || is_exit(i) || ptx_is_far_call(i);
}

static void mark_targets(const ptx_function *f, const ptx_instruction *i, uint32_t *block_at) {
    if (i->op == PTX_OP_BRA) block_at[f->labels[i->operands[0].label].target] = 1;
    if (i->op != PTX_OP_BRX_IDX) return;
    const ptx_label *table = &f->labels[i->operands[1].label];
    for (uint32_t t = 0; t < table->branch_target_count; t++) block_at[f->labels[table->branch_targets[t]].target] = 1;
}

/* For each instruction, and the end, the block that starts there + 1; 0 if none does. */
static uint32_t *find_starts(ptx_module *module, const ptx_function *f) {
    uint32_t *block_at = ARENA_ARRAY(&module->memory, f->instruction_count + 1, uint32_t);
    if (f->instruction_count) block_at[0] = 1;
    for (size_t i = 0; i < f->instruction_count; i++) {
        mark_targets(f, &f->instructions[i], block_at);
        if (ends_block(&f->instructions[i])) block_at[i + 1] = 1;
    }
    block_at[f->instruction_count] = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < f->instruction_count; i++)
        if (block_at[i]) block_at[i] = ++count;
    return block_at;
}

static uint32_t block_of_label(const ptx_function *f, const uint32_t *block_at, uint32_t label) {
    uint32_t block = block_at[f->labels[label].target];
    return block ? block - 1 : PTX_NO_BLOCK;
}

static const uint32_t *make_table(ptx_module *module, const ptx_function *f, const uint32_t *block_at,
                                  const ptx_label *label) {
    uint32_t *table = ARENA_ARRAY(&module->memory, label->branch_target_count, uint32_t);
    for (uint32_t t = 0; t < label->branch_target_count; t++)
        table[t] = block_of_label(f, block_at, label->branch_targets[t]);
    return table;
}

static void link_block(ptx_module *module, ptx_function *f, uint32_t b, const uint32_t *block_at) {
    ptx_block *block = &f->blocks[b];
    const ptx_instruction *last = &f->instructions[block->end - 1];
    uint32_t after = b + 1 < f->block_count ? b + 1 : PTX_NO_BLOCK;
    block->next = ends_block(last) && !last->guarded && !ptx_is_far_call(last) ? PTX_NO_BLOCK : after;
    block->taken = PTX_NO_BLOCK;
    if (last->op == PTX_OP_BRA) {
        uint32_t target = block_of_label(f, block_at, last->operands[0].label);
        *(last->guarded ? &block->taken : &block->next) = target;
    } else if (last->op == PTX_OP_BRX_IDX) {
        const ptx_label *label = &f->labels[last->operands[1].label];
        block->table = make_table(module, f, block_at, label);
        block->table_count = label->branch_target_count;
    }
}

static void make_blocks(ptx_module *module, ptx_function *f) {
    uint32_t *block_at = find_starts(module, f), count = 0;
    for (size_t i = 0; i < f->instruction_count; i++) count += block_at[i] != 0;
    f->block_count = count;
    f->blocks = ARENA_ARRAY(&module->memory, count, ptx_block);
    for (uint32_t i = 0, b = 0; i < f->instruction_count; i++) {
        if (block_at[i]) f->blocks[b++].first = i;
        f->blocks[b - 1].end = i + 1;
    }
    for (uint32_t b = 0; b < count; b++) link_block(module, f, b, block_at);
}

/* ---- the graph that joins are computed on ---- */

/* Blocks 0 .. count-1 and the exit `count`. */
typedef struct graph {
    uint32_t count;
    uint32_t *first_edge; /* of each block, count + 1 of them: its edges are first_edge[b] .. first_edge[b + 1] - 1 */
    uint32_t *to;         /* of each edge */
    bool *dropped;        /* edges that are left out */
    uint32_t edge_count;
    uint32_t *order; /* reachable blocks in reverse postorder */
    uint32_t order_count;
    uint32_t *rank; /* of each block in `order`; PTX_NO_BLOCK if it is unreachable */
} graph;

/* Calls leave a hole here: an edge to PTX_NO_BLOCK is one to the exit. */
static uint32_t list_edges(const ptx_function *f, const ptx_block *b, uint32_t exit, uint32_t *to) {
    const ptx_instruction *last = &f->instructions[b->end - 1];
    uint32_t count = 0;
    bool jumps = last->op == PTX_OP_BRA && last->guarded, exits = is_exit(last) && last->guarded;
    if (b->next != PTX_NO_BLOCK || !(ends_block(last) && last->op == PTX_OP_BRX_IDX)) {
        if (to) to[count] = b->next == PTX_NO_BLOCK ? exit : b->next;
        count++;
    }
    if (jumps || exits) {
        if (to) to[count] = b->taken == PTX_NO_BLOCK ? exit : b->taken;
        count++;
    }
    for (uint32_t t = 0; t < b->table_count; t++, count++)
        if (to) to[count] = b->table[t] == PTX_NO_BLOCK ? exit : b->table[t];
    return count;
}

static void make_edges(ptx_module *module, const ptx_function *f, graph *g) {
    arena *a = &module->memory;
    g->count = (uint32_t)f->block_count;
    g->first_edge = ARENA_ARRAY(a, f->block_count + 2, uint32_t);
    for (uint32_t b = 0; b < g->count; b++)
        g->first_edge[b + 1] = g->first_edge[b] + list_edges(f, &f->blocks[b], g->count, NULL);
    g->edge_count = g->first_edge[g->count];
    g->first_edge[g->count + 1] = g->edge_count;
    g->to = ARENA_ARRAY(a, g->edge_count, uint32_t);
    g->dropped = ARENA_ARRAY(a, g->edge_count, bool);
    for (uint32_t b = 0; b < g->count; b++) list_edges(f, &f->blocks[b], g->count, g->to + g->first_edge[b]);
}

/* Depth-first from `root` over lists of neighbours; `order` receives the nodes in reverse postorder, `rank` each one's
 * place in it. Returns how many there are. */
static uint32_t number_nodes(ptx_module *module, uint32_t nodes, uint32_t root, const uint32_t *first,
                             const uint32_t *to, const bool *dropped, uint32_t *order, uint32_t *rank) {
    uint32_t *stack = ARENA_ARRAY(&module->memory, nodes, uint32_t);
    uint32_t *at = ARENA_ARRAY(&module->memory, nodes, uint32_t);
    uint32_t depth = 0, done = 0;
    for (uint32_t n = 0; n < nodes; n++) rank[n] = PTX_NO_BLOCK;
    memcpy(at, first, nodes * sizeof *at);
    stack[depth++] = root;
    rank[root] = 0;
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (at[node] == first[node + 1]) {
            order[done++] = node;
            depth--;
            continue;
        }
        uint32_t edge = at[node]++;
        if ((dropped && dropped[edge]) || rank[to[edge]] != PTX_NO_BLOCK) continue;
        rank[to[edge]] = 0;
        stack[depth++] = to[edge];
    }
    for (uint32_t i = 0; i < done / 2; i++) {
        uint32_t swap = order[i];
        order[i] = order[done - 1 - i];
        order[done - 1 - i] = swap;
    }
    for (uint32_t i = 0; i < done; i++) rank[order[i]] = i;
    return done;
}

/* ---- ways out that joins need not wait for ---- */

/* Blocks that lie between the two ends of a backward edge: all that are in loops, and perhaps a few more. */
static bool *find_loops(ptx_module *module, const graph *g) {
    uint32_t *opens = ARENA_ARRAY(&module->memory, g->count + 2, uint32_t);
    bool *in_loop = ARENA_ARRAY(&module->memory, g->count + 1, bool);
    for (uint32_t b = 0; b < g->count; b++) {
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) {
            if (g->rank[b] == PTX_NO_BLOCK || g->rank[g->to[e]] > g->rank[b]) continue;
            opens[g->rank[g->to[e]]]++;
            opens[g->rank[b] + 1]--; /* wraps, and back again in the sum */
        }
    }
    uint32_t open = 0;
    for (uint32_t i = 0; i < g->order_count; i++) {
        open += opens[i];
        in_loop[g->order[i]] = open > 0;
    }
    return in_loop;
}

static uint32_t *count_predecessors(ptx_module *module, const graph *g) {
    uint32_t *count = ARENA_ARRAY(&module->memory, g->count + 1, uint32_t);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->first_edge[b]; g->rank[b] != PTX_NO_BLOCK && e < g->first_edge[b + 1]; e++)
            count[g->to[e]]++;
    return count;
}

enum { STAYS, LEAVES_AFTER_WORK, LEAVES };

/* One instruction that leaves, or goes to where there is no more than that, as machine code would at once. */
static bool only_leaves(const ptx_function *f, const graph *g, const uint8_t *fate, uint32_t b) {
    const ptx_block *block = &f->blocks[b];
    const ptx_instruction *i = &f->instructions[block->first];
    if (block->end - block->first != 1 || i->guarded) return false;
    const bool returns = i->op == PTX_OP_RET && !f->is_entry;
    return (is_exit(i) && !returns) || (i->op == PTX_OP_BRA && fate[g->to[g->first_edge[b]]] == LEAVES);
}

/* For each node how its ways go on: LEAVES does nothing but leave, LEAVES_AFTER_WORK is entered from one place only and
 * leaves in the end on all ways. */
static uint8_t *find_ways_out(ptx_module *module, const ptx_function *f, const graph *g) {
    uint8_t *fate = ARENA_ARRAY(&module->memory, g->count + 1, uint8_t);
    const uint32_t *predecessors = count_predecessors(module, g);
    fate[g->count] = f->is_entry ? LEAVES : STAYS; /* who returns goes on in the caller */
    for (uint32_t i = g->order_count; i-- > 0;) {
        uint32_t b = g->order[i];
        if (b == g->count) continue;
        bool leaves = true;
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) leaves = leaves && fate[g->to[e]] != STAYS;
        if (only_leaves(f, g, fate, b)) {
            fate[b] = LEAVES;
        } else if (leaves && predecessors[b] <= 1) {
            fate[b] = LEAVES_AFTER_WORK;
        }
    }
    return fate;
}

/* Drops the edges of `b` that only leave, if one that stays remains. In a loop, lanes that leave after some work do so
 * at different times, and meet where that work starts: such an edge counts. */
static void drop_ways_out(graph *g, uint32_t b, const uint8_t *fate, bool in_loop) {
    bool stays = false;
    for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) {
        uint8_t way = fate[g->to[e]];
        g->dropped[e] = way == LEAVES || (way == LEAVES_AFTER_WORK && !in_loop);
        stays = stays || !g->dropped[e];
    }
    for (uint32_t e = g->first_edge[b]; !stays && e < g->first_edge[b + 1]; e++) g->dropped[e] = false;
}

/* ---- the graph backwards ---- */

typedef struct reversed {
    uint32_t *first, *to; /* of each node its predecessors along kept edges */
    uint32_t *extra;      /* blocks that never leave and got an edge to the exit */
    uint32_t extra_count;
} reversed;

static bool is_kept(const graph *g, uint32_t b, uint32_t e) {
    return g->rank[b] != PTX_NO_BLOCK && !g->dropped[e];
}

static void reverse_edges(ptx_module *module, const graph *g, reversed *r) {
    uint32_t nodes = g->count + 1;
    uint32_t *first = ARENA_ARRAY(&module->memory, nodes + 1, uint32_t);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
            if (is_kept(g, b, e)) first[g->to[e] + 1]++;
    first[nodes] += r->extra_count;
    for (uint32_t n = 0; n < nodes; n++) first[n + 1] += first[n];
    uint32_t *at = ARENA_ARRAY(&module->memory, nodes, uint32_t);
    memcpy(at, first, nodes * sizeof *at);
    r->to = ARENA_ARRAY(&module->memory, first[nodes], uint32_t);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
            if (is_kept(g, b, e)) r->to[at[g->to[e]]++] = b;
    for (uint32_t x = 0; x < r->extra_count; x++) r->to[at[g->count]++] = r->extra[x];
    r->first = first;
}

/* Marks what leads to `from`. */
static void mark_leading_to(const reversed *r, uint32_t from, bool *marked, uint32_t *stack) {
    uint32_t depth = 0;
    marked[from] = true;
    stack[depth++] = from;
    while (depth) {
        uint32_t node = stack[--depth];
        for (uint32_t e = r->first[node]; e < r->first[node + 1]; e++) {
            if (marked[r->to[e]]) continue;
            marked[r->to[e]] = true;
            stack[depth++] = r->to[e];
        }
    }
}

/* A loop that is left only by leaving the function must keep those edges. */
static void keep_only_ways_out(ptx_module *module, graph *g) {
    reversed r = {0};
    bool *leaves = ARENA_ARRAY(&module->memory, g->count + 1, bool);
    uint32_t *stack = ARENA_ARRAY(&module->memory, g->count + 1, uint32_t);
    reverse_edges(module, g, &r);
    mark_leading_to(&r, g->count, leaves, stack);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->first_edge[b]; !leaves[b] && e < g->first_edge[b + 1]; e++) g->dropped[e] = false;
}

/* Loops without an end: their last block is taken to leave, so that branches inside them have joins too. */
static void end_endless_loops(ptx_module *module, const graph *g, reversed *r) {
    bool *leaves = ARENA_ARRAY(&module->memory, g->count + 1, bool);
    uint32_t *stack = ARENA_ARRAY(&module->memory, g->count + 1, uint32_t);
    r->extra = ARENA_ARRAY(&module->memory, g->count, uint32_t);
    reverse_edges(module, g, r);
    mark_leading_to(r, g->count, leaves, stack);
    for (uint32_t i = g->order_count; i-- > 0;) {
        if (leaves[g->order[i]]) continue;
        r->extra[r->extra_count++] = g->order[i];
        mark_leading_to(r, g->order[i], leaves, stack);
    }
    if (r->extra_count) reverse_edges(module, g, r);
}

/* ---- post-dominators (Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", 1979) ---- */

/* Over the backward graph from the exit. All arrays are by node; PTX_NO_BLOCK stands for none. */
typedef struct dominators {
    const graph *g;
    uint32_t *order, *parent; /* depth-first: the nodes in preorder, each one's parent in the tree */
    uint32_t count;
    uint32_t *semi;                    /* number in preorder of the semidominator; PTX_NO_BLOCK: not reached */
    uint32_t *ancestor;                /* in the forest of nodes that are done, with paths compressed */
    uint32_t *label;                   /* the node with the least semi on the path to the forest's root */
    uint32_t *bucket, *next_in_bucket; /* nodes by their semidominator */
    uint32_t *dominator;
    uint32_t *stack;
} dominators;

static uint32_t *new_row(ptx_module *module, uint32_t nodes, uint32_t value) {
    uint32_t *row = ARENA_ARRAY(&module->memory, nodes, uint32_t);
    for (uint32_t n = 0; n < nodes; n++) row[n] = value;
    return row;
}

static dominators new_dominators(ptx_module *module, const graph *g) {
    uint32_t nodes = g->count + 1;
    dominators d = {.g = g};
    uint32_t **rows[] = {&d.order,  &d.parent,         &d.semi,      &d.ancestor, &d.label,
                         &d.bucket, &d.next_in_bucket, &d.dominator, &d.stack};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = new_row(module, nodes, PTX_NO_BLOCK);
    for (uint32_t n = 0; n < nodes; n++) d.label[n] = n;
    return d;
}

static void visit(dominators *d, uint32_t node, uint32_t parent, uint32_t *depth) {
    d->parent[node] = parent;
    d->semi[node] = d->count;
    d->order[d->count++] = node;
    d->stack[(*depth)++] = node;
}

static void walk_backward(ptx_module *module, dominators *d, const reversed *r) {
    uint32_t depth = 0, *at = ARENA_ARRAY(&module->memory, d->g->count + 1, uint32_t);
    memcpy(at, r->first, (d->g->count + 1) * sizeof *at);
    visit(d, d->g->count, PTX_NO_BLOCK, &depth);
    while (depth) {
        uint32_t node = d->stack[depth - 1];
        if (at[node] == r->first[node + 1]) {
            depth--;
            continue;
        }
        uint32_t next = r->to[at[node]++];
        if (d->semi[next] == PTX_NO_BLOCK) visit(d, next, node, &depth);
    }
}

/* Makes the path from `node` to its root one step long, and its label the best on that path. */
static uint32_t evaluate(dominators *d, uint32_t node) {
    uint32_t depth = 0;
    if (d->ancestor[node] == PTX_NO_BLOCK) return node;
    for (uint32_t n = node; d->ancestor[d->ancestor[n]] != PTX_NO_BLOCK; n = d->ancestor[n]) d->stack[depth++] = n;
    while (depth) {
        uint32_t n = d->stack[--depth], above = d->ancestor[n];
        if (d->semi[d->label[above]] < d->semi[d->label[n]]) d->label[n] = d->label[above];
        d->ancestor[n] = d->ancestor[above];
    }
    return d->label[node];
}

static void lower_semi(dominators *d, uint32_t node, uint32_t from) {
    if (d->semi[from] == PTX_NO_BLOCK) return;
    uint32_t best = d->semi[evaluate(d, from)];
    if (best < d->semi[node]) d->semi[node] = best;
}

static void empty_bucket(dominators *d, uint32_t of) {
    for (uint32_t n = d->bucket[of]; n != PTX_NO_BLOCK; n = d->next_in_bucket[n]) {
        uint32_t best = evaluate(d, n);
        d->dominator[n] = d->semi[best] < d->semi[n] ? best : of;
    }
    d->bucket[of] = PTX_NO_BLOCK;
}

static void find_dominators(dominators *d, const bool *is_extra) {
    const graph *g = d->g;
    for (uint32_t i = d->count; i-- > 1;) {
        uint32_t node = d->order[i];
        for (uint32_t e = g->first_edge[node]; e < g->first_edge[node + 1]; e++)
            if (!g->dropped[e]) lower_semi(d, node, g->to[e]);
        if (is_extra[node]) lower_semi(d, node, g->count);
        uint32_t semi = d->order[d->semi[node]];
        d->next_in_bucket[node] = d->bucket[semi];
        d->bucket[semi] = node;
        d->ancestor[node] = d->parent[node];
        empty_bucket(d, d->parent[node]);
    }
    for (uint32_t i = 1; i < d->count; i++) {
        uint32_t node = d->order[i];
        if (d->dominator[node] != d->order[d->semi[node]]) d->dominator[node] = d->dominator[d->dominator[node]];
    }
}

/* Of each node its immediate post-dominator; g->count: the exit. */
static const uint32_t *post_dominators(ptx_module *module, const graph *g, const reversed *r) {
    dominators d = new_dominators(module, g);
    bool *is_extra = ARENA_ARRAY(&module->memory, g->count + 1, bool);
    for (uint32_t x = 0; x < r->extra_count; x++) is_extra[r->extra[x]] = true;
    walk_backward(module, &d, r);
    find_dominators(&d, is_extra);
    return d.dominator;
}

static void find_joins(ptx_module *module, ptx_function *f, const graph *g, const reversed *r) {
    const uint32_t *dominator = post_dominators(module, g, r);
    for (uint32_t b = 0; b < g->count; b++) f->blocks[b].join = dominator[b] < g->count ? dominator[b] : PTX_NO_BLOCK;
}

/* ---- joins within loops ---- */

/* One round of a loop. */
typedef struct body {
    uint32_t header;
    uint32_t *block, count; /* its blocks */
    uint32_t *place;        /* of each block of the function its place among them, + 1; 0: it is not in the loop */
} body;

/* Fills in the blocks from which the header is come to again; false when it is no loop's, or of one with two ways in.
 */
static bool find_body(const graph *g, const reversed *r, uint32_t header, body *l) {
    for (uint32_t k = 0; k < l->count; k++) l->place[l->block[k]] = 0;
    l->header = l->block[0] = header;
    l->place[header] = l->count = 1;
    for (uint32_t e = r->first[header]; e < r->first[header + 1]; e++) {
        const uint32_t latch = r->to[e];
        if (g->rank[latch] < g->rank[header] || l->place[latch]) continue;
        l->block[l->count++] = latch;
        l->place[latch] = l->count;
    }
    for (uint32_t k = 1; k < l->count; k++) {
        for (uint32_t e = r->first[l->block[k]]; e < r->first[l->block[k] + 1]; e++) {
            if (l->place[r->to[e]]) continue;
            l->block[l->count++] = r->to[e];
            l->place[r->to[e]] = l->count;
        }
    }
    return l->count > 1 && (header == 0 || !l->place[0]);
}

static uint32_t edges_in(const graph *g, const body *l, uint32_t b) {
    uint32_t count = 0;
    for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
        count += g->to[e] < g->count && l->place[g->to[e]] != 0;
    return count;
}

/* Whether two ways of the block stay in the loop, and are not known to meet there. */
static bool parts_in(const ptx_function *f, const graph *g, const body *l, uint32_t b) {
    const ptx_block *block = &f->blocks[b];
    const uint32_t nearest = block->near_count ? block->near_joins[block->near_count - 1] : block->join;
    return edges_in(g, l, b) > 1 && (nearest == PTX_NO_BLOCK || !l->place[nearest]);
}

/* The graph of a round: the exit is the header's next turn. Edges that leave the loop are not there. */
static graph graph_of_round(ptx_module *module, const graph *g, const body *l) {
    arena *a = &module->memory;
    graph round = {.count = l->count,
                   .first_edge = ARENA_ARRAY(a, l->count + 2, uint32_t),
                   .rank = ARENA_ARRAY(a, l->count + 1, uint32_t)};
    for (uint32_t k = 0; k < l->count; k++) round.first_edge[k + 1] = round.first_edge[k] + edges_in(g, l, l->block[k]);
    round.edge_count = round.first_edge[l->count + 1] = round.first_edge[l->count];
    round.to = ARENA_ARRAY(a, round.edge_count, uint32_t);
    round.dropped = ARENA_ARRAY(a, round.edge_count, bool);
    for (uint32_t k = 0, n = 0; k < l->count; k++) {
        const uint32_t b = l->block[k];
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
            if (g->to[e] < g->count && l->place[g->to[e]])
                round.to[n++] = g->to[e] == l->header ? l->count : l->place[g->to[e]] - 1;
    }
    return round;
}

static void add_near_join(ptx_module *module, ptx_block *b, uint32_t join) {
    uint32_t *joins = ARENA_ARRAY(&module->memory, b->near_count + 1, uint32_t);
    for (uint32_t k = 0; k < b->near_count; k++) joins[k] = b->near_joins[k];
    joins[b->near_count++] = join;
    b->near_joins = joins;
}

static void find_joins_in(ptx_module *module, ptx_function *f, const graph *g, const body *l) {
    bool any = false;
    for (uint32_t k = 0; k < l->count; k++) any = any || parts_in(f, g, l, l->block[k]);
    if (!any) return;
    const graph round = graph_of_round(module, g, l);
    reversed r = {0};
    reverse_edges(module, &round, &r);
    const uint32_t *dominator = post_dominators(module, &round, &r);
    for (uint32_t k = 0; k < l->count; k++)
        if (dominator[k] < l->count && parts_in(f, g, l, l->block[k]))
            add_near_join(module, &f->blocks[l->block[k]], l->block[dominator[k]]);
}

/* Headers of outer loops come first in reverse postorder. */
static void find_near_joins(ptx_module *module, ptx_function *f, const graph *g, const reversed *r) {
    body l = {.block = ARENA_ARRAY(&module->memory, g->count + 1, uint32_t),
              .place = ARENA_ARRAY(&module->memory, g->count + 1, uint32_t)};
    for (uint32_t i = 0; i < g->order_count; i++)
        if (g->order[i] < g->count && find_body(g, r, g->order[i], &l)) find_joins_in(module, f, g, &l);
}

void ptx_analyse(ptx_module *module, ptx_function *f) {
    make_blocks(module, f);
    if (!f->block_count) return;
    graph g = {0};
    reversed r = {0};
    make_edges(module, f, &g);
    g.order = ARENA_ARRAY(&module->memory, g.count + 1, uint32_t);
    g.rank = ARENA_ARRAY(&module->memory, g.count + 1, uint32_t);
    g.order_count = number_nodes(module, g.count + 1, 0, g.first_edge, g.to, NULL, g.order, g.rank);
    const bool *in_loop = find_loops(module, &g);
    const uint8_t *fate = find_ways_out(module, f, &g);
    for (uint32_t b = 0; b < g.count; b++) drop_ways_out(&g, b, fate, in_loop[b]);
    keep_only_ways_out(module, &g);
    end_endless_loops(module, &g, &r);
    find_joins(module, f, &g, &r);
    find_near_joins(module, f, &g, &r);
}
