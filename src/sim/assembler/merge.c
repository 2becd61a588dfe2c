#include "sim/assembler/merge.h"

#include <stdlib.h>

enum { WIDEST = 16 };
/* Loads of bytes and halves are extended as they come, and so are merged within a PTX vector only. */
enum { MERGED_LOAD = 4 };

/* Equal bases and elements together, by offset, then in program order. */
static int compare_nodes(const void *left, const void *right) {
    const sim_node *a = left, *b = right;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    if (a->element != b->element) return a->element < b->element ? -1 : 1;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return a->instruction < b->instruction ? -1 : a->instruction > b->instruction;
}

static void sort_nodes(sim_node_list *nodes) {
    if (nodes->count > 1) qsort(nodes->items, nodes->count, sizeof *nodes->items, compare_nodes);
}

static bool same_place(const sim_node *a, const sim_node *b) {
    return a->base == b->base && a->element == b->element && a->at == b->at && a->size == b->size;
}

void sim_drop_repeats(sim_node_list *nodes, bool keep_last) {
    sort_nodes(nodes);
    size_t kept = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        bool repeats = kept > 0 && same_place(&nodes->items[kept - 1], &nodes->items[i]);
        if (!repeats)
            nodes->items[kept++] = nodes->items[i];
        else if (keep_last)
            nodes->items[kept - 1] = nodes->items[i];
    }
    nodes->count = kept;
}

static int64_t window_of(const sim_node *n, unsigned width) {
    return n->at >> __builtin_ctz(width);
}

/* Whether two nodes fill a window of `width` bytes, or as much of it as is needed. */
static bool fill_window(const sim_node *a, const sim_node *b, unsigned width, bool loads) {
    if (a->base != b->base || a->element != b->element || window_of(a, width) != window_of(b, width)) return false;
    if (a->alignment < __builtin_ctz(width)) return false;
    unsigned half = width / 2, large = a->size > b->size ? a->size : b->size, small = a->size + b->size - large;
    if (loads && small < MERGED_LOAD && a->instruction != b->instruction) return false;
    bool apart = window_of(a, half) != window_of(b, half);
    return apart && large == half && (small == half || (loads && small == half / 2 && (width == 4 || width == WIDEST)));
}

static sim_node join(const sim_node *a, const sim_node *b, unsigned width) {
    sim_node n = a->instruction <= b->instruction ? *a : *b;
    n.at = window_of(a, width) * (int64_t)width;
    n.size = (uint8_t)width;
    return n;
}

/* One round over sorted nodes: neighbours become windows of `width` bytes. */
static void merge_windows(sim_node_list *nodes, unsigned width, bool loads) {
    size_t kept = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        if (i + 1 < nodes->count && fill_window(&nodes->items[i], &nodes->items[i + 1], width, loads)) {
            nodes->items[kept++] = join(&nodes->items[i], &nodes->items[i + 1], width);
            i++;
        } else {
            nodes->items[kept++] = nodes->items[i];
        }
    }
    nodes->count = kept;
}

void sim_merge_nodes(sim_node_list *nodes, bool loads) {
    sort_nodes(nodes);
    for (unsigned width = 2; width <= WIDEST; width *= 2) merge_windows(nodes, width, loads);
}

void sim_place_nodes(sim_node_list *nodes, sim_assembled *assembled) {
    for (size_t i = 0; i < nodes->count; i++) {
        const sim_node *n = &nodes->items[i];
        sim_assembled *a = &assembled[n->instruction];
        if (a->part_count < SIM_MAX_PARTS)
            a->parts[a->part_count++] = (sim_part){(int16_t)(n->at - n->origin), n->size};
    }
    nodes->count = 0;
}
