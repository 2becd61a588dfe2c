/* Rules about single instructions that a row of isa.def cannot express: which modifiers, types and constants go
 * together.
 *
 * Each function looks at an instruction that already matches its row, and returns the end of a sentence that begins
 * with the instruction's name, or NULL. The verifier makes the message of it. Rules shared by many instructions, or
 * that depend on the module's target, are in verify_rules.c. */
#include "ptx/forms.h"

#include "ptx/pattern.h"

static bool is_half(unsigned type) {
    return type == PTX_F16 || type == PTX_BF16;
}

static bool is_pair(unsigned type) {
    return type == PTX_F16X2 || type == PTX_BF16X2;
}

/* Returns whether operand `number` is a constant above `most`. */
static bool exceeds(const ptx_instruction *i, unsigned number, uint64_t most) {
    return number < i->operand_count && i->operands[number].kind == PTX_INTEGER && i->operands[number].bits > most;
}

/* ---- arithmetic ---- */

static const char *fault_of_sum(const ptx_instruction *i) {
    const bool halves = i->type == PTX_U16X2 || i->type == PTX_S16X2;
    const bool packed = halves || i->type == PTX_U8X4 || i->type == PTX_S8X4;
    const bool constant = i->operands[1].kind == PTX_INTEGER || i->operands[2].kind == PTX_INTEGER;
    return packed && constant ? "takes packed values from registers" : NULL;
}

enum { MAX_BITS = 255 };

static const char *fault_of_field(const ptx_instruction *i) {
    const unsigned position = i->op == PTX_OP_BFE ? 2 : 3;
    return exceeds(i, position, MAX_BITS) || exceeds(i, position + 1, MAX_BITS)
               ? "takes constants up to 255 as position and length"
               : NULL;
}

static const char *fault_of_half(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_SAT] && i->mods[PTX_SLOT_RELU] ? "has .sat or .relu, not both" : NULL;
}

static const char *fault_of_half_power(const ptx_instruction *i) {
    const bool brain = i->type == PTX_BF16 || i->type == PTX_BF16X2;
    return brain && !i->mods[PTX_SLOT_FTZ] ? "needs .ftz for .bf16" : NULL;
}

static const char *fault_of_reciprocal(const ptx_instruction *i) {
    return i->type == PTX_F64 && !i->mods[PTX_SLOT_FTZ] ? "needs .ftz for .f64" : NULL;
}

/* ---- comparisons ---- */

static const char *fault_of_set(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_FTZ] && (i->type2 != PTX_F32 || i->type == PTX_BF16) ? "has .ftz for .f32 only" : NULL;
}

/* Comparisons of halves give halves of the same format, or integers. */
static const char *fault_of_half_set(const ptx_instruction *i) {
    const bool to_half = is_half(i->type) || is_pair(i->type);
    const bool brain = i->type == PTX_BF16 && i->type2 == PTX_F16;
    if (to_half && i->type != i->type2 && !brain) return "must give the compared format, or integers";
    const bool flushes = (i->type2 == PTX_F16 || i->type2 == PTX_F16X2) && !brain;
    return i->mods[PTX_SLOT_FTZ] && !flushes ? "has no .ftz for .bf16" : NULL;
}

static const char *fault_of_choice(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_FTZ] && i->type2 != PTX_F32 ? "has .ftz for choices by .f32 only" : NULL;
}

/* ---- conversions ---- */

/* Returns whether each value of `of` is a value of `type`. */
static bool holds_all(unsigned type, unsigned of) {
    const char kind = ptx_types[type].kind, of_kind = ptx_types[of].kind;
    return type == of || (ptx_bits(type) > ptx_bits(of) && (kind == 'S' || of_kind == 'U'));
}

/* Returns whether it rounds to a number of the type, not to an integer. */
static bool is_nearby(unsigned round) {
    return round == PTX_MOD_RN || round == PTX_MOD_RZ || round == PTX_MOD_RM || round == PTX_MOD_RP;
}

