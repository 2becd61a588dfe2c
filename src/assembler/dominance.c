/* The dominator tree of a function's blocks, callees and unreachable loops included, and where values of registers
 * meet. */
#include "assembler/dominance.h"

#include <string.h>

typedef struct search {
    const ptx_function *function;
    sim_dominance *tree;
    uint32_t *stack, *edge;
    bool *seen;
    /* blocks without a parent: the first one, callees' first ones, and unreachable loops */
    uint32_t *roots, root_count;
} search;

/* Appends the blocks reachable from `root`, in postorder. */
static void search_from(search *s, uint32_t root) {
    const ptx_function *f = s->function;
    uint32_t depth = 0;
    if (s->seen[root]) return;
    s->seen[root] = true;
    s->roots[s->root_count++] = root;
    s->stack[depth++] = root;
    while (depth) {
        const uint32_t block = s->stack[depth - 1];
        if (s->edge[block] == ptx_edge_count(&f->blocks[block])) {
            s->tree->order[s->tree->order_count++] = block;
            depth--;
            continue;
        }
        const uint32_t to = ptx_edge(&f->blocks[block], s->edge[block]++);
        if (to >= f->block_count || s->seen[to]) continue;
        s->seen[to] = true;
        s->stack[depth++] = to;
    }
}

/* Reversing the order puts later roots first; no edge leads from one root's blocks to another root. */
static void find_order(search *s) {
    sim_dominance *d = s->tree;
    const uint32_t blocks = (uint32_t)s->function->block_count;
    for (uint32_t b = 0; b < blocks; b++)
        if (b == 0 || ptx_predecessor_count(&d->above, b) == 0) search_from(s, b);
    for (uint32_t b = 0; b < blocks; b++) search_from(s, b); /* unreachable loops */
    for (uint32_t i = 0; i < blocks / 2; i++) {
        const uint32_t swap = d->order[i];
        d->order[i] = d->order[blocks - 1 - i];
        d->order[blocks - 1 - i] = swap;
    }
    for (uint32_t i = 0; i < blocks; i++) d->rank[d->order[i]] = i;
}

/* The blocks, and a node before all roots. */
static ptx_graph make_graph(const search *s, arena *memory) {
    const ptx_function *f = s->function;
    const uint32_t blocks = (uint32_t)f->block_count;
    ptx_graph g = {.count = blocks + 1, .first = ARENA_ARRAY(memory, blocks + 2, uint32_t)};
    g.to = ARENA_ARRAY(memory, s->tree->above.first[blocks] + s->root_count, uint32_t);
    uint32_t count = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        for (uint32_t k = 0; k < ptx_edge_count(&f->blocks[b]); k++)
            if (ptx_edge(&f->blocks[b], k) < blocks) g.to[count++] = ptx_edge(&f->blocks[b], k);
        g.first[b + 1] = count;
    }
    for (uint32_t k = 0; k < s->root_count; k++) g.to[count++] = s->roots[k];
    g.first[blocks + 1] = count;
    return g;
}

/* A node before all roots makes one tree of them; its children have no parent in the result. */
static void find_parents(const search *s, arena *memory) {
    sim_dominance *d = s->tree;
    const uint32_t blocks = (uint32_t)s->function->block_count;
    const ptx_graph g = make_graph(s, memory), back = ptx_graph_reversed(&g, memory);
    d->parent = ptx_dominators_find(&g, &back, blocks, memory);
    for (uint32_t b = 0; b < blocks; b++)
        if (d->parent[b] == blocks) d->parent[b] = PTX_NO_BLOCK;
    d->times = ptx_tree_times_find(d->order, d->order_count, d->parent, blocks, memory);
}

void sim_dominance_find(const ptx_function *f, arena *memory, sim_dominance *d) {
    const size_t blocks = f->block_count + 1;
    *d = (sim_dominance){.order = ARENA_ARRAY(memory, blocks, uint32_t), .rank = ARENA_ARRAY(memory, blocks, uint32_t)};
    search s = {.function = f,
                .tree = d,
                .stack = ARENA_ARRAY(memory, blocks, uint32_t),
                .edge = ARENA_ARRAY(memory, blocks, uint32_t),
                .seen = ARENA_ARRAY(memory, blocks, bool),
                .roots = ARENA_ARRAY(memory, blocks, uint32_t)};
    ptx_predecessors_find(f, memory, &d->above);
    find_order(&s);
    find_parents(&s, memory);
}

/* ---- values ---- */

static uint32_t top_behind(const bool *writes, const uint32_t *top, uint32_t block) {
    return writes[block] ? block : top[block];
}

/* Returns whether some path other than that from the parent brings a value from further down. */
static bool differs_on_some_path(const sim_dominance *d, uint32_t block, const bool *writes, const uint32_t *top) {
    const uint32_t parent = d->parent[block];
    for (uint32_t k = d->above.first[block]; k < d->above.first[block + 1]; k++) {
        const uint32_t from = top_behind(writes, top, d->above.blocks[k]);
        if (from != PTX_NO_BLOCK && d->times.enter[from] > d->times.enter[parent]) return true;
    }
    return false;
}

/* Blocks where values meet are only ever added. */
void sim_find_tops(const sim_dominance *d, const uint32_t *blocks, uint32_t count, const bool *writes, uint32_t *top) {
    for (uint32_t k = 0; k < count; k++)
        top[blocks[k]] = d->parent[blocks[k]] == PTX_NO_BLOCK ? blocks[k] : PTX_NO_BLOCK;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t block = blocks[k], before = top[block];
            if (before == block) continue;
            top[block] =
                differs_on_some_path(d, block, writes, top) ? block : top_behind(writes, top, d->parent[block]);
            changed |= top[block] != before;
        }
    }
}
