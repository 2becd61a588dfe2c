/* Forms of tcgen05 instructions: sizes of fragments in tensor memory, and combinations of modifiers that do not exist.
 * The faults are the ends of sentences, as in forms.c. */
#include "ptx/tcgen05.h"

#include "ptx/traits.h"

bool ptx_is_tcgen05(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_TENSOR_MEMORY | PTX_KIND_TENSOR_PRODUCT);
}

bool ptx_is_tensor_product(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_TENSOR_PRODUCT);
}

/* ---- loads and stores ---- */

enum { MOST_REGISTERS = 128 };

/* Returns how often tcgen05.ld and .st repeat their shape. */
static unsigned repeats_of(const ptx_instruction *i) {
    return 1u << (i->mods[PTX_SLOT_REPEAT] - PTX_MOD_REPEAT_1);
}

unsigned ptx_tmem_registers(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_TMEM_SHAPE]) {
    case PTX_MOD_T16X128B: return 2 * repeats_of(i);
    case PTX_MOD_T16X256B: return 4 * repeats_of(i);
    default: return repeats_of(i);
    }
}

/* `half`: the number of the operand with the second half's offset. */
static const char *access_fault(const ptx_instruction *i, unsigned half) {
    const bool splits = i->mods[PTX_SLOT_TMEM_SHAPE] == PTX_MOD_T16X32BX2;
    const bool says = i->operand_count > half && i->operands[half].kind != PTX_ABSENT;
    if (ptx_tmem_registers(i) > MOST_REGISTERS) return "has at most 128 registers";
    return splits == says ? NULL : "takes the offset of a second half with .16x32bx2, and only then";
}

/* ---- allocation and copies ---- */

static const char *columns_fault(const ptx_operand *columns) {
    const bool wrong = columns->kind == PTX_INTEGER && !ptx_is_column_count(columns->bits);
    return wrong ? "takes a power of two from 32 to 512 as number of columns" : NULL;
}

/* Some shapes of tcgen05.cp are for two or four warps. */
static const char *copy_fault(const ptx_instruction *i) {
    const unsigned shape = i->mods[PTX_SLOT_COPY_SHAPE], warps = i->mods[PTX_SLOT_WARPS];
    if (shape == PTX_MOD_C64X128B)
        return warps == PTX_MOD_WARPS_02_13 || warps == PTX_MOD_WARPS_01_23 ? NULL : "needs .warpx2 with .64x128b";
    if (shape == PTX_MOD_C32X128B) return warps == PTX_MOD_WARPS_ALL ? NULL : "needs .warpx4 with .32x128b";
    return warps ? "has this shape for all lanes only" : NULL;
}

/* ---- products ---- */

/* .ashift moves the rows of a matrix a that lies in tensor memory. */
static const char *shift_fault(const ptx_instruction *i) {
    enum { A = 1 };
    const unsigned collector = i->mods[PTX_SLOT_COLLECTOR];
    if (!i->mods[PTX_SLOT_ASHIFT]) return NULL;
    if (i->operands[A].kind != PTX_MEMORY) return "shifts a matrix a in tensor memory only";
    return collector == PTX_MOD_COLLECTOR_A_USE || collector == PTX_MOD_COLLECTOR_A_FILL
               ? "with .ashift is neither .collector::a::use nor ::fill"
               : NULL;
}

/* `scale`: its operand, after all others. */
static const char *input_scale_fault(const ptx_instruction *i, unsigned scale) {
    enum { MOST_SCALE = 15 };
    const unsigned kind = i->mods[PTX_SLOT_KIND];
    if (i->operand_count <= scale || i->operands[scale].kind == PTX_ABSENT) return NULL;
    if (kind != PTX_MOD_KIND_F16 && kind != PTX_MOD_KIND_TF32) return "scales d for .kind::f16 and .kind::tf32 only";
    return i->operands[scale].bits > MOST_SCALE ? "takes 0 to 15 as scale of d" : NULL;
}

/* The number of scales that an element block may have depends on the kind. */
static const char *scale_vector_fault(const ptx_instruction *i) {
    const unsigned kind = i->mods[PTX_SLOT_KIND], scale = i->mods[PTX_SLOT_SCALE_VEC];
    const bool ones = scale == PTX_MOD_SCALE_VEC_1X, twos = scale == PTX_MOD_SCALE_VEC_2X;
    const bool by_32 = scale == PTX_MOD_SCALE_BLOCK_32 || !scale;
    if (kind == PTX_MOD_KIND_MXF4NVF4) {
        if (!scale) return "needs a .scale_vec with .kind::mxf4nvf4";
        return ones ? "has no such .scale_vec for this kind" : NULL;
    }
    if (by_32 || (kind == PTX_MOD_KIND_MXF4 ? twos : ones)) return NULL;
    return "has no such .scale_vec for this kind";
}

const char *ptx_tcgen05_fault(const ptx_instruction *i) {
    enum { LOAD_HALF = 2, STORE_HALF = 1, COLUMNS = 1, SCALE = 6, SPARSE_SCALE = 7 };
    const bool sparse = i->op == PTX_OP_TMEM_MMA_SP;
    const char *fault;
    switch (i->op) {
    case PTX_OP_TMEM_ALLOC:
    case PTX_OP_TMEM_DEALLOC: return columns_fault(&i->operands[COLUMNS]);
    case PTX_OP_TMEM_LD: return access_fault(i, LOAD_HALF);
    case PTX_OP_TMEM_ST: return access_fault(i, STORE_HALF);
    case PTX_OP_TMEM_CP: return copy_fault(i);
    case PTX_OP_TMEM_MMA_SCALED:
    case PTX_OP_TMEM_MMA_SP_SCALED: return scale_vector_fault(i);
    case PTX_OP_TMEM_MMA:
    case PTX_OP_TMEM_MMA_SP:
        fault = shift_fault(i);
        return fault ? fault : input_scale_fault(i, sparse ? SPARSE_SCALE : SCALE);
    default: return NULL;
    }
}
