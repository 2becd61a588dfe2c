/* The toolchain's device math functions, built for the host: their errors against the C library's long double
 * functions, in units in the last place, and their special cases. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HAUL_MATH static inline
#include "../../toolchain/include/haul_toolchain/math_single.h"

enum { SAMPLES = 20000 };

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Half of the numbers are spread evenly, half over all magnitudes. */
static double random_between(double low, double high) {
    const uint64_t bits = random_bits();
    double x = low + (high - low) * ((double)(bits >> 11) * 0x1p-53);
    if (bits & 1) {
        const uint64_t pattern = random_bits();
        double any;
        memcpy(&any, &pattern, sizeof(any));
        if (any >= low && any <= high) x = any;
    }
    return x;
}

/* The error of `got` in units in the last place of a format with `digits` bits and smallest exponent `least`. */
static double error_in_ulp(double got, long double wanted, int digits, int least) {
    if (isnan(got) || isnan(wanted)) return isnan(got) && isnan(wanted) ? 0.0 : 1e30;
    const double rounded = digits == FLT_MANT_DIG ? (double)(float)wanted : (double)wanted;
    if (isinf(got) || isinf(rounded)) return got == rounded ? 0.0 : 1e30;
    int exponent = least;
    if (wanted != 0.0L) frexpl(wanted, &exponent);
    const int unit = exponent - digits < least ? least : exponent - digits;
    return (double)fabsl(((long double)got - wanted) / ldexpl(1.0L, unit));
}

