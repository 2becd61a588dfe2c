/* Asynchronous copies in flight, and mbarriers.
 *
 * Data arrives as late as the rules allow: a cp.async's bytes when its thread waits for its group, a bulk copy's when
 * somebody waits for its mbarrier or bulk group. A program that reads before it waits gets what was there before.
 */
#ifndef HAUL_SIM_COPY_ASYNC_H
#define HAUL_SIM_COPY_ASYNC_H

#include "sim/copy/tensor.h"
#include "sim/op.h"
#include "sim/products.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sim_block sim_block;
typedef struct sim_warp sim_warp;

/* One warp's cp.async instruction (bytes > 0), or a cp.async.mbarrier.arrive behind earlier ones (bytes 0). */
typedef struct sim_copy {
    const sim_op *op;
    uint32_t lanes; /* those still to be done */
    uint32_t group; /* of those lanes */
    uint8_t bytes;
    uint8_t read[SIM_LANES]; /* bytes to read; the rest is zero-filled */
    uint64_t source[SIM_LANES];
    uint32_t destination[SIM_LANES];
    uint64_t from, to; /* checks on: the sources lie in between */
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
    uint32_t instruction;    /* that issued it */
    uint32_t thread;         /* in the block */
    uint32_t group;          /* bulk group of a store */
    uint32_t shared;         /* address */
    uint32_t barrier;
    const sim_block *source; /* NULL: global memory; else the block of the cluster whose shared address is `global` */
    uint64_t global;
    uint32_t bytes;
    bool masked; /* of each 16 bytes only those in `mask` are stored */
    uint16_t mask;
    sim_block *destination; /* of a load whose mbarrier lies in another block; NULL: the same one */
    bool has_value;         /* st.async, red.async: what is stored, or (atomic not 0xff) reduced into shared memory */
    unsigned char value[SIM_BULK_VALUE];
    sim_tensor tensor; /* rank 0: bytes that lie side by side */
    int32_t at[SIM_TENSOR_RANK];
} sim_bulk;

typedef struct sim_async {
    sim_copy_queue *queues; /* one a warp */
    size_t queue_count;
    sim_bulk *bulks;
    size_t bulk_count, bulk_capacity;
    size_t reductions;     /* among the bulks */
    uint32_t *bulk_groups; /* closed by each thread */
    size_t thread_count;
    bool used; /* since it was reset */
} sim_async;

haul_status sim_async_create(sim_async *a, size_t warps, size_t threads);
void sim_async_free(sim_async *a);
void sim_async_reset(sim_async *a);

/* The warp's queue gets one more copy (to be filled in); NULL when the host has no memory. */
sim_copy *sim_async_add(sim_warp *w);
/* The list of block `b` (the warp's, or of a load the one it goes to) gets one more bulk copy. False when the host has
 * no memory. */
bool sim_async_add_bulk(sim_block *b, const sim_bulk *bulk);
/* Closes the group of each active lane. */
void sim_async_commit(sim_warp *w, uint32_t active);
/* Completes the active lanes' groups but for the newest `keep`; `everything` includes what was not committed. */
void sim_async_wait(sim_warp *w, uint32_t active, uint32_t keep, bool everything);
void sim_async_commit_bulk(sim_warp *w, uint32_t active);
void sim_async_wait_bulk(sim_warp *w, uint32_t active, uint32_t keep);
/* Reductions that other blocks may see the order of are in flight. */
bool sim_async_has_reductions(const sim_async *a);
/* Delivers what would complete transactions or arrivals on the mbarrier at `address`. */
void sim_async_deliver(sim_block *b, uint32_t address);
/* The block ends: everything still in flight arrives. */
void sim_async_finish(sim_block *b);

/* ---- mbarriers: the 64-bit object in shared memory ---- */

typedef struct sim_mbarrier {
    uint32_t expected; /* arrivals of the next phase */
    uint32_t pending;  /* arrivals missing in this phase */
    int32_t bytes;     /* transaction bytes missing */
    uint32_t phase;    /* parity of the phase in progress */
} sim_mbarrier;

enum { SIM_MBARRIER_MOST = (1 << 20) - 1 };

uint64_t sim_mbarrier_pack(sim_mbarrier m);
sim_mbarrier sim_mbarrier_unpack(uint64_t bits);
/* NULL when the address is outside shared memory or not a multiple of 8. */
uint64_t *sim_mbarrier_at(sim_block *b, uint32_t address);
/* Takes `arrivals` from the pending count and adds `bytes` to the missing bytes (negative: they came); when both reach
 * zero the phase completes and waiters wake. False when more arrive than are pending, or the byte count leaves its
 * range. */
bool sim_mbarrier_update(sim_block *b, uint64_t *object, uint32_t arrivals, int64_t bytes);

#endif
