/* What each warp-level access does to the counters. */
#include "base/memory.h"
#include "sim/atomic.h"
#include "sim/block.h"
#include "sim/count/counting.h"
#include "sim/count/traffic.h"
#include "sim/count/vectors/vectors.h"

#include <string.h>

static sim_tally *tally_at(sim_counting *c, const sim_op *op, sim_tally_space space) {
    return &c->tallies[c->plan->tally_of[op->instruction] + (uint32_t)space];
}

/* Nothing is counted for an instruction that the plan knows no tally for: a local access that stands for a
 * parameter, say. */
static bool is_counted(const sim_counting *c, const sim_op *op) {
    return !op->uncounted && c->plan->tally_of[op->instruction] != SIM_NO_TALLY;
}

/* The cache policy that the instruction gives, the same for all lanes, since it is for all of the access. */
static void take_policy(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active) {
    c->policy = op->policy ? SIM_SLOT(w, uint64_t, op->policy)[__builtin_ctz(active)] : 0;
}

static sim_priority priority_of(const sim_counting *c, uint64_t line) {
    if (!(c->policy | c->plan->window.bytes)) return SIM_PRIORITY_NORMAL;
    return sim_priority_of(&c->plan->window, c->policy, line);
}

/* Anything but a read ends the chance to join the last one. */
static void add_to_log(sim_counting *c, uint64_t line, unsigned mask, sim_log_kind kind, unsigned bytes,
                       sim_priority priority) {
    c->last_read.entry = NULL;
    sim_log_add(&c->log, line, mask, kind, bytes, priority);
}

/* ---- stores on their way to L2 ---- */

static void send_slot(sim_counting *c, unsigned slot) {
    sim_pending_stores *p = &c->pending;
    add_to_log(c, p->line[slot], p->mask[slot], SIM_LOG_WRITE, p->bytes[slot], (sim_priority)p->priority[slot]);
    if (p->bytes[slot] < 32) c->partial_sectors += (uint32_t)__builtin_popcount(p->mask[slot]);
    p->mask[slot] = 0;
}

void sim_counting_flush(sim_counting *c) {
    for (uint32_t i = 0; i < c->pending.count; i++)
        if (c->pending.mask[c->pending.used[i]]) send_slot(c, c->pending.used[i]);
    c->pending.count = 0;
}

static void flush_warp(sim_counting *c, const sim_warp *w) {
    if (c->pending.count && c->pending.warp == w) sim_counting_flush(c);
}

/* True when the store went along with one that waits. */
static bool combine(sim_counting *c, uint64_t line, unsigned mask, unsigned bytes) {
    sim_pending_stores *p = &c->pending;
    unsigned slot = (unsigned)(line ^ line >> 6) % SIM_PENDING;
    if (p->mask[slot] && p->line[slot] == line) {
        unsigned sum = (p->mask[slot] & mask) ? p->bytes[slot] + bytes : bytes;
        p->mask[slot] = (uint8_t)(p->mask[slot] | mask);
        p->bytes[slot] = (uint8_t)(sum < 32 ? sum : 32);
        return true;
    }
    if (p->mask[slot]) send_slot(c, slot);
    if (p->count == SIM_PENDING) sim_counting_flush(c);
    p->used[p->count++] = (uint8_t)slot;
    p->line[slot] = line;
    p->mask[slot] = (uint8_t)mask;
    p->bytes[slot] = (uint8_t)bytes;
    p->priority[slot] = (uint8_t)priority_of(c, line);
    return false;
}

static void begin_stores(sim_counting *c, const sim_warp *w) {
    if (c->pending.warp == w) return;
    sim_counting_flush(c);
    c->pending.warp = w;
}

enum { SECTOR_BYTES = 1 << SIM_SECTOR_SHIFT };

/* average: bytes that are written of each of its sectors */
static inline void store_line(sim_counting *c, sim_tally *t, uint64_t line, unsigned mask, uint32_t average) {
    const unsigned hits = average == SECTOR_BYTES ? sim_l1_load(c->l1, line, mask) : sim_l1_probe(c->l1, line, mask);
    c->store_hits += (uint32_t)__builtin_popcount(hits);
    if (!combine(c, line, mask, average)) t->traffic.l2_requests++;
}

static void end_stores(sim_counting *c, sim_tally *t, uint32_t lines, uint32_t sectors) {
    t->traffic.l2_sectors += sectors;
    c->store_requests_issued += lines;
    c->store_sectors_issued += sectors;
}

static uint32_t average_bytes(uint32_t bytes, uint32_t sectors) {
    const uint32_t average = bytes / sectors;
    return average < SECTOR_BYTES ? average : SECTOR_BYTES;
}

static uint64_t warp_place(const sim_warp *w) {
    return (uint64_t)(w->block - w->sm->blocks) * w->block->warp_count + w->index;
}

