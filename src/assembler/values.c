#include "assembler/values.h"

#include "ptx/liveness.h"
#include "ptx/traits.h"
#include "ptx/users.h"

#include <string.h>

enum { ANY_ALIGNMENT = 63 }; /* of zero */

static uint8_t divisor(uint64_t value) {
    return value ? (uint8_t)__builtin_ctzll(value) : ANY_ALIGNMENT;
}

/* Dynamic shared memory begins at a multiple of 16, whatever its declaration. Other variables whose address is unknown
 * before the launch are aligned as declared, local ones as their place in the frame. */
static uint8_t variable_alignment(const sim_values *v, const ptx_variable *variable) {
    const uint64_t *local = sim_frame_layout_at(&v->frame, variable);
    if (local) return divisor(*local | v->frame.alignment);
    uint64_t at = sim_shared_layout_at(&v->shared, variable);
    if (variable->space == PTX_SPACE_SHARED && variable->is_extern && variable->alignment < 16) return divisor(16);
    return divisor(at ? at : variable->alignment ? variable->alignment : 1);
}

/* ---- definitions ---- */

typedef struct definition_scan {
    sim_values *values;
    uint32_t instruction;
} definition_scan;

static void note_definition(void *context, uint32_t reg, bool writes) {
    definition_scan *scan = context;
    if (!writes) return;
    if (scan->values->definitions[reg] < 2) scan->values->definitions[reg]++;
    scan->values->definition[reg] = scan->instruction;
}

/* ---- needed registers ---- */

bool sim_is_call(const ptx_instruction *i) {
    const bool unless_32 = ptx_has(i->op, PTX_TRAIT_CALLED_UNLESS_32);
    return ptx_has(i->op, PTX_TRAIT_CALLED) || (unless_32 && ptx_bits(i->type) != 32);
}

bool sim_is_predicated(const ptx_instruction *i) {
    if (ptx_has(i->op, PTX_TRAIT_DIVIDES)) return i->type == PTX_S32;
    return i->op == PTX_OP_FDIV_APPROX || (ptx_has(i->op, PTX_TRAIT_SCALES) && !i->mods[PTX_SLOT_FTZ]);
}

bool sim_is_crossed(const ptx_instruction *i) {
    const bool names_space = i->mods[PTX_SLOT_SPACE] != PTX_MOD_NONE;
    if (ptx_is(i->op, PTX_KIND_PREFETCH)) return names_space;
    return ptx_is(i->op, PTX_KIND_LOAD) || ptx_has(i->op, PTX_TRAIT_CROSSED);
}

bool sim_is_ordinary(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    return (order == PTX_MOD_NONE || order == PTX_MOD_WEAK) && i->mods[PTX_SLOT_CACHE] != PTX_MOD_CV;
}

/* Returns whether its only effect is on the registers that it writes: arithmetic, moves, products, ordinary loads, and
 * what lanes tell each other. */
static bool is_pure(const ptx_instruction *i) {
    if (i->op == PTX_OP_LD) return sim_is_ordinary(i);
    return ptx_is_pure(i->op) || ptx_is(i->op, PTX_KIND_COLLECTIVE | PTX_KIND_PRODUCT);
}

/* Returns the register with the mask of lanes that a shuffle, vote and so on waits for; or NULL. */
static const ptx_operand *member_mask(const ptx_instruction *i) {
    if (!ptx_is(i->op, PTX_KIND_COLLECTIVE) || !i->mods[PTX_SLOT_SYNC]) return NULL;
    const ptx_operand *last = &i->operands[i->operand_count - 1];
    return last->kind == PTX_REGISTER ? last : NULL;
}

typedef struct need_scan {
    sim_values *values;
    uint32_t *found, count; /* needed registers whose writers have not been visited */
} need_scan;

static void note_need(void *context, uint32_t reg, bool writes) {
    need_scan *scan = context;
    if (writes || scan->values->needed[reg]) return;
    scan->values->needed[reg] = true;
    scan->found[scan->count++] = reg;
}

