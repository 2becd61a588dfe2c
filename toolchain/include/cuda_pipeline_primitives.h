/* The pipeline primitives: asynchronous copies from global to shared memory, in groups that a thread waits for. */
#ifndef HAUL_TOOLCHAIN_CUDA_PIPELINE_PRIMITIVES_H
#define HAUL_TOOLCHAIN_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"
#include "cuda_awbarrier_primitives.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/* If the size to read is a constant (all, or nothing), it is an immediate, as with nvcc. Both compilers then issue the
 * same number of copies under divergence. */
#define HAUL_COPY_ASYNC(op, bytes, to, from, zfill)                                                                   \
    do {                                                                                                              \
        if ((zfill) == 0)                                                                                             \
            asm volatile("cp.async." op ".shared.global [%0], [%1], " #bytes ", " #bytes ";" ::"r"(to), "l"(from)     \
                         : "memory");                                                                                 \
        else if ((zfill) == bytes)                                                                                    \
            asm volatile("cp.async." op ".shared.global [%0], [%1], " #bytes ", 0;" ::"r"(to), "l"(from) : "memory"); \
        else                                                                                                          \
            asm volatile("cp.async." op ".shared.global [%0], [%1], " #bytes ", %2;" ::"r"(to), "l"(from),            \
                         "r"(bytes - (unsigned int)(zfill))                                                           \
                         : "memory");                                                                                 \
    } while (0)

/* Copies `size` bytes (4, 8 or 16, both sides aligned to it); the last `zfill` of them are zero and not read.
 * 16 bytes go around L1, fewer through it: that is what the hardware offers. */
HAUL_TC_DEVICE void __pipeline_memcpy_async(void *__restrict__ to_shared, const void *__restrict__ from_global,
                                            size_t size, size_t zfill = 0) {
    const unsigned int to = (unsigned int)__cvta_generic_to_shared(to_shared);
    if (size == 4)
        HAUL_COPY_ASYNC("ca", 4, to, from_global, zfill);
    else if (size == 8)
        HAUL_COPY_ASYNC("ca", 8, to, from_global, zfill);
    else if (size == 16)
        HAUL_COPY_ASYNC("cg", 16, to, from_global, zfill);
    else
        __trap();
}
#undef HAUL_COPY_ASYNC

HAUL_TC_DEVICE void __pipeline_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* All but the newest `prior` groups of the calling thread have arrived. A macro-like switch, because the
 * instruction takes an immediate; more than 8 waits for 8, which is stricter than asked. */
HAUL_TC_DEVICE void __pipeline_wait_prior(size_t prior) {
#define HAUL_WAIT(n) \
    case n: asm volatile("cp.async.wait_group " #n ";" ::: "memory"); break;
    switch (prior) {
        HAUL_WAIT(0)
        HAUL_WAIT(1)
        HAUL_WAIT(2)
        HAUL_WAIT(3)
        HAUL_WAIT(4)
        HAUL_WAIT(5)
        HAUL_WAIT(6)
        HAUL_WAIT(7)
    default: asm volatile("cp.async.wait_group 8;" ::: "memory"); break;
    }
#undef HAUL_WAIT
}

/* The barrier's current phase also waits for the copies that this thread has issued so far. */
HAUL_TC_DEVICE void __pipeline_arrive_on(__mbarrier_t *barrier) {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned int)__cvta_generic_to_shared(barrier))
                 : "memory");
}

#else /* before sm_80 a copy is done when the call returns, as with nvcc */

HAUL_TC_DEVICE void __pipeline_memcpy_async(void *__restrict__ to_shared, const void *__restrict__ from_global,
                                            size_t size, size_t zfill = 0) {
    if (zfill == 0 && size == 4)
        *(unsigned int *)to_shared = *(const unsigned int *)from_global;
    else if (zfill == 0 && size == 8)
        *(uint2 *)to_shared = *(const uint2 *)from_global;
    else if (zfill == 0 && size == 16)
        *(uint4 *)to_shared = *(const uint4 *)from_global;
    else
        for (size_t i = 0; i < size; i++)
            ((char *)to_shared)[i] = i < size - zfill ? ((const char *)from_global)[i] : (char)0;
}

HAUL_TC_DEVICE void __pipeline_commit() {}

HAUL_TC_DEVICE void __pipeline_wait_prior(size_t) {}

#endif
#endif
