/* tcgen05.mma: declarations shared by its issue (tmem_mma.c), its instruction descriptor (tmem_descriptor.c) and its
 * execution (tmem_make.c). */
#ifndef HAUL_EXEC_OPS_TMEM_MMA_H
#define HAUL_EXEC_OPS_TMEM_MMA_H

#include "exec/ops/lanes.h"
#include "exec/ops/tmem.h"
#include "exec/products.h"
#include "state/tmem.h"

/* Compiled once for each vector extension. */
#define sim_tmem_read_descriptor SIM_PASTE(sim_tmem_read_descriptor, SIM_VARIANT)
#define sim_tmem_check_matrices SIM_PASTE(sim_tmem_check_matrices, SIM_VARIANT)
#define sim_tmem_make SIM_PASTE(sim_tmem_make, SIM_VARIANT)

/* Products are computed tile by tile. */
enum { SIM_TILE_ROWS = 16 };

/* ---- the instruction: op.more is a sim_tmem_op in the pool ---- */

typedef enum sim_tmem_kind {
    SIM_TMEM_KIND_F16,
    SIM_TMEM_KIND_TF32,
    SIM_TMEM_KIND_F8F6F4,
    SIM_TMEM_KIND_I8,
    SIM_TMEM_KIND_MXF8F6F4,
    SIM_TMEM_KIND_MXF4,
    SIM_TMEM_KIND_MXF4NVF4
} sim_tmem_kind;

enum {
    SIM_TMEM_WEIGHTS_STAY = 1,
    SIM_TMEM_SPARSE = 2,
    SIM_TMEM_FOR_PAIR = 4,
    SIM_TMEM_HAS_A = 8,
    SIM_TMEM_SHIFTS_A = 16
};

/* An operand's slot and a constant offset. */
typedef struct sim_tmem_address {
    uint32_t slot, offset;
} sim_tmem_address;

/* A tcgen05.mma as lowered: slots of its operands, and what its modifiers say. */
typedef struct sim_tmem_op {
    uint32_t kind, flags; /* sim_tmem_kind; SIM_TMEM_* */
    uint32_t scales;      /* scale factors of a row of a; 0: not scaled */
    uint32_t scale_of_d;  /* the sums are divided by 2 to this power first */
    sim_tmem_address d, a, metadata, scale_a, scale_b;
    uint32_t a_descriptor, b, descriptor, keep, flip, zeros; /* slots; flip: all ones for !keep */
    uint32_t disabled[8], disabled_count;                    /* slots of masks of d's lanes */
} sim_tmem_op;

static inline const sim_tmem_op *sim_tmem_op_at(const sim_block *b, const sim_op *op) {
    return (const sim_tmem_op *)(const void *)(b->sm->grid->program->pool + op->more);
}

/* ---- the instruction descriptor ---- */

/* Layout of a block's part of d in tensor memory: by rows, in 16 of every 32 lanes, or in halves or quarters of its
 * columns one below the other. */
typedef enum sim_tmem_layout {
    SIM_TMEM_LAYOUT_ROWS,
    SIM_TMEM_LAYOUT_HALF_LANES,
    SIM_TMEM_LAYOUT_HALVES,
    SIM_TMEM_LAYOUT_QUARTERS
} sim_tmem_layout;

/* A product as its instruction descriptor says. */
typedef struct sim_tmem_product {
    uint32_t m, n, k;       /* of the whole product; k includes elements that a sparse a omits */
    uint32_t rows, columns; /* of a block's part of a, of b */
    uint32_t type_a, type_b, type_d;
    uint32_t bits;          /* of an element in tensor memory: smaller ones are in 8-bit containers */
    uint32_t depth_of_a;    /* as stored */
    sim_tmem_layout layout; /* of d */
    bool transposes_a, transposes_b, negates_a, negates_b, saturates;
    uint32_t selector, id_a, id_b; /* of metadata and scale factors */
    bool scales_are_exponents;     /* ue8m0, not e4m3 without sign */
} sim_tmem_product;

/* Returns NULL, or the defect of the descriptor. */
const char *sim_tmem_read_descriptor(const sim_tmem_op *t, uint32_t d, sim_tmem_product *p);

/* ---- positions in tensor memory ---- */

static inline uint32_t sim_tmem_lane_of_row(const sim_tmem_product *p, uint32_t address, uint32_t row) {
    if (p->layout == SIM_TMEM_LAYOUT_HALF_LANES)
        return sim_tmem_lane(address) + row % SIM_TILE_ROWS + row / SIM_TILE_ROWS * SIM_LANES;
    return row;
}

static inline uint32_t sim_tmem_sum_columns(const sim_tmem_product *p) {
    return p->layout == SIM_TMEM_LAYOUT_HALVES ? p->n / 2 : p->layout == SIM_TMEM_LAYOUT_QUARTERS ? p->n / 4 : p->n;
}

/* ---- matrices in shared memory ---- */

/* A factor, or a block's part of it, in the shared memory of that block. */
typedef struct sim_tmem_matrix {
    const sim_block *block;
    sim_descriptor descriptor;
    uint32_t rows, chunks; /* of 16 bytes */
    uint32_t along;        /* elements of a chunk */
} sim_tmem_matrix;

static inline sim_tmem_matrix sim_tmem_matrix_of(const sim_block *b, uint64_t bits, bool transposed, uint32_t rows,
                                                 uint32_t depth, uint32_t element_bits) {
    sim_tmem_matrix d = {
        .block = b, .descriptor = sim_tmem_descriptor_of(bits, transposed), .along = 128 / element_bits};
    d.rows = transposed ? depth : rows;
    d.chunks = (transposed ? rows : depth) / d.along;
    return d;
}

static inline sim_tmem_matrix sim_tmem_matrix_a(const sim_block *b, const sim_tmem_product *p, uint64_t bits) {
    return sim_tmem_matrix_of(b, bits, p->transposes_a, p->rows, p->depth_of_a, p->bits);
}

static inline sim_tmem_matrix sim_tmem_matrix_b(const sim_block *b, const sim_tmem_product *p, uint64_t bits) {
    return sim_tmem_matrix_of(b, bits, p->transposes_b, p->columns, p->k, p->bits);
}

/* The addresses of both matrices of a product in shared memory. */
enum { SIM_TMEM_WORST_CHUNKS = 1024 };
typedef struct sim_tmem_chunks {
    uint32_t count, address[SIM_TMEM_WORST_CHUNKS];
} sim_tmem_chunks;

/* Returns false, with the fault recorded, if a matrix lies outside of shared memory or its descriptor is invalid. */
bool sim_tmem_check_matrices(sim_warp *w, const sim_op *op, uint32_t lane, const sim_tmem_op *t,
                             const sim_tmem_product *p, const sim_tmem_work *work, sim_tmem_chunks *list);

/* sim_tmem_work.make */
void sim_tmem_make(sim_block *b, const sim_tmem_work *work);

#endif
