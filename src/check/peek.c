#include "check/peeks.h"

#include "base/memory.h"
#include "check/internal.h"
#include "ptx/edges.h"
#include "state/program.h"

#include <string.h>

static sim_peek *peeks_of(const sim_domain *d, uint32_t actor) {
    return &d->peeks[actor * SIM_PEEKS];
}

void sim_peek_note(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address) {
    sim_domain *d = sim_domain_of(w->block);
    const sim_peeks *p = w->sm->grid->peeks;
    uint32_t k = 0;
    while (p && k < p->count && p->waits[k] != op->instruction) k++;
    if (!p || k == p->count) return;
    if (!d->peeks) d->peeks = memory_zeroed(d->actors * SIM_PEEKS, sizeof *d->peeks);
    if (!d->peeks) {
        d->owner->failed = true;
        return;
    }
    sim_peek *at = &peeks_of(d, sim_actor(w))[k];
    const uint32_t same = at->address == address ? at->lanes : 0;
    *at = (sim_peek){.op = op, .lanes = same | lanes, .address = address};
    d->has_peeks = true;
}

void sim_peek_settle_lanes(sim_warp *w, uint32_t instruction, uint32_t lanes) {
    sim_domain *d = sim_domain_of(w->block);
    const sim_peeks *p = w->sm->grid->peeks;
    const uint32_t block = ptx_block_of(w->sm->grid->program->function, instruction);
    for (uint32_t k = 0; k < p->count; k++) {
        sim_peek *at = &peeks_of(d, sim_actor(w))[k];
        const uint32_t told = at->lanes & lanes;
        if (!told || !(p->behind[block] >> k & 1)) continue;
        at->lanes &= ~told;
        sim_mbarrier_tell(w, at->op, told, at->address);
    }
}

void sim_peeks_start(sim_domain *d) {
    if (d->has_peeks) memset(d->peeks, 0, d->actors * SIM_PEEKS * sizeof *d->peeks);
    d->has_peeks = false;
}
