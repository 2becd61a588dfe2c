/* Shared accesses that the assembler merges into wider ones or drops. */
#ifndef HAUL_ASSEMBLER_MERGE_H
#define HAUL_ASSEMBLER_MERGE_H

#include "assembler/assembler.h"
#include "assembler/dominance.h"
#include "assembler/values.h"

/* An access that may still grow: `size` bytes at offset `at` from its base, made of elements of `element` bytes. */
typedef struct sim_node {
    uint64_t base;
    int64_t at;
    int64_t origin; /* the leading instruction's offset from the base */
    uint32_t instruction;
    uint8_t size, element;
    uint8_t alignment; /* of the base, log2 */
    bool halves;       /* loads of 16-bit values that are not extended */
    bool local;        /* in local memory: accesses are merged only if they fill the window, single bytes never */
    bool holes;        /* some of its bytes are needed by no instruction; it cannot serve other loads */
    uint16_t hints;    /* cache operators: accesses with different ones are not merged */
    uint32_t region, block;
} sim_node;

typedef struct sim_node_list {
    sim_node *items;
    size_t count, capacity;
    arena *memory;
} sim_node_list;

/* Merges neighbours of a region that share an aligned window of twice their size, beginning with the smallest. Loads
 * need three quarters of a 4- or 16-byte window, or of 8 bytes of halves; stores must fill the window. A load that is
 * part of another is dropped. One of the two blocks must dominate the other; `dominance` NULL: all accesses are in one
 * block. */
void sim_merge_nodes(sim_node_list *nodes, bool loads, const sim_dominance *dominance);

/* Drops merged stores that the next ones overwrite: those of a region if another `follows` it at once with the same
 * nodes. */
void sim_drop_overwritten(sim_node_list *nodes, const uint32_t *follows);

/* Turns the nodes into parts of their leading instructions and empties the list. */
void sim_place_nodes(sim_node_list *nodes, sim_assembled *assembled);

#endif
