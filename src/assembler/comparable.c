/* Finds the last numbered block that dominates another one, or is dominated by it.
 *
 * Blocks are times in the dominator tree: a subtree is a range of them. A binary tree over all times keeps at each node
 * the largest number entered within its range (`within`), and the largest of a subtree that contains the whole range
 * (`around`). Adding and asking visit one path each. Nodes are made when they are needed, so many small sets are
 * cheap. */
#include "assembler/comparable.h"

static uint32_t greater(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Node 0 stands for none. */
static uint32_t new_node(sim_comparables *c) {
    const sim_comparable_node none = {0};
    if (c->count == 0) ARENA_PUSH(c->memory, c->nodes, c->count, c->capacity, none);
    ARENA_PUSH(c->memory, c->nodes, c->count, c->capacity, none);
    return (uint32_t)c->count - 1;
}

/* Marks all ranges down to the time at which the block is entered. */
static void add_within(sim_comparables *c, uint32_t node, uint32_t time, uint32_t mark) {
    uint32_t first = 0, end = c->dominance->order_count;
    for (;;) {
        c->nodes[node].within = greater(c->nodes[node].within, mark);
        if (end - first <= 1) return;
        const uint32_t middle = first + (end - first) / 2;
        const bool right = time >= middle;
        if (!c->nodes[node].child[right]) {
            const uint32_t made = new_node(c);
            c->nodes[node].child[right] = made;
        }
        node = c->nodes[node].child[right];
        *(right ? &first : &end) = middle;
    }
}

typedef struct range {
    uint32_t first, end;
} range;

/* Marks the largest ranges that make up the subtree. */
static void add_around(sim_comparables *c, uint32_t node, range own, range wanted, uint32_t mark) {
    if (wanted.first <= own.first && own.end <= wanted.end) {
        c->nodes[node].around = greater(c->nodes[node].around, mark);
        return;
    }
    const uint32_t middle = own.first + (own.end - own.first) / 2;
    for (unsigned right = 0; right < 2; right++) {
        const range half = right ? (range){middle, own.end} : (range){own.first, middle};
        if (half.end <= wanted.first || wanted.end <= half.first) continue;
        if (!c->nodes[node].child[right]) {
            const uint32_t made = new_node(c);
            c->nodes[node].child[right] = made;
        }
        add_around(c, c->nodes[node].child[right], half, wanted, mark);
    }
}

void sim_comparables_add(sim_comparables *c, uint32_t *root, uint32_t block, uint32_t number) {
    const ptx_tree_times *t = &c->dominance->times;
    if (!*root) *root = new_node(c);
    add_within(c, *root, t->enter[block], number + 1);
    add_around(c, *root, (range){0, c->dominance->order_count}, (range){t->enter[block], t->leave[block]}, number + 1);
}

/* The last block whose subtree contains the time. */
static uint32_t last_around(const sim_comparables *c, uint32_t node, uint32_t time) {
    uint32_t first = 0, end = c->dominance->order_count, best = 0;
    while (node) {
        best = greater(best, c->nodes[node].around);
        const uint32_t middle = first + (end - first) / 2;
        const bool right = end - first > 1 && time >= middle;
        node = c->nodes[node].child[right];
        *(right ? &first : &end) = middle;
    }
    return best;
}

/* The last block entered within the wanted range. */
static uint32_t last_within(const sim_comparables *c, uint32_t node, range own, range wanted) {
    if (!node || own.end <= wanted.first || wanted.end <= own.first) return 0;
    if (wanted.first <= own.first && own.end <= wanted.end) return c->nodes[node].within;
    const uint32_t middle = own.first + (own.end - own.first) / 2;
    return greater(last_within(c, c->nodes[node].child[0], (range){own.first, middle}, wanted),
                   last_within(c, c->nodes[node].child[1], (range){middle, own.end}, wanted));
}

uint32_t sim_comparables_last(const sim_comparables *c, uint32_t root, uint32_t block) {
    const ptx_tree_times *t = &c->dominance->times;
    return greater(last_around(c, root, t->enter[block]), last_within(c, root, (range){0, c->dominance->order_count},
                                                                      (range){t->enter[block], t->leave[block]}));
}
