/* The machine accesses of a kernel's memory instructions. Hardware counters count machine instructions, so this module
 * decides how each PTX instruction counts: as one access, as several narrower ones, as part of a neighbour's, or not at
 * all. Every rule was read off machine code (docs/memory-model.md). */
#ifndef HAUL_ASSEMBLER_ASSEMBLER_H
#define HAUL_ASSEMBLER_ASSEMBLER_H

#include "base/arena.h"
#include "ptx/ir.h"

#include <haul/run.h>

/* How a load from global memory uses L1. */
typedef enum sim_caching {
    SIM_CACHED,
    SIM_CACHED_READ_ONLY, /* .nc: no store of the kernel can alias it */
    SIM_CACHED_IF_THERE,  /* .lu and L1::no_allocate: may hit in L1, but does not allocate */
    SIM_CACHED_VOLATILE,  /* counts as a miss and evicts the line from L1 */
    SIM_CACHED_IN_L2,     /* .cg: likewise */
} sim_caching;

/* Whether the lanes of a warp combine their atomics on one address into one lane's. */
typedef enum sim_aggregation {
    SIM_AGGREGATED_NEVER,
    SIM_AGGREGATED_ALWAYS,
    SIM_AGGREGATED_WHOLE
} sim_aggregation; /* WHOLE: only if all 32 lanes are active */

/* One machine access: `width` bytes per lane, `start` bytes after the PTX instruction's address. */
typedef struct sim_part {
    int16_t start;
    uint8_t width;
} sim_part;

enum { SIM_MAX_PARTS = 8 };

typedef struct sim_assembled {
    uint8_t class;        /* haul_memory_class */
    uint8_t caching;      /* sim_caching */
    bool plain;           /* one access, exactly as in PTX */
    uint8_t aggregated;   /* sim_aggregation of an atomic */
    bool loops;           /* an atomic that becomes a loop of loads and compare-and-swaps */
    bool loops_in_shared; /* likewise, for a generic address in shared memory */
    bool counts_up;       /* an atomic on shared memory that adds one, and whose old value nothing needs */
    bool generic;         /* an atomic at a generic address */
    bool sized;           /* a copy whose source size is a register: lanes with size 0 are predicated off */
    bool fixed;           /* a constant load from a known address: may be an operand of other instructions */
    uint8_t part_count;   /* 0: not counted, or counted with another instruction */
    sim_part parts[SIM_MAX_PARTS];
} sim_assembled;

/* Returns one element for each instruction of the flat, analysed function, in `memory`; `scratch` is for temporary
 * data. Both have jump points. */
sim_assembled *sim_assemble(const ptx_function *function, arena *memory, arena *scratch);

#endif
