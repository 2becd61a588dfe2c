/* Samples of large launches: only some thread blocks are counted, in the middle of the grid, and the counters scaled.
 */
#ifndef HAUL_EXEC_SAMPLE_H
#define HAUL_EXEC_SAMPLE_H

#include "exec/launch.h"
#include "state/block.h"

/* Clusters of a grid, from `first` up to `end`. */
typedef struct sim_cluster_range {
    uint64_t first, end;
} sim_cluster_range;

/* The clusters that are counted: as many whole ones as hold launch->sample blocks. All of them where the launch is no
 * larger, where nothing is sampled, and where running the rest earlier or later could change what the kernel does:
 * grids whose blocks may wait for each other, or share out their work among themselves. */
sim_cluster_range sim_sample_of(const sim_launch *launch, const sim_grid *grid);

/* From the counts of a part to those of the whole launch. */
void sim_sample_scale_record(haul_launch_record *record, double scale);
void sim_sample_scale_traffic(haul_traffic *traffic, size_t count, double scale);
void sim_sample_scale_waits(sim_waits *waits, double scale);

#endif
