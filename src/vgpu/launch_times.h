/* The estimated times of a kernel's launches, by shape: launches that are not counted take the time of those that were.
 */
#ifndef HAUL_VGPU_LAUNCH_TIMES_H
#define HAUL_VGPU_LAUNCH_TIMES_H

#include "exec/grid.h"
#include "vgpu/internal.h"

/* What the time of a launch depends on, data aside. */
typedef struct sim_launch_shape {
    uint32_t grid[3], block[3], cluster[3], shared_bytes;
} sim_launch_shape;

typedef struct sim_launch_times {
    sim_launch_shape shape;
    uint64_t counted;     /* launches that were counted */
    double us;            /* of all of these together */
    sim_kernel_load load; /* of the last of these */
    sim_rough_time rough; /* of launches that were not */
    struct sim_launch_times *next;
} sim_launch_times;

/* Those of the launch's kernel and shape. NULL without memory, or where the kernel has too many shapes. */
sim_launch_times *sim_launch_times_of(const sim_work *launch);
/* A counted launch has taken `us`. */
void sim_launch_times_add(sim_launch_times *times, double us, const sim_kernel_load *load);

#endif
