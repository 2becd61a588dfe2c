/* Checks of the shared memory that asynchronous copies and products read and write, from their issue to their wait. */
#include "base/memory.h"
#include "assembler/engine.h"
#include "check/cells.h"
#include "check/unused_load.h"
#include "ptx/tcgen05.h"
#include "ptx/traits.h"

/* ---- cp.async ---- */

static sim_visit visit_by_lane(sim_warp *w, unsigned lane, const sim_block *b, haul_action action,
                               uint32_t instruction) {
    sim_domain *d = sim_domain_of(b);
    const uint32_t actor = sim_actor(w);
    return (sim_visit){.w = w,
                       .d = d,
                       .s = sim_shadow_of(b),
                       .v = sim_view_of(d, actor, lane),
                       .b = b,
                       .action = action,
                       .actor = actor,
                       .instruction = instruction,
                       .lane = lane};
}

/* Logs the global reads of a cp.async; lanes that read fewer bytes than they write are logged one by one. */
static void log_sources(sim_warp *w, uint32_t lanes, const sim_copy *c) {
    uint32_t whole = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        if (c->read[l] == c->bytes)
            whole |= 1u << l;
        else
            sim_hazard_global_range(w->block, w->index * SIM_LANES + l, c->op->instruction, c->source[l], c->read[l],
                                    HAUL_ACTION_ASYNC_READ, SIM_RANGE_PLAIN);
    }
    if (whole) sim_hazard_global(w, c->op, whole, c->source, HAUL_ACTION_ASYNC_READ);
}

void sim_hazard_copy(sim_warp *w, uint32_t active, sim_copy *c) {
    sim_hazard_inside(w, c->op->instruction, active, c->destination, c->bytes, HAUL_ACTION_ASYNC_WRITE, false);
    sim_peek_settle(w, c->op->instruction, active);
    log_sources(w, active, c);
    sim_flight_copy(w->block, active, c);
    sim_visit k = visit_by_lane(w, 0, w->block, HAUL_ACTION_ASYNC_WRITE, c->op->instruction);
    sim_views *views = &k.d->views[k.actor];
    const uint8_t state = SIM_CELL_ARRIVING | SIM_CELL_ASYNC;
    k.copy = c;
    k.active = active;
    for (uint32_t i = 0; i < views->count && !k.d->owner->failed; i++) {
        k.v = sim_view_at(views, i);
        uint32_t left = sim_lines_write(&k, c->destination, c->bytes, active & k.v->lanes, state);
        for (; left; left &= left - 1) {
            k.lane = (unsigned)__builtin_ctz(left);
            sim_cells_write(&k, c->destination[k.lane] / 4, c->bytes / 4, state);
        }
    }
}

/* Data has arrived: marks the words as written now by `thread`. Words that were overwritten in between stay as they
 * are. */
static void mark_arrived(const sim_block *b, uint32_t address, uint32_t bytes, uint32_t instruction, uint32_t thread,
                         uint8_t state) {
    const sim_domain *d = sim_domain_of(b);
    const sim_shadow *s = sim_shadow_of(b);
    bool is_detailed = false;
    for (uint32_t i = address / 4; i < (address + bytes) / 4; i++) {
        sim_cell *c = &s->cells[i];
        if (i == address / 4 || 4 * i % SIM_FOOTPRINT_LINE == 0) is_detailed = sim_line_is_detailed(b, 4 * i);
        if (!is_detailed || !(c->state & SIM_CELL_ARRIVING) || c->instruction != instruction) continue;
        c->state = state;
        c->time = d->now;
        c->thread = (uint16_t)thread;
        s->lines[4 * i / SIM_FOOTPRINT_LINE].touched = d->now;
    }
}

void sim_hazard_copied(sim_block *b, uint32_t warp, const sim_copy *c, uint32_t lanes, const uint32_t *barrier) {
    sim_domain *d = sim_domain_of(b);
    sim_watched_mbarrier *m = barrier ? sim_mbarrier_watched(d, b, *barrier) : NULL;
    const uint32_t actor = m ? sim_mbarrier_actor(d, m) : b->rank * d->warps + warp;
    const sim_visit k = {
        .w = &b->warps[warp], .d = d, .s = sim_shadow_of(b), .b = b, .actor = actor, .instruction = c->op->instruction};
    if (m && sim_gate_open(d, &m->gate)) sim_known_add(&m->gate.gathered[actor], (sim_known){.all = d->now});
    for (uint32_t left = sim_lines_arrived(&k, c->destination, c->bytes, lanes, !m); left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        mark_arrived(b, c->destination[lane], c->bytes, c->op->instruction, actor * SIM_LANES + lane, SIM_CELL_ASYNC);
    }
    d->now += barrier != NULL;
}

