/* The GPU's unit for approximate functions: those of lower/mufu.def, whose words are C here, and the unit's functions
 * of double precision. The code has no branches, hence no && and ||, and uses 32-bit words where possible, so that it
 * vectorises. */
#ifndef HAUL_EXEC_OPS_MUFU_H
#define HAUL_EXEC_OPS_MUFU_H

#include "exec/floats.h"
#include "machine/mufu.h"

/* Compilers vectorise a loop over lanes only if it calls nothing. */
#define SIM_INLINED inline __attribute__((always_inline))

/* ---- words ---- */

typedef uint32_t BITS;
typedef float REAL;
typedef double WIDE;
typedef bool TRUTH;

#define FUNCTION(type, name, ...) static SIM_INLINED type mufu_##name(__VA_ARGS__)
#define CALL(name, ...) mufu_##name(__VA_ARGS__)
#define UNIT(name, a) f32_of_bits(mufu_##name(bits_of_f32(a)))
#define K(n) ((uint32_t)(n))
#define R(x) ((float)(x))
#define W(x) ((double)(x))
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define SHL(a, n) ((a) << (n))
#define SHR(a, n) ((a) >> (n))
#define SHIFTED(a, b) ((a) >> (b))
#define SAR(a, n) ((uint32_t)((int32_t)(a) >> (n)))
#define BELOW(a, b) ((a) < (b))
#define SIGNED_BELOW(a, b) ((int32_t)(a) < (int32_t)(b))
#define SAME(a, b) ((a) == (b))
#define R_BELOW BELOW
#define W_BELOW BELOW
#define EITHER(a, b) ((a) | (b))
#define MASK(condition) (0 - (uint32_t)(condition))
#define IF(condition, yes, no) \
    _Generic((yes), uint32_t : choose_bits, float : choose_real, double : choose_wide)(condition, yes, no)
#define R_ABS(a) __builtin_fabsf(a)
#define R_SUB SUB
#define R_MUL MUL
#define W_ADD ADD
#define W_SUB SUB
#define W_MUL MUL
#define ROW(table, slice) mufu_row_of(table, slice)
#define SHORT_PRODUCTS(a, b) CALL(short_products, a, b)
#define OCTAVE(n) sim_mufu_octaves[(int32_t)(n)]
#define REAL_OF(a) ((float)(int32_t)(a))
#define WIDE_OF(a) ((double)(int32_t)(a))
#define WHOLE_OF(a) ((uint32_t)(int32_t)(a))
#define WIDENED(a) ((double)(a))
#define NARROWED(a) ((float)(a))
#define AS_BITS(a) bits_of_f32(a)
#define AS_REAL(a) f32_of_bits(a)
#define CUT(a) f64_of_bits(bits_of_f64(a) & ~((UINT64_C(1) << 29) - 1))
#define POWER(n) f64_of_bits((uint64_t)(1023 - (n)) << 52)
#define FLUSHED(a) flush_f32(a)
#define FLUSHED_PRODUCT(a, b) multiply_flushing(a, b)

/* Functions, so that both values are computed: a load that depends on a condition would not vectorise. */
static SIM_INLINED uint32_t choose_bits(bool condition, uint32_t yes, uint32_t no) {
    return condition ? yes : no;
}
static SIM_INLINED float choose_real(bool condition, float yes, float no) {
    return condition ? yes : no;
}
static SIM_INLINED double choose_wide(bool condition, double yes, double no) {
    return condition ? yes : no;
}

typedef struct mufu_row {
    BITS value, slope, bend;
} mufu_row;

/* Reads the table as integers: compilers know how to gather those. */
static SIM_INLINED mufu_row mufu_row_of(sim_mufu_table table, uint32_t slice) {
    const int32_t *numbers = (const int32_t *)(const void *)sim_mufu_parabolas[table].rows;
    const int32_t at = 3 * (int32_t)slice;
    return (mufu_row){(uint32_t)numbers[at], (uint32_t)numbers[at + 1], (uint32_t)numbers[at + 2]};
}

#include "lower/mufu.def"

/* ---- double precision: uses the upper halves, which have 20 fraction bits ---- */

static SIM_INLINED uint64_t mufu_pack_upper(int32_t exponent, uint32_t significand) {
    const uint32_t upper = ((uint32_t)exponent << 20) + (significand - (1u << 20));
    return exponent + (int32_t)(significand >> 21) <= 0 ? 0 : (uint64_t)upper << 32;
}

#define MUFU_NAN_F64 UINT64_C(0x7fffffff00000000)
#define MUFU_INFINITY_F64 UINT64_C(0x7ff0000000000000)

/* The lower half of an argument is ignored, even if it alone makes the number a NaN. */
static SIM_INLINED uint64_t mufu_upper(double a) {
    return bits_of_f64(a) & ~UINT64_C(0xffffffff);
}

/* Returns whether an exponent is that of zeros or that of infinities. */
static SIM_INLINED bool mufu_is_extreme(int32_t exponent) {
    return ((exponent + 1) & 2046) == 0;
}

static SIM_INLINED bool mufu_is_nan_f64(uint64_t upper) {
    return (upper & ~(UINT64_C(1) << 63)) > MUFU_INFINITY_F64;
}

/* MUFU.RCP64H and MUFU.RSQ64H: as above, on the upper half of a double. The lower half of the result is 0. */
static SIM_INLINED double mufu_reciprocal_f64(double a) {
    const uint64_t bits = mufu_upper(a), sign = bits & UINT64_C(1) << 63;
    const int32_t e = (int32_t)(bits >> 52 & 2047);
    const uint32_t m = (uint32_t)(bits >> 29) & (FRACTION & ~7u);
    const uint64_t usual = mufu_pack_upper(2045 - e, mufu_reciprocal_of(m) >> 8);
    const uint64_t special = e == 0 ? MUFU_INFINITY_F64 : 0;
    return f64_of_bits(mufu_is_nan_f64(bits) ? MUFU_NAN_F64 : sign | (mufu_is_extreme(e) ? special : usual));
}

static SIM_INLINED double mufu_inverse_root_f64(double a) {
    const uint64_t bits = mufu_upper(a), sign = bits & UINT64_C(1) << 63;
    const int32_t e = (int32_t)(bits >> 52 & 2047);
    const uint32_t m = (uint32_t)(bits >> 29) & (FRACTION & ~7u);
    const uint32_t significand = mufu_inverse_root_of(mufu_of_four((uint32_t)e, m)) >> 9;
    const uint64_t usual = mufu_pack_upper(1022 - ((e - 1023) >> 1), significand);
    const uint64_t special = e == 0 ? sign | MUFU_INFINITY_F64 : 0;
    const bool invalid = mufu_is_nan_f64(bits) | ((sign != 0) & (e != 0));
    return f64_of_bits(invalid ? MUFU_NAN_F64 : mufu_is_extreme(e) ? special : usual);
}

#endif
