#include "check/origin.h"

#include "assembler/engine.h"
#include "base/memory.h"
#include "base/status.h"
#include "check/scratch.h"
#include "ptx/traits.h"
#include "ptx/users.h"
#include "state/program.h"

/* What a register holds, if all its definitions agree: nothing known yet, an integer, something else (MIXED), or an
 * address in the program's variable number value - FIRST; behind those come the module's variables, for constant ones.
 */
enum { UNSEEN, INTEGER, MIXED, FIRST };

typedef struct search {
    const sim_program *p;
    uint32_t *held; /* by register */
    ptx_users readers;
    bool *waiting; /* by instruction: it is in the queue */
    uint32_t *queue, first, count, size;
} search;

/* ---- operands ---- */

static bool has_bounds(const ptx_variable *v) {
    return v->space == PTX_SPACE_SHARED && !v->is_extern && v->size;
}

static uint32_t of_constant(const sim_program *p, const ptx_variable *variable) {
    const ptx_module *m = p->module;
    for (uint32_t i = 0; i < m->variable_count; i++)
        if (m->variables[i] == variable) return FIRST + (uint32_t)p->variable_count + i;
    return INTEGER;
}

static uint32_t of_variable(const sim_program *p, const ptx_variable *variable) {
    if (variable->space == PTX_SPACE_CONST) return of_constant(p, variable);
    if (variable->space != PTX_SPACE_SHARED) return INTEGER;
    const uint64_t *number = has_bounds(variable) ? pointer_map_find(&p->variable_numbers, variable) : NULL;
    return number ? FIRST + (uint32_t)*number : MIXED;
}

static uint32_t of_operand(const search *s, const ptx_operand *o) {
    switch (o->kind) {
    case PTX_REGISTER: return s->held[o->reg];
    case PTX_VARIABLE_ADDRESS: return of_variable(s->p, o->variable);
    case PTX_MEMORY: return of_operand(s, &o->parts[0]);
    case PTX_VECTOR: return MIXED;
    default: return INTEGER;
    }
}

/* ---- instructions ---- */

static uint32_t either(uint32_t a, uint32_t b) {
    if (a == UNSEEN || a == b) return b;
    return b == UNSEEN ? a : MIXED;
}

/* An address plus an integer is an address of the same variable. */
static uint32_t sum(uint32_t a, uint32_t b) {
    if (a == UNSEEN || b == UNSEEN) return UNSEEN;
    if (a == INTEGER) return b;
    return b == INTEGER ? a : MIXED;
}

/* Returns the result of an operation that should have no address as operand. */
static uint32_t other(const search *s, const ptx_instruction *i, unsigned end) {
    uint32_t result = INTEGER;
    for (unsigned k = 1; k < end && result != UNSEEN; k++) {
        const uint32_t held = of_operand(s, &i->operands[k]);
        if (held != INTEGER) result = held == UNSEEN ? UNSEEN : MIXED;
    }
    return result;
}

static uint32_t product_and_sum(const search *s, const ptx_instruction *i) {
    const uint32_t product = other(s, i, 3), c = of_operand(s, &i->operands[3]);
    return product == INTEGER ? c : product == UNSEEN ? UNSEEN : MIXED;
}

static uint32_t difference(uint32_t a, uint32_t b) {
    return b == INTEGER || a == UNSEEN || b == UNSEEN ? sum(a, b) : MIXED;
}

static uint32_t result_of(const search *s, const ptx_instruction *i) {
    const uint32_t a = i->operand_count > 1 ? of_operand(s, &i->operands[1]) : INTEGER;
    const uint32_t b = i->operand_count > 2 ? of_operand(s, &i->operands[2]) : INTEGER;
    switch (i->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA:
    case PTX_OP_CVTA_TO: return a;
    case PTX_OP_ADD:
    case PTX_OP_AND: /* aligns */
    case PTX_OP_OR:
    case PTX_OP_XOR: return sum(a, b); /* swizzles */
    case PTX_OP_SUB: return difference(a, b);
    case PTX_OP_SELP: return either(a, b);
    case PTX_OP_MAD:
    case PTX_OP_MAD_WIDE: return product_and_sum(s, i);
    case PTX_OP_LD: return INTEGER;
    default: return other(s, i, i->operand_count);
    }
}

