#include "assembler/assembler.h"
#include "assembler/code_size.h"
#include "assembler/cost.h"
#include "assembler/issue.h"
#include "assembler/registers.h"
#include "base/status.h"
#include "lower/internal.h"
#include "lower/lower.h"
#include "machine/code_fetch.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"
#include "ptx/print.h"
#include "ptx/traits.h"
#include "state/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

haul_status sim_lower_fail(sim_lowering *l, const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    text instruction = {0};
    ptx_print_instruction(l->program->module, l->function, l->instruction, &instruction);
    haul_fail(HAUL_ERROR_UNSUPPORTED, "%s:%u:%u: '%s': %s", l->program->module->name, l->instruction->position.line,
              l->instruction->position.column, text_string(&instruction), what);
    text_free(&instruction);
    return HAUL_ERROR_UNSUPPORTED;
}

/* ---- operations ---- */

static sim_op *append(sim_lowering *l, sim_handler run) {
    sim_program *p = l->program;
    sim_op op = {.run = run,
                 .guard = SIM_SLOT_TRUE,
                 .a = SIM_SLOT_ZERO,
                 .b = SIM_SLOT_ZERO,
                 .c = SIM_SLOT_ZERO,
                 .d = SIM_SLOT_SINK};
    ARENA_PUSH(l->memory, p->ops, p->op_count, p->op_capacity, op);
    return sim_last_op(l);
}

sim_op *sim_emit(sim_lowering *l, sim_handler run) {
    sim_op *op = append(l, run);
    const ptx_instruction *i = l->instruction;
    op->instruction = (uint32_t)(i - l->function->instructions);
    /* Branches read their predicate themselves: both paths need the lanes. */
    if (i->guarded && i->op != PTX_OP_BRA) {
        op->guard = l->register_slots[i->guard];
        op->guard_flip = i->guard_negated ? SIM_ALL_LANES : 0;
    }
    return op;
}

sim_op *sim_append_between(sim_lowering *l, sim_form form) {
    sim_op *op = append(l, l->operations->between[form - SIM_FORM_ENTER]);
    op->form = (uint8_t)form;
    return op;
}

sim_op *sim_emit_between(sim_lowering *l, sim_form form) {
    sim_op *op = sim_emit(l, l->operations->between[form - SIM_FORM_ENTER]);
    op->form = (uint8_t)form;
    return op;
}

/* ---- blocks ---- */

static bool *find_joins(sim_lowering *l) {
    const ptx_function *f = l->function;
    bool *joins = ARENA_ARRAY(l->scratch, f->block_count + 1, bool);
    for (size_t b = 0; b < f->block_count; b++) {
        const ptx_block *block = &f->blocks[b];
        const ptx_instruction *last = &f->instructions[block->end - 1];
        if (ptx_is_far_call(last) && block->next != PTX_NO_BLOCK) joins[block->next] = true;
        bool branches = (last->op == PTX_OP_BRA && last->guarded) || last->op == PTX_OP_BRX_IDX;
        if (branches && block->join != PTX_NO_BLOCK) joins[block->join] = true;
        for (uint32_t k = 0; k < block->near_count; k++) joins[block->near_joins[k]] = true;
    }
    return joins;
}

/* Registers that global loads in flight in this block will write. */
typedef struct outstanding {
    uint8_t *pending; /* by register */
    uint32_t *list;
    size_t count;
    bool used;
    bool loads; /* the visited instruction is such a load */
} outstanding;

static void note_outstanding(void *context, uint32_t reg, bool writes) {
    outstanding *o = context;
    if (o->pending[reg]) o->used = true;
    if (writes && o->loads && !o->pending[reg]) {
        o->pending[reg] = 1;
        o->list[o->count++] = reg;
    }
}

static bool is_long_load(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    if (ptx_is(i->op, PTX_KIND_ATOMIC)) return true;
    return ptx_is(i->op, PTX_KIND_LOAD) && (space == PTX_MOD_NONE || space == PTX_MOD_GLOBAL);
}

static void forget_outstanding(outstanding *o) {
    while (o->count) o->pending[o->list[--o->count]] = 0;
}

/* On hardware, a warp waits for a load when it needs the result, and others run; so warps take turns there. */
static void maybe_yield(sim_lowering *l, outstanding *o, const ptx_instruction *i) {
    o->used = false;
    o->loads = false;
    ptx_visit_registers(i, note_outstanding, o);
    if (o->used) {
        sim_append_between(l, SIM_FORM_YIELD);
        forget_outstanding(o);
    }
    o->loads = is_long_load(i);
    if (o->loads) ptx_visit_registers(i, note_outstanding, o);
}

static void note_held(void *context, uint32_t reg, bool writes) {
    uint8_t *held = context;
    held[reg] |= writes ? SIM_HELD_SUM : SIM_HELD_FACTOR;
}

