/* Counting accesses to global and constant memory: L1, and requests to L2. */
#include "count/access.h"

#include "assembler/values.h"
#include "count/loops.h"
#include "count/samples.h"
#include "count/vectors.h"

#include <string.h>

/* ---- stores before they reach L2 ---- */

/* Logs the combined stores of a slot and frees it. */
static void send_slot(sim_counting *c, unsigned slot) {
    sim_pending_stores *p = &c->pending;
    sim_log_change(c, p->line[slot], p->mask[slot], SIM_LOG_WRITE, p->bytes[slot], (sim_priority)p->priority[slot]);
    if (p->bytes[slot] < 32) c->partial_sectors += (uint32_t)__builtin_popcount(p->mask[slot]);
    p->mask[slot] = 0;
}

void sim_counting_flush(sim_counting *c) {
    for (uint32_t i = 0; i < c->pending.count; i++)
        if (c->pending.mask[c->pending.used[i]]) send_slot(c, c->pending.used[i]);
    c->pending.count = 0;
}

/* Sends the warp's pending stores, before a load that could read them. */
static void flush_warp(sim_counting *c, const sim_warp *w) {
    if (c->pending.count && c->pending.warp == w) sim_counting_flush(c);
}

/* Returns true if the store was combined with a pending one. */
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
    p->priority[slot] = (uint8_t)sim_line_priority(c, line);
    return false;
}

/* Only one warp's stores are pending at a time: another warp's are sent first. */
static void begin_stores(sim_counting *c, const sim_warp *w) {
    if (c->pending.warp == w) return;
    sim_counting_flush(c);
    c->pending.warp = w;
    c->pending.next = 0;
}

enum { SECTOR_BYTES = 1 << SIM_SECTOR_SHIFT };

/* average: bytes written per sector */
static inline void store_line(sim_counting *c, sim_tally *t, uint64_t line, unsigned mask, uint32_t average) {
    const unsigned hits = average == SECTOR_BYTES ? sim_l1_load(c->l1, line, mask) : sim_l1_probe(c->l1, line, mask);
    c->store_hits += (uint32_t)__builtin_popcount(hits);
    if (!combine(c, line, mask, average)) t->traffic.l2_requests++;
}

/* Adds a warp's store to the counters: the lines and sectors that it writes. */
static void end_stores(sim_counting *c, sim_tally *t, uint32_t lines, uint32_t sectors) {
    t->traffic.l2_sectors += sectors;
    c->store_requests_issued += lines;
    c->store_sectors_issued += sectors;
}

/* Returns the bytes that a store writes to each sector on average, at most a whole one. */
static uint32_t average_bytes(uint32_t bytes, uint32_t sectors) {
    const uint32_t average = bytes / sectors;
    return average < SECTOR_BYTES ? average : SECTOR_BYTES;
}

/* Returns the entry of the warp's last volatile load, by its place on the SM. Another warp may have written it. */
static sim_pending_volatile *pending_volatile(sim_counting *c, const sim_warp *w) {
    return &c->in_flight[sim_warp_place(w) % SIM_RESIDENT_WARPS];
}

/* The warp writes the lines: an answer in flight no longer serves its next volatile load of them. */
static void drop_answer(sim_counting *c, const sim_warp *w, uint64_t first_line, uint64_t last_line) {
    sim_pending_volatile *p = pending_volatile(c, w);
    if (p->warp != w) return;
    for (uint32_t i = 0; i < p->lines.count; i++)
        if (p->lines.line[i] >= first_line && p->lines.line[i] <= last_line) p->warp = NULL;
}

/* As drop_answer(), for the lines of an access. */
static void drop_answers(sim_counting *c, const sim_warp *w, const sim_lines *lines) {
    if (pending_volatile(c, w)->warp != w) return;
    for (uint32_t i = 0; i < lines->count; i++) drop_answer(c, w, lines->line[i], lines->line[i]);
}

