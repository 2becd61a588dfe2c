/* Faults: what ends a launch, or, with checks on, an access. */
#ifndef HAUL_EXEC_FAULT_H
#define HAUL_EXEC_FAULT_H

#include "state/block.h"

/* What memory the fault that follows is about. */
void sim_fault_concerns(sim_warp *w, haul_space space, uint64_t address, uint32_t bytes);
/* Records the launch's first fault on this SM and ends its work: a defect of that kind, by some of `lanes`. The message
 * gets the source place in front and block and thread behind. */
sim_step sim_fault(sim_warp *w, const sim_op *op, haul_finding_kind kind, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* With checks on an access out of bounds does not end what other threads do, so that more is found: its lanes go on
 * without it. Takes back the fault at hand, if it is such a one, and returns its lanes; the launch's result will be the
 * first one all the same. 0: the SM's work ends. */
uint32_t sim_fault_pass(sim_warp *w);
/* The same for an assertion, with `place` ("file:line: ") in front: the kernel says itself where it is. */
sim_step sim_fail_assertion(sim_warp *w, const char *place, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for what is no defect of the kernel: the host, or the virtual GPU, cannot go on. */
sim_step sim_give_up(sim_warp *w, const sim_op *op, haul_status status, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Appends what the stuck warps wait for to `message`. */
void sim_sm_describe_stuck(const sim_sm *sm, char *message, size_t size);

#endif
