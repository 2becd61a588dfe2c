/* Merges the nodes of combine.c: drops loads that others contain, and joins neighbours into wider accesses.
 *
 * Nodes are sorted by region, base and offset. Joining goes in rounds of doubling width, as a binary tree would; each
 * round joins two halves of an aligned window. A merged access stands at the instruction that dominates the other. Long
 * chains of branches can make groups of thousands of equal loads in blocks that do not dominate each other, so large
 * groups are searched by comparable.c instead of one by one. */
#include "assembler/merge.h"

#include "assembler/comparable.h"
#include "base/search.h"

#include <stdlib.h>

enum { WIDEST = 16 };
/* Loads of bytes and most halves are extended, so they are merged only within a PTX vector; other halves are merged up
 * to WIDEST_HALVES. */
enum { MERGED_LOAD = 4, WIDEST_HALVES = 8 };

/* Sorts by region, base and element, then by offset, the widest first, then in program order. */
static int compare_nodes(const void *left, const void *right) {
    const sim_node *a = left, *b = right;
    if (a->region != b->region) return a->region < b->region ? -1 : 1;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    if (a->hints != b->hints) return a->hints < b->hints ? -1 : 1;
    if (a->element != b->element) return a->element < b->element ? -1 : 1;
    if (a->halves != b->halves) return a->halves < b->halves ? -1 : 1;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->instruction < b->instruction ? -1 : a->instruction > b->instruction;
}

static void sort_nodes(sim_node_list *nodes) {
    if (nodes->count > 1) qsort(nodes->items, nodes->count, sizeof *nodes->items, compare_nodes);
}

/* Whether two nodes can be parts of one access at all. */
static bool same_array(const sim_node *a, const sim_node *b) {
    return a->region == b->region && a->base == b->base && a->hints == b->hints && a->element == b->element &&
           a->halves == b->halves;
}

/* Returns the one of the two that comes first on every path to the other; NULL if neither does. */
static const sim_node *leader_of(const sim_node *a, const sim_node *b, const sim_dominance *d) {
    if (!d || a->block == b->block) return a->instruction <= b->instruction ? a : b;
    if (sim_dominates(d, a->block, b->block)) return a;
    return sim_dominates(d, b->block, a->block) ? b : NULL;
}

/* ---- loads that are part of others ---- */

/* Kept loads of one array with the same position and size, in order. Large groups are searched through their blocks:
 * loads in blocks that do not dominate each other, as in a long chain of branches, all stay. */
typedef struct alike {
    size_t first, count;
    uint32_t set; /* those without holes; 0: none, or the group is small */
} alike;

enum { MANY = 64 };

typedef struct dropping {
    sim_node_list *nodes;
    size_t kept;
    const sim_dominance *dominance;
    alike *groups;
    size_t group_count, group_capacity;
    sim_comparables comparables;
} dropping;

/* Whether the bytes of `n` are loaded by the wider node; one with holes does not load all of its bytes. */
static bool contains(const sim_node *wide, const sim_node *n) {
    return !wide->holes && wide->at + wide->size >= n->at + n->size;
}

/* Adds a node of a large group to its set. */
static void add_to_set(dropping *d, alike *g, size_t k) {
    const sim_node *n = &d->nodes->items[k];
    if (!n->holes) sim_comparables_add(&d->comparables, &g->set, n->block, (uint32_t)(k - g->first));
}

/* Makes the set of a group that has become large, or one of whose nodes changed. */
static void make_set(dropping *d, alike *g) {
    g->set = 0;
    for (size_t k = g->first; k < g->first + g->count; k++) add_to_set(d, g, k);
}

/* Returns the last load of the group that contains `n`; SIZE_MAX if none does. */
static size_t find_wide(const dropping *d, const alike *g, const sim_node *n) {
    const sim_node *items = d->nodes->items;
    if (g->count >= MANY && d->dominance) {
        const uint32_t found = items[g->first].at + items[g->first].size < n->at + n->size
                                   ? 0
                                   : sim_comparables_last(&d->comparables, g->set, n->block);
        return found ? g->first + found - 1 : SIZE_MAX;
    }
    for (size_t k = g->first + g->count; k-- > g->first;)
        if (contains(&items[k], n) && leader_of(&items[k], n, d->dominance)) return k;
    return SIZE_MAX;
}

/* The wider load moves up to the dropped one if that comes first. */
static void take_in(dropping *d, alike *g, size_t k, const sim_node *n) {
    sim_node *wide = &d->nodes->items[k];
    const int64_t at = wide->at;
    const uint8_t size = wide->size;
    if (leader_of(wide, n, d->dominance) != n) return;
    *wide = *n;
    wide->at = at;
    wide->size = size;
    if (g->count < MANY || !d->dominance) return;
    if (wide->holes)
        make_set(d, g);
    else
        add_to_set(d, g, k);
}

/* Drops `n` in favour of the widest load that contains it, if they are close enough. */
static bool drop_contained(dropping *d, const sim_node *n) {
    for (size_t k = d->group_count; k-- > 0;) {
        alike *g = &d->groups[k];
        const sim_node *like = &d->nodes->items[g->first];
        if (!same_array(like, n) || like->at + WIDEST <= n->at) return false;
        const size_t wide = find_wide(d, g, n);
        if (wide == SIZE_MAX) continue;
        take_in(d, g, wide, n);
        return true;
    }
    return false;
}

