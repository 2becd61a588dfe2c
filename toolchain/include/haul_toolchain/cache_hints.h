/* Loads and stores of global memory with a cache operator: __ldg, __ldcg, __ldca, __ldcs, __ldlu, __ldcv and
 * __stwb, __stcg, __stcs, __stwt, for every scalar and for the vectors that one access can carry. */
#ifndef HAUL_TOOLCHAIN_CACHE_HINTS_H
#define HAUL_TOOLCHAIN_CACHE_HINTS_H

#include "device.h"

/* ROW(C type, type of the register, PTX type, register constraint, ...) */
#define HAUL_SCALARS(ROW, ...)                                           \
    ROW(char, short, "s8", "h", __VA_ARGS__)                             \
    ROW(signed char, short, "s8", "h", __VA_ARGS__)                      \
    ROW(unsigned char, short, "u8", "h", __VA_ARGS__)                    \
    ROW(short, short, "s16", "h", __VA_ARGS__)                           \
    ROW(unsigned short, unsigned short, "u16", "h", __VA_ARGS__)         \
    ROW(int, int, "s32", "r", __VA_ARGS__)                               \
    ROW(unsigned int, unsigned int, "u32", "r", __VA_ARGS__)             \
    ROW(long, long, "s64", "l", __VA_ARGS__)                             \
    ROW(unsigned long, unsigned long, "u64", "l", __VA_ARGS__)           \
    ROW(long long, long long, "s64", "l", __VA_ARGS__)                   \
    ROW(unsigned long long, unsigned long long, "u64", "l", __VA_ARGS__) \
    ROW(float, float, "f32", "f", __VA_ARGS__)                           \
    ROW(double, double, "f64", "d", __VA_ARGS__)

#define HAUL_PAIRS(ROW, ...)                                        \
    ROW(char2, short, "v2.s8", "h", __VA_ARGS__)                    \
    ROW(uchar2, short, "v2.u8", "h", __VA_ARGS__)                   \
    ROW(short2, short, "v2.s16", "h", __VA_ARGS__)                  \
    ROW(ushort2, unsigned short, "v2.u16", "h", __VA_ARGS__)        \
    ROW(int2, int, "v2.s32", "r", __VA_ARGS__)                      \
    ROW(uint2, unsigned int, "v2.u32", "r", __VA_ARGS__)            \
    ROW(long2, long, "v2.s64", "l", __VA_ARGS__)                    \
    ROW(ulong2, unsigned long, "v2.u64", "l", __VA_ARGS__)          \
    ROW(longlong2, long long, "v2.s64", "l", __VA_ARGS__)           \
    ROW(ulonglong2, unsigned long long, "v2.u64", "l", __VA_ARGS__) \
    ROW(float2, float, "v2.f32", "f", __VA_ARGS__)                  \
    ROW(double2, double, "v2.f64", "d", __VA_ARGS__)

#define HAUL_QUADS(ROW, ...)                                 \
    ROW(char4, short, "v4.s8", "h", __VA_ARGS__)             \
    ROW(uchar4, short, "v4.u8", "h", __VA_ARGS__)            \
    ROW(short4, short, "v4.s16", "h", __VA_ARGS__)           \
    ROW(ushort4, unsigned short, "v4.u16", "h", __VA_ARGS__) \
    ROW(int4, int, "v4.s32", "r", __VA_ARGS__)               \
    ROW(uint4, unsigned int, "v4.u32", "r", __VA_ARGS__)     \
    ROW(float4, float, "v4.f32", "f", __VA_ARGS__)

#define HAUL_LOAD_SCALAR(type, reg, ptx, constraint, function, op, qualifier, clobber)              \
    HAUL_TC_DEVICE type function(const type *from) {                                                \
        reg x;                                                                                      \
        asm qualifier("ld.global." op "." ptx " %0, [%1];" : "=" constraint(x) : "l"(from)clobber); \
        return (type)x;                                                                             \
    }
