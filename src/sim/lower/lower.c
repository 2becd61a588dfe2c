#include "sim/lower/lower.h"

#include "base/status.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"
#include "ptx/print.h"
#include "sim/assembler/assembler.h"
#include "sim/assembler/contract.h"
#include "sim/call.h"
#include "sim/memory.h"
#include "sim/time/cost.h"
#include "sim/warp.h"

#include "sim/lower/internal.h"
#include "sim/occupancy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants ---- */

static void grow_constant_map(sim_constants *c, arena *memory) {
    size_t capacity = c->map_capacity ? c->map_capacity * 2 : 64;
    uint32_t *map = ARENA_ARRAY(memory, capacity, uint32_t);
    for (size_t i = 0; i < c->count; i++) {
        size_t at = (size_t)(c->items[i].bits * 0x9E3779B97F4A7C15ull >> 32) & (capacity - 1);
        while (map[at]) at = (at + 1) & (capacity - 1);
        map[at] = (uint32_t)i + 1;
    }
    c->map = map;
    c->map_capacity = capacity;
}

uint32_t sim_constant(sim_lowering *l, uint64_t bits, unsigned bytes) {
    sim_constants *c = l->constants;
    bytes = sim_lane_bytes(bytes);
    if (bytes < 8) bits &= (1ull << (8 * bytes)) - 1;
    if (bits == 0) return SIM_SLOT_ZERO;
    if (c->count * 2 >= c->map_capacity) grow_constant_map(c, l->memory);
    size_t at = (size_t)(bits * 0x9E3779B97F4A7C15ull >> 32) & (c->map_capacity - 1);
    for (; c->map[at]; at = (at + 1) & (c->map_capacity - 1)) {
        const sim_constant_item *item = &c->items[c->map[at] - 1];
        if (item->bits == bits && item->bytes == bytes) return item->slot;
    }
    sim_constant_item item = {.bits = bits, .bytes = bytes, .slot = c->end};
    c->end += bytes * SIM_LANES;
    ARENA_PUSH(l->memory, c->items, c->count, c->capacity, item);
    c->map[at] = (uint32_t)c->count;
    return item.slot;
}

static uint32_t special_slot(sim_lowering *l, unsigned special) {
    sim_program *p = l->program;
    for (size_t i = 0; i < p->special_count; i++)
        if (p->specials[i].special == special) return p->specials[i].slot;
    sim_special_slot s = {.slot = l->constants->end, .special = (uint8_t)special};
    l->constants->end += (ptx_bits(ptx_special_types[special]) == 64 ? 8u : 4u) * SIM_LANES;
    ARENA_PUSH(l->memory, p->specials, p->special_count, p->special_capacity, s);
    return s.slot;
}

/* Clocks change while a warp runs: their slot is filled anew in front of each use. */
static bool is_clock(unsigned special) {
    switch (special) {
    case PTX_SPECIAL_CLOCK:
    case PTX_SPECIAL_CLOCK_HI:
    case PTX_SPECIAL_CLOCK64:
    case PTX_SPECIAL_GLOBALTIMER:
    case PTX_SPECIAL_GLOBALTIMER_LO:
    case PTX_SPECIAL_GLOBALTIMER_HI: return true;
    default: return false;
    }
}

static sim_op *append(sim_lowering *l, sim_handler run);

/* The upper and lower half of the address where cooperative groups keep the grid's barrier. */
static uint32_t workspace_half(sim_lowering *l, unsigned special) {
    const uint64_t address = sim_variable_address(l, l->program->module->workspace);
    l->program->meets = true;
    return sim_constant(l, special == PTX_SPECIAL_ENVREG1 ? address >> 32 : (uint32_t)address, 4);
}

static uint32_t special_source(sim_lowering *l, unsigned special) {
    if (special == PTX_SPECIAL_ENVREG1 || special == PTX_SPECIAL_ENVREG2) return workspace_half(l, special);
    uint32_t slot = special_slot(l, special);
    if (is_clock(special)) {
        append(l, sim_run_yield); /* the SM's clock goes on when a warp's turn ends */
        sim_op *op = sim_emit(l, sim_run_clock);
        op->d = slot;
        op->x = special;
    }
    return slot;
}

/* ---- operands ---- */

static uint64_t float_bits(const ptx_operand *o, unsigned bytes) {
    double value;
    float narrow;
    uint32_t bits32;
    if (o->width == 32) {
        bits32 = (uint32_t)o->bits;
        if (bytes != 8) return bits32;
        memcpy(&narrow, &bits32, 4);
        value = (double)narrow;
        uint64_t bits;
        memcpy(&bits, &value, 8);
        return bits;
    }
    if (bytes == 8) return o->bits;
    memcpy(&value, &o->bits, 8);
    narrow = (float)value;
    memcpy(&bits32, &narrow, 4);
    return bits32;
}

