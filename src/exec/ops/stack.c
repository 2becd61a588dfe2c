/* alloca, stacksave, stackrestore: a thread's stack, which grows downwards from the end of the variable $dynamic of its
 * frame, as on hardware: lanes that allocate different sizes have their memory at different addresses. The variable's
 * first word counts the bytes in use.
 *
 * The frame is cleared when a block starts, so the count begins at 0. A call saves it, so that a callee's allocations
 * end with the callee (exec/call.c). Addresses are offsets into the frame, as all local addresses.
 *
 * x: the place of $dynamic in the frame; a, d: the operand and the result; imm: the alignment. */
#include "exec/fault.h"
#include "exec/ops/lanes.h"
#include "lower/internal.h"
#include "ptx/inline.h"
#include "state/block.h"

enum { DEFAULT_ALIGNMENT = 8, MOST_ALIGNMENT = 1 << 23 };

/* Returns the lane's count of bytes, which the allocations follow. */
static unsigned char *stack_of(sim_warp *w, const sim_op *op, unsigned lane) {
    return w->block->frames + (w->index * SIM_LANES + lane) * w->sm->grid->program->frame_bytes + op->x;
}

static uint64_t used_of(sim_warp *w, const sim_op *op, unsigned lane) {
    uint64_t used;
    memcpy(&used, stack_of(w, op, lane), sizeof used);
    return used;
}

/* Notes that the count's bytes of the frame are in use, for they are cleared before the next block. */
static void set_used(sim_warp *w, const sim_op *op, unsigned lane, uint64_t used) {
    if (w->block->frame_used < op->x + sizeof used) w->block->frame_used = op->x + sizeof used;
    memcpy(stack_of(w, op, lane), &used, sizeof used);
}

/* Read and write a lane of a register of 32 or 64 bits. */
static uint64_t lane_of(const sim_warp *w, const sim_op *op, uint32_t slot, unsigned lane) {
    return op->flags & SIM_OP_WIDE ? SIM_SLOT(w, uint64_t, slot)[lane] : SIM_SLOT(w, uint32_t, slot)[lane];
}

static void set_lane(sim_warp *w, const sim_op *op, unsigned lane, uint64_t value) {
    if (op->flags & SIM_OP_WIDE)
        SIM_SLOT(w, uint64_t, op->d)[lane] = value;
    else
        SIM_SLOT(w, uint32_t, op->d)[lane] = (uint32_t)value;
}

/* Returns the bytes that a thread may allocate. */
static uint64_t limit_of(const sim_warp *w) {
    return w->sm->grid->program->function->dynamic->size - PTX_DYNAMIC_HEAD;
}

/* Returns the address after the stack, from which it grows. */
static uint64_t end_of(const sim_warp *w, const sim_op *op) {
    return op->x + w->sm->grid->program->function->dynamic->size;
}

/* Records the fault of an allocation that does not fit. */
static sim_step overflow(sim_warp *w, const sim_op *op, unsigned lane, uint64_t bytes, uint64_t used) {
    const uint64_t limit = limit_of(w);
    return sim_fault(
        w, op, HAUL_FINDING_STACK_OVERFLOW, 1u << lane,
        "stack overflow: alloca of %llu bytes, but %llu of the stack's %llu are in use; raise the limit with "
        "cuCtxSetLimit(CU_LIMIT_STACK_SIZE)",
        (unsigned long long)bytes, (unsigned long long)(used < limit ? used : limit), (unsigned long long)limit);
}

/* Lanes have stacks of their own; one that overflows ends the launch. */
static sim_step allocate(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint64_t end = end_of(w, op), least = end - limit_of(w), alignment = (uint64_t)op->imm;
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        const uint64_t bytes = lane_of(w, op, op->a, lane), used = used_of(w, op, lane);
        if (bytes > limit_of(w) - used) return overflow(w, op, lane, bytes, used);
        const uint64_t at = (end - used - bytes) & ~(alignment - 1);
        if (at < least) return overflow(w, op, lane, bytes, used);
        set_used(w, op, lane, end - at);
        set_lane(w, op, lane, at);
    }
    return SIM_NEXT;
}

/* Returns the address of the last byte in use. */
static sim_step save(sim_warp *w, const sim_op *op, uint32_t active) {
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        set_lane(w, op, lane, end_of(w, op) - used_of(w, op, lane));
    }
    return SIM_NEXT;
}

/* Frees everything allocated after the address was returned. */
static sim_step restore(sim_warp *w, const sim_op *op, uint32_t active) {
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        const uint64_t used = end_of(w, op) - lane_of(w, op, op->a, lane);
        if (used > limit_of(w))
            return sim_fault(w, op, HAUL_FINDING_STACK_OVERFLOW, 1u << lane,
                             "stackrestore: the address is not in the stack");
        set_used(w, op, lane, used);
    }
    return SIM_NEXT;
}

/* ---- lowering ---- */

/* Emits an operation on the stack. */
static sim_op *emit(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    const uint32_t at = (uint32_t)sim_variable_address(l, l->function->dynamic);
    sim_op *op = sim_emit(l, run);
    op->x = at;
    if (i->type == PTX_U64) op->flags |= SIM_OP_WIDE;
    return op;
}

haul_status LOWER(ALLOCA)(sim_lowering *l, const ptx_instruction *i) {
    const uint64_t asked = i->operand_count > 2 ? i->operands[2].bits : DEFAULT_ALIGNMENT;
    if (asked == 0 || (asked & (asked - 1)) || asked > MOST_ALIGNMENT)
        return sim_lower_fail(l, "the alignment must be a power of two up to %d", MOST_ALIGNMENT);
    const uint32_t bytes = sim_source(l, &i->operands[1], i->type), d = sim_destination(l, &i->operands[0]);
    sim_op *op = emit(l, i, allocate);
    op->d = d;
    op->a = bytes;
    op->imm = asked > DEFAULT_ALIGNMENT ? (int64_t)asked : DEFAULT_ALIGNMENT;
    return HAUL_OK;
}

haul_status LOWER(STACKSAVE)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t d = sim_destination(l, &i->operands[0]);
    emit(l, i, save)->d = d;
    return HAUL_OK;
}

haul_status LOWER(STACKRESTORE)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t a = sim_source(l, &i->operands[0], i->type);
    emit(l, i, restore)->a = a;
    return HAUL_OK;
}
