/* An access's lines in the model of L1: no instruction, but compiled for the host's vectors. */
#include "sim/count/l1_sets.h"

#include "sim/ops/counting.h"
#include "sim/ops/lanes.h"

/* Those of all lanes, which costs no more than those of some. */
static void find_sets(const sim_lines *lines, uint32_t sets[SIM_LANES], uint32_t hints[SIM_LANES]) {
    SIM_EACH_LANE(l) {
        sets[l] = sim_l1_set_of((uint32_t)lines->line[l]);
        hints[l] = sim_l1_hint_of((uint32_t)lines->line[l]);
    }
}

uint32_t SIM_L1_LOAD_LINES(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]) {
    uint32_t sets[SIM_LANES], hints[SIM_LANES], hits = 0;
    find_sets(lines, sets, hints);
    for (uint32_t i = 0; i < lines->count; i++) {
        const unsigned mask = lines->mask[i];
        const unsigned found = sim_l1_load_sectors(&l1->sets[sets[i]], (uint32_t)lines->line[i], hints[i], mask);
        hits += (uint32_t)__builtin_popcount(found);
        missing[i] = (uint8_t)(mask & ~found);
    }
    return hits;
}

uint32_t SIM_L1_FIND_LINES(sim_l1 *l1, const sim_lines *lines, bool drops) {
    uint32_t sets[SIM_LANES], hints[SIM_LANES], hits = 0;
    find_sets(lines, sets, hints);
    for (uint32_t i = 0; i < lines->count; i++) {
        sim_l1_set *set = &l1->sets[sets[i]];
        const uint32_t way = sim_l1_find(set, (uint32_t)lines->line[i], hints[i]);
        if (way == SIM_L1_MOST_WAYS) continue;
        const unsigned found = set->valid[way] & lines->mask[i];
        hits += (uint32_t)__builtin_popcount(found);
        if (drops) set->valid[way] = (uint8_t)(set->valid[way] & ~found);
    }
    return hits;
}