/* Returns L1 hits. Stores that cover whole sectors allocate. */
static uint32_t store_in_l1(sim_counting *c, const sim_lines *lines, uint32_t average) {
    uint8_t missing[SIM_LANES];
    return average == SECTOR_BYTES ? sim_l1_load_lines(c->l1, lines, missing)
                                   : sim_l1_probe_lines(c->l1, lines, missing);
}

uint32_t sim_store_lines(sim_counting *c, const sim_warp *w, sim_tally *t, const sim_lines *lines, uint32_t bytes) {
    const uint32_t average = average_bytes(bytes, lines->sectors);
    begin_stores(c, w);
    drop_answers(c, w, lines);
    const uint32_t hits = store_in_l1(c, lines, average);
    for (uint32_t i = 0; i < lines->count; i++)
        t->traffic.l2_requests += !combine(c, lines->line[i], lines->mask[i], average);
    end_stores(c, t, lines->count, lines->sectors);
    return hits;
}

/* On a busy SM stores are combined only if none of another warp comes between: those of a warp that follow each other
 * in its code, and take a wavefront each. An exact division between them is a function in machine code. */
static bool follows_store(const sim_counting *c, uint32_t instruction, uint32_t lines) {
    enum { NEAR = 4, LINES_OF_A_WAVEFRONT = 4 };
    const uint32_t next = c->pending.next;
    if (next == 0 || instruction < next || instruction - next >= NEAR || lines > LINES_OF_A_WAVEFRONT) return false;
    for (uint32_t i = next; i < instruction; i++)
        if (sim_is_call(&c->plan->function->instructions[i])) return false;
    return true;
}

/* A store of parts of sectors. `joined`: L2 gets it with pending ones. */
static void note_parts(sim_counting *c, const sim_op *op, uint32_t lines, uint32_t sectors, bool joined) {
    const bool combined = joined && follows_store(c, op->instruction, lines);
    c->pending.next = op->instruction + 1;
    if (combined) return;
    c->partial_requests += lines;
    c->partial_writes += sectors;
}

static void store_global(sim_counting *c, const sim_warp *w, const sim_op *op, sim_tally *t, const sim_lines *lines,
                         uint32_t bytes) {
    const uint64_t before = t->traffic.l2_requests;
    c->store_hits += sim_store_lines(c, w, t, lines, bytes);
    if (bytes < lines->sectors * SECTOR_BYTES)
        note_parts(c, op, lines->count, lines->sectors, t->traffic.l2_requests == before);
}

/* ---- loads ---- */

/* Requests missing sectors from L2, or adds them to the last request if that is for the same line. */
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
    *last = (sim_last_read){line, sim_log_add(&c->log, line, mask, SIM_LOG_READ, 0, sim_line_priority(c, line))};
}

void sim_request_read(sim_counting *c, sim_tally *t, uint64_t line, unsigned mask) {
    request_read(c, t, line, mask);
}

/* Finds where the log puts requests for the lines; many lines are handled by vector code. */
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

/* Makes room for an access's requests and one scratch entry. The last read is the last entry of its slice, which may
 * have moved. */
static bool make_log_room(sim_counting *c) {
    sim_last_read *last = &c->last_read;
    if (sim_log_has_room(&c->log, SIM_LANES + 1)) return true;
    const bool grown = sim_log_reserve(&c->log, SIM_LANES + 1);
    const sim_log_slice *slice = &c->log.slices[sim_log_slice_of(last->line)];
    if (last->entry) last->entry = &slice->entries[slice->count - 1];
    return grown;
}

/* Logs requests for distinct lines, one after the other: the sectors in `masks` of each. Returns their number and the
 * last one in `latest`. Whether a line is requested is unpredictable, hence branch-free. */
