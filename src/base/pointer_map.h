/* Numbers by pointer. */
#ifndef HAUL_BASE_POINTER_MAP_H
#define HAUL_BASE_POINTER_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* All zero: empty. */
typedef struct pointer_map {
    struct pointer_entry {
        const void *key; /* NULL: none */
        uint64_t value;
    } * entries;
    size_t count, size; /* size: a power of two, or 0 */
} pointer_map;

/* The pointer, which is not NULL, keeps the value that it has got first. The arena has a jump point. */
void pointer_map_add(pointer_map *map, arena *memory, const void *key, uint64_t value);
/* Its value; NULL: it has none. */
const uint64_t *pointer_map_find(const pointer_map *map, const void *key);

#endif
