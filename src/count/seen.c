#include "count/seen.h"

#include "base/memory.h"

enum { FIRST_CAPACITY = 64, SPARE = 4 /* so many times as many entries as pages */ };

static void free_page(sim_seen_page *page) {
    if (page) memory_free(page->owners);
    memory_free(page);
}

void sim_seen_free(sim_seen *seen) {
    for (size_t i = 0; i < seen->capacity; i++) free_page(seen->table[i].page);
    memory_free(seen->table);
    *seen = (sim_seen){0};
}

/* A chunk's pairs and lines each have their lowest bit in a nibble. */
static void add_chunk(sim_seen_size *size, uint64_t chunk) {
    const uint64_t fives = 0x5555555555555555u, ones = 0x1111111111111111u, pairs = (chunk | chunk >> 1) & fives;
    size->sectors += (unsigned)__builtin_popcountll(chunk);
    size->pairs += (unsigned)__builtin_popcountll(pairs);
    size->lines += (unsigned)__builtin_popcountll((pairs | pairs >> 2) & ones);
}

sim_seen_size sim_seen_measure(const sim_seen *seen) {
    sim_seen_size size = {0};
    for (size_t i = 0; i < seen->capacity; i++)
        for (size_t k = 0; seen->table[i].page && k < SIM_SEEN_CHUNKS; k++)
            add_chunk(&size, seen->table[i].page->chunks[k]);
    return size;
}

static sim_seen_entry *find(const sim_seen *seen, uint64_t key) {
    size_t at = sim_seen_place(key, seen->shift);
    while (seen->table[at].key && seen->table[at].key != key) at = (at + 1) & (seen->capacity - 1);
    return &seen->table[at];
}

static bool grow(sim_seen *seen) {
    const size_t before = seen->capacity, capacity = before ? before * 2 : FIRST_CAPACITY;
    sim_seen_entry *const old = seen->table, *table = memory_zeroed(capacity, sizeof *table);
    if (!table) return false;
    seen->table = table;
    seen->capacity = capacity;
    seen->shift = (unsigned)__builtin_clzll(capacity) + 1;
    for (size_t i = 0; i < before; i++)
        if (old[i].key) *find(seen, old[i].key) = old[i];
    memory_free(old);
    return true;
}

static sim_seen_page *add_page(sim_seen *seen, uint64_t key) {
    if (SPARE * (seen->pages + 1) > seen->capacity && !grow(seen)) return NULL;
    sim_seen_page *page = memory_zeroed(1, sizeof *page);
    if (!page) return NULL;
    *find(seen, key) = (sim_seen_entry){key, page};
    seen->pages++;
    return page;
}

sim_seen_page *sim_seen_page_of(sim_seen *seen, uint64_t key) {
    sim_seen_page *page = seen->capacity ? find(seen, key)->page : NULL;
    if (!page) page = add_page(seen, key);
    if (!page) seen->overflowed = true;
    return page;
}

static bool keep_owners(sim_seen_page *page) {
    if (!page->owners) page->owners = memory_zeroed(SIM_SEEN_PAGE, 1);
    return page->owners != NULL;
}

bool sim_seen_claim(sim_seen *seen, uint64_t line, unsigned mask, uint32_t owner) {
    sim_seen_page *page = sim_seen_at(seen, line);
    if (!page) return true;
    if (!keep_owners(page)) {
        seen->overflowed = true;
        return true;
    }
    uint8_t *is = &page->owners[line % SIM_SEEN_PAGE];
    if (owner > UINT8_MAX || (*is && *is != owner)) return false;
    *is = (uint8_t)owner;
    sim_seen_mark(seen, page, line, mask);
    return true;
}
