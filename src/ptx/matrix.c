/* Shapes and fragments of matrix instructions, and which forms of them exist.
 *
 * A fragment is one lane's share of a matrix: as many registers as the matrix has bits over 32 lanes. Exceptions are in
 * one place, ptx_fragment_length(). The faults are the ends of sentences, as in forms.c. */
#include "ptx/matrix.h"

#include "ptx/pattern.h"
#include "ptx/tcgen05.h"
#include "ptx/traits.h"

/* ---- shapes ---- */

enum { GROUP_STEP = 8, WARP_ROWS = 16 };

/* The rows and columns that a shape modifier names; k is a modifier of its own. */
static ptx_shape plain_shape(unsigned modifier) {
    switch (modifier) {
    case PTX_MOD_M8N8: return (ptx_shape){8, 8, 0};
    case PTX_MOD_M16N8: return (ptx_shape){16, 8, 0};
    case PTX_MOD_M16N16: return (ptx_shape){16, 16, 0};
    case PTX_MOD_M8N32: return (ptx_shape){8, 32, 0};
    case PTX_MOD_M32N8: return (ptx_shape){32, 8, 0};
    }
    return (ptx_shape){0, 0, 0};
}

/* The depths double from K4 on, in the order of the modifiers. */
static uint16_t depth_of(unsigned modifier) {
    static const uint16_t depths[] = {4, 8, 16, 32, 64, 128, 256};
    return modifier ? depths[modifier - PTX_MOD_K4] : 0;
}

/* A warp of a warpgroup has 16 of the 64 rows of wgmma. */
ptx_shape ptx_shape_of(const ptx_instruction *i) {
    const unsigned group = i->mods[PTX_SLOT_GROUP_SHAPE];
    ptx_shape s = plain_shape(i->mods[PTX_SLOT_SHAPE]);
    if (group) s = (ptx_shape){WARP_ROWS, (uint16_t)(GROUP_STEP * (group - PTX_MOD_M64N8 + 1u)), 0};
    s.k = depth_of(i->mods[PTX_SLOT_DEPTH]);
    return s;
}

/* ---- fragments ---- */

enum { LANES = 32, REGISTER_BITS = 32, REPEATED_F16 = 8 };

ptx_type ptx_fragment_type(ptx_type element) {
    return element == PTX_F32 || element == PTX_F64 || element == PTX_S32 ? element : PTX_B32;
}

ptx_type ptx_element_type(const ptx_instruction *i, char which) {
    const ptx_pattern *pattern = ptx_pattern_of(i->op);
    for (unsigned o = 0; o < pattern->operand_count; o++)
        if (pattern->operands[o].fragment == which) return ptx_slot_type(&pattern->operands[o], i);
    /* wgmma has one operand for c and d, and of b the descriptor only. */
    if (which == 'b') return i->type3;
    return which == 'c' ? ptx_element_type(i, 'd') : PTX_TYPE_NONE;
}

/* The number of matrices that ldmatrix or stmatrix moves. */
static unsigned count_of(const ptx_instruction *i) {
    const unsigned count = i->mods[PTX_SLOT_MATRICES];
    return count == PTX_MOD_X4 ? 4 : count == PTX_MOD_X2 ? 2 : 1;
}

/* The registers of a lane that hold its share of a matrix; doubles take two each. */
static unsigned registers_for(unsigned rows, unsigned columns, ptx_type element) {
    const unsigned width = element == PTX_F64 ? 2 * REGISTER_BITS : REGISTER_BITS;
    return rows * columns * ptx_bits(element) / (LANES * width);
}

/* Returns the matrix that wmma.load and wmma.store are for. */
static char matrix_of(const ptx_instruction *i, char which) {
    if (i->op == PTX_OP_WMMA_LOAD_A) return 'a';
    return i->op == PTX_OP_WMMA_LOAD_B ? 'b' : which;
}

/* wmma repeats elements of 16-bit factors, so these take 8 registers whatever the shape. A sparse matrix a has half of
 * its columns stored. */
