/* Half precision and bfloat16, to and from float, rounded to nearest even. */
#ifndef HAUL_BASE_HALF_H
#define HAUL_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t half_float_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static inline float half_bits_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline float half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00) return half_bits_float(sign | 0x7f800000 | rest << 13); /* infinity, NaN */
    /* The exponent's bias is put right by a multiplication, which takes care of subnormals too. */
    return half_bits_float(sign | half_float_bits(half_bits_float(rest << 13) * 0x1p112f));
}

static inline uint16_t half_from_float(float f) {
    uint32_t bits = half_float_bits(f), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return 0x7fff;                     /* NaN, as hardware writes it */
    if (rest >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* overflow */
    if (rest < 0x38800000) {                                  /* subnormal: let the addition round */
        float magic = half_bits_float(rest) + 0.5f;
        return (uint16_t)(sign | (half_float_bits(magic) - half_float_bits(0.5f)));
    }
    return (uint16_t)(sign | ((rest + 0xfff + (rest >> 13 & 1) - 0x38000000) >> 13));
}

static inline float bfloat_to_float(uint16_t b) {
    return half_bits_float((uint32_t)b << 16);
}

static inline uint16_t bfloat_from_float(float f) {
    uint32_t bits = half_float_bits(f);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
