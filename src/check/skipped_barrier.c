/* Threads that have skipped a block barrier at which others wait, and lanes of one warp that reach it in different
 * places. */
#include "base/memory.h"
#include "check/internal.h"
#include "ptx/traits.h"

/* Returns the warp's table: for each basic block, the lanes that have reached it. NULL if the host runs out of
 * memory. */
static uint32_t *lanes_skipped(sim_domain *d, const sim_warp *w) {
    uint32_t **skipped = &d->skipped[sim_actor(w)];
    if (!*skipped) *skipped = memory_zeroed(w->sm->grid->program->function->block_count, sizeof **skipped);
    if (!*skipped) d->owner->failed = true;
    return *skipped;
}

/* Returns an instruction that shows where lanes in a basic block are: its first access to memory, since addresses are
 * often computed elsewhere. */
static uint32_t landmark(const ptx_function *f, uint32_t block) {
    const ptx_block *b = &f->blocks[block];
    for (uint32_t i = b->first; i < b->end; i++) {
        if (ptx_is_access(f->instructions[i].op)) return i;
    }
    return b->end - 1;
}

/* `waits` wait at the barrier, `lanes` of w have skipped it. */
static void report(sim_warp *waiting, uint32_t waits, const sim_op *barrier, const sim_warp *w, uint32_t lanes) {
    const ptx_function *f = w->sm->grid->program->function;
    const sim_suspect s = {.kind = HAUL_FINDING_BARRIER_DIVERGENCE,
                           .action = HAUL_ACTION_SYNC,
                           .other_action = HAUL_ACTION_SYNC,
                           .instruction = barrier->instruction,
                           .other_instruction = landmark(f, barrier->target - 1),
                           .lanes = waits,
                           .thread = sim_actor(w) * SIM_LANES + (uint32_t)__builtin_ctz(lanes)};
    sim_finding *found = sim_hazard_report(waiting, &s);
    if (found)
        sim_hazard_say(found, "warp %u waits at the block's barrier, but lanes 0x%08x of warp %u have skipped it",
                       waiting->index, lanes, w->index);
}

/* Reports lanes that wait at the barrier which these lanes have skipped. */
static void check_waiting(sim_warp *w, uint32_t lanes, uint32_t block) {
    for (uint32_t i = 0; i < w->block->warp_count; i++) {
        sim_warp *other = &w->block->warps[i];
        for (uint32_t left = sim_warp_parked(other); left; left &= left - 1) {
            const sim_path *p = &other->paths[__builtin_ctz(left)];
            const sim_op *op = &w->ops[p->pc];
            if (p->state != SIM_PATH_AT_BARRIER || op->target != block + 1) continue;
            report(other, p->mask, op, w, lanes);
        }
    }
}

void sim_hazard_skipped(sim_warp *w, uint32_t block, uint32_t lanes) {
    sim_domain *d = sim_domain_of(w->block);
    uint32_t *skipped = lanes_skipped(d, w);
    if (!skipped) return;
    d->has_skipped = true;
    skipped[block] |= lanes;
    check_waiting(w, lanes, block);
}

void sim_skipped_arrive(sim_warp *w, const sim_op *op, uint32_t lanes) {
    const sim_domain *d = sim_domain_of(w->block);
    if (!d->has_skipped || !op->target) return;
    for (uint32_t i = 0; i < w->block->warp_count; i++) {
        const sim_warp *other = &w->block->warps[i];
        const uint32_t *skipped = d->skipped[sim_actor(other)];
        if (skipped && skipped[op->target - 1]) report(w, lanes, op, other, skipped[op->target - 1]);
    }
}

/* True unless the lanes of a warp may reach the barrier apart, as only barrier.sync allows. */
static bool is_aligned(const ptx_instruction *i) {
    return ptx_has(i->op, PTX_TRAIT_ALIGNED) || i->mods[PTX_SLOT_ALIGNED];
}

void sim_skipped_check_warp(sim_warp *w, const sim_op *op, uint32_t id, uint32_t lanes) {
    if (!(w->live & ~lanes) || !is_aligned(sim_instruction_of(w, op->instruction))) return;
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        const sim_path *p = &w->paths[__builtin_ctz(left)];
        if (p->state != SIM_PATH_AT_BARRIER || p->barrier != id || p->pc == sim_pc(w, op)) continue;
        const sim_suspect s = {.kind = HAUL_FINDING_BARRIER_DIVERGENCE,
                               .action = HAUL_ACTION_SYNC,
                               .other_action = HAUL_ACTION_SYNC,
                               .instruction = op->instruction,
                               .other_instruction = w->ops[p->pc].instruction,
                               .lanes = lanes,
                               .thread = sim_actor(w) * SIM_LANES + (uint32_t)__builtin_ctz(p->mask)};
        sim_finding *f = sim_hazard_report(w, &s);
        if (f)
            sim_hazard_say(f, "lanes 0x%08x of warp %u reach barrier %u here, lanes 0x%08x in another place", lanes,
                           w->index, id, p->mask);
        return;
    }
}

void sim_skipped_start(sim_domain *d) {
    if (!d->has_skipped) return;
    d->has_skipped = false;
    for (uint32_t a = 0; a < d->actors; a++) {
        memory_free(d->skipped[a]);
        d->skipped[a] = NULL;
    }
}
