/* Comparisons into predicates (setp) and registers (set), and selection by a sign (slct). selp is in integer.def.
 *
 * A comparison of 32 lanes is a function that returns a word of bits: one for each relation of lower/relations.def and
 * kind of lane, in a table. The plain setp has a handler around each of these functions. All other forms take one of
 * the general handlers, which convert operands, call the function through the table and combine the result with a
 * predicate. */
#include "exec/half.h"
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* ---- comparisons: 32 lanes into the bits of a word ---- */

typedef uint32_t compare_fn(const void *a, const void *b);

/* Defines compare_`relation`_`suffix`, and the handler of the plain `setp`, the most frequent comparison. */
#define COMPARE(relation, suffix, T, condition)                                                  \
    static inline uint32_t compare_##relation##_##suffix(const void *pa, const void *pb) {       \
        const T *a = pa, *b = pb;                                                                \
        uint32_t set;                                                                            \
        SIM_GATHER_LANES(set, condition);                                                        \
        return set;                                                                              \
    }                                                                                            \
    static sim_step setp_##relation##_##suffix(sim_warp *w, const sim_op *op, uint32_t active) { \
        const uint32_t set = compare_##relation##_##suffix(w->regs + op->a, w->regs + op->b);    \
        sim_set_predicate(w, op->d, set, active);                                                \
        return SIM_NEXT;                                                                         \
    }

#define INTEGERS(modifier, name, operation, without, with) \
    COMPARE(name, u16, uint16_t, a[l] operation b[l])      \
    COMPARE(name, s16, int16_t, a[l] operation b[l])       \
    COMPARE(name, u32, uint32_t, a[l] operation b[l])      \
    COMPARE(name, s32, int32_t, a[l] operation b[l])       \
    COMPARE(name, u64, uint64_t, a[l] operation b[l])      \
    COMPARE(name, s64, int64_t, a[l] operation b[l])
#define UNSIGNED(modifier, name, without)
#define FLOATS(modifier, name, condition, llvm) \
    COMPARE(name, f32, float, condition)        \
    COMPARE(name, f64, double, condition)
#include "lower/relations.def"

/* A row of the table. NULL: the relation does not exist for that kind. */
typedef struct comparison {
    compare_fn *compare;
    sim_handler setp;
} comparison;

/* Columns and rows of the table: relations are neighbours among the modifiers. */
enum { KIND_U16, KIND_S16, KIND_U32, KIND_S32, KIND_U64, KIND_S64, KIND_F32, KIND_F64, KINDS };
enum { RELATIONS = PTX_MOD_CMP_NAN - PTX_MOD_EQ + 1 };

