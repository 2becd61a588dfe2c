/* Calls that are not inlined: calls of recursive functions and calls through registers.
 *
 * A call saves, lane by lane, what its lanes need after it: the live registers, and the caller's .param variables if
 * the caller may be called again meanwhile. The stack grows on demand. Lanes that call different functions run one
 * after the other and reconverge after the call, as after a branch. */
#ifndef HAUL_EXEC_CALL_H
#define HAUL_EXEC_CALL_H

#include "lower/lower.h"
#include "state/warp.h"

/* Lowers a call for which ptx_is_far_call() is true. */
haul_status sim_lower_far_call(sim_lowering *l, const ptx_instruction *i);
/* Returns whether the basic block being lowered belongs to a callee. There, `ret` returns (sim_run_return) and does not
 * end the thread. */
bool sim_is_in_callee(const sim_lowering *l);
sim_step sim_run_return(sim_warp *w, const sim_op *op, uint32_t active);
void sim_calls_reset(sim_warp *w);
void sim_calls_free(sim_warp *w);

#endif
