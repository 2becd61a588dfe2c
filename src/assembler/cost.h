/* The cost of a basic block for its warp and for the SM, found once for each kernel, for the estimate of time. */
#ifndef HAUL_ASSEMBLER_COST_H
#define HAUL_ASSEMBLER_COST_H

#include "assembler/price.h"
#include "base/arena.h"
#include "ptx/ir.h"

struct sim_assembled;

typedef struct sim_cost {
    float path;  /* cycles of a warp that runs alone, without waits for memory beyond the SM: the longest chain of
                  * dependent instructions, or all of them one after the other */
    float fixed; /* the same if everything were as fast as arithmetic: path - fixed is spent on shared memory and on
                  * functional units that several warps share */
    float slots; /* cycles in which a scheduler issues */
    float busy[SIM_PIPES]; /* cycles in which a unit of a scheduler takes nothing else */
    float waits;           /* waits for global or local memory; independent loads wait together */
    float issued;          /* estimated machine instructions */
    float adu; /* of these, instructions of the address divergence unit, without loads of constants and barriers */
    float lsu; /* and of the load/store unit, without loads and stores */
    float branches;
    float conversions; /* between integers and floating-point numbers, and of doubles */
    float fences;      /* waits of fences and releases for all accesses before */
} sim_cost;

/* Returns the costs by basic block of a flat function, in `memory`; `scratch` is for temporary data. `assembled` is by
 * instruction; NULL if it is not known. */
sim_cost *sim_block_costs(const ptx_function *function, const struct sim_assembled *assembled, arena *memory,
                          arena *scratch);

#endif
