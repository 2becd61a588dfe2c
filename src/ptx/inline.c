#include "ptx/inline.h"

#include "base/hash.h"
#include "base/status.h"

#include <string.h>

enum { MAX_DEPTH = 128, MAX_WEIGHT = 1 << 23 };

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
    bool is_active;                 /* its body is being copied: a call of it now is recursion */
} member;

typedef struct flattener {
    ptx_module *module;
    arena *memory;
    ptx_function *entry, *flat;
    member **members; /* by ptx_function.index */
    unsigned member_count;
    LIST_OF(ptx_register) registers;
    LIST_OF(ptx_variable *) variables;
    LIST_OF(ptx_label) labels;
    LIST_OF(ptx_instruction) instructions;
    LIST_OF(ptx_place) places; /* the module's, and more */
    uint32_t *place_map;       /* open addressing: places that were made (index + 1), by inner place and call */
    uint64_t *place_keys;
    size_t place_map_size, place_map_count;
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

static uint64_t operand_weight(const ptx_function *f, const ptx_operand *o) {
    uint64_t weight = 1 + o->part_count;
    return o->kind == PTX_LABEL ? weight + f->labels[o->label].branch_target_count : weight;
}

static uint64_t chain_length(const flattener *f, uint32_t place) {
    uint64_t length = 0;
    for (; place; place = f->module->places[place - 1].inlined_at) length++;
    return length;
}

/* Instructions, operands, labels, table entries, places: small functions can multiply beyond all bounds by calling each
 * other several times each. */
static uint64_t weigh(const flattener *f, const ptx_function *function) {
    uint64_t weight = 1 + function->instruction_count + function->label_count;
    uint32_t place = 0;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const ptx_instruction *instruction = &function->instructions[i];
        for (unsigned o = 0; o < instruction->operand_count; o++)
            weight += operand_weight(function, &instruction->operands[o]);
        if (instruction->place != place) weight += chain_length(f, instruction->place);
        place = instruction->place;
    }
    for (size_t i = 0; i < function->label_count; i++) weight += function->labels[i].branch_target_count;
    return weight;
}

static size_t first_formal(const ptx_function *function, bool result) {
    return function->variable_count + (result ? function->param_count : 0);
}

