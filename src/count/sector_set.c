#include "count/sector_set.h"

#include "base/memory.h"

enum { FIRST_CAPACITY = 64, SPARE = 4 /* entries per page, at least */ };

static void free_page(sim_sector_set_page *page) {
    if (page) memory_free(page->owners);
    memory_free(page);
}

void sim_sector_set_free(sim_sector_set *seen) {
    for (size_t i = 0; i < seen->capacity; i++) free_page(seen->table[i].page);
    memory_free(seen->table);
    *seen = (sim_sector_set){0};
}

/* Marks a chunk's pairs and lines by the lowest bit of each, and counts those. */
static void add_chunk(sim_sector_set_size *size, uint64_t chunk) {
    const uint64_t fives = 0x5555555555555555u, ones = 0x1111111111111111u, pairs = (chunk | chunk >> 1) & fives;
    size->sectors += (unsigned)__builtin_popcountll(chunk);
    size->pairs += (unsigned)__builtin_popcountll(pairs);
    size->lines += (unsigned)__builtin_popcountll((pairs | pairs >> 2) & ones);
}

sim_sector_set_size sim_sector_set_measure(const sim_sector_set *seen) {
    sim_sector_set_size size = {0};
    for (size_t i = 0; i < seen->capacity; i++)
        for (size_t k = 0; seen->table[i].page && k < SIM_SECTOR_SET_CHUNKS; k++)
            add_chunk(&size, seen->table[i].page->chunks[k]);
    return size;
}

static sim_sector_set_entry *find(const sim_sector_set *seen, uint64_t key) {
    size_t at = sim_sector_set_place(key, seen->shift);
    while (seen->table[at].key && seen->table[at].key != key) at = (at + 1) & (seen->capacity - 1);
    return &seen->table[at];
}

static bool grow(sim_sector_set *seen) {
    const size_t before = seen->capacity, capacity = before ? before * 2 : FIRST_CAPACITY;
    sim_sector_set_entry *const old = seen->table, *table = memory_zeroed(capacity, sizeof *table);
    if (!table) return false;
    seen->table = table;
    seen->capacity = capacity;
    seen->shift = (unsigned)__builtin_clzll(capacity) + 1;
    for (size_t i = 0; i < before; i++)
        if (old[i].key) *find(seen, old[i].key) = old[i];
    memory_free(old);
    return true;
}

static sim_sector_set_page *add_page(sim_sector_set *seen, uint64_t key) {
    if (SPARE * (seen->pages + 1) > seen->capacity && !grow(seen)) return NULL;
    sim_sector_set_page *page = memory_zeroed(1, sizeof *page);
    if (!page) return NULL;
    *find(seen, key) = (sim_sector_set_entry){key, page};
    seen->pages++;
    return page;
}

sim_sector_set_page *sim_sector_set_page_of(sim_sector_set *seen, uint64_t key) {
    sim_sector_set_page *page = seen->capacity ? find(seen, key)->page : NULL;
    if (!page) page = add_page(seen, key);
    if (!page) seen->overflowed = true;
    return page;
}

static bool keep_owners(sim_sector_set_page *page) {
    if (!page->owners) page->owners = memory_zeroed(SIM_SECTOR_SET_PAGE, 1);
    return page->owners != NULL;
}

bool sim_sector_set_claim(sim_sector_set *seen, uint64_t line, unsigned mask, uint32_t owner) {
    sim_sector_set_page *page = sim_sector_set_at(seen, line);
    if (!page) return true;
    if (!keep_owners(page)) {
        seen->overflowed = true;
        return true;
    }
    uint8_t *is = &page->owners[line % SIM_SECTOR_SET_PAGE];
    if (owner > UINT8_MAX || (*is && *is != owner)) return false;
    *is = (uint8_t)owner;
    sim_sector_set_mark(seen, page, line, mask);
    return true;
}
