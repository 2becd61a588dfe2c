#include "report/trace/parts.h"

#include "report/source.h"

#include <string.h>

typedef enum part_kind { CODE, BARRIER, COPIES, MBARRIER } part_kind;
static const char *const kind_names[] = {
    [BARRIER] = "barrier", [COPIES] = "wait for copies", [MBARRIER] = "wait at mbarrier"};

static bool begins(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

static part_kind kind_of(const char *mnemonic) {
    if (begins(mnemonic, "cp.async.wait") || begins(mnemonic, "cp.async.bulk.wait")) return COPIES;
    if (begins(mnemonic, "mbarrier.try_wait") || begins(mnemonic, "mbarrier.test_wait")) return MBARRIER;
    return begins(mnemonic, "bar.") || begins(mnemonic, "barrier.") ? BARRIER : CODE;
}

/* ---- the time of an instruction ---- */

/* How often each cause of waiting was executed, and the cycles that warps waited for it. */
typedef struct causes {
    double executed, barriers, far, shared;
    double issue_cycles, barrier_cycles, far_cycles, shared_cycles;
} causes;

/* Whether a warp waits for data from beyond the SM's shared memory. */
static bool is_far(const haul_instruction_record *i) {
    const haul_memory_class c = i->memory_class;
    const part_kind k = kind_of(i->mnemonic);
    return k == COPIES || k == MBARRIER || c == HAUL_CLASS_GLOBAL_LOAD || c == HAUL_CLASS_GLOBAL_ATOMIC ||
           c == HAUL_CLASS_LOCAL_LOAD || c == HAUL_CLASS_TEXTURE || c == HAUL_CLASS_SURFACE_LOAD;
}

/* Cycles for which there is no cause belong to all instructions. */
static causes find_causes(const haul_launch_record *r) {
    const double *stalls = r->estimate.stalls;
    causes c = {.barrier_cycles = stalls[HAUL_STALL_BARRIER],
                .far_cycles = stalls[HAUL_STALL_LONG_SCOREBOARD] + stalls[HAUL_STALL_LG_THROTTLE],
                .shared_cycles = stalls[HAUL_STALL_SHORT_SCOREBOARD] + stalls[HAUL_STALL_MIO_THROTTLE]};
    for (size_t k = 0; k < r->instruction_count; k++) {
        const haul_instruction_record *i = &r->instructions[k];
        const double executed = (double)i->traffic.instructions;
        if (!i->mnemonic) continue;
        c.executed += executed;
        if (kind_of(i->mnemonic) == BARRIER) c.barriers += executed;
        if (is_far(i)) c.far += executed;
        c.shared += (double)i->traffic.shared_wavefronts;
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

static double cycles_of(const haul_instruction_record *i, const causes *c) {
    const double executed = (double)i->traffic.instructions;
    double cycles = part_of(c->issue_cycles, executed, c->executed) +
                    part_of(c->shared_cycles, (double)i->traffic.shared_wavefronts, c->shared);
    if (kind_of(i->mnemonic) == BARRIER) cycles += part_of(c->barrier_cycles, executed, c->barriers);
    return cycles + (is_far(i) ? part_of(c->far_cycles, executed, c->far) : 0);
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
static size_t draft_parts(const haul_launch_record *r, draft *drafts) {
    const causes c = find_causes(r);
    size_t count = 0;
    for (size_t k = 0; k < r->instruction_count; k++) {
        const haul_instruction_record *i = &r->instructions[k];
        if (!i->mnemonic || !i->traffic.instructions) continue;
        const part_kind kind = kind_of(i->mnemonic);
        if (!count || kind != CODE || drafts[count - 1].kind != CODE) drafts[count++] = (draft){.kind = kind};
        include_line(&drafts[count - 1], i);
        drafts[count - 1].cycles += cycles_of(i, &c);
    }
    return count;
}

const report_part *report_find_parts(const haul_launch_record *r, arena *memory, size_t *count) {
    draft *drafts = ARENA_ARRAY(memory, r->instruction_count + 1, draft);
    report_part *parts = ARENA_ARRAY(memory, r->instruction_count + 1, report_part);
    double sum = 0;
    *count = draft_parts(r, drafts);
    for (size_t i = 0; i < *count; i++) sum += drafts[i].cycles;
    if (sum <= 0) *count = 0;
    for (size_t i = 0; i < *count; i++) parts[i] = (report_part){name_of(&drafts[i], memory), drafts[i].cycles / sum};
    return parts;
}
