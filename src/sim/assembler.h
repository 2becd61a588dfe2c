/* What the machine-code assembler makes of a kernel's memory instructions: counters on hardware count machine
 * instructions, so each PTX instruction is told here how it counts. */
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

typedef struct sim_assembled {
    uint8_t class;   /* haul_memory_class */
    uint8_t caching; /* sim_caching */
    uint8_t width;   /* bytes a lane, if it differs from the PTX instruction's; 0: as in PTX */
    bool gone;       /* part of another instruction, or removed */
    int32_t before;  /* a merged access starts so many bytes before this instruction's address */
} sim_assembled;

/* One element for each instruction of the flat, analysed function. */
sim_assembled *sim_assemble(const ptx_function *function, arena *memory);

#endif
