/* The parts that inlining (inline.c) and regions (region.c) are made of: adding members, copying instructions, and
 * emitting new ones.
 *
 * A member is one function within the flat function, with its own registers and variables; a site is one copy of its
 * body. All copies of a body in a region use the member's registers. Operands are copied deeply, so that the original
 * module stays as it was parsed. */
#include "ptx/flatten.h"

#include "base/number.h"
#include "ptx/spaces.h"

#include <string.h>

haul_status ptx_flat_fail(const ptx_flattener *f, haul_status status, ptx_position at, const char *format,
                          const char *first, const char *second) {
    const char *what = arena_printf(f->memory, format, first, second);
    return haul_fail(status, "%s:%u:%u: %s", f->module->name, at.line, at.column, what);
}

/* ---- members ---- */

ptx_variable *ptx_flat_copy_variable(ptx_flattener *f, const ptx_member *m, const ptx_variable *from) {
    ptx_variable *to = ARENA_NEW(f->memory, ptx_variable);
    *to = *from;
    to->owner = f->flat;
    to->role = PTX_FLAT_PARAMETER;
    if (m->number) to->name = arena_printf(f->memory, "%s$i%u", from->name, m->number);
    return to;
}

/* Appends a variable to the flat function; its index is its place in that list. */
static void add_variable(ptx_flattener *f, ptx_variable *v) {
    v->index = (uint32_t)f->variables.count;
    PTX_APPEND(f, f->variables, v);
}

/* Appends a member's registers. All but the first member get a suffix, so that names stay unique for messages and the
 * printer. */
static void add_registers(ptx_flattener *f, ptx_member *m) {
    m->first_register = (uint32_t)f->registers.count;
    for (size_t i = 0; i < m->function->register_count; i++) {
        ptx_register r = m->function->registers[i];
        if (m->number) r.name = arena_printf(f->memory, "%s$i%u", r.name, m->number);
        PTX_APPEND(f, f->registers, r);
    }
}

size_t ptx_first_formal(const ptx_function *function, bool result) {
    return function->variable_count + (result ? function->param_count : 0);
}

/* Returns whether the variable is in the stack: a local variable of a function that a thread may be in several
 * times. */
static bool is_in_stack(const ptx_flattener *f, const ptx_variable *v) {
    return f->has_stack && !f->region->is_entry && v->space == PTX_SPACE_LOCAL && v->owner == f->flat;
}

/* Adds the variable to the frame; its index becomes its offset there. */
static void add_to_stack(ptx_region *r, ptx_variable *v) {
    r->frame_bytes = number_align(r->frame_bytes, v->alignment);
    v->index = (uint32_t)r->frame_bytes;
    if (v->size > PTX_MOST_FRAME) r->frame_bytes = PTX_MOST_FRAME + 1;
    if (r->frame_bytes <= PTX_MOST_FRAME) r->frame_bytes += v->size;
}

/* Returns the one copy of shared variable `i` of a function: it is the same in all inlined copies. `copy` becomes that
 * copy at the first call. */
static ptx_variable *shared_of_block(ptx_flattener *f, const ptx_function *function, size_t i, ptx_variable *copy) {
    ptx_variable ***known = &f->shared[function->index];
    if (!*known) *known = ARENA_ARRAY(f->memory, function->variable_count, ptx_variable *);
    if (!(*known)[i]) {
        add_variable(f, copy);
        (*known)[i] = copy;
    }
    return (*known)[i];
}

/* Returns whether the function moves the stack pointer, which callers then restore. */
static bool has_alloca(const ptx_function *function) {
    size_t i = 0;
    while (i < function->instruction_count && function->instructions[i].op != PTX_OP_ALLOCA) i++;
    return i < function->instruction_count;
}

