/* Atomics that wait for the serial phase are done in it, one SM after the other, but counted later, when SMs run side
 * by side again: each in the order in which they were done, and before anything else that the SM counts. */
#include "base/memory.h"
#include "count/counting.h"

#include <string.h>

/* Beyond that many, which are 100 KiB, they are counted on the spot. */
enum { MOST_LATER = 256 };

struct sim_later_update {
    const sim_warp *warp;
    sim_op op;
    uint32_t active;
    uint64_t policy;
    uint64_t address[SIM_LANES];
};

void sim_count_begin_later(sim_counting *c) {
    if (!c) return;
    if (!c->later) c->later = memory_alloc(MOST_LATER * sizeof *c->later);
    c->counts_later = c->later != NULL;
}

void sim_count_end_later(sim_counting *c) {
    if (c) c->counts_later = false;
}

bool sim_count_put_off(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                       const uint64_t address[SIM_LANES]) {
    if (c->later_count == MOST_LATER) {
        sim_count_later(c);
        return false;
    }
    struct sim_later_update *u = &c->later[c->later_count++];
    *u = (struct sim_later_update){.warp = w, .op = *op, .active = active, .policy = c->policy};
    memcpy(u->address, address, sizeof u->address);
    return true;
}

void sim_count_later(sim_counting *c) {
    if (!c || !c->later_count) return;
    const bool counts_later = c->counts_later;
    c->counts_later = false;
    for (uint32_t i = 0; i < c->later_count; i++) {
        const struct sim_later_update *u = &c->later[i];
        c->policy = u->policy;
        sim_count_update(c, u->warp, &u->op, u->active, u->address);
    }
    c->later_count = 0;
    c->counts_later = counts_later;
}
