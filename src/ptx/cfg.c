/* Basic blocks, and joins: where diverged lanes reconverge.
 *
 * The join is the immediate post-dominator, with one refinement: paths that only leave the function are ignored as long
 * as there is another path. Lanes that leave are gone, so the others need not wait for them:
 *
 *     if (a) { if (b) return; x; }   y;      `if (a)` joins at y, although y does not post-dominate it
 *
 * For joins within a loop, paths that leave the loop are ignored as well; machine code has BREAK for this.
 *
 *     while (c) { if (a) { if (b) break; x; } y; } z;      `if (a)` joins at y, lanes that left at z
 */
#include "ptx/cfg.h"

#include "ptx/traits.h"

#include <string.h>

/* ---- blocks ---- */

/* Returns whether lanes that execute the instruction leave the function or the grid. A far call is not an exit: its
 * lanes come back. */
static bool is_exit(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_END) || i->op == PTX_OP_TRAP;
}

/* A far call ends its block, because the callee's blocks run in between, as if the call were a branch there and
 * back. */
static bool ends_block(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_BRANCH) || is_exit(i) || ptx_is_far_call(i);
}

static void mark_targets(const ptx_function *f, const ptx_instruction *i, uint32_t *block_at) {
    if (i->op == PTX_OP_BRA) block_at[f->labels[i->operands[0].label].target] = 1;
    if (i->op != PTX_OP_BRX_IDX) return;
    const ptx_label *table = &f->labels[i->operands[1].label];
    for (uint32_t t = 0; t < table->branch_target_count; t++) block_at[f->labels[table->branch_targets[t]].target] = 1;
}

/* For each instruction, and the end: 1 + the block that starts there; 0 if none does. */
static uint32_t *find_starts(const ptx_function *f, arena *scratch) {
    uint32_t *block_at = ARENA_ARRAY(scratch, f->instruction_count + 1, uint32_t);
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

/* A label after the last instruction has no block: a jump there leaves the function. */
static uint32_t block_of_label(const ptx_function *f, const uint32_t *block_at, uint32_t label) {
    uint32_t block = block_at[f->labels[label].target];
    return block ? block - 1 : PTX_NO_BLOCK;
}

/* The blocks that a brx.idx can jump to, in the order of its table. */
static const uint32_t *make_table(arena *memory, const ptx_function *f, const uint32_t *block_at,
                                  const ptx_label *label) {
    uint32_t *table = ARENA_ARRAY(memory, label->branch_target_count, uint32_t);
    for (uint32_t t = 0; t < label->branch_target_count; t++)
        table[t] = block_of_label(f, block_at, label->branch_targets[t]);
    return table;
}

/* Sets the successors of block `b`: `next` is the fall through or the unconditional target, `taken` the target of a
 * guarded branch, `table` those of a brx.idx. */
static void link_block(arena *memory, ptx_function *f, uint32_t b, const uint32_t *block_at) {
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
        block->table = make_table(memory, f, block_at, label);
        block->table_count = label->branch_target_count;
    }
}

/* The blocks live as long as the module; `scratch` only holds the map from instructions to blocks. */
static void make_blocks(arena *memory, ptx_function *f, arena *scratch) {
    uint32_t *block_at = find_starts(f, scratch), count = 0;
    for (size_t i = 0; i < f->instruction_count; i++) count += block_at[i] != 0;
    f->block_count = count;
    f->blocks = ARENA_ARRAY(memory, count, ptx_block);
    for (uint32_t i = 0, b = 0; i < f->instruction_count; i++) {
        if (block_at[i]) f->blocks[b++].first = i;
        f->blocks[b - 1].end = i + 1;
    }
    for (uint32_t b = 0; b < count; b++) link_block(memory, f, b, block_at);
}

/* ---- the graph that joins are computed on ---- */

/* Writes the successors of a block to `to`, if it is not NULL, and returns how many there are. A call without a
 * successor leads to PTX_NO_BLOCK, which counts as an edge to the exit. */
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

/* Makes the forward graph with one node more than there are blocks: node `count` is the exit. Edges are counted first
 * and then written, each block's in one range of `to`. */
