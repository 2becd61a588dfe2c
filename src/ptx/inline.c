#include "ptx/inline.h"

#include "base/number.h"
#include "base/status.h"
#include "ptx/chain.h"
#include "ptx/far.h"

#include <string.h>

enum { MAX_DEPTH = 128, MAX_WEIGHT = 1 << 23 };
/* Of functions that are not put in line: bytes of their parameters or results, of their .local variables. */
enum { MAX_AREA = 64 << 10, MAX_FRAME = 1 << 20 };

#define LIST_OF(type)           \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/* A function whose registers and variables are in the flat one. */
typedef struct member {
    const ptx_function *function;
    unsigned number;
    uint32_t first_register;
    const ptx_variable **variables; /* what its variables, params, results (in this order) are; the latter two
                                     * change with each call */
    ptx_variable **copies;          /* made for formal parameters that registers are passed to: params, results */
    uint64_t weight;                /* what a copy of its body costs */
    bool allocates;                 /* has an alloca: what it gets goes when the function returns */
} member;

/* The entry, or a function that is not put in line, with all that is put in line there. Its registers and variables are
 * its own. */
typedef struct region {
    const ptx_function *function;
    uint32_t first, end; /* instructions */
    uint32_t first_variable, end_variable;
    bool is_entry;
    uint32_t frame, next; /* registers, where there is a stack: the addresses of its .local variables and behind them */
    uint64_t frame_bytes;
} region;

typedef struct flattener {
    ptx_module *module;
    arena *memory;
    ptx_function *entry, *flat;
    member **members; /* of the region, by ptx_function.index */
    unsigned member_count;
    LIST_OF(region) regions;
    LIST_OF(const ptx_function *) far; /* functions that become regions, in order */
    bool *is_far;                      /* by ptx_function.index: it is in that list */
    bool all_far;                      /* those that a register may have the address of are too */
    bool has_stack;                    /* .local variables of regions are in a stack */
    ptx_variable ***shared;            /* by function and its variables: the flat function's */
    ptx_variable *arguments, *results; /* what is passed to regions and back; NULL: not needed yet */
    ptx_variable *stack, *dynamic;
    region *region; /* being made */
    LIST_OF(ptx_register) registers;
    LIST_OF(ptx_variable *) variables;
    LIST_OF(ptx_label) labels;
    LIST_OF(ptx_instruction) instructions;
    ptx_chained_places places;
    uint32_t calls;  /* copied so far, for the names of labels */
    uint64_t weight; /* of all copies so far */
} flattener;

/* One copy of a body. */
typedef struct site {
    member *member;
    uint32_t first_label;
    uint32_t end_label; /* behind the body */
    uint32_t place;     /* of the call */
    unsigned depth;
} site;

#define APPEND(f, list, value) ARENA_PUSH((f)->memory, (list).items, (list).count, (list).capacity, value)

static haul_status fail_at(const flattener *f, haul_status status, ptx_position at, const char *format,
                           const char *first, const char *second) {
    const char *what = arena_printf(f->memory, format, first, second);
    return haul_fail(status, "%s:%u:%u: %s", f->module->name, at.line, at.column, what);
}

/* ---- members ---- */

static ptx_variable *copy_variable(flattener *f, const member *m, const ptx_variable *from) {
    ptx_variable *to = ARENA_NEW(f->memory, ptx_variable);
    *to = *from;
    to->owner = f->flat;
    if (m->number) to->name = arena_printf(f->memory, "%s$i%u", from->name, m->number);
    return to;
}

static void add_variable(flattener *f, ptx_variable *v) {
    v->index = (uint32_t)f->variables.count;
    APPEND(f, f->variables, v);
}

static void add_registers(flattener *f, member *m) {
    m->first_register = (uint32_t)f->registers.count;
    for (size_t i = 0; i < m->function->register_count; i++) {
        ptx_register r = m->function->registers[i];
        if (m->number) r.name = arena_printf(f->memory, "%s$i%u", r.name, m->number);
        APPEND(f, f->registers, r);
    }
}

static size_t first_formal(const ptx_function *function, bool result) {
    return function->variable_count + (result ? function->param_count : 0);
}

/* Local variables of a function that a thread may be in several times at once. */
static bool is_in_stack(const flattener *f, const ptx_variable *v) {
    return !f->region->is_entry && v->space == PTX_SPACE_LOCAL && v->owner == f->flat;
}

/* Its index is its place in the frame. */
static void add_to_stack(region *r, ptx_variable *v) {
    r->frame_bytes = number_align(r->frame_bytes, v->alignment);
    v->index = (uint32_t)r->frame_bytes;
    if (v->size > MAX_FRAME) r->frame_bytes = MAX_FRAME + 1;
    if (r->frame_bytes <= MAX_FRAME) r->frame_bytes += v->size;
}

/* A function's shared variable is the same wherever the function is put in line. */
static ptx_variable *shared_of_block(flattener *f, const ptx_function *function, size_t i, ptx_variable *copy) {
    ptx_variable ***known = &f->shared[function->index];
    if (!*known) *known = ARENA_ARRAY(f->memory, function->variable_count, ptx_variable *);
    if (!(*known)[i]) {
        add_variable(f, copy);
        (*known)[i] = copy;
    }
    return (*known)[i];
}