uint32_t sim_source(sim_lowering *l, const ptx_operand *o, unsigned type) {
    unsigned bytes = ptx_bits(type) / 8;
    switch (o->kind) {
    case PTX_REGISTER: return l->register_slots[o->reg];
    case PTX_INTEGER: return sim_constant(l, o->bits, bytes);
    case PTX_FLOATING: return sim_constant(l, float_bits(o, bytes), bytes);
    case PTX_SPECIAL_REGISTER: return special_source(l, o->special);
    case PTX_FUNCTION_ADDRESS: return sim_constant(l, sim_function_address(o->function), bytes);
    case PTX_VARIABLE_ADDRESS:
        return sim_constant(l, sim_variable_address(l, o->variable) + (uint64_t)o->offset, bytes);
    default: return SIM_SLOT_ZERO;
    }
}

uint32_t sim_destination(sim_lowering *l, const ptx_operand *o) {
    return o->kind == PTX_REGISTER ? l->register_slots[o->reg] : SIM_SLOT_SINK;
}

uint32_t sim_predicate(sim_lowering *l, const ptx_operand *o, uint32_t *flip) {
    *flip = o->negated ? SIM_ALL_LANES : 0;
    if (o->kind == PTX_REGISTER) return l->register_slots[o->reg];
    if (o->kind == PTX_SPECIAL_REGISTER) return special_slot(l, o->special);
    return o->kind == PTX_INTEGER && o->bits ? SIM_SLOT_TRUE : SIM_SLOT_FALSE;
}

uint32_t sim_scratch(sim_lowering *l, unsigned bytes) {
    const uint32_t slot = l->constants->end;
    l->constants->end += bytes * SIM_LANES;
    return slot;
}

unsigned sim_register_bytes(const sim_lowering *l, const ptx_operand *o) {
    if (o->kind == PTX_REGISTER) return sim_lane_bytes(ptx_bits(l->function->registers[o->reg].type) / 8);
    if (o->kind == PTX_SPECIAL_REGISTER) return ptx_bits(ptx_special_types[o->special]) / 8;
    return sim_lane_bytes(ptx_bits(l->instruction->type) / 8);
}

bool sim_is_read(const sim_lowering *l, const ptx_operand *o) {
    return o->kind == PTX_REGISTER && l->register_read[o->reg];
}

uint32_t sim_pool(sim_lowering *l, const uint32_t *words, size_t count) {
    sim_program *p = l->program;
    uint32_t first = (uint32_t)p->pool_count;
    for (size_t i = 0; i < count; i++) ARENA_PUSH(l->memory, p->pool, p->pool_count, p->pool_capacity, words[i]);
    return first;
}

sim_priority sim_priority_named(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_EVICT_L2]) {
    case PTX_MOD_L2_EVICT_FIRST: return SIM_PRIORITY_FIRST;
    case PTX_MOD_L2_EVICT_LAST: return SIM_PRIORITY_LAST;
    case PTX_MOD_L2_EVICT_UNCHANGED: return SIM_PRIORITY_UNCHANGED;
    default: return SIM_PRIORITY_NORMAL;
    }
}

/* A policy is always the last operand. */
uint32_t sim_policy_slot(sim_lowering *l, const ptx_instruction *i) {
    if (i->mods[PTX_SLOT_HINT]) return sim_source(l, &i->operands[i->operand_count - 1], PTX_B64);
    const bool streams = i->mods[PTX_SLOT_CACHE] == PTX_MOD_CS; /* on an H100 just like L2::evict_first */
    const sim_priority priority = streams ? SIM_PRIORITY_FIRST : sim_priority_named(i);
    if (priority == SIM_PRIORITY_NORMAL) return 0;
    return sim_constant(l, sim_policy_fractional(priority, SIM_PRIORITY_UNCHANGED, 1), 8);
}

uint32_t sim_address(sim_lowering *l, const ptx_operand *o, bool *wide, int64_t *offset) {
    const ptx_operand *base = &o->parts[0];
    *offset = o->offset;
    *wide = false;
    switch (base->kind) {
    case PTX_REGISTER: *wide = sim_register_bytes(l, base) == 8; return l->register_slots[base->reg];
    case PTX_VARIABLE_ADDRESS:
        *offset += (int64_t)sim_variable_address(l, base->variable) + base->offset;
        return SIM_SLOT_ZERO;
    default: *offset += (int64_t)base->bits; return SIM_SLOT_ZERO;
    }
}

