/* Products of floating-point matrices whose exponents are near 0, the usual case. The sums have the bits that
 * ops/multiply.h describes, but are computed straight from registers (ops/rows.h).
 *
 * Near 0, products are exact in single precision, and so are their multiples by powers of two. A conversion to integers
 * drops what the alignment drops. The integers of sixteen products fit in 32 bits, and the sum is truncated when it is
 * converted back. */
#ifndef HAUL_EXEC_OPS_NEAR_H
#define HAUL_EXEC_OPS_NEAR_H

#include "exec/ops/multiply.h"
#include "exec/ops/rows.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Exponents from -SIM_REACH to SIM_REACH are near 0: multiples of products and of their sums stay within the range of
 * single precision. */
enum { SIM_REACH = 50, SIM_TWO_HALVES = 2, SIM_FOUR_BYTES = 4 };
/* Added to a zero's exponent, this stays below all others, twice as well. */
enum { SIM_ZERO_EXPONENT = -0x4000, SIM_SINGLE_BIAS = 127 };

/* ---- formats ---- */

/* How a format's elements lie in words. Magnitudes (bits without the sign) from `least` to `most`, and zeros, are near
 * 0; of tf32, the upper half's magnitudes. */
typedef struct sim_near_format {
    unsigned mantissa, bias, each; /* each: elements of a word */
    uint16_t least, most;
} sim_near_format;

/* Returns a format without elements if products of the type are never computed here. */
static inline sim_near_format sim_near_format_of(unsigned type) {
    enum { LEAST = SIM_SINGLE_BIAS - SIM_REACH, MOST = SIM_SINGLE_BIAS + SIM_REACH };
    switch (type) {
    case PTX_F16: return (sim_near_format){10, 15, 2, 0, 0x7bff};
    case PTX_BF16: return (sim_near_format){7, 127, 2, LEAST << 7, MOST << 7 | 0x7f};
    case PTX_TF32: return (sim_near_format){7, 127, 1, LEAST << 7, MOST << 7 | 0x7f};
    case PTX_E4M3: return (sim_near_format){3, 7, 4, 0, 0x7e};
    case PTX_E5M2: return (sim_near_format){2, 15, 4, 0, 0x7b};
    default: return (sim_near_format){0};
    }
}

/* ---- decoding: a vector of words at a time ---- */

/* A part of a factor. Element e of each word is apart from the others. Exponents, biased as in single precision, are
 * two to a word. Which elements share a word does not matter, since a's and b's do alike. */
typedef struct sim_near_factor {
    float real[SIM_FOUR_BYTES][SIM_MOST_WORDS * SIM_ROWS];
    uint32_t exponent[SIM_TWO_HALVES][SIM_MOST_WORDS * SIM_ROWS];
} sim_near_factor;

/* Turns magnitudes into exponents. Bits of *far are set where one is not near 0. */
static inline void sim_near_exponents(const sim_near_format *f, const sim_row_words *magnitudes, uint32_t *exponents,
                                      sim_row_words *far) {
    const sim_row_halves magnitude = (sim_row_halves)*magnitudes, zero = magnitude == 0;
    const sim_row_halves field = magnitude >> f->mantissa;
    const sim_row_halves exponent = field - (field == 0) + (int16_t)(SIM_SINGLE_BIAS - (int)f->bias);
    const sim_row_bits above = (sim_row_bits)magnitude - f->least;
    const sim_row_halves beyond = (sim_row_halves)(above > (uint16_t)(f->most - f->least)) & ~zero;
    const sim_row_halves out = exponent | (zero & SIM_ZERO_EXPONENT);
    *far |= (sim_row_words)beyond;
    memcpy(exponents, &out, sizeof out);
}

/* Turns an element of at most 16 bits, which begins at bit `at` of each word, into a single. Where it is subnormal, the
 * bit above its fraction is added and taken away again. */
static inline void sim_near_small(const sim_near_format *f, const sim_row_words *words, unsigned at, float *out) {
    const unsigned bits = 32 / f->each, up = 23 - f->mantissa;
    const uint32_t one = 1u << 23, rebias = (SIM_SINGLE_BIAS - f->bias) << 23;
    const sim_row_words magnitude = (*words >> at & ((1u << (bits - 1)) - 1)) << up;
    const sim_row_words subnormal = (sim_row_words)(magnitude < one);
    const sim_row_singles with = (sim_row_singles)(magnitude + rebias + (subnormal & one));
    const sim_row_singles value = with - (sim_row_singles)(subnormal & (rebias + one));
    const sim_row_words made = (sim_row_words)value | (*words << (32 - bits - at) & 0x80000000u);
    memcpy(out, &made, sizeof made);
}

