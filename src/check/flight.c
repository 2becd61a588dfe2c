/* The global side of asynchronous copies: reports writes to their sources and uses of their destinations while they are
 * in flight. */
#include "base/memory.h"
#include "check/internal.h"
#include "machine/tensor.h"

static sim_flights *flights_of(const sim_block *b) {
    return &sim_domain_of(b)->flights[b->rank];
}

static bool overlap(uint64_t from, uint64_t to, uint64_t other_from, uint64_t other_to) {
    return from < other_to && other_from < to;
}

static void widen(sim_span *s, uint64_t from, uint64_t to) {
    const bool empty = s->from == s->to;
    if (empty || from < s->from) s->from = from;
    if (empty || to > s->to) s->to = to;
}

static bool is_empty(const sim_spans *s) {
    return s->count == 0;
}

/* Adds the range that an instruction's copy touches. The last span is shared by all further instructions. */
static void add_span(sim_spans *s, uint32_t instruction, const sim_span *span) {
    uint32_t i = 0;
    while (i < s->count && s->instruction[i] != instruction && i < SIM_SPANS - 1) i++;
    if (i == s->count) s->instruction[s->count++] = instruction;
    widen(&s->list[i], span->from, span->to);
    widen(&s->all, span->from, span->to);
}

static bool overlaps_any(const sim_spans *s, uint64_t from, uint64_t to) {
    if (!overlap(from, to, s->all.from, s->all.to)) return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (overlap(from, to, s->list[i].from, s->list[i].to)) return true;
    return false;
}

/* ---- the range of a copy ---- */

typedef bool range_fn(void *context, uint64_t from, uint64_t to);

/* Calls `visit` for each range of global memory that the copy touches, until one call returns true. */
static bool any_range(const sim_bulk *bulk, range_fn *visit, void *context) {
    sim_tensor_walk walk;
    sim_tensor_row row;
    if (!bulk->tensor.rank) return visit(context, bulk->global, bulk->global + bulk->bytes);
    sim_tensor_walk_start(&walk, &bulk->tensor, bulk->at, bulk->kind != SIM_BULK_LOAD);
    while (sim_tensor_walk_next(&walk, &row))
        if (row.to > row.from && visit(context, row.global, row.global + row.to - row.from)) return true;
    return false;
}

static bool add_range(void *context, uint64_t from, uint64_t to) {
    widen(context, from, to);
    return false;
}

static bool overlaps_range(void *context, uint64_t from, uint64_t to) {
    const sim_span *s = context;
    return overlap(s->from, s->to, from, to);
}

/* ---- reports ---- */

typedef struct flight_access {
    sim_warp *w;
    haul_action action;
    uint32_t instruction;
    unsigned lane;
    uint64_t from, to; /* what is accessed */
} flight_access;

static sim_finding *report(const flight_access *m, haul_finding_kind kind, haul_action action, uint32_t instruction,
                           uint32_t thread) {
    const sim_suspect s = {.kind = kind,
                           .action = m->action,
                           .other_action = action,
                           .instruction = m->instruction,
                           .other_instruction = instruction,
                           .lanes = 1u << m->lane,
                           .thread = thread,
                           .space = HAUL_SPACE_GLOBAL,
                           .address = m->from,
                           .bytes = (uint32_t)(m->to - m->from)};
    return sim_hazard_report(m->w, &s);
}

static haul_action action_of(const sim_flight *f) {
    return f->bulk.kind == SIM_BULK_LOAD     ? HAUL_ACTION_ASYNC_READ
           : f->bulk.kind == SIM_BULK_REDUCE ? HAUL_ACTION_ATOMIC
                                             : HAUL_ACTION_ASYNC_WRITE;
}

/* Checks an access against a bulk load: writing its source is an error until the thread has waited for its mbarrier. */
static void check_load(const flight_access *m, const sim_flight *f) {
    const sim_view *v = sim_view_of(sim_domain_of(m->w->block), sim_actor(m->w), m->lane);
    if (sim_only_reads(m->action) || (f->time && sim_known_lanes(&v->order[f->actor], f->time))) return;
    sim_finding *found =
        report(m, HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, HAUL_ACTION_ASYNC_READ, f->bulk.instruction, f->thread);
    if (found) sim_hazard_say(found, "this thread has not waited for the mbarrier that the copy completes on");
}