sim_op *sim_emit_at(sim_lowering *l, sim_handler run, const ptx_operand *operand) {
    bool wide;
    int64_t offset;
    const uint32_t base = sim_address(l, operand, &wide, &offset);
    sim_op *op = sim_emit(l, run);
    op->a = base;
    op->imm = offset;
    op->flags |= wide ? SIM_OP_WIDE : 0;
    return op;
}

/* ---- patterns of addresses ---- */

uint32_t sim_pattern_of(sim_lowering *l, const ptx_operand *o) {
    sim_patterns *p = l->patterns;
    const ptx_operand *base = &o->parts[0];
    const uint32_t owner = 1 + (base->kind == PTX_REGISTER ? base->reg : (uint32_t)l->function->register_count);
    for (uint32_t k = 0; k < SIM_PATTERNS; k++)
        if (p->owner[k] == owner) return p->slot + k * SIM_PATTERN_BYTES;
    if (l->instruction->guarded) return 0;
    if (!p->slot) {
        p->slot = l->constants->end;
        l->constants->end += SIM_PATTERNS * SIM_PATTERN_BYTES;
    }
    const uint32_t k = p->next++ % SIM_PATTERNS;
    p->owner[k] = owner;
    return (p->slot + k * SIM_PATTERN_BYTES) | SIM_PATTERN_LEADS;
}

static void forget_pattern(void *context, uint32_t reg, bool writes) {
    sim_patterns *p = context;
    for (uint32_t k = 0; writes && k < SIM_PATTERNS; k++)
        if (p->owner[k] == reg + 1) p->owner[k] = 0;
}

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
    /* Branches read their predicate themselves: both ways need the lanes. */
    if (i->guarded && i->op != PTX_OP_BRA) {
        op->guard = l->register_slots[i->guard];
        op->guard_flip = i->guard_negated ? SIM_ALL_LANES : 0;
    }
    return op;
}

/* ---- blocks ---- */

static bool *find_joins(sim_lowering *l) {
    const ptx_function *f = l->function;
    bool *joins = ARENA_ARRAY(l->memory, f->block_count + 1, bool);
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

/* Registers that an outstanding global load of this block will write. */
typedef struct outstanding {
    uint8_t *pending; /* by register */
    uint32_t *list;
    size_t count;
    bool used;
    bool loads; /* the instruction being visited is such a load */
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
    switch (i->op) {
    case PTX_OP_LD: {
        unsigned space = i->mods[PTX_SLOT_SPACE];
        return space == PTX_MOD_NONE || space == PTX_MOD_GLOBAL;
    }
    case PTX_OP_ATOM:
    case PTX_OP_ATOM_VECTOR:
    case PTX_OP_LDU: return true;
    default: return false;
    }
}

static void forget_outstanding(outstanding *o) {
    while (o->count) o->pending[o->list[--o->count]] = 0;
}

/* A warp that needs a load's result waits for it on hardware, and others run: that is where warps take turns. */
static void maybe_yield(sim_lowering *l, outstanding *o, const ptx_instruction *i) {
    o->used = false;
    o->loads = false;
    ptx_visit_registers(i, note_outstanding, o);
    if (o->used) {
        append(l, sim_run_yield);
        forget_outstanding(o);
    }
    o->loads = is_long_load(i);
    if (o->loads) ptx_visit_registers(i, note_outstanding, o);
}

static void note_sum(void *context, uint32_t reg, bool writes) {
    bool *sums = context;
    if (writes) sums[reg] = true;
}

static bool *find_sums(sim_lowering *l) {
    const ptx_function *f = l->function;
    bool *sums = NULL;
    for (size_t i = 0; i < f->instruction_count; i++) {
        if (!ptx_is_warpgroup_product(&f->instructions[i]) && f->instructions[i].op != PTX_OP_TMEM_LD) continue;
        if (!sums) sums = ARENA_ARRAY(l->memory, f->register_count + 1, bool);
        ptx_visit_registers(&f->instructions[i], note_sum, sums);
    }
    return sums;
}

/* Compilers copy sums from register to register while a product is under way, for the assembler to make one register of
 * both: the product is made first. */
static bool moves_sum(const sim_lowering *l, const ptx_instruction *i) {
    if (!l->register_sums || i->op != PTX_OP_MOV) return false;
    for (unsigned o = 0; o < 2; o++)
        if (i->operands[o].kind == PTX_REGISTER && l->register_sums[i->operands[o].reg]) return true;
    return false;
}

static haul_status lower_instruction(sim_lowering *l, const ptx_instruction *i) {
    l->instruction = i;
    if (sim_counts_singly(i)) sim_emit(l, sim_run_count);
    if (moves_sum(l, i)) append(l, sim_run_finish_products);
    return sim_lower_table()[i->op](l, i);
}

/* A block that ends without a jump runs into the next one, which may not be the next in the list of operations. */
static void lower_block_end(sim_lowering *l, uint32_t index) {
    const ptx_block *b = &l->function->blocks[index];
    bool ends_by_itself = false;
    if (b->end > b->first) {
        unsigned last = l->function->instructions[b->end - 1].op;
        ends_by_itself = last == PTX_OP_BRA || last == PTX_OP_BRX_IDX;
    }
    if (ends_by_itself || b->next == index + 1) return;
    sim_op *op = append(l, b->next == PTX_NO_BLOCK ? sim_run_end : sim_run_jump);
    op->target = b->next;
    op->flags |= b->next == PTX_NO_BLOCK ? 0 : SIM_OP_JUMPS;
}

/* What is known of all blocks before they are lowered. */
typedef struct block_facts {
    bool *joins, *is_past;
    uint32_t *past; /* see sim_find_past */
} block_facts;

static haul_status lower_block(sim_lowering *l, uint32_t index, const block_facts *facts, outstanding *o) {
    const ptx_function *f = l->function;
    const ptx_block *b = &f->blocks[index];
    l->program->block_ops[index] = (uint32_t)l->program->op_count;
    sim_op *enter = append(l, facts->joins[index] ? sim_run_enter_join : sim_run_enter);
    enter->x = index;
    enter->instruction = b->first;
    if (facts->is_past[index]) append(l, sim_run_past)->x = index;
    l->block = index;
    memset(l->patterns->owner, 0, sizeof l->patterns->owner);
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *in = &f->instructions[i];
        maybe_yield(l, o, in);
        HAUL_TRY(lower_instruction(l, in));
        if (facts->past[index] != PTX_NO_BLOCK && sim_waits_for_block(in))
            sim_last_op(l)->target = facts->past[index] + 1;
        ptx_visit_registers(in, forget_pattern, l->patterns);
    }
    forget_outstanding(o);
    lower_block_end(l, index);
    return HAUL_OK;
}