/* Refuses a rounding or .sat that cannot change anything. */
static const char *fault_of_lossless(const ptx_instruction *i) {
    const bool integers = ptx_types[i->type].kind != 'F' && ptx_types[i->type2].kind != 'F';
    const bool widens = (i->type2 == PTX_F16 && i->type == PTX_F32) || (i->type2 == PTX_F16 && i->type == PTX_F64) ||
                        (i->type2 == PTX_F32 && i->type == PTX_F64);
    const bool copies = i->type == i->type2 && is_nearby(i->mods[PTX_SLOT_ROUND]);
    if (i->mods[PTX_SLOT_SAT] && integers && holds_all(i->type, i->type2)) return "has nothing to saturate";
    return copies || (i->mods[PTX_SLOT_ROUND] && widens) ? "has nothing to round" : NULL;
}

static const char *fault_of_tf32(const ptx_instruction *i) {
    const unsigned round = i->mods[PTX_SLOT_ROUND];
    if (i->type2 != PTX_F32) return "makes .tf32 of .f32 only";
    if (i->mods[PTX_SLOT_FTZ] || i->mods[PTX_SLOT_SAT]) return "to .tf32 has neither .ftz nor .sat";
    if (round == PTX_MOD_RNA) return i->mods[PTX_SLOT_RELU] ? "to .tf32 has .relu by .rn or .rz only" : NULL;
    return round == PTX_MOD_RN || round == PTX_MOD_RZ ? NULL : "to .tf32 rounds by .rn, .rz or .rna";
}

/* .relu and .satfinite are for f32 that becomes a half. */
static bool may_clamp(const ptx_instruction *i) {
    const unsigned round = i->mods[PTX_SLOT_ROUND];
    return i->type2 == PTX_F32 && ptx_bits(i->type) == 16 && (round == PTX_MOD_RN || round == PTX_MOD_RZ);
}

static const char *fault_of_cvt(const ptx_instruction *i) {
    const bool integers = ptx_types[i->type].kind != 'F' || ptx_types[i->type2].kind != 'F';
    const bool single = i->type == PTX_F32 || i->type2 == PTX_F32;
    const bool clamps = i->mods[PTX_SLOT_RELU] || i->mods[PTX_SLOT_SATFINITE];
    if (i->type == PTX_TF32) return fault_of_tf32(i);
    if (i->mods[PTX_SLOT_FTZ] && !single) return "has .ftz for .f32 only";
    if (integers && clamps) return "of integers has neither .relu nor .satfinite";
    if (i->mods[PTX_SLOT_SAT] && clamps) return "has .sat or .relu and .satfinite, not both";
    if (clamps && !may_clamp(i)) return "has .relu and .satfinite for .f32 by .rn or .rz to .f16, .bf16 or .tf32 only";
    if (i->mods[PTX_SLOT_ROUND] == PTX_MOD_RNA) return "has .rna for .tf32 only";
    const bool brain = i->type == PTX_BF16 || i->type2 == PTX_BF16;
    if (brain && i->mods[PTX_SLOT_SAT]) return "of or to .bf16 has no .sat";
    return fault_of_lossless(i);
}

/* Stochastic rounding takes the bits from the last operand. */
static const char *fault_of_random(const ptx_instruction *i) {
    const unsigned last = i->operand_count - 1u;
    return i->operands[last].kind != PTX_REGISTER ? "takes its random bits from a register" : NULL;
}

static const char *fault_of_fp8(const ptx_instruction *i) {
    const bool packs = is_pair(i->type2), unpacks = i->type == PTX_F16X2;
    if (packs == unpacks) return "is from .f16x2 or .bf16x2 to a format of 8 bits, or from one to .f16x2";
    if (packs && !i->mods[PTX_SLOT_SATFINITE]) return "needs .satfinite";
    return unpacks && i->mods[PTX_SLOT_SATFINITE] ? "to .f16x2 has no .satfinite" : NULL;
}

/* ---- memory ---- */

/* An access without a memory order is weak. */
static bool is_weak(const ptx_instruction *i) {
    return !i->mods[PTX_SLOT_ORDER] || i->mods[PTX_SLOT_ORDER] == PTX_MOD_WEAK;
}

/* Returns whether other threads can reach the state space, so that a memory order means something. */
static bool is_shareable(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return !space || space == PTX_MOD_GLOBAL || ptx_in_shared(i);
}

