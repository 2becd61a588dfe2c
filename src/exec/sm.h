/* An SM, which runs its blocks in epochs with a serial phase between them (epochs.c).
 *
 * An SM belongs to one host thread at a time, so nothing in it is locked. In an epoch several SMs run at once; they
 * share only global memory, textures, compiled code and the launch's constants. In the serial phase one thread runs the
 * SMs in turn. */
#ifndef HAUL_EXEC_SM_H
#define HAUL_EXEC_SM_H

#include "count/count.h"
#include "exec/paths.h"
#include "state/block.h"

/* Creates an SM. plan NULL: nothing is counted. If the SM is one of a launch of the same kernel and block shape,
 * counted and checked like this one, whose blocks have all ended, and it has room for its share of this grid, it is
 * used again. `sm` is such an SM, or all zero. After a failure the SM is incomplete, but sim_sm_free() accepts it. */
haul_status sim_sm_prepare(const sim_grid *grid, const sim_count_plan *plan, uint32_t index, sim_sm *sm);
void sim_sm_free(sim_sm *sm);
/* Returns the most host memory that the SM takes. */
uint64_t sim_sm_bytes(const sim_sm *sm);
/* Runs warps until sm->executed reaches `end` or nothing can run without the serial phase. One call runs the same as
 * several with increasing `end`. Returns false if the SM has no block left. */
bool sim_sm_run(sim_sm *sm, uint64_t end);
/* Cancels the next cluster of this SM's share before it starts and stores its first block's position in `first`.
 * Returns false if there is none. */
bool sim_sm_cancel_cluster(sim_sm *sm, uint32_t first[3]);
/* Forget the allocations that the SM has cached: always, or only if a kernel has freed memory. */
void sim_sm_forget_places(sim_sm *sm);
void sim_sm_forget_freed(sim_sm *sm);
/* The serial phase: executes the next operation of each waiting path. A warp that was polling and reads a new value
 * goes on at once, and what it does for warps of other SMs happens in this phase. Returns whether there was such a
 * warp; never with checks on. */
bool sim_sm_run_ordered(sim_sm *sm);
/* Later in the same phase: warps that polled in vain poll again. Returns whether one has read a new value. */
bool sim_sm_poll_again(sim_sm *sm);
/* Begins a new epoch. */
void sim_sm_begin_epoch(sim_sm *sm, uint64_t end);
/* Returns whether the SM can do nothing, or nothing useful, before the serial phase. */
static inline bool sim_sm_rests(const sim_sm *sm) {
    return sm->stuck || sm->gave_way;
}
/* Call if nothing on the GPU can run. Ends the waits that have a time limit; returns false if there is none. */
bool sim_sm_time_out_waits(sim_sm *sm);
/* Call if nothing on the GPU can run. Lets lanes that wait at joins go on without the others; returns false if there
 * are none. */
bool sim_sm_release_joins(sim_sm *sm);
/* Returns whether all running warps only poll, perhaps for a while: they have read the same values as before. */
bool sim_sm_polls(const sim_sm *sm);

/* Starts the next cluster of the SM's share in place of one whose blocks have all ended. `first` is the first block of
 * that one. Returns false if there is no cluster left, a block still runs, or `first` is not the first. In
 * block_start.c. */
bool sim_start_cluster(sim_sm *sm, sim_block *first);
/* Returns element `number` of a random permutation of the numbers below `count`. */
uint64_t sim_shuffled(uint64_t number, uint64_t count, uint64_t seed);

/* Returns true if the access may go ahead. Otherwise parks the path and sets *step. */
static inline bool sim_in_order(sim_warp *w, const sim_op *op, sim_step *step) {
    if (w->sm->serial) return true;
    *step = sim_warp_park(w, sim_pc(w, op), SIM_PATH_AT_ORDER);
    w->sm->ordered++;
    return false;
}

#endif
