/* Transcendental functions in double precision, in plain C on top of fused multiply-add, division and square root, so
 * that a host compiler can build and test them as well. The includer defines HAUL_MATH, how a function is declared.
 *
 * Polynomials interpolate at the Chebyshev nodes of the reduced range, computed with 300 bits and rounded once; where
 * a result would lose bits, values are carried as an unevaluated sum of two doubles. Measured errors stand in
 * tests/toolchain/test_math.c, which also holds the special cases. */
#ifndef HAUL_TOOLCHAIN_MATH_DOUBLE_H
#define HAUL_TOOLCHAIN_MATH_DOUBLE_H

typedef struct haul_math_pair {
    double hi, lo;
} haul_math_pair;

/* How a large function is declared that few arguments need. */
#ifndef HAUL_MATH_RARE
#define HAUL_MATH_RARE HAUL_MATH
#endif

#define HAUL_MATH_INFINITY __builtin_inf()
#define HAUL_MATH_NAN __builtin_nan("")
#define HAUL_LN2_HI 0x1.62e42ffp-1 /* 28 bits: a product with an exponent is exact */
#define HAUL_LN2_LO -0x1.718432a1b0e26p-35
#define HAUL_LN2 0x1.62e42fefa39efp-1
#define HAUL_LN2_TAIL 0x1.abc9e3b39803fp-56
#define HAUL_PI_2 0x1.921fb54442d18p+0
#define HAUL_PI_2_TAIL 0x1.1a62633145c07p-54

/* --- pieces -------------------------------------------------------------------------------------------------------- */

HAUL_MATH unsigned long long haul_math_bits(double x) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}
HAUL_MATH double haul_math_real(unsigned long long bits) {
    double x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}

/* a + b exactly, for |a| >= |b|; for any a and b; a * b exactly. */
HAUL_MATH haul_math_pair haul_math_fast_sum(double a, double b) {
    haul_math_pair r;
    r.hi = a + b;
    r.lo = b - (r.hi - a);
    return r;
}
HAUL_MATH haul_math_pair haul_math_sum(double a, double b) {
    haul_math_pair r;
    r.hi = a + b;
    const double part = r.hi - a;
    r.lo = (a - (r.hi - part)) + (b - part);
    return r;
}
HAUL_MATH haul_math_pair haul_math_product(double a, double b) {
    haul_math_pair r;
    r.hi = a * b;
    r.lo = __builtin_fma(a, b, -r.hi);
    return r;
}

/* 2^k for k from -1022 to 1023. */
HAUL_MATH double haul_math_power_of_2(int k) {
    return haul_math_real((unsigned long long)(k + 1023) << 52);
}

HAUL_MATH double haul_math_ldexp(double x, int k) {
    k = k > 2200 ? 2200 : k < -2200 ? -2200 : k;
    const int third = k / 3; /* each factor is a normal number, and only the last multiplication may round */
    const double scaled = x * haul_math_power_of_2(third);
    if (k < 0 && k > -1022) return x * haul_math_power_of_2(k);
    return scaled * haul_math_power_of_2(third) * haul_math_power_of_2(k - 2 * third);
}

