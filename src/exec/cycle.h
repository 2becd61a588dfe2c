/* Finds kernels that can never end because all that still runs goes round in loops in which nothing changes: a flag is
 * waited for that nobody will set. Since the virtual GPU is deterministic, a state that comes again comes for ever. */
#ifndef HAUL_EXEC_CYCLE_H
#define HAUL_EXEC_CYCLE_H

#include "state/block.h"

/* All zero at the start of a launch. */
typedef struct sim_cycle {
    uint64_t changes; /* of memory, barriers and copies, when last looked */
    uint64_t quiet;   /* epochs since without any */
    uint64_t kept_at; /* number of the quiet epoch whose state is kept */
    uint64_t kept;    /* hash of registers and paths then */
} sim_cycle;

/* To be asked after each epoch: true when the state is one that was there before. Costs nothing to speak of while
 * anything changes. */
bool sim_cycle_found(sim_cycle *c, const sim_sm *sms, uint32_t count);

#endif
