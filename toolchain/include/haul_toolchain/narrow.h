/* One 16-bit floating-point type and its pair, with conversions, arithmetic and the rest. cuda_fp16.h and cuda_bf16.h
 * include this file, each once, with the macros HAUL_N... that say which type; hence no include guard.
 *
 * Sums, products and fused multiply-adds are the machine's. Before sm_90 there are no bfloat16 sums and products, so
 * these are fused multiply-adds with one or minus zero. Everything else goes through float and is rounded once more:
 * float is wide enough for that to be exact for quotients and roots, and on the host for sums and products. The host
 * has what it has in CUDA 12.2 and later: operators, comparisons, sums, products, quotients, and conversions. */
#include "narrow_bits.h"

#define HAUL_HALF_ONLY (HAUL_NARROW_FRACTION == 10)

typedef struct __align__(2) HAUL_NARROW_RAW {
    unsigned short x;
}
HAUL_NARROW_RAW;
typedef struct __align__(4) HAUL_NARROW2_RAW {
    unsigned short x, y;
}
HAUL_NARROW2_RAW;

struct HAUL_NARROW;

/* --- to and from float ---------------------------------------------------------------------------------------------
 */

#ifdef __CUDA_ARCH__
#define HAUL_FROM_FLOAT_BITS(mode, ptx, rounding)                                 \
    HAUL_TC_BOTH unsigned short HAUL_N(haul_tc_, _bits_##mode)(float x) {         \
        unsigned short bits;                                                      \
        asm("cvt." ptx "." HAUL_NARROW_PTX ".f32 %0, %1;" : "=h"(bits) : "f"(x)); \
        return bits;                                                              \
    }
#else
#define HAUL_FROM_FLOAT_BITS(mode, ptx, rounding)                         \
    HAUL_TC_BOTH unsigned short HAUL_N(haul_tc_, _bits_##mode)(float x) { \
        return haul_tc_narrow(x, HAUL_NARROW_FRACTION, rounding);         \
    }
#endif
#define HAUL_FROM_FLOAT_SOFT(mode, rounding)                              \
    HAUL_TC_BOTH unsigned short HAUL_N(haul_tc_, _bits_##mode)(float x) { \
        return haul_tc_narrow(x, HAUL_NARROW_FRACTION, rounding);         \
    }
HAUL_FROM_FLOAT_BITS(rn, "rn", HAUL_TC_RN)
HAUL_FROM_FLOAT_BITS(rz, "rz", HAUL_TC_RZ)
HAUL_FROM_FLOAT_SOFT(ru, HAUL_TC_RU)
HAUL_FROM_FLOAT_SOFT(rd, HAUL_TC_RD)
#undef HAUL_FROM_FLOAT_BITS
#undef HAUL_FROM_FLOAT_SOFT

HAUL_TC_BOTH float HAUL_N(haul_tc_, _to_float)(unsigned short bits) {
    const unsigned int sign = (unsigned int)(bits >> 15) << 31, magnitude = bits & 0x7fffu;
    if (!HAUL_HALF_ONLY) return haul_tc_bits<float>((unsigned int)bits << 16);
#ifdef __CUDA_ARCH__
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
#else
    const unsigned int special = magnitude >= 0x7c00u ? 0x38000000u : 0u;
    if (magnitude < 0x400u) return haul_tc_bits<float>(haul_tc_bits<unsigned int>((float)magnitude * 0x1p-24f) | sign);
    return haul_tc_bits<float>(sign | ((magnitude << 13) + 0x38000000u + special));
#endif
}

/* --- the types -----------------------------------------------------------------------------------------------------
 */

struct __align__(2) HAUL_NARROW {
    unsigned short haul_bits;

