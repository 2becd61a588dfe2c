/* The GPU's unit for approximate functions (MUFU in machine code), bit for bit. Each function is a parabola in each of
 * 51 to 128 slices of an interval, evaluated in fixed point. The code has no branches, hence no && and ||, and uses
 * 32-bit words where possible, so that it vectorises.
 *
 * The method is that of Oberman and Siu ("A high-performance area-efficient multifunction interpolator", 2005), which
 * others have read out of much older GPUs. Widths, roundings and all table rows were fitted to an H100's results for
 * every significand and reproduce all of them (tests/sim/exec/ops/test_mufu.c). Subnormal arguments count as zero and
 * subnormal results become zero. ops/approximate.c has the code that ptxas adds where PTX keeps subnormals. */
#ifndef HAUL_EXEC_OPS_MUFU_H
#define HAUL_EXEC_OPS_MUFU_H

#include "exec/floats.h"
#include "machine/mufu.h"

/* Compilers vectorise a loop over lanes only if it calls nothing. */
#define SIM_INLINED inline __attribute__((always_inline))

enum { MUFU_ONE = 1 << 23, MUFU_FRACTION = MUFU_ONE - 1 }; /* of a significand */

/* Returns x * x / 2^19 for 17 bits. Each partial product (y shifted, for a bit of y) loses the bits below the result:
 * those for bits j and k of y with j + k < 14. Among the lowest seven bits of y that is their whole square; `cross`
 * sums the part between those and the next seven. */
static SIM_INLINED int32_t sim_mufu_square(uint32_t x) {
    const uint32_t y = x >> 2, low = y & 127, high = y >> 7;
    uint32_t cross = 0;
    for (unsigned k = 0; k < 7; k++) cross += (low & 127 >> k) * (high & 1u << k);
    return (int32_t)((high * (y + low) - 2 * cross) >> 8);
}

/* A sum of up to 44 bits in two words: its upper part, and its lowest bits. */
enum { MUFU_LOW_BITS = 10, MUFU_LOW = 1 << MUFU_LOW_BITS };
typedef struct sim_mufu_sum {
    uint32_t upper, low;
} sim_mufu_sum;

/* Evaluates the parabola of a slice. */
static SIM_INLINED sim_mufu_sum sim_mufu_evaluate(sim_mufu_table table, uint32_t slice, uint32_t x, int32_t square) {
    const sim_mufu_parabola p = sim_mufu_parabolas[table];
    const int32_t *columns = (const int32_t *)(const void *)p.rows, at = (int32_t)(3 * slice);
    const int32_t slope = columns[at + 1], bend = columns[at + 2];
    const int32_t near = (int32_t)(x & (MUFU_LOW - 1)), far = (int32_t)(x >> MUFU_LOW_BITS);
    const int32_t fine = slope * near + bend * (square * p.times) + p.more;
    const uint32_t value = (uint32_t)columns[at] << (p.scale - MUFU_LOW_BITS);
    const uint32_t upper = value + (uint32_t)(slope * far + (fine >> MUFU_LOW_BITS));
    return (sim_mufu_sum){upper, (uint32_t)fine & (MUFU_LOW - 1)};
}

/* Returns whether an exponent is 0 or the highest one. */
static SIM_INLINED bool sim_mufu_is_extreme(int32_t exponent, int32_t highest) {
    return ((exponent + 1) & (highest - 1)) == 0;
}

/* Returns the number with a biased exponent and 24 bits of significand; 2^24 is allowed. If the exponent is out of
 * range, returns 0 or infinity. */
static SIM_INLINED uint32_t sim_mufu_pack(int32_t exponent, uint32_t significand) {
    const int32_t whole = exponent + (int32_t)(significand >> 24);
    const uint32_t bits = ((uint32_t)exponent << 23) + (significand - MUFU_ONE);
    return whole <= 0 ? 0 : whole >= 255 ? UINT32_C(0x7f800000) : bits;
}

