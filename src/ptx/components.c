/* Strongly connected components of a function's blocks.
 *
 * The algorithm is Tarjan's, "Depth-First Search and Linear Graph Algorithms" (1972), with a stack of its own instead
 * of recursion: generated PTX can have hundreds of thousands of blocks in a row. Components are numbered in the order
 * in which they are completed, so each gets its number after all components that it leads to. */
#include "ptx/components.h"

typedef struct search {
    const ptx_function *function;
    uint32_t *number, *lowest; /* by block: 1 + its number, and the earliest block that it leads back to */
    uint32_t *component;
    bool *open; /* by block: its component is incomplete */
    uint32_t *path, *edge, *left;
    uint32_t depth, open_count, count, components;
} search;

/* Starts with a block that was not visited before. */
static void enter(search *s, uint32_t block) {
    s->number[block] = s->lowest[block] = ++s->count;
    s->open[block] = true;
    s->left[s->open_count++] = block;
    s->path[s->depth++] = block;
}

static void lower(search *s, uint32_t block, uint32_t to) {
    if (s->lowest[block] > to) s->lowest[block] = to;
}

/* Ends a block whose successors are all visited. If no path leads from it to an earlier block, it and all blocks above
 * it on `left` form a component. */
static void leave(search *s, uint32_t block) {
    s->depth--;
    if (s->depth) lower(s, s->path[s->depth - 1], s->lowest[block]);
    if (s->lowest[block] != s->number[block]) return;
    uint32_t member;
    do {
        member = s->left[--s->open_count];
        s->open[member] = false;
        s->component[member] = s->components;
    } while (member != block);
    s->components++;
}

/* Visits everything that `root` reaches. `edge` holds each block's next edge, so that a block can be continued after
 * its successor. */
static void search_from(search *s, uint32_t root) {
    if (s->number[root]) return;
    enter(s, root);
    while (s->depth) {
        const uint32_t block = s->path[s->depth - 1];
        if (s->edge[block] == ptx_edge_count(&s->function->blocks[block])) {
            leave(s, block);
            continue;
        }
        const uint32_t to = ptx_edge(&s->function->blocks[block], s->edge[block]++);
        if (to == PTX_NO_BLOCK) continue;
        if (!s->number[to])
            enter(s, to);
        else if (s->open[to])
            lower(s, block, s->number[to]);
    }
}

/* Unreachable blocks get components too, because each block is a root unless it was visited already. */
uint32_t *ptx_components_find(const ptx_function *f, arena *memory) {
    const size_t blocks = f->block_count + 1;
    search s = {.function = f,
                .number = ARENA_ARRAY(memory, blocks, uint32_t),
                .lowest = ARENA_ARRAY(memory, blocks, uint32_t),
                .component = ARENA_ARRAY(memory, blocks, uint32_t),
                .open = ARENA_ARRAY(memory, blocks, bool),
                .path = ARENA_ARRAY(memory, blocks, uint32_t),
                .edge = ARENA_ARRAY(memory, blocks, uint32_t),
                .left = ARENA_ARRAY(memory, blocks, uint32_t)};
    for (uint32_t b = 0; b < f->block_count; b++) search_from(&s, b);
    return s.component;
}

/* An edge within a component closes a cycle, and a component of several blocks has such edges at each of them. */
bool *ptx_find_looping(const ptx_function *f, const uint32_t *components, arena *memory) {
    bool *looping = ARENA_ARRAY(memory, f->block_count + 1, bool);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = 0; k < ptx_edge_count(&f->blocks[b]); k++) {
            const uint32_t to = ptx_edge(&f->blocks[b], k);
            if (to != PTX_NO_BLOCK && components[to] == components[b]) looping[b] = true;
        }
    return looping;
}
