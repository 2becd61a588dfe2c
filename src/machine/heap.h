/* The device heap of malloc() and free() in kernels: a range of device memory, cut into blocks.
 *
 * Blocks live until they are freed, also across launches. A block takes a multiple of 16 bytes and 16 more, since
 * hardware's heap also spends bytes on its own records. Kernels use the heap in the serial phase only, in an order that
 * does not depend on host threads, so neither do addresses. With checks on, no two blocks share a line of 128 bytes,
 * and freed blocks are not reused by the same launch while there is room. */
#ifndef HAUL_MACHINE_HEAP_H
#define HAUL_MACHINE_HEAP_H

#include "machine/memory.h"

#include <haul/run.h>

typedef struct sim_heap sim_heap;
/* Everything about a heap at one moment. */
typedef struct sim_heap_copy sim_heap_copy;

/* The default of cudaLimitMallocHeapSize. */
enum { SIM_HEAP_BYTES = 8 << 20 };

typedef enum sim_heap_free {
    SIM_HEAP_FREED,
    SIM_HEAP_WAS_FREE, /* the block was freed before */
    SIM_HEAP_NO_BLOCK, /* no block begins there */
} sim_heap_free;

/* The allocator of a block: a thread, and an instruction of kernel number `user`. */
typedef struct sim_heap_origin {
    uint32_t user;
    uint32_t thread; /* in block `block` of the launch */
    uint64_t block;
    haul_finding_access access;
} sim_heap_origin;

typedef struct sim_heap_block {
    uint64_t address, bytes;
    sim_heap_origin origin;
} sim_heap_block;

/* Allocates the heap at the far end of device memory; `apart` keeps blocks apart, to find bugs. The heap must end no
 * later than the memory. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_heap_create(sim_memory *memory, uint64_t bytes, bool apart, sim_heap **heap);
void sim_heap_end(sim_heap *heap);

/* Before a launch: makes freed blocks reusable if room is scarce. */
void sim_heap_begin_launch(sim_heap *heap);
/* Allocates `bytes` (0 counts as 1) at a multiple of `alignment`, a power of two, and of 16; returns 0 if there is no
 * room. sim_heap_next() returns `origin` again (NULL: none). */
uint64_t sim_heap_allocate(sim_heap *heap, uint64_t bytes, uint64_t alignment, const sim_heap_origin *origin);
sim_heap_free sim_heap_release(sim_heap *heap, uint64_t address);
/* Counts releases: after one, addresses that were valid may be invalid. */
uint64_t sim_heap_releases(const sim_heap *heap);
bool sim_heap_contains(const sim_heap *heap, uint64_t address);
/* Finds the first live block after `block` (all zero: from the start); false if there is none. */
bool sim_heap_next(const sim_heap *heap, sim_heap_block *block);

/* Copies the blocks and their contents. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_heap_copy_make(const sim_heap *heap, sim_heap_copy **copy);
/* Gives the same heap its former state; NULL: no blocks. */
void sim_heap_copy_restore(sim_heap *heap, const sim_heap_copy *copy);
/* NULL is allowed. */
void sim_heap_copy_free(sim_heap_copy *copy);

#endif
