/* Phases of mbarriers: a thread that arrives must know that the previous phase is over, or its arrival may have been
 * one too many for it. */
#include "base/memory.h"
#include "check/internal.h"

static sim_finding *report(sim_warp *w, uint32_t instruction, unsigned lane, const sim_watched_mbarrier *m,
                           uint32_t other, uint32_t thread, bool is_advice) {
    const sim_suspect s = {.kind = HAUL_FINDING_MBARRIER_MISUSE,
                           .action = HAUL_ACTION_SYNC,
                           .other_action = HAUL_ACTION_SYNC,
                           .instruction = instruction,
                           .other_instruction = other,
                           .lanes = 1u << lane,
                           .thread = thread,
                           .space = HAUL_SPACE_SHARED,
                           .address = m->address,
                           .bytes = 8,
                           .is_advice = is_advice};
    return sim_hazard_report(w, &s);
}

static bool knows_end(const sim_warp *w, unsigned lane, const sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    const sim_view *v = sim_view_of(d, sim_actor(w), lane);
    return sim_known_lanes(&v->order[sim_mbarrier_actor(d, m)], m->ended) != 0;
}

/* True if the lane knows of an arrival of each other warp that has arrived in the phases that are over. Lanes of one
 * warp may have met by votes before one of them told of all (cuda::pipeline): that orders no memory accesses, but
 * arrivals. */
static bool knows_arrivals(const sim_warp *w, unsigned lane, const sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t self = sim_actor(w);
    const sim_view *v = sim_view_of(d, self, lane);
    for (uint32_t a = 0; a < d->actors; a++) {
        const sim_known *came = &m->gate.open[a];
        const uint32_t known = sim_known_lanes(&v->order[a], came->lanes ? came->some : came->all);
        if (a != self && !known) return false;
    }
    return true;
}

void sim_phase_again(sim_warp *w, const sim_op *op, unsigned lane, const sim_watched_mbarrier *m) {
    if (m->life != SIM_MBARRIER_LIVE || !m->ended || knows_end(w, lane, m) || knows_arrivals(w, lane, m)) return;
    sim_finding *f = report(w, op->instruction, lane, m, m->last_instruction, m->last_thread, false);
    if (f)
        sim_hazard_say(f,
                       "this thread has not waited for the end of the phase in which others have arrived: it may still "
                       "be in progress");
}

/* True if the lane knows of the instruction by which each warp has arrived last in the phases that are over: of the
 * arrival itself, or of another lane's at another mbarrier. Of its own warp it knows the lane's own arrival. False if
 * nobody else has arrived: then the lane runs ahead of those that wait. */
static bool knows_instructions(const sim_warp *w, unsigned lane, const sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t self = sim_actor(w);
    const sim_view *v = sim_view_of(d, self, lane);
    bool others = false;
    for (uint32_t a = 0; m->began && a < d->actors; a++) {
        const uint32_t since = m->began[d->actors + a];
        const bool is_own = a == self && m->gate.open[a].lanes == 1u << lane;
        if (since && !is_own && !sim_known_lanes(&v->order[a], since)) return false;
        others |= since && !is_own;
    }
    return others;
}

void sim_phase_arrives(const sim_warp *w, sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    if (!m->began) m->began = memory_zeroed(2 * (size_t)d->actors, sizeof *m->began);
    if (m->began)
        m->began[sim_actor(w)] = d->signalling;
    else
        d->owner->failed = true;
}

void sim_phase_signalled(sim_warp *w, uint32_t instruction, unsigned lane, const sim_watched_mbarrier *m) {
    if (m->life != SIM_MBARRIER_LIVE || !m->ended || knows_end(w, lane, m)) return;
    const bool together = knows_instructions(w, lane, m);
    sim_finding *f = report(w, instruction, lane, m, m->last_instruction, m->last_thread, together);
    if (f && together)
        sim_hazard_say(f,
                       "this thread knows that the instructions of the last phase's arrivals have been executed, from "
                       "their lanes that arrived elsewhere, but only hardware promises that all their lanes arrive "
                       "before this one");
    else if (f)
        sim_hazard_say(f, "the mbarrier's last phase has ended with other arrivals, and this thread has not waited for "
                          "that: there are more arrivals than its count, or this one counts in the wrong phase");
}