static void make_edges(const ptx_function *f, ptx_flow *g, arena *a) {
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

/* Numbers nodes depth-first from block 0: `order` receives them in reverse postorder, `rank` each one's index in it. */
static void number_nodes(ptx_flow *g, arena *scratch) {
    const uint32_t nodes = g->count + 1;
    uint32_t *stack = ARENA_ARRAY(scratch, nodes, uint32_t), *at = ARENA_ARRAY(scratch, nodes, uint32_t);
    uint32_t depth = 0, done = 0;
    g->order = ARENA_ARRAY(scratch, nodes, uint32_t);
    g->rank = ARENA_ARRAY(scratch, nodes, uint32_t);
    for (uint32_t n = 0; n < nodes; n++) g->rank[n] = PTX_NO_BLOCK;
    memcpy(at, g->first_edge, nodes * sizeof *at);
    stack[depth++] = 0;
    g->rank[0] = 0;
    while (depth) {
        const uint32_t node = stack[depth - 1];
        if (at[node] == g->first_edge[node + 1]) {
            g->order[done++] = node;
            depth--;
            continue;
        }
        const uint32_t next = g->to[at[node]++];
        if (g->rank[next] != PTX_NO_BLOCK) continue;
        g->rank[next] = 0;
        stack[depth++] = next;
    }
    for (uint32_t i = 0; i < done / 2; i++) {
        const uint32_t swap = g->order[i];
        g->order[i] = g->order[done - 1 - i];
        g->order[done - 1 - i] = swap;
    }
    for (uint32_t i = 0; i < done; i++) g->rank[g->order[i]] = i;
    g->order_count = done;
}

/* ---- exits that joins need not wait for ---- */

/* Marks blocks between the two ends of a backward edge: all blocks in loops, and perhaps a few more. */
static bool *find_loops(const ptx_flow *g, arena *scratch) {
    uint32_t *opens = ARENA_ARRAY(scratch, g->count + 2, uint32_t);
    bool *in_loop = ARENA_ARRAY(scratch, g->count + 1, bool);
    for (uint32_t b = 0; b < g->count; b++) {
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) {
            if (g->rank[b] == PTX_NO_BLOCK || g->rank[g->to[e]] > g->rank[b]) continue;
            opens[g->rank[g->to[e]]]++;
            opens[g->rank[b] + 1]--; /* wraps around, and back again in the sum */
        }
    }
    uint32_t open = 0;
    for (uint32_t i = 0; i < g->order_count; i++) {
        open += opens[i];
        in_loop[g->order[i]] = open > 0;
    }
    return in_loop;
}

static uint32_t *count_predecessors(const ptx_flow *g, arena *scratch) {
    uint32_t *count = ARENA_ARRAY(scratch, g->count + 1, uint32_t);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->first_edge[b]; g->rank[b] != PTX_NO_BLOCK && e < g->first_edge[b + 1]; e++)
            count[g->to[e]]++;
    return count;
}

enum { STAYS, LEAVES_AFTER_WORK, LEAVES };

/* Returns whether the block is a single instruction that leaves, or a jump to such a block; machine code leaves at
 * once. */
static bool only_leaves(const ptx_function *f, const ptx_flow *g, const uint8_t *fate, uint32_t b) {
    const ptx_block *block = &f->blocks[b];
    const ptx_instruction *i = &f->instructions[block->first];
    if (block->end - block->first != 1 || i->guarded) return false;
    const bool returns = i->op == PTX_OP_RET && !f->is_entry;
    return (is_exit(i) && !returns) || (i->op == PTX_OP_BRA && fate[g->to[g->first_edge[b]]] == LEAVES);
}

/* Classifies each node. LEAVES only leaves. LEAVES_AFTER_WORK has one predecessor and leaves on all paths in the
 * end. */
static uint8_t *find_exits(const ptx_function *f, const ptx_flow *g, arena *scratch) {
    uint8_t *fate = ARENA_ARRAY(scratch, g->count + 1, uint8_t);
    const uint32_t *predecessors = count_predecessors(g, scratch);
    fate[g->count] = f->is_entry ? LEAVES : STAYS; /* a return continues in the caller */
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

/* Drops the edges of `b` that only leave, if another edge remains. In a loop, lanes that leave after some work do so at
 * different times and reconverge where that work starts, so such an edge is kept. */
static void drop_exits(ptx_flow *g, uint32_t b, const uint8_t *fate, bool in_loop) {
    bool stays = false;
    for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) {
        uint8_t way = fate[g->to[e]];
        g->dropped[e] = way == LEAVES || (way == LEAVES_AFTER_WORK && !in_loop);
        stays = stays || !g->dropped[e];
    }
    for (uint32_t e = g->first_edge[b]; !stays && e < g->first_edge[b + 1]; e++) g->dropped[e] = false;
}

/* ---- the reversed graph ---- */

/* Blocks of endless loops that get an edge to the exit. */
typedef struct endless {
    uint32_t *block, count;
} endless;

static bool is_kept(const ptx_flow *g, uint32_t b, uint32_t e) {
    return g->rank[b] != PTX_NO_BLOCK && !g->dropped[e];
}

/* Reverses the edges that are kept, and adds one from the exit to each endless loop of `x`. The lists are made by
 * counting: `first` gets the sums, `at` moves through them. */
