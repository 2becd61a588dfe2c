/* Integer intrinsics: bit counts and permutations, high products, funnel shifts, dot products, packed lanes. */
#ifndef HAUL_TOOLCHAIN_INTEGER_H
#define HAUL_TOOLCHAIN_INTEGER_H

#include "device.h"

HAUL_TC_DEVICE int __popc(unsigned int x) {
    return __builtin_popcount(x);
}
HAUL_TC_DEVICE int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
HAUL_TC_DEVICE int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz((unsigned int)x);
}
HAUL_TC_DEVICE int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
HAUL_TC_DEVICE int __ffs(int x) {
    return __builtin_ffs(x);
}
HAUL_TC_DEVICE int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
HAUL_TC_DEVICE unsigned int __brev(unsigned int x) {
    return __builtin_bitreverse32(x);
}
HAUL_TC_DEVICE unsigned long long __brevll(unsigned long long x) {
    return __builtin_bitreverse64(x);
}
/* The position (0 to 31) of the offset-th set bit of x, counted upwards from `base`; downwards if negative. */
HAUL_TC_DEVICE unsigned int __fns(unsigned int x, unsigned int base, int offset) {
    unsigned int position;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(position) : "r"(x), "r"(base), "r"(offset));
    return position;
}
HAUL_TC_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
    unsigned int result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(selector & 0x7777u));
    return result;
}

HAUL_TC_DEVICE int __mulhi(int x, int y) {
    return (int)(((long long)x * y) >> 32);
}
HAUL_TC_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) {
    return (unsigned int)(((unsigned long long)x * y) >> 32);
}
HAUL_TC_DEVICE long long __mul64hi(long long x, long long y) {
    long long result;
    asm("mul.hi.s64 %0, %1, %2;" : "=l"(result) : "l"(x), "l"(y));
    return result;
}
HAUL_TC_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    unsigned long long result;
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(result) : "l"(x), "l"(y));
    return result;
}
HAUL_TC_DEVICE int __mul24(int x, int y) {
    return (int)((unsigned int)((int)((unsigned int)x << 8) >> 8) * (unsigned int)((int)((unsigned int)y << 8) >> 8));
}
HAUL_TC_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) {
    return (x & 0xffffffu) * (y & 0xffffffu);
}
HAUL_TC_DEVICE unsigned int __sad(int x, int y, unsigned int z) {
    unsigned int result;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
    return result;
}
HAUL_TC_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
    unsigned int result;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
    return result;
}

/* Averages without overflow, rounded down and up. */
HAUL_TC_DEVICE int __hadd(int x, int y) {
    return (x & y) + ((x ^ y) >> 1);
}
HAUL_TC_DEVICE int __rhadd(int x, int y) {
    return (x | y) - ((x ^ y) >> 1);
}
HAUL_TC_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) {
    return (x & y) + ((x ^ y) >> 1);
}
HAUL_TC_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) {
    return (x | y) - ((x ^ y) >> 1);
}

#define HAUL_FUNNEL(function, op)                                                                   \
    HAUL_TC_DEVICE unsigned int function(unsigned int low, unsigned int high, unsigned int shift) { \
        unsigned int result;                                                                        \
        asm("shf." op ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));     \
        return result;                                                                              \
    }
HAUL_FUNNEL(__funnelshift_l, "l.wrap")
HAUL_FUNNEL(__funnelshift_r, "r.wrap")
HAUL_FUNNEL(__funnelshift_lc, "l.clamp")
HAUL_FUNNEL(__funnelshift_rc, "r.clamp")
#undef HAUL_FUNNEL

/* Dot products of packed bytes (dp4a) and of 16-bit halves with bytes (dp2a). */
#define HAUL_DOT(function, op, first, second, result_type)                                                          \
    HAUL_TC_DEVICE result_type function(first x, second y, result_type sum) {                                       \
        result_type result;                                                                                         \
        asm(op " %0, %1, %2, %3;" : "=r"(result) : "r"(haul_tc_bits<int>(x)), "r"(haul_tc_bits<int>(y)), "r"(sum)); \
        return result;                                                                                              \
    }
HAUL_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
HAUL_DOT(__dp4a, "dp4a.s32.s32", char4, char4, int)
HAUL_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
HAUL_DOT(__dp4a, "dp4a.u32.u32", uchar4, uchar4, unsigned int)
HAUL_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
HAUL_DOT(__dp2a_lo, "dp2a.lo.s32.s32", short2, char4, int)
HAUL_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
HAUL_DOT(__dp2a_lo, "dp2a.lo.u32.u32", ushort2, uchar4, unsigned int)
HAUL_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
HAUL_DOT(__dp2a_hi, "dp2a.hi.s32.s32", short2, char4, int)
HAUL_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
HAUL_DOT(__dp2a_hi, "dp2a.hi.u32.u32", ushort2, uchar4, unsigned int)
#undef HAUL_DOT

/* Packed lanes: two halves (…2) or four bytes (…4) in one word, each lane for itself. The loop over the lanes
 * unrolls; clang has no other way to say it, and the functions are rare. */
