/* Narrow floating-point formats. Decoding to double is exact and encoding rounds once. Everything vectorises. */
#ifndef HAUL_EXEC_HALF_H
#define HAUL_EXEC_HALF_H

#include "exec/floats.h"

/* A binary format with `mantissa` stored bits and normal exponents from `lowest` on. The encodings exclude the sign. */
typedef struct sim_format {
    int mantissa, lowest;
    uint32_t infinity; /* result of an overflow; NaN in a format without infinities */
    uint32_t greatest; /* largest finite value */
    uint32_t nan;      /* canonical */
    int sign;          /* position of the sign bit */
} sim_format;

static const sim_format sim_f16 = {10, -14, 0x7c00, 0x7bff, 0x7fff, 15};
static const sim_format sim_bf16 = {7, -126, 0x7f80, 0x7f7f, 0x7fff, 15};
static const sim_format sim_tf32 = {10, -126, 0x3fc00, 0x3fbff, 0x3ffff, 18};
static const sim_format sim_e4m3 = {3, -6, 0x7f, 0x7e, 0x7f, 7};
static const sim_format sim_e5m2 = {2, -14, 0x7c, 0x7b, 0x7f, 7};

/* Rounding of a magnitude whose sign is known. */
typedef enum sim_rounding {
    SIM_ROUND_EVEN,
    SIM_ROUND_ZERO,
    SIM_ROUND_DOWN,
    SIM_ROUND_UP,
    SIM_ROUND_AWAY, /* to nearest, ties away from zero */
} sim_rounding;

/* Returns whether to add one unit to a magnitude whose last kept bit is `odd`. `rest` is the part cut off, `half` is
 * half a unit. */
static inline bool rounds_up(sim_rounding rounding, uint64_t rest, uint64_t half, bool odd, bool negative) {
    const bool even = rest > half || (rest == half && odd);
    const bool away = rest >= half;
    const bool outward = rest != 0 && (rounding == SIM_ROUND_UP) != negative;
    if (rounding == SIM_ROUND_EVEN) return even;
    if (rounding == SIM_ROUND_AWAY) return away;
    return rounding != SIM_ROUND_ZERO && outward;
}

/* Returns x in the format, rounded once. With `finite`, an overflow becomes the largest finite number. */
static inline uint32_t encode(const sim_format f, double x, sim_rounding rounding, bool finite) {
    const uint64_t bits = bits_of_f64(x), magnitude = bits & INT64_MAX;
    const bool negative = bits >> 63;
    const int exponent = (int)(magnitude >> 52) - 1023 - f.lowest;
    const uint64_t significand = (magnitude & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    /* Below the lowest normal exponent, each step costs a bit of the significand. */
    const int below = exponent < 0 ? -exponent : 0;
    const int wanted = 52 - f.mantissa + below, cut = wanted > 62 ? 62 : wanted;
    const uint64_t kept = significand >> cut, rest = significand & ((UINT64_C(1) << cut) - 1);
    const uint64_t half = UINT64_C(1) << (cut - 1);
    /* The first bit of `kept` lies in the exponent's field, so a carry out of the significand raises the exponent. */
    const uint64_t scaled = exponent > 0 ? (uint64_t)exponent << f.mantissa : 0;
    const bool zero = magnitude == 0;
    uint64_t result = zero ? 0 : scaled + kept + (rounds_up(rounding, rest, half, kept & 1, negative) ? 1 : 0);
    /* Rounding towards zero stops at the greatest number; an infinity itself stays. */
    const bool inward = rounding == SIM_ROUND_ZERO || (rounding == SIM_ROUND_UP && negative) ||
                        (rounding == SIM_ROUND_DOWN && !negative);
    const bool infinite = magnitude == UINT64_C(0x7ff0000000000000);
    const uint64_t overflow = finite || (inward && !infinite) ? f.greatest : f.infinity;
    result = result > f.greatest ? overflow : result;
    result |= (uint64_t)negative << f.sign;
    return magnitude > UINT64_C(0x7ff0000000000000) ? f.nan : (uint32_t)result;
}

/* Widens a half, which is exact. Subnormal halves become normal by the multiplication. */
static inline float f32_of_f16(uint16_t h) {
    const uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13;
    const float scaled = f32_of_bits(magnitude) * 0x1p112f; /* exact: the exponent's bias grows by 112 */
    const uint32_t special = magnitude | 0x7f800000u;
    const uint32_t bits = magnitude >= 0x0f800000u ? special : bits_of_f32(scaled);
    return f32_of_bits(bits | (uint32_t)(h & 0x8000) << 16);
}

static inline float f32_of_bf16(uint16_t h) {
    return f32_of_bits((uint32_t)h << 16);
}

/* Rounds single precision to nearest even. This is the common case and cheaper than encode(). */
static inline uint16_t f16_of_f32(float x) {
    const uint32_t bits = bits_of_f32(x), magnitude = bits & 0x7fffffffu;
    const uint32_t sign = bits >> 16 & 0x8000;
    /* Normal: rounds 13 bits away and subtracts the difference of the biases. */
    const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    /* Subnormal: the last place of the sum is 2^-24, so the addition itself rounds. */
    const uint32_t subnormal = bits_of_f32(f32_of_bits(magnitude) + 0.5f) - bits_of_f32(0.5f);
    uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
    result = magnitude >= 0x477ff000u ? 0x7c00 : result;
    return (uint16_t)(magnitude > 0x7f800000u ? 0x7fff : result | sign);
}

/* The same for bf16, which is the upper half of a single: adds half of its last place, less one if that place is
 * even. */
static inline uint16_t bf16_of_f32(float x) {
    const uint32_t bits = bits_of_f32(x);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fff : rounded);
}

#endif
