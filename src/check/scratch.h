/* Scratch memory of the analyses that prepare a launch's checks. */
#ifndef HAUL_CHECK_SCRATCH_H
#define HAUL_CHECK_SCRATCH_H

#include "base/arena.h"
#include "haul/status.h"

/* Calls `work` with an arena that ends with the call. Fails if the arena is out of memory; `work` has then ended at
 * that place. */
haul_status sim_with_scratch(void (*work)(void *context, arena *scratch), void *context);

#endif