HAUL_MATH double haul_math_frexp(double x, int *exponent) {
    unsigned long long bits = haul_math_bits(x);
    int e = (int)(bits >> 52 & 0x7ff), shift = 1022;
    *exponent = 0;
    if (e == 0x7ff || x == 0) return x;
    if (e == 0) {
        bits = haul_math_bits(x * 0x1p54);
        e = (int)(bits >> 52 & 0x7ff);
        shift += 54;
    }
    *exponent = e - shift;
    return haul_math_real((bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}

/* --- remainders and neighbours ------------------------------------------------------------------------------------- */

/* |x| mod |y| by long division on the significands, with the quotient's low bits. */
HAUL_MATH double haul_math_modulo(double x, double y, unsigned int *quotient) {
    int ex, ey;
    double r = haul_math_frexp(__builtin_fabs(x), &ex);
    const double d = haul_math_frexp(__builtin_fabs(y), &ey);
    *quotient = 0;
    if (__builtin_fabs(x) < __builtin_fabs(y)) return __builtin_fabs(x);
    for (int i = ex - ey;; i--) {
        const int fits = r >= d;
        *quotient = *quotient << 1 | (unsigned int)fits;
        r = fits ? r - d : r;
        if (i == 0) return haul_math_ldexp(r, ey);
        r += r;
    }
}
HAUL_MATH int haul_math_no_remainder(double x, double y) {
    return y == 0.0 || y != y || !(__builtin_fabs(x) < HAUL_MATH_INFINITY);
}
HAUL_MATH double haul_math_fmod(double x, double y) {
    unsigned int quotient;
    if (haul_math_no_remainder(x, y)) return HAUL_MATH_NAN;
    if (__builtin_fabs(y) == HAUL_MATH_INFINITY) return x;
    return __builtin_copysign(haul_math_modulo(x, y, &quotient), x);
}
HAUL_MATH double haul_math_remquo(double x, double y, int *quotient) {
    unsigned int q = 0;
    *quotient = 0;
    if (haul_math_no_remainder(x, y)) return HAUL_MATH_NAN;
    if (__builtin_fabs(y) == HAUL_MATH_INFINITY) return x;
    const double d = __builtin_fabs(y);
    double r = haul_math_modulo(x, y, &q);
    const double rest = d - r; /* to the next multiple: rounded, but compared with r only where it is exact */
    if (r > rest || (r == rest && (q & 1))) {
        r = -rest;
        q++;
    }
    *quotient = (x < 0) != (y < 0) ? -(int)(q & 0x7fffffff) : (int)(q & 0x7fffffff);
    return r == 0.0 ? __builtin_copysign(0.0, x) : x < 0 ? -r : r;
}
HAUL_MATH double haul_math_remainder(double x, double y) {
    int quotient;
    return haul_math_remquo(x, y, &quotient);
}
HAUL_MATH double haul_math_nextafter(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0.0) return __builtin_copysign(0x1p-1074, y);
    return haul_math_real(haul_math_bits(x) + ((x < y) == (x > 0.0) ? 1ull : ~0ull));
}
HAUL_MATH int haul_math_ilogb(double x) {
    int e;
    if (x == 0.0 || x != x) return -2147483647 - 1;
    if (__builtin_fabs(x) == HAUL_MATH_INFINITY) return 2147483647;
    haul_math_frexp(x, &e);
    return e - 1;
}

/* --- exponentials -------------------------------------------------------------------------------------------------- */

/* exp(r) - 1 for |r| <= ln(2) / 2, r given as a sum. */
HAUL_MATH haul_math_pair haul_math_exp_kernel(haul_math_pair r) {
    double p = 0x1.61c2c1ba3877dp-33;
    p = __builtin_fma(p, r.hi, 0x1.1f820dbf5e732p-29);
    p = __builtin_fma(p, r.hi, 0x1.ae642ad2afd38p-26);
    p = __builtin_fma(p, r.hi, 0x1.27e4d2841fc93p-22);
    p = __builtin_fma(p, r.hi, 0x1.71de3a5af94e9p-19);
    p = __builtin_fma(p, r.hi, 0x1.a01a01aa828e2p-16);
    p = __builtin_fma(p, r.hi, 0x1.a01a01a0195e6p-13);
    p = __builtin_fma(p, r.hi, 0x1.6c16c16c158f5p-10);
    p = __builtin_fma(p, r.hi, 0x1.1111111111111p-7);
    p = __builtin_fma(p, r.hi, 0x1.5555555555557p-5);
    p = __builtin_fma(p, r.hi, 0x1.5555555555555p-3);
    p = __builtin_fma(p, r.hi, 0x1p-1);
    const double tail = __builtin_fma(r.hi * r.hi, p, __builtin_fma(r.hi, r.lo, r.lo));
    return haul_math_fast_sum(r.hi, tail);
}

/* 2^k * exp(r), with the right thing at both ends of the range. */
HAUL_MATH double haul_math_exp_finish(double k, haul_math_pair r) {
    const haul_math_pair e = haul_math_exp_kernel(r);
    const haul_math_pair sum = haul_math_fast_sum(1.0, e.hi);
    const double y = sum.hi + (sum.lo + e.lo);
    return haul_math_ldexp(y, (int)k);
}

HAUL_MATH double haul_math_exp_pair(double x, double tail) {
    if (!(x < 800.0)) return x != x ? x : HAUL_MATH_INFINITY;
    if (x < -800.0) return 0.0;
    const double k = __builtin_rint(x * 0x1.71547652b82fep+0);
    const double high = __builtin_fma(-k, HAUL_LN2_HI, x);
    return haul_math_exp_finish(k, haul_math_sum(high, __builtin_fma(-k, HAUL_LN2_LO, tail)));
}
HAUL_MATH double haul_math_exp(double x) {
    return haul_math_exp_pair(x, 0.0);
}

HAUL_MATH double haul_math_exp2(double x) {
    if (!(x < 1100.0)) return x != x ? x : HAUL_MATH_INFINITY;
    if (x < -1100.0) return 0.0;
    const double k = __builtin_rint(x), f = x - k;
    haul_math_pair r = haul_math_product(f, HAUL_LN2);
    r.lo = __builtin_fma(f, HAUL_LN2_TAIL, r.lo);
    return haul_math_exp_finish(k, r);
}

HAUL_MATH double haul_math_exp10(double x) {
    if (!(x < 310.0)) return x != x ? x : HAUL_MATH_INFINITY;
    if (x < -330.0) return 0.0;
    const double k = __builtin_rint(x * 0x1.a934f0979a371p+1);
    const haul_math_pair f = haul_math_sum(__builtin_fma(-k, 0x1.3441350ap-2, x), k * 0x1.0c0219dc1da99p-39);
    haul_math_pair r = haul_math_product(f.hi, 0x1.26bb1bbb55516p+1);
    r.lo += __builtin_fma(f.hi, -0x1.f48ad494ea3e9p-53, f.lo * 0x1.26bb1bbb55516p+1);
    return haul_math_exp_finish(k, r);
}

HAUL_MATH double haul_math_expm1(double x) {
    if (!(x < 40.0)) return haul_math_exp(x);
    if (x < -40.0) return -1.0;
    if (x == 0.0) return x;
    const double k = __builtin_rint(x * 0x1.71547652b82fep+0);
    const double high = __builtin_fma(-k, HAUL_LN2_HI, x);
    const haul_math_pair e = haul_math_exp_kernel(haul_math_sum(high, k * -HAUL_LN2_LO));
    const double scale = haul_math_power_of_2((int)k);
    const haul_math_pair sum = haul_math_sum(scale - 1.0, scale * e.hi);
    return sum.hi + __builtin_fma(scale, e.lo, sum.lo);
}

/* --- logarithms ---------------------------------------------------------------------------------------------------- */

/* The logarithm of 2^e * (1 + f), f from 1/sqrt(2) - 1 to sqrt(2) - 1 given as a sum: 2 atanh(f / (2 + f)), good to
 * about 2^-65 of the result. */
HAUL_MATH haul_math_pair haul_math_log_kernel(double e, haul_math_pair f) {
    const haul_math_pair d = haul_math_fast_sum(2.0, f.hi);
    const double inverse = 1.0 / d.hi, s = f.hi * inverse;
    const double rest = __builtin_fma(-s, d.hi, f.hi) - s * (d.lo + f.lo) + f.lo;
    const double s_tail = rest * inverse;
    const double z = s * s;
    double p = 0x1.e040ef6d0ea22p-4;
    p = __builtin_fma(p, z, 0x1.df7b03bbfc5c4p-4);
    p = __builtin_fma(p, z, 0x1.1118d05c4c72cp-3);
    p = __builtin_fma(p, z, 0x1.3b1395aa36ffcp-3);
    p = __builtin_fma(p, z, 0x1.745d177af5a52p-3);
    p = __builtin_fma(p, z, 0x1.c71c71c6ea34fp-3);
    p = __builtin_fma(p, z, 0x1.2492492492523p-2);
    p = __builtin_fma(p, z, 0x1.999999999999ap-2);
    const double z_tail = __builtin_fma(s, s, -z) + 2.0 * s * s_tail;
    /* 2 s (1 + z / 3 + z^2 p / 2): the middle term keeps its tail */
    const haul_math_pair third = haul_math_product(z, 0x1.5555555555555p-1);
    const double third_tail = __builtin_fma(z, 0x1.5555555555555p-55, third.lo) + z_tail * 0x1.5555555555555p-1;
    const haul_math_pair factor = haul_math_fast_sum(third.hi, __builtin_fma(z * z, p, third_tail));
    const haul_math_pair bend = haul_math_product(s, factor.hi);
    const double bend_tail = __builtin_fma(s, factor.lo, __builtin_fma(s_tail, factor.hi, bend.lo));
    haul_math_pair sum = haul_math_fast_sum(2.0 * s, bend.hi);
    sum.lo += bend_tail + 2.0 * s_tail;
    const haul_math_pair whole = haul_math_sum(e * HAUL_LN2_HI, sum.hi);
    return haul_math_fast_sum(whole.hi, whole.lo + __builtin_fma(e, HAUL_LN2_LO, sum.lo));
}

/* The logarithm of a positive, finite x + tail. */
HAUL_MATH haul_math_pair haul_math_log_pair(double x, double tail) {
    double scale = 0.0;
    if (x < 0x1p-1000) {
        x *= 0x1p54;
        tail *= 0x1p54;
        scale = -54.0;
    }
    const unsigned long long bits = haul_math_bits(x);
    const int e = (int)((bits - 0x3fe6a09e667f3bcdull) >> 52) << 20 >> 20; /* of sqrt(1/2) */
    const double down = haul_math_power_of_2(-e / 2), m = x * down * haul_math_power_of_2(-e - -e / 2);
    haul_math_pair f;
    f.hi = m - 1.0;
    f.lo = tail * down * haul_math_power_of_2(-e - -e / 2);
    return haul_math_log_kernel((double)e + scale, f);
}

/* What every logarithm answers where there is none; 1 if it set *result. */
HAUL_MATH int haul_math_log_special(double x, double *result) {
    if (x > 0.0 && x < HAUL_MATH_INFINITY) return 0;
    *result = x == 0.0 ? -HAUL_MATH_INFINITY : x < 0.0 ? HAUL_MATH_NAN : x;
    return 1;
}

HAUL_MATH double haul_math_log(double x) {
    double special;
    if (haul_math_log_special(x, &special)) return special;
    return haul_math_log_pair(x, 0.0).hi;
}

HAUL_MATH double haul_math_log_scaled(double x, double factor, double factor_tail) {
    double special;
    if (haul_math_log_special(x, &special)) return special;
    const haul_math_pair l = haul_math_log_pair(x, 0.0);
    const haul_math_pair y = haul_math_product(l.hi, factor);
    return y.hi + (y.lo + __builtin_fma(l.hi, factor_tail, l.lo * factor));
}
HAUL_MATH double haul_math_log2(double x) {
    return haul_math_log_scaled(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
HAUL_MATH double haul_math_log10(double x) {
    return haul_math_log_scaled(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}

HAUL_MATH double haul_math_log1p(double x) {
    if (!(x > -1.0 && x < HAUL_MATH_INFINITY)) return x == -1.0 ? -HAUL_MATH_INFINITY : x < -1.0 ? HAUL_MATH_NAN : x;
    if (__builtin_fabs(x) < 0x1p-54) return x;
    if (x > -0.25 && x < 0.375) {
        haul_math_pair f = {x, 0.0};
        return haul_math_log_kernel(0.0, f).hi;
    }
    const haul_math_pair u = haul_math_sum(1.0, x);
    return haul_math_log_pair(u.hi, u.lo).hi;
}

HAUL_MATH double haul_math_logb(double x) {
    int e;
    if (x == 0.0) return -HAUL_MATH_INFINITY;
    if (!(__builtin_fabs(x) < HAUL_MATH_INFINITY)) return x * x;
    haul_math_frexp(x, &e);
    return (double)(e - 1);
}

/* --- powers -------------------------------------------------------------------------------------------------------- */

/* 0: y is no integer; 1: odd; 2: even. */
HAUL_MATH int haul_math_parity(double y) {
    const double magnitude = __builtin_fabs(y);
    if (magnitude >= 0x1p53) return 2;
    if (__builtin_trunc(y) != y) return 0;
    return (long long)magnitude & 1 ? 1 : 2;
}

HAUL_MATH double haul_math_pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return x + y;
    const double magnitude = __builtin_fabs(x);
    const int parity = haul_math_parity(y);
    const double sign = parity == 1 ? __builtin_copysign(1.0, x) : 1.0;
    if (__builtin_fabs(y) == HAUL_MATH_INFINITY) {
        if (magnitude == 1.0) return 1.0;
        return (magnitude > 1.0) == (y > 0.0) ? HAUL_MATH_INFINITY : 0.0;
    }
    if (magnitude == 0.0 || magnitude == HAUL_MATH_INFINITY)
        return sign * ((magnitude == 0.0) == (y > 0.0) ? 0.0 : HAUL_MATH_INFINITY);
    if (x < 0.0 && parity == 0) return HAUL_MATH_NAN;
    const haul_math_pair l = haul_math_log_pair(magnitude, 0.0);
    if (__builtin_fabs(y) > 0x1p70) return sign * ((l.hi > 0.0) == (y > 0.0) ? HAUL_MATH_INFINITY : 0.0);
    const haul_math_pair t = haul_math_product(l.hi, y);
    return sign * haul_math_exp_pair(t.hi, __builtin_fma(l.lo, y, t.lo));
}

HAUL_MATH double haul_math_cbrt(double x) {
    int e;
    if (x == 0.0 || !(__builtin_fabs(x) < HAUL_MATH_INFINITY)) return x + x;
    const double m = haul_math_frexp(__builtin_fabs(x), &e);
    const int third = (e + 3000) / 3 - 1000;
    const double a = haul_math_ldexp(m, e - 3 * third); /* from 1/2 to 4 */
    const haul_math_pair l = haul_math_log_pair(a, 0.0);
    const double r = haul_math_exp(l.hi * (1.0 / 3.0));
    /* One Newton step whose residue is computed exactly enough rounds the result. */
    const haul_math_pair square = haul_math_product(r, r);
    const haul_math_pair cube = haul_math_product(square.hi, r);
    const double residue = (cube.hi - a) + __builtin_fma(square.lo, r, cube.lo);
    return __builtin_copysign(haul_math_ldexp(r - residue / (3.0 * square.hi), third), x);
}

HAUL_MATH double haul_math_rcbrt(double x) {
    return 1.0 / haul_math_cbrt(x);
}

/* The square root of the sum of n <= 4 squares, scaled against overflow and underflow. */
HAUL_MATH double haul_math_norm(double a, double b, double c, double d) {
    a = __builtin_fabs(a), b = __builtin_fabs(b), c = __builtin_fabs(c), d = __builtin_fabs(d);
    if (a == HAUL_MATH_INFINITY || b == HAUL_MATH_INFINITY || c == HAUL_MATH_INFINITY || d == HAUL_MATH_INFINITY)
        return HAUL_MATH_INFINITY;
    const double largest = __builtin_fmax(__builtin_fmax(a, b), __builtin_fmax(c, d));
    if (!(largest > 0.0)) return a + b + c + d;
    int e;
    haul_math_frexp(largest, &e);
    a = haul_math_ldexp(a, -e), b = haul_math_ldexp(b, -e), c = haul_math_ldexp(c, -e), d = haul_math_ldexp(d, -e);
    const haul_math_pair p = haul_math_product(a, a), q = haul_math_product(b, b);
    const haul_math_pair sum = haul_math_sum(p.hi, q.hi);
    const double tail = sum.lo + (p.lo + q.lo) + __builtin_fma(c, c, d * d);
    const double square = sum.hi + tail, root = __builtin_sqrt(square);
    const double residue = __builtin_fma(-root, root, sum.hi) + tail;
    return haul_math_ldexp(root + residue / (2.0 * root), e);
}
HAUL_MATH double haul_math_hypot(double x, double y) {
    return haul_math_norm(x, y, 0.0, 0.0);
}
HAUL_MATH double haul_math_rhypot(double x, double y) {
    return 1.0 / haul_math_hypot(x, y);
}

/* --- trigonometry -------------------------------------------------------------------------------------------------- */

/* The bits of 2 / pi: a word of zeros before the binary point, then those after it. */
#ifndef HAUL_MATH_TABLE
#define HAUL_MATH_TABLE static const
#endif
HAUL_MATH_TABLE unsigned int haul_math_two_over_pi[41] = {
    0,
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
    0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
    0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
    0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du
};

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
    haul_math_pair f = haul_math_fast_sum((double)cut * 0x1p-62, (double)(whole - cut) * 0x1p-62 + (double)next * 0x1p-126);
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

/* --- hyperbolic functions ------------------------------------------------------------------------------------------ */

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

/* --- error function, gamma function -------------------------------------------------------------------------------- */

/* exp(-x * x) with the square's tail. */
HAUL_MATH double haul_math_gauss(double x) {
    const haul_math_pair square = haul_math_product(x, x);
    return haul_math_exp_pair(-square.hi, square.hi < 1e4 ? -square.lo : 0.0);
}

/* 1 - u + 3 u^2 - 15 u^3 + ... */
HAUL_MATH double haul_math_erfcx_series(double u) {
    double sum = 1.0;
    for (int odd = 13; odd > 0; odd -= 2)
        sum = 1.0 - odd * u * sum;
    return sum;
}

/* exp(x^2) erfc(x) for x from 1/2 on, as a polynomial in (x - 4) / (x + 4), and its asymptotic series. */
HAUL_MATH double haul_math_erfcx_positive(double x) {
    if (x > 28.0) {
        return 0x1.20dd750429b6dp-1 / x * haul_math_erfcx_series(0.5 / (x * x));
    }
    const double t = (x - 4.0) / (x + 4.0);
    double p = 0x1.d86f3fb29a238p-30;
    p = __builtin_fma(p, t, -0x1.474b8eec55223p-27);
    p = __builtin_fma(p, t, -0x1.2da56e683b7c1p-26);
    p = __builtin_fma(p, t, 0x1.b9d935eaacab5p-24);
    p = __builtin_fma(p, t, 0x1.3e9d73c32f4fep-24);
    p = __builtin_fma(p, t, -0x1.b7b4f1ced6b7ap-21);
    p = __builtin_fma(p, t, 0x1.3bcef923594b7p-22);
    p = __builtin_fma(p, t, 0x1.7eeec095a1a5dp-18);
    p = __builtin_fma(p, t, -0x1.788da395cc85p-17);
    p = __builtin_fma(p, t, -0x1.99542fb97f6a6p-16);
    p = __builtin_fma(p, t, 0x1.3be06aa34096ep-13);
    p = __builtin_fma(p, t, -0x1.a1df4acfd751cp-13);
    p = __builtin_fma(p, t, -0x1.8d4a9c2d60361p-11);
    p = __builtin_fma(p, t, 0x1.49c672b267dadp-8);
    p = __builtin_fma(p, t, -0x1.09623882d3cbcp-6);
    p = __builtin_fma(p, t, 0x1.3079edf602689p-5);
    p = __builtin_fma(p, t, -0x1.0fb06dfe53851p-4);
    p = __builtin_fma(p, t, 0x1.7fee004e1591cp-4);
    p = __builtin_fma(p, t, -0x1.9ddb23c3e8ae5p-4);
    p = __builtin_fma(p, t, 0x1.16ecefcfa525fp-4);
    p = __builtin_fma(p, t, 0x1.f7f5df66fd711p-7);
    p = __builtin_fma(p, t, -0x1.1df1ad154a28dp-3);
    p = __builtin_fma(p, t, 0x1.3ba5916e9fd7fp+0);
    return p / (1.0 + 2.0 * x);
}
HAUL_MATH double haul_math_erf(double x) {
    const double a = __builtin_fabs(x);
    if (!(a > 0.75)) {
        const double z = x * x;
    double p = 0x1.e14aa1a8a3308p-35;
    p = __builtin_fma(p, z, -0x1.18274df4ab752p-30);
    p = __builtin_fma(p, z, 0x1.bf64d5706e634p-27);
    p = __builtin_fma(p, z, -0x1.37438331337bap-23);
    p = __builtin_fma(p, z, 0x1.879bf086df95cp-20);
    p = __builtin_fma(p, z, -0x1.bbd742eaf3462p-17);
    p = __builtin_fma(p, z, 0x1.c01bffe1bdedep-14);
    p = __builtin_fma(p, z, -0x1.8d3018c88bf15p-11);
    p = __builtin_fma(p, z, 0x1.2f684bd9f05f2p-8);
    p = __builtin_fma(p, z, -0x1.8618618617eb3p-6);
    p = __builtin_fma(p, z, 0x1.999999999999p-4);
    p = __builtin_fma(p, z, -0x1.5555555555555p-2);
        const double scaled = x * 0x1.20dd750429b6dp+0;
        return scaled + scaled * z * p;
    }
    if (a > 6.0) return __builtin_copysign(1.0, x);
    return __builtin_copysign(1.0 - haul_math_gauss(a) * haul_math_erfcx_positive(a), x);
}
HAUL_MATH double haul_math_erfc(double x) {
    if (x != x) return x;
    if (x < 0.5) return 1.0 - haul_math_erf(x);
    if (x > 27.5) return 0.0;
    return haul_math_gauss(x) * haul_math_erfcx_positive(x);
}
HAUL_MATH double haul_math_erfcx(double x) {
    if (x < 0.5) return haul_math_erfc(x) / haul_math_gauss(x);
    return x == HAUL_MATH_INFINITY ? 0.0 : haul_math_erfcx_positive(x);
}
HAUL_MATH double haul_math_normcdf(double x) {
    return 0.5 * haul_math_erfc(x * -0x1.6a09e667f3bcdp-1);
}

/* x with erfc(x) = y: a starting value from the tail's leading term, then Halley's method. */
HAUL_MATH double haul_math_erfcinv(double y) {
    if (!(y >= 0.0 && y <= 2.0)) return HAUL_MATH_NAN;
    if (y == 0.0 || y == 2.0) return y == 0.0 ? HAUL_MATH_INFINITY : -HAUL_MATH_INFINITY;
    const double small = y > 1.0 ? 2.0 - y : y;
    const double t = __builtin_sqrt(-2.0 * haul_math_log(0.5 * small));
    double x = 0x1.6a09e667f3bcdp-1 * (t - (2.3 + 0.27 * t) / (1.0 + t * (0.99 + 0.045 * t)));
    for (int i = 0; i < 5; i++) {
        const double error = haul_math_erfc(x) - small;
        const double step = error / (0x1.20dd750429b6dp+0 * haul_math_gauss(x));
        x += step / (1.0 + x * step);
    }
    return y > 1.0 ? -x : x;
}
HAUL_MATH double haul_math_erfinv(double y) {
    if (!(__builtin_fabs(y) < 0.5)) return haul_math_erfcinv(1.0 - y);
    double x = y * 0x1.c5bf891b4ef6bp-1;
    for (int i = 0; i < 4; i++) {
        const double step = (haul_math_erf(x) - y) / (0x1.20dd750429b6dp+0 * haul_math_gauss(x));
        x -= step / (1.0 + x * step);
    }
    return y == 0.0 ? y : x;
}
HAUL_MATH double haul_math_normcdfinv(double y) {
    return -0x1.6a09e667f3bcdp+0 * haul_math_erfcinv(2.0 * y);
}

/* Stirling's series for log(gamma(x)) without its leading terms, x >= 12. */
HAUL_MATH double haul_math_stirling(double x) {
    const double u = 1.0 / x, z = u * u;
    double p = 1.0 / 156.0;
    p = __builtin_fma(p, -z, 691.0 / 360360.0);
    p = __builtin_fma(p, -z, 1.0 / 1188.0);
    p = __builtin_fma(p, -z, 1.0 / 1680.0);
    p = __builtin_fma(p, -z, 1.0 / 1260.0);
    p = __builtin_fma(p, -z, 1.0 / 360.0);
    p = __builtin_fma(p, -z, 1.0 / 12.0);
    return p * u;
}

/* log(gamma(1 + t)) for |t| <= 1/2. */
HAUL_MATH double haul_math_lgamma_near_1(double t) {
    double p = 0x1.e1bc7f83f879bp-3;
    p = __builtin_fma(p, t, -0x1.f05021eb174bcp-3);
    p = __builtin_fma(p, t, -0x1.8b1085f5d73dbp-3);
    p = __builtin_fma(p, t, 0x1.9600955c06814p-3);
    p = __builtin_fma(p, t, 0x1.5eae1dee97d1fp-3);
    p = __builtin_fma(p, t, -0x1.69b38cc0f7f81p-3);
    p = __builtin_fma(p, t, -0x1.ac72b6199b645p-8);
    p = __builtin_fma(p, t, 0x1.90c5938b71c8p-8);
    p = __builtin_fma(p, t, 0x1.d56726f7b7af6p-5);
    p = __builtin_fma(p, t, -0x1.e9ec552dee47p-5);
    p = __builtin_fma(p, t, 0x1.88db020dd6ab6p-5);
    p = __builtin_fma(p, t, -0x1.9def04eaa6748p-5);
    p = __builtin_fma(p, t, 0x1.c92bf6c6b8b65p-5);
    p = __builtin_fma(p, t, -0x1.e400fd2725e8cp-5);
    p = __builtin_fma(p, t, 0x1.ffd3d991aeaf2p-5);
    p = __builtin_fma(p, t, -0x1.10fb77ef157d6p-4);
    p = __builtin_fma(p, t, 0x1.24984ad623139p-4);
    p = __builtin_fma(p, t, -0x1.3b1f0cd3ce588p-4);
    p = __builtin_fma(p, t, 0x1.556ac6f1f9bd7p-4);
    p = __builtin_fma(p, t, -0x1.748c23618eca9p-4);
    p = __builtin_fma(p, t, 0x1.9a01e3f068e82p-4);
    p = __builtin_fma(p, t, -0x1.c80670daf52ep-4);
    p = __builtin_fma(p, t, 0x1.010b36aea6aap-3);
    p = __builtin_fma(p, t, -0x1.2703a1dc044b5p-3);
    p = __builtin_fma(p, t, 0x1.5b40cb100e1a4p-3);
    p = __builtin_fma(p, t, -0x1.a8b9c17aa80c7p-3);
    p = __builtin_fma(p, t, 0x1.151322ac7d83bp-2);
    p = __builtin_fma(p, t, -0x1.9a4d55beab2c9p-2);
    p = __builtin_fma(p, t, 0x1.a51a6625307d3p-1);
    p = __builtin_fma(p, t, -0x1.2788cfc6fb619p-1);
    return t * p;
}

/* gamma(x) for x > 0: Stirling from 12 on, below by recurrence from between 1/2 and 3/2. */
HAUL_MATH double haul_math_gamma_positive(double x) {
    if (x > 172.0) return HAUL_MATH_INFINITY;
    if (x < 12.0) {
        const double n = __builtin_rint(x), t = x - n;
        double y = haul_math_exp(haul_math_lgamma_near_1(t));
        if (n == 0.0) return y / t;
        for (double i = 1.0; i < n; i += 1.0)
            y *= t + i;
        return y;
    }
    const haul_math_pair l = haul_math_log_pair(x, 0.0);
    /* (x - 1/2) log x - x, kept as a sum because it is exponentiated, in two factors so that nothing overflows early */
    const haul_math_pair product = haul_math_product(l.hi, x - 0.5);
    const haul_math_pair sum = haul_math_sum(product.hi, -x);
    const double tail = sum.lo + product.lo + l.lo * (x - 0.5) + haul_math_stirling(x);
    const double root = haul_math_exp_pair(0.5 * sum.hi, 0.5 * tail);
    return root * 0x1.40d931ff62706p+1 * root;
}
HAUL_MATH double haul_math_gamma_reflected(double x) {
    return -2.0 * HAUL_PI_2 / (x * haul_math_sinpi(x) * haul_math_gamma_positive(-x));
}
HAUL_MATH double haul_math_tgamma(double x) {
    if (x != x || x == HAUL_MATH_INFINITY) return x;
    if (__builtin_fabs(x) < 0x1p-60) return 1.0 / x;
    if (x > 0.0) return haul_math_gamma_positive(x);
    if (__builtin_trunc(x) == x || x == -HAUL_MATH_INFINITY) return HAUL_MATH_NAN;
    if (x < -184.0) return 0.0 * haul_math_sinpi(x);
    if (x > -170.0) return haul_math_gamma_reflected(x);
    double y = haul_math_gamma_reflected(x + 14.0); /* gamma(-x) itself would overflow */
    for (int i = 13; i >= 0; i--)
        y /= x + (double)i;
    return y;
}

HAUL_MATH double haul_math_lgamma_positive(double x) {
    if (x < 0.5) return haul_math_lgamma_near_1(x) - haul_math_log(x);
    if (x < 1.5) return haul_math_lgamma_near_1(x - 1.0);
    if (x < 2.5) return haul_math_lgamma_near_1(x - 2.0) + haul_math_log1p(x - 2.0);
    if (x < 12.0) return haul_math_log(haul_math_gamma_positive(x));
    return __builtin_fma(x - 0.5, haul_math_log(x) - 1.0, 0x1.acfe390c97d69p-2) + haul_math_stirling(x);
}
HAUL_MATH double haul_math_lgamma(double x) {
    if (!(__builtin_fabs(x) < HAUL_MATH_INFINITY)) return x * x;
    if (x > 0.0) return haul_math_lgamma_positive(x);
    if (__builtin_trunc(x) == x) return HAUL_MATH_INFINITY;
    return haul_math_log(2.0 * HAUL_PI_2 / __builtin_fabs(x * haul_math_sinpi(x))) - haul_math_lgamma_positive(-x);
}

#undef HAUL_MATH_NAN

#endif