static void find_needed(const ptx_function *f, const ptx_users *writers, arena *memory, sim_values *v) {
    need_scan scan = {.values = v, .found = ARENA_ARRAY(memory, f->register_count + 1, uint32_t)};
    bool *seen = ARENA_ARRAY(memory, f->instruction_count + 1, bool);
    for (size_t i = f->instruction_count; i-- > 0;) {
        const ptx_operand *mask = member_mask(&f->instructions[i]);
        if (mask) note_need(&scan, mask->reg, false);
        seen[i] = !is_pure(&f->instructions[i]);
        if (seen[i]) ptx_visit_registers(&f->instructions[i], note_need, &scan);
    }
    while (scan.count) {
        const uint32_t reg = scan.found[--scan.count];
        for (uint32_t k = writers->first[reg]; k < writers->first[reg + 1]; k++) {
            const uint32_t i = writers->instructions[k];
            if (!seen[i]) ptx_visit_registers(&f->instructions[i], note_need, &scan);
            seen[i] = true;
        }
    }
}

/* ---- uniform registers ---- */

static bool is_uniform_operand(const sim_values *v, const ptx_operand *o) {
    if (o->kind == PTX_REGISTER) return v->uniform[o->reg];
    if (o->kind == PTX_SPECIAL_REGISTER) return !ptx_special_differs_by_lane(o->special);
    for (uint32_t k = 0; k < o->part_count; k++)
        if (!is_uniform_operand(v, &o->parts[k])) return false;
    return true;
}

static bool gives_uniform(const sim_values *v, const ptx_instruction *i) {
    for (unsigned k = 1; k < i->operand_count; k++)
        if (!is_uniform_operand(v, &i->operands[k])) return false;
    return true;
}

/* Stack of registers to visit, each above the one that needs it. */
typedef struct uniform_scan {
    const ptx_function *function;
    sim_values *values;
    bool *asked; /* by register */
    uint32_t *stack;
    size_t depth, capacity;
    arena *memory;
} uniform_scan;

static void ask_register(uniform_scan *s, uint32_t reg) {
    if (!s->asked[reg]) ARENA_PUSH(s->memory, s->stack, s->depth, s->capacity, reg);
}

static void ask_operand(uniform_scan *s, const ptx_operand *o) {
    if (o->kind == PTX_REGISTER) ask_register(s, o->reg);
    for (uint32_t k = 0; k < o->part_count; k++) ask_operand(s, &o->parts[k]);
}

/* A register is uniform if it is written once, from uniform ones. Its operands are visited first; a register that
 * depends on itself is not uniform. */
static void find_uniform_from(uniform_scan *s, uint32_t root) {
    sim_values *v = s->values;
    ask_register(s, root);
    while (s->depth) {
        const uint32_t reg = s->stack[s->depth - 1];
        const ptx_instruction *i = &s->function->instructions[v->definition[reg]];
        const bool may_be = v->definitions[reg] == 1 && !i->guarded && (ptx_is_pure(i->op) || ptx_loads_parameter(i));
        if (!s->asked[reg] && may_be) {
            s->asked[reg] = true;
            for (unsigned k = 1; k < i->operand_count; k++) ask_operand(s, &i->operands[k]);
            if (s->stack[s->depth - 1] != reg) continue;
        }
        s->asked[reg] = true;
        v->uniform[reg] = v->uniform[reg] || (may_be && gives_uniform(v, i));
        s->depth--;
    }
}

static void find_uniform(const ptx_function *f, arena *memory, sim_values *v) {
    uniform_scan s = {
        .function = f, .values = v, .asked = ARENA_ARRAY(memory, f->register_count + 1, bool), .memory = memory};
    for (uint32_t r = 0; r < f->register_count; r++)
        if (v->definitions[r] == 1) find_uniform_from(&s, r);
}

bool sim_is_uniform(const sim_values *v, const ptx_operand *memory) {
    return is_uniform_operand(v, memory);
}

/* ---- alignment ---- */

