/* The parts of haul_diagnose(): checks, counting, rates, advice. */
#ifndef HAUL_LIB_DIAGNOSE_DIAGNOSE_H
#define HAUL_LIB_DIAGNOSE_DIAGNOSE_H

#include "machine/machine.h"

#include <haul/diagnose.h>

/* A transfer and its circumstances, with all defaults filled in. */
typedef struct diagnose_case {
    haul_transfer t;
    haul_circumstances c;
    const sim_machine *machine;
    unsigned engine; /* HAUL_BY_..., never AUTO, once diagnose_examine() has chosen */
    uint32_t team_threads;
} diagnose_case;

/* Makes the checks of the compiler and of a debug build, and checks that the block can be launched. */
haul_status diagnose_check(const diagnose_case *k);

/* Bytes of shared memory that one transfer spans, from the lowest to the highest. */
uint64_t diagnose_shared_span(const haul_transfer *t);

/* Fills in how the transfer is carried and which traffic it causes. */
haul_status diagnose_count(const diagnose_case *k, haul_diagnosis *d);

/* For bytes that are read repeatedly: whether they stay in L2 anyway, and how many sixteenths of them persist in the
 * part that is set aside. */
bool diagnose_fits_l2(const diagnose_case *k);
unsigned diagnose_persisting(const diagnose_case *k);

/* Completes the case from transfer and circumstances, checks and counts, and adds room, Little's law and the estimate:
 * everything but advice. */
haul_status diagnose_examine(diagnose_case *k, haul_diagnosis *d);

/* Tries the changes. `d` is the result of diagnose_examine() for `k`. */
void diagnose_advise(const diagnose_case *k, haul_diagnosis *d);

#endif