static bool is_global(const ptx_instruction *i) {
    return !i->mods[PTX_SLOT_SPACE] || i->mods[PTX_SLOT_SPACE] == PTX_MOD_GLOBAL;
}

static bool is_parameter(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY || space == PTX_MOD_PARAM_FUNC;
}

static const char *fault_of_mmio(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    if (order != PTX_MOD_MMIO && order != PTX_MOD_MMIO_ACQUIRE && order != PTX_MOD_MMIO_RELEASE) return NULL;
    if (!is_global(i)) return ".mmio is for global memory";
    if (i->mods[PTX_SLOT_VECTOR]) return ".mmio moves one element, no vector";
    return i->mods[PTX_SLOT_SCOPE] == PTX_MOD_SCOPE_SYS ? NULL : ".mmio needs the scope .sys";
}

static const char *fault_of_readonly(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    const bool hints = i->mods[PTX_SLOT_CACHE] || i->mods[PTX_SLOT_EVICT_L1] || i->mods[PTX_SLOT_EVICT_L2] ||
                       i->mods[PTX_SLOT_HINT] || i->mods[PTX_SLOT_PREFETCH];
    if (space && space != PTX_MOD_GLOBAL) return ".proxy::readonly is for global memory";
    if (i->mods[PTX_SLOT_ORDER] || hints) return ".proxy::readonly has no memory order and no cache operator";
    return i->mods[PTX_SLOT_VECTOR] || i->type == PTX_B128 ? ".proxy::readonly moves one element of up to 64 bits"
                                                           : NULL;
}

static const char *fault_of_access(const ptx_instruction *i) {
    const bool hints = i->mods[PTX_SLOT_EVICT_L1] || i->mods[PTX_SLOT_HINT] || i->mods[PTX_SLOT_PREFETCH];
    const bool is_volatile = i->mods[PTX_SLOT_ORDER] == PTX_MOD_VOLATILE;
    if (!is_weak(i) && !is_volatile && !is_shareable(i)) return "has no memory order for this state space";
    if (is_volatile && is_parameter(i)) return "has no .volatile for .param";
    if (is_volatile && i->mods[PTX_SLOT_SPACE] == PTX_MOD_CONST) return "has no .volatile for .const";
    if (!is_weak(i) && i->mods[PTX_SLOT_CACHE]) return "has a memory order or a cache operator, not both";
    if (i->mods[PTX_SLOT_CACHE] && i->mods[PTX_SLOT_EVICT_L1])
        return "has a cache operator or a priority in L1, not both";
    if (hints && !is_global(i)) return "has priorities, policies and prefetches for global memory only";
    if (i->mods[PTX_SLOT_NC] == PTX_MOD_READONLY) return fault_of_readonly(i);
    if (i->mods[PTX_SLOT_NC] && (i->mods[PTX_SLOT_ORDER] || i->mods[PTX_SLOT_SPACE] != PTX_MOD_GLOBAL))
        return ".nc is for weak loads of .global";
    return fault_of_mmio(i);
}

static const char *fault_of_atomic(const ptx_instruction *i) {
    const unsigned operation = i->mods[PTX_SLOT_ATOMIC];
    const bool half = is_half(i->type) || is_pair(i->type);
    if (i->type == PTX_B16 && operation != PTX_MOD_ATOM_CAS) return "has .cas only for .b16";
    if (half && operation != PTX_MOD_ATOM_ADD) return "has .min and .max of halves for vectors only";
    if (i->mods[PTX_SLOT_HINT] && operation == PTX_MOD_ATOM_CAS) return "has no policy for .cas";
    return i->mods[PTX_SLOT_HINT] && !is_global(i) ? "has policies for global memory only" : NULL;
}

/* red.async has fewer operations than red, each for its own types. */
static const char *fault_of_remote_reduction(const ptx_instruction *i) {
    bool fits;
    switch (i->mods[PTX_SLOT_ATOMIC]) {
    case PTX_MOD_ATOM_AND:
    case PTX_MOD_ATOM_OR:
    case PTX_MOD_ATOM_XOR: fits = i->type == PTX_B32; break;
    case PTX_MOD_ATOM_INC:
    case PTX_MOD_ATOM_DEC: fits = i->type == PTX_U32; break;
    case PTX_MOD_ATOM_MIN:
    case PTX_MOD_ATOM_MAX: fits = i->type == PTX_U32 || i->type == PTX_S32; break;
    default: fits = i->type != PTX_B32; break;
    }
    return fits ? NULL : "has no such operation for that type";
}

