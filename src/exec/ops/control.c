/* Branches, calls, exits, traps, and barriers of warps and blocks.
 *
 * A branch whose lanes agree only sets the next operation. Lanes that disagree split the path; exec/paths.c has all
 * that follows from that. A backward branch is where paths and warps take turns (jump_to()). Barriers are in
 * exec/barrier.c, calls in exec/call.c and exec/system_call.c; this file reads their operands.
 *
 * Instructions such as nanosleep, setmaxnreg and griddepcontrol have no effect of their own here: they only let other
 * warps run. */
#include "check/hazard.h"
#include "exec/barrier.h"
#include "exec/call.h"
#include "exec/fault.h"
#include "exec/ops/lanes.h"
#include "exec/paths.h"
#include "exec/system_call.h"
#include "state/block.h"
#include "state/lanes.h"

/* ---- branches ---- */

/* Continues at `target`. A jump back ends an iteration, so the path may have to give way. */
static sim_step jump_to(sim_warp *w, const sim_op *op, uint32_t target) {
    w->pc = target;
    if (target > sim_pc(w, op)) return SIM_JUMP;
    sim_step step = sim_warp_turn(w, target);
    return step == SIM_NEXT ? SIM_JUMP : step;
}

static sim_step jump(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)active;
    return jump_to(w, op, op->target);
}

/* a, imm: the condition and its flip; target, x: where lanes go with and without it; y: where they reconverge. */
static sim_step branch(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t taken = active & (SIM_PREDICATE(w, op->a) ^ (uint32_t)op->imm);
    if (taken == active) return jump(w, op, active);
    if (taken == 0) {
        w->pc = op->x;
        return SIM_JUMP;
    }
    return sim_warp_diverge(w, taken, op->target, op->x, op->y);
}

/* The same in loops that lanes may leave before they reconverge. The near joins are inside the loop: there the lanes
 * that stay reconverge (ptx/near_joins.c). */
static sim_step branch_in_loop(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t taken = active & (SIM_PREDICATE(w, op->a) ^ (uint32_t)op->imm);
    const uint32_t *near = w->sm->grid->program->pool + op->more;
    if (taken == active || taken == 0) return branch(w, op, active);
    sim_warp_expect(w, op->y);
    for (unsigned k = 0; k < op->count; k++) sim_warp_expect(w, near[k]);
    return sim_warp_diverge(w, taken, op->target, op->x, PTX_NO_BLOCK);
}

/* A branch ends its basic block; ptx has found the blocks that it leads to, and where its lanes reconverge. */
haul_status LOWER(BRA)(sim_lowering *l, const ptx_instruction *i) {
    const ptx_block *b = &l->function->blocks[l->block];
    const uint32_t near = b->near_count ? sim_pool(l, b->near_joins, b->near_count) : 0;
    sim_op *op = sim_emit(l, !i->guarded ? jump : b->near_count ? branch_in_loop : branch);
    op->target = i->guarded ? b->taken : b->next;
    op->flags |= SIM_OP_JUMPS;
    op->form = i->guarded ? SIM_FORM_BRANCH : SIM_FORM_JUMP;
    if (!i->guarded) return HAUL_OK;
    op->flags |= SIM_OP_BRANCHES;
    op->x = b->next;
    op->y = b->join;
    op->more = near;
    op->count = (uint8_t)b->near_count;
    op->a = l->register_slots[i->guard];
    op->imm = i->guard_negated ? SIM_ALL_LANES : 0;
    return HAUL_OK;
}

/* Lanes with the same target as the first lane go there; the others return to this operation. */
static sim_step branch_table(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *index = SIM_SLOT(w, uint32_t, op->a);
    const uint32_t *table = w->sm->grid->program->pool + op->more;
    uint32_t first = index[__builtin_ctz(active)], same = 0;
    if (first >= op->x)
        return sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, active, "brx.idx: index %u, but the table has %u targets",
                         first, op->x);
    for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(index[l] == first) << l;
    same &= active;
    /* If all lanes agree, the path stays whole. */
    if (same == w->active) return jump_to(w, op, table[first]);
    return sim_warp_diverge(w, same, table[first], sim_pc(w, op), op->y);
}

/* The targets are blocks in the pool; after lowering, operations. */
haul_status LOWER(BRX_IDX)(sim_lowering *l, const ptx_instruction *i) {
    const ptx_block *b = &l->function->blocks[l->block];
    uint32_t index = sim_source(l, &i->operands[0], PTX_U32), table = sim_pool(l, b->table, b->table_count);
    sim_op *op = sim_emit(l, branch_table);
    op->a = index;
    op->more = table;
    op->x = b->table_count;
    op->y = b->join;
    op->flags |= SIM_OP_TABLE;
    return HAUL_OK;
}

