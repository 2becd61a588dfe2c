#include "sim/bypass.h"

/* Sectors differ by -3 to 3, each with two halves. */
enum { DIFFERENCES = 14 };

typedef struct line_pair {
    uint64_t source;
    uint32_t destination;
    uint8_t written;             /* destination sectors */
    uint8_t groups[DIFFERENCES]; /* source sectors by difference; 0 = no such group */
} line_pair;

typedef struct line_pairs {
    uint32_t count;
    line_pair pair[SIM_LANES];
} line_pairs;

static line_pair *find_pair(line_pairs *pairs, uint64_t source, uint32_t destination) {
    for (uint32_t i = pairs->count; i-- > 0;) /* neighbours in lanes are neighbours in memory */
        if (pairs->pair[i].source == source && pairs->pair[i].destination == destination) return &pairs->pair[i];
    line_pair *pair = &pairs->pair[pairs->count++];
    *pair = (line_pair){.source = source, .destination = destination};
    return pair;
}

static void group_lanes(const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES], uint32_t lanes,
                        line_pairs *pairs) {
    pairs->count = 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint64_t s = source[l];
        uint32_t d = destination[l];
        line_pair *pair = find_pair(pairs, s >> SIM_LINE_SHIFT, d >> SIM_LINE_SHIFT);
        unsigned from = s >> SIM_SECTOR_SHIFT & 3, to = d >> SIM_SECTOR_SHIFT & 3;
        unsigned half = (unsigned)(d - (uint32_t)s) >> 4 & 1;
        unsigned group = (to + 3 - from) * 2 + half;
        pair->written = (uint8_t)(pair->written | 1u << to);
        pair->groups[group] = (uint8_t)(pair->groups[group] | 1u << from);
    }
}

static void add_request(sim_lines *requests, uint64_t line, uint8_t mask) {
    if (requests->count == SIM_LANES) return; /* cannot be: each lane belongs to one group */
    requests->line[requests->count] = line;
    requests->mask[requests->count++] = mask;
    requests->sectors += (uint32_t)__builtin_popcount(mask);
}

static void list_requests(const line_pairs *pairs, sim_lines *requests) {
    requests->count = requests->sectors = 0;
    for (uint32_t i = 0; i < pairs->count; i++)
        for (unsigned g = 0; g < DIFFERENCES; g++)
            if (pairs->pair[i].groups[g]) add_request(requests, pairs->pair[i].source, pairs->pair[i].groups[g]);
}

/* Tags are looked up in rounds: the source lines of a round lie in different banks, and the round takes as long as the
 * line with the most destination lines. */
static void count_tags(const line_pairs *pairs, sim_bypass *b) {
    uint32_t in_bank[4] = {0}, round_cost[SIM_LANES] = {0};
    b->tag_sectors = b->tag_wavefronts = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint64_t line = pairs->pair[i].source;
        uint32_t targets = 0, earlier = 0;
        for (uint32_t k = 0; k < pairs->count; k++) {
            targets += pairs->pair[k].source == line;
            earlier += k < i && pairs->pair[k].source == line;
        }
        b->tag_sectors += (uint32_t)__builtin_popcount(pairs->pair[i].written);
        if (earlier) continue;
        uint32_t *cost = &round_cost[in_bank[sim_tag_bank(line)]++];
        if (targets > *cost) *cost = targets;
    }
    for (uint32_t r = 0; r < SIM_LANES && round_cost[r]; r++) b->tag_wavefronts += round_cost[r];
}

void sim_bypass_groups(const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES], uint32_t active,
                       uint32_t filled, sim_bypass *b) {
    line_pairs pairs;
    group_lanes(source, destination, active, &pairs);
    list_requests(&pairs, &b->requests);
    b->wavefronts = b->requests.count;
    b->sectors = b->requests.sectors;
    if (active & filled) {
        group_lanes(source, destination, active & ~filled, &pairs);
        list_requests(&pairs, &b->requests);
    }
    count_tags(&pairs, b);
}
