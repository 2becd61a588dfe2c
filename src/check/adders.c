/* Earlier atomic operations on a word. The shadow keeps the last one, and a thread that reads the sum may know of that
 * one only: of its own, say. For kernels that may read what they add up, an earlier one is kept too. */
#include "check/adder_words.h"
#include "check/global.h"
#include "check/global_order.h"
#include "check/global_play.h"

#include <stdio.h>

/* The lane of an actor accesses words. */
typedef struct visit {
    const sim_play *play;
    uint32_t actor;
    unsigned lane;
} visit;

static void add(const visit *v, sim_adder_word *w) {
    const sim_logged *e = v->play->e;
    const bool is_same = w->last.epoch && w->last.cluster == e->cluster && w->last.actor == v->actor;
    const bool keeps = w->before.epoch && w->before.cluster != e->cluster && w->last.cluster == e->cluster;
    if (!is_same && !keeps) w->before = w->last;
    const uint32_t lanes = is_same && w->last.time == e->time ? w->last.lanes : 0;
    w->last = (sim_adder){e->cluster, e->instruction, e->time, e->age, lanes | 1u << v->lane, (uint16_t)v->actor};
}

/* Returns those lanes of an earlier operation that nothing orders before the access. */
static uint32_t unknown_lanes(const visit *v, const sim_adder *a) {
    const sim_play *p = v->play;
    if (!a->epoch) return 0;
    if (a->cluster == p->e->cluster) {
        const uint32_t own = a->actor == v->actor ? 1u << v->lane : 0;
        return a->lanes & ~sim_known_lanes(&p->known[a->actor], a->time) & ~own;
    }
    if (a->epoch > sim_order_floor(p->e, a->cluster, HAUL_ACTION_ATOMIC)) return a->lanes;
    return a->lanes & ~sim_order_lanes(p->watch, p->e, a->cluster, a->actor, a->time, HAUL_ACTION_ATOMIC);
}

static void report(const visit *v, const sim_adder_word *w, uint32_t lanes) {
    const sim_play *p = v->play;
    const sim_grid *g = p->watch->grid;
    const uint32_t thread = v->actor * SIM_LANES + v->lane;
    const uint32_t other = w->before.actor * SIM_LANES + (uint32_t)__builtin_ctz(lanes);
    const uint64_t actors = (uint64_t)g->warps * g->cluster_blocks;
    const haul_finding found = {
        .kind = HAUL_FINDING_RACE_GLOBAL,
        .grade = HAUL_GRADE_ERROR,
        .access = sim_watch_access(p->watch, p->e->cluster, thread, (haul_action)p->e->action, p->e->instruction),
        .other = sim_watch_access(p->watch, w->before.cluster, other, HAUL_ACTION_ATOMIC, w->before.instruction),
        .space = HAUL_SPACE_GLOBAL,
        .address = w->address,
        .bytes = 4};
    sim_finding *f = sim_findings_add(&p->s->findings, &found);
    sim_findings_concern(&p->s->findings, p->e->cluster * actors + v->actor, 1u << v->lane);
    sim_findings_concern(&p->s->findings, w->before.cluster * actors + w->before.actor, lanes);
    if (!f) return;
    sim_finding_locate(g, f);
    snprintf(f->what, sizeof f->what,
             "a later atomic operation on this word comes before the access, but nothing orders this earlier one");
}

static void visit_words(const visit *v, uint64_t from, uint64_t to) {
    const bool adds = v->play->e->action == HAUL_ACTION_ATOMIC, reads = sim_play_reads(v->play);
    for (uint64_t at = from & ~UINT64_C(3); at < to; at += 4) {
        if ((at >> SIM_WATCH_PAGE) % SIM_WATCH_SLICES != v->play->number) continue;
        sim_adder_word *w = sim_adder_word_at(&v->play->s->adders, at, adds, &v->play->s->failed);
        if (!w) continue;
        if (adds) {
            add(v, w);
            continue;
        }
        const uint32_t lanes = unknown_lanes(v, &w->before);
        if (lanes) report(v, w, lanes);
        if (!reads) w->last.epoch = w->before.epoch = 0;
    }
}

void sim_adders_play(const sim_play *p) {
    const sim_logged *e = p->e;
    if (e->action != HAUL_ACTION_ATOMIC && (e->strong || !p->s->adders)) return;
    for (unsigned k = 0; k < e->warps; k++)
        for (uint32_t left = e->has_list ? p->lanes : e->active; left; left &= left - 1) {
            const visit v = {p, e->actor + k, (unsigned)__builtin_ctz(left)};
            const uint64_t from = sim_play_address(p, v.lane) + k * e->pitch;
            visit_words(&v, from, from + e->bytes);
        }
}
