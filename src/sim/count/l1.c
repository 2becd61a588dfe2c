#include "sim/count/l1.h"

#include "base/memory.h"
#include "base/status.h"
#include "sim/count/match.h"

#include <string.h>

/* How many lines still hit when a set of lines is read over and over, for sets from 43 KB below to 80 KB above L1's
 * size, looks like 32 sets on an H100 (docs/memory-model.md): a way of them all is 4 KiB. */
enum { SETS = 32, LINE_BYTES = 128, FOUR_ROWS = 4 * SIM_MATCH_ROW };

/* A set's ways are a ring in the order of use, so that a loop's lines are found at once and the way before the latest
 * one is the one to give up. A way without valid sectors is free. Tags are the low half of the line number: lines 512
 * GiB apart look alike, no device has them. */
struct sim_l1 {
    uint32_t ways;
    uint32_t stride;       /* between sets: ways, rounded up to SIM_MATCH_ROW */
    uint32_t latest[SETS]; /* the way that was used last; older ones follow */
    uint8_t *valid;        /* by set and way: sectors */
    uint8_t *hint;         /* likewise: a byte that the tag's has to be equal to */
    uint32_t tag[];        /* likewise */
};

haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1) {
    uint32_t ways = bytes / LINE_BYTES / SETS, stride = (ways + SIM_MATCH_ROW - 1) / SIM_MATCH_ROW * SIM_MATCH_ROW;
    size_t tags = SETS * stride * sizeof(uint32_t), size = sizeof(sim_l1) + tags + 2 * SETS * stride + FOUR_ROWS;
    *l1 = memory_zeroed(1, size);
    if (!*l1) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L1 (%zu bytes)", size);
    (*l1)->ways = ways;
    (*l1)->stride = stride;
    (*l1)->valid = (uint8_t *)(*l1)->tag + tags;
    (*l1)->hint = (*l1)->valid + SETS * stride;
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
    const uint32_t run = scatter(tag / SETS), strewn = scatter(tag), turned = tag + (run >> 16);
    const uint32_t is_strewn = 0u - (run % 3 == 0); /* no host foresees which */
    return ((strewn & is_strewn) | (turned & ~is_strewn)) % SETS;
}

/* A set's lines mostly come from runs of their own. Ways that nothing has been in yet have a hint of 0. */
static uint8_t hint_of(uint32_t tag) {
    const uint8_t hint = (uint8_t)(tag / SETS ^ tag / SETS >> 8);
    return hint ? hint : UINT8_MAX;
}

/* A bit for each of the 64 hints that is equal. */
static uint64_t match_four_rows(const uint8_t *hints, uint8_t hint) {
    uint64_t equal = 0;
    for (unsigned r = 0; r < 4; r++)
        equal |= (uint64_t)sim_match_bytes(hints + r * SIM_MATCH_ROW, hint) << r * SIM_MATCH_ROW;
    return equal;
}

/* What of the model one set is. */
typedef struct l1_set {
    uint32_t *tags;
    uint8_t *valid, *hints;
} l1_set;

static l1_set set_at(sim_l1 *l1, uint32_t set) {
    const uint32_t first = set * l1->stride;
    return (l1_set){l1->tag + first, l1->valid + first, l1->hint + first};
}

/* Where a line is, or `ways`: at most one way has it and is valid. */
static uint32_t find_way(const sim_l1 *l1, const l1_set *set, uint32_t tag) {
    const uint8_t hint = hint_of(tag);
    for (uint32_t base = 0; base < l1->stride; base += FOUR_ROWS) {
        for (uint64_t equal = match_four_rows(set->hints + base, hint); equal; equal &= equal - 1) {
            const uint32_t way = base + (uint32_t)__builtin_ctzll(equal);
            if (way < l1->ways && set->tags[way] == tag && set->valid[way]) return way;
        }
    }
    return l1->ways;
}

/* Ways from `from` to `to` - 1 become one older: each moves to the next place, the last one's is overwritten. */
static void age(const l1_set *set, uint32_t from, uint32_t to) {
    memmove(set->tags + from + 1, set->tags + from, (to - from) * sizeof *set->tags);
    memmove(set->valid + from + 1, set->valid + from, to - from);
    memmove(set->hints + from + 1, set->hints + from, to - from);
}

static void put_way(const l1_set *set, uint32_t way, uint32_t tag, uint8_t sectors) {
    set->tags[way] = tag;
    set->valid[way] = sectors;
    set->hints[way] = hint_of(tag);
}

/* The line in `way` becomes the latest. */
static void use_again(const sim_l1 *l1, const l1_set *set, uint32_t latest, uint32_t way) {
    const uint32_t tag = set->tags[way], end = l1->ways - 1;
    const uint8_t sectors = set->valid[way];
    if (way >= latest) {
        age(set, latest, way);
    } else { /* around the ring's end */
        age(set, 0, way);
        put_way(set, 0, set->tags[end], set->valid[end]);
        age(set, latest, end);
    }
    put_way(set, latest, tag, sectors);
}

unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask) {
    if (!l1->ways) return 0;
    const uint32_t tag = (uint32_t)line, number = set_of(tag);
    const l1_set set = set_at(l1, number);
    uint32_t latest = l1->latest[number];
    if (set.tags[latest] != tag || !set.valid[latest]) {
        const uint32_t way = find_way(l1, &set, tag);
        if (way < l1->ways) {
            use_again(l1, &set, latest, way);
        } else { /* the oldest is the one before the latest */
            l1->latest[number] = latest = latest ? latest - 1 : l1->ways - 1;
            put_way(&set, latest, tag, 0);
        }
    }
    const unsigned hits = set.valid[latest] & mask;
    set.valid[latest] = (uint8_t)(set.valid[latest] | mask);
    return hits;
}

/* The line's valid sectors, NULL when it is not there. */
static uint8_t *find_line(sim_l1 *l1, uint64_t line) {
    if (!l1->ways) return NULL;
    const uint32_t tag = (uint32_t)line, number = set_of(tag);
    const l1_set set = set_at(l1, number);
    const uint32_t way = find_way(l1, &set, tag);
    return way == l1->ways ? NULL : set.valid + way;
}

unsigned sim_l1_probe(sim_l1 *l1, uint64_t line, unsigned mask) {
    const uint8_t *valid = find_line(l1, line);
    return valid ? *valid & mask : 0;
}

void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask) {
    uint8_t *valid = find_line(l1, line);
    if (valid) *valid = (uint8_t)(*valid & ~mask);
}

void sim_l1_clear(sim_l1 *l1) {
    memset(l1->valid, 0, (size_t)SETS * l1->stride);
}