#define ENTRY(modifier, kind, name, suffix) \
    [PTX_MOD_##modifier - PTX_MOD_EQ][kind] = {compare_##name##_##suffix, setp_##name##_##suffix},

static const comparison comparisons[RELATIONS][KINDS] = {
#define INTEGERS(modifier, name, operation, without, with) \
    UNSIGNED(modifier, name, without)                      \
    ENTRY(modifier, KIND_S16, name, s16)                   \
    ENTRY(modifier, KIND_S32, name, s32)                   \
    ENTRY(modifier, KIND_S64, name, s64)
#define UNSIGNED(modifier, name, without) \
    ENTRY(modifier, KIND_U16, name, u16)  \
    ENTRY(modifier, KIND_U32, name, u32)  \
    ENTRY(modifier, KIND_U64, name, u64)
#define FLOATS(modifier, name, condition, llvm) \
    ENTRY(modifier, KIND_F32, name, f32)        \
    ENTRY(modifier, KIND_F64, name, f64)
#include "lower/relations.def"
};

/* Compares half precision in single precision, which holds all of its values. */
static const comparison *find_comparison(sim_lowering *l, const ptx_instruction *i, unsigned type) {
    static const uint8_t kinds[PTX_TYPE_COUNT] = {
        [PTX_B16] = KIND_U16,   [PTX_U16] = KIND_U16,  [PTX_S16] = KIND_S16,    [PTX_B32] = KIND_U32,
        [PTX_U32] = KIND_U32,   [PTX_S32] = KIND_S32,  [PTX_B64] = KIND_U64,    [PTX_U64] = KIND_U64,
        [PTX_S64] = KIND_S64,   [PTX_F32] = KIND_F32,  [PTX_F64] = KIND_F64,    [PTX_F16] = KIND_F32,
        [PTX_F16X2] = KIND_F32, [PTX_BF16] = KIND_F32, [PTX_BF16X2] = KIND_F32,
    };
    const unsigned relation = i->mods[PTX_SLOT_COMPARE];
    const comparison *found = &comparisons[relation - PTX_MOD_EQ][kinds[type]];
    const bool bits_in_order = ptx_types[type].kind == 'B' && relation != PTX_MOD_EQ && relation != PTX_MOD_NE;
    if (found->compare && !bits_in_order) return found;
    (void)sim_lower_fail(l, "%s values cannot be compared by .%s", ptx_types[type].name, ptx_modifier_names[relation]);
    return NULL;
}

/* ---- the general form: flushing, half precision, a second destination, combination with a predicate ---- */

/* sim_op.count: the conversion of operands. */
enum { READ_PLAIN, READ_FLUSH, READ_F16, READ_BF16 };

/* Returns how operands of the type are read. */
static unsigned reading(const ptx_instruction *i, unsigned type) {
    if (type == PTX_F16 || type == PTX_F16X2) return READ_F16;
    if (type == PTX_BF16 || type == PTX_BF16X2) return READ_BF16;
    return i->mods[PTX_SLOT_FTZ] ? READ_FLUSH : READ_PLAIN;
}

/* Flushes a half that has been widened. */
static inline float flush_half(float x, bool flush) {
    return flush && __builtin_fabsf(x) < 0x1p-14f ? x * 0.0f : x;
}

/* Reads the lanes as single precision; `stride` halves lie between two lanes. */
static void read_halves(float *out, const uint16_t *in, unsigned stride, unsigned how, bool flush) {
    if (how == READ_F16) {
        SIM_EACH_LANE(l) out[l] = flush_half(f32_of_f16(in[l * stride]), flush);
    } else {
        SIM_EACH_LANE(l) out[l] = f32_of_bf16(in[l * stride]);
    }
}

/* op->imm: index into comparisons; op->bytes: .ftz of half precision. */
static const comparison *comparison_of(const sim_op *op) {
    return &comparisons[0][0] + op->imm;
}

/* Compares one half of each lane: every `stride`-th from number `half` on. */
static uint32_t compare_halves(const sim_warp *w, const sim_op *op, unsigned stride, unsigned half) {
    float a[SIM_LANES], b[SIM_LANES];
    read_halves(a, SIM_SLOT(w, const uint16_t, op->a) + half, stride, op->count, op->bytes);
    read_halves(b, SIM_SLOT(w, const uint16_t, op->b) + half, stride, op->count, op->bytes);
    return comparison_of(op)->compare(a, b);
}

/* Compares operands of any type, converted as op->count says. */
static uint32_t compare_any(const sim_warp *w, const sim_op *op) {
    const void *a = w->regs + op->a, *b = w->regs + op->b;
    float flushed_a[SIM_LANES], flushed_b[SIM_LANES];
    if (op->count == READ_F16 || op->count == READ_BF16) return compare_halves(w, op, 1, 0);
    if (op->count == READ_FLUSH) {
        const float *x = a, *y = b;
        SIM_EACH_LANE(l) flushed_a[l] = flush_f32(x[l]);
        SIM_EACH_LANE(l) flushed_b[l] = flush_f32(y[l]);
        a = flushed_a, b = flushed_b;
    }
    return comparison_of(op)->compare(a, b);
}

/* op->c and op->y are the predicate to combine with and its negation; op->target is the operation (a ptx_modifier). */
static uint32_t combined(const sim_warp *w, const sim_op *op, uint32_t set) {
    const uint32_t with = SIM_PREDICATE(w, op->c) ^ op->y;
    switch (op->target) {
    case PTX_MOD_AND: return set & with;
    case PTX_MOD_OR: return set | with;
    case PTX_MOD_XOR: return set ^ with;
    default: return set;
    }
}

/* The second destination gets the negated result, combined in the same way. */
static sim_step setp_general(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t set = compare_any(w, op);
    const uint32_t p = combined(w, op, set), q = combined(w, op, ~set);
    sim_set_predicate(w, op->d, p, active);
    sim_set_predicate(w, op->x, q, active);
    return SIM_NEXT;
}

/* Two halves: p is the result of the lower one, q that of the upper one. */
static sim_step setp_pair(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t p = combined(w, op, compare_halves(w, op, 2, 0));
    const uint32_t q = combined(w, op, compare_halves(w, op, 2, 1));
    sim_set_predicate(w, op->d, p, active);
    sim_set_predicate(w, op->x, q, active);
    return SIM_NEXT;
}

/* Emits `run` with operands a and b of `type`, followed by the predicate operand if there is one. */
static sim_op *emit_comparison(sim_lowering *l, const ptx_instruction *i, unsigned type, sim_handler run) {
    const comparison *found = find_comparison(l, i, type);
    if (!found) return NULL;
    const uint32_t a = sim_source(l, &i->operands[1], type), b = sim_source(l, &i->operands[2], type);
    uint32_t flip = 0, with = SIM_SLOT_FALSE;
    if (i->mods[PTX_SLOT_COMBINE]) with = sim_predicate(l, &i->operands[3], &flip);
    sim_op *op = sim_emit(l, run);
    op->a = a, op->b = b, op->c = with, op->y = flip, op->target = i->mods[PTX_SLOT_COMBINE];
    op->imm = found - &comparisons[0][0];
    op->count = (uint8_t)reading(i, type);
    op->bytes = i->mods[PTX_SLOT_FTZ] != 0;
    return op;
}

/* Lowers to `run`, or to the plain handler if that does the same. */
static haul_status lower_setp(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    const ptx_operand *first = &i->operands[0];
    const bool pair = first->kind == PTX_PAIR;
    const uint32_t p = sim_destination(l, pair ? &first->parts[0] : first);
    const uint32_t q = pair ? sim_destination(l, &first->parts[1]) : SIM_SLOT_SINK;
    sim_op *op = emit_comparison(l, i, i->type, run);
    if (!op) return HAUL_ERROR_UNSUPPORTED;
    op->d = p, op->x = q;
    const bool plain = run == setp_general && !pair && !op->target && op->count == READ_PLAIN;
    if (plain) op->run = comparison_of(op)->setp;
    return HAUL_OK;
}

/* All forms of setp and set differ only in operands and modifiers, which emit_comparison() reads. */
haul_status LOWER(SETP)(sim_lowering *l, const ptx_instruction *i) {
    return lower_setp(l, i, setp_general);
}
haul_status LOWER(SETP_COMBINE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_setp(l, i, setp_general);
}
haul_status LOWER(HSETP)(sim_lowering *l, const ptx_instruction *i) {
    return lower_setp(l, i, ptx_bits(i->type) == 32 ? setp_pair : setp_general);
}
haul_status LOWER(HSETP_COMBINE)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(HSETP)(l, i);
}

