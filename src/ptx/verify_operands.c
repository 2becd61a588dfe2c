/* Checks that each operand is what its instruction takes.
 *
 * The row's pattern (pattern.h) says the role and the type of each operand; one function for each role checks it. PTX
 * is strict about widths and lenient about signs: any integer register of the right width will do, and untyped ones
 * everywhere. */
#include "ptx/matrix.h"
#include "ptx/pattern.h"
#include "ptx/spaces.h"
#include "ptx/traits.h"
#include "ptx/verify.h"
#include "ptx/video.h"

/* ---- registers against types ---- */

static bool is_integer_kind(char kind) {
    return kind == 'U' || kind == 'S';
}

/* PTX's rules for an operand of `type` in a register of type `reg`. */
static bool fits(ptx_type reg, ptx_type type, bool loose) {
    char have = ptx_types[reg].kind, want = ptx_types[type].kind;
    bool wider = ptx_bits(reg) > ptx_bits(type) && loose && have != 'F' && want != 'F';
    if (reg == PTX_PRED || type == PTX_PRED) return reg == type;
    if (ptx_bits(reg) != ptx_bits(type) && !wider) return false;
    if (have == 'B' || want == 'B') return true;
    return have == 'F' ? reg == type : is_integer_kind(want);
}

/* cp.async takes a predicate in place of the bytes to read: whether the source is ignored. */
static bool ignores_source(const ptx_check *c, const ptx_register *r) {
    return c->instruction->op == PTX_OP_CP_ASYNC && c->number == 4 && r->type == PTX_PRED;
}

enum { FIRST_VERSION_THAT_IGNORES = 75 };

static haul_status check_ignoring(const ptx_check *c, const ptx_operand *o) {
    if (c->module->version >= FIRST_VERSION_THAT_IGNORES) return HAUL_OK;
    return ptx_check_fail(c, o->position, "is a predicate from PTX ISA 7.5 on");
}

/* Loads and stores take a float in wider registers of bits: its bits are the low ones, and a load clears the others. */
static bool holds_float(const ptx_instruction *i, ptx_type reg, ptx_type type) {
    const bool accesses = ptx_is(i->op, PTX_KIND_LOAD) || ptx_is(i->op, PTX_KIND_STORE);
    return accesses && ptx_types[type].kind == 'F' && ptx_types[reg].kind == 'B' && ptx_bits(reg) > ptx_bits(type);
}

/* Some instructions take wider registers than their type, and use the low bits. */
static haul_status check_register(const ptx_check *c, const ptx_operand *o, ptx_type type) {
    const ptx_register *r = &c->function->registers[o->reg];
    if (ignores_source(c, r)) return check_ignoring(c, o);
    if (o->negated && r->type != PTX_PRED && c->instruction->op != PTX_OP_VMAD)
        return ptx_check_fail(c, o->position, "only a predicate can be negated");
    if (o->selector.count && !ptx_is_video(c->instruction))
        return ptx_check_fail(c, o->position, "has no parts to choose here");
    if (fits(r->type, type, ptx_has(c->instruction->op, PTX_TRAIT_WIDENS))) return HAUL_OK;
    if (holds_float(c->instruction, r->type, type)) return HAUL_OK;
    return ptx_check_fail(c, o->position, "must be a .%s, '%s' is a .%s", ptx_types[type].name, r->name,
                          ptx_types[r->type].name);
}

/* ---- other sources ---- */

static haul_status check_constant(const ptx_check *c, const ptx_operand *o, ptx_type type) {
    char kind = ptx_types[type].kind;
    bool fine = o->kind == PTX_INTEGER ? kind != 'F' : kind == 'F' || (kind == 'B' && ptx_bits(type) == o->width);
    if (o->kind == PTX_FLOATING && kind == 'F' && type != PTX_F32 && type != PTX_F64) fine = false;
    if (fine) return HAUL_OK;
    return ptx_check_fail(c, o->position, "must be a .%s, not %s constant", ptx_types[type].name,
                          o->kind == PTX_INTEGER ? "an integer" : "a floating");
}

