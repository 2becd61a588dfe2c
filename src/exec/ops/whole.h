/* Products of matrices of integers of 8 and 4 bits, straight from registers (ops/rows.h). Products and their sums are
 * exact in single precision, so only the addition of c may wrap or saturate. */
#ifndef HAUL_EXEC_OPS_WHOLE_H
#define HAUL_EXEC_OPS_WHOLE_H

#include "exec/ops/rows.h"

enum { SIM_MOST_EACH = 8 };

/* A part of a factor as singles. Element e of each word is apart from the others. */
typedef struct sim_whole_factor {
    float real[SIM_MOST_EACH][SIM_MOST_WORDS * SIM_ROWS];
} sim_whole_factor;

/* Returns how many elements a word has; 0: not such integers. */
static inline unsigned sim_whole_each(const sim_product *p) {
    switch (p->type_a) {
    case PTX_U8:
    case PTX_S8: return 4;
    case PTX_U4:
    case PTX_S4: return 8;
    default: return 0;
    }
}

/* Returns the words of a row along k; 0: the product must be computed otherwise. */
static inline unsigned sim_whole_words(const sim_product *p) {
    const unsigned each = sim_whole_each(p), words = each ? p->k / each : 0;
    return words % SIM_GROUP_LANES == 0 && words <= SIM_MOST_WORDS ? words : 0;
}

/* Extends each element of `count` words by its sign, if it has one, or by zeros. */
static inline void sim_whole_decode(unsigned type, unsigned each, const uint32_t *words, unsigned count,
                                    sim_whole_factor *out) {
    const unsigned bits = 32 / each, unused = 32 - bits;
    const bool has_sign = ptx_is_signed(type);
    for (unsigned at = 0; at < count; at += SIM_VECTOR_ROWS) {
        const sim_row_words *from = (const sim_row_words *)(words + at);
        for (unsigned e = 0; e < each; e++) {
            const sim_row_words up = *from << (unused - e * bits);
            const sim_row_integers value = has_sign ? (sim_row_integers)up >> unused : (sim_row_integers)(up >> unused);
            *(sim_row_singles *)(out->real[e] + at) = __builtin_convertvector(value, sim_row_singles);
        }
    }
}

/* Adds a column's products to its sums. */
static inline void sim_whole_column(const sim_whole_factor *a, unsigned row, const sim_whole_factor *b, unsigned column,
                                    unsigned words, unsigned each, bool saturates, float *sums) {
    sim_row_integers *sum = (sim_row_integers *)(sums + row);
    sim_row_singles total = {0};
    for (unsigned w = 0; w < words; w += SIM_GROUP_LANES)
        for (unsigned e = 0; e < each; e++)
            for (unsigned k = w; k < w + SIM_GROUP_LANES; k++)
                total += *(const sim_row_singles *)(a->real[e] + k * SIM_ROWS + row) *
                         b->real[e][sim_place_in_b(column, w) + k - w];
    const sim_row_words products = (sim_row_words) __builtin_convertvector(total, sim_row_integers);
    const sim_row_words old = (sim_row_words)*sum, wrapped = old + products;
    const sim_row_integers over = (sim_row_integers)((wrapped ^ old) & (wrapped ^ products)) >> 31;
    const sim_row_integers limit = ((sim_row_integers)old >> 31) ^ INT32_MAX;
    *sum = (sim_row_integers)wrapped;
    if (saturates) *sum = (limit & over) | (*sum & ~over);
}

/* Adds a dense product to the sums, column by column for sixteen rows at a time. Returns false if it must be computed
 * otherwise. */
static inline bool sim_multiply_whole(const sim_product *p, const sim_row_registers *r, float *sums) {
    const unsigned words = sim_whole_words(p), each = sim_whole_each(p);
    uint32_t taken[SIM_MOST_WORDS * SIM_ROWS];
    sim_whole_factor a, b;
    for (unsigned row = 0; words && row < p->m; row += SIM_ROWS) {
        sim_take_rows(p, r->a, row, words, taken);
        sim_whole_decode(p->type_a, each, taken, words * SIM_ROWS, &a);
        for (unsigned first = 0; first < p->n; first += SIM_GROUPS) {
            sim_take_columns(r->b + first / SIM_GROUPS * (words / SIM_GROUP_LANES), words, taken);
            sim_whole_decode(p->type_b, each, taken, words * SIM_GROUPS, &b);
            for (unsigned column = 0; column < SIM_GROUPS; column++, sums += SIM_ROWS)
                for (unsigned at = 0; at < SIM_ROWS; at += SIM_VECTOR_ROWS)
                    sim_whole_column(&a, at, &b, column, words, each, p->flags & SIM_PRODUCT_SATURATES, sums);
        }
    }
    return words != 0;
}

#endif