/* ---- bulk copies ---- */

typedef void piece_fn(sim_visit *k, const sim_block *b, const sim_bulk *bulk, uint32_t address, uint32_t bytes);

enum { CHUNK_BYTES = 16 };

/* True if the chunk at `at` of the row leads into the array, which a store writes nothing outside of. A load fills the
 * rest of the box. */
static bool is_moved(const sim_bulk *bulk, const sim_tensor_row *row, uint32_t at) {
    return bulk->kind == SIM_BULK_LOAD || (at < row->to && at + CHUNK_BYTES > row->from);
}

/* Calls `visit_piece` for each piece of the block's shared memory that the copy uses. */
static void each_piece(sim_visit *k, const sim_block *b, const sim_bulk *bulk, piece_fn *visit_piece) {
    sim_tensor_walk walk;
    sim_tensor_row row;
    if (!bulk->tensor.rank) {
        visit_piece(k, b, bulk, bulk->shared, bulk->bytes);
        return;
    }
    sim_tensor_walk_start(&walk, &bulk->tensor, bulk->at, bulk->kind != SIM_BULK_LOAD);
    while (sim_tensor_walk_next(&walk, &row))
        for (uint32_t at = 0; at < row.bytes; at += CHUNK_BYTES)
            if (is_moved(bulk, &row, at))
                visit_piece(k, b, bulk, sim_tensor_swizzle(&bulk->tensor, bulk->shared + row.offset + at), CHUNK_BYTES);
}

static void check_inside(const sim_visit *k, uint32_t address, uint32_t bytes) {
    uint32_t of_lane[SIM_LANES] = {0};
    of_lane[k->lane] = address;
    sim_hazard_inside(k->w, k->instruction, 1u << k->lane, of_lane, bytes, k->action, false);
}

/* Reports a missing proxy fence. Data of a cp.async counts as written by its thread, as a store does. */
static void report_proxy(const sim_visit *k, uint32_t address, uint32_t bytes, const sim_cell *c, const char *engine) {
    const haul_action wrote = sim_cell_writer(k, c->state, c->instruction);
    sim_finding *f =
        sim_visit_report(k, HAUL_FINDING_MISSING_PROXY_FENCE, address, bytes, wrote, c->instruction, c->thread);
    const char *does = k->action == HAUL_ACTION_ASYNC_WRITE ? "overwrites"
                       : k->action == HAUL_ACTION_ATOMIC    ? "adds to"
                                                            : "reads";
    if (f && wrote == HAUL_ACTION_ASYNC_WRITE)
        sim_hazard_say(f,
                       "the %s %s data of the thread's cp.async: add fence.proxy.async after the wait for it, before "
                       "the barrier",
                       engine, does);
    else if (f)
        sim_hazard_say(f,
                       "the %s %s data that the thread has stored: add fence.proxy.async after the store, before the "
                       "barrier",
                       engine, does);
}

/* True if the cell was written by the copy engine or by tcgen05.alloc, which need no fence, or if the write has passed
 * a proxy fence that the current thread knows of. (tcgen05.alloc: facebookexperimental/triton#1553.) */
static bool is_through_fence(const sim_visit *k, const sim_cell *c) {
    if (c->state & SIM_CELL_COPIED || c->time < k->d->start || sim_visit_is_engine(k, c->thread)) return true;
    return sim_instruction_of(k->w, c->instruction)->op == PTX_OP_TMEM_ALLOC ||
           sim_knows_thread(k->v->proxy, c->thread, c->time);
}

/* Reports the writer of a word, or of each of its bytes, unless the write has passed a proxy fence. With `only_known`,
 * writes that are not ordered before the copy are left out, since they are reported as races. */
static void check_fence(const sim_visit *k, uint32_t word, const char *engine, bool only_known) {
    const sim_cell *c = &k->s->cells[word];
    const bool is_split = c->state & SIM_CELL_SPLIT;
    for (uint32_t i = 0; i < (is_split ? 4 : 1); i++) {
        const sim_byte_cell *b = is_split ? &k->s->bytes[4 * word + i] : NULL;
        const sim_cell by =
            b ? (sim_cell){.time = b->time, .instruction = b->instruction, .thread = b->thread, .state = b->state} : *c;
        if (is_through_fence(k, &by)) continue;
        if (!only_known || sim_visit_knows(k, by.thread, by.time))
            report_proxy(k, 4 * word + i, b ? 1 : 4, &by, engine);
    }
}

