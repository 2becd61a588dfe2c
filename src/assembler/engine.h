/* Classifies the instructions that the copy engine executes. */
#ifndef HAUL_ASSEMBLER_ENGINE_H
#define HAUL_ASSEMBLER_ENGINE_H

#include "ptx/ir.h"

typedef enum sim_engine_use {
    SIM_ENGINE_NONE,
    SIM_ENGINE_LOADS,   /* from global to shared memory */
    SIM_ENGINE_STORES,  /* from shared to global memory, also reductions; the global operand comes first */
    SIM_ENGINE_HANDS_ON /* to the shared memory of a block of the cluster */
} sim_engine_use;

/* Covers bulk and tensor copies, and stores that complete on an mbarrier. Prefetches, commits and waits do not use the
 * engine. */
sim_engine_use sim_engine_use_of(const ptx_instruction *i);

#endif
