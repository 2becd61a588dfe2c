/* Source places of inlined instructions: their own, and the call's. */
#ifndef HAUL_PTX_CHAIN_H
#define HAUL_PTX_CHAIN_H

#include "ptx/ir.h"

/* A module's places, and those made by inlining. All in the module's arena. */
typedef struct ptx_chained_places {
    arena *memory;
    ptx_place *items;
    size_t count, capacity;
    uint32_t *map; /* open addressing: places made (index + 1), by inner place and call */
    uint64_t *keys;
    size_t map_size, map_count;
} ptx_chained_places;

ptx_chained_places ptx_chain_places(ptx_module *module);
/* Returns the place `inner` of a called function, as inlined at the call at `outer`. */
uint32_t ptx_chain_place(ptx_chained_places *places, uint32_t inner, uint32_t outer);

#endif
