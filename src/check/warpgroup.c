/* Warpgroups: instructions that all four warps must execute, and synchronisation that they need before the next one. */
#include "check/internal.h"
#include "ptx/matrix.h"
#include "state/occupancy.h"
#include "state/products.h"

#include <string.h>

static sim_steps *steps_of(const sim_block *b, uint32_t warp, sim_step_kind kind) {
    sim_domain *d = sim_domain_of(b);
    return &d->steps[(b->rank * d->warps + warp) * SIM_STEP_KINDS + kind];
}

/* True if the warp's step number n has happened and is still in the ring. */
static bool remembers(const sim_steps *s, uint32_t n) {
    return s->count > n && s->count - n <= SIM_STEPS_KEPT;
}

static sim_finding *report(sim_warp *w, uint32_t instruction, uint32_t lanes, uint32_t other_instruction,
                           uint32_t other) {
    const sim_suspect s = {.kind = HAUL_FINDING_WARPGROUP_DIVERGENCE,
                           .action = HAUL_ACTION_SYNC,
                           .other_action = HAUL_ACTION_SYNC,
                           .instruction = instruction,
                           .other_instruction = other_instruction,
                           .lanes = lanes,
                           .thread = other};
    return sim_hazard_report(w, &s);
}

/* ---- as warps execute them ---- */

/* True if both are the same form of instruction with the same immediate. */
static bool is_same(const sim_warp *w, uint32_t a, uint32_t b) {
    const ptx_instruction *x = sim_instruction_of(w, a), *y = sim_instruction_of(w, b);
    if (x->op != y->op || x->type != y->type || memcmp(x->mods, y->mods, sizeof x->mods) != 0) return false;
    return x->op != PTX_OP_SETMAXNREG || x->operands[0].bits == y->operands[0].bits;
}

/* Reports that another warp's step of this number is a different instruction. */
static void check_same(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t other, const sim_steps *s, uint32_t n) {
    const uint32_t instruction = s->instruction[n % SIM_STEPS_KEPT];
    if (!remembers(s, n) || is_same(w, op->instruction, instruction)) return;
    sim_finding *f = report(w, op->instruction, lanes, instruction, (sim_actor(w) - w->index + other) * SIM_LANES);
    if (f) sim_hazard_say(f, "warps %u and %u of one warpgroup execute different ones", w->index, other);
}

/* True if the lanes know that the other warp has executed its step number n. */
static bool knows_step(const sim_warp *w, uint32_t lanes, uint32_t other, const sim_steps *s, uint32_t n) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t self = sim_actor(w);
    if (s->count <= n) return false;
    if (!remembers(s, n)) return true; /* it is far ahead, which has been reported */
    const sim_view *v = sim_view_of(d, self, (unsigned)__builtin_ctz(lanes));
    return sim_known_lanes(&v->order[self - w->index + other], s->time[n % SIM_STEPS_KEPT]) != 0;
}

/* Reports a setmaxnreg that is not ordered after the previous one of another warp. */
static void check_met(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t other, const sim_steps *s, uint32_t n) {
    if (knows_step(w, lanes, other, s, n)) return;
    const sim_steps *own = steps_of(w->block, w->index, SIM_STEP_REGISTERS);
    sim_finding *f = report(w, op->instruction, lanes, own->instruction[n % SIM_STEPS_KEPT],
                            (sim_actor(w) - w->index + other) * SIM_LANES);
    if (f)
        sim_hazard_say(f, "warp %u has waited for nothing that comes after the last one of warp %u of its warpgroup",
                       w->index, other);
}

static void check_whole(sim_warp *w, const sim_op *op, uint32_t lanes) {
    if (lanes == w->live) return;
    sim_finding *f = report(w, op->instruction, lanes, 0, SIM_NO_THREAD);
    if (f) sim_hazard_say(f, "only lanes 0x%08x of warp %u execute it together", lanes, w->index);
}

static bool has_memory(sim_domain *d) {
    if (!d->steps) d->steps = memory_zeroed(d->actors * SIM_STEP_KINDS, sizeof *d->steps);
    if (!d->steps) d->owner->failed = true;
    return d->steps;
}

void sim_hazard_warpgroup(sim_warp *w, const sim_op *op, uint32_t lanes, sim_step_kind kind) {
    sim_domain *d = sim_domain_of(w->block);
    check_whole(w, op, lanes);
    if (!(lanes >> __builtin_ctz(w->live) & 1)) return; /* lanes that arrive apart are one step of the warp */
    if (!has_memory(d)) return;
    sim_steps *own = steps_of(w->block, w->index, kind);
    const uint32_t first = w->index / SIM_WARPGROUP * SIM_WARPGROUP, n = own->count;
    for (uint32_t i = first; i < first + SIM_WARPGROUP && i < w->block->warp_count; i++) {
        const sim_steps *other = steps_of(w->block, i, kind);
        if (i == w->index) continue;
        check_same(w, op, lanes, i, other, n);
        if (n && kind == SIM_STEP_REGISTERS) check_met(w, op, lanes, i, other, n - 1);
    }
    own->instruction[n % SIM_STEPS_KEPT] = op->instruction;
    own->time[n % SIM_STEPS_KEPT] = d->now;
    own->count++;
    d->has_steps = true;
}

/* Returns the number of the last product that the warp had issued at that time, or UINT32_MAX if it has been forgotten.
 */
static uint32_t product_at(const sim_steps *own, uint32_t issued) {
    for (uint32_t n = own->count; n-- && remembers(own, n);)
        if (own->time[n % SIM_STEPS_KEPT] <= issued) return n;
    return UINT32_MAX;
}

