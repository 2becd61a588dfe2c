#include "ptx/matrix.h"
#include "ptx/multimem.h"
#include "ptx/pattern.h"
#include "ptx/tcgen05.h"
#include "ptx/video.h"

#include "base/status.h"

/* One operand under examination. */
typedef struct check {
    const ptx_module *module;
    const ptx_function *function;
    const ptx_instruction *instruction;
    unsigned number; /* of the operand, from 1 */
} check;

__attribute__((format(printf, 3, 4))) static haul_status fail(const check *c, ptx_position at, const char *format,
                                                              ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(HAUL_ERROR_SYNTAX, format, arguments);
    va_end(arguments);
    const char *name = ptx_ops[c->instruction->op].mnemonic;
    if (c->number)
        return haul_fail_in(HAUL_ERROR_SYNTAX, "%s:%u:%u: operand %u of '%s'", c->module->name, at.line, at.column,
                            c->number, name);
    return haul_fail_in(HAUL_ERROR_SYNTAX, "%s:%u:%u: '%s'", c->module->name, at.line, at.column, name);
}

/* ---- registers against types ---- */

/* Loads, stores and conversions may use registers wider than the type. */
static bool is_loose(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
    case PTX_OP_SULD:
    case PTX_OP_SUST:
    case PTX_OP_CVT: return true;
    default: return false;
    }
}

static bool is_integer_kind(char kind) {
    return kind == 'U' || kind == 'S';
}

/* PTX's rules for an operand of `type` in a register of type `reg`. */
static bool fits(ptx_type reg, ptx_type type, bool loose) {
    char have = ptx_types[reg].kind, want = ptx_types[type].kind;
    bool wider = ptx_bits(reg) > ptx_bits(type) && loose && want != 'F' && have != 'F';
    if (reg == PTX_PRED || type == PTX_PRED) return reg == type;
    if (ptx_bits(reg) != ptx_bits(type) && !wider) return false;
    if (have == 'B' || want == 'B') return true;
    return have == 'F' ? reg == type : is_integer_kind(want);
}

/* In place of the bytes to read, cp.async takes a predicate: whether the source is ignored. */
static bool ignores_source(const check *c, const ptx_register *r) {
    return c->instruction->op == PTX_OP_CP_ASYNC && c->number == 4 && r->type == PTX_PRED;
}

static haul_status check_register(const check *c, const ptx_operand *o, ptx_type type) {
    const ptx_register *r = &c->function->registers[o->reg];
    if (ignores_source(c, r)) return HAUL_OK;
    if (o->negated && r->type != PTX_PRED && c->instruction->op != PTX_OP_VMAD)
        return fail(c, o->position, "only a predicate can be negated");
    if (o->selector.count && !ptx_is_video(c->instruction)) return fail(c, o->position, "has no parts to choose here");
    if (fits(r->type, type, is_loose(c->instruction))) return HAUL_OK;
    return fail(c, o->position, "must be a .%s, '%s' is a .%s", ptx_types[type].name, r->name, ptx_types[r->type].name);
}

/* ---- other sources ---- */

static haul_status check_constant(const check *c, const ptx_operand *o, ptx_type type) {
    char kind = ptx_types[type].kind;
    bool fine = o->kind == PTX_INTEGER ? kind != 'F' : kind == 'F' || (kind == 'B' && ptx_bits(type) == o->width);
    if (o->kind == PTX_FLOATING && kind == 'F' && type != PTX_F32 && type != PTX_F64) fine = false;
    if (fine) return HAUL_OK;
    return fail(c, o->position, "must be a .%s, not %s constant", ptx_types[type].name,
                o->kind == PTX_INTEGER ? "an integer" : "a floating");
}

static haul_status check_special(const check *c, const ptx_operand *o, ptx_type type) {
    unsigned op = c->instruction->op;
    if (op != PTX_OP_MOV && op != PTX_OP_MOV_VECTOR && op != PTX_OP_CVT)
        return fail(c, o->position, "cannot be the special register '%s': mov it into a register first",
                    ptx_special_names[o->special]);
    unsigned have = ptx_bits(ptx_special_types[o->special]), want = ptx_bits(type);
    bool narrower = (have == 32 && want == 16) || (have == 64 && want == 32 && o->special == PTX_SPECIAL_GRIDID);
    bool fine = ptx_types[type].kind != 'F' && (have == want || narrower);
    if (fine) return HAUL_OK;
    return fail(c, o->position, "must be a .%s, '%s' is a .%s", ptx_types[type].name, ptx_special_names[o->special],
                ptx_types[ptx_special_types[o->special]].name);
}

static haul_status check_address(const check *c, const ptx_operand *o, ptx_type type) {
    unsigned op = c->instruction->op, bits = ptx_bits(type);
    if (op != PTX_OP_MOV && op != PTX_OP_CVTA && op != PTX_OP_CVTA_TO && op != PTX_OP_MAPA && op != PTX_OP_GETCTARANK)
        return fail(c, o->position, "cannot be an address: mov it into a register first");
    if (ptx_types[type].kind != 'F' && (bits == 32 || bits == 64)) return HAUL_OK;
    return fail(c, o->position, "must be a .%s, not an address", ptx_types[type].name);
}

/* ---- vectors ---- */

static haul_status check_scalar(const check *c, const ptx_operand *o, ptx_type type, bool destination) {
    if (destination && o->kind != PTX_REGISTER) return fail(c, o->position, "must be a register");
    switch (o->kind) {
    case PTX_REGISTER: return check_register(c, o, type);
    case PTX_INTEGER:
    case PTX_FLOATING: return check_constant(c, o, type);
    case PTX_SPECIAL_REGISTER: return check_special(c, o, type);
    case PTX_VARIABLE_ADDRESS:
    case PTX_FUNCTION_ADDRESS: return check_address(c, o, type);
    default: return fail(c, o->position, "must be a register or a constant");
    }
}

