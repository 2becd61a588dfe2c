/* Products of matrices in the background (wgmma): each warp's part waits in a queue and is made when the warp waits for
 * its group, as late as the rules allow, so that a missing wait shows. Loads from tensor memory and stores to it
 * (tcgen05.ld, .st) wait there too. */
#ifndef HAUL_SIM_PRODUCTS_H
#define HAUL_SIM_PRODUCTS_H

#include "sim/op.h"

#include <stddef.h>

typedef struct sim_pending_product sim_pending_product;

/* Makes the product: reads its factors, and reads and writes its sums. */
typedef void (*sim_product_maker)(sim_warp *w, const sim_pending_product *p);

struct sim_pending_product {
    sim_product_maker make;
    const sim_op *op;
    uint64_t a, b;   /* descriptors of matrices in shared memory */
    uint32_t group;  /* number of groups closed before */
    uint32_t issued; /* checks on: the domain's time */
    bool keeps;      /* adds to the sums that are there */
    bool is_store;   /* to tensor memory */
    uint32_t *data;  /* registers as they were at the issue, one after the other; its own: what a store stores, the
                        metadata of a sparse product */
};

/* A warp's, oldest first. */
typedef struct sim_product_queue {
    sim_pending_product *items;
    size_t count, capacity;
    uint32_t closed; /* groups */
} sim_product_queue;

/* False when the host has no memory. */
bool sim_products_add(sim_warp *w, const sim_pending_product *p);
void sim_products_commit(sim_warp *w);
/* Makes those of all closed groups but the newest `keep`. */
void sim_products_wait(sim_warp *w, uint32_t keep);
/* Makes all but stores. */
void sim_products_finish(sim_warp *w);
/* Makes all of one kind. */
void sim_products_finish_kind(sim_warp *w, sim_product_maker make);
/* Forgets all. */
void sim_products_drop(sim_product_queue *q);

/* ---- the descriptor of a matrix in shared memory ---- */

typedef struct sim_descriptor {
    uint32_t start, leading, stride; /* bytes */
    uint32_t base;                   /* row of the swizzle's pattern that `start` lies in */
    uint32_t width;                  /* bytes of a row within the pattern: 16 (no swizzle), 32, 64 or 128 */
    bool transposed;                 /* rows are along k, not along it */
    bool coarse;                     /* 32 bytes are exchanged at a time, within four rows; transposed ones of tf32 */
} sim_descriptor;

sim_descriptor sim_descriptor_of(uint64_t bits, bool transposed);

enum { SIM_CHUNK = 16 };

/* Where a matrix's 16 bytes lie: of row (column, of b) `row`, the chunk `chunk` along k; transposed: of the k `row` the
 * chunk along the matrix's rows. */
static inline uint32_t sim_descriptor_chunk(const sim_descriptor *d, uint32_t row, uint32_t chunk) {
    enum { ROWS = 8 };
    const uint32_t each = d->width / SIM_CHUNK, in_row = row % ROWS * d->width, rows = row / ROWS;
    uint32_t at = d->start + in_row;
    if (!d->transposed)
        at += rows * d->stride + chunk * (each == 1 ? d->leading : SIM_CHUNK);
    else if (d->coarse)
        at = d->start + row % 4 * d->width + row / 4 * d->stride + chunk / each * d->leading + chunk % each * SIM_CHUNK;
    else if (each == 1)
        at += rows * d->leading + chunk * d->stride;
    else
        at += rows * d->stride + chunk / each * d->leading + chunk % each * SIM_CHUNK;
    if (d->coarse) return at ^ (((at >> 7) - d->base) & 3) << 5;
    return at ^ (((at >> 7) - d->base) & (each - 1)) << 4;
}

#endif