/* Returns 1/x for x = 1 + m / 2^23, with 29 fraction bits, which the caller truncates. */
static SIM_INLINED uint32_t sim_mufu_reciprocal_of(uint32_t m) {
    const uint32_t x = m & 0xffff;
    return sim_mufu_evaluate(SIM_MUFU_RCP, m >> 16, x, sim_mufu_square(x << 1)).upper;
}

/* MUFU.RCP. Zeros, as which subnormal numbers count, give infinities of their sign, and infinities zeros. */
static SIM_INLINED float sim_mufu_reciprocal(float a) {
    const uint32_t bits = bits_of_f32(a), sign = bits & UINT32_C(0x80000000), m = bits & MUFU_FRACTION;
    const int32_t e = (int32_t)(bits >> 23 & 255);
    const uint32_t usual = sim_mufu_pack(253 - e, sim_mufu_reciprocal_of(m) >> 5);
    const uint32_t special = e == 0 ? UINT32_C(0x7f800000) : 0;
    const uint32_t result = sign | (sim_mufu_is_extreme(e, 255) ? special : usual);
    return a != a ? f32_of_bits(SIM_NAN_F32) : f32_of_bits(result);
}

/* Returns the position of the significand in the interval from 1 to 4, which has two halves. */
static SIM_INLINED uint32_t sim_mufu_of_four(int32_t e, uint32_t m) {
    return m | (uint32_t)(~e & 1) << 23;
}

/* Returns 1/sqrt(x) for the x at a position in the interval, with 30 fraction bits, which the caller truncates. For x =
 * 1 it is 1. */
static SIM_INLINED uint32_t sim_mufu_inverse_root_of(uint32_t place) {
    const uint32_t x = place & 0x1ffff;
    const sim_mufu_sum sum = sim_mufu_evaluate(SIM_MUFU_RSQ, place >> 17, x, sim_mufu_square(x));
    return place ? sum.upper : UINT32_C(1) << 30;
}

/* MUFU.RSQ. Negative numbers give NaN, zeros an infinity of their sign. */
static SIM_INLINED float sim_mufu_inverse_root(float a) {
    const uint32_t bits = bits_of_f32(a), sign = bits & UINT32_C(0x80000000), m = bits & MUFU_FRACTION;
    const int32_t e = (int32_t)(bits >> 23 & 255);
    const uint32_t significand = sim_mufu_inverse_root_of(sim_mufu_of_four(e, m)) >> 6;
    const uint32_t usual = sim_mufu_pack(126 - ((e - 127) >> 1), significand);
    const uint32_t special = e == 0 ? sign | UINT32_C(0x7f800000) : 0;
    const bool invalid = (a != a) | ((sign != 0) & (e != 0));
    return invalid ? f32_of_bits(SIM_NAN_F32) : f32_of_bits(sim_mufu_is_extreme(e, 255) ? special : usual);
}

/* MUFU.SQRT. Negative numbers give NaN, zeros stay. */
static SIM_INLINED float sim_mufu_root(float a) {
    const uint32_t bits = bits_of_f32(a), sign = bits & UINT32_C(0x80000000), m = bits & MUFU_FRACTION;
    const int32_t e = (int32_t)(bits >> 23 & 255);
    const uint32_t place = sim_mufu_of_four(e, m), x = m & 0x1ffff;
    const sim_mufu_sum sum = sim_mufu_evaluate(SIM_MUFU_SQRT, place >> 17, x, sim_mufu_square(x));
    const uint32_t usual = sim_mufu_pack(127 + ((e - 127) >> 1), sum.upper >> 7);
    const uint32_t special = e == 0 ? sign : UINT32_C(0x7f800000);
    const bool invalid = (a != a) | ((sign != 0) & (e != 0));
    return invalid ? f32_of_bits(SIM_NAN_F32) : f32_of_bits(sim_mufu_is_extreme(e, 255) ? special : usual);
}

/* Returns |a| * 2^23 without its fraction, at most 2^30. */
static SIM_INLINED uint32_t sim_mufu_fixed(float magnitude) {
    const float within = magnitude < 128.0f ? magnitude : 128.0f;
    return (uint32_t)(int32_t)(within * 0x1p23f);
}