/* Stores of 32 bytes may leave elements as they are. */
static bool may_leave_out(const ptx_instruction *i) {
    return i->op == PTX_OP_ST && ptx_vector_length(i) * ptx_bits(i->type) == 256;
}

static haul_status check_vector(const check *c, const ptx_operand *o, ptx_type type, bool destination) {
    unsigned length = ptx_vector_length(c->instruction);
    if (o->kind != PTX_VECTOR || o->part_count != length)
        return fail(c, o->position, "must be %u elements in braces", length);
    for (uint32_t i = 0; i < o->part_count; i++) {
        const ptx_operand *part = &o->parts[i];
        if (part->kind == PTX_SINK && (destination || may_leave_out(c->instruction))) continue;
        HAUL_TRY(check_scalar(c, part, type, destination));
    }
    return HAUL_OK;
}

/* The elements of a packing mov: any registers of one size that fill the type. */
static haul_status check_packed(const check *c, const ptx_operand *o, ptx_type type, bool destination) {
    if (ptx_types[type].kind != 'B' || (o->part_count != 2 && o->part_count != 4) || ptx_bits(type) / o->part_count < 8)
        return fail(c, o->position, "cannot be %u elements in braces", o->part_count);
    for (uint32_t i = 0; i < o->part_count; i++) {
        const ptx_operand *part = &o->parts[i];
        if (destination && part->kind == PTX_SINK) continue;
        if (part->kind != PTX_REGISTER && (destination || part->kind != PTX_INTEGER))
            return fail(c, part->position, "must have registers in its braces");
        if (part->kind == PTX_REGISTER &&
            ptx_bits(c->function->registers[part->reg].type) != ptx_bits(type) / o->part_count)
            return fail(c, part->position, "must have %u elements of %u bits", o->part_count,
                        ptx_bits(type) / o->part_count);
    }
    return HAUL_OK;
}

/* A lane's part of a matrix; a matrix a may lie in shared memory instead. */
static haul_status check_fragment(const check *c, const ptx_operand_slot *slot, const ptx_operand *o, ptx_type type) {
    const unsigned length = ptx_fragment_length(c->instruction, slot->fragment);
    const bool destination = slot->role == PTX_ROLE_DESTINATION;
    if (slot->described && o->kind != PTX_VECTOR) return check_scalar(c, o, PTX_B64, false);
    if (o->kind != PTX_VECTOR || o->part_count != length)
        return fail(c, o->position, "must be %u register%s in braces", length, length == 1 ? "" : "s");
    for (uint32_t i = 0; i < length; i++) HAUL_TRY(check_scalar(c, &o->parts[i], ptx_fragment_type(type), destination));
    return HAUL_OK;
}

/* Tensor memory has addresses of 32 bits. */
static haul_status check_tensor_memory(const check *c, const ptx_operand *o) {
    if (o->kind != PTX_MEMORY) return fail(c, o->position, "must be an address in brackets");
    return check_scalar(c, &o->parts[0], PTX_B32, false);
}

/* A word for each warp of the blocks that take part. */
static haul_status check_mask(const check *c, const ptx_operand *o, ptx_type type) {
    const uint32_t words = c->instruction->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2 ? 8 : 4;
    if (o->kind != PTX_VECTOR || o->part_count != words)
        return fail(c, o->position, "must be %u registers in braces", words);
    for (uint32_t i = 0; i < words; i++) HAUL_TRY(check_scalar(c, &o->parts[i], type, false));
    return HAUL_OK;
}

static haul_status check_value(const check *c, const ptx_operand_slot *slot, const ptx_operand *o, ptx_type type) {
    bool destination = slot->role == PTX_ROLE_DESTINATION;
    if (slot->in_tensor_memory && o->kind == PTX_MEMORY) return check_tensor_memory(c, o);
    if (slot->mask) return check_mask(c, o, type);
    if (slot->fragment) return check_fragment(c, slot, o, type);
    if (slot->vector && ptx_vector_length(c->instruction) > 1) return check_vector(c, o, type, destination);
    if (slot->packed && o->kind == PTX_VECTOR) return check_packed(c, o, type, destination);
    if (slot->immediate && o->kind != PTX_INTEGER) return fail(c, o->position, "must be an integer constant");
    return check_scalar(c, o, type, destination);
}

static haul_status check_destination(const check *c, const ptx_operand_slot *slot, const ptx_operand *o,
                                     ptx_type type) {
    if (o->kind == PTX_SINK && slot->sink && !slot->pair_required) return HAUL_OK;
    if (o->kind != PTX_PAIR) {
        if (slot->pair_required) return fail(c, o->position, "must be a register and a predicate: d|p");
        return check_value(c, slot, o, type);
    }
    if (!slot->pair) return fail(c, o->position, "must be one register");
    const ptx_operand *first = &o->parts[0], *second = &o->parts[1];
    if (!(slot->sink && first->kind == PTX_SINK)) HAUL_TRY(check_scalar(c, first, type, true));
    return slot->sink && second->kind == PTX_SINK ? HAUL_OK : check_scalar(c, second, PTX_PRED, true);
}

/* ---- memory ---- */

static ptx_space space_of_modifier(unsigned modifier) {
    switch (modifier) {
    case PTX_MOD_CONST: return PTX_SPACE_CONST;
    case PTX_MOD_GLOBAL:
    case PTX_MOD_FROM_GLOBAL: return PTX_SPACE_GLOBAL;
    case PTX_MOD_LOCAL: return PTX_SPACE_LOCAL;
    case PTX_MOD_PARAM:
    case PTX_MOD_PARAM_ENTRY:
    case PTX_MOD_PARAM_FUNC: return PTX_SPACE_PARAM;
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER:
    case PTX_MOD_FROM_SHARED_CTA: return PTX_SPACE_SHARED;
    }
    return PTX_SPACE_GENERIC;
}

