/* Moves 4-byte words between memory and a register's lanes at 32 addresses. Compilers do not generate gathers for
 * this. */
#ifndef HAUL_EXEC_OPS_WORDS_H
#define HAUL_EXEC_OPS_WORDS_H

#include "exec/ops/lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* d[l] = the word at base + at[l], for the active lanes. at[l] is below 2^31. */
static inline void sim_gather_words(uint32_t *d, const unsigned char *base, const uint32_t at[SIM_LANES],
                                    uint32_t active) {
#if defined(__AVX512F__)
    for (unsigned l = 0; l < SIM_LANES; l += 16) {
        const __m512i kept = _mm512_loadu_si512(d + l), places = _mm512_loadu_si512(at + l);
        _mm512_storeu_si512(d + l, _mm512_mask_i32gather_epi32(kept, (__mmask16)(active >> l), places, base, 1));
    }
#else
#if defined(__AVX2__)
    for (unsigned l = 0; active == SIM_ALL_LANES && l < SIM_LANES; l += 8)
        _mm256_storeu_si256((__m256i *)(void *)(d + l),
                            _mm256_i32gather_epi32((const int *)(const void *)base,
                                                   _mm256_loadu_si256((const __m256i *)(const void *)(at + l)), 1));
    if (active == SIM_ALL_LANES) return;
#endif
    uint32_t words[SIM_LANES] = {0}; /* d and at may be the same array */
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (active >> l & 1) memcpy(&words[l], base + at[l], 4);
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (active >> l & 1) d[l] = words[l];
#endif
}

/* The word at base + at[l] = s[l], for the active lanes, in the order of `turn` (sim_store_turn()). */
static inline void sim_scatter_words(unsigned char *base, const uint32_t at[SIM_LANES], const uint32_t *s,
                                     uint32_t active, unsigned turn) {
#if defined(__AVX512F__)
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i order = _mm512_xor_si512(numbers, _mm512_set1_epi32((int)(turn & 15)));
    const uint32_t on = sim_turn_lanes(active, turn);
    for (unsigned k = 0; k < SIM_LANES; k += 16) {
        const unsigned l = k ^ (turn & 16);
        const __m512i places = _mm512_permutexvar_epi32(order, _mm512_loadu_si512(at + l));
        const __m512i words = _mm512_permutexvar_epi32(order, _mm512_loadu_si512(s + l));
        _mm512_mask_i32scatter_epi32(base, (__mmask16)(on >> k), places, words, 1);
    }
#else
    for (unsigned k = 0; k < SIM_LANES; k++)
        if (active >> (k ^ turn) & 1) memcpy(base + at[k ^ turn], &s[k ^ turn], 4);
#endif
}

#endif
