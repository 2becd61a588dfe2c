/* Faults and deadlocks, which stop a launch, and lanes that leave others waiting. */
#include "assembler/engine.h"
#include "check/internal.h"
#include "check/stuck.h"
#include "ptx/traits.h"
#include "state/block.h"
#include "state/program.h"

#include <stdio.h>
#include <string.h>

static sim_finding *report_at(sim_warp *w, haul_finding_kind kind, uint32_t instruction, uint32_t lanes) {
    const sim_suspect s = {
        .kind = kind, .action = HAUL_ACTION_SYNC, .instruction = instruction, .lanes = lanes, .thread = SIM_NO_THREAD};
    return sim_hazard_report(w, &s);
}

/* ---- divergence ---- */

/* True if only the end comes after the join: waiting there is as good as having ended. */
static bool only_ends(const sim_warp *w, uint32_t pc) {
    const sim_program *p = w->sm->grid->program;
    const sim_op *op = &w->ops[pc];
    if (pc + 1 >= p->op_count) return true;
    return ptx_is(p->function->instructions[op->instruction].op, PTX_KIND_END);
}

/* True if lanes at the join will reach the instruction, as lanes that take a lock one after the other do. */
static bool leads_to(const sim_warp *w, uint32_t pc, uint32_t instruction) {
    const ptx_function *f = w->sm->grid->program->function;
    for (uint32_t b = w->ops[pc].x; b != PTX_NO_BLOCK; b = f->blocks[b].join)
        if (f->blocks[b].first <= instruction && instruction < f->blocks[b].end) return true;
    return false;
}

/* Returns the lanes that wait at joins and will not reach what the path waits at. */
static uint32_t lanes_skipped(const sim_warp *w, const sim_path *p) {
    const uint32_t instruction = w->ops[p->pc].instruction;
    uint32_t lanes = 0;
    for (size_t k = 0; k < SIM_MAX_JOINS; k++) {
        const sim_join *j = &w->joins[k];
        if (j->used && !only_ends(w, j->pc) && !leads_to(w, j->pc, instruction)) lanes |= j->arrived;
    }
    return lanes;
}

/* True if the instruction has a mask of lanes. The others that lanes wait at are for the whole warp. */
static bool names_lanes(unsigned op) {
    return ptx_is(op, PTX_KIND_COLLECTIVE) || op == PTX_OP_BAR_WARP;
}

/* Reports the wait of a path whose other lanes have continued past it. */
static void report_divergence(sim_warp *w, const sim_path *p, uint32_t skipped) {
    const uint32_t instruction = w->ops[p->pc].instruction;
    const uint32_t missing = p->members & skipped;
    if (p->state == SIM_PATH_AT_BARRIER) {
        sim_finding *f = report_at(w, HAUL_FINDING_BARRIER_DIVERGENCE, instruction, p->mask);
        if (f)
            sim_hazard_say(f, "lanes 0x%08x of warp %u wait at barrier %u, but lanes 0x%08x have skipped it", p->mask,
                           w->index, p->barrier, skipped);
    } else if (p->state == SIM_PATH_AT_WARP_SYNC && missing) {
        sim_finding *f = report_at(w, HAUL_FINDING_SHUFFLE_MASK, instruction, p->mask);
        if (f && names_lanes(sim_instruction_of(w, instruction)->op))
            sim_hazard_say(f, "the mask 0x%08x names lanes that do not arrive: 0x%08x have skipped it", p->members,
                           missing);
        else if (f)
            sim_hazard_say(f, "the whole warp must execute it, but lanes 0x%08x have skipped it", missing);
    }
}

void sim_hazard_joins_released(sim_warp *w) {
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        const sim_path *p = &w->paths[__builtin_ctz(left)];
        const bool waits = p->state == SIM_PATH_AT_BARRIER || p->state == SIM_PATH_AT_WARP_SYNC;
        const uint32_t skipped = waits ? lanes_skipped(w, p) : 0;
        if (skipped) report_divergence(w, p, skipped);
    }
}

/* ---- deadlock ---- */

/* Names the mbarrier that the path waits for as the finding's place. */
static void locate_mbarrier(sim_finding *f, const sim_warp *w, const sim_path *p) {
    f->finding.space = HAUL_SPACE_SHARED;
    f->finding.address = sim_stuck_mbarrier(w, p);
    f->finding.bytes = sizeof(uint64_t);
    sim_finding_locate(w->sm->grid, f);
}

static bool was_raised(const sim_warp *w, const sim_path *p) {
    if (p->state != SIM_PATH_AT_MBARRIER) return false;
    return sim_mbarrier_watched(sim_domain_of(w->block), w->block, sim_stuck_mbarrier(w, p))->raised;
}