static sim_pending_volatile *pending_volatile(sim_counting *c, const sim_warp *w) {
    return &c->in_flight[warp_place(w) % SIM_RESIDENT_WARPS];
}

/* The warp writes the lines: an answer that is on its way is no longer good for the next volatile load of them. */
static void outdate_volatile(sim_counting *c, const sim_warp *w, uint64_t first_line, uint64_t last_line) {
    sim_pending_volatile *p = pending_volatile(c, w);
    if (p->warp != w) return;
    for (uint32_t i = 0; i < p->lines.count; i++)
        if (p->lines.line[i] >= first_line && p->lines.line[i] <= last_line) p->warp = NULL;
}

static void outdate_lines(sim_counting *c, const sim_warp *w, const sim_lines *lines) {
    if (pending_volatile(c, w)->warp != w) return;
    for (uint32_t i = 0; i < lines->count; i++) outdate_volatile(c, w, lines->line[i], lines->line[i]);
}

/* What of the lines L1 has; written wholly, they come into it. */
static uint32_t store_in_l1(sim_counting *c, const sim_lines *lines, uint32_t average) {
    uint8_t missing[SIM_LANES];
    return average == SECTOR_BYTES ? sim_l1_load_lines(c->l1, lines, missing)
                                   : sim_l1_probe_lines(c->l1, lines, missing);
}

static void store_lines(sim_counting *c, const sim_warp *w, sim_tally *t, const sim_lines *lines, uint32_t bytes) {
    const uint32_t average = average_bytes(bytes, lines->sectors);
    begin_stores(c, w);
    outdate_lines(c, w, lines);
    c->store_hits += store_in_l1(c, lines, average);
    for (uint32_t i = 0; i < lines->count; i++)
        t->traffic.l2_requests += !combine(c, lines->line[i], lines->mask[i], average);
    end_stores(c, t, lines->count, lines->sectors);
}

/* ---- loads ---- */

static inline void request_read(sim_counting *c, sim_tally *t, uint64_t line, unsigned mask) {
    sim_last_read *last = &c->last_read;
    t->traffic.l2_sectors += (uint32_t)__builtin_popcount(mask);
    c->read_requests_issued++;
    if (last->entry && last->line == line && !(*last->entry & mask)) {
        *last->entry |= mask;
        last->entry = NULL;
        return;
    }
    t->traffic.l2_requests++;
    *last = (sim_last_read){line, sim_log_add(&c->log, line, mask, SIM_LOG_READ, 0, priority_of(c, line))};
}

/* Where the log puts requests for the lines: many of them are found side by side. */
static void find_log_places(const sim_lines *lines, sim_log_places *places) {
    if (lines->count >= SIM_MANY_LINES) {
        sim_vectors_best()->find_log_places(lines, places);
        return;
    }
    for (uint32_t i = 0; i < lines->count; i++) {
        places->slice[i] = sim_log_slice_of(lines->line[i]);
        places->entry[i] = sim_log_local(lines->line[i]) << SIM_LOG_LINE_SHIFT;
    }
}

/* Requests for lines that differ, of those sectors that `masks` has of each: in the log, one after the other. Returns
 * how many; *latest: the last one. */
static uint32_t log_requests(sim_counting *c, const sim_lines *lines, const uint8_t masks[SIM_LANES], sim_log_kind kind,
                             sim_last_read *latest) {
    sim_log_places places;
    uint32_t requests = 0;
    find_log_places(lines, &places);
    for (uint32_t i = 0; i < lines->count; i++) {
        if (!masks[i]) continue;
        const uint64_t line = lines->line[i];
        const sim_log_entry request = sim_log_request(masks[i], kind, 0, priority_of(c, line));
        *latest = (sim_last_read){line, sim_log_put(&c->log, places.slice[i], places.entry[i] | request)};
        requests++;
    }
    return requests;
}

static uint32_t count_sectors(const uint8_t masks[SIM_LANES], uint32_t lines) {
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < lines; i++) sectors += (uint32_t)__builtin_popcount(masks[i]);
    return sectors;
}

/* Only the first one may join the request that was made last: the others are for other lines. */
static void request_lines(sim_counting *c, sim_tally *t, const sim_lines *lines, uint8_t masks[SIM_LANES]) {
    uint32_t first = 0;
    if (lines->count < SIM_MANY_LINES) {
        for (uint32_t i = 0; i < lines->count; i++)
            if (masks[i]) request_read(c, t, lines->line[i], masks[i]);
        return;
    }
    while (first < lines->count && !masks[first]) first++;
    if (first == lines->count) return;
    request_read(c, t, lines->line[first], masks[first]);
    masks[first] = 0;
    const uint32_t requests = log_requests(c, lines, masks, SIM_LOG_READ, &c->last_read);
    c->read_requests_issued += requests;
    t->traffic.l2_requests += requests;
    t->traffic.l2_sectors += count_sectors(masks, lines->count);
}

