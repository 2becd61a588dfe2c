#include "count/bypass.h"

/* Sector numbers differ by -3 to 3. Lanes copy whole sectors, half a sector to the same half, or to the other half. */
enum { DIFFERENCES = 7 };
enum { SAME_HALF, OTHER_HALF };
enum { BANKS = 4 };

typedef struct line_pair {
    uint64_t source;
    uint32_t destination;
    uint8_t written;                /* destination sectors */
    uint8_t halves[DIFFERENCES][2]; /* source halves, two bits per sector, by difference and SAME_HALF or OTHER_HALF */
} line_pair;

typedef struct line_pairs {
    uint32_t count;
    line_pair pair[SIM_LANES];
} line_pairs;

/* Returns the pair of a source and a destination line, which is added if it is new. */
static line_pair *find_pair(line_pairs *pairs, uint64_t source, uint32_t destination) {
    for (uint32_t i = pairs->count; i-- > 0;) /* adjacent lanes mostly use the same pair */
        if (pairs->pair[i].source == source && pairs->pair[i].destination == destination) return &pairs->pair[i];
    line_pair *pair = &pairs->pair[pairs->count++];
    *pair = (line_pair){.source = source, .destination = destination};
    return pair;
}

/* Sorts the lanes into pairs of source and destination line. */
static void group_lanes(const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES], uint32_t lanes,
                        line_pairs *pairs) {
    pairs->count = 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint64_t s = source[l];
        uint32_t d = destination[l];
        line_pair *pair = find_pair(pairs, s >> SIM_LINE_SHIFT, d >> SIM_LINE_SHIFT);
        unsigned from = s >> SIM_SECTOR_SHIFT & 3, to = d >> SIM_SECTOR_SHIFT & 3;
        unsigned half = (unsigned)(d - (uint32_t)s) >> 4 & 1 ? OTHER_HALF : SAME_HALF;
        uint8_t *halves = &pair->halves[to + 3 - from][half];
        pair->written = (uint8_t)(pair->written | 1u << to);
        *halves = (uint8_t)(*halves | 1u << (s >> 4 & 7));
    }
}

/* Appends a request for sectors of a line to the list. */
static void add_request(sim_lines *requests, uint64_t line, uint8_t mask) {
    if (mask == 0 || requests->count == SIM_LANES)
        return; /* the latter cannot happen: each lane belongs to one group */
    requests->line[requests->count] = line;
    requests->mask[requests->count++] = mask;
    requests->sectors += (uint32_t)__builtin_popcount(mask);
}

/* Returns a bit for each sector that has both halves (two bits per sector). */
static unsigned whole_sectors(unsigned halves) {
    unsigned both = halves & halves >> 1 & 0x55;
    return (both & 1) | (both >> 1 & 2) | (both >> 2 & 4) | (both >> 3 & 8);
}

/* Returns a bit for each sector that has the lower (0) or the upper (1) half. */
static unsigned half_sectors(unsigned halves, unsigned upper) {
    unsigned one = halves >> upper & 0x55;
    return (one & 1) | (one >> 1 & 2) | (one >> 2 & 4) | (one >> 3 & 8);
}

/* A source sector with several destinations travels once for each: layers[k] holds what travels a (k+1)-th time. */
enum { LAYERS = DIFFERENCES / 2 + 1 };

/* Adds sectors that travel once more, each to the first layer that does not have it yet. */
static void add_layers(unsigned layers[LAYERS], unsigned sectors) {
    for (unsigned k = 0; k < LAYERS && sectors; k++) {
        unsigned again = layers[k] & sectors;
        layers[k] |= sectors;
        sectors = again;
    }
}

/* Kinds of moves that travel separately. SWAPPED: whole sectors whose halves change places, as in swizzled tiles. */
enum { WHOLE, LOWER, UPPER, SWAPPED, LOWER_TO_UPPER, UPPER_TO_LOWER, KINDS };

