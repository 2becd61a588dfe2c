/* Counting in the texture pipe, by rules measured on an H100 (docs/textures.md, tests/data/textures). */
#include "count/texels.h"

#include "count/coalesce.h"
#include "count/counting.h"
#include "state/texels.h"

#include <string.h>

enum { QUAD = 4, OCTET = 8, WIDE_TEXEL = 16, PASS_TEXELS = OCTET * SIM_MOST_TEXELS };

/* Misses of one line within this many passes go to L2 as one request. */
enum { JOIN_PASSES = 7, MOST_REQUESTS = 512 };

/* What one pass of a group touches: distinct tags, each with its sectors. */
typedef struct pass {
    uint32_t count;
    uint64_t tag[PASS_TEXELS], address[PASS_TEXELS][SIM_LINE_SECTORS];
    uint8_t mask[PASS_TEXELS], bank[PASS_TEXELS];
} pass;

/* The instruction's requests to L2. */
typedef struct requests {
    uint32_t count;
    uint64_t line[MOST_REQUESTS];
    uint8_t mask[MOST_REQUESTS];
    uint32_t last[MOST_REQUESTS]; /* number of the pass */
    uint32_t passes;              /* so far */
} requests;

/* ---- a pass ---- */

/* Adds a texel's sector to the pass. */
static void add_texel(pass *p, const sim_texel *t) {
    uint32_t i = 0;
    while (i < p->count && p->tag[i] != t->tag) i++;
    if (i == p->count) {
        p->tag[i] = t->tag;
        p->mask[i] = 0;
        p->bank[i] = t->bank;
        p->count++;
    }
    p->mask[i] = (uint8_t)(p->mask[i] | 1u << t->sector);
    p->address[i][t->sector] = t->address;
}

static void fill_pass(pass *p, const sim_texel_access *a, uint32_t lanes) {
    p->count = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const sim_footprint_texels *f = &a->lanes[__builtin_ctz(left)];
        for (uint32_t i = 0; i < f->count; i++) add_texel(p, &f->texels[i]);
    }
}

static uint32_t count_sectors(const pass *p) {
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < p->count; i++) sectors += (uint32_t)__builtin_popcount(p->mask[i]);
    return sectors;
}

/* Returns at least one, even if all lanes read the border. */
static uint32_t count_wavefronts(const pass *p) {
    uint32_t banks[4] = {0}, most = 1;
    for (uint32_t i = 0; i < p->count; i++)
        if (++banks[p->bank[i]] > most) most = banks[p->bank[i]];
    return most;
}

/* ---- requests to L2 ---- */

static void add_request(requests *r, uint64_t line, unsigned mask) {
    for (uint32_t i = r->count; i-- > 0;) {
        if (r->line[i] != line || r->passes - r->last[i] > JOIN_PASSES) continue;
        r->mask[i] = (uint8_t)(r->mask[i] | mask);
        r->last[i] = r->passes;
        return;
    }
    if (r->count == MOST_REQUESTS) return; /* more than any fetch can miss */
    r->line[r->count] = line;
    r->mask[r->count] = (uint8_t)mask;
    r->last[r->count++] = r->passes;
}

/* Requests a tag's sectors. If the tag is not a line of memory, they are requested one by one. */
static void request_sectors(requests *r, const pass *p, uint32_t i, unsigned mask) {
    const bool is_line = p->tag[i] == p->address[i][__builtin_ctz(mask)] >> SIM_LINE_SHIFT;
    if (is_line) {
        add_request(r, p->tag[i], mask);
        return;
    }
    for (; mask; mask &= mask - 1) {
        const uint64_t address = p->address[i][__builtin_ctz(mask)];
        add_request(r, address >> SIM_LINE_SHIFT, 1u << (address >> SIM_SECTOR_SHIFT) % SIM_LINE_SECTORS);
        r->last[r->count - 1] -= JOIN_PASSES + 1;
    }
}

static void send_reads(sim_counting *c, sim_tally *t, const requests *r) {
    c->last_read.entry = NULL;
    for (uint32_t i = 0; i < r->count; i++) {
        sim_log_add(&c->log, r->line[i], r->mask[i], SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL);
        t->traffic.l2_sectors += (uint32_t)__builtin_popcount(r->mask[i]);
    }
    t->traffic.l2_requests += r->count;
    c->read_requests_issued += r->count;
}

static void send_writes(sim_counting *c, sim_tally *t, const requests *r, uint32_t bytes) {
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < r->count; i++) sectors += (uint32_t)__builtin_popcount(r->mask[i]);
    const uint32_t average = sectors ? bytes / sectors : 0;
    c->last_read.entry = NULL;
    for (uint32_t i = 0; i < r->count; i++)
        sim_log_add(&c->log, r->line[i], r->mask[i], SIM_LOG_WRITE, average < 32 ? average : 32, SIM_PRIORITY_NORMAL);
    t->traffic.l2_requests += r->count;
    t->traffic.l2_sectors += sectors;
    c->store_requests_issued += r->count;
    c->store_sectors_issued += sectors;
}