#define HAUL_LOAD_PAIR(type, reg, ptx, constraint, function, op, qualifier, clobber) \
    HAUL_TC_DEVICE type function(const type *from) {                                 \
        reg x, y;                                                                    \
        asm qualifier("ld.global." op "." ptx " {%0, %1}, [%2];"                     \
                      : "=" constraint(x), "=" constraint(y)                         \
                      : "l"(from)clobber);                                           \
        return make_##type(x, y);                                                    \
    }
#define HAUL_LOAD_QUAD(type, reg, ptx, constraint, function, op, qualifier, clobber)               \
    HAUL_TC_DEVICE type function(const type *from) {                                               \
        reg x, y, z, w;                                                                            \
        asm qualifier("ld.global." op "." ptx " {%0, %1, %2, %3}, [%4];"                           \
                      : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w) \
                      : "l"(from)clobber);                                                         \
        return make_##type(x, y, z, w);                                                            \
    }
#define HAUL_LOADS(function, op, qualifier, clobber)                 \
    HAUL_SCALARS(HAUL_LOAD_SCALAR, function, op, qualifier, clobber) \
    HAUL_PAIRS(HAUL_LOAD_PAIR, function, op, qualifier, clobber)     \
    HAUL_QUADS(HAUL_LOAD_QUAD, function, op, qualifier, clobber)

/* Data that __ldg reads does not change while the kernel runs, so the compiler may move or merge the loads; the others
 * stay where they are written. */
HAUL_LOADS(__ldg, "nc", , )
HAUL_LOADS(__ldca, "ca", volatile, : "memory")
HAUL_LOADS(__ldcg, "cg", volatile, : "memory")
HAUL_LOADS(__ldcs, "cs", volatile, : "memory")
HAUL_LOADS(__ldlu, "lu", volatile, : "memory")
HAUL_LOADS(__ldcv, "cv", volatile, : "memory")
#undef HAUL_LOADS
#undef HAUL_LOAD_SCALAR
#undef HAUL_LOAD_PAIR
#undef HAUL_LOAD_QUAD

#define HAUL_STORE_SCALAR(type, reg, ptx, constraint, function, op)                                      \
    HAUL_TC_DEVICE void function(type *to, type value) {                                                 \
        asm volatile("st.global." op "." ptx " [%0], %1;" ::"l"(to), constraint((reg)value) : "memory"); \
    }
#define HAUL_STORE_PAIR(type, reg, ptx, constraint, function, op)                                    \
    HAUL_TC_DEVICE void function(type *to, type value) {                                             \
        asm volatile("st.global." op "." ptx " [%0], {%1, %2};" ::"l"(to), constraint((reg)value.x), \
                     constraint((reg)value.y)                                                        \
                     : "memory");                                                                    \
    }
#define HAUL_STORE_QUAD(type, reg, ptx, constraint, function, op)                                            \
    HAUL_TC_DEVICE void function(type *to, type value) {                                                     \
        asm volatile("st.global." op "." ptx " [%0], {%1, %2, %3, %4};" ::"l"(to), constraint((reg)value.x), \
                     constraint((reg)value.y), constraint((reg)value.z), constraint((reg)value.w)            \
                     : "memory");                                                                            \
    }
#define HAUL_STORES(function, op)                 \
    HAUL_SCALARS(HAUL_STORE_SCALAR, function, op) \
    HAUL_PAIRS(HAUL_STORE_PAIR, function, op)     \
    HAUL_QUADS(HAUL_STORE_QUAD, function, op)
HAUL_STORES(__stwb, "wb")
HAUL_STORES(__stcg, "cg")
HAUL_STORES(__stcs, "cs")
HAUL_STORES(__stwt, "wt")
#undef HAUL_STORES
#undef HAUL_STORE_SCALAR
#undef HAUL_STORE_PAIR
#undef HAUL_STORE_QUAD
#undef HAUL_SCALARS
#undef HAUL_PAIRS
#undef HAUL_QUADS

#endif
