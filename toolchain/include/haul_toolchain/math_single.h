/* Transcendental functions in single precision, in plain C. The common ones are computed in single precision; the
 * others are the double precision functions, rounded. The includer defines HAUL_MATH, how a function is declared. */
#ifndef HAUL_TOOLCHAIN_MATH_SINGLE_H
#define HAUL_TOOLCHAIN_MATH_SINGLE_H

#include "math_gamma.h"

#define HAUL_MATH_INFINITYF __builtin_inff()

HAUL_MATH unsigned int haul_math_bitsf(float x) {
    unsigned int bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}
HAUL_MATH float haul_math_realf(unsigned int bits) {
    float x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}

/* --- exponentials --------------------------------------------------------------------------------------------------
 */

/* 2^k * exp(r) for |r| <= ln(2) / 2 and k from -252 to 254: two factors, so that only the last product rounds. */
HAUL_MATH float haul_math_exp_finishf(float k, float r) {
    float p = 0x1.a12a42p-13f;
    p = __builtin_fmaf(p, r, 0x1.6d492p-10f);
    p = __builtin_fmaf(p, r, 0x1.1110ep-7f);
    p = __builtin_fmaf(p, r, 0x1.5554e4p-5f);
    p = __builtin_fmaf(p, r, 0x1.555556p-3f);
    p = __builtin_fmaf(p, r, 0x1p-1f);
    const float y = 1.0f + __builtin_fmaf(r * r, p, r);
    const int whole = (int)k, half = whole / 2;
    return y * haul_math_realf((unsigned int)(half + 127) << 23) *
           haul_math_realf((unsigned int)(whole - half + 127) << 23);
}
HAUL_MATH float haul_math_expf(float x) {
    if (!(x < 89.0f)) return x != x ? x : HAUL_MATH_INFINITYF;
    if (x < -104.0f) return 0.0f;
    const float k = __builtin_rintf(x * 0x1.715476p+0f);
    const float r = __builtin_fmaf(-k, -0x1.05c61p-29f, __builtin_fmaf(-k, 0x1.62e43p-1f, x));
    return haul_math_exp_finishf(k, r);
}
HAUL_MATH float haul_math_exp2f(float x) {
    if (!(x < 129.0f)) return x != x ? x : HAUL_MATH_INFINITYF;
    if (x < -151.0f) return 0.0f;
    const float k = __builtin_rintf(x), f = x - k;
    return haul_math_exp_finishf(k, __builtin_fmaf(f, 0x1.62e43p-1f, f * -0x1.05c61p-29f));
}
HAUL_MATH float haul_math_exp10f(float x) {
    if (!(x < 39.0f)) return x != x ? x : HAUL_MATH_INFINITYF;
    if (x < -46.0f) return 0.0f;
    const float k = __builtin_rintf(x * 0x1.a934fp+1f);
    const float f = __builtin_fmaf(-k, -0x1.ec10cp-27f, __builtin_fmaf(-k, 0x1.344136p-2f, x));
    return haul_math_exp_finishf(k, __builtin_fmaf(f, 0x1.26bb1cp+1f, f * -0x1.12aabap-25f));
}

/* --- logarithms ----------------------------------------------------------------------------------------------------
 */