static haul_status lower_blocks(sim_lowering *l) {
    const ptx_function *f = l->function;
    l->program->block_ops = ARENA_ARRAY(l->memory, f->block_count + 1, uint32_t);
    const block_facts facts = {.joins = find_joins(l),
                               .is_past = ARENA_ARRAY(l->memory, f->block_count + 1, bool),
                               .past = ARENA_ARRAY(l->memory, f->block_count + 1, uint32_t)};
    sim_find_past(l, facts.past, facts.is_past);
    outstanding o = {.pending = ARENA_ARRAY(l->memory, f->register_count + 1, uint8_t),
                     .list = ARENA_ARRAY(l->memory, f->register_count + 1, uint32_t)};
    for (uint32_t b = 0; b < f->block_count; b++) HAUL_TRY(lower_block(l, b, &facts, &o));
    append(l, sim_run_end);
    return HAUL_OK;
}

/* The block's first operation; behind the last instruction that of the end. */
static uint32_t first_op(const sim_program *p, uint32_t block) {
    return block == PTX_NO_BLOCK ? (uint32_t)p->op_count - 1 : p->block_ops[block];
}

/* Jumps were written with block numbers. */
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

haul_status sim_lower(const ptx_module *module, const ptx_function *flat, arena *memory, sim_address_of address_of,
                      void *context, sim_program **out) {
    flat = sim_contract(flat, memory);
    sim_program *p = ARENA_NEW(memory, sim_program);
    sim_constants constants = {0};
    sim_patterns patterns = {0};
    sim_placement placement = {.address_of = address_of, .context = context};
    sim_lowering l = {.program = p,
                      .memory = memory,
                      .function = flat,
                      .constants = &constants,
                      .placement = &placement,
                      .patterns = &patterns};
    p->module = module;
    p->function = flat;
    uint32_t end = SIM_SLOTS_FIXED;
    sim_place_variables(&l);
    l.register_slots = sim_assign_slots(&l, &end);
    l.register_read = sim_find_read_registers(&l);
    l.register_sums = find_sums(&l);
    constants.end = end;
    HAUL_TRY(lower_blocks(&l));
    resolve_jumps(p);
    sim_resolve_callees(p, memory);
    make_template(&l, end);
    p->register_slots = l.register_slots;
    p->constants = constants.items;
    p->constant_count = constants.count;
    p->variables = placement.items;
    p->variable_count = placement.count;
    p->registers = sim_estimate_registers(flat, memory);
    p->assembled = sim_assemble(flat, memory);
    p->costs = sim_block_costs(flat, memory);
    HAUL_TRY(sim_describe_instructions(p, memory));
    *out = p;
    return HAUL_OK;
}