/* ---- set: the result as a number: op->x if the comparison holds, otherwise 0 ---- */

/* Writes `yes` or 0 to the active lanes. */
#define SET(name, T)                                                       \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        const uint32_t set = combined(w, op, compare_any(w, op));          \
        T *d = SIM_SLOT(w, T, op->d);                                      \
        const T yes = (T)op->x;                                            \
        SIM_STORE_LANES(d, active, (set & (1u << l)) != 0 ? yes : (T)0);   \
        return SIM_NEXT;                                                   \
    }

SET(set_16, uint16_t)
SET(set_32, uint32_t)

/* Two halves: each half of the result says yes or no for its own. */
static sim_step set_pair(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t low = combined(w, op, compare_halves(w, op, 2, 0));
    const uint32_t high = combined(w, op, compare_halves(w, op, 2, 1));
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t yes = op->x;
    SIM_STORE_LANES(d, active,
                    ((low & (1u << l)) != 0 ? yes & 0xffff : 0) | ((high & (1u << l)) != 0 ? yes & 0xffff0000u : 0));
    return SIM_NEXT;
}

/* All ones, or 1.0 of a floating-point type, says yes. */
static haul_status lower_set(sim_lowering *l, const ptx_instruction *i) {
    static const uint32_t yes[PTX_TYPE_COUNT] = {
        [PTX_U16] = 0xffff,      [PTX_S16] = 0xffff,       [PTX_U32] = 0xffffffffu,
        [PTX_S32] = 0xffffffffu, [PTX_F32] = 0x3f800000,   [PTX_F16] = 0x3c00,
        [PTX_BF16] = 0x3f80,     [PTX_F16X2] = 0x3c003c00, [PTX_BF16X2] = 0x3f803f80,
    };
    const bool pair = i->type2 == PTX_F16X2 || i->type2 == PTX_BF16X2;
    const uint32_t d = sim_destination(l, &i->operands[0]);
    sim_op *op = emit_comparison(l, i, i->type2, pair ? set_pair : ptx_bits(i->type) == 16 ? set_16 : set_32);
    if (!op) return HAUL_ERROR_UNSUPPORTED;
    op->d = d, op->x = yes[i->type];
    return HAUL_OK;
}

