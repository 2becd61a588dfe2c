/* Approximate functions of single precision, with the same bits as exec/ops/mufu.h and exec/ops/approximate.c. Each one
 * that a block uses becomes a function of lanes after its segments. What PTX adds where subnormal numbers are kept is
 * written in place. */
#include "jit/ops.h"
#include "machine/mufu.h"
#include "state/warp.h"

#define ONE UINT64_C(0x00800000) /* of a significand */
#define FRACTION (ONE - 1)
#define SIGN UINT64_C(0x80000000)
#define MAGNITUDE (SIGN - 1)
#define INFINITE UINT64_C(0x7f800000)
#define NOT_A_NUMBER MAGNITUDE
#define ONE_F32 UINT64_C(0x3f800000)

/* ---- integers with constants ---- */

static sim_value number(uint64_t n) {
    return sim_value_constant(SIM_VALUE_I32, n);
}

/* An operation with a constant. */
static sim_value with(sim_writer *w, const char *operation, sim_value a, uint64_t n) {
    return sim_write_two(w, operation, a, sim_value_constant((sim_value_type)a.type, n));
}

/* Returns n - a. */
static sim_value from(sim_writer *w, uint64_t n, sim_value a) {
    return sim_write_two(w, "sub", number(n), a);
}

/* A comparison with a constant, as bits. */
static uint32_t holds(sim_writer *w, const char *relation, sim_value a, uint64_t n) {
    return sim_write_relation(w, relation, a, number(n));
}

static uint32_t either(sim_writer *w, uint32_t a, uint32_t b) {
    return sim_write_id(w, "or <32 x i1> %%v%u, %%v%u", a, b);
}

static uint32_t both(sim_writer *w, uint32_t a, uint32_t b) {
    return sim_write_id(w, "and <32 x i1> %%v%u, %%v%u", a, b);
}

static sim_value as(sim_writer *w, sim_value a, sim_value_type to) {
    return a.type == to ? a : sim_write_as(w, "bitcast", a, to);
}

/* Applies a float operation with a constant, given by its bits. */
static sim_value with_real(sim_writer *w, const char *operation, sim_value a, uint64_t bits) {
    const sim_value_type type = (sim_value_type)a.type;
    return sim_write_two(w, operation, a, sim_write_float_constant(w, type, bits));
}

static sim_value real_of(sim_writer *w, sim_value integer) {
    return sim_write_as(w, "sitofp", integer, SIM_VALUE_F64);
}

/* ---- a number's parts ---- */

typedef struct parts {
    sim_value bits, fraction, exponent, sign, magnitude;
    uint32_t is_nan;
} parts;

/* Splits a single-precision number into its parts. */
static parts split(sim_writer *w, sim_value bits) {
    const sim_value magnitude = with(w, "and", bits, MAGNITUDE);
    return (parts){.bits = bits,
                   .fraction = with(w, "and", bits, FRACTION),
                   .exponent = with(w, "lshr", magnitude, 23),
                   .sign = with(w, "and", bits, SIGN),
                   .magnitude = magnitude,
                   .is_nan = holds(w, "icmp ugt", magnitude, INFINITE)};
}

/* Subnormal numbers count as zeros. */
static uint32_t is_zero(sim_writer *w, const parts *p) {
    return holds(w, "icmp eq", p->exponent, 0);
}

/* NaN, or a negative number: its root is NaN. */
static uint32_t is_invalid_root(sim_writer *w, const parts *p) {
    const uint32_t negative = both(w, holds(w, "icmp ne", p->sign, 0), holds(w, "icmp ne", p->exponent, 0));
    return either(w, p->is_nan, negative);
}

/* Zeros and infinities have a result of their own. */
static sim_value choose_special(sim_writer *w, const parts *p, sim_value special, sim_value usual) {
    const uint32_t extreme = either(w, is_zero(w, p), holds(w, "icmp eq", p->exponent, 255));
    return sim_write_choice(w, extreme, special, usual);
}

/* ---- parabolas ---- */

/* Loads the words at these byte offsets of a table. */
static sim_value write_words(sim_writer *w, sim_mufu_table which, unsigned offset, sim_value bytes) {
    const uint32_t tables = sim_write_native(w, offsetof(sim_native, mufu) + which * sizeof(void *));
    const uint32_t base = sim_write_pointer(w, sim_write_sum(w, tables, offset), "i8");
    uint32_t half[2];
    for (unsigned h = 0; h < 2; h++)
        half[h] = sim_gather_integers(w, sim_write_places(w, base, sim_write_half(w, bytes, h), 32), 32);
    return sim_write_joined(w, SIM_VALUE_I32, half[0], half[1]);
}