#define HAUL_LANES(function, bits, lane, expression)                                        \
    HAUL_TC_DEVICE unsigned int function(unsigned int a, unsigned int b) {                  \
        unsigned int result = 0;                                                            \
        for (int shift = 0; shift < 32; shift += bits) {                                    \
            const int x = (lane)(a >> shift), y = (lane)(b >> shift);                       \
            result |= ((unsigned int)(expression) & (0xffffffffu >> (32 - bits))) << shift; \
        }                                                                                   \
        return result;                                                                      \
    }
#define HAUL_LANES_UNARY(function, bits, lane, expression)                                  \
    HAUL_TC_DEVICE unsigned int function(unsigned int a) {                                  \
        unsigned int result = 0;                                                            \
        for (int shift = 0; shift < 32; shift += bits) {                                    \
            const int x = (lane)(a >> shift);                                               \
            result |= ((unsigned int)(expression) & (0xffffffffu >> (32 - bits))) << shift; \
        }                                                                                   \
        return result;                                                                      \
    }
#define HAUL_LANES_SUM(function, bits, lane)                               \
    HAUL_TC_DEVICE unsigned int function(unsigned int a, unsigned int b) { \
        unsigned int sum = 0;                                              \
        for (int shift = 0; shift < 32; shift += bits) {                   \
            const int x = (lane)(a >> shift), y = (lane)(b >> shift);      \
            sum += (unsigned int)(x > y ? x - y : y - x);                  \
        }                                                                  \
        return sum;                                                        \
    }
HAUL_TC_DEVICE int haul_tc_clamp(int x, int low, int high) {
    return x < low ? low : x > high ? high : x;
}
#define HAUL_LANE_COMPARE(name, op, n, bits, lane)           \
    HAUL_LANES(__vcmp##name##n, bits, lane, x op y ? -1 : 0) \
    HAUL_LANES(__vset##name##n, bits, lane, x op y ? 1 : 0)
#define HAUL_LANE_FAMILY(n, bits, s, u, smin, smax, umax)                          \
    HAUL_LANES(__vadd##n, bits, u, x + y)                                          \
    HAUL_LANES(__vaddss##n, bits, s, haul_tc_clamp(x + y, smin, smax))             \
    HAUL_LANES(__vaddus##n, bits, u, haul_tc_clamp(x + y, 0, umax))                \
    HAUL_LANES(__vsub##n, bits, u, x - y)                                          \
    HAUL_LANES(__vsubss##n, bits, s, haul_tc_clamp(x - y, smin, smax))             \
    HAUL_LANES(__vsubus##n, bits, u, haul_tc_clamp(x - y, 0, umax))                \
    HAUL_LANES(__vavgs##n, bits, s, (x + y + (x + y >= 0)) >> 1)                   \
    HAUL_LANES(__vavgu##n, bits, u, (x + y + 1) >> 1)                              \
    HAUL_LANES(__vhaddu##n, bits, u, (x + y) >> 1)                                 \
    HAUL_LANES(__vmaxs##n, bits, s, x > y ? x : y)                                 \
    HAUL_LANES(__vmaxu##n, bits, u, x > y ? x : y)                                 \
    HAUL_LANES(__vmins##n, bits, s, x < y ? x : y)                                 \
    HAUL_LANES(__vminu##n, bits, u, x < y ? x : y)                                 \
    HAUL_LANES(__vabsdiffs##n, bits, s, x > y ? x - y : y - x)                     \
    HAUL_LANES(__vabsdiffu##n, bits, u, x > y ? x - y : y - x)                     \
    HAUL_LANES_SUM(__vsads##n, bits, s)                                            \
    HAUL_LANES_SUM(__vsadu##n, bits, u)                                            \
    HAUL_LANES_UNARY(__vabs##n, bits, s, x < 0 ? -x : x)                           \
    HAUL_LANES_UNARY(__vabsss##n, bits, s, haul_tc_clamp(x < 0 ? -x : x, 0, smax)) \
    HAUL_LANES_UNARY(__vneg##n, bits, s, -x)                                       \
    HAUL_LANES_UNARY(__vnegss##n, bits, s, haul_tc_clamp(-x, smin, smax))          \
    HAUL_LANE_COMPARE(eq, ==, n, bits, u)                                          \
    HAUL_LANE_COMPARE(ne, !=, n, bits, u)                                          \
    HAUL_LANE_COMPARE(ges, >=, n, bits, s)                                         \
    HAUL_LANE_COMPARE(geu, >=, n, bits, u)                                         \
    HAUL_LANE_COMPARE(gts, >, n, bits, s)                                          \
    HAUL_LANE_COMPARE(gtu, >, n, bits, u)                                          \
    HAUL_LANE_COMPARE(les, <=, n, bits, s)                                         \
    HAUL_LANE_COMPARE(leu, <=, n, bits, u)                                         \
    HAUL_LANE_COMPARE(lts, <, n, bits, s)                                          \
    HAUL_LANE_COMPARE(ltu, <, n, bits, u)
HAUL_LANE_FAMILY(2, 16, short, unsigned short, -32768, 32767, 65535)
HAUL_LANE_FAMILY(4, 8, signed char, unsigned char, -128, 127, 255)
#undef HAUL_LANE_FAMILY
#undef HAUL_LANE_COMPARE
#undef HAUL_LANES_SUM
#undef HAUL_LANES_UNARY
#undef HAUL_LANES

#endif
