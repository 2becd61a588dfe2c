/* Tensor memory (tcgen05): 128 lanes of 512 columns of 32 bits for each SM, given to blocks column by column; and what
 * goes on there in the background.
 *
 * Products, copies and shifts wait in a queue of the block that issued them, and are done when somebody waits for the
 * mbarrier that a tcgen05.commit of the same thread named: as late as the rules allow, so that a missing wait shows.
 * Loads and stores wait in the warp's queue of products (products.h) until the warp waits for them.
 *
 * The blocks of a cluster share one SM here, but not their tensor memory: there is one for each rank. */
#ifndef HAUL_STATE_TMEM_H
#define HAUL_STATE_TMEM_H

#include "state/op.h"

#include <stddef.h>

typedef struct sim_block sim_block;
typedef struct sim_sm sim_sm;

enum {
    SIM_TMEM_LANES = 128,
    SIM_TMEM_COLUMNS = 512,
    SIM_TMEM_UNIT = 32, /* columns */
    SIM_TMEM_UNITS = SIM_TMEM_COLUMNS / SIM_TMEM_UNIT,
    SIM_TMEM_PAIR = 2, /* blocks of a .cta_group::2 */
};

typedef struct sim_tmem {
    const sim_block *owner[SIM_TMEM_UNITS]; /* NULL: free */
    uint32_t words[SIM_TMEM_LANES][SIM_TMEM_COLUMNS];
} sim_tmem;

/* An address: the lane in the upper half, the column in the lower one. */
static inline uint32_t sim_tmem_lane(uint32_t address) {
    return address >> 16;
}

static inline uint32_t sim_tmem_column(uint32_t address) {
    return address & 0xffff;
}

typedef struct sim_tmem_work sim_tmem_work;

/* Does it, for the block that issued it. */
typedef void (*sim_tmem_maker)(sim_block *b, const sim_tmem_work *work);

struct sim_tmem_work {
    sim_tmem_maker make; /* NULL: a commit */
    const sim_op *op;
    uint32_t thread;         /* of the block */
    uint32_t issued;         /* checks on: the domain's time */
    uint32_t barrier, ranks; /* of a commit: the mbarrier's address in each block of the cluster whose bit is set */
    uint64_t a, b;           /* descriptors, or a: the address in tensor memory */
    uint32_t d, descriptor, metadata, scale_a, scale_b;
    uint32_t columns;                                  /* that are written, from d on */
    uint32_t disabled[2 * SIM_TMEM_LANES / SIM_LANES]; /* lanes of d that are left as they are */
    uint64_t zeros;                                    /* the descriptor of columns of b that are taken as zero */
    bool keeps;                                        /* adds to what is there */
    bool is_for_pair;
};

/* A block's. */
typedef struct sim_tmem_queue {
    sim_tmem_work *items; /* oldest first */
    size_t count, capacity;
    bool relinquished;        /* it will not allocate any more */
    uint32_t requested;       /* columns that it wants for itself and its pair; 0: none */
    uint32_t granted;         /* ... and has got: the address + 1 */
    const sim_op *allocation; /* the last one, by that warp */
    uint32_t allocator;
} sim_tmem_queue;

#endif
