/* The interpreter: runs one warp. */
#ifndef HAUL_EXEC_INTERPRETER_H
#define HAUL_EXEC_INTERPRETER_H

#include "state/block.h"

/* Runs the warp's ready paths until they stop, one yields, or `budget` operations are done. Returns the number of
 * operations. The running path must be ready. */
uint64_t sim_warp_run(sim_warp *w, uint64_t budget);

/* Executes one operation for the running path under its guard. */
sim_step sim_execute(sim_warp *w, const sim_op *op);
/* Handlers of the operations that belong to no instruction, by form from SIM_FORM_ENTER on. */
extern const sim_handler sim_between_handlers[SIM_FORMS - SIM_FORM_ENTER];

#endif