/* Turns the lower halves of words into singles; with F16C by instructions. */
static inline void sim_near_f16(const sim_near_format *f, const sim_row_words *words, float *out) {
#if defined(__AVX512F__)
    (void)f;
    _mm512_storeu_ps(out, _mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)*words)));
#elif defined(__F16C__) && defined(__AVX2__)
    const __m256i low = (__m256i)(*words & 0xffff);
    (void)f;
    _mm256_storeu_ps(out,
                     _mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1))));
#else
    sim_near_small(f, words, 0, out);
#endif
}

/* Decodes a vector of words to place `at` of the factor. */
static inline void sim_near_decode_words(const sim_near_format *f, unsigned type, const sim_row_words *words,
                                         unsigned at, sim_near_factor *out, sim_row_words *far) {
    sim_row_words magnitudes = *words & 0x7fff7fffu, upper = *words >> 16;
    if (type == PTX_TF32) {
        const sim_row_words kept = *words & 0xffffe000u, rest = (sim_row_words)((*words & 0xe000u) != 0) & 1;
        magnitudes = (kept >> 16 & 0x7fff) | rest;
        memcpy(out->real[0] + at, &kept, sizeof kept);
    } else if (type == PTX_BF16) {
        const sim_row_words low = *words << 16, high = *words & 0xffff0000u;
        memcpy(out->real[0] + at, &low, sizeof low);
        memcpy(out->real[1] + at, &high, sizeof high);
    } else if (type == PTX_F16) {
        sim_near_f16(f, words, out->real[0] + at);
        sim_near_f16(f, &upper, out->real[1] + at);
    } else {
        for (unsigned e = 0; e < SIM_FOUR_BYTES; e++) sim_near_small(f, words, 8 * e, out->real[e] + at);
        upper = *words >> 8 & 0x007f007fu;
        magnitudes = *words & 0x007f007fu;
        sim_near_exponents(f, &upper, out->exponent[1] + at, far);
    }
    sim_near_exponents(f, &magnitudes, out->exponent[0] + at, far);
}

/* Returns false if an element is not near 0, is an infinity or a NaN. */
static inline bool sim_near_decode(unsigned type, const uint32_t *words, unsigned count, sim_near_factor *out) {
    const sim_near_format f = sim_near_format_of(type);
    sim_row_words far = {0};
    uint32_t any = 0;
    for (unsigned at = 0; at < count; at += SIM_VECTOR_ROWS) {
        sim_row_words some;
        memcpy(&some, words + at, sizeof some);
        sim_near_decode_words(&f, type, &some, at, out, &far);
    }
    for (unsigned n = 0; n < SIM_VECTOR_ROWS; n++) any |= far[n];
    return !any;
}

/* Decode sixteen rows of a, or eight columns of b. */
static inline bool sim_near_rows(const sim_product *p, uint32_t *const *registers, unsigned first, unsigned words,
                                 sim_near_factor *out) {
    uint32_t turned[SIM_MOST_WORDS * SIM_ROWS];
    sim_take_rows(p, registers, first, words, turned);
    return sim_near_decode(p->type_a, turned, words * SIM_ROWS, out);
}

static inline bool sim_near_columns_of(const sim_product *p, uint32_t *const *registers, unsigned words,
                                       sim_near_factor *out) {
    uint32_t together[SIM_MOST_WORDS * SIM_GROUPS];
    sim_take_columns(registers, words, together);
    return sim_near_decode(p->type_b, together, words * SIM_GROUPS, out);
}

/* ---- sums ---- */

/* How the machine sums: words along k at once, bits of fraction; each: elements of a word. */
typedef struct sim_near_way {
    unsigned words, together, each, fraction;
    bool is_half;
} sim_near_way;

static inline void sim_greater_halves(sim_row_halves *most, const sim_row_halves *other) {
    sim_row_halves out = *most;
    for (unsigned n = 0; n < sizeof out / sizeof out[0]; n++) out[n] = out[n] > (*other)[n] ? out[n] : (*other)[n];
    *most = out;
}

/* Finds the greatest exponents of products, in four words of a column from place `at` of b on. */
static inline void sim_near_most(const sim_near_factor *a, unsigned first, const sim_near_factor *b, unsigned at,
                                 unsigned each, sim_row_halves *most) {
    for (unsigned part = 0; part < (each + 1) / 2; part++) {
        for (unsigned w = 0; w < SIM_GROUP_LANES; w++) {
            const sim_row_words *of_a = (const sim_row_words *)(a->exponent[part] + first + w * SIM_ROWS);
            const sim_row_words of_b = (sim_row_words){0} + b->exponent[part][at + w];
            const sim_row_halves both = (sim_row_halves)*of_a + (sim_row_halves)of_b;
            sim_greater_halves(most, &both);
        }
    }
}