static const char *fault_of_ldu(const ptx_instruction *i) {
    return ptx_vector_length(i) == 8 ? "has vectors of two and of four" : NULL;
}

static const char *fault_of_multimem(const ptx_instruction *i) {
    if (is_weak(i) && i->mods[PTX_SLOT_SCOPE]) return "has a scope with a memory order only";
    return is_weak(i) || i->mods[PTX_SLOT_SCOPE] ? NULL : "needs a scope with a memory order";
}

/* An acquire is for others' releases in the cluster's shared memory; a release is for the block's own. */
static const char *fault_of_restriction(const ptx_instruction *i) {
    const bool own = i->mods[PTX_SLOT_RESTRICT] == PTX_MOD_RESTRICT_SHARED_CTA;
    const bool releases = i->mods[PTX_SLOT_ORDER] == PTX_MOD_RELEASE;
    return own == releases ? NULL : "releases .shared::cta, acquires .shared::cluster";
}

static const char *fault_of_prefetch(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_EVICT_L2] && !is_global(i) ? "has priorities for global memory only" : NULL;
}

static const char *fault_of_alloca(const ptx_instruction *i) {
    const bool aligned = i->operand_count > 2;
    const uint64_t alignment = aligned ? i->operands[2].bits : 1;
    return !alignment || (alignment & (alignment - 1)) ? "takes a power of two as alignment" : NULL;
}

static const char *fault_of_event(const ptx_instruction *i) {
    enum { LAST_EVENT = 15, ALL_EVENTS = 0xffff };
    if (i->op == PTX_OP_PMEVENT) return exceeds(i, 0, LAST_EVENT) ? "takes an event from 0 to 15" : NULL;
    return exceeds(i, 0, ALL_EVENTS) ? "takes a mask of 16 bits" : NULL;
}

/* ---- copies and mbarriers ---- */

enum { MAP_BYTES = 128 };

static const char *fault_of_map_fence(const ptx_instruction *i) {
    const unsigned size = i->op == PTX_OP_TENSORMAP_COPY ? 2 : 1;
    return i->operands[size].bits == MAP_BYTES ? NULL : "is for 128 bytes";
}

/* .relaxed names its scope and the bytes that are copied at once. */
static const char *fault_of_bulk_order(const ptx_instruction *i) {
    const bool relaxed = i->mods[PTX_SLOT_ORDER] == PTX_MOD_RELAXED;
    if (!relaxed && i->mods[PTX_SLOT_SCOPE]) return "has a scope with .relaxed only";
    if (i->op == PTX_OP_CP_REDUCE_BULK) return NULL;
    if (!relaxed && i->type) return "has .b128 with .relaxed only";
    return relaxed && !i->type ? "with .relaxed ends in .b128" : NULL;
}

static const char *fault_of_load_to_one(const ptx_instruction *i) {
    const bool own = i->mods[PTX_SLOT_SPACE] == PTX_MOD_SHARED_CTA;
    if (!own && i->mods[PTX_SLOT_IGNORE_OOB]) return "has .ignore_oob to .shared::cta only";
    if (own && i->mods[PTX_SLOT_MULTICAST]) return "to .shared::cta has no .multicast::cluster";
    return i->op == PTX_OP_CP_BULK_LOAD ? fault_of_bulk_order(i) : NULL;
}

static const char *fault_of_tensor_store(const ptx_instruction *i) {
    const bool pixels = i->mods[PTX_SLOT_LOAD_MODE] == PTX_MOD_IM2COL_NO_OFFSETS;
    return pixels && i->mods[PTX_SLOT_DIM] < PTX_MOD_DIM_3 ? ".im2col_no_offs has three to five dimensions" : NULL;
}