/* MUFU.EX2: 2 to the power of a. The whole part becomes the exponent, the fraction selects the slice. */
static SIM_INLINED float sim_mufu_exponential(float a) {
    const uint32_t negative = bits_of_f32(a) >> 31, magnitude = sim_mufu_fixed(__builtin_fabsf(flush_f32(a)));
    const uint32_t fixed = (magnitude ^ -negative) + negative, part = fixed & MUFU_FRACTION;
    /* For a negative number, the fraction is complemented bit by bit. */
    const uint32_t m = part - (negative & (part != 0)), x = m & 0x1ffff;
    const sim_mufu_sum sum = sim_mufu_evaluate(SIM_MUFU_EX2, m >> 17, x, sim_mufu_square(x));
    const uint32_t result = sim_mufu_pack(127 + ((int32_t)fixed >> 23), sum.upper >> 5);
    return f32_of_bits(a != a ? SIM_NAN_F32 : result);
}

/* Returns the whole value of a sum, which has at most 44 bits. */
static SIM_INLINED double sim_mufu_whole(sim_mufu_sum sum) {
    return (double)(int32_t)sum.upper * MUFU_LOW + (double)(int32_t)sum.low;
}

/* Returns the single-precision number at or below exact / 2^point. `exact` is not negative. */
static SIM_INLINED float sim_mufu_float(double exact, uint32_t point) {
    const uint64_t bits = bits_of_f64(exact) & ~((UINT64_C(1) << 29) - 1);
    return (float)(f64_of_bits(bits) * f64_of_bits((uint64_t)(1023 - point) << 52));
}

/* MUFU.LG2. The significand's logarithm and the exponent are added in fixed point, then cut to single precision. */
static SIM_INLINED float sim_mufu_logarithm(float a) {
    const uint32_t bits = bits_of_f32(a), m = bits & MUFU_FRACTION, x = m & 0x1ffff;
    const int32_t e = (int32_t)(bits >> 23 & 255);
    const sim_mufu_sum sum = sim_mufu_evaluate(SIM_MUFU_LG2, m >> 17, x, sim_mufu_square(x));
    const bool one = (m == 0) & (e == 127);
    /* Drops two more bits of the sum and adds the exponent above it; both are exact. */
    const double part =
        (double)(int32_t)(one ? 0 : sum.upper) * (MUFU_LOW / 4) + (double)(int32_t)(one ? 0 : sum.low / 4);
    const double fixed = part + (double)(e - 127) * 0x1p36;
    /* Negative numbers are complemented bit by bit. */
    const float magnitude = sim_mufu_float(fixed < 0 ? -fixed - 1 : fixed, 36);
    const float special = e == 0 ? -__builtin_inff() : __builtin_inff();
    const float usual = sim_mufu_is_extreme(e, 255) ? special : fixed < 0 ? -magnitude : magnitude;
    return (a != a) | ((bits >> 31 != 0) & (e != 0)) ? f32_of_bits(SIM_NAN_F32) : usual;
}

/* Returns the sine of `turns` of 2 pi plus `quarters` of a turn. */
static SIM_INLINED float sim_mufu_sine_from(float turns, uint32_t quarters) {
    const float magnitude = __builtin_fabsf(turns);
    const float within = f32_of_bits(bits_of_f32(magnitude) & -(uint32_t)(magnitude < 0x1p24f));
    const float left = within - (float)(int32_t)within;
    const uint32_t fixed = (uint32_t)(int32_t)(left * 0x1p25f);
    const uint32_t quarter = (fixed >> 23) + quarters, part = fixed & MUFU_FRACTION;
    const uint32_t m = quarter & 1 ? ~part & MUFU_FRACTION : part, x = m & 0x1ffff;
    const sim_mufu_sum sum = sim_mufu_evaluate(SIM_MUFU_SIN, m >> 17, x, sim_mufu_square(x));
    const uint32_t usual = bits_of_f32(sim_mufu_float(sim_mufu_whole(sum), 37));
    const uint32_t sign = (quarter << 30 ^ (quarters ? 0 : bits_of_f32(turns))) & UINT32_C(0x80000000);
    return f32_of_bits(magnitude < __builtin_inff() ? usual ^ sign : SIM_NAN_F32);
}

