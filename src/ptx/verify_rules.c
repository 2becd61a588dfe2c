/* Rules of single instructions that isa.def cannot express: combinations of modifiers, types and numbers, and their
 * targets.
 *
 * Each rule looks at every instruction and returns at once if it is not concerned, so rules can be shared by rows. The
 * order decides which of several faults is reported. Rules that concern one row only, and need no target, are in
 * forms.c. */
#include "ptx/matrix.h"
#include "ptx/forms.h"
#include "ptx/multimem.h"
#include "ptx/pattern.h"
#include "ptx/spaces.h"
#include "ptx/tcgen05.h"
#include "ptx/traits.h"
#include "ptx/verify.h"
#include "ptx/video.h"

#include <string.h>

/* Returns whether a kind of type has the comparison: untyped ones have equality alone, unsigned ones lo to hs, floats
 * all others. */
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

static haul_status check_compare(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    unsigned compare = i->mods[PTX_SLOT_COMPARE];
    unsigned type = i->type2 ? i->type2 : i->type;
    if (!compare || compares_type(compare, ptx_types[type].kind)) return HAUL_OK;
    return ptx_check_fail(c, i->position, ".%s does not compare .%s", ptx_modifier_names[compare],
                          ptx_types[type].name);
}

static bool is_float(unsigned type) {
    return ptx_types[type].kind == 'F';
}

/* If a conversion can lose something, PTX requires a rounding modifier. */
static haul_status check_conversion(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_CVT) return HAUL_OK;
    unsigned round = i->mods[PTX_SLOT_ROUND];
    bool to_integer_value = round >= PTX_MOD_RNI && round <= PTX_MOD_RPI;
    bool narrows = is_float(i->type) && is_float(i->type2) && ptx_bits(i->type) < ptx_bits(i->type2);
    bool needs = is_float(i->type) != is_float(i->type2) || narrows;
    if (needs && !round) return ptx_check_fail(c, i->position, "needs a rounding modifier");
    if (round && !is_float(i->type) && !is_float(i->type2))
        return ptx_check_fail(c, i->position, "between integers does not round");
    if (is_float(i->type2) && !is_float(i->type) && !to_integer_value)
        return ptx_check_fail(c, i->position, "to an integer rounds by .rni, .rzi, .rmi or .rpi");
    if (is_float(i->type) && to_integer_value && i->type != i->type2)
        return ptx_check_fail(c, i->position, ".%s is for integers, or for one floating type",
                              ptx_modifier_names[round]);
    return HAUL_OK;
}

/* Returns whether an atomic operation has the type. */
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

static haul_status check_atomic(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    unsigned operation = i->mods[PTX_SLOT_ATOMIC];
    if (i->op != PTX_OP_ATOM && i->op != PTX_OP_RED) return HAUL_OK;
    bool only_atom = operation == PTX_MOD_ATOM_EXCH || operation == PTX_MOD_ATOM_CAS;
    if (!is_atomic_type(operation, i->type) || (i->op == PTX_OP_RED && only_atom))
        return ptx_check_fail(c, i->position, "has no .%s for .%s", ptx_modifier_names[operation],
                              ptx_types[i->type].name);
    if (i->type == PTX_B128 && !only_atom)
        return ptx_check_fail(c, i->position, ".b128 is exchanged, or compared and swapped");
    bool two = i->op == PTX_OP_ATOM && i->operand_count > 3 && i->operands[3].kind != PTX_ABSENT;
    if (i->op == PTX_OP_ATOM && two != (operation == PTX_MOD_ATOM_CAS))
        return ptx_check_fail(c, i->position, ".%s takes %s", ptx_modifier_names[operation],
                              two ? "one value" : "a value to compare with and a new one");
    return HAUL_OK;
}

/* Sums of halves, and minima and maxima of vectors, have no flushing form: they must say .noftz. */
static haul_status check_noftz(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const bool bulk = i->op == PTX_OP_CP_REDUCE_BULK, sum = i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_ADD;
    const bool vector = i->op == PTX_OP_RED_VECTOR || i->op == PTX_OP_ATOM_VECTOR;
    const bool sums = sum && (bulk || i->op == PTX_OP_RED || i->op == PTX_OP_ATOM);
    const bool half = is_float(i->type) && i->type != PTX_F32 && i->type != PTX_F64;
    if (half && (sums || vector) && !i->mods[PTX_SLOT_NOFTZ])
        return ptx_check_fail(c, i->position, "needs .noftz for .%s", ptx_types[i->type].name);
    if (bulk && !sum && i->mods[PTX_SLOT_NOFTZ]) return ptx_check_fail(c, i->position, "has .noftz for .add only");
    return HAUL_OK;
}

