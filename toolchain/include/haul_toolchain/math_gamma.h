/* Error and gamma functions in double precision; see math_double.h. */
#ifndef HAUL_TOOLCHAIN_MATH_GAMMA_H
#define HAUL_TOOLCHAIN_MATH_GAMMA_H

#include "math_circular.h"

/* --- error function, gamma function --------------------------------------------------------------------------------
 */

/* exp(-x * x) with the square's tail. */
HAUL_MATH double haul_math_gauss(double x) {
    const haul_math_pair square = haul_math_product(x, x);
    return haul_math_exp_pair(-square.hi, square.hi < 1e4 ? -square.lo : 0.0);
}

/* 1 - u + 3 u^2 - 15 u^3 + ... */
HAUL_MATH double haul_math_erfcx_series(double u) {
    double sum = 1.0;
    for (int odd = 13; odd > 0; odd -= 2) sum = 1.0 - odd * u * sum;
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
        for (double i = 1.0; i < n; i += 1.0) y *= t + i;
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
    for (int i = 13; i >= 0; i--) y /= x + (double)i;
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

#endif