static uint8_t *find_held(sim_lowering *l) {
    const ptx_function *f = l->function;
    uint8_t *held = NULL;
    for (size_t i = 0; i < f->instruction_count; i++) {
        if (!ptx_is_warpgroup_product(&f->instructions[i]) && f->instructions[i].op != PTX_OP_TMEM_LD) continue;
        if (!held) held = ARENA_ARRAY(l->memory, f->register_count + 1, uint8_t);
        ptx_visit_held_registers(&f->instructions[i], note_held, held);
    }
    return held;
}

/* Compilers copy sums between registers while a product is in flight, and other values to registers of its factors, for
 * the assembler to merge both registers. The product is finished before such a copy. */
static bool moves_held(const sim_lowering *l, const ptx_instruction *i) {
    const uint8_t *held = l->program->held;
    const ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    if (!held || i->op != PTX_OP_MOV) return false;
    if (to->kind == PTX_REGISTER && held[to->reg] & SIM_HELD_SUM) return true;
    if (from->kind != PTX_REGISTER) return false;
    return held[from->reg] & SIM_HELD_SUM || (to->kind == PTX_REGISTER && held[to->reg] & SIM_HELD_FACTOR);
}

static haul_status lower_instruction(sim_lowering *l, const ptx_instruction *i) {
    l->instruction = i;
    if (sim_counts_singly(i)) sim_emit_between(l, SIM_FORM_COUNT);
    if (moves_held(l, i)) sim_append_between(l, SIM_FORM_FINISH_PRODUCTS);
    return l->operations->lower[i->op](l, i);
}

/* A block that ends without a jump falls through to the next one, which may not follow it in the operations. */
static void lower_block_end(sim_lowering *l, uint32_t index) {
    const ptx_block *b = &l->function->blocks[index];
    bool ends_by_itself = false;
    if (b->end > b->first) {
        unsigned last = l->function->instructions[b->end - 1].op;
        ends_by_itself = ptx_is(last, PTX_KIND_BRANCH);
    }
    if (ends_by_itself || b->next == index + 1) return;
    sim_op *op = sim_append_between(l, b->next == PTX_NO_BLOCK ? SIM_FORM_END : SIM_FORM_GO_ON);
    op->target = b->next;
    op->flags |= b->next == PTX_NO_BLOCK ? 0 : SIM_OP_JUMPS;
}

/* Facts about all blocks, found before lowering. */
typedef struct block_facts {
    bool *joins, *is_target;
    uint32_t *past; /* see sim_find_skip_targets */
} block_facts;

static haul_status lower_block(sim_lowering *l, uint32_t index, const block_facts *facts, outstanding *o) {
    const ptx_function *f = l->function;
    const ptx_block *b = &f->blocks[index];
    l->program->block_ops[index] = (uint32_t)l->program->op_count;
    sim_op *enter = sim_append_between(l, facts->joins[index] ? SIM_FORM_ENTER_JOIN : SIM_FORM_ENTER);
    enter->x = index;
    enter->instruction = b->first;
    if (facts->is_target[index]) sim_append_between(l, SIM_FORM_PAST)->x = index;
    l->block = index;
    memset(l->patterns->owner, 0, sizeof l->patterns->owner);
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *in = &f->instructions[i];
        maybe_yield(l, o, in);
        HAUL_TRY(lower_instruction(l, in));
        if (facts->past[index] != PTX_NO_BLOCK && sim_waits_for_block(in))
            sim_last_op(l)->target = facts->past[index] + 1;
        sim_forget_patterns(l->patterns, in);
    }
    forget_outstanding(o);
    lower_block_end(l, index);
    return HAUL_OK;
}

static haul_status lower_blocks(sim_lowering *l) {
    const ptx_function *f = l->function;
    l->program->block_ops = ARENA_ARRAY(l->memory, f->block_count + 1, uint32_t);
    const block_facts facts = {.joins = find_joins(l),
                               .is_target = ARENA_ARRAY(l->scratch, f->block_count + 1, bool),
                               .past = ARENA_ARRAY(l->scratch, f->block_count + 1, uint32_t)};
    sim_find_skip_targets(l, facts.past, facts.is_target);
    outstanding o = {.pending = ARENA_ARRAY(l->scratch, f->register_count + 1, uint8_t),
                     .list = ARENA_ARRAY(l->scratch, f->register_count + 1, uint32_t)};
    for (uint32_t b = 0; b < f->block_count; b++) HAUL_TRY(lower_block(l, b, &facts, &o));
    sim_append_between(l, SIM_FORM_END);
    return HAUL_OK;
}

/* The block's first operation; for no block, the operation that ends the kernel. */
static uint32_t first_op(const sim_program *p, uint32_t block) {
    return block == PTX_NO_BLOCK ? (uint32_t)p->op_count - 1 : p->block_ops[block];
}

