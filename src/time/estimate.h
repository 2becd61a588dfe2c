/* How long a launch would take on the machine: an estimate from what was counted. */
#ifndef HAUL_TIME_ESTIMATE_H
#define HAUL_TIME_ESTIMATE_H

#include "machine/machine.h"
#include "state/waits.h"

#include <haul/run.h>
#include <stdbool.h>

/* The share of its peak rate that device memory sustains; an SM's clock under load in Hz, which stays below its
 * boost. */
extern const double sim_dram_sustained;
double sim_loaded_clock(const sim_machine *machine);
/* How much longer than its work Nsight Compute takes a launch to be. */
extern const double sim_around_seconds;

/* Estimates a launch's microseconds. Its bounds are
 * - device memory, L2, the slice of L2 that atomics contend for, and stores of parts of sectors by the busiest SM;
 * - on the busiest SM: L1 and shared memory, lanes of shared atomics, constant cache and texture units, instruction
 *   issue and arrivals at barriers;
 * - the dispatch of blocks, the host link, and NVLink in each direction;
 * - latency that the resident warps cannot hide, which grows with the load on device memory.
 *
 * Memory takes longer if all blocks of a grid stay to the end, since none takes over work of others. The bounds overlap
 * imperfectly: the estimate is a norm of them and a launch's overhead. docs/memory-model.md says what each bound is
 * made of, docs/accuracy.md how far estimates are from recorded times. */
double sim_estimate_us(const sim_machine *machine, const haul_launch_record *record, const sim_waits *waits);

/* Says where the time goes: utilization of the machine, and the states of its warps (time/states.h). */
haul_estimate sim_estimate(const sim_machine *machine, const haul_launch_record *record, const sim_waits *waits);

/* The share of the machine that a kernel uses while it runs alone; 1 is all of it. */
typedef struct sim_kernel_load {
    double slots;  /* of the blocks that fit at once */
    double sms;    /* of the SMs: those with blocks of it */
    double issue;  /* of such an SM's cycles: instructions, L1, shared memory */
    double memory; /* of the rate of device memory, L2 or the host link */
    bool waves;    /* it has more blocks than fit at once */
    double rounds; /* how many times more; 1 if all fit */
} sim_kernel_load;

/* Returns a launch's load: the largest of its shared bounds, and of its SM bounds, over its time. */
sim_kernel_load sim_estimate_load(const sim_machine *machine, const haul_launch_record *record, const sim_waits *waits);

#endif