/* The state space of a memory operand: the second one is the source, the third an mbarrier. */
static ptx_space space_of_operand(const ptx_instruction *i, unsigned which) {
    unsigned source = i->mods[PTX_SLOT_SOURCE];
    if (which == 2) return PTX_SPACE_SHARED;
    const ptx_role second = ptx_pattern_of(i->op)->operands[1].role;
    if (source && (which == 1 || (second != PTX_ROLE_MEMORY && second != PTX_ROLE_TENSOR)))
        return space_of_modifier(source);
    return space_of_modifier(i->mods[PTX_SLOT_SPACE]);
}

/* Instructions that name no space because there is one only. */
static bool is_for_shared(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_CP_ASYNC_MBARRIER:
    case PTX_OP_ST_ASYNC:
    case PTX_OP_RED_ASYNC:
    case PTX_OP_LDMATRIX:
    case PTX_OP_LDMATRIX_B8:
    case PTX_OP_STMATRIX:
    case PTX_OP_STMATRIX_B8: return true;
    }
    return false;
}

static haul_status check_memory(const check *c, const ptx_operand *o, unsigned which) {
    if (o->kind != PTX_MEMORY) return fail(c, o->position, "must be an address in brackets");
    const ptx_operand *base = &o->parts[0];
    ptx_space space = space_of_operand(c->instruction, which);
    if (base->kind == PTX_INTEGER) return HAUL_OK;
    if (base->kind == PTX_VARIABLE_ADDRESS) {
        if (space == PTX_SPACE_GENERIC || base->variable->space == space) return HAUL_OK;
        return fail(c, base->position, "must lie in .%s, '%s' lies in .%s", ptx_space_names[space],
                    base->variable->name, ptx_space_names[base->variable->space]);
    }
    if (base->kind != PTX_REGISTER || base->negated) return fail(c, base->position, "must be a register or a variable");
    const ptx_register *r = &c->function->registers[base->reg];
    char kind = ptx_types[r->type].kind;
    const bool is_narrow_space = space != PTX_SPACE_GENERIC && space != PTX_SPACE_GLOBAL;
    const bool narrow = (is_narrow_space || is_for_shared(c->instruction)) && ptx_bits(r->type) == 32;
    if (kind != 'F' && kind != 'P' && (narrow || ptx_bits(r->type) == 64)) return HAUL_OK;
    return fail(c, base->position, "must be an address, '%s' is a .%s", r->name, ptx_types[r->type].name);
}

static haul_status check_coordinate(const check *c, const ptx_operand *o) {
    if (o->kind == PTX_INTEGER) return HAUL_OK;
    if (o->kind != PTX_REGISTER || o->negated) return fail(c, o->position, "must have integers as coordinates");
    const ptx_register *r = &c->function->registers[o->reg];
    if (ptx_bits(r->type) == 32 && ptx_types[r->type].kind != 'F') return HAUL_OK;
    return fail(c, o->position, "must have coordinates of 32 bits, '%s' is a .%s", r->name, ptx_types[r->type].name);
}

/* The map's address is generic; there is a coordinate for each dimension. */
static haul_status check_tensor(const check *c, const ptx_operand *o) {
    unsigned dimensions = c->instruction->mods[PTX_SLOT_DIM] - PTX_MOD_DIM_1 + 1u;
    const unsigned mode = c->instruction->mods[PTX_SLOT_LOAD_MODE];
    const bool four_rows = mode == PTX_MOD_GATHER || mode == PTX_MOD_SCATTER;
    if (four_rows && dimensions != 2) return fail(c, o->position, "must have two dimensions: .2d");
    if (four_rows) dimensions = 5;
    if (o->kind != PTX_TENSOR) return fail(c, o->position, "must be a tensor map and coordinates: [map, {x, ...}]");
    const ptx_operand *base = &o->parts[0], *at = &o->parts[1];
    bool address = base->kind == PTX_INTEGER || base->kind == PTX_VARIABLE_ADDRESS;
    bool wide = base->kind == PTX_REGISTER && !base->negated &&
                ptx_bits(c->function->registers[base->reg].type) == 64 &&
                ptx_types[c->function->registers[base->reg].type].kind != 'F';
    if (!address && !wide) return fail(c, base->position, "must be the address of a tensor map");
    if (at->part_count != dimensions)
        return fail(c, at->position, "must have %u coordinates, not %u", dimensions, at->part_count);
    for (uint32_t i = 0; i < at->part_count; i++) HAUL_TRY(check_coordinate(c, &at->parts[i]));
    return HAUL_OK;
}

/* One for each dimension but the first and the last; or the halo and its offset. */
static haul_status check_offsets(const check *c, const ptx_operand *o) {
    const unsigned mode = c->instruction->mods[PTX_SLOT_LOAD_MODE];
    const bool wide = mode == PTX_MOD_IM2COL_W || mode == PTX_MOD_IM2COL_W128;
    const unsigned count = wide ? 2 : c->instruction->mods[PTX_SLOT_DIM] - PTX_MOD_DIM_1 - 1u;
    if (o->kind != PTX_VECTOR || o->part_count != count)
        return fail(c, o->position, "must be %u offset%s in braces", count, count == 1 ? "" : "s");
    for (uint32_t i = 0; i < count; i++) HAUL_TRY(check_scalar(c, &o->parts[i], PTX_U16, false));
    return HAUL_OK;
}

/* ---- textures ---- */

static haul_status check_parts(const check *c, const ptx_operand *o, unsigned first, ptx_type type) {
    for (uint32_t i = first; i < o->part_count; i++) HAUL_TRY(check_scalar(c, &o->parts[i], type, false));
    return HAUL_OK;
}