static unsigned operand_alignment(const sim_values *v, const ptx_operand *o) {
    switch (o->kind) {
    case PTX_REGISTER: return v->alignment[o->reg];
    case PTX_INTEGER: return divisor(o->bits);
    case PTX_VARIABLE_ADDRESS: {
        unsigned variable = variable_alignment(v, o->variable), offset = divisor((uint64_t)o->offset);
        return variable < offset ? variable : offset;
    }
    default: return 0;
    }
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static unsigned shifted(const ptx_operand *by, unsigned alignment) {
    return by->kind == PTX_INTEGER ? least(alignment + (unsigned)(by->bits & 63), ANY_ALIGNMENT) : alignment;
}

/* Returns the alignment of an instruction's result; 0 if the operands say nothing about its low bits. */
static unsigned result_alignment(const sim_values *v, const ptx_instruction *i) {
    unsigned a = i->operand_count > 1 ? operand_alignment(v, &i->operands[1]) : 0;
    unsigned b = i->operand_count > 2 ? operand_alignment(v, &i->operands[2]) : 0;
    unsigned c = i->operand_count > 3 ? operand_alignment(v, &i->operands[3]) : 0;
    switch (i->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
    case PTX_OP_CVTA_TO:
    case PTX_OP_NEG: return a;
    case PTX_OP_CVT: return ptx_types[i->type].kind == 'F' || ptx_types[i->type2].kind == 'F' ? 0 : a;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_SELP: return least(a, b);
    case PTX_OP_AND: return a > b ? a : b;
    case PTX_OP_SHL: return shifted(&i->operands[2], a);
    case PTX_OP_MUL: return i->mods[PTX_SLOT_MODE] == PTX_MOD_LO ? least(a + b, ANY_ALIGNMENT) : 0;
    case PTX_OP_MUL_WIDE: return least(a + b, ANY_ALIGNMENT);
    case PTX_OP_MAD: return i->mods[PTX_SLOT_MODE] == PTX_MOD_LO ? least(a + b, c) : 0;
    case PTX_OP_MAD_WIDE: return least(a + b, c);
    default: return 0;
    }
}

typedef struct alignment_scan {
    sim_values *values;
    const ptx_users *readers;
    unsigned alignment;
    bool *waiting; /* by instruction: it must be visited again */
    uint32_t *queue, first, count, size;
} alignment_scan;

static void enqueue(alignment_scan *s, uint32_t instruction) {
    if (s->waiting[instruction]) return;
    s->waiting[instruction] = true;
    s->queue[(s->first + s->count++) % s->size] = instruction;
}

static void lower_alignment(void *context, uint32_t reg, bool writes) {
    alignment_scan *s = context;
    if (!writes || s->values->alignment[reg] <= s->alignment) return;
    s->values->alignment[reg] = (uint8_t)s->alignment;
    for (uint32_t k = s->readers->first[reg]; k < s->readers->first[reg + 1]; k++)
        enqueue(s, s->readers->instructions[k]);
}

/* Starts with the best alignments and lowers them until all definitions agree. A pointer that a loop moves by 16 bytes
 * therefore stays aligned to 16. */
static void find_alignment(const ptx_function *f, const ptx_users *readers, arena *memory, sim_values *v) {
    const uint32_t count = (uint32_t)f->instruction_count;
    alignment_scan s = {.values = v,
                        .readers = readers,
                        .waiting = ARENA_ARRAY(memory, count + 1, bool),
                        .queue = ARENA_ARRAY(memory, count + 1, uint32_t),
                        .size = count + 1};
    memset(v->alignment, ANY_ALIGNMENT, f->register_count + 1);
    for (uint32_t i = 0; i < count; i++) enqueue(&s, i);
    while (s.count) {
        const uint32_t i = s.queue[s.first];
        s.first = (s.first + 1) % s.size;
        s.count--;
        s.waiting[i] = false;
        s.alignment = result_alignment(v, &f->instructions[i]);
        ptx_visit_registers(&f->instructions[i], lower_alignment, &s);
    }
}

void sim_values_find(const ptx_function *f, arena *memory, sim_values *v) {
    size_t registers = f->register_count + 1;
    *v = (sim_values){.needed = ARENA_ARRAY(memory, registers, bool),
                      .definitions = ARENA_ARRAY(memory, registers, uint8_t),
                      .alignment = ARENA_ARRAY(memory, registers, uint8_t),
                      .definition = ARENA_ARRAY(memory, registers, uint32_t),
                      .uniform = ARENA_ARRAY(memory, registers, bool)};
    sim_shared_layout_find(f, memory, &v->shared);
    sim_frame_layout_find(f, memory, &v->frame);
    for (size_t i = 0; i < f->instruction_count; i++) {
        definition_scan scan = {v, (uint32_t)i};
        ptx_visit_registers(&f->instructions[i], note_definition, &scan);
    }
    ptx_users readers, writers;
    ptx_users_find(f, memory, &readers, &writers);
    find_needed(f, &writers, memory, v);
    find_uniform(f, memory, v);
    find_alignment(f, &readers, memory, v);
}

/* ---- places ---- */

static sim_place variable_place(const sim_values *v, const ptx_variable *variable, int64_t offset) {
    uint64_t at = sim_shared_layout_at(&v->shared, variable);
    if (at) return (sim_place){SIM_BASE_CONSTANT, (int64_t)at + offset, ANY_ALIGNMENT, NULL};
    const uint64_t *local = sim_frame_layout_at(&v->frame, variable);
    if (local) return (sim_place){SIM_BASE_FRAME, (int64_t)*local + offset, divisor(v->frame.alignment), variable};
    return (sim_place){(uint64_t)(uintptr_t)variable, offset, variable_alignment(v, variable), variable};
}

static sim_place operand_place(const ptx_function *f, const sim_values *v, const ptx_operand *o, unsigned depth);

/* Returns a register's value as another value plus a constant, if its definition has that form. */
static sim_place register_place(const ptx_function *f, const sim_values *v, uint32_t reg, unsigned depth) {
    sim_place self = {sim_register_base(reg), 0, v->alignment[reg], NULL};
    if (v->definitions[reg] != 1 || depth == 0) return self;
    const ptx_instruction *i = &f->instructions[v->definition[reg]];
    if (i->guarded || i->operand_count < 2 || i->operands[0].kind != PTX_REGISTER) return self;
    if (i->op == PTX_OP_MOV || i->op == PTX_OP_CVTA_TO) return operand_place(f, v, &i->operands[1], depth - 1);
    if (i->operand_count < 3 || i->operands[2].kind != PTX_INTEGER) return self;
    int64_t constant = (int64_t)i->operands[2].bits;
    if (ptx_bits(i->type) == 32) constant = (int32_t)constant;
    sim_place from = operand_place(f, v, &i->operands[1], depth - 1);
    bool adds = i->op == PTX_OP_ADD ||
                (i->op == PTX_OP_OR && constant >= 0 && constant >> operand_alignment(v, &i->operands[1]) == 0);
    if (adds) from.offset += constant;
    if (i->op == PTX_OP_SUB) from.offset -= constant;
    return adds || i->op == PTX_OP_SUB ? from : self;
}

static sim_place operand_place(const ptx_function *f, const sim_values *v, const ptx_operand *o, unsigned depth) {
    switch (o->kind) {
    case PTX_REGISTER: return register_place(f, v, o->reg, depth);
    case PTX_VARIABLE_ADDRESS: return variable_place(v, o->variable, o->offset);
    case PTX_INTEGER: return (sim_place){SIM_BASE_CONSTANT, (int64_t)o->bits, ANY_ALIGNMENT, NULL};
    default: return (sim_place){(uint64_t)(uintptr_t)o, 0, 0, NULL};
    }
}

sim_place sim_place_of(const ptx_function *f, const sim_values *v, const ptx_operand *memory) {
    enum { DEPTH = 16 };
    sim_place place = operand_place(f, v, &memory->parts[0], DEPTH);
    place.offset += memory->offset;
    return place;
}