/* Returns the square as the unit computes it, without its lowest partial products: sim_mufu_square(). */
static sim_value write_square(sim_writer *w, sim_value x) {
    const sim_value y = with(w, "lshr", x, 2), low = with(w, "and", y, 127), high = with(w, "lshr", y, 7);
    sim_value cross = number(0);
    for (unsigned k = 0; k < 7; k++) {
        const uint32_t set = holds(w, "icmp ne", with(w, "and", high, UINT64_C(1) << k), 0);
        const sim_value term = with(w, "and", with(w, "shl", low, k), 127);
        cross = sim_write_two(w, "add", cross, sim_write_choice(w, set, term, number(0)));
    }
    const sim_value product = sim_write_two(w, "mul", high, sim_write_two(w, "add", y, low));
    return with(w, "lshr", sim_write_two(w, "sub", product, with(w, "shl", cross, 1)), 8);
}

enum { LOW_BITS = 10 };
typedef struct sum {
    sim_value upper, low;
} sum;

/* Evaluates a table's parabola: value + slope * x + bend * square, in fixed point. */
static sum write_parabola(sim_writer *w, sim_mufu_table table, sim_value slice, sim_value x, sim_value square) {
    const sim_mufu_parabola *p = &sim_mufu_parabolas[table];
    const sim_value at = with(w, "mul", slice, sizeof(sim_mufu_row));
    const sim_value value = write_words(w, table, offsetof(sim_mufu_row, value), at);
    const sim_value slope = write_words(w, table, offsetof(sim_mufu_row, slope), at);
    const sim_value bend = write_words(w, table, offsetof(sim_mufu_row, bend), at);
    const sim_value near = with(w, "and", x, (1 << LOW_BITS) - 1), far = with(w, "lshr", x, LOW_BITS);
    const sim_value bent = sim_write_two(w, "mul", bend, with(w, "mul", square, (uint64_t)p->times));
    const sim_value fine =
        with(w, "add", sim_write_two(w, "add", sim_write_two(w, "mul", slope, near), bent), (uint64_t)p->more);
    const sim_value coarse =
        sim_write_two(w, "add", sim_write_two(w, "mul", slope, far), with(w, "ashr", fine, LOW_BITS));
    const sim_value upper = sim_write_two(w, "add", with(w, "shl", value, p->scale - LOW_BITS), coarse);
    return (sum){upper, with(w, "and", fine, (1 << LOW_BITS) - 1)};
}

/* For tables whose slices are numbered by the bits from 17 on. */
static sum write_sum(sim_writer *w, sim_mufu_table table, sim_value place) {
    const sim_value x = with(w, "and", place, 0x1ffff);
    return write_parabola(w, table, with(w, "lshr", place, 17), x, write_square(w, x));
}

/* Combines exponent and significand; underflow gives 0, overflow infinity. */
static sim_value write_packed(sim_writer *w, sim_value exponent, sim_value significand) {
    const sim_value whole = sim_write_two(w, "add", exponent, with(w, "lshr", significand, 24));
    const sim_value bits = sim_write_two(w, "add", with(w, "shl", exponent, 23), with(w, "sub", significand, ONE));
    const sim_value bounded = sim_write_choice(w, holds(w, "icmp sge", whole, 255), number(INFINITE), bits);
    return sim_write_choice(w, holds(w, "icmp sle", whole, 0), number(0), bounded);
}

/* Returns 2^-10 of a sum plus its lowest bits as a double, which is exact. */
static sim_value write_whole(sim_writer *w, sim_value upper, sim_value low, uint64_t scale_bits) {
    return sim_write_two(w, "fadd", with_real(w, "fmul", real_of(w, upper), scale_bits), real_of(w, low));
}

/* Returns the bits of the largest float not above exact * power, which is not negative. */
static sim_value write_cut(sim_writer *w, sim_value exact, sim_value power) {
    const sim_value bits = with(w, "and", as(w, exact, SIM_VALUE_I64), ~UINT64_C(0x1fffffff));
    const sim_value scaled = sim_write_two(w, "fmul", as(w, bits, SIM_VALUE_F64), power);
    return as(w, sim_write_as(w, "fptrunc", scaled, SIM_VALUE_F32), SIM_VALUE_I32);
}

