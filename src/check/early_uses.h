/* Global memory that threads access before griddepcontrol.wait, in launches that may start early. The shadow loses such
 * an access if the launch writes the same bytes after the wait. */
#ifndef HAUL_CHECK_EARLY_USES_H
#define HAUL_CHECK_EARLY_USES_H

#include "check/use_list.h"
#include "state/block.h"

#include <haul/haul.h>

typedef struct sim_early_uses sim_early_uses;

/* Returns NULL if the host has no memory. `instructions`: how many the kernel has. */
sim_early_uses *sim_early_uses_create(size_t instructions);
void sim_early_uses_free(sim_early_uses *e);

/* Called by any thread of the launch: lanes access global memory, each op->bytes from its address on. */
void sim_early_uses_note(const sim_warp *w, const sim_op *op, uint32_t lanes, const uint64_t address[SIM_LANES],
                         haul_action action);

/* Returns, by instruction, whether a thread has used global memory there without having waited. */
const bool *sim_early_uses_instructions(const sim_early_uses *e);
/* Returns the uses, neither sorted nor complete: beyond a limit they are left out. */
const sim_use_list *sim_early_uses_list(sim_early_uses *e);

#endif
