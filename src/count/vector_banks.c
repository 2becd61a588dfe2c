/* One pass of an access over shared memory's banks: the most frequent step of counting. */
#include "count/vector_names.h"
#include "state/lanes.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* A row holds each bank's next word. Lanes touch units: words, or a lane's bytes if those are more. */
enum { BANKS = 32, ROW_SHIFT = 7, WORD_SHIFT = 2, SET_UNITS = 64, MOST_SETS = 8 };

typedef struct extent {
    uint32_t nearest, furthest, low_bits;
} extent;

/* Has no branch per lane. */
static extent find_extent(const uint32_t address[SIM_LANES], uint32_t lanes) {
    extent e = {UINT32_MAX, 0, 0};
    for (uint32_t l = 0; l < SIM_LANES; l++) {
        const uint32_t in = 0 - (lanes >> l & 1), low = address[l] | ~in, high = address[l] & in;
        e.nearest = low < e.nearest ? low : e.nearest;
        e.furthest = high > e.furthest ? high : e.furthest;
        e.low_bits |= high;
    }
    return e;
}

/* ---- few rows: a bit for each unit touched ---- */

#if defined(__AVX2__)

/* Shifts by 64 and more give 0. */
static void mark(const uint32_t unit[SIM_LANES], unsigned sets, uint64_t touched[MOST_SETS]) {
    enum { WIDE = 4 };
    const __m256i one = _mm256_set1_epi64x(1);
    for (uint32_t s = 0; s < sets; s++) {
        const __m128i from = _mm_set1_epi32((int)(s * SET_UNITS));
        __m256i all = _mm256_setzero_si256();
        for (unsigned l = 0; l < SIM_LANES; l += WIDE) {
            const __m128i at = _mm_sub_epi32(_mm_loadu_si128((const __m128i *)(const void *)(unit + l)), from);
            all = _mm256_or_si256(all, _mm256_sllv_epi64(one, _mm256_cvtepu32_epi64(at)));
        }
        const __m128i half = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
        touched[s] = (uint64_t)(_mm_extract_epi64(half, 0) | _mm_extract_epi64(half, 1));
    }
}

/* Returns a byte for each of the 32 bits: -1 if it is set. */
static inline __m256i spread_bits(uint32_t bits) {
    const __m256i place = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303),
                  bit = _mm256_set1_epi64x((long long)0x8040201008040201u);
    const __m256i mine = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), place);
    return _mm256_cmpeq_epi8(_mm256_and_si256(mine, bit), bit);
}

static uint32_t greatest_byte(__m128i x) {
    const __m128i away = _mm_xor_si128(x, _mm_set1_epi8(-1)), pairs = _mm_min_epu8(away, _mm_srli_epi16(away, 8));
    return (uint32_t)(~_mm_cvtsi128_si32(_mm_minpos_epu16(pairs)) & 0xff);
}

/* Returns the number of rows that the busiest bank serves. Of the 32 counters, some stand for the same units of
 * different rows. */
static uint32_t busiest(const uint64_t touched[MOST_SETS], unsigned sets, unsigned row_units) {
    __m256i counts = _mm256_setzero_si256();
    for (unsigned s = 0; s < sets; s++) {
        counts = _mm256_sub_epi8(counts, spread_bits((uint32_t)touched[s]));
        counts = _mm256_sub_epi8(counts, spread_bits((uint32_t)(touched[s] >> 32)));
    }
    const __m128i low = _mm256_castsi256_si128(counts), high = _mm256_extracti128_si256(counts, 1);
    if (row_units == 32) return greatest_byte(_mm_max_epu8(low, high));
    const __m128i sum = _mm_add_epi8(low, high);
    return greatest_byte(row_units == 16 ? sum : _mm_add_epi8(sum, _mm_srli_si128(sum, 8)));
}

#else

static void mark(const uint32_t unit[SIM_LANES], unsigned sets, uint64_t touched[MOST_SETS]) {
    uint64_t all[MOST_SETS + 1] = {0}; /* the last one is for inactive lanes */
    for (uint32_t l = 0; l < SIM_LANES; l++) {
        const uint32_t set = unit[l] / SET_UNITS;
        all[set < MOST_SETS ? set : MOST_SETS] |= (uint64_t)1 << unit[l] % SET_UNITS;
    }
    for (unsigned s = 0; s < sets; s++) touched[s] = all[s];
}