static inline void load_line(sim_counting *c, sim_tally *t, uint64_t line, unsigned mask) {
    const unsigned hits = sim_l1_load(c->l1, line, mask);
    t->traffic.hits += (uint32_t)__builtin_popcount(hits);
    if (hits != mask) request_read(c, t, line, mask & ~hits);
}

static void load_cached(sim_counting *c, sim_tally *t, const sim_lines *lines) {
    uint8_t missing[SIM_LANES];
    t->traffic.hits += sim_l1_load_lines(c->l1, lines, missing);
    request_lines(c, t, lines, missing);
}

/* An answer is for four loads at most. */
enum { MOST_SERVED = 4 };

/* The sectors of the line that a load has of an answer on its way; `*served`: how many loads that is for then. */
static unsigned take_answer(const sim_pending_volatile *p, uint64_t line, uint8_t *served) {
    *served = 1;
    for (uint32_t i = 0; i < p->lines.count; i++) {
        if (p->lines.line[i] != line || p->served[i] == MOST_SERVED) continue;
        *served = (uint8_t)(p->served[i] + 1);
        return p->lines.mask[i];
    }
    return 0;
}

/* A volatile load looks past L1, but shares the answer of one of the same warp that is still on its way: an earlier
 * instruction with no barrier since, and no store to the same lines. */
static void load_volatile(sim_counting *c, const sim_warp *w, const sim_op *op, sim_tally *t, const sim_lines *lines) {
    sim_pending_volatile *p = pending_volatile(c, w);
    const bool shares = p->warp == w && op->instruction > p->instruction;
    uint8_t served[SIM_LANES];
    for (uint32_t i = 0; i < lines->count; i++) {
        served[i] = 1;
        const unsigned mask = lines->mask[i];
        const unsigned missing = shares ? mask & ~take_answer(p, lines->line[i], &served[i]) : mask;
        sim_l1_drop(c->l1, lines->line[i], mask);
        c->shared_sectors += (uint32_t)__builtin_popcount(mask & ~missing);
        if (missing)
            request_read(c, t, lines->line[i], missing);
        else
            c->read_requests_issued++;
    }
    p->warp = w;
    p->instruction = op->instruction;
    p->lines = *lines;
    memcpy(p->served, served, lines->count);
}

static void load_uncached(sim_counting *c, sim_tally *t, const sim_lines *lines) {
    uint8_t masks[SIM_LANES];
    memcpy(masks, lines->mask, sizeof masks);
    sim_l1_drop_lines(c->l1, lines);
    request_lines(c, t, lines, masks);
}

static void load_if_there(sim_counting *c, sim_tally *t, const sim_lines *lines) {
    uint8_t missing[SIM_LANES];
    t->traffic.hits += sim_l1_probe_lines(c->l1, lines, missing);
    request_lines(c, t, lines, missing);
}

static void load_lines(sim_counting *c, const sim_warp *w, const sim_op *op, sim_tally *t, const sim_lines *lines) {
    switch (c->plan->assembled[op->instruction].caching) {
    case SIM_CACHED_READ_ONLY: load_cached(c, t, lines); return;
    case SIM_CACHED:
        flush_warp(c, w);
        load_cached(c, t, lines);
        return;
    case SIM_CACHED_IF_THERE:
        flush_warp(c, w);
        load_if_there(c, t, lines);
        return;
    case SIM_CACHED_VOLATILE:
        flush_warp(c, w);
        load_volatile(c, w, op, t, lines);
        return;
    case SIM_CACHED_IN_L2:
        flush_warp(c, w);
        load_uncached(c, t, lines);
        return;
    }
}

/* ---- global memory ---- */

static void count_tags(sim_tally *t, const sim_lines *lines, uint32_t active, unsigned bytes) {
    sim_traffic_tags(&t->traffic, lines, active, bytes);
    t->tag_sectors += lines->sectors;
}

typedef struct update_count {
    sim_counting *counting;
    const sim_warp *warp;
    const sim_op *op;
    sim_tally *tally;
    sim_log_kind kind;
    uint32_t turn; /* what a sector of this one costs its slice of L2 */
} update_count;

static uint32_t hot_place(uint64_t line) {
    return (uint32_t)(line / SIM_HOT_LINES * 0x9e3779b97f4a7c15u >> 32) % SIM_HOT_PLACES;
}

/* An H100's L2 adds integers in 0.75 ns to what it has just added to, floating numbers in 1.75. */
enum { TURN_AGAIN = 3 };

static bool adds_floats(const update_count *u) {
    const uint8_t type = u->counting->plan->function->instructions[u->op->instruction].type;
    return ptx_types[type].kind == 'F';
}

