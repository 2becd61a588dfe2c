/* half, half2, bfloat16 and its pair: NARROW stands for the type, and both are tested by the same text. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include "results.cuh"

static __device__ __forceinline__ unsigned short bits(__half x) {
    return __hisnan(x) ? 0x7fff : __half_as_ushort(x);
}
static __device__ __forceinline__ unsigned short bits(__nv_bfloat16 x) {
    return __hisnan(x) ? 0x7fff : __bfloat16_as_ushort(x);
}
#define TO_FLOAT2_half2 __half22float2
#define TO_FLOAT2_bfloat162 __bfloat1622float2
#define PUT_N(value) PUT(bits(value))
#define PUT_2(value) PUT(bits((value).x)), PUT(bits((value).y))
#define FROM(f, v) PUT_N(f##_rn(v)), PUT_N(f##_rz(v)), PUT_N(f##_ru(v)), PUT_N(f##_rd(v))
#define TO(f, v) PUT(f##_rn(v)), PUT(f##_rz(v)), PUT(f##_ru(v)), PUT(f##_rd(v))

/* prefix of the kernels, type, pair type, the type's and the pair's part in the names of functions */
#define CONVERSIONS(prefix, type, pair, n, n2)                                                                        \
    KERNEL(prefix##_conversions) {                                                                                    \
        OPERANDS;                                                                                                     \
        const type x = __ushort_as_##n((unsigned short)a);                                                            \
        PUT(__##n##2float(x)), PUT((float)x);                                                                         \
        PUT_N(__float2##n(FA)), PUT_N(__double2##n(DA));                                                              \
        FROM(__float2##n, FA);                                                                                        \
        FROM(__int2##n, (int)a >> (c & 31));                                                                          \
        FROM(__uint2##n, a >> (c & 31));                                                                              \
        FROM(__short2##n, (short)a);                                                                                  \
        FROM(__ushort2##n, (unsigned short)a);                                                                        \
        FROM(__ll2##n, (long long)LA >> (c & 63));                                                                    \
        FROM(__ull2##n, LA >> (c & 63));                                                                              \
        TO(__##n##2int, x);                                                                                           \
        TO(__##n##2uint, x);                                                                                          \
        TO(__##n##2short, x);                                                                                         \
        TO(__##n##2ushort, x);                                                                                        \
        TO(__##n##2ll, x);                                                                                            \
        TO(__##n##2ull, x);                                                                                           \
        PUT(__##n##_as_short(x)), PUT(__##n##_as_ushort(x)), PUT_N(__short_as_##n((short)b));                         \
        PUT_N(type(FA)), PUT_N(type(DA)), PUT_N(type((int)a)), PUT_N(type(a)), PUT_N(type((short)a));                 \
        PUT_N(type((unsigned short)a)), PUT_N(type((long long)LA)), PUT_N(type(LA));                                  \
    }                                                                                                                 \
    KERNEL(prefix##_pairs) {                                                                                          \
        OPERANDS;                                                                                                     \
        const type x = __ushort_as_##n((unsigned short)a), y = __ushort_as_##n((unsigned short)b);                    \
        const pair u = __halves2##n2(x, y), v = make_##n2(y, x), w(x, y);                                             \
        PUT_2(u), PUT_2(v), PUT_2(w), PUT_2(__##n##2##n2(x));                                                         \
        PUT_2(__floats2##n2##_rn(FA, FB)), PUT_2(__float2##n2##_rn(FA)),                                              \
            PUT_2(__float22##n2##_rn(make_float2(FA, FB)));                                                           \
        PUT(TO_FLOAT2_##n2(u)), PUT(__low2float(u)), PUT(__high2float(u)), PUT_N(__low2##n(u)), PUT_N(__high2##n(u)); \
        PUT_2(__low2##n2(u)), PUT_2(__high2##n2(u)), PUT_2(__lows2##n2(u, v)), PUT_2(__highs2##n2(u, v));             \
        PUT_2(__lowhigh2highlow(u));                                                                                  \
    }
CONVERSIONS(half, __half, __half2, half, half2)
CONVERSIONS(bfloat16, __nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)

#define SETUP(type, pair, n)                                                                   \
    OPERANDS;                                                                                  \
    const type x = __ushort_as_##n((unsigned short)a), y = __ushort_as_##n((unsigned short)b), \
               z = __ushort_as_##n((unsigned short)c);                                         \
    const pair u(x, y), v(y, z), w(z, x)
#define ARITHMETIC(prefix, type, pair, n)                                                                            \
    KERNEL(prefix##_arithmetic) {                                                                                    \
        SETUP(type, pair, n);                                                                                        \
        PUT_N(__hadd(x, y)), PUT_N(__hsub(x, y)), PUT_N(__hmul(x, y)), PUT_N(__hdiv(x, y)), PUT_N(__hfma(x, y, z));  \
        PUT_N(__hadd_rn(x, y)), PUT_N(__hsub_rn(x, y)), PUT_N(__hmul_rn(x, y)), PUT_N(__hneg(x)), PUT_N(__habs(x));  \
        PUT_N(__hadd_sat(x, y)), PUT_N(__hsub_sat(x, y)), PUT_N(__hmul_sat(x, y)), PUT_N(__hfma_sat(x, y, z));       \
        PUT_N(__hfma_relu(x, y, z)), PUT_N(__hmin(x, y)), PUT_N(__hmax(x, y));                                       \
        PUT_N(__hmin_nan(x, y)), PUT_N(__hmax_nan(x, y));                                                            \
        PUT_2(__hadd2(u, v)), PUT_2(__hsub2(u, v)), PUT_2(__hmul2(u, v)), PUT_2(__h2div(u, v)),                      \
            PUT_2(__hfma2(u, v, w));                                                                                 \
        PUT_2(__hadd2_rn(u, v)), PUT_2(__hsub2_rn(u, v)), PUT_2(__hmul2_rn(u, v)), PUT_2(__hneg2(u)),                \
            PUT_2(__habs2(u));                                                                                       \
        PUT_2(__hadd2_sat(u, v)), PUT_2(__hsub2_sat(u, v)), PUT_2(__hmul2_sat(u, v)), PUT_2(__hfma2_sat(u, v, w));   \
        PUT_2(__hfma2_relu(u, v, w)), PUT_2(__hmin2(u, v)), PUT_2(__hmax2(u, v));                                    \
        PUT_2(__hmin2_nan(u, v)), PUT_2(__hmax2_nan(u, v));                                                          \
        type m = x;                                                                                                  \
        pair q = u;                                                                                                  \
        m *= z, m /= y, m += x, m -= z; /* no product before a sum, which the assembler may fuse */                  \
        q *= w, q /= v, q += u, q -= w;                                                                              \
        PUT_N(m), PUT_2(q), PUT_N(x + y), PUT_N(x - y), PUT_N(x *y), PUT_N(x / y), PUT_N(-x);                        \
        PUT_2(u + v), PUT_2(u - v), PUT_2(u *v), PUT_2(u / v), PUT_2(-u);                                            \
    }                                                                                                                \
    KERNEL(prefix##_rounding) {                                                                                      \
        SETUP(type, pair, n);                                                                                        \
        PUT_N(hsqrt(x)), PUT_N(hrcp(x)), PUT_N(hfloor(x)), PUT_N(hceil(x)), PUT_N(htrunc(x)), PUT_N(hrint(x));       \
        PUT_2(h2sqrt(u)), PUT_2(h2rcp(u)), PUT_2(h2floor(u)), PUT_2(h2ceil(u)), PUT_2(h2trunc(u)), PUT_2(h2rint(u)); \
    }                                                                                                                \
    KERNEL(prefix##_special) {                                                                                       \
        SETUP(type, pair, n);                                                                                        \
        PUT_N(hrsqrt(x)), PUT_N(hexp(x)), PUT_N(hexp2(x)), PUT_N(hexp10(x)), PUT_N(hlog(x)), PUT_N(hlog2(x));        \
        PUT_N(hlog10(x)), PUT_N(hsin(x)), PUT_N(hcos(x)), PUT_N(htanh(x));                                           \
        PUT_2(h2rsqrt(u)), PUT_2(h2exp(u)), PUT_2(h2exp2(u)), PUT_2(h2exp10(u)), PUT_2(h2log(u)), PUT_2(h2log2(u));  \
        PUT_2(h2log10(u)), PUT_2(h2sin(u)), PUT_2(h2cos(u)), PUT_2(h2tanh(u));                                       \
    }
ARITHMETIC(half, __half, __half2, half)
ARITHMETIC(bfloat16, __nv_bfloat16, __nv_bfloat162, bfloat16)

#define COMPARE(name)                                                                                               \
    PUT((int)__h##name(x, y)), PUT((int)__h##name##u(x, y)), PUT_2(__h##name##2(u, v)), PUT_2(__h##name##u2(u, v)); \
    PUT((int)__hb##name##2(u, v)), PUT((int)__hb##name##u2(u, v)), PUT(__h##name##2_mask(u, v)),                    \
        PUT(__h##name##u2_mask(u, v))
#define COMPARISONS(prefix, type, pair, n)                                                                            \
    KERNEL(prefix##_comparisons) {                                                                                    \
        SETUP(type, pair, n);                                                                                         \
        COMPARE(eq);                                                                                                  \
        COMPARE(ne);                                                                                                  \
        COMPARE(lt);                                                                                                  \
        COMPARE(le);                                                                                                  \
        COMPARE(gt);                                                                                                  \
        COMPARE(ge);                                                                                                  \
        PUT((int)__hisnan(x)), PUT(__hisinf(x)), PUT_2(__hisnan2(u)), PUT((int)__heq(x, x)), PUT((int)__hbeq2(u, u)); \
        PUT((int)(x == y)), PUT((int)(x != y)), PUT((int)(x < y)), PUT((int)(x <= y)), PUT((int)(x > y)),             \
            PUT((int)(x >= y));                                                                                       \
        PUT((int)(u == v)), PUT((int)(u != v)), PUT((int)(u < v)), PUT((int)(u <= v)), PUT((int)(u > v)),             \
            PUT((int)(u >= v));                                                                                       \
    }                                                                                                                 \
    KERNEL(prefix##_moves) {                                                                                          \
        SETUP(type, pair, n);                                                                                         \
        PUT_N(__shfl_sync(0xffffffffu, x, 3)), PUT_N(__shfl_up_sync(0xffffffffu, x, 3u));                             \
        PUT_N(__shfl_down_sync(0xffffffffu, x, 3u)), PUT_N(__shfl_xor_sync(0xffffffffu, x, 3));                       \
        PUT_2(__shfl_sync(0xffffffffu, u, 3)), PUT_2(__shfl_up_sync(0xffffffffu, u, 3u));                             \
        PUT_2(__shfl_down_sync(0xffffffffu, u, 3u)), PUT_2(__shfl_xor_sync(0xffffffffu, u, 3));                       \
        const type *from = (const type *)in + thread;                                                                 \
        const pair *from2 = (const pair *)in + thread;                                                                \
        PUT_N(__ldg(from)), PUT_N(__ldca(from)), PUT_N(__ldcg(from)), PUT_N(__ldcs(from)), PUT_N(__ldlu(from)),       \
            PUT_N(__ldcv(from));                                                                                      \
        PUT_2(__ldg(from2)), PUT_2(__ldca(from2)), PUT_2(__ldcg(from2)), PUT_2(__ldcs(from2)), PUT_2(__ldlu(from2)),  \
            PUT_2(__ldcv(from2));                                                                                     \
        type *to = (type *)(out + 400u * threads) + thread;                                                           \
        __stwb(to, x), PUT_N(*to);                                                                                    \
        __stcg(to, y), PUT_N(*to);                                                                                    \
        __stcs(to, z), PUT_N(*to);                                                                                    \
        __stwt(to, x), PUT_N(*to);                                                                                    \
        pair *to2 = (pair *)(out + 401u * threads) + thread;                                                          \
        __stwb(to2, u), PUT_2(*to2);                                                                                  \
        __stcg(to2, v), PUT_2(*to2);                                                                                  \
        __stcs(to2, w), PUT_2(*to2);                                                                                  \
        __stwt(to2, u), PUT_2(*to2);                                                                                  \
        PUT_2(atomicAdd(to2, v)), PUT_2(*to2);                                                                        \
        if (thread % 2 == 0) PUT_N(atomicAdd(to, y)), PUT_N(*to);                                                     \
    }
COMPARISONS(half, __half, __half2, half)
COMPARISONS(bfloat16, __nv_bfloat16, __nv_bfloat162, bfloat16)
