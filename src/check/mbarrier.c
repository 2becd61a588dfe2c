/* mbarriers: what arriving threads pass on to waiting ones, and misuse. */
#include "base/memory.h"
#include "check/internal.h"
#include "state/mbarrier.h"
#include "state/program.h"

#include <string.h>

/* The instructions on mbarriers follow one another in isa.def; copies and commits name the one they complete on. */
static bool may_name_mbarrier(const ptx_instruction *i) {
    const bool is_on_one = i->op >= PTX_OP_MBARRIER_INIT && i->op <= PTX_OP_MBARRIER_PENDING_COUNT;
    return is_on_one || i->op == PTX_OP_CP_ASYNC_MBARRIER || i->mods[PTX_SLOT_COMPLETION] != PTX_MOD_NONE;
}

bool sim_has_mbarriers(const sim_program *p) {
    for (size_t i = 0; i < p->function->instruction_count; i++)
        if (may_name_mbarrier(&p->function->instructions[i])) return true;
    return false;
}

static void forget_passes(const sim_domain *d, sim_watched_mbarrier *m) {
    if (m->passed) memset(m->passed, 0, d->actors * sizeof *m->passed);
    if (m->fed) memset(m->fed, 0, d->actors * sizeof *m->fed);
    if (m->began) memset(m->began, 0, 2 * d->actors * sizeof *m->began);
}

sim_watched_mbarrier *sim_mbarrier_watched(sim_domain *d, const sim_block *b, uint32_t address) {
    for (uint32_t i = 0; i < d->mbarrier_count; i++)
        if (d->mbarriers[i].block == b && d->mbarriers[i].address == address) return &d->mbarriers[i];
    if (d->mbarrier_count == SIM_HAZARD_MBARRIERS) {
        sim_watched_mbarrier *crowded = &d->mbarriers[address / 8 % SIM_HAZARD_MBARRIERS];
        crowded->crowded = true;
        return crowded;
    }
    sim_watched_mbarrier *m = &d->mbarriers[d->mbarrier_count++];
    *m = (sim_watched_mbarrier){.block = b,
                                .address = address,
                                .gate = m->gate,
                                .passed = m->passed,
                                .fed = m->fed,
                                .began = m->began,
                                .passes = m->passes};
    forget_passes(d, m);
    sim_stale_forget(d, m);
    sim_gate_clear(d, &m->gate);
    for (uint32_t a = 0; a < d->actors; a++)
        for (uint32_t i = 0; i < d->views[a].count; i++) sim_view_forget(d, sim_view_at(&d->views[a], i), d->used);
    d->used++;
    return m;
}

static bool is_shared_slot(const sim_watched_mbarrier *m, const sim_block *b, uint32_t address) {
    return m->block != b || m->address != address;
}

/* The other access is the mbarrier's initialisation, or its end. */
static sim_suspect misuse(uint32_t instruction, unsigned lane, const sim_watched_mbarrier *m, uint32_t address) {
    const bool has_other = m->life != SIM_MBARRIER_UNKNOWN;
    return (sim_suspect){.kind = HAUL_FINDING_MBARRIER_MISUSE,
                         .action = HAUL_ACTION_SYNC,
                         .other_action = has_other ? HAUL_ACTION_SYNC : HAUL_ACTION_NONE,
                         .instruction = instruction,
                         .other_instruction = m->instruction,
                         .lanes = 1u << lane,
                         .thread = has_other ? m->thread : SIM_NO_THREAD,
                         .space = HAUL_SPACE_SHARED,
                         .address = address,
                         .bytes = 8};
}

/* Checks that no lane of another warp may still look at the phase whose end it is known to have seen. */
static bool check_waiters(sim_warp *w, const sim_op *op, unsigned lane, const sim_watched_mbarrier *m) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    const sim_view *v = sim_view_of(d, actor, lane);
    for (uint32_t a = 0; m->passed && a < d->actors; a++) {
        if (a == actor || !m->passed[a] || sim_known_lanes(&v->order[a], m->passed[a])) continue;
        sim_suspect s = misuse(op->instruction, lane, m, m->address);
        s.thread = a * SIM_LANES;
        s.other_instruction = m->pass_instruction;
        sim_finding *f = sim_hazard_report(w, &s);
        if (f)
            sim_hazard_say(f, "initialised again, or invalidated, with no barrier after another thread's wait for it");
        return true;
    }
    return false;
}

