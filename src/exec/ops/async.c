/* cp.async: each lane copies 4, 8 or 16 bytes from global to shared memory. The issue checks the addresses and queues
 * the copy; exec/async.c moves the bytes, normally at the wait.
 *
 * A lane may read fewer bytes than it writes, even none; the rest becomes zeros. Counters see the copy at its issue. A
 * guarded copy with .cg has an operation of its own before it that counts (emit_guarded_count()).
 *
 * d: the shared address; a: the global one; b: the bytes to read, if count is set; x, imm2: the shared offset, and
 * whether its register is wide. */
#include "count/count.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/ops/copies.h"
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* Returns the lanes whose source size is not the whole copy. */
static uint32_t fill_sizes(const sim_warp *w, const sim_op *op, uint8_t read[SIM_LANES]) {
    uint32_t empty = 0;
    const uint32_t *given = SIM_SLOT(w, uint32_t, op->b);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        uint32_t bytes = op->count ? given[l] : op->bytes;
        read[l] = (uint8_t)(bytes < op->bytes ? bytes : op->bytes);
        empty |= (uint32_t)(read[l] == 0) << l;
    }
    return empty;
}

/* Reports a size that no copy may have. A negative one, behind the end of a row, is such a size. */
static void check_sizes(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *given = SIM_SLOT(w, uint32_t, op->b);
    uint32_t larger = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) larger |= (uint32_t)(given[l] > op->bytes) << l;
    if (larger & active) sim_hazard_source_size(w, op, larger & active, given[__builtin_ctz(larger & active)]);
}

/* A lane that reads less than the copy's size may read up to the end of an allocation. */
static bool check_sources(sim_warp *w, const sim_op *op, uint32_t reads, const sim_copy *c) {
    uintptr_t base;
    while (reads) {
        const unsigned bytes = c->read[__builtin_ctz(reads)];
        uint32_t same = 0;
        for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(c->read[l] == bytes) << l;
        if (!sim_check_global(w, op, reads & same, c->source, bytes, op->bytes, &base)) return false;
        reads &= ~same;
    }
    return true;
}

/* Records the fault and returns false if a lane's source or destination is not in memory. Lanes that read nothing may
 * have any source. */
static bool check_copy(sim_warp *w, const sim_op *op, uint32_t active, uint32_t empty, const sim_copy *c) {
    return sim_check_shared(w, op, active, c->destination, op->bytes, op->bytes) &&
           check_sources(w, op, active & ~empty, c);
}

bool sim_queue_copy(sim_warp *w, const sim_op *op, uint32_t active, const sim_copy *made) {
    const uint32_t *committed = w->block->async.queues[w->index].committed;
    while (active) {
        uint32_t group = committed[__builtin_ctz(active)], same = 0;
        for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(committed[l] == group) << l;
        sim_copy *c = sim_async_add(w);
        if (!c) return false;
        *c = *made;
        c->op = op;
        c->lanes = active & same;
        c->group = group;
        if (w->sm->hazards && c->bytes) sim_hazard_copy(w, c->lanes, c);
        if (w->sm->follower && c->bytes) sim_follow_copies(w->sm->follower, c->lanes, c);
        sim_async_issued(w, c);
        active &= ~same;
    }
    return true;
}

/* Issues the active lanes' copies. */
static sim_step copy_async(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_copy c = {.bytes = op->bytes};
    sim_addresses(w, op, c.source);
    sim_shared_addresses(w, op->d, op->x, op->imm2 != 0, c.destination);
    uint32_t empty = fill_sizes(w, op, c.read);
    if (w->sm->hazards && op->count) check_sizes(w, op, active);
    if (!check_copy(w, op, active, empty, &c)) return SIM_STOP;
    if (!sim_queue_copy(w, op, active, &c)) return sim_no_room_for(w, op, active, "a copy");
    sim_count_ldgsts(w->sm->counting, w, op, active, empty & active, c.source, c.destination);
    return SIM_NEXT;
}

/* Precedes a guarded copy. The copy's guard and guard_flip are x and y here. Other operands are those of the copy,
 * except that the shared offset is in imm2 and its width in count. */
static sim_step count_guarded_copy(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t source[SIM_LANES];
    uint32_t destination[SIM_LANES];
    sim_addresses(w, op, source);
    sim_shared_addresses(w, op->d, (int32_t)op->imm2, op->count, destination);
    const uint32_t on = active & (SIM_PREDICATE(w, op->x) ^ op->y);
    sim_count_guarded_ldgsts(w->sm->counting, op, active, on, source, destination);
    return SIM_NEXT;
}

