/* The loop that runs a warp, and the operations that belong to no instruction.
 *
 * The loop executes the operations of the running path, each for the path's lanes under the operation's guard. A
 * handler's sim_step says how to go on. Compiled code takes over where a basic block begins, and also after an
 * operation at which a path had stopped; it returns to the loop with the operation that it cannot do.
 *
 * With checks on, an access out of bounds ends only itself: its lanes get zeros and the launch goes on, so that a run
 * reports more than one defect (go_on()). */
#include "exec/interpreter.h"

#include "check/hazard.h"
#include "count/count.h"
#include "exec/barrier.h"
#include "exec/fault.h"
#include "exec/paths.h"
#include "exec/products.h"
#include "jit/compiled.h"
#include "lower/internal.h"
#include "ptx/ir.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"
#include "state/program.h"

#include <string.h>

/* The first runs of a block are reported one by one: tests have blocks compiled at once. */
enum { REPORTED_SINGLY = 8 };

/* Returns how often the SM has run the block in that form, including this run. */
static uint64_t runs_now(const sim_warp *w, uint32_t block, sim_code_form form) {
    sim_native *n = w->sm->native;
    if (sim_form_is_part(form)) return ++n->part_runs[block];
    return sim_form_counts(form) ? n->block_runs[block] + 1 : ++n->block_runs[block];
}

/* Returns whether the block that begins at `op` runs in compiled form. Otherwise tells the compiler from time to time
 * how often the block has run; it may compile the block at once. */
static bool goes_native(sim_warp *w, const sim_op *op) {
    if (!w->compiled) return false;
    if (sim_compiled_takes(w, sim_pc(w, op))) return true;
    const sim_code_form form = sim_compiled_form(w);
    const uint64_t runs = runs_now(w, op->x, form);
    if (runs % SIM_HEAT_STEP && runs > REPORTED_SINGLY) return false;
    sim_compiled_heat(w->compiled, w->sm, op->x, form, runs);
    return sim_compiled_takes(w, sim_pc(w, op));
}

/* A basic block begins. Its instructions without a guard are counted here, all at once. */
static sim_step run_enter(sim_warp *w, const sim_op *op, uint32_t active) {
    if (goes_native(w, op)) return SIM_NATIVE;
    if (w->sm->counting) sim_count_block(w->sm->counting, op->x, active);
    return SIM_NEXT;
}

/* The same where lanes may reconverge. `active` is out of date after that: the path may have grown. */
static sim_step run_enter_join(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)active;
    if (w->path->join != SIM_NO_JOIN) {
        sim_step step = sim_warp_arrive(w, sim_pc(w, op));
        if (step != SIM_NEXT) return step;
    }
    if (goes_native(w, op)) return SIM_NATIVE;
    if (w->sm->counting) sim_count_block(w->sm->counting, op->x, w->active);
    return SIM_NEXT;
}

/* Counts a guarded instruction, whose lanes are known only here. This operation has the instruction's guard. */
static sim_step run_count(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->counting) sim_count_instruction(w->sm->counting, op->instruction, active);
    return SIM_NEXT;
}

/* Tells the checks that lanes are in a block that is reached only by skipping, or passing, a barrier of all threads. */
static sim_step run_past(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->hazards) sim_hazard_skipped(w, op->x, active);
    return SIM_NEXT;
}

static sim_step run_yield(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)w, (void)op, (void)active;
    return SIM_YIELD;
}

static sim_step run_jump(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)active;
    w->pc = op->target;
    return SIM_JUMP;
}

static sim_step run_end(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op;
    return sim_warp_exit(w, active);
}

/* Advances the clock faster if warps only read it: programs let time pass that way. Only uncounted launches do this;
 * their time is an estimate anyway. */
static void pass_time(sim_sm *sm) {
    enum { PATIENCE = 32, STEP = 4096 };
    sm->clock_reads = sm->changes == sm->clock_changes ? sm->clock_reads + 1 : 0;
    sm->ticks++;
    sm->clock_changes = ++sm->changes; /* waiting for a time counts as a change */
    if (!sm->counting && sm->clock_reads > PATIENCE) sm->waited += STEP;
}

/* The SM's clock counts the operations it has executed; the global timer counts each as a nanosecond. */
static sim_step run_clock(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)active;
    const uint64_t now = w->sm->executed + w->sm->waited;
    pass_time(w->sm);
    bool upper = op->x == PTX_SPECIAL_CLOCK_HI || op->x == PTX_SPECIAL_GLOBALTIMER_HI;
    bool wide = op->x == PTX_SPECIAL_CLOCK64 || op->x == PTX_SPECIAL_GLOBALTIMER;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        if (wide)
            SIM_SLOT(w, uint64_t, op->d)[l] = now;
        else
            SIM_SLOT(w, uint32_t, op->d)[l] = (uint32_t)(upper ? now >> 32 : now);
    }
    return SIM_NEXT;
}

/* The lowering puts this before a plain mov from or to registers that a product in flight uses: compilers expect the
 * assembler to merge the registers of such a copy. */
static sim_step run_finish_products(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op, (void)active;
    sim_products_finish(w);
    return SIM_NEXT;
}

const sim_handler sim_between_handlers[SIM_FORMS - SIM_FORM_ENTER] = {
    [SIM_FORM_ENTER - SIM_FORM_ENTER] = run_enter, [SIM_FORM_ENTER_JOIN - SIM_FORM_ENTER] = run_enter_join,
    [SIM_FORM_COUNT - SIM_FORM_ENTER] = run_count, [SIM_FORM_PAST - SIM_FORM_ENTER] = run_past,
    [SIM_FORM_YIELD - SIM_FORM_ENTER] = run_yield, [SIM_FORM_GO_ON - SIM_FORM_ENTER] = run_jump,
    [SIM_FORM_END - SIM_FORM_ENTER] = run_end,     [SIM_FORM_FINISH_PRODUCTS - SIM_FORM_ENTER] = run_finish_products,
    [SIM_FORM_CLOCK - SIM_FORM_ENTER] = run_clock,
};

