/* The GPU's unit for approximate functions (MUFU in machine code), bit for bit: each function is a parabola for each of
 * 51 to 128 slices of an interval, evaluated in fixed point. Straight code without branches, which vectorises.
 *
 * The shape is the one that Oberman and Siu describe ("A high-performance area-efficient multifunction interpolator",
 * 2005) and that was read out of much older GPUs; widths, roundings and all rows were fitted to what an H100 gives for
 * every significand, and come out for all of them (tests/sim/test_mufu.c). Subnormal arguments count as zero and
 * subnormal results are zero; what ptxas puts around that where PTX keeps them is in ops/approximate.c. */
#ifndef HAUL_SIM_OPS_MUFU_H
#define HAUL_SIM_OPS_MUFU_H

#include "sim/mufu.h"
#include "sim/ops/floats.h"

enum { MUFU_ONE = 1 << 23, MUFU_FRACTION = MUFU_ONE - 1 }; /* of a significand */

/* x * x / 2^19 of 17 bits; of each partial product the bits below the result are left out. */
static inline int64_t sim_mufu_square(uint32_t x) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < 17; i++) sum += x >> (18 - i) & -(x >> i & 1);
    return (int64_t)(sum >> 1);
}

/* value * 2^scale + slope * x + bend * square. */
static inline int64_t sim_mufu_parabola(const sim_mufu_row *row, unsigned scale, uint32_t x, int64_t square) {
    return (int64_t)row->value * (INT64_C(1) << scale) + (int64_t)row->slope * x + (int64_t)row->bend * square;
}

/* The number with a biased exponent and 24 bits of significand, 2^24 allowed; 0 or infinity where the exponent has no
 * room. */
static inline uint32_t sim_mufu_pack(int32_t exponent, uint32_t significand) {
    const int32_t whole = exponent + (int32_t)(significand >> 24);
    const uint32_t bits = ((uint32_t)exponent << 23) + (significand - MUFU_ONE);
    return whole <= 0 ? 0 : whole >= 255 ? UINT32_C(0x7f800000) : bits;
}

/* 1/x for x = 1 + m / 2^23, with 39 bits of fraction, to be cut off. */
static inline int64_t sim_mufu_reciprocal_of(uint32_t m) {
    const uint32_t x = m & 0xffff;
    return sim_mufu_parabola(&sim_mufu_rcp[m >> 16], 13, x, sim_mufu_square(x << 1)) + 0x47e7;
}

static inline float sim_mufu_reciprocal(float a) {
    const uint32_t bits = bits_of_f32(a), sign = bits & UINT32_C(0x80000000), m = bits & MUFU_FRACTION;
    const int32_t e = (int32_t)(bits >> 23 & 255);
    const uint32_t usual = sim_mufu_pack(253 - e, (uint32_t)(sim_mufu_reciprocal_of(m) >> 15));
    const uint32_t special = e == 0 ? UINT32_C(0x7f800000) : 0;
    const uint32_t result = sign | (e == 0 || e == 255 ? special : usual);
    return a != a ? f32_of_bits(SIM_NAN_F32) : f32_of_bits(result);
}

/* Where the significand lies among both halves of the interval from 1 to 4. */
static inline uint32_t sim_mufu_of_four(int32_t e, uint32_t m) {
    return m | (uint32_t)(~e & 1) << 23;
}

/* 1/sqrt(x) for the x at a place of the interval, with 40 bits of fraction, to be cut off; of 1 it is 1. */
static inline int64_t sim_mufu_inverse_root_of(uint32_t place) {
    const uint32_t x = place & 0x1ffff;
    const int64_t sum = sim_mufu_parabola(&sim_mufu_rsq[place >> 17], 14, x, sim_mufu_square(x) * 4) + 0x7fff;
    return place ? sum : INT64_C(1) << 40;
}

static inline float sim_mufu_inverse_root(float a) {
    const uint32_t bits = bits_of_f32(a), sign = bits & UINT32_C(0x80000000), m = bits & MUFU_FRACTION;
    const int32_t e = (int32_t)(bits >> 23 & 255);
    const uint32_t significand = (uint32_t)(sim_mufu_inverse_root_of(sim_mufu_of_four(e, m)) >> 16);
    const uint32_t usual = sim_mufu_pack(126 - ((e - 127) >> 1), significand);
    const uint32_t special = e == 0 ? sign | UINT32_C(0x7f800000) : 0;
    const bool invalid = a != a || (sign && e);
    return invalid ? f32_of_bits(SIM_NAN_F32) : f32_of_bits(e == 0 || e == 255 ? special : usual);
}

