#include "sim/count/l1_sets.h"

#include "base/memory.h"
#include "base/status.h"
#include "sim/count/vectors.h"

#include <string.h>

enum { LINE_BYTES = 128 };

/* All ways as if they had been used one after the other, the first one last. */
static void link_ways(sim_l1_set *set, uint32_t ways) {
    for (uint32_t way = 0; way < ways; way++) {
        set->later[way] = (uint8_t)((way ? way : ways) - 1);
        set->earlier[way] = (uint8_t)(way + 1 < ways ? way + 1 : 0);
    }
}

haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1) {
    const uint32_t ways = bytes / LINE_BYTES / SIM_L1_SETS;
    *l1 = NULL;
    if (ways > SIM_L1_MOST_WAYS)
        return haul_fail(HAUL_ERROR_LIMIT, "virtual GPU: an L1 of %u bytes is beyond the model's %u", bytes,
                         (unsigned)(SIM_L1_MOST_WAYS * SIM_L1_SETS * LINE_BYTES));
    *l1 = memory_zeroed(1, sizeof **l1);
    if (!*l1) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L1");
    (*l1)->ways = ways;
    for (uint32_t set = 0; set < SIM_L1_SETS; set++) link_ways(&(*l1)->sets[set], ways);
    return HAUL_OK;
}

void sim_l1_free(sim_l1 *l1) {
    memory_free(l1);
}

unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask) {
    const uint32_t tag = (uint32_t)line;
    if (!l1->ways) return 0;
    return sim_l1_load_sectors(&l1->sets[sim_l1_set_of(tag)], tag, sim_l1_hint_of(tag), mask);
}

uint32_t sim_l1_load_lines(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]) {
    uint32_t hits = 0;
    if (l1->ways && lines->count >= SIM_MANY_LINES) return sim_vectors_best()->l1_load_lines(l1, lines, missing);
    for (uint32_t i = 0; i < lines->count; i++) {
        const unsigned mask = lines->mask[i], found = sim_l1_load(l1, lines->line[i], mask);
        hits += (uint32_t)__builtin_popcount(found);
        missing[i] = (uint8_t)(mask & ~found);
    }
    return hits;
}

/* The line's valid sectors, NULL when it is not there. */
static uint8_t *find_line(sim_l1 *l1, uint64_t line) {
    const uint32_t tag = (uint32_t)line;
    if (!l1->ways) return NULL;
    sim_l1_set *set = &l1->sets[sim_l1_set_of(tag)];
    const uint32_t way = sim_l1_find(set, tag, sim_l1_hint_of(tag));
    return way < SIM_L1_MOST_WAYS ? &set->valid[way] : NULL;
}

unsigned sim_l1_probe(sim_l1 *l1, uint64_t line, unsigned mask) {
    const uint8_t *valid = find_line(l1, line);
    return valid ? *valid & mask : 0;
}

void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask) {
    uint8_t *valid = find_line(l1, line);
    if (valid) *valid = (uint8_t)(*valid & ~mask);
}

uint32_t sim_l1_probe_lines(sim_l1 *l1, const sim_lines *lines) {
    uint32_t hits = 0;
    if (l1->ways && lines->count >= SIM_MANY_LINES) return sim_vectors_best()->l1_find_lines(l1, lines, false);
    for (uint32_t i = 0; i < lines->count; i++)
        hits += (uint32_t)__builtin_popcount(sim_l1_probe(l1, lines->line[i], lines->mask[i]));
    return hits;
}

void sim_l1_drop_lines(sim_l1 *l1, const sim_lines *lines) {
    if (l1->ways && lines->count >= SIM_MANY_LINES)
        (void)sim_vectors_best()->l1_find_lines(l1, lines, true);
    else
        for (uint32_t i = 0; i < lines->count; i++) sim_l1_drop(l1, lines->line[i], lines->mask[i]);
}

void sim_l1_clear(sim_l1 *l1) {
    for (uint32_t set = 0; set < SIM_L1_SETS; set++) memset(l1->sets[set].valid, 0, sizeof l1->sets[set].valid);
}
