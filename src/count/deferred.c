/* Deferred counting of atomics. Atomics that wait for the serial phase are performed there, one SM after the other.
 * They are counted later, when SMs run in parallel again, in the order in which they were performed and before anything
 * else that the SM counts. */
#include "base/memory.h"
#include "count/counting.h"

#include <string.h>

/* Atomics that can be deferred, in 100 KiB; further ones are counted at once. */
enum { MOST_DEFERRED = 256 };

struct sim_deferred_update {
    const sim_warp *warp;
    sim_op op;
    uint32_t active;
    uint64_t policy;
    uint64_t address[SIM_LANES];
};

void sim_count_begin_deferring(sim_counting *c) {
    if (!c) return;
    if (!c->deferred) c->deferred = memory_alloc(MOST_DEFERRED * sizeof *c->deferred);
    c->is_deferring = c->deferred != NULL;
}

void sim_count_end_deferring(sim_counting *c) {
    if (c) c->is_deferring = false;
}

bool sim_count_defer(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                     const uint64_t address[SIM_LANES]) {
    if (c->deferred_count == MOST_DEFERRED) {
        sim_count_deferred(c);
        return false;
    }
    struct sim_deferred_update *u = &c->deferred[c->deferred_count++];
    *u = (struct sim_deferred_update){.warp = w, .op = *op, .active = active, .policy = c->policy};
    memcpy(u->address, address, sizeof u->address);
    return true;
}

void sim_count_deferred(sim_counting *c) {
    if (!c || !c->deferred_count) return;
    const bool is_deferring = c->is_deferring;
    c->is_deferring = false;
    for (uint32_t i = 0; i < c->deferred_count; i++) {
        const struct sim_deferred_update *u = &c->deferred[i];
        c->policy = u->policy;
        sim_count_update(c, u->warp, &u->op, u->active, u->address);
    }
    c->deferred_count = 0;
    c->is_deferring = is_deferring;
}
