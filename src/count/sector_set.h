/* A sparse set of sectors: which parts of memory a launch touched. It gives the bounds on cache traffic. */
#ifndef HAUL_COUNT_SECTOR_SET_H
#define HAUL_COUNT_SECTOR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sectors are stored by pages of adjacent lines; a page has chunks with four bits for each line. */
enum {
    SIM_SECTOR_SET_LINES = 16,
    SIM_SECTOR_SET_CHUNKS = 32,
    SIM_SECTOR_SET_PAGE = SIM_SECTOR_SET_LINES * SIM_SECTOR_SET_CHUNKS
};
typedef struct sim_sector_set_page {
    uint64_t chunks[SIM_SECTOR_SET_CHUNKS];
    uint8_t *owners; /* by line: its owner's number, 0: nobody; NULL: no line was claimed */
} sim_sector_set_page;

typedef struct sim_sector_set_entry {
    uint64_t key; /* first line / SIM_SECTOR_SET_PAGE, plus 1; 0 = free */
    sim_sector_set_page *page;
} sim_sector_set_entry;

typedef struct sim_sector_set_size {
    uint64_t sectors, lines, pairs; /* pairs: blocks of two sectors, 64 bytes */
} sim_sector_set_size;

/* A set that would exceed this many chunks, 2 GiB if all of it is touched, is given up: the launch then has no
 * bounds. */
enum { SIM_SECTOR_SET_MOST = 1 << 20 };

/* All zero is a valid empty set. */
typedef struct sim_sector_set {
    sim_sector_set_entry *table; /* open addressing, a power of two */
    size_t pages, capacity;
    unsigned shift;  /* 64 minus the bits of the capacity */
    size_t count;    /* chunks with any sector */
    size_t most;     /* chunks beyond which the set is given up; 0: SIM_SECTOR_SET_MOST */
    bool overflowed; /* out of memory or too large: the set is incomplete */
} sim_sector_set;

void sim_sector_set_free(sim_sector_set *seen);
/* Returns the size of the set. */
sim_sector_set_size sim_sector_set_measure(const sim_sector_set *seen);
/* Returns the page of that key; creates it if necessary. Returns NULL if there is no memory. */
sim_sector_set_page *sim_sector_set_page_of(sim_sector_set *seen, uint64_t key);

/* Returns the index at which the search for that key begins. */
static inline size_t sim_sector_set_place(uint64_t key, unsigned shift) {
    return (size_t)(key * 0x9e3779b97f4a7c15ull >> shift);
}

/* Returns the line's page; NULL if the set is incomplete. */
static inline sim_sector_set_page *sim_sector_set_at(sim_sector_set *seen, uint64_t line) {
    const uint64_t key = line / SIM_SECTOR_SET_PAGE + 1;
    if (__builtin_expect(seen->overflowed, 0)) return NULL;
    if (__builtin_expect(seen->capacity != 0, 1)) {
        const sim_sector_set_entry *entry = &seen->table[sim_sector_set_place(key, seen->shift)];
        if (__builtin_expect(entry->key == key, 1)) return entry->page;
    }
    return sim_sector_set_page_of(seen, key);
}

/* Counts one more chunk. Returns false if that is too many. */
static inline bool sim_sector_set_has_room(sim_sector_set *seen) {
    seen->overflowed = seen->count >= (seen->most ? seen->most : SIM_SECTOR_SET_MOST);
    seen->count += !seen->overflowed;
    return !seen->overflowed;
}

static inline void sim_sector_set_mark(sim_sector_set *seen, sim_sector_set_page *page, uint64_t line, unsigned mask) {
    uint64_t *chunk = &page->chunks[line % SIM_SECTOR_SET_PAGE / SIM_SECTOR_SET_LINES];
    if (*chunk == 0 && !sim_sector_set_has_room(seen)) return;
    *chunk |= (uint64_t)mask << line % SIM_SECTOR_SET_LINES * 4;
}

static inline void sim_sector_set_add(sim_sector_set *seen, uint64_t line, unsigned mask) {
    sim_sector_set_page *page = sim_sector_set_at(seen, line);
    if (page) sim_sector_set_mark(seen, page, line, mask);
}

/* As sim_sector_set_add(), for a set in which each line belongs to the first owner that adds to it. Returns false and
 * adds nothing if it belongs to another than `owner`, a number from 1 on. */
bool sim_sector_set_claim(sim_sector_set *seen, uint64_t line, unsigned mask, uint32_t owner);

#endif