ptx_member *ptx_flat_add_member(ptx_flattener *f, const ptx_function *function) {
    ptx_member *m = ARENA_NEW(f->memory, ptx_member);
    size_t count = ptx_first_formal(function, true) + function->result_count;
    m->function = function;
    m->number = f->member_count++;
    m->variables = ARENA_ARRAY(f->memory, count, const ptx_variable *);
    m->region = f->regions.count;
    m->allocates = has_alloca(function);
    for (size_t i = 0; i < function->variable_count; i++) {
        ptx_variable *copy = ptx_flat_copy_variable(f, m, function->variables[i]);
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

ptx_member *ptx_flat_member(const ptx_flattener *f, const ptx_function *function) {
    ptx_member *m = f->members[function->index];
    return m && m->region == f->regions.count ? m : NULL;
}

/* A variable's owner and index say which list of its function it is in, and where. */
static const ptx_variable *map_variable(const ptx_site *s, const ptx_variable *v) {
    const ptx_function *g = s->member->function;
    if (v->owner != g) return v;
    if (v->index < g->variable_count && g->variables[v->index] == v) return s->member->variables[v->index];
    bool result = !(v->index < g->param_count && g->params[v->index] == v);
    return s->member->variables[ptx_first_formal(g, result) + v->index];
}

ptx_variable *ptx_flat_new_variable(ptx_flattener *f, const char *name, ptx_space space) {
    ptx_variable *v = ARENA_NEW(f->memory, ptx_variable);
    *v = (ptx_variable){.name = name, .space = space, .type = PTX_B8, .vector = 1, .alignment = 16, .owner = f->flat};
    v->role = PTX_FLAT_PARAMETER;
    add_variable(f, v);
    return v;
}

/* ---- copying instructions ---- */

uint32_t ptx_flat_add_register(ptx_flattener *f, const char *name, ptx_type type) {
    ptx_register r = {.name = arena_printf(f->memory, "%%%s$%zu", name, f->registers.count), .type = type};
    PTX_APPEND(f, f->registers, r);
    return (uint32_t)f->registers.count - 1;
}

ptx_operand ptx_register_operand(uint32_t reg, ptx_position at) {
    return (ptx_operand){.kind = PTX_REGISTER, .reg = reg, .position = at};
}

/* Replaces the address of a variable in the stack by a new register: the frame's address plus the variable's offset,
 * cut to 32 bits if the user wants that. */
static void take_stack_address(ptx_flattener *f, const ptx_instruction *user, ptx_operand *o) {
    const bool narrow = ptx_bits(user->type) == 32;
    const uint32_t address = ptx_flat_add_register(f, "address", PTX_U64);
    ptx_instruction *add = ptx_flat_emit(f, user, PTX_OP_ADD, 3);
    add->type = PTX_U64;
    add->operands[0] = ptx_register_operand(address, o->position);
    add->operands[1] = ptx_register_operand(f->region->frame, o->position);
    add->operands[2].kind = PTX_INTEGER;
    add->operands[2].bits = o->variable->index + (uint64_t)o->offset;
    *o = ptx_register_operand(address, o->position);
    if (!narrow) return;
    o->reg = ptx_flat_add_register(f, "address", PTX_U32);
    ptx_instruction *cut = ptx_flat_emit(f, user, PTX_OP_CVT, 2);
    cut->type = PTX_U32;
    cut->type2 = PTX_U64;
    cut->operands[0] = ptx_register_operand(o->reg, o->position);
    cut->operands[1] = ptx_register_operand(address, o->position);
}

/* Converts the address of a local variable to a generic one, for instructions without a state space. */
static ptx_operand generic_address(ptx_flattener *f, const ptx_instruction *user, ptx_operand local) {
    const ptx_operand address = ptx_register_operand(ptx_flat_add_register(f, "generic", PTX_U64), local.position);
    ptx_instruction *convert = ptx_flat_emit(f, user, PTX_OP_CVTA, 2);
    convert->type = PTX_U64;
    convert->mods[PTX_SLOT_SPACE] = PTX_MOD_LOCAL;
    convert->operands[0] = address;
    convert->operands[1] = local;
    return address;
}

/* Replaces a variable in the stack by an offset from the region's frame. */
static void map_stack(ptx_flattener *f, const ptx_instruction *user, ptx_operand *o) {
    if (o->kind == PTX_MEMORY && o->parts[0].kind == PTX_VARIABLE_ADDRESS && is_in_stack(f, o->parts[0].variable)) {
        const ptx_operand frame = ptx_register_operand(f->region->frame, o->position);
        o->offset += o->parts[0].variable->index + o->parts[0].offset;
        o->parts[0] = ptx_is_generic(user, o) ? generic_address(f, user, frame) : frame;
    }
    if (o->kind == PTX_VARIABLE_ADDRESS && is_in_stack(f, o->variable)) take_stack_address(f, user, o);
    for (uint32_t i = 0; i < o->part_count; i++) map_stack(f, user, &o->parts[i]);
}

/* Moves an operand into the flat function: registers, labels and variables get the numbers of the copy. Parts are
 * copied, because they belong to the original. */
static void map_operand(ptx_flattener *f, const ptx_site *s, ptx_operand *o) {
    if (o->kind == PTX_REGISTER) o->reg += s->member->first_register;
    if (o->kind == PTX_LABEL) o->label += s->first_label;
    if (o->kind == PTX_VARIABLE_ADDRESS) o->variable = map_variable(s, o->variable);
    if (!o->part_count) return;
    ptx_operand *parts = ARENA_ARRAY(f->memory, o->part_count, ptx_operand);
    memcpy(parts, o->parts, o->part_count * sizeof *parts);
    o->parts = parts;
    for (uint32_t i = 0; i < o->part_count; i++) map_operand(f, s, &parts[i]);
}

ptx_instruction ptx_flat_map(ptx_flattener *f, const ptx_site *s, const ptx_instruction *from) {
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

ptx_instruction *ptx_flat_emit(ptx_flattener *f, const ptx_instruction *like, ptx_op op, unsigned operands) {
    ptx_instruction i = {.op = (uint16_t)op, .place = like->place, .position = like->position};
    i.operand_count = (uint8_t)operands;
    i.operands = ARENA_ARRAY(f->memory, operands, ptx_operand);
    for (unsigned o = 0; o < operands; o++) i.operands[o].position = like->position;
    PTX_APPEND(f, f->instructions, i);
    return &f->instructions.items[f->instructions.count - 1];
}

void ptx_flat_emit_jump(ptx_flattener *f, const ptx_instruction *like, uint32_t label) {
    ptx_instruction *jump = ptx_flat_emit(f, like, PTX_OP_BRA, 1);
    jump->guarded = like->guarded;
    jump->guard = like->guard;
    jump->guard_negated = like->guard_negated;
    jump->mods[PTX_SLOT_UNIFORM] = like->guarded ? PTX_MOD_NONE : PTX_MOD_UNIFORM;
    jump->operands[0].kind = PTX_LABEL;
    jump->operands[0].label = label;
}

/* ---- accesses and moves ---- */

ptx_type ptx_untyped(unsigned bytes) {
    switch (bytes) {
    case 1: return PTX_B8;
    case 2: return PTX_B16;
    case 4: return PTX_B32;
    case 16: return PTX_B128;
    }
    return PTX_B64;
}

/* The operand [variable]. */
static ptx_operand memory_of(ptx_flattener *f, const ptx_variable *v) {
    ptx_operand o = {.kind = PTX_MEMORY, .part_count = 1};
    o.parts = ARENA_NEW(f->memory, ptx_operand);
    o.parts->kind = PTX_VARIABLE_ADDRESS;
    o.parts->variable = v;
    return o;
}

void ptx_flat_emit_move(ptx_flattener *f, const ptx_instruction *like, ptx_operand to, ptx_operand from,
                        ptx_type type) {
    ptx_instruction *i = ptx_flat_emit(f, like, PTX_OP_MOV, 2);
    i->type = (uint8_t)ptx_untyped(ptx_bits(type) / 8);
    i->operands[0] = to;
    i->operands[1] = from;
}

ptx_operand ptx_formal_register(const ptx_member *m, const ptx_variable *formal, ptx_position at) {
    return (ptx_operand){.kind = PTX_REGISTER, .reg = m->first_register + formal->index, .position = at};
}

const ptx_variable *ptx_formal_copy(ptx_flattener *f, ptx_member *m, const ptx_variable *formal, size_t which) {
    if (!m->copies)
        m->copies = ARENA_ARRAY(f->memory, m->function->param_count + m->function->result_count, ptx_variable *);
    if (!m->copies[which]) {
        m->copies[which] = ptx_flat_copy_variable(f, m, formal);
        add_variable(f, m->copies[which]);
    }
    return m->copies[which];
}

void ptx_flat_emit_param(ptx_flattener *f, const ptx_instruction *like, const ptx_operand *value, const ptx_variable *v,
                         uint64_t at, unsigned bytes, bool load) {
    ptx_instruction *i = ptx_flat_emit(f, like, load ? PTX_OP_LD : PTX_OP_ST, 2);
    i->type = (uint8_t)ptx_untyped(bytes);
    i->mods[PTX_SLOT_SPACE] = PTX_MOD_PARAM;
    i->operands[load ? 0 : 1] = *value;
    i->operands[load ? 1 : 0] = memory_of(f, v);
    i->operands[load ? 1 : 0].offset = (int64_t)at;
}

/* ---- labels ---- */

uint32_t ptx_flat_add_label(ptx_flattener *f, const char *name, ptx_position at) {
    ptx_label label = {.name = name, .position = at, .target = (uint32_t)f->instructions.count};
    PTX_APPEND(f, f->labels, label);
    return (uint32_t)f->labels.count - 1;
}

/* Sorts the labels by their targets, with a counting sort that keeps the order of equal ones. Returns the new number of
 * each label. */
static uint32_t *order_labels(ptx_flattener *f) {
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

void ptx_flat_sort_labels(ptx_flattener *f) {
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
