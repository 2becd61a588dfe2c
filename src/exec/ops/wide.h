/* Integer helpers of one lane: 128 bits, clamping, division. None traps, whatever the operands. */
#ifndef HAUL_EXEC_OPS_WIDE_H
#define HAUL_EXEC_OPS_WIDE_H

#include "exec/ops/lanes.h"

__extension__ typedef unsigned __int128 sim_u128;
__extension__ typedef __int128 sim_s128;

static inline int32_t clamp_s32(int64_t x) {
    return (int32_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}

/* Divides integers of up to 32 bits by double division, which vectorises. A quotient that is not an integer is at least
 * 1/b away from the next integer, more than the double's rounding error. Adding 2^52 leaves the integer in the low
 * bits. */
static inline uint32_t quotient_u32(uint32_t a, uint32_t b) {
    const double shifted = __builtin_trunc((double)a / (double)b) + 0x1p52;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return b == 0 ? UINT32_MAX : (uint32_t)bits;
}
static inline uint32_t remainder_u32(uint32_t a, uint32_t b) {
    return b == 0 ? UINT32_MAX : a - quotient_u32(a, b) * b;
}
/* 1.5 * 2^52 keeps the integer in two's complement. */
static inline int32_t quotient_s32(int32_t a, int32_t b) {
    const double shifted = __builtin_trunc((double)a / (double)b) + 0x1.8p52;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return b == 0 ? -1 : (int32_t)bits;
}
static inline int32_t remainder_s32(int32_t a, int32_t b) {
    return b == 0 ? -1 : (int32_t)((uint32_t)a - (uint32_t)quotient_s32(a, b) * (uint32_t)b);
}

static inline uint64_t quotient_u64(uint64_t a, uint64_t b) {
    return b == 0 ? UINT64_MAX : a / b;
}
static inline uint64_t remainder_u64(uint64_t a, uint64_t b) {
    return b == 0 ? UINT64_MAX : a % b;
}
/* The lowest integer divided by -1 wraps; the host's division would trap. */
static inline int64_t quotient_s64(int64_t a, int64_t b) {
    if (b == 0) return -1;
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t remainder_s64(int64_t a, int64_t b) {
    if (b == 0) return -1;
    return b == -1 ? 0 : a % b;
}

#endif