static bool uses_stack_pointer(const ptx_instruction *i) {
    return i->op == PTX_OP_ALLOCA || i->op == PTX_OP_STACKSAVE || i->op == PTX_OP_STACKRESTORE;
}

static bool has_alloca(const ptx_function *function) {
    size_t i = 0;
    while (i < function->instruction_count && function->instructions[i].op != PTX_OP_ALLOCA) i++;
    return i < function->instruction_count;
}

static member *add_member(flattener *f, const ptx_function *function) {
    member *m = ARENA_NEW(f->memory, member);
    size_t count = first_formal(function, true) + function->result_count;
    m->function = function;
    m->number = f->member_count++;
    m->variables = ARENA_ARRAY(f->memory, count, const ptx_variable *);
    m->weight = ptx_weigh(f->module, function);
    m->allocates = has_alloca(function);
    for (size_t i = 0; i < function->variable_count; i++) {
        ptx_variable *copy = copy_variable(f, m, function->variables[i]);
        if (is_in_stack(f, copy))
            add_to_stack(f->region, copy);
        else if (copy->space == PTX_SPACE_SHARED)
            copy = shared_of_block(f, function, i, copy);
        else
            add_variable(f, copy);
        m->variables[i] = copy;
    }
    add_registers(f, m);
    return f->members[function->index] = m;
}

/* A variable's owner and index say where it is in one of its function's lists. */
static const ptx_variable *map_variable(const site *s, const ptx_variable *v) {
    const ptx_function *g = s->member->function;
    if (v->owner != g) return v;
    if (v->index < g->variable_count && g->variables[v->index] == v) return s->member->variables[v->index];
    bool result = !(v->index < g->param_count && g->params[v->index] == v);
    return s->member->variables[first_formal(g, result) + v->index];
}

/* ---- copying instructions ---- */

static ptx_instruction *emit(flattener *f, const ptx_instruction *like, ptx_op op, unsigned operands);

static uint32_t add_register(flattener *f, const char *name, ptx_type type) {
    ptx_register r = {.name = arena_printf(f->memory, "%%%s$%zu", name, f->registers.count), .type = type};
    APPEND(f, f->registers, r);
    return (uint32_t)f->registers.count - 1;
}

static ptx_operand register_operand(uint32_t reg, ptx_position at) {
    return (ptx_operand){.kind = PTX_REGISTER, .reg = reg, .position = at};
}

/* The address of a variable in the stack, in a register of its own. */
static void take_stack_address(flattener *f, const ptx_instruction *user, ptx_operand *o) {
    const bool narrow = ptx_bits(user->type) == 32;
    const uint32_t address = add_register(f, "address", PTX_U64);
    ptx_instruction *add = emit(f, user, PTX_OP_ADD, 3);
    add->type = PTX_U64;
    add->operands[0] = register_operand(address, o->position);
    add->operands[1] = register_operand(f->region->frame, o->position);
    add->operands[2].kind = PTX_INTEGER;
    add->operands[2].bits = o->variable->index + (uint64_t)o->offset;
    *o = register_operand(address, o->position);
    if (!narrow) return;
    o->reg = add_register(f, "address", PTX_U32);
    ptx_instruction *cut = emit(f, user, PTX_OP_CVT, 2);
    cut->type = PTX_U32;
    cut->type2 = PTX_U64;
    cut->operands[0] = register_operand(o->reg, o->position);
    cut->operands[1] = register_operand(address, o->position);
}

/* A variable in the stack lies where the region's frame says. */
static void map_stack(flattener *f, const ptx_instruction *user, ptx_operand *o) {
    if (o->kind == PTX_MEMORY && o->parts[0].kind == PTX_VARIABLE_ADDRESS && is_in_stack(f, o->parts[0].variable)) {
        o->offset += o->parts[0].variable->index + o->parts[0].offset;
        o->parts[0] = register_operand(f->region->frame, o->position);
    }
    if (o->kind == PTX_VARIABLE_ADDRESS && is_in_stack(f, o->variable)) take_stack_address(f, user, o);
    for (uint32_t i = 0; i < o->part_count; i++) map_stack(f, user, &o->parts[i]);
}

static void map_operand(flattener *f, const site *s, ptx_operand *o) {
    if (o->kind == PTX_REGISTER) o->reg += s->member->first_register;
    if (o->kind == PTX_LABEL) o->label += s->first_label;
    if (o->kind == PTX_VARIABLE_ADDRESS) o->variable = map_variable(s, o->variable);
    if (!o->part_count) return;
    ptx_operand *parts = ARENA_ARRAY(f->memory, o->part_count, ptx_operand);
    memcpy(parts, o->parts, o->part_count * sizeof *parts);
    o->parts = parts;
    for (uint32_t i = 0; i < o->part_count; i++) map_operand(f, s, &parts[i]);
}

