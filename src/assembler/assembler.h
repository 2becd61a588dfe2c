/* What the machine-code assembler makes of a kernel's memory instructions. Counters on hardware count machine
 * instructions, so each PTX instruction is told here how it counts: as one access, as several narrower ones, as part of
 * a neighbour's, or not at all. Every rule was read off machine code (docs/memory-model.md). */
#ifndef HAUL_ASSEMBLER_ASSEMBLER_H
#define HAUL_ASSEMBLER_ASSEMBLER_H

#include "base/arena.h"
#include "ptx/ir.h"

#include <haul/run.h>

/* How a load from global memory uses L1. */
typedef enum sim_caching {
    SIM_CACHED,
    SIM_CACHED_READ_ONLY, /* .nc: no store of the kernel can alias it */
    SIM_CACHED_IF_THERE,  /* .lu and L1::no_allocate: what L1 has is used, nothing is brought in */
    SIM_CACHED_VOLATILE,  /* counts as a miss; what L1 has is given up */
    SIM_CACHED_IN_L2,     /* .cg: likewise */
} sim_caching;

/* Whether a warp's atomic on one address is made one of one lane's. */
typedef enum sim_aggregation {
    SIM_AGGREGATED_NEVER,
    SIM_AGGREGATED_ALWAYS,
    SIM_AGGREGATED_WHOLE
} sim_aggregation; /* WHOLE: of 32 lanes */

/* One machine access: `width` bytes a lane from `start` bytes after the PTX instruction's address. */
typedef struct sim_part {
    int16_t start;
    uint8_t width;
} sim_part;

enum { SIM_MAX_PARTS = 8 };

typedef struct sim_assembled {
    uint8_t class;        /* haul_memory_class */
    uint8_t caching;      /* sim_caching */
    bool plain;           /* one access, exactly as in PTX */
    uint8_t aggregated;   /* sim_aggregation: an atomic on one address, which lanes do among themselves first */
    bool loops;           /* an atomic that machine code makes of loads and compare-and-swaps in a loop */
    bool loops_in_shared; /* so does one with a generic address, where that is one of shared memory */
    bool sized; /* a copy whose source size is a register: lanes for which that is 0 have a predicate to say so */
    bool fixed; /* a constant load whose address is known: perhaps an operand of other instructions */
    uint8_t part_count; /* 0: counts nowhere, or with another instruction */
    sim_part parts[SIM_MAX_PARTS];
} sim_assembled;

/* One element for each instruction of the flat, analysed function, in `memory`; `scratch` is for the work. Both have
 * jump points. */
sim_assembled *sim_assemble(const ptx_function *function, arena *memory, arena *scratch);

#endif