/* Other calls have been inlined. */
haul_status LOWER(CALL)(sim_lowering *l, const ptx_instruction *i) {
    return ptx_is_far_call(i) ? sim_lower_far_call(l, i) : sim_lower_system_call(l, i);
}

/* ---- exits ---- */

/* ret of the kernel, and exit. */
static sim_step end_lanes(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op;
    return sim_warp_exit(w, active);
}

/* In the kernel itself, it ends the thread. */
haul_status LOWER(RET)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, sim_is_in_callee(l) ? sim_run_return : end_lanes);
    return HAUL_OK;
}

haul_status LOWER(EXIT)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, end_lanes);
    return HAUL_OK;
}

/* Ends the launch. */
static sim_step trap(sim_warp *w, const sim_op *op, uint32_t active) {
    return sim_fault(w, op, HAUL_FINDING_TRAP, active, "the kernel executed a trap");
}

/* trap: an error of the program; the launch fails with HAUL_ERROR_TRAP. */
haul_status LOWER(TRAP)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, trap);
    return HAUL_OK;
}

/* ---- instructions that only let other warps run here ---- */

static sim_step pass(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)w, (void)op, (void)active;
    return SIM_YIELD;
}

/* These instructions wait for time, or for a grid that has ended already, or tell a profiler something. */
#define PASSES(id)                                                      \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        (void)i;                                                        \
        sim_emit(l, pass);                                              \
        return HAUL_OK;                                                 \
    }
PASSES(BRKPT)
PASSES(NANOSLEEP)
PASSES(PMEVENT)
PASSES(PMEVENT_MASK)
PASSES(GRIDDEPCONTROL_LAUNCH)

static sim_step wait_for_grids(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op;
    w->waited |= active;
    return SIM_YIELD;
}

haul_status LOWER(GRIDDEPCONTROL_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, wait_for_grids);
    return HAUL_OK;
}

/* Every warp has enough registers here. */
static sim_step set_registers(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->hazards) sim_hazard_warpgroup(w, op, active, SIM_STEP_REGISTERS);
    return SIM_YIELD;
}

/* The checks want all warps of a warpgroup to execute it equally often. */
haul_status LOWER(SETMAXNREG)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, set_registers);
    return HAUL_OK;
}

/* ---- barriers of a warp ---- */

/* bar.warp.sync: since Volta, lanes may come to it at different places of the program. */
static sim_step warp_barrier(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *members = SIM_SLOT(w, uint32_t, op->a);
    sim_step step;
    sim_warp_gather_anywhere(w, op, active, members, &step);
    return step;
}

haul_status LOWER(BAR_WARP)(sim_lowering *l, const ptx_instruction *i) {
    uint32_t members = sim_source(l, &i->operands[0], PTX_U32);
    sim_emit(l, warp_barrier)->a = members;
    return HAUL_OK;
}

/* ---- barriers of a block: a the barrier's number, b the thread count (zero: all), c the predicate, x its flip ---- */

/* Reads the operands; returns false if they are invalid. Lanes that name another barrier than the first lane return
 * here separately. Lanes of one warp may name different barriers only in the forms without .aligned. */
static bool barrier_operands(sim_warp *w, const sim_op *op, uint32_t *active, uint32_t *id, uint32_t *threads) {
    unsigned first = (unsigned)__builtin_ctz(*active);
    const uint32_t *ids = SIM_SLOT(w, uint32_t, op->a), same = sim_warp_same_members(ids, *active);
    *id = ids[first];
    *threads = SIM_SLOT(w, uint32_t, op->b)[first];
    if (same != *active) {
        sim_warp_split(w, *active, sim_pc(w, op) + 1);
        sim_warp_split(w, same, sim_pc(w, op));
        *active = same;
    }
    return *id < SIM_BARRIERS && *threads % SIM_LANES == 0;
}

/* Records the fault of operands that barrier_operands() has rejected. */
static sim_step bad_barrier(sim_warp *w, const sim_op *op, uint32_t active, uint32_t id, uint32_t threads) {
    if (id >= SIM_BARRIERS)
        return sim_fault(w, op, HAUL_FINDING_BARRIER_MISUSE, active, "barrier %u: a block has barriers 0 to %d", id,
                         SIM_BARRIERS - 1);
    return sim_fault(w, op, HAUL_FINDING_BARRIER_MISUSE, active,
                     "barrier %u: its thread count %u is not a multiple of %d", id, threads, SIM_LANES);
}

static sim_step barrier_sync(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t id, threads;
    if (!barrier_operands(w, op, &active, &id, &threads)) return bad_barrier(w, op, active, id, threads);
    return sim_barrier_sync(w, op, id, threads, active, 0);
}

