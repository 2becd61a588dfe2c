/* What the machine-code assembler makes of a kernel's memory instructions. Counters on hardware count machine
 * instructions, so each PTX instruction is told here how it counts: as one access, as several narrower ones, as part of
 * a neighbour's, or not at all. Every rule was read off machine code (docs/memory-model.md). */
#ifndef HAUL_SIM_ASSEMBLER_H
#define HAUL_SIM_ASSEMBLER_H

#include "base/arena.h"
#include "ptx/ir.h"

#include <haul/run.h>

/* How a load from global memory uses L1. */
typedef enum sim_caching {
    SIM_CACHED,
    SIM_CACHED_READ_ONLY, /* .nc: no store of the kernel can alias it */
    SIM_CACHED_VOLATILE,  /* counts as a miss */
    SIM_CACHED_IN_L2,     /* .cg and the like: L1 is not looked up */
} sim_caching;

/* One machine access: `width` bytes a lane from `start` bytes after the PTX instruction's address. */
typedef struct sim_part {
    int16_t start;
    uint8_t width;
} sim_part;

enum { SIM_MAX_PARTS = 8 };

typedef struct sim_assembled {
    uint8_t class;      /* haul_memory_class */
    uint8_t caching;    /* sim_caching */
    bool plain;         /* one access, exactly as in PTX */
    bool aggregated;    /* a reduction of all lanes to one address, which machine code sums up within the warp first */
    bool loops;         /* a shared atomic that machine code makes of a load and a compare-and-swap in a loop */
    uint8_t part_count; /* 0: counts nowhere, or with another instruction */
    sim_part parts[SIM_MAX_PARTS];
} sim_assembled;

/* One element for each instruction of the flat, analysed function. `memory` has a jump point. */
sim_assembled *sim_assemble(const ptx_function *function, arena *memory);

#endif
