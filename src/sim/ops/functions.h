/* Elementary functions in double precision, accurate to better than 2^-40, far beyond what PTX's .approx asks; as
 * straight code without branches, which vectorises. Special values come out as IEEE 754 has them. */
#ifndef HAUL_SIM_OPS_FUNCTIONS_H
#define HAUL_SIM_OPS_FUNCTIONS_H

#include "sim/ops/floats.h"

/* 2^x: the fraction, in [-1/2, 1/2], by the power series of e^(x ln 2), the integer by its exponent. Results beyond
 * 2^±1000 are cut off there: beyond single precision's range either way. */
static inline double sim_exp2(double x) {
    const double low = x > -1000.0 ? x : -1000.0, within = low < 1000.0 ? low : 1000.0;
    const double shifted = within + 0x1.8p52, whole = shifted - 0x1.8p52;
    const double t = (within - whole) * 0.6931471805599453;
    double sum = 1.0 / 6227020800;
    sum = sum * t + 1.0 / 479001600;
    sum = sum * t + 1.0 / 39916800;
    sum = sum * t + 1.0 / 3628800;
    sum = sum * t + 1.0 / 362880;
    sum = sum * t + 1.0 / 40320;
    sum = sum * t + 1.0 / 5040;
    sum = sum * t + 1.0 / 720;
    sum = sum * t + 1.0 / 120;
    sum = sum * t + 1.0 / 24;
    sum = sum * t + 1.0 / 6;
    sum = sum * t + 0.5;
    sum = sum * t + 1.0;
    sum = sum * t + 1.0;
    const uint64_t exponent = (bits_of_f64(shifted) + 1023) << 52;
    return x != x ? x : sum * f64_of_bits(exponent);
}

/* log2 x = exponent + log2 m with m in [sqrt(1/2), sqrt(2)), by the series of the inverse hyperbolic tangent of
 * (m - 1) / (m + 1). For x that is not subnormal in double precision. */
static inline double sim_log2(double x) {
    const uint64_t bits = bits_of_f64(x), offset = UINT64_C(0x3fe6a09e667f3bcd);
    const uint64_t moved = bits - offset;
    const double exponent = (double)(int32_t)((int64_t)moved >> 52);
    const double m = f64_of_bits(bits - (moved & UINT64_C(0xfff0000000000000)));
    const double s = (m - 1.0) / (m + 1.0), q = s * s;
    double sum = 1.0 / 19;
    sum = sum * q + 1.0 / 17;
    sum = sum * q + 1.0 / 15;
    sum = sum * q + 1.0 / 13;
    sum = sum * q + 1.0 / 11;
    sum = sum * q + 1.0 / 9;
    sum = sum * q + 1.0 / 7;
    sum = sum * q + 1.0 / 5;
    sum = sum * q + 1.0 / 3;
    sum = sum * q + 1.0;
    const double result = exponent + s * sum * 2.8853900817779268;
    const double special = x == 0.0 ? -__builtin_inf() : x > 0.0 ? x : f64_of_bits(SIM_NAN_F64);
    return x > 0.0 && x < __builtin_inf() ? result : special;
}

/* sin(quarters * pi/2 + x): the quadrant picks sine or cosine, by their power series on [-pi/4, pi/4]. */
static inline double sim_sine_from(double x, uint64_t quarters) {
    const double turns = x * 0.6366197723675814, shifted = turns + 0x1.8p52, whole = shifted - 0x1.8p52;
    const double r = (x - whole * 0x1.921fb54442d18p0) - whole * 0x1.1a62633145c07p-54, q = r * r;
    double sine = 1.0 / 6227020800;
    sine = sine * q - 1.0 / 39916800;
    sine = sine * q + 1.0 / 362880;
    sine = sine * q - 1.0 / 5040;
    sine = sine * q + 1.0 / 120;
    sine = sine * q - 1.0 / 6;
    sine = r * (1.0 + q * sine);
    double cosine = 1.0 / 87178291200;
    cosine = 1.0 / 479001600 - q * cosine;
    cosine = 1.0 / 3628800 - q * cosine;
    cosine = 1.0 / 40320 - q * cosine;
    cosine = 1.0 / 720 - q * cosine;
    cosine = 1.0 / 24 - q * cosine;
    cosine = 0.5 - q * cosine;
    cosine = 1.0 - q * cosine;
    const uint64_t quadrant = bits_of_f64(shifted) + quarters;
    const double chosen = quadrant & 1 ? cosine : sine;
    const double result = quadrant & 2 ? -chosen : chosen;
    return __builtin_fabs(x) < __builtin_inf() ? result : f64_of_bits(SIM_NAN_F64);
}
static inline double sim_sin(double x) {
    return sim_sine_from(x, 0);
}
static inline double sim_cos(double x) {
    return sim_sine_from(x, 1);
}

/* tanh x = (e^2x - 1) / (e^2x + 1); near 0, where that cancels, x (1 - x^2 / 3). */
static inline double sim_tanh(double x) {
    const double low = x > -30.0 ? x : -30.0, within = low < 30.0 ? low : 30.0;
    const double e = sim_exp2(within * 2.8853900817779268);
    const double result = (e - 1.0) / (e + 1.0);
    const double small = x * (1.0 - x * x * (1.0 / 3));
    const double chosen = __builtin_fabs(x) < 0x1p-10 ? small : result;
    return x != x ? x : chosen;
}

#endif