static void log_lines(void *context, const sim_lines *lines) {
    update_count *u = context;
    sim_last_read ignored;
    flush_warp(u->counting, u->warp);
    u->counting->last_read.entry = NULL; /* anything but a read ends the chance to join the last one */
    log_requests(u->counting, lines, lines->mask, u->kind, &ignored);
    for (uint32_t i = 0; i < lines->count; i++)
        u->counting->hot[hot_place(lines->line[i])] += u->turn * (uint32_t)__builtin_popcount(lines->mask[i]);
    if (adds_floats(u)) u->turn = TURN_AGAIN;
    u->tally->tag_sectors += lines->sectors;
    u->tally->traffic.l2_requests += lines->count;
    u->tally->traffic.l2_sectors += lines->sectors;
}

static void update_lines(void *context, const sim_lines *lines) {
    const update_count *u = context;
    sim_l1_drop_lines(u->counting->l1, lines);
    log_lines(context, lines);
}

/* The lanes that are left where the warp goes to memory as one. */
static uint32_t aggregate(const sim_assembled *a, uint32_t active) {
    bool one =
        a->aggregated == SIM_AGGREGATED_ALWAYS || (a->aggregated == SIM_AGGREGATED_WHOLE && active == SIM_ALL_LANES);
    return one ? active & -active : active;
}

/* The loads of an SM's warps are through before the first swap takes anything from L1. */
static void load_update_lines(void *context, const sim_lines *lines) {
    const update_count *u = context;
    sim_tally *loads = tally_at(u->counting, u->op, SIM_TALLY_LOOP_LOADS);
    loads->tag_sectors += lines->sectors;
    load_lines(u->counting, u->warp, u->op, loads, lines);
}

void sim_count_update(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint64_t address[SIM_LANES]) {
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    const sim_log_kind kind = a->class == HAUL_CLASS_GLOBAL_ATOMIC ? SIM_LOG_ATOMIC : SIM_LOG_REDUCTION;
    update_count u = {c, w, op, tally_at(c, op, SIM_TALLY_OWN), kind, 1};
    if (a->loops)
        sim_traffic_half_update(&tally_at(c, op, SIM_TALLY_LOOP_LOADS)->traffic, &u.tally->traffic, address, active,
                                load_update_lines, log_lines, &u);
    else
        sim_traffic_update(&u.tally->traffic, address, aggregate(a, active), op->bytes, update_lines, &u);
}

static void count_global_lines(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active, unsigned bytes,
                               const sim_lines *lines) {
    sim_tally *t = tally_at(c, op, SIM_TALLY_OWN);
    count_tags(t, lines, active, bytes);
    switch (c->plan->assembled[op->instruction].class) {
    case HAUL_CLASS_GLOBAL_STORE: store_lines(c, w, t, lines, sim_lanes(active) * bytes); break;
    default: load_lines(c, w, op, t, lines); break;
    }
}

static void count_global_part(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                              const uint64_t address[SIM_LANES], unsigned bytes) {
    sim_lines lines;
    sim_coalesce(address, active, bytes, &lines);
    count_global_lines(c, w, op, active, bytes, &lines);
}

static void count_global_parts(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                               const uint64_t address[SIM_LANES], const sim_assembled *a) {
    for (unsigned p = 0; p < a->part_count; p++) {
        uint64_t start[SIM_LANES];
        for (unsigned l = 0; l < SIM_LANES; l++) start[l] = address[l] + (uint64_t)(int64_t)a->parts[p].start;
        count_global_part(c, w, op, active, start, a->parts[p].width);
    }
}