static haul_status check_vector_atomic(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_RED_VECTOR && i->op != PTX_OP_ATOM_VECTOR) return HAUL_OK;
    if (i->type == PTX_F32 && i->mods[PTX_SLOT_ATOMIC] != PTX_MOD_ATOM_ADD)
        return ptx_check_fail(c, i->position, "has only .add for .f32");
    return HAUL_OK;
}

/* Bulk reductions have the operations of atomics and sums of halves, but no signed 64-bit sum, like atom and red. */
static bool is_bulk_reduction(unsigned operation, unsigned type) {
    bool half = type == PTX_F16 || type == PTX_BF16;
    if (operation == PTX_MOD_ATOM_ADD) return type != PTX_S64 && is_atomic_type(operation, type);
    return is_atomic_type(operation, type) ||
           (half && (operation == PTX_MOD_ATOM_MIN || operation == PTX_MOD_ATOM_MAX));
}

static haul_status check_bulk_reduction(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    unsigned operation = i->mods[PTX_SLOT_ATOMIC];
    if (i->op != PTX_OP_CP_REDUCE_BULK && i->op != PTX_OP_CP_REDUCE_SHARED) return HAUL_OK;
    bool narrow = i->op == PTX_OP_CP_REDUCE_BULK || ptx_bits(i->type) == 32 || operation == PTX_MOD_ATOM_ADD;
    if (narrow && is_bulk_reduction(operation, i->type)) return HAUL_OK;
    return ptx_check_fail(c, i->position, "has no .%s for .%s", ptx_modifier_names[operation], ptx_types[i->type].name);
}

enum { FEWEST_REGISTERS = 24, MOST_REGISTERS = 256, REGISTER_UNIT = 8 };

static haul_status check_register_count(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_SETMAXNREG) return HAUL_OK;
    uint64_t n = i->operands[0].bits;
    if (n >= FEWEST_REGISTERS && n <= MOST_REGISTERS && n % REGISTER_UNIT == 0) return HAUL_OK;
    return ptx_check_fail(c, i->operands[0].position, "takes a multiple of %d from %d to %d, not %llu", REGISTER_UNIT,
                          FEWEST_REGISTERS, MOST_REGISTERS, (unsigned long long)n);
}

static haul_status check_copy_size(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_CP_ASYNC) return HAUL_OK;
    uint64_t size = i->operands[2].bits;
    if (i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG && size != 16)
        return ptx_check_fail(c, i->operands[2].position, ".cg copies 16 bytes, not %llu", (unsigned long long)size);
    if (size == 4 || size == 8 || size == 16) return HAUL_OK;
    return ptx_check_fail(c, i->operands[2].position, "copies 4, 8 or 16 bytes, not %llu", (unsigned long long)size);
}

enum { BARRIERS = 16 };

static haul_status check_vector_size(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const unsigned most = ptx_most_bytes(i), bytes = ptx_vector_length(i) * ptx_bits(i->type) / 8;
    if (bytes <= most) return HAUL_OK;
    return ptx_check_fail(c, i->position, "moves at most %u bytes here, not %u", most, bytes);
}

static haul_status check_priority(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const bool moves = i->op == PTX_OP_LD || i->op == PTX_OP_ST;
    if (!moves || !i->mods[PTX_SLOT_EVICT_L2] || ptx_vector_length(i) * ptx_bits(i->type) == 8 * PTX_WIDE_ACCESS)
        return HAUL_OK;
    return ptx_check_fail(c, i->position, "has .%s for 32 bytes only", ptx_modifier_names[i->mods[PTX_SLOT_EVICT_L2]]);
}

static haul_status check_filling(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_ST_BULK || i->operands[2].bits == 0) return HAUL_OK;
    return ptx_check_fail(c, i->operands[2].position, "stores 0 only");
}

/* The barrier's number is after the result of those that have one. */
static const ptx_operand *barrier_operand(const ptx_instruction *i) {
    return &i->operands[ptx_pattern_of(i->op)->operands[0].role == PTX_ROLE_DESTINATION];
}

static haul_status check_barrier(const ptx_check *c) {
    enum { WARP = 32 };
    const ptx_instruction *i = c->instruction;
    if (!ptx_is(i->op, PTX_KIND_BARRIER)) return HAUL_OK;
    const ptx_operand *o = barrier_operand(i);
    const ptx_operand *count = o + 1;
    if (o->kind == PTX_INTEGER && o->bits >= BARRIERS)
        return ptx_check_fail(c, o->position, "barriers are numbered from 0 to %d", BARRIERS - 1);
    if (count >= i->operands + i->operand_count || count->kind != PTX_INTEGER || count->bits % WARP == 0)
        return HAUL_OK;
    return ptx_check_fail(c, count->position, "barriers count whole warps: %llu is not a multiple of %d",
                          (unsigned long long)count->bits, WARP);
}