    HAUL_NARROW() = default;
    __host__ __device__ constexpr HAUL_NARROW(const HAUL_NARROW_RAW &raw) : haul_bits(raw.x) {}
#define HAUL_CONSTRUCTOR(type, as_float) \
    __host__ __device__ HAUL_TC_INLINE HAUL_NARROW(type x) : haul_bits(HAUL_N(haul_tc_, _bits_rn)(as_float)) {}
    HAUL_CONSTRUCTOR(float, x)
    HAUL_CONSTRUCTOR(double, haul_tc_odd_float(x))
    HAUL_CONSTRUCTOR(short, x)
    HAUL_CONSTRUCTOR(unsigned short, x)
    HAUL_CONSTRUCTOR(int, haul_tc_odd_float(x))
    HAUL_CONSTRUCTOR(unsigned int, haul_tc_odd_float(x))
    HAUL_CONSTRUCTOR(long, haul_tc_odd_float((long long)x))
    HAUL_CONSTRUCTOR(unsigned long, haul_tc_odd_float((unsigned long long)x))
    HAUL_CONSTRUCTOR(long long, haul_tc_odd_float(x))
    HAUL_CONSTRUCTOR(unsigned long long, haul_tc_odd_float(x))
#undef HAUL_CONSTRUCTOR
    __host__ __device__ HAUL_TC_INLINE operator float() const {
        return HAUL_N(haul_tc_, _to_float)(haul_bits);
    }
    __host__ __device__ HAUL_TC_INLINE operator HAUL_NARROW_RAW() const {
        return HAUL_NARROW_RAW{haul_bits};
    }
};

struct __align__(4) HAUL_NARROW2 {
    HAUL_NARROW x, y;

    HAUL_NARROW2() = default;
    __host__ __device__ HAUL_TC_INLINE HAUL_NARROW2(const HAUL_NARROW &low, const HAUL_NARROW &high)
        : x(low), y(high) {}
    __host__ __device__ HAUL_TC_INLINE HAUL_NARROW2(const HAUL_NARROW2_RAW &raw)
        : x(HAUL_NARROW_RAW{raw.x}), y(HAUL_NARROW_RAW{raw.y}) {}
    __host__ __device__ HAUL_TC_INLINE operator HAUL_NARROW2_RAW() const {
        return HAUL_NARROW2_RAW{x.haul_bits, y.haul_bits};
    }
};

HAUL_TC_BOTH HAUL_NARROW HAUL_N(haul_tc_, _of_bits)(unsigned int bits) {
    return HAUL_NARROW(HAUL_NARROW_RAW{(unsigned short)bits});
}

/* --- conversions ---------------------------------------------------------------------------------------------------
 */