void sim_count_global(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint64_t address[SIM_LANES]) {
    if (!is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    take_policy(c, w, op, active);
    if (a->class == HAUL_CLASS_GLOBAL_ATOMIC || a->class == HAUL_CLASS_GLOBAL_REDUCTION) {
        if (!c->counts_later || !sim_count_put_off(c, w, op, active, address))
            sim_count_update(c, w, op, active, address);
    } else if (a->plain) {
        count_global_part(c, w, op, active, address, op->bytes);
    } else {
        count_global_parts(c, w, op, active, address, a);
    }
}

/* Lines side by side of which a whole warp touches every sector from the one of byte `first` to that of byte `last`,
 * through L1. */
static void count_run(sim_counting *c, const sim_warp *w, const sim_op *op, uint64_t first, uint64_t last,
                      unsigned bytes) {
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    const bool is_store = a->class == HAUL_CLASS_GLOBAL_STORE;
    sim_tally *t = tally_at(c, op, SIM_TALLY_OWN);
    const uint64_t first_line = first >> SIM_LINE_SHIFT, last_line = last >> SIM_LINE_SHIFT;
    const uint32_t count = (uint32_t)(last_line - first_line) + 1,
                   sectors = (uint32_t)((last >> SIM_SECTOR_SHIFT) - (first >> SIM_SECTOR_SHIFT)) + 1,
                   average = average_bytes(SIM_LANES * bytes, sectors);
    const unsigned tail = 15u >> (3 - (last >> SIM_SECTOR_SHIFT & 3));
    unsigned mask = 15u << (first >> SIM_SECTOR_SHIFT & 3) & 15;
    sim_traffic_pass(&t->traffic, sectors, sim_tag_wavefronts_of_run(first_line, count), SIM_ALL_LANES, bytes);
    t->tag_sectors += sectors;
    if (is_store) {
        begin_stores(c, w);
        outdate_volatile(c, w, first_line, last_line);
    } else if (a->caching == SIM_CACHED) {
        flush_warp(c, w);
    }
    for (uint64_t line = first_line; line <= last_line; line++, mask = 15) {
        if (line == last_line) mask &= tail;
        if (is_store)
            store_line(c, t, line, mask, average);
        else
            load_line(c, t, line, mask);
    }
    if (is_store) end_stores(c, t, count, sectors);
}

/* Lines of both halves of the warp, which begin at `first` and `second` and have lanes `stride` bytes apart. */
static void find_span_lines(uint64_t first, uint64_t second, uint64_t stride, unsigned bytes, sim_lines *lines) {
    const uint64_t reach = (SIM_LANES / 2 - 1) * stride + bytes - 1;
    const uint64_t lower = first < second ? first : second, upper = first < second ? second : first;
    if ((lower + reach) >> SIM_LINE_SHIFT >= upper >> SIM_LINE_SHIFT) { /* some may be of both halves */
        uint64_t start[SIM_LANES];
        for (unsigned l = 0; l < SIM_LANES; l++)
            start[l] = (l < SIM_LANES / 2 ? first : second) + l % (SIM_LANES / 2) * stride;
        sim_coalesce(start, SIM_ALL_LANES, bytes, lines);
        return;
    }
    sim_add_span(first, first + reach, lines);
    sim_add_span(second, second + reach, lines);
}

static bool is_ordinary(const sim_assembled *a) {
    return a->class == HAUL_CLASS_GLOBAL_STORE || a->caching == SIM_CACHED || a->caching == SIM_CACHED_READ_ONLY;
}

static void count_span(sim_counting *c, const sim_warp *w, const sim_op *op, uint64_t first, uint64_t second,
                       uint64_t stride, unsigned bytes) {
    const bool halves_meet = second - first == SIM_LANES / 2 * stride;
    const uint64_t last = first + (SIM_LANES - 1) * stride + bytes - 1;
    sim_lines lines;
    if (halves_meet && is_ordinary(&c->plan->assembled[op->instruction])) {
        count_run(c, w, op, first, last, bytes);
        return;
    }
    lines.count = lines.sectors = 0;
    if (halves_meet)
        sim_add_span(first, last, &lines);
    else
        find_span_lines(first, second, stride, bytes, &lines);
    count_global_lines(c, w, op, SIM_ALL_LANES, bytes, &lines);
}

void sim_count_global_span(sim_counting *c, const sim_warp *w, const sim_op *op, uint64_t first, uint64_t second,
                           uint64_t stride) {
    if (!is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    take_policy(c, w, op, SIM_ALL_LANES);
    if (a->plain) {
        count_span(c, w, op, first, second, stride, op->bytes);
        return;
    }
    for (unsigned p = 0; p < a->part_count; p++) {
        const uint64_t shift = (uint64_t)(int64_t)a->parts[p].start;
        count_span(c, w, op, first + shift, second + shift, stride, a->parts[p].width);
    }
}

/* ---- constant banks ---- */

void sim_count_constant(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                        const uint64_t address[SIM_LANES]) {
    if (!is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    haul_traffic *t = &tally_at(c, op, SIM_TALLY_OWN)->traffic;
    for (unsigned p = 0; p < a->part_count; p++) {
        uint64_t start[SIM_LANES];
        for (unsigned l = 0; l < SIM_LANES; l++) start[l] = address[l] + (uint64_t)(int64_t)a->parts[p].start;
        const sim_constant_use use = sim_idc_load(&c->constants, (unsigned)warp_place(w), active, start);
        t->instructions++;
        t->requests += use.requests;
        t->hits += use.hits;
        t->bytes += (uint64_t)sim_lanes(active) * a->parts[p].width;
    }
}

/* ---- local memory ---- */

/* Local memory lies interleaved: the same 4-byte word of a warp's 32 threads fills one line. Its lines are numbered
 * from here, above every device address; each resident warp has its own. */
#define LOCAL_LINES (1ull << 50 | 1ull << 31)

static uint64_t local_words(const sim_counting *c) {
    return c->plan->local_bytes / 4 + 4;
}

/* A line's number among those of the SM's resident warps. */
static uint64_t local_slot(const sim_counting *c, const sim_warp *w, uint64_t word) {
    return warp_place(w) % SIM_RESIDENT_WARPS * local_words(c) + word;
}

static uint64_t local_line(const sim_counting *c, const sim_warp *w, uint64_t word) {
    return LOCAL_LINES + w->sm->index * SIM_RESIDENT_WARPS * local_words(c) + local_slot(c, w, word);
}

enum { LOCAL_PLACES = 64 };

/* A warp's access to local memory: by line, which lanes take part. A lane's word fills an eighth of a sector. */
typedef struct local_access {
    uint32_t count;
    uint64_t word[SIM_LANES];
    uint32_t lanes[SIM_LANES];
    uint8_t place[LOCAL_PLACES]; /* by word: where it was put last, perhaps */
} local_access;

static uint32_t find_local_word(const local_access *a, uint64_t word) {
    uint32_t i = a->place[word % LOCAL_PLACES];
    if (i < a->count && a->word[i] == word) return i;
    for (i = 0; i < a->count && a->word[i] != word;) i++;
    return i;
}

static void add_local_word(local_access *a, uint64_t word, uint32_t lanes) {
    const uint32_t i = find_local_word(a, word);
    if (i == SIM_LANES) return; /* more lines than an access can name: the widest ones, fully scattered, are cut */
    if (i == a->count) {
        a->word[i] = word;
        a->lanes[i] = 0;
        a->place[word % LOCAL_PLACES] = (uint8_t)i;
        a->count++;
    }
    a->lanes[i] |= lanes;
}

/* Mostly lanes are all at one place of their frames. */
static bool is_one_place(uint32_t active, const uint64_t offset[SIM_LANES]) {
    const uint64_t first = offset[__builtin_ctz(active)];
    uint64_t differs = 0;
    for (uint32_t l = 0; l < SIM_LANES; l++) differs |= (offset[l] ^ first) & (0 - (uint64_t)(active >> l & 1));
    return differs == 0;
}

static void add_local_lanes(local_access *a, uint64_t offset, unsigned bytes, uint32_t lanes) {
    for (uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; word++) add_local_word(a, word, lanes);
}

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

/* Sectors with a lane, one bit each. */
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

/* What of the line was stored; NULL where that is not kept. */
static uint32_t *local_written(sim_counting *c, const sim_warp *w, uint64_t word) {
    enum { KEPT_WORDS = 4096 };
    const uint64_t words = local_words(c);
    if (words > KEPT_WORDS || word >= words) return NULL;
    if (!c->local_written) c->local_written = memory_zeroed(SIM_RESIDENT_WARPS * words, sizeof *c->local_written);
    return c->local_written ? &c->local_written[local_slot(c, w, word)] : NULL;
}

/* L1 keeps what was stored byte by byte, so that a thread finds its own words there although nothing was read for the
 * sectors that they lie in. Sectors that stores have filled are like any others. */
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
    load_cached(c, t, &lines);
}

/* Stores go on to L2, like those to global memory. */
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
    store_lines(c, w, t, lines, bytes);
}

void sim_count_local(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                     const uint64_t offset[SIM_LANES]) {
    if (!is_counted(c, op)) return;
    uint8_t class = c->plan->assembled[op->instruction].class;
    bool own = class == HAUL_CLASS_LOCAL_LOAD || class == HAUL_CLASS_LOCAL_STORE;
    sim_tally *t = tally_at(c, op, own ? SIM_TALLY_OWN : SIM_TALLY_LOCAL);
    local_access access;
    sim_lines lines;
    find_local_words(active, op->bytes, offset, &access);
    local_lines(c, w, &access, &lines);
    count_tags(t, &lines, active, op->bytes);
    if (class == HAUL_CLASS_LOCAL_LOAD || class == HAUL_CLASS_GLOBAL_LOAD)
        load_local(c, w, t, &access);
    else
        store_local(c, w, t, &access, &lines);
}

/* ---- shared memory ---- */

/* What an atomic takes: a pass. */
static sim_wavefronts once(sim_bank_use use) {
    return (sim_wavefronts){use.wavefronts, 1};
}

static sim_wavefronts shared_wavefronts(uint8_t class, const uint32_t address[SIM_LANES], uint32_t active,
                                        unsigned bytes) {
    switch (class) {
    case HAUL_CLASS_SHARED_STORE:
    case HAUL_CLASS_GLOBAL_STORE: return sim_bank_store(address, active, bytes);
    case HAUL_CLASS_SHARED_ATOMIC: return once(sim_bank_atomic(address, active, bytes));
    default: return sim_bank_load(address, active, bytes);
    }
}

static void count_shared_part(sim_tally *t, uint8_t class, uint32_t active, const uint32_t address[SIM_LANES],
                              sim_part part) {
    uint32_t start[SIM_LANES];
    const uint32_t shift = (uint32_t)part.start;
    for (unsigned l = 0; l < SIM_LANES; l++) start[l] = address[l] + shift;
    sim_traffic_shared(&t->traffic, shared_wavefronts(class, start, active, part.width), active, part.width);
}

/* The lanes whose compare-and-swap succeeds: one for each bank, of which the halves of a warp have their own where
 * values have 8 bytes; and one for each address. */
static uint32_t swapping_lanes(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    const unsigned unit = bytes > 4 ? 8 : 4, half = bytes > 4 ? SIM_LANES / 2 : SIM_LANES;
    uint64_t key[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) key[l] = address[l] % (1u << SIM_LINE_SHIFT) / unit + l / half * SIM_LANES;
    uint32_t winners = sim_distinct_lanes(key, active);
    for (unsigned l = 0; l < SIM_LANES; l++) key[l] = address[l];
    return sim_distinct_lanes(key, winners);
}

/* Load, compute, compare-and-swap, until all lanes have had their turn. A compare-and-swap of 16 bits goes on with what
 * the last one found. */
static void count_loop(sim_tally *t, sim_tally *loads, uint32_t active, const uint32_t address[SIM_LANES],
                       unsigned bytes, bool loads_again) {
    for (bool first = true; active; active &= ~swapping_lanes(address, active, bytes), first = false) {
        if (first || loads_again)
            sim_traffic_shared(&loads->traffic, sim_bank_load(address, active, bytes), active, bytes);
        sim_traffic_shared(&t->traffic, once(sim_bank_atomic(address, active, bytes)), active, bytes);
    }
}

static bool is_atomic(uint8_t class) {
    return class == HAUL_CLASS_SHARED_ATOMIC || class == HAUL_CLASS_GLOBAL_ATOMIC ||
           class == HAUL_CLASS_GLOBAL_REDUCTION;
}

/* Lanes that are not the first one at their address wait. */
static void count_atomic(sim_counting *c, sim_tally *t, const uint32_t address[SIM_LANES], uint32_t active,
                         unsigned bytes) {
    const sim_bank_use use = sim_bank_atomic(address, active, bytes);
    c->shared_turns += sim_lanes(active) - use.units;
    sim_traffic_shared(&t->traffic, once(use), active, bytes);
}

void sim_count_shared(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint32_t address[SIM_LANES]) {
    (void)w;
    if (!is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    bool own = a->class >= HAUL_CLASS_SHARED_LOAD && a->class <= HAUL_CLASS_SHARED_ATOMIC;
    sim_tally *t = tally_at(c, op, own ? SIM_TALLY_OWN : SIM_TALLY_SHARED);
    if (own ? a->loops : a->loops_in_shared) {
        count_loop(t, tally_at(c, op, own ? SIM_TALLY_LOOP_LOADS : SIM_TALLY_SHARED_LOOP_LOADS), aggregate(a, active),
                   address, op->bytes, op->x != SIM_ATOMIC_CAS);
    } else if (is_atomic(a->class) && (a->plain || !own)) {
        count_atomic(c, t, address, aggregate(a, active), op->bytes);
    } else if (a->plain || !own) {
        sim_traffic_shared(&t->traffic, shared_wavefronts(a->class, address, active, op->bytes), active, op->bytes);
    } else {
        for (unsigned p = 0; p < a->part_count; p++) count_shared_part(t, a->class, active, address, a->parts[p]);
    }
}

/* The SMs whose memories are named count wavefronts; an instruction on shared memory it is for none. */
void sim_count_as_remote(sim_counting *c, const sim_op *op) {
    if (!is_counted(c, op)) return;
    const bool own = c->plan->assembled[op->instruction].class == HAUL_CLASS_SHARED_ATOMIC;
    tally_at(c, op, own ? SIM_TALLY_OWN : SIM_TALLY_SHARED)->traffic.instructions--;
}

/* Each matrix of eight rows is a pass of its own; passes of loads are not made as one. Such instructions are not among
 * those that Nsight Compute counts as shared loads and stores. */
void sim_count_matrices(sim_counting *c, const sim_op *op, uint32_t rows, const uint32_t address[SIM_LANES]) {
    if (!is_counted(c, op) || !rows) return;
    sim_tally *t = tally_at(c, op, SIM_TALLY_OWN);
    sim_traffic_shared(&t->traffic, sim_bank_store(address, rows, op->bytes), rows, op->bytes);
    t->matrix_accesses++;
}

/* ---- asynchronous copies ---- */

static void count_access_copy(sim_counting *c, const sim_op *op, uint32_t active, uint32_t filled,
                              const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]) {
    sim_tally *t = tally_at(c, op, SIM_TALLY_OWN);
    sim_lines lines;
    sim_traffic_ldgsts_access(&t->traffic, active, filled, source, destination, op->bytes, &lines);
    t->tag_sectors += lines.sectors;
    load_cached(c, t, &lines);
}

static void count_bypass_copy(sim_counting *c, const sim_op *op, uint32_t active, uint32_t filled,
                              const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]) {
    sim_tally *t = tally_at(c, op, SIM_TALLY_OWN);
    sim_bypass b;
    const bool sized = c->plan->assembled[op->instruction].sized;
    sim_traffic_ldgsts_bypass(&t->traffic, active, filled, sized, source, destination, op->bytes, &b);
    t->tag_sectors += b.tag_sectors;
    for (uint32_t i = 0; i < b.requests.count; i++) request_read(c, t, b.requests.line[i], b.requests.mask[i]);
}

