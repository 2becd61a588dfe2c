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

/* Declares a large function that few arguments need. */
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

/* --- pieces --------------------------------------------------------------------------------------------------------
 */

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

/* --- remainders and neighbours -------------------------------------------------------------------------------------
 */

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

/* --- exponentials --------------------------------------------------------------------------------------------------
 */

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

/* --- logarithms ----------------------------------------------------------------------------------------------------
 */

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
    const int e = (int)((long long)(bits - 0x3fe6a09e667f3bcdull) >> 52); /* of sqrt(1/2) */
    const double down = haul_math_power_of_2(-e / 2), m = x * down * haul_math_power_of_2(-e - -e / 2);
    haul_math_pair f;
    f.hi = m - 1.0;
    f.lo = tail * down * haul_math_power_of_2(-e - -e / 2);
    return haul_math_log_kernel((double)e + scale, f);
}

/* Sets the result of every logarithm for arguments that have none. Returns 1 if it set *result. */
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

/* --- powers --------------------------------------------------------------------------------------------------------
 */

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

#endif