/* Appends a load that no other one contains, and opens a group for it if it is the first of its kind. */
static void keep(dropping *d, const sim_node *n) {
    sim_node_list *nodes = d->nodes;
    const sim_node *last = d->kept ? &nodes->items[d->kept - 1] : NULL;
    nodes->items[d->kept] = *n;
    if (!last || !same_array(last, n) || last->at != n->at || last->size != n->size)
        ARENA_PUSH(nodes->memory, d->groups, d->group_count, d->group_capacity, ((alike){.first = d->kept}));
    alike *g = &d->groups[d->group_count - 1];
    d->kept++;
    g->count++;
    if (g->count == MANY && d->dominance)
        make_set(d, g);
    else if (g->count > MANY && d->dominance)
        add_to_set(d, g, d->kept - 1);
}

/* Drops loads that are part of others. The widest come first, so one pass is enough. */
static void drop_parts(sim_node_list *nodes, const sim_dominance *dominance) {
    dropping d = {.nodes = nodes, .dominance = dominance, .comparables = {dominance, nodes->memory, NULL, 0, 0}};
    sort_nodes(nodes);
    for (size_t i = 0; i < nodes->count; i++) {
        const sim_node n = nodes->items[i];
        if (!drop_contained(&d, &n)) keep(&d, &n);
    }
    nodes->count = d.kept;
}

/* ---- neighbours ---- */

/* The number of the aligned window that the node begins in. */
static int64_t window_of(const sim_node *n, unsigned width) {
    return n->at >> __builtin_ctz(width);
}

/* Returns whether two nodes fill a window of `width` bytes, or as much of it as is required. */
static bool fill_window(const sim_node *a, const sim_node *b, unsigned width, bool loads) {
    if (!same_array(a, b) || window_of(a, width) != window_of(b, width)) return false;
    if (a->alignment < __builtin_ctz(width)) return false;
    unsigned half = width / 2, large = a->size > b->size ? a->size : b->size, small = a->size + b->size - large;
    if (a->halves && width > WIDEST_HALVES) return false;
    if (loads && small < MERGED_LOAD && !a->halves && a->instruction != b->instruction) return false;
    if (a->local && (small < half || (small == 1 && a->instruction != b->instruction))) return false;
    bool apart = window_of(a, half) != window_of(b, half), suffices = width == 4 || width == WIDEST || a->halves;
    return apart && large == half && (small == half || (loads && small == half / 2 && suffices));
}

/* The joined node stands at its leader and covers the window. */
static sim_node join(const sim_node *a, const sim_node *leader, unsigned width) {
    sim_node n = *leader;
    n.at = window_of(a, width) * (int64_t)width;
    n.size = (uint8_t)width;
    return n;
}

/* One round over the sorted nodes: merges neighbours into windows of `width` bytes. */
static void merge_windows(sim_node_list *nodes, unsigned width, bool loads, const sim_dominance *d) {
    size_t kept = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        const sim_node *a = &nodes->items[i], *b = i + 1 < nodes->count ? a + 1 : NULL;
        const sim_node *leader = b && fill_window(a, b, width, loads) ? leader_of(a, b, d) : NULL;
        if (leader) {
            nodes->items[kept++] = join(a, leader, width);
            i++;
        } else {
            nodes->items[kept++] = *a;
        }
    }
    nodes->count = kept;
}

/* Loads are reduced before and after: joining can make one load contain another. */
void sim_merge_nodes(sim_node_list *nodes, bool loads, const sim_dominance *d) {
    if (nodes->count < 2) return;
    if (loads)
        drop_parts(nodes, d);
    else
        sort_nodes(nodes);
    for (unsigned width = 2; width <= WIDEST; width *= 2) merge_windows(nodes, width, loads, d);
    if (loads) drop_parts(nodes, d);
}

/* Returns the index of the region's first node. */
static size_t first_of(const sim_node_list *nodes, uint32_t region) {
    size_t at;
    SEARCH_FIRST(at, nodes->count, k, nodes->items[k].region < region);
    return at;
}

static bool has_node(const sim_node_list *nodes, uint32_t region, const sim_node *x) {
    for (size_t k = first_of(nodes, region); k < nodes->count && nodes->items[k].region == region; k++) {
        const sim_node *y = &nodes->items[k];
        if (x->base == y->base && x->element == y->element && x->at == y->at && x->size == y->size) return true;
    }
    return false;
}

/* Returns whether all nodes of one region are in the other. */
static bool has_nodes(const sim_node_list *nodes, uint32_t region, uint32_t other) {
    for (size_t k = first_of(nodes, region); k < nodes->count && nodes->items[k].region == region; k++)
        if (!has_node(nodes, other, &nodes->items[k])) return false;
    return true;
}

/* A region of stores is dropped if the one that follows it at once overwrites all of it. */
void sim_drop_overwritten(sim_node_list *nodes, const uint32_t *follows) {
    size_t kept = 0;
    bool *gone = ARENA_ARRAY(nodes->memory, nodes->count + 1, bool);
    for (size_t k = 0; k < nodes->count; k++) {
        const uint32_t region = nodes->items[k].region, before = follows[region];
        if (before == 0 || (k > 0 && nodes->items[k - 1].region == region)) continue;
        if (!has_nodes(nodes, before, region)) continue;
        for (size_t n = first_of(nodes, before); nodes->items[n].region == before; n++) gone[n] = true;
    }
    for (size_t k = 0; k < nodes->count; k++)
        if (!gone[k]) nodes->items[kept++] = nodes->items[k];
    nodes->count = kept;
}

/* An instruction with more parts than there is room for keeps the first ones. */
void sim_place_nodes(sim_node_list *nodes, sim_assembled *assembled) {
    for (size_t i = 0; i < nodes->count; i++) {
        const sim_node *n = &nodes->items[i];
        sim_assembled *a = &assembled[n->instruction];
        if (a->part_count < SIM_MAX_PARTS)
            a->parts[a->part_count++] = (sim_part){(int16_t)(n->at - n->origin), n->size};
    }
    nodes->count = 0;
}