static ptx_instruction map_instruction(flattener *f, const site *s, const ptx_instruction *from) {
    ptx_instruction to = *from;
    to.operands = ARENA_ARRAY(f->memory, from->operand_count, ptx_operand);
    if (from->operand_count) memcpy(to.operands, from->operands, from->operand_count * sizeof *to.operands);
    if (to.guarded) to.guard += s->member->first_register;
    to.place = ptx_chain_place(&f->places, from->place, s->place);
    for (unsigned o = 0; o < to.operand_count; o++) {
        map_operand(f, s, &to.operands[o]);
        map_stack(f, &to, &to.operands[o]);
    }
    return to;
}

/* An instruction of our own, at the place of `like`. */
static ptx_instruction *emit(flattener *f, const ptx_instruction *like, ptx_op op, unsigned operands) {
    ptx_instruction i = {.op = (uint16_t)op, .place = like->place, .position = like->position};
    i.operand_count = (uint8_t)operands;
    i.operands = ARENA_ARRAY(f->memory, operands, ptx_operand);
    for (unsigned o = 0; o < operands; o++) i.operands[o].position = like->position;
    APPEND(f, f->instructions, i);
    return &f->instructions.items[f->instructions.count - 1];
}

static void emit_jump(flattener *f, const ptx_instruction *like, uint32_t label) {
    ptx_instruction *jump = emit(f, like, PTX_OP_BRA, 1);
    jump->guarded = like->guarded;
    jump->guard = like->guard;
    jump->guard_negated = like->guard_negated;
    jump->mods[PTX_SLOT_UNIFORM] = like->guarded ? PTX_MOD_NONE : PTX_MOD_UNIFORM;
    jump->operands[0].kind = PTX_LABEL;
    jump->operands[0].label = label;
}

/* ---- passing values ---- */

static ptx_type untyped(unsigned bytes) {
    switch (bytes) {
    case 1: return PTX_B8;
    case 2: return PTX_B16;
    case 4: return PTX_B32;
    case 16: return PTX_B128;
    }
    return PTX_B64;
}

static ptx_operand memory_of(flattener *f, const ptx_variable *v) {
    ptx_operand o = {.kind = PTX_MEMORY, .part_count = 1};
    o.parts = ARENA_NEW(f->memory, ptx_operand);
    o.parts->kind = PTX_VARIABLE_ADDRESS;
    o.parts->variable = v;
    return o;
}

/* st.param [formal], actual  or  ld.param actual, [formal] */
static void emit_access(flattener *f, const ptx_instruction *call, const ptx_operand *actual,
                        const ptx_variable *formal, bool load) {
    ptx_instruction *i = emit(f, call, load ? PTX_OP_LD : PTX_OP_ST, 2);
    i->type = (uint8_t)untyped((unsigned)formal->size);
    i->mods[PTX_SLOT_SPACE] = PTX_MOD_PARAM;
    i->operands[load ? 0 : 1] = *actual;
    i->operands[load ? 1 : 0] = memory_of(f, formal);
}

static void emit_move(flattener *f, const ptx_instruction *call, ptx_operand to, ptx_operand from, ptx_type type) {
    ptx_instruction *i = emit(f, call, PTX_OP_MOV, 2);
    i->type = (uint8_t)(type == PTX_PRED ? PTX_PRED : untyped(ptx_bits(type) / 8));
    i->operands[0] = to;
    i->operands[1] = from;
}

static ptx_operand formal_register(const member *m, const ptx_variable *formal, ptx_position at) {
    return (ptx_operand){.kind = PTX_REGISTER, .reg = m->first_register + formal->index, .position = at};
}

/* Made at the first call that needs it. */
static const ptx_variable *formal_copy(flattener *f, member *m, const ptx_variable *formal, size_t which) {
    if (!m->copies)
        m->copies = ARENA_ARRAY(f->memory, m->function->param_count + m->function->result_count, ptx_variable *);
    if (!m->copies[which]) {
        m->copies[which] = copy_variable(f, m, formal);
        add_variable(f, m->copies[which]);
    }
    return m->copies[which];
}

/* Makes a formal parameter the actual value: the same .param variable, or a copy into what it is. */
static void bind(flattener *f, member *m, size_t i, const ptx_operand *actual, const ptx_instruction *call,
                 bool result) {
    const ptx_variable *formal = result ? m->function->results[i] : m->function->params[i];
    const ptx_variable **bound = &m->variables[first_formal(m->function, result) + i];
    if (formal->space == PTX_SPACE_REG) {
        if (!result) emit_move(f, call, formal_register(m, formal, actual->position), *actual, formal->type);
    } else if (actual->kind == PTX_VARIABLE_ADDRESS) {
        *bound = actual->variable;
    } else {
        *bound = formal_copy(f, m, formal, i + (result ? m->function->param_count : 0));
        if (!result) emit_access(f, call, actual, *bound, false);
    }
}

static void bind_all(flattener *f, member *m, const ptx_instruction *call) {
    for (size_t i = 0; i < m->function->param_count; i++) bind(f, m, i, &call->operands[2].parts[i], call, false);
    for (size_t i = 0; i < m->function->result_count; i++) bind(f, m, i, &call->operands[0].parts[i], call, true);
}