/* Issues the reading side of a bulk store: checks the words and marks them as leaving until it has read them. */
static void depart(sim_visit *k, const sim_block *b, const sim_bulk *bulk, uint32_t address, uint32_t bytes) {
    (void)b;
    check_inside(k, address, bytes);
    if (!sim_lines_detail(k, address, bytes)) return;
    for (uint32_t i = address / 4; i < (address + bytes) / 4; i++) {
        sim_cell *c = &k->s->cells[i];
        const bool is_leaving = c->time >= k->d->start && c->state & SIM_CELL_LEAVING;
        if (sim_cell_check_read(k, i, c, 1u << k->lane)) check_fence(k, i, "copy", false);
        c->state |= SIM_CELL_LEAVING;
        if (c->read_time < k->d->start) c->read_time = k->d->start; /* of this block, even if nobody has written it */
        if (!is_leaving) k->s->leaving[i] = 0;
        if (bulk->source) continue;
        k->s->leaving[i] = k->instruction + 1;
        k->s->leaving_thread[i] = (uint16_t)(k->actor * SIM_LANES + k->lane);
    }
}

static bool has_leaving(const sim_block *b) {
    sim_shadow *s = sim_shadow_of(b);
    const size_t words = sim_shadow_words(b->sm->grid);
    if (!s->leaving) s->leaving = memory_zeroed(words, sizeof *s->leaving);
    if (!s->leaving_thread) s->leaving_thread = memory_zeroed(words, sizeof *s->leaving_thread);
    if (s->leaving && s->leaving_thread) return true;
    sim_domain_of(b)->owner->failed = true;
    return false;
}

static void check_fences(const sim_visit *k, const sim_bulk *bulk, uint32_t address, uint32_t bytes) {
    for (uint32_t i = address / 4; !bulk->has_value && i < (address + bytes) / 4; i++)
        if (!(k->s->cells[i].state & SIM_CELL_ARRIVING)) check_fence(k, i, "copy", true);
}

/* True if the instruction reads through the generic proxy. */
static bool reads_generic(const sim_visit *k, uint32_t instruction) {
    const ptx_instruction *i = sim_instruction_of(k->w, instruction);
    return sim_engine_use_of(i) == SIM_ENGINE_NONE && !ptx_is_tcgen05(i) && !ptx_is(i->op, PTX_KIND_WARPGROUP_PRODUCT);
}

/* Reports ordinary reads of a word that are ordered before the copy which overwrites it, but have passed no fence.
 * Reads of bytes and halves are not followed. */
static void check_read_fence(const sim_visit *k, uint32_t word) {
    const sim_cell *c = &k->s->cells[word];
    if (c->read_time < k->d->start || c->state & SIM_CELL_ARRIVING) return;
    for (uint32_t a = 0; a < k->d->actors; a++) {
        const sim_read *plane = k->s->reads[a];
        if (!(c->readers >> a % 32 & 1) || !plane || plane[word].time < k->d->start) continue;
        const sim_read *r = &plane[word];
        const uint32_t known = a == k->actor ? SIM_ALL_LANES : sim_known_lanes(&k->v->order[a], r->time);
        const uint32_t unfenced = r->lanes & known & ~sim_known_lanes(&k->v->proxy[a], r->time);
        if (!unfenced || !reads_generic(k, r->instruction)) continue;
        sim_finding *f = sim_visit_report(k, HAUL_FINDING_MISSING_PROXY_FENCE, 4 * word, 4, HAUL_ACTION_READ,
                                          r->instruction, a * SIM_LANES + (uint32_t)__builtin_ctz(unfenced));
        if (f)
            sim_hazard_say(f, "the copy overwrites what the thread has read: add fence.proxy.async after the read, "
                              "before the barrier or arrival");
        return;
    }
}

/* Issues the writing side of a bulk load: checks the words and marks them as arriving. */
static void announce(sim_visit *k, const sim_block *b, const sim_bulk *bulk, uint32_t address, uint32_t bytes) {
    (void)b;
    check_inside(k, address, bytes);
    if (!sim_lines_detail(k, address, bytes)) return;
    check_fences(k, bulk, address, bytes);
    const bool strict = k->w->sm->grid->strict && !bulk->has_value;
    for (uint32_t i = address / 4; strict && i < (address + bytes) / 4; i++) check_read_fence(k, i);
    sim_cells_write(k, address / 4, bytes / 4, SIM_CELL_ARRIVING | SIM_CELL_ASYNC | SIM_CELL_COPIED);
}

