/* An SM: its blocks run in epochs, with a serial phase between them (grid.c). */
#ifndef HAUL_EXEC_SM_H
#define HAUL_EXEC_SM_H

#include "count/count.h"
#include "exec/paths.h"
#include "state/block.h"

/* plan NULL: nothing is counted. */
haul_status sim_sm_create(const sim_grid *grid, const sim_count_plan *plan, uint32_t index, sim_sm *sm);
void sim_sm_free(sim_sm *sm);
/* Host memory that an SM takes, at most. */
uint64_t sim_sm_bytes(const sim_grid *grid);
/* An SM that is not counted, and whose blocks have all ended, begins another grid of the same kernel and shape. */
void sim_sm_renew(const sim_grid *grid, sim_sm *sm);
/* Runs warps until sm->executed has reached `end` or nothing can run without the serial phase. What runs is the same
 * whether it is called once or for one end after the other. Returns false when the SM has no block left. */
bool sim_sm_run(sim_sm *sm, uint64_t end);
/* Takes the next cluster of this SM's share, before it starts; false when there is none. first: its first block's place
 */
bool sim_sm_cancel_cluster(sim_sm *sm, uint32_t first[3]);
/* What the SM remembers of allocations may not hold any more: in any case; if a kernel has freed memory. */
void sim_sm_forget_places(sim_sm *sm);
void sim_sm_forget_freed(sim_sm *sm);
/* The serial phase: executes the operation that each waiting path has come to. A warp that has polled until then, and
 * finds something new, goes on at once, and what it then does for other SMs' warps is done in this phase. Returns
 * whether there was such a warp; never with checks on. */
bool sim_sm_run_ordered(sim_sm *sm);
/* Later in the same phase: warps that polled in vain look again. Returns whether one has found something new. */
bool sim_sm_poll_again(sim_sm *sm);
/* A new epoch begins. */
void sim_sm_begin_epoch(sim_sm *sm, uint64_t end);
/* Until the serial phase the SM can do nothing, or nothing of use. */
static inline bool sim_sm_rests(const sim_sm *sm) {
    return sm->stuck || sm->gave_way;
}
/* Nothing on the GPU can run: lets waits that have a time limit end. False when there is none to end. */
bool sim_sm_time_out_waits(sim_sm *sm);
/* Nothing on the GPU can run: lanes that wait at joins go on without the others. False when there are none. */
bool sim_sm_release_joins(sim_sm *sm);
/* Whether all that runs only polls, perhaps for a time: warps have seen what they saw before. */
bool sim_sm_polls(const sim_sm *sm);

/* start.c: the next cluster of the SM's share takes the place of one whose blocks have all ended, which `first` is the
 * first of. False: there is none, or they have not, or it is not the first. */
bool sim_start_cluster(sim_sm *sm, sim_block *first);
/* The numbers below `count` in an order drawn by chance: the one at place `number`. */
uint64_t sim_shuffled(uint64_t number, uint64_t count, uint64_t seed);

/* True when the access may go ahead; else the path is parked and *step says how to go on. */
static inline bool sim_in_order(sim_warp *w, const sim_op *op, sim_step *step) {
    if (w->sm->serial) return true;
    *step = sim_warp_park(w, sim_pc(w, op), SIM_PATH_AT_ORDER);
    w->sm->ordered++;
    return false;
}

#endif