static inline float sim_mufu_root(float a) {
    const uint32_t bits = bits_of_f32(a), sign = bits & UINT32_C(0x80000000), m = bits & MUFU_FRACTION;
    const int32_t e = (int32_t)(bits >> 23 & 255);
    const uint32_t place = sim_mufu_of_four(e, m), x = m & 0x1ffff;
    const int64_t sum = sim_mufu_parabola(&sim_mufu_sqrt[place >> 17], 14, x, sim_mufu_square(x) * 2) + 0x7fff;
    const uint32_t usual = sim_mufu_pack(127 + ((e - 127) >> 1), (uint32_t)(sum >> 17));
    const uint32_t special = e == 0 ? sign : UINT32_C(0x7f800000);
    const bool invalid = a != a || (sign && e);
    return invalid ? f32_of_bits(SIM_NAN_F32) : f32_of_bits(e == 0 || e == 255 ? special : usual);
}

/* |a| * 2^23 without its fraction, at most 2^30. */
static inline uint32_t sim_mufu_fixed(float magnitude) {
    const float within = magnitude < 128.0f ? magnitude : 128.0f;
    return (uint32_t)(int32_t)((double)within * 0x1p23);
}

static inline float sim_mufu_exponential(float a) {
    const uint32_t fixed = sim_mufu_fixed(__builtin_fabsf(flush_f32(a)));
    const uint32_t whole = fixed >> 23, part = fixed & MUFU_FRACTION;
    const bool negative = bits_of_f32(a) >> 31;
    /* Of a negative number the fraction is complemented bit by bit. */
    const uint32_t m = negative && part ? ~part & MUFU_FRACTION : part;
    const int32_t exponent = negative ? -(int32_t)whole - (part != 0) : (int32_t)whole;
    const uint32_t x = m & 0x1ffff;
    const int64_t sum = sim_mufu_parabola(&sim_mufu_ex2[m >> 17], 13, x, sim_mufu_square(x)) + 0x77e2;
    return a != a ? f32_of_bits(SIM_NAN_F32) : f32_of_bits(sim_mufu_pack(127 + exponent, (uint32_t)(sum >> 15)));
}

/* The single-precision number at or below `fixed` / 2^point, which is not negative. */
static inline float sim_mufu_float(int64_t fixed, unsigned point) {
    const double exact = (double)fixed; /* of 44 bits at most */
    const uint64_t bits = bits_of_f64(exact) & ~((UINT64_C(1) << 29) - 1);
    return (float)(f64_of_bits(bits) / (double)(INT64_C(1) << point));
}

static inline float sim_mufu_logarithm(float a) {
    const uint32_t bits = bits_of_f32(a), m = bits & MUFU_FRACTION, x = m & 0x1ffff;
    const int32_t e = (int32_t)(bits >> 23 & 255);
    const int64_t sum = sim_mufu_parabola(&sim_mufu_lg2[m >> 17], 12, x, sim_mufu_square(x) * 2) + 0x7345;
    const int64_t part = m || e != 127 ? sum >> 2 : 0, fixed = part + (int64_t)(e - 127) * (INT64_C(1) << 36);
    const float magnitude = sim_mufu_float(fixed < 0 ? ~fixed : fixed, 36);
    const float special = e == 0 ? -__builtin_inff() : __builtin_inff();
    const float usual = e == 0 || e == 255 ? special : fixed < 0 ? -magnitude : magnitude;
    return a != a || (bits >> 31 && e) ? f32_of_bits(SIM_NAN_F32) : usual;
}

/* The sine of `turns` of 2 pi and `quarters` of them. */
static inline float sim_mufu_sine_from(float turns, uint32_t quarters) {
    const float magnitude = __builtin_fabsf(turns), within = magnitude < 0x1p24f ? magnitude : 0.0f;
    const uint64_t fixed = (uint64_t)(int64_t)((double)within * 0x1p25);
    const uint32_t quarter = (uint32_t)(fixed >> 23) + quarters, part = (uint32_t)fixed & MUFU_FRACTION;
    const uint32_t m = quarter & 1 ? ~part & MUFU_FRACTION : part, x = m & 0x1ffff;
    const int64_t sum = sim_mufu_parabola(&sim_mufu_sin[m >> 17], 11, x, sim_mufu_square(x));
    const float usual = sim_mufu_float(sum, 37);
    const bool negative = ((quarter >> 1) ^ (quarters ? 0 : bits_of_f32(turns) >> 31)) & 1;
    return magnitude < __builtin_inff() ? negative ? -usual : usual : f32_of_bits(SIM_NAN_F32);
}

