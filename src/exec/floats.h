/* PTX's rules for single floating-point values: flushing, saturation, canonical NaNs. All are branch-free over
 * lanes. */
#ifndef HAUL_EXEC_FLOATS_H
#define HAUL_EXEC_FLOATS_H

#include "lower/floating.h"
#include "ptx/ir.h"
#include "state/lanes.h"

#include <fenv.h>
#include <string.h>

static inline uint32_t bits_of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float f32_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint64_t bits_of_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double f64_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Replaces any NaN; the host would keep payloads and signs. */
static inline float canonical_f32(float x) {
    return x != x ? f32_of_bits(SIM_NAN_F32) : x;
}
/* Double-precision NaNs keep sign and payload. */
static inline double canonical_f64(double x) {
    return x;
}
/* If an operand is NaN, the result is that NaN, made quiet. */
static inline double prefer_nan(double a, double result) {
    return a != a ? f64_of_bits(bits_of_f64(a) | SIM_QUIET_F64) : result;
}

/* Returns a subnormal number as a zero of its sign. */
static inline float flush_f32(float x) {
    const uint32_t bits = bits_of_f32(x);
    return f32_of_bits((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

/* Flushes a product with .ftz as an H100 does: it is subnormal if it is when rounded with an unbounded exponent. Just
 * below 2^-126 that differs from `x`, which is rounded to multiples of 2^-149. (Sums that small are exact.) `lifted` is
 * the result with one factor and the addend times SIM_LIFT, so that it does not underflow. If that makes an operand
 * infinite, the result is 0 or far from subnormal. */
static inline float flush_product(float x, float lifted) {
    const uint32_t bits = bits_of_f32(x);
    return f32_of_bits((bits_of_f32(lifted) & SIM_LIFTED_NORMAL) == 0 ? bits & 0x80000000u : bits);
}
/* Returns a * b for flushed operands. */
static inline float multiply_flushing(float a, float b) {
    return flush_product(a * b, a * SIM_LIFT * b);
}

/* The comparisons are false for NaN and for -0, so that both give +0. */
static inline float saturate_f32(float x) {
    const float low = x > 0.0f ? x : 0.0f;
    return low < 1.0f ? low : 1.0f;
}
static inline double saturate_f64(double x) {
    const double low = x > 0.0 ? x : 0.0;
    return low < 1.0 ? low : 1.0;
}

/* Returns op->x for an instruction's modifiers. */
static inline uint32_t sim_float_flags(const ptx_instruction *i) {
    return (i->mods[PTX_SLOT_FTZ] ? SIM_FLUSH : 0u) | (i->mods[PTX_SLOT_SAT] ? SIM_SATURATE : 0u);
}

/* Returns fenv's name of a rounding modifier; to nearest if there is none. */
static inline int sim_host_rounding(unsigned modifier) {
    switch (modifier) {
    case PTX_MOD_RZ: return FE_TOWARDZERO;
    case PTX_MOD_RM: return FE_DOWNWARD;
    case PTX_MOD_RP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

#endif
