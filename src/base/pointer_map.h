/* A hash map from pointers to numbers. */
#ifndef HAUL_BASE_POINTER_MAP_H
#define HAUL_BASE_POINTER_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* All zero: an empty map. */
typedef struct pointer_map {
    struct pointer_entry {
        const void *key; /* NULL: a free entry */
        uint64_t value;
    } * entries;
    size_t count, size; /* size: a power of two, or 0 */
} pointer_map;

/* Adds the value unless the pointer, which is not NULL, has one already. The arena has a jump point. */
void pointer_map_add(pointer_map *map, arena *memory, const void *key, uint64_t value);
/* Finds the pointer's value; NULL if it has none. */
const uint64_t *pointer_map_find(const pointer_map *map, const void *key);

#endif
