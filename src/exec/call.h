/* Calls that are not in line: of recursive functions, and through registers.
 *
 * A call saves what its lanes need behind it (registers that are live there, and the .param variables of the function
 * that calls, if it may be called again meanwhile), lane by lane, on a stack that grows as it is needed. Lanes that
 * call different functions do so one after the other and meet behind the call, as at the join of a branch.
 */
#ifndef HAUL_EXEC_CALL_H
#define HAUL_EXEC_CALL_H

#include "lower/lower.h"
#include "state/warp.h"

/* Lowers a ptx_is_far_call(). */
haul_status sim_lower_far_call(sim_lowering *l, const ptx_instruction *i);
/* The basic block being lowered is a callee's, where `ret` returns (sim_run_return) and does not end the thread. */
bool sim_is_in_callee(const sim_lowering *l);
sim_step sim_run_return(sim_warp *w, const sim_op *op, uint32_t active);
void sim_calls_reset(sim_warp *w);
void sim_calls_free(sim_warp *w);

#endif
