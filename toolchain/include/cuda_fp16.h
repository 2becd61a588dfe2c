/* half and half2: 1 sign bit, 5 exponent bits, 10 fraction bits. */
#ifndef HAUL_TOOLCHAIN_CUDA_FP16_H
#define HAUL_TOOLCHAIN_CUDA_FP16_H
#define __CUDA_FP16_H__ /* programs ask for it */

#define HAUL_N(before, after) before##half##after
#define HAUL_N2(before, after) before##half2##after
#define HAUL_NARROW __half
#define HAUL_NARROW2 __half2
#define HAUL_NARROW_RAW __half_raw
#define HAUL_NARROW2_RAW __half2_raw
#define HAUL_NARROW_PTX "f16"
#define HAUL_NARROW_FRACTION 10
#include "haul_toolchain/narrow.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

HAUL_TC_BOTH __half2 __halves2half2(__half low, __half high) {
    return __half2(low, high);
}
HAUL_TC_BOTH __half2 make_half2(__half low, __half high) {
    return __half2(low, high);
}
HAUL_TC_BOTH __half2 __half2half2(__half x) {
    return __half2(x, x);
}

#endif