/* Results that the caller wants in registers. */
static void fetch_results(flattener *f, const member *m, const ptx_instruction *call) {
    const ptx_function *callee = m->function;
    for (size_t i = 0; i < callee->result_count; i++) {
        const ptx_operand *actual = &call->operands[0].parts[i];
        const ptx_variable *formal = callee->results[i];
        if (formal->space == PTX_SPACE_REG) {
            emit_move(f, call, *actual, formal_register(m, formal, actual->position), formal->type);
        } else if (actual->kind == PTX_REGISTER) {
            emit_access(f, call, actual, m->variables[first_formal(callee, true) + i], true);
        }
    }
}

/* ---- bodies ---- */

static haul_status copy_body(flattener *f, const site *s);

static const ptx_function *callee_of(const ptx_instruction *call) {
    return ptx_meant(call->operands[1].function);
}

static bool is_indirect(const ptx_instruction *call) {
    return call->operands[1].kind != PTX_FUNCTION_ADDRESS;
}

static bool is_call_to_copy(const ptx_instruction *i) {
    return i->op == PTX_OP_CALL && (is_indirect(i) || callee_of(i)->has_body);
}

static uint32_t add_label(flattener *f, const char *name, ptx_position at) {
    ptx_label label = {.name = name, .position = at, .target = (uint32_t)f->instructions.count};
    APPEND(f, f->labels, label);
    return (uint32_t)f->labels.count - 1;
}

/* ---- calls that are made ---- */

static ptx_variable *new_variable(flattener *f, const char *name, ptx_space space) {
    ptx_variable *v = ARENA_NEW(f->memory, ptx_variable);
    *v = (ptx_variable){.name = name, .space = space, .type = PTX_B8, .vector = 1, .alignment = 16, .owner = f->flat};
    add_variable(f, v);
    return v;
}

/* Where parameters or results lie in the area that they are passed in: caller and called agree on it by their sizes. */
typedef struct area {
    ptx_variable *variable;
    uint64_t at;
} area;

static area begin_area(flattener *f, bool results) {
    ptx_variable **v = results ? &f->results : &f->arguments;
    if (!*v) *v = new_variable(f, results ? "$results" : "$arguments", PTX_SPACE_PARAM);
    return (area){.variable = *v, .at = !results && f->has_stack ? sizeof(uint64_t) : 0};
}

static void next_in_area(area *a, const ptx_variable *formal) {
    a->at = number_align(a->at, formal->alignment ? formal->alignment : formal->size);
    if (a->variable->size < a->at + formal->size) a->variable->size = a->at + formal->size;
}

/* One access to a .param variable: `value` from or to [variable + at]. */
static void emit_piece(flattener *f, const ptx_instruction *like, const ptx_operand *value, const ptx_variable *v,
                       uint64_t at, unsigned bytes, bool load) {
    ptx_instruction *i = emit(f, like, load ? PTX_OP_LD : PTX_OP_ST, 2);
    i->type = (uint8_t)untyped(bytes);
    i->mods[PTX_SLOT_SPACE] = PTX_MOD_PARAM;
    i->operands[load ? 0 : 1] = *value;
    i->operands[load ? 1 : 0] = memory_of(f, v);
    i->operands[load ? 1 : 0].offset = (int64_t)at;
}

static void copy_memory(flattener *f, const ptx_instruction *like, const ptx_variable *from, uint64_t from_at,
                        const ptx_variable *to, uint64_t to_at, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes;) {
        unsigned piece = 8;
        while (piece > bytes - at || (from_at + at) % piece || (to_at + at) % piece || from->alignment % piece ||
               to->alignment % piece)
            piece /= 2;
        const ptx_type type = piece == 1 ? PTX_B16 : untyped(piece);
        const ptx_operand through = register_operand(add_register(f, "piece", type), like->position);
        emit_piece(f, like, &through, from, from_at + at, piece, true);
        emit_piece(f, like, &through, to, to_at + at, piece, false);
        at += piece;
    }
}

/* Between the area and what a parameter is on this side: a .param variable, or a register or constant. */
static void pass(flattener *f, const ptx_instruction *like, area *a, const ptx_variable *formal,
                 const ptx_operand *side, bool into_area) {
    next_in_area(a, formal);
    if (side->kind == PTX_VARIABLE_ADDRESS && into_area)
        copy_memory(f, like, side->variable, 0, a->variable, a->at, formal->size);
    else if (side->kind == PTX_VARIABLE_ADDRESS)
        copy_memory(f, like, a->variable, a->at, side->variable, 0, formal->size);
    else if (side->kind != PTX_SINK)
        emit_piece(f, like, side, a->variable, a->at, (unsigned)formal->size, !into_area);
    a->at += formal->size;
}

