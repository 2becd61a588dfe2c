/* Which shared accesses the assembler merges into wider ones, and which it drops. */
#ifndef HAUL_SIM_ASSEMBLER_MERGE_H
#define HAUL_SIM_ASSEMBLER_MERGE_H

#include "sim/assembler/assembler.h"
#include "sim/assembler/values.h"

/* An access that may still grow: `size` bytes at `at` from its base, made of elements of `element` bytes. */
typedef struct sim_node {
    uint64_t base;
    int64_t at;
    int64_t origin; /* the leading instruction's own offset from the base */
    uint32_t instruction;
    uint8_t size, element;
    uint8_t alignment; /* of the base, log2 */
} sim_node;

typedef struct sim_node_list {
    sim_node *items;
    size_t count, capacity;
    arena *memory;
} sim_node_list;

/* Merges neighbours that share an aligned window of twice their size, from the smallest on. For loads three quarters of
 * a 4- or 16-byte window suffice; stores fill it. */
void sim_merge_nodes(sim_node_list *nodes, bool loads);

/* Of equal accesses the first stays (loads) or the last (stores). */
void sim_drop_repeats(sim_node_list *nodes, bool keep_last);

/* The nodes become parts of their leading instructions; the list is empty afterwards. */
void sim_place_nodes(sim_node_list *nodes, sim_assembled *assembled);

#endif
