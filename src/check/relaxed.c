/* Barriers without memory order: `.relaxed` arrivals and waits. Such an arrival passes on only what a fence before it
 * has released, and such a wait makes it known only after the next fence. (An mbarrier's initialisation has a fence of
 * its own.) An arrival at another block's mbarrier with the scope .cta releases nothing to that block either; without a
 * scope it counts as one for the cluster, as libraries write it. */
#include "base/memory.h"
#include "check/internal.h"
#include "ptx/traits.h"
#include "state/block.h"
#include "state/program.h"

bool sim_is_relaxed(const sim_warp *w, const sim_op *op) {
    return sim_instruction_of(w, op->instruction)->mods[PTX_SLOT_ORDER] == PTX_MOD_RELAXED;
}

static bool is_barrier(unsigned op) {
    return op == PTX_OP_BARRIER_CLUSTER_ARRIVE || ptx_is(op, PTX_KIND_MBARRIER_ARRIVAL | PTX_KIND_MBARRIER_WAIT);
}

bool sim_is_narrow(const sim_warp *w, const sim_op *op) {
    return sim_instruction_of(w, op->instruction)->mods[PTX_SLOT_SCOPE] == PTX_MOD_SCOPE_CTA;
}

/* True if the arrival has the scope of the block, and may be at another block's mbarrier. */
static bool is_narrow_arrival(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_MBARRIER_ARRIVAL) && i->mods[PTX_SLOT_SCOPE] == PTX_MOD_SCOPE_CTA &&
           i->mods[PTX_SLOT_SPACE] == PTX_MOD_SHARED_CLUSTER;
}

bool sim_relaxes(const sim_program *p) {
    for (size_t i = 0; i < p->function->instruction_count; i++) {
        const ptx_instruction *at = &p->function->instructions[i];
        if (is_narrow_arrival(at) || (is_barrier(at->op) && at->mods[PTX_SLOT_ORDER] == PTX_MOD_RELAXED)) return true;
    }
    return false;
}

/* ---- fences ---- */

void sim_relaxed_fence(sim_warp *w, uint32_t active, uint8_t scope) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    if (!d->relaxed) return;
    for (int reach = 0; reach < SIM_REACHES; reach++)
        if (scope >= (reach == SIM_REACH_CLUSTER ? SIM_SCOPE_CLUSTER : SIM_SCOPE_BLOCK))
            sim_gate_arrive(d, &d->relaxed[actor].released[reach], w, active);
    sim_gate_pass(d, &d->relaxed[actor].seen, actor, active);
    d->now++; /* accesses after the fence are not passed on */
}

/* ---- arrivals and waits ---- */

void sim_relaxed_arrive(const sim_warp *w, sim_gate *gate, int reach) {
    sim_domain *d = sim_domain_of(w->block);
    const sim_gate *released = &d->relaxed[sim_actor(w)].released[reach];
    if (!released->gathered || !sim_gate_open(d, gate)) return;
    sim_known_join(gate->gathered, released->gathered, d->used);
    sim_proxies_join(d, gate->gathered_proxy, released->gathered_proxy);
    sim_floor_raise(&gate->gathered_floor, released->gathered_floor);
    sim_heard_raise(&gate->gathered_heard, released->gathered_heard);
}

void sim_relaxed_pass(const sim_warp *w, const sim_gate *gate) {
    sim_domain *d = sim_domain_of(w->block);
    sim_gate *seen = &d->relaxed[sim_actor(w)].seen;
    if (!gate->gathered || !sim_gate_open(d, seen)) return;
    sim_known_join(seen->open, gate->open, d->used);
    sim_proxies_join(d, seen->open_proxy, gate->open_proxy);
    sim_floor_raise(&seen->open_floor, gate->open_floor);
    sim_heard_raise(&seen->open_heard, gate->open_heard);
}

/* ---- life ---- */

bool sim_relaxed_create(sim_domain *d, const sim_grid *g) {
    if (!g->relaxes) return true;
    d->relaxed = memory_zeroed(d->actors, sizeof *d->relaxed);
    return d->relaxed != NULL;
}

void sim_relaxed_start(sim_domain *d) {
    for (uint32_t a = 0; d->relaxed && a < d->actors; a++) {
        for (int reach = 0; reach < SIM_REACHES; reach++) sim_gate_clear(d, &d->relaxed[a].released[reach]);
        sim_gate_clear(d, &d->relaxed[a].seen);
    }
}

void sim_relaxed_free(sim_domain *d) {
    for (uint32_t a = 0; d->relaxed && a < d->actors; a++) {
        for (int reach = 0; reach < SIM_REACHES; reach++) memory_free(d->relaxed[a].released[reach].gathered);
        memory_free(d->relaxed[a].seen.gathered);
    }
    memory_free(d->relaxed);
}
