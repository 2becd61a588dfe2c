/* Counting accesses to local memory. */
#include "base/memory.h"
#include "count/access.h"

#include <string.h>

/* Local memory is interleaved: the same 4-byte word of a warp's 32 threads fills one line. Its lines are numbered from
 * here on, above every device address; each resident warp has its own. */
#define LOCAL_LINES (1ull << 50 | 1ull << 31)

static uint64_t local_words(const sim_counting *c) {
    return c->plan->local_bytes / 4 + 4;
}

/* Returns a line's number among those of the SM's resident warps. */
static uint64_t local_slot(const sim_counting *c, const sim_warp *w, uint64_t word) {
    return sim_warp_place(w) % SIM_RESIDENT_WARPS * local_words(c) + word;
}

static uint64_t local_line(const sim_counting *c, const sim_warp *w, uint64_t word) {
    return LOCAL_LINES + w->sm->index * SIM_RESIDENT_WARPS * local_words(c) + local_slot(c, w, word);
}

enum { LOCAL_PLACES = 64 };

/* A warp's access to local memory: by line, the lanes that take part. A lane's word fills an eighth of a sector. */
typedef struct local_access {
    uint32_t count;
    uint64_t word[SIM_LANES];
    uint32_t lanes[SIM_LANES];
    uint8_t place[LOCAL_PLACES]; /* by hash of the word: a guess of its index */
} local_access;

static uint32_t find_local_word(const local_access *a, uint64_t word) {
    uint32_t i = a->place[word % LOCAL_PLACES];
    if (i < a->count && a->word[i] == word) return i;
    for (i = 0; i < a->count && a->word[i] != word;) i++;
    return i;
}

static void add_local_word(local_access *a, uint64_t word, uint32_t lanes) {
    const uint32_t i = find_local_word(a, word);
    if (i == SIM_LANES)
        return; /* more lines than an access can have: the widest, fully scattered accesses are cut off */
    if (i == a->count) {
        a->word[i] = word;
        a->lanes[i] = 0;
        a->place[word % LOCAL_PLACES] = (uint8_t)i;
        a->count++;
    }
    a->lanes[i] |= lanes;
}

/* True if all active lanes have the same offset in their frames, which is the common case. */
static bool is_one_place(uint32_t active, const uint64_t offset[SIM_LANES]) {
    const uint64_t first = offset[__builtin_ctz(active)];
    uint64_t differs = 0;
    for (uint32_t l = 0; l < SIM_LANES; l++) differs |= (offset[l] ^ first) & (0 - (uint64_t)(active >> l & 1));
    return differs == 0;
}

static void add_local_lanes(local_access *a, uint64_t offset, unsigned bytes, uint32_t lanes) {
    for (uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; word++) add_local_word(a, word, lanes);
}

/* Finds the lines of an access: the words of each lane's bytes. */
static void find_local_words(uint32_t active, unsigned bytes, const uint64_t offset[SIM_LANES], local_access *a) {
    a->count = 0;
    memset(a->place, 0, sizeof a->place);
    if (is_one_place(active, offset)) {
        add_local_lanes(a, offset[__builtin_ctz(active)], bytes, active);
        return;
    }
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        add_local_lanes(a, offset[l], bytes, 1u << l);
    }
}

/* Returns a bit for each sector with a lane. */
static unsigned touched_sectors(uint32_t lanes) {
    unsigned mask = 0;
    for (unsigned sector = 0; sector < SIM_LINE_SECTORS; sector++)
        mask |= (unsigned)((lanes >> 8 * sector & 0xff) != 0) << sector;
    return mask;
}

static unsigned whole_sectors(uint32_t lanes) {
    return ~touched_sectors(~lanes) & 15;
}

static void add_local_line(const sim_counting *c, const sim_warp *w, uint64_t word, unsigned mask, sim_lines *lines) {
    if (!mask) return;
    lines->line[lines->count] = local_line(c, w, word);
    lines->mask[lines->count++] = (uint8_t)mask;
    lines->sectors += (uint32_t)__builtin_popcount(mask);
}

static void local_lines(const sim_counting *c, const sim_warp *w, const local_access *a, sim_lines *lines) {
    lines->count = lines->sectors = 0;
    for (uint32_t i = 0; i < a->count; i++) add_local_line(c, w, a->word[i], touched_sectors(a->lanes[i]), lines);
}

