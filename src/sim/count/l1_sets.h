/* The inside of L1's model, for those who load from it: count/l1.c a line at a time, ops/l1.c an access at a time. */
#ifndef HAUL_SIM_COUNT_L1_SETS_H
#define HAUL_SIM_COUNT_L1_SETS_H

#include "sim/count/l1.h"
#include "sim/count/match.h"

/* How many lines still hit when a set of lines is read over and over, for sets from 43 KB below to 80 KB above L1's
 * size, looks like 32 sets on an H100 (docs/memory-model.md): a way of them all is 4 KiB. */
enum { SIM_L1_SETS = 32, SIM_L1_MOST_WAYS = SIM_MATCH_MANY };

/* A set's ways are linked in the order of use, all round: the way before the latest one is the one to give up. A way
 * without valid sectors is free. Tags are the low half of the line number: lines 512 GiB apart look alike, no device
 * has them. */
typedef struct sim_l1_set {
    uint32_t tag[SIM_L1_MOST_WAYS];
    uint8_t hint[SIM_L1_MOST_WAYS];  /* that the tag's has to be equal to; 0: nothing has been there yet */
    uint8_t valid[SIM_L1_MOST_WAYS]; /* sectors */
    uint8_t later[SIM_L1_MOST_WAYS], earlier[SIM_L1_MOST_WAYS]; /* the ways used next after this one, and before it */
    uint32_t latest;
} sim_l1_set;

struct sim_l1 {
    uint32_t ways; /* 0: nothing ever hits */
    sim_l1_set sets[SIM_L1_SETS];
};

static inline uint32_t sim_l1_scatter(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Each run of 32 lines has one line in each set, in an order of its own; but every third, about, is strewn at random:
 * sets then fill as unevenly as an H100's do. Its real rule is not known. */
static inline uint32_t sim_l1_set_of(uint32_t tag) {
    const uint32_t run = sim_l1_scatter(tag / SIM_L1_SETS), strewn = sim_l1_scatter(tag), turned = tag + (run >> 16);
    /* A multiple of 3, times 3's inverse, is a third of itself; any other number is more than a third of them all. */
    const uint32_t third = run * 0xaaaaaaabu, is_strewn = 0u - (uint32_t)(third <= UINT32_MAX / 3);
    return ((strewn & is_strewn) | (turned & ~is_strewn)) % SIM_L1_SETS;
}

/* A set's lines mostly come from runs of their own. */
static inline uint32_t sim_l1_hint_of(uint32_t tag) {
    const uint32_t hint = (tag / SIM_L1_SETS ^ tag / SIM_L1_SETS >> 8) & UINT8_MAX;
    return hint ? hint : UINT8_MAX;
}

/* Where a line is, or SIM_L1_MOST_WAYS: at most one way has it and is valid. */
static inline uint32_t sim_l1_find(const sim_l1_set *set, uint32_t tag, uint32_t hint) {
    for (uint64_t equal = sim_match_many(set->hint, (uint8_t)hint); equal; equal &= equal - 1) {
        const uint32_t way = (uint32_t)__builtin_ctzll(equal);
        if (set->tag[way] == tag && set->valid[way]) return way;
    }
    return SIM_L1_MOST_WAYS;
}

/* The way becomes the latest. */
static inline void sim_l1_use_again(sim_l1_set *set, uint32_t way) {
    const uint32_t latest = set->latest;
    const uint8_t later = set->later[way], earlier = set->earlier[way];
    set->earlier[later] = earlier;
    set->later[earlier] = later;
    const uint8_t oldest = set->later[latest];
    set->earlier[oldest] = set->later[latest] = (uint8_t)way;
    set->later[way] = oldest;
    set->earlier[way] = (uint8_t)latest;
    set->latest = way;
}

/* A load of some sectors of a line: returns those that were there. All are there afterwards. */
static inline unsigned sim_l1_load_sectors(sim_l1_set *set, uint32_t tag, uint32_t hint, unsigned mask) {
    uint32_t way = set->latest;
    if (set->tag[way] != tag || !set->valid[way]) {
        way = sim_l1_find(set, tag, hint);
        if (way < SIM_L1_MOST_WAYS) {
            sim_l1_use_again(set, way);
        } else {
            set->latest = way = set->later[set->latest]; /* all round: the oldest */
            set->tag[way] = tag;
            set->hint[way] = (uint8_t)hint;
            set->valid[way] = 0;
        }
    }
    const unsigned before = set->valid[way];
    set->valid[way] = (uint8_t)(before | mask);
    return before & mask;
}

#endif
