/* Definitions for all parts of haul/device.h: how functions are declared, addresses of shared memory, thread numbers,
 * and the failures of a debug build.
 *
 * Define these before the first include of haul/device.h, the same way in a whole program:
 *   HAUL_DEBUG           checks roles, stages, flags, pointers, alignments and team sizes, and bounds every wait:
 *                        instead of hanging, a kernel traps with the name of the pipeline, the stage and the role
 *   HAUL_DEBUG_SPINS     how often a bounded wait polls before it gives up (default 2^24)
 *   HAUL_BLOCK_IS_1D     promises that blocks have an x extent only: thread numbers take one instruction */
#ifndef HAUL_DEVICE_CONFIG_H
#define HAUL_DEVICE_CONFIG_H

#include <haul/fields.h>

#define HAUL_DEVICE static __device__ __forceinline__
#define HAUL_UNROLL _Pragma("unroll")

#if HAUL_ARCH < 70
#error "haul/device.h needs sm_70 or later: compile with -arch=sm_70, sm_80, sm_90 or newer"
#endif

#ifndef HAUL_DEBUG_SPINS
#define HAUL_DEBUG_SPINS (1u << 24)
#endif

extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                                        size_t character_bytes);

/* Ends the launch. CUDA prints: "OBJECT:STAGE: ROLE: block: [..], thread: [..] Assertion `WHAT` failed." */
HAUL_DEVICE void haul_device_fail(const char *object, unsigned stage, const char *role, const char *what) {
    __assertfail(what, object, stage, role, 1);
}

/* A check of constant descriptors, made in every build because a compiler may delete a whole kernel with such undefined
 * behaviour. It costs no instruction if the condition holds. */
#define HAUL_REQUIRE(condition, object, stage, role, what)             \
    do {                                                               \
        if (!(condition)) haul_device_fail(object, stage, role, what); \
    } while (0)

/* Clang refuses to compile a mistake that it can prove after inlining. With other compilers, or if the mistake depends
 * on the run, HAUL_REQUIRE ends the launch. HAUL_REFUSAL declares the function that stands for the mistake. */
#if defined(__clang__)
#if __has_attribute(error)
#define HAUL_REFUSAL(mistake, text) extern "C" __device__ void mistake(void) __attribute__((error(text)))
#define HAUL_REFUSE_KNOWN(condition, mistake)                              \
    do {                                                                   \
        if (__builtin_constant_p(!(condition)) && !(condition)) mistake(); \
    } while (0)
#endif
#endif
#ifndef HAUL_REFUSAL
#define HAUL_REFUSAL(mistake, text)
#define HAUL_REFUSE_KNOWN(condition, mistake) \
    do {                                      \
    } while (0)
#endif

#ifdef HAUL_DEBUG
#define HAUL_EXPECT(condition, object, stage, role, what) HAUL_REQUIRE(condition, object, stage, role, what)
#else
#define HAUL_EXPECT(condition, object, stage, role, what) \
    do {                                                  \
    } while (0)
#endif

/* The compiler refuses null pointers if it sees them: clang by the parameters' names, after the declaration, nvcc and
 * NVRTC by their numbers, before it. A null pointer to shared memory is a valid address. */
#ifdef __clang__
#define HAUL_GIVEN(p) __attribute__((diagnose_if(!(p), "haul: the pointer `" #p "` is null", "error")))
#define HAUL_GIVEN_NUMBERS(...)
#else
#define HAUL_GIVEN(p)
#define HAUL_GIVEN_NUMBERS(...) __attribute__((nonnull(__VA_ARGS__)))
#ifdef __CUDACC__
#pragma nv_diag_error 1622 /* null argument provided for parameter marked with attribute "nonnull" */
#endif
#endif

/* The 32-bit address within the block's shared memory, as instructions take it. */
HAUL_DEVICE unsigned haul_shared_address(const void *shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

/* This thread's number in its block, and the block's number of threads. */
HAUL_DEVICE unsigned haul_thread_rank(void) {
#ifdef HAUL_BLOCK_IS_1D
    return threadIdx.x;
#else
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
#endif
}

HAUL_DEVICE unsigned haul_block_threads(void) {
#ifdef HAUL_BLOCK_IS_1D
    return blockDim.x;
#else
    return blockDim.x * blockDim.y * blockDim.z;
#endif
}

HAUL_DEVICE unsigned haul_lane(void) {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* An address in the global space. Generic loads of a list do not use it: a list may lie in shared memory. */
HAUL_DEVICE unsigned long long haul_global_address(const void *global) {
    return (unsigned long long)__cvta_generic_to_global(global);
}

HAUL_DEVICE unsigned haul_smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

#endif
