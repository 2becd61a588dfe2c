/* Single and double precision: arithmetic rounded to nearest, signs, minimum and maximum, all by lower/floating.def,
 * whose words are functions here that write IR; and conversions.
 *
 * Results must have the bits that hardware computes, which are those of exec/ops: LLVM's operations give them except
 * for NaNs, subnormal numbers and values out of range, which are corrected here. A single's NaN is always the canonical
 * one; values whose NaNs are not canonical yet are marked `raw` and mended when their bits are needed, which is mostly
 * never. A double's NaN is that of an operand. Each function returns false for forms that it does not know; the handler
 * runs those. */
#include "jit/ops.h"
#include "lower/floating.h"
#include "lower/internal.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

/* ---- values ---- */

static sim_value_type bits_type(unsigned type) {
    return type == SIM_VALUE_F64 ? SIM_VALUE_I64 : SIM_VALUE_I32;
}

/* The same lanes as integers. */
static sim_value as_bits(sim_writer *w, sim_value a) {
    return sim_write_as(w, "bitcast", a, bits_type(a.type));
}

/* Constants by their bits. Those of single precision are vectors that no register holds. */
static sim_value write_float_constant(sim_writer *w, sim_value_type type, uint64_t bits) {
    return sim_write_as(w, "bitcast", sim_value_constant(bits_type(type), bits), type);
}

sim_value sim_write_number(sim_writer *w, sim_value_type type, double number) {
    const float single = (float)number;
    uint32_t bits_32;
    uint64_t bits_64;
    memcpy(&bits_32, &single, sizeof bits_32);
    memcpy(&bits_64, &number, sizeof bits_64);
    return write_float_constant(w, type, type == SIM_VALUE_F64 ? bits_64 : bits_32);
}

static uint64_t sign_bit(unsigned type) {
    return type == SIM_VALUE_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
}

/* Converts to integers, applies a bit operation, and converts back. */
static sim_value write_on_bits(sim_writer *w, const char *operation, sim_value a, sim_value b) {
    return sim_write_as(w, "bitcast", sim_write_two(w, operation, as_bits(w, a), b), (sim_value_type)a.type);
}

static sim_value write_masked(sim_writer *w, const char *operation, sim_value a, uint64_t mask) {
    sim_value out = write_on_bits(w, operation, a, sim_value_constant(bits_type(a.type), mask));
    out.flushed = a.flushed;
    return out;
}

/* Returns zeros of a's sign in lanes where `tested` has no bit of the mask, else a. */
static sim_value flush_where(sim_writer *w, sim_value a, sim_value tested, uint64_t mask) {
    const sim_value_type type = bits_type(a.type);
    const sim_value bits = as_bits(w, a);
    const sim_value kept = sim_write_two(w, "and", as_bits(w, tested), sim_value_constant(type, mask));
    const uint32_t small = sim_write_relation(w, "icmp eq", kept, sim_value_constant(type, 0));
    const sim_value signs = sim_write_two(w, "and", bits, sim_value_constant(type, sign_bit(a.type)));
    sim_value out = sim_write_as(w, "bitcast", sim_write_choice(w, small, signs, bits), (sim_value_type)a.type);
    out.raw = a.raw;
    out.flushed = a.type == SIM_VALUE_F32;
    return out;
}

sim_value sim_write_flush(sim_writer *w, sim_value a) {
    const uint64_t exponents = a.type == SIM_VALUE_F64 ? UINT64_C(0x7ff0000000000000) : 0x7f800000;
    return a.flushed ? a : flush_where(w, a, a, exponents);
}

/* Flushes products, and values rounded to single precision, according to the same result of lifted operands: see
 * exec/floats.h. */
static sim_value flush_by(sim_writer *w, sim_value a, sim_value lifted) {
    return flush_where(w, a, lifted, SIM_LIFTED_NORMAL);
}

/* Multiplies by a power of two, so that a result that would be subnormal is normal. */
static sim_value lift(sim_writer *w, sim_value a) {
    return sim_write_two(w, "fmul", a, sim_write_number(w, SIM_VALUE_F32, SIM_LIFT));
}

sim_value sim_write_product_flushed(sim_writer *w, sim_value a, sim_value b) {
    const sim_value lifted = sim_write_two(w, "fmul", lift(w, a), b);
    return flush_by(w, sim_write_two(w, "fmul", a, b), lifted);
}

