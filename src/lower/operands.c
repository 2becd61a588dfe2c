/* Operands in the register file: registers, constants and special registers get slots, addresses a base and an offset.
 * Also assigns patterns to accesses of shared memory. */
#include "lower/internal.h"
#include "machine/memory.h"
#include "ptx/literal.h"
#include "ptx/liveness.h"
#include "ptx/spaces.h"
#include "state/program.h"

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

/* A clock's slot is filled again before each use, since clocks change while a warp runs. */
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

/* The upper or lower half of the address of cooperative groups' grid barrier. */
static uint32_t workspace_half(sim_lowering *l, unsigned special) {
    const uint64_t address = sim_variable_address(l, l->program->module->workspace);
    l->program->syncs_grid = true;
    return sim_constant(l, special == PTX_SPECIAL_ENVREG1 ? address >> 32 : (uint32_t)address, 4);
}

static uint32_t special_source(sim_lowering *l, unsigned special) {
    if (special == PTX_SPECIAL_ENVREG1 || special == PTX_SPECIAL_ENVREG2) return workspace_half(l, special);
    uint32_t slot = special_slot(l, special);
    if (is_clock(special)) {
        sim_append_between(l, SIM_FORM_YIELD); /* the SM's clock advances when a warp's turn ends */
        sim_op *op = sim_emit_between(l, SIM_FORM_CLOCK);
        op->d = slot;
        op->x = special;
    }
    return slot;
}

/* ---- operands ---- */

uint32_t sim_source(sim_lowering *l, const ptx_operand *o, unsigned type) {
    unsigned bytes = ptx_bits(type) / 8;
    switch (o->kind) {
    case PTX_REGISTER: return l->register_slots[o->reg];
    case PTX_INTEGER: return sim_constant(l, o->bits, bytes);
    case PTX_FLOATING: return sim_constant(l, ptx_float_bits(o, bytes), bytes);
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
    const bool streams = i->mods[PTX_SLOT_CACHE] == PTX_MOD_CS; /* on an H100, equal to L2::evict_first */
    const sim_priority priority = streams ? SIM_PRIORITY_FIRST : sim_priority_named(i);
    if (priority == SIM_PRIORITY_NORMAL) return 0;
    return sim_constant(l, sim_policy_fractional(priority, SIM_PRIORITY_UNCHANGED, 1), 8);
}

/* The offset that makes an address in the variable's space generic. */
static uint64_t window_of(const sim_lowering *l, const ptx_operand *o, const ptx_variable *v) {
    if (!ptx_is_generic(l->instruction, o)) return 0;
    switch (v->space) {
    case PTX_SPACE_SHARED: return SIM_SHARED_WINDOW;
    case PTX_SPACE_LOCAL: return SIM_LOCAL_WINDOW;
    default: return 0; /* other addresses are generic, or include their window already */
    }
}

uint32_t sim_address(sim_lowering *l, const ptx_operand *o, bool *wide, int64_t *offset) {
    const ptx_operand *base = &o->parts[0];
    *offset = o->offset;
    *wide = false;
    switch (base->kind) {
    case PTX_REGISTER: *wide = sim_register_bytes(l, base) == 8; return l->register_slots[base->reg];
    case PTX_VARIABLE_ADDRESS:
        *offset += (int64_t)(window_of(l, o, base->variable) + sim_variable_address(l, base->variable)) + base->offset;
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

void sim_forget_patterns(sim_patterns *p, const ptx_instruction *i) {
    ptx_visit_registers(i, forget_pattern, p);
}