/* An mbarrier in another block returns no token. */
static const char *fault_of_arrival(const ptx_instruction *i) {
    const bool remote = i->mods[PTX_SLOT_SPACE] == PTX_MOD_SHARED_CLUSTER;
    if (remote && i->operands[0].kind != PTX_SINK) return "at .shared::cluster gives no token: its result is `_`";
    const bool incomplete = i->mods[PTX_SLOT_NOCOMPLETE];
    if (incomplete && i->mods[PTX_SLOT_SCOPE] == PTX_MOD_SCOPE_CLUSTER) return "has .noComplete in the block only";
    if (incomplete && i->operand_count < 3) return ".noComplete takes a number of arrivals";
    return incomplete && i->mods[PTX_SLOT_ORDER] == PTX_MOD_RELAXED ? "has .noComplete or .relaxed, not both" : NULL;
}

static const char *fault_of_arrival_without_end(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_SCOPE] == PTX_MOD_SCOPE_CLUSTER ? "has .noComplete in the block only" : NULL;
}

static const char *fault_of_wait(const ptx_instruction *i) {
    enum { RESULT, VALUE, PARITY = 3 };
    const unsigned type = i->mods[PTX_SLOT_PHASE_TYPE];
    const bool parity = i->mods[PTX_SLOT_PARITY], report = i->operands[RESULT].kind == PTX_PAIR;
    if (type == PTX_MOD_PHASE_CONDITIONAL && !parity) return "has .phase_type::conditional with .parity only";
    if (report && type != PTX_MOD_PHASE_PRIMARY) return "reports with .phase_type::primary only";
    if (i->operands[VALUE].kind != PTX_ABSENT && !report) return "reports a value after a predicate: d|p, value";
    return parity && exceeds(i, PARITY, 1) ? "takes 0 or 1 as parity" : NULL;
}

static const char *fault_of_copy(const ptx_instruction *i) {
    enum { SIZE = 2, READ = 3 };
    return exceeds(i, READ, i->operands[SIZE].bits) ? "reads no more than it writes" : NULL;
}

/* ---- matrices ---- */

static const char *fault_of_transposition(const ptx_instruction *i) {
    return i->operands[1].kind != PTX_REGISTER ? "takes the matrix from a register" : NULL;
}

/* ---- textures ---- */

/* Texels of a cube map have no neighbours at its edges, so offsets make no sense there. */
static const char *fault_of_shifts(const ptx_instruction *i) {
    const ptx_pattern *pattern = ptx_pattern_of(i->op);
    const bool cube = i->mods[PTX_SLOT_GEOMETRY] >= PTX_MOD_GEOMETRY_CUBE;
    for (unsigned o = 0; cube && o < i->operand_count; o++)
        if (pattern->operands[o].role == PTX_ROLE_SHIFTS && i->operands[o].kind != PTX_ABSENT)
            return "of a cube has no offsets";
    return NULL;
}

/* Bitwise operations are for untyped values and the others for numbers; no sum has .s64. */
static const char *fault_of_surface_reduction(const ptx_instruction *i) {
    const char kind = ptx_types[i->type].kind;
    const unsigned operation = i->mods[PTX_SLOT_ATOMIC];
    const bool bitwise = operation == PTX_MOD_ATOM_AND || operation == PTX_MOD_ATOM_OR;
    if (bitwise != (kind == 'B') || (operation == PTX_MOD_ATOM_ADD && i->type == PTX_S64))
        return "has no such operation for that type";
    return NULL;
}

/* ---- the table ---- */

typedef const char *fault_fn(const ptx_instruction *i);

