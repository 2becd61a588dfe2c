/* The hyperbolic tangent in double precision, accurate to better than 2^-40, far beyond what PTX's .approx asks; as
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
