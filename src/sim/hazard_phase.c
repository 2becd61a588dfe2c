/* Phases of mbarriers: whoever arrives must know that the phase before is over, or its arrival may have been one too
 * many there. */
#include "sim/hazard_internal.h"

static sim_finding *report(sim_warp *w, uint32_t instruction, unsigned lane, const sim_watched_mbarrier *m,
                           uint32_t other, uint32_t thread) {
    const sim_suspect s = {.kind = HAUL_FINDING_MBARRIER_MISUSE,
                           .action = HAUL_ACTION_SYNC,
                           .other_action = HAUL_ACTION_SYNC,
                           .instruction = instruction,
                           .other_instruction = other,
                           .lane = lane,
                           .thread = thread,
                           .space = HAUL_SPACE_SHARED,
                           .address = m->address,
                           .bytes = 8};
    return sim_hazard_report(w, &s);
}

void sim_phase_told(sim_warp *w, uint32_t instruction, unsigned lane, const sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    if (!m->live || !m->ended) return;
    const sim_view *v = sim_view_of(d, sim_actor(w), lane);
    if (sim_known_lanes(&v->order[sim_mbarrier_actor(d, m)], m->ended)) return;
    sim_finding *f = report(w, instruction, lane, m, m->last_instruction, m->last_thread);
    if (f)
        sim_hazard_say(f, "the mbarrier's last phase has ended with other arrivals, and this thread has not waited for "
                          "that: there are more arrivals than its count, or this one counts in the wrong phase");
}

void sim_phase_ended(sim_domain *d, sim_watched_mbarrier *m) {
    if (!sim_gate_open(d, &m->gate)) return;
    m->ended = ++d->now;
    sim_known_add(&m->gate.gathered[sim_mbarrier_actor(d, m)], (sim_known){.all = m->ended});
    d->now++;
}
