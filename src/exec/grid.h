/* Runs a grid on the virtual GPU. */
#ifndef HAUL_EXEC_GRID_H
#define HAUL_EXEC_GRID_H

#include "exec/launch.h"

#include <haul/haul.h>

struct sim_grid;

/* Runs all blocks and fills the record's shape, counters, classes, occupancy and instructions, allocated in `memory`.
 * `record` may be NULL. A sample's counts are scaled to
 * the whole launch. Results and counters do not depend on the number of host threads: SMs run in parallel in
 * epochs; what one block may see of another (atomics with a result, volatile and ordered accesses) is done between
 * epochs, in SM order. What the kernel printed is written when it has ended, however it ended. Errors:
 * HAUL_ERROR_LIMIT, _FAULT, _TRAP, _TIMEOUT, _DEADLOCK, _OUT_OF_MEMORY. */
haul_status sim_launch_run(const sim_launch *launch, arena *memory, haul_launch_record *record);

/* A launch that may pause: all that runs of it only goes round in loops in which nothing changes, and somebody else may
 * make the change. What `launch` points to lives until its end.
 * sim_launch_go_on() runs it until it ends (*run NULL), or, if `may_pause`, pauses (*run stays, and HAUL_OK is
 * returned). Memory may be allocated and freed meanwhile. Errors as above; they end it. */
typedef struct sim_run sim_run;
haul_status sim_launch_begin(const sim_launch *launch, arena *memory, haul_launch_record *record, sim_run **run);
haul_status sim_launch_go_on(sim_run **run, bool may_pause);
/* How often a launch that has paused has changed memory, or anything else that others may see. */
uint64_t sim_launch_changes(const sim_run *run);
/* Ends a launch in its middle. NULL is allowed. */
void sim_launch_drop(sim_run *run);

/* Checks grid, block, cluster and shared memory against the machine's limits and fills in the occupancy. Errors:
 * HAUL_ERROR_LIMIT, HAUL_ERROR_ARGUMENT, HAUL_ERROR_UNSUPPORTED (no clusters there). In limits.c. */
haul_status sim_launch_check(const sim_launch *launch, haul_occupancy *occupancy);
/* Threads that a block of the kernel may have: as many as its .reqntid or .maxntid says, or as the machine allows. */
uint32_t sim_most_threads(const sim_machine *machine, const sim_program *program);
/* The shape of a cluster, which kernel or launch may say: 1 in each direction without. */
void sim_launch_cluster(const sim_launch *launch, uint32_t cluster[3]);
/* Blocks that wait for each other must all be there at once. Errors: HAUL_ERROR_LIMIT. */
haul_status sim_check_residency(const struct sim_grid *grid);

#endif