/* Checks an access against a bulk store or reduction, whose destination must not be used before its thread's wait. */
static void check_store(const flight_access *m, const sim_flight *f) {
    if (f->bulk.kind == SIM_BULK_REDUCE && m->action == HAUL_ACTION_ATOMIC) return;
    const bool both = m->action == HAUL_ACTION_ASYNC_WRITE || m->action == HAUL_ACTION_ATOMIC;
    sim_finding *found = report(m, both ? HAUL_FINDING_RACE_GLOBAL : HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, action_of(f),
                                f->bulk.instruction, f->thread);
    if (!found) return;
    if (both)
        sim_hazard_say(found, "no wait has covered the earlier copy's writing, so it may arrive after this");
    else if (f->read)
        sim_hazard_say(found,
                       "cp.async.bulk.wait_group.read has waited until the copy's source was read, not until its "
                       "destination was written");
    else
        sim_hazard_say(found, "no wait of the thread that issued the copy has covered its writing yet");
}

/* Checks an access against one bulk copy, first by its bounds, then by its exact ranges. */
static void check_flight(const flight_access *m, const sim_flight *f) {
    sim_span span = {m->from, m->to};
    if (!f->used || !overlap(m->from, m->to, f->from, f->to) || !any_range(&f->bulk, overlaps_range, &span)) return;
    if (f->bulk.kind == SIM_BULK_LOAD)
        check_load(m, f);
    else
        check_store(m, f);
}

/* Checks a write against the sources of one cp.async. */
static void check_copy(const flight_access *m, const sim_block *b, uint32_t warp, const sim_copy *c) {
    for (uint32_t left = c->lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        if (!overlap(m->from, m->to, c->source[l], c->source[l] + c->read[l])) continue;
        const uint32_t actor = b->rank * sim_domain_of(b)->warps + warp;
        sim_finding *f = report(m, HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, HAUL_ACTION_ASYNC_READ, c->op->instruction,
                                actor * SIM_LANES + l);
        if (f) sim_hazard_say(f, "no wait of the thread that issued the copy has covered its reading yet");
        return;
    }
}

/* Checks all the lanes' stores, which lie in the span, against cp.async sources. */
static void check_copies(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                         haul_action action, const sim_span *span) {
    const sim_block *b = w->block;
    for (uint32_t i = 0; i < b->async.queue_count; i++) {
        const sim_copy_queue *q = &b->async.queues[i];
        for (size_t k = q->first; k < q->first + q->count; k++) {
            const sim_copy *c = &q->copies[k];
            if (!c->bytes || !overlap(span->from, span->to, c->from, c->to)) continue;
            for (uint32_t left = active; left; left &= left - 1) {
                const unsigned l = (unsigned)__builtin_ctz(left);
                const flight_access m = {w, action, op->instruction, l, address[l], address[l] + op->bytes};
                check_copy(&m, b, i, c);
            }
        }
    }
}

/* True if an access to from .. to-1 may touch the range of a copy in flight. */
static bool may_overlap(const sim_flights *f, uint64_t from, uint64_t to, bool writes) {
    if (overlaps_any(&f->writes, from, to)) return true;
    return writes && (overlaps_any(&f->reads, from, to) || overlaps_any(&f->copies, from, to));
}

static void check_access(const flight_access *m) {
    const sim_flights *x = flights_of(m->w->block);
    if (!may_overlap(x, m->from, m->to, !sim_only_reads(m->action))) return;
    for (uint32_t i = 0; x->list && i < SIM_FLIGHTS; i++) check_flight(m, &x->list[i]);
}

static sim_span span_of(uint32_t active, const uint64_t address[SIM_LANES], uint32_t bytes) {
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint64_t out = (active >> l & 1) - 1ull; /* all ones for inactive lanes */
        low = (address[l] | out) < low ? (address[l] | out) : low;
        high = (address[l] & ~out) > high ? (address[l] & ~out) : high;
    }
    return (sim_span){low, high + bytes};
}

