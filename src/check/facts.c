#include "check/facts.h"

#include "base/memory.h"
#include "base/status.h"
#include "check/internal.h"
#include "check/lock.h"

haul_status sim_facts_find(sim_facts *f, sim_grid *g) {
    const sim_program *p = g->program;
    HAUL_TRY(sim_finding_places(p, &f->places));
    g->places = f->places;
    HAUL_TRY(sim_origins_find(p, &f->origins));
    g->origins = f->origins;
    g->proxies = sim_proxies_needed(p);
    g->relaxes = sim_relaxes(p);
    HAUL_TRY(sim_uses_find(p, &f->uses));
    g->uses = f->uses;
    HAUL_TRY(sim_locks_find(p, f->uses, &f->locked));
    g->locked = f->locked;
    HAUL_TRY(sim_wait_conditions_find(p, &f->conditions));
    g->conditions = f->conditions;
    if (!g->node) HAUL_TRY(sim_unused_loads_find(p, &f->unused));
    g->unused = f->unused;
    return HAUL_OK;
}

void sim_facts_free(sim_facts *f) {
    memory_free(f->places);
    memory_free(f->origins);
    memory_free(f->uses);
    memory_free(f->locked);
    memory_free(f->conditions);
    sim_unused_loads_free(f->unused);
}
