/* Facts about a kernel that the checks of all its launches need. */
#ifndef HAUL_CHECK_FACTS_H
#define HAUL_CHECK_FACTS_H

#include "check/origin.h"
#include "check/peeks.h"
#include "check/unused_load.h"
#include "check/wait_condition.h"
#include "state/block.h"

typedef struct sim_facts {
    uint64_t *places;
    sim_origin *origins;
    sim_wait_conditions *conditions;
    sim_unused_loads *unused;
    uint16_t *uses;
    sim_peeks *peeks;
    sim_proxy_need proxies;
    bool relaxes, has_mbarriers;
    bool may_lock; /* launches need sim_grid.locked */
} sim_facts;

/* Finds all facts. The caller frees them; *out is NULL after a failure. */
haul_status sim_facts_find(const sim_program *program, sim_facts **out);
/* Lets a grid know the facts, which have to live as long. */
void sim_facts_tell(const sim_facts *facts, sim_grid *grid);
void sim_facts_free(sim_facts *facts);

#endif
