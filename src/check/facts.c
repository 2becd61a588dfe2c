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

static haul_status find_all(const sim_program *p, sim_facts *f) {
    HAUL_TRY(sim_finding_places(p, &f->places));
    HAUL_TRY(sim_origins_find(p, &f->origins));
    HAUL_TRY(find_loop_facts(f, p->function));
    HAUL_TRY(sim_unused_loads_find(p, &f->unused));
    set_looks_apart(f, p->function->instruction_count);
    f->proxies = sim_proxies_needed(p);
    f->relaxes = sim_relaxes(p);
    f->has_mbarriers = sim_has_mbarriers(p);
    f->may_lock = sim_may_lock(p->function, f->uses);
    return HAUL_OK;
}

haul_status sim_facts_find(const sim_program *p, sim_facts **out) {
    *out = NULL;
    sim_facts *f = memory_zeroed(1, sizeof *f);
    if (!f) return haul_no_memory("the kernel's checks");
    const haul_status status = find_all(p, f);
    if (status == HAUL_OK)
        *out = f;
    else
        sim_facts_free(f);
    return status;
}

void sim_facts_tell(const sim_facts *f, sim_grid *g) {
    g->places = f->places;
    g->origins = f->origins;
    g->proxies = f->proxies;
    g->relaxes = f->relaxes;
    g->has_mbarriers = f->has_mbarriers;
    g->uses = f->uses;
    g->peeks = f->peeks;
    g->conditions = f->conditions;
    g->unused = g->node ? NULL : f->unused;
}

void sim_facts_free(sim_facts *f) {
    if (!f) return;
    memory_free(f->places);
    memory_free(f->origins);
    memory_free(f->uses);
    memory_free(f->peeks);
    memory_free(f->conditions);
    sim_unused_loads_free(f->unused);
    memory_free(f);
}