static void send_reductions(sim_counting *c, sim_tally *t, const pass *p) {
    c->last_read.entry = NULL;
    for (uint32_t i = 0; i < p->count; i++) {
        sim_l1_drop(c->l1, p->tag[i], p->mask[i]);
        sim_log_add(&c->log, p->tag[i], p->mask[i], SIM_LOG_REDUCTION, 0, SIM_PRIORITY_NORMAL);
    }
    t->traffic.l2_requests += p->count;
    t->traffic.l2_sectors += count_sectors(p);
}

/* ---- groups ---- */

/* Counts one pass: sectors, wavefronts, hits, and requests for misses. */
static void run_pass(sim_counting *c, sim_tally *t, const pass *p, haul_memory_class class, requests *r) {
    t->traffic.sectors += count_sectors(p);
    t->traffic.wavefronts += count_wavefronts(p);
    if (class == HAUL_CLASS_SURFACE_REDUCTION) send_reductions(c, t, p);
    for (uint32_t i = 0; i < p->count && class != HAUL_CLASS_SURFACE_REDUCTION; i++) {
        const bool reads = class != HAUL_CLASS_SURFACE_STORE;
        const unsigned hits = reads ? sim_l1_load(c->l1, p->tag[i], p->mask[i]) : 0, missing = p->mask[i] & ~hits;
        t->traffic.hits += (uint32_t)__builtin_popcount(hits);
        if (missing) request_sectors(r, p, i, missing);
    }
    r->passes++;
}

/* Counts a quad. Filtering texels of 16 bytes takes two lanes at a time, and half of their channels each time;
 * filtering volumes takes two lanes at a time. */
static void run_quad(sim_counting *c, sim_tally *t, const sim_texel_access *a, uint32_t lanes, requests *r) {
    const bool wide = a->filtered && a->bytes == WIDE_TEXEL, pairs = wide || (a->filtered && a->volume);
    const uint32_t first = lanes & 0x33333333u;
    pass p;
    for (unsigned k = 0; k < 1u + pairs; k++) {
        const uint32_t chosen = !pairs ? lanes : k ? lanes & ~first : first;
        for (unsigned half = 0; half < 1u + wide; half++) {
            fill_pass(&p, a, chosen);
            run_pass(c, t, &p, HAUL_CLASS_TEXTURE, r);
        }
    }
    t->traffic.requests++;
}

/* Returns the first lane of each word: lanes that update one word take turns. */
static uint32_t first_of_each_word(const sim_texel_access *a, uint32_t lanes) {
    uint32_t chosen = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        bool is_new = true;
        for (uint32_t others = chosen; others && a->lanes[l].count; others &= others - 1) {
            const sim_footprint_texels *o = &a->lanes[__builtin_ctz(others)];
            is_new &= !o->count || o->texels[0].address != a->lanes[l].texels[0].address;
        }
        if (is_new) chosen |= 1u << l;
    }
    return chosen;
}

/* Counts eight lanes: one pass, or for reductions one pass per lane of a word. */
static void run_octet(sim_counting *c, sim_tally *t, const sim_texel_access *a, uint32_t lanes, haul_memory_class class,
                      requests *r) {
    pass p;
    const bool one_by_one = class == HAUL_CLASS_SURFACE_REDUCTION;
    while (lanes) {
        const uint32_t chosen = one_by_one ? first_of_each_word(a, lanes) : lanes;
        fill_pass(&p, a, chosen);
        run_pass(c, t, &p, class, r);
        lanes &= ~chosen;
    }
    t->traffic.requests++;
}

/* Returns the lanes of a group: eight for surfaces and linear memory (four for texels of 16 bytes), else four. */
static unsigned group_size(const sim_texel_access *a, haul_memory_class class) {
    if (class != HAUL_CLASS_TEXTURE) return OCTET;
    return a->linear && a->bytes < WIDE_TEXEL ? OCTET : QUAD;
}

void sim_count_texels(sim_counting *c, const sim_op *op, uint32_t active, const sim_texel_access *a) {
    if (!c) return;
    const haul_memory_class class = (haul_memory_class)c->plan->assembled[op->instruction].class;
    if (c->plan->tally_of[op->instruction] == SIM_NO_TALLY) return;
    sim_tally *t = &c->tallies[c->plan->tally_of[op->instruction]];
    const unsigned size = group_size(a, class);
    const uint32_t before = (uint32_t)t->traffic.sectors, bytes = (uint32_t)__builtin_popcount(active) * a->bytes;
    requests r;
    r.count = r.passes = 0;
    for (unsigned first = 0; first < SIM_LANES; first += size) {
        const uint32_t lanes = active & ((1u << size) - 1) << first;
        if (lanes && size == QUAD) run_quad(c, t, a, lanes, &r);
        if (lanes && size == OCTET) run_octet(c, t, a, lanes, class, &r);
    }
    const uint32_t sectors = (uint32_t)t->traffic.sectors - before, ideal = sim_ideal_sectors(active, a->bytes);
    t->traffic.instructions++;
    t->traffic.bytes += bytes;
    t->traffic.ideal_sectors += ideal < sectors ? ideal : sectors;
    if (class == HAUL_CLASS_SURFACE_STORE)
        send_writes(c, t, &r, bytes);
    else
        send_reads(c, t, &r);
}