/* Issues a reduction into shared memory. As with atomics, several may add to the same words at once. */
static void announce_sum(sim_visit *k, const sim_bulk *bulk) {
    check_inside(k, bulk->shared, bulk->bytes);
    if (!sim_lines_detail(k, bulk->shared, bulk->bytes)) return;
    k->action = HAUL_ACTION_ATOMIC;
    k->strong = true;
    check_fences(k, bulk, bulk->shared, bulk->bytes);
    sim_cells_add(k, bulk->shared / 4, bulk->bytes / 4);
}

/* A copy to another block of the cluster reads its own block's memory until it has arrived there. */
static void depart_for_block(sim_warp *w, unsigned lane, const sim_block *b, const sim_bulk *bulk) {
    sim_visit k = visit_by_lane(w, lane, bulk->source, HAUL_ACTION_ASYNC_READ, bulk->instruction);
    if (k.d->owner->failed || !has_leaving(bulk->source)) return;
    depart(&k, bulk->source, bulk, (uint32_t)bulk->global, bulk->bytes);
    sim_passage_begin(w, lane, bulk->source, b, bulk, (uint32_t)bulk->global, false);
}

static bool adds_to_shared(const sim_bulk *bulk) {
    return (bulk->has_value || bulk->source) && bulk->atomic != SIM_ATOMIC_NONE;
}

void sim_hazard_bulk(sim_warp *w, unsigned lane, sim_block *b, const sim_bulk *bulk) {
    const bool load = bulk->kind == SIM_BULK_LOAD;
    sim_peek_settle(w, bulk->instruction, 1u << lane);
    sim_stale_progress(w);
    if (bulk->source) depart_for_block(w, lane, b, bulk);
    sim_visit k = visit_by_lane(w, lane, b, load ? HAUL_ACTION_ASYNC_WRITE : HAUL_ACTION_ASYNC_READ, bulk->instruction);
    if (load) {
        sim_watched_mbarrier *m = sim_mbarrier_watched(k.d, b, bulk->barrier);
        sim_mbarrier_check_copy(w, lane, m, b, bulk);
        sim_proxy_check_mbarrier(w, lane, m, b, bulk);
        sim_phase_fed(w, lane, m);
    }
    if (k.d->owner->failed || (!load && !has_leaving(b))) return;
    if (adds_to_shared(bulk)) {
        if (sim_passage_begin(w, lane, b, b, bulk, bulk->shared, true)) announce_sum(&k, bulk);
        return;
    }
    sim_flight_begin(w, lane, b, bulk);
    each_piece(&k, b, bulk, load ? announce : depart);
}

static void arrived(sim_visit *k, const sim_block *b, const sim_bulk *bulk, uint32_t address, uint32_t bytes) {
    mark_arrived(b, address, bytes, bulk->instruction, k->actor * SIM_LANES, SIM_CELL_ASYNC | SIM_CELL_COPIED);
}

/* A bulk store has read its source: the words become ordinary words that its thread has read. */
static void departed(sim_visit *k, const sim_block *b, const sim_bulk *bulk, uint32_t address, uint32_t bytes) {
    sim_read *plane = sim_reads_of(k, k->actor);
    for (uint32_t i = address / 4; plane && i < (address + bytes) / 4; i++) {
        sim_cell *c = &k->s->cells[i];
        if (!sim_line_is_detailed(b, 4 * i) || !(c->state & SIM_CELL_LEAVING) ||
            k->s->leaving[i] != bulk->instruction + 1)
            continue;
        k->s->leaving[i] = 0;
        if (!k->s->passages) c->state &= (uint8_t)~SIM_CELL_LEAVING;
        sim_cell_finish_read(k, i, &plane[i], 1u << k->lane);
    }
}