/* Inactive lanes count if machine code has their addresses in registers: if PTX guards the copy itself. */
static void emit_guarded_count(sim_lowering *l, const ptx_instruction *i) {
    bool shared_wide;
    int64_t shared_offset;
    const uint32_t shared = sim_address(l, &i->operands[0], &shared_wide, &shared_offset);
    sim_op *op = sim_emit_at(l, count_guarded_copy, &i->operands[1]);
    op->x = op->guard;
    op->y = op->guard_flip;
    op->guard = SIM_SLOT_TRUE;
    op->guard_flip = 0;
    op->d = shared;
    op->imm2 = (uint32_t)shared_offset;
    op->count = shared_wide;
    op->memory_class = HAUL_CLASS_LDGSTS_BYPASS;
}

/* A predicate as the fourth operand means: ignore the source if it is true. */
static sim_step sizes_from_predicate(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d), ignore = SIM_PREDICATE(w, op->a) ^ op->x;
    SIM_STORE_LANES(d, active, (ignore >> l & 1) ? 0u : op->y);
    return SIM_NEXT;
}

static bool is_predicate(const sim_lowering *l, const ptx_operand *o) {
    return o->kind == PTX_REGISTER && l->function->registers[o->reg].type == PTX_PRED;
}

/* Returns the slot of the bytes to read; for a predicate, emits the operation that computes them. */
static uint32_t lower_source_size(sim_lowering *l, const ptx_operand *o, uint32_t bytes) {
    if (!is_predicate(l, o)) return sim_source(l, o, PTX_U32);
    uint32_t flip, predicate = sim_predicate(l, o, &flip);
    sim_op *op = sim_emit(l, sizes_from_predicate);
    op->a = predicate;
    op->x = flip;
    op->y = bytes;
    op->d = SIM_SLOT_SCRATCH;
    return SIM_SLOT_SCRATCH;
}

haul_status LOWER(CP_ASYNC)(sim_lowering *l, const ptx_instruction *i) {
    bool shared_wide;
    int64_t shared_offset;
    uint64_t bytes = i->operands[2].bits;
    bool bypass = i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG;
    bool sized = i->operand_count > 3 && i->operands[3].kind != PTX_ABSENT;
    if (i->operands[2].kind != PTX_INTEGER || (bytes != 16 && (bypass || (bytes != 4 && bytes != 8))))
        return sim_lower_fail(l, "cp.async moves 4, 8 or 16 bytes, and with .cg only 16");
    const bool whole = !sized || (i->operands[3].kind == PTX_INTEGER && i->operands[3].bits == bytes);
    if (i->guarded && bypass && whole) emit_guarded_count(l, i);
    uint32_t shared = sim_address(l, &i->operands[0], &shared_wide, &shared_offset);
    uint32_t size = sized ? lower_source_size(l, &i->operands[3], (uint32_t)bytes) : SIM_SLOT_ZERO;
    const uint32_t policy = sim_policy_slot(l, i);
    sim_op *op = sim_emit_at(l, copy_async, &i->operands[1]);
    op->policy = policy;
    op->d = shared;
    op->x = (uint32_t)shared_offset;
    op->imm2 = shared_wide;
    op->b = size;
    op->count = sized;
    op->bytes = (uint8_t)bytes;
    op->memory_class = bypass ? HAUL_CLASS_LDGSTS_BYPASS : HAUL_CLASS_LDGSTS_ACCESS;
    return HAUL_OK;
}

/* Closes the group of each active lane. */
static sim_step commit(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->hazards) sim_hazard_commit(w, op, active);
    sim_async_commit(w, active);
    return SIM_NEXT;
}

haul_status LOWER(CP_ASYNC_COMMIT)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, commit);
    return HAUL_OK;
}

/* imm: groups to leave in flight; negative: complete all copies, committed or not */
static sim_step wait_group(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_async_wait(w, active, op->imm < 0 ? 0 : (uint32_t)op->imm, op->imm < 0);
    return SIM_YIELD;
}

haul_status LOWER(CP_ASYNC_WAIT_GROUP)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit(l, wait_group)->imm = (int64_t)i->operands[0].bits;
    return HAUL_OK;
}

/* Waits for uncommitted copies as well. */
haul_status LOWER(CP_ASYNC_WAIT_ALL)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, wait_group)->imm = -1;
    return HAUL_OK;
}
