/* Minimum and maximum of three, of a sum, and not below zero; of words and of the two halves of a word. */
#ifndef HAUL_TOOLCHAIN_MINMAX_H
#define HAUL_TOOLCHAIN_MINMAX_H

#include "device.h"

/* Minima and maxima. */
template <class T> HAUL_TC_BOTH T haul_tc_max(T a, T b) {
    return a < b ? b : a;
}
template <class T> HAUL_TC_BOTH T haul_tc_min(T a, T b) {
    return b < a ? b : a;
}

/* A sum wraps around before it is compared. */
#define HAUL_BOUNDS(op, T, suffix, better)                              \
    HAUL_TC_BOTH T __vi##op##3_##suffix(T a, T b, T c) {                \
        return haul_tc_##op(haul_tc_##op(a, b), c);                     \
    }                                                                   \
    HAUL_TC_BOTH T __viadd##op##_##suffix(T a, T b, T c) {              \
        return haul_tc_##op((T)((unsigned int)a + (unsigned int)b), c); \
    }                                                                   \
    HAUL_TC_BOTH T __vib##op##_##suffix(T a, T b, bool *first) {        \
        *first = a better b;                                            \
        return *first ? a : b;                                          \
    }
HAUL_BOUNDS(max, int, s32, >=)
HAUL_BOUNDS(min, int, s32, <=)
HAUL_BOUNDS(max, unsigned int, u32, >=)
HAUL_BOUNDS(min, unsigned int, u32, <=)
#undef HAUL_BOUNDS

/* The same of each half of a word by itself, of type T. */
#define HAUL_HALVES_3(op, T, suffix)                                                                   \
    HAUL_TC_BOTH unsigned int __vi##op##3_##suffix(unsigned int a, unsigned int b, unsigned int c) {   \
        const T low = haul_tc_##op(haul_tc_##op((T)a, (T)b), (T)c);                                    \
        const T high = haul_tc_##op(haul_tc_##op((T)(a >> 16), (T)(b >> 16)), (T)(c >> 16));           \
        return (unsigned short)low | (unsigned int)(unsigned short)high << 16;                         \
    }                                                                                                  \
    HAUL_TC_BOTH unsigned int __viadd##op##_##suffix(unsigned int a, unsigned int b, unsigned int c) { \
        const T low = haul_tc_##op((T)(a + b), (T)c);                                                  \
        const T high = haul_tc_##op((T)((a >> 16) + (b >> 16)), (T)(c >> 16));                         \
        return (unsigned short)low | (unsigned int)(unsigned short)high << 16;                         \
    }
HAUL_HALVES_3(max, short, s16x2)
HAUL_HALVES_3(min, short, s16x2)
HAUL_HALVES_3(max, unsigned short, u16x2)
HAUL_HALVES_3(min, unsigned short, u16x2)
#undef HAUL_HALVES_3

HAUL_TC_BOTH int haul_tc_relu(int x) {
    return x < 0 ? 0 : x;
}
HAUL_TC_BOTH unsigned int haul_tc_relu_halves(unsigned int x) {
    return (x & 0x8000u ? 0 : x & 0xffffu) | (x >> 31 ? 0 : x & 0xffff0000u);
}
HAUL_TC_BOTH int __vimax_s32_relu(int a, int b) {
    return haul_tc_relu(haul_tc_max(a, b));
}
HAUL_TC_BOTH int __vimin_s32_relu(int a, int b) {
    return haul_tc_relu(haul_tc_min(a, b));
}
#define HAUL_RELU_3(function)                                                                         \
    HAUL_TC_BOTH int function##_s32_relu(int a, int b, int c) {                                       \
        return haul_tc_relu(function##_s32(a, b, c));                                                 \
    }                                                                                                 \
    HAUL_TC_BOTH unsigned int function##_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) { \
        return haul_tc_relu_halves(function##_s16x2(a, b, c));                                        \
    }
HAUL_RELU_3(__vimax3)
HAUL_RELU_3(__vimin3)
HAUL_RELU_3(__viaddmax)
HAUL_RELU_3(__viaddmin)
#undef HAUL_RELU_3

#endif
