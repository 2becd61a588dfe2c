#include "sim/seen.h"

#include "base/memory.h"

#include <string.h>

/* A launch that touches more than 16 GiB, 68 MiB of chunks, has no bounds to be compared with. */
enum { FIRST_CAPACITY = 16, MAX_CAPACITY = 1 << 20 };

void sim_seen_free(sim_seen *seen) {
    memory_free(seen->chunks);
    *seen = (sim_seen){0};
}

static size_t find(const sim_seen_chunk *chunks, size_t capacity, uint64_t key) {
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (capacity - 1);
    while (chunks[at].key && chunks[at].key != key) at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow(sim_seen *seen) {
    size_t capacity = seen->capacity ? seen->capacity * 2 : FIRST_CAPACITY;
    sim_seen_chunk *chunks = capacity > MAX_CAPACITY ? NULL : memory_zeroed(capacity, sizeof *chunks);
    if (!chunks) return false;
    for (size_t i = 0; i < seen->capacity; i++)
        if (seen->chunks[i].key) chunks[find(chunks, capacity, seen->chunks[i].key)] = seen->chunks[i];
    memory_free(seen->chunks);
    seen->chunks = chunks;
    seen->capacity = capacity;
    return true;
}

/* The chunk of `key`, made if need be; NULL when there is no room. */
static sim_seen_chunk *chunk_of(sim_seen *seen, uint64_t key) {
    if (seen->capacity && seen->chunks[seen->last].key == key) return &seen->chunks[seen->last];
    if (2 * (seen->count + 1) > seen->capacity && !grow(seen)) {
        seen->overflowed = true;
        return NULL;
    }
    seen->last = find(seen->chunks, seen->capacity, key);
    sim_seen_chunk *chunk = &seen->chunks[seen->last];
    if (!chunk->key) seen->count++;
    chunk->key = key;
    return chunk;
}

void sim_seen_add(sim_seen *seen, uint64_t line, unsigned mask) {
    if (seen->overflowed) return;
    sim_seen_chunk *chunk = chunk_of(seen, line / SIM_SEEN_LINES + 1);
    if (!chunk) return;
    uint8_t *byte = &chunk->nibbles[line % SIM_SEEN_LINES / 2];
    *byte = (uint8_t)(*byte | (mask & 15) << (line % 2 * 4));
}

/* Sixteen lines' nibbles at once. */
static void measure_word(sim_seen_size *size, const uint8_t *nibbles) {
    uint64_t bits;
    memcpy(&bits, nibbles, sizeof bits);
    const uint64_t pairs = (bits | bits >> 1) & 0x5555555555555555u, lines = (pairs | pairs >> 2) & 0x1111111111111111u;
    size->sectors += (unsigned)__builtin_popcountll(bits);
    size->pairs += (unsigned)__builtin_popcountll(pairs);
    size->lines += (unsigned)__builtin_popcountll(lines);
}

sim_seen_size sim_seen_measure(const sim_seen *seen) {
    sim_seen_size size = {0, 0, 0};
    for (size_t i = 0; i < seen->capacity; i++) {
        if (!seen->chunks[i].key) continue;
        for (unsigned b = 0; b < sizeof seen->chunks[i].nibbles; b += 8)
            measure_word(&size, seen->chunks[i].nibbles + b);
    }
    return size;
}
