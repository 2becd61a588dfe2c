/* How long a launch would take on the machine: an estimate from what was counted. */
#ifndef HAUL_SIM_ESTIMATE_H
#define HAUL_SIM_ESTIMATE_H

#include "sim/machine.h"

#include <haul/run.h>
#include <stdbool.h>

/* What the counters do not say: how often warps stood still for memory, and for each other. */
typedef struct sim_waits {
    double memory;   /* warps' waits for loads or copies; one that leaves n groups in flight counts 1 / (n + 1) */
    double barriers; /* warps' waits at block barriers */
    double link_read, link_written; /* sectors of mapped host memory, which go over the host link */
} sim_waits;

/* The share of its peak rate that device memory sustains, and an SM's clock in Hz under load, where it stays below its
 * boost. */
extern const double sim_dram_sustained;
double sim_loaded_clock(const sim_machine *machine);

/* Microseconds, by bounds: device memory, L2, an SM's L1 and shared memory, its constant cache, instruction issue, and
 * latency that the resident warps cannot hide. They overlap, but not perfectly: the estimate is their 3-norm and a
 * launch's overhead.
 *
 * Sources: rates and latencies of the machine's description; the share of the peak that device memory sustains, the
 * cost of a write at L2 and a block's start are measured on an H100 (tests/data/truth/timing_h100.jsonl). Of its 69
 * launches two thirds come out within 15 %, four fifths within 30 %. Not modelled: atomics on few addresses (far too
 * low), scattered writes of parts of sectors (up to two times too low). */
double sim_estimate_us(const sim_machine *machine, const haul_launch_record *record, const sim_waits *waits);

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