/* Returns the number of rows that the busiest bank serves. Adds up the units' counts in parallel, in bit planes. */
static uint32_t busiest(const uint64_t touched[MOST_SETS], unsigned sets, unsigned row_units) {
    enum { PLANES = 8 };
    const uint64_t row = ((uint64_t)1 << row_units) - 1;
    uint64_t plane[PLANES] = {0}, most = row;
    uint32_t count = 0;
    for (unsigned s = 0; s < sets; s++)
        for (uint64_t left = touched[s]; left; left >>= row_units) {
            uint64_t carry = left & row;
            for (unsigned p = 0; carry; p++) {
                const uint64_t both = plane[p] & carry;
                plane[p] ^= carry;
                carry = both;
            }
        }
    for (unsigned p = PLANES; p-- > 0;) {
        if (!(plane[p] & most)) continue;
        most &= plane[p];
        count |= 1u << p;
    }
    return count;
}

#endif

static sim_bank_use use_few_rows(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned shift, uint32_t first_row,
                                 uint32_t rows) {
    const unsigned row_units = BANKS >> (shift - WORD_SHIFT), sets = (rows * row_units + SET_UNITS - 1) / SET_UNITS;
    uint32_t unit[SIM_LANES];
    uint64_t touched[MOST_SETS];
    sim_bank_use use = {1, 0};
    for (uint32_t l = 0; l < SIM_LANES; l++)
        unit[l] = ((address[l] >> shift) - first_row * row_units) | ((lanes >> l & 1) - 1);
    mark(unit, sets, touched);
    if (rows > 1) use.wavefronts = busiest(touched, sets, row_units);
    for (unsigned s = 0; s < sets; s++) use.units += (uint32_t)__builtin_popcountll(touched[s]);
    return use;
}

/* ---- many rows: each bank's words ---- */

typedef struct bank_words {
    uint8_t first[BANKS],
        count[BANKS]; /* of each bank; words are numbered from 1 on, in the order in which they came */
    uint8_t next[SIM_LANES * 4 + 1];
    uint32_t word[SIM_LANES * 4 + 1];
    unsigned words;
} bank_words;

static void add_word(bank_words *b, uint32_t word) {
    const unsigned bank = word % BANKS;
    for (unsigned k = b->first[bank]; k; k = b->next[k])
        if (b->word[k] == word) return;
    const unsigned own = ++b->words;
    b->word[own] = word;
    b->next[own] = b->first[bank];
    b->first[bank] = (uint8_t)own;
    b->count[bank]++;
}

static sim_bank_use use_many_rows(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned words) {
    bank_words b;
    uint32_t most = 0;
    memset(b.first, 0, sizeof b.first);
    memset(b.count, 0, sizeof b.count);
    b.words = 0;
    for (; lanes; lanes &= lanes - 1)
        for (unsigned k = 0; k < words; k++) add_word(&b, address[__builtin_ctz(lanes)] / 4 + k);
    for (unsigned k = 0; k < BANKS; k++) most = b.count[k] > most ? b.count[k] : most;
    return (sim_bank_use){most, b.words / words};
}

sim_bank_use SIM_BANK_PASS(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes, bool counts_units) {
    const unsigned shift = bytes <= 4 ? WORD_SHIFT : (unsigned)__builtin_ctz(bytes);
    const extent e = find_extent(address, lanes);
    const uint32_t first = e.nearest >> ROW_SHIFT, rows = ((e.furthest + bytes - 1) >> ROW_SHIFT) - first + 1;
    if (rows == 1 && !counts_units) return (sim_bank_use){1, 0}; /* each bank once: the common case */
    if (rows > MOST_SETS * SET_UNITS / BANKS || (bytes > 4 && e.low_bits & (bytes - 1)))
        return use_many_rows(address, lanes, bytes <= 4 ? 1 : bytes / 4);
    return use_few_rows(address, lanes, shift, first, rows);
}
