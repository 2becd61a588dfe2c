/* Mathematical functions that are one instruction or a few: rounding, roots, fused multiply-add, comparison,
 * classification, minimum and maximum. Divisions and roots are rounded to nearest, denormals are kept: what nvcc does
 * without -use_fast_math. */
#ifndef HAUL_TOOLCHAIN_MATH_BASIC_H
#define HAUL_TOOLCHAIN_MATH_BASIC_H

#include "convert.h"

/* ROW(name without suffix): double name(double) and float namef(float) are clang built-ins of the same name. */
#define HAUL_MATH_UNARY(ROW) ROW(fabs) ROW(sqrt) ROW(floor) ROW(ceil) ROW(trunc) ROW(rint) ROW(nearbyint)
#define HAUL_MATH_BINARY(ROW) ROW(fmin) ROW(fmax) ROW(copysign)

#if defined(__USE_FAST_MATH__) || defined(HAUL_FAST_SQRT) /* nvcc's -use_fast_math, -prec-sqrt=false */
HAUL_UNARY(haul_tc_sqrt, float, "f", float, "f", "sqrt.approx" HAUL_TC_FTZ ".f32")
#define __builtin_sqrtf haul_tc_sqrt
#endif

#define HAUL_BUILTIN_UNARY(name)            \
    HAUL_TC_DEVICE double name(double x) {  \
        return __builtin_##name(x);         \
    }                                       \
    HAUL_TC_DEVICE float name##f(float x) { \
        return __builtin_##name##f(x);      \
    }                                       \
    HAUL_TC_DEVICE float name(float x) {    \
        return __builtin_##name##f(x);      \
    }
#define HAUL_BUILTIN_BINARY(name)                    \
    HAUL_TC_DEVICE double name(double x, double y) { \
        return __builtin_##name(x, y);               \
    }                                                \
    HAUL_TC_DEVICE float name##f(float x, float y) { \
        return __builtin_##name##f(x, y);            \
    }                                                \
    HAUL_TC_DEVICE float name(float x, float y) {    \
        return __builtin_##name##f(x, y);            \
    }
HAUL_MATH_UNARY(HAUL_BUILTIN_UNARY)
HAUL_MATH_BINARY(HAUL_BUILTIN_BINARY)
#undef HAUL_BUILTIN_UNARY
#undef HAUL_BUILTIN_BINARY
#undef __builtin_sqrtf

HAUL_TC_DEVICE double fma(double x, double y, double z) {
    return __builtin_fma(x, y, z);
}
HAUL_TC_DEVICE float fmaf(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
HAUL_TC_DEVICE float fma(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}

HAUL_UNARY(rsqrtf, float, "f", float, "f", "rsqrt.approx.f32")
HAUL_TC_DEVICE float rsqrt(float x) {
    return rsqrtf(x);
}
HAUL_TC_DEVICE float fdividef(float x, float y) {
    return x / y;
}
HAUL_TC_DEVICE float saturatef(float x) {
    return __saturatef(x);
}

/* Halfway cases away from zero: adding half towards zero cannot carry a value that is just below a half over it. */
HAUL_TC_DEVICE float roundf(float x) {
    return __builtin_truncf(__fadd_rz(x, __builtin_copysignf(0.5f, x)));
}
HAUL_TC_DEVICE double round(double x) {
    return __builtin_trunc(__dadd_rz(x, __builtin_copysign(0.5, x)));
}
HAUL_TC_DEVICE float round(float x) {
    return roundf(x);
}
#define HAUL_ROUND_TO(type, prefix, convert)      \
    HAUL_TC_DEVICE type prefix##rintf(float x) {  \
        return (type)__float2##convert##_rn(x);   \
    }                                             \
    HAUL_TC_DEVICE type prefix##rint(double x) {  \
        return (type)__double2##convert##_rn(x);  \
    }                                             \
    HAUL_TC_DEVICE type prefix##rint(float x) {   \
        return prefix##rintf(x);                  \
    }                                             \
    HAUL_TC_DEVICE type prefix##roundf(float x) { \
        return (type)roundf(x);                   \
    }                                             \
    HAUL_TC_DEVICE type prefix##round(double x) { \
        return (type)round(x);                    \
    }                                             \
    HAUL_TC_DEVICE type prefix##round(float x) {  \
        return (type)roundf(x);                   \
    }
