/* Faults. A fault ends the launch; with checks on, it may end only the access. */
#ifndef HAUL_EXEC_FAULT_H
#define HAUL_EXEC_FAULT_H

#include "state/block.h"

/* Says which memory the next fault is about. */
void sim_fault_concerns(sim_warp *w, haul_space space, uint64_t address, uint32_t bytes);
/* Records the launch's first fault on this SM, of kind `kind` by some of `lanes`, and ends the SM's work. The message
 * begins with the source line and ends with block and thread. */
sim_step sim_fault(sim_warp *w, const sim_op *op, haul_finding_kind kind, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* With checks on, lanes skip an access out of bounds and all threads go on, so that more defects are found. If the
 * pending fault is of that kind, clears it and returns its lanes; the launch still fails with the first one. Returns 0
 * if the SM's work must end. */
uint32_t sim_fault_pass(sim_warp *w);
/* Records a failed assertion. Its message begins with `place` ("file:line: "), which the kernel supplies. */
sim_step sim_fail_assertion(sim_warp *w, const char *place, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Records a failure that is no defect of the kernel: the host or the virtual GPU cannot go on. */
sim_step sim_give_up(sim_warp *w, const sim_op *op, haul_status status, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Appends to `message` what the stuck warps wait for. */
void sim_sm_describe_stuck(const sim_sm *sm, char *message, size_t size);

#endif
