/* Math functions of CUDA's that the host's library lacks, for host code. */
#ifndef HAUL_TOOLCHAIN_HOST_FUNCTIONS_H
#define HAUL_TOOLCHAIN_HOST_FUNCTIONS_H

#include <math.h>

#define HAUL_HOST(name, expression)                     \
    static __host__ inline double name(double x) {      \
        return expression;                              \
    }                                                   \
    static __host__ inline float name##f(float value) { \
        const double x = value;                         \
        return (float)(expression);                     \
    }                                                   \
    static __host__ inline float name(float x) {        \
        return name##f(x);                              \
    }
HAUL_HOST(rsqrt, 1 / sqrt(x))
HAUL_HOST(rcbrt, 1 / cbrt(x))
HAUL_HOST(sinpi, sin(3.14159265358979323846 * fmod(x, 2.0)))
HAUL_HOST(cospi, cos(3.14159265358979323846 * fmod(x, 2.0)))
HAUL_HOST(normcdf, 0.5 * erfc(-x * 0.70710678118654752440))
#undef HAUL_HOST

#endif
