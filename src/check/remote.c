/* Accesses to other blocks' shared memory: a block must have begun before, and must not end before it knows that no
 * other block will access it again. */
#include "check/internal.h"

static sim_read *last_of(sim_domain *d, const sim_block *owner, uint32_t actor) {
    return &d->remote[owner->rank * d->actors + actor];
}

/* True if the view knows anything that the block's threads have done. */
static bool has_begun(const sim_domain *d, const sim_view *v, const sim_block *b) {
    for (uint32_t i = 0; i < b->warp_count; i++) {
        const sim_known *k = &v->order[sim_actor(&b->warps[i])];
        if (k->all > d->start || (k->lanes && k->some > d->start)) return true;
    }
    return false;
}

/* Reports an access to shared memory while its block is not there; `why` ends a sentence about the block. */
static void report_owner(sim_warp *w, const sim_op *op, uint32_t lanes, const sim_block *owner, haul_action action,
                         const char *why) {
    const sim_suspect s = {.kind = HAUL_FINDING_USE_AFTER_FREE,
                           .action = action,
                           .instruction = op->instruction,
                           .lanes = lanes,
                           .thread = SIM_NO_THREAD};
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(f, "block (%u,%u,%u) of the cluster, which owns this shared memory, %s", owner->at[0],
                       owner->at[1], owner->at[2], why);
}

/* Relaxed barriers make a start known without anything else, which views do not record. */
static void check_begun(sim_warp *w, const sim_op *op, uint32_t active, const sim_block *owner, haul_action action) {
    sim_domain *d = sim_domain_of(owner);
    const sim_view *v = sim_view_of(d, sim_actor(w), (unsigned)__builtin_ctz(active));
    if (d->relaxed || has_begun(d, v, owner)) return;
    report_owner(w, op, active & v->lanes, owner, action,
                 "may not have begun: nothing that it does comes before this access");
}

void sim_remote_note(const sim_warp *w, const sim_op *op, uint32_t active, const sim_block *owner) {
    sim_domain *d = sim_domain_of(owner);
    sim_read *last = last_of(d, owner, sim_actor(w));
    const uint32_t before = last->time == d->now ? last->lanes : 0;
    *last = (sim_read){.time = d->now, .lanes = before | active, .instruction = op->instruction};
}

void sim_hazard_remote(sim_warp *w, const sim_op *op, uint32_t active, const sim_block *owner, haul_action action) {
    check_begun(w, op, active, owner, action);
    sim_remote_note(w, op, active, owner);
}

void sim_hazard_lost(sim_warp *w, const sim_op *op, uint32_t lanes, const sim_block *owner) {
    const bool stores = sim_instruction_of(w, op->instruction)->op == PTX_OP_ST;
    report_owner(w, op, lanes, owner, stores ? HAUL_ACTION_WRITE : HAUL_ACTION_READ,
                 "has ended: what is written is lost");
}

/* True if some view of the block's warps knows the access. */
static bool is_known(const sim_domain *d, const sim_block *b, uint32_t actor, const sim_read *last) {
    for (uint32_t i = 0; i < b->warp_count; i++) {
        sim_views *v = &d->views[sim_actor(&b->warps[i])];
        for (uint32_t k = 0; k < v->count; k++)
            if ((last->lanes & ~sim_known_lanes(&sim_view_at(v, k)->order[actor], last->time)) == 0) return true;
    }
    return false;
}

void sim_remote_finish(const sim_block *b) {
    sim_domain *d = sim_domain_of(b);
    for (uint32_t a = 0; d->actors > d->warps && a < d->actors; a++) {
        const sim_read *last = last_of(d, b, a);
        if (!last->lanes || is_known(d, b, a, last)) continue;
        const sim_suspect s = {.kind = HAUL_FINDING_USE_AFTER_FREE,
                               .action = HAUL_ACTION_READ,
                               .instruction = last->instruction,
                               .lanes = last->lanes,
                               .thread = SIM_NO_THREAD};
        sim_finding *f = sim_hazard_report(&d->first[a / d->warps].warps[a % d->warps], &s);
        if (f)
            sim_hazard_say(f,
                           "block (%u,%u,%u) of the cluster, which owns this shared memory, may have ended before: "
                           "it waits for nothing that comes after this access",
                           b->at[0], b->at[1], b->at[2]);
    }
}