static ptx_graph reverse_edges(const ptx_flow *g, const endless *x, arena *scratch) {
    const uint32_t nodes = g->count + 1;
    ptx_graph r = {.count = nodes, .first = ARENA_ARRAY(scratch, nodes + 1, uint32_t)};
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
            if (is_kept(g, b, e)) r.first[g->to[e] + 1]++;
    r.first[nodes] += x->count;
    for (uint32_t n = 0; n < nodes; n++) r.first[n + 1] += r.first[n];
    uint32_t *at = ARENA_ARRAY(scratch, nodes, uint32_t);
    memcpy(at, r.first, nodes * sizeof *at);
    r.to = ARENA_ARRAY(scratch, r.first[nodes], uint32_t);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
            if (is_kept(g, b, e)) r.to[at[g->to[e]]++] = b;
    for (uint32_t k = 0; k < x->count; k++) r.to[at[g->count]++] = x->block[k];
    return r;
}

/* Marks all nodes that lead to `from`. */
static void mark_leading_to(const ptx_graph *back, uint32_t from, bool *marked, uint32_t *stack) {
    uint32_t depth = 0;
    marked[from] = true;
    stack[depth++] = from;
    while (depth) {
        const uint32_t node = stack[--depth];
        for (uint32_t e = back->first[node]; e < back->first[node + 1]; e++) {
            if (marked[back->to[e]]) continue;
            marked[back->to[e]] = true;
            stack[depth++] = back->to[e];
        }
    }
}

/* Restores dropped edges in loops that can only be left by leaving the function. */
static void keep_only_exits(ptx_flow *g, arena *scratch) {
    const ptx_graph back = reverse_edges(g, &(endless){0}, scratch);
    bool *leaves = ARENA_ARRAY(scratch, g->count + 1, bool);
    mark_leading_to(&back, g->count, leaves, ARENA_ARRAY(scratch, g->count + 1, uint32_t));
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->first_edge[b]; !leaves[b] && e < g->first_edge[b + 1]; e++) g->dropped[e] = false;
}

/* Reverses the graph. The last block of an endless loop gets an edge to the exit, so that branches inside have joins
 * too. */
static void reverse_flow(ptx_flow *g, arena *scratch) {
    bool *leaves = ARENA_ARRAY(scratch, g->count + 1, bool);
    uint32_t *stack = ARENA_ARRAY(scratch, g->count + 1, uint32_t);
    endless x = {.block = ARENA_ARRAY(scratch, g->count, uint32_t)};
    g->back = reverse_edges(g, &x, scratch);
    mark_leading_to(&g->back, g->count, leaves, stack);
    for (uint32_t i = g->order_count; i-- > 0;) {
        if (leaves[g->order[i]]) continue;
        x.block[x.count++] = g->order[i];
        mark_leading_to(&g->back, g->order[i], leaves, stack);
    }
    if (x.count) g->back = reverse_edges(g, &x, scratch);
}

/* ---- the whole analysis ---- */

/* A block's join is its immediate dominator in the reversed graph, which is its post-dominator. Blocks that only the
 * exit post-dominates have none. */
static void find_joins(ptx_function *f, const ptx_flow *g, arena *scratch) {
    const ptx_graph forward = ptx_graph_reversed(&g->back, scratch);
    const uint32_t *dominator = ptx_dominators_find(&g->back, &forward, g->count, scratch);
    for (uint32_t b = 0; b < g->count; b++) f->blocks[b].join = dominator[b] < g->count ? dominator[b] : PTX_NO_BLOCK;
}

typedef struct analysis {
    arena *memory;
    ptx_function *function;
} analysis;

/* The order matters: exits are dropped before the graph is reversed, and dropped edges that a loop needs to be left at
 * all are restored in between. */
static void analyse(void *context, arena *scratch) {
    const analysis *a = context;
    ptx_function *f = a->function;
    make_blocks(a->memory, f, scratch);
    if (!f->block_count) return;
    ptx_flow g = {0};
    make_edges(f, &g, scratch);
    number_nodes(&g, scratch);
    const bool *in_loop = find_loops(&g, scratch);
    const uint8_t *fate = find_exits(f, &g, scratch);
    for (uint32_t b = 0; b < g.count; b++) drop_exits(&g, b, fate, in_loop[b]);
    keep_only_exits(&g, scratch);
    reverse_flow(&g, scratch);
    find_joins(f, &g, scratch);
    ptx_find_near_joins(a->memory, f, &g, scratch);
}

void ptx_analyse(ptx_function *f, arena *memory) {
    arena_with_scratch(memory, analyse, &(analysis){memory, f});
}