/* Special registers are read by mov and cvt only, at their width or half of it. */
static haul_status check_special(const ptx_check *c, const ptx_operand *o, ptx_type type) {
    unsigned op = c->instruction->op;
    if (op != PTX_OP_MOV && op != PTX_OP_MOV_VECTOR && op != PTX_OP_CVT)
        return ptx_check_fail(c, o->position, "cannot be the special register '%s': mov it into a register first",
                              ptx_special_names[o->special]);
    unsigned have = ptx_bits(ptx_special_types[o->special]), want = ptx_bits(type);
    bool narrower = (have == 32 && want == 16) || (have == 64 && want == 32 && o->special == PTX_SPECIAL_GRIDID);
    bool fine = ptx_types[type].kind != 'F' && (have == want || narrower);
    if (fine) return HAUL_OK;
    return ptx_check_fail(c, o->position, "must be a .%s, '%s' is a .%s", ptx_types[type].name,
                          ptx_special_names[o->special], ptx_types[ptx_special_types[o->special]].name);
}

static haul_status check_space(const ptx_check *c, const ptx_operand *variable, bool fine, const char *where) {
    if (fine) return HAUL_OK;
    return ptx_check_fail(c, variable->position, "must lie in .%s, '%s' lies in .%s", where, variable->variable->name,
                          ptx_space_names[variable->variable->space]);
}

/* cvta's source must lie in the state space that it names; without one, in the cluster's shared memory. */
static haul_status check_converted(const ptx_check *c, const ptx_operand *o) {
    const ptx_space named = ptx_space_of_memory(c->instruction, 0),
                    space = named == PTX_SPACE_GENERIC ? PTX_SPACE_SHARED : named;
    return check_space(c, o, o->variable->space == space, ptx_space_names[space]);
}

/* Returns whether it is a .param variable of a body. */
static bool is_passed(const ptx_variable *v) {
    return v->space == PTX_SPACE_PARAM && v->role == PTX_LOCAL_PARAMETER;
}

/* Addresses of variables and functions are operands of mov, and some of the instructions that convert addresses. */
static haul_status check_address(const ptx_check *c, const ptx_operand *o, ptx_type type) {
    unsigned op = c->instruction->op, bits = ptx_bits(type);
    if (op != PTX_OP_MOV && op != PTX_OP_CVTA && op != PTX_OP_MAPA && op != PTX_OP_GETCTARANK)
        return ptx_check_fail(c, o->position, "cannot be an address: mov it into a register first");
    if (op != PTX_OP_MOV && o->kind == PTX_VARIABLE_ADDRESS) HAUL_TRY(check_converted(c, o));
    if (o->kind == PTX_VARIABLE_ADDRESS && is_passed(o->variable))
        return ptx_check_fail(c, o->position, "cannot be the address of '%s', which calls pass: use .local memory",
                              o->variable->name);
    if (ptx_types[type].kind != 'F' && (bits == 32 || bits == 64)) return HAUL_OK;
    return ptx_check_fail(c, o->position, "must be a .%s, not an address", ptx_types[type].name);
}

/* ---- vectors ---- */

/* Checks one value. */
static haul_status check_scalar(const ptx_check *c, const ptx_operand *o, ptx_type type, bool destination) {
    if (destination && o->kind != PTX_REGISTER) return ptx_check_fail(c, o->position, "must be a register");
    switch (o->kind) {
    case PTX_REGISTER: return check_register(c, o, type);
    case PTX_INTEGER:
    case PTX_FLOATING: return check_constant(c, o, type);
    case PTX_SPECIAL_REGISTER: return check_special(c, o, type);
    case PTX_VARIABLE_ADDRESS:
    case PTX_FUNCTION_ADDRESS: return check_address(c, o, type);
    default: return ptx_check_fail(c, o->position, "must be a register or a constant");
    }
}

/* Stores of 32 bytes may skip elements. */
static bool may_leave_out(const ptx_instruction *i) {
    return i->op == PTX_OP_ST && ptx_vector_length(i) * ptx_bits(i->type) == 256;
}