#define DOUBLE(function, reference, low, high, ulp) \
    { #function, haul_math_##function, NULL, reference, low, high, ulp }
#define SINGLE(function, reference, low, high, ulp) \
    { #function, NULL, haul_math_##function, reference, low, high, ulp }
struct accuracy {
    const char *name;
    double (*in_double)(double);
    float (*in_single)(float);
    long double (*reference)(long double);
    double low, high, ulp; /* arguments, largest error allowed */
};

static double worst_error(const struct accuracy *row, double *where) {
    double worst = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double x = random_between(row->low, row->high), error;
        if (row->in_double) {
            error = error_in_ulp(row->in_double(x), row->reference((long double)x), DBL_MANT_DIG, -1074);
        } else {
            const float narrow = (float)x;
            x = (double)narrow;
            error =
                error_in_ulp((double)row->in_single(narrow), row->reference((long double)narrow), FLT_MANT_DIG, -149);
        }
        if (error > worst) {
            worst = error;
            *where = x;
        }
    }
    return worst;
}

static void assert_accurate(const struct accuracy *rows, size_t count) {
    if (LDBL_MANT_DIG < 64) skip(); /* nothing to measure against */
    for (size_t i = 0; i < count; i++) {
        double where = 0.0;
        const double worst = worst_error(&rows[i], &where);
        if (worst > rows[i].ulp)
            fail_msg("%s: %.3g ulp at %.17g, allowed %.3g", rows[i].name, worst, where, rows[i].ulp);
    }
}
#define ASSERT_ACCURATE(rows) assert_accurate(rows, sizeof(rows) / sizeof(*(rows)))

static long double erfcx_reference(long double x) {
    return expl(x * x) * erfcl(x);
}

static void exponentials_and_logarithms_are_accurate(void **state) {
    (void)state;
    static const struct accuracy rows[] = {
        DOUBLE(exp, expl, -750, 720, 0.8),        DOUBLE(exp2, exp2l, -1080, 1030, 0.8),
        DOUBLE(exp10, exp10l, -325, 310, 0.8),    DOUBLE(expm1, expm1l, -50, 720, 1.1),
        DOUBLE(expm1, expm1l, -1, 1, 1.0),        DOUBLE(log, logl, 0, 1e308, 0.51),
        DOUBLE(log, logl, 0.5, 2, 0.51),          DOUBLE(log2, log2l, 0, 1e308, 0.51),
        DOUBLE(log2, log2l, 0.5, 2, 0.51),        DOUBLE(log10, log10l, 0, 1e308, 0.51),
        DOUBLE(log10, log10l, 0.5, 2, 0.51),      DOUBLE(log1p, log1pl, -1, 1e308, 0.51),
        DOUBLE(cbrt, cbrtl, -1e308, 1e308, 0.51), SINGLE(expf, expl, -110, 90, 1.2),
        SINGLE(exp2f, exp2l, -152, 130, 1.2),     SINGLE(exp10f, exp10l, -47, 40, 1.3),
        SINGLE(logf, logl, 0, 3e38, 1.1),         SINGLE(logf, logl, 0.5, 2, 1.1),
        SINGLE(log2f, log2l, 0, 3e38, 1.3),       SINGLE(log2f, log2l, 0.5, 2, 1.3),
        SINGLE(log10f, log10l, 0, 3e38, 1.3),     SINGLE(log10f, log10l, 0.5, 2, 1.3),
    };
    ASSERT_ACCURATE(rows);
}

static void circular_functions_are_accurate_for_any_argument(void **state) {
    (void)state;
    static const struct accuracy rows[] = {
        DOUBLE(sin, sinl, -4, 4, 0.8),
        DOUBLE(sin, sinl, -1e6, 1e6, 0.8),
        DOUBLE(sin, sinl, -1.79e308, 1.79e308, 0.8),
        DOUBLE(cos, cosl, -4, 4, 0.8),
        DOUBLE(cos, cosl, -1.79e308, 1.79e308, 0.8),
        DOUBLE(tan, tanl, -1.79e308, 1.79e308, 2.5),
        DOUBLE(asin, asinl, -1, 1, 0.8),
        DOUBLE(acos, acosl, -1, 1, 0.8),
        DOUBLE(atan, atanl, -1e300, 1e300, 0.8),
        DOUBLE(atan, atanl, -4, 4, 0.8),
        SINGLE(sinf, sinl, -4, 4, 1.8),
        SINGLE(sinf, sinl, -70000, 70000, 1.8),
        SINGLE(sinf, sinl, -3.4e38, 3.4e38, 1.8),
        SINGLE(cosf, cosl, -70000, 70000, 1.8),
        SINGLE(cosf, cosl, -3.4e38, 3.4e38, 1.8),
        SINGLE(tanf, tanl, -3.4e38, 3.4e38, 3.8),
        SINGLE(atanf, atanl, -1e30, 1e30, 0.51),
    };
    ASSERT_ACCURATE(rows);
}

static void hyperbolic_gamma_and_error_functions_are_accurate(void **state) {
    (void)state;
    static const struct accuracy rows[] = {
        DOUBLE(sinh, sinhl, -711, 711, 2.2),
        DOUBLE(sinh, sinhl, -3, 3, 2.2),
        DOUBLE(cosh, coshl, -711, 711, 2.2),
        DOUBLE(tanh, tanhl, -30, 30, 2.6),
        DOUBLE(asinh, asinhl, -1e300, 1e300, 1.8),
        DOUBLE(asinh, asinhl, -3, 3, 1.8),
        DOUBLE(acosh, acoshl, 1, 1e300, 2.2),
        DOUBLE(acosh, acoshl, 1, 3, 2.2),
        DOUBLE(atanh, atanhl, -1, 1, 1.8),
        DOUBLE(erf, erfl, -7, 7, 1.8),
        DOUBLE(erfc, erfcl, -7, 28, 3.5),
        DOUBLE(erfcx, erfcx_reference, 0, 20, 3),
        DOUBLE(tgamma, tgammal, -180, 172, 8),
        DOUBLE(tgamma, tgammal, 0.01, 10, 8),
        DOUBLE(lgamma, lgammal, 0.0001, 1e300, 16),
        DOUBLE(lgamma, lgammal, 0.0001, 5, 16),
        SINGLE(tanhf, tanhl, -20, 20, 1.8),
        SINGLE(tanhf, tanhl, -1, 1, 1.8),
        SINGLE(erff, erfl, -4, 4, 0.51),
        SINGLE(tgammaf, tgammal, -40, 36, 0.51),
        SINGLE(lgammaf, lgammal, 0, 100, 0.51),
    };
    ASSERT_ACCURATE(rows);
}

static void powers_and_angles_of_two_arguments_are_accurate(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    for (int i = 0; i < 4 * SAMPLES; i++) {
        const double base = random_between(0, i & 1 ? 10 : 1e308), power = random_between(-300, 300);
        const double y = random_between(-3, 3), x = random_between(-1e300, 1e300);
        assert_true(error_in_ulp(haul_math_pow(base, power), powl(base, power), DBL_MANT_DIG, -1074) < 0.8);
        assert_true(error_in_ulp(haul_math_atan2(y, x), atan2l(y, x), DBL_MANT_DIG, -1074) < 1.2);
        assert_true(error_in_ulp(haul_math_hypot(y, x), hypotl(y, x), DBL_MANT_DIG, -1074) < 0.8);
        const float result = haul_math_powf((float)base, (float)y);
        assert_true(error_in_ulp((double)result, powl((float)base, (float)y), FLT_MANT_DIG, -149) < 0.51);
    }
}

static void inverse_error_functions_invert(void **state) {
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        const double y = random_between(-1, 1), z = exp(random_between(-700, 0));
        assert_true(error_in_ulp(haul_math_erf(haul_math_erfinv(y)), (long double)y, DBL_MANT_DIG, -1074) < 3);
        const double x = haul_math_erfcinv(z);
        assert_true(fabs(erfc(x) / z - 1.0) < 8 * DBL_EPSILON * (1.0 + 2.0 * x * x));
    }
}

