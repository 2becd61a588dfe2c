/* Single accesses with their cache operators, and the asynchronous copies of one thread: the instructions under the
 * engines.
 *
 * A value of up to 16 bytes travels in a uint4, from its first word on. Widths are 1, 2, 4, 8 or 16 bytes, and
 * addresses are multiples of the width. Only the cache bits of a transfer's flags `how` are used. Everything folds to
 * single instructions if width and how are constants. */
#ifndef HAUL_DEVICE_MEMORY_H
#define HAUL_DEVICE_MEMORY_H

#include <haul/device/config.h>

/* ---- policies: eviction priorities in L2 ---- */

HAUL_DEVICE unsigned long long haul_l2_policy(haul_how how) {
    unsigned long long policy = 0;
    const haul_how evict = how & HAUL_L2_EVICT_BITS;
#if HAUL_HAS_LDGSTS
    if (evict == HAUL_L2_EVICT_FIRST) asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if (evict == HAUL_L2_EVICT_LAST) asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (evict == HAUL_L2_EVICT_UNCHANGED)
        asm("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(policy));
#else
    (void)evict;
#endif
    return policy;
}

/* ---- global loads ---- */

/* Plain loads of any width. */
HAUL_DEVICE void haul_load_ca(uint4 *v, unsigned long long p, unsigned width) {
    unsigned short half;
    if (width == 16) {
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                     : "l"(p)
                     : "memory");
    } else if (width == 8) {
        asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v->x), "=r"(v->y) : "l"(p) : "memory");
    } else if (width == 4) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v->x) : "l"(p) : "memory");
    } else if (width == 2) {
        asm volatile("ld.global.u16 %0, [%1];" : "=h"(half) : "l"(p) : "memory");
        v->x = half;
    } else {
        asm volatile("ld.global.u8 %0, [%1];" : "=r"(v->x) : "l"(p) : "memory");
    }
}

/* Loads of 4, 8 and 16 bytes: `operation` stands between "ld.global" and the type, `operand` follows the address. */
#define HAUL_LOAD_FORM(operation, operand)                                                     \
    do {                                                                                       \
        if (width == 16)                                                                       \
            asm volatile("ld.global" operation ".v4.u32 {%0, %1, %2, %3}, [%4]" operand(5) ";" \
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)                      \
                         : "l"(p), "l"(policy)                                                 \
                         : "memory");                                                          \
        else if (width == 8)                                                                   \
            asm volatile("ld.global" operation ".v2.u32 {%0, %1}, [%2]" operand(3) ";"         \
                         : "=r"(v->x), "=r"(v->y)                                              \
                         : "l"(p), "l"(policy)                                                 \
                         : "memory");                                                          \
        else                                                                                   \
            asm volatile("ld.global" operation ".u32 %0, [%1]" operand(2) ";"                  \
                         : "=r"(v->x)                                                          \
                         : "l"(p), "l"(policy)                                                 \
                         : "memory");                                                          \
    } while (0)
#define HAUL_NO_POLICY(n) ""
#define HAUL_WITH_POLICY(n) ", %" #n

/* Loads with an operator, a fetch size or an eviction priority. */
HAUL_DEVICE void haul_load_qualified(uint4 *v, unsigned long long p, unsigned width, haul_how how) {
    const unsigned long long policy = haul_l2_policy(how);
    if (HAUL_HAS_LDGSTS && how & HAUL_L2_EVICT_BITS)
        HAUL_LOAD_FORM(".L2::cache_hint", HAUL_WITH_POLICY);
    else if (HAUL_ARCH >= 75 && how & HAUL_L2_FETCH_64)
        HAUL_LOAD_FORM(".L2::64B", HAUL_NO_POLICY);
    else if (HAUL_ARCH >= 75 && how & HAUL_L2_FETCH_128)
        HAUL_LOAD_FORM(".L2::128B", HAUL_NO_POLICY);
    else if (HAUL_HAS_LDGSTS && how & HAUL_L2_FETCH_256)
        HAUL_LOAD_FORM(".L2::256B", HAUL_NO_POLICY);
    else if (how & HAUL_LOAD_CG)
        HAUL_LOAD_FORM(".cg", HAUL_NO_POLICY);
    else if (how & HAUL_LOAD_CS)
        HAUL_LOAD_FORM(".cs", HAUL_NO_POLICY);
    else if (how & HAUL_LOAD_LU)
        HAUL_LOAD_FORM(".lu", HAUL_NO_POLICY);
    else
        HAUL_LOAD_FORM(".cv", HAUL_NO_POLICY);
}