/* *total += the products of four words, in units. Bits of *over are set in rows whose sum does not fit. */
static inline void sim_near_add(const sim_near_factor *a, unsigned first, const sim_near_factor *b, unsigned at,
                                unsigned each, const sim_row_singles *units, sim_row_words *total,
                                sim_row_words *over) {
    sim_row_words part = {0};
    for (unsigned e = 0; e < each; e++) {
        for (unsigned w = 0; w < SIM_GROUP_LANES; w++) {
            const sim_row_singles *of_a = (const sim_row_singles *)(a->real[e] + first + w * SIM_ROWS);
            part += (sim_row_words) __builtin_convertvector(*of_a * b->real[e][at + w] * *units, sim_row_integers);
        }
    }
    const sim_row_words sum = *total + part;
    *over |= (sum ^ *total) & (sum ^ part);
    *total = sum;
}

static inline void sim_greater_rows(sim_row_integers *most, const sim_row_integers *other) {
    sim_row_integers out = *most;
    for (unsigned n = 0; n < SIM_VECTOR_ROWS; n++) out[n] = out[n] > (*other)[n] ? out[n] : (*other)[n];
    *most = out;
}

static inline void sim_smaller_rows(sim_row_integers *least, const sim_row_integers *other) {
    sim_row_integers out = *least;
    for (unsigned n = 0; n < SIM_VECTOR_ROWS; n++) out[n] = out[n] < (*other)[n] ? out[n] : (*other)[n];
    *least = out;
}

