/* Calls that are not inlined; see call.h.
 *
 * A lane's stack is an array of saved frames, apart from the thread's own memory. A frame has the registers that are
 * live after the call and, if the caller is no kernel, its .param variables. The index of the call operation follows.
 * All functions of a kernel have registers of their own in one register file. So only a function that is entered again
 * while it runs could overwrite its registers; the frame protects those.
 *
 * Entering moves the lanes to the function as a branch would: lanes that call another function, or do not call,
 * reconverge with them after the call. `depth` keeps joins of different calls apart. A return goes to the operation
 * after the call that is on top of the lane's stack.
 *
 * The stacks are in host memory, yet limited to the size of the thread's stack on hardware (check_stack()). */
#include "exec/call.h"

#include "base/memory.h"
#include "check/hazard.h"
#include "exec/fault.h"
#include "exec/paths.h"
#include "lower/internal.h"
#include "ptx/liveness.h"
#include "state/block.h"

#include <string.h>

/* One lane's calls: for each, the saved bytes, followed by the index of the call operation. */
typedef struct lane_calls {
    unsigned char *bytes;
    size_t used, capacity;
    uint32_t depth;
} lane_calls;

struct sim_call_stack {
    lane_calls lanes[SIM_LANES];
};

/* ---- contents of a saved frame ---- */

/* In the pool: `x` registers, then `y` variables of the frame. */
typedef struct saved_register {
    uint32_t slot, bytes, reg; /* bytes of a lane; 0: a predicate */
} saved_register;

typedef struct saved_variable {
    uint32_t at, bytes;
} saved_variable;

enum { REGISTER_WORDS = 3, VARIABLE_WORDS = 2 };

/* The lists of registers and variables that a call saves. Lowering has put them into the pool. */
static const saved_register *registers_of(const sim_warp *w, const sim_op *call) {
    return (const saved_register *)(const void *)(w->sm->grid->program->pool + call->more);
}

static const saved_variable *variables_of(const sim_warp *w, const sim_op *call) {
    return (const saved_variable *)(const void *)(registers_of(w, call) + call->x);
}

/* Returns the lane's local memory. */
static unsigned char *frame_of(const sim_warp *w, unsigned lane) {
    return w->block->frames + (w->index * SIM_LANES + lane) * w->sm->grid->program->frame_bytes;
}

/* memcpy() of a lane's part of a register. Nearly all are of a known size, and then need no call. */
static inline void copy_part(unsigned char *to, const unsigned char *from, uint32_t bytes) {
    if (bytes == sizeof(uint64_t))
        memcpy(to, from, sizeof(uint64_t));
    else if (bytes == sizeof(uint32_t))
        memcpy(to, from, sizeof(uint32_t));
    else
        memcpy(to, from, bytes);
}

/* Copies the lane's part of these to `to`; returns the end. */
static unsigned char *save_lane(const sim_warp *w, const sim_op *call, unsigned lane, unsigned char *to) {
    const saved_register *r = registers_of(w, call);
    const saved_variable *v = variables_of(w, call);
    for (uint32_t k = 0; k < call->x; k++) {
        if (r[k].bytes)
            copy_part(to, w->regs + r[k].slot + (size_t)lane * r[k].bytes, r[k].bytes);
        else
            *to = SIM_PREDICATE(w, r[k].slot) >> lane & 1;
        to += r[k].bytes ? r[k].bytes : 1;
    }
    for (uint32_t k = 0; k < call->y; k++, to += v[k - 1].bytes) copy_part(to, frame_of(w, lane) + v[k].at, v[k].bytes);
    return to;
}

static void restore_lane(sim_warp *w, const sim_op *call, unsigned lane, const unsigned char *from) {
    const saved_register *r = registers_of(w, call);
    const saved_variable *v = variables_of(w, call);
    const uint32_t bit = 1u << lane;
    for (uint32_t k = 0; k < call->x; k++) {
        if (r[k].bytes)
            copy_part(w->regs + r[k].slot + (size_t)lane * r[k].bytes, from, r[k].bytes);
        else
            SIM_PREDICATE(w, r[k].slot) = (SIM_PREDICATE(w, r[k].slot) & ~bit) | (*from ? bit : 0);
        from += r[k].bytes ? r[k].bytes : 1;
    }
    for (uint32_t k = 0; k < call->y; k++, from += v[k - 1].bytes)
        copy_part(frame_of(w, lane) + v[k].at, from, v[k].bytes);
}

/* ---- stacks ---- */

/* Grows the lane's stack to at least twice its size. Returns false if the host has no memory. */
static bool make_room(lane_calls *c, size_t bytes) {
    if (c->capacity - c->used >= bytes) return true;
    const size_t capacity = 2 * (c->used + bytes);
    unsigned char *grown = memory_resize(c->bytes, capacity);
    if (!grown) return false;
    c->bytes = grown;
    c->capacity = capacity;
    return true;
}

/* Keeps the memory for the next block. */
void sim_calls_reset(sim_warp *w) {
    for (unsigned l = 0; l < SIM_LANES; l++) w->calls->lanes[l].used = w->calls->lanes[l].depth = 0;
}

