/* Complex numbers: two floats, or two doubles. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

static __host__ __device__ __inline__ cuFloatComplex make_cuFloatComplex(float x, float y) {
    return make_float2(x, y);
}
static __host__ __device__ __inline__ cuDoubleComplex make_cuDoubleComplex(double x, double y) {
    return make_double2(x, y);
}
static __host__ __device__ __inline__ cuComplex make_cuComplex(float x, float y) {
    return make_cuFloatComplex(x, y);
}
static __host__ __device__ __inline__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return make_cuDoubleComplex(z.x, z.y);
}
static __host__ __device__ __inline__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

/* Functions of one precision. Division and absolute value scale first, so that squares do not overflow. */
#define HAUL_COMPLEX(real, complex, f, root)                                                            \
    static __host__ __device__ __inline__ real cuCreal##f(complex z) {                                  \
        return z.x;                                                                                     \
    }                                                                                                   \
    static __host__ __device__ __inline__ real cuCimag##f(complex z) {                                  \
        return z.y;                                                                                     \
    }                                                                                                   \
    static __host__ __device__ __inline__ complex cuConj##f(complex z) {                                \
        return make_##complex(z.x, -z.y);                                                               \
    }                                                                                                   \
    static __host__ __device__ __inline__ complex cuCadd##f(complex a, complex b) {                     \
        return make_##complex(a.x + b.x, a.y + b.y);                                                    \
    }                                                                                                   \
    static __host__ __device__ __inline__ complex cuCsub##f(complex a, complex b) {                     \
        return make_##complex(a.x - b.x, a.y - b.y);                                                    \
    }                                                                                                   \
    static __host__ __device__ __inline__ complex cuCmul##f(complex a, complex b) {                     \
        return make_##complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                            \
    }                                                                                                   \
    static __host__ __device__ __inline__ complex cuCfma##f(complex a, complex b, complex c) {          \
        return cuCadd##f(cuCmul##f(a, b), c);                                                           \
    }                                                                                                   \
    static __host__ __device__ __inline__ complex cuCdiv##f(complex a, complex b) {                     \
        const real s = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y), k = 1 / s;                      \
        const real ax = a.x * k, ay = a.y * k, bx = b.x * k, by = b.y * k, n = 1 / (bx * bx + by * by); \
        return make_##complex((ax * bx + ay * by) * n, (ay * bx - ax * by) * n);                        \
    }                                                                                                   \
    static __host__ __device__ __inline__ real cuCabs##f(complex z) {                                   \
        const real x = z.x < 0 ? -z.x : z.x, y = z.y < 0 ? -z.y : z.y, most = x > y ? x : y;            \
        const real least = x > y ? y : x, share = most > 0 ? least / most : 0;                          \
        return most > 0 && share * 0 == 0 ? most * root(1 + share * share) : x + y;                     \
    }
HAUL_COMPLEX(float, cuFloatComplex, f, sqrtf)
HAUL_COMPLEX(double, cuDoubleComplex, , sqrt)
#undef HAUL_COMPLEX

#endif
