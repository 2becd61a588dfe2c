/* What a basic block costs the warp that runs it, and the SM: found once a kernel, for the estimate of time. */
#ifndef HAUL_ASSEMBLER_COST_H
#define HAUL_ASSEMBLER_COST_H

#include "base/arena.h"
#include "ptx/ir.h"

typedef struct sim_cost {
    float path;   /* cycles of a warp on its own, waits for memory beyond the SM left out: the longest chain of
                     dependent instructions, or all of them one after the other */
    float fixed;  /* the same if nothing took longer than arithmetic: path - fixed is waited for shared memory and
                     functions that several warps share */
    float slots;  /* cycles of a scheduler */
    float waits;  /* for global or local memory, loads that do not depend on each other together */
    float issued; /* machine instructions, roughly */
} sim_cost;

/* By basic block of a flat function; lives in `memory`, `scratch` is for the work. */
sim_cost *sim_block_costs(const ptx_function *function, arena *memory, arena *scratch);

#endif