/* Read-only loads, with any of these. */
HAUL_DEVICE void haul_load_read_only(uint4 *v, unsigned long long p, unsigned width, haul_how how) {
    const unsigned long long policy = haul_l2_policy(how);
    if (HAUL_HAS_LDGSTS && how & HAUL_L2_EVICT_BITS && how & HAUL_LOAD_NO_ALLOCATE)
        HAUL_LOAD_FORM(".nc.L1::no_allocate.L2::cache_hint", HAUL_WITH_POLICY);
    else if (HAUL_HAS_LDGSTS && how & HAUL_L2_EVICT_BITS)
        HAUL_LOAD_FORM(".nc.L2::cache_hint", HAUL_WITH_POLICY);
    else if (HAUL_ARCH >= 75 && how & HAUL_L2_FETCH_64)
        HAUL_LOAD_FORM(".nc.L2::64B", HAUL_NO_POLICY);
    else if (HAUL_ARCH >= 75 && how & HAUL_L2_FETCH_128)
        HAUL_LOAD_FORM(".nc.L2::128B", HAUL_NO_POLICY);
    else if (HAUL_HAS_LDGSTS && how & HAUL_L2_FETCH_256)
        HAUL_LOAD_FORM(".nc.L2::256B", HAUL_NO_POLICY);
    else if (how & HAUL_LOAD_CG)
        HAUL_LOAD_FORM(".cg.nc", HAUL_NO_POLICY);
    else if (how & HAUL_LOAD_CS)
        HAUL_LOAD_FORM(".cs.nc", HAUL_NO_POLICY);
    else if (how & HAUL_LOAD_NO_ALLOCATE)
        HAUL_LOAD_FORM(".nc.L1::no_allocate", HAUL_NO_POLICY);
    else
        HAUL_LOAD_FORM(".nc", HAUL_NO_POLICY);
}

/* Loads `width` bytes of global memory, as `how` says (1 and 2 bytes: without operators). Weak; ordered only with the
 * thread's own accesses. */
HAUL_DEVICE void haul_load_global(uint4 *v, unsigned long long p, unsigned width, haul_how how) {
    const haul_how plain = HAUL_LOAD_CA; /* the default: no operator is written */
    if (width >= 4 && (how & HAUL_LOAD_NC))
        haul_load_read_only(v, p, width, how);
    else if (width >= 4 && (how & (HAUL_LOAD_BITS | HAUL_L2_EVICT_BITS | HAUL_L2_FETCH_BITS) & ~plain))
        haul_load_qualified(v, p, width, how);
    else
        haul_load_ca(v, p, width);
}

/* ---- global stores ---- */

HAUL_DEVICE void haul_store_wb(unsigned long long p, const uint4 *v, unsigned width) {
    if (width == 16)
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v->x), "r"(v->y), "r"(v->z), "r"(v->w)
                     : "memory");
    else if (width == 8)
        asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(v->x), "r"(v->y) : "memory");
    else if (width == 4)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v->x) : "memory");
    else if (width == 2)
        asm volatile("st.global.u16 [%0], %1;" ::"l"(p), "h"((unsigned short)v->x) : "memory");
    else
        asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"(v->x) : "memory");
}

#define HAUL_STORE_FORM(operation, operand)                                                                            \
    do {                                                                                                               \
        if (width == 16)                                                                                               \
            asm volatile("st.global" operation ".v4.u32 [%0], {%1, %2, %3, %4}" operand(5) ";" ::"l"(p), "r"(v->x),    \
                         "r"(v->y), "r"(v->z), "r"(v->w), "l"(policy)                                                  \
                         : "memory");                                                                                  \
        else if (width == 8)                                                                                           \
            asm volatile("st.global" operation ".v2.u32 [%0], {%1, %2}" operand(3) ";" ::"l"(p), "r"(v->x), "r"(v->y), \
                         "l"(policy)                                                                                   \
                         : "memory");                                                                                  \
        else                                                                                                           \
            asm volatile("st.global" operation ".u32 [%0], %1" operand(2) ";" ::"l"(p), "r"(v->x), "l"(policy)         \
                         : "memory");                                                                                  \
    } while (0)

