/* The parts of haul_diagnose(): checks, counting, rates, advice. */
#ifndef HAUL_LIB_DIAGNOSE_DIAGNOSE_H
#define HAUL_LIB_DIAGNOSE_DIAGNOSE_H

#include "machine/machine.h"

#include <haul/diagnose.h>

/* A transfer under circumstances in which no default is left open. */
typedef struct diagnose_case {
    haul_transfer t;
    haul_circumstances c;
    const sim_machine *machine;
    unsigned engine;
    uint32_t team_threads;
} diagnose_case;

/* What the compiler and a debug build would say about it, and whether the block can be launched at all. */
haul_status diagnose_check(const diagnose_case *k);

/* Bytes of shared memory that one transfer spans, from the lowest to the highest. */
uint64_t diagnose_shared_span(const haul_transfer *t);

/* Fills in how it is carried and what it asks for. */
haul_status diagnose_count(const diagnose_case *k, haul_diagnosis *d);

/* Of bytes that are read over and over: whether they stay in L2 anyway, and how many sixteenths of them persist there
 * in what is set aside. */
bool diagnose_fits_l2(const diagnose_case *k);
unsigned diagnose_persisting(const diagnose_case *k);

/* Settles what follows from transfer and circumstances, checks and counts, and adds room, Little's law and the
 * estimate: everything but advice. */
haul_status diagnose_examine(diagnose_case *k, haul_diagnosis *d);

/* Tries the changes. `d` is what diagnose_examine() found for `k`. */
void diagnose_advise(const diagnose_case *k, haul_diagnosis *d);

#endif
