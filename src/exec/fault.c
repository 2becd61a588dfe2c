/* Messages of a launch that cannot go on: faults, and what the warps of a stuck SM wait for.
 *
 * An SM records one fault, the first, with a message. Other SMs run on to the end of the epoch; epochs.c reports the
 * fault of the lowest SM, so the message does not depend on host threads. With checks on, an access out of bounds is
 * put aside (`passed`) and the SM goes on for a while, to find more defects. The launch fails all the same.
 *
 * check/stuck.h words what a waiting thread waits for. */
#include "exec/fault.h"

#include "check/hazard.h"
#include "check/stuck.h"
#include "ptx/users_place.h"
#include "state/block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- faults ---- */

/* Returns the user's place of an instruction, not one in a header of the toolchain; NULL if the PTX names none. */
static const ptx_place *place_of(const sim_program *p, const sim_op *op) {
    const uint32_t place = ptx_users_place(p->module, p->function->instructions[op->instruction].place);
    return place ? &p->module->places[place - 1] : NULL;
}

/* Begins a message with the source line, or with the PTX's own if there is none. */
static void print_place(const sim_program *p, const sim_op *op, char *out, size_t size) {
    const ptx_place *place = place_of(p, op);
    const ptx_instruction *i = &p->function->instructions[op->instruction];
    if (place)
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

/* Completes the message: the text, then block and thread. The checks get the text as a finding. */
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

/* A trap is the kernel's own decision to end. */
static haul_status status_of(haul_finding_kind kind) {
    return kind == HAUL_FINDING_TRAP ? HAUL_ERROR_TRAP : HAUL_ERROR_FAULT;
}

/* Returns whether the launch goes on after such a fault. */
static bool may_pass(const sim_warp *w, haul_finding_kind kind) {
    return w->sm->hazards && kind == HAUL_FINDING_OUT_OF_BOUNDS;
}

/* A fault that lanes have skipped may leave values that cause more faults; only the thread's first is reported. */
static bool is_consequence(const sim_warp *w, haul_finding_kind kind, uint32_t lanes) {
    return may_pass(w, kind) && w->sm->fault.status == HAUL_OK && sim_hazard_have_faulted(w, lanes);
}

/* Later faults of the SM are dropped, but they stop the warp as well. */
sim_step sim_fault(sim_warp *w, const sim_op *op, haul_finding_kind kind, uint32_t lanes, const char *format, ...) {
    char place[512];
    va_list arguments;
    /* Stops the lanes like a fault, but without a message or a finding. */
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

/* The part after the last slash. */
static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The device library's assertions name a pipeline, its stage and a role in place of file, line and function; the user's
 * line goes before them. */
sim_step sim_fail_assertion(sim_warp *w, const sim_op *op, const char *file, uint32_t line, uint32_t lanes,
                            const char *format, ...) {
    char place[1024] = "";
    va_list arguments;
    const ptx_place *users = place_of(w->sm->grid->program, op);
    const char *own = users ? last_part(w->sm->grid->program->module->files[users->file]) : "";
    if (users && strcmp(own, last_part(file)) != 0) snprintf(place, sizeof place / 2, "%s:%u: ", own, users->line);
    const size_t used = strlen(place);
    snprintf(place + used, sizeof place - used, "%s:%u: ", file, line);
    va_start(arguments, format);
    if (open_fault(w, HAUL_ERROR_TRAP, HAUL_FINDING_TRAP, lanes, place)) {
        w->sm->fault.is_assertion = true;
        tell_fault(w, op, lanes, format, arguments);
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

/* The SM's first fault is kept: the launch fails with it in the end. */
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

/* Returns the kind of blocks that wait like this one; NULL if it is the first. */
static sim_stuck_kind *kind_of(sim_stuck *s, const char *waits) {
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(text_string(&s->kinds[i].waits), waits) == 0) return &s->kinds[i];
    return NULL;
}

static void describe_block(const sim_block *b, sim_stuck *s) {
    text waits = {0};
    sim_stuck_put_block(&waits, b);
    sim_stuck_kind *same = kind_of(s, text_string(&waits));
    if (same) {
        same->more++;
    } else if (s->count < SIM_STUCK_KINDS) {
        sim_stuck_kind *kind = &s->kinds[s->count++];
        sim_stuck_put_name(&kind->block, b);
        kind->waits = waits;
        return;
    } else {
        s->others++;
    }
    text_free(&waits);
}

void sim_sm_describe_stuck(const sim_sm *sm, sim_stuck *s) {
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        if (sm->blocks[b].running) describe_block(&sm->blocks[b], s);
}

/* " block (0,0,0) and 3 more: 32 threads (warp 0) wait at ...; block (4,0,0): ..." */
void sim_stuck_tell(sim_stuck *s, char *message, size_t size) {
    text all = {0};
    for (size_t i = 0; i < s->count; i++) {
        sim_stuck_kind *kind = &s->kinds[i];
        text_printf(&all, "%s %s", i ? ";" : "", text_string(&kind->block));
        if (kind->more) text_printf(&all, " and %" PRIu64 " more block%s", kind->more, kind->more > 1 ? "s" : "");
        text_put(&all, text_string(&kind->waits));
        text_free(&kind->block);
        text_free(&kind->waits);
    }
    if (s->others) text_printf(&all, "; %" PRIu64 " other blocks wait, too", s->others);
    snprintf(message, size, "%s", text_string(&all));
    text_free(&all);
}