unsigned ptx_fragment_length(const ptx_instruction *i, char which) {
    const ptx_shape s = ptx_shape_of(i);
    const ptx_type element = ptx_element_type(i, which);
    if (i->op == PTX_OP_CVT_RANDOM_4) return 4;
    if (ptx_is_tcgen05(i)) return ptx_tmem_registers(i);
    if (i->op == PTX_OP_LDMATRIX_B8 || i->op == PTX_OP_LDMATRIX_UNPACKED_B8) return 2 * count_of(i);
    if (i->mods[PTX_SLOT_MATRICES]) return count_of(i);
    if (i->op == PTX_OP_MMA_QUAD) return which == 'a' || which == 'b' ? 2 : 4 * registers_for(s.m, s.n, element);
    which = matrix_of(i, which);
    const bool factor = which == 'a' || which == 'b';
    if (ptx_has(i->op, PTX_TRAIT_WMMA) && factor && element == PTX_F16) return REPEATED_F16;
    if (!factor) return registers_for(s.m, s.n, element);
    if (which == 'b') return registers_for(s.n, s.k, element);
    return registers_for(s.m, ptx_is_sparse(i) ? s.k / 2 : s.k, element);
}

bool ptx_is_sparse(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_SPARSE] != PTX_MOD_NONE;
}

bool ptx_is_warpgroup_product(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_WARPGROUP_PRODUCT);
}

/* ---- forms ---- */

static bool is_shape(const ptx_instruction *i, unsigned shape, unsigned depth) {
    return i->mods[PTX_SLOT_SHAPE] == shape && i->mods[PTX_SLOT_DEPTH] == depth;
}

static bool is_wide_wmma(const ptx_instruction *i) {
    return is_shape(i, PTX_MOD_M16N16, PTX_MOD_K16) || is_shape(i, PTX_MOD_M8N32, PTX_MOD_K16) ||
           is_shape(i, PTX_MOD_M32N8, PTX_MOD_K16);
}

/* The shapes that wmma has for an element type of a or b. */
static bool has_factor(const ptx_instruction *i, unsigned type) {
    switch (type) {
    case PTX_TF32: return is_shape(i, PTX_MOD_M16N16, PTX_MOD_K8);
    case PTX_F64: return is_shape(i, PTX_MOD_M8N8, PTX_MOD_K4);
    case PTX_U4:
    case PTX_S4: return is_shape(i, PTX_MOD_M8N8, PTX_MOD_K32);
    case PTX_B1: return is_shape(i, PTX_MOD_M8N8, PTX_MOD_K128);
    default: return is_wide_wmma(i);
    }
}

/* ... of c or d. */
static bool has_sum(const ptx_instruction *i, unsigned type) {
    switch (type) {
    case PTX_F16: return is_wide_wmma(i);
    case PTX_F32: return is_wide_wmma(i) || has_factor(i, PTX_TF32);
    case PTX_F64: return has_factor(i, PTX_F64);
    default: return is_wide_wmma(i) || has_factor(i, PTX_S4) || has_factor(i, PTX_B1);
    }
}

/* The type that wmma sums products of this type in. */
static unsigned sum_of(unsigned factor) {
    switch (factor) {
    case PTX_BF16:
    case PTX_TF32: return PTX_F32;
    case PTX_F64: return PTX_F64;
    default: return PTX_S32;
    }
}

static const char *wmma_fault(const ptx_instruction *i) {
    if (i->type2 != i->type3) return "needs matrices a and b of one type";
    if (!has_factor(i, i->type2)) return "has no such shape for this type";
    if (i->type != sum_of(i->type2) || i->type4 != i->type)
        return "has other types of c and d for this type of a and b";
    if (i->mods[PTX_SLOT_ROUND] && i->type != PTX_F64) return "rounds by a modifier only for .f64";
    return i->mods[PTX_SLOT_SATFINITE] && i->type != PTX_S32 ? ".satfinite goes with integers only" : NULL;
}

/* Checks wmma.load and wmma.store; `factor` says that the matrix is a or b. */
static const char *memory_fault(const ptx_instruction *i, bool factor) {
    const bool narrow = ptx_bits(i->type) < 8;
    const unsigned wanted = i->op == PTX_OP_WMMA_LOAD_A ? PTX_MOD_A_ROW : PTX_MOD_A_COL;
    if (!(factor ? has_factor(i, i->type) : has_sum(i, i->type))) return "has no such shape for this type";
    if (narrow && i->mods[PTX_SLOT_LAYOUT_A] != wanted)
        return "takes elements of less than a byte by rows of a, columns of b";
    return NULL;
}

/* c and d have the same type; only the oldest mma mixes them, with d in f32. */
static const char *sum_fault(const ptx_instruction *i) {
    const bool quad = i->op == PTX_OP_MMA_QUAD;
    if (i->type == i->type4 || (quad && i->type == PTX_F32)) return NULL;
    return "has no such types of c and d together";
}