bool sim_flights_matter(const sim_warp *w, haul_action action) {
    const sim_flights *x = flights_of(w->block);
    return x->writing || (!sim_only_reads(action) && (!is_empty(&x->reads) || !is_empty(&x->copies)));
}

void sim_flight_check(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                      haul_action action) {
    const sim_flights *x = flights_of(w->block);
    const bool writes = !sim_only_reads(action);
    if (!sim_flights_matter(w, action)) return;
    const sim_span span = span_of(active, address, op->bytes);
    if (!may_overlap(x, span.from, span.to, writes)) return;
    if (writes && overlaps_any(&x->copies, span.from, span.to)) check_copies(w, op, active, address, action, &span);
    for (; active && x->list; active &= active - 1) {
        const unsigned l = (unsigned)__builtin_ctz(active);
        check_access(&(flight_access){.w = w,
                                      .action = action,
                                      .instruction = op->instruction,
                                      .lane = l,
                                      .from = address[l],
                                      .to = address[l] + op->bytes});
    }
}

/* The engine reads the map as it reads a copy's source: until the mbarrier's phase, or the wait for the reading. */
static bool may_read_map(const sim_warp *w, unsigned lane, const sim_flight *f) {
    if (f->bulk.kind != SIM_BULK_LOAD) return !f->read;
    const sim_view *v = sim_view_of(sim_domain_of(w->block), sim_actor(w), lane);
    return !f->time || !sim_known_lanes(&v->order[f->actor], f->time);
}

void sim_flight_check_map(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const sim_flights *x = flights_of(w->block);
    for (uint32_t i = 0; x->list && i < SIM_FLIGHTS; i++) {
        const sim_flight *f = &x->list[i];
        if (!f->used || f->bulk.map != address || !may_read_map(w, lane, f)) continue;
        const flight_access m = {w, HAUL_ACTION_WRITE, op->instruction, lane, address, address + SIM_TENSOR_MAP_BYTES};
        sim_finding *found =
            report(&m, HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, HAUL_ACTION_ASYNC_READ, f->bulk.instruction, f->thread);
        if (found)
            sim_hazard_say(found, "this is the tensor map of a copy that no wait of this thread has covered, so the "
                                  "copy may use the new map");
        return;
    }
}

/* ---- life of a copy ---- */

/* Logs the global memory that a copy touches, for the race checks of global_play.c. */
static void log_range(sim_block *b, const sim_bulk *bulk, haul_action action) {
    sim_tensor_walk walk;
    sim_tensor_row row;
    const sim_range_kind kind = action == HAUL_ACTION_ASYNC_READ ? SIM_RANGE_WATCHED : SIM_RANGE_PLAIN;
    if (!bulk->tensor.rank) {
        sim_hazard_global_range(b, bulk->thread, bulk->instruction, bulk->global, bulk->bytes, action, kind);
        return;
    }
    sim_tensor_walk_start(&walk, &bulk->tensor, bulk->at, bulk->kind != SIM_BULK_LOAD);
    while (sim_tensor_walk_next(&walk, &row))
        sim_hazard_global_range(b, bulk->thread, bulk->instruction, row.global, row.to - row.from, action, kind);
}

/* A store is complete as far as its thread is concerned: from now on it is an access like others. */
static void complete(sim_block *b, sim_flights *x, sim_flight *f) {
    f->used = false;
    if (f->bulk.kind == SIM_BULK_LOAD) return;
    log_range(b, &f->bulk, action_of(f));
    if (--x->writing == 0) x->writes = (sim_spans){0};
}

/* Returns a free entry of the ring. A store that is evicted from it counts as complete. */
static sim_flight *take_place(sim_block *b, sim_flights *x) {
    if (!x->list) x->list = memory_zeroed(SIM_FLIGHTS, sizeof *x->list);
    if (!x->list) {
        sim_domain_of(b)->owner->failed = true;
        return NULL;
    }
    sim_flight *f = &x->list[x->next++ % SIM_FLIGHTS];
    if (f->used) complete(b, x, f);
    return f;
}

typedef struct issuing {
    sim_warp *w;
    const sim_bulk *bulk;
    unsigned lane;
} issuing;