/* Of each octave from 2^-8 to 8: its first slice, the binary logarithm of how many it has, the bits of the sum's
 * fraction. */
static const struct sim_mufu_octave {
    uint8_t first, slices, point;
} sim_mufu_octaves[11] = {{0, 0, 41},  {1, 0, 40},  {2, 0, 39},  {3, 1, 39},  {5, 1, 38}, {7, 2, 38},
                          {11, 2, 37}, {15, 2, 36}, {19, 3, 37}, {27, 4, 39}, {43, 3, 37}};

/* Below 2^-8 it is the argument, subnormal or not; from 8 on it is 1. */
static inline float sim_mufu_tangent(float a) {
    const uint32_t bits = bits_of_f32(a), magnitude = bits & UINT32_C(0x7fffffff), m = bits & MUFU_FRACTION;
    const int32_t above = (int32_t)(magnitude >> 23) - 119, octave = above < 0 ? 0 : above > 10 ? 10 : above;
    const struct sim_mufu_octave o = sim_mufu_octaves[octave];
    const sim_mufu_row *row = &sim_mufu_tanh[o.first + (m >> (23 - o.slices))];
    const uint32_t x = m >> (6 - o.slices) & 0x1ffff;
    const float usual = sim_mufu_float(sim_mufu_parabola(row, 15, x, sim_mufu_square(x) * 2), o.point);
    const float result = above < 0 ? f32_of_bits(magnitude) : above > 10 ? 1.0f : usual;
    return a != a ? f32_of_bits(SIM_NAN_F32) : bits >> 31 ? -result : result;
}

/* ---- double precision: of the upper halves, which have 20 bits of fraction ---- */

static inline uint64_t sim_mufu_pack_upper(int32_t exponent, uint32_t significand) {
    const uint32_t upper = ((uint32_t)exponent << 20) + (significand - (1u << 20));
    return exponent + (int32_t)(significand >> 21) <= 0 ? 0 : (uint64_t)upper << 32;
}

#define MUFU_NAN_F64 UINT64_C(0x7fffffff00000000)
#define MUFU_INFINITY_F64 UINT64_C(0x7ff0000000000000)

/* The lower half of an argument does not count, be it all that makes a NaN. */
static inline uint64_t sim_mufu_upper(double a) {
    return bits_of_f64(a) & ~UINT64_C(0xffffffff);
}

static inline bool sim_mufu_is_nan(uint64_t upper) {
    return (upper & ~(UINT64_C(1) << 63)) > MUFU_INFINITY_F64;
}

static inline double sim_mufu_reciprocal_f64(double a) {
    const uint64_t bits = sim_mufu_upper(a), sign = bits & UINT64_C(1) << 63;
    const int32_t e = (int32_t)(bits >> 52 & 2047);
    const uint32_t m = (uint32_t)(bits >> 29) & (MUFU_FRACTION & ~7u);
    const uint64_t usual = sim_mufu_pack_upper(2045 - e, (uint32_t)(sim_mufu_reciprocal_of(m) >> 18));
    const uint64_t special = e == 0 ? MUFU_INFINITY_F64 : 0;
    return f64_of_bits(sim_mufu_is_nan(bits) ? MUFU_NAN_F64 : sign | (e == 0 || e == 2047 ? special : usual));
}

static inline double sim_mufu_inverse_root_f64(double a) {
    const uint64_t bits = sim_mufu_upper(a), sign = bits & UINT64_C(1) << 63;
    const int32_t e = (int32_t)(bits >> 52 & 2047);
    const uint32_t m = (uint32_t)(bits >> 29) & (MUFU_FRACTION & ~7u);
    const uint32_t significand = (uint32_t)(sim_mufu_inverse_root_of(sim_mufu_of_four(e, m)) >> 19);
    const uint64_t usual = sim_mufu_pack_upper(1022 - ((e - 1023) >> 1), significand);
    const uint64_t special = e == 0 ? sign | MUFU_INFINITY_F64 : 0;
    const bool invalid = sim_mufu_is_nan(bits) || (sign && e);
    return f64_of_bits(invalid ? MUFU_NAN_F64 : e == 0 || e == 2047 ? special : usual);
}

#endif
