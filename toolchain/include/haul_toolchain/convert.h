/* Type conversions with an explicit rounding, views of a value's bits, and arithmetic with an explicit rounding. */
#ifndef HAUL_TOOLCHAIN_CONVERT_H
#define HAUL_TOOLCHAIN_CONVERT_H

#include "device.h"

#define HAUL_UNARY(function, to, to_constraint, from, from_constraint, op)   \
    HAUL_TC_DEVICE to function(from x) {                                     \
        to result;                                                           \
        asm(op " %0, %1;" : "=" to_constraint(result) : from_constraint(x)); \
        return result;                                                       \
    }
#define HAUL_BINARY(function, type, constraint, op)                                     \
    HAUL_TC_DEVICE type function(type x, type y) {                                      \
        type result;                                                                    \
        asm(op " %0, %1, %2;" : "=" constraint(result) : constraint(x), constraint(y)); \
        return result;                                                                  \
    }
#define HAUL_TERNARY(function, type, constraint, op)                                                       \
    HAUL_TC_DEVICE type function(type x, type y, type z) {                                                 \
        type result;                                                                                       \
        asm(op " %0, %1, %2, %3;" : "=" constraint(result) : constraint(x), constraint(y), constraint(z)); \
        return result;                                                                                     \
    }

/* Real to integer: the PTX roundings carry an i. Integer to real and double to float: they do not. */
#define HAUL_TO_INTEGER(name, to, to_c, from, from_c, types)            \
    HAUL_UNARY(__##name##_rn, to, to_c, from, from_c, "cvt.rni." types) \
    HAUL_UNARY(__##name##_rz, to, to_c, from, from_c, "cvt.rzi." types) \
    HAUL_UNARY(__##name##_ru, to, to_c, from, from_c, "cvt.rpi." types) \
    HAUL_UNARY(__##name##_rd, to, to_c, from, from_c, "cvt.rmi." types)
#define HAUL_TO_REAL(name, to, to_c, from, from_c, types)              \
    HAUL_UNARY(__##name##_rn, to, to_c, from, from_c, "cvt.rn." types) \
    HAUL_UNARY(__##name##_rz, to, to_c, from, from_c, "cvt.rz." types) \
    HAUL_UNARY(__##name##_ru, to, to_c, from, from_c, "cvt.rp." types) \
    HAUL_UNARY(__##name##_rd, to, to_c, from, from_c, "cvt.rm." types)

HAUL_TO_INTEGER(float2int, int, "r", float, "f", "s32.f32")
HAUL_TO_INTEGER(float2uint, unsigned int, "r", float, "f", "u32.f32")
HAUL_TO_INTEGER(float2ll, long long, "l", float, "f", "s64.f32")
HAUL_TO_INTEGER(float2ull, unsigned long long, "l", float, "f", "u64.f32")
HAUL_TO_INTEGER(double2int, int, "r", double, "d", "s32.f64")
HAUL_TO_INTEGER(double2uint, unsigned int, "r", double, "d", "u32.f64")
HAUL_TO_INTEGER(double2ll, long long, "l", double, "d", "s64.f64")
HAUL_TO_INTEGER(double2ull, unsigned long long, "l", double, "d", "u64.f64")
HAUL_TO_REAL(double2float, float, "f", double, "d", "f32.f64")
HAUL_TO_REAL(int2float, float, "f", int, "r", "f32.s32")
HAUL_TO_REAL(uint2float, float, "f", unsigned int, "r", "f32.u32")
HAUL_TO_REAL(ll2float, float, "f", long long, "l", "f32.s64")
HAUL_TO_REAL(ull2float, float, "f", unsigned long long, "l", "f32.u64")
HAUL_TO_REAL(ll2double, double, "d", long long, "l", "f64.s64")
HAUL_TO_REAL(ull2double, double, "d", unsigned long long, "l", "f64.u64")
#undef HAUL_TO_INTEGER
#undef HAUL_TO_REAL

HAUL_TC_DEVICE double __int2double_rn(int x) {
    return x;
}
HAUL_TC_DEVICE double __uint2double_rn(unsigned int x) {
    return x;
}

#define HAUL_VIEW(function, to, from)    \
    HAUL_TC_DEVICE to function(from x) { \
        return haul_tc_bits<to>(x);      \
    }
HAUL_VIEW(__float_as_int, int, float)
HAUL_VIEW(__int_as_float, float, int)
HAUL_VIEW(__float_as_uint, unsigned int, float)
HAUL_VIEW(__uint_as_float, float, unsigned int)
HAUL_VIEW(__double_as_longlong, long long, double)
HAUL_VIEW(__longlong_as_double, double, long long)
#undef HAUL_VIEW
HAUL_TC_DEVICE int __double2hiint(double x) {
    return (int)(__double_as_longlong(x) >> 32);
}
HAUL_TC_DEVICE int __double2loint(double x) {
    return (int)__double_as_longlong(x);
}
HAUL_TC_DEVICE double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}

/* Arithmetic that is rounded as its name says and never contracted into a fused multiply-add. */
#define HAUL_ROUNDED(direction, ptx)                                            \
    HAUL_BINARY(__fadd_##direction, float, "f", "add." ptx ".f32")              \
    HAUL_BINARY(__fsub_##direction, float, "f", "sub." ptx ".f32")              \
    HAUL_BINARY(__fmul_##direction, float, "f", "mul." ptx ".f32")              \
    HAUL_BINARY(__fdiv_##direction, float, "f", "div." ptx ".f32")              \
    HAUL_TERNARY(__fmaf_##direction, float, "f", "fma." ptx ".f32")             \
    HAUL_TERNARY(__fmaf_ieee_##direction, float, "f", "fma." ptx ".f32")        \
    HAUL_UNARY(__frcp_##direction, float, "f", float, "f", "rcp." ptx ".f32")   \
    HAUL_UNARY(__fsqrt_##direction, float, "f", float, "f", "sqrt." ptx ".f32") \
    HAUL_BINARY(__dadd_##direction, double, "d", "add." ptx ".f64")             \
    HAUL_BINARY(__dsub_##direction, double, "d", "sub." ptx ".f64")             \
    HAUL_BINARY(__dmul_##direction, double, "d", "mul." ptx ".f64")             \
    HAUL_BINARY(__ddiv_##direction, double, "d", "div." ptx ".f64")             \
    HAUL_TERNARY(__fma_##direction, double, "d", "fma." ptx ".f64")             \
    HAUL_UNARY(__drcp_##direction, double, "d", double, "d", "rcp." ptx ".f64") \
    HAUL_UNARY(__dsqrt_##direction, double, "d", double, "d", "sqrt." ptx ".f64")
HAUL_ROUNDED(rn, "rn")
HAUL_ROUNDED(rz, "rz")
HAUL_ROUNDED(ru, "rp")
HAUL_ROUNDED(rd, "rm")
#undef HAUL_ROUNDED

/* The fast approximations of the special function unit. */
#if defined(__USE_FAST_MATH__)
#define HAUL_TC_FTZ ".ftz"
#else
#define HAUL_TC_FTZ ""
#endif
HAUL_UNARY(haul_tc_ex2, float, "f", float, "f", "ex2.approx" HAUL_TC_FTZ ".f32")
HAUL_UNARY(haul_tc_lg2, float, "f", float, "f", "lg2.approx" HAUL_TC_FTZ ".f32")
HAUL_UNARY(__sinf, float, "f", float, "f", "sin.approx" HAUL_TC_FTZ ".f32")
HAUL_UNARY(__cosf, float, "f", float, "f", "cos.approx" HAUL_TC_FTZ ".f32")
HAUL_UNARY(__saturatef, float, "f", float, "f", "cvt.sat.f32.f32")
HAUL_BINARY(__fdividef, float, "f", "div.approx" HAUL_TC_FTZ ".f32")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
HAUL_UNARY(__tanhf, float, "f", float, "f", "tanh.approx.f32")
#endif

HAUL_TC_DEVICE void __sincosf(float x, float *sine, float *cosine) {
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
HAUL_TC_DEVICE float __tanf(float x) {
    return __fdividef(__sinf(x), __cosf(x));
}
HAUL_TC_DEVICE float __expf(float x) {
    return haul_tc_ex2(x * 0x1.715476p+0f); /* log2(e) */
}
HAUL_TC_DEVICE float __exp10f(float x) {
    return haul_tc_ex2(x * 0x1.a934fp+1f); /* log2(10) */
}
HAUL_TC_DEVICE float __log2f(float x) {
    return haul_tc_lg2(x);
}
HAUL_TC_DEVICE float __logf(float x) {
    return haul_tc_lg2(x) * 0x1.62e43p-1f; /* ln(2) */
}
HAUL_TC_DEVICE float __log10f(float x) {
    return haul_tc_lg2(x) * 0x1.344136p-2f; /* log10(2) */
}
HAUL_TC_DEVICE float __powf(float x, float y) {
    return haul_tc_ex2(y * haul_tc_lg2(x));
}

#endif