static void say_stuck(sim_finding *f, const sim_warp *w, const sim_path *p) {
    text what = {0};
    if (p->state == SIM_PATH_READY) {
        text_put(&what, "the loop waits for a change");
    } else {
        text_put(&what, "the wait is for ");
        sim_stuck_put_event(&what, w, p);
    }
    if (was_raised(w, p))
        text_put(&what,
                 " (arrivals by cp.async.mbarrier.arrive without .noinc do not count: each raises the count by one)");
    text_put(&what, "; nobody is left to bring it about: ");
    sim_stuck_put_others(&what, w, p);
    sim_hazard_say(f, "%s", text_string(&what));
    text_free(&what);
}

/* Reports what a path waits for when nothing can run. */
static void report_stuck_path(sim_warp *w, const sim_path *p) {
    const bool polls = p->state == SIM_PATH_READY && p->seen;
    const uint32_t instruction = polls ? p->read : w->ops[p->pc].instruction;
    const bool collective = p->state == SIM_PATH_AT_WARP_SYNC;
    sim_suspect s = {.kind = collective ? HAUL_FINDING_SHUFFLE_MASK : HAUL_FINDING_DEADLOCK,
                     .action = HAUL_ACTION_SYNC,
                     .instruction = instruction,
                     .lanes = p->mask,
                     .thread = SIM_NO_THREAD};
    sim_watched_mbarrier *m = NULL;
    if (p->state == SIM_PATH_AT_MBARRIER) {
        m = sim_mbarrier_watched(sim_domain_of(w->block), w->block, sim_stuck_mbarrier(w, p));
        s.other_action = HAUL_ACTION_SYNC;
        s.other_instruction = m->last_instruction;
        s.thread = m->used ? m->last_thread : SIM_NO_THREAD;
    }
    if (sim_domain_of(w->block)->has_stale) return; /* the stale wait that led here has been reported */
    sim_finding *f = sim_hazard_report(w, &s);
    if (!f) return;
    if (p->state == SIM_PATH_AT_MBARRIER) locate_mbarrier(f, w, p);
    say_stuck(f, w, p);
}

void sim_hazard_deadlock(sim_sm *sm) {
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        for (uint32_t i = 0; sm->blocks[b].running && i < sm->blocks[b].warp_count; i++) {
            sim_warp *w = &sm->blocks[b].warps[i];
            for (uint32_t left = w->used_paths; left; left &= left - 1)
                report_stuck_path(w, &w->paths[__builtin_ctz(left)]);
        }
}

/* ---- faults ---- */

static haul_action action_of(const sim_warp *w, uint32_t instruction) {
    switch (ptx_kind_of(sim_instruction_of(w, instruction)->op)) {
    case PTX_KIND_LOAD:
    case PTX_KIND_MATRIX_LOAD:
    case PTX_KIND_TEXTURE:
    case PTX_KIND_SURFACE_LOAD: return HAUL_ACTION_READ;
    case PTX_KIND_STORE:
    case PTX_KIND_MATRIX_STORE:
    case PTX_KIND_SURFACE_STORE: return HAUL_ACTION_WRITE;
    case PTX_KIND_ATOMIC:
    case PTX_KIND_REDUCTION:
    case PTX_KIND_SURFACE_REDUCTION: return HAUL_ACTION_ATOMIC;
    case PTX_KIND_COPY:
    case PTX_KIND_ENGINE_LOAD: return HAUL_ACTION_ASYNC_READ;
    case PTX_KIND_ENGINE_STORE:
    case PTX_KIND_ENGINE_SHARED: return HAUL_ACTION_ASYNC_WRITE;
    default: return HAUL_ACTION_SYNC;
    }
}

bool sim_hazard_have_faulted(const sim_warp *w, uint32_t lanes) {
    return lanes && !(lanes & ~sim_domain_of(w->block)->faulted[sim_actor(w)]);
}

void sim_hazard_fault(sim_warp *w, const sim_op *op, uint32_t lanes, const char *message) {
    const sim_fault_record *fault = &w->sm->fault;
    uint32_t *faulted = &sim_domain_of(w->block)->faulted[sim_actor(w)];
    sim_range freed;
    haul_finding_kind kind = fault->kind;
    const bool is_free = kind == HAUL_FINDING_BAD_FREE;
    const bool stale = kind == HAUL_FINDING_OUT_OF_BOUNDS && fault->space == HAUL_SPACE_GLOBAL &&
                       sim_memory_was_freed(w->sm->grid->memory, fault->address, &freed);
    if (stale) kind = HAUL_FINDING_USE_AFTER_FREE;
    const sim_suspect s = {.kind = kind,
                           .action = is_free ? HAUL_ACTION_FREE : action_of(w, op->instruction),
                           .instruction = op->instruction,
                           .lanes = lanes & ~*faulted ? lanes & ~*faulted : lanes,
                           .thread = SIM_NO_THREAD,
                           .space = fault->space,
                           .address = fault->address,
                           .bytes = fault->bytes};
    *faulted |= lanes;
    sim_finding *f = sim_hazard_report(w, &s);
    if (!f) return;
    sim_hazard_say(f, "%s", message);
    if (stale)
        snprintf(f->object, sizeof f->object, "%llu bytes into %llu bytes that were freed",
                 (unsigned long long)(fault->address - freed.from), (unsigned long long)(freed.to - freed.from));
}
