/* Products of matrices in the background (wgmma): each warp's part waits in a queue and is made when the warp waits for
 * its group, as late as the rules allow, so that a missing wait shows. Loads from tensor memory and stores to it
 * (tcgen05.ld, .st) wait there too. */
#ifndef HAUL_STATE_PRODUCTS_H
#define HAUL_STATE_PRODUCTS_H

#include "state/op.h"

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

#endif