/* x = 2^*e * (1 + the result), the result from sqrt(1/2) - 1 to sqrt(2) - 1, for positive finite x. */
HAUL_MATH float haul_math_split_logf(float x, float *e) {
    float scale = 0.0f;
    if (x < 0x1p-126f) {
        x *= 0x1p25f;
        scale = -25.0f;
    }
    const unsigned int bits = haul_math_bitsf(x) - 0x3f3504f3u; /* sqrt(1/2) */
    *e = (float)((int)bits >> 23) + scale;
    return haul_math_realf((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
}

/* log(1 + f) - f */
HAUL_MATH float haul_math_log_bendf(float f) {
    float p = -0x1.3a4cacp-4f;
    p = __builtin_fmaf(p, f, 0x1.04a28ap-3f);
    p = __builtin_fmaf(p, f, -0x1.0ce364p-3f);
    p = __builtin_fmaf(p, f, 0x1.22e87ep-3f);
    p = __builtin_fmaf(p, f, -0x1.54827ap-3f);
    p = __builtin_fmaf(p, f, 0x1.99a01ep-3f);
    p = __builtin_fmaf(p, f, -0x1.00021p-2f);
    p = __builtin_fmaf(p, f, 0x1.555554p-2f);
    p = __builtin_fmaf(p, f, -0x1.fffffep-2f);
    return f * f * p;
}
HAUL_MATH float haul_math_logf(float x) {
    float e;
    if (!(x > 0.0f && x < HAUL_MATH_INFINITYF))
        return x == 0.0f ? -HAUL_MATH_INFINITYF : x < 0.0f ? __builtin_nanf("") : x;
    const float f = haul_math_split_logf(x, &e), bend = haul_math_log_bendf(f);
    return __builtin_fmaf(e, 0x1.62e4p-1f, f + __builtin_fmaf(e, 0x1.7f7d1cp-20f, bend));
}

/* log to the base whose logarithm is the inverse of high + low; unit: the base's logarithm of 2, high and low. */
HAUL_MATH float haul_math_log_scaledf(float x, float high, float low, float unit, float unit_low) {
    float e;
    if (!(x > 0.0f && x < HAUL_MATH_INFINITYF))
        return x == 0.0f ? -HAUL_MATH_INFINITYF : x < 0.0f ? __builtin_nanf("") : x;
    const float f = haul_math_split_logf(x, &e), bend = haul_math_log_bendf(f);
    const float main = f * high, main_tail = __builtin_fmaf(f, high, -main);
    const float tail = __builtin_fmaf(bend, high, __builtin_fmaf(f, low, main_tail)) + e * unit_low;
    const float whole = __builtin_fmaf(e, unit, main);
    const float lost =
        __builtin_fabsf(e * unit) > __builtin_fabsf(main) ? main - (whole - e * unit) : e * unit - (whole - main);
    return whole + (lost + tail);
}
HAUL_MATH float haul_math_log2f(float x) {
    return haul_math_log_scaledf(x, 0x1.715476p+0f, 0x1.4ae0cp-26f, 1.0f, 0.0f);
}
HAUL_MATH float haul_math_log10f(float x) {
    return haul_math_log_scaledf(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.344p-2f, 0x1.3509f8p-18f);
}

/* --- trigonometry --------------------------------------------------------------------------------------------------
 */

HAUL_MATH void haul_math_sincos_reducedf(float r, int quadrant, float *sine, float *cosine) {
    const float z = r * r;
    float s, c;
    {
        float p = 0x1.6db38p-19f;
        p = __builtin_fmaf(p, z, -0x1.a01386p-13f);
        p = __builtin_fmaf(p, z, 0x1.11110ep-7f);
        p = __builtin_fmaf(p, z, -0x1.555556p-3f);
        s = __builtin_fmaf(z * r, p, r);
    }
    {
        float p = -0x1.251d46p-22f;
        p = __builtin_fmaf(p, z, 0x1.a015aep-16f);
        p = __builtin_fmaf(p, z, -0x1.6c16cp-10f);
        p = __builtin_fmaf(p, z, 0x1.555556p-5f);
        c = __builtin_fmaf(z * z, p, __builtin_fmaf(-0.5f, z, 1.0f));
    }
    const float along = quadrant & 1 ? c : s, across = quadrant & 1 ? s : c;
    *sine = quadrant & 2 ? -along : along;
    *cosine = (quadrant + 1) & 2 ? -across : across;
}
HAUL_MATH void haul_math_sincosf(float x, float *sine, float *cosine) {
    int quadrant;
    float r;
    if (__builtin_fabsf(x) <= 0x1p16f) {
        const float k = __builtin_rintf(x * 0x1.45f306p-1f);
        r = __builtin_fmaf(-k, 0x1.921fb6p+0f, x);
        r = __builtin_fmaf(-k, -0x1.777a5cp-25f, r);
        r = __builtin_fmaf(-k, -0x1.ee59dap-50f, r);
        quadrant = (int)k;
    } else if (__builtin_fabsf(x) < HAUL_MATH_INFINITYF) {
        r = (float)haul_math_reduce((double)x, &quadrant).hi;
    } else {
        *sine = *cosine = x - x;
        return;
    }
    haul_math_sincos_reducedf(r, quadrant, sine, cosine);
    if (x == 0.0f) *sine = x;
}
HAUL_MATH float haul_math_sinf(float x) {
    float s, c;
    haul_math_sincosf(x, &s, &c);
    return s;
}
HAUL_MATH float haul_math_cosf(float x) {
    float s, c;
    haul_math_sincosf(x, &s, &c);
    return c;
}
HAUL_MATH float haul_math_tanf(float x) {
    float s, c;
    haul_math_sincosf(x, &s, &c);
    return s / c;
}
HAUL_MATH void haul_math_sincospif(float x, float *sine, float *cosine) {
    if (!(__builtin_fabsf(x) < HAUL_MATH_INFINITYF)) {
        *sine = *cosine = x - x;
        return;
    }
    const float y = __builtin_fabsf(x) < 0x1p30f ? x : 0.0f;
    const float k = __builtin_rintf(2.0f * y), f = __builtin_fmaf(-0.5f, k, y);
    haul_math_sincos_reducedf(__builtin_fmaf(f, 0x1.921fb6p+1f, f * -0x1.777a5cp-24f), (int)((long long)k & 3), sine,
                              cosine);
    if (f == 0.0f && *sine == 0.0f) *sine = __builtin_copysignf(0.0f, x);
}
HAUL_MATH float haul_math_sinpif(float x) {
    float s, c;
    haul_math_sincospif(x, &s, &c);
    return s;
}
HAUL_MATH float haul_math_cospif(float x) {
    float s, c;
    haul_math_sincospif(x, &s, &c);
    return c;
}

/* --- others --------------------------------------------------------------------------------------------------------
 */

HAUL_MATH float haul_math_tanhf(float x) {
    const float a = __builtin_fabsf(x);
    if (a < 0.55f) {
        const float z = x * x;
        float p = 0x1.36bdb2p-9f;
        p = __builtin_fmaf(p, z, -0x1.1394cap-7f);
        p = __builtin_fmaf(p, z, 0x1.64fad8p-6f);
        p = __builtin_fmaf(p, z, -0x1.ba0d94p-5f);
        p = __builtin_fmaf(p, z, 0x1.1110f6p-3f);
        p = __builtin_fmaf(p, z, -0x1.555556p-2f);
        return __builtin_fmaf(z * x, p, x);
    }
    const float e = haul_math_expf(2.0f * a);
    return x != x ? x : __builtin_copysignf(1.0f - 2.0f / (e + 1.0f), x);
}

HAUL_MATH float haul_math_ldexpf(float x, int k) {
    return (float)haul_math_ldexp((double)x, k < -400 ? -400 : k > 400 ? 400 : k);
}
HAUL_MATH float haul_math_frexpf(float x, int *exponent) {
    return (float)haul_math_frexp((double)x, exponent);
}

HAUL_MATH float haul_math_nextafterf(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0.0f) return __builtin_copysignf(0x1p-149f, y);
    return haul_math_realf(haul_math_bitsf(x) + ((x < y) == (x > 0.0f) ? 1u : ~0u));
}

#define HAUL_ROUNDED_UNARY(name)                   \
    HAUL_MATH float haul_math_##name##f(float x) { \
        return (float)haul_math_##name((double)x); \
    }