/* Stores `width` bytes to global memory, as `how` says (1 and 2 bytes: without operators). Weak. */
HAUL_DEVICE void haul_store_global(unsigned long long p, const uint4 *v, unsigned width, haul_how how) {
    const haul_how operation = how & HAUL_STORE_BITS;
    const unsigned long long policy = haul_l2_policy(how);
    if (width < 4 || !(how & (HAUL_STORE_BITS | HAUL_L2_EVICT_BITS) & ~HAUL_STORE_WB))
        haul_store_wb(p, v, width);
    else if (HAUL_HAS_LDGSTS && how & HAUL_L2_EVICT_BITS)
        HAUL_STORE_FORM(".L2::cache_hint", HAUL_WITH_POLICY);
    else if (operation == HAUL_STORE_CG)
        HAUL_STORE_FORM(".cg", HAUL_NO_POLICY);
    else if (operation == HAUL_STORE_CS)
        HAUL_STORE_FORM(".cs", HAUL_NO_POLICY);
    else
        HAUL_STORE_FORM(".wt", HAUL_NO_POLICY);
}

/* ---- shared memory ---- */

HAUL_DEVICE void haul_load_shared(uint4 *v, unsigned p, unsigned width) {
    unsigned short half;
    if (width == 16) {
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                     : "r"(p)
                     : "memory");
    } else if (width == 8) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v->x), "=r"(v->y) : "r"(p) : "memory");
    } else if (width == 4) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v->x) : "r"(p) : "memory");
    } else if (width == 2) {
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(half) : "r"(p) : "memory");
        v->x = half;
    } else {
        asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v->x) : "r"(p) : "memory");
    }
}

HAUL_DEVICE void haul_store_shared(unsigned p, const uint4 *v, unsigned width) {
    if (width == 16)
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(p), "r"(v->x), "r"(v->y), "r"(v->z), "r"(v->w)
                     : "memory");
    else if (width == 8)
        asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(p), "r"(v->x), "r"(v->y) : "memory");
    else if (width == 4)
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(p), "r"(v->x) : "memory");
    else if (width == 2)
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(p), "h"((unsigned short)v->x) : "memory");
    else
        asm volatile("st.shared.u8 [%0], %1;" ::"r"(p), "r"(v->x) : "memory");
}

/* ---- additions to global memory ---- */

/* Adds the `width` bytes of v, elements of the type in `how`, to global memory; relaxed, device-wide. */
HAUL_DEVICE void haul_add_word(unsigned long long p, unsigned v, haul_how type) {
    if (type == HAUL_ADD_U32) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (type == HAUL_ADD_S32) asm volatile("red.global.add.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (type == HAUL_ADD_F32) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(__uint_as_float(v)) : "memory");
    if (type == HAUL_ADD_F16) asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(p), "r"(v) : "memory");
#if HAUL_ARCH >= 90
    if (type == HAUL_ADD_BF16) asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(p), "r"(v) : "memory");
#endif
}

HAUL_DEVICE void haul_add_pair(unsigned long long p, unsigned low, unsigned high, haul_how type) {
    const unsigned long long v = (unsigned long long)high << 32 | low;
    if (type == HAUL_ADD_U64) {
        asm volatile("red.global.add.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
    } else if (type == HAUL_ADD_F64) {
        asm volatile("red.global.add.f64 [%0], %1;" ::"l"(p), "d"(__longlong_as_double((long long)v)) : "memory");
    } else {
        haul_add_word(p, low, type);
        haul_add_word(p + 4, high, type);
    }
}

/* Two bytes: a single half-width float. */
HAUL_DEVICE void haul_add_half(unsigned long long p, unsigned v, haul_how type) {
    if (type == HAUL_ADD_F16)
        asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(p), "h"((unsigned short)v) : "memory");
#if HAUL_ARCH >= 90
    if (type == HAUL_ADD_BF16)
        asm volatile("red.global.add.noftz.bf16 [%0], %1;" ::"l"(p), "h"((unsigned short)v) : "memory");
#endif
}

