#include "sim/assembler/dominance.h"

#include <string.h>

/* By Cooper, Harvey and Kennedy: parents are found over blocks in reverse postorder until they stay. Blocks that no
 * edge leads to (the first, and callees' first) have none. */

typedef struct search {
    const ptx_function *function;
    sim_dominance *tree;
    uint32_t *rank; /* by block: its place in the order */
    uint32_t *stack, *edge;
    bool *seen;
} search;

/* Appends the blocks that are reached from `root`, in postorder. */
static void search_from(search *s, uint32_t root) {
    const ptx_function *f = s->function;
    uint32_t depth = 0;
    if (s->seen[root]) return;
    s->seen[root] = true;
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

/* Later roots come first when the order is turned round; no edge leads from one root's blocks to another root. */
static void find_order(search *s) {
    sim_dominance *d = s->tree;
    const uint32_t blocks = (uint32_t)s->function->block_count;
    for (uint32_t b = 0; b < blocks; b++)
        if (b == 0 || ptx_predecessor_count(&d->above, b) == 0) search_from(s, b);
    for (uint32_t b = 0; b < blocks; b++) search_from(s, b); /* loops that nobody enters */
    for (uint32_t i = 0; i < blocks / 2; i++) {
        const uint32_t swap = d->order[i];
        d->order[i] = d->order[blocks - 1 - i];
        d->order[blocks - 1 - i] = swap;
    }
    for (uint32_t i = 0; i < blocks; i++) s->rank[d->order[i]] = i;
}

static uint32_t common(const search *s, uint32_t a, uint32_t b) {
    while (a != b && a != PTX_NO_BLOCK && b != PTX_NO_BLOCK) {
        if (s->rank[a] < s->rank[b])
            b = s->tree->parent[b];
        else
            a = s->tree->parent[a];
    }
    return a == b ? a : PTX_NO_BLOCK;
}

static bool find_parent(search *s, uint32_t block, bool *known) {
    sim_dominance *d = s->tree;
    uint32_t parent = PTX_NO_BLOCK;
    bool any = false;
    for (uint32_t k = d->above.first[block]; block != 0 && k < d->above.first[block + 1]; k++) {
        const uint32_t above = d->above.blocks[k];
        if (!known[above]) continue;
        parent = any ? common(s, parent, above) : above;
        any = true;
    }
    const bool changed = !known[block] || d->parent[block] != parent;
    d->parent[block] = parent;
    known[block] = true;
    return changed;
}

/* Children of a block in the tree come behind it in the order, so times are given by counting how many blocks each
 * subtree has, and then handing out ranges from the front. */
static void find_times(search *s, arena *memory) {
    sim_dominance *d = s->tree;
    const uint32_t blocks = (uint32_t)s->function->block_count;
    uint32_t *size = ARENA_ARRAY(memory, blocks + 1, uint32_t), *given = ARENA_ARRAY(memory, blocks + 1, uint32_t),
             time = 0;
    for (uint32_t i = blocks; i-- > 0;) {
        const uint32_t block = d->order[i], parent = d->parent[block];
        size[block]++;
        if (parent != PTX_NO_BLOCK) size[parent] += size[block];
    }
    for (uint32_t i = 0; i < blocks; i++) {
        const uint32_t block = d->order[i], parent = d->parent[block];
        uint32_t *from = parent == PTX_NO_BLOCK ? &time : &given[parent];
        d->enter[block] = *from;
        d->leave[block] = *from + size[block];
        *from += size[block];
        given[block] = d->enter[block] + 1;
    }
}

void sim_dominance_find(const ptx_function *f, arena *memory, sim_dominance *d) {
    const size_t blocks = f->block_count + 1;
    *d = (sim_dominance){.order = ARENA_ARRAY(memory, blocks, uint32_t),
                         .parent = ARENA_ARRAY(memory, blocks, uint32_t),
                         .enter = ARENA_ARRAY(memory, blocks, uint32_t),
                         .leave = ARENA_ARRAY(memory, blocks, uint32_t)};
    search s = {.function = f,
                .tree = d,
                .rank = ARENA_ARRAY(memory, blocks, uint32_t),
                .stack = ARENA_ARRAY(memory, blocks, uint32_t),
                .edge = ARENA_ARRAY(memory, blocks, uint32_t),
                .seen = ARENA_ARRAY(memory, blocks, bool)};
    bool *known = ARENA_ARRAY(memory, blocks, bool);
    ptx_predecessors_find(f, memory, &d->above);
    find_order(&s);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < d->order_count; i++) changed |= find_parent(&s, d->order[i], known);
    }
    find_times(&s, memory);
}
