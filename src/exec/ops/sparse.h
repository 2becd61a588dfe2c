/* Products with a sparse matrix a (mma.sp, wgmma.mma_async.sp). Along k, half of each few neighbours are omitted, and
 * metadata name the elements that exist. Each row of a is multiplied with the rows of b that its own metadata name. The
 * products are summed as those of a dense product half as deep. */
#ifndef HAUL_EXEC_OPS_SPARSE_H
#define HAUL_EXEC_OPS_SPARSE_H

#include "exec/ops/product.h"

enum { SIM_SPARSE_ROWS = 16 };

/* Metadata of each row of a: two bits for each existing element, four for tf32, two for a pair of 4-bit elements. The
 * first element's bits are the lowest. */
typedef struct sim_metadata {
    uint64_t rows[SIM_SPARSE_ROWS];
} sim_metadata;

/* Returns the k of element number `at` of a row. Metadata that the PTX manual leaves undefined (a repeated index, or
 * one that tf32 does not have) are used bit for bit as well. */
static inline uint32_t sim_sparse_index(unsigned bits, uint64_t row, uint32_t at) {
    if (bits == 32) return 2 * at + (uint32_t)(row >> 4 * at >> 1 & 1);
    if (bits == 4) return at / 4 * 8 + 2 * (uint32_t)(row >> 2 * (at / 2) & 3) + at % 2;
    return at / 2 * 4 + (uint32_t)(row >> 2 * at & 3);
}

/* In each group of four lanes, those that `selector` names hold the metadata of two rows, eight apart. For elements of
 * 16 and 32 bits a lane holds 16 bits for each row, otherwise 32 bits of one row. */
static inline uint64_t sim_metadata_of(const sim_product *p, const uint32_t *lanes, unsigned row) {
    const unsigned bits = ptx_bits(p->type_a), upper = row / SIM_GROUPS;
    const uint32_t *four = lanes + SIM_GROUP_LANES * (row % SIM_GROUPS);
    const bool is_long = p->k * bits == 512;
    if (bits >= 16) {
        if (!is_long) return four[p->selector] >> 16 * upper & 0xffff;
        const uint32_t *pair = four + 2 * p->selector;
        return (pair[0] >> 16 * upper & 0xffff) | (pair[1] >> 16 * upper & 0xffff) << 16;
    }
    if (!is_long) return four[2 * p->selector + upper];
    return four[upper] | (uint64_t)four[2 + upper] << 32;
}

/* `lanes`: the register with the metadata of each lane. */
static inline void sim_gather_metadata(const uint32_t *lanes, const sim_product *p, sim_metadata *m) {
    for (unsigned row = 0; row < p->m; row++) m->rows[row] = sim_metadata_of(p, lanes, row);
}

/* A function that multiplies dense matrices. */
typedef void (*sim_multiplier)(const sim_product *p, sim_operands *o, unsigned sm);

/* Multiplies row by row, each as a dense product of one row with the rows of b that its metadata name. */
static inline void sim_multiply_sparse(const sim_product *p, sim_operands *o, const sim_metadata *m, unsigned sm,
                                       sim_multiplier multiply) {
    const uint32_t depth = sim_depth_of_a(p), bits = ptx_bits(p->type_a);
    sim_product one = *p;
    sim_operands part;
    one.m = 1;
    one.k = depth;
    one.flags &= ~(uint32_t)SIM_PRODUCT_SPARSE;
    for (uint32_t row = 0; row < p->m; row++) {
        memcpy(part.a.raw, o->a.raw + row * depth, depth * sizeof *part.a.raw);
        for (uint32_t at = 0; at < depth; at++)
            memcpy(part.b.raw + at * p->n, o->b.raw + sim_sparse_index(bits, m->rows[row], at) * p->n,
                   p->n * sizeof *part.b.raw);
        memcpy(part.sum.integer, o->sum.integer + row * p->n, p->n * sizeof *part.sum.integer);
        multiply(&one, &part, sm);
        memcpy(o->sum.integer + row * p->n, part.sum.integer, p->n * sizeof *part.sum.integer);
    }
}

#endif
