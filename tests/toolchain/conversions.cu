/* Conversions with a rounding, views of bits, rounded arithmetic, and the fast approximations. */
#include <cuda_runtime.h>
#include "results.cuh"

#define ROUNDINGS(call, argument) \
    PUT(call##_rn(argument)), PUT(call##_rz(argument)), PUT(call##_ru(argument)), PUT(call##_rd(argument))
KERNEL(to_integers) {
    OPERANDS;
    ROUNDINGS(__float2int, FA);
    ROUNDINGS(__float2uint, FA);
    ROUNDINGS(__float2ll, FA);
    ROUNDINGS(__float2ull, FA);
    ROUNDINGS(__double2int, DA);
    ROUNDINGS(__double2uint, DA);
    ROUNDINGS(__double2ll, DA);
    ROUNDINGS(__double2ull, DA);
    PUT((int)FA), PUT((unsigned int)FA), PUT((long long)DA);
}
KERNEL(to_reals) {
    OPERANDS;
    ROUNDINGS(__double2float, DA);
    ROUNDINGS(__int2float, (int)a);
    ROUNDINGS(__uint2float, a);
    ROUNDINGS(__ll2float, (long long)LA);
    ROUNDINGS(__ull2float, LA);
    ROUNDINGS(__ll2double, (long long)LA);
    ROUNDINGS(__ull2double, LA);
    PUT(__int2double_rn((int)a)), PUT(__uint2double_rn(a));
    PUT((float)(int)a), PUT((float)a), PUT((double)LA);
}
KERNEL(views) {
    OPERANDS;
    PUT(__float_as_int(FA)), PUT(__int_as_float((int)a)), PUT(__float_as_uint(FB)), PUT(__uint_as_float(b));
    PUT(__double_as_longlong(DA)), PUT(__longlong_as_double((long long)LA));
    PUT(__double2hiint(DB)), PUT(__double2loint(DB)), PUT(__hiloint2double((int)b, (int)c));
}

#define ARITHMETIC(mode)                                                                             \
    KERNEL(arithmetic_##mode) {                                                                      \
        OPERANDS;                                                                                    \
        PUT(__fadd_##mode(FA, FB)), PUT(__fsub_##mode(FA, FB)), PUT(__fmul_##mode(FA, FB)),          \
            PUT(__fdiv_##mode(FA, FB));                                                              \
        PUT(__fmaf_##mode(FA, FB, FC)), PUT(__fmaf_ieee_##mode(FA, FB, FC)), PUT(__frcp_##mode(FA)), \
            PUT(__fsqrt_##mode(FA));                                                                 \
        PUT(__dadd_##mode(DA, DB)), PUT(__dsub_##mode(DA, DB)), PUT(__dmul_##mode(DA, DB)),          \
            PUT(__ddiv_##mode(DA, DB));                                                              \
        PUT(__fma_##mode(DA, DB, DC)), PUT(__drcp_##mode(DA)), PUT(__dsqrt_##mode(DA));              \
    }
ARITHMETIC(rn)
ARITHMETIC(rz)
ARITHMETIC(ru)
ARITHMETIC(rd)

/* The language's own operators: contraction, quotients and roots as with nvcc. */
KERNEL(operators) {
    OPERANDS;
    /* each product is used once: nvcc keeps one that is used otherwise as well, clang fuses and multiplies */
    PUT(FA * FB + FC), PUT(FC - FA * FA), PUT(FB * FC - FA), PUT(DA * DB + DC), PUT(DC - DA * DA), PUT(DB * DB - DA);
    PUT(FA / FB), PUT(DA / DB), PUT(1.0f / FA), PUT(1.0 / DA), PUT(sqrtf(FA)), PUT(sqrt(DA));
    PUT(FA + FB), PUT(FA - FB), PUT(FA * FC), PUT(-FA), PUT(FA < FB), PUT(FA == FB);
    PUT((int)a / (int)(b | 1)), PUT((int)a % (int)(b | 1)), PUT(a / (b | 1)), PUT(a % (b | 1));
    PUT(LA / (LB | 1)), PUT(LA % (LB | 1)), PUT((int)a >> (b & 31)), PUT(a << (b & 31)), PUT(LA >> (c & 63));
}

KERNEL(approximations) {
    OPERANDS;
    PUT(__frsqrt_rn(FA)), PUT(__fdividef(FA, FB)), PUT(fdividef(FA, FB)), PUT(__saturatef(FA)), PUT(rsqrtf(FA));
    PUT(__sinf(FA)), PUT(__cosf(FA)), PUT(__tanf(FA)), PUT(__expf(FA)), PUT(__exp10f(FA));
    PUT(__logf(FA)), PUT(__log2f(FA)), PUT(__log10f(FA)), PUT(__powf(FA, FB)), PUT(rsqrt(DA));
    float s, k;
    __sincosf(FA, &s, &k);
    PUT(s), PUT(k);
}
