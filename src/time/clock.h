/* The simulated clock of a device: when each operation starts and ends on its engine.
 *
 * Times are microseconds since the context began. An operation gets the first gap after `ready` in which its engine is
 * free; earlier operations keep their times. Both directions of the host link share it: a transfer is slower while the
 * other direction is busy, or the neighbouring device's transfers in the same direction are. A copy between devices
 * needs the links of both, and leaves the host link alone, unless they have no NVLink. */
#ifndef HAUL_TIME_CLOCK_H
#define HAUL_TIME_CLOCK_H

#include "machine/machine.h"
#include "time/estimate.h"

#include <haul/status.h>

typedef enum sim_engine {
    SIM_ENGINE_IN,        /* copies from host to device */
    SIM_ENGINE_OUT,       /* from device to host */
    SIM_ENGINE_SMS,       /* kernels: sim_clock_place_kernel() */
    SIM_ENGINE_DEVICE,    /* copies and fills within device memory */
    SIM_ENGINE_LINKS_OUT, /* NVLink: copies to other devices */
    SIM_ENGINE_LINKS_IN,  /* from other devices */
    SIM_ENGINE_COUNT
} sim_engine;

typedef struct sim_span {
    double from, to;
} sim_span;

/* When an engine is busy: sorted spans, with gaps between them. */
typedef struct sim_busy {
    sim_span *spans;
    size_t count, capacity;
} sim_busy;

/* What kernels together use between two times; `busy` is the average over all SMs. */
typedef struct sim_used {
    double from, to;
    double slots, sms, issue, busy, memory;
} sim_used;

/* Sorted spans, with gaps between them. */
typedef struct sim_usage {
    sim_used *spans;
    size_t count, capacity;
} sim_usage;

typedef struct sim_clock {
    const sim_machine *machine;
    double now; /* the host program's time */
    sim_busy busy[SIM_ENGINE_COUNT];
    sim_usage kernels;
    const struct sim_clock *neighbour; /* shares the host's rate with this device; NULL: none */
} sim_clock;

void sim_clock_free(sim_clock *clock);

/* Places `us` of work at full rate on the engine, at `ready` or later. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_clock_place(sim_clock *clock, sim_engine engine, double ready, double us, sim_span *placed);

/* The same for a copy between two devices, which needs both their engines. */
haul_status sim_clock_place_between(sim_clock *from, sim_clock *to, double ready, double us, sim_span *placed);

/* Places a kernel that takes `us` when alone. It begins when its blocks find room beside kernels of other streams, and
 * runs at the rate that those leave of memory and of the SMs they share. Errors: as above. */
haul_status sim_clock_place_kernel(sim_clock *clock, const sim_kernel_load *load, double ready, double us,
                                   sim_span *placed);

/* The microseconds of a transfer at full rate: over the host link from pinned or pageable memory, or within the
 * device. */
double sim_link_us(const sim_machine *machine, uint64_t bytes);
double sim_pageable_us(const sim_machine *machine, uint64_t bytes);
double sim_device_copy_us(const sim_machine *machine, uint64_t read, uint64_t written);
/* Between two such devices; through the host if they cannot be peers. */
double sim_peer_copy_us(const sim_machine *machine, uint64_t bytes);

#endif