/* Instructions without a function have no rules beyond their row. */
static fault_fn *const faults[PTX_OP_COUNT] = {
    [PTX_OP_ADD] = fault_of_sum,
    [PTX_OP_MIN] = fault_of_sum,
    [PTX_OP_MAX] = fault_of_sum,
    [PTX_OP_ADD_SATURATED] = fault_of_sum,
    [PTX_OP_ADD_BYTES] = fault_of_sum,
    [PTX_OP_SUB_BYTES] = fault_of_sum,
    [PTX_OP_MIN_BYTES] = fault_of_sum,
    [PTX_OP_MAX_BYTES] = fault_of_sum,
    [PTX_OP_BFE] = fault_of_field,
    [PTX_OP_BFI] = fault_of_field,
    [PTX_OP_HFMA] = fault_of_half,
    [PTX_OP_HFMA_OOB] = fault_of_half,
    [PTX_OP_HEX2] = fault_of_half_power,
    [PTX_OP_RCP_APPROX] = fault_of_reciprocal,
    [PTX_OP_SET] = fault_of_set,
    [PTX_OP_SET_COMBINE] = fault_of_set,
    [PTX_OP_SET_HALF] = fault_of_set,
    [PTX_OP_SET_HALF_COMBINE] = fault_of_set,
    [PTX_OP_HSET] = fault_of_half_set,
    [PTX_OP_HSET_COMBINE] = fault_of_half_set,
    [PTX_OP_HSET2] = fault_of_half_set,
    [PTX_OP_HSET2_COMBINE] = fault_of_half_set,
    [PTX_OP_SLCT] = fault_of_choice,
    [PTX_OP_CVT] = fault_of_cvt,
    [PTX_OP_CVT_FP8] = fault_of_fp8,
    [PTX_OP_CVT_RANDOM] = fault_of_random,
    [PTX_OP_CVT_RANDOM_4] = fault_of_random,
    [PTX_OP_LD] = fault_of_access,
    [PTX_OP_ST] = fault_of_access,
    [PTX_OP_LDU] = fault_of_ldu,
    [PTX_OP_ATOM] = fault_of_atomic,
    [PTX_OP_RED] = fault_of_atomic,
    [PTX_OP_RED_ASYNC] = fault_of_remote_reduction,
    [PTX_OP_MULTIMEM_LD_REDUCE] = fault_of_multimem,
    [PTX_OP_MULTIMEM_ST] = fault_of_multimem,
    [PTX_OP_MULTIMEM_RED] = fault_of_multimem,
    [PTX_OP_FENCE_RESTRICTED] = fault_of_restriction,
    [PTX_OP_FENCE_PROXY_RESTRICTED] = fault_of_restriction,
    [PTX_OP_PREFETCH] = fault_of_prefetch,
    [PTX_OP_ALLOCA] = fault_of_alloca,
    [PTX_OP_PMEVENT] = fault_of_event,
    [PTX_OP_PMEVENT_MASK] = fault_of_event,
    [PTX_OP_FENCE_TENSORMAP_ACQUIRE] = fault_of_map_fence,
    [PTX_OP_TENSORMAP_COPY] = fault_of_map_fence,
    [PTX_OP_CP_BULK_LOAD] = fault_of_load_to_one,
    [PTX_OP_CP_BULK_SHARED] = fault_of_bulk_order,
    [PTX_OP_CP_BULK_STORE] = fault_of_bulk_order,
    [PTX_OP_CP_REDUCE_BULK] = fault_of_bulk_order,
    [PTX_OP_CP_TENSOR_LOAD] = fault_of_load_to_one,
    [PTX_OP_CP_TENSOR_IM2COL] = fault_of_load_to_one,
    [PTX_OP_CP_TENSOR_WIDE] = fault_of_load_to_one,
    [PTX_OP_CP_TENSOR_STORE] = fault_of_tensor_store,
    [PTX_OP_CP_REDUCE_TENSOR] = fault_of_tensor_store,
    [PTX_OP_MBARRIER_ARRIVE] = fault_of_arrival,
    [PTX_OP_MBARRIER_ARRIVE_DROP] = fault_of_arrival,
    [PTX_OP_MBARRIER_ARRIVE_NOCOMPLETE] = fault_of_arrival_without_end,
    [PTX_OP_MBARRIER_TEST_WAIT] = fault_of_wait,
    [PTX_OP_MBARRIER_TRY_WAIT] = fault_of_wait,
    [PTX_OP_CP_ASYNC] = fault_of_copy,
    [PTX_OP_MOVMATRIX] = fault_of_transposition,
    [PTX_OP_TEX] = fault_of_shifts,
    [PTX_OP_TEX_LEVEL] = fault_of_shifts,
    [PTX_OP_TEX_GRADIENTS] = fault_of_shifts,
    [PTX_OP_TLD4] = fault_of_shifts,
    [PTX_OP_SURED] = fault_of_surface_reduction,
};

const char *ptx_form_fault(const ptx_instruction *i) {
    return faults[i->op] ? faults[i->op](i) : NULL;
}
