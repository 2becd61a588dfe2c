/* Facts about a kernel that the checks find before it runs. */
#ifndef HAUL_CHECK_FACTS_H
#define HAUL_CHECK_FACTS_H

#include "check/origin.h"
#include "check/peeks.h"
#include "check/unused_load.h"
#include "check/wait_condition.h"
#include "state/block.h"

/* All of it is owned; the grid points to these tables and to the arrays beside them. */
typedef struct sim_facts {
    uint64_t *places;
    sim_origin *origins;
    sim_wait_conditions *conditions;
    sim_unused_loads *unused;
    uint16_t *uses;
    uint8_t *locked;
    sim_peeks *peeks;
} sim_facts;

/* Fills `facts`, which is zero, and lets the grid know them. The caller frees them, also after a failure. */
haul_status sim_facts_find(sim_facts *facts, sim_grid *grid);
/* Fills only the uses of loops, for launches that are not checked. */
haul_status sim_facts_find_uses(sim_facts *facts, sim_grid *grid);
void sim_facts_free(sim_facts *facts);

#endif
