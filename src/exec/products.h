/* Matrix products in flight: their queue and their execution. Also the descriptors of their factors. */
#ifndef HAUL_EXEC_PRODUCTS_H
#define HAUL_EXEC_PRODUCTS_H

#include "state/products.h"
#include "state/warp.h"

/* Queues a product. Returns false if the host has no memory. */
bool sim_products_add(sim_warp *w, const sim_pending_product *p);
void sim_products_commit(sim_warp *w);
/* Waits for all closed groups except the newest `keep`. A group is one operation of the warpgroup: it is complete when
 * all four warps' parts are. Returns false, and does nothing, if another warp has not issued its part yet; with
 * `anyhow` goes on without it. */
bool sim_products_wait(sim_warp *w, uint32_t keep, bool anyhow);
/* Lets the other warps of the warpgroup go on that wait for this one's part of a group. */
void sim_products_wake(sim_warp *w);
/* Executes all products and leaves the stores. */
void sim_products_finish(sim_warp *w);
/* Executes all entries of one kind. */
void sim_products_finish_kind(sim_warp *w, sim_product_maker make);
/* Discards all. */
void sim_products_drop(sim_product_queue *q);

/* ---- the descriptor of a matrix in shared memory ---- */

typedef struct sim_descriptor {
    uint32_t start, leading, stride; /* bytes */
    uint32_t base;                   /* row of the swizzle pattern that `start` lies in */
    uint32_t width;                  /* bytes of a row within the pattern: 16 (no swizzle), 32, 64 or 128 */
    bool transposed;                 /* rows run along k */
    bool coarse;                     /* exchanges 32 bytes at a time within four rows; for transposed tf32 */
} sim_descriptor;

/* Reads a descriptor as wgmma has it. `transposed` comes from the instruction. */
sim_descriptor sim_descriptor_of(uint64_t bits, bool transposed);

enum { SIM_CHUNK = 16 };

/* Returns the address of 16 bytes of a matrix. Normally `row` is a row (of b: a column) and `chunk` counts along k. If
 * transposed, `row` counts along k and `chunk` along the matrix's rows. */
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
