/* How long a launch would take on the machine: an estimate from what was counted. */
#ifndef HAUL_TIME_ESTIMATE_H
#define HAUL_TIME_ESTIMATE_H

#include "machine/machine.h"
#include "state/waits.h"

#include <haul/run.h>
#include <stdbool.h>

/* The share of its peak rate that device memory sustains, and an SM's clock in Hz under load, where it stays below its
 * boost. */
extern const double sim_dram_sustained;
double sim_loaded_clock(const sim_machine *machine);

/* Microseconds, by bounds: device memory, L2, the slice of L2 that atomics crowd at; of the busiest SM its L1 and
 * shared memory, lanes of shared atomics, constant cache and texture units, instruction issue and arrivals at barriers;
 * the dispatch of blocks; the host link; and latency that the resident warps cannot hide, which grows as device memory
 * is kept busy. Memory takes longer where a grid's blocks all stay to the end, since none takes over work of others.
 * They overlap, but not perfectly: the estimate is their 3.5-norm and a launch's overhead. docs/memory-model.md says
 * what each is made of, docs/accuracy.md how far estimates are from recorded times. */
double sim_estimate_us(const sim_machine *machine, const haul_launch_record *record, const sim_waits *waits);

/* Where the time goes: shares of what the machine can do, and what warps wait for. Each wait of the model is a stall of
 * its own; by what the launch takes longer than its warps' own chains, they wait for what bounds it. */
haul_estimate sim_estimate(const sim_machine *machine, const haul_launch_record *record, const sim_waits *waits);

/* What a kernel takes of the machine while it runs alone; shares of 1. */
typedef struct sim_kernel_load {
    double slots;  /* of the blocks that fit at once */
    double sms;    /* of the SMs: those that have blocks of it */
    double issue;  /* of what such an SM can do in a cycle: instructions, L1, shared memory */
    double memory; /* of the rate of device memory, L2 or the host link */
    bool waves;    /* it has more blocks than fit at once */
} sim_kernel_load;

/* What the launch takes of the machine while it runs: the largest of its shared bounds, and of its SMs', over its time.
 */
sim_kernel_load sim_estimate_load(const sim_machine *machine, const haul_launch_record *record, const sim_waits *waits);

#endif