static haul_status check_signature(const flattener *f, const ptx_function *g, ptx_position at) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < g->param_count + g->result_count; i++) {
        const ptx_variable *v = i < g->param_count ? g->params[i] : g->results[i - g->param_count];
        if (v->space == PTX_SPACE_REG && v->type == PTX_PRED)
            return fail_at(f, HAUL_ERROR_UNSUPPORTED, at,
                           "a predicate cannot be passed to '%s', which is not put in line (in '%s')",
                           g->name ? g->name : "a function", f->entry->name);
        bytes += v->size > MAX_AREA ? MAX_AREA + 1 : v->size + 16;
    }
    if (bytes > MAX_AREA)
        return fail_at(f, HAUL_ERROR_LIMIT, at, "the parameters of '%s' are too large (in '%s')",
                       g->name ? g->name : "a function", f->entry->name);
    return HAUL_OK;
}

static void add_far(flattener *f, const ptx_function *g) {
    if (f->is_far[g->index]) return;
    f->is_far[g->index] = true;
    APPEND(f, f->far, g);
}

static void add_all_far(flattener *f) {
    for (size_t i = 0; i < f->module->function_count && !f->all_far; i++) {
        const ptx_function *g = f->module->functions[i];
        if (g->is_addressed && g->has_body && !g->is_entry) add_far(f, g);
    }
    f->all_far = true;
}

static const ptx_function *signature_of(const site *s, const ptx_instruction *call) {
    if (!is_indirect(call)) return callee_of(call);
    const ptx_label *label = &s->member->function->labels[call->operands[3].label];
    return label->prototype ? label->prototype : label->call_targets[0];
}

/* Tells the callee where its frame in the stack begins. */
static void pass_stack(flattener *f, const ptx_instruction *call) {
    if (!f->has_stack) return;
    ptx_operand next = register_operand(f->region->next, call->position);
    if (f->region->is_entry) {
        if (!f->stack) f->stack = new_variable(f, "$stack", PTX_SPACE_LOCAL);
        f->stack->size = f->module->stack_bytes;
        next = register_operand(add_register(f, "stack", PTX_U64), call->position);
        emit_move(f, call, next, (ptx_operand){.kind = PTX_VARIABLE_ADDRESS, .variable = f->stack}, PTX_U64);
    }
    emit_piece(f, call, &next, begin_area(f, false).variable, 0, sizeof(uint64_t), false);
    if (f->arguments->size < sizeof(uint64_t)) f->arguments->size = sizeof(uint64_t);
}

static void make_call(flattener *f, const ptx_function *g, const ptx_instruction *call) {
    area arguments = begin_area(f, false), results = begin_area(f, true);
    for (size_t i = 0; i < g->param_count; i++)
        pass(f, call, &arguments, g->params[i], &call->operands[2].parts[i], true);
    pass_stack(f, call);
    ptx_instruction *made = emit(f, call, PTX_OP_CALL, 2);
    made->operands[0].kind = PTX_ABSENT;
    made->operands[1] = call->operands[1];
    if (!is_indirect(call)) made->operands[1].function = ptx_meant(call->operands[1].function);
    for (size_t i = 0; i < g->result_count; i++)
        pass(f, call, &results, g->results[i], &call->operands[0].parts[i], false);
}

static haul_status copy_far_call(flattener *f, const site *s, const ptx_instruction *from,
                                 const ptx_instruction *call) {
    const ptx_function *g = signature_of(s, from);
    f->calls++;
    HAUL_TRY(check_signature(f, g, from->position));
    if (is_indirect(from))
        add_all_far(f);
    else
        add_far(f, g);
    make_call(f, g, call);
    return HAUL_OK;
}

/* ---- calls that are put in line ---- */

static uint32_t save_stack_pointer(flattener *f, const ptx_instruction *call) {
    const uint32_t pointer = add_register(f, "pointer", PTX_U64);
    ptx_instruction *save = emit(f, call, PTX_OP_STACKSAVE, 1);
    save->type = PTX_U64;
    save->operands[0] = register_operand(pointer, call->position);
    return pointer;
}

static void restore_stack_pointer(flattener *f, const ptx_instruction *call, uint32_t pointer) {
    ptx_instruction *restore = emit(f, call, PTX_OP_STACKRESTORE, 1);
    restore->type = PTX_U64;
    restore->operands[0] = register_operand(pointer, call->position);
}

/* `call` is already mapped into the flat function. */
static haul_status copy_callee(flattener *f, const site *caller, member *m, const ptx_instruction *call) {
    site s = {.member = m, .place = call->place, .depth = caller->depth + 1};
    s.end_label = add_label(f, arena_printf(f->memory, "$L__return$%u", ++f->calls), call->position);
    bind_all(f, m, call);
    const uint32_t pointer = m->allocates ? save_stack_pointer(f, call) : 0;
    HAUL_TRY(copy_body(f, &s));
    if (m->allocates) restore_stack_pointer(f, call, pointer);
    fetch_results(f, m, call);
    return HAUL_OK;
}

static haul_status copy_near_call(flattener *f, const site *s, const ptx_instruction *from,
                                  const ptx_instruction *call) {
    const char *caller = s->member->function->name;
    const ptx_function *callee = callee_of(from);
    member *m = f->members[callee->index];
    if (s->depth == MAX_DEPTH)
        return fail_at(f, HAUL_ERROR_LIMIT, from->position, "calls are nested too deeply: '%s' in '%s'", callee->name,
                       caller);
    if (!m) m = add_member(f, callee);
    f->weight += m->weight;
    if (f->weight > MAX_WEIGHT)
        return fail_at(f, HAUL_ERROR_LIMIT, from->position, "'%s' becomes too large by the calls in '%s'",
                       f->entry->name, caller);
    return copy_callee(f, s, m, call);
}