static sim_value power_of_two(sim_writer *w, int exponent) {
    return sim_write_float_constant(w, SIM_VALUE_F64, (uint64_t)(1023 + exponent) << 52);
}

static sim_value write_truncated(sim_writer *w, sim_value a) {
    return sim_write_as(w, "fptosi", a, SIM_VALUE_I32);
}

/* ---- the functions of the unit, from bits to bits ---- */

/* 1/x: the exponent is negated, the significand comes from the table. */
static sim_value reciprocal(sim_writer *w, const parts *p) {
    const sim_value x = with(w, "and", p->fraction, 0xffff);
    const sim_value square = write_square(w, with(w, "shl", x, 1));
    const sum s = write_parabola(w, SIM_MUFU_RCP, with(w, "lshr", p->fraction, 16), x, square);
    const sim_value usual = write_packed(w, from(w, 253, p->exponent), with(w, "lshr", s.upper, 5));
    const sim_value special = sim_write_choice(w, is_zero(w, p), number(INFINITE), number(0));
    const sim_value result = sim_write_two(w, "or", p->sign, choose_special(w, p, special, usual));
    return sim_write_choice(w, p->is_nan, number(NOT_A_NUMBER), result);
}

/* place_of_four(): the position of the significand in the interval from 1 to 4, which has two halves. half_exponent():
 * half of the exponent. */
static sim_value place_of_four(sim_writer *w, const parts *p) {
    const sim_value even = with(w, "xor", with(w, "and", p->exponent, 1), 1);
    return sim_write_two(w, "or", p->fraction, with(w, "shl", even, 23));
}
static sim_value half_exponent(sim_writer *w, const parts *p) {
    return with(w, "ashr", with(w, "sub", p->exponent, 127), 1);
}

static sim_value inverse_root(sim_writer *w, const parts *p) {
    const sim_value place = place_of_four(w, p), upper = write_sum(w, SIM_MUFU_RSQ, place).upper;
    const sim_value whole = sim_write_choice(w, holds(w, "icmp eq", place, 0), number(1u << 30), upper);
    const sim_value usual = write_packed(w, from(w, 126, half_exponent(w, p)), with(w, "lshr", whole, 6));
    const sim_value special = sim_write_choice(w, is_zero(w, p), with(w, "or", p->sign, INFINITE), number(0));
    return sim_write_choice(w, is_invalid_root(w, p), number(NOT_A_NUMBER), choose_special(w, p, special, usual));
}

static sim_value root(sim_writer *w, const parts *p) {
    const sim_value significand = with(w, "lshr", write_sum(w, SIM_MUFU_SQRT, place_of_four(w, p)).upper, 7);
    const sim_value usual = write_packed(w, with(w, "add", half_exponent(w, p), 127), significand);
    const sim_value special = sim_write_choice(w, is_zero(w, p), p->sign, number(INFINITE));
    return sim_write_choice(w, is_invalid_root(w, p), number(NOT_A_NUMBER), choose_special(w, p, special, usual));
}

/* 2^x: the whole part is the exponent, the rest goes to the table. */
static sim_value exponential(sim_writer *w, const parts *p) {
    const uint64_t most = 0x43000000; /* 128 */
    const sim_value within = sim_write_choice(w, holds(w, "icmp ult", p->magnitude, most), p->magnitude, number(most));
    const sim_value magnitude =
        write_truncated(w, with_real(w, "fmul", as(w, within, SIM_VALUE_F32), 0x4b000000)); /* 2^23 */
    const sim_value negative = with(w, "lshr", p->bits, 31), all = with(w, "ashr", p->bits, 31);
    const sim_value fixed = sim_write_two(w, "add", sim_write_two(w, "xor", magnitude, all), negative);
    const sim_value part = with(w, "and", fixed, FRACTION);
    const sim_value less = sim_write_choice(w, holds(w, "icmp eq", part, 0), number(0), negative);
    const sim_value significand =
        with(w, "lshr", write_sum(w, SIM_MUFU_EX2, sim_write_two(w, "sub", part, less)).upper, 5);
    const sim_value result = write_packed(w, with(w, "add", with(w, "ashr", fixed, 23), 127), significand);
    return sim_write_choice(w, p->is_nan, number(NOT_A_NUMBER), result);
}