/* Clamps to 0 .. 1. The comparisons are false for NaN and for -0, so both give +0. */
static sim_value write_saturated(sim_writer *w, sim_value a) {
    const sim_value_type type = (sim_value_type)a.type;
    const sim_value zero = sim_write_number(w, type, 0), one = sim_write_number(w, type, 1);
    const sim_value low = sim_write_choice(w, sim_write_relation(w, "fcmp ogt", a, zero), a, zero);
    return sim_write_choice(w, sim_write_relation(w, "fcmp olt", low, one), low, one);
}

/* False for other types. */
static bool float_type(unsigned type, sim_value_type *out) {
    *out = type == PTX_F64 ? SIM_VALUE_F64 : SIM_VALUE_F32;
    return type == PTX_F32 || type == PTX_F64;
}

/* Singles may be raw: used where only whether they are NaN matters. */
static sim_value read_any(sim_writer *w, uint32_t slot, sim_value_type type) {
    return type == SIM_VALUE_F32 ? sim_read_raw(w, slot) : sim_read_slot(w, slot, type);
}

/* Flushed if the instruction flushes. */
static sim_value read_operand(sim_writer *w, const sim_op *op, uint32_t slot, sim_value_type type) {
    const sim_value a = read_any(w, slot, type);
    return type == SIM_VALUE_F32 && (op->x & SIM_FLUSH) ? sim_write_flush(w, a) : a;
}

/* Flushes or clamps the result if asked for, and writes it. */
static void write_single(sim_writer *w, const sim_op *op, sim_value result) {
    if (op->x & SIM_FLUSH) result = sim_write_flush(w, result);
    result.raw = true;
    if (op->x & SIM_SATURATE) result = write_saturated(w, result);
    sim_write_slot(w, op->d, result);
}

/* ---- a double's NaN: the first NaN operand, made quiet ---- */

/* Whether the slot is a constant that is not NaN. */
static bool is_number(const sim_writer *w, uint32_t slot) {
    sim_value v;
    return sim_slot_is_constant(w, slot, SIM_VALUE_I64, &v) && (v.bits << 1) <= UINT64_C(0xffe0000000000000);
}

/* If `a` is NaN, it is the result, made quiet. */
static sim_value prefer_nan_of(sim_writer *w, sim_value a, sim_value result) {
    const uint32_t is_nan = sim_write_relation(w, "fcmp uno", a, a);
    return sim_write_choice(w, is_nan, write_masked(w, "or", a, SIM_QUIET_F64), result);
}

/* nans: the operands in the order of preference, "BA". The host's instruction returns the only NaN among its operands,
 * so one of several need not be tested. But if all others are constants, LLVM may fold the instruction away. */
static sim_value choose_nan(sim_writer *w, const uint32_t *slots, const sim_value *values, const char *nans,
                            sim_value result) {
    const size_t count = strlen(nans);
    size_t known = 0, skipped = count;
    for (size_t n = 0; n < count; n++) {
        if (is_number(w, slots[nans[n] - 'A']))
            known++;
        else
            skipped = n;
    }
    if (count - known < 2) skipped = count;
    for (size_t n = count; n-- > 0;)
        if (n != skipped && !is_number(w, slots[nans[n] - 'A']))
            result = prefer_nan_of(w, values[nans[n] - 'A'], result);
    return result;
}

/* ---- words ---- */

#define SUM(a, b) sim_write_two(w, "fadd", a, b)
#define DIFFERENCE(a, b) sim_write_two(w, "fsub", a, b)
#define PRODUCT(a, b) sim_write_two(w, "fmul", a, b)
#define QUOTIENT(a, b) sim_write_two(w, "fdiv", a, b)
#define FUSED(a, b, c) sim_write_function(w, "fma", (sim_value[]){a, b, c}, 3)
#define ROOT(a) sim_write_function(w, "sqrt", (sim_value[]){a}, 1)
#define NEGATED(a) write_masked(w, "xor", a, sign_bit((a).type))
#define MAGNITUDE(a) write_masked(w, "and", a, ~sign_bit((a).type))
#define ONE sim_write_number(w, (sim_value_type)a.type, 1)
#define LESS(a, b) sim_write_relation(w, "fcmp olt", a, b)
#define EQUAL(a, b) sim_write_relation(w, "fcmp oeq", a, b)
#define IS_NAN(a) sim_write_relation(w, "fcmp uno", a, a)
#define IF(condition, yes, no) sim_write_choice(w, condition, yes, no)
#define EITHER_BIT(a, b) write_on_bits(w, "or", a, as_bits(w, b))
#define BOTH_BITS(a, b) write_on_bits(w, "and", a, as_bits(w, b))