void sim_calls_free(sim_warp *w) {
    for (unsigned l = 0; w->calls && l < SIM_LANES; l++) memory_free(w->calls->lanes[l].bytes);
    memory_free(w->calls);
    w->calls = NULL;
}

/* Returns the bytes of the thread's stack in use at the call: .local variables, and a fixed amount for each call. */
static uint64_t stack_in_use(const sim_warp *w, const sim_op *call, unsigned lane) {
    const uint64_t calls = (uint64_t)SIM_CALL_BYTES * (1 + w->calls->lanes[lane].depth);
    uint64_t next;
    if (!w->sm->grid->program->function->stack) return calls;
    memcpy(&next, frame_of(w, lane) + call->b, sizeof next);
    return next - call->c + calls;
}

/* Saves the lane's frame and the place of the call. Returns false if the host has no memory. */
static bool push_lane(sim_warp *w, const sim_op *call, unsigned lane) {
    lane_calls *c = &w->calls->lanes[lane];
    const uint32_t pc = sim_pc(w, call);
    if (!make_room(c, call->imm2 + sizeof pc)) return false;
    unsigned char *end = save_lane(w, call, lane, c->bytes + c->used);
    memcpy(end, &pc, sizeof pc);
    c->used += call->imm2 + sizeof pc;
    c->depth++;
    return true;
}

/* Returns the operation of the lane's innermost call. */
static uint32_t top_call(const sim_warp *w, unsigned lane) {
    const lane_calls *c = &w->calls->lanes[lane];
    uint32_t pc;
    memcpy(&pc, c->bytes + c->used - sizeof pc, sizeof pc);
    return pc;
}

/* Removes the frame of the lane's innermost call and restores its contents. */
static void pop_lane(sim_warp *w, const sim_op *call, unsigned lane) {
    lane_calls *c = &w->calls->lanes[lane];
    c->used -= call->imm2 + sizeof(uint32_t);
    c->depth--;
    restore_lane(w, call, lane, c->bytes + c->used);
}

/* ---- calling ---- */

static sim_step no_memory(sim_warp *w, const sim_op *op, uint32_t active) {
    return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, active, "call: the host has no memory for the calls' stack");
}

/* Returns false, with the fault recorded, if some lane's stack is too small. */
static bool check_stack(sim_warp *w, const sim_op *op, uint32_t active, uint64_t frame_bytes) {
    const uint64_t limit = w->sm->grid->program->module->stack_bytes;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t used = stack_in_use(w, op, lane);
        if (used <= limit && frame_bytes <= limit - used) continue;
        (void)sim_fault(w, op, HAUL_FINDING_STACK_OVERFLOW, 1u << lane,
                        "stack overflow: the call is %u deep and its frames need more than the stack's %llu bytes; "
                        "raise the limit with cuCtxSetLimit(CU_LIMIT_STACK_SIZE)",
                        w->calls->lanes[lane].depth + 1, (unsigned long long)limit);
        return false;
    }
    return true;
}

/* Lanes in `lanes` of the running path call; the others return to this operation. */
static sim_step enter(sim_warp *w, const sim_op *op, uint32_t lanes, const sim_callee *callee) {
    sim_path *p = w->path;
    if ((callee->may_recur || callee->frame_bytes) && !check_stack(w, op, lanes, callee->frame_bytes)) return SIM_STOP;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (!push_lane(w, op, (unsigned)__builtin_ctz(left))) return no_memory(w, op, lanes);
    /* All lanes of the path call: nobody stays behind, so no join is needed. */
    if (lanes == w->active) {
        p->depth++;
        w->pc = callee->op;
        return SIM_JUMP;
    }
    const sim_step step = sim_warp_diverge(w, lanes, callee->op, sim_pc(w, op), sim_pc(w, op) + 1);
    p->depth++;
    return step;
}

/* Makes the warp's stacks at its first call. Returns false if the host has no memory. */
static bool has_stacks(sim_warp *w) {
    if (!w->calls) w->calls = memory_zeroed(1, sizeof *w->calls);
    return w->calls != NULL;
}

static sim_step call_function(sim_warp *w, const sim_op *op, uint32_t active) {
    if (!has_stacks(w)) return no_memory(w, op, active);
    return enter(w, op, active, &w->sm->grid->program->callees[op->target]);
}

/* Returns the function at an address: SIM_CALL_BYTES times its number plus one, in a window of its own. NULL if there
 * is no function, or it cannot be called here. */
static const sim_callee *callee_at(const sim_program *p, uint64_t address) {
    const uint64_t offset = address - SIM_FUNCTION_WINDOW, number = offset / SIM_CALL_BYTES;
    if (offset % SIM_CALL_BYTES || number == 0 || number > p->module->function_count) return NULL;
    return p->callees[number - 1].op ? &p->callees[number - 1] : NULL;
}

/* Lanes with the first lane's target call together; the others come back to this operation. */
static sim_step call_address(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint64_t *address = SIM_SLOT(w, uint64_t, op->a), first = address[__builtin_ctz(active)];
    const sim_callee *callee = callee_at(w->sm->grid->program, first);
    uint32_t same = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(address[l] == first) << l;
    if (!callee)
        return sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, same & active, "call: there is no function at 0x%llx",
                         (unsigned long long)first);
    if (!has_stacks(w)) return no_memory(w, op, active);
    return enter(w, op, same & active, callee);
}