/* The handle, and coordinates: of a layered texture the layer first. */
static haul_status check_texture(const check *c, const ptx_operand *o) {
    const unsigned count = ptx_coordinate_count(c->instruction), layer = ptx_is_layered(c->instruction);
    if (o->kind != PTX_TENSOR || o->offset)
        return fail(c, o->position, "must be a texture or surface and coordinates: [handle, {x, ...}]");
    const ptx_operand *base = &o->parts[0], *at = &o->parts[1];
    if (base->kind != PTX_REGISTER || base->negated || ptx_bits(c->function->registers[base->reg].type) != 64 ||
        ptx_types[c->function->registers[base->reg].type].kind == 'F')
        return fail(c, base->position, "must be the 64-bit handle of a texture or surface object, in a register");
    if (at->part_count != count)
        return fail(c, at->position, "must have %u coordinate%s here, not %u", count, count == 1 ? "" : "s",
                    at->part_count);
    if (layer) HAUL_TRY(check_scalar(c, &at->parts[0], PTX_U32, false));
    return check_parts(c, at, layer, ptx_coordinate_type(c->instruction));
}

/* One for each coordinate that is not a layer: in three dimensions four, the last ignored. */
static haul_status check_along(const check *c, const ptx_operand *o, ptx_type type) {
    const unsigned count = ptx_gradient_count(c->instruction);
    if (o->kind != PTX_VECTOR || o->part_count != count)
        return fail(c, o->position, "must be %u number%s in braces", count, count == 1 ? "" : "s");
    return check_parts(c, o, 0, type);
}

/* ---- rules of single instructions ---- */

static bool compares_type(unsigned compare, char kind) {
    switch (compare) {
    case PTX_MOD_EQ:
    case PTX_MOD_NE: return true;
    case PTX_MOD_LT:
    case PTX_MOD_LE:
    case PTX_MOD_GT:
    case PTX_MOD_GE: return kind != 'B';
    case PTX_MOD_CMP_LO:
    case PTX_MOD_LS:
    case PTX_MOD_CMP_HI:
    case PTX_MOD_HS: return kind == 'U';
    }
    return kind == 'F';
}

static haul_status check_compare(const check *c) {
    const ptx_instruction *i = c->instruction;
    unsigned compare = i->mods[PTX_SLOT_COMPARE];
    unsigned type = i->type2 ? i->type2 : i->type;
    if (!compare || compares_type(compare, ptx_types[type].kind)) return HAUL_OK;
    return fail(c, i->position, ".%s does not compare .%s", ptx_modifier_names[compare], ptx_types[type].name);
}

static bool is_float(unsigned type) {
    return ptx_types[type].kind == 'F';
}

/* Where a conversion can lose something, PTX wants to be told how to round. */
static haul_status check_conversion(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_CVT) return HAUL_OK;
    unsigned round = i->mods[PTX_SLOT_ROUND];
    bool to_integer_value = round >= PTX_MOD_RNI && round <= PTX_MOD_RPI;
    bool narrows = is_float(i->type) && is_float(i->type2) && ptx_bits(i->type) < ptx_bits(i->type2);
    bool needs = is_float(i->type) != is_float(i->type2) || narrows;
    if (needs && !round) return fail(c, i->position, "needs a rounding modifier");
    if (round && !is_float(i->type) && !is_float(i->type2))
        return fail(c, i->position, "between integers does not round");
    if (is_float(i->type2) && !is_float(i->type) && !to_integer_value)
        return fail(c, i->position, "to an integer rounds by .rni, .rzi, .rmi or .rpi");
    if (is_float(i->type) && to_integer_value && i->type != i->type2)
        return fail(c, i->position, ".%s is for integers, or for one floating type", ptx_modifier_names[round]);
    return HAUL_OK;
}

static bool is_atomic_type(unsigned operation, unsigned type) {
    char kind = ptx_types[type].kind;
    switch (operation) {
    case PTX_MOD_ATOM_AND:
    case PTX_MOD_ATOM_OR:
    case PTX_MOD_ATOM_XOR:
    case PTX_MOD_ATOM_EXCH:
    case PTX_MOD_ATOM_CAS: return kind == 'B';
    case PTX_MOD_ATOM_INC:
    case PTX_MOD_ATOM_DEC: return type == PTX_U32;
    case PTX_MOD_ATOM_ADD: return kind != 'B' && type != PTX_S64;
    case PTX_MOD_ATOM_MIN:
    case PTX_MOD_ATOM_MAX: return kind != 'B' && type != PTX_F32 && type != PTX_F64;
    }
    return false;
}

enum { FIRST_SM_WITH_WIDE_ATOMICS = 90 };

static haul_status check_atomic(const check *c) {
    const ptx_instruction *i = c->instruction;
    unsigned operation = i->mods[PTX_SLOT_ATOMIC];
    if (i->op != PTX_OP_ATOM && i->op != PTX_OP_RED) return HAUL_OK;
    bool only_atom = operation == PTX_MOD_ATOM_EXCH || operation == PTX_MOD_ATOM_CAS;
    if (!is_atomic_type(operation, i->type) || (i->op == PTX_OP_RED && only_atom))
        return fail(c, i->position, "has no .%s for .%s", ptx_modifier_names[operation], ptx_types[i->type].name);
    if (i->type == PTX_B128 && (!only_atom || c->module->sm < FIRST_SM_WITH_WIDE_ATOMICS))
        return fail(c, i->position, ".b128 is exchanged, or compared and swapped, from sm_%d on",
                    FIRST_SM_WITH_WIDE_ATOMICS);
    bool two = i->op == PTX_OP_ATOM && i->operand_count > 3 && i->operands[3].kind != PTX_ABSENT;
    if (i->op == PTX_OP_ATOM && two != (operation == PTX_MOD_ATOM_CAS))
        return fail(c, i->position, ".%s takes %s", ptx_modifier_names[operation],
                    two ? "one value" : "a value to compare with and a new one");
    return HAUL_OK;
}