typedef sim_value write_fn(sim_writer *w, sim_value a, sim_value b, sim_value c);

#define MEANING(name, meaning)                                                            \
    static sim_value write_##name(sim_writer *w, sim_value a, sim_value b, sim_value c) { \
        (void)a, (void)b, (void)c;                                                        \
        return meaning;                                                                   \
    }
#define FLOAT(id, name, sources, nans, is_product, meaning) MEANING(name, meaning)
#define CHOICE(id, name, meaning) MEANING(name, meaning)
#include "lower/floating.def"

/* ---- arithmetic and signs ---- */

/* A row of floating.def; `write` is NULL for other instructions. */
typedef struct arithmetic {
    write_fn *write;
    const char *nans;
    unsigned sources;
    bool is_product;
} arithmetic;

static const arithmetic arithmetics[PTX_OP_COUNT] = {
#define FLOAT(id, name, sources, nans, is_product, meaning) [PTX_OP_##id] = {write_##name, #nans, sources, is_product},
#include "lower/floating.def"
};

/* Lifts one factor, the constant if there is one: LLVM then folds the multiplication. */
static sim_value flush_product(sim_writer *w, const arithmetic *how, const sim_value *v, bool second,
                               sim_value result) {
    const sim_value a = second ? v[0] : lift(w, v[0]), b = second ? lift(w, v[1]) : v[1];
    return flush_by(w, result, how->write(w, a, b, how->sources > 2 ? lift(w, v[2]) : v[2]));
}

/* AVX-512's function for an instruction of singles, to round it otherwise than to nearest; NULL: none. */
static const char *directed_name(const sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    static const char *const names[PTX_OP_COUNT] = {[PTX_OP_FMA] = "vfmadd",
                                                    [PTX_OP_FMAD] = "vfmadd",
                                                    [PTX_OP_FADD] = "add",
                                                    [PTX_OP_FSUB] = "sub",
                                                    [PTX_OP_FMUL] = "mul"};
    return w->has_avx512 && i->type == PTX_F32 && !(op->x & SIM_FLUSH) ? names[i->op] : NULL;
}

/* Accurate exponentials round down in between, so this is common. */
static void write_directed(sim_writer *w, const sim_op *op, const char *name, unsigned sources) {
    const int rounding = op->y == FE_DOWNWARD ? SIM_ROUND_DOWN : op->y == FE_UPWARD ? SIM_ROUND_UP : SIM_ROUND_TO_ZERO;
    const uint32_t slots[3] = {op->a, op->b, op->c};
    sim_value v[3];
    uint32_t half[2];
    for (unsigned k = 0; k < sources; k++) v[k] = read_operand(w, op, slots[k], SIM_VALUE_F32);
    for (unsigned h = 0; h < 2; h++) {
        char third[32] = "";
        const uint32_t a = sim_write_half(w, v[0], h), b = sim_write_half(w, v[1], h);
        if (sources > 2) snprintf(third, sizeof third, "<16 x float> %%v%u, ", sim_write_half(w, v[2], h));
        half[h] = sim_write_id(w,
                               "call <16 x float> @llvm.x86.avx512.%s.ps.512(<16 x float> %%v%u, <16 x float> %%v%u, "
                               "%si32 %d)",
                               name, a, b, third, rounding);
    }
    write_single(w, op, sim_write_joined(w, SIM_VALUE_F32, half[0], half[1]));
}

/* Other roundings than to nearest are otherwise left to the handler, and so is fma, of three operands, on hosts without
 * it. */
