/* A product's registers as vectors of sixteen rows, for the usual products: dense ones of floats near 0 (ops/near.h)
 * and of integers (ops/whole.h). Columns of sums are vectors, and so is each element along k of sixteen rows of a.
 * Elements of b are multiplied with these one by one.
 *
 * A factor is a list of registers, each with 32 words of the lanes: eight rows (of b: columns) of four words along k
 * (ops/fragments.h). wgmma reads its factors from shared memory into the same form. */
#ifndef HAUL_EXEC_OPS_ROWS_H
#define HAUL_EXEC_OPS_ROWS_H

#include "exec/ops/fragments.h"
#include "exec/ops/patterns.h"

/* The host's vectors. Wider ones would be taken apart element by element. */
#if defined(__AVX512F__)
enum { SIM_VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { SIM_VECTOR_BYTES = 32 };
#else
enum { SIM_VECTOR_BYTES = 16 };
#endif

enum { SIM_ROWS = 16, SIM_VECTOR_ROWS = SIM_VECTOR_BYTES / 4 };
/* The most words of a row along k, and the most registers of a, b and sums. */
enum { SIM_MOST_WORDS = 8, SIM_MOST_A = 8, SIM_MOST_B = 64, SIM_MOST_SUM_REGISTERS = 128 };

/* Words of some of the sixteen rows, or twice as many halves. */
typedef uint32_t sim_row_words __attribute__((vector_size(SIM_VECTOR_BYTES), aligned(4), may_alias));
typedef int32_t sim_row_integers __attribute__((vector_size(SIM_VECTOR_BYTES), aligned(4), may_alias));
typedef float sim_row_singles __attribute__((vector_size(SIM_VECTOR_BYTES), aligned(4), may_alias));
typedef int16_t sim_row_halves __attribute__((vector_size(SIM_VECTOR_BYTES), aligned(4), may_alias));
typedef uint16_t sim_row_bits __attribute__((vector_size(SIM_VECTOR_BYTES), aligned(4), may_alias));

/* The registers of a product's factors. */
typedef struct sim_row_registers {
    uint32_t *a[SIM_MOST_A], *b[SIM_MOST_B];
} sim_row_registers;

/* ---- rows of lanes ---- */

/* Two registers are sixteen rows of four words. Word t of all of them goes to to + t * stride. */
static inline void sim_turn_rows(const uint32_t *upper, const uint32_t *lower, uint32_t *to, unsigned stride) {
#if defined(__AVX512F__)
    const sim_row_words *u = (const sim_row_words *)upper, *l = (const sim_row_words *)lower;
#define SIM_TURN_WORD(t)                                                                                             \
    *(sim_row_words *)(to + (t)*stride) =                                                                            \
        __builtin_shufflevector(__builtin_shufflevector(u[0], u[1], t, t + 4, t + 8, t + 12, t + 16, t + 20, t + 24, \
                                                        t + 28, -1, -1, -1, -1, -1, -1, -1, -1),                     \
                                __builtin_shufflevector(l[0], l[1], t, t + 4, t + 8, t + 12, t + 16, t + 20, t + 24, \
                                                        t + 28, -1, -1, -1, -1, -1, -1, -1, -1),                     \
                                0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
    SIM_TURN_WORD(0);
    SIM_TURN_WORD(1);
    SIM_TURN_WORD(2);
    SIM_TURN_WORD(3);
#undef SIM_TURN_WORD
#else
    for (unsigned row = 0; row < SIM_ROWS; row += 4) {
        const sim_quad *from = (const sim_quad *)((row < SIM_GROUPS ? upper : lower) + row % SIM_GROUPS * 4);
        sim_quad q[4] = {from[0], from[1], from[2], from[3]};
        sim_turn_quads(q);
        for (unsigned t = 0; t < 4; t++) *(sim_quad *)(to + t * stride + row) = q[t];
    }
#endif
}

/* The opposite. */
static inline void sim_turn_back(const uint32_t *from, unsigned stride, uint32_t *upper, uint32_t *lower) {
    for (unsigned row = 0; row < SIM_ROWS; row += 4) {
        sim_quad *to = (sim_quad *)((row < SIM_GROUPS ? upper : lower) + row % SIM_GROUPS * 4), q[4];
        for (unsigned t = 0; t < 4; t++) q[t] = *(const sim_quad *)(from + t * stride + row);
        sim_turn_quads(q);
        for (unsigned t = 0; t < 4; t++) to[t] = q[t];
    }
}

static const uint32_t sim_no_rows[SIM_LANES];

/* Collects sixteen rows of a from `first` on: word w of row i becomes number 16 w + i. */
static inline void sim_take_rows(const sim_product *p, uint32_t *const *registers, unsigned first, unsigned words,
                                 uint32_t *to) {
    const unsigned blocks = p->m / SIM_GROUPS, block = first / SIM_GROUPS;
    for (unsigned w = 0; w < words; w += SIM_GROUP_LANES) {
        uint32_t *const *r = registers + w / SIM_GROUP_LANES * blocks + block;
        sim_turn_rows(r[0], block + 1 < blocks ? r[1] : sim_no_rows, to + w * SIM_ROWS, SIM_ROWS);
    }
}

/* Collects eight columns of b. Lanes keep their places, register by register: sim_place_in_b(). */
static inline void sim_take_columns(uint32_t *const *registers, unsigned words, uint32_t *to) {
    for (unsigned n = 0; n < words / SIM_GROUP_LANES; n++)
        memcpy(to + n * SIM_LANES, registers[n], SIM_LANES * sizeof *to);
}

/* The place there of a column's word, a multiple of four; three more follow. */
static inline unsigned sim_place_in_b(unsigned column, unsigned word) {
    return word / SIM_GROUP_LANES * SIM_LANES + column * SIM_GROUP_LANES;
}

/* Packs elements into registers. Element (row, k) is raw[row * by_row + k * by_k]; eight more rows and four more words
 * along k are `by_rows` and `by_words` registers further on. */
static inline void sim_pack_rows(const uint32_t *raw, unsigned by_row, unsigned by_k, unsigned rows, unsigned words,
                                 unsigned bits, uint32_t (*to)[SIM_LANES], unsigned by_rows, unsigned by_words) {
    const unsigned each = 32 / bits;
    for (unsigned w = 0; w < words; w++) {
        for (unsigned row = 0; row < rows; row++) {
            uint32_t word = 0;
            for (unsigned e = 0; e < each; e++) word |= raw[row * by_row + (w * each + e) * by_k] << bits * e;
            to[row / SIM_GROUPS * by_rows + w / SIM_GROUP_LANES * by_words]
              [row % SIM_GROUPS * SIM_GROUP_LANES + w % SIM_GROUP_LANES] = word;
        }
    }
}

/* ---- sums in registers ---- */

/* Turns two columns of halves, in words, into singles. */
static inline void sim_widen_columns(const uint32_t *words, float *first, float *second) {
    SIM_VECTORISE for (unsigned n = 0; n < SIM_ROWS; n++) {
        first[n] = f32_of_f16((uint16_t)words[n]);
        second[n] = f32_of_f16((uint16_t)(words[n] >> 16));
    }
}

static inline void sim_narrow_columns(const float *first, const float *second, uint32_t *words) {
    SIM_VECTORISE for (unsigned n = 0; n < SIM_ROWS; n++) words[n] =
        sim_half_sum(first[n]) | (uint32_t)sim_half_sum(second[n]) << 16;
}

/* Reads eight columns of sixteen rows. r: the rows' first register of the first column. */
static inline void sim_read_sums(unsigned type, uint32_t *const *r, bool is_short, float *sums) {
    enum { PAIR = 2 * SIM_ROWS };
    uint32_t words[SIM_GROUP_LANES * SIM_ROWS];
    if (type == PTX_F16) {
        sim_turn_rows(r[0], is_short ? sim_no_rows : r[1], words, SIM_ROWS);
        for (unsigned t = 0; t < SIM_GROUP_LANES; t++)
            sim_widen_columns(words + t * SIM_ROWS, sums + t * PAIR, sums + t * PAIR + SIM_ROWS);
        return;
    }
    for (unsigned odd = 0; odd < 2; odd++)
        sim_turn_rows(r[odd], is_short ? sim_no_rows : r[2 + odd], (uint32_t *)(void *)sums + odd * SIM_ROWS, PAIR);
}

/* Writes them to the registers of `lanes`. */
static inline void sim_write_sums(unsigned type, uint32_t *const *r, bool is_short, uint32_t lanes, const float *sums) {
    enum { PAIR = 2 * SIM_ROWS };
    const uint32_t *words = (const uint32_t *)(const void *)sums;
    uint32_t halves[SIM_GROUP_LANES * SIM_ROWS], made[2][SIM_LANES];
    const unsigned each = type == PTX_F16 ? 1 : 2; /* registers of eight rows */
    for (unsigned t = 0; type == PTX_F16 && t < SIM_GROUP_LANES; t++)
        sim_narrow_columns(sums + t * PAIR, sums + t * PAIR + SIM_ROWS, halves + t * SIM_ROWS);
    for (unsigned odd = 0; odd < each; odd++) {
        if (type == PTX_F16)
            sim_turn_back(halves, SIM_ROWS, made[0], made[1]);
        else
            sim_turn_back(words + odd * SIM_ROWS, PAIR, made[0], made[1]);
        SIM_STORE_LANES(r[odd], lanes, made[0][l]);
        if (!is_short) SIM_STORE_LANES(r[each + odd], lanes, made[1][l]);
    }
}

/* The first of c's or d's registers with eight columns of sixteen rows. */
static inline unsigned sim_sums_at(const sim_product *p, unsigned type, unsigned row, unsigned column) {
    return (type == PTX_F16 ? 1 : 2) * (column / SIM_GROUPS * (p->m / SIM_GROUPS) + row / SIM_GROUPS);
}

/* Reads all sums from c's registers. They are columns of sixteen rows, rows by rows. */
static inline void sim_load_sums(const sim_product *p, uint32_t *const *c, float *sums) {
    for (unsigned row = 0; row < p->m; row += SIM_ROWS)
        for (unsigned column = 0; column < p->n; column += SIM_GROUPS, sums += SIM_GROUPS * SIM_ROWS)
            sim_read_sums(p->type_c, c + sim_sums_at(p, p->type_c, row, column), p->m - row < SIM_ROWS, sums);
}

/* Writes them to d's registers of `lanes`. */
static inline void sim_store_sums(const sim_product *p, uint32_t *const *d, uint32_t lanes, const float *sums) {
    for (unsigned row = 0; row < p->m; row += SIM_ROWS)
        for (unsigned column = 0; column < p->n; column += SIM_GROUPS, sums += SIM_GROUPS * SIM_ROWS)
            sim_write_sums(p->type_d, d + sim_sums_at(p, p->type_d, row, column), p->m - row < SIM_ROWS, lanes, sums);
}

/* ---- a warp's registers ---- */

/* Return how many registers have a matrix of so many elements, and point at those of a fragment. */
static inline unsigned sim_row_register_count(unsigned elements, unsigned type) {
    return elements * ptx_bits(type) / (SIM_LANES * 32);
}

static inline void sim_row_slots(sim_warp *w, uint32_t fragment, unsigned count, uint32_t **registers) {
    const uint32_t *slots = w->sm->grid->program->pool + fragment;
    for (unsigned n = 0; n < count; n++) registers[n] = SIM_SLOT(w, uint32_t, slots[n]);
}

#endif