/* 8 rows go with the smaller depth only. */
static const char *depth_fault(const ptx_instruction *i, unsigned smaller) {
    const bool small = i->mods[PTX_SLOT_SHAPE] == PTX_MOD_M8N8;
    return small && i->mods[PTX_SLOT_DEPTH] != smaller ? "has no such shape" : NULL;
}

static bool is_sign(const ptx_operand *o) {
    return o->kind == PTX_INTEGER && (o->bits == 1 || (int32_t)o->bits == -1);
}

static bool is_flag(const ptx_operand *o) {
    return o->kind == PTX_INTEGER && o->bits <= 1;
}

/* The threads of each four that have metadata: one, a pair, or all of them. */
static unsigned most_selector(const ptx_instruction *i) {
    const unsigned bits = ptx_bits(i->type2), words = ptx_shape_of(i).k * bits / 128;
    if (bits >= 16) return words == 2 ? 3 : 1;
    return words == 2 ? 1 : 0;
}

/* `selector` is the number of the selector's operand; the metadata come before it. */
static const char *sparse_fault(const ptx_instruction *i, unsigned selector) {
    static const char *const faults[] = {
        [0] = "takes 0 as sparsity selector: all threads have metadata",
        [1] = "takes 0 or 1 as sparsity selector: pairs of threads have metadata",
        [3] = "takes 0 to 3 as sparsity selector",
    };
    const unsigned most = most_selector(i);
    if (i->operands[selector - 1].kind != PTX_REGISTER) return "takes the metadata from a register";
    return i->operands[selector].bits > most ? faults[most] : NULL;
}

/* Checks wgmma. Its operands end with signs, and for 16-bit types with a transposition for each matrix in shared
 * memory. */
static const char *warpgroup_fault(const ptx_instruction *i) {
    enum { A = 1, SELECTOR = 4, SPARSE_OPERANDS = 2 };
    const unsigned signs = ptx_is_sparse(i) ? 4 + SPARSE_OPERANDS : 4, transposes = signs + 2;
    const unsigned n = ptx_shape_of(i).n, count = i->operand_count;
    const bool integers = i->type == PTX_S32, in_memory = i->operands[A].kind != PTX_VECTOR;
    const bool halves = ptx_bits(i->type2) == 16;
    if (integers && n > 32 && n % 16) return "has no such shape for integers";
    if (halves && i->type2 != i->type3) return "needs matrices a and b of one type";
    if (i->type2 == PTX_BF16 && i->type != PTX_F32) return "sums .bf16 in .f32 only";
    for (unsigned o = signs; o < count && o < transposes; o++)
        if (!is_sign(&i->operands[o])) return "takes 1 or -1 as signs of a and b";
    if (halves && count != transposes + 1u + in_memory)
        return "takes a flag for each matrix in shared memory that says whether it is transposed";
    for (unsigned o = transposes; o < count; o++)
        if (!is_flag(&i->operands[o])) return "takes 0 or 1 as transposition";
    return ptx_is_sparse(i) ? sparse_fault(i, SELECTOR) : NULL;
}

static const char *sparse_mma_fault(const ptx_instruction *i) {
    enum { SELECTOR = 5 };
    const char *fault = sum_fault(i);
    return fault ? fault : sparse_fault(i, SELECTOR);
}

const char *ptx_matrix_fault(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_MMA_QUAD:
    case PTX_OP_MMA_F16:
    case PTX_OP_MMA_FP8: return sum_fault(i);
    case PTX_OP_MMA_F64: return depth_fault(i, PTX_MOD_K4);
    case PTX_OP_MMA_INT8: return depth_fault(i, PTX_MOD_K16);
    case PTX_OP_MMA_INT4: return depth_fault(i, PTX_MOD_K32);
    case PTX_OP_MMA_BITS: return depth_fault(i, PTX_MOD_K128);
    case PTX_OP_WMMA_LOAD_A:
    case PTX_OP_WMMA_LOAD_B: return memory_fault(i, true);
    case PTX_OP_WMMA_LOAD_C:
    case PTX_OP_WMMA_STORE: return memory_fault(i, false);
    case PTX_OP_WMMA: return wmma_fault(i);
    default: break;
    }
    if (ptx_is_warpgroup_product(i)) return warpgroup_fault(i);
    return ptx_is(i->op, PTX_KIND_PRODUCT) && ptx_is_sparse(i) ? sparse_mma_fault(i) : NULL;
}