/* Half precision adds, minima and maxima of vectors, and bulk ones, have no flushing form: they have to say so. */
static haul_status check_noftz(const check *c) {
    const ptx_instruction *i = c->instruction;
    bool bulk = i->op == PTX_OP_CP_REDUCE_BULK && i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_ADD;
    bool vector = i->op == PTX_OP_RED_VECTOR || i->op == PTX_OP_ATOM_VECTOR;
    bool half = ptx_types[i->type].kind == 'F' && i->type != PTX_F32 && i->type != PTX_F64;
    if (half && (bulk || vector) && !i->mods[PTX_SLOT_NOFTZ])
        return fail(c, i->position, "needs .noftz for .%s", ptx_types[i->type].name);
    if (i->op == PTX_OP_CP_REDUCE_BULK && !bulk && i->mods[PTX_SLOT_NOFTZ])
        return fail(c, i->position, "has .noftz for .add only");
    return HAUL_OK;
}

static haul_status check_vector_atomic(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_RED_VECTOR && i->op != PTX_OP_ATOM_VECTOR) return HAUL_OK;
    if (i->type == PTX_F32 && i->mods[PTX_SLOT_ATOMIC] != PTX_MOD_ATOM_ADD)
        return fail(c, i->position, "has only .add for .f32");
    return HAUL_OK;
}

/* Bulk reductions know the atomics' operations, sums of halves, but of the 64-bit ones no signed sum, as atom and red
 * have it. */
static bool is_bulk_reduction(unsigned operation, unsigned type) {
    bool half = type == PTX_F16 || type == PTX_BF16;
    if (operation == PTX_MOD_ATOM_ADD) return type != PTX_S64 && is_atomic_type(operation, type);
    return is_atomic_type(operation, type) ||
           (half && (operation == PTX_MOD_ATOM_MIN || operation == PTX_MOD_ATOM_MAX));
}

static haul_status check_bulk_reduction(const check *c) {
    const ptx_instruction *i = c->instruction;
    unsigned operation = i->mods[PTX_SLOT_ATOMIC];
    if (i->op != PTX_OP_CP_REDUCE_BULK && i->op != PTX_OP_CP_REDUCE_SHARED) return HAUL_OK;
    bool narrow = i->op == PTX_OP_CP_REDUCE_BULK || ptx_bits(i->type) == 32 || operation == PTX_MOD_ATOM_ADD;
    if (narrow && is_bulk_reduction(operation, i->type)) return HAUL_OK;
    return fail(c, i->position, "has no .%s for .%s", ptx_modifier_names[operation], ptx_types[i->type].name);
}

enum { FEWEST_REGISTERS = 24, MOST_REGISTERS = 256, REGISTER_UNIT = 8 };

static haul_status check_register_count(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_SETMAXNREG) return HAUL_OK;
    uint64_t n = i->operands[0].bits;
    if (!c->module->sm_suffix) return fail(c, i->position, "needs an architecture's own target, as sm_90a");
    if (n >= FEWEST_REGISTERS && n <= MOST_REGISTERS && n % REGISTER_UNIT == 0) return HAUL_OK;
    return fail(c, i->operands[0].position, "takes a multiple of %d from %d to %d, not %llu", REGISTER_UNIT,
                FEWEST_REGISTERS, MOST_REGISTERS, (unsigned long long)n);
}

static haul_status check_copy_size(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_CP_ASYNC) return HAUL_OK;
    uint64_t size = i->operands[2].bits;
    if (i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG && size != 16)
        return fail(c, i->operands[2].position, ".cg copies 16 bytes, not %llu", (unsigned long long)size);
    if (size == 4 || size == 8 || size == 16) return HAUL_OK;
    return fail(c, i->operands[2].position, "copies 4, 8 or 16 bytes, not %llu", (unsigned long long)size);
}

enum { USUAL_ACCESS_BYTES = 16, MAX_ACCESS_BYTES = 32, BARRIERS = 16, FIRST_SM_WITH_32_BYTES = 100 };

static haul_status check_vector_size(const check *c) {
    const ptx_instruction *i = c->instruction;
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    const bool moves = i->op == PTX_OP_LD || i->op == PTX_OP_ST;
    bool wide = c->module->sm >= FIRST_SM_WITH_32_BYTES && (space == PTX_MOD_GLOBAL || (moves && !space));
    int most = wide ? MAX_ACCESS_BYTES : USUAL_ACCESS_BYTES;
    int bytes = (int)(ptx_vector_length(i) * ptx_bits(i->type) / 8);
    if (bytes <= most) return HAUL_OK;
    return fail(c, i->position, "moves at most %d bytes here, not %d", most, bytes);
}

static haul_status check_priority(const check *c) {
    const ptx_instruction *i = c->instruction;
    const bool moves = i->op == PTX_OP_LD || i->op == PTX_OP_ST;
    if (!moves || !i->mods[PTX_SLOT_EVICT_L2] || ptx_vector_length(i) * ptx_bits(i->type) == 8 * MAX_ACCESS_BYTES)
        return HAUL_OK;
    return fail(c, i->position, "has .%s for 32 bytes only", ptx_modifier_names[i->mods[PTX_SLOT_EVICT_L2]]);
}

static haul_status check_filling(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_ST_BULK || i->operands[2].bits == 0) return HAUL_OK;
    return fail(c, i->operands[2].position, "stores 0 only");
}

static const ptx_operand *barrier_operand(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_BAR_SYNC:
    case PTX_OP_BAR_ARRIVE:
    case PTX_OP_BARRIER_SYNC:
    case PTX_OP_BARRIER_ARRIVE: return &i->operands[0];
    case PTX_OP_BAR_RED:
    case PTX_OP_BAR_RED_POPC:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_RED_POPC: return &i->operands[1];
    }
    return NULL;
}

