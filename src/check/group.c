/* Named barriers: a group that reuses one must know that the previous group has left it, or their arrivals may mix. */
#include "base/memory.h"
#include "check/internal.h"

#include <string.h>

/* Returns NULL if the cluster's blocks have not arrived at any named barrier. */
static sim_group *group_of(const sim_block *b, uint32_t id) {
    sim_group *groups = sim_domain_of(b)->groups;
    return groups ? &groups[b->rank * SIM_BARRIERS + id] : NULL;
}

/* As group_of(), but returns NULL only if the host runs out of memory. */
static sim_group *group_at(const sim_block *b, uint32_t id) {
    sim_domain *d = sim_domain_of(b);
    const uint32_t blocks = d->actors / d->warps;
    if (!d->groups) d->groups = memory_zeroed(blocks * SIM_BARRIERS, sizeof *d->groups);
    d->owner->failed |= !d->groups;
    return group_of(b, id);
}

static void report(sim_warp *w, const sim_op *op, uint32_t id, uint32_t lanes, uint32_t other, uint32_t actor) {
    const sim_suspect s = {.kind = HAUL_FINDING_BARRIER_MISUSE,
                           .action = HAUL_ACTION_SYNC,
                           .other_action = HAUL_ACTION_SYNC,
                           .instruction = op->instruction,
                           .other_instruction = other,
                           .lanes = lanes,
                           .thread = actor * SIM_LANES};
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(
            f,
            "nothing orders this after the last use of barrier %u by others: its arrivals may be counted with "
            "theirs",
            id);
}

void sim_group_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t lanes) {
    const sim_domain *d = sim_domain_of(w->block);
    sim_group *g = group_at(w->block, id);
    if (!g) return;
    const uint32_t first = w->block->rank * d->warps, self = sim_actor(w);
    const sim_view *v = sim_view_of(sim_domain_of(w->block), self, (unsigned)__builtin_ctz(lanes));
    for (uint32_t i = 0; g->met && i < d->warps; i++) {
        if (!g->before[i] || first + i == self || sim_known_lanes(&v->order[first + i], g->before[i])) continue;
        report(w, op, id, lanes, g->instruction, first + i);
        break;
    }
    g->now[w->index] = d->now;
    g->instruction = op->instruction;
    g->used = true;
}

void sim_group_open(const sim_block *b, uint32_t id) {
    sim_group *g = group_of(b, id);
    if (!g || !g->used) return;
    memcpy(g->before, g->now, sizeof g->before);
    memset(g->now, 0, sizeof g->now);
    g->met = true;
}

void sim_groups_start(sim_domain *d, uint32_t blocks) {
    for (uint32_t i = 0; d->groups && i < blocks * SIM_BARRIERS; i++)
        if (d->groups[i].used) d->groups[i] = (sim_group){0};
}
