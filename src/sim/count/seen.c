#include "sim/count/seen.h"

#include "base/memory.h"

/* A launch of which one part touches more than 2 GiB, 64 MiB of chunks, has no bounds to be compared with. */
enum { FIRST_CAPACITY = 64 };

void sim_seen_free(sim_seen *seen) {
    memory_free(seen->chunks);
    *seen = (sim_seen){0};
}

static size_t find(const sim_seen_chunk *chunks, size_t capacity, uint64_t key) {
    size_t at = sim_seen_place(key, capacity);
    while (chunks[at].key && chunks[at].key != key) at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow(sim_seen *seen) {
    size_t capacity = seen->capacity ? seen->capacity * 2 : FIRST_CAPACITY;
    const size_t most = seen->most ? seen->most : SIM_SEEN_MOST;
    sim_seen_chunk *chunks = capacity > most ? NULL : memory_zeroed(capacity, sizeof *chunks);
    if (!chunks) return false;
    for (size_t i = 0; i < seen->capacity; i++)
        if (seen->chunks[i].key) chunks[find(chunks, capacity, seen->chunks[i].key)] = seen->chunks[i];
    memory_free(seen->chunks);
    seen->chunks = chunks;
    seen->capacity = capacity;
    return true;
}

sim_seen_chunk *sim_seen_chunk_of(sim_seen *seen, uint64_t key) {
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

/* All of a chunk's lines at once. */
static void measure_chunk(sim_seen_size *size, uint64_t bits) {
    const uint64_t pairs = (bits | bits >> 1) & 0x5555555555555555u, lines = (pairs | pairs >> 2) & 0x1111111111111111u;
    size->sectors += (unsigned)__builtin_popcountll(bits);
    size->pairs += (unsigned)__builtin_popcountll(pairs);
    size->lines += (unsigned)__builtin_popcountll(lines);
}

sim_seen_size sim_seen_measure(const sim_seen *seen) {
    sim_seen_size size = {0, 0, 0};
    for (size_t i = 0; i < seen->capacity; i++) measure_chunk(&size, seen->chunks[i].nibbles);
    return size;
}
