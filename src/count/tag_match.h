/* Compares a row of 16 numbers with one number: how L2 looks up the tags of a set. */
#ifndef HAUL_COUNT_TAG_MATCH_H
#define HAUL_COUNT_TAG_MATCH_H

#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { SIM_MATCH_ROW = 16 };

/* Returns a bit for each of the 16 that equals `wanted`. */
static inline uint32_t sim_match(const uint32_t row[SIM_MATCH_ROW], uint32_t wanted) {
#if defined(__AVX512F__)
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(row), _mm512_set1_epi32((int)wanted));
#elif defined(__AVX2__)
    const __m256i w = _mm256_set1_epi32((int)wanted), *r = (const __m256i *)(const void *)row;
    const __m256i low = _mm256_cmpeq_epi32(_mm256_loadu_si256(r), w),
                  high = _mm256_cmpeq_epi32(_mm256_loadu_si256(r + 1), w);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(high)) << 8;
#elif defined(__SSE2__)
    const __m128i w = _mm_set1_epi32((int)wanted);
    const __m128i *r = (const __m128i *)(const void *)row;
    const __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128(r), w), b = _mm_cmpeq_epi32(_mm_loadu_si128(r + 1), w),
                  c = _mm_cmpeq_epi32(_mm_loadu_si128(r + 2), w), d = _mm_cmpeq_epi32(_mm_loadu_si128(r + 3), w);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
#else
    uint32_t equal = 0;
    for (unsigned k = 0; k < SIM_MATCH_ROW; k++) equal |= (uint32_t)(row[k] == wanted) << k;
    return equal;
#endif
}

/* Returns a bit for each of 16 bytes that equals `wanted`. */
static inline uint32_t sim_match_bytes(const int8_t row[SIM_MATCH_ROW], int8_t wanted) {
#if defined(__SSE2__)
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)row);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)wanted)));
#else
    uint32_t equal = 0;
    for (unsigned k = 0; k < SIM_MATCH_ROW; k++) equal |= (uint32_t)(row[k] == wanted) << k;
    return equal;
#endif
}

#endif
