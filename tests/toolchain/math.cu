/* The math functions: in the first kernels bit for bit what nvcc gives, in the others close to it. */
#include <cuda_runtime.h>
#include <cmath>
#include "results.cuh"

#define BOTH_1(name) PUT(name(DA)), PUT(name##f(FA)), PUT(name(FA))
#define BOTH_2(name) PUT(name(DA, DB)), PUT(name##f(FA, FB)), PUT(name(FA, FB))

KERNEL(exact_math) {
    OPERANDS;
    BOTH_1(fabs);
    BOTH_1(sqrt);
    BOTH_1(floor);
    BOTH_1(ceil);
    BOTH_1(trunc);
    BOTH_1(rint);
    BOTH_1(nearbyint);
    BOTH_1(round);
    BOTH_2(fmin);
    BOTH_2(fmax);
    BOTH_2(copysign);
    BOTH_2(fdim);
    BOTH_2(fmod);
    BOTH_2(remainder);
    BOTH_2(nextafter);
    BOTH_1(logb);
    BOTH_1(lround);
    BOTH_1(llround);
    BOTH_1(lrint);
    BOTH_1(llrint);
    PUT(fma(DA, DB, DC)), PUT(fmaf(FA, FB, FC)), PUT(fma(FA, FB, FC));
}
KERNEL(exact_parts) {
    OPERANDS;
    const int k = (int)(c % 4000) - 2000;
    int exponent;
    double whole;
    float wholef;
    BOTH_1(ilogb);
    PUT(ldexp(DA, k)), PUT(ldexpf(FA, k)), PUT(ldexp(FA, k)), PUT(scalbn(DA, k)), PUT(scalbnf(FA, k)),
        PUT(scalbn(FA, k));
    PUT(scalbln(DA, (long)k)), PUT(scalblnf(FA, (long)k));
    PUT(frexp(DA, &exponent)), PUT(exponent), PUT(frexpf(FA, &exponent)), PUT(exponent), PUT(frexp(FA, &exponent));
    PUT(modf(DA, &whole)), PUT(whole), PUT(modff(FA, &wholef)), PUT(wholef), PUT(modf(FA, &wholef));
}
KERNEL(classes) {
    OPERANDS;
    PUT((int)isnan(FA)), PUT((int)isinf(FA)), PUT((int)isfinite(FA)), PUT((int)signbit(FA));
    PUT((int)isnan(DA)), PUT((int)isinf(DA)), PUT((int)isfinite(DA)), PUT((int)signbit(DA));
    PUT((int)std::isnan(FA)), PUT((int)std::isinf(DA)), PUT((int)std::isfinite(FA)), PUT((int)std::signbit(DA));
}

KERNEL(special_math) {
    OPERANDS;
    BOTH_1(exp);
    BOTH_1(exp2);
    BOTH_1(exp10);
    BOTH_1(expm1);
    BOTH_1(log);
    BOTH_1(log2);
    BOTH_1(log10);
    BOTH_1(log1p);
    BOTH_1(cbrt);
    BOTH_1(rcbrt);
    BOTH_2(pow);
    BOTH_2(hypot);
    BOTH_2(rhypot);
    PUT(pow(DA, (int)(c & 15))), PUT(pow(FA, (int)(c & 15))), PUT(pow(DA, FC)), PUT(pow(FA, DB));
}
KERNEL(special_circular) {
    OPERANDS;
    double s, k;
    float sf, kf;
    BOTH_1(sin);
    BOTH_1(cos);
    BOTH_1(tan);
    BOTH_1(sinpi);
    BOTH_1(cospi);
    BOTH_1(asin);
    BOTH_1(acos);
    BOTH_1(atan);
    BOTH_2(atan2);
    sincos(DA, &s, &k);
    PUT(s), PUT(k);
    sincosf(FA, &sf, &kf);
    PUT(sf), PUT(kf);
    sincos(FA, &sf, &kf);
    PUT(sf), PUT(kf);
    sincospi(DA, &s, &k);
    PUT(s), PUT(k);
    sincospif(FA, &sf, &kf);
    PUT(sf), PUT(kf);
    PUT(std::sin(FA)), PUT(std::sin(DA)), PUT(std::cos(FA)), PUT(std::pow(FA, FB)), PUT(std::sqrt(FA)),
        PUT(std::fabs(FA));
}
KERNEL(special_hyperbolic) {
    OPERANDS;
    BOTH_1(sinh);
    BOTH_1(cosh);
    BOTH_1(tanh);
    BOTH_1(asinh);
    BOTH_1(acosh);
    BOTH_1(atanh);
}
KERNEL(special_gamma_and_error) {
    OPERANDS;
    BOTH_1(erf);
    BOTH_1(erfc);
    BOTH_1(erfcx);
    BOTH_1(erfinv);
    BOTH_1(erfcinv);
    BOTH_1(normcdf);
    BOTH_1(normcdfinv);
    BOTH_1(tgamma);
    BOTH_1(lgamma);
}
KERNEL(special_norms) {
    OPERANDS;
    int quotient;
    const float vf[3] = {FA, FB, FC};
    const double v[3] = {DA, DB, DC};
    PUT(norm3d(DA, DB, DC)), PUT(norm3df(FA, FB, FC)), PUT(norm4d(DA, DB, DC, DA)), PUT(norm4df(FA, FB, FC, FA));
    PUT(rnorm3d(DA, DB, DC)), PUT(rnorm3df(FA, FB, FC)), PUT(rnorm4d(DA, DB, DC, DA)), PUT(rnorm4df(FA, FB, FC, FA));
    PUT(norm(3, v)), PUT(normf(3, vf)), PUT(rnorm(3, v)), PUT(rnormf(3, vf));
    PUT(remquo(DA, DB, &quotient)), PUT(quotient & 7), PUT(remquof(FA, FB, &quotient)), PUT(quotient & 7);
    PUT(isnan(nan(""))), PUT(isnan(nanf("")));
}