/* log2(x): the exponent plus the table's value, cut to a single. */
static sim_value logarithm(sim_writer *w, const parts *p) {
    const sum s = write_sum(w, SIM_MUFU_LG2, p->fraction);
    const uint32_t one = holds(w, "icmp eq", p->magnitude, ONE_F32);
    const sim_value upper = sim_write_choice(w, one, number(0), s.upper);
    const sim_value low = sim_write_choice(w, one, number(0), with(w, "lshr", s.low, 2));
    const sim_value part = write_whole(w, upper, low, UINT64_C(0x4070000000000000)); /* 2^8 */
    const sim_value above = sim_write_two(w, "fmul", real_of(w, with(w, "sub", p->exponent, 127)), power_of_two(w, 36));
    const sim_value fixed = sim_write_two(w, "fadd", part, above);
    const uint32_t negative = sim_write_relation(w, "fcmp olt", fixed, sim_write_float_constant(w, SIM_VALUE_F64, 0));
    const sim_value minus_one = sim_write_float_constant(w, SIM_VALUE_F64, UINT64_C(0xbff0000000000000));
    const sim_value magnitude = sim_write_choice(w, negative, sim_write_two(w, "fsub", minus_one, fixed), fixed);
    const sim_value bits = write_cut(w, magnitude, power_of_two(w, -36));
    const sim_value usual = sim_write_choice(w, negative, with(w, "or", bits, SIGN), bits);
    const sim_value special = sim_write_choice(w, is_zero(w, p), number(SIGN | INFINITE), number(INFINITE));
    return sim_write_choice(w, is_invalid_root(w, p), number(NOT_A_NUMBER), choose_special(w, p, special, usual));
}

/* The argument is in turns of 2 pi; `quarters` of a turn are added. */
static sim_value sine_from(sim_writer *w, const parts *p, unsigned quarters) {
    const uint32_t fits = holds(w, "icmp ult", p->magnitude, 0x4b800000); /* 2^24 */
    const sim_value within = as(w, sim_write_choice(w, fits, p->magnitude, number(0)), SIM_VALUE_F32);
    const sim_value whole = sim_write_as(w, "sitofp", write_truncated(w, within), SIM_VALUE_F32);
    const sim_value left = sim_write_two(w, "fsub", within, whole);
    const sim_value fixed = write_truncated(w, with_real(w, "fmul", left, 0x4c000000)); /* 2^25 */
    const sim_value quarter = with(w, "add", with(w, "lshr", fixed, 23), quarters);
    const sim_value part = with(w, "and", fixed, FRACTION);
    const uint32_t odd = holds(w, "icmp ne", with(w, "and", quarter, 1), 0);
    const sum s = write_sum(w, SIM_MUFU_SIN, sim_write_choice(w, odd, with(w, "xor", part, FRACTION), part));
    const sim_value exact = write_whole(w, s.upper, s.low, UINT64_C(0x4090000000000000)); /* 2^10 */
    const sim_value usual = write_cut(w, exact, power_of_two(w, -37));
    const sim_value turned = sim_write_two(w, "xor", with(w, "shl", quarter, 30), quarters ? number(0) : p->bits);
    const sim_value result = sim_write_two(w, "xor", usual, with(w, "and", turned, SIGN));
    return sim_write_choice(w, holds(w, "icmp ult", p->magnitude, INFINITE), result, number(NOT_A_NUMBER));
}

static sim_value sine(sim_writer *w, const parts *p) {
    return sine_from(w, p, 0);
}
static sim_value cosine(sim_writer *w, const parts *p) {
    return sine_from(w, p, 1);
}

/* Returns 2^-n of each lane, as a double. */
static sim_value write_power(sim_writer *w, sim_value n) {
    const sim_value exponent = sim_write_cast(w, from(w, 1023, n), SIM_VALUE_I64, false);
    return as(w, with(w, "shl", exponent, 52), SIM_VALUE_F64);
}

