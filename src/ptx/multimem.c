/* Tables of multimem's operations, by type and vector length. */
#include "ptx/multimem.h"

#include "ptx/pattern.h"

/* Classes as in ptxas 13.0. */
typedef enum number_class { WHOLE, BITS, SINGLE, DOUBLE, HALF, QUARTER } number_class;

static number_class class_of(unsigned type) {
    switch (type) {
    case PTX_F32: return SINGLE;
    case PTX_F64: return DOUBLE;
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: return HALF;
    default: break;
    }
    return ptx_types[type].kind == 'F' ? QUARTER : ptx_types[type].kind == 'B' ? BITS : WHOLE;
}

/* Whether the operation exists for the class. multimem.red lacks some that multimem.ld_reduce has. */
static bool reduces(const ptx_instruction *i, number_class class) {
    const bool red = i->op == PTX_OP_MULTIMEM_RED;
    switch (i->mods[PTX_SLOT_ATOMIC]) {
    case PTX_MOD_ATOM_ADD: return class != BITS && i->type != PTX_S64 && !(red && class == QUARTER);
    case PTX_MOD_ATOM_MIN:
    case PTX_MOD_ATOM_MAX:
        if (class == HALF && red) return ptx_vector_length(i) > 1;
        return class == WHOLE || class == HALF || (class == QUARTER && !red);
    default: return class == BITS;
    }
}

/* .acc gives sums a wider format than the elements. */
static bool has_precision(const ptx_instruction *i, number_class class) {
    const unsigned precision = i->mods[PTX_SLOT_ACC_PREC];
    if (!precision) return true;
    return i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_ADD && class == (precision == PTX_MOD_ACC_F32 ? HALF : QUARTER);
}

/* An access is 4, 8 or 16 bytes, and only floats come as vectors. */
static bool has_size(const ptx_instruction *i, number_class class) {
    const unsigned length = ptx_vector_length(i), bits = length * ptx_bits(i->type);
    if (length > 1 && class != SINGLE && class != HALF && class != QUARTER) return false;
    return bits == 32 || bits == 64 || bits == 128;
}

const char *ptx_multimem_fault(const ptx_instruction *i) {
    const bool stores = i->op == PTX_OP_MULTIMEM_ST;
    if (!stores && i->op != PTX_OP_MULTIMEM_LD_REDUCE && i->op != PTX_OP_MULTIMEM_RED) return NULL;
    const number_class class = class_of(i->type);
    if (!has_size(i, class)) return "has no vectors of that type and length";
    if (!stores && !reduces(i, class)) return "has no such operation for that type";
    if (!has_precision(i, class)) return "has .acc::f32 for sums of halves, .acc::f16 for those of 8 bits";
    if (i->mods[PTX_SLOT_ORDER] == PTX_MOD_WEAK && i->mods[PTX_SLOT_SCOPE]) return "has no scope when it is weak";
    return NULL;
}