void sim_hazard_bulk_done(sim_block *b, const sim_bulk *bulk) {
    sim_domain *d = sim_domain_of(b);
    sim_visit k = {.w = &b->warps[bulk->thread / SIM_LANES],
                   .d = d,
                   .s = sim_shadow_of(b),
                   .instruction = bulk->instruction,
                   .lane = bulk->thread % SIM_LANES,
                   .actor = b->rank * d->warps + bulk->thread / SIM_LANES};
    if (d->owner->failed) return;
    if (bulk->source) sim_passage_done(bulk->source, b, bulk, (uint32_t)bulk->global, false);
    if (adds_to_shared(bulk)) sim_passage_done(b, b, bulk, bulk->shared, true);
    if (bulk->kind != SIM_BULK_LOAD) {
        each_piece(&k, b, bulk, departed);
        return;
    }
    sim_watched_mbarrier *m = sim_mbarrier_watched(d, b, bulk->barrier);
    k.actor = sim_mbarrier_actor(d, m);
    each_piece(&k, b, bulk, arrived);
    sim_flight_arrived(b, bulk, k.actor);
    if (sim_gate_open(d, &m->gate)) sim_known_add(&m->gate.gathered[k.actor], (sim_known){.all = d->now});
    d->now++;
}

/* ---- background products ---- */

/* True if no lane of the warp uses what the product computes. */
static bool is_unused(const sim_warp *w, uint32_t instruction) {
    return sim_load_may_be_unused(w->sm->grid, instruction) && !~sim_lanes_without_use(w, instruction);
}

uint32_t sim_hazard_factors(sim_warp *w, const sim_op *op, uint32_t lanes, const uint32_t *address, uint32_t count,
                            uint16_t *unwritten) {
    sim_peek_settle(w, op->instruction, lanes);
    if (is_unused(w, op->instruction)) return 0;
    sim_visit k = visit_by_lane(w, (unsigned)__builtin_ctz(lanes), w->block, HAUL_ACTION_ASYNC_READ, op->instruction);
    k.lanes = lanes;
    if (k.d->owner->failed) return 0;
    for (uint32_t n = 0; n < count; n++) {
        k.base = address[n];
        k.unwritten = unwritten ? &unwritten[n] : NULL;
        if (!sim_lines_detail(&k, address[n], CHUNK_BYTES)) return 0;
        for (uint32_t i = address[n] / 4; i < (address[n] + CHUNK_BYTES) / 4; i++) {
            sim_cell *c = &k.s->cells[i];
            if (sim_cell_check_read(&k, i, c, lanes & -lanes)) check_fence(&k, i, "product", false);
        }
    }
    return k.d->now++;
}

/* Returns who wrote the word, or any byte of it, last. */
static sim_cell last_writer(const sim_visit *k, uint32_t word) {
    sim_cell last = k->s->cells[word];
    for (uint32_t i = 0; k->s->cells[word].state & SIM_CELL_SPLIT && i < 4; i++) {
        const sim_byte_cell *b = &k->s->bytes[4 * word + i];
        if (i && b->time <= last.time) continue;
        last = (sim_cell){.time = b->time, .instruction = b->instruction, .thread = b->thread, .state = b->state};
    }
    return last;
}

/* Reports a factor of a product that was overwritten after the product's issue. */
static void check_unchanged(const sim_visit *k, uint32_t word, uint32_t issued) {
    const sim_cell last = last_writer(k, word), *c = &last;
    if (c->time <= issued || c->time < k->d->start) return;
    if (sim_comes_before_product(k, c, issued)) {
        sim_visit_report_own_store(k, 4 * word, 4, c);
        return;
    }
    sim_finding *f = sim_visit_report(k, HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, 4 * word, 4,
                                      sim_cell_writer(k, c->state, c->instruction), c->instruction, c->thread);
    if (!f) return;
    if (ptx_is_tcgen05(sim_instruction_of(k->w, k->instruction)))
        sim_hazard_say(f, "nobody had waited for a tcgen05.commit after the operation that reads them");
    else
        sim_hazard_say(f, "no wgmma.wait_group of its warpgroup had covered the product that reads them");
}

void sim_hazard_factors_read(sim_warp *w, const sim_op *op, uint32_t lanes, const uint32_t *address, uint32_t count,
                             uint32_t issued) {
    sim_visit k = visit_by_lane(w, (unsigned)__builtin_ctz(lanes), w->block, HAUL_ACTION_ASYNC_READ, op->instruction);
    sim_read *plane = sim_reads_of(&k, k.actor);
    if (k.d->owner->failed || is_unused(w, op->instruction)) return;
    for (uint32_t n = 0; n < count; n++) {
        if (!sim_lines_detail(&k, address[n], CHUNK_BYTES)) return;
        for (uint32_t i = address[n] / 4; i < (address[n] + CHUNK_BYTES) / 4; i++) {
            check_unchanged(&k, i, issued);
            sim_cell_finish_read(&k, i, &plane[i], lanes);
        }
    }
}