static bool check_part(void *context, uint64_t from, uint64_t to) {
    const issuing *i = context;
    const unsigned kind = i->bulk->kind;
    check_access(&(flight_access){.w = i->w,
                                  .action = kind == SIM_BULK_LOAD     ? HAUL_ACTION_ASYNC_READ
                                            : kind == SIM_BULK_REDUCE ? HAUL_ACTION_ATOMIC
                                                                      : HAUL_ACTION_ASYNC_WRITE,
                                  .instruction = i->bulk->instruction,
                                  .lane = i->lane,
                                  .from = from,
                                  .to = to});
    return false;
}

void sim_flight_begin(sim_warp *w, unsigned lane, const sim_block *to, const sim_bulk *bulk) {
    sim_flights *x = flights_of(w->block);
    sim_span span = {0, 0};
    if (bulk->has_value || bulk->source || bulk->repeats) return;
    if (bulk->kind == SIM_BULK_LOAD) log_range(w->block, bulk, HAUL_ACTION_ASYNC_READ);
    any_range(bulk, check_part, &(issuing){.w = w, .bulk = bulk, .lane = lane});
    any_range(bulk, add_range, &span);
    sim_flight *f = span.from != span.to && to == w->block ? take_place(w->block, x) : NULL;
    if (!f) return;
    *f = (sim_flight){.bulk = *bulk,
                      .from = span.from,
                      .to = span.to,
                      .thread = (uint16_t)(sim_actor(w) * SIM_LANES + lane),
                      .used = true};
    x->writing += bulk->kind != SIM_BULK_LOAD;
    add_span(bulk->kind == SIM_BULK_LOAD ? &x->reads : &x->writes, bulk->instruction, &span);
}

void sim_flight_arrived(const sim_block *b, const sim_bulk *bulk, uint32_t actor) {
    const sim_flights *x = flights_of(b);
    for (uint32_t i = 0; x->list && i < SIM_FLIGHTS; i++) {
        sim_flight *f = &x->list[i];
        const bool same = f->bulk.instruction == bulk->instruction && f->bulk.thread == bulk->thread &&
                          f->bulk.shared == bulk->shared && f->bulk.kind == SIM_BULK_LOAD;
        if (!f->used || !same || f->time) continue;
        f->time = sim_domain_of(b)->now;
        f->actor = (uint16_t)actor;
    }
}

void sim_flight_copy(const sim_block *b, uint32_t lanes, sim_copy *c) {
    uint32_t reads = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) reads |= (uint32_t)(c->read[l] != 0) << l;
    reads &= lanes;
    if (!reads) return;
    const sim_span span = span_of(reads, c->source, c->bytes);
    c->from = span.from;
    c->to = span.to;
    add_span(&flights_of(b)->copies, c->op->instruction, &span);
}

/* The thread has waited for its first `groups` bulk groups, or with `read` only for the reading of their sources. */
static void waited(sim_block *b, uint32_t thread, uint32_t groups, bool read) {
    sim_flights *x = flights_of(b);
    for (uint32_t i = 0; x->writing && i < SIM_FLIGHTS; i++) {
        sim_flight *f = &x->list[(x->next + i) % SIM_FLIGHTS];
        if (!f->used || f->bulk.kind == SIM_BULK_LOAD || f->bulk.thread != thread || f->bulk.group >= groups) continue;
        if (read)
            f->read = true;
        else
            complete(b, x, f);
    }
}

void sim_hazard_bulk_waited(sim_warp *w, uint32_t lanes, uint32_t keep, bool read) {
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t thread = w->index * SIM_LANES + (uint32_t)__builtin_ctz(lanes);
        const uint32_t closed = w->block->async.bulk_groups[thread];
        if (closed > keep) waited(w->block, thread, closed - keep, read);
    }
}

void sim_flights_finish(sim_block *b) {
    sim_flights *x = flights_of(b);
    for (uint32_t i = 0; x->list && i < SIM_FLIGHTS; i++) {
        sim_flight *f = &x->list[(x->next + i) % SIM_FLIGHTS];
        if (f->used) complete(b, x, f);
    }
    x->reads = x->writes = x->copies = (sim_spans){0};
}