/* True if the writer's own view has passed a proxy fence since, so that products see the write. */
static bool is_fenced(const sim_visit *k, const sim_cell *c) {
    const sim_view *v = sim_view_of(k->d, c->thread / SIM_LANES, c->thread % SIM_LANES);
    return !k->d->proxies || c->state & SIM_CELL_COPIED || sim_knows_thread(v->proxy, c->thread, c->time);
}

/* Measured on an H200: no part of a product begins before all four warps have issued it. */
bool sim_comes_before_product(const sim_visit *k, const sim_cell *c, uint32_t issued) {
    const uint32_t writer = c->thread / SIM_LANES, warps = k->d->warps;
    if (!k->d->has_steps || !ptx_is_warpgroup_product(sim_instruction_of(k->w, k->instruction))) return false;
    if (writer >= k->d->actors || writer / warps != k->actor / warps) return false;
    if (writer % warps / SIM_WARPGROUP != k->w->index / SIM_WARPGROUP) return false;
    const uint32_t n = product_at(steps_of(k->w->block, k->w->index, SIM_STEP_PRODUCT), issued);
    const sim_steps *s = steps_of(k->w->block, writer % warps, SIM_STEP_PRODUCT);
    if (n == UINT32_MAX) return false;
    if (s->count <= n) return true; /* it still has to pass its own fence */
    return remembers(s, n) && c->time <= s->time[n % SIM_STEPS_KEPT] && is_fenced(k, c);
}

/* ---- at the end ---- */

static void report_missing(sim_block *b, uint32_t warp, uint32_t missing, sim_step_kind kind) {
    const sim_steps *s = steps_of(b, warp, kind), *less = steps_of(b, missing, kind);
    const uint32_t n = remembers(s, less->count) ? less->count : s->count - 1;
    sim_finding *f = report(&b->warps[warp], s->instruction[n % SIM_STEPS_KEPT], 1, 0, SIM_NO_THREAD);
    if (f)
        sim_hazard_say(f, "warp %u executes it, or one of its kind, %u times, but warp %u of its warpgroup %u times",
                       warp, s->count, missing, less->count);
}

/* Reports warps of a group that have executed different numbers of steps. */
static void finish_group(sim_block *b, uint32_t first, sim_step_kind kind) {
    uint32_t most = first, least = first;
    for (uint32_t i = first; i < first + SIM_WARPGROUP && i < b->warp_count; i++) {
        const uint32_t count = steps_of(b, i, kind)->count;
        if (count > steps_of(b, most, kind)->count) most = i;
        if (count < steps_of(b, least, kind)->count) least = i;
    }
    if (steps_of(b, most, kind)->count > steps_of(b, least, kind)->count) report_missing(b, most, least, kind);
}

/* ---- registers ---- */

/* Returns the registers that each thread has at the launch, if a directive sets them; setmaxnreg has no effect
 * otherwise. 0: they are not known. */
static uint32_t registers_at_launch(const sim_block *b) {
    const ptx_function *f = b->sm->grid->program->function;
    const sim_machine *m = b->sm->grid->machine;
    const uint32_t share = sim_bounded_registers(m, f);
    if (f->max_registers) return f->max_registers;
    return share > m->max_registers_per_thread ? 0 : share;
}

/* Returns the registers of a thread of the warp after its last setmaxnreg. */
static uint32_t registers_of(const sim_block *b, uint32_t warp, uint32_t at_launch) {
    const sim_steps *s = steps_of(b, warp, SIM_STEP_REGISTERS);
    if (!s->count) return at_launch;
    return (uint32_t)sim_instruction_of(&b->warps[warp], s->instruction[(s->count - 1) % SIM_STEPS_KEPT])
        ->operands[0]
        .bits;
}

/* setmaxnreg.inc waits until the block's pool has the registers. If all warps together want more than the block was
 * given at the launch, some warp waits for ever. */
static void check_registers(sim_block *b) {
    const uint32_t at_launch = registers_at_launch(b);
    uint32_t sum = 0, most = 0;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        sum += registers_of(b, i, at_launch);
        if (registers_of(b, i, at_launch) > registers_of(b, most, at_launch)) most = i;
    }
    if (!at_launch || sum <= at_launch * b->warp_count) return;
    const sim_steps *s = steps_of(b, most, SIM_STEP_REGISTERS);
    const sim_suspect suspect = {.kind = HAUL_FINDING_DEADLOCK,
                                 .action = HAUL_ACTION_SYNC,
                                 .instruction = s->instruction[(s->count - 1) % SIM_STEPS_KEPT],
                                 .lanes = SIM_ALL_LANES,
                                 .thread = SIM_NO_THREAD};
    sim_finding *f = sim_hazard_report(&b->warps[most], &suspect);
    if (f)
        sim_hazard_say(
            f,
            "the wait is for registers: the launch gives each thread of the block's %u warps %u, and after all "
            "setmaxnreg the warps would have %u on average; others have to release them by setmaxnreg.dec",
            b->warp_count, at_launch, (sum + b->warp_count - 1) / b->warp_count);
}

void sim_warpgroups_finish(sim_block *b) {
    if (sim_domain_of(b)->has_steps) check_registers(b);
    for (uint32_t first = 0; sim_domain_of(b)->has_steps && first < b->warp_count; first += SIM_WARPGROUP)
        for (int kind = 0; kind < SIM_STEP_KINDS; kind++) finish_group(b, first, (sim_step_kind)kind);
}

void sim_warpgroups_start(sim_domain *d) {
    if (d->has_steps) memset(d->steps, 0, d->actors * SIM_STEP_KINDS * sizeof *d->steps);
    d->has_steps = false;
}