static void remainders_and_parts_are_exact(void **state) {
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        const double x = random_between(-1e300, 1e300), y = random_between(-1e10, 1e10);
        int quotient, wanted_quotient, exponent, wanted_exponent;
        assert_true(haul_math_fmod(x, y) == fmod(x, y));
        assert_true(haul_math_remainder(x, y) == remainder(x, y));
        assert_true(haul_math_remquo(x, y, &quotient) == remquo(x, y, &wanted_quotient));
        assert_int_equal(quotient & 7, wanted_quotient & 7);
        assert_true(haul_math_frexp(x, &exponent) == frexp(x, &wanted_exponent));
        assert_int_equal(exponent, wanted_exponent);
        assert_true(haul_math_nextafter(x, y) == nextafter(x, y));
        assert_true(haul_math_ldexp(x, (int)(random_bits() % 4400) - 2200) >= -INFINITY);
        assert_true(haul_math_ldexp(1.5, exponent) == ldexp(1.5, exponent));
        assert_int_equal(haul_math_ilogb(x), ilogb(x));
    }
    assert_true(haul_math_ldexp(0x1.8p0, -1075) == 0x1p-1074);
    assert_true(haul_math_ldexp(0x1p-1074, 2097) == 0x1p1023);
}

static void zeros_keep_their_sign_and_infinities_their_meaning(void **state) {
    (void)state;
    double s, c;
    assert_true(signbit(haul_math_sin(-0.0)) && signbit(haul_math_atan(-0.0)) && signbit(haul_math_tanh(-0.0)));
    assert_true(signbit(haul_math_expm1(-0.0)) && signbit(haul_math_log1p(-0.0)) && signbit(haul_math_cbrt(-0.0)));
    assert_true(isnan(haul_math_sin(INFINITY)) && isnan(haul_math_cos(-INFINITY)) && isnan(haul_math_tan(NAN)));
    assert_true(haul_math_exp(-INFINITY) == 0.0 && haul_math_exp(INFINITY) == INFINITY && isnan(haul_math_exp(NAN)));
    assert_true(haul_math_log(0.0) == -INFINITY && isnan(haul_math_log(-1.0)) && haul_math_log(INFINITY) == INFINITY);
    assert_true(haul_math_log1p(-1.0) == -INFINITY && isnan(haul_math_log1p(-2.0)));
    assert_true(haul_math_atan(INFINITY) == M_PI_2 && haul_math_tanh(-INFINITY) == -1.0);
    assert_true(isnan(haul_math_asin(1.5)) && isnan(haul_math_acosh(0.5)) && haul_math_atanh(1.0) == INFINITY);
    assert_true(haul_math_tgamma(5.0) == 24.0 && isnan(haul_math_tgamma(-3.0)) && haul_math_lgamma(-3.0) == INFINITY);
    haul_math_sincospi(2.5, &s, &c);
    assert_true(s == 1.0 && c == 0.0);
    assert_true(haul_math_sinpif(0.5f) == 1.0f && haul_math_cospif(1.0f) == -1.0f && haul_math_expf(89.0f) == INFINITY);
}

static void power_follows_the_standard_in_its_special_cases(void **state) {
    (void)state;
    static const double values[] = {-INFINITY, -3.0, -2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, 3.0, INFINITY, NAN};
    const size_t n = sizeof(values) / sizeof(*values);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double got = haul_math_pow(values[i], values[j]), wanted = pow(values[i], values[j]);
            assert_true(isnan(got) ? isnan(wanted) : fabs(got - wanted) <= 1e-15 * fabs(wanted) || got == wanted);
            if (!isnan(got)) assert_int_equal(!!signbit(got), !!signbit(wanted));
            const double angle = haul_math_atan2(values[i], values[j]), turn = atan2(values[i], values[j]);
            assert_true(isnan(angle) ? isnan(turn) : fabs(angle - turn) < 1e-15);
            if (!isnan(angle)) assert_int_equal(!!signbit(angle), !!signbit(turn));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_and_logarithms_are_accurate),
        cmocka_unit_test(circular_functions_are_accurate_for_any_argument),
        cmocka_unit_test(hyperbolic_gamma_and_error_functions_are_accurate),
        cmocka_unit_test(powers_and_angles_of_two_arguments_are_accurate),
        cmocka_unit_test(inverse_error_functions_invert),
        cmocka_unit_test(remainders_and_parts_are_exact),
        cmocka_unit_test(zeros_keep_their_sign_and_infinities_their_meaning),
        cmocka_unit_test(power_follows_the_standard_in_its_special_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
