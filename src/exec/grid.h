/* Runs a grid on the virtual GPU. */
#ifndef HAUL_EXEC_GRID_H
#define HAUL_EXEC_GRID_H

#include "exec/launch.h"

#include <haul/haul.h>

struct sim_grid;

/* A launch in progress. All that the sim_launch points to must live until its end. */
typedef struct sim_run sim_run;

/* Checks and sets up a launch. Its end fills in the record's shape, counters, classes, occupancy and instructions,
 * allocated in `memory`; `record` may be NULL. A sample's counts are scaled to the whole launch. Errors:
 * HAUL_ERROR_LIMIT, _ARGUMENT, _UNSUPPORTED, _OUT_OF_MEMORY. */
haul_status sim_launch_begin(const sim_launch *launch, arena *memory, haul_launch_record *record, sim_run **run);
/* Runs all blocks until the launch ends, and sets *run to NULL. With `may_pause` it may also pause while all its
 * running paths are in loops that change nothing: somebody else may make the change they wait for. Then *run stays and
 * HAUL_OK is returned. Memory may be allocated and freed meanwhile.
 *
 * Results and counters do not depend on the number of host threads. SMs run in parallel in epochs. Accesses whose order
 * other blocks can see (atomics with a result, volatile and ordered accesses) run between epochs, in SM order. The
 * kernel's printed text is written at its end, even if it fails. Errors, which end the run: HAUL_ERROR_FAULT, _TRAP,
 * _TIMEOUT, _DEADLOCK, _OUT_OF_MEMORY. */
haul_status sim_launch_go_on(sim_run **run, bool may_pause);
/* Returns whether a paused launch waits for others. */
bool sim_launch_waits(const sim_run *run);
/* Returns how often a paused launch has changed memory or anything else that others can see. */
uint64_t sim_launch_changes(const sim_run *run);
/* Ends a launch before it is complete. NULL is allowed. */
void sim_launch_drop(sim_run *run);

/* Checks grid, block, cluster and shared memory against the machine's limits and fills in the occupancy. Errors:
 * HAUL_ERROR_LIMIT, HAUL_ERROR_ARGUMENT, HAUL_ERROR_UNSUPPORTED (the machine has no clusters). In limits.c. */
haul_status sim_launch_check(const sim_launch *launch, haul_occupancy *occupancy);
/* Returns the most threads that a block of the kernel may have: by its .reqntid or .maxntid, its registers if they are
 * known, and the machine's limit. */
uint32_t sim_most_threads(const sim_machine *machine, const sim_program *program);
/* Returns the shape of a cluster, which the kernel or the launch may set; 1 in each direction otherwise. */
void sim_launch_cluster(const sim_launch *launch, uint32_t cluster[3]);
/* Checks that blocks which wait for each other can all be resident at once. Errors: HAUL_ERROR_LIMIT. */
haul_status sim_check_residency(const struct sim_grid *grid);

#endif
