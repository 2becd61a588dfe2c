/* Timing of work on a device, for haul bench, haul tune and the lab.
 *
 * Works to be compared are measured together. Each round runs every work once, in a new order, so that drift (clocks,
 * temperature, refresh) affects all alike and cancels in the ratio of a round. Events on the device enclose each
 * sample. Before a round the device gets a copy that takes longer than the host needs to queue the round; it also
 * evicts from L2 what works left there. Work rotates over several sets of buffers, so that none finds its own data in
 * L2. The first rounds are not counted.
 *
 * On a virtual GPU the same calls give estimated times, the same in every round. */
#ifndef HAUL_LIB_TIMING_H
#define HAUL_LIB_TIMING_H

#include <haul/haul.h>
#include <stddef.h>
#include <stdint.h>

/* Queues the work on the buffers of `set`. haul_launch_run(), and functions that use it, do not wait here; nothing else
 * may wait either. */
typedef haul_status timing_queue(void *context, unsigned set);

typedef struct timing_work {
    timing_queue *queue;
    void *context;
} timing_work;

typedef struct timing_plan {
    unsigned rounds;                       /* rounds that count */
    unsigned warm_up;                      /* rounds before them */
    unsigned train;                        /* launches of a sample, one after the other; samples are divided by it */
    unsigned sets;                         /* sets of buffers: `set` is 0 to sets - 1 in turn */
    haul_status (*prepare)(void *context); /* called before each round, to evict what works left in L2; NULL: none */
    void *context;                         /* argument of the function above */
} timing_plan;

/* The default plan: `rounds` rounds (0: 25) after three, single launches, two sets; on a virtual GPU one round and one
 * set. */
timing_plan timing_plan_for(const haul_device *device, unsigned rounds);

/* The number of sets of buffers, `bytes` each, over which launches must rotate so that a set is no longer in L2 when
 * its turn comes: at least two, one on a virtual GPU. Limited by free memory. */
unsigned timing_sets(const haul_device *device, uint64_t bytes);

/* Times the works. `samples[work * plan->rounds + round]` gets microseconds a launch. Errors: those of the works, a
 * kernel's fault (then the samples mean nothing), HAUL_ERROR_OUT_OF_MEMORY. */
haul_status timing_measure(haul_device *device, const timing_work *works, size_t count, const timing_plan *plan,
                           double *samples);

typedef struct timing_summary {
    double median;
    double low, high;   /* the quartiles */
    double least, most; /* minimum and maximum */
} timing_summary;

/* Summarises `count` samples, 1 or more. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status timing_summarise(const double *samples, size_t count, timing_summary *summary);

/* Summarises how much faster `own` is than `reference`, round by round: above 1 if own took less time. */
haul_status timing_compare(const double *own, const double *reference, size_t count, timing_summary *summary);

#endif
