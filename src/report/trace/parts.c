#include "report/trace/parts.h"

#include "report/mnemonic.h"
#include "report/source.h"

typedef enum part_kind { CODE, BARRIER, COPIES, MBARRIER } part_kind;
static const char *const kind_names[] = {
    [BARRIER] = "barrier", [COPIES] = "wait for copies", [MBARRIER] = "wait at mbarrier"};

/* An executed instruction. */
typedef struct step {
    const haul_instruction_record *record;
    part_kind kind;
} step;

static part_kind kind_of(const haul_instruction_record *i) {
    const ptx_kind kind = report_ptx_kind(i);
    if (kind == PTX_KIND_COPY_WAIT) return COPIES;
    if (kind == PTX_KIND_MBARRIER_WAIT) return MBARRIER;
    return kind & (PTX_KIND_BARRIER | PTX_KIND_OTHER_BARRIER) ? BARRIER : CODE;
}

static size_t find_steps(const haul_launch_record *r, step *steps) {
    size_t count = 0;
    for (size_t k = 0; k < r->instruction_count; k++) {
        const haul_instruction_record *i = &r->instructions[k];
        if (i->mnemonic && i->traffic.instructions) steps[count++] = (step){i, kind_of(i)};
    }
    return count;
}

/* ---- the time of an instruction ---- */

/* How often each cause of waiting was executed, and the cycles that warps waited for it. */
typedef struct causes {
    double executed, barriers, far, shared;
    double issue_cycles, barrier_cycles, far_cycles, shared_cycles;
} causes;

/* Whether a warp waits for data from beyond the SM's shared memory. */
static bool is_far(const step *s) {
    const haul_memory_class c = s->record->memory_class;
    return s->kind == COPIES || s->kind == MBARRIER || c == HAUL_CLASS_GLOBAL_LOAD || c == HAUL_CLASS_GLOBAL_ATOMIC ||
           c == HAUL_CLASS_LOCAL_LOAD || c == HAUL_CLASS_TEXTURE || c == HAUL_CLASS_SURFACE_LOAD;
}

/* Cycles for which there is no cause belong to all instructions. */
static causes find_causes(const haul_launch_record *r, const step *steps, size_t count) {
    const double *stalls = r->estimate.stalls;
    causes c = {.barrier_cycles = stalls[HAUL_STALL_BARRIER],
                .far_cycles = stalls[HAUL_STALL_LONG_SCOREBOARD] + stalls[HAUL_STALL_LG_THROTTLE],
                .shared_cycles = stalls[HAUL_STALL_SHORT_SCOREBOARD] + stalls[HAUL_STALL_MIO_THROTTLE]};
    for (size_t k = 0; k < count; k++) {
        const haul_traffic *traffic = &steps[k].record->traffic;
        const double executed = (double)traffic->instructions;
        c.executed += executed;
        if (steps[k].kind == BARRIER) c.barriers += executed;
        if (is_far(&steps[k])) c.far += executed;
        c.shared += (double)traffic->shared_wavefronts;
    }
    if (c.barriers <= 0) c.barrier_cycles = 0;
    if (c.far <= 0) c.far_cycles = 0;
    if (c.shared <= 0) c.shared_cycles = 0;
    for (int k = 0; k < HAUL_STALL_COUNT; k++) c.issue_cycles += stalls[k];
    c.issue_cycles -= c.barrier_cycles + c.far_cycles + c.shared_cycles;
    return c;
}

static double part_of(double cycles, double executed, double all) {
    return all > 0 ? cycles * executed / all : 0;
}

static double cycles_of(const step *s, const causes *c) {
    const double executed = (double)s->record->traffic.instructions;
    double cycles = part_of(c->issue_cycles, executed, c->executed) +
                    part_of(c->shared_cycles, (double)s->record->traffic.shared_wavefronts, c->shared);
    if (s->kind == BARRIER) cycles += part_of(c->barrier_cycles, executed, c->barriers);
    return cycles + (is_far(s) ? part_of(c->far_cycles, executed, c->far) : 0);
}

/* ---- parts ---- */

typedef struct draft {
    part_kind kind;
    const char *unit; /* "line" or "PTX line" */
    uint32_t first, last;
    double cycles;
} draft;

/* Lines of inlined code count as the user's line that calls it. */
static void include_line(draft *d, const haul_instruction_record *i) {
    const haul_source_place *place = report_user_place(&i->place);
    const uint32_t line = place->file ? place->line : i->ptx_line;
    d->unit = place->file ? "line" : "PTX line";
    if (!d->first || line < d->first) d->first = line;
    if (line > d->last) d->last = line;
}

static const char *name_of(const draft *d, arena *memory) {
    if (d->kind != CODE) return arena_printf(memory, "%s, %s %u", kind_names[d->kind], d->unit, d->first);
    if (d->first == d->last) return arena_printf(memory, "%s %u", d->unit, d->first);
    return arena_printf(memory, "%ss %u to %u", d->unit, d->first, d->last);
}

/* Code goes on until a barrier or a wait; each of these is a part of its own. */
static size_t draft_parts(const haul_launch_record *r, const step *steps, size_t step_count, draft *drafts) {
    const causes c = find_causes(r, steps, step_count);
    size_t count = 0;
    for (const step *s = steps; s < steps + step_count; s++) {
        if (!count || s->kind != CODE || drafts[count - 1].kind != CODE) drafts[count++] = (draft){.kind = s->kind};
        include_line(&drafts[count - 1], s->record);
        drafts[count - 1].cycles += cycles_of(s, &c);
    }
    return count;
}

const report_part *report_find_parts(const haul_launch_record *r, arena *memory, size_t *count) {
    step *steps = ARENA_ARRAY(memory, r->instruction_count + 1, step);
    draft *drafts = ARENA_ARRAY(memory, r->instruction_count + 1, draft);
    report_part *parts = ARENA_ARRAY(memory, r->instruction_count + 1, report_part);
    double sum = 0;
    *count = draft_parts(r, steps, find_steps(r, steps), drafts);
    for (size_t i = 0; i < *count; i++) sum += drafts[i].cycles;
    if (sum <= 0) *count = 0;
    for (size_t i = 0; i < *count; i++) parts[i] = (report_part){name_of(&drafts[i], memory), drafts[i].cycles / sum};
    return parts;
}
