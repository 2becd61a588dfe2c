/* Atomic read-modify-write functions in device, block and system scope.
 *
 * They are clang built-ins where clang has them in every version that we serve, so that the compiler sees the
 * address space and writes atom.global or atom.shared rather than the generic form. */
#ifndef HAUL_TOOLCHAIN_ATOMICS_H
#define HAUL_TOOLCHAIN_ATOMICS_H

#include "device.h"

/* ROW(function, type, operation of the built-in, its type suffix, the built-in's own type) */
#define HAUL_ATOMICS(ROW)                                                           \
    ROW(atomicAdd, int, add, i, int)                                                \
    ROW(atomicAdd, unsigned int, add, i, int)                                       \
    ROW(atomicAdd, unsigned long long, add, ll, long long)                          \
    ROW(atomicAdd, float, add, f, float)                                            \
    ROW(atomicAdd, double, add, d, double)                                          \
    ROW(atomicExch, int, xchg, i, int)                                              \
    ROW(atomicExch, unsigned int, xchg, i, int)                                     \
    ROW(atomicExch, unsigned long long, xchg, ll, long long)                        \
    ROW(atomicExch, float, xchg, i, int)                                            \
    ROW(atomicMin, int, min, i, int)                                                \
    ROW(atomicMin, unsigned int, min, ui, unsigned int)                             \
    ROW(atomicMin, long long, min, ll, long long)                                   \
    ROW(atomicMin, unsigned long long, min, ull, unsigned long long)                \
    ROW(atomicMax, int, max, i, int)                                                \
    ROW(atomicMax, unsigned int, max, ui, unsigned int)                             \
    ROW(atomicMax, long long, max, ll, long long)                                   \
    ROW(atomicMax, unsigned long long, max, ull, unsigned long long)                \
    ROW(atomicInc, unsigned int, inc, ui, unsigned int)                             \
    ROW(atomicDec, unsigned int, dec, ui, unsigned int)                             \
    ROW(atomicAnd, int, and, i, int)                                                \
    ROW(atomicAnd, unsigned int, and, i, int)                                       \
    ROW(atomicAnd, unsigned long long, and, ll, long long)                          \
    ROW(atomicOr, int, or, i, int)                                                  \
    ROW(atomicOr, unsigned int, or, i, int)                                         \
    ROW(atomicOr, unsigned long long, or, ll, long long)                            \
    ROW(atomicXor, int, xor, i, int)                                                \
    ROW(atomicXor, unsigned int, xor, i, int)                                       \
    ROW(atomicXor, unsigned long long, xor, ll, long long)

#define HAUL_ATOMIC(function, type, builtin, own)                                                       \
    HAUL_TC_DEVICE type function(type *address, type value) {                                           \
        return haul_tc_bits<type>(builtin((own *)address, haul_tc_bits<own>(value)));                   \
    }
#define HAUL_ATOMIC_SCOPES(function, type, op, suffix, own)                     \
    HAUL_ATOMIC(function, type, __nvvm_atom_##op##_gen_##suffix, own)           \
    HAUL_ATOMIC(function##_block, type, __nvvm_atom_cta_##op##_gen_##suffix, own) \
    HAUL_ATOMIC(function##_system, type, __nvvm_atom_sys_##op##_gen_##suffix, own)
HAUL_ATOMICS(HAUL_ATOMIC_SCOPES)
#undef HAUL_ATOMIC_SCOPES
#undef HAUL_ATOMIC
#undef HAUL_ATOMICS

#define HAUL_ATOMIC_SUB(type, scope)                                            \
    HAUL_TC_DEVICE type atomicSub##scope(type *address, type value) {           \
        return (type)atomicAdd##scope(address, (type)(0u - (unsigned int)value)); \
    }
HAUL_ATOMIC_SUB(int, )
HAUL_ATOMIC_SUB(unsigned int, )
HAUL_ATOMIC_SUB(int, _block)
HAUL_ATOMIC_SUB(unsigned int, _block)
HAUL_ATOMIC_SUB(int, _system)
HAUL_ATOMIC_SUB(unsigned int, _system)
#undef HAUL_ATOMIC_SUB

#define HAUL_ATOMIC_CAS(function, type, builtin, own)                                   \
    HAUL_TC_DEVICE type function(type *address, type compare, type value) {             \
        return (type)builtin((own *)address, (own)compare, (own)value);                 \
    }
#define HAUL_ATOMIC_CAS_SCOPES(type, suffix, own)                                       \
    HAUL_ATOMIC_CAS(atomicCAS, type, __nvvm_atom_cas_gen_##suffix, own)                 \
    HAUL_ATOMIC_CAS(atomicCAS_block, type, __nvvm_atom_cta_cas_gen_##suffix, own)       \
    HAUL_ATOMIC_CAS(atomicCAS_system, type, __nvvm_atom_sys_cas_gen_##suffix, own)
HAUL_ATOMIC_CAS_SCOPES(int, i, int)
HAUL_ATOMIC_CAS_SCOPES(unsigned int, i, int)
HAUL_ATOMIC_CAS_SCOPES(unsigned long long, ll, long long)
#undef HAUL_ATOMIC_CAS_SCOPES
#undef HAUL_ATOMIC_CAS

#if __CUDA_ARCH__ >= 700
#define HAUL_ATOMIC_CAS_SHORT(function, scope)                                                                      \
    HAUL_TC_DEVICE unsigned short function(unsigned short *address, unsigned short compare, unsigned short value) { \
        unsigned short old;                                                                                         \
        asm volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;"                                                      \
                     : "=h"(old)                                                                                    \
                     : "l"(address), "h"(compare), "h"(value)                                                       \
                     : "memory");                                                                                   \
        return old;                                                                                                 \
    }
HAUL_ATOMIC_CAS_SHORT(atomicCAS, "")
HAUL_ATOMIC_CAS_SHORT(atomicCAS_block, ".cta")
HAUL_ATOMIC_CAS_SHORT(atomicCAS_system, ".sys")
#undef HAUL_ATOMIC_CAS_SHORT
#endif

/* Vector additions: global memory only, each component atomic by itself. */
#if __CUDA_ARCH__ >= 900
#define HAUL_ATOMIC_VECTOR(function, scope)                                                                     \
    HAUL_TC_DEVICE float2 function(float2 *address, float2 value) {                                             \
        float2 old;                                                                                             \
        asm volatile("atom.global" scope ".v2.f32.add {%0, %1}, [%2], {%3, %4};"                                \
                     : "=f"(old.x), "=f"(old.y)                                                                 \
                     : "l"(address), "f"(value.x), "f"(value.y)                                                 \
                     : "memory");                                                                               \
        return old;                                                                                             \
    }                                                                                                           \
    HAUL_TC_DEVICE float4 function(float4 *address, float4 value) {                                             \
        float4 old;                                                                                             \
        asm volatile("atom.global" scope ".v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                \
                     : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                                       \
                     : "l"(address), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)                     \
                     : "memory");                                                                               \
        return old;                                                                                             \
    }
HAUL_ATOMIC_VECTOR(atomicAdd, "")
HAUL_ATOMIC_VECTOR(atomicAdd_block, ".cta")
HAUL_ATOMIC_VECTOR(atomicAdd_system, ".sys")
#undef HAUL_ATOMIC_VECTOR
#endif

#endif