#define HAUL_ROUNDED_BINARY(name)                             \
    HAUL_MATH float haul_math_##name##f(float x, float y) {   \
        return (float)haul_math_##name((double)x, (double)y); \
    }
HAUL_ROUNDED_UNARY(expm1)
HAUL_ROUNDED_UNARY(log1p)
HAUL_ROUNDED_UNARY(logb)
HAUL_ROUNDED_BINARY(pow)
HAUL_ROUNDED_UNARY(cbrt)
HAUL_ROUNDED_UNARY(rcbrt)
HAUL_ROUNDED_BINARY(hypot)
HAUL_ROUNDED_BINARY(fmod)
HAUL_ROUNDED_BINARY(remainder)
HAUL_ROUNDED_BINARY(rhypot)
HAUL_ROUNDED_UNARY(asin)
HAUL_ROUNDED_UNARY(acos)
HAUL_ROUNDED_UNARY(atan)
HAUL_ROUNDED_BINARY(atan2)
HAUL_ROUNDED_UNARY(sinh)
HAUL_ROUNDED_UNARY(cosh)
HAUL_ROUNDED_UNARY(asinh)
HAUL_ROUNDED_UNARY(acosh)
HAUL_ROUNDED_UNARY(atanh)
HAUL_ROUNDED_UNARY(erf)
HAUL_ROUNDED_UNARY(erfc)
HAUL_ROUNDED_UNARY(erfcx)
HAUL_ROUNDED_UNARY(erfinv)
HAUL_ROUNDED_UNARY(erfcinv)
HAUL_ROUNDED_UNARY(normcdf)
HAUL_ROUNDED_UNARY(normcdfinv)
HAUL_ROUNDED_UNARY(tgamma)
HAUL_ROUNDED_UNARY(lgamma)
#undef HAUL_ROUNDED_UNARY
#undef HAUL_ROUNDED_BINARY

#endif