/* Replaces block numbers in jumps by operation indices. */
static void resolve_jumps(sim_program *p) {
    for (size_t i = 0; i < p->op_count; i++) {
        sim_op *op = &p->ops[i];
        if (!(op->flags & (SIM_OP_JUMPS | SIM_OP_BRANCHES))) continue;
        op->target = first_op(p, op->target);
        if (!(op->flags & SIM_OP_BRANCHES)) continue;
        op->x = first_op(p, op->x);
        if (op->y != PTX_NO_BLOCK) op->y = p->block_ops[op->y];
        for (uint32_t k = 0; k < op->count; k++) p->pool[op->more + k] = p->block_ops[p->pool[op->more + k]];
    }
    for (size_t i = 0; i < p->op_count; i++) {
        sim_op *op = &p->ops[i];
        if (!(op->flags & SIM_OP_TABLE)) continue;
        if (op->y != PTX_NO_BLOCK) op->y = p->block_ops[op->y];
        for (uint32_t k = 0; k < op->x; k++) p->pool[op->more + k] = first_op(p, p->pool[op->more + k]);
    }
}

/* Makes the list of callees, once the operations of blocks are known. */
static void resolve_callees(sim_program *p, arena *memory) {
    const ptx_function *f = p->function;
    if (!f->arguments) return; /* no calls */
    p->callees = ARENA_ARRAY(memory, p->module->function_count, sim_callee);
    for (size_t k = 0; k < f->callee_count; k++)
        p->callees[f->callees[k].function->index] = (sim_callee){.op = p->block_ops[f->callees[k].block],
                                                                 .frame_bytes = f->callees[k].frame_bytes,
                                                                 .may_recur = f->callees[k].may_recur};
}

static void spread(unsigned char *lanes, uint64_t bits, unsigned bytes) {
    for (unsigned k = 0; k < SIM_LANES; k++) memcpy(lanes + k * bytes, &bits, bytes < 8 ? bytes : 8);
}

static void make_template(sim_lowering *l, uint32_t constants_at) {
    sim_program *p = l->program;
    p->register_bytes = (uint32_t)number_align(l->constants->end, 64);
    p->constants_at = constants_at;
    p->constants_bytes = p->register_bytes - constants_at;
    p->template = arena_alloc_aligned(l->memory, p->register_bytes, 64);
    memset(p->template + SIM_SLOT_TRUE, 0xff, 4);
    for (size_t i = 0; i < l->constants->count; i++) {
        const sim_constant_item *c = &l->constants->items[i];
        spread(p->template + c->slot, c->bits, c->bytes);
    }
}

/* Arguments and results of sim_lower(). */
typedef struct lower_work {
    const sim_operations *operations;
    const ptx_module *module;
    const ptx_function *flat;
    arena *memory;
    sim_placement *placement;
    sim_program *program;
    haul_status status;
} lower_work;

static haul_status lower(const lower_work *w, const ptx_function *flat, arena *scratch) {
    sim_program *p = w->program;
    arena *memory = w->memory;
    sim_constants constants = {0};
    sim_patterns patterns = {0};
    sim_lowering l = {.operations = w->operations,
                      .program = p,
                      .memory = memory,
                      .scratch = scratch,
                      .function = flat,
                      .constants = &constants,
                      .placement = w->placement,
                      .patterns = &patterns};
    p->module = w->module;
    p->function = flat;
    uint32_t end = SIM_SLOTS_FIXED;
    sim_place_variables(&l);
    p->register_slots = l.register_slots = sim_assign_slots(&l, &end);
    arena_clear(scratch);
    l.register_read = sim_find_read_registers(&l);
    p->held = find_held(&l);
    constants.end = end;
    HAUL_TRY(lower_blocks(&l));
    resolve_jumps(p);
    resolve_callees(p, memory);
    make_template(&l, end);
    p->constants = constants.items;
    p->constant_count = constants.count;
    p->variables = w->placement->items;
    p->variable_count = w->placement->count;
    p->variable_numbers = w->placement->by_variable;
    arena_clear(scratch);
    p->registers = sim_estimate_registers(flat, scratch);
    arena_clear(scratch);
    p->assembled = sim_assemble(flat, memory, scratch);
    arena_clear(scratch);
    p->costs = sim_block_costs(flat, p->assembled, memory, scratch);
    p->code_bytes = sim_code_bytes(sim_code_instructions(flat, p->assembled, p->costs));
    arena_clear(scratch);
    p->issuing_blocks = sim_issuing_blocks(flat, memory, scratch);
    return sim_describe_instructions(p, memory);
}

static void do_lower(void *context, arena *scratch) {
    lower_work *w = context;
    w->program = ARENA_NEW(w->memory, sim_program);
    w->status = lower(w, w->flat, scratch);
}

haul_status sim_lower(const sim_operations *operations, const ptx_module *module, const ptx_function *flat,
                      arena *memory, sim_address_of address_of, void *context, sim_program **out) {
    sim_placement placement = {.address_of = address_of, .context = context};
    lower_work w = {
        .operations = operations, .module = module, .flat = flat, .memory = memory, .placement = &placement};
    arena_with_scratch(memory, do_lower, &w);
    if (w.status == HAUL_OK) *out = w.program;
    return w.status;
}