static void report_overtaken(sim_domain *d, const sim_watched_mbarrier *m, uint32_t waiter) {
    const uint32_t actor = m->last_thread / SIM_LANES;
    sim_warp *w = &d->first[actor / d->warps].warps[actor % d->warps];
    sim_finding *f =
        report(w, m->last_instruction, m->last_thread % SIM_LANES, m, m->pass_instruction, waiter * SIM_LANES, false);
    if (f)
        sim_hazard_say(
            f, "nothing ensures that another thread's wait for the previous phase is over: two phases later, that "
               "wait sees the same parity as if the phase had not ended, and may never return");
}

/* A waiting thread tells phases apart only by their parity. So the next phase must not end before the waiter has seen
 * this one end. (Relaxed arrivals pass nothing on, and a shared gate has forgotten some.) */
static void check_waiters(sim_domain *d, const sim_watched_mbarrier *m) {
    if (m->life != SIM_MBARRIER_LIVE || !m->passed || !m->used || m->crowded || d->relaxed) return;
    for (uint32_t a = 0; a < d->actors; a++) {
        if (!m->passed[a] || sim_known_lanes(&m->gate.gathered[a], m->passed[a])) continue;
        report_overtaken(d, m, a);
        return;
    }
}

/* The lane issues a copy that completes on the mbarrier. The phase cannot end without its bytes, so waits that the lane
 * knows of are over before that, and its own for other mbarriers too. */
void sim_phase_fed(const sim_warp *w, unsigned lane, sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t self = sim_actor(w);
    const sim_view *v = sim_view_of(d, self, lane);
    for (uint32_t a = 0; m->passed && a < d->actors; a++)
        if (a == self || sim_known_lanes(&v->order[a], m->passed[a])) m->passed[a] = 0;
    if (!m->fed) m->fed = memory_zeroed(d->actors, sizeof *m->fed);
    if (m->fed)
        m->fed[self] = d->now;
    else
        d->owner->failed = true;
}

/* A wait for the mbarrier is over, and so are the waits that came before the copies which complete on it: as when one
 * warp expects the bytes of several. The thread knows nothing else of the threads that issued them, which vector clocks
 * cannot express. So those waits are not checked any more. */
void sim_phase_passed(sim_domain *d, sim_watched_mbarrier *m) {
    for (uint32_t a = 0; m->fed && a < d->actors; a++) {
        for (uint32_t i = 0; m->fed[a] && i < d->mbarrier_count; i++) {
            uint32_t *passed = d->mbarriers[i].passed;
            if (passed && passed[a] <= m->fed[a]) passed[a] = 0;
        }
        m->fed[a] = 0;
    }
}

/* Threads that wait for the copy know of the phases whose end the lane has seen, but of nothing that the lane wrote.
 * Vector clocks cannot express that, so those phases are not checked any more. */
void sim_hazard_mbarrier_signals(const sim_warp *w, unsigned lane) {
    sim_domain *d = sim_domain_of(w->block);
    for (uint32_t i = 0; i < d->mbarrier_count; i++) {
        sim_watched_mbarrier *m = &d->mbarriers[i];
        if (m->passed) m->passed[sim_actor(w)] = 0;
        if (m->ended && knows_end(w, lane, m)) m->ended = 0;
    }
}

void sim_phase_ended(sim_domain *d, sim_watched_mbarrier *m) {
    if (!sim_gate_open(d, &m->gate)) return;
    check_waiters(d, m);
    for (uint32_t a = 0; m->began && a < d->actors; a++) {
        if (m->began[a]) m->began[d->actors + a] = m->began[a];
        m->began[a] = 0;
    }
    m->phases++;
    m->ended = ++d->now;
    sim_known_add(&m->gate.gathered[sim_mbarrier_actor(d, m)], (sim_known){.all = m->ended});
    d->now++;
}
