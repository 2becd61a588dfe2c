#include "sim/l1.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

enum { WAYS = 16, LINE_BYTES = 128 };

/* A set's ways are kept in the order of use, the latest first, so that a loop's lines are found at once and the last
 * way is the one to give up. A way without valid sectors is free. */
typedef struct l1_set {
    uint32_t tag[WAYS]; /* low half of the line number: lines 512 GiB apart look alike, no device has them */
    uint8_t valid[WAYS];
} l1_set;

struct sim_l1 {
    uint32_t sets;
    uint32_t inverse; /* 2^32 / sets, rounded up */
    l1_set set[];
};

haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1) {
    uint32_t sets = bytes / LINE_BYTES / WAYS;
    size_t size = sizeof(sim_l1) + sets * sizeof(l1_set);
    *l1 = memory_zeroed(1, size);
    if (!*l1) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L1 (%zu bytes)", size);
    (*l1)->sets = sets;
    (*l1)->inverse = sets ? (uint32_t)((0x100000000ull + sets - 1) / sets) : 0;
    return HAUL_OK;
}

void sim_l1_free(sim_l1 *l1) {
    memory_free(l1);
}

/* x / sets; *rest is the remainder. */
static uint32_t divide(const sim_l1 *l1, uint32_t x, uint32_t *rest) {
    uint32_t quotient = (uint32_t)((uint64_t)x * l1->inverse >> 32);
    if ((uint64_t)quotient * l1->sets > x) quotient--; /* the rounded-up inverse may give one too many */
    *rest = x - quotient * l1->sets;
    return quotient;
}

/* Neighbouring lines go to neighbouring sets, and each round through the sets starts one further on, so that lines at
 * a distance of a power of two spread as well. How hardware spreads them is not known. */
static uint32_t set_of(const sim_l1 *l1, uint32_t tag) {
    if (l1->sets < 2) return 0;
    uint32_t at, set;
    uint32_t round = divide(l1, tag, &at);
    divide(l1, at + round, &set);
    return set;
}

static unsigned find_way(const l1_set *set, uint32_t tag) {
    unsigned way = 0;
    while (way < WAYS && !(set->tag[way] == tag && set->valid[way])) way++;
    return way;
}

/* Makes `way` the latest used one; WAYS gives up the last. Returns its valid sectors. */
static unsigned use_way(l1_set *set, unsigned way, uint32_t tag) {
    unsigned valid = 0;
    if (way == WAYS)
        way = WAYS - 1;
    else
        valid = set->valid[way];
    memmove(set->tag + 1, set->tag, way * sizeof *set->tag);
    memmove(set->valid + 1, set->valid, way);
    set->tag[0] = tag;
    return valid;
}

unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask) {
    if (!l1->sets) return 0;
    uint32_t tag = (uint32_t)line;
    l1_set *set = &l1->set[set_of(l1, tag)];
    if (set->tag[0] != tag || !set->valid[0]) set->valid[0] = (uint8_t)use_way(set, find_way(set, tag), tag);
    unsigned hits = set->valid[0] & mask;
    set->valid[0] = (uint8_t)(set->valid[0] | mask);
    return hits;
}

unsigned sim_l1_probe(const sim_l1 *l1, uint64_t line, unsigned mask) {
    if (!l1->sets) return 0;
    const l1_set *set = &l1->set[set_of(l1, (uint32_t)line)];
    unsigned way = find_way(set, (uint32_t)line);
    return way == WAYS ? 0 : set->valid[way] & mask;
}

void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask) {
    if (!l1->sets) return;
    l1_set *set = &l1->set[set_of(l1, (uint32_t)line)];
    unsigned way = find_way(set, (uint32_t)line);
    if (way < WAYS) set->valid[way] = (uint8_t)(set->valid[way] & ~mask);
}
