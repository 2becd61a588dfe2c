/* Counters that depend on the order of blocks and warps. A kernel that polls, or repeats a compare-and-swap until it
 * succeeds, does so more or less often as others go ahead of it; no model gives one number for that. The launch runs
 * under several orders, and the range of each counter tells. */
#ifndef HAUL_LIB_LAUNCH_ORDERS_H
#define HAUL_LIB_LAUNCH_ORDERS_H

#include "lib/launch/launches.h"

typedef struct launch_orders {
    size_t runs;                              /* orders that the launch ended under, the usual one among them */
    haul_bounds counters[HAUL_COUNTER_COUNT]; /* the least and the most; of grades other than exact the usual value,
                                                 since caches make these depend on the order in any kernel */
} launch_orders;

/* Whether the counter depends on the order. `o` may be NULL. */
bool launch_orders_move(const launch_orders *o, haul_counter counter);

/* Runs the launch under up to `most` orders, the usual one first, each from the same state on a virtual GPU that does
 * not check. A launch in which no thread can see how far others are, unless by a race, runs once, and one whose
 * counters stay the same in the first three orders is not tried further. `*record` is the usual order's and belongs to
 * `*run`, which the caller frees, also after an error. Variables, heap and hashes of buffers are as the usual order
 * leaves them. What kernels print under other orders is dropped; the caller sets the sink of prints again. Errors:
 * those of launch_run(); a launch that fails under another order has no part in the ranges. */
haul_status launch_orders_run(haul_device *device, haul_module *module, launch_description *launch,
                              const haul_device_options *options, size_t most, launch_orders *o, haul_run **run,
                              const haul_launch_record **record);

#endif
