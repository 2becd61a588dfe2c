/* Finds kernels that can never end: all running paths are in loops that change nothing and wait for a flag that nobody
 * will set. The virtual GPU is deterministic, so a state that recurs once recurs forever. */
#ifndef HAUL_EXEC_CYCLE_H
#define HAUL_EXEC_CYCLE_H

#include "state/block.h"

/* All zero at the start of a launch. */
typedef struct sim_cycle {
    uint64_t changes; /* of memory, barriers and copies, at the last check */
    uint64_t quiet;   /* epochs without a change since then */
    uint64_t kept_at; /* number of the quiet epoch whose state is kept */
    uint64_t kept;    /* hash of registers and paths in that epoch */
} sim_cycle;

/* Call after each epoch. Returns true if the state equals an earlier one. Costs next to nothing while anything
 * changes. */
bool sim_cycle_found(sim_cycle *c, const sim_sm *sms, uint32_t count);

#endif
