/* Messages of a launch that cannot go on: faults, and what the warps of a stuck SM wait for. */
#include "exec/fault.h"

#include "check/hazard.h"
#include "state/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const ptx_place *place_of(const sim_program *p, const sim_op *op) {
    uint32_t place = p->function->instructions[op->instruction].place;
    return place ? &p->module->places[place - 1] : NULL;
}

/* ---- faults ---- */

static void print_place(const sim_program *p, const sim_op *op, char *out, size_t size) {
    const ptx_place *place = place_of(p, op);
    const ptx_instruction *i = &p->function->instructions[op->instruction];
    if (place && place->file < p->module->file_count && p->module->files[place->file])
        snprintf(out, size, "%s:%u: ", p->module->files[place->file], place->line);
    else
        snprintf(out, size, "%s:%u: ", p->module->name, i->position.line);
}

void sim_fault_concerns(sim_warp *w, haul_space space, uint64_t address, uint32_t bytes) {
    sim_fault_record *f = &w->sm->fault;
    if (f->status != HAUL_OK) return;
    f->space = space;
    f->address = address;
    f->bytes = bytes;
}

/* Returns false if there was a fault before. */
static bool open_fault(sim_warp *w, haul_status status, haul_finding_kind kind, uint32_t lanes, const char *place) {
    sim_fault_record *f = &w->sm->fault;
    if (f->status != HAUL_OK) return false;
    f->status = status;
    f->kind = kind;
    f->lanes = lanes;
    snprintf(f->message, sizeof f->message, "%s", place);
    return true;
}

__attribute__((format(printf, 4, 0))) static void tell_fault(sim_warp *w, const sim_op *op, uint32_t lanes,
                                                             const char *format, va_list arguments) {
    sim_fault_record *f = &w->sm->fault;
    size_t used = strlen(f->message);
    vsnprintf(f->message + used, sizeof f->message - used, format, arguments);
    if (w->sm->hazards && (f->status == HAUL_ERROR_FAULT || f->status == HAUL_ERROR_TRAP))
        sim_hazard_fault(w, op, lanes, f->message + used);
    used = strlen(f->message);
    uint32_t thread = w->index * SIM_LANES + (lanes ? (uint32_t)__builtin_ctz(lanes) : 0);
    const uint32_t *size = w->sm->grid->block;
    snprintf(f->message + used, sizeof f->message - used, " (kernel %s, block %u,%u,%u, thread %u,%u,%u)",
             w->sm->grid->program->function->name, w->block->at[0], w->block->at[1], w->block->at[2], thread % size[0],
             thread / size[0] % size[1], thread / size[0] / size[1]);
}

static haul_status status_of(haul_finding_kind kind) {
    return kind == HAUL_FINDING_TRAP ? HAUL_ERROR_TRAP : HAUL_ERROR_FAULT;
}

static bool may_pass(const sim_warp *w, haul_finding_kind kind) {
    return w->sm->hazards && kind == HAUL_FINDING_OUT_OF_BOUNDS;
}

/* A fault that lanes have skipped may leave values that cause more faults; only the thread's first is reported. */
static bool is_consequence(const sim_warp *w, haul_finding_kind kind, uint32_t lanes) {
    return may_pass(w, kind) && w->sm->fault.status == HAUL_OK && sim_hazard_have_faulted(w, lanes);
}

sim_step sim_fault(sim_warp *w, const sim_op *op, haul_finding_kind kind, uint32_t lanes, const char *format, ...) {
    char place[512];
    va_list arguments;
    if (is_consequence(w, kind, lanes)) {
        w->sm->fault = (sim_fault_record){.status = HAUL_ERROR_FAULT, .kind = kind, .lanes = lanes};
        return SIM_STOP;
    }
    print_place(w->sm->grid->program, op, place, sizeof place);
    va_start(arguments, format);
    if (open_fault(w, status_of(kind), kind, lanes, place)) tell_fault(w, op, lanes, format, arguments);
    va_end(arguments);
    return SIM_STOP;
}

sim_step sim_fail_assertion(sim_warp *w, const char *place, uint32_t lanes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (open_fault(w, HAUL_ERROR_TRAP, HAUL_FINDING_TRAP, lanes, place)) {
        w->sm->fault.is_assertion = true;
        tell_fault(w, &w->ops[w->path->pc], lanes, format, arguments);
    }
    va_end(arguments);
    return SIM_STOP;
}

sim_step sim_give_up(sim_warp *w, const sim_op *op, haul_status status, uint32_t lanes, const char *format, ...) {
    char place[512];
    va_list arguments;
    print_place(w->sm->grid->program, op, place, sizeof place);
    va_start(arguments, format);
    if (open_fault(w, status, HAUL_FINDING_ILLEGAL_ACCESS, lanes, place)) tell_fault(w, op, lanes, format, arguments);
    va_end(arguments);
    return SIM_STOP;
}

/* With checks, an SM runs this many more operations after a fault, plus twice as many as it has executed. */
enum { GOES_ON = 1 << 20 };

uint32_t sim_fault_pass(sim_warp *w) {
    sim_sm *sm = w->sm;
    if (sm->fault.status != HAUL_ERROR_FAULT || !may_pass(w, sm->fault.kind)) return 0;
    const uint32_t lanes = sm->fault.lanes;
    if (sm->passed.status == HAUL_OK) {
        sm->passed = sm->fault;
        sm->passes_until = 3 * sm->executed + GOES_ON;
    }
    sm->fault.status = HAUL_OK;
    return lanes;
}

/* ---- stuck warps ---- */

/* Returns the line in the source, or in the PTX if the source is unknown. */
static uint32_t line_of(const sim_program *p, const sim_op *op) {
    const ptx_place *place = place_of(p, op);
    return place ? place->line : p->function->instructions[op->instruction].position.line;
}

static const char *describe_state(const sim_path *p, char out[48]) {
    switch (p->state) {
    case SIM_PATH_READY: return "run";
    case SIM_PATH_AT_BARRIER: snprintf(out, 48, "wait for barrier %u", p->barrier); return out;
    case SIM_PATH_AT_WARP_SYNC: return "wait for lanes of its own warp";
    case SIM_PATH_AT_MBARRIER: return "wait for an mbarrier's phase";
    case SIM_PATH_AT_CLUSTER: return "wait for the cluster's barrier";
    case SIM_PATH_AT_TENSOR_MEMORY: return "wait for columns of tensor memory";
    default: return "wait for a change";
    }
}

static void describe_path(const sim_sm *sm, const sim_warp *w, const sim_path *p, char *message, size_t size) {
    char state[48];
    size_t used = strlen(message);
    snprintf(message + used, size - used, "%s block (%u,%u,%u) warp %u lanes %08x %s at line %u", used ? ";" : "",
             w->block->at[0], w->block->at[1], w->block->at[2], w->index, p->mask, describe_state(p, state),
             line_of(sm->grid->program, &w->ops[p->pc]));
}

static void describe_warp(const sim_sm *sm, const sim_warp *w, char *message, size_t size) {
    for (uint32_t left = w->used_paths; left && strlen(message) + 120 < size; left &= left - 1)
        describe_path(sm, w, &w->paths[__builtin_ctz(left)], message, size);
}

void sim_sm_describe_stuck(const sim_sm *sm, char *message, size_t size) {
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        for (uint32_t i = 0; sm->blocks[b].running && i < sm->blocks[b].warp_count; i++)
            describe_warp(sm, &sm->blocks[b].warps[i], message, size);
}