/* Reports that an mbarrier is initialised or invalidated while a phase is in progress or others may still use it. */
static void check_not_in_use(sim_warp *w, const sim_op *op, unsigned lane, const sim_watched_mbarrier *m) {
    uint64_t bits;
    memcpy(&bits, w->block->shared + m->address, sizeof bits);
    const sim_mbarrier state = sim_mbarrier_unpack(bits);
    if (m->life != SIM_MBARRIER_LIVE || (state.pending == state.expected && state.bytes == 0)) {
        if (!check_waiters(w, op, lane, m)) sim_phase_again(w, op, lane, m);
        return;
    }
    const sim_suspect s = misuse(op->instruction, lane, m, m->address);
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(f, "initialised again in the middle of a phase: %u of %u arrivals and %d bytes are missing",
                       state.pending, state.expected, state.bytes);
}

void sim_hazard_mbarrier_init(sim_warp *w, const sim_op *op, unsigned lane, uint32_t address) {
    sim_domain *d = sim_domain_of(w->block);
    sim_watched_mbarrier *m = sim_mbarrier_watched(d, w->block, address);
    if (is_shared_slot(m, w->block, address)) return;
    check_not_in_use(w, op, lane, m);
    m->life = SIM_MBARRIER_LIVE;
    m->thread = (uint16_t)(sim_actor(w) * SIM_LANES + lane);
    m->instruction = op->instruction;
    m->time = d->now;
    m->fenced = m->raised = false;
    m->ended = m->phases = 0;
    m->expected_bytes = m->arrived_bytes = 0;
    forget_passes(d, m);
    sim_stale_forget(d, m);
    sim_shadow_mbarrier(w->block, address, true);
}

void sim_hazard_mbarrier_end(sim_warp *w, const sim_op *op, unsigned lane, uint32_t address) {
    sim_watched_mbarrier *m = sim_mbarrier_watched(sim_domain_of(w->block), w->block, address);
    if (is_shared_slot(m, w->block, address)) return;
    check_not_in_use(w, op, lane, m);
    m->life = SIM_MBARRIER_INVALIDATED;
    m->thread = (uint16_t)(sim_actor(w) * SIM_LANES + lane);
    m->instruction = op->instruction;
    sim_shadow_mbarrier(w->block, address, false);
}

static bool knows(const sim_view *v, uint32_t actor, unsigned lane, uint32_t thread, uint32_t time) {
    if (thread == actor * SIM_LANES + lane) return true;
    return sim_knows_thread(v->order, thread, time);
}

static const char *const early_or_late[] = {
    [SIM_MBARRIER_UNKNOWN] = "used before it has been initialised",
    [SIM_MBARRIER_LIVE] = "used without a barrier after its initialisation by another thread",
    [SIM_MBARRIER_INVALIDATED] = "used after mbarrier.inval, which has to come after all other uses",
};

/* Checks that the lane knows the mbarrier's initialisation. */
static void check_use(sim_warp *w, uint32_t instruction, unsigned lane, const sim_watched_mbarrier *m,
                      uint32_t address) {
    const uint32_t actor = sim_actor(w);
    if (m->life == SIM_MBARRIER_LIVE &&
        knows(sim_view_of(sim_domain_of(w->block), actor, lane), actor, lane, m->thread, m->time))
        return;
    const sim_suspect s = misuse(instruction, lane, m, address);
    sim_finding *f = sim_hazard_report(w, &s);
    if (!f) return;
    f->finding.beside_init = m->life == SIM_MBARRIER_LIVE;
    f->finding.before_init = m->life == SIM_MBARRIER_UNKNOWN;
    sim_hazard_say(f, "%s", early_or_late[m->life]);
}

void sim_hazard_mbarrier_use(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address) {
    if (b != w->block) sim_remote_note(w, op, 1u << lane, b);
    const sim_watched_mbarrier *m = sim_mbarrier_watched(sim_domain_of(w->block), b, address);
    if (!is_shared_slot(m, b, address)) check_use(w, op->instruction, lane, m, address);
}