static bool write_arithmetic(sim_writer *w, const sim_op *op, const ptx_instruction *i, const arithmetic *how) {
    const uint32_t slots[3] = {op->a, op->b, op->c};
    sim_value_type type;
    sim_value v[3] = {{0}};
    if (!float_type(i->type, &type) || (op->x & ~(uint32_t)(SIM_FLUSH | SIM_SATURATE))) return false;
    if (op->y != FE_TONEAREST) {
        const char *name = directed_name(w, op, i);
        if (name) write_directed(w, op, name, how->sources);
        return name;
    }
    if (how->sources > 2 && !w->has_fma) return false;
    for (unsigned k = 0; k < how->sources; k++) v[k] = read_operand(w, op, slots[k], type);
    sim_value result = how->write(w, v[0], v[1], v[2]), constant;
    if (type == SIM_VALUE_F64) {
        sim_write_slot(w, op->d, choose_nan(w, slots, v, how->nans, result));
        return true;
    }
    if (how->is_product && (op->x & SIM_FLUSH))
        result = flush_product(w, how, v, sim_slot_is_constant(w, op->b, SIM_VALUE_I32, &constant), result);
    write_single(w, op, result);
    return true;
}

/* ---- minimum and maximum ---- */

static write_fn *const choices[PTX_OP_COUNT] = {
#define CHOICE(id, name, meaning) [PTX_OP_##id] = write_##name,
#include "lower/floating.def"
};

/* Writes a choice of one of two values. With .NaN, a NaN operand is the result. */
static bool write_float_choice(sim_writer *w, const sim_op *op, const ptx_instruction *i, write_fn *choose) {
    sim_value_type type;
    if (!float_type(i->type, &type) || i->operand_count > 3) return false;
    if (op->x & ~(uint32_t)(SIM_FLUSH | SIM_KEEP_NAN)) return false;
    const sim_value a = read_operand(w, op, op->a, type), b = read_operand(w, op, op->b, type);
    const sim_value nan =
        type == SIM_VALUE_F64 ? write_masked(w, "or", b, SIM_QUIET_F64) : write_float_constant(w, type, SIM_NAN_F32);
    const sim_value chosen = choose(w, a, b, b);
    const bool keeps = op->x & SIM_KEEP_NAN;
    const uint32_t is_nan = sim_write_relation(w, "fcmp uno", keeps ? a : chosen, keeps ? b : chosen);
    sim_write_slot(w, op->d, sim_write_choice(w, is_nan, nan, chosen));
    return true;
}

bool sim_write_float(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (arithmetics[i->op].write) return write_arithmetic(w, op, i, &arithmetics[i->op]);
    if (choices[i->op]) return write_float_choice(w, op, i, choices[i->op]);
    return sim_write_approximate(w, op, i);
}

/* ---- conversions between integers ---- */

static int64_t least(unsigned type) {
    return ptx_is_signed(type) ? INT64_MIN >> (64 - ptx_bits(type)) : 0;
}

static uint64_t greatest(unsigned type) {
    return (ptx_is_signed(type) ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - ptx_bits(type));
}

static unsigned lane_bits(sim_value v) {
    return v.type == SIM_VALUE_I16 ? 16 : v.type == SIM_VALUE_I32 ? 32 : 64;
}

/* Extends the low bits of a type that is narrower than its lanes, by its sign. */
static sim_value extend_low(sim_writer *w, sim_value v, unsigned type) {
    const unsigned spare = lane_bits(v) - ptx_bits(type);
    if (!spare) return v;
    if (!ptx_is_signed(type))
        return sim_write_two(w, "and", v,
                             sim_value_constant((sim_value_type)v.type, UINT64_MAX >> (64 - ptx_bits(type))));
    const sim_value by = sim_value_constant((sim_value_type)v.type, spare);
    return sim_write_two(w, "ashr", sim_write_two(w, "shl", v, by), by);
}

/* The operand at the width of its lanes, extended by its type. */
static sim_value read_integer(sim_writer *w, const sim_op *op, const ptx_instruction *i, sim_value_type lanes) {
    return extend_low(w, sim_read_slot(w, op->a, lanes), i->type2);
}

/* Computes in 64 bits, which hold every value except the upper half of u64. */
static sim_value saturate_integer(sim_writer *w, sim_value v, unsigned to, unsigned from) {
    const bool sign = ptx_is_signed(from);
    v = sim_write_cast(w, v, SIM_VALUE_I64, sign);
    const uint64_t high = sign && ptx_bits(to) == 64 ? INT64_MAX : greatest(to);
    if (sign) v = sim_write_lesser(w, v, sim_value_constant(SIM_VALUE_I64, (uint64_t)least(to)), true, false);
    return sim_write_lesser(w, v, sim_value_constant(SIM_VALUE_I64, high), sign, true);
}

