#include "sim/lower.h"

#include "base/status.h"
#include "ptx/liveness.h"
#include "ptx/print.h"
#include "sim/memory.h"
#include "sim/warp.h"

#include "sim/lower_internal.h"
#include "sim/occupancy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants ---- */

static uint32_t align_up(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* Narrow registers take 16-bit lanes. */
static unsigned lane_bytes(unsigned bytes) {
    return bytes < 2 ? 2 : bytes;
}

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
    bytes = lane_bytes(bytes);
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
    l->constants->end += ptx_bits(ptx_special_types[special]) / 8 * SIM_LANES;
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

static uint32_t special_source(sim_lowering *l, unsigned special) {
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

static const uint64_t *find_place(const sim_placement *p, const ptx_variable *v) {
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].variable == v) return &p->items[i].at;
    return NULL;
}

/* Where a variable is, in its own space's addresses. */
static uint64_t variable_address(sim_lowering *l, const ptx_variable *v) {
    const uint64_t *at = find_place(l->placement, v);
    if (at) return *at;
    if (v->space == PTX_SPACE_SHARED) return l->program->dynamic_shared_at;
    return l->placement->address_of(l->placement->context, v);
}

uint32_t sim_source(sim_lowering *l, const ptx_operand *o, unsigned type) {
    unsigned bytes = ptx_bits(type) / 8;
    switch (o->kind) {
    case PTX_REGISTER: return l->register_slots[o->reg];
    case PTX_INTEGER: return sim_constant(l, o->bits, bytes);
    case PTX_FLOATING: return sim_constant(l, float_bits(o, bytes), bytes);
    case PTX_SPECIAL_REGISTER: return special_source(l, o->special);
    case PTX_VARIABLE_ADDRESS: return sim_constant(l, variable_address(l, o->variable) + (uint64_t)o->offset, bytes);
    default: return SIM_SLOT_ZERO;
    }
}

uint32_t sim_destination(sim_lowering *l, const ptx_operand *o) {
    return o->kind == PTX_REGISTER ? l->register_slots[o->reg] : SIM_SLOT_SINK;
}

uint32_t sim_predicate(sim_lowering *l, const ptx_operand *o, uint32_t *flip) {
    *flip = o->negated ? SIM_ALL_LANES : 0;
    if (o->kind == PTX_REGISTER) return l->register_slots[o->reg];
    return o->kind == PTX_INTEGER && o->bits ? SIM_SLOT_TRUE : SIM_SLOT_FALSE;
}

