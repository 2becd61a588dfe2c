/* A sparse set of sectors: which parts of memory were touched at all. What bounds on cache traffic are made of. */
#ifndef HAUL_COUNT_SEEN_H
#define HAUL_COUNT_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sectors are kept by pages of neighbouring lines, and a page's by chunks: a nibble for each line. */
enum { SIM_SEEN_LINES = 16, SIM_SEEN_CHUNKS = 32, SIM_SEEN_PAGE = SIM_SEEN_LINES * SIM_SEEN_CHUNKS };
typedef struct sim_seen_page {
    uint64_t chunks[SIM_SEEN_CHUNKS];
    uint8_t *owners; /* by line: whose it is, 0: nobody's; NULL: no line was claimed */
} sim_seen_page;

typedef struct sim_seen_entry {
    uint64_t key; /* first line / SIM_SEEN_PAGE, plus 1; 0 = free */
    sim_seen_page *page;
} sim_seen_entry;

typedef struct sim_seen_size {
    uint64_t sectors, lines, pairs; /* pairs: blocks of two sectors, 64 bytes */
} sim_seen_size;

/* A launch of which one part touches more chunks than these, 2 GiB of memory if all of it, has no bounds to be compared
 * with. */
enum { SIM_SEEN_MOST = 1 << 20 };

/* All zero is a valid empty set. */
typedef struct sim_seen {
    sim_seen_entry *table; /* open addressing, a power of two */
    size_t pages, capacity;
    unsigned shift;  /* of 64 bits, those that the capacity does not take */
    size_t count;    /* chunks that have any sector */
    size_t most;     /* chunks beyond which the set is given up; 0: SIM_SEEN_MOST */
    bool overflowed; /* out of memory, or too large to be worth it: the set is incomplete */
} sim_seen;

void sim_seen_free(sim_seen *seen);
/* How much is in it. */
sim_seen_size sim_seen_measure(const sim_seen *seen);
/* The page of that key, made if need be; NULL when there is no room. */
sim_seen_page *sim_seen_page_of(sim_seen *seen, uint64_t key);

/* Where the page of that key is, or may be looked for. */
static inline size_t sim_seen_place(uint64_t key, unsigned shift) {
    return (size_t)(key * 0x9e3779b97f4a7c15ull >> shift);
}

/* The line's page; NULL when the set is incomplete. */
static inline sim_seen_page *sim_seen_at(sim_seen *seen, uint64_t line) {
    const uint64_t key = line / SIM_SEEN_PAGE + 1;
    if (__builtin_expect(seen->overflowed, 0)) return NULL;
    if (__builtin_expect(seen->capacity != 0, 1)) {
        const sim_seen_entry *entry = &seen->table[sim_seen_place(key, seen->shift)];
        if (__builtin_expect(entry->key == key, 1)) return entry->page;
    }
    return sim_seen_page_of(seen, key);
}

/* One more chunk: false when that is too many. */
static inline bool sim_seen_has_room(sim_seen *seen) {
    seen->overflowed = seen->count >= (seen->most ? seen->most : SIM_SEEN_MOST);
    seen->count += !seen->overflowed;
    return !seen->overflowed;
}

static inline void sim_seen_mark(sim_seen *seen, sim_seen_page *page, uint64_t line, unsigned mask) {
    uint64_t *chunk = &page->chunks[line % SIM_SEEN_PAGE / SIM_SEEN_LINES];
    if (*chunk == 0 && !sim_seen_has_room(seen)) return;
    *chunk |= (uint64_t)mask << line % SIM_SEEN_LINES * 4;
}

static inline void sim_seen_add(sim_seen *seen, uint64_t line, unsigned mask) {
    sim_seen_page *page = sim_seen_at(seen, line);
    if (page) sim_seen_mark(seen, page, line, mask);
}

/* The same for a set of which each line belongs to the first who adds to it. False, and nothing added, when it is not
 * `owner`'s, a number from 1 on. */
bool sim_seen_claim(sim_seen *seen, uint64_t line, unsigned mask, uint32_t owner);

#endif