/* tanh(x): tables by octave; small numbers are their own tangent, large ones 1. */
static sim_value tangent(sim_writer *w, const parts *p) {
    const sim_value above = with(w, "sub", p->exponent, 119), zero = number(0), ten = number(10);
    const uint32_t below = holds(w, "icmp slt", above, 0), beyond = holds(w, "icmp sgt", above, 10);
    const sim_value octave = sim_write_choice(w, below, zero, sim_write_choice(w, beyond, ten, above));
    const sim_value o = write_words(w, SIM_MUFU_OCTAVES, 0, with(w, "shl", octave, 2));
    const sim_value slices = with(w, "and", with(w, "lshr", o, 8), 255), first = with(w, "and", o, 255);
    const sim_value slice = sim_write_two(w, "add", first, sim_write_two(w, "lshr", p->fraction, from(w, 23, slices)));
    const sim_value x = with(w, "and", sim_write_two(w, "lshr", p->fraction, from(w, 6, slices)), 0x1ffff);
    const sum s = write_parabola(w, SIM_MUFU_TANH, slice, x, write_square(w, x));
    const sim_value exact = write_whole(w, s.upper, s.low, UINT64_C(0x4090000000000000)); /* 2^10 */
    const sim_value usual = write_cut(w, exact, write_power(w, with(w, "lshr", o, 16)));
    const sim_value high = sim_write_choice(w, beyond, number(ONE_F32), usual);
    const sim_value result = sim_write_two(w, "or", sim_write_choice(w, below, p->magnitude, high), p->sign);
    return sim_write_choice(w, p->is_nan, number(NOT_A_NUMBER), result);
}

/* ---- calls ---- */

typedef enum function {
    F_RECIPROCAL,
    F_INVERSE_ROOT,
    F_ROOT,
    F_EX2,
    F_LG2,
    F_SINE,
    F_COSINE,
    F_TANH,
    FUNCTIONS
} function;

/* Calls the function of lanes and notes that the module needs it. */
static sim_value call(sim_writer *w, function f, sim_value a) {
    w->mufu_used |= 1u << f;
    const sim_value bits = as(w, a, SIM_VALUE_I32);
    const sim_value result = sim_write_value(w, SIM_VALUE_I32, "call <32 x i32> @m%u(i64 %%n, <32 x i32> %s)",
                                             (unsigned)f, sim_operand(w, bits));
    return as(w, result, SIM_VALUE_F32);
}

void sim_write_mufu_functions(sim_writer *w) {
    static sim_value (*const writers[FUNCTIONS])(sim_writer *, const parts *) = {[F_RECIPROCAL] = reciprocal,
                                                                                 [F_INVERSE_ROOT] = inverse_root,
                                                                                 [F_ROOT] = root,
                                                                                 [F_EX2] = exponential,
                                                                                 [F_LG2] = logarithm,
                                                                                 [F_SINE] = sine,
                                                                                 [F_COSINE] = cosine,
                                                                                 [F_TANH] = tangent};
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        if (!(w->mufu_used >> f & 1)) continue;
        sim_write_line(w, "define internal <32 x i32> @m%u(i64 %%n, <32 x i32> %%a) #0 {", f);
        const parts p = split(w, sim_write_value(w, SIM_VALUE_I32, "or <32 x i32> %%a, zeroinitializer"));
        sim_write_line(w, "  ret <32 x i32> %s", sim_operand(w, writers[f](w, &p)));
        sim_write_line(w, "}");
    }
}

/* ---- PTX's additions ---- */

static uint32_t is_small(sim_writer *w, sim_value a) {
    return holds(w, "icmp ult", with(w, "and", as(w, a, SIM_VALUE_I32), MAGNITUDE), ONE);
}

/* Returns one of two factors, given by their bits. */
static sim_value factor(sim_writer *w, uint32_t where, uint64_t yes, uint64_t no) {
    return as(w, sim_write_choice(w, where, number(yes), number(no)), SIM_VALUE_F32);
}

/* Returns a factor: 2^24 for subnormal numbers; with `large`, 1/4 for numbers whose reciprocal is subnormal. */
static sim_value lift_by(sim_writer *w, sim_value a, bool small, bool large) {
    const sim_value magnitude = with(w, "and", as(w, a, SIM_VALUE_I32), MAGNITUDE);
    sim_value by = number(ONE_F32);
    if (small) by = sim_write_choice(w, holds(w, "icmp ult", magnitude, ONE), number(0x4b800000), by);
    if (large) by = sim_write_choice(w, holds(w, "icmp ugt", magnitude, 0x7e800000), number(0x3e800000), by);
    return as(w, by, SIM_VALUE_F32);
}

static sim_value product(sim_writer *w, sim_value a, sim_value b) {
    return sim_write_two(w, "fmul", a, b);
}

