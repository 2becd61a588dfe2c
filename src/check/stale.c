/* Waits that name an old parity. Such a wait names a phase whose end the thread has already seen and acted on, or the
 * one before the first, which counts as over. It returns at once, whatever the state of the next phase. What follows is
 * unordered, for this thread and for those that rely on it. The wait is harmless if no next phase ever begins, and
 * producers begin with such waits for stages that are free. So it is reported only when it explains another finding,
 * and in place of that one. */
#include "base/memory.h"
#include "check/internal.h"
#include "state/mbarrier.h"

#include <string.h>

void sim_stale_progress(const sim_warp *w) {
    sim_domain_of(w->block)->progress[sim_actor(w)]++;
}

/* Returns the parity that the wait names; 2: it names a state. */
static uint8_t parity_of(const sim_warp *w, const sim_op *op, uint32_t lanes) {
    return op->x ? SIM_SLOT(w, uint32_t, op->b)[__builtin_ctz(lanes)] & 1 : 2;
}

static bool has_passes(sim_domain *d, sim_watched_mbarrier *m) {
    if (!m->passes) m->passes = memory_zeroed(d->actors, sizeof *m->passes);
    if (!m->passes) d->owner->failed = true;
    return m->passes;
}

/* The wait, for the phase before the first, was not for a free stage. */
static void mark_early(sim_pass *p) {
    p->is_early = true;
    p->again = p->lanes;
}

/* The last wait was for the phase before the first, and the warp has already signalled before it what it signals now:
 * it fills a stage again that nobody is known to have freed. */
void sim_stale_signalled(const sim_warp *w, sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    if (!has_passes(d, m)) return;
    sim_pass *own = &m->passes[actor];
    sim_watched_mbarrier *early = d->early[actor] ? &d->mbarriers[d->early[actor] - 1] : m;
    if (early != m && early->passes && own->told && own->told <= early->passes[actor].progress)
        mark_early(&early->passes[actor]);
    own->told = d->progress[actor];
}

void sim_stale_pass(sim_warp *w, const sim_op *op, uint32_t lanes, sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    if (!has_passes(d, m)) return;
    sim_pass *p = &m->passes[actor];
    if (!p->lanes || p->phase != m->phases)
        *p = (sim_pass){.phase = m->phases,
                        .signals = m->signals,
                        .progress = d->progress[actor],
                        .instruction = op->instruction,
                        .parity = parity_of(w, op, lanes),
                        .told = p->told};
    d->early[actor] = m->phases ? 0 : 1 + (uint32_t)(m - d->mbarriers);
    if (p->lanes & lanes && p->progress != d->progress[actor]) {
        p->again = p->lanes & lanes;
        p->instruction = op->instruction;
        p->parity = parity_of(w, op, lanes);
    }
    p->lanes |= lanes;
}

void sim_stale_forget(const sim_domain *d, sim_watched_mbarrier *m) {
    if (m->passes) memset(m->passes, 0, d->actors * sizeof *m->passes);
    for (uint32_t a = 0; a < d->actors; a++)
        if (d->early[a] == 1 + (uint32_t)(m - d->mbarriers)) d->early[a] = 0;
    m->phases = m->signals = 0;
}

/* ---- findings they explain ---- */

/* True if the phase after the one that was waited for again has begun. */
static bool has_moved_on(const sim_watched_mbarrier *m, const sim_pass *p) {
    uint64_t bits;
    if (p->is_early) return true;
    memcpy(&bits, m->block->shared + m->address, sizeof bits);
    const sim_mbarrier state = sim_mbarrier_unpack(bits);
    return m->phases != p->phase || m->signals != p->signals || state.pending != state.expected || state.bytes != 0;
}

static bool is_stale(const sim_watched_mbarrier *m, uint32_t actor) {
    return m->life == SIM_MBARRIER_LIVE && !m->crowded && m->passes && m->passes[actor].again &&
           has_moved_on(m, &m->passes[actor]);
}

