/* Commit groups of asynchronous copies: lanes that commit apart from others, and groups that are never committed. */
#include "check/internal.h"

/* ---- lanes that commit apart ---- */

/* Returns the copy's lanes whose current group, still open, holds it. */
static uint32_t uncommitted_lanes(const sim_copy_queue *q, const sim_copy *c) {
    uint32_t lanes = 0;
    for (uint32_t left = c->bytes ? c->lanes : 0; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        lanes |= (uint32_t)(c->group == q->committed[l]) << l;
    }
    return lanes;
}

/* Returns the lanes that commit the group of this number at another time: they have committed it already, or have
 * copies in it. Lanes that never copy, or that have left the loop that does, may stay away. */
static uint32_t lanes_apart(const sim_copy_queue *q, uint32_t lanes) {
    const uint32_t group = q->committed[__builtin_ctz(lanes)];
    uint32_t apart = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) apart |= (uint32_t)(q->committed[l] > group) << l;
    for (size_t i = q->first; i < q->first + q->count; i++) apart |= uncommitted_lanes(q, &q->copies[i]);
    return apart;
}

void sim_hazard_commit(sim_warp *w, const sim_op *op, uint32_t lanes) {
    const uint32_t others = w->live & ~lanes;
    const uint32_t apart = others ? others & lanes_apart(&w->block->async.queues[w->index], lanes) : 0;
    if (!apart) return;
    sim_finding *f = sim_hazard_report_lanes(w, op, lanes, HAUL_FINDING_COMMIT_DIVERGENT, HAUL_ACTION_SYNC);
    if (f)
        sim_hazard_say(f, "lanes 0x%08x commit here, but lanes 0x%08x also have copies and commit them elsewhere",
                       lanes, apart);
}

/* ---- groups that are never committed ---- */

static void report_open(sim_warp *w, uint32_t instruction, uint32_t lanes, haul_action action) {
    const sim_suspect s = {.kind = HAUL_FINDING_MISSING_COMMIT,
                           .action = action,
                           .instruction = instruction,
                           .lanes = lanes,
                           .thread = SIM_NO_THREAD};
    sim_finding *f = sim_hazard_report(w, &s);
    if (f) sim_hazard_say(f, "its group was still open when the block ended, and no wait has covered the copy");
}

/* Reports a bulk copy in flight: when a block has ended, its shared memory belongs to another. */
static void report_in_flight(sim_warp *w, const sim_bulk *bulk) {
    const bool load = bulk->kind == SIM_BULK_LOAD;
    const sim_suspect s = {.kind = load ? HAUL_FINDING_ASYNC_READ_BEFORE_WAIT : HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN,
                           .action = load ? HAUL_ACTION_ASYNC_WRITE : HAUL_ACTION_ASYNC_READ,
                           .instruction = bulk->instruction,
                           .lanes = 1u << bulk->thread % SIM_LANES,
                           .thread = SIM_NO_THREAD,
                           .space = HAUL_SPACE_SHARED,
                           .address = bulk->shared,
                           .bytes = bulk->bytes,
                           .is_warning = true};
    if (bulk->has_value || bulk->source) return;
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(f, "the block has ended without a wait for the copy, which still %s its shared memory",
                       load ? "writes to" : "reads from");
}

/* Returns the lanes whose copies so far arrive on an mbarrier: they need no commit. */
static uint32_t lanes_that_arrive(const sim_copy_queue *q, size_t from) {
    uint32_t lanes = 0;
    for (size_t i = from; i < q->first + q->count; i++) lanes |= q->copies[i].bytes ? 0 : q->copies[i].lanes;
    return lanes;
}

/* Reports copies of the warp that no commit covers when its block ends. */
static void finish_warp(sim_warp *w, const sim_copy_queue *q) {
    for (size_t i = q->first; i < q->first + q->count; i++) {
        const sim_copy *c = &q->copies[i];
        uint32_t lanes = uncommitted_lanes(q, c);
        if (lanes) lanes &= ~lanes_that_arrive(q, i);
        if (lanes) report_open(w, c->op->instruction, lanes, HAUL_ACTION_ASYNC_WRITE);
    }
}

void sim_hazard_finish(sim_block *b) {
    const sim_async *a = &b->async;
    sim_flights_finish(b);
    sim_contests_finish(b);
    sim_remote_finish(b);
    sim_warpgroups_finish(b);
    for (uint32_t i = 0; i < b->warp_count; i++) finish_warp(&b->warps[i], &a->queues[i]);
    for (size_t i = 0; i < a->bulk_count; i++) {
        const sim_bulk *bulk = &a->bulks[i];
        const bool open = bulk->kind != SIM_BULK_LOAD && bulk->group == a->bulk_groups[bulk->thread];
        sim_warp *w = &b->warps[bulk->thread / SIM_LANES];
        if (bulk->staged) continue; /* its thread has waited until the source was read */
        if (open)
            report_open(w, bulk->instruction, 1u << bulk->thread % SIM_LANES, HAUL_ACTION_ASYNC_READ);
        else
            report_in_flight(w, bulk);
    }
}