/* Converts to turns of 2 pi, truncated. */
static sim_value turns_of(sim_writer *w, sim_value a) {
    const sim_value exact =
        with_real(w, "fmul", sim_write_as(w, "fpext", a, SIM_VALUE_F64), UINT64_C(0x3fc45f3060000000));
    const sim_value bits = with(w, "and", as(w, exact, SIM_VALUE_I64), ~UINT64_C(0x1fffffff));
    return sim_write_flush(w, sim_write_as(w, "fptrunc", as(w, bits, SIM_VALUE_F64), SIM_VALUE_F32));
}

/* Without .ftz: subnormal numbers are scaled before and after. */
static sim_value plain_reciprocal(sim_writer *w, sim_value a) {
    const sim_value by = lift_by(w, a, true, true);
    return product(w, by, call(w, F_RECIPROCAL, product(w, a, by)));
}

/* back: the factor that corrects the root of a lifted subnormal number. */
static sim_value plain_root(sim_writer *w, function f, sim_value a, uint64_t back) {
    const uint32_t small = is_small(w, a);
    const sim_value result = call(w, f, product(w, a, lift_by(w, a, true, false)));
    return product(w, result, factor(w, small, back, ONE_F32));
}

static sim_value plain_logarithm(sim_writer *w, sim_value a) {
    const uint32_t small = is_small(w, a);
    const sim_value result = call(w, F_LG2, product(w, a, lift_by(w, a, true, false)));
    return sim_write_two(w, "fsub", result, factor(w, small, 0x41c00000, 0)); /* 24 */
}

/* Below -126 the root is computed and squared, so that the result may be subnormal. */
static sim_value plain_exponential(sim_writer *w, sim_value a) {
    const sim_value least = sim_write_float_constant(w, SIM_VALUE_F32, 0xc2fc0000); /* -126 */
    const uint32_t halved = sim_write_relation(w, "fcmp olt", a, least);
    const sim_value result = call(w, F_EX2, product(w, a, factor(w, halved, 0x3f000000, ONE_F32)));
    return sim_write_choice(w, halved, product(w, result, result), result);
}

static sim_value write_unary(sim_writer *w, const ptx_instruction *i, sim_value a) {
    const bool flushes = i->mods[PTX_SLOT_FTZ];
    switch (i->op) {
    case PTX_OP_RCP_APPROX: return flushes ? call(w, F_RECIPROCAL, a) : plain_reciprocal(w, a);
    case PTX_OP_RSQRT: return flushes ? call(w, F_INVERSE_ROOT, a) : plain_root(w, F_INVERSE_ROOT, a, 0x45800000);
    case PTX_OP_SQRT_APPROX: return flushes ? call(w, F_ROOT, a) : plain_root(w, F_ROOT, a, 0x39800000);
    case PTX_OP_EX2: return flushes ? call(w, F_EX2, a) : plain_exponential(w, a);
    case PTX_OP_LG2: return flushes ? call(w, F_LG2, a) : plain_logarithm(w, a);
    case PTX_OP_SIN: return call(w, F_SINE, turns_of(w, a));
    case PTX_OP_COS: return call(w, F_COSINE, turns_of(w, a));
    default: return call(w, F_TANH, a);
    }
}

/* div.approx and div.full: a product by the reciprocal, both scaled where needed. */
static sim_value write_quotient(sim_writer *w, const ptx_instruction *i, sim_value a, sim_value b) {
    const bool flushes = i->mods[PTX_SLOT_FTZ], full = i->mods[PTX_SLOT_PRECISION] != PTX_MOD_APPROX;
    const sim_value by = lift_by(w, b, !flushes, full);
    if (flushes) a = sim_write_flush(w, a);
    if (!flushes || full) a = product(w, a, by), b = product(w, b, by);
    const sim_value reciprocal = call(w, F_RECIPROCAL, b);
    return flushes ? sim_write_product_flushed(w, sim_write_flush(w, a), reciprocal) : product(w, reciprocal, a);
}

bool sim_write_approximate(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (i->type != PTX_F32) return false;
    const sim_value a = sim_read_raw(w, op->a);
    sim_value result =
        i->op == PTX_OP_FDIV_APPROX ? write_quotient(w, i, a, sim_read_raw(w, op->b)) : write_unary(w, i, a);
    result.raw = true;
    sim_write_slot(w, op->d, result);
    return true;
}