/* Returns the lanes whose word of the line was stored; NULL if that is not tracked. */
static uint32_t *local_written(sim_counting *c, const sim_warp *w, uint64_t word) {
    enum { KEPT_WORDS = 4096 };
    const uint64_t words = local_words(c);
    if (words > KEPT_WORDS || word >= words) return NULL;
    if (!c->local_written) c->local_written = memory_zeroed(SIM_RESIDENT_WARPS * words, sizeof *c->local_written);
    return c->local_written ? &c->local_written[local_slot(c, w, word)] : NULL;
}

/* Loads the lines. L1 keeps stored bytes, so a thread hits its own words even if their sectors were never read. Sectors
 * that stores have filled are ordinary. */
static void load_local(sim_counting *c, const sim_warp *w, sim_tally *t, const local_access *a) {
    sim_lines lines = {.count = 0, .sectors = 0};
    for (uint32_t i = 0; i < a->count; i++) {
        const uint32_t *written = local_written(c, w, a->word[i]);
        const uint32_t there = written ? *written : 0;
        const unsigned own = ~touched_sectors(a->lanes[i] & ~there) & ~whole_sectors(there) & 15;
        const unsigned touched = touched_sectors(a->lanes[i]);
        t->traffic.hits += (uint32_t)__builtin_popcount(touched & own);
        add_local_line(c, w, a->word[i], touched & ~own, &lines);
    }
    sim_load_cached(c, t, &lines);
}

/* Stores the lines; stores go on to L2 as those to global memory do. */
static void store_local(sim_counting *c, const sim_warp *w, sim_tally *t, const local_access *a,
                        const sim_lines *lines) {
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t *written = local_written(c, w, a->word[i]);
        bytes += 4 * sim_lanes(a->lanes[i]);
        if (!written) continue;
        const unsigned before = whole_sectors(*written);
        *written |= a->lanes[i];
        const unsigned filled = whole_sectors(*written) & ~before;
        if (filled) sim_l1_load(c->l1, local_line(c, w, a->word[i]), filled);
    }
    sim_store_lines(c, w, t, lines, bytes);
}

/* Counts one access of the machine, of `bytes` for each lane. */
static void count_local_access(sim_counting *c, const sim_warp *w, sim_tally *t, bool is_load, uint32_t active,
                               unsigned bytes, const uint64_t offset[SIM_LANES]) {
    local_access access;
    sim_lines lines;
    find_local_words(active, bytes, offset, &access);
    local_lines(c, w, &access, &lines);
    sim_count_tags(t, &lines, active, bytes);
    if (is_load)
        load_local(c, w, t, &access);
    else
        store_local(c, w, t, &access, &lines);
}

/* Counts one access of local memory by name. It makes a request for each word of a lane, as words of one lane are
 * apart. */
static void count_local_part(sim_counting *c, const sim_warp *w, sim_tally *t, bool is_load, uint32_t active,
                             unsigned bytes, const uint64_t offset[SIM_LANES]) {
    enum { WORD = 4 };
    count_local_access(c, w, t, is_load, active, bytes, offset);
    if (bytes > WORD) t->traffic.requests += bytes / WORD - 1;
}

/* Accesses of local memory count by the parts that the assembler makes of them, generic ones whole. */
void sim_count_local(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                     const uint64_t offset[SIM_LANES]) {
    if (!sim_is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    const bool own = a->class == HAUL_CLASS_LOCAL_LOAD || a->class == HAUL_CLASS_LOCAL_STORE;
    const bool is_load = a->class == HAUL_CLASS_LOCAL_LOAD || a->class == HAUL_CLASS_GLOBAL_LOAD;
    sim_tally *t = sim_tally_at(c, op, own ? SIM_TALLY_OWN : SIM_TALLY_LOCAL);
    if (!own) count_local_access(c, w, t, is_load, active, op->bytes, offset);
    for (unsigned p = 0; own && p < a->part_count; p++) {
        uint64_t start[SIM_LANES];
        for (unsigned l = 0; l < SIM_LANES; l++) start[l] = offset[l] + (uint64_t)(int64_t)a->parts[p].start;
        count_local_part(c, w, t, is_load, active, a->parts[p].width, start);
    }
}
