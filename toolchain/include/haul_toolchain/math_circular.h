/* Circular and hyperbolic functions in double precision and their inverses; see math_double.h. */
#ifndef HAUL_TOOLCHAIN_MATH_CIRCULAR_H
#define HAUL_TOOLCHAIN_MATH_CIRCULAR_H

#include "math_double.h"

/* --- trigonometry --------------------------------------------------------------------------------------------------
 */

/* The bits of 2 / pi: a word of zeros before the binary point, then those after it. */
#ifndef HAUL_MATH_TABLE
#define HAUL_MATH_TABLE static const
#endif
HAUL_MATH_TABLE unsigned int haul_math_two_over_pi[41] = {
    0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u,
    0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu,
    0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du};

/* The 224 bits of bits(2 / pi) * mantissa that decide x's place in the circle, as seven words, lowest first: multiples
 * of four quarter turns are beyond the top. *fraction: how many of the bits lie after the binary point. */
HAUL_MATH void haul_math_turns(double x, unsigned int turns[7], int *fraction) {
    const unsigned long long bits = haul_math_bits(x);
    const int e = (int)(bits >> 52 & 0x7ff) - 1075;
    const unsigned long long mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    const unsigned int low = (unsigned int)mantissa, high = (unsigned int)(mantissa >> 32);
    const int first = (e + 30) / 32; /* x is at least 2^27, so e at least -25 */
    unsigned long long carry = 0;
    unsigned int before = 0;
    *fraction = 32 * (first + 6) - e;
    for (int i = 0; i < 7; i++) {
        const unsigned int word = haul_math_two_over_pi[first + 6 - i];
        const unsigned long long a = (unsigned long long)word * low, b = (unsigned long long)before * high;
        const unsigned long long sum = (a & 0xffffffffu) + (b & 0xffffffffu) + (carry & 0xffffffffu);
        turns[i] = (unsigned int)sum;
        carry = (sum >> 32) + (a >> 32) + (b >> 32) + (carry >> 32);
        before = word;
    }
}

/* Bits `from` to `from` + 63 of the number, or what of them there is. */
HAUL_MATH unsigned long long haul_math_window(const unsigned int words[7], int from) {
    unsigned long long window = 0;
    for (int i = 0; i < 7; i++) {
        const int shift = 32 * i - from;
        if (shift >= 0 && shift < 64)
            window |= (unsigned long long)words[i] << shift;
        else if (shift < 0 && shift > -32)
            window |= (unsigned long long)words[i] >> -shift;
    }
    return window;
}

/* x = quadrant * pi / 2 + the result, for x too large for the short way. */
HAUL_MATH_RARE haul_math_pair haul_math_reduce_large(double x, int *quadrant) {
    unsigned int turns[7];
    int fraction;
    haul_math_turns(__builtin_fabs(x), turns, &fraction);
    const unsigned long long top = haul_math_window(turns, fraction - 62); /* two bits of quadrant, 62 of fraction */
    const unsigned long long next = haul_math_window(turns, fraction - 126);
    const int up = (int)(top >> 61 & 1);
    *quadrant = ((int)(top >> 62) + up) & 3;
    const long long whole = (long long)(top << 2) >> 2; /* from -1/2 to 1/2 turn quarter, in units of 2^-62 */
    const long long cut = whole & ~0x7ffll;             /* the part that a double holds exactly */
    haul_math_pair f =
        haul_math_fast_sum((double)cut * 0x1p-62, (double)(whole - cut) * 0x1p-62 + (double)next * 0x1p-126);
    haul_math_pair r = haul_math_product(f.hi, HAUL_PI_2);
    r.lo += __builtin_fma(f.hi, HAUL_PI_2_TAIL, f.lo * HAUL_PI_2);
    r = haul_math_fast_sum(r.hi, r.lo);
    if (x < 0) {
        *quadrant = -*quadrant & 3;
        r.hi = -r.hi;
        r.lo = -r.lo;
    }
    return r;
}

/* x = quadrant * pi / 2 + the result, the result at most about pi / 4. */
HAUL_MATH haul_math_pair haul_math_reduce(double x, int *quadrant) {
    if (__builtin_fabs(x) > 0x1p27) return haul_math_reduce_large(x, quadrant);
    const double k = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    const double first = __builtin_fma(-k, HAUL_PI_2, x);
    const haul_math_pair second = haul_math_product(-k, HAUL_PI_2_TAIL);
    const haul_math_pair sum = haul_math_sum(first, second.hi);
    *quadrant = (int)k & 3;
    return haul_math_fast_sum(sum.hi, sum.lo + __builtin_fma(k, 0x1.f1976b7ed8fbcp-110, second.lo));
}

