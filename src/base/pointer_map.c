/* A hash table from pointers to numbers, in an arena: open addressing, at most half full, never shrinking. */
#include "base/pointer_map.h"

typedef struct pointer_entry entry;

/* The key's entry, or the free entry where it belongs. */
static entry *place_of(entry *entries, size_t size, const void *key) {
    size_t at = (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull) >> 32);
    while (entries[at & (size - 1)].key && entries[at & (size - 1)].key != key) at++;
    return &entries[at & (size - 1)];
}

/* The old entries stay in the arena. */
static void grow(pointer_map *map, arena *memory) {
    const size_t size = map->size ? map->size * 2 : 16;
    entry *entries = ARENA_ARRAY(memory, size, entry);
    for (size_t k = 0; k < map->size; k++)
        if (map->entries[k].key) *place_of(entries, size, map->entries[k].key) = map->entries[k];
    map->entries = entries;
    map->size = size;
}

void pointer_map_add(pointer_map *map, arena *memory, const void *key, uint64_t value) {
    if (map->count * 2 >= map->size) grow(map, memory);
    entry *place = place_of(map->entries, map->size, key);
    if (place->key) return;
    *place = (entry){key, value};
    map->count++;
}

const uint64_t *pointer_map_find(const pointer_map *map, const void *key) {
    const entry *place = map->size ? place_of(map->entries, map->size, key) : NULL;
    return place && place->key ? &place->value : NULL;
}
