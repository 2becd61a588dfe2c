/* The simulated clock of a device: when each operation starts and ends on the engine that does it.
 *
 * Times are microseconds since the context began. An operation is given the first stretch from `ready` on in which its
 * engine is free; what was placed before keeps its place. Both directions of the host link share it: a transfer is
 * slower while the other direction is busy. */
#ifndef HAUL_TIME_CLOCK_H
#define HAUL_TIME_CLOCK_H

#include "machine/machine.h"
#include "time/estimate.h"

#include <haul/status.h>

typedef enum sim_engine {
    SIM_ENGINE_IN,     /* copies from host to device */
    SIM_ENGINE_OUT,    /* from device to host */
    SIM_ENGINE_SMS,    /* kernels: sim_clock_place_kernel() */
    SIM_ENGINE_DEVICE, /* copies and fills within device memory */
    SIM_ENGINE_COUNT
} sim_engine;

typedef struct sim_span {
    double from, to;
} sim_span;

/* When an engine is busy: sorted, apart from each other. */
typedef struct sim_busy {
    sim_span *spans;
    size_t count, capacity;
} sim_busy;

/* What kernels take together from one time to another; `busy`: of all SMs. */
typedef struct sim_used {
    double from, to;
    double slots, sms, issue, busy, memory;
} sim_used;

/* Sorted, apart from each other. */
typedef struct sim_usage {
    sim_used *spans;
    size_t count, capacity;
} sim_usage;

typedef struct sim_clock {
    const sim_machine *machine;
    double now; /* where the host program is */
    sim_busy busy[SIM_ENGINE_COUNT];
    sim_usage kernels;
} sim_clock;

void sim_clock_free(sim_clock *clock);

/* Gives `us` of work at full rate a place on the engine, not before `ready`. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_clock_place(sim_clock *clock, sim_engine engine, double ready, double us, sim_span *placed);

/* Gives a kernel that takes `us` alone a place. It begins where blocks of it find room, beside kernels of other
 * streams, and goes at the rate that they leave it: of memory, and of the SMs that they share. Errors: as above. */
haul_status sim_clock_place_kernel(sim_clock *clock, const sim_kernel_load *load, double ready, double us,
                                   sim_span *placed);

/* Microseconds of a transfer at full rate: over the host link from pinned or pageable memory, or within the device. */
double sim_link_us(const sim_machine *machine, uint64_t bytes);
double sim_pageable_us(const sim_machine *machine, uint64_t bytes);
double sim_device_copy_us(const sim_machine *machine, uint64_t read, uint64_t written);
/* Between two such devices: by way of the host where they cannot be peers. */
double sim_peer_copy_us(const sim_machine *machine, uint64_t bytes);

#endif
