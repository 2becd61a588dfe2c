/* Who knows of earlier uses of tensor memory. A load or store is over when its warp has waited for it, and known to
 * threads that have synchronised with that warp since. A product, copy or shift is over, and known, to threads that
 * have waited for the mbarrier of a later commit of its thread, and to those that have synchronised with them. The
 * newest uses and commits of a cluster are kept; older ones count as known. */
#include "base/memory.h"
#include "check/internal.h"
#include "ptx/tcgen05.h"

static sim_tmem_order *order_of(sim_domain *d) {
    if (!d->tensor) d->tensor = memory_zeroed(1, sizeof *d->tensor);
    if (!d->tensor) d->owner->failed = true;
    return d->tensor;
}

void sim_tmem_order_start(sim_domain *d) {
    if (d->tensor) *d->tensor = (sim_tmem_order){0};
}

/* ---- uses ---- */

sim_tmem_use sim_tmem_use_of(const sim_warp *w, const sim_op *op, uint32_t lanes, bool writes, sim_tmem_area area) {
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    const bool by_lanes = i->op == PTX_OP_TMEM_LD || i->op == PTX_OP_TMEM_ST;
    const bool for_pair = i->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2;
    const uint32_t rank = w->block->rank;
    return (sim_tmem_use){
        .area = area,
        .ranks = for_pair ? 3u << (rank & ~1u) : 1u << rank,
        .instruction = op->instruction,
        .lanes = lanes,
        .actor = (uint16_t)sim_actor(w),
        .by_lanes = by_lanes,
        .in_turn = ptx_is_tensor_product(i) || i->op == PTX_OP_TMEM_CP || i->op == PTX_OP_TMEM_SHIFT,
        .writes = writes,
        .used = true,
    };
}

static bool conflicts(const sim_tmem_use *a, const sim_tmem_use *b) {
    return a->used && b->used && (a->writes || b->writes) && a->ranks & b->ranks &&
           sim_tmem_areas_meet(&a->area, &b->area);
}

/* True if the lane knows that a product, copy or shift is over. */
static bool knows_work(const sim_tmem_order *t, const sim_view *v, const sim_tmem_use *use) {
    for (uint32_t i = 0; i < SIM_TMEM_COMMITS; i++) {
        const sim_tmem_commit *c = &t->commits[i];
        if (c->used && c->issuer == use->actor && c->issued >= use->time &&
            sim_known_lanes(&v->order[c->actor], c->time))
            return true;
    }
    return false;
}

/* True if the earlier use is over before the later one. What a warp does by lanes follows its own waits, and work that
 * one warp issues is done in turn; tmem.c checks both. */
static bool is_before(const sim_tmem_order *t, const sim_view *v, const sim_tmem_use *earlier,
                      const sim_tmem_use *later) {
    const bool same_warp = earlier->actor == later->actor;
    if (!earlier->by_lanes) return (same_warp && later->in_turn) || knows_work(t, v, earlier);
    return same_warp || (earlier->is_over && sim_known_lanes(&v->order[earlier->actor], earlier->time));
}

/* Lanes that act together know what any of them knows. */
static bool any_knows(const sim_domain *d, const sim_tmem_use *earlier, const sim_tmem_use *later) {
    sim_views *views = &d->views[later->actor];
    for (uint32_t i = 0; i < views->count; i++)
        if (sim_view_at(views, i)->lanes & later->lanes && is_before(d->tensor, sim_view_at(views, i), earlier, later))
            return true;
    return false;
}

const sim_tmem_use *sim_tmem_order_check(const sim_warp *w, const sim_tmem_use *use) {
    sim_domain *d = sim_domain_of(w->block);
    const sim_tmem_order *t = order_of(d);
    for (uint32_t i = 0; t && i < SIM_TMEM_USES; i++)
        if (conflicts(&t->uses[i], use) && !any_knows(d, &t->uses[i], use)) return &t->uses[i];
    return NULL;
}

/* A repeated use takes the place of the one before: whoever knows of it knows of both. */
void sim_tmem_order_note(const sim_warp *w, const sim_tmem_use *use) {
    sim_domain *d = sim_domain_of(w->block);
    sim_tmem_order *t = order_of(d);
    if (!t) return;
    sim_tmem_use *place = NULL;
    for (uint32_t i = 0; i < SIM_TMEM_USES && !place; i++) {
        sim_tmem_use *u = &t->uses[i];
        if (u->used && u->instruction == use->instruction && u->actor == use->actor && u->writes == use->writes &&
            u->area.column == use->area.column && u->area.columns == use->area.columns &&
            u->area.groups == use->area.groups)
            place = u;
    }
    if (!place) place = &t->uses[t->next_use++ % SIM_TMEM_USES];
    *place = *use;
    place->time = d->now;
}

void sim_tmem_order_forget(const sim_warp *w, const sim_tmem_area *area) {
    sim_tmem_order *t = order_of(sim_domain_of(w->block));
    for (uint32_t i = 0; t && i < SIM_TMEM_USES; i++) {
        sim_tmem_use *u = &t->uses[i];
        if (u->ranks >> w->block->rank & 1 && sim_tmem_areas_meet(&u->area, area)) u->used = false;
    }
}

/* ---- waits, fences and commits ---- */

/* With relaxed arrivals and waits, these fences alone order uses of tensor memory: what came before the one is passed
 * on by a later arrival, and what a wait has seen counts from the other one on. */
void sim_hazard_tmem_fence(sim_warp *w, uint32_t active) {
    sim_relaxed_fence(w, active, SIM_SCOPE_CLUSTER);
}

void sim_hazard_tmem_waited(sim_warp *w, bool stores) {
    sim_domain *d = sim_domain_of(w->block);
    sim_tmem_order *t = order_of(d);
    for (uint32_t i = 0; t && i < SIM_TMEM_USES; i++) {
        sim_tmem_use *u = &t->uses[i];
        if (!u->used || !u->by_lanes || u->is_over || u->writes != stores || u->actor != sim_actor(w)) continue;
        u->is_over = true;
        u->time = d->now;
    }
}

uint32_t sim_hazard_tmem_commit(const sim_warp *w) {
    return sim_domain_of(w->block)->now++;
}

/* The uses that the commit covers count as known. */
static void drop_covered(sim_tmem_order *t, const sim_tmem_commit *c) {
    for (uint32_t i = 0; c->used && i < SIM_TMEM_USES; i++) {
        sim_tmem_use *u = &t->uses[i];
        if (!u->by_lanes && u->actor == c->issuer && u->time <= c->issued) u->used = false;
    }
}

void sim_hazard_tmem_committed(const sim_warp *w, uint32_t issued, const sim_block *b, uint32_t barrier) {
    sim_domain *d = sim_domain_of(b);
    sim_tmem_order *t = order_of(d);
    const sim_watched_mbarrier *m = sim_mbarrier_watched(d, b, barrier);
    if (!t) return;
    const sim_tmem_commit c = {.issued = issued,
                               .time = d->now,
                               .issuer = (uint16_t)sim_actor(w),
                               .actor = (uint16_t)sim_mbarrier_actor(d, m),
                               .used = true};
    sim_tmem_commit *place = &t->commits[t->next_commit++ % SIM_TMEM_COMMITS];
    drop_covered(t, place);
    *place = c;
    if (m->crowded) drop_covered(t, place);
}