HAUL_MATH double haul_math_sin_kernel(haul_math_pair r) {
    const double z = r.hi * r.hi;
    double p = -0x1.ab0f2043f8e29p-41;
    p = __builtin_fma(p, z, 0x1.6121703560c62p-33);
    p = __builtin_fma(p, z, -0x1.ae6453fff4d6dp-26);
    p = __builtin_fma(p, z, 0x1.71de3a5455b29p-19);
    p = __builtin_fma(p, z, -0x1.a01a01a0198dep-13);
    p = __builtin_fma(p, z, 0x1.111111111111p-7);
    p = __builtin_fma(p, z, -0x1.5555555555555p-3);
    return r.hi + __builtin_fma(z * r.hi, p, r.lo * __builtin_fma(-0.5, z, 1.0));
}
HAUL_MATH double haul_math_cos_kernel(haul_math_pair r) {
    const double z = r.hi * r.hi;
    double p = 0x1.ab709d401a546p-45;
    p = __builtin_fma(p, z, -0x1.9394acda24362p-37);
    p = __builtin_fma(p, z, 0x1.1eed8de33958dp-29);
    p = __builtin_fma(p, z, -0x1.27e4fb770dfeap-22);
    p = __builtin_fma(p, z, 0x1.a01a01a019ce2p-16);
    p = __builtin_fma(p, z, -0x1.6c16c16c16c16p-10);
    p = __builtin_fma(p, z, 0x1.5555555555555p-5);
    const double half = 0.5 * z, main = 1.0 - half;
    return main + (((1.0 - main) - half) + __builtin_fma(z * z, p, -r.hi * r.lo));
}

HAUL_MATH void haul_math_sincos_reduced(haul_math_pair r, int quadrant, double *sine, double *cosine) {
    const double s = haul_math_sin_kernel(r), c = haul_math_cos_kernel(r);
    const double along = quadrant & 1 ? c : s, across = quadrant & 1 ? s : c;
    *sine = quadrant & 2 ? -along : along;
    *cosine = (quadrant + 1) & 2 ? -across : across;
}

HAUL_MATH void haul_math_sincos(double x, double *sine, double *cosine) {
    int quadrant;
    if (!(__builtin_fabs(x) < HAUL_MATH_INFINITY)) {
        *sine = *cosine = x - x;
        return;
    }
    const haul_math_pair r = haul_math_reduce(x, &quadrant);
    haul_math_sincos_reduced(r, quadrant, sine, cosine);
    if (x == 0.0) *sine = x;
}
HAUL_MATH double haul_math_sin(double x) {
    double s, c;
    haul_math_sincos(x, &s, &c);
    return s;
}
HAUL_MATH double haul_math_cos(double x) {
    double s, c;
    haul_math_sincos(x, &s, &c);
    return c;
}
HAUL_MATH double haul_math_tan(double x) {
    double s, c;
    haul_math_sincos(x, &s, &c);
    return s / c;
}

/* Sine and cosine of pi x, exact at multiples of a half. */
HAUL_MATH void haul_math_sincospi(double x, double *sine, double *cosine) {
    if (!(__builtin_fabs(x) < HAUL_MATH_INFINITY)) {
        *sine = *cosine = x - x;
        return;
    }
    const double y = __builtin_fabs(x) < 0x1p60 ? x : 0.0; /* beyond that every number is an even integer */
    const double k = __builtin_rint(2.0 * y), f = __builtin_fma(-0.5, k, y);
    haul_math_pair r = haul_math_product(f, 2.0 * HAUL_PI_2);
    r.lo = __builtin_fma(f, 2.0 * HAUL_PI_2_TAIL, r.lo);
    haul_math_sincos_reduced(haul_math_fast_sum(r.hi, r.lo), (int)((long long)k & 3), sine, cosine);
    if (f == 0.0 && *sine == 0.0) *sine = __builtin_copysign(0.0, x);
}
HAUL_MATH double haul_math_sinpi(double x) {
    double s, c;
    haul_math_sincospi(x, &s, &c);
    return s;
}
HAUL_MATH double haul_math_cospi(double x) {
    double s, c;
    haul_math_sincospi(x, &s, &c);
    return c;
}

