/* What the copy engine does for an instruction: the one place that tells its instructions from others. */
#ifndef HAUL_ASSEMBLER_ENGINE_H
#define HAUL_ASSEMBLER_ENGINE_H

#include "ptx/ir.h"

typedef enum sim_engine_use {
    SIM_ENGINE_NONE,
    SIM_ENGINE_LOADS,   /* from global to shared memory */
    SIM_ENGINE_STORES,  /* from shared to global memory, also to add there; the operand in global memory comes first */
    SIM_ENGINE_HANDS_ON /* to shared memory of a block of the cluster */
} sim_engine_use;

/* Bulk and tensor copies, and stores that complete on an mbarrier. Prefetches, commits and waits are none. */
sim_engine_use sim_engine_use_of(const ptx_instruction *i);

#endif