/* Below 2^-8 the result is the argument, subnormal or not; from 8 on it is 1. */
static SIM_INLINED float sim_mufu_tangent(float a) {
    const uint32_t bits = bits_of_f32(a), magnitude = bits & UINT32_C(0x7fffffff), m = bits & MUFU_FRACTION;
    const int32_t above = (int32_t)(magnitude >> 23) - 119, octave = above < 0 ? 0 : above > 10 ? 10 : above;
    const uint32_t o = sim_mufu_octaves[octave], slices = o >> 8 & 255;
    const uint32_t slice = (o & 255) + (m >> (23 - slices));
    const uint32_t x = m >> (6 - slices) & 0x1ffff;
    const sim_mufu_sum sum = sim_mufu_evaluate(SIM_MUFU_TANH, slice, x, sim_mufu_square(x));
    const uint32_t usual = bits_of_f32(sim_mufu_float(sim_mufu_whole(sum), o >> 16));
    const uint32_t result = above < 0 ? magnitude : above > 10 ? bits_of_f32(1.0f) : usual;
    return f32_of_bits(a != a ? SIM_NAN_F32 : result | (bits ^ magnitude));
}

/* ---- double precision: uses the upper halves, which have 20 fraction bits ---- */

static SIM_INLINED uint64_t sim_mufu_pack_upper(int32_t exponent, uint32_t significand) {
    const uint32_t upper = ((uint32_t)exponent << 20) + (significand - (1u << 20));
    return exponent + (int32_t)(significand >> 21) <= 0 ? 0 : (uint64_t)upper << 32;
}

#define MUFU_NAN_F64 UINT64_C(0x7fffffff00000000)
#define MUFU_INFINITY_F64 UINT64_C(0x7ff0000000000000)

/* The lower half of an argument is ignored, even if it alone makes the number a NaN. */
static SIM_INLINED uint64_t sim_mufu_upper(double a) {
    return bits_of_f64(a) & ~UINT64_C(0xffffffff);
}

static SIM_INLINED bool sim_mufu_is_nan(uint64_t upper) {
    return (upper & ~(UINT64_C(1) << 63)) > MUFU_INFINITY_F64;
}

/* MUFU.RCP64H and MUFU.RSQ64H: as above, on the upper half of a double. The lower half of the result is 0. */
static SIM_INLINED double sim_mufu_reciprocal_f64(double a) {
    const uint64_t bits = sim_mufu_upper(a), sign = bits & UINT64_C(1) << 63;
    const int32_t e = (int32_t)(bits >> 52 & 2047);
    const uint32_t m = (uint32_t)(bits >> 29) & (MUFU_FRACTION & ~7u);
    const uint64_t usual = sim_mufu_pack_upper(2045 - e, sim_mufu_reciprocal_of(m) >> 8);
    const uint64_t special = e == 0 ? MUFU_INFINITY_F64 : 0;
    return f64_of_bits(sim_mufu_is_nan(bits) ? MUFU_NAN_F64 : sign | (sim_mufu_is_extreme(e, 2047) ? special : usual));
}

static SIM_INLINED double sim_mufu_inverse_root_f64(double a) {
    const uint64_t bits = sim_mufu_upper(a), sign = bits & UINT64_C(1) << 63;
    const int32_t e = (int32_t)(bits >> 52 & 2047);
    const uint32_t m = (uint32_t)(bits >> 29) & (MUFU_FRACTION & ~7u);
    const uint32_t significand = sim_mufu_inverse_root_of(sim_mufu_of_four(e, m)) >> 9;
    const uint64_t usual = sim_mufu_pack_upper(1022 - ((e - 1023) >> 1), significand);
    const uint64_t special = e == 0 ? sign | MUFU_INFINITY_F64 : 0;
    const bool invalid = sim_mufu_is_nan(bits) | ((sign != 0) & (e != 0));
    return f64_of_bits(invalid ? MUFU_NAN_F64 : sim_mufu_is_extreme(e, 2047) ? special : usual);
}

#endif
