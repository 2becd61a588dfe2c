/* The CUDA math functions that no instruction computes: exponentials, logarithms, trigonometry and so on, under their
 * C names, with C++ overloads, and visible in namespace std. Bessel functions are not there. */
#ifndef HAUL_TOOLCHAIN_MATH_SPECIAL_H
#define HAUL_TOOLCHAIN_MATH_SPECIAL_H

#include "math_basic.h"
#include "math_special.def" /* HAUL_SPECIAL_STANDARD, HAUL_SPECIAL_CUDA */

#define HAUL_MATH static __device__ __inline__ __attribute__((nodebug))
#define HAUL_MATH_RARE static __device__ __attribute__((noinline, nodebug))
#define HAUL_MATH_TABLE static __device__ const
#include "math_single.h"
#undef HAUL_MATH
#undef HAUL_MATH_RARE
#undef HAUL_MATH_TABLE

#if defined(__USE_FAST_MATH__) /* as nvcc: these are then the machine's approximations */
#define haul_math_sinf __sinf
#define haul_math_cosf __cosf
#define haul_math_tanf __tanf
#define haul_math_expf __expf
#define haul_math_exp10f __exp10f
#define haul_math_logf __logf
#define haul_math_log2f __log2f
#define haul_math_log10f __log10f
#define haul_math_powf __powf
#define haul_math_sincosf __sincosf
#endif

#define HAUL_SPECIAL_UNARY(name)            \
    HAUL_TC_DEVICE double name(double x) {  \
        return haul_math_##name(x);         \
    }                                       \
    HAUL_TC_DEVICE float name##f(float x) { \
        return haul_math_##name##f(x);      \
    }                                       \
    HAUL_TC_DEVICE float name(float x) {    \
        return haul_math_##name##f(x);      \
    }
HAUL_SPECIAL_STANDARD(HAUL_SPECIAL_UNARY)
HAUL_SPECIAL_CUDA(HAUL_SPECIAL_UNARY)
#undef HAUL_SPECIAL_UNARY

#define HAUL_SPECIAL_BINARY(name)                    \
    HAUL_TC_DEVICE double name(double x, double y) { \
        return haul_math_##name(x, y);               \
    }                                                \
    HAUL_TC_DEVICE float name##f(float x, float y) { \
        return haul_math_##name##f(x, y);            \
    }                                                \
    HAUL_TC_DEVICE float name(float x, float y) {    \
        return haul_math_##name##f(x, y);            \
    }
HAUL_SPECIAL_BINARY(pow)
HAUL_SPECIAL_BINARY(atan2)
HAUL_SPECIAL_BINARY(hypot)
HAUL_SPECIAL_BINARY(rhypot)
HAUL_SPECIAL_BINARY(fmod)
HAUL_SPECIAL_BINARY(remainder)
HAUL_SPECIAL_BINARY(nextafter)
#undef HAUL_SPECIAL_BINARY

HAUL_TC_DEVICE double pow(double x, int y) {
    return haul_math_pow(x, (double)y);
}
HAUL_TC_DEVICE double pow(float x, int y) {
    return haul_math_pow((double)x, (double)y);
}
HAUL_TC_DEVICE double pow(float x, double y) {
    return haul_math_pow((double)x, y);
}
HAUL_TC_DEVICE double pow(double x, float y) {
    return haul_math_pow(x, (double)y);
}

#define HAUL_SPECIAL_PAIR(name)                                        \
    HAUL_TC_DEVICE void name(double x, double *sine, double *cosine) { \
        haul_math_##name(x, sine, cosine);                             \
    }                                                                  \
    HAUL_TC_DEVICE void name##f(float x, float *sine, float *cosine) { \
        haul_math_##name##f(x, sine, cosine);                          \
    }                                                                  \
    HAUL_TC_DEVICE void name(float x, float *sine, float *cosine) {    \
        haul_math_##name##f(x, sine, cosine);                          \
    }
HAUL_SPECIAL_PAIR(sincos)
HAUL_SPECIAL_PAIR(sincospi)
#undef HAUL_SPECIAL_PAIR

