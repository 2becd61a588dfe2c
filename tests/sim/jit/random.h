/* Random data for tests: numbers, and values that are hard on arithmetic. */
#ifndef HAUL_TESTS_SIM_RANDOM_H
#define HAUL_TESTS_SIM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t draw_below(uint64_t *state, uint32_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

/* Returns bits that are zeros, infinities, NaNs, subnormal or the largest of some format, small integers, ordinary
 * numbers, or anything. */
static inline uint64_t hard_bits(uint64_t *state) {
    static const uint64_t doubles[] = {0,
                                       1,
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x7ff8000000000000),
                                       UINT64_C(0xfff0000000000001),
                                       UINT64_C(0x7fefffffffffffff),
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0x000fffffffffffff),
                                       UINT64_C(0x41dfffffffc00000),
                                       UINT64_C(0x3810000000000000),
                                       UINT64_C(0x7ff4000000abcdef),
                                       UINT64_C(0x43f0000000000000)};
    static const uint32_t singles[] = {0,          1,          0x7f800000, 0x7fc00000, 0x7f800001,
                                       0x7f7fffff, 0x3f800000, 0x007fffff, 0x00800000, 0x4f000000,
                                       0x477ff000, 0x33800000, 0x38800000, 0x3f000000};
    static const uint16_t halves[] = {0,      1,      0x7c00, 0x7e00, 0x7c01, 0x7bff, 0x3c00,
                                      0x03ff, 0x0400, 0x7f80, 0x7fc0, 0x3f80, 0x0080};
    const uint64_t sign = (uint64_t)draw_below(state, 2);
    uint64_t bits = (uint64_t)draw_below(state, UINT32_MAX) << 32 | draw_below(state, UINT32_MAX);
    switch (draw_below(state, 8)) {
    case 0: return doubles[draw_below(state, sizeof doubles / sizeof *doubles)] | sign << 63;
    case 1:
        return singles[draw_below(state, sizeof singles / sizeof *singles)] | sign << 31 |
               (uint64_t)singles[draw_below(state, sizeof singles / sizeof *singles)] << 32;
    case 2:
        for (unsigned k = 0; k < 4; k++)
            bits = bits << 16 | halves[draw_below(state, sizeof halves / sizeof *halves)] |
                   (uint64_t)draw_below(state, 2) << 15;
        return bits;
    case 3: return (uint64_t)(int64_t)(int32_t)(draw_below(state, 80) - 40);
    case 4: /* ordinary numbers: doubles, singles, halves */
        return UINT64_C(0x3f00000000000000) + (bits & UINT64_C(0x80ffffffffffffff));
    case 5: return UINT64_C(0x3e0000003e000000) + (bits & UINT64_C(0x82ffffff82ffffff));
    case 6: return UINT64_C(0x3000300030003000) + (bits & UINT64_C(0x8fff8fff8fff8fff));
    default: return bits;
    }
}

/* FNV-1a, by words. */
static inline uint64_t hash_words(const uint32_t *words, size_t count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t n = 0; n < count; n++) hash = (hash ^ words[n]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