void sim_count_ldgsts(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active, uint32_t filled,
                      const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]) {
    if (!is_counted(c, op)) return;
    take_policy(c, w, op, active);
    if (c->plan->assembled[op->instruction].class == HAUL_CLASS_LDGSTS_BYPASS)
        count_bypass_copy(c, op, active, filled, source, destination);
    else
        count_access_copy(c, op, active, filled, source, destination);
}

void sim_count_guarded_ldgsts(sim_counting *c, const sim_op *op, uint32_t reached, uint32_t active,
                              const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]) {
    sim_bypass all, some = {0};
    if (!is_counted(c, op) || reached == active) return;
    sim_bypass_groups(source, destination, reached, 0, &all);
    if (active) sim_bypass_groups(source, destination, active, 0, &some);
    c->unmasked_wavefronts += all.wavefronts - some.wavefronts;
    c->unmasked_sectors += all.sectors - some.sectors;
}

typedef struct bulk_count {
    sim_counting *counting;
    sim_tally *tally;
    const sim_bulk *bulk;
} bulk_count;

/* Hardware asks L2 for something where there is nothing; here that is the array's first line. */
static void bulk_read(void *context, uint64_t line, unsigned mask) {
    const bulk_count *b = context;
    if (line == SIM_NO_LINE) line = b->bulk->tensor.address >> SIM_LINE_SHIFT;
    request_read(b->counting, b->tally, line, mask);
}