static bool is_far_call(const ptx_instruction *call) {
    return is_indirect(call) || callee_of(call)->is_recursive;
}

/* A guarded call is jumped around. */
static haul_status copy_call(flattener *f, const site *s, const ptx_instruction *from) {
    ptx_instruction call = map_instruction(f, s, from);
    uint32_t around = 0;
    if (call.guarded) {
        ptx_instruction unless = call;
        unless.guard_negated = !call.guard_negated;
        around = add_label(f, arena_printf(f->memory, "$L__around$%u", f->calls + 1), call.position);
        emit_jump(f, &unless, around);
        call.guarded = false;
    }
    HAUL_TRY(is_far_call(from) ? copy_far_call(f, s, from, &call) : copy_near_call(f, s, from, &call));
    if (from->guarded) f->labels.items[around].target = (uint32_t)f->instructions.count;
    return HAUL_OK;
}

/* `ret` of a called function goes behind its body, which the last one does by itself. */
static void copy_return(flattener *f, const site *s, const ptx_instruction *from, bool is_last) {
    ptx_instruction mapped = map_instruction(f, s, from);
    if (s->depth == 0) {
        APPEND(f, f->instructions, mapped);
    } else if (!is_last || from->guarded) {
        emit_jump(f, &mapped, s->end_label);
    }
}

static const uint32_t *map_targets(flattener *f, const site *s, const ptx_label *label) {
    uint32_t *targets = ARENA_ARRAY(f->memory, label->branch_target_count, uint32_t);
    for (uint32_t i = 0; i < label->branch_target_count; i++) targets[i] = label->branch_targets[i] + s->first_label;
    return label->branch_targets ? targets : NULL;
}

static void add_labels(flattener *f, site *s) {
    const ptx_function *from = s->member->function;
    s->first_label = (uint32_t)f->labels.count;
    for (size_t i = 0; i < from->label_count; i++) {
        ptx_label label = from->labels[i];
        label.branch_targets = map_targets(f, s, &label);
        if (s->depth) label.name = arena_printf(f->memory, "$L__%u$%zu", f->calls, i);
        APPEND(f, f->labels, label);
    }
}

static void need_dynamic(flattener *f) {
    if (!f->dynamic) f->dynamic = new_variable(f, "$dynamic", PTX_SPACE_LOCAL);
    f->dynamic->size = PTX_DYNAMIC_HEAD + f->module->stack_bytes;
}

static haul_status copy_instruction(flattener *f, const site *s, const ptx_instruction *from, bool is_last) {
    if (is_call_to_copy(from)) return copy_call(f, s, from);
    if (from->op == PTX_OP_RET) {
        copy_return(f, s, from, is_last);
    } else {
        if (uses_stack_pointer(from)) need_dynamic(f);
        const ptx_instruction mapped = map_instruction(f, s, from); /* may emit others in front */
        APPEND(f, f->instructions, mapped);
    }
    return HAUL_OK;
}

static haul_status copy_body(flattener *f, const site *at) {
    site s = *at;
    const ptx_function *from = s.member->function;
    size_t label = 0;
    add_labels(f, &s);
    for (size_t i = 0; i <= from->instruction_count; i++) {
        for (; label < from->label_count && from->labels[label].target <= i; label++)
            f->labels.items[s.first_label + label].target = (uint32_t)f->instructions.count;
        if (i < from->instruction_count)
            HAUL_TRY(copy_instruction(f, &s, &from->instructions[i], i + 1 == from->instruction_count));
    }
    if (s.depth) f->labels.items[s.end_label].target = (uint32_t)f->instructions.count;
    return HAUL_OK;
}

/* ---- labels in the order of their targets ---- */

static uint32_t *order_labels(flattener *f) {
    size_t count = f->labels.count, places = f->instructions.count + 1;
    uint32_t *first = ARENA_ARRAY(f->memory, places + 1, uint32_t);
    uint32_t *renumbered = ARENA_ARRAY(f->memory, count, uint32_t);
    ptx_label *sorted = ARENA_ARRAY(f->memory, count, ptx_label);
    for (size_t i = 0; i < count; i++) first[f->labels.items[i].target + 1]++;
    for (size_t i = 0; i < places; i++) first[i + 1] += first[i];
    for (size_t i = 0; i < count; i++) {
        renumbered[i] = first[f->labels.items[i].target]++;
        sorted[renumbered[i]] = f->labels.items[i];
    }
    f->labels.items = sorted;
    return renumbered;
}

