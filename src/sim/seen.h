/* A sparse set of sectors: which parts of memory were touched at all. What bounds on cache traffic are made of. */
#ifndef HAUL_SIM_SEEN_H
#define HAUL_SIM_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_SEEN_LINES = 256 };

/* Neighbouring lines: a nibble of sectors for each. */
typedef struct sim_seen_chunk {
    uint64_t key; /* first line / SIM_SEEN_LINES, plus 1; 0 = free */
    uint8_t nibbles[SIM_SEEN_LINES / 2];
} sim_seen_chunk;

/* All zero is a valid empty set. */
typedef struct sim_seen {
    sim_seen_chunk *chunks; /* open addressing, a power of two */
    size_t count, capacity;
    size_t last;     /* index of the chunk that was touched last */
    bool overflowed; /* out of memory, or too large to be worth it: the set is incomplete */
} sim_seen;

void sim_seen_free(sim_seen *seen);
void sim_seen_add(sim_seen *seen, uint64_t line, unsigned mask);

typedef struct sim_seen_size {
    uint64_t sectors, lines, pairs; /* pairs: blocks of two sectors, 64 bytes */
} sim_seen_size;
sim_seen_size sim_seen_measure(const sim_seen *seen);

#endif