/* Elements of a result may be left out with `_`, but not all of them. */
static haul_status check_some(const ptx_check *c, const ptx_operand *o, bool destination) {
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < o->part_count; i++) left_out += o->parts[i].kind == PTX_SINK;
    if (!destination || left_out < o->part_count) return HAUL_OK;
    return ptx_check_fail(c, o->position, "must have a register in its braces");
}

/* Elements of a source can be left out in some stores. */
static haul_status check_vector(const ptx_check *c, const ptx_operand *o, ptx_type type, bool destination) {
    unsigned length = ptx_vector_length(c->instruction);
    if (o->kind != PTX_VECTOR || o->part_count != length)
        return ptx_check_fail(c, o->position, "must be %u elements in braces", length);
    HAUL_TRY(check_some(c, o, destination));
    for (uint32_t i = 0; i < o->part_count; i++) {
        const ptx_operand *part = &o->parts[i];
        if (part->kind == PTX_SINK && (destination || may_leave_out(c->instruction))) continue;
        HAUL_TRY(check_scalar(c, part, type, destination));
    }
    return HAUL_OK;
}

/* The elements of a packing mov: any registers of equal size that fill the type. */
static haul_status check_packed(const ptx_check *c, const ptx_operand *o, ptx_type type, bool destination) {
    if (ptx_types[type].kind != 'B' || (o->part_count != 2 && o->part_count != 4) || ptx_bits(type) / o->part_count < 8)
        return ptx_check_fail(c, o->position, "cannot be %u elements in braces", o->part_count);
    HAUL_TRY(check_some(c, o, destination));
    for (uint32_t i = 0; i < o->part_count; i++) {
        const ptx_operand *part = &o->parts[i];
        if (destination && part->kind == PTX_SINK) continue;
        if (part->kind != PTX_REGISTER && (destination || part->kind != PTX_INTEGER))
            return ptx_check_fail(c, part->position, "must have registers in its braces");
        if (part->kind == PTX_REGISTER &&
            ptx_bits(c->function->registers[part->reg].type) != ptx_bits(type) / o->part_count)
            return ptx_check_fail(c, part->position, "must have %u elements of %u bits", o->part_count,
                                  ptx_bits(type) / o->part_count);
    }
    return HAUL_OK;
}

/* Checks a lane's part of a matrix; a matrix a may be in shared memory instead. Results of products and of ldmatrix may
 * be left out with `_`. */
static haul_status check_fragment(const ptx_check *c, const ptx_operand_slot *slot, const ptx_operand *o,
                                  ptx_type type) {
    const unsigned length = ptx_fragment_length(c->instruction, slot->fragment);
    const bool destination = slot->role == PTX_ROLE_DESTINATION;
    if (slot->described && o->kind != PTX_VECTOR) return check_scalar(c, o, PTX_B64, false);
    if (o->kind != PTX_VECTOR || o->part_count != length)
        return ptx_check_fail(c, o->position, "must be %u register%s in braces", length, length == 1 ? "" : "s");
    const bool has_sinks =
        destination && (ptx_is(c->instruction->op, PTX_KIND_PRODUCT) || c->instruction->op == PTX_OP_LDMATRIX);
    if (has_sinks) HAUL_TRY(check_some(c, o, true));
    for (uint32_t i = 0; i < length; i++)
        if (!has_sinks || o->parts[i].kind != PTX_SINK)
            HAUL_TRY(check_scalar(c, &o->parts[i], ptx_fragment_type(type), destination));
    return HAUL_OK;
}

/* Addresses in tensor memory have 32 bits. */
static haul_status check_tensor_memory(const ptx_check *c, const ptx_operand *o) {
    if (o->kind != PTX_MEMORY) return ptx_check_fail(c, o->position, "must be an address in brackets");
    return check_scalar(c, &o->parts[0], PTX_B32, false);
}

