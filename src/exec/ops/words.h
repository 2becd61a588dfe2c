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

/* The word at base + at[l] = s[l], for the active lanes. If several lanes have one address, the last lane's word
 * stays. */
static inline void sim_scatter_words(unsigned char *base, const uint32_t at[SIM_LANES], const uint32_t *s,
                                     uint32_t active) {
#if defined(__AVX512F__)
    for (unsigned l = 0; l < SIM_LANES; l += 16)
        _mm512_mask_i32scatter_epi32(base, (__mmask16)(active >> l), _mm512_loadu_si512(at + l),
                                     _mm512_loadu_si512(s + l), 1);
#else
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (active >> l & 1) memcpy(base + at[l], &s[l], 4);
#endif
}

#endif
