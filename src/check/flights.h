/* Global memory that asynchronous copies in flight use: their sources must not be overwritten, their destinations must
 * not be used. For the shared side of copies see shared.c. */
#ifndef HAUL_CHECK_FLIGHTS_H
#define HAUL_CHECK_FLIGHTS_H

#include "state/async.h"

#include <haul/run.h>

enum { SIM_FLIGHTS = 128 };

/* A bulk or tensor copy from or to global memory. */
typedef struct sim_flight {
    sim_bulk bulk;
    uint64_t from, to; /* bounds of the global addresses it touches */
    uint32_t time;   /* of a load: the time from which threads that waited for its mbarrier know of it; 0: in flight */
    uint16_t thread; /* number in the domain */
    uint16_t actor;  /* of a load that has arrived: its mbarrier's actor */
    bool used;       /* false: the entry is free */
    bool read;       /* of a store: a wait has covered the reading of its source, but not its writing */
} sim_flight;

typedef struct sim_span {
    uint64_t from, to; /* empty: from = to */
} sim_span;

/* Address ranges that copies touch, one per instruction, since each instruction mostly has an array of its own. If
 * there are too many instructions, the last range is shared. Most accesses lie outside all of them. */
enum { SIM_SPANS = 8 };
typedef struct sim_spans {
    sim_span all, list[SIM_SPANS];
    uint32_t instruction[SIM_SPANS], count;
} sim_spans;

/* Copies of one block. The spans cover all sources so far and all destinations being written. */
typedef struct sim_flights {
    sim_flight *list; /* SIM_FLIGHTS entries, used as a ring; NULL until needed */
    uint32_t next, writing;
    sim_spans reads, writes, copies; /* copies: sources of cp.async */
} sim_flights;

#endif
