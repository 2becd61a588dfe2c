/* bfloat16 and its pair: 1 sign bit, 8 exponent bits, 7 fraction bits. */
#ifndef HAUL_TOOLCHAIN_CUDA_BF16_H
#define HAUL_TOOLCHAIN_CUDA_BF16_H
#define __CUDA_BF16_H__ /* programs ask for it */

#define HAUL_N(before, after) before##bfloat16##after
#define HAUL_N2(before, after) before##bfloat162##after
#define HAUL_NARROW __nv_bfloat16
#define HAUL_NARROW2 __nv_bfloat162
#define HAUL_NARROW_RAW __nv_bfloat16_raw
#define HAUL_NARROW2_RAW __nv_bfloat162_raw
#define HAUL_NARROW_PTX "bf16"
#define HAUL_NARROW_FRACTION 7
#include "haul_toolchain/narrow.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HAUL_TC_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
    return __nv_bfloat162(low, high);
}
HAUL_TC_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
    return __nv_bfloat162(low, high);
}
HAUL_TC_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) {
    return __nv_bfloat162(x, x);
}

#endif
