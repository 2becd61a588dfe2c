/* Atomic read-modify-write functions in device, block and system scope.
 *
 * Those of device scope are clang built-ins, so that the compiler sees the address space and writes atom.global or
 * atom.shared rather than the generic form. The scoped ones are spelled in PTX: clang has built-ins for them, but
 * compiles unsigned minimum and maximum to the signed instructions. */
#ifndef HAUL_TOOLCHAIN_ATOMICS_H
#define HAUL_TOOLCHAIN_ATOMICS_H

#include "device.h"

/* ROW(function, type, operation of the built-in, its type suffix, the built-in's own type, PTX operation and type,
 *     register constraint) */
#define HAUL_ATOMICS(ROW)                                                            \
    ROW(atomicAdd, int, add, i, int, "add.u32", "r")                                 \
    ROW(atomicAdd, unsigned int, add, i, int, "add.u32", "r")                        \
    ROW(atomicAdd, unsigned long long, add, ll, long long, "add.u64", "l")           \
    ROW(atomicAdd, float, add, f, float, "add.f32", "f")                             \
    ROW(atomicAdd, double, add, d, double, "add.f64", "d")                           \
    ROW(atomicExch, int, xchg, i, int, "exch.b32", "r")                              \
    ROW(atomicExch, unsigned int, xchg, i, int, "exch.b32", "r")                     \
    ROW(atomicExch, unsigned long long, xchg, ll, long long, "exch.b64", "l")        \
    ROW(atomicExch, float, xchg, i, int, "exch.b32", "f")                            \
    ROW(atomicMin, int, min, i, int, "min.s32", "r")                                 \
    ROW(atomicMin, unsigned int, min, ui, unsigned int, "min.u32", "r")              \
    ROW(atomicMin, long long, min, ll, long long, "min.s64", "l")                    \
    ROW(atomicMin, unsigned long long, min, ull, unsigned long long, "min.u64", "l") \
    ROW(atomicMax, int, max, i, int, "max.s32", "r")                                 \
    ROW(atomicMax, unsigned int, max, ui, unsigned int, "max.u32", "r")              \
    ROW(atomicMax, long long, max, ll, long long, "max.s64", "l")                    \
    ROW(atomicMax, unsigned long long, max, ull, unsigned long long, "max.u64", "l") \
    ROW(atomicInc, unsigned int, inc, ui, unsigned int, "inc.u32", "r")              \
    ROW(atomicDec, unsigned int, dec, ui, unsigned int, "dec.u32", "r")              \
    ROW(atomicAnd, int, and, i, int, "and.b32", "r")                                 \
    ROW(atomicAnd, unsigned int, and, i, int, "and.b32", "r")                        \
    ROW(atomicAnd, unsigned long long, and, ll, long long, "and.b64", "l")           \
    ROW(atomicOr, int, or, i, int, "or.b32", "r")                                    \
    ROW(atomicOr, unsigned int, or, i, int, "or.b32", "r")                           \
    ROW(atomicOr, unsigned long long, or, ll, long long, "or.b64", "l")              \
    ROW(atomicXor, int, xor, i, int, "xor.b32", "r")                                 \
    ROW(atomicXor, unsigned int, xor, i, int, "xor.b32", "r")                        \
    ROW(atomicXor, unsigned long long, xor, ll, long long, "xor.b64", "l")

#define HAUL_ATOMIC_SCOPED(function, type, operation, constraint) \
    HAUL_TC_DEVICE type function(type *address, type value) {     \
        type old;                                                 \
        asm volatile("atom." operation " %0, [%1], %2;"           \
                     : "=" constraint(old)                        \
                     : "l"(address), constraint(value)            \
                     : "memory");                                 \
        return old;                                               \
    }
