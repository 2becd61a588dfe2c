/* Tensor memory (tcgen05) and the operations on it that are in flight. An SM has 128 lanes of 512 columns of 32 bits;
 * blocks allocate columns.
 *
 * Products, copies and shifts wait in a queue of the block that issued them. They are done when a thread waits for the
 * mbarrier that the same thread's tcgen05.commit named: as late as the rules allow, so that a missing wait shows. Loads
 * and stores wait in the warp's queue of products (products.h) until the warp waits for them.
 *
 * The blocks of a cluster share one SM here, but not their tensor memory: each rank has its own. */
#ifndef HAUL_STATE_TMEM_H
#define HAUL_STATE_TMEM_H

#include "state/op.h"
#include "state/products.h"

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

/* An address has the lane in its upper half and the column in its lower half. */
static inline uint32_t sim_tmem_lane(uint32_t address) {
    return address >> 16;
}

static inline uint32_t sim_tmem_column(uint32_t address) {
    return address & 0xffff;
}

/* Part of tensor memory: columns, in groups of 16 lanes, a bit each. A warp reaches two of the eight groups; a product
 * of 64 rows uses every other one, and a second product may use those between. */
enum { SIM_TMEM_GROUP = 16, SIM_TMEM_ALL_GROUPS = 0xff, SIM_TMEM_EVERY_OTHER_GROUP = 0x55 };
typedef struct sim_tmem_area {
    uint32_t column, columns;
    uint8_t groups;
} sim_tmem_area;

static inline bool sim_tmem_areas_meet(const sim_tmem_area *a, const sim_tmem_area *b) {
    return a->groups & b->groups && a->column < b->column + b->columns && b->column < a->column + a->columns;
}

typedef struct sim_tmem_work sim_tmem_work;

/* Does the work, for the block that issued it. */
typedef void (*sim_tmem_maker)(sim_block *b, const sim_tmem_work *work);

struct sim_tmem_work {
    sim_tmem_maker make; /* NULL: a commit */
    const sim_op *op;
    uint32_t thread;         /* in the block */
    uint32_t issued;         /* checks on: time in the domain */
    uint32_t barrier, ranks; /* of a commit: the mbarrier's address in each block whose bit is set in `ranks` */
    uint64_t a, b;           /* descriptors; `a` may be an address in tensor memory */
    uint32_t d, descriptor, metadata, scale_a, scale_b;
    sim_tmem_area written;
    uint32_t disabled[2 * SIM_TMEM_LANES / SIM_LANES]; /* lanes of d that stay unchanged */
    uint64_t zeros;                                    /* the descriptor of the columns of b that count as zero */
    bool keeps;                                        /* adds to the existing sums */
    bool is_for_pair;
    sim_effect effect;
};

/* A block's tensor memory operations and its current allocation. */
typedef struct sim_tmem_queue {
    sim_tmem_work *items; /* oldest first */
    size_t count, capacity;
    bool relinquished;        /* it may not allocate again */
    uint32_t requested;       /* columns that it asks for, for itself and its pair; 0: none */
    uint32_t granted;         /* the granted address + 1; 0: none yet */
    const sim_op *allocation; /* the last one, by warp `allocator` */
    uint32_t allocator;
} sim_tmem_queue;

#endif
