/* Calls that are not in line: of recursive functions, and through registers.
 *
 * A call saves what its lanes need behind it (registers that are live there, and the .param variables of the function
 * that calls, if it may be called again meanwhile), lane by lane, on a stack that grows as it is needed. Lanes that
 * call different functions do so one after the other and meet behind the call, as at the join of a branch.
 */
#ifndef HAUL_SIM_CALL_H
#define HAUL_SIM_CALL_H

#include "sim/lower/lower.h"
#include "sim/memory.h"
#include "sim/warp.h"

/* What each call takes of a thread's stack at least. */
enum { SIM_CALL_BYTES = 16, SIM_MOST_STACK = 512 << 10 };

/* A function that can be called; op 0: it cannot. */
typedef struct sim_callee {
    uint32_t op;
    uint64_t frame_bytes; /* of its .local variables */
    bool may_recur;       /* other calls are only so deep: the driver sees to it that the stack suffices */
} sim_callee;

/* The number that stands for a function: no memory is there. */
static inline uint64_t sim_function_address(const ptx_function *f) {
    const ptx_function *meant = f->alias_of ? f->alias_of : f;
    return SIM_FUNCTION_WINDOW + (uint64_t)SIM_CALL_BYTES * (1 + meant->index);
}

/* Lowers a ptx_is_far_call(). */
haul_status sim_lower_far_call(sim_lowering *l, const ptx_instruction *i);
/* The basic block being lowered is a callee's, where `ret` returns (sim_run_return) and does not end the thread. */
bool sim_is_in_callee(const sim_lowering *l);
sim_step sim_run_return(sim_warp *w, const sim_op *op, uint32_t active);
/* Makes the program's list of callees, once the blocks' operations are known. */
void sim_resolve_callees(sim_program *p, arena *memory);

void sim_calls_reset(sim_warp *w);
void sim_calls_free(sim_warp *w);

#endif
