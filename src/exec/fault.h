/* Faults. A fault ends the launch; with checks on, it may end only the access. */
#ifndef HAUL_EXEC_FAULT_H
#define HAUL_EXEC_FAULT_H

#include "base/text.h"
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
/* Records a failed assertion. Its message begins with the file and the line that the
 * kernel supplies and, if that file is another than the user's source, with the user's line. */
sim_step sim_fail_assertion(sim_warp *w, const sim_op *op, const char *file, uint32_t line, uint32_t lanes,
                            const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Records a failure that is no defect of the kernel: the host or the virtual GPU cannot go on. */
sim_step sim_give_up(sim_warp *w, const sim_op *op, haul_status status, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Blocks' reasons to wait when nothing can run; blocks with the same reason are described once. */
enum { SIM_STUCK_KINDS = 8 };

typedef struct sim_stuck_kind {
    text block; /* the first of them */
    text waits; /* what its threads wait for */
    uint64_t more;
} sim_stuck_kind;

typedef struct sim_stuck {
    sim_stuck_kind kinds[SIM_STUCK_KINDS];
    size_t count;
    uint64_t others; /* blocks of further kinds */
} sim_stuck;

/* Adds the SM's blocks. */
void sim_sm_describe_stuck(const sim_sm *sm, sim_stuck *stuck);
/* Words it, as far as `message` has room, and frees it. */
void sim_stuck_tell(sim_stuck *stuck, char *message, size_t size);

#endif
