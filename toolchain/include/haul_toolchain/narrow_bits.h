/* The 16-bit floating-point formats as bit patterns: rounding a float to one, in software. */
#ifndef HAUL_TOOLCHAIN_NARROW_BITS_H
#define HAUL_TOOLCHAIN_NARROW_BITS_H

#include "../cuda_runtime.h"

enum haul_tc_rounding { HAUL_TC_RN, HAUL_TC_RZ, HAUL_TC_RU, HAUL_TC_RD };

/* Rounds a value beyond the format's largest number; infinity is the code just above that number. */
HAUL_TC_BOTH unsigned int haul_tc_narrow_overflow(unsigned int infinity, int negative, haul_tc_rounding mode) {
    const int away = mode == HAUL_TC_RN || (mode == HAUL_TC_RU && !negative) || (mode == HAUL_TC_RD && negative);
    return away ? infinity : infinity - 1;
}

/* x in a format of 1 sign bit, 15 - fraction exponent bits and `fraction` more. */
HAUL_TC_BOTH unsigned short haul_tc_narrow(float x, int fraction, haul_tc_rounding mode) {
    const unsigned int bits = haul_tc_bits<unsigned int>(x), magnitude = bits & 0x7fffffffu;
    const unsigned int infinity = 0x7fffu >> fraction << fraction;
    const int negative = (int)(bits >> 31), bias = (1 << (14 - fraction)) - 1;
    if (magnitude > 0x7f800000u) return 0x7fff;
    unsigned int code = infinity;
    if (magnitude < 0x7f800000u) {
        const int stored = (int)(magnitude >> 23), e = stored ? stored : 1;
        const unsigned int significand = (magnitude & 0x7fffffu) | (stored ? 0x800000u : 0u);
        int exponent = e - 127 + bias, drop = 23 - fraction;
        if (exponent < 1) {
            drop = drop + 1 - exponent > 26 ? 26 : drop + 1 - exponent;
            exponent = 1;
        }
        const unsigned int kept = significand >> drop, rest = significand & ((1u << drop) - 1), half = 1u << (drop - 1);
        const int up = mode == HAUL_TC_RN   ? rest > half || (rest == half && (kept & 1))
                       : mode == HAUL_TC_RU ? rest && !negative
                       : mode == HAUL_TC_RD ? rest && negative
                                            : 0;
        code = kept + (unsigned int)up + ((unsigned int)(exponent - 1) << fraction);
        if (code >= infinity) code = haul_tc_narrow_overflow(infinity, negative, mode);
    }
    return (unsigned short)(code | (unsigned int)negative << 15);
}

/* A float that rounds to any narrower format as the wider value does: what does not fit leaves the last bit set. */
HAUL_TC_BOTH float haul_tc_odd_float(double x) {
    const float nearest = (float)x;
    if ((double)nearest == x || x != x) return nearest;
    unsigned int bits = haul_tc_bits<unsigned int>(nearest);
    if (__builtin_fabs((double)nearest) > __builtin_fabs(x)) bits--;
    return haul_tc_bits<float>(bits | 1u);
}
HAUL_TC_BOTH float haul_tc_odd_float(unsigned long long x) {
    if (x >> 53) x = (x & ~0x7ffull) | ((x & 0x7ff) ? 0x800 : 0);
    return haul_tc_odd_float((double)x);
}
HAUL_TC_BOTH float haul_tc_odd_float(long long x) {
    const float magnitude = haul_tc_odd_float(x < 0 ? 0ull - (unsigned long long)x : (unsigned long long)x);
    return x < 0 ? -magnitude : magnitude;
}
HAUL_TC_BOTH float haul_tc_odd_float(unsigned int x) {
    return haul_tc_odd_float((double)x);
}
HAUL_TC_BOTH float haul_tc_odd_float(int x) {
    return haul_tc_odd_float((double)x);
}
HAUL_TC_BOTH float haul_tc_odd_float(unsigned short x) {
    return (float)x;
}
HAUL_TC_BOTH float haul_tc_odd_float(short x) {
    return (float)x;
}

/* Between 0 and 1; 0 if it is not a number. */
HAUL_TC_BOTH float haul_tc_saturate(float x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* Rounded towards zero, and to the nearest that the type holds; 0 if it is not a number. */
template <typename integer> HAUL_TC_BOTH integer haul_tc_truncate(float x) {
    const bool is_signed = (integer)-1 < 0;
    const integer least = is_signed ? (integer)(1ull << (8 * sizeof(integer) - 1)) : 0, most = (integer)~least;
    return x != x ? 0 : x <= (float)least ? least : x >= (float)most ? most : (integer)x;
}

#endif