/* Saturates to the range of the new type, or cuts. */
static bool convert_integer(sim_writer *w, const sim_op *op, const ptx_instruction *i, sim_value_type from,
                            sim_value_type to) {
    sim_value v = read_integer(w, op, i, from);
    if (i->mods[PTX_SLOT_SAT]) v = saturate_integer(w, v, i->type, i->type2);
    v = sim_write_cast(w, v, to, ptx_is_signed(i->mods[PTX_SLOT_SAT] ? i->type : i->type2));
    sim_write_slot(w, op->d, extend_low(w, v, i->type));
    return true;
}

/* ---- from integers to floating point: one rounding, to nearest ---- */

static bool convert_to_float(sim_writer *w, const sim_op *op, const ptx_instruction *i, sim_value_type from) {
    sim_value_type to;
    if (!float_type(i->type, &to) || i->mods[PTX_SLOT_ROUND] != PTX_MOD_RN || i->mods[PTX_SLOT_SAT]) return false;
    const bool sign = ptx_is_signed(i->type2);
    const sim_value v = read_integer(w, op, i, from);
    const sim_value wide = from == SIM_VALUE_I16 ? sim_write_cast(w, v, SIM_VALUE_I32, sign) : v;
    sim_write_slot(w, op->d, sim_write_as(w, sign ? "sitofp" : "uitofp", wide, to));
    return true;
}

/* ---- from floating point to integers ---- */

/* Returns LLVM's function that rounds to integers; NULL if there is none of that name. */
static const char *rounding_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_ROUND]) {
    case PTX_MOD_RNI: return "rint";
    case PTX_MOD_RZI: return "trunc";
    case PTX_MOD_RMI: return "floor";
    case PTX_MOD_RPI: return "ceil";
    default: return NULL;
    }
}

static sim_value read_float(sim_writer *w, const sim_op *op, const ptx_instruction *i, sim_value_type from) {
    const sim_value a = read_any(w, op->a, from);
    return i->mods[PTX_SLOT_FTZ] && from == SIM_VALUE_F32 ? sim_write_flush(w, a) : a;
}

/* Narrow types go through 32 bits: everything out of 32 bits is out of their range too. */
static sim_value clamp_to(sim_writer *w, sim_value v, unsigned type) {
    if (ptx_bits(type) >= 32) return v;
    v = sim_write_lesser(w, v, sim_value_constant(SIM_VALUE_I32, (uint64_t)least(type)), true, false);
    return sim_write_lesser(w, v, sim_value_constant(SIM_VALUE_I32, greatest(type)), true, true);
}

/* Values out of range become the nearest in range. NaN becomes 0, or the top bit if either side has 64 bits. */
static bool convert_to_integer(sim_writer *w, const sim_op *op, const ptx_instruction *i, sim_value_type from,
                               sim_value_type to) {
    const char *rounding = rounding_of(i);
    const unsigned bits = ptx_bits(i->type);
    if (!rounding || !w->has_fma) return false;
    const sim_value a = read_float(w, op, i, from);
    const sim_value rounded = i->mods[PTX_SLOT_ROUND] == PTX_MOD_RZI ? a : sim_write_function(w, rounding, &a, 1);
    const bool sign = bits < 32 || ptx_is_signed(i->type);
    const sim_value_type wide = bits == 64 ? SIM_VALUE_I64 : SIM_VALUE_I32;
    sim_value v = clamp_to(w, sim_write_conversion(w, sign ? "fptosi.sat" : "fptoui.sat", rounded, wide), i->type);
    if (from == SIM_VALUE_F64 || bits == 64) {
        const sim_value top = sim_value_constant(wide, UINT64_C(1) << (bits - 1));
        v = sim_write_choice(w, sim_write_relation(w, "fcmp uno", a, a), top, v);
    }
    v = sim_write_cast(w, v, to, ptx_is_signed(i->type));
    sim_write_slot(w, op->d, extend_low(w, v, i->type));
    return true;
}

/* ---- between singles and doubles ---- */