/* asin(x) - x for |x| <= 1/2. */
HAUL_MATH double haul_math_asin_kernel(double x, double z) {
    double p = 0x1.d78189767524ep-6;
    p = __builtin_fma(p, z, -0x1.e7a24f548c99fp-7);
    p = __builtin_fma(p, z, 0x1.1d661531b222ep-6);
    p = __builtin_fma(p, z, 0x1.653a8f8cfd43cp-8);
    p = __builtin_fma(p, z, 0x1.524ea8b3aad31p-7);
    p = __builtin_fma(p, z, 0x1.78246f32d075cp-7);
    p = __builtin_fma(p, z, 0x1.c9cf3759fd8ffp-7);
    p = __builtin_fma(p, z, 0x1.1c4d343fa57f6p-6);
    p = __builtin_fma(p, z, 0x1.6e8bb1d89492bp-6);
    p = __builtin_fma(p, z, 0x1.f1c71c1d4aa0dp-6);
    p = __builtin_fma(p, z, 0x1.6db6db6e3292ep-5);
    p = __builtin_fma(p, z, 0x1.3333333332ec4p-4);
    p = __builtin_fma(p, z, 0x1.5555555555556p-3);
    return x * z * p;
}
HAUL_MATH double haul_math_asin(double x) {
    const double a = __builtin_fabs(x);
    if (!(a <= 1.0)) return HAUL_MATH_NAN;
    if (a <= 0.5) return x + haul_math_asin_kernel(x, x * x);
    const double z = 0.5 * (1.0 - a), s = __builtin_sqrt(z);
    const double s_tail = s > 0.0 ? __builtin_fma(-s, s, z) / (2.0 * s) : 0.0;
    const double tail = HAUL_PI_2_TAIL - 2.0 * (haul_math_asin_kernel(s, z) + s_tail);
    const haul_math_pair sum = haul_math_fast_sum(HAUL_PI_2, -2.0 * s);
    return __builtin_copysign(sum.hi + (sum.lo + tail), x);
}
HAUL_MATH double haul_math_acos(double x) {
    const double a = __builtin_fabs(x);
    if (!(a <= 1.0)) return HAUL_MATH_NAN;
    if (a <= 0.5) {
        const haul_math_pair sum = haul_math_fast_sum(HAUL_PI_2, -x);
        return sum.hi + (sum.lo + (HAUL_PI_2_TAIL - haul_math_asin_kernel(x, x * x)));
    }
    const double z = 0.5 * (1.0 - a), s = __builtin_sqrt(z);
    const double s_tail = s > 0.0 ? __builtin_fma(-s, s, z) / (2.0 * s) : 0.0;
    const double tail = 2.0 * (haul_math_asin_kernel(s, z) + s_tail);
    if (x > 0.0) return 2.0 * s + tail;
    const haul_math_pair sum = haul_math_fast_sum(2.0 * HAUL_PI_2, -2.0 * s);
    return sum.hi + (sum.lo + (2.0 * HAUL_PI_2_TAIL - tail));
}

