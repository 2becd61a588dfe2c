/* Samples of large launches: counts only some thread blocks in the middle of the grid and scales the counters. */
#ifndef HAUL_EXEC_SAMPLE_H
#define HAUL_EXEC_SAMPLE_H

#include "exec/launch.h"
#include "state/block.h"

/* Clusters of a grid, from `first` up to and excluding `end`. */
typedef struct sim_cluster_range {
    uint64_t first, end;
} sim_cluster_range;

/* Returns the clusters to count: enough whole ones to hold launch->sample blocks. Returns all clusters if the launch is
 * no larger or if nothing is sampled. Also returns all if the order of blocks could change the kernel's behaviour: if
 * they may wait for each other or share out their work among themselves. */
sim_cluster_range sim_sample_of(const sim_launch *launch, const sim_grid *grid);

/* Scale the counts of a sample to the whole launch. */
void sim_sample_scale_record(haul_launch_record *record, double scale);
void sim_sample_scale_traffic(haul_traffic *traffic, size_t count, double scale);
void sim_sample_scale_waits(sim_waits *waits, double scale);

#endif
