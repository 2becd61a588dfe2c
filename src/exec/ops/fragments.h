/* Fragments of mma.sync: which lane's registers hold which element of a small matrix. wgmma's registers and wmma's are
 * laid out in the same way; wider matrices continue the layout block by block.
 *
 * Gathering and scattering work on groups of four lanes, whose registers are 16 adjacent bytes. These are part of a row
 * of a or of a column of b, or neighbours in a row of c. */
#ifndef HAUL_EXEC_OPS_FRAGMENTS_H
#define HAUL_EXEC_OPS_FRAGMENTS_H

#include "exec/ops/product.h"

/* Returns the bits of an element in registers. */
static inline unsigned sim_element_bits(unsigned type) {
    return type == PTX_B1 ? 32 : ptx_bits(type);
}

typedef struct sim_element_place {
    unsigned row, column; /* of b: k, column */
} sim_element_place;

/* Returns the place in a of element e of the lane's register r. a has `blocks` blocks of eight rows. */
static inline sim_element_place sim_place_a(unsigned blocks, unsigned each, unsigned r, unsigned e, unsigned lane) {
    return (sim_element_place){sim_group(lane) + SIM_GROUPS * (r % blocks),
                               (sim_in_group(lane) + SIM_GROUP_LANES * (r / blocks)) * each + e};
}

/* The same for b, with `chunks` registers for each block of eight columns. */
static inline sim_element_place sim_place_b(unsigned chunks, unsigned each, unsigned r, unsigned e, unsigned lane) {
    return (sim_element_place){(sim_in_group(lane) + SIM_GROUP_LANES * (r % chunks)) * each + e,
                               sim_group(lane) + SIM_GROUPS * (r / chunks)};
}

/* The same for element q of the lane in c and d: pairs of neighbours in a row, by blocks of eight rows, then of eight
 * columns. */
static inline sim_element_place sim_place_c(unsigned blocks, unsigned q, unsigned lane) {
    return (sim_element_place){sim_group(lane) + SIM_GROUPS * (q / 2 % blocks),
                               2 * sim_in_group(lane) + q % 2 + SIM_GROUPS * (q / 2 / blocks)};
}

/* Returns element e of a register's word. */
static inline uint32_t sim_element(uint32_t word, unsigned bits, unsigned e) {
    return bits == 32 ? word : word >> bits * e & ((1u << bits) - 1);
}

/* A register of all lanes holds eight rows of 16 bytes, with `bits` for each element. */
static inline void sim_unpack_row(const unsigned char *from, unsigned bits, uint32_t *to) {
    uint16_t halves[8];
    uint32_t words[4];
    memcpy(halves, from, sizeof halves);
    memcpy(words, from, sizeof words);
    if (bits == 16) {
        for (unsigned n = 0; n < 8; n++) to[n] = halves[n];
    } else if (bits == 8) {
        for (unsigned n = 0; n < 16; n++) to[n] = from[n];
    } else {
        const unsigned each = 32 / bits;
        for (unsigned n = 0; n < 4 * each; n++) to[n] = sim_element(words[n / each], bits, n % each);
    }
}

/* Collect the elements of all lanes' registers. `slots`: the fragment's registers, in order. */
static inline void sim_gather_a(const sim_warp *w, const sim_product *p, const uint32_t *slots, sim_factor *f) {
    const unsigned bits = sim_element_bits(p->type_a), each = bits > 32 ? 1 : 32 / bits, blocks = p->m / SIM_GROUPS;
    const uint32_t depth = sim_depth_of_a(p), registers = p->m * depth / (SIM_LANES * each);
    for (unsigned r = 0; r < registers; r++) {
        for (unsigned g = 0; g < SIM_GROUPS; g++) {
            const unsigned lane = g * SIM_GROUP_LANES;
            const sim_element_place at = sim_place_a(blocks, each, r, 0, lane);
            if (bits > 32)
                memcpy(&f->wide[at.row * depth + at.column], SIM_SLOT(w, double, slots[r]) + lane, 4 * sizeof(double));
            else
                sim_unpack_row(SIM_SLOT(w, unsigned char, slots[r]) + 4 * lane, bits,
                               &f->raw[at.row * depth + at.column]);
        }
    }
}