static void bulk_write(void *context, uint64_t line, unsigned mask) {
    const bulk_count *b = context;
    sim_counting *c = b->counting;
    const uint32_t sectors = (uint32_t)__builtin_popcount(mask);
    b->tally->traffic.l2_requests++;
    b->tally->traffic.l2_sectors += sectors;
    if (b->bulk->kind == SIM_BULK_REDUCE) {
        add_to_log(c, line, mask, SIM_LOG_REDUCTION, 0, priority_of(c, line));
        c->reduced_bulk_sectors += sectors;
        return;
    }
    add_to_log(c, line, mask, SIM_LOG_WRITE, 32, priority_of(c, line));
    c->store_requests_issued++;
    c->store_sectors_issued += sectors;
}

static void count_box(bulk_count *b, bool loads, sim_bulk_request *request) {
    sim_tensor_walk walk;
    sim_tensor_row row;
    sim_tensor_walk_start(&walk, &b->bulk->tensor, b->bulk->at, !loads);
    while (sim_tensor_walk_next(&walk, &row))
        sim_traffic_row(&b->tally->traffic, &row, b->bulk->shared, loads, request, b);
}

void sim_count_bulk(sim_counting *c, const sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *bulk,
                    unsigned receivers) {
    if (!is_counted(c, op) || !bulk->bytes) return;
    take_policy(c, w, op, 1u << lane);
    bulk_count b = {.counting = c, .tally = tally_at(c, op, SIM_TALLY_OWN), .bulk = bulk};
    const sim_bulk_move move = {bulk->global, bulk->shared, bulk->bytes, bulk->kind == SIM_BULK_LOAD, false};
    sim_bulk_request *request = move.loads ? bulk_read : bulk_write;
    haul_traffic *t = &b.tally->traffic;
    const uint64_t before = t->sectors;
    t->instructions++;
    t->requests++;
    c->reduced_bulks += bulk->kind == SIM_BULK_REDUCE;
    if (bulk->tensor.rank)
        count_box(&b, move.loads, request);
    else
        sim_traffic_bulk(t, &move, request, &b);
    t->sectors = before + (t->sectors - before) * receivers; /* each SM that receives counts them */
}

/* ---- the rest ---- */

void sim_count_barrier(sim_counting *c, const sim_warp *w) {
    flush_warp(c, w);
    pending_volatile(c, w)->warp = NULL;
}

void sim_count_acquire(sim_counting *c) {
    if (c) sim_l1_clear(c->l1);
}

void sim_count_block(sim_counting *c, uint32_t block, uint32_t active) {
    c->block_runs[block]++;
    c->block_threads[block] += sim_lanes(active);
}

void sim_count_instruction(sim_counting *c, uint32_t instruction, uint32_t active) {
    c->instruction_runs[instruction]++;
    c->instruction_threads[instruction] += sim_lanes(active);
}
