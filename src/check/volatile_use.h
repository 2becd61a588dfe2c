/* Uses of results by instruction (SIM_USE_... of check/hazard.h). */
#ifndef HAUL_CHECK_VOLATILE_USE_H
#define HAUL_CHECK_VOLATILE_USE_H

#include "check/loops.h"
#include "check/peeks.h"

#include <haul/status.h>

/* True if the kernel has instructions whose uses matter, or waits with a condition. */
bool sim_uses_matter(const ptx_function *f);
/* Makes the tables, which the caller frees, also after a failure. *peeks is NULL if there are none. Scratch memory is
 * allocated in `memory`, which has a jump point. */
haul_status sim_uses_find(const sim_loops *loops, arena *memory, uint16_t **table, sim_peeks **peeks);

#endif
