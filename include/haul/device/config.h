/* What every part of haul/device.h uses: how functions are declared, addresses of shared memory, threads, and what a
 * debug build does when something goes wrong.
 *
 * Define before the first include of haul/device.h, the same way in a whole program:
 *   HAUL_DEBUG           checks roles, stages, alignments and team sizes, and bounds every wait: instead of hanging, a
 *                        kernel traps with the name of the pipeline, the stage and the role
 *   HAUL_DEBUG_SPINS     how often a bounded wait asks before it gives up (default 2^24)
 *   HAUL_BLOCK_IS_1D     promises that blocks have an x extent only: thread numbers take one instruction */
#ifndef HAUL_DEVICE_CONFIG_H
#define HAUL_DEVICE_CONFIG_H

#include <haul/transfer.h>

#define HAUL_DEVICE static __device__ __forceinline__
#define HAUL_UNROLL _Pragma("unroll")

#ifdef __CUDA_ARCH__
#define HAUL_ARCH (__CUDA_ARCH__ / 10)
#if __CUDA_ARCH__ < 800
#error "haul/device.h needs sm_80 or later: compile with -arch=sm_80, sm_90 or newer"
#endif
#else
#define HAUL_ARCH 90 /* the host's pass over a .cu file: device code is only parsed */
#endif

#ifndef HAUL_DEBUG_SPINS
#define HAUL_DEBUG_SPINS (1u << 24)
#endif

#ifdef HAUL_DEBUG
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                                        size_t character_bytes);

/* Ends the launch. What CUDA prints reads: "OBJECT:STAGE: ROLE: block: [..], thread: [..] Assertion `WHAT` failed." */
HAUL_DEVICE void haul_device_fail(const char *object, unsigned stage, const char *role, const char *what) {
    __assertfail(what, object, stage, role, 1);
}
#define HAUL_EXPECT(condition, object, stage, role, what)              \
    do {                                                               \
        if (!(condition)) haul_device_fail(object, stage, role, what); \
    } while (0)
#else
#define HAUL_EXPECT(condition, object, stage, role, what) \
    do {                                                  \
    } while (0)
#endif

/* The 32-bit address within the block's shared memory that instructions take. */
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

/* An address in the global space, which generic loads of a list may not be in: a list may lie in shared memory. */
HAUL_DEVICE unsigned long long haul_global_address(const void *global) {
    return (unsigned long long)__cvta_generic_to_global(global);
}

HAUL_DEVICE unsigned haul_smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

#endif