HAUL_ROUND_TO(long, l, ll)
HAUL_ROUND_TO(long long, ll, ll)
#undef HAUL_ROUND_TO

HAUL_TC_DEVICE float fdimf(float x, float y) {
    return x <= y ? 0.0f : x - y;
}
HAUL_TC_DEVICE double fdim(double x, double y) {
    return x <= y ? 0.0 : x - y;
}
HAUL_TC_DEVICE float fdim(float x, float y) {
    return fdimf(x, y);
}

/* Classification, as functions. */
#define HAUL_CLASSIFY(type)                \
    HAUL_TC_DEVICE bool isnan(type x) {    \
        return __builtin_isnan(x);         \
    }                                      \
    HAUL_TC_DEVICE bool isinf(type x) {    \
        return __builtin_isinf(x);         \
    }                                      \
    HAUL_TC_DEVICE bool isfinite(type x) { \
        return __builtin_isfinite(x);      \
    }
HAUL_CLASSIFY(float)
HAUL_CLASSIFY(double)
#undef HAUL_CLASSIFY
HAUL_TC_DEVICE bool signbit(float x) {
    return __float_as_int(x) < 0;
}
HAUL_TC_DEVICE bool signbit(double x) {
    return __double_as_longlong(x) < 0;
}

/* Minimum, maximum and absolute value over all arithmetic types; mixed signedness compares as C does. */
#define HAUL_MIN_MAX(result, a, b)                 \
    HAUL_TC_BOTH result min(a x, b y) {            \
        const result u = (result)x, v = (result)y; \
        return u < v ? u : v;                      \
    }                                              \
    HAUL_TC_BOTH result max(a x, b y) {            \
        const result u = (result)x, v = (result)y; \
        return u > v ? u : v;                      \
    }
#define HAUL_MIN_MAX_SIGNS(type)                              \
    HAUL_MIN_MAX(type, type, type)                            \
    HAUL_MIN_MAX(unsigned type, unsigned type, unsigned type) \
    HAUL_MIN_MAX(unsigned type, type, unsigned type)          \
    HAUL_MIN_MAX(unsigned type, unsigned type, type)
HAUL_MIN_MAX_SIGNS(int)
HAUL_MIN_MAX_SIGNS(long)
HAUL_MIN_MAX_SIGNS(long long)
#undef HAUL_MIN_MAX_SIGNS
#undef HAUL_MIN_MAX
#define HAUL_MIN_MAX_REAL(result, a, b, suffix)              \
    HAUL_TC_BOTH result min(a x, b y) {                      \
        return __builtin_fmin##suffix((result)x, (result)y); \
    }                                                        \
    HAUL_TC_BOTH result max(a x, b y) {                      \
        return __builtin_fmax##suffix((result)x, (result)y); \
    }
HAUL_MIN_MAX_REAL(float, float, float, f)
HAUL_MIN_MAX_REAL(double, double, double, )
HAUL_MIN_MAX_REAL(double, float, double, )
HAUL_MIN_MAX_REAL(double, double, float, )
#undef HAUL_MIN_MAX_REAL

#define HAUL_MIN_MAX_C(type, prefix)                \
    HAUL_TC_BOTH type prefix##min(type x, type y) { \
        return x < y ? x : y;                       \
    }                                               \
    HAUL_TC_BOTH type prefix##max(type x, type y) { \
        return x > y ? x : y;                       \
    }
HAUL_MIN_MAX_C(unsigned int, u)
HAUL_MIN_MAX_C(long long, ll)
HAUL_MIN_MAX_C(unsigned long long, ull)
#undef HAUL_MIN_MAX_C

#define HAUL_ABS(name, type)           \
    HAUL_TC_DEVICE type name(type x) { \
        return x < 0 ? -x : x;         \
    }
HAUL_ABS(abs, int)
HAUL_ABS(abs, long)
HAUL_ABS(abs, long long)
HAUL_ABS(labs, long)
HAUL_ABS(llabs, long long)
#undef HAUL_ABS
HAUL_TC_DEVICE float abs(float x) {
    return __builtin_fabsf(x);
}
HAUL_TC_DEVICE double abs(double x) {
    return __builtin_fabs(x);
}

#endif