/* The mask has a word for each warp of the participating blocks. */
static haul_status check_mask(const ptx_check *c, const ptx_operand *o, ptx_type type) {
    const uint32_t words = c->instruction->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2 ? 8 : 4;
    if (o->kind != PTX_VECTOR || o->part_count != words)
        return ptx_check_fail(c, o->position, "must be %u registers in braces", words);
    for (uint32_t i = 0; i < words; i++) HAUL_TRY(check_scalar(c, &o->parts[i], type, false));
    return HAUL_OK;
}

/* The slot's form decides: an address in tensor memory, a mask, a fragment, a vector, packed elements, or one value. */
static haul_status check_value(const ptx_check *c, const ptx_operand_slot *slot, const ptx_operand *o, ptx_type type) {
    bool destination = slot->role == PTX_ROLE_DESTINATION;
    if (slot->in_tensor_memory && o->kind == PTX_MEMORY) return check_tensor_memory(c, o);
    if (slot->mask) return check_mask(c, o, type);
    if (slot->fragment) return check_fragment(c, slot, o, type);
    if (slot->vector && ptx_vector_length(c->instruction) > 1) return check_vector(c, o, type, destination);
    if (slot->packed && o->kind == PTX_VECTOR) return check_packed(c, o, type, destination);
    if (slot->immediate && o->kind != PTX_INTEGER) return ptx_check_fail(c, o->position, "must be an integer constant");
    return check_scalar(c, o, type, destination);
}

/* Some results are pairs, `d|p`, and some may be `_`. */
static haul_status check_destination(const ptx_check *c, const ptx_operand_slot *slot, const ptx_operand *o,
                                     ptx_type type) {
    if (o->kind == PTX_SINK && slot->sink && !slot->pair_required) return HAUL_OK;
    if (o->kind == PTX_REGISTER && o->negated) return ptx_check_fail(c, o->position, "is a result: it takes no !");
    if (o->kind != PTX_PAIR) {
        if (slot->pair_required) return ptx_check_fail(c, o->position, "must be a register and a predicate: d|p");
        return check_value(c, slot, o, type);
    }
    if (!slot->pair) return ptx_check_fail(c, o->position, "must be one register");
    const ptx_operand *first = &o->parts[0], *second = &o->parts[1];
    if (!(slot->sink && first->kind == PTX_SINK)) HAUL_TRY(check_scalar(c, first, type, true));
    return slot->sink && second->kind == PTX_SINK ? HAUL_OK : check_scalar(c, second, PTX_PRED, true);
}

/* ---- memory ---- */

/* Without a state space, the variable's space counts. Constants and parameters must be named, as in ptxas 13.0. */
static haul_status check_nameless(const ptx_check *c, const ptx_operand *base) {
    const unsigned op = c->instruction->op;
    const ptx_space space = base->variable->space;
    const unsigned modifier = space == PTX_SPACE_CONST ? PTX_MOD_CONST : PTX_MOD_PARAM;
    const bool shared = space == PTX_SPACE_SHARED, global = space == PTX_SPACE_GLOBAL;
    if (ptx_has_shared_only(op)) return check_space(c, base, shared, "shared");
    if (op == PTX_OP_FENCE_TENSORMAP_ACQUIRE) return HAUL_OK;
    if (op == PTX_OP_PREFETCHU) return check_space(c, base, global, "global");
    if (ptx_is(op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION)) {
        const bool takes_shared = ptx_row_allows(op, PTX_MOD_SHARED);
        return check_space(c, base, global || (shared && takes_shared), takes_shared ? "global or .shared" : "global");
    }
    if (shared || global || space == PTX_SPACE_LOCAL) return HAUL_OK;
    if (!ptx_row_allows(op, modifier)) return check_space(c, base, false, "global, .shared or .local");
    return ptx_check_fail(c, base->position, "'%s' lies in .%s, which must be named: write '%s.%s'",
                          base->variable->name, ptx_space_names[space], ptx_ops[op].mnemonic, ptx_space_names[space]);
}