void sim_mbarrier_check_copy(sim_warp *w, unsigned lane, const sim_watched_mbarrier *m, const sim_block *b,
                             const sim_bulk *bulk) {
    const bool is_last = m->used && m->last_thread == sim_actor(w) * SIM_LANES + lane;
    if (!is_last && !is_shared_slot(m, b, bulk->barrier)) check_use(w, bulk->instruction, lane, m, bulk->barrier);
}

void sim_hazard_mbarrier_begin(const sim_warp *w) {
    sim_domain *d = sim_domain_of(w->block);
    d->signalling = d->now;
}

void sim_hazard_mbarrier_signalled(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address) {
    sim_watched_mbarrier *m = sim_mbarrier_watched(sim_domain_of(w->block), b, address);
    sim_peek_settle(w, op->instruction, 1u << lane);
    sim_stale_progress(w);
    sim_stale_signalled(w, m);
    if (!is_shared_slot(m, b, address)) sim_phase_signalled(w, op->instruction, lane, m);
    m->signals++;
    m->used = true;
    m->last_thread = (uint16_t)(sim_actor(w) * SIM_LANES + lane);
    m->last_instruction = op->instruction;
}

void sim_hazard_mbarrier_raised(const sim_warp *w, uint32_t address) {
    sim_mbarrier_watched(sim_domain_of(w->block), w->block, address)->raised = true;
}

void sim_hazard_mbarrier_arrive(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address) {
    sim_domain *d = sim_domain_of(w->block);
    const int reach = b == w->block ? SIM_REACH_BLOCK : SIM_REACH_CLUSTER;
    sim_peek_settle(w, op->instruction, 1u << lane);
    sim_watched_mbarrier *m = sim_mbarrier_watched(d, b, address);
    sim_gate *gate = &m->gate;
    if (!is_shared_slot(m, b, address)) sim_phase_arrives(w, m);
    if (b != w->block && d->relaxed && sim_is_narrow(w, op))
        sim_relaxed_arrive(w, gate, reach);
    else
        sim_gate_pass_on(w, op, gate, 1u << lane, reach);
    d->now++;
}

void sim_hazard_mbarrier_bytes(sim_block *b, uint32_t address, int64_t bytes) {
    sim_watched_mbarrier *m = sim_mbarrier_watched(sim_domain_of(b), b, address);
    if (is_shared_slot(m, b, address)) return;
    if (bytes > 0)
        m->expected_bytes += (uint64_t)bytes;
    else
        m->arrived_bytes += (uint64_t)-bytes;
}

void sim_hazard_mbarrier_phase(sim_block *b, uint32_t address) {
    sim_domain *d = sim_domain_of(b);
    sim_watched_mbarrier *m = sim_mbarrier_watched(d, b, address);
    if (!is_shared_slot(m, b, address)) {
        m->expected_bytes = m->arrived_bytes = 0;
        sim_phase_ended(d, m);
    }
    sim_gate_release(d, &m->gate);
}

static void note_pass(sim_domain *d, sim_watched_mbarrier *m, uint32_t actor, uint32_t instruction) {
    if (!m->passed) m->passed = memory_zeroed(d->actors, sizeof *m->passed);
    if (!m->passed) {
        d->owner->failed = true;
        return;
    }
    m->passed[actor] = d->now;
    m->pass_instruction = instruction;
}

void sim_mbarrier_tell(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address) {
    sim_domain *d = sim_domain_of(w->block);
    sim_watched_mbarrier *m = sim_mbarrier_watched(d, w->block, address);
    if (!is_shared_slot(m, w->block, address)) {
        sim_phase_passed(d, m);
        note_pass(d, m, sim_actor(w), op->instruction);
        sim_stale_pass(w, op, lanes, m);
    }
    if (sim_is_relaxed(w, op))
        sim_relaxed_pass(w, &m->gate);
    else
        sim_gate_pass(d, &m->gate, sim_actor(w), lanes);
}

void sim_hazard_mbarrier_pass(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address) {
    const uint16_t *uses = w->sm->grid->uses;
    if (uses && uses[op->instruction] & SIM_USE_UNSEEN)
        sim_peek_note(w, op, lanes, address);
    else
        sim_mbarrier_tell(w, op, lanes, address);
}