static uint32_t log_requests(sim_counting *c, const sim_lines *lines, const uint8_t masks[SIM_LANES], sim_log_kind kind,
                             sim_last_read *latest) {
    const bool ranked = c->policy | c->plan->window.bytes;
    sim_log_places places;
    uint32_t requests = 0, last = 0;
    if (!make_log_room(c)) return 0;
    find_log_places(lines, &places);
    for (uint32_t i = 0; i < lines->count; i++) {
        const sim_priority priority = ranked ? sim_line_priority(c, lines->line[i]) : SIM_PRIORITY_NORMAL;
        const bool is_asked = masks[i] != 0;
        sim_log_slice *slice = &c->log.slices[places.slice[i]];
        slice->entries[slice->count] = places.entry[i] | sim_log_request(masks[i], kind, 0, priority);
        slice->count += is_asked;
        requests += is_asked;
        last = is_asked ? i : last;
    }
    const sim_log_slice *slice = &c->log.slices[places.slice[last]];
    if (requests) *latest = (sim_last_read){lines->line[last], &slice->entries[slice->count - 1]};
    return requests;
}

/* Adds up the bits of `lines` bytes. */
static uint32_t count_sectors(const uint8_t masks[SIM_LANES], uint32_t lines) {
    uint64_t bytes[SIM_LANES / 8] = {0};
    uint32_t sectors = 0;
    memcpy(bytes, masks, lines);
    for (uint32_t i = 0; i < SIM_LANES / 8; i++) sectors += (uint32_t)__builtin_popcountll(bytes[i]);
    return sectors;
}

/* Requests lines from L2. Only the first may join the previous request, since the others are for other lines. */
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

/* Loads sectors of a line through L1 and requests those that miss. */
static inline void load_line(sim_counting *c, sim_tally *t, uint64_t line, unsigned mask) {
    const unsigned hits = sim_l1_load(c->l1, line, mask);
    t->traffic.hits += (uint32_t)__builtin_popcount(hits);
    if (hits != mask) request_read(c, t, line, mask & ~hits);
}

void sim_load_cached(sim_counting *c, sim_tally *t, const sim_lines *lines) {
    uint8_t missing[SIM_LANES];
    const uint32_t hits = sim_l1_load_lines(c->l1, lines, missing);
    t->traffic.hits += hits;
    t->missed += hits < lines->sectors;
    request_lines(c, t, lines, missing);
}

/* Loads that one answer can serve. */
enum { MOST_SERVED = 4 };

/* Returns the sectors of the line that a load gets from an answer in flight; `served` becomes the number of loads that
 * the answer then serves. */
static unsigned take_answer(const sim_pending_volatile *p, uint64_t line, uint8_t *served) {
    *served = 1;
    for (uint32_t i = 0; i < p->lines.count; i++) {
        if (p->lines.line[i] != line || p->served[i] == MOST_SERVED) continue;
        *served = (uint8_t)(p->served[i] + 1);
        return p->lines.mask[i];
    }
    return 0;
}

/* A volatile load bypasses L1, but shares the answer of a load of the same warp that is still in flight: an earlier
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
    t->missed++;
    p->warp = w;
    p->instruction = op->instruction;
    p->lines = *lines;
    memcpy(p->served, served, lines->count);
}

/* Loads from L2 and invalidates the lines in L1. */
static void load_uncached(sim_counting *c, sim_tally *t, const sim_lines *lines) {
    uint8_t masks[SIM_LANES];
    memcpy(masks, lines->mask, sizeof masks);
    sim_l1_drop_lines(c->l1, lines);
    t->missed++;
    request_lines(c, t, lines, masks);
}

/* Loads that hit lines in L1 but do not allocate any. */
static void load_if_there(sim_counting *c, sim_tally *t, const sim_lines *lines) {
    uint8_t missing[SIM_LANES];
    const uint32_t hits = sim_l1_probe_lines(c->l1, lines, missing);
    t->traffic.hits += hits;
    t->missed += hits < lines->sectors;
    request_lines(c, t, lines, missing);
}