HAUL_TC_BOTH float HAUL_N(__, 2float)(HAUL_NARROW x) {
    return x;
}
HAUL_TC_BOTH HAUL_NARROW HAUL_N(__float2, )(float x) {
    return x;
}
HAUL_TC_BOTH HAUL_NARROW HAUL_N(__double2, )(double x) {
    return x;
}
#define HAUL_ROUNDINGS(ROW) ROW(rn) ROW(rz) ROW(ru) ROW(rd)
#define HAUL_FROM_FLOAT(mode)                                                 \
    HAUL_TC_BOTH HAUL_NARROW HAUL_N(__float2, _##mode)(float x) {             \
        return HAUL_N(haul_tc_, _of_bits)(HAUL_N(haul_tc_, _bits_##mode)(x)); \
    }
HAUL_ROUNDINGS(HAUL_FROM_FLOAT)
#undef HAUL_FROM_FLOAT

/* A directed rounding to float and then to the narrow type rounds as one; to nearest the odd float keeps the tie. */
#ifdef __CUDA_ARCH__
#define HAUL_FROM_INTEGER_BY(mode, name, type, wide)                  \
    HAUL_TC_BOTH HAUL_NARROW HAUL_N(__##name##2, _##mode)(type x) {   \
        return HAUL_N(__float2, _##mode)(__##wide##2float_##mode(x)); \
    }
#else
#define HAUL_FROM_INTEGER_BY(mode, name, type, wide)                \
    HAUL_TC_BOTH HAUL_NARROW HAUL_N(__##name##2, _##mode)(type x) { \
        return HAUL_N(__float2, _##mode)(haul_tc_odd_float(x));     \
    }
#endif
#define HAUL_FROM_INTEGER(name, type, wide)                     \
    HAUL_TC_BOTH HAUL_NARROW HAUL_N(__##name##2, _rn)(type x) { \
        return x;                                               \
    }                                                           \
    HAUL_FROM_INTEGER_BY(rz, name, type, wide)                  \
    HAUL_FROM_INTEGER_BY(ru, name, type, wide)                  \
    HAUL_FROM_INTEGER_BY(rd, name, type, wide)
HAUL_FROM_INTEGER(int, int, int)
HAUL_FROM_INTEGER(uint, unsigned int, uint)
HAUL_FROM_INTEGER(short, short, int)
HAUL_FROM_INTEGER(ushort, unsigned short, uint)
HAUL_FROM_INTEGER(ll, long long, ll)
HAUL_FROM_INTEGER(ull, unsigned long long, ull)
#undef HAUL_FROM_INTEGER
#undef HAUL_FROM_INTEGER_BY

/* Narrower integers saturate as the wider ones do. The host only rounds towards zero. */
#define HAUL_TO_INTEGER(scope, name, type, mode, expression) \
    scope type HAUL_N(__, 2##name##_##mode)(HAUL_NARROW x) { \
        return (type)(expression);                           \
    }
#define HAUL_TO_INTEGERS(scope, mode)                                                          \
    HAUL_TO_INTEGER(scope, int, int, mode, __float2int_##mode(x))                              \
    HAUL_TO_INTEGER(scope, uint, unsigned int, mode, __float2uint_##mode(x))                   \
    HAUL_TO_INTEGER(scope, short, short, mode, max(-32768, min(32767, __float2int_##mode(x)))) \
    HAUL_TO_INTEGER(scope, ushort, unsigned short, mode, umin(65535u, __float2uint_##mode(x))) \
    HAUL_TO_INTEGER(scope, ll, long long, mode, __float2ll_##mode(x))                          \
    HAUL_TO_INTEGER(scope, ull, unsigned long long, mode, __float2ull_##mode(x))
HAUL_TO_INTEGERS(HAUL_TC_DEVICE, rn)
HAUL_TO_INTEGERS(HAUL_TC_DEVICE, ru)
HAUL_TO_INTEGERS(HAUL_TC_DEVICE, rd)
#ifdef __CUDA_ARCH__
HAUL_TO_INTEGERS(HAUL_TC_BOTH, rz)
HAUL_TO_INTEGER(HAUL_TC_BOTH, char, signed char, rz, max(-128, min(127, __float2int_rz(x))))
HAUL_TO_INTEGER(HAUL_TC_BOTH, uchar, unsigned char, rz, umin(255u, __float2uint_rz(x)))
#else
#define HAUL_TRUNCATE(name, type) HAUL_TO_INTEGER(HAUL_TC_BOTH, name, type, rz, haul_tc_truncate<type>(x))
HAUL_TRUNCATE(char, signed char)
HAUL_TRUNCATE(uchar, unsigned char)
HAUL_TRUNCATE(short, short)
HAUL_TRUNCATE(ushort, unsigned short)
HAUL_TRUNCATE(int, int)
HAUL_TRUNCATE(uint, unsigned int)
HAUL_TRUNCATE(ll, long long)
HAUL_TRUNCATE(ull, unsigned long long)
#undef HAUL_TRUNCATE
#endif
#undef HAUL_TO_INTEGERS
#undef HAUL_TO_INTEGER
#undef HAUL_ROUNDINGS

HAUL_TC_BOTH short HAUL_N(__, _as_short)(HAUL_NARROW x) {
    return (short)x.haul_bits;
}
HAUL_TC_BOTH unsigned short HAUL_N(__, _as_ushort)(HAUL_NARROW x) {
    return x.haul_bits;
}
HAUL_TC_BOTH HAUL_NARROW HAUL_N(__short_as_, )(short bits) {
    return HAUL_N(haul_tc_, _of_bits)((unsigned short)bits);
}
HAUL_TC_BOTH HAUL_NARROW HAUL_N(__ushort_as_, )(unsigned short bits) {
    return HAUL_N(haul_tc_, _of_bits)(bits);
}

/* Pairs: built from and taken apart into their halves. */
HAUL_TC_BOTH HAUL_NARROW2 HAUL_N2(__floats2, _rn)(float low, float high) {
    return HAUL_NARROW2(low, high);
}
HAUL_TC_BOTH HAUL_NARROW2 HAUL_N2(__float2, _rn)(float x) {
    return HAUL_NARROW2(x, x);
}
HAUL_TC_BOTH HAUL_NARROW2 HAUL_N2(__float22, _rn)(float2 x) {
    return HAUL_NARROW2(x.x, x.y);
}
HAUL_TC_BOTH float2 HAUL_N2(__, 2float2)(HAUL_NARROW2 x) {
    return make_float2(x.x, x.y);
}
HAUL_TC_BOTH float __low2float(HAUL_NARROW2 x) {
    return x.x;
}
HAUL_TC_BOTH float __high2float(HAUL_NARROW2 x) {
    return x.y;
}
HAUL_TC_BOTH HAUL_NARROW HAUL_N(__low2, )(HAUL_NARROW2 x) {
    return x.x;
}
HAUL_TC_BOTH HAUL_NARROW HAUL_N(__high2, )(HAUL_NARROW2 x) {
    return x.y;
}
HAUL_TC_BOTH HAUL_NARROW2 HAUL_N2(__low2, )(HAUL_NARROW2 x) {
    return HAUL_NARROW2(x.x, x.x);
}
HAUL_TC_BOTH HAUL_NARROW2 HAUL_N2(__high2, )(HAUL_NARROW2 x) {
    return HAUL_NARROW2(x.y, x.y);
}
HAUL_TC_BOTH HAUL_NARROW2 HAUL_N2(__lows2, )(HAUL_NARROW2 a, HAUL_NARROW2 b) {
    return HAUL_NARROW2(a.x, b.x);
}
HAUL_TC_BOTH HAUL_NARROW2 HAUL_N2(__highs2, )(HAUL_NARROW2 a, HAUL_NARROW2 b) {
    return HAUL_NARROW2(a.y, b.y);
}
HAUL_TC_BOTH HAUL_NARROW2 __lowhigh2highlow(HAUL_NARROW2 x) {
    return HAUL_NARROW2(x.y, x.x);
}

/* --- arithmetic ----------------------------------------------------------------------------------------------------
 */

/* One function on a value, and the same on both values of a pair, of the kernel's only or of both sides. */
#define HAUL_EACH_1(scope, name, name2, expression) \
    scope HAUL_NARROW name(HAUL_NARROW a) {         \
        return expression;                          \
    }                                               \
    scope HAUL_NARROW2 name2(HAUL_NARROW2 a) {      \
        return HAUL_NARROW2(name(a.x), name(a.y));  \
    }
#define HAUL_EACH_2(scope, name, name2, expression)            \
    scope HAUL_NARROW name(HAUL_NARROW a, HAUL_NARROW b) {     \
        return expression;                                     \
    }                                                          \
    scope HAUL_NARROW2 name2(HAUL_NARROW2 a, HAUL_NARROW2 b) { \
        return HAUL_NARROW2(name(a.x, b.x), name(a.y, b.y));   \
    }

/* op(a, b, c) as machine instructions on one value and on a pair. */
#define HAUL_MACHINE(scope, name, name2, ptx, ptx2, parameters, operands, operands2) \
    scope HAUL_NARROW name parameters(HAUL_NARROW) {                                 \
        unsigned short bits;                                                         \
        asm(ptx : "=h"(bits) : operands);                                            \
        return HAUL_N(haul_tc_, _of_bits)(bits);                                     \
    }                                                                                \
    scope HAUL_NARROW2 name2 parameters(HAUL_NARROW2) {                              \
        unsigned int bits;                                                           \
        asm(ptx2 : "=r"(bits) : operands2);                                          \
        return haul_tc_bits<HAUL_NARROW2>(bits);                                     \
    }
#define HAUL_ONE(type) (type a)
#define HAUL_TWO(type) (type a, type b)
#define HAUL_THREE(type) (type a, type b, type c)
#define HAUL_ONE_H(v) "h"(v.haul_bits)
#define HAUL_ONE_R(v) "r"(haul_tc_bits<unsigned int>(v))

#define HAUL_OPERANDS(...) __VA_ARGS__

#if defined(__CUDA_ARCH__) && (HAUL_NARROW_FRACTION == 10 || __CUDA_ARCH__ >= 900)
#define HAUL_SUM(name, name2, op)                                                                                \
    HAUL_MACHINE(HAUL_TC_BOTH, name, name2, op "." HAUL_NARROW_PTX " %0, %1, %2;",                               \
                 op "." HAUL_NARROW_PTX "x2 %0, %1, %2;", HAUL_TWO, HAUL_OPERANDS(HAUL_ONE_H(a), HAUL_ONE_H(b)), \
                 HAUL_OPERANDS(HAUL_ONE_R(a), HAUL_ONE_R(b)))
HAUL_SUM(__hadd, __hadd2, "add")
HAUL_SUM(__hsub, __hsub2, "sub")
HAUL_SUM(__hmul, __hmul2, "mul")
HAUL_SUM(__hadd_rn, __hadd2_rn, "add.rn")
HAUL_SUM(__hsub_rn, __hsub2_rn, "sub.rn")
HAUL_SUM(__hmul_rn, __hmul2_rn, "mul.rn")
#if HAUL_NARROW_FRACTION == 10
HAUL_SUM(__hadd_sat, __hadd2_sat, "add.sat")
HAUL_SUM(__hsub_sat, __hsub2_sat, "sub.sat")
HAUL_SUM(__hmul_sat, __hmul2_sat, "mul.sat")
#endif
#undef HAUL_SUM
#endif

#define HAUL_FUSED(name, name2, op)                                                      \
    HAUL_MACHINE(HAUL_TC_DEVICE, name, name2, op "." HAUL_NARROW_PTX " %0, %1, %2, %3;", \
                 op "." HAUL_NARROW_PTX "x2 %0, %1, %2, %3;", HAUL_THREE,                \
                 HAUL_OPERANDS(HAUL_ONE_H(a), HAUL_ONE_H(b), HAUL_ONE_H(c)),             \
                 HAUL_OPERANDS(HAUL_ONE_R(a), HAUL_ONE_R(b), HAUL_ONE_R(c)))
HAUL_FUSED(__hfma, __hfma2, "fma.rn")
HAUL_FUSED(__hfma_relu, __hfma2_relu, "fma.rn.relu")
#if HAUL_NARROW_FRACTION == 10
HAUL_FUSED(__hfma_sat, __hfma2_sat, "fma.rn.sat")
#endif
#undef HAUL_FUSED

#ifdef __CUDA_ARCH__
#define HAUL_SIGN(name, name2, op)                                                                                  \
    HAUL_MACHINE(HAUL_TC_BOTH, name, name2, op "." HAUL_NARROW_PTX " %0, %1;", op "." HAUL_NARROW_PTX "x2 %0, %1;", \
                 HAUL_ONE, HAUL_ONE_H(a), HAUL_ONE_R(a))
HAUL_SIGN(__hneg, __hneg2, "neg")
HAUL_SIGN(__habs, __habs2, "abs")
#undef HAUL_SIGN
#else
HAUL_EACH_1(HAUL_TC_BOTH, __hneg, __hneg2, HAUL_N(haul_tc_, _of_bits)(a.haul_bits ^ 0x8000u))
HAUL_EACH_1(HAUL_TC_BOTH, __habs, __habs2, HAUL_N(haul_tc_, _of_bits)(a.haul_bits & 0x7fffu))
#endif
#undef HAUL_MACHINE
#undef HAUL_ONE
#undef HAUL_TWO
#undef HAUL_THREE
#undef HAUL_ONE_H
#undef HAUL_ONE_R
#undef HAUL_OPERANDS

#ifndef __CUDA_ARCH__
#define HAUL_BY_FLOAT(suffix, round)                                                       \
    HAUL_EACH_2(HAUL_TC_BOTH, __hadd##suffix, __hadd2##suffix, round((float)a + (float)b)) \
    HAUL_EACH_2(HAUL_TC_BOTH, __hsub##suffix, __hsub2##suffix, round((float)a - (float)b)) \
    HAUL_EACH_2(HAUL_TC_BOTH, __hmul##suffix, __hmul2##suffix, round((float)a *(float)b))
HAUL_BY_FLOAT(, )
HAUL_BY_FLOAT(_rn, )
HAUL_BY_FLOAT(_sat, haul_tc_saturate)
#undef HAUL_BY_FLOAT
#elif HAUL_NARROW_FRACTION != 10 && __CUDA_ARCH__ < 900
#define HAUL_PATTERN(bits) HAUL_N(haul_tc_, _of_bits)(bits)
#define HAUL_BY_FUSING(suffix)                                                                     \
    HAUL_EACH_2(HAUL_TC_BOTH, __hadd##suffix, __hadd2##suffix, __hfma(a, HAUL_PATTERN(0x3f80), b)) \
    HAUL_EACH_2(HAUL_TC_BOTH, __hsub##suffix, __hsub2##suffix, __hfma(b, HAUL_PATTERN(0xbf80), a)) \
    HAUL_EACH_2(HAUL_TC_BOTH, __hmul##suffix, __hmul2##suffix, __hfma(a, b, HAUL_PATTERN(0x8000)))
HAUL_BY_FUSING()
HAUL_BY_FUSING(_rn)
#undef HAUL_BY_FUSING
#undef HAUL_PATTERN
#endif

#if HAUL_NARROW_FRACTION != 10
#ifdef __CUDA_ARCH__
HAUL_EACH_2(HAUL_TC_BOTH, __hadd_sat, __hadd2_sat, __saturatef(__hadd(a, b)))
HAUL_EACH_2(HAUL_TC_BOTH, __hsub_sat, __hsub2_sat, __saturatef(__hsub(a, b)))
HAUL_EACH_2(HAUL_TC_BOTH, __hmul_sat, __hmul2_sat, __saturatef(__hmul(a, b)))
#endif
HAUL_TC_DEVICE HAUL_NARROW __hfma_sat(HAUL_NARROW a, HAUL_NARROW b, HAUL_NARROW c) {
    return __saturatef(__hfma(a, b, c));
}
HAUL_TC_DEVICE HAUL_NARROW2 __hfma2_sat(HAUL_NARROW2 a, HAUL_NARROW2 b, HAUL_NARROW2 c) {
    return HAUL_NARROW2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
#endif

HAUL_EACH_2(HAUL_TC_BOTH, __hdiv, __h2div, (float)a / (float)b)
HAUL_EACH_2(HAUL_TC_BOTH, __hmin, __hmin2, fminf(a, b))
HAUL_EACH_2(HAUL_TC_BOTH, __hmax, __hmax2, fmaxf(a, b))
HAUL_TC_BOTH int __hisnan(HAUL_NARROW x) {
    return (x.haul_bits & 0x7fffu) > (0x7fffu >> HAUL_NARROW_FRACTION << HAUL_NARROW_FRACTION);
}
/* 1 or -1 for the two infinities. */
HAUL_TC_BOTH int __hisinf(HAUL_NARROW x) {
    if ((x.haul_bits & 0x7fffu) != (0x7fffu >> HAUL_NARROW_FRACTION << HAUL_NARROW_FRACTION)) return 0;
    return x.haul_bits >> 15 ? -1 : 1;
}
HAUL_EACH_2(HAUL_TC_BOTH, __hmin_nan, __hmin2_nan,
            __hisnan(a) || __hisnan(b) ? HAUL_N(haul_tc_, _of_bits)(0x7fff) : __hmin(a, b))
HAUL_EACH_2(HAUL_TC_BOTH, __hmax_nan, __hmax2_nan,
            __hisnan(a) || __hisnan(b) ? HAUL_N(haul_tc_, _of_bits)(0x7fff) : __hmax(a, b))

HAUL_EACH_1(HAUL_TC_DEVICE, hsqrt, h2sqrt, sqrtf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hrsqrt, h2rsqrt, rsqrtf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hrcp, h2rcp, 1.0f / (float)a)
HAUL_EACH_1(HAUL_TC_DEVICE, hexp, h2exp, expf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hexp2, h2exp2, exp2f(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hexp10, h2exp10, exp10f(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hlog, h2log, logf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hlog2, h2log2, log2f(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hlog10, h2log10, log10f(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hsin, h2sin, sinf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hcos, h2cos, cosf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, htanh, h2tanh, tanhf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hfloor, h2floor, floorf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hceil, h2ceil, ceilf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, htrunc, h2trunc, truncf(a))
HAUL_EACH_1(HAUL_TC_DEVICE, hrint, h2rint, rintf(a))
#undef HAUL_EACH_1
#undef HAUL_EACH_2

/* --- comparisons ---------------------------------------------------------------------------------------------------
 */

/* Ordered: false where one is not a number; the u forms: true there. Pairs answer as 1.0 and 0.0 in each half
 * (__heq2), as one truth over both (__hbeq2), or as a mask (__heq2_mask). */
#define HAUL_COMPARE_ONE(name, op, unordered)                                                      \
    HAUL_TC_BOTH bool __h##name(HAUL_NARROW a, HAUL_NARROW b) {                                    \
        return (__hisnan(a) || __hisnan(b)) ? unordered : (float)a op(float) b;                    \
    }                                                                                              \
    HAUL_TC_BOTH HAUL_NARROW2 __h##name##2(HAUL_NARROW2 a, HAUL_NARROW2 b) {                       \
        return HAUL_NARROW2(__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f); \
    }                                                                                              \
    HAUL_TC_BOTH bool __hb##name##2(HAUL_NARROW2 a, HAUL_NARROW2 b) {                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    HAUL_TC_BOTH unsigned int __h##name##2_mask(HAUL_NARROW2 a, HAUL_NARROW2 b) {                  \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);    \
    }
#define HAUL_COMPARE(name, op)        \
    HAUL_COMPARE_ONE(name, op, false) \
    HAUL_COMPARE_ONE(name##u, op, true)
HAUL_COMPARE(eq, ==)
HAUL_COMPARE(ne, !=)
HAUL_COMPARE(lt, <)
HAUL_COMPARE(le, <=)
HAUL_COMPARE(gt, >)
HAUL_COMPARE(ge, >=)
#undef HAUL_COMPARE
#undef HAUL_COMPARE_ONE
HAUL_TC_BOTH HAUL_NARROW2 __hisnan2(HAUL_NARROW2 x) {
    return HAUL_NARROW2(__hisnan(x.x) ? 1.0f : 0.0f, __hisnan(x.y) ? 1.0f : 0.0f);
}

/* --- operators -----------------------------------------------------------------------------------------------------
 */

#define HAUL_OPERATOR(type, op, function)                         \
    HAUL_TC_BOTH type operator op(const type &a, const type &b) { \
        return function(a, b);                                    \
    }                                                             \
    HAUL_TC_BOTH type &operator op##=(type &a, const type &b) {   \
        return a = function(a, b);                                \
    }
#define HAUL_TRUTH(op, function, function2)                                       \
    HAUL_TC_BOTH bool operator op(const HAUL_NARROW &a, const HAUL_NARROW &b) {   \
        return function(a, b);                                                    \
    }                                                                             \
    HAUL_TC_BOTH bool operator op(const HAUL_NARROW2 &a, const HAUL_NARROW2 &b) { \
        return function2(a, b);                                                   \
    }
HAUL_OPERATOR(HAUL_NARROW, +, __hadd)
HAUL_OPERATOR(HAUL_NARROW, -, __hsub)
HAUL_OPERATOR(HAUL_NARROW, *, __hmul)
HAUL_OPERATOR(HAUL_NARROW, /, __hdiv)
HAUL_OPERATOR(HAUL_NARROW2, +, __hadd2)
HAUL_OPERATOR(HAUL_NARROW2, -, __hsub2)
HAUL_OPERATOR(HAUL_NARROW2, *, __hmul2)
HAUL_OPERATOR(HAUL_NARROW2, /, __h2div)
HAUL_TRUTH(==, __heq, __hbeq2)
HAUL_TRUTH(!=, __hneu, __hbneu2)
HAUL_TRUTH(<, __hlt, __hblt2)
HAUL_TRUTH(<=, __hle, __hble2)
HAUL_TRUTH(>, __hgt, __hbgt2)
HAUL_TRUTH(>=, __hge, __hbge2)
#undef HAUL_OPERATOR
#undef HAUL_TRUTH
#define HAUL_STEP(type, op, one)                      \
    HAUL_TC_BOTH type &operator op##op(type &a) {     \
        return a op## = one;                          \
    }                                                 \
    HAUL_TC_BOTH type operator op##op(type &a, int) { \
        const type before = a;                        \
        a op## = one;                                 \
        return before;                                \
    }
#define HAUL_SIGNS(type, negative, one)          \
    HAUL_STEP(type, +, one)                      \
    HAUL_STEP(type, -, one)                      \
    HAUL_TC_BOTH type operator-(const type &a) { \
        return negative(a);                      \
    }                                            \
    HAUL_TC_BOTH type operator+(const type &a) { \
        return a;                                \
    }
HAUL_SIGNS(HAUL_NARROW, __hneg, HAUL_NARROW(1.0f))
HAUL_SIGNS(HAUL_NARROW2, __hneg2, HAUL_NARROW2(1.0f, 1.0f))
#undef HAUL_STEP
#undef HAUL_SIGNS

/* --- warp, cache and atomic functions ------------------------------------------------------------------------------
 */

#define HAUL_SHUFFLE(function, lane_type)                                                                     \
    HAUL_TC_DEVICE HAUL_NARROW function(unsigned int mask, HAUL_NARROW x, lane_type lane, int width = 32) {   \
        return HAUL_N(haul_tc_, _of_bits)(function(mask, (unsigned int)x.haul_bits, lane, width));            \
    }                                                                                                         \
    HAUL_TC_DEVICE HAUL_NARROW2 function(unsigned int mask, HAUL_NARROW2 x, lane_type lane, int width = 32) { \
        return haul_tc_bits<HAUL_NARROW2>(function(mask, haul_tc_bits<unsigned int>(x), lane, width));        \
    }
HAUL_SHUFFLE(__shfl_sync, int)
HAUL_SHUFFLE(__shfl_up_sync, unsigned int)
HAUL_SHUFFLE(__shfl_down_sync, unsigned int)
HAUL_SHUFFLE(__shfl_xor_sync, int)
#undef HAUL_SHUFFLE

#define HAUL_LOAD(function)                                                        \
    HAUL_TC_DEVICE HAUL_NARROW function(const HAUL_NARROW *from) {                 \
        return HAUL_N(haul_tc_, _of_bits)(function((const unsigned short *)from)); \
    }                                                                              \
    HAUL_TC_DEVICE HAUL_NARROW2 function(const HAUL_NARROW2 *from) {               \
        return haul_tc_bits<HAUL_NARROW2>(function((const unsigned int *)from));   \
    }
#define HAUL_STORE(function)                                         \
    HAUL_TC_DEVICE void function(HAUL_NARROW *to, HAUL_NARROW x) {   \
        function((unsigned short *)to, x.haul_bits);                 \
    }                                                                \
    HAUL_TC_DEVICE void function(HAUL_NARROW2 *to, HAUL_NARROW2 x) { \
        function((unsigned int *)to, haul_tc_bits<unsigned int>(x)); \
    }
HAUL_LOAD(__ldg)
HAUL_LOAD(__ldca)
HAUL_LOAD(__ldcg)
HAUL_LOAD(__ldcs)
HAUL_LOAD(__ldlu)
HAUL_LOAD(__ldcv)
HAUL_STORE(__stwb)
HAUL_STORE(__stcg)
HAUL_STORE(__stcs)
HAUL_STORE(__stwt)
#undef HAUL_LOAD
#undef HAUL_STORE

#if __CUDA_ARCH__ >= 900 || HAUL_NARROW_FRACTION == 10
HAUL_TC_DEVICE HAUL_NARROW atomicAdd(HAUL_NARROW *address, HAUL_NARROW x) {
    unsigned short bits;
    asm volatile("atom.add.noftz." HAUL_NARROW_PTX " %0, [%1], %2;"
                 : "=h"(bits)
                 : "l"(address), "h"(x.haul_bits)
                 : "memory");
    return HAUL_N(haul_tc_, _of_bits)(bits);
}
HAUL_TC_DEVICE HAUL_NARROW2 atomicAdd(HAUL_NARROW2 *address, HAUL_NARROW2 x) {
    unsigned int bits;
    asm volatile("atom.add.noftz." HAUL_NARROW_PTX "x2 %0, [%1], %2;"
                 : "=r"(bits)
                 : "l"(address), "r"(haul_tc_bits<unsigned int>(x))
                 : "memory");
    return haul_tc_bits<HAUL_NARROW2>(bits);
}
#else
/* No instruction before sm_90: the word is exchanged until nobody was faster. */
HAUL_TC_DEVICE HAUL_NARROW2 atomicAdd(HAUL_NARROW2 *address, HAUL_NARROW2 x) {
    unsigned int *const word = (unsigned int *)address;
    unsigned int seen = *(volatile unsigned int *)word, expected;
    do {
        expected = seen;
        const HAUL_NARROW2 sum = __hadd2(haul_tc_bits<HAUL_NARROW2>(expected), x);
        seen = atomicCAS(word, expected, haul_tc_bits<unsigned int>(sum));
    } while (seen != expected);
    return haul_tc_bits<HAUL_NARROW2>(seen);
}
HAUL_TC_DEVICE HAUL_NARROW atomicAdd(HAUL_NARROW *address, HAUL_NARROW x) {
    unsigned short *const half = (unsigned short *)address;
    unsigned short seen = *(volatile unsigned short *)half, expected;
    do {
        expected = seen;
        seen = atomicCAS(half, expected, __hadd(HAUL_N(haul_tc_, _of_bits)(expected), x).haul_bits);
    } while (seen != expected);
    return HAUL_N(haul_tc_, _of_bits)(seen);
}
#endif

#undef HAUL_HALF_ONLY
#undef HAUL_N
#undef HAUL_N2
#undef HAUL_NARROW
#undef HAUL_NARROW2
#undef HAUL_NARROW_RAW
#undef HAUL_NARROW2_RAW
#undef HAUL_NARROW_PTX
#undef HAUL_NARROW_FRACTION