/* A memory order that involves other threads must name its scope. */
static haul_status check_order(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    unsigned order = i->mods[PTX_SLOT_ORDER];
    bool weak = !order || order == PTX_MOD_WEAK || order == PTX_MOD_VOLATILE;
    bool scoped = i->mods[PTX_SLOT_SCOPE];
    if (!ptx_has(i->op, PTX_TRAIT_SCOPED) || order == PTX_MOD_MMIO || weak == !scoped) return HAUL_OK;
    if (scoped) return ptx_check_fail(c, i->position, "a scope needs .relaxed, .acquire or .release");
    return ptx_check_fail(c, i->position, ".%s needs a scope", ptx_modifier_names[order]);
}

/* cvt had types of 8 bits on sm_90 before it had them on sm_89. */
static haul_status check_fp8(const ptx_check *c) {
    enum { FIRST_SM = 89, FIRST_VERSION = 81 };
    const ptx_instruction *i = c->instruction;
    const bool packs = i->op == PTX_OP_CVT_FP8 || i->op == PTX_OP_CVT_PACK_FP8;
    if (!packs || c->module->sm != FIRST_SM || c->module->version >= FIRST_VERSION) return HAUL_OK;
    return ptx_check_fail(c, i->position, "on sm_89 needs PTX ISA 8.1 (the module says .version %u.%u): raise .version",
                          c->module->version / 10, c->module->version % 10);
}

static bool was_without_sync(const ptx_instruction *i) {
    return i->op == PTX_OP_SHFL || i->op == PTX_OP_VOTE || i->op == PTX_OP_VOTE_BALLOT;
}

enum { FIRST_SM_THAT_DIVERGES = 70, FIRST_VERSION_THAT_MINDS = 64 };

/* shfl and vote without .sync rely on lanes in lockstep, which newer targets do not promise. */
static haul_status check_sync(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const ptx_module *m = c->module;
    const bool minds = m->sm >= FIRST_SM_THAT_DIVERGES && m->version >= FIRST_VERSION_THAT_MINDS;
    if (!was_without_sync(i) || i->mods[PTX_SLOT_SYNC] || !minds) return HAUL_OK;
    return ptx_check_fail(c, i->position, "needs .sync from sm_70 and PTX ISA 6.4 on");
}

/* Only some forms have a second result, a predicate. */
static haul_status check_second_result(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    bool one_half = (i->op == PTX_OP_HSETP || i->op == PTX_OP_HSETP_COMBINE) && ptx_bits(i->type) == 16;
    bool any = i->op == PTX_OP_MATCH && i->mods[PTX_SLOT_MODE] == PTX_MOD_ANY;
    if ((!one_half && !any) || i->operands[0].kind != PTX_PAIR) return HAUL_OK;
    return ptx_check_fail(c, i->operands[0].position, "has one result here");
}

static haul_status check_reduction(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_REDUX || is_atomic_type(i->mods[PTX_SLOT_ATOMIC], i->type)) return HAUL_OK;
    return ptx_check_fail(c, i->position, "has no .%s for .%s", ptx_modifier_names[i->mods[PTX_SLOT_ATOMIC]],
                          ptx_types[i->type].name);
}

/* Takes three values, or two and .xorsign.abs. */
static haul_status check_choice(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_FMIN && i->op != PTX_OP_FMAX) return HAUL_OK;
    const bool three = i->operand_count > 3;
    if (i->mods[PTX_SLOT_ABS] && !three) return ptx_check_fail(c, i->position, "with two values .abs needs .xorsign");
    if (!three) return HAUL_OK;
    if (i->type == PTX_F64) return ptx_check_fail(c, i->position, "takes two values of .f64");
    if (i->mods[PTX_SLOT_XORSIGN]) return ptx_check_fail(c, i->position, "takes two values with .xorsign");
    return HAUL_OK;
}

static haul_status check_form(const ptx_check *c) {
    const char *fault = ptx_form_fault(c->instruction);
    return fault ? ptx_check_fail(c, c->instruction->position, "%s", fault) : HAUL_OK;
}

/* Conversions between .bf16 and integers of 8 bits take no wider register for the integer, as others do. */
static haul_status check_brain_byte(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_CVT || (i->type != PTX_BF16 && i->type2 != PTX_BF16)) return HAUL_OK;
    const unsigned other = i->type == PTX_BF16 ? i->type2 : i->type;
    const ptx_operand *o = &i->operands[i->type == PTX_BF16];
    if (ptx_bits(other) != 8 || o->kind != PTX_REGISTER || ptx_bits(c->function->registers[o->reg].type) == 8)
        return HAUL_OK;
    return ptx_check_fail(c, o->position, "between .bf16 and integers of 8 bits needs a register of 8 bits");
}

static haul_status check_multimem(const ptx_check *c) {
    const char *fault = ptx_multimem_fault(c->instruction);
    return fault ? ptx_check_fail(c, c->instruction->position, "%s", fault) : HAUL_OK;
}