/* Lanes with another call site than the first lane return separately. The callee's values in restored registers are
 * gone, and so is their taint. */
sim_step sim_run_return(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t pc = top_call(w, (unsigned)__builtin_ctz(active));
    const sim_op *call = &w->ops[pc];
    const saved_register *r = registers_of(w, call);
    uint32_t same = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        same |= (uint32_t)(top_call(w, lane) == pc) << lane;
    }
    sim_warp_split(w, same, sim_pc(w, op));
    sim_warp_leave_call(w);
    for (uint32_t left = same; left; left &= left - 1) pop_lane(w, call, (unsigned)__builtin_ctz(left));
    for (uint32_t k = 0; w->tainted && k < call->x; k++) sim_hazard_taint_forget(w, r[k].reg, same);
    w->pc = pc + 1;
    return SIM_JUMP;
}

/* ---- lowering ---- */

/* Functions' blocks follow those of the kernel. */
bool sim_is_in_callee(const sim_lowering *l) {
    return l->function->callee_count && l->block >= l->function->callees[0].block;
}

/* Computes liveness when the first call needs it. */
static const ptx_liveness *liveness(sim_lowering *l) {
    if (!l->live) {
        l->live = ARENA_NEW(l->scratch, ptx_liveness);
        ptx_liveness_compute(l->function, l->scratch, l->live);
    }
    return l->live;
}

/* Adds the registers that are live after the call, which ends its block. */
static uint32_t add_registers(sim_lowering *l, uint32_t *bytes) {
    const ptx_liveness *live = liveness(l);
    uint32_t count = 0;
    for (const ptx_live_word *w = ptx_live_words(live, l->block); w < ptx_live_words(live, l->block + 1); w++)
        for (uint64_t bits = w->out; bits; bits &= bits - 1) {
            const uint32_t r = ptx_live_register(live, w, bits);
            const ptx_type type = l->function->registers[r].type;
            const saved_register s = {.slot = l->register_slots[r],
                                      .bytes = type == PTX_PRED ? 0 : sim_lane_bytes(ptx_bits(type) / 8),
                                      .reg = r};
            uint32_t words[REGISTER_WORDS];
            memcpy(words, &s, sizeof words);
            sim_pool(l, words, REGISTER_WORDS);
            *bytes += s.bytes ? s.bytes : 1;
            count++;
        }
    return count;
}

/* Returns the function whose body contains the basic block; NULL: the kernel. */
static const ptx_callee *calling(const sim_lowering *l) {
    const ptx_callee *found = NULL;
    for (size_t k = 0; k < l->function->callee_count && l->function->callees[k].block <= l->block; k++)
        found = &l->function->callees[k];
    return found;
}

/* Adds a variable of the frame to the call's list. */
static void add_variable(sim_lowering *l, const ptx_variable *v, uint32_t size, uint32_t *bytes) {
    const uint32_t words[VARIABLE_WORDS] = {(uint32_t)sim_variable_address(l, v), size};
    sim_pool(l, words, VARIABLE_WORDS);
    *bytes += size;
}

/* Adds the caller's .param variables and the size of the alloca stack: the callee's allocations end when it returns. */
static uint32_t add_variables(sim_lowering *l, uint32_t *bytes) {
    const ptx_callee *c = calling(l);
    uint32_t count = 0;
    if (l->function->dynamic) {
        add_variable(l, l->function->dynamic, sizeof(uint64_t), bytes);
        count++;
    }
    for (uint32_t k = c ? c->first_variable : 0; c && k < c->end_variable; k++) {
        const ptx_variable *v = l->function->variables[k];
        if (v->space != PTX_SPACE_PARAM || !v->size) continue;
        add_variable(l, v, (uint32_t)v->size, bytes);
        count++;
    }
    return count;
}

/* x and y count the saved registers and variables, imm2 their bytes. b and c are variables of the frame: the end of the
 * stack in use and its start. */
haul_status sim_lower_far_call(sim_lowering *l, const ptx_instruction *i) {
    const ptx_operand *to = &i->operands[1];
    const bool indirect = to->kind == PTX_REGISTER;
    const uint32_t pool = (uint32_t)l->program->pool_count;
    uint32_t bytes = 0;
    const uint32_t registers = add_registers(l, &bytes), variables = add_variables(l, &bytes);
    if (l->program->frame_bytes > UINT32_MAX) return sim_lower_fail(l, "the thread's frame is too large");
    sim_op *op = sim_emit(l, indirect ? call_address : call_function);
    op->more = pool;
    op->x = registers;
    op->y = variables;
    op->imm2 = bytes;
    op->b = (uint32_t)sim_variable_address(l, l->function->arguments);
    if (l->function->stack) op->c = (uint32_t)sim_variable_address(l, l->function->stack);
    if (indirect)
        op->a = l->register_slots[to->reg];
    else
        op->target = to->function->index;
    return HAUL_OK;
}