/* A group's registers are neighbours along k, so they are spread over the rows of b. */
static inline void sim_gather_b(const sim_warp *w, const sim_product *p, const uint32_t *slots, sim_factor *f) {
    const unsigned bits = sim_element_bits(p->type_b), each = bits > 32 ? 1 : 32 / bits;
    const unsigned registers = p->n * p->k / (SIM_LANES * each), chunks = p->k / (SIM_GROUP_LANES * each);
    uint32_t column[SIM_GROUP_LANES * 32];
    for (unsigned r = 0; r < registers; r++) {
        for (unsigned g = 0; g < SIM_GROUPS; g++) {
            const unsigned lane = g * SIM_GROUP_LANES;
            const sim_element_place at = sim_place_b(chunks, each, r, 0, lane);
            const unsigned first = at.row * p->n + at.column;
            if (bits <= 32) sim_unpack_row(SIM_SLOT(w, unsigned char, slots[r]) + 4 * lane, bits, column);
            for (unsigned n = 0; bits <= 32 && n < SIM_GROUP_LANES * each; n++) f->raw[first + n * p->n] = column[n];
            for (unsigned n = 0; bits > 32 && n < SIM_GROUP_LANES; n++)
                f->wide[first + n * p->n] = SIM_SLOT(w, double, slots[r])[lane + n];
        }
    }
}

/* Gathers eight neighbours in a row from registers q and q + 1 of four lanes. */
static inline void sim_gather_sum_row(const sim_warp *w, unsigned type, const uint32_t *slots, unsigned q,
                                      unsigned lane, sim_operands *o, unsigned n) {
    if (type == PTX_F16) {
        const uint16_t *halves = SIM_SLOT(w, uint16_t, slots[q / 2]) + 2 * lane;
        for (unsigned j = 0; j < SIM_GROUPS; j++) o->sum.single[n + j] = f32_of_f16(halves[j]);
    } else if (type == PTX_F64) {
        for (unsigned j = 0; j < SIM_GROUPS; j++)
            o->sum.wide[n + j] = SIM_SLOT(w, double, slots[q + j % 2])[lane + j / 2];
    } else {
        const int32_t *even = SIM_SLOT(w, int32_t, slots[q]) + lane, *odd = SIM_SLOT(w, int32_t, slots[q + 1]) + lane;
        for (unsigned j = 0; j < SIM_GROUPS; j++) o->sum.integer[n + j] = (j % 2 ? odd : even)[j / 2];
    }
}

static inline void sim_gather_sums(const sim_warp *w, const sim_product *p, const uint32_t *slots, sim_operands *o) {
    for (unsigned q = 0; q < p->m * p->n / SIM_LANES; q += 2) {
        for (unsigned g = 0; g < SIM_GROUPS; g++) {
            const unsigned lane = g * SIM_GROUP_LANES;
            const sim_element_place at = sim_place_c(p->m / SIM_GROUPS, q, lane);
            sim_gather_sum_row(w, p->type_c, slots, q, lane, o, at.row * p->n + at.column);
        }
    }
}

/* Rounds a sum; a zero is positive, even after rounding. */
static inline uint16_t sim_half_sum(float sum) {
    const uint16_t half = f16_of_f32(sum);
    return half == 0x8000 ? 0 : half;
}

/* Writes a sum to the lane's register q; halves are two to a register. */
static inline void sim_scatter_sum(sim_warp *w, unsigned type, const uint32_t *slots, unsigned q, unsigned lane,
                                   const sim_operands *o, unsigned n) {
    if (type == PTX_F64)
        SIM_SLOT(w, double, slots[q])[lane] = o->sum.wide[n];
    else if (type == PTX_F16)
        SIM_SLOT(w, uint16_t, slots[q / 2])[2 * lane + q % 2] = sim_half_sum(o->sum.single[n]);
    else
        SIM_SLOT(w, int32_t, slots[q])[lane] = o->sum.integer[n];
}

/* Writes the sums to the registers of `lanes`. */
static inline void sim_scatter_sums(sim_warp *w, const sim_product *p, const uint32_t *slots, uint32_t lanes,
                                    const sim_operands *o) {
    for (unsigned q = 0; q < p->m * p->n / SIM_LANES; q++) {
        for (unsigned g = 0; g < SIM_GROUPS; g++) {
            const sim_element_place at = sim_place_c(p->m / SIM_GROUPS, q, g * SIM_GROUP_LANES);
            const unsigned n = at.row * p->n + at.column;
            for (unsigned j = 0; j < SIM_GROUP_LANES; j++)
                if (lanes >> (g * SIM_GROUP_LANES + j) & 1)
                    sim_scatter_sum(w, p->type_d, slots, q, g * SIM_GROUP_LANES + j, o, n + 2 * j);
        }
    }
}

#endif
