/* A sparse set of sectors: which parts of memory were touched at all. What bounds on cache traffic are made of. */
#ifndef HAUL_SIM_COUNT_SEEN_H
#define HAUL_SIM_COUNT_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Neighbouring lines: a nibble of sectors for each. */
enum { SIM_SEEN_LINES = 16, SIM_SEEN_MOST = 1 << 21 };
typedef struct sim_seen_chunk {
    uint64_t key; /* first line / SIM_SEEN_LINES, plus 1; 0 = free */
    uint64_t nibbles;
    uint8_t owner[SIM_SEEN_LINES]; /* sim_seen_claim(): whose the line is; 0: nobody's */
} sim_seen_chunk;

/* All zero is a valid empty set. */
typedef struct sim_seen {
    sim_seen_chunk *chunks; /* open addressing, a power of two */
    size_t count, capacity;
    size_t last;     /* index of the chunk that was touched last */
    size_t most;     /* capacity beyond which the set is given up; 0: SIM_SEEN_MOST */
    bool overflowed; /* out of memory, or too large to be worth it: the set is incomplete */
} sim_seen;

void sim_seen_free(sim_seen *seen);
/* The chunk of that key, made if need be; NULL when there is no room. */
sim_seen_chunk *sim_seen_chunk_of(sim_seen *seen, uint64_t key);

/* Where the chunk of that key is, or may be looked for. */
static inline size_t sim_seen_place(uint64_t key, size_t capacity) {
    enum { TOGETHER = 2 }; /* neighbours share a line of the host's */
    const uint64_t spread = key / TOGETHER * 0x9e3779b97f4a7c15ull >> 42;
    return (size_t)(spread * TOGETHER + key % TOGETHER) & (capacity - 1);
}

/* The line is about to be added. */
static inline void sim_seen_foresee(const sim_seen *seen, uint64_t line) {
    if (seen->capacity) __builtin_prefetch(&seen->chunks[sim_seen_place(line / SIM_SEEN_LINES + 1, seen->capacity)], 1);
}

/* The line's chunk; NULL when the set is incomplete. */
static inline sim_seen_chunk *sim_seen_at(sim_seen *seen, uint64_t line) {
    const uint64_t key = line / SIM_SEEN_LINES + 1;
    if (seen->overflowed) return NULL;
    if (seen->capacity && seen->chunks[seen->last].key == key) return &seen->chunks[seen->last];
    return sim_seen_chunk_of(seen, key);
}

static inline void sim_seen_mark(sim_seen_chunk *chunk, uint64_t line, unsigned mask) {
    chunk->nibbles |= (uint64_t)(mask & 15) << line % SIM_SEEN_LINES * 4;
}

static inline void sim_seen_add(sim_seen *seen, uint64_t line, unsigned mask) {
    sim_seen_chunk *chunk = sim_seen_at(seen, line);
    if (chunk) sim_seen_mark(chunk, line, mask);
}

/* The same for a set of which each line belongs to the first who adds to it. False, and nothing added, when it is not
 * `owner`'s, a number from 1 on. */
static inline bool sim_seen_claim(sim_seen *seen, uint64_t line, unsigned mask, uint32_t owner) {
    sim_seen_chunk *chunk = sim_seen_at(seen, line);
    if (!chunk) return true;
    uint8_t *is = &chunk->owner[line % SIM_SEEN_LINES];
    if (owner > UINT8_MAX || (*is && *is != owner)) return false;
    *is = (uint8_t)owner;
    sim_seen_mark(chunk, line, mask);
    return true;
}

typedef struct sim_seen_size {
    uint64_t sectors, lines, pairs; /* pairs: blocks of two sectors, 64 bytes */
} sim_seen_size;
sim_seen_size sim_seen_measure(const sim_seen *seen);

#endif
