/* The launch-wide constants of a grid: its shape, its blocks that are resident at once, and what it needs. */
#ifndef HAUL_EXEC_GRID_SHAPE_H
#define HAUL_EXEC_GRID_SHAPE_H

#include "exec/launch.h"

/* Fills in the constants; cluster: from sim_launch_cluster(). */
void sim_grid_describe(const sim_launch *launch, const haul_occupancy *occupancy, const uint32_t cluster[3],
                       sim_grid *grid);
/* Lowers the number of resident blocks until their local memory fits. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_grid_fit_frames(sim_grid *grid);

#endif
