#include "sim/l1.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/* How many lines still hit when a set of lines is read over and over, for sets from 43 KB below to 80 KB above L1's
 * size, looks like 32 sets on an H100 (docs/memory-model.md): a way of them all is 4 KiB. */
enum { SETS = 32, LINE_BYTES = 128, CHUNK = 16 };

/* A set's ways are kept in the order of use, the latest first, so that a loop's lines are found at once and the last
 * way is the one to give up. A way without valid sectors is free. Tags are the low half of the line number: lines 512
 * GiB apart look alike, no device has them. */
struct sim_l1 {
    uint32_t ways;
    uint32_t stride; /* between sets: ways, rounded up to CHUNK */
    uint8_t *valid;  /* by set and way: sectors */
    uint32_t tag[];  /* likewise */
};

haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1) {
    uint32_t ways = bytes / LINE_BYTES / SETS, stride = (ways + CHUNK - 1) / CHUNK * CHUNK;
    size_t tags = SETS * stride * sizeof(uint32_t), size = sizeof(sim_l1) + tags + SETS * stride;
    *l1 = memory_zeroed(1, size);
    if (!*l1) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L1 (%zu bytes)", size);
    (*l1)->ways = ways;
    (*l1)->stride = stride;
    (*l1)->valid = (uint8_t *)(*l1)->tag + tags;
    return HAUL_OK;
}

void sim_l1_free(sim_l1 *l1) {
    memory_free(l1);
}

static uint32_t scatter(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Each run of 32 lines has one line in each set, in an order of its own; but every third, about, is strewn at random:
 * sets then fill as unevenly as an H100's do. Its real rule is not known. */
static uint32_t set_of(uint32_t tag) {
    uint32_t run = scatter(tag / SETS);
    return run % 3 == 0 ? scatter(tag) % SETS : (tag + (run >> 16)) % SETS;
}

/* Where a line is, or `ways`. Whole chunks are compared at once. */
static uint32_t find_way(const sim_l1 *l1, const uint32_t *tags, const uint8_t *valid, uint32_t tag) {
    for (uint32_t base = 0; base < l1->ways; base += CHUNK) {
        uint32_t any = 0;
        for (uint32_t k = 0; k < CHUNK; k++) any |= tags[base + k] == tag;
        for (uint32_t k = base; any && k < base + CHUNK && k < l1->ways; k++)
            if (tags[k] == tag && valid[k]) return k;
    }
    return l1->ways;
}

/* Makes `way` the latest used one; `ways` gives up the last. Returns its valid sectors. */
static unsigned use_way(const sim_l1 *l1, uint32_t *tags, uint8_t *valid, uint32_t way, uint32_t tag) {
    unsigned sectors = way == l1->ways ? 0 : valid[way];
    if (way == l1->ways) way--;
    memmove(tags + 1, tags, way * sizeof *tags);
    memmove(valid + 1, valid, way);
    tags[0] = tag;
    return sectors;
}

unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask) {
    if (!l1->ways) return 0;
    uint32_t tag = (uint32_t)line, first = set_of(tag) * l1->stride, *tags = l1->tag + first;
    uint8_t *valid = l1->valid + first;
    if (tags[0] != tag || !valid[0]) {
        uint32_t way = find_way(l1, tags, valid, tag);
        valid[0] = (uint8_t)use_way(l1, tags, valid, way, tag);
    }
    unsigned hits = valid[0] & mask;
    valid[0] = (uint8_t)(valid[0] | mask);
    return hits;
}

/* The line's valid sectors, NULL when it is not there. */
static uint8_t *find_line(const sim_l1 *l1, uint64_t line) {
    if (!l1->ways) return NULL;
    uint32_t tag = (uint32_t)line, first = set_of(tag) * l1->stride;
    uint32_t way = find_way(l1, l1->tag + first, l1->valid + first, tag);
    return way == l1->ways ? NULL : l1->valid + first + way;
}

unsigned sim_l1_probe(const sim_l1 *l1, uint64_t line, unsigned mask) {
    const uint8_t *valid = find_line(l1, line);
    return valid ? *valid & mask : 0;
}

void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask) {
    uint8_t *valid = find_line(l1, line);
    if (valid) *valid = (uint8_t)(*valid & ~mask);
}