static haul_status check_barrier(const check *c) {
    const ptx_operand *o = barrier_operand(c->instruction);
    if (!o || o->kind != PTX_INTEGER || o->bits < BARRIERS) return HAUL_OK;
    return fail(c, o->position, "barriers are numbered from 0 to %d", BARRIERS - 1);
}

static bool has_order_and_scope(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_ST:
    case PTX_OP_MBARRIER_EXPECT_TX:
    case PTX_OP_MBARRIER_COMPLETE_TX:
    case PTX_OP_MBARRIER_ARRIVE:
    case PTX_OP_MBARRIER_ARRIVE_NOCOMPLETE:
    case PTX_OP_MBARRIER_ARRIVE_DROP:
    case PTX_OP_MBARRIER_TEST_WAIT:
    case PTX_OP_MBARRIER_TRY_WAIT: return true;
    }
    return false;
}

/* A memory order that others take part in says who they are. */
static haul_status check_order(const check *c) {
    const ptx_instruction *i = c->instruction;
    unsigned order = i->mods[PTX_SLOT_ORDER];
    bool weak = !order || order == PTX_MOD_WEAK || order == PTX_MOD_VOLATILE;
    bool scoped = i->mods[PTX_SLOT_SCOPE];
    if (!has_order_and_scope(i) || order == PTX_MOD_MMIO || weak == !scoped) return HAUL_OK;
    if (scoped) return fail(c, i->position, "a scope needs .relaxed, .acquire or .release");
    return fail(c, i->position, ".%s needs a scope", ptx_modifier_names[order]);
}

static bool was_without_sync(const ptx_instruction *i) {
    return i->op == PTX_OP_SHFL || i->op == PTX_OP_VOTE || i->op == PTX_OP_VOTE_BALLOT;
}

enum { FIRST_SM_THAT_DIVERGES = 70 };

static haul_status check_sync(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (!was_without_sync(i) || i->mods[PTX_SLOT_SYNC] || c->module->sm < FIRST_SM_THAT_DIVERGES) return HAUL_OK;
    return fail(c, i->position, "needs .sync from sm_70 on");
}

/* Only some forms have a second, predicate result. */
static haul_status check_second_result(const check *c) {
    const ptx_instruction *i = c->instruction;
    bool one_half = (i->op == PTX_OP_HSETP || i->op == PTX_OP_HSETP_COMBINE) && ptx_bits(i->type) == 16;
    bool any = i->op == PTX_OP_MATCH && i->mods[PTX_SLOT_MODE] == PTX_MOD_ANY;
    if ((!one_half && !any) || i->operands[0].kind != PTX_PAIR) return HAUL_OK;
    return fail(c, i->operands[0].position, "has one result here");
}

static haul_status check_reduction(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_REDUX || is_atomic_type(i->mods[PTX_SLOT_ATOMIC], i->type)) return HAUL_OK;
    return fail(c, i->position, "has no .%s for .%s", ptx_modifier_names[i->mods[PTX_SLOT_ATOMIC]],
                ptx_types[i->type].name);
}

/* Three values, or two and .xorsign.abs. */
static haul_status check_choice(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_FMIN && i->op != PTX_OP_FMAX) return HAUL_OK;
    const bool three = i->operand_count > 3;
    if (i->mods[PTX_SLOT_ABS] && !three) return fail(c, i->position, "with two values .abs needs .xorsign");
    if (!three) return HAUL_OK;
    if (i->type == PTX_F64) return fail(c, i->position, "takes two values of .f64");
    if (i->mods[PTX_SLOT_XORSIGN]) return fail(c, i->position, "takes two values with .xorsign");
    return c->module->sm >= 100 ? HAUL_OK : fail(c, i->position, "takes three values from sm_100 on");
}

static haul_status check_multimem(const check *c) {
    const char *fault = ptx_multimem_fault(c->instruction);
    return fault ? fail(c, c->instruction->position, "%s", fault) : HAUL_OK;
}

static haul_status check_video(const check *c) {
    const char *fault = ptx_is_video(c->instruction) ? ptx_video_fault(c->instruction) : NULL;
    return fault ? fail(c, c->instruction->position, "%s", fault) : HAUL_OK;
}

/* What only the architecture's own target has, as sm_100a. */
static bool is_own(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_REDUX_FLOAT:
    case PTX_OP_CVT_PACK_NARROW:
    case PTX_OP_CVT_NARROW_HALVES:
    case PTX_OP_CVT_NARROW:
    case PTX_OP_CVT_PACK_SCALE:
    case PTX_OP_CVT_SCALE_HALVES:
    case PTX_OP_CVT_SCALE:
    case PTX_OP_CVT_RANDOM:
    case PTX_OP_CVT_RANDOM_4: return true;
    }
    return false;
}

static haul_status check_own(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (!is_own(i) || (c->module->sm_suffix && c->module->sm >= ptx_ops[i->op].sm)) return HAUL_OK;
    return fail(c, i->position, "needs an architecture's own target, as sm_%ua", ptx_ops[i->op].sm);
}

static haul_status check_prefetch(const check *c) {
    const ptx_instruction *i = c->instruction;
    bool level = i->mods[PTX_SLOT_LEVEL], priority = i->mods[PTX_SLOT_EVICT_L2];
    if (i->op != PTX_OP_PREFETCH || level != priority) return HAUL_OK;
    return fail(c, i->position, "needs .L1, .L2 or a priority in L2");
}

static haul_status check_expected_bytes(const check *c) {
    const ptx_instruction *i = c->instruction;
    bool arrives = i->op == PTX_OP_MBARRIER_ARRIVE || i->op == PTX_OP_MBARRIER_ARRIVE_DROP;
    if (!arrives || !i->mods[PTX_SLOT_EXPECT_TX] || i->operand_count > 2) return HAUL_OK;
    return fail(c, i->position, ".expect_tx takes a number of bytes");
}

