/* Copies and reductions between the shared memories of a cluster's blocks: what they read or add to, until they are
 * known to be complete. Threads that have waited for the mbarrier they complete on know that, and threads synchronised
 * with those; the thread that issued them does not. (For what plain copies write see async_copies.c.) */
#include "base/memory.h"
#include "check/cells.h"

void sim_passages_start(sim_shadow *s) {
    for (uint32_t i = 0; s->passages && i < SIM_PASSAGES; i++) s->passages[i].used = false;
    s->next_passage = 0;
}

/* Describes the copy's bytes of `owner`, which complete on an mbarrier of block b. */
static sim_passage passage_of(const sim_block *b, const sim_bulk *bulk, uint32_t from, bool adds) {
    sim_domain *d = sim_domain_of(b);
    return (sim_passage){.from = from,
                         .to = from + bulk->bytes,
                         .instruction = bulk->instruction,
                         .actor = (uint16_t)sim_mbarrier_actor(d, sim_mbarrier_watched(d, b, bulk->barrier)),
                         .adds = adds,
                         .used = true};
}

static bool is_alike(const sim_passage *p, const sim_passage *q) {
    return p->used && p->adds == q->adds && p->instruction == q->instruction && p->actor == q->actor;
}

/* Returns an entry to extend. Copies in flight side by side share an entry, as lanes that add adjacent words do; a
 * repeated copy reuses its old one. */
static sim_passage *find_to_join(const sim_shadow *s, const sim_passage *p) {
    for (uint32_t i = 0; i < SIM_PASSAGES; i++) {
        sim_passage *q = &s->passages[i];
        const bool again = p->from == q->from && p->to == q->to;
        const bool beside = !q->time && p->from >= q->from && p->from <= q->to;
        if (is_alike(q, p) && (again || beside)) return q;
    }
    return NULL;
}

bool sim_passage_begin(sim_warp *w, unsigned lane, const sim_block *owner, const sim_block *b, const sim_bulk *bulk,
                       uint32_t from, bool adds) {
    sim_shadow *s = sim_shadow_of(owner);
    if (!s->passages) s->passages = memory_zeroed(SIM_PASSAGES, sizeof *s->passages);
    if (!s->passages) {
        sim_domain_of(b)->owner->failed = true;
        return false;
    }
    sim_passage p = passage_of(b, bulk, from, adds);
    p.thread = (uint16_t)(sim_actor(w) * SIM_LANES + lane);
    sim_passage *same = find_to_join(s, &p);
    if (same) {
        if (p.to > same->to) same->to = p.to;
        same->time = 0;
        same->thread = p.thread;
        return true;
    }
    s->passages[s->next_passage++ % SIM_PASSAGES] = p;
    return true;
}

void sim_passage_done(const sim_block *owner, const sim_block *b, const sim_bulk *bulk, uint32_t from, bool adds) {
    const sim_shadow *s = sim_shadow_of(owner);
    const sim_passage done = passage_of(b, bulk, from, adds);
    for (uint32_t i = 0; s->passages && i < SIM_PASSAGES; i++) {
        sim_passage *p = &s->passages[i];
        if (is_alike(p, &done) && p->from <= done.from && done.to <= p->to) p->time = sim_domain_of(b)->now;
    }
}

/* ---- checks of accesses ---- */

/* Returns the first entry of this kind that touches the word and that the current thread does not know to be
 * complete. */
static const sim_passage *unknown_passage(const sim_visit *k, uint32_t word, bool adds) {
    for (uint32_t i = 0; k->s->passages && i < SIM_PASSAGES; i++) {
        const sim_passage *p = &k->s->passages[i];
        if (!p->used || p->adds != adds || 4 * word >= p->to || 4 * word + 4 <= p->from) continue;
        if (!p->time || !sim_known_lanes(&k->v->order[p->actor], p->time)) return p;
    }
    return NULL;
}

void sim_peers_check_source(const sim_visit *k, uint32_t word) {
    const sim_passage *p = unknown_passage(k, word, false);
    if (!p) return;
    sim_finding *f = sim_visit_report(k, HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, 4 * word, 4, HAUL_ACTION_ASYNC_READ,
                                      p->instruction, p->thread);
    if (f)
        sim_hazard_say(f, "the copy to another block may not have read them yet: this thread has not waited for the "
                          "mbarrier that it completes on, nor synchronised with a thread that has");
}

bool sim_peers_check_sum(const sim_visit *k, uint32_t word) {
    const sim_passage *p = unknown_passage(k, word, true);
    if (!p) return true;
    sim_finding *f = sim_visit_report(k, HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, 4 * word, 4, HAUL_ACTION_ATOMIC,
                                      p->instruction, p->thread);
    if (f)
        sim_hazard_say(f, "the reduction may still add to them: this thread has not waited for the mbarrier that it "
                          "completes on, nor synchronised with a thread that has");
    return false;
}