/* Executes one operation. If its guard lets no lane through, nothing happens, and the handler is not called. */
static inline sim_step execute(sim_warp *w, const sim_op *op) {
    const uint32_t active = w->active & (SIM_PREDICATE(w, op->guard) ^ op->guard_flip);
    if (!active) return SIM_NEXT;
    if (__builtin_expect(w->tainted, 0)) sim_hazard_taint_step(w, op, active);
    return op->run(w, op, active);
}

/* ---- continuing after accesses out of bounds, with checks on ---- */

typedef struct clearing {
    sim_warp *w;
    uint32_t lanes;
} clearing;

/* Sets a register that the instruction writes to zero, for the lanes that cannot execute it. */
static void clear_result(void *context, uint32_t reg, bool writes) {
    const clearing *c = context;
    const sim_program *p = c->w->sm->grid->program;
    const unsigned type = p->function->registers[reg].type, slot = p->register_slots[reg];
    if (!writes) return;
    if (type == PTX_PRED) SIM_PREDICATE(c->w, slot) &= ~c->lanes;
    const unsigned bytes = type == PTX_PRED ? 0 : ptx_bits(type) / 8;
    for (uint32_t left = c->lanes; bytes && left; left &= left - 1)
        memset(SIM_SLOT(c->w, unsigned char, slot) + (unsigned)__builtin_ctz(left) * bytes, 0, bytes);
}

/* Returns whether each lane has an access of its own, and all lanes are checked before any access is performed. */
static bool has_lanes_apart(const ptx_instruction *i) {
    return ptx_is_access(i->op) || ptx_is(i->op, PTX_KIND_COPY);
}

/* Handles an instruction that has failed. Lanes out of bounds get zeros and the others execute it; a collective
 * instruction is skipped. Returns SIM_STOP if the SM's work ends. */
static sim_step go_on(sim_warp *w, const sim_op *op) {
    const ptx_instruction *i = &w->sm->grid->program->function->instructions[op->instruction];
    uint32_t active = w->active & (SIM_PREDICATE(w, op->guard) ^ op->guard_flip);
    sim_step step = SIM_STOP;
    while (step == SIM_STOP) {
        const uint32_t out = sim_fault_pass(w) & active;
        if (!out) return SIM_STOP;
        const uint32_t lanes = has_lanes_apart(i) ? out : active;
        ptx_visit_registers(i, clear_result, &(clearing){w, lanes});
        active &= ~lanes;
        step = active ? op->run(w, op, active) : SIM_NEXT;
    }
    return step;
}

sim_step sim_execute(sim_warp *w, const sim_op *op) {
    const sim_step step = execute(w, op);
    return step == SIM_STOP && w->sm->hazards ? go_on(w, op) : step;
}

/* Runs compiled code and moves *op to where it stopped. If the operation before that has failed, goes on after it. */
static sim_step run_compiled(sim_warp *w, const sim_op **op, uint64_t *left) {
    uint32_t pc = sim_pc(w, *op);
    const sim_step step = sim_compiled_run(w, &pc, left);
    *op = w->ops + pc;
    const bool failed = step == SIM_STOP && w->sm->hazards && w->sm->fault.status != HAUL_OK;
    return failed ? go_on(w, *op - 1) : step;
}

/* After the operation at which a path had stopped: continues in compiled code if there is some from here on. */
static sim_step resume(sim_warp *w, const sim_op **op, uint64_t *left, bool *resumes) {
    *resumes = false;
    if (!*left || !w->compiled || !sim_compiled_takes(w, sim_pc(w, *op))) return SIM_NEXT;
    return run_compiled(w, op, left);
}

uint64_t sim_warp_run(sim_warp *w, uint64_t budget) {
    const sim_op *op = w->ops + w->path->pc;
    uint64_t left = budget;
    sim_step step = SIM_NEXT;
    w->active = w->path->mask;
    w->in_vain = false;
    /* The operation at which the path stopped is completed first; compiled code continues after it. */
    bool resumes = w->path->resumes;
    if (w->compiled && sim_compiled_takes(w, w->path->pc)) step = run_compiled(w, &op, &left);
    /* Nearly every step is SIM_NEXT. The others end the loop, unless one of the cases below makes them SIM_NEXT
     * again. */
    while (step == SIM_NEXT && left--) {
        step = execute(w, op);
        if (__builtin_expect(step == SIM_NEXT, 1)) {
            op++;
            if (__builtin_expect(resumes, 0)) step = resume(w, &op, &left, &resumes);
            continue;
        }
        if (step == SIM_STOP && w->sm->hazards) {
            step = go_on(w, op);
            op += step == SIM_NEXT || step == SIM_YIELD;
        } else if (step == SIM_JUMP) {
            op = w->ops + w->pc;
            step = SIM_NEXT;
        } else if (step == SIM_NATIVE) {
            /* The operation has done nothing: compiled code begins with it. */
            left++;
            step = run_compiled(w, &op, &left);
        } else if (step == SIM_YIELD) {
            op++;
        }
    }
    /* The path's pc has been set where it stopped; w->path may be another path by now. */
    if (step == SIM_STOP) return budget - left;
    w->path->pc = sim_pc(w, op);
    return budget - left;
}