/* atan(y / x) for y, x >= 0, not both zero or infinite. */
HAUL_MATH double haul_math_atan_quadrant(double y, double x) {
    const int steep = y > x;
    double n = steep ? x : y, d = steep ? y : x;
    double base = 0.0, base_tail = 0.0;
    haul_math_pair above = {n, 0.0}, below = {d, 0.0};
    if (n > 0x1.a827999fcef32p-2 * d) { /* tan(pi / 8): turn by pi / 4 */
        above = haul_math_sum(n, -d);
        below = haul_math_sum(n, d);
        base = 0.5 * HAUL_PI_2;
        base_tail = 0.5 * HAUL_PI_2_TAIL;
    }
    const double t = above.hi / below.hi;
    const double t_tail =
        below.hi < 0x1p-960 ? 0.0 : (__builtin_fma(-t, below.hi, above.hi) + (above.lo - t * below.lo)) / below.hi;
    const double z = t * t;
    double p = 0x1.0a997ba33c1dbp-6;
    p = __builtin_fma(p, z, -0x1.1b1992aa413c9p-5);
    p = __builtin_fma(p, z, 0x1.74d3a7b43351ap-5);
    p = __builtin_fma(p, z, -0x1.ac7858539e493p-5);
    p = __builtin_fma(p, z, 0x1.e199c62156609p-5);
    p = __builtin_fma(p, z, -0x1.110e84aa36d9dp-4);
    p = __builtin_fma(p, z, 0x1.3b1392a9c2d8bp-4);
    p = __builtin_fma(p, z, -0x1.745d165c497f3p-4);
    p = __builtin_fma(p, z, 0x1.c71c71c2fc236p-4);
    p = __builtin_fma(p, z, -0x1.249249248d739p-3);
    p = __builtin_fma(p, z, 0x1.9999999999952p-3);
    p = __builtin_fma(p, z, -0x1.5555555555555p-2);
    double tail = __builtin_fma(t * z, p, t_tail) + base_tail;
    haul_math_pair sum = haul_math_fast_sum(base, t);
    tail += sum.lo;
    if (!steep) return sum.hi + tail;
    const haul_math_pair rest = haul_math_fast_sum(HAUL_PI_2, -sum.hi);
    return rest.hi + (rest.lo + (HAUL_PI_2_TAIL - tail));
}
HAUL_MATH double haul_math_atan(double x) {
    const double a = __builtin_fabs(x);
    if (x != x || a < 0x1p-30) return x;
    if (a > 0x1p60) return __builtin_copysign(HAUL_PI_2, x);
    return __builtin_copysign(haul_math_atan_quadrant(a, 1.0), x);
}
HAUL_MATH double haul_math_atan2(double y, double x) {
    if (x != x || y != y) return x + y;
    double a = __builtin_fabs(y), b = __builtin_fabs(x), angle;
    if (a == HAUL_MATH_INFINITY && b == HAUL_MATH_INFINITY) a = b = 1.0;
    if (__builtin_fmax(a, b) > 0x1p1000 && __builtin_fmax(a, b) < HAUL_MATH_INFINITY) a *= 0x1p-60, b *= 0x1p-60;
    if (__builtin_fmax(a, b) < 0x1p-900) a *= 0x1p100, b *= 0x1p100;
    if (a == 0.0)
        angle = 0.0;
    else if (b == 0.0 || a == HAUL_MATH_INFINITY)
        angle = HAUL_PI_2;
    else if (b == HAUL_MATH_INFINITY)
        angle = 0.0;
    else
        angle = haul_math_atan_quadrant(a, b);
    if (haul_math_bits(x) >> 63) {
        const haul_math_pair sum = haul_math_fast_sum(2.0 * HAUL_PI_2, -angle);
        angle = sum.hi + (sum.lo + 2.0 * HAUL_PI_2_TAIL);
    }
    return __builtin_copysign(angle, y);
}

/* --- hyperbolic functions ------------------------------------------------------------------------------------------
 */

HAUL_MATH double haul_math_sinh(double x) {
    const double a = __builtin_fabs(x);
    if (a < 0x1p-28) return x;
    double y;
    if (a < 20.0) {
        const double e = haul_math_expm1(a);
        y = 0.5 * (e + e / (e + 1.0));
    } else if (a < 709.0) {
        y = 0.5 * haul_math_exp(a);
    } else {
        const double root = haul_math_exp(0.5 * a);
        y = 0.5 * root * root;
    }
    return __builtin_copysign(y, x);
}
HAUL_MATH double haul_math_cosh(double x) {
    const double a = __builtin_fabs(x);
    if (a < 709.0) {
        const double e = haul_math_exp(a);
        return 0.5 * e + 0.5 / e;
    }
    const double root = haul_math_exp(0.5 * a);
    return 0.5 * root * root;
}
HAUL_MATH double haul_math_tanh(double x) {
    const double a = __builtin_fabs(x);
    if (a < 0x1p-28) return x;
    if (a > 20.0) return __builtin_copysign(1.0, x);
    const double e = haul_math_expm1(2.0 * a);
    return x != x ? x : __builtin_copysign(a > 1.0 ? 1.0 - 2.0 / (e + 2.0) : e / (e + 2.0), x);
}
HAUL_MATH double haul_math_asinh(double x) {
    const double a = __builtin_fabs(x);
    if (a < 0x1p-28 || !(a < HAUL_MATH_INFINITY)) return x;
    const double y = a > 0x1p28 ? haul_math_log(a) + HAUL_LN2
                                : haul_math_log1p(a + a * a / (1.0 + __builtin_sqrt(__builtin_fma(a, a, 1.0))));
    return __builtin_copysign(y, x);
}
HAUL_MATH double haul_math_acosh(double x) {
    if (!(x >= 1.0)) return HAUL_MATH_NAN;
    if (x > 0x1p28) return haul_math_log(x) + HAUL_LN2;
    const double t = x - 1.0;
    return haul_math_log1p(t + __builtin_sqrt(__builtin_fma(t, t, 2.0 * t)));
}
HAUL_MATH double haul_math_atanh(double x) {
    const double a = __builtin_fabs(x);
    if (a < 0x1p-28) return x;
    return __builtin_copysign(0.5 * haul_math_log1p(2.0 * a / (1.0 - a)), x);
}

#endif
