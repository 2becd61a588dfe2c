/* Which shared accesses the assembler merges into wider ones, and which it drops. */
#ifndef HAUL_ASSEMBLER_MERGE_H
#define HAUL_ASSEMBLER_MERGE_H

#include "assembler/assembler.h"
#include "assembler/dominance.h"
#include "assembler/values.h"

/* An access that may still grow: `size` bytes at `at` from its base, made of elements of `element` bytes. */
typedef struct sim_node {
    uint64_t base;
    int64_t at;
    int64_t origin; /* the leading instruction's own offset from the base */
    uint32_t instruction;
    uint8_t size, element;
    uint8_t alignment; /* of the base, log2 */
    bool halves;       /* loads of halves that are not extended */
    bool holes;        /* not all of it is loaded for somebody: a load of a part of it is not taken from it */
    uint16_t hints;    /* cache operators: accesses with others stay apart */
    uint32_t region, block;
} sim_node;

typedef struct sim_node_list {
    sim_node *items;
    size_t count, capacity;
    arena *memory;
} sim_node_list;

/* Merges neighbours of a region that share an aligned window of twice their size, from the smallest on. For loads three
 * quarters of a 4- or 16-byte window suffice, or of 8 bytes of halves, and one that is part of another is gone; stores
 * fill the window. Of two, one has to be in a block that dominates the other's; `dominance` NULL: all are in one. */
void sim_merge_nodes(sim_node_list *nodes, bool loads, const sim_dominance *dominance);

/* Merged stores that the next ones write over are gone: those of a region when another `follows` it at once and has
 * the same nodes. */
void sim_drop_overwritten(sim_node_list *nodes, const uint32_t *follows);

/* The nodes become parts of their leading instructions; the list is empty afterwards. */
void sim_place_nodes(sim_node_list *nodes, sim_assembled *assembled);

#endif
