/* The global ends of asynchronous copies while they are under way: what is still being read must not be overwritten,
 * what is still being written must not be used. The shared ends have their marks in the shadow (shared.c). */
#ifndef HAUL_CHECK_FLIGHTS_H
#define HAUL_CHECK_FLIGHTS_H

#include "state/async.h"

#include <haul/run.h>

enum { SIM_FLIGHTS = 128 };

/* A bulk or tensor copy from or to global memory. */
typedef struct sim_flight {
    sim_bulk bulk;
    uint64_t from, to; /* what it touches lies in between */
    uint32_t time;     /* of a load: since when those know who have waited for its mbarrier; 0: under way */
    uint16_t thread;   /* of the domain */
    uint16_t actor;    /* of a load that has arrived: the mbarrier's */
    bool used;         /* otherwise the entry is free */
    bool read;         /* of a store: a wait has covered its reading, but not its writing */
} sim_flight;

typedef struct sim_span {
    uint64_t from, to; /* empty: from = to */
} sim_span;

/* What copies touch: each instruction has a span, as it mostly has an array of its own; they share when there are many.
 * Most accesses of a kernel lie outside all of them. */
enum { SIM_SPANS = 8 };
typedef struct sim_spans {
    sim_span all, list[SIM_SPANS];
    uint32_t instruction[SIM_SPANS], count;
} sim_spans;

/* Of a block. The spans hold all that was ever read and is being written. */
typedef struct sim_flights {
    sim_flight *list; /* SIM_FLIGHTS, used in turn; NULL until needed */
    uint32_t next, writing;
    sim_spans reads, writes, copies; /* copies: sources of cp.async */
} sim_flights;

#endif
