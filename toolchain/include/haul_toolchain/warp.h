/* Warp intrinsics: votes, shuffles, matches and reductions over the lanes that a mask names. */
#ifndef HAUL_TOOLCHAIN_WARP_H
#define HAUL_TOOLCHAIN_WARP_H

#include "device.h"

HAUL_TC_DEVICE unsigned int __activemask() {
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
HAUL_TC_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
HAUL_TC_DEVICE int __any_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_any_sync(mask, predicate != 0);
}
HAUL_TC_DEVICE int __all_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_all_sync(mask, predicate != 0);
}
HAUL_TC_DEVICE int __uni_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_uni_sync(mask, predicate != 0);
}

/* The last operand of shfl packs the segment mask (which lane bits stay) and the lane at which to stop. */
HAUL_TC_DEVICE int haul_tc_segment(int width, int last) {
    return ((32 - width) << 8) | last;
}

#define HAUL_SHUFFLE_WORDS(function, mode, lane_type, last)                                                  \
    HAUL_TC_DEVICE int haul_tc_##mode(unsigned int mask, int value, lane_type lane, int width) {             \
        return __nvvm_shfl_sync_##mode##_i32(mask, value, (int)lane, haul_tc_segment(width, last));          \
    }                                                                                                        \
    HAUL_TC_DEVICE long long haul_tc_##mode(unsigned int mask, long long value, lane_type lane, int width) { \
        const unsigned int low = (unsigned int)haul_tc_##mode(mask, (int)value, lane, width);                \
        const unsigned int high = (unsigned int)haul_tc_##mode(mask, (int)(value >> 32), lane, width);       \
        return (long long)((unsigned long long)high << 32 | low);                                            \
    }

/* ROW(type, the integer of the same size) */
#define HAUL_SHUFFLE_TYPES(ROW, ...)                \
    ROW(int, int, __VA_ARGS__)                      \
    ROW(unsigned int, int, __VA_ARGS__)             \
    ROW(float, int, __VA_ARGS__)                    \
    ROW(long, long long, __VA_ARGS__)               \
    ROW(unsigned long, long long, __VA_ARGS__)      \
    ROW(long long, long long, __VA_ARGS__)          \
    ROW(unsigned long long, long long, __VA_ARGS__) \
    ROW(double, long long, __VA_ARGS__)

#define HAUL_SHUFFLE(type, word, function, mode, lane_type)                                       \
    HAUL_TC_DEVICE type function(unsigned int mask, type value, lane_type lane, int width = 32) { \
        return haul_tc_bits<type>(haul_tc_##mode(mask, haul_tc_bits<word>(value), lane, width));  \
    }

#define HAUL_SHUFFLE_FAMILY(function, mode, lane_type, last) \
    HAUL_SHUFFLE_WORDS(function, mode, lane_type, last)      \
    HAUL_SHUFFLE_TYPES(HAUL_SHUFFLE, function, mode, lane_type)

HAUL_SHUFFLE_FAMILY(__shfl_sync, idx, int, 31)
HAUL_SHUFFLE_FAMILY(__shfl_up_sync, up, unsigned int, 0)
HAUL_SHUFFLE_FAMILY(__shfl_down_sync, down, unsigned int, 31)
HAUL_SHUFFLE_FAMILY(__shfl_xor_sync, bfly, int, 31)
#undef HAUL_SHUFFLE_FAMILY
#undef HAUL_SHUFFLE_WORDS
#undef HAUL_SHUFFLE

#define HAUL_MATCH(type, word, bits, constraint)                                                      \
    HAUL_TC_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) {                     \
        unsigned int lanes;                                                                           \
        asm volatile("match.any.sync.b" bits " %0, %1, %2;"                                           \
                     : "=r"(lanes)                                                                    \
                     : constraint(haul_tc_bits<word>(value)), "r"(mask));                             \
        return lanes;                                                                                 \
    }                                                                                                 \
    HAUL_TC_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int *agree) {         \
        unsigned int lanes;                                                                           \
        int all;                                                                                      \
        asm volatile("{ .reg .pred p; match.all.sync.b" bits " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" \
                     : "=r"(lanes), "=r"(all)                                                         \
                     : constraint(haul_tc_bits<word>(value)), "r"(mask));                             \
        *agree = all;                                                                                 \
        return lanes;                                                                                 \
    }
#define HAUL_MATCH_WORD(type) HAUL_MATCH(type, int, "32", "r")
#define HAUL_MATCH_LONG(type) HAUL_MATCH(type, long long, "64", "l")
HAUL_MATCH_WORD(int)
HAUL_MATCH_WORD(unsigned int)
HAUL_MATCH_WORD(float)
HAUL_MATCH_LONG(long)
HAUL_MATCH_LONG(unsigned long)
HAUL_MATCH_LONG(long long)
HAUL_MATCH_LONG(unsigned long long)
HAUL_MATCH_LONG(double)
#undef HAUL_MATCH_WORD
#undef HAUL_MATCH_LONG
#undef HAUL_MATCH
#undef HAUL_SHUFFLE_TYPES

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HAUL_REDUCE(op, type, ptx)                                                                     \
    HAUL_TC_DEVICE type __reduce_##op##_sync(unsigned int mask, type value) {                          \
        type result;                                                                                   \
        asm volatile("redux.sync." #op "." ptx " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
        return result;                                                                                 \
    }
HAUL_REDUCE(add, int, "s32")
HAUL_REDUCE(add, unsigned int, "u32")
HAUL_REDUCE(min, int, "s32")
HAUL_REDUCE(min, unsigned int, "u32")
HAUL_REDUCE(max, int, "s32")
HAUL_REDUCE(max, unsigned int, "u32")
HAUL_REDUCE(and, unsigned int, "b32")
HAUL_REDUCE(or, unsigned int, "b32")
HAUL_REDUCE(xor, unsigned int, "b32")
#undef HAUL_REDUCE
#endif

#endif
