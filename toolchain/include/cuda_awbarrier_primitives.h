/* The mbarrier primitives: asynchronous barriers in shared memory. */
#ifndef HAUL_TOOLCHAIN_CUDA_AWBARRIER_PRIMITIVES_H
#define HAUL_TOOLCHAIN_CUDA_AWBARRIER_PRIMITIVES_H

#include "cuda_runtime.h"

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

#define HAUL_BARRIER_ADDRESS(barrier) "r"((unsigned int)__cvta_generic_to_shared(barrier))

HAUL_TC_DEVICE unsigned int __mbarrier_maximum_count() {
    return (1u << 14) - 1;
}

HAUL_TC_DEVICE void __mbarrier_init(__mbarrier_t *barrier, unsigned int expected) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::HAUL_BARRIER_ADDRESS(barrier), "r"(expected) : "memory");
}
HAUL_TC_DEVICE void __mbarrier_inval(__mbarrier_t *barrier) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::HAUL_BARRIER_ADDRESS(barrier) : "memory");
}

#define HAUL_BARRIER_ARRIVE(function, op)                                                                              \
    HAUL_TC_DEVICE __mbarrier_token_t function(__mbarrier_t *barrier) {                                                \
        __mbarrier_token_t token;                                                                                      \
        asm volatile("mbarrier." op ".shared.b64 %0, [%1];" : "=l"(token) : HAUL_BARRIER_ADDRESS(barrier) : "memory"); \
        return token;                                                                                                  \
    }
HAUL_BARRIER_ARRIVE(__mbarrier_arrive, "arrive")
HAUL_BARRIER_ARRIVE(__mbarrier_arrive_and_drop, "arrive_drop")
#undef HAUL_BARRIER_ARRIVE

HAUL_TC_DEVICE unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
    unsigned int count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}

/* One test of a phase, named by the token of an arrival or by its parity. */
#define HAUL_BARRIER_TEST(function, op, type, constraint)                                       \
    HAUL_TC_DEVICE bool function(__mbarrier_t *barrier, type phase) {                           \
        unsigned int done;                                                                      \
        asm volatile("{ .reg .pred p; mbarrier." op ".b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" \
                     : "=r"(done)                                                               \
                     : HAUL_BARRIER_ADDRESS(barrier), constraint(phase)                         \
                     : "memory");                                                               \
        return done != 0;                                                                       \
    }
HAUL_BARRIER_TEST(__mbarrier_test_wait, "test_wait.shared", __mbarrier_token_t, "l")
HAUL_BARRIER_TEST(haul_tc_test_parity, "test_wait.parity.shared", unsigned int, "r")

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
HAUL_TC_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
    return haul_tc_test_parity(barrier, parity);
}

/* As the tests, but the thread may be suspended for up to `ns` nanoseconds before the answer is no. */
#define HAUL_BARRIER_TRY(function, op, type, constraint)                                            \
    HAUL_TC_DEVICE bool function(__mbarrier_t *barrier, type phase, unsigned int ns) {              \
        unsigned int done;                                                                          \
        asm volatile("{ .reg .pred p; mbarrier." op ".b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }" \
                     : "=r"(done)                                                                   \
                     : HAUL_BARRIER_ADDRESS(barrier), constraint(phase), "r"(ns)                    \
                     : "memory");                                                                   \
        return done != 0;                                                                           \
    }
HAUL_BARRIER_TRY(__mbarrier_try_wait, "try_wait.shared", __mbarrier_token_t, "l")
HAUL_BARRIER_TRY(haul_tc_try_parity, "try_wait.parity.shared", unsigned int, "r")
HAUL_TC_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, unsigned int ns) {
    return haul_tc_try_parity(barrier, parity, ns);
}
#undef HAUL_BARRIER_TRY
#endif
#undef HAUL_BARRIER_TEST
#undef HAUL_BARRIER_ADDRESS

#endif
#endif
