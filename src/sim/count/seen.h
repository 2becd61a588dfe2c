/* A sparse set of sectors: which parts of memory were touched at all. What bounds on cache traffic are made of. */
#ifndef HAUL_SIM_COUNT_SEEN_H
#define HAUL_SIM_COUNT_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Neighbouring lines: a nibble of sectors for each. */
enum { SIM_SEEN_LINES = 16, SIM_SEEN_MOST = 1 << 21, SIM_SEEN_LATEST = 16 };
typedef struct sim_seen_chunk {
    uint64_t key; /* first line / SIM_SEEN_LINES, plus 1; 0 = free */
    uint64_t nibbles;
} sim_seen_chunk;

/* Whose each line of a chunk is; 0: nobody's. */
typedef struct sim_seen_owners {
    uint8_t of[SIM_SEEN_LINES];
} sim_seen_owners;

typedef struct sim_seen_size {
    uint64_t sectors, lines, pairs; /* pairs: blocks of two sectors, 64 bytes */
} sim_seen_size;

/* All zero is a valid empty set. */
typedef struct sim_seen {
    sim_seen_chunk *chunks;  /* open addressing, a power of two */
    sim_seen_owners *owners; /* by chunk; NULL: no line was claimed */
    size_t count, capacity;
    sim_seen_size size;
    uint32_t latest[SIM_SEEN_LATEST]; /* chunks that were touched lately, by hash of their keys */
    size_t most;                      /* capacity beyond which the set is given up; 0: SIM_SEEN_MOST */
    bool overflowed;                  /* out of memory, or too large to be worth it: the set is incomplete */
} sim_seen;

void sim_seen_free(sim_seen *seen);
/* The chunk of that key, made if need be; NULL when there is no room. */
sim_seen_chunk *sim_seen_chunk_of(sim_seen *seen, uint64_t key);

static inline uint32_t *sim_seen_latest(sim_seen *seen, uint64_t key) {
    return &seen->latest[(uint32_t)key * 0x9e3779b1u / (UINT32_MAX / SIM_SEEN_LATEST + 1)];
}

/* The line's chunk; NULL when the set is incomplete. */
static inline sim_seen_chunk *sim_seen_at(sim_seen *seen, uint64_t line) {
    const uint64_t key = line / SIM_SEEN_LINES + 1;
    const uint32_t latest = *sim_seen_latest(seen, key);
    if (seen->overflowed) return NULL;
    if (latest < seen->capacity && seen->chunks[latest].key == key) return &seen->chunks[latest];
    return sim_seen_chunk_of(seen, key);
}

static inline unsigned sim_seen_pairs(unsigned mask) {
    return (mask & 3 ? 1u : 0u) + (mask & 12 ? 1u : 0u);
}

static inline void sim_seen_mark(sim_seen *seen, sim_seen_chunk *chunk, uint64_t line, unsigned mask) {
    const unsigned shift = line % SIM_SEEN_LINES * 4, before = chunk->nibbles >> shift & 15, after = before | mask;
    if (before == after) return;
    chunk->nibbles |= (uint64_t)after << shift;
    seen->size.sectors += (unsigned)__builtin_popcount(after ^ before);
    seen->size.pairs += sim_seen_pairs(after) - sim_seen_pairs(before);
    seen->size.lines += before == 0;
}

static inline void sim_seen_add(sim_seen *seen, uint64_t line, unsigned mask) {
    sim_seen_chunk *chunk = sim_seen_at(seen, line);
    if (chunk) sim_seen_mark(seen, chunk, line, mask);
}

/* The same for a set of which each line belongs to the first who adds to it. False, and nothing added, when it is not
 * `owner`'s, a number from 1 on. */
bool sim_seen_claim(sim_seen *seen, uint64_t line, unsigned mask, uint32_t owner);

#endif