HAUL_DEVICE void haul_add_global(unsigned long long p, const uint4 *v, unsigned width, haul_how how) {
    const haul_how type = how & HAUL_ADD_BITS;
    if (width == 2) haul_add_half(p, v->x, type);
    if (width == 4) haul_add_word(p, v->x, type);
    if (width >= 8) haul_add_pair(p, v->x, v->y, type);
    if (width == 16) haul_add_pair(p + 8, v->z, v->w, type);
}

/* ---- LDGSTS; before sm_80 no transfer takes it, and there is nothing to commit or to wait for ---- */

#if HAUL_HAS_LDGSTS
#define HAUL_WHERE_LDGSTS(...) asm volatile(__VA_ARGS__)
#else
#define HAUL_WHERE_LDGSTS(...)
#endif
#define HAUL_LDGSTS_FORM(cache, size, extra, operand)                                                              \
    HAUL_WHERE_LDGSTS("cp.async." cache ".shared.global" extra " [%0], [%1], %2" operand ";" ::"r"(to), "l"(from), \
                      "n"(size), "l"(policy)                                                                       \
                      : "memory")
/* Defines a function for one size and route. */
#define HAUL_DEFINE_LDGSTS(name, cache, size)                                               \
    HAUL_DEVICE void haul_ldgsts_##name(unsigned to, unsigned long long from, haul_how how, \
                                        unsigned long long policy) {                        \
        const haul_how fetch = how & HAUL_L2_FETCH_BITS;                                    \
        if (how & HAUL_L2_EVICT_BITS)                                                       \
            HAUL_LDGSTS_FORM(cache, size, ".L2::cache_hint", ", %3");                       \
        else if (fetch == 0)                                                                \
            HAUL_LDGSTS_FORM(cache, size, "", "");                                          \
        else if (fetch == HAUL_L2_FETCH_64)                                                 \
            HAUL_LDGSTS_FORM(cache, size, ".L2::64B", "");                                  \
        else if (fetch == HAUL_L2_FETCH_128)                                                \
            HAUL_LDGSTS_FORM(cache, size, ".L2::128B", "");                                 \
        else                                                                                \
            HAUL_LDGSTS_FORM(cache, size, ".L2::256B", "");                                 \
    }

HAUL_DEFINE_LDGSTS(4, "ca", 4)
HAUL_DEFINE_LDGSTS(8, "ca", 8)
HAUL_DEFINE_LDGSTS(16_through, "ca", 16)
HAUL_DEFINE_LDGSTS(16_around, "cg", 16)

/* Starts the copy of 4, 8 or 16 bytes from global to shared memory. */
HAUL_DEVICE void haul_ldgsts(unsigned to, unsigned long long from, unsigned width, haul_how how) {
    const unsigned long long policy = haul_l2_policy(how);
    if (width == 4)
        haul_ldgsts_4(to, from, how, policy);
    else if (width == 8)
        haul_ldgsts_8(to, from, how, policy);
    else if (how & HAUL_THROUGH_L1)
        haul_ldgsts_16_through(to, from, how, policy);
    else
        haul_ldgsts_16_around(to, from, how, policy);
}

/* The same for 4 or 8 bytes. */
HAUL_DEVICE void haul_ldgsts_short(unsigned to, unsigned long long from, unsigned width, haul_how how) {
    const unsigned long long policy = haul_l2_policy(how);
    if (width == 4)
        haul_ldgsts_4(to, from, how, policy);
    else
        haul_ldgsts_8(to, from, how, policy);
}

HAUL_DEVICE void haul_ldgsts_commit(void) {
    HAUL_WHERE_LDGSTS("cp.async.commit_group;" ::: "memory");
}

HAUL_DEVICE void haul_ldgsts_wait_all(void) {
    HAUL_WHERE_LDGSTS("cp.async.wait_all;" ::: "memory");
}

