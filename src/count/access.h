/* What one warp-level access does to the counters; called by the functions of count.h that memory handlers call. Global
 * and constant memory: access.c; local memory: local.c; shared memory: shared.c; asynchronous copies: copies.c. */
#ifndef HAUL_COUNT_ACCESS_H
#define HAUL_COUNT_ACCESS_H

#include "count/counting.h"
#include "count/traffic.h"
#include "state/block.h"

static inline sim_tally *sim_tally_at(sim_counting *c, const sim_op *op, sim_tally_space space) {
    return &c->tallies[c->plan->tally_of[op->instruction] + (uint32_t)space];
}

/* Nothing is counted for an instruction that the plan knows no tally for: a local access that stands for a
 * parameter, say. */
static inline bool sim_is_counted(const sim_counting *c, const sim_op *op) {
    return c && !op->uncounted && c->plan->tally_of[op->instruction] != SIM_NO_TALLY;
}

/* The cache policy that the instruction gives, the same for all lanes, since it is for all of the access. */
static inline void sim_take_policy(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active) {
    c->policy = op->policy ? SIM_SLOT(w, uint64_t, op->policy)[__builtin_ctz(active)] : 0;
}

static inline sim_priority sim_line_priority(const sim_counting *c, uint64_t line) {
    if (!(c->policy | c->plan->window.bytes)) return SIM_PRIORITY_NORMAL;
    return sim_priority_of(&c->plan->window, c->policy, line);
}

/* Anything but a read ends the chance to join the last one. */
static inline void sim_log_change(sim_counting *c, uint64_t line, unsigned mask, sim_log_kind kind, unsigned bytes,
                                  sim_priority priority) {
    c->last_read.entry = NULL;
    sim_log_add(&c->log, line, mask, kind, bytes, priority);
}

static inline uint64_t sim_warp_place(const sim_warp *w) {
    return (uint64_t)(w->block - w->sm->blocks) * w->block->warp_count + w->index;
}

static inline void sim_count_tags(sim_tally *t, const sim_lines *lines, uint32_t active, unsigned bytes) {
    sim_traffic_tags(&t->traffic, lines, active, bytes);
    t->tag_sectors += lines->sectors;
}

/* The lanes that are left where the warp goes to memory as one. */
static inline uint32_t sim_aggregated_lanes(const sim_assembled *a, uint32_t active) {
    bool one =
        a->aggregated == SIM_AGGREGATED_ALWAYS || (a->aggregated == SIM_AGGREGATED_WHOLE && active == SIM_ALL_LANES);
    return one ? active & -active : active;
}

/* A request to L2 for sectors of a line that L1 misses; it may join the one before it. */
void sim_request_read(sim_counting *c, sim_tally *t, uint64_t line, unsigned mask);
/* A load of lines by way of L1. */
void sim_load_cached(sim_counting *c, sim_tally *t, const sim_lines *lines);
/* A store of so many bytes to lines, all in all. Returns how many of its sectors L1 had. */
uint32_t sim_store_lines(sim_counting *c, const sim_warp *w, sim_tally *t, const sim_lines *lines, uint32_t bytes);

#endif