/* Checks the rules for accesses to variables in .param. */
static haul_status check_parameter(const ptx_check *c, const ptx_operand *o) {
    const ptx_instruction *i = c->instruction;
    const ptx_variable *v = o->variable;
    if (i->op == PTX_OP_LD && v->role == PTX_RESULT)
        return ptx_check_fail(c, o->position, "'%s' is the function's result, which it can only store to", v->name);
    if (i->op == PTX_OP_ST && (v->role == PTX_ENTRY_PARAMETER || v->role == PTX_FUNCTION_PARAMETER))
        return ptx_check_fail(c, o->position, "'%s' is a parameter, which can only be read: copy it first", v->name);
    if (i->guarded && is_passed(v))
        return ptx_check_fail(c, o->position,
                              "'%s' is passed by a call, so the access can have no guard: branch around it", v->name);
    return HAUL_OK;
}

/* The variable must lie in the space that the instruction names. */
static haul_status check_named(const ptx_check *c, const ptx_operand *o, ptx_space space) {
    const ptx_space has = o->variable->space;
    if (space == PTX_SPACE_GENERIC) return check_nameless(c, o);
    if (has == PTX_SPACE_PARAM && space == PTX_SPACE_PARAM) return check_parameter(c, o);
    return check_space(c, o, has == space, ptx_space_names[space]);
}

/* Addresses have 64 bits; in spaces that are small, such as shared memory, 32 are enough. */
static haul_status check_memory(const ptx_check *c, const ptx_operand *o, unsigned which) {
    if (o->kind != PTX_MEMORY) return ptx_check_fail(c, o->position, "must be an address in brackets");
    const ptx_operand *base = &o->parts[0];
    ptx_space space = ptx_space_of_memory(c->instruction, which);
    if (base->kind == PTX_INTEGER && space == PTX_SPACE_LOCAL) return HAUL_OK;
    if (base->kind == PTX_INTEGER)
        return ptx_check_fail(c, base->position, "can be a number in .local only: mov it into a register first");
    if (base->kind == PTX_VARIABLE_ADDRESS) return check_named(c, base, space);
    if (base->kind != PTX_REGISTER || base->negated)
        return ptx_check_fail(c, base->position, "must be a register or a variable");
    const ptx_register *r = &c->function->registers[base->reg];
    char kind = ptx_types[r->type].kind;
    const bool is_narrow_space = space != PTX_SPACE_GENERIC && space != PTX_SPACE_GLOBAL;
    const bool narrow = (is_narrow_space || ptx_has(c->instruction->op, PTX_TRAIT_SHARED)) && ptx_bits(r->type) == 32;
    if (kind != 'F' && kind != 'P' && (narrow || ptx_bits(r->type) == 64)) return HAUL_OK;
    return ptx_check_fail(c, base->position, "must be an address, '%s' is a .%s", r->name, ptx_types[r->type].name);
}

static haul_status check_coordinate(const ptx_check *c, const ptx_operand *o) {
    if (o->kind == PTX_INTEGER) return HAUL_OK;
    if (o->kind != PTX_REGISTER || o->negated)
        return ptx_check_fail(c, o->position, "must have integers as coordinates");
    const ptx_register *r = &c->function->registers[o->reg];
    if (ptx_bits(r->type) == 32 && ptx_types[r->type].kind != 'F') return HAUL_OK;
    return ptx_check_fail(c, o->position, "must have coordinates of 32 bits, '%s' is a .%s", r->name,
                          ptx_types[r->type].name);
}

