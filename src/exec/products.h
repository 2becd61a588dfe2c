/* Products of matrices in the background, queued and made; and the descriptors of their factors. */
#ifndef HAUL_EXEC_PRODUCTS_H
#define HAUL_EXEC_PRODUCTS_H

#include "state/products.h"
#include "state/warp.h"

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