unsigned sim_register_bytes(const sim_lowering *l, const ptx_operand *o) {
    if (o->kind == PTX_REGISTER) return lane_bytes(ptx_bits(l->function->registers[o->reg].type) / 8);
    if (o->kind == PTX_SPECIAL_REGISTER) return ptx_bits(ptx_special_types[o->special]) / 8;
    return lane_bytes(ptx_bits(l->instruction->type) / 8);
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

uint32_t sim_address(sim_lowering *l, const ptx_operand *o, bool *wide, int64_t *offset) {
    const ptx_operand *base = &o->parts[0];
    *offset = o->offset;
    *wide = false;
    switch (base->kind) {
    case PTX_REGISTER: *wide = sim_register_bytes(l, base) == 8; return l->register_slots[base->reg];
    case PTX_VARIABLE_ADDRESS:
        *offset += (int64_t)variable_address(l, base->variable) + base->offset;
        return SIM_SLOT_ZERO;
    default: *offset += (int64_t)base->bits; return SIM_SLOT_ZERO;
    }
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
    return &p->ops[p->op_count - 1];
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

/* ---- where variables lie ---- */

static void place(sim_lowering *l, const ptx_variable *v, uint64_t at) {
    sim_placement *p = l->placement;
    sim_placement_item item = {.variable = v, .at = at};
    ARENA_PUSH(l->memory, p->items, p->count, p->capacity, item);
}

static uint64_t align_64(uint64_t value, uint64_t unit) {
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

/* Parameters lie one after the other, each aligned; as the driver packs them. */
static void place_params(sim_lowering *l) {
    uint64_t at = 0;
    for (size_t i = 0; i < l->function->param_count; i++) {
        const ptx_variable *v = l->function->params[i];
        at = align_64(at, v->alignment);
        place(l, v, SIM_PARAM_WINDOW + at);
        at += v->size;
    }
    l->program->param_bytes = (uint32_t)at;
}

static uint64_t place_variables(sim_lowering *l, ptx_variable *const *variables, size_t count, ptx_space space,
                                uint64_t at) {
    for (size_t i = 0; i < count; i++) {
        const ptx_variable *v = variables[i];
        if (v->space != space || (v->is_extern && space == PTX_SPACE_SHARED)) continue;
        at = align_64(at, v->alignment);
        place(l, v, at);
        at += v->size;
    }
    return at;
}

static uint64_t largest_extern_alignment(const ptx_module *m) {
    uint64_t alignment = 16;
    for (size_t i = 0; i < m->variable_count; i++) {
        const ptx_variable *v = m->variables[i];
        if (v->space == PTX_SPACE_SHARED && v->is_extern && v->alignment > alignment) alignment = v->alignment;
    }
    return alignment;
}

typedef struct module_use {
    const ptx_module *module;
    bool *used;
} module_use;

static void note_used_variables(const ptx_operand *o, module_use *use) {
    if (o->kind == PTX_VARIABLE_ADDRESS && !o->variable->owner && o->variable->space == PTX_SPACE_SHARED)
        use->used[o->variable->index] = true;
    for (uint32_t k = 0; k < o->part_count; k++) note_used_variables(&o->parts[k], use);
}

/* Module-scope shared variables take room only in the kernels that name them. */
static uint64_t place_module_shared(sim_lowering *l, uint64_t at) {
    const ptx_module *m = l->program->module;
    module_use use = {m, ARENA_ARRAY(l->memory, m->variable_count + 1, bool)};
    for (size_t i = 0; i < l->function->instruction_count; i++) {
        const ptx_instruction *in = &l->function->instructions[i];
        for (unsigned k = 0; k < in->operand_count; k++) note_used_variables(&in->operands[k], &use);
    }
    for (size_t i = 0; i < m->variable_count; i++)
        if (use.used[i]) at = place_variables(l, &m->variables[i], 1, PTX_SPACE_SHARED, at);
    return at;
}

static void place_all(sim_lowering *l) {
    const ptx_function *f = l->function;
    place_params(l);
    uint64_t shared = place_module_shared(l, SIM_SHARED_START);
    shared = place_variables(l, f->variables, f->variable_count, PTX_SPACE_SHARED, shared);
    l->program->shared_bytes = shared - SIM_SHARED_START;
    l->program->dynamic_shared_at = align_64(shared, largest_extern_alignment(l->program->module));
    uint64_t frame = place_variables(l, f->variables, f->variable_count, PTX_SPACE_LOCAL, 0);
    l->program->local_bytes = frame;
    frame = place_variables(l, f->variables, f->variable_count, PTX_SPACE_PARAM, align_64(frame, 16));
    l->program->frame_bytes = align_64(frame, 16);
}

/* ---- registers: those that are never needed at the same time share a slot ---- */

typedef struct live_interval {
    uint32_t reg, from, to; /* instruction numbers, inclusive */
} live_interval;

typedef struct interval_scan {
    live_interval *intervals;
    uint32_t at;
} interval_scan;

static void extend(live_interval *v, uint32_t at) {
    if (at < v->from) v->from = at;
    if (at > v->to || v->to == UINT32_MAX) v->to = at;
}

static void extend_register(void *context, uint32_t reg, bool writes) {
    (void)writes;
    interval_scan *scan = context;
    extend(&scan->intervals[reg], scan->at);
}

static void extend_live(live_interval *intervals, const uint64_t *row, size_t words, uint32_t at) {
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = row[w]; bits; bits &= bits - 1)
            extend(&intervals[w * 64 + (size_t)__builtin_ctzll(bits)], at);
}

static live_interval *find_intervals(sim_lowering *l) {
    const ptx_function *f = l->function;
    ptx_liveness live;
    ptx_liveness_compute(f, l->memory, &live);
    live_interval *v = ARENA_ARRAY(l->memory, f->register_count + 1, live_interval);
    for (uint32_t r = 0; r < f->register_count; r++)
        v[r] = (live_interval){.reg = r, .from = UINT32_MAX, .to = UINT32_MAX};
    interval_scan scan = {.intervals = v};
    for (uint32_t b = 0; b < f->block_count; b++) {
        const ptx_block *block = &f->blocks[b];
        extend_live(v, live.in + b * live.words, live.words, block->first);
        for (scan.at = block->first; scan.at < block->end; scan.at++)
            ptx_visit_registers(&f->instructions[scan.at], extend_register, &scan);
        extend_live(v, live.out + b * live.words, live.words, block->end - 1);
    }
    return v;
}

static int by_start(const void *a, const void *b) {
    const live_interval *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static void note_read(void *context, uint32_t reg, bool writes) {
    bool *read = context;
    if (!writes) read[reg] = true;
}

static bool *find_read_registers(sim_lowering *l) {
    const ptx_function *f = l->function;
    bool *read = ARENA_ARRAY(l->memory, f->register_count + 1, bool);
    for (size_t i = 0; i < f->instruction_count; i++) ptx_visit_registers(&f->instructions[i], note_read, read);
    return read;
}

/* Free slots and active intervals of one lane width. */
typedef struct slot_class {
    uint32_t *free;
    size_t free_count, free_capacity;
    struct {
        uint32_t to, slot;
    } * active; /* a heap, the earliest end on top */
    size_t active_count, active_capacity;
} slot_class;

static void heap_push(slot_class *c, arena *memory, uint32_t to, uint32_t slot) {
    __typeof__(*c->active) item = {to, slot};
    ARENA_PUSH(memory, c->active, c->active_count, c->active_capacity, item);
    for (size_t i = c->active_count - 1; i && c->active[(i - 1) / 2].to > c->active[i].to; i = (i - 1) / 2) {
        item = c->active[i];
        c->active[i] = c->active[(i - 1) / 2];
        c->active[(i - 1) / 2] = item;
    }
}

static uint32_t heap_pop(slot_class *c) {
    uint32_t slot = c->active[0].slot;
    c->active[0] = c->active[--c->active_count];
    for (size_t i = 0;;) {
        size_t least = i, left = 2 * i + 1;
        for (size_t k = left; k < left + 2 && k < c->active_count; k++)
            if (c->active[k].to < c->active[least].to) least = k;
        if (least == i) return slot;
        __typeof__(*c->active) item = c->active[i];
        c->active[i] = c->active[least];
        c->active[least] = item;
        i = least;
    }
}

static unsigned slot_bytes(ptx_type type) {
    return type == PTX_PRED ? 4 : lane_bytes(ptx_bits(type) / 8) * SIM_LANES;
}

static uint32_t *assign_slots(sim_lowering *l, uint32_t *end) {
    const ptx_function *f = l->function;
    live_interval *v = find_intervals(l);
    uint32_t *slots = ARENA_ARRAY(l->memory, f->register_count + 1, uint32_t);
    slot_class classes[5] = {0};
    static const unsigned widths[5] = {4, 64, 128, 256, 512};
    qsort(v, f->register_count, sizeof *v, by_start);
    for (size_t i = 0; i < f->register_count && v[i].from != UINT32_MAX; i++) {
        unsigned bytes = slot_bytes(f->registers[v[i].reg].type), k = 0;
        while (widths[k] != bytes) k++;
        slot_class *c = &classes[k];
        while (c->active_count && c->active[0].to < v[i].from) {
            uint32_t slot = heap_pop(c);
            ARENA_PUSH(l->memory, c->free, c->free_count, c->free_capacity, slot);
        }
        if (c->free_count == 0) {
            if (bytes != 4) *end = align_up(*end, 64);
            ARENA_PUSH(l->memory, c->free, c->free_count, c->free_capacity, *end);
            *end += bytes;
        }
        slots[v[i].reg] = c->free[--c->free_count];
        heap_push(c, l->memory, v[i].to, slots[v[i].reg]);
    }
    *end = align_up(*end, 64);
    return slots;
}

/* ---- blocks ---- */

static bool *find_joins(sim_lowering *l) {
    const ptx_function *f = l->function;
    bool *joins = ARENA_ARRAY(l->memory, f->block_count + 1, bool);
    for (size_t b = 0; b < f->block_count; b++) {
        const ptx_block *block = &f->blocks[b];
        bool branches = block->taken != PTX_NO_BLOCK || block->table_count;
        if (branches && block->join != PTX_NO_BLOCK) joins[block->join] = true;
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

static haul_status lower_instruction(sim_lowering *l, const ptx_instruction *i) {
    l->instruction = i;
    if (i->guarded && i->op != PTX_OP_BRA) sim_emit(l, sim_run_count);
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

static haul_status lower_block(sim_lowering *l, uint32_t index, bool joins, outstanding *o) {
    const ptx_function *f = l->function;
    const ptx_block *b = &f->blocks[index];
    l->program->block_ops[index] = (uint32_t)l->program->op_count;
    sim_op *enter = append(l, joins ? sim_run_enter_join : sim_run_enter);
    enter->x = index;
    enter->instruction = b->first;
    l->block = index;
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *in = &f->instructions[i];
        if (!in->guarded || in->op == PTX_OP_BRA) l->program->block_weights[index]++;
        maybe_yield(l, o, in);
        HAUL_TRY(lower_instruction(l, in));
    }
    forget_outstanding(o);
    lower_block_end(l, index);
    return HAUL_OK;
}

static haul_status lower_blocks(sim_lowering *l) {
    const ptx_function *f = l->function;
    l->program->block_ops = ARENA_ARRAY(l->memory, f->block_count + 1, uint32_t);
    l->program->block_weights = ARENA_ARRAY(l->memory, f->block_count + 1, uint32_t);
    bool *joins = find_joins(l);
    outstanding o = {.pending = ARENA_ARRAY(l->memory, f->register_count + 1, uint8_t),
                     .list = ARENA_ARRAY(l->memory, f->register_count + 1, uint32_t)};
    for (uint32_t b = 0; b < f->block_count; b++) HAUL_TRY(lower_block(l, b, joins[b], &o));
    append(l, sim_run_end);
    return HAUL_OK;
}

/* Jumps were written with block numbers. */
static void resolve_jumps(sim_program *p) {
    for (size_t i = 0; i < p->op_count; i++) {
        sim_op *op = &p->ops[i];
        if (!(op->flags & (SIM_OP_JUMPS | SIM_OP_BRANCHES))) continue;
        op->target = p->block_ops[op->target];
        if (!(op->flags & SIM_OP_BRANCHES)) continue;
        op->x = p->block_ops[op->x];
        if (op->y != PTX_NO_BLOCK) op->y = p->block_ops[op->y];
    }
    for (size_t i = 0; i < p->op_count; i++) {
        sim_op *op = &p->ops[i];
        if (!(op->flags & SIM_OP_TABLE)) continue;
        if (op->y != PTX_NO_BLOCK) op->y = p->block_ops[op->y];
        for (uint32_t k = 0; k < op->x; k++) p->pool[op->more + k] = p->block_ops[p->pool[op->more + k]];
    }
}

static void spread(unsigned char *lanes, uint64_t bits, unsigned bytes) {
    for (unsigned k = 0; k < SIM_LANES; k++) memcpy(lanes + k * bytes, &bits, bytes < 8 ? bytes : 8);
}

static void make_template(sim_lowering *l, uint32_t constants_at) {
    sim_program *p = l->program;
    p->register_bytes = align_up(l->constants->end, 64);
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
    sim_program *p = ARENA_NEW(memory, sim_program);
    sim_constants constants = {0};
    sim_placement placement = {.address_of = address_of, .context = context};
    sim_lowering l = {
        .program = p, .memory = memory, .function = flat, .constants = &constants, .placement = &placement};
    p->module = module;
    p->function = flat;
    uint32_t end = SIM_SLOTS_FIXED;
    place_all(&l);
    l.register_slots = assign_slots(&l, &end);
    l.register_read = find_read_registers(&l);
    constants.end = end;
    HAUL_TRY(lower_blocks(&l));
    resolve_jumps(p);
    make_template(&l, end);
    p->registers = sim_estimate_registers(flat, memory);
    *out = p;
    return HAUL_OK;
}