/* Converts to single precision, truncated. With `odd`, the last bit is set if something was cut off. */
static inline void sim_near_cut(const sim_row_words *total, bool odd, sim_row_words *out) {
    const sim_row_integers sum = (sim_row_integers)*total;
#if defined(__AVX512F__)
    const sim_row_singles cut =
        (sim_row_singles)_mm512_cvt_roundepi32_ps((__m512i)sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    *out = (sim_row_words)cut;
    if (odd) *out |= (sim_row_words)(__builtin_convertvector(cut, sim_row_integers) != sum) & 1;
#else
    const sim_row_integers negative = sum >> 31, magnitude = (sum ^ negative) - negative;
    const sim_row_singles near = __builtin_convertvector(magnitude, sim_row_singles);
    const sim_row_integers most = (sim_row_integers)((sim_row_singles){0} + 0x1.fffffep30f);
    sim_row_integers cut = (sim_row_integers)near; /* positive numbers are ordered as their bits are */
    sim_smaller_rows(&cut, &most);
    const sim_row_integers back = __builtin_convertvector((sim_row_singles)cut, sim_row_integers);
    cut += back > magnitude;
    if (odd) cut |= (back != magnitude) & 1;
    *out = (sim_row_words)(cut | (sum & INT32_MIN));
#endif
}

/* Selects `yes` where `where` holds, otherwise `no`. */
static inline void sim_choose_rows(sim_row_words *out, const sim_row_integers *where, const sim_row_words *yes,
                                   const sim_row_words *no) {
    *out = (*yes & (sim_row_words)*where) | (*no & ~(sim_row_words)*where);
}

/* Finds the greatest exponent among each row's products and sum. `none`: all products are zero. */
static inline void sim_near_scale(const sim_row_halves *pairs, const sim_row_words *sum, sim_row_integers *most,
                                  sim_row_integers *none) {
    const sim_row_integers own = (sim_row_integers)(*sum >> 23 & 0xff), other = (sim_row_integers)*pairs >> 16;
    *most = (sim_row_integers)((sim_row_words)*pairs << 16) >> 16;
    sim_greater_rows(most, &other);
    *most -= SIM_SINGLE_BIAS;
    *none = *most < 0;
    sim_greater_rows(most, &own);
    *most = (*most & ~*none) | (*none & SIM_SINGLE_BIAS);
}

/* Adds the products of `together` words of a column, from `word` and place `at` on, to a column of sums. If all
 * products are zero, a sum is truncated at its own exponent. */
static inline void sim_near_column(const sim_near_factor *a, unsigned first, const sim_near_factor *b, unsigned at,
                                   const sim_near_way *way, unsigned each, bool odd, sim_row_words *sum,
                                   sim_row_words *over) {
    sim_row_halves pairs = (sim_row_halves){0} + SIM_ZERO_EXPONENT;
    sim_row_integers most, none;
    sim_row_words made, old = *sum;
    for (unsigned w = 0; w < way->together; w += SIM_GROUP_LANES)
        sim_near_most(a, first + w * SIM_ROWS, b, at + w / SIM_GROUP_LANES * SIM_LANES, each, &pairs);
    sim_near_scale(&pairs, sum, &most, &none);
    const int32_t fraction = (int32_t)way->fraction;
    const sim_row_singles units = (sim_row_singles)((fraction + 2 * SIM_SINGLE_BIAS - most) << 23);
    const sim_row_singles last = (sim_row_singles)((most - fraction) << 23);
    sim_row_words total = (sim_row_words) __builtin_convertvector((sim_row_singles)old * units, sim_row_integers);
    for (unsigned w = 0; w < way->together; w += SIM_GROUP_LANES)
        sim_near_add(a, first + w * SIM_ROWS, b, at + w / SIM_GROUP_LANES * SIM_LANES, each, &units, &total, over);
    sim_near_cut(&total, odd, &made);
    if (fraction < 23) {
        const uint32_t kept = UINT32_MAX << (23 - fraction);
        if (!odd) made &= kept;
        old &= kept;
    }
    made = (sim_row_words)((sim_row_singles)made * last);
    old &= (sim_row_words)((old & INT32_MAX) != 0);
    sim_choose_rows(sum, &none, &old, &made);
}

/* ---- products ---- */

/* Eight columns of sixteen rows. */
static inline __attribute__((always_inline)) void sim_near_tile(const sim_near_factor *a, const sim_near_factor *b,
                                                                const sim_near_way *way, unsigned each, float *sums,
                                                                sim_row_words *over) {
    for (unsigned column = 0; column < SIM_GROUPS; column++) {
        for (unsigned row = 0; row < SIM_ROWS; row += SIM_VECTOR_ROWS) {
            sim_row_words *sum = (sim_row_words *)(void *)(sums + column * SIM_ROWS + row);
            for (unsigned w = 0; w < way->words; w += way->together)
                sim_near_column(a, w * SIM_ROWS + row, b, sim_place_in_b(column, w), way, each,
                                way->is_half && w + way->together == way->words, sum, over);
        }
    }
}

/* Returns false if some sum did not fit. */
static inline bool sim_near_tiles(const sim_near_factor *a, const sim_near_factor *b, const sim_near_way *way,
                                  float *sums) {
    sim_row_words over = {0};
    uint32_t any = 0;
    switch (way->each) {
    case 1: sim_near_tile(a, b, way, 1, sums, &over); break;
    case 2: sim_near_tile(a, b, way, 2, sums, &over); break;
    default: sim_near_tile(a, b, way, 4, sums, &over); break;
    }
    for (unsigned n = 0; n < SIM_VECTOR_ROWS; n++) any |= over[n];
    return !(any >> 31);
}

/* Returns how the machine sums, or a way without words if not four words at a time. */
static inline sim_near_way sim_near_way_of(const sim_product *p, unsigned sm) {
    const unsigned each = sim_near_format_of(p->type_a).each;
    sim_near_way way = {.each = each, .is_half = p->type_d == PTX_F16};
    if (!each || sim_near_format_of(p->type_b).each != each) return way;
    const unsigned words = p->k / each, width = sim_sum_width(p->type_a, sm) / each;
    way.together = width < words ? width : words;
    way.fraction = sim_sum_fraction(p->type_a, sm);
    if (way.together && way.together % SIM_GROUP_LANES == 0 && words <= SIM_MOST_WORDS) way.words = words;
    return way;
}

/* Adds a dense product to the sums, column by column for sixteen rows at a time. Returns false if it must be computed
 * otherwise: an element is not near 0, an infinity or a NaN, or the machine sums in another way. */
static inline bool sim_multiply_near(const sim_product *p, const sim_row_registers *r, unsigned sm, float *sums) {
    const sim_near_way way = sim_near_way_of(p, sm);
    const unsigned chunks = way.words / SIM_GROUP_LANES;
    sim_near_factor a, b;
    if (!way.words) return false;
    for (unsigned row = 0; row < p->m; row += SIM_ROWS) {
        if (!sim_near_rows(p, r->a, row, way.words, &a)) return false;
        for (unsigned column = 0; column < p->n; column += SIM_GROUPS, sums += SIM_GROUPS * SIM_ROWS) {
            if (!sim_near_columns_of(p, r->b + column / SIM_GROUPS * chunks, way.words, &b)) return false;
            if (!sim_are_finite(sums, SIM_GROUPS * SIM_ROWS)) return false;
            if (!sim_near_tiles(&a, &b, &way, sums)) return false;
        }
    }
    return true;
}

#endif