/* Functions on exponents and parts, once for each precision: suffix of the name, type. */
#define HAUL_PARTS(suffix, type)                                                             \
    HAUL_TC_DEVICE type ldexp##suffix(type x, int k) {                                       \
        return haul_math_ldexp##suffix(x, k);                                                \
    }                                                                                        \
    HAUL_TC_DEVICE type scalbn##suffix(type x, int k) {                                      \
        return haul_math_ldexp##suffix(x, k);                                                \
    }                                                                                        \
    HAUL_TC_DEVICE type scalbln##suffix(type x, long k) {                                    \
        return haul_math_ldexp##suffix(x, k > 5000 ? 5000 : k < -5000 ? -5000 : (int)k);     \
    }                                                                                        \
    HAUL_TC_DEVICE type frexp##suffix(type x, int *exponent) {                               \
        return haul_math_frexp##suffix(x, exponent);                                         \
    }                                                                                        \
    HAUL_TC_DEVICE int ilogb##suffix(type x) {                                               \
        return haul_math_ilogb((double)x);                                                   \
    }                                                                                        \
    HAUL_TC_DEVICE type modf##suffix(type x, type *whole) {                                  \
        *whole = trunc##suffix(x);                                                           \
        return copysign##suffix(isinf(x) ? (type)0 : x - *whole, x);                         \
    }                                                                                        \
    HAUL_TC_DEVICE type remquo##suffix(type x, type y, int *quotient) {                      \
        return (type)haul_math_remquo((double)x, (double)y, quotient);                       \
    }                                                                                        \
    HAUL_TC_DEVICE type norm3d##suffix(type a, type b, type c) {                             \
        return (type)haul_math_norm(a, b, c, 0.0);                                           \
    }                                                                                        \
    HAUL_TC_DEVICE type rnorm3d##suffix(type a, type b, type c) {                            \
        return (type)(1.0 / haul_math_norm(a, b, c, 0.0));                                   \
    }                                                                                        \
    HAUL_TC_DEVICE type norm4d##suffix(type a, type b, type c, type d) {                     \
        return (type)haul_math_norm(a, b, c, d);                                             \
    }                                                                                        \
    HAUL_TC_DEVICE type rnorm4d##suffix(type a, type b, type c, type d) {                    \
        return (type)(1.0 / haul_math_norm(a, b, c, d));                                     \
    }                                                                                        \
    HAUL_TC_DEVICE type norm##suffix(int n, const type *x) {                                 \
        double length = 0.0;                                                                 \
        for (int i = 0; i < n; i++) length = haul_math_norm(length, (double)x[i], 0.0, 0.0); \
        return (type)length;                                                                 \
    }                                                                                        \
    HAUL_TC_DEVICE type rnorm##suffix(int n, const type *x) {                                \
        return (type)1 / norm##suffix(n, x);                                                 \
    }                                                                                        \
    HAUL_TC_DEVICE type nan##suffix(const char *) {                                          \
        return (type)__builtin_nan("");                                                      \
    }
HAUL_PARTS(, double)
HAUL_PARTS(f, float)
#undef HAUL_PARTS

HAUL_TC_DEVICE float ldexp(float x, int k) {
    return ldexpf(x, k);
}
HAUL_TC_DEVICE float scalbn(float x, int k) {
    return scalbnf(x, k);
}
HAUL_TC_DEVICE float frexp(float x, int *exponent) {
    return frexpf(x, exponent);
}
HAUL_TC_DEVICE float modf(float x, float *whole) {
    return modff(x, whole);
}
HAUL_TC_DEVICE int ilogb(float x) {
    return ilogbf(x);
}

HAUL_UNARY(rsqrt, double, "d", double, "d", "rsqrt.approx.f64")

/* 1 / sqrt(x) rounded to nearest: in double precision the error is far below what could move a float's rounding. */
HAUL_TC_DEVICE float __frsqrt_rn(float x) {
    return x < 0.0f ? __fsqrt_rn(x) : (float)(1.0 / __builtin_sqrt((double)x));
}

/* Functions that <cmath> would otherwise define for both sides, by built-ins that the device does not have. */
namespace std {
#define HAUL_USE(name) using ::name;
HAUL_SPECIAL_STANDARD(HAUL_USE)
HAUL_MATH_UNARY(HAUL_USE)
HAUL_USE(atan2)
HAUL_USE(fmod)
HAUL_USE(frexp)
HAUL_USE(ldexp)
HAUL_USE(modf)
HAUL_USE(pow)
HAUL_USE(hypot)
HAUL_USE(remainder)
HAUL_USE(nextafter)
HAUL_USE(round)
HAUL_USE(lround)
HAUL_USE(llround)
HAUL_USE(lrint)
HAUL_USE(llrint)
HAUL_USE(scalbn)
HAUL_USE(ilogb)
HAUL_USE(fdim)
HAUL_USE(fma)
HAUL_USE(fmin)
HAUL_USE(fmax)
HAUL_USE(copysign)
#undef HAUL_USE
} // namespace std

#undef HAUL_SPECIAL_STANDARD
#undef HAUL_SPECIAL_CUDA
#undef HAUL_MATH_UNARY
#undef HAUL_MATH_BINARY

#endif