static const sim_watched_mbarrier *stale_of(const sim_domain *d, uint32_t actor) {
    for (uint32_t i = 0; i < d->mbarrier_count; i++)
        if (is_stale(&d->mbarriers[i], actor)) return &d->mbarriers[i];
    return NULL;
}

static void report(const sim_domain *d, const sim_watched_mbarrier *m, uint32_t actor) {
    const sim_pass *p = &m->passes[actor];
    const bool has_other = m->used && !p->is_early;
    const sim_suspect s = {.kind = HAUL_FINDING_MBARRIER_MISUSE,
                           .action = HAUL_ACTION_SYNC,
                           .other_action = has_other ? HAUL_ACTION_SYNC : HAUL_ACTION_NONE,
                           .instruction = p->instruction,
                           .other_instruction = m->last_instruction,
                           .lanes = p->again,
                           .thread = has_other ? m->last_thread : SIM_NO_THREAD,
                           .space = HAUL_SPACE_SHARED,
                           .address = m->address,
                           .bytes = 8,
                           .is_explanation = true};
    sim_finding *f = sim_hazard_report(&d->first[actor / d->warps].warps[actor % d->warps], &s);
    if (f && p->is_early)
        sim_hazard_say(f,
                       "the parity is stale: the wait names parity %u, which counts as over in a new mbarrier, so it "
                       "returns at once; the first phase has parity %u, so what comes after the wait is not ordered",
                       p->parity, p->parity ^ 1u);
    else if (f && p->parity < 2)
        sim_hazard_say(
            f,
            "the parity is stale: the wait names parity %u, a phase whose end this thread has already seen, and "
            "returns at once; the next phase has parity %u, so what comes after the wait is not ordered",
            p->parity, p->parity ^ 1u);
    else if (f)
        sim_hazard_say(f,
                       "the state is stale: it belongs to a phase whose end this thread has already seen, so the wait "
                       "returns at once, and what comes after it is not ordered");
}

static bool may_explain(haul_finding_kind kind) {
    return kind == HAUL_FINDING_ASYNC_READ_BEFORE_WAIT || kind == HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN ||
           kind == HAUL_FINDING_MBARRIER_MISUSE || kind == HAUL_FINDING_RACE_SHARED;
}

/* Nobody waits for the phase before the first of an mbarrier that copies complete on: marks such a wait. */
static void mark_early_readers(const sim_domain *d, uint32_t actor) {
    for (uint32_t i = 0; i < d->mbarrier_count; i++) {
        const sim_watched_mbarrier *m = &d->mbarriers[i];
        if (m->fed && m->passes && m->passes[actor].lanes && !m->passes[actor].phase) mark_early(&m->passes[actor]);
    }
}

/* Returns an actor with such a wait that is involved in the finding: one of its two actors, or one that waits for the
 * copy. Returns d->actors if there is none. */
static uint32_t find_actor(const sim_domain *d, uint32_t actor, const sim_suspect *s) {
    const uint32_t other = s->thread == SIM_NO_THREAD ? actor : s->thread / SIM_LANES;
    mark_early_readers(d, actor);
    if (other < d->actors) mark_early_readers(d, other);
    if (stale_of(d, actor)) return actor;
    if (other < d->actors) return stale_of(d, other) ? other : d->actors;
    for (uint32_t a = 0; a < d->actors; a++)
        if (is_stale(&d->mbarriers[other - d->actors], a)) return a;
    return d->actors;
}

bool sim_stale_explains(const sim_warp *w, const sim_suspect *s) {
    sim_domain *d = sim_domain_of(w->block);
    if (s->is_explanation || !may_explain(s->kind) || !d->mbarrier_count) return false;
    const uint32_t actor = find_actor(d, sim_actor(w), s);
    if (actor < d->actors) {
        d->has_stale = true;
        report(d, stale_of(d, actor), actor);
        return true;
    }
    return d->has_stale && s->kind != HAUL_FINDING_RACE_SHARED;
}
