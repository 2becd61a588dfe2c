/* The heap that kernels allocate from, with malloc() and free(): a stretch of device memory, cut into blocks.
 *
 * Blocks live until they are freed, over launches. A block takes a multiple of 16 bytes and 16 more, as some of
 * hardware's heap goes into its own records too. Kernels call in here in the serial phase only, in an order that does
 * not depend on host threads: so do the addresses. With checks on, blocks lie apart from each other, no two in a line
 * of 128 bytes, and what is freed is not used again by the same launch as long as there is room. */
#ifndef HAUL_MACHINE_HEAP_H
#define HAUL_MACHINE_HEAP_H

#include "machine/memory.h"

#include <haul/run.h>

typedef struct sim_heap sim_heap;

/* What CUDA gives when nobody sets cudaLimitMallocHeapSize. */
enum { SIM_HEAP_BYTES = 8 << 20 };

typedef enum sim_heap_free {
    SIM_HEAP_FREED,
    SIM_HEAP_WAS_FREE, /* the block had been freed before */
    SIM_HEAP_NO_BLOCK, /* no block begins there */
} sim_heap_free;

/* Who allocated a block: a thread, with an instruction of kernel number `user`. */
typedef struct sim_heap_origin {
    uint32_t user;
    uint32_t thread; /* of block number `block` of the launch */
    uint64_t block;
    haul_finding_access access;
} sim_heap_origin;

typedef struct sim_heap_block {
    uint64_t address, bytes;
    sim_heap_origin origin;
} sim_heap_block;

/* Takes the heap's memory from the far end of device memory; `apart`: for finding defects. The heap ends with the
 * memory, or before it. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_heap_create(sim_memory *memory, uint64_t bytes, bool apart, sim_heap **heap);
void sim_heap_end(sim_heap *heap);

/* Before a launch: what was freed may be used again, if room is getting scarce. */
void sim_heap_begin_launch(sim_heap *heap);
/* `bytes` (0: one) from an address that is a multiple of `alignment`, a power of two, and of 16; 0 when there is no
 * room. `origin` (NULL: nobody) comes back with sim_heap_next(). */
uint64_t sim_heap_allocate(sim_heap *heap, uint64_t bytes, uint64_t alignment, const sim_heap_origin *origin);
sim_heap_free sim_heap_release(sim_heap *heap, uint64_t address);
/* Counts what was freed: addresses that were good may not be any more. */
uint64_t sim_heap_releases(const sim_heap *heap);
bool sim_heap_contains(const sim_heap *heap, uint64_t address);
/* The first block behind `block` (all zero: the first of all) that lives; false when there is none. */
bool sim_heap_next(const sim_heap *heap, sim_heap_block *block);

#endif
