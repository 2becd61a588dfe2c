/* Asynchronous copies in flight.
 *
 * Data arrives as late as the rules allow: a cp.async's bytes when its thread waits for its group, a bulk copy's when a
 * thread waits for its mbarrier or bulk group. A program that reads before it waits gets the old bytes. Other schedules
 * (schedule.h) move data at other times; an operation stays in flight until its wait in any case. */
#ifndef HAUL_STATE_ASYNC_H
#define HAUL_STATE_ASYNC_H

#include "machine/tensor.h"
#include "state/op.h"
#include "state/products.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sim_block sim_block;
typedef struct sim_warp sim_warp;

/* One warp's cp.async instruction (bytes > 0), or a cp.async.mbarrier.arrive that follows earlier ones (bytes 0). */
typedef struct sim_copy {
    const sim_op *op;
    uint32_t lanes; /* still to be done */
    uint32_t group; /* the cp.async group of those lanes */
    uint8_t bytes;
    bool moved;              /* its data has been moved; it is in flight for its waits only */
    uint8_t read[SIM_LANES]; /* bytes to read; the rest is zero-filled */
    uint64_t source[SIM_LANES];
    uint32_t destination[SIM_LANES];
    uint64_t from, to; /* checks on: the range that contains all sources */
} sim_copy;

/* A warp's copies, oldest first. */
typedef struct sim_copy_queue {
    sim_copy *copies;
    size_t first, count, capacity;
    uint32_t committed[SIM_LANES]; /* groups closed by each lane */
    sim_product_queue products;
} sim_copy_queue;

typedef enum sim_bulk_kind { SIM_BULK_LOAD, SIM_BULK_STORE, SIM_BULK_REDUCE } sim_bulk_kind;

enum { SIM_BULK_VALUE = 32, SIM_ATOMIC_NONE = 0xff };

/* One thread's bulk copy, or tensor copy. */
typedef struct sim_bulk {
    uint8_t kind;
    uint8_t atomic, element; /* of a reduction: sim_atomic_kind and bytes of an element; SIM_ATOMIC_NONE: none */
    uint32_t instruction;    /* the issuing one */
    uint64_t number;         /* among the operations that its block waits for; set when it is added */
    uint32_t thread;         /* its index in the block */
    uint32_t group;          /* bulk group of a store */
    uint32_t shared;         /* shared address */
    uint32_t barrier;
    const sim_block *source; /* NULL: global memory; else `global` is in the shared memory of this block */
    uint64_t global;
    uint32_t bytes;
    bool moved;            /* its data has been moved; it is in flight for its waits only */
    bool repeats;          /* a store with the operands of a lower lane's: the same bytes to the same place */
    unsigned char *staged; /* owned copy of the source, once that has been read; NULL: none */
    bool masked;           /* stores only the bytes of each 16 that `mask` selects */
    uint16_t mask;
    uint8_t left, right;    /* bytes at the ends that a load ignores: they may lie outside of an allocation */
    sim_block *destination; /* of a load whose mbarrier lies in another block; NULL: this block */
    bool has_value; /* st.async, red.async: `value` is stored or, if `atomic` is set, reduced into shared memory */
    unsigned char value[SIM_BULK_VALUE];
    sim_tensor tensor; /* rank 0: contiguous bytes */
    uint64_t map;      /* address of its tensor map; 0: none */
    int32_t at[SIM_TENSOR_RANK];
} sim_bulk;

/* Returns how many of the copy's bytes are not ignored. */
static inline uint32_t sim_bulk_read(const sim_bulk *b) {
    const uint32_t ignored = (uint32_t)b->left + b->right;
    return b->bytes > ignored ? b->bytes - ignored : 0;
}

/* Places of an array of bits by the address of an mbarrier. */
enum { SIM_CARRIER_WORDS = 4, SIM_CARRIERS = 64 * SIM_CARRIER_WORDS };

typedef struct sim_async {
    sim_copy_queue *queues; /* one a warp */
    size_t queue_count;
    sim_bulk *bulks;
    size_t bulk_count, bulk_capacity;
    size_t reductions;     /* among the bulks */
    uint32_t *bulk_groups; /* groups that each thread closed */
    size_t thread_count;
    uint64_t issued;                      /* operations, of all kinds */
    uint64_t carriers[SIM_CARRIER_WORDS]; /* places of mbarriers on which copies complete */
    bool used;                            /* since it was reset */
} sim_async;

#endif