static void renumber_labels(flattener *f) {
    const uint32_t *to = order_labels(f);
    for (size_t i = 0; i < f->labels.count; i++) {
        ptx_label *label = &f->labels.items[i];
        uint32_t *targets = ARENA_ARRAY(f->memory, label->branch_target_count, uint32_t);
        for (uint32_t t = 0; t < label->branch_target_count; t++) targets[t] = to[label->branch_targets[t]];
        if (label->branch_targets) label->branch_targets = targets;
    }
    for (size_t i = 0; i < f->instructions.count; i++) {
        ptx_instruction *instruction = &f->instructions.items[i];
        for (unsigned o = 0; o < instruction->operand_count; o++)
            if (instruction->operands[o].kind == PTX_LABEL)
                instruction->operands[o].label = to[instruction->operands[o].label];
    }
}

/* ---- the whole ---- */

/* The entry's own parameters stay its parameters. */
static void keep_parameters(flattener *f, member *m) {
    ptx_function *flat = f->flat;
    flat->params = ARENA_ARRAY(f->memory, flat->param_count, ptx_variable *);
    for (size_t i = 0; i < flat->param_count; i++) {
        flat->params[i] = copy_variable(f, m, f->entry->params[i]);
        m->variables[first_formal(f->entry, false) + i] = flat->params[i];
    }
}

static void keep_lists(flattener *f) {
    ptx_function *flat = f->flat;
    flat->registers = f->registers.items;
    flat->register_count = f->registers.count;
    flat->variables = f->variables.items;
    flat->variable_count = f->variables.count;
    flat->dynamic = f->dynamic;
    flat->labels = f->labels.items;
    flat->label_count = f->labels.count;
    flat->instructions = f->instructions.items;
    flat->instruction_count = f->instructions.count;
    f->module->places = f->places.items;
    f->module->place_count = f->places.count;
}

/* ---- regions ---- */

static haul_status begin_region(flattener *f, const ptx_function *function, member **root) {
    const region r = {.function = function,
                      .first = (uint32_t)f->instructions.count,
                      .first_variable = (uint32_t)f->variables.count,
                      .is_entry = function == f->entry};
    APPEND(f, f->regions, r);
    f->region = &f->regions.items[f->regions.count - 1];
    memset(f->members, 0, f->module->function_count * sizeof *f->members);
    *root = add_member(f, function);
    f->weight += (*root)->weight;
    if (f->weight > MAX_WEIGHT)
        return fail_at(f, HAUL_ERROR_LIMIT, function->position, "'%s' becomes too large by the calls of '%s'",
                       f->entry->name, function->name);
    return HAUL_OK;
}

/* Where the frame is comes with the parameters; where it ends is known in the end. Returns the instruction that says
 * so. */
static uint32_t emit_frame(flattener *f, const ptx_instruction *like) {
    region *r = f->region;
    r->frame = add_register(f, "frame", PTX_U64);
    r->next = add_register(f, "next", PTX_U64);
    const ptx_operand frame = register_operand(r->frame, like->position);
    emit_piece(f, like, &frame, begin_area(f, false).variable, 0, sizeof(uint64_t), true);
    ptx_instruction *add = emit(f, like, PTX_OP_ADD, 3);
    add->type = PTX_U64;
    add->operands[0] = register_operand(r->next, like->position);
    add->operands[1] = frame;
    add->operands[2].kind = PTX_INTEGER;
    return (uint32_t)f->instructions.count - 1;
}

/* The formal parameters of a region: variables and registers of its own. */
static void pass_formals(flattener *f, member *m, const ptx_instruction *like, bool results) {
    const ptx_function *g = m->function;
    area a = begin_area(f, results);
    for (size_t i = 0; i < (results ? g->result_count : g->param_count); i++) {
        const ptx_variable *formal = results ? g->results[i] : g->params[i];
        ptx_operand side = {.kind = PTX_VARIABLE_ADDRESS, .position = like->position};
        if (formal->space == PTX_SPACE_REG)
            side = formal_register(m, formal, like->position);
        else
            side.variable = m->variables[first_formal(g, results) + i];
        pass(f, like, &a, formal, &side, results);
    }
}

static void own_formals(flattener *f, member *m) {
    const ptx_function *g = m->function;
    for (size_t i = 0; i < g->param_count + g->result_count; i++) {
        const bool result = i >= g->param_count;
        const ptx_variable *formal = result ? g->results[i - g->param_count] : g->params[i];
        if (formal->space != PTX_SPACE_REG) m->variables[g->variable_count + i] = formal_copy(f, m, formal, i);
    }
}

static haul_status make_region(flattener *f, const ptx_function *g) {
    const ptx_instruction like = {.position = g->position};
    member *m;
    uint32_t sized = 0;
    HAUL_TRY(check_signature(f, g, g->position));
    HAUL_TRY(begin_region(f, g, &m));
    own_formals(f, m);
    if (f->has_stack) sized = emit_frame(f, &like);
    pass_formals(f, m, &like, false);
    site s = {.member = m, .depth = 1};
    s.end_label = add_label(f, arena_printf(f->memory, "$L__return$%u", ++f->calls), g->position);
    HAUL_TRY(copy_body(f, &s));
    pass_formals(f, m, &like, true);
    emit(f, &like, PTX_OP_RET, 0);
    region *r = f->region;
    if (r->frame_bytes > MAX_FRAME)
        return fail_at(f, HAUL_ERROR_LIMIT, g->position, "the .local variables of '%s' are too large (in '%s')",
                       g->name, f->entry->name);
    r->frame_bytes = (r->frame_bytes + 15) / 16 * 16;
    if (f->has_stack) f->instructions.items[sized].operands[2].bits = r->frame_bytes;
    return HAUL_OK;
}