/* The map's address is generic; there is one coordinate for each dimension. */
static haul_status check_tensor(const ptx_check *c, const ptx_operand *o) {
    unsigned dimensions = c->instruction->mods[PTX_SLOT_DIM] - PTX_MOD_DIM_1 + 1u;
    const unsigned mode = c->instruction->mods[PTX_SLOT_LOAD_MODE];
    const bool four_rows = mode == PTX_MOD_GATHER || mode == PTX_MOD_SCATTER;
    if (four_rows && dimensions != 2) return ptx_check_fail(c, o->position, "must have two dimensions: .2d");
    if (four_rows) dimensions = 5;
    if (o->kind != PTX_TENSOR)
        return ptx_check_fail(c, o->position, "must be a tensor map and coordinates: [map, {x, ...}]");
    const ptx_operand *base = &o->parts[0], *at = &o->parts[1];
    bool address = base->kind == PTX_INTEGER || base->kind == PTX_VARIABLE_ADDRESS;
    bool wide = base->kind == PTX_REGISTER && !base->negated &&
                ptx_bits(c->function->registers[base->reg].type) == 64 &&
                ptx_types[c->function->registers[base->reg].type].kind != 'F';
    if (!address && !wide) return ptx_check_fail(c, base->position, "must be the address of a tensor map");
    if (base->kind == PTX_VARIABLE_ADDRESS)
        HAUL_TRY(check_space(c, base, base->variable->space == PTX_SPACE_GLOBAL, "global"));
    if (at->part_count != dimensions)
        return ptx_check_fail(c, at->position, "must have %u coordinates, not %u", dimensions, at->part_count);
    for (uint32_t i = 0; i < at->part_count; i++) HAUL_TRY(check_coordinate(c, &at->parts[i]));
    return HAUL_OK;
}

/* There is one offset for each dimension but the first and the last; or the halo and its offset. */
static haul_status check_offsets(const ptx_check *c, const ptx_operand *o) {
    const unsigned mode = c->instruction->mods[PTX_SLOT_LOAD_MODE];
    const bool wide = mode == PTX_MOD_IM2COL_W || mode == PTX_MOD_IM2COL_W128;
    const unsigned count = wide ? 2 : c->instruction->mods[PTX_SLOT_DIM] - PTX_MOD_DIM_1 - 1u;
    if (o->kind != PTX_VECTOR || o->part_count != count)
        return ptx_check_fail(c, o->position, "must be %u offset%s in braces", count, count == 1 ? "" : "s");
    for (uint32_t i = 0; i < count; i++) HAUL_TRY(check_scalar(c, &o->parts[i], PTX_U16, false));
    return HAUL_OK;
}

/* ---- textures ---- */

static haul_status check_parts(const ptx_check *c, const ptx_operand *o, unsigned first, ptx_type type) {
    for (uint32_t i = first; i < o->part_count; i++) HAUL_TRY(check_scalar(c, &o->parts[i], type, false));
    return HAUL_OK;
}

/* Checks the handle and coordinates; a layered texture's layer comes first. */
static haul_status check_texture(const ptx_check *c, const ptx_operand *o) {
    const unsigned count = ptx_coordinate_count(c->instruction), layer = ptx_is_layered(c->instruction);
    if (o->kind != PTX_TENSOR || o->offset)
        return ptx_check_fail(c, o->position, "must be a texture or surface and coordinates: [handle, {x, ...}]");
    const ptx_operand *base = &o->parts[0], *at = &o->parts[1];
    if (base->kind != PTX_REGISTER || base->negated || ptx_bits(c->function->registers[base->reg].type) != 64 ||
        ptx_types[c->function->registers[base->reg].type].kind == 'F')
        return ptx_check_fail(c, base->position,
                              "must be the 64-bit handle of a texture or surface object, in a register");
    if (at->part_count != count)
        return ptx_check_fail(c, at->position, "must have %u coordinate%s here, not %u", count, count == 1 ? "" : "s",
                              at->part_count);
    if (layer) HAUL_TRY(check_scalar(c, &at->parts[0], PTX_U32, false));
    return check_parts(c, at, layer, ptx_coordinate_type(c->instruction));
}

/* There is one for each coordinate other than a layer; in three dimensions four, the last of which is ignored. */
static haul_status check_along(const ptx_check *c, const ptx_operand *o, ptx_type type) {
    const unsigned count = ptx_gradient_count(c->instruction);
    if (o->kind != PTX_VECTOR || o->part_count != count)
        return ptx_check_fail(c, o->position, "must be %u number%s in braces", count, count == 1 ? "" : "s");
    return check_parts(c, o, 0, type);
}

/* ---- by the slot's role ---- */

static haul_status check_operand(const ptx_check *c, const ptx_operand_slot *slot, const ptx_operand *o,
                                 unsigned memory) {
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

/* `memory` counts the operands in memory: the second one is the source. */
haul_status ptx_check_operands(ptx_check *c) {
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
