/* The estimated times of a kernel's launches, by shape. A launch that is not counted takes the time of those that
 * were. */
#ifndef HAUL_VGPU_LAUNCH_TIMES_H
#define HAUL_VGPU_LAUNCH_TIMES_H

#include "exec/grid.h"
#include "vgpu/internal.h"

/* All that a launch's time depends on, except its data. */
typedef struct sim_launch_shape {
    uint32_t grid[3], block[3], cluster[3], shared_bytes;
} sim_launch_shape;

/* Owned by the kernel, in its hash table; they end with its module. */
typedef struct sim_launch_times {
    sim_launch_shape shape;
    uint64_t counted;     /* launches that were counted */
    double us;            /* total of the counted ones */
    sim_kernel_load load; /* of the last counted one */
    sim_rough_time rough; /* of the launches that were not counted */
    struct sim_launch_times *next;
} sim_launch_times;

/* Finds or adds the times for the launch's kernel and shape. Returns NULL without memory, or if the kernel has too many
 * shapes. */
sim_launch_times *sim_launch_times_of(const sim_work *launch);
/* Adds a counted launch that took `us`. */
void sim_launch_times_add(sim_launch_times *times, double us, const sim_kernel_load *load);

#endif