/* ---- registers ---- */

static void enqueue(search *s, uint32_t instruction) {
    if (s->waiting[instruction]) return;
    s->waiting[instruction] = true;
    s->queue[(s->first + s->count++) % s->size] = instruction;
}

/* Joins a value into the destination registers and queues the instructions that read them. */
static void hold(search *s, const ptx_operand *d, uint32_t value) {
    for (uint32_t k = 0; k < d->part_count; k++)
        hold(s, &d->parts[k], d->kind == PTX_PAIR ? value : either(value, INTEGER));
    if (d->kind != PTX_REGISTER || s->held[d->reg] == MIXED) return;
    const uint32_t joined = either(s->held[d->reg], value);
    if (joined == s->held[d->reg]) return;
    s->held[d->reg] = joined;
    for (uint32_t k = s->readers.first[d->reg]; k < s->readers.first[d->reg + 1]; k++)
        enqueue(s, s->readers.instructions[k]);
}

static bool writes_first(const ptx_instruction *i) {
    return i->operand_count && i->operands[0].kind != PTX_MEMORY && i->operands[0].kind != PTX_TENSOR;
}

/* Finds a fixed point. Values only go up (unseen, one thing, mixed), so this ends. */
static void find_held(search *s) {
    const ptx_function *f = s->p->function;
    for (uint32_t i = 0; i < f->instruction_count; i++) enqueue(s, i);
    while (s->count) {
        const uint32_t i = s->queue[s->first];
        s->first = (s->first + 1) % s->size;
        s->count--;
        s->waiting[i] = false;
        if (writes_first(&f->instructions[i]))
            hold(s, &f->instructions[i].operands[0], result_of(s, &f->instructions[i]));
    }
}

/* ---- accesses ---- */

/* Returns the operand that addresses data in shared memory; mbarriers are not data. */
static const ptx_operand *shared_operand(const ptx_instruction *i) {
    for (unsigned k = sim_engine_use_of(i) == SIM_ENGINE_STORES; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_MEMORY) return &i->operands[k];
    return NULL;
}

/* Fills the table of instructions whose address has an origin. */
static void set_origins(const search *s, sim_origin *by_instruction) {
    const ptx_function *f = s->p->function;
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_operand *o = shared_operand(&f->instructions[i]);
        const uint32_t held = o ? of_operand(s, o) : MIXED;
        if (held < FIRST) continue;
        if (held - FIRST >= s->p->variable_count) {
            if (ptx_is(f->instructions[i].op, PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION))
                by_instruction[i].variable = s->p->module->variables[held - FIRST - s->p->variable_count];
            continue;
        }
        const sim_variable_place *place = &s->p->variables[held - FIRST];
        by_instruction[i] = (sim_origin){.variable = place->variable,
                                         .from = (uint32_t)place->at,
                                         .to = (uint32_t)(place->at + place->variable->size)};
    }
}

typedef struct analysis {
    const sim_program *program;
    sim_origin *by_instruction;
} analysis;

static void find_all(void *context, arena *memory) {
    const analysis *a = context;
    const ptx_function *f = a->program->function;
    search s = {.p = a->program,
                .held = ARENA_ARRAY(memory, f->register_count + 1, uint32_t),
                .waiting = ARENA_ARRAY(memory, f->instruction_count + 1, bool),
                .queue = ARENA_ARRAY(memory, f->instruction_count + 1, uint32_t),
                .size = (uint32_t)f->instruction_count + 1};
    ptx_users_find(f, memory, &s.readers, NULL);
    find_held(&s);
    set_origins(&s, a->by_instruction);
}

haul_status sim_origins_find(const sim_program *p, sim_origin **by_instruction) {
    bool any = false;
    for (size_t i = 0; i < p->variable_count; i++) any |= has_bounds(p->variables[i].variable);
    for (size_t i = 0; i < p->module->variable_count; i++) any |= p->module->variables[i]->space == PTX_SPACE_CONST;
    *by_instruction = NULL;
    if (!any) return HAUL_OK;
    *by_instruction = memory_zeroed(p->function->instruction_count, sizeof **by_instruction);
    if (!*by_instruction) return haul_no_memory("the launch's checks");
    return sim_with_scratch(find_all, &(analysis){p, *by_instruction});
}