enum { LINE_BYTES = 128 };

static haul_status check_line_size(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_DISCARD && i->op != PTX_OP_APPLYPRIORITY) return HAUL_OK;
    if (i->operands[1].bits == LINE_BYTES) return HAUL_OK;
    return fail(c, i->operands[1].position, "is for %d bytes", LINE_BYTES);
}

static haul_status check_saturation(const check *c) {
    const ptx_instruction *i = c->instruction;
    bool low = i->op == PTX_OP_MAD && i->mods[PTX_SLOT_MODE] == PTX_MOD_LO;
    if (!i->mods[PTX_SLOT_SAT] || !low) return HAUL_OK;
    return fail(c, i->position, ".sat goes with .hi.s32 only");
}

/* Addresses and distances have 64 bits, the other fields of a tensor map 32. */
static haul_status check_tensor_field(const check *c) {
    const ptx_instruction *i = c->instruction;
    const unsigned field = i->mods[PTX_SLOT_FIELD];
    const bool wide = field == PTX_MOD_FIELD_ADDRESS || field == PTX_MOD_FIELD_PITCH;
    if (!field) return HAUL_OK;
    if (!c->module->sm_suffix) return fail(c, i->position, "needs an architecture's own target, as sm_90a");
    if (wide == (i->type == PTX_B64)) return HAUL_OK;
    return fail(c, i->position, ".%s takes .%s", ptx_modifier_names[field], wide ? "b64" : "b32");
}

/* Four elements, or two pairs of halves. */
static haul_status check_texel(const check *c) {
    const ptx_instruction *i = c->instruction;
    const bool cube = i->mods[PTX_SLOT_GEOMETRY] >= PTX_MOD_GEOMETRY_CUBE, pairs = i->type == PTX_F16X2;
    if (i->op != PTX_OP_TEX && i->op != PTX_OP_TEX_LEVEL && i->op != PTX_OP_TEX_GRADIENTS) return HAUL_OK;
    if (cube && i->type2 != PTX_F32) return fail(c, i->position, "takes the coordinates of a cube as .f32");
    if (pairs == (i->mods[PTX_SLOT_VECTOR] == PTX_MOD_V2)) return HAUL_OK;
    return fail(c, i->position, pairs ? ".f16x2 goes with .v2" : "gives four elements: .v4");
}

enum { WARPGROUP_ARCHITECTURE = 90, FIRST_SM_WITHOUT_TENSOR_MEMORY = 120 };

/* Matrices: shapes and types that go together, and who has them. */
static haul_status check_matrix(const check *c) {
    const ptx_instruction *i = c->instruction;
    bool own;
    const unsigned least = ptx_matrix_architecture(i, &own);
    const char *fault = ptx_is_tcgen05(i) ? ptx_tcgen05_fault(i) : ptx_matrix_fault(i);
    if (fault) return fail(c, i->position, "%s", fault);
    if (ptx_is_tcgen05(i) && c->module->sm >= FIRST_SM_WITHOUT_TENSOR_MEMORY)
        return fail(c, i->position, "is not there on sm_%u", c->module->sm);
    if (least == WARPGROUP_ARCHITECTURE && own && (c->module->sm != least || !c->module->sm_suffix))
        return fail(c, i->position, "is for sm_90a only");
    if (c->module->sm < least || (own && !c->module->sm_suffix))
        return fail(c, i->position, "needs sm_%u%s or later", least, own ? "a" : "");
    return HAUL_OK;
}

static haul_status check_labels(const check *c) {
    const ptx_instruction *i = c->instruction;
    for (unsigned o = 0; o < i->operand_count; o++) {
        if (i->operands[o].kind != PTX_LABEL) continue;
        const ptx_label *label = &c->function->labels[i->operands[o].label];
        bool table = label->branch_targets || label->prototype || label->call_targets;
        if (i->op == PTX_OP_BRA && table) return fail(c, i->operands[o].position, "'%s' is not a place", label->name);
        if (i->op == PTX_OP_BRX_IDX && !label->branch_targets)
            return fail(c, i->operands[o].position, "'%s' is not a list of .branchtargets", label->name);
        if (i->op == PTX_OP_CALL && !label->prototype && !label->call_targets)
            return fail(c, i->operands[o].position, "'%s' is not a .callprototype or .calltargets", label->name);
    }
    return HAUL_OK;
}

/* ---- calls ---- */

static haul_status check_call_value(const check *c, const ptx_operand *o, const ptx_variable *formal, bool result) {
    if (o->kind == PTX_VARIABLE_ADDRESS && o->variable->space == PTX_SPACE_PARAM && !o->offset) {
        if (formal->space == PTX_SPACE_PARAM && (o->variable->size == formal->size || !formal->size)) return HAUL_OK;
        return fail(c, o->position, "'%s' has another size than the parameter", o->variable->name);
    }
    if (o->kind == PTX_INTEGER && !result && formal->size <= 8) return HAUL_OK;
    if (o->kind != PTX_REGISTER || o->negated)
        return fail(c, o->position, "calls pass .param variables, registers and integers");
    const ptx_register *r = &c->function->registers[o->reg];
    if (formal->size == (ptx_bits(r->type) + 7) / 8) return HAUL_OK;
    return fail(c, o->position, "'%s' has another size than the parameter", r->name);
}

static haul_status check_call_list(const check *c, const ptx_operand *list, ptx_variable *const *formals, size_t count,
                                   bool results) {
    if (list->part_count != count)
        return fail(c, list->position, "the function has %zu %s, the call %u", count,
                    results ? "results" : "parameters", list->part_count);
    for (size_t i = 0; i < count; i++) HAUL_TRY(check_call_value(c, &list->parts[i], formals[i], results));
    return HAUL_OK;
}

