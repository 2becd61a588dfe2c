#include "sim/l1.h"

#include "base/memory.h"
#include "base/status.h"
#include "sim/match.h"

#include <string.h>

/* How many lines still hit when a set of lines is read over and over, for sets from 43 KB below to 80 KB above L1's
 * size, looks like 32 sets on an H100 (docs/memory-model.md): a way of them all is 4 KiB. */
enum { SETS = 32, LINE_BYTES = 128 };

/* A set's ways are a ring in the order of use, so that a loop's lines are found at once and the way before the latest
 * one is the one to give up. A way without valid sectors is free. Tags are the low half of the line number: lines 512
 * GiB apart look alike, no device has them. */
struct sim_l1 {
    uint32_t ways;
    uint32_t stride;       /* between sets: ways, rounded up to SIM_MATCH_ROW */
    uint32_t latest[SETS]; /* the way that was used last; older ones follow */
    uint8_t *valid;        /* by set and way: sectors */
    uint32_t tag[];        /* likewise */
};

haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1) {
    uint32_t ways = bytes / LINE_BYTES / SETS, stride = (ways + SIM_MATCH_ROW - 1) / SIM_MATCH_ROW * SIM_MATCH_ROW;
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

/* Where a line is, or `ways`. Looks where the latest ones are first. */
static uint32_t find_way(const sim_l1 *l1, uint32_t set, uint32_t tag) {
    const uint32_t *tags = l1->tag + set * l1->stride;
    const uint8_t *valid = l1->valid + set * l1->stride;
    uint32_t base = l1->latest[set] / SIM_MATCH_ROW * SIM_MATCH_ROW;
    for (uint32_t left = l1->stride; left; left -= SIM_MATCH_ROW) {
        for (uint32_t equal = sim_match(tags + base, tag); equal; equal &= equal - 1) {
            const uint32_t way = base + (uint32_t)__builtin_ctz(equal);
            if (way < l1->ways && valid[way]) return way;
        }
        base = base + SIM_MATCH_ROW < l1->stride ? base + SIM_MATCH_ROW : 0;
    }
    return l1->ways;
}

/* Ways from `from` to `to` - 1 become one older: each moves to the next place, the last one's is overwritten. */
static void age(uint32_t *tags, uint8_t *valid, uint32_t from, uint32_t to) {
    memmove(tags + from + 1, tags + from, (to - from) * sizeof *tags);
    memmove(valid + from + 1, valid + from, to - from);
}

/* The line in `way` becomes the latest. */
static void use_again(const sim_l1 *l1, uint32_t *tags, uint8_t *valid, uint32_t latest, uint32_t way) {
    const uint32_t tag = tags[way], end = l1->ways - 1;
    const uint8_t sectors = valid[way];
    if (way >= latest) {
        age(tags, valid, latest, way);
    } else { /* around the ring's end */
        age(tags, valid, 0, way);
        tags[0] = tags[end];
        valid[0] = valid[end];
        age(tags, valid, latest, end);
    }
    tags[latest] = tag;
    valid[latest] = sectors;
}

unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask) {
    if (!l1->ways) return 0;
    const uint32_t tag = (uint32_t)line, set = set_of(tag), first = set * l1->stride;
    uint32_t *tags = l1->tag + first, latest = l1->latest[set];
    uint8_t *valid = l1->valid + first;
    if (tags[latest] != tag || !valid[latest]) {
        const uint32_t way = find_way(l1, set, tag);
        if (way < l1->ways) {
            use_again(l1, tags, valid, latest, way);
        } else { /* the oldest is the one before the latest */
            l1->latest[set] = latest = latest ? latest - 1 : l1->ways - 1;
            tags[latest] = tag;
            valid[latest] = 0;
        }
    }
    const unsigned hits = valid[latest] & mask;
    valid[latest] = (uint8_t)(valid[latest] | mask);
    return hits;
}

/* The line's valid sectors, NULL when it is not there. */
static uint8_t *find_line(const sim_l1 *l1, uint64_t line) {
    if (!l1->ways) return NULL;
    const uint32_t tag = (uint32_t)line, set = set_of(tag), way = find_way(l1, set, tag);
    return way == l1->ways ? NULL : l1->valid + set * l1->stride + way;
}

unsigned sim_l1_probe(const sim_l1 *l1, uint64_t line, unsigned mask) {
    const uint8_t *valid = find_line(l1, line);
    return valid ? *valid & mask : 0;
}

void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask) {
    uint8_t *valid = find_line(l1, line);
    if (valid) *valid = (uint8_t)(*valid & ~mask);
}
