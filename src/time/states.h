/* What warps of a launch wait for: the states of include/haul/stalls.def, as Nsight Compute names them. */
#ifndef HAUL_TIME_STATES_H
#define HAUL_TIME_STATES_H

#include "state/waits.h"

#include <haul/run.h>

/* Groups of the bounds that keep warps longer than their own waits do. */
typedef enum sim_limit {
    SIM_LIMIT_MEMORY,  /* device memory, L2 and links */
    SIM_LIMIT_STORES,  /* of parts of sectors, on the way to L2 */
    SIM_LIMIT_UPDATES, /* by atomics, of few places */
    SIM_LIMIT_L1,
    SIM_LIMIT_SHARED_ATOMICS,
    SIM_LIMIT_CONSTANTS,
    SIM_LIMIT_TEXTURES,
    SIM_LIMIT_ISSUE,
    SIM_LIMIT_ARRIVALS, /* at barriers */
    SIM_LIMIT_DISPATCH, /* of blocks; no warp waits for it */
    SIM_LIMITS
} sim_limit;

/* What the time estimate says of a launch's warps; cycles are averages of a warp. */
typedef struct sim_residence {
    double warps, sms;
    double at_once;                    /* warps on a scheduler */
    double rounds;                     /* how many groups of blocks follow each other on an SM */
    double launch_cycles;              /* of the launch */
    double cycles;                     /* in which a warp is resident; the states sum to this if `memory` fits */
    double memory, constant, barriers; /* waits for memory, for further addresses of a constant, at barriers */
    double releases;                   /* waits of arrivals at a cluster's barrier until memory has what was written */
    double dram_load;                  /* share of the launch in which device memory is busy */
    double unit_cycles;                /* of the busiest unit of a scheduler */
    double limits[SIM_LIMITS];         /* how much each of them holds warps back; the sum is 1, or all are 0 */
} sim_residence;

/* A round of a compare-and-swap loop on shared memory takes a warp 84 cycles (48 ns on an H200, where one warp adds
 * floats to one word, tests/data/estimates). Its instructions' stall counts are 26 of them; the rest are waits for the
 * word and for the swap. */
#define SIM_LOOP_NEAR_CYCLES 58.0

/* Finds the cycles of an average warp in each state. */
void sim_find_states(const haul_launch_record *record, const sim_waits *waits, const sim_residence *residence,
                     double states[HAUL_STALL_COUNT]);

#endif
