#include "check/facts.h"

#include "base/memory.h"
#include "base/status.h"
#include "check/internal.h"
#include "check/lock.h"
#include "check/scratch.h"
#include "check/volatile_use.h"
#include "state/program.h"

/* The facts that are found from the kernel's loops. */
typedef struct loop_facts {
    const ptx_function *function;
    sim_facts *facts;
    haul_status status;
} loop_facts;

static void find_from_loops(void *context, arena *scratch) {
    loop_facts *x = context;
    const sim_loops loops = sim_loops_find(x->function, scratch);
    x->status = sim_uses_find(&loops, scratch, &x->facts->uses, &x->facts->peeks);
    if (x->status == HAUL_OK) x->status = sim_wait_conditions_find(&loops, &x->facts->conditions);
}

/* Most kernels have none. */
static haul_status find_loop_facts(sim_facts *f, const ptx_function *function) {
    loop_facts x = {.function = function, .facts = f, .status = HAUL_OK};
    if (!sim_uses_matter(function)) return HAUL_OK;
    HAUL_TRY(sim_with_scratch(find_from_loops, &x));
    return x.status;
}

/* Ordinary reads of one place count as one, but a load that only looks first does less harm than others of its line. */
static void set_looks_apart(const sim_facts *f, size_t instructions) {
    for (size_t i = 0; f->uses && i < instructions; i++)
        if (f->uses[i] & (SIM_USE_LOOKS | SIM_USE_TRIES)) f->places[i] ^= UINT64_C(1) << 63;
}

haul_status sim_facts_find(sim_facts *f, sim_grid *g) {
    const sim_program *p = g->program;
    HAUL_TRY(sim_finding_places(p, &f->places));
    g->places = f->places;
    HAUL_TRY(sim_origins_find(p, &f->origins));
    g->origins = f->origins;
    g->proxies = sim_proxies_needed(p);
    g->relaxes = sim_relaxes(p);
    g->has_mbarriers = sim_has_mbarriers(p);
    HAUL_TRY(find_loop_facts(f, p->function));
    set_looks_apart(f, p->function->instruction_count);
    g->uses = f->uses;
    g->peeks = f->peeks;
    g->conditions = f->conditions;
    HAUL_TRY(sim_locks_find(p, f->uses, &f->locked));
    g->locked = f->locked;
    if (!g->node) HAUL_TRY(sim_unused_loads_find(p, &f->unused));
    g->unused = f->unused;
    return HAUL_OK;
}

haul_status sim_facts_find_uses(sim_facts *f, sim_grid *g) {
    HAUL_TRY(find_loop_facts(f, g->program->function));
    g->uses = f->uses;
    return HAUL_OK;
}

void sim_facts_free(sim_facts *f) {
    memory_free(f->places);
    memory_free(f->origins);
    memory_free(f->uses);
    memory_free(f->peeks);
    memory_free(f->locked);
    memory_free(f->conditions);
    sim_unused_loads_free(f->unused);
}
