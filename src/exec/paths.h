/* The paths that a warp's lanes take: how they part, wait, meet again and take turns. */
#ifndef HAUL_EXEC_PATHS_H
#define HAUL_EXEC_PATHS_H

#include "state/warp.h"

/* Starts the warp at operation 0 with the lanes of `mask`. Registers are the caller's. Paths and joins are all zero, or
 * as a warp left them whose lanes have all ended: free. */
void sim_warp_start(sim_warp *w, uint32_t mask);

/* Splits the running path: lanes in `taken` go to `target`, the others to `next`; they meet at `join` (an operation
 * index, or PTX_NO_BLOCK for never). Sets w->pc. */
sim_step sim_warp_diverge(sim_warp *w, uint32_t taken, uint32_t target, uint32_t next, uint32_t join);

/* The running path's lanes will meet at operation `pc` if they part from now on. */
void sim_warp_expect(sim_warp *w, uint32_t pc);

/* The running path has come to operation `pc`, which is somebody's join: merges with those that are there, or makes
 * another path run. SIM_NEXT: go on (w->active may have grown). SIM_JUMP: another path runs at w->pc. SIM_STOP: none
 * can. */
sim_step sim_warp_arrive(sim_warp *w, uint32_t pc);

/* The lanes in `lanes` of the running path end. Returns whether it has others; see sim_warp_exit(). */
bool sim_warp_drop_lanes(sim_warp *w, uint32_t lanes);
/* Stops the running path at operation `pc` in the given state and makes another path run, if one can. */
sim_step sim_warp_park(sim_warp *w, uint32_t pc, sim_path_state state);

/* The running path leaves the function that it is in: what its lanes would have met at in there does without them. */
void sim_warp_leave_call(sim_warp *w);

/* The running path keeps the lanes of `keep` only; the others become a ready path at operation `pc`. */
void sim_warp_split(sim_warp *w, uint32_t keep, uint32_t pc);

/* The lanes in `active` of the running path cannot do the operation at `pc` yet: they are parked; those that its guard
 * left out go on behind it. */
sim_step sim_warp_wait(sim_warp *w, uint32_t pc, uint32_t active, sim_path_state state);

/* Paths at the same operation that will meet at the same join become one; which of them makes no difference. */
void sim_warp_merge(sim_warp *w);

/* Lanes that wait at joins go on without the others. False when there are none. */
bool sim_warp_release_joins(sim_warp *w);

/* A parked path of this warp may run again. */
void sim_warp_wake(sim_warp *w, sim_path *path);

/* All paths that are parked in that state may run again; false when there are none. */
bool sim_warp_wake_all(sim_warp *w, sim_path_state state);

/* Called on a backward branch to operation `pc`: now and then lets another ready path run (SIM_JUMP), and where rounds
 * have seen nothing new, another warp (SIM_STOP; the path stays ready). */
sim_step sim_warp_turn(sim_warp *w, uint32_t pc);

/* Makes the next ready path run; SIM_STOP when none is. */
sim_step sim_warp_switch(sim_warp *w);

/* The warp-collective instruction `op` needs all live lanes that each active lane's `members` names.
 * Returns the lanes to execute it for (those of all paths that have come to it), and moves the other paths behind it;
 * or 0 when some are missing: the path is parked and *step says how to go on. Lanes may name different members: each
 * set is on its own (sim_warp_same_members). */
uint32_t sim_warp_gather(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t members[SIM_LANES],
                         sim_step *step);

/* The same for an instruction that lanes may meet at from different places of the program: bar.warp.sync. */
uint32_t sim_warp_gather_anywhere(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t members[SIM_LANES],
                                  sim_step *step);

/* The path has read memory that another thread may change: `lanes` are the register's, of `bytes` each. Loops that see
 * the same every time are waiting for somebody. */
void sim_warp_observe(sim_warp *w, const sim_op *op, uint32_t active, const void *lanes, unsigned bytes);

#endif