/* Loads lines as the assembler caches them. All but read-only loads are ordered after the warp's stores. */
static void load_lines(sim_counting *c, const sim_warp *w, const sim_op *op, sim_tally *t, const sim_lines *lines) {
    switch (c->plan->assembled[op->instruction].caching) {
    case SIM_CACHED_READ_ONLY: sim_load_cached(c, t, lines); return;
    case SIM_CACHED:
        flush_warp(c, w);
        sim_load_cached(c, t, lines);
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

typedef struct update_count {
    sim_counting *counting;
    const sim_warp *warp;
    const sim_op *op;
    sim_tally *tally;
    sim_log_kind kind;
} update_count;

static bool adds_floats(const update_count *u) {
    const uint8_t type = u->counting->plan->function->instructions[u->op->instruction].type;
    return ptx_types[type].kind == 'F';
}

/* Floats are added to a sector one after the other. */
static void note_additions(sim_counting *c, const sim_lines *lines) {
    for (uint32_t i = 0; i < lines->count; i++)
        for (uint32_t left = lines->mask[i]; left; left &= left - 1)
            c->added[sim_hot_sector(lines->line[i], (uint32_t)__builtin_ctz(left))]++;
}

/* Counts one round of an atomic: requests to L2 and the time its slices take. */
static void log_lines(void *context, const sim_lines *lines) {
    update_count *u = context;
    sim_last_read ignored;
    flush_warp(u->counting, u->warp);
    u->counting->last_read.entry = NULL; /* anything but a read ends the chance to join the last one */
    log_requests(u->counting, lines, lines->mask, u->kind, &ignored);
    for (uint32_t i = 0; i < lines->count; i++)
        u->counting->hot[sim_hot_place(lines->line[i])] += (uint32_t)__builtin_popcount(lines->mask[i]);
    if (adds_floats(u)) note_additions(u->counting, lines);
    u->tally->tag_sectors += lines->sectors;
    u->tally->traffic.l2_requests += lines->count;
    u->tally->traffic.l2_sectors += lines->sectors;
}

static void update_lines(void *context, const sim_lines *lines) {
    const update_count *u = context;
    sim_l1_drop_lines(u->counting->l1, lines);
    log_lines(context, lines);
}

/* Counts the loads of a compare-and-swap loop. All warps of an SM load before the first swap invalidates anything in
 * L1. */
static void load_update_lines(void *context, const sim_lines *lines) {
    const update_count *u = context;
    sim_tally *loads = sim_tally_at(u->counting, u->op, SIM_TALLY_LOOP_LOADS);
    loads->tag_sectors += lines->sectors;
    load_lines(u->counting, u->warp, u->op, loads, lines);
}

void sim_count_update(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint64_t address[SIM_LANES]) {
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    const sim_log_kind kind = a->class == HAUL_CLASS_GLOBAL_ATOMIC ? SIM_LOG_ATOMIC : SIM_LOG_REDUCTION;
    const uint32_t lanes = sim_aggregated_lanes(a, active);
    update_count u = {c, w, op, sim_tally_at(c, op, SIM_TALLY_OWN), kind};
    const uint64_t before = u.tally->tag_sectors, issued = u.tally->traffic.instructions;
    if (a->loops)
        sim_traffic_half_update(&sim_tally_at(c, op, SIM_TALLY_LOOP_LOADS)->traffic, &u.tally->traffic, address, active,
                                load_update_lines, log_lines, &u);
    else
        sim_traffic_update(&u.tally->traffic, address, lanes, op->bytes, update_lines, &u);
    if (a->generic) sim_count_passing_atomics(c, op, lanes, (uint32_t)(u.tally->traffic.instructions - issued));
    if (u.tally->tag_sectors - before > sim_ideal_sectors(lanes, op->bytes))
        sim_sample(c, op->instruction, lanes, op->bytes, address, NULL);
}

static void count_global_lines(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active, unsigned bytes,
                               const sim_lines *lines) {
    sim_tally *t = sim_tally_at(c, op, SIM_TALLY_OWN);
    sim_count_tags(t, lines, active, bytes);
    switch (c->plan->assembled[op->instruction].class) {
    case HAUL_CLASS_GLOBAL_STORE: store_global(c, w, op, t, lines, sim_lanes(active) * bytes); break;
    default:
        c->data_wavefronts += sim_data_wavefronts(lines);
        load_lines(c, w, op, t, lines);
        break;
    }
}

/* Counts one access of the machine, and samples its addresses if it touches more sectors than needed. */
static void count_global_part(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                              const uint64_t address[SIM_LANES], unsigned bytes) {
    sim_lines lines;
    sim_coalesce(address, active, bytes, &lines);
    if (lines.sectors > sim_ideal_sectors(active, bytes)) sim_sample(c, op->instruction, active, bytes, address, NULL);
    count_global_lines(c, w, op, active, bytes, &lines);
}

/* Counts the machine accesses that the assembler splits or merges a PTX access into. */
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
    if (!sim_is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    sim_take_policy(c, w, op, active);
    if (a->class == HAUL_CLASS_GLOBAL_ATOMIC || a->class == HAUL_CLASS_GLOBAL_REDUCTION) {
        if (!c->is_deferring || !sim_count_defer(c, w, op, active, address))
            sim_count_update(c, w, op, active, address);
    } else if (a->plain) {
        count_global_part(c, w, op, active, address, op->bytes);
    } else {
        count_global_parts(c, w, op, active, address, a);
    }
}

/* Counts adjacent lines, through L1, of which a whole warp touches every sector from that of byte `first` to that of
 * byte `last`. */
static void count_run(sim_counting *c, const sim_warp *w, const sim_op *op, uint64_t first, uint64_t last,
                      unsigned bytes) {
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    const bool is_store = a->class == HAUL_CLASS_GLOBAL_STORE;
    sim_tally *t = sim_tally_at(c, op, SIM_TALLY_OWN);
    const uint64_t first_line = first >> SIM_LINE_SHIFT, last_line = last >> SIM_LINE_SHIFT;
    const uint32_t count = (uint32_t)(last_line - first_line) + 1,
                   sectors = (uint32_t)((last >> SIM_SECTOR_SHIFT) - (first >> SIM_SECTOR_SHIFT)) + 1,
                   average = average_bytes(SIM_LANES * bytes, sectors);
    const unsigned tail = 15u >> (3 - (last >> SIM_SECTOR_SHIFT & 3));
    unsigned mask = 15u << (first >> SIM_SECTOR_SHIFT & 3) & 15;
    const uint64_t requests = t->traffic.l2_requests, hits = t->traffic.hits;
    sim_traffic_pass(&t->traffic, sectors, sim_tag_wavefronts_of_run(first_line, count), SIM_ALL_LANES, bytes);
    t->tag_sectors += sectors;
    if (is_store) {
        begin_stores(c, w);
        drop_answer(c, w, first_line, last_line);
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
    if (is_store) {
        const bool has_gaps = sectors > SIM_LANES * bytes / SECTOR_BYTES + 1; /* its ends alone cost nothing */
        end_stores(c, t, count, sectors);
        if (has_gaps) note_parts(c, op, count, sectors, t->traffic.l2_requests == requests);
        return;
    }
    t->missed += t->traffic.hits - hits < sectors;
    c->data_wavefronts += sim_data_wavefronts_of_run(sectors);
}

/* Computes the lanes' addresses of an access that count_span() knows by two addresses and a stride. */
static void find_span_lanes(uint64_t first, uint64_t second, uint64_t stride, uint64_t start[SIM_LANES]) {
    for (unsigned l = 0; l < SIM_LANES; l++)
        start[l] = (l < SIM_LANES / 2 ? first : second) + l % (SIM_LANES / 2) * stride;
}

/* Finds the lines of both halves of the warp, which begin at `first` and `second` and have lanes `stride` bytes
 * apart. */
static void find_span_lines(uint64_t first, uint64_t second, uint64_t stride, unsigned bytes, sim_lines *lines) {
    const uint64_t reach = (SIM_LANES / 2 - 1) * stride + bytes - 1;
    const uint64_t lower = first < second ? first : second, upper = first < second ? second : first;
    if ((lower + reach) >> SIM_LINE_SHIFT >= upper >> SIM_LINE_SHIFT) { /* the halves may share lines */
        uint64_t start[SIM_LANES];
        find_span_lanes(first, second, stride, start);
        sim_coalesce(start, SIM_ALL_LANES, bytes, lines);
        return;
    }
    sim_add_span(first, first + reach, lines);
    sim_add_span(second, second + reach, lines);
}

/* True for accesses that count_run() can count: stores and loads cached in L1. */
static bool is_ordinary(const sim_assembled *a) {
    return a->class == HAUL_CLASS_GLOBAL_STORE || a->caching == SIM_CACHED || a->caching == SIM_CACHED_READ_ONLY;
}

/* Keeps the lanes' addresses of a wasteful access, if its instruction still wants a sample. */
static void sample_span(sim_counting *c, const sim_op *op, uint64_t first, uint64_t second, uint64_t stride,
                        unsigned bytes) {
    uint64_t start[SIM_LANES];
    if (!sim_samples_want(c, op->instruction)) return;
    find_span_lanes(first, second, stride, start);
    sim_samples_keep(c, op->instruction, SIM_ALL_LANES, bytes, start, NULL);
}

/* Counts an access whose lanes are known by two addresses and a stride, without looking at each lane. */
static void count_span(sim_counting *c, const sim_warp *w, const sim_op *op, uint64_t first, uint64_t second,
                       uint64_t stride, unsigned bytes) {
    const bool halves_meet = second - first == SIM_LANES / 2 * stride;
    const uint64_t last = first + (SIM_LANES - 1) * stride + bytes - 1;
    const uint32_t ideal = sim_ideal_sectors(SIM_ALL_LANES, bytes);
    sim_lines lines;
    if (halves_meet && (last >> SIM_SECTOR_SHIFT) - (first >> SIM_SECTOR_SHIFT) >= ideal)
        sample_span(c, op, first, second, stride, bytes);
    if (halves_meet && is_ordinary(&c->plan->assembled[op->instruction])) {
        count_run(c, w, op, first, last, bytes);
        return;
    }
    lines.count = lines.sectors = 0;
    if (halves_meet)
        sim_add_span(first, last, &lines);
    else
        find_span_lines(first, second, stride, bytes, &lines);
    if (!halves_meet && lines.sectors > ideal) sample_span(c, op, first, second, stride, bytes);
    count_global_lines(c, w, op, SIM_ALL_LANES, bytes, &lines);
}

void sim_count_global_span(sim_counting *c, const sim_warp *w, const sim_op *op, uint64_t first, uint64_t second,
                           uint64_t stride) {
    if (!sim_is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    sim_take_policy(c, w, op, SIM_ALL_LANES);
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
    if (!sim_is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    haul_traffic *t = &sim_tally_at(c, op, SIM_TALLY_OWN)->traffic;
    for (unsigned p = 0; p < a->part_count; p++) {
        uint64_t start[SIM_LANES];
        for (unsigned l = 0; l < SIM_LANES; l++) start[l] = address[l] + (uint64_t)(int64_t)a->parts[p].start;
        const sim_constant_use use = sim_idc_load(&c->constants, (unsigned)sim_warp_place(w), active, start);
        if (use.requests > 1) sim_sample(c, op->instruction, active, a->parts[p].width, start, NULL);
        t->instructions++;
        t->requests += use.requests;
        t->hits += use.hits;
        t->bytes += (uint64_t)sim_lanes(active) * a->parts[p].width;
    }
}

/* ---- other events ---- */

void sim_count_barrier(sim_counting *c, const sim_warp *w) {
    if (!c) return;
    flush_warp(c, w);
    pending_volatile(c, w)->warp = NULL;
    sim_loops_barrier(c, w);
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