static haul_status make_regions(flattener *f) {
    for (size_t i = 0; i < f->far.count; i++) {
        f->region->end = (uint32_t)f->instructions.count;
        f->region->end_variable = (uint32_t)f->variables.count;
        HAUL_TRY(make_region(f, f->far.items[i]));
    }
    f->region->end = (uint32_t)f->instructions.count;
    f->region->end_variable = (uint32_t)f->variables.count;
    return HAUL_OK;
}

/* A region's blocks, analysed as a function of its own, behind those of the others. */
static void analyse_region(flattener *f, const region *r, ptx_block *blocks, uint32_t at) {
    ptx_function part = *f->flat;
    part.is_entry = r->is_entry;
    part.instructions += r->first;
    part.instruction_count = r->end - r->first;
    part.labels = ARENA_ARRAY(f->memory, part.label_count, ptx_label);
    for (size_t i = 0; i < part.label_count; i++) {
        part.labels[i] = f->flat->labels[i];
        part.labels[i].target -= r->first;
    }
    ptx_analyse(f->module, &part);
    f->flat->block_count = at + part.block_count;
    for (size_t b = 0; b < part.block_count; b++) {
        ptx_block *to = &blocks[at + b];
        *to = part.blocks[b];
        to->first += r->first;
        to->end += r->first;
        uint32_t *targets = ARENA_ARRAY(f->memory, to->table_count, uint32_t);
        for (uint32_t t = 0; t < to->table_count; t++)
            targets[t] = to->table[t] == PTX_NO_BLOCK ? PTX_NO_BLOCK : to->table[t] + at;
        to->table = targets;
        uint32_t *links[] = {&to->next, &to->taken, &to->join};
        for (size_t k = 0; k < 3; k++)
            if (*links[k] != PTX_NO_BLOCK) *links[k] += at;
    }
}

static void analyse(flattener *f) {
    ptx_function *flat = f->flat;
    if (f->regions.count == 1) {
        ptx_analyse(f->module, flat);
        return;
    }
    ptx_block *blocks = ARENA_ARRAY(f->memory, flat->instruction_count, ptx_block);
    ptx_callee *callees = ARENA_ARRAY(f->memory, f->regions.count, ptx_callee);
    uint32_t at = 0;
    for (size_t i = 0; i < f->regions.count; i++) {
        const region *r = &f->regions.items[i];
        callees[i] = (ptx_callee){.function = r->function,
                                  .block = at,
                                  .first_variable = r->first_variable,
                                  .end_variable = r->end_variable,
                                  .frame_bytes = r->frame_bytes};
        analyse_region(f, r, blocks, at);
        at = (uint32_t)flat->block_count;
    }
    flat->blocks = blocks;
    flat->callees = callees + 1;
    flat->arguments = f->arguments;
    flat->stack = f->stack;
    flat->callee_count = f->regions.count - 1;
}

static haul_status flatten(flattener *f) {
    if (setjmp(f->module->out_of_memory))
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: out of memory while inlining the calls of '%s'",
                         f->module->name, f->entry->name);
    f->flat = ARENA_NEW(f->memory, ptx_function);
    *f->flat = *f->entry;
    f->places = ptx_chain_places(f->module);
    f->members = ARENA_ARRAY(f->memory, f->module->function_count, member *);
    f->shared = ARENA_ARRAY(f->memory, f->module->function_count, ptx_variable **);
    f->is_far = ARENA_ARRAY(f->memory, f->module->function_count, bool);
    ptx_find_far(f->module);
    f->has_stack = ptx_needs_stack(f->module);
    if (!f->module->stack_bytes) f->module->stack_bytes = PTX_STACK_BYTES;
    member *m;
    HAUL_TRY(begin_region(f, f->entry, &m));
    keep_parameters(f, m);
    HAUL_TRY(copy_body(f, &(site){.member = m}));
    HAUL_TRY(make_regions(f));
    renumber_labels(f);
    keep_lists(f);
    analyse(f);
    return HAUL_OK;
}

haul_status ptx_inline_calls(ptx_module *module, ptx_function *entry, ptx_function **flat) {
    size_t i = 0;
    while (i < entry->instruction_count && !is_call_to_copy(&entry->instructions[i]) &&
           !uses_stack_pointer(&entry->instructions[i]))
        i++;
    *flat = entry;
    if (i == entry->instruction_count) return HAUL_OK;
    flattener f = {.module = module, .memory = &module->memory, .entry = entry};
    module->memory.out_of_memory = &module->out_of_memory;
    haul_status status = flatten(&f);
    module->memory.out_of_memory = NULL;
    if (status == HAUL_OK) *flat = f.flat;
    return status;
}