/* The same with both operands constant: x, imm2. */
static sim_step barrier_sync_constant(sim_warp *w, const sim_op *op, uint32_t active) {
    return sim_barrier_sync(w, op, op->x, op->imm2, active, 0);
}

/* Arrives without waiting. */
static sim_step barrier_arrive(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t id, threads;
    if (!barrier_operands(w, op, &active, &id, &threads)) return bad_barrier(w, op, active, id, threads);
    sim_barrier_arrive(w, op, id, threads, active, 0);
    return SIM_NEXT;
}

/* Waits with a vote. Returns false with *step set if the operation is not complete. */
static bool barrier_vote(sim_warp *w, const sim_op *op, uint32_t *active, sim_step *step, const sim_barrier **result) {
    uint32_t id, threads;
    if (!barrier_operands(w, op, active, &id, &threads)) {
        *step = bad_barrier(w, op, *active, id, threads);
        return false;
    }
    *result = &w->block->barriers[id];
    *step = sim_barrier_sync(w, op, id, threads, *active, SIM_PREDICATE(w, op->c) ^ op->x);
    return *step == SIM_NEXT;
}

/* Returns how many predicates were true in the phase that has just ended. */
static sim_step barrier_popc(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    const sim_barrier *bar;
    if (!barrier_vote(w, op, &active, &step, &bar)) return step;
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    SIM_STORE_LANES(d, active, bar->result_popc);
    return SIM_NEXT;
}

/* All predicates are true if as many are as threads have come. */
static sim_step barrier_and(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    const sim_barrier *bar;
    if (!barrier_vote(w, op, &active, &step, &bar)) return step;
    sim_set_predicate(w, op->d, bar->result_popc == bar->result_threads ? SIM_ALL_LANES : 0, active);
    return SIM_NEXT;
}

static sim_step barrier_or(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    const sim_barrier *bar;
    if (!barrier_vote(w, op, &active, &step, &bar)) return step;
    sim_set_predicate(w, op->d, bar->result_popc != 0 ? SIM_ALL_LANES : 0, active);
    return SIM_NEXT;
}

/* Selects the handler for a wait with valid constant operands. */
static void use_constants(const ptx_instruction *i, sim_op *op) {
    const ptx_operand *id = &i->operands[0], *threads = i->operand_count > 1 ? &i->operands[1] : NULL;
    if (op->run != barrier_sync || id->kind != PTX_INTEGER || id->bits >= SIM_BARRIERS) return;
    if (threads && (threads->kind != PTX_INTEGER || threads->bits % SIM_LANES || threads->bits > UINT32_MAX)) return;
    op->run = barrier_sync_constant;
    op->x = (uint32_t)id->bits;
    op->imm2 = threads ? (uint32_t)threads->bits : 0;
}

/* Lowers a barrier without a vote: the number, and the thread count if there is one. */
static haul_status lower_barrier(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    uint32_t id = sim_source(l, &i->operands[0], PTX_U32);
    uint32_t threads = i->operand_count > 1 ? sim_source(l, &i->operands[1], PTX_U32) : SIM_SLOT_ZERO;
    sim_op *op = sim_emit(l, run);
    op->a = id;
    op->b = threads;
    use_constants(i, op);
    return HAUL_OK;
}

/* d, id, [threads,] predicate */
static haul_status lower_barrier_vote(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    bool counted = i->operand_count > 3;
    uint32_t flip, id = sim_source(l, &i->operands[1], PTX_U32);
    uint32_t threads = counted ? sim_source(l, &i->operands[2], PTX_U32) : SIM_SLOT_ZERO;
    uint32_t predicate = sim_predicate(l, &i->operands[counted ? 3 : 2], &flip);
    sim_op *op = sim_emit(l, run);
    op->d = sim_destination(l, &i->operands[0]);
    op->a = id;
    op->b = threads;
    op->c = predicate;
    op->x = flip;
    return HAUL_OK;
}

haul_status LOWER(BAR_SYNC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_barrier(l, i, barrier_sync);
}

haul_status LOWER(BARRIER_SYNC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_barrier(l, i, barrier_sync);
}

haul_status LOWER(BAR_ARRIVE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_barrier(l, i, barrier_arrive);
}

haul_status LOWER(BARRIER_ARRIVE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_barrier(l, i, barrier_arrive);
}

haul_status LOWER(BAR_RED_POPC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_barrier_vote(l, i, barrier_popc);
}

haul_status LOWER(BARRIER_RED_POPC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_barrier_vote(l, i, barrier_popc);
}

/* The result is a predicate that is the same in all threads. */
haul_status LOWER(BAR_RED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_barrier_vote(l, i, i->mods[PTX_SLOT_REDUCE] == PTX_MOD_REDUCE_AND ? barrier_and : barrier_or);
}

haul_status LOWER(BARRIER_RED)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(BAR_RED)(l, i);
}