/* Waits for all of this thread's groups but the newest `left`. The instruction takes constants only. */
HAUL_DEVICE void haul_ldgsts_wait(unsigned left) {
#define HAUL_WAIT_CASE(n) \
    case n: HAUL_WHERE_LDGSTS("cp.async.wait_group " #n ";" ::: "memory"); break;
    switch (left) {
        HAUL_WAIT_CASE(0)
        HAUL_WAIT_CASE(1)
        HAUL_WAIT_CASE(2)
        HAUL_WAIT_CASE(3)
        HAUL_WAIT_CASE(4)
        HAUL_WAIT_CASE(5)
        HAUL_WAIT_CASE(6)
        HAUL_WAIT_CASE(7)
        HAUL_WAIT_CASE(8)
        HAUL_WAIT_CASE(9)
        HAUL_WAIT_CASE(10)
        HAUL_WAIT_CASE(11)
        HAUL_WAIT_CASE(12)
        HAUL_WAIT_CASE(13)
        HAUL_WAIT_CASE(14)
        HAUL_WAIT_CASE(15)
    default: haul_ldgsts_wait_all();
    }
#undef HAUL_WAIT_CASE
}

#if HAUL_HAS_BULK
#define HAUL_WHERE_BULK(...) asm volatile(__VA_ARGS__)
#else
#define HAUL_WHERE_BULK(...)
#endif

/* ---- bulk copies; bytes and both addresses are multiples of 16 ---- */

#if HAUL_HAS_BULK
/* Copies from global to shared memory; `barrier` counts the bytes as they arrive. */
HAUL_DEVICE void haul_bulk_load(unsigned to, unsigned long long from, unsigned bytes, unsigned barrier, haul_how how) {
    if (how & HAUL_L2_EVICT_BITS)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], "
            "%4;" ::"r"(to),
            "l"(from), "r"(bytes), "r"(barrier), "l"(haul_l2_policy(how))
            : "memory");
    else
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
            "l"(from), "r"(bytes), "r"(barrier)
            : "memory");
}

/* Copies from shared to global memory, in the thread's open bulk group. */
HAUL_DEVICE void haul_bulk_store(unsigned long long to, unsigned from, unsigned bytes, haul_how how) {
    if (how & HAUL_L2_EVICT_BITS)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
                     "r"(from), "r"(bytes), "l"(haul_l2_policy(how))
                     : "memory");
    else
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes)
                     : "memory");
}

/* Adds the elements in shared memory to those in global memory. */
HAUL_DEVICE void haul_bulk_add(unsigned long long to, unsigned from, unsigned bytes, haul_how how) {
#define HAUL_BULK_ADD(flag, type)                                                                                \
    if ((how & HAUL_ADD_BITS) == flag)                                                                           \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add" type " [%0], [%1], %2;" ::"l"(to), \
                     "r"(from), "r"(bytes)                                                                       \
                     : "memory");
    HAUL_BULK_ADD(HAUL_ADD_U32, ".u32")
    HAUL_BULK_ADD(HAUL_ADD_S32, ".s32")
    HAUL_BULK_ADD(HAUL_ADD_U64, ".u64")
    HAUL_BULK_ADD(HAUL_ADD_F32, ".f32")
    HAUL_BULK_ADD(HAUL_ADD_F64, ".f64")
    HAUL_BULK_ADD(HAUL_ADD_F16, ".noftz.f16")
    HAUL_BULK_ADD(HAUL_ADD_BF16, ".noftz.bf16")
#undef HAUL_BULK_ADD
}

#endif

HAUL_DEVICE void haul_bulk_commit(void) {
    HAUL_WHERE_BULK("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until this thread's bulk groups have read their sources. */
HAUL_DEVICE void haul_bulk_wait_read(void) {
    HAUL_WHERE_BULK("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* Waits until this thread's bulk groups are complete. */
HAUL_DEVICE void haul_bulk_wait(void) {
    HAUL_WHERE_BULK("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* Orders this thread's ordinary accesses to shared memory before copies that start after the next barrier. */
HAUL_DEVICE void haul_proxy_fence(void) {
#if HAUL_HAS_BULK
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

#endif