static const ptx_function *called_signature(const check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->operands[1].kind == PTX_FUNCTION_ADDRESS) return i->operands[1].function;
    const ptx_label *label = i->operand_count > 3 ? &c->function->labels[i->operands[3].label] : NULL;
    if (!label) return NULL;
    return label->prototype ? label->prototype : label->call_target_count ? label->call_targets[0] : NULL;
}

static haul_status check_call(const check *c) {
    const ptx_operand *target = &c->instruction->operands[1];
    if (ptx_is_far_call(c->instruction)) return HAUL_OK; /* nobody wrote it */
    bool indirect = target->kind == PTX_REGISTER;
    if (!indirect && target->kind != PTX_FUNCTION_ADDRESS) return fail(c, target->position, "needs a function");
    if (indirect && ptx_bits(c->function->registers[target->reg].type) != 64)
        return fail(c, target->position, "the address of a function has 64 bits");
    if (!indirect && target->function->is_entry)
        return fail(c, target->position, "'%s' is an .entry, which cannot be called", target->function->name);
    HAUL_TRY(check_labels(c));
    const ptx_function *callee = called_signature(c);
    if (!callee) return fail(c, target->position, "through a register needs a .callprototype");
    HAUL_TRY(check_call_list(c, &c->instruction->operands[0], callee->results, callee->result_count, true));
    return check_call_list(c, &c->instruction->operands[2], callee->params, callee->param_count, false);
}

/* ---- the whole ---- */

static haul_status check_operand(const check *c, const ptx_operand_slot *slot, const ptx_operand *o, unsigned memory) {
    ptx_type type = ptx_slot_type(slot, c->instruction);
    if (o->kind == PTX_ABSENT) return HAUL_OK;
    switch (slot->role) {
    case PTX_ROLE_DESTINATION: return check_destination(c, slot, o, type);
    case PTX_ROLE_SOURCE: return check_value(c, slot, o, type);
    case PTX_ROLE_MEMORY: return slot->in_tensor_memory ? check_tensor_memory(c, o) : check_memory(c, o, memory);
    case PTX_ROLE_TENSOR: return check_tensor(c, o);
    case PTX_ROLE_OFFSETS: return check_offsets(c, o);
    case PTX_ROLE_TEXTURE: return check_texture(c, o);
    case PTX_ROLE_GRADIENTS: return check_along(c, o, PTX_F32);
    case PTX_ROLE_SHIFTS: return check_along(c, o, PTX_S32);
    case PTX_ROLE_LABEL: break;
    }
    return HAUL_OK;
}

static haul_status check_operands(check *c) {
    const ptx_pattern *pattern = ptx_pattern_of(c->instruction->op);
    unsigned memory = 0;
    for (unsigned o = 0; o < c->instruction->operand_count; o++) {
        c->number = o + 1;
        HAUL_TRY(check_operand(c, &pattern->operands[o], &c->instruction->operands[o], memory));
        memory += pattern->operands[o].role == PTX_ROLE_MEMORY || pattern->operands[o].role == PTX_ROLE_TENSOR;
    }
    c->number = 0;
    return HAUL_OK;
}

static haul_status check_instruction(check *c) {
    static haul_status (*const rules[])(const check *) = {
        check_compare,       check_conversion,    check_atomic,         check_copy_size,      check_vector_size,
        check_barrier,       check_saturation,    check_labels,         check_order,          check_sync,
        check_second_result, check_reduction,     check_prefetch,       check_expected_bytes, check_line_size,
        check_noftz,         check_vector_atomic, check_bulk_reduction, check_register_count, check_tensor_field,
        check_choice,        check_own,           check_priority,       check_filling,        check_video,
        check_texel,         check_multimem,
    };
    if (c->instruction->op == PTX_OP_CALL) return check_call(c);
    HAUL_TRY(check_matrix(c));
    HAUL_TRY(check_operands(c));
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) HAUL_TRY(rules[r](c));
    return HAUL_OK;
}

enum { MAX_TABLE_ENTRIES = 1 << 22 };

/* Many jumps through one large table would make more edges than the text is long. */
static haul_status check_table_sizes(check *c) {
    const ptx_function *f = c->function;
    uint64_t entries = 0;
    for (size_t i = 0; i < f->instruction_count; i++) {
        c->instruction = &f->instructions[i];
        if (c->instruction->op != PTX_OP_BRX_IDX) continue;
        entries += f->labels[c->instruction->operands[1].label].branch_target_count;
        if (entries > MAX_TABLE_ENTRIES) return fail(c, c->instruction->position, "too many branch targets");
    }
    return HAUL_OK;
}

/* A kernel's tcgen05 instructions are all for one block, or all for a pair. */
static haul_status check_groups(check *c) {
    const ptx_function *f = c->function;
    unsigned first = PTX_MOD_NONE;
    for (size_t i = 0; i < f->instruction_count; i++) {
        c->instruction = &f->instructions[i];
        const unsigned group = c->instruction->mods[PTX_SLOT_CTA_GROUP];
        if (!ptx_is_tcgen05(c->instruction) || !group) continue;
        if (first && group != first)
            return fail(c, c->instruction->position, "is for .%s, those before it for .%s: a kernel has one of them",
                        ptx_modifier_names[group], ptx_modifier_names[first]);
        first = group;
    }
    return HAUL_OK;
}

haul_status ptx_verify(const ptx_module *module, const ptx_function *function) {
    check c = {.module = module, .function = function};
    for (size_t i = 0; i < function->instruction_count; i++) {
        c.instruction = &function->instructions[i];
        HAUL_TRY(check_instruction(&c));
    }
    HAUL_TRY(check_groups(&c));
    return check_table_sizes(&c);
}
