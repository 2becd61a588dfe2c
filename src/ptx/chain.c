/* Makes places of inlined instructions: a place in the callee, chained to the place of the call.
 *
 * The same call inlines many instructions of the same lines, so made places are kept in a hash table from the pair of
 * both places to the chained one. Place numbers are 1-based; 0 is none. */
#include "ptx/chain.h"

#include "base/hash.h"

ptx_chained_places ptx_chain_places(ptx_module *m) {
    const size_t capacity = m->place_capacity > m->place_count ? m->place_capacity : m->place_count;
    return (ptx_chained_places){
        .memory = &m->memory, .items = m->places, .count = m->place_count, .capacity = capacity};
}

/* The slot with the key, or the free one where it belongs. The table is at most half full, so there is one. */
static uint64_t *slot_of(const ptx_chained_places *c, uint64_t key) {
    size_t at = (size_t)(hash_bytes(HASH_START, &key, sizeof key) >> 20);
    for (;; at++) {
        uint64_t *slot = &c->keys[at & (c->map_size - 1)];
        if (!*slot || *slot == key) return slot;
    }
}

/* Doubles the table when it is half full. The old one stays in the arena until that is freed. */
static void grow_map(ptx_chained_places *c) {
    if (c->map_count * 2 < c->map_size) return;
    const uint64_t *keys = c->keys;
    const uint32_t *made = c->map;
    const size_t old = c->map_size;
    c->map_size = old ? old * 2 : 256;
    c->keys = ARENA_ARRAY(c->memory, c->map_size, uint64_t);
    c->map = ARENA_ARRAY(c->memory, c->map_size, uint32_t);
    for (size_t i = 0; i < old; i++) {
        if (!keys[i]) continue;
        uint64_t *slot = slot_of(c, keys[i]);
        *slot = keys[i];
        c->map[slot - c->keys] = made[i];
    }
}

/* The callee's place may be a chain itself; then the call is added at its outer end. */
uint32_t ptx_chain_place(ptx_chained_places *c, uint32_t inner, uint32_t outer) {
    if (!inner || !outer) return inner ? inner : outer;
    const uint64_t key = (uint64_t)inner << 32 | outer;
    grow_map(c);
    uint64_t *slot = slot_of(c, key);
    if (*slot) return c->map[slot - c->keys];
    ptx_place place = c->items[inner - 1];
    place.inlined_at = place.inlined_at ? ptx_chain_place(c, place.inlined_at, outer) : outer;
    ARENA_PUSH(c->memory, c->items, c->count, c->capacity, place);
    grow_map(c);
    slot = slot_of(c, key);
    *slot = key;
    c->map_count++;
    return c->map[slot - c->keys] = (uint32_t)c->count;
}