static member *add_member(flattener *f, const ptx_function *function) {
    member *m = ARENA_NEW(f->memory, member);
    size_t count = first_formal(function, true) + function->result_count;
    m->function = function;
    m->number = f->member_count++;
    m->variables = ARENA_ARRAY(f->memory, count, const ptx_variable *);
    m->weight = weigh(f, function);
    for (size_t i = 0; i < function->variable_count; i++) {
        ptx_variable *copy = copy_variable(f, m, function->variables[i]);
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

/* ---- places ---- */

static uint64_t *place_slot(flattener *f, uint64_t key) {
    size_t at = (size_t)(hash_bytes(HASH_START, &key, sizeof key) >> 20);
    for (;; at++) {
        uint64_t *slot = &f->place_keys[at & (f->place_map_size - 1)];
        if (!*slot || *slot == key) return slot;
    }
}

static void grow_place_map(flattener *f) {
    if (f->place_map_count * 2 < f->place_map_size) return;
    const uint64_t *keys = f->place_keys;
    const uint32_t *made = f->place_map;
    size_t old = f->place_map_size;
    f->place_map_size = old ? old * 2 : 256;
    f->place_keys = ARENA_ARRAY(f->memory, f->place_map_size, uint64_t);
    f->place_map = ARENA_ARRAY(f->memory, f->place_map_size, uint32_t);
    for (size_t i = 0; i < old; i++) {
        if (!keys[i]) continue;
        uint64_t *slot = place_slot(f, keys[i]);
        *slot = keys[i];
        f->place_map[slot - f->place_keys] = made[i];
    }
}

/* The place `inner` of a called function, seen from the call at `outer`. */
static uint32_t chain_place(flattener *f, uint32_t inner, uint32_t outer) {
    if (!inner || !outer) return inner ? inner : outer;
    uint64_t key = (uint64_t)inner << 32 | outer;
    uint64_t *slot = NULL;
    grow_place_map(f);
    slot = place_slot(f, key);
    if (*slot) return f->place_map[slot - f->place_keys];
    ptx_place place = f->places.items[inner - 1];
    place.inlined_at = place.inlined_at ? chain_place(f, place.inlined_at, outer) : outer;
    APPEND(f, f->places, place);
    grow_place_map(f);
    slot = place_slot(f, key);
    *slot = key;
    f->place_map_count++;
    return f->place_map[slot - f->place_keys] = (uint32_t)f->places.count;
}

/* ---- copying instructions ---- */

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
    for (unsigned o = 0; o < to.operand_count; o++) map_operand(f, s, &to.operands[o]);
    if (to.guarded) to.guard += s->member->first_register;
    to.place = chain_place(f, from->place, s->place);
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
    const ptx_function *callee = call->operands[1].function;
    return callee->alias_of ? callee->alias_of : callee;
}

static bool is_call_to_copy(const ptx_instruction *i) {
    return i->op == PTX_OP_CALL && (i->operands[1].kind != PTX_FUNCTION_ADDRESS || callee_of(i)->has_body);
}

static uint32_t add_label(flattener *f, const char *name, ptx_position at) {
    ptx_label label = {.name = name, .position = at, .target = (uint32_t)f->instructions.count};
    APPEND(f, f->labels, label);
    return (uint32_t)f->labels.count - 1;
}

/* `call` is already mapped into the flat function. A guarded call is jumped around. */
static haul_status copy_callee(flattener *f, const site *caller, member *m, const ptx_instruction *call) {
    uint32_t number = ++f->calls, around = 0;
    site s = {.member = m, .place = call->place, .depth = caller->depth + 1};
    s.end_label = add_label(f, arena_printf(f->memory, "$L__return$%u", number), call->position);
    if (call->guarded) {
        ptx_instruction unless = *call;
        unless.guard_negated = !call->guard_negated;
        around = add_label(f, arena_printf(f->memory, "$L__around$%u", number), call->position);
        emit_jump(f, &unless, around);
    }
    bind_all(f, m, call);
    m->is_active = true;
    HAUL_TRY(copy_body(f, &s));
    m->is_active = false;
    fetch_results(f, m, call);
    if (call->guarded) f->labels.items[around].target = (uint32_t)f->instructions.count;
    return HAUL_OK;
}

static haul_status copy_call(flattener *f, const site *s, const ptx_instruction *from) {
    const char *caller = s->member->function->name;
    if (from->operands[1].kind != PTX_FUNCTION_ADDRESS)
        return fail_at(f, HAUL_ERROR_UNSUPPORTED, from->position,
                       "a call through a register, in '%s' as called from '%s', is not supported", caller,
                       f->entry->name);
    const ptx_function *callee = callee_of(from);
    member *m = f->members[callee->index];
    if (m && m->is_active)
        return fail_at(f, HAUL_ERROR_UNSUPPORTED, from->position, "the recursive call of '%s' in '%s' is not supported",
                       callee->name, caller);
    if (s->depth == MAX_DEPTH)
        return fail_at(f, HAUL_ERROR_LIMIT, from->position, "calls are nested too deeply: '%s' in '%s'", callee->name,
                       caller);
    if (!m) m = add_member(f, callee);
    f->weight += m->weight;
    if (f->weight > MAX_WEIGHT)
        return fail_at(f, HAUL_ERROR_LIMIT, from->position, "'%s' becomes too large by the calls in '%s'",
                       f->entry->name, caller);
    ptx_instruction call = map_instruction(f, s, from);
    return copy_callee(f, s, m, &call);
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

static haul_status copy_instruction(flattener *f, const site *s, const ptx_instruction *from, bool is_last) {
    if (is_call_to_copy(from)) return copy_call(f, s, from);
    if (from->op == PTX_OP_RET) {
        copy_return(f, s, from, is_last);
    } else {
        APPEND(f, f->instructions, map_instruction(f, s, from));
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
    flat->labels = f->labels.items;
    flat->label_count = f->labels.count;
    flat->instructions = f->instructions.items;
    flat->instruction_count = f->instructions.count;
    f->module->places = f->places.items;
    f->module->place_count = f->places.count;
}

static haul_status flatten(flattener *f) {
    if (setjmp(f->module->out_of_memory))
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: out of memory while inlining the calls of '%s'",
                         f->module->name, f->entry->name);
    f->flat = ARENA_NEW(f->memory, ptx_function);
    *f->flat = *f->entry;
    f->places.items = f->module->places;
    f->places.count = f->places.capacity = f->module->place_count;
    f->members = ARENA_ARRAY(f->memory, f->module->function_count, member *);
    member *m = add_member(f, f->entry);
    keep_parameters(f, m);
    m->is_active = true;
    HAUL_TRY(copy_body(f, &(site){.member = m}));
    renumber_labels(f);
    keep_lists(f);
    ptx_analyse(f->module, f->flat);
    return HAUL_OK;
}

haul_status ptx_inline_calls(ptx_module *module, ptx_function *entry, ptx_function **flat) {
    size_t i = 0;
    while (i < entry->instruction_count && !is_call_to_copy(&entry->instructions[i])) i++;
    *flat = entry;
    if (i == entry->instruction_count) return HAUL_OK;
    flattener f = {.module = module, .memory = &module->memory, .entry = entry};
    module->memory.out_of_memory = &module->out_of_memory;
    haul_status status = flatten(&f);
    module->memory.out_of_memory = NULL;
    if (status == HAUL_OK) *flat = f.flat;
    return status;
}