haul_status LOWER(SET)(sim_lowering *l, const ptx_instruction *i) {
    return lower_set(l, i);
}
haul_status LOWER(SET_COMBINE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_set(l, i);
}
haul_status LOWER(HSET)(sim_lowering *l, const ptx_instruction *i) {
    return lower_set(l, i);
}
haul_status LOWER(HSET_COMBINE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_set(l, i);
}
haul_status LOWER(SET_HALF)(sim_lowering *l, const ptx_instruction *i) {
    return lower_set(l, i);
}
haul_status LOWER(SET_HALF_COMBINE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_set(l, i);
}
haul_status LOWER(HSET2)(sim_lowering *l, const ptx_instruction *i) {
    return lower_set(l, i);
}
haul_status LOWER(HSET2_COMBINE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_set(l, i);
}

/* ---- selection ---- */

/* a if c is not negative, otherwise b. -0 counts as zero, NaN as negative. */
SIM_TERNARY_OF(slct_16_s32, uint16_t, uint16_t, uint16_t, int32_t, c >= 0 ? a : b)
SIM_TERNARY_OF(slct_32_s32, uint32_t, uint32_t, uint32_t, int32_t, c >= 0 ? a : b)
SIM_TERNARY_OF(slct_64_s32, uint64_t, uint64_t, uint64_t, int32_t, c >= 0 ? a : b)
SIM_TERNARY_OF(slct_16_f32, uint16_t, uint16_t, uint16_t, float, c >= 0.0f ? a : b)
SIM_TERNARY_OF(slct_32_f32, uint32_t, uint32_t, uint32_t, float, c >= 0.0f ? a : b)
SIM_TERNARY_OF(slct_64_f32, uint64_t, uint64_t, uint64_t, float, c >= 0.0f ? a : b)
SIM_TERNARY_OF(slct_16_ftz, uint16_t, uint16_t, uint16_t, float, flush_f32(c) >= 0.0f ? a : b)
SIM_TERNARY_OF(slct_32_ftz, uint32_t, uint32_t, uint32_t, float, flush_f32(c) >= 0.0f ? a : b)
SIM_TERNARY_OF(slct_64_ftz, uint64_t, uint64_t, uint64_t, float, flush_f32(c) >= 0.0f ? a : b)

haul_status LOWER(SLCT)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler handlers[3][3] = {
        {slct_16_s32, slct_16_f32, slct_16_ftz},
        {slct_32_s32, slct_32_f32, slct_32_ftz},
        {slct_64_s32, slct_64_f32, slct_64_ftz},
    };
    const unsigned width = ptx_bits(i->type) / 32; /* 16, 32, 64 bits: 0, 1, 2 */
    const unsigned by = i->type2 == PTX_S32 ? 0 : i->mods[PTX_SLOT_FTZ] ? 2 : 1;
    return sim_emitted(sim_emit_with(l, i, handlers[width][by], i->type, i->type, i->type2));
}