/* A NaN keeps its payload and becomes quiet, even if it is converted back. With .ftz it becomes the canonical NaN. */
static void widen(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value a = sim_read_slot(w, op->a, SIM_VALUE_F32);
    if (i->mods[PTX_SLOT_FTZ]) a = sim_write_flush(w, a);
    const uint32_t is_nan = sim_write_relation(w, "fcmp uno", a, a);
    const sim_value quiet = i->mods[PTX_SLOT_FTZ] ? write_float_constant(w, SIM_VALUE_F32, SIM_NAN_F32)
                                                  : write_masked(w, "or", a, SIM_QUIET_F32);
    a = sim_write_choice(w, is_nan, quiet, a);
    sim_write_slot(w, op->d, sim_write_as(w, "fpext", a, SIM_VALUE_F64));
}

/* Doubles to singles, rounded once. */
static bool narrow(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (i->mods[PTX_SLOT_ROUND] != PTX_MOD_RN) return false;
    sim_value a = sim_read_slot(w, op->a, SIM_VALUE_F64);
    if (i->mods[PTX_SLOT_SAT]) a = write_saturated(w, a);
    sim_value single = sim_write_as(w, "fptrunc", a, SIM_VALUE_F32);
    if (i->mods[PTX_SLOT_FTZ]) {
        a = sim_write_two(w, "fmul", a, sim_write_number(w, SIM_VALUE_F64, SIM_LIFT));
        single = flush_by(w, single, sim_write_as(w, "fptrunc", a, SIM_VALUE_F32));
    }
    sim_write_slot(w, op->d, single);
    return true;
}

/* Rounds to integral values, or clamps to 0 .. 1. The interpreter computes single precision in doubles, so NaNs become
 * the canonical one. */
static bool convert_in_place(sim_writer *w, const sim_op *op, const ptx_instruction *i, sim_value_type type) {
    const char *rounding = rounding_of(i);
    if (!i->mods[PTX_SLOT_ROUND] && !i->mods[PTX_SLOT_FTZ] && !i->mods[PTX_SLOT_SAT]) {
        sim_write_slot(w, op->d, sim_read_slot(w, op->a, type));
        return true;
    }
    if (type == SIM_VALUE_F64 && (!rounding || i->mods[PTX_SLOT_SAT])) return false;
    if ((i->mods[PTX_SLOT_ROUND] && !rounding) || !w->has_fma) return false;
    sim_value a = read_float(w, op, i, type);
    if (rounding) a = sim_write_function(w, rounding, &a, 1);
    a.raw = type == SIM_VALUE_F32;
    if (i->mods[PTX_SLOT_FTZ]) a = sim_write_flush(w, a);
    if (i->mods[PTX_SLOT_SAT]) a = write_saturated(w, a);
    sim_write_slot(w, op->d, a);
    return true;
}

static bool convert_float(sim_writer *w, const sim_op *op, const ptx_instruction *i, sim_value_type from,
                          sim_value_type to) {
    if (from == to) return convert_in_place(w, op, i, from);
    if (from == SIM_VALUE_F64) return narrow(w, op, i);
    if (i->mods[PTX_SLOT_SAT] || i->mods[PTX_SLOT_ROUND]) return false;
    widen(w, op, i);
    return true;
}

static bool is_half(unsigned type) {
    return type == PTX_F16 || type == PTX_BF16;
}

/* Chooses by the kinds of both types; registers wider than their type are for integers only. */
bool sim_write_convert(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type from, to, from_float, to_float;
    if (is_half(i->type) || is_half(i->type2)) return sim_write_convert_half(w, op, i);
    if (i->mods[PTX_SLOT_RELU] || i->mods[PTX_SLOT_SATFINITE]) return false;
    if (!sim_register_type(w, &i->operands[0], i->type, &to) || !sim_register_type(w, &i->operands[1], i->type2, &from))
        return false;
    const bool from_integer = ptx_is_integer(i->type2), to_integer = ptx_is_integer(i->type);
    if (from_integer && to_integer) return convert_integer(w, op, i, from, to);
    if (!to_integer && (!sim_has_own_width(w, &i->operands[0], i->type) || !float_type(i->type, &to_float)))
        return false;
    if (from_integer) return convert_to_float(w, op, i, from);
    if (!sim_has_own_width(w, &i->operands[1], i->type2) || !float_type(i->type2, &from_float)) return false;
    if (to_integer) return convert_to_integer(w, op, i, from_float, to);
    return convert_float(w, op, i, from_float, to_float);
}
