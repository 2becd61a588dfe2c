/* Matrix products in flight (wgmma). Each warp's part waits in a queue and is computed when a warp of its warpgroup
 * waits for the group: as late as the rules allow, so that a missing wait shows. Loads and stores of tensor memory
 * (tcgen05.ld, .st) wait there too. */
#ifndef HAUL_STATE_PRODUCTS_H
#define HAUL_STATE_PRODUCTS_H

#include "state/op.h"

#include <stddef.h>

typedef struct sim_pending_product sim_pending_product;

/* Warps of a warpgroup. The first one's number is a multiple of this. */
enum { SIM_WARPGROUP = 4 };

/* Tasks of the function that makes an operation. An operation that takes effect at its issue is made twice: once for
 * the effect, and at its wait once more for the checks. One that another warp has waited for is made; its registers
 * stay in use until its own warp waits. */
typedef enum sim_effect { SIM_EFFECT_AND_CHECKS, SIM_EFFECT_ONLY, SIM_CHECKS_ONLY, SIM_EFFECT_MADE } sim_effect;

/* Computes the product: reads its factors, reads and writes its sums; and does its checks (sim_effect). */
typedef void (*sim_product_maker)(sim_warp *w, const sim_pending_product *p);

struct sim_pending_product {
    sim_product_maker make;
    const sim_op *op;
    uint64_t a, b;   /* descriptors of matrices in shared memory */
    uint32_t group;  /* number of groups closed before it */
    uint32_t issued; /* checks on: time in the domain */
    uint32_t made;   /* the same of when it was made for the warpgroup */
    bool keeps;      /* adds to the existing sums */
    bool is_store;   /* to tensor memory */
    sim_effect effect;
    uint8_t groups; /* of lanes of tensor memory that a load or store uses: sim_tmem_area */
    uint32_t *data; /* owned registers from the issue: a store's data, or a sparse product's metadata */
};

/* A warp's products in flight, oldest first. */
typedef struct sim_product_queue {
    sim_pending_product *items;
    size_t count, capacity;
    uint32_t closed; /* groups */
} sim_product_queue;

#endif