static haul_status check_video(const ptx_check *c) {
    const char *fault = ptx_is_video(c->instruction) ? ptx_video_fault(c->instruction) : NULL;
    return fault ? ptx_check_fail(c, c->instruction->position, "%s", fault) : HAUL_OK;
}

static haul_status check_prefetch(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    bool level = i->mods[PTX_SLOT_LEVEL], priority = i->mods[PTX_SLOT_EVICT_L2];
    if (i->op != PTX_OP_PREFETCH || level != priority) return HAUL_OK;
    return ptx_check_fail(c, i->position, "needs .L1, .L2 or a priority in L2");
}

static haul_status check_expected_bytes(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (!ptx_is(i->op, PTX_KIND_MBARRIER_ARRIVAL) || !i->mods[PTX_SLOT_EXPECT_TX] || i->operand_count > 2)
        return HAUL_OK;
    return ptx_check_fail(c, i->position, ".expect_tx takes a number of bytes");
}

enum { LINE_BYTES = 128 };

static haul_status check_line_size(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_DISCARD && i->op != PTX_OP_APPLYPRIORITY) return HAUL_OK;
    if (i->operands[1].bits == LINE_BYTES) return HAUL_OK;
    return ptx_check_fail(c, i->operands[1].position, "is for %d bytes", LINE_BYTES);
}

static haul_status check_saturation(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    bool low = (i->op == PTX_OP_MAD || i->op == PTX_OP_MAD24) && i->mods[PTX_SLOT_MODE] == PTX_MOD_LO;
    if (!i->mods[PTX_SLOT_SAT] || !low) return HAUL_OK;
    return ptx_check_fail(c, i->position, ".sat goes with .hi.s32 only");
}

/* Addresses and strides of a tensor map have 64 bits, other fields 32. */
static haul_status check_tensor_field(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const unsigned field = i->mods[PTX_SLOT_FIELD];
    const bool wide = field == PTX_MOD_FIELD_ADDRESS || field == PTX_MOD_FIELD_PITCH;
    if (!field) return HAUL_OK;
    if (wide == (i->type == PTX_B64)) return HAUL_OK;
    return ptx_check_fail(c, i->position, ".%s takes .%s", ptx_modifier_names[field], wide ? "b64" : "b32");
}

/* A fetch gives four elements, or two pairs of halves. */
static haul_status check_texel(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const bool cube = i->mods[PTX_SLOT_GEOMETRY] >= PTX_MOD_GEOMETRY_CUBE, pairs = i->type == PTX_F16X2;
    if (i->op != PTX_OP_TEX && i->op != PTX_OP_TEX_LEVEL && i->op != PTX_OP_TEX_GRADIENTS) return HAUL_OK;
    if (cube && i->type2 != PTX_F32) return ptx_check_fail(c, i->position, "takes the coordinates of a cube as .f32");
    if (pairs == (i->mods[PTX_SLOT_VECTOR] == PTX_MOD_V2)) return HAUL_OK;
    return ptx_check_fail(c, i->position, pairs ? ".f16x2 goes with .v2" : "gives four elements: .v4");
}

/* The fraction of lines that a constant names. */
static haul_status check_fraction(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->op != PTX_OP_CREATEPOLICY_FRACTIONAL || i->operand_count < 2) return HAUL_OK;
    const ptx_operand *o = &i->operands[1];
    const uint32_t bits = (uint32_t)o->bits; /* the parser has made it a float */
    float value;
    memcpy(&value, &bits, sizeof value);
    if (o->kind != PTX_FLOATING || (value > 0 && value <= 1)) return HAUL_OK;
    return ptx_check_fail(c, o->position, "must be more than 0 and at most 1, not %g", (double)value);
}

haul_status ptx_check_matrix(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const char *fault = ptx_is_tcgen05(i) ? ptx_tcgen05_fault(i) : ptx_matrix_fault(i);
    return fault ? ptx_check_fail(c, i->position, "%s", fault) : HAUL_OK;
}

haul_status ptx_check_rules(const ptx_check *c) {
    static haul_status (*const rules[])(const ptx_check *) = {
        check_compare,       check_conversion,     check_atomic,         check_copy_size,
        check_vector_size,   check_barrier,        check_saturation,     check_order,
        check_fp8,           check_sync,           check_second_result,  check_reduction,
        check_prefetch,      check_expected_bytes, check_line_size,      check_noftz,
        check_vector_atomic, check_bulk_reduction, check_register_count, check_tensor_field,
        check_choice,        check_priority,       check_filling,        check_video,
        check_texel,         check_multimem,       check_form,           check_fraction,
        check_brain_byte,
    };
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) HAUL_TRY(rules[r](c));
    return HAUL_OK;
}
