/* Counting one warp-level access. Called by the functions of count.h, which memory handlers call. access.c counts
 * global and constant memory, local.c local memory, shared.c shared memory, copies.c asynchronous copies. */
#ifndef HAUL_COUNT_ACCESS_H
#define HAUL_COUNT_ACCESS_H

#include "count/counting.h"
#include "count/traffic.h"
#include "state/block.h"

static inline sim_tally *sim_tally_at(sim_counting *c, const sim_op *op, sim_tally_space space) {
    return &c->tallies[c->plan->tally_of[op->instruction] + (uint32_t)space];
}

/* Returns false if nothing is counted for the instruction, because the plan has no tally for it: for instance a local
 * access that stands for a parameter. */
static inline bool sim_is_counted(const sim_counting *c, const sim_op *op) {
    return c && !op->uncounted && c->plan->tally_of[op->instruction] != SIM_NO_TALLY;
}

/* Sets the cache policy of the access. It is the same for all lanes, since the instruction gives one for the whole
 * access. */
static inline void sim_take_policy(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active) {
    c->policy = op->policy ? SIM_SLOT(w, uint64_t, op->policy)[__builtin_ctz(active)] : 0;
}

static inline sim_priority sim_line_priority(const sim_counting *c, uint64_t line) {
    if (!(c->policy | c->plan->window.bytes)) return SIM_PRIORITY_NORMAL;
    return sim_priority_of(&c->plan->window, c->policy, line);
}

/* Hashes a line to its place in the tables of hot lines. */
static inline uint32_t sim_hot_place(uint64_t line) {
    return (uint32_t)(line / SIM_HOT_LINES * 0x9e3779b97f4a7c15u >> 32) % SIM_HOT_PLACES;
}

static inline uint32_t sim_hot_sector(uint64_t line, uint32_t sector) {
    return (uint32_t)((line << 2 | sector) * 0x9e3779b97f4a7c15u >> 32) % SIM_HOT_PLACES;
}

/* Logs a request that is not a read; later reads can then no longer join the last one. */
static inline void sim_log_change(sim_counting *c, uint64_t line, unsigned mask, sim_log_kind kind, unsigned bytes,
                                  sim_priority priority) {
    c->last_read.entry = NULL;
    if (kind == SIM_LOG_WRITE) c->stored[sim_hot_place(line)]++;
    sim_log_add(&c->log, line, mask, kind, bytes, priority);
}

static inline void sim_count_tags(sim_tally *t, const sim_lines *lines, uint32_t active, unsigned bytes) {
    sim_traffic_tags(&t->traffic, lines, active, bytes);
    t->tag_sectors += lines->sectors;
}

/* Returns the lanes that access memory: one lane if the assembler aggregates the warp's updates. */
static inline uint32_t sim_aggregated_lanes(const sim_assembled *a, uint32_t active) {
    bool one =
        a->aggregated == SIM_AGGREGATED_ALWAYS || (a->aggregated == SIM_AGGREGATED_WHOLE && active == SIM_ALL_LANES);
    return one ? active & -active : active;
}

/* Requests sectors of a line, which L1 misses, from L2. May join the previous request. */
void sim_request_read(sim_counting *c, sim_tally *t, uint64_t line, unsigned mask);
/* Loads lines through L1. */
void sim_load_cached(sim_counting *c, sim_tally *t, const sim_lines *lines);
/* Stores `bytes` bytes in total to the lines. Returns how many of their sectors L1 had. */
uint32_t sim_store_lines(sim_counting *c, const sim_warp *w, sim_tally *t, const sim_lines *lines, uint32_t bytes);

/* Counts atomics at generic addresses that go on to global memory: shared memory passes them on without conflicts. */
void sim_count_passing_atomics(sim_counting *c, const sim_op *op, uint32_t active, uint32_t atomics);

#endif
