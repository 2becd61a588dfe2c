#include "sim/count/seen.h"

#include "base/memory.h"

/* A launch of which one part touches more than 2 GiB, 64 MiB of chunks, has no bounds to be compared with. */
enum { FIRST_CAPACITY = 64 };

void sim_seen_free(sim_seen *seen) {
    memory_free(seen->chunks);
    memory_free(seen->owners);
    *seen = (sim_seen){0};
}

/* Where the chunk of that key is, or may be looked for. */
static size_t place(uint64_t key, size_t capacity) {
    enum { TOGETHER = 4 }; /* neighbours share a line of the host's */
    const uint64_t spread = key / TOGETHER * 0x9e3779b97f4a7c15ull >> 42;
    return (size_t)(spread * TOGETHER + key % TOGETHER) & (capacity - 1);
}

static size_t find(const sim_seen_chunk *chunks, size_t capacity, uint64_t key) {
    size_t at = place(key, capacity);
    while (chunks[at].key && chunks[at].key != key) at = (at + 1) & (capacity - 1);
    return at;
}

static void rehash(const sim_seen *from, sim_seen_chunk *chunks, sim_seen_owners *owners, size_t capacity) {
    for (size_t i = 0; i < from->capacity; i++) {
        if (!from->chunks[i].key) continue;
        const size_t at = find(chunks, capacity, from->chunks[i].key);
        chunks[at] = from->chunks[i];
        if (owners) owners[at] = from->owners[i];
    }
}

static bool grow(sim_seen *seen) {
    const size_t capacity = seen->capacity ? seen->capacity * 2 : FIRST_CAPACITY,
                 most = seen->most ? seen->most : SIM_SEEN_MOST;
    if (capacity > most) return false;
    sim_seen_chunk *chunks = memory_zeroed(capacity, sizeof *chunks);
    sim_seen_owners *owners = seen->owners ? memory_zeroed(capacity, sizeof *owners) : NULL;
    if (!chunks || (seen->owners && !owners)) {
        memory_free(chunks);
        memory_free(owners);
        return false;
    }
    rehash(seen, chunks, owners, capacity);
    memory_free(seen->chunks);
    memory_free(seen->owners);
    seen->chunks = chunks;
    seen->owners = owners;
    seen->capacity = capacity;
    return true;
}

sim_seen_chunk *sim_seen_chunk_of(sim_seen *seen, uint64_t key) {
    if (2 * (seen->count + 1) > seen->capacity && !grow(seen)) {
        seen->overflowed = true;
        return NULL;
    }
    const size_t at = find(seen->chunks, seen->capacity, key);
    sim_seen_chunk *chunk = &seen->chunks[at];
    *sim_seen_latest(seen, key) = (uint32_t)at;
    if (!chunk->key) seen->count++;
    chunk->key = key;
    return chunk;
}

static bool keep_owners(sim_seen *seen) {
    if (!seen->owners) seen->owners = memory_zeroed(seen->capacity, sizeof *seen->owners);
    return seen->owners != NULL;
}

bool sim_seen_claim(sim_seen *seen, uint64_t line, unsigned mask, uint32_t owner) {
    sim_seen_chunk *chunk = sim_seen_at(seen, line);
    if (!chunk) return true;
    if (!keep_owners(seen)) {
        seen->overflowed = true;
        return true;
    }
    uint8_t *is = &seen->owners[chunk - seen->chunks].of[line % SIM_SEEN_LINES];
    if (owner > UINT8_MAX || (*is && *is != owner)) return false;
    *is = (uint8_t)owner;
    sim_seen_mark(seen, chunk, line, mask);
    return true;
}