#define HAUL_ATOMIC(function, type, op, suffix, own, operation, constraint)                                   \
    HAUL_TC_DEVICE type function(type *address, type value) {                                                 \
        return haul_tc_bits<type>(__nvvm_atom_##op##_gen_##suffix((own *)address, haul_tc_bits<own>(value))); \
    }                                                                                                         \
    HAUL_ATOMIC_SCOPED(function##_block, type, "cta." operation, constraint)                                  \
    HAUL_ATOMIC_SCOPED(function##_system, type, "sys." operation, constraint)
HAUL_ATOMICS(HAUL_ATOMIC)
#undef HAUL_ATOMIC
#undef HAUL_ATOMIC_SCOPED
#undef HAUL_ATOMICS

#define HAUL_ATOMIC_SUB(type, scope)                                              \
    HAUL_TC_DEVICE type atomicSub##scope(type *address, type value) {             \
        return (type)atomicAdd##scope(address, (type)(0u - (unsigned int)value)); \
    }
HAUL_ATOMIC_SUB(int, )
HAUL_ATOMIC_SUB(unsigned int, )
HAUL_ATOMIC_SUB(int, _block)
HAUL_ATOMIC_SUB(unsigned int, _block)
HAUL_ATOMIC_SUB(int, _system)
HAUL_ATOMIC_SUB(unsigned int, _system)
#undef HAUL_ATOMIC_SUB

#define HAUL_ATOMIC_CAS_SCOPED(function, type, operation, constraint)       \
    HAUL_TC_DEVICE type function(type *address, type compare, type value) { \
        type old;                                                           \
        asm volatile("atom." operation " %0, [%1], %2, %3;"                 \
                     : "=" constraint(old)                                  \
                     : "l"(address), constraint(compare), constraint(value) \
                     : "memory");                                           \
        return old;                                                         \
    }
#define HAUL_ATOMIC_CAS(type, suffix, own, bits, constraint)                                 \
    HAUL_TC_DEVICE type atomicCAS(type *address, type compare, type value) {                 \
        return (type)__nvvm_atom_cas_gen_##suffix((own *)address, (own)compare, (own)value); \
    }                                                                                        \
    HAUL_ATOMIC_CAS_SCOPED(atomicCAS_block, type, "cta.cas.b" bits, constraint)              \
    HAUL_ATOMIC_CAS_SCOPED(atomicCAS_system, type, "sys.cas.b" bits, constraint)
HAUL_ATOMIC_CAS(int, i, int, "32", "r")
HAUL_ATOMIC_CAS(unsigned int, i, int, "32", "r")
HAUL_ATOMIC_CAS(unsigned long long, ll, long long, "64", "l")
#undef HAUL_ATOMIC_CAS
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
HAUL_ATOMIC_CAS_SCOPED(atomicCAS, unsigned short, "cas.b16", "h")
#endif
#undef HAUL_ATOMIC_CAS_SCOPED

/* Vector additions: global memory only, each component atomic by itself. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAUL_ATOMIC_VECTOR(function, scope)                                                      \
    HAUL_TC_DEVICE float2 function(float2 *address, float2 value) {                              \
        float2 old;                                                                              \
        asm volatile("atom.global" scope ".v2.f32.add {%0, %1}, [%2], {%3, %4};"                 \
                     : "=f"(old.x), "=f"(old.y)                                                  \
                     : "l"(address), "f"(value.x), "f"(value.y)                                  \
                     : "memory");                                                                \
        return old;                                                                              \
    }                                                                                            \
    HAUL_TC_DEVICE float4 function(float4 *address, float4 value) {                              \
        float4 old;                                                                              \
        asm volatile("atom.global" scope ".v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" \
                     : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                        \
                     : "l"(address), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)      \
                     : "memory");                                                                \
        return old;                                                                              \
    }
HAUL_ATOMIC_VECTOR(atomicAdd, "")
HAUL_ATOMIC_VECTOR(atomicAdd_block, ".cta")
HAUL_ATOMIC_VECTOR(atomicAdd_system, ".sys")
#undef HAUL_ATOMIC_VECTOR
#endif

#endif
