/* Timing of work on a device, as haul bench, haul tune and the lab do it.
 *
 * Works that are to be compared are measured together: each round runs every one of them once, in an order of its own,
 * so that what drifts (clocks, temperature, refresh) meets all of them alike and falls out of the ratio of one round.
 * Events on the device stand around each sample. Before a round the device gets a copy to do that takes longer than
 * the host needs to queue the round; it takes what works left in L2 away too. Work rotates over several sets of
 * buffers, so that none finds its own data in L2. The first rounds are not counted.
 *
 * On a virtual GPU the same calls give estimated times, the same in every round. */
#ifndef HAUL_LIB_TIMING_H
#define HAUL_LIB_TIMING_H

#include <haul/haul.h>
#include <stddef.h>
#include <stdint.h>

/* Hands the work over the buffers of `set` to the device. haul_launch_run() and what is made of it (the kernels'
 * functions) do not wait here; nothing else may wait either. */
typedef haul_status timing_queue(void *context, unsigned set);

typedef struct timing_work {
    timing_queue *queue;
    void *context;
} timing_work;

typedef struct timing_plan {
    unsigned rounds;  /* that count */
    unsigned warm_up; /* rounds before them */
    unsigned train;   /* launches a sample, one behind the other; samples are divided by it */
    unsigned sets;    /* of buffers: `set` is 0 to sets - 1 in turn */
    haul_status (*prepare)(
        void *context); /* NULL, or called before each round, of what works left in L2 nothing stays */
    void *context;      /* its own */
} timing_plan;

/* `rounds` rounds (0: 25) after three, single launches, two sets; on a virtual GPU one round and one set. */
timing_plan timing_plan_for(const haul_device *device, unsigned rounds);

/* How many sets of buffers, `bytes` each, a launch must rotate over so that nothing of its set is left in L2 when it
 * comes round: at least two, one on a virtual GPU. No more than free memory has room for. */
unsigned timing_sets(const haul_device *device, uint64_t bytes);

/* Times the works. `samples[work * plan->rounds + round]` gets microseconds a launch. Errors: the works' own, a fault
 * of a kernel on the way (then the samples mean nothing), HAUL_ERROR_OUT_OF_MEMORY. */
haul_status timing_measure(haul_device *device, const timing_work *works, size_t count, const timing_plan *plan,
                           double *samples);

typedef struct timing_summary {
    double median;
    double low, high;   /* the quartiles */
    double least, most; /* the ends */
} timing_summary;

/* Of `count` samples, 1 or more. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status timing_summarise(const double *samples, size_t count, timing_summary *summary);

/* Of how much faster `own` is than `reference`, round by round: above 1 when own took less time. */
haul_status timing_compare(const double *own, const double *reference, size_t count, timing_summary *summary);

#endif