/* Returns the source sectors of each kind of move at one difference between source and destination sector. */
static void sort_moves(const line_pair *p, unsigned g, unsigned moves[KINDS]) {
    const unsigned same = p->halves[g][SAME_HALF], other = p->halves[g][OTHER_HALF];
    moves[WHOLE] = whole_sectors(same);
    moves[LOWER] = half_sectors(same, 0) & ~moves[WHOLE];
    moves[UPPER] = half_sectors(same, 1) & ~moves[WHOLE];
    moves[SWAPPED] = whole_sectors(other);
    moves[LOWER_TO_UPPER] = half_sectors(other, 0) & ~moves[SWAPPED];
    moves[UPPER_TO_LOWER] = half_sectors(other, 1) & ~moves[SWAPPED];
}

/* Lists the requests if all lanes have one difference: nothing travels twice. */
static void list_difference(const line_pair *p, unsigned g, sim_lines *requests) {
    unsigned moves[KINDS];
    sort_moves(p, g, moves);
    for (unsigned kind = WHOLE; kind < KINDS; kind++) add_request(requests, p->source, (uint8_t)moves[kind]);
}

/* Lists the requests if lanes have several differences: a source sector may travel more than once. */
static void list_differences(const line_pair *p, unsigned parity, sim_lines *requests) {
    unsigned layers[KINDS][LAYERS] = {{0}}, moves[KINDS];
    for (unsigned g = parity; g < DIFFERENCES; g += 2) {
        sort_moves(p, g, moves);
        for (unsigned kind = WHOLE; kind < KINDS; kind++) add_layers(layers[kind], moves[kind]);
    }
    for (unsigned kind = WHOLE; kind < KINDS; kind++)
        for (unsigned k = 0; k < LAYERS; k++) add_request(requests, p->source, (uint8_t)layers[kind][k]);
}

/* Lists the requests between two lines. Each kind of move is separate for even and odd differences between source and
 * destination sector. */
static void list_pair(const line_pair *p, unsigned parity, sim_lines *requests) {
    unsigned count = 0, only = 0;
    for (unsigned g = parity; g < DIFFERENCES; g += 2) {
        if (!(p->halves[g][SAME_HALF] | p->halves[g][OTHER_HALF])) continue;
        count++;
        only = g;
    }
    if (count == 1) list_difference(p, only, requests);
    if (count > 1) list_differences(p, parity, requests);
}

/* Lists the requests of all pairs: for each, those at even differences first. */
static void list_requests(const line_pairs *pairs, sim_lines *requests) {
    requests->count = requests->sectors = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        list_pair(&pairs->pair[i], 0, requests);
        list_pair(&pairs->pair[i], 1, requests);
    }
}

/* Performs one round of tag lookups: the first remaining source line in each of four banks. The round takes as many
 * wavefronts as the most pairs, among those with one of these lines, whose destination lines share a bank. Destination
 * banks are line numbers modulo four. */
static uint32_t next_round(const line_pairs *pairs, uint32_t *left) {
    uint64_t chosen[BANKS];
    uint32_t banks = 0, writes[BANKS] = {0}, most = 0;
    for (uint32_t rest = *left; rest; rest &= rest - 1) {
        const line_pair *pair = &pairs->pair[__builtin_ctz(rest)];
        const unsigned bank = sim_tag_bank(pair->source);
        if (!(banks >> bank & 1)) chosen[bank] = pair->source;
        banks |= 1u << bank;
        if (chosen[bank] != pair->source) continue;
        *left &= ~(rest & -rest);
        const uint32_t n = ++writes[pair->destination % BANKS];
        if (n > most) most = n;
    }
    return most;
}

/* Counts tag sectors and wavefronts, round by round. */
static void count_tags(const line_pairs *pairs, sim_bypass *b) {
    uint32_t left = (uint32_t)((1ull << pairs->count) - 1);
    b->tag_sectors = b->tag_wavefronts = 0;
    for (uint32_t i = 0; i < pairs->count; i++) b->tag_sectors += (uint32_t)__builtin_popcount(pairs->pair[i].written);
    while (left) b->tag_wavefronts += next_round(pairs, &left);
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
