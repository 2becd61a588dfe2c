/* The paths of a warp's lanes: how they diverge, wait, reconverge and take turns. */
#ifndef HAUL_EXEC_PATHS_H
#define HAUL_EXEC_PATHS_H

#include "state/warp.h"

/* Starts the warp at operation 0 with the lanes of `mask`. The caller sets the registers. Paths and joins must be all
 * zero, or free, as a warp leaves them after all its lanes have ended. */
void sim_warp_start(sim_warp *w, uint32_t mask);

/* Splits the running path: lanes in `taken` go to `target`, the others to `next`. They reconverge at `join`, an
 * operation index, or PTX_NO_BLOCK for never. Sets w->pc. */
sim_step sim_warp_diverge(sim_warp *w, uint32_t taken, uint32_t target, uint32_t next, uint32_t join);

/* From now on, the running path's lanes reconverge at operation `pc` if they diverge. */
void sim_warp_expect(sim_warp *w, uint32_t pc);

/* The running path has reached operation `pc`, which is a join of some path. Merges it with the paths that wait there,
 * or switches to another path. Returns SIM_NEXT to go on (w->active may have grown), SIM_JUMP if another path runs at
 * w->pc, and SIM_STOP if none can run. */
sim_step sim_warp_arrive(sim_warp *w, uint32_t pc);

/* Ends the lanes in `lanes` of the running path. Returns whether lanes are left; see sim_warp_exit(). */
bool sim_warp_drop_lanes(sim_warp *w, uint32_t lanes);
/* Parks the running path at operation `pc` in the given state and switches to another path if one can run. */
sim_step sim_warp_park(sim_warp *w, uint32_t pc, sim_path_state state);

/* The running path leaves its function. Joins inside the function no longer wait for its lanes. */
void sim_warp_leave_call(sim_warp *w);

/* Keeps only the lanes of `keep` in the running path; the others become a ready path at operation `pc`. */
void sim_warp_split(sim_warp *w, uint32_t keep, uint32_t pc);

/* If all live lanes run as one path, lets them run one after the other until an instruction needs them together. */
void sim_warp_scatter(sim_warp *w, bool last_lane_first);

/* Parks the lanes in `active` of the running path, which cannot do the operation at `pc` yet. Lanes that its guard
 * excludes go on after it. */
sim_step sim_warp_wait(sim_warp *w, uint32_t pc, uint32_t active, sim_path_state state);

/* Merges paths at the same operation with the same join. The result does not depend on which of them are merged. */
void sim_warp_merge(sim_warp *w);

/* Lets lanes that wait at joins go on without the others. Returns false if there are none. */
bool sim_warp_release_joins(sim_warp *w);

/* Makes a parked path of this warp ready. */
void sim_warp_wake(sim_warp *w, sim_path *path);

/* Makes all paths that are parked in that state ready. Returns false if there are none. */
bool sim_warp_wake_all(sim_warp *w, sim_path_state state);

/* Call on a backward branch to operation `pc`. Now and then switches to another ready path (SIM_JUMP). If iterations
 * have read nothing new, switches to another warp (SIM_STOP); the path stays ready. */
sim_step sim_warp_turn(sim_warp *w, uint32_t pc);

/* Switches to the next ready path; returns SIM_STOP if there is none. */
sim_step sim_warp_switch(sim_warp *w);

/* Gathers lanes for the warp-collective instruction `op`, which needs all live lanes that each active lane's `members`
 * names. Returns the lanes to execute it for, from all paths that have reached it, and moves the other paths past it.
 * If lanes are missing, parks the path, sets *step and returns 0. Lanes may name different members: each set is
 * separate (sim_warp_same_members). */
uint32_t sim_warp_gather(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t members[SIM_LANES],
                         sim_step *step);

/* The same for bar.warp.sync, which lanes may reach at different places of the program. */
uint32_t sim_warp_gather_anywhere(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t members[SIM_LANES],
                                  sim_step *step);

/* Records that the path has read memory that another thread may change. `lanes` points to the register, with `bytes`
 * each. Loops that read the same values every time are waiting for somebody. */
void sim_warp_observe(sim_warp *w, const sim_op *op, uint32_t active, const void *lanes, unsigned bytes);

#endif
