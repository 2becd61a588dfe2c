/* Sets up a launch and its parts: SMs, host threads, counting, checks. */
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "check/facts.h"
#include "check/internal.h"
#include "check/use_list.h"
#include "exec/grid.h"
#include "exec/grid_shape.h"
#include "exec/run.h"
#include "exec/spare_sms.h"

#include <stdatomic.h>

/* Operations from which on a second host thread pays; operations of a warp in a short kernel. */
enum { WORTH_SHARING = 1 << 15, USUAL_OPERATIONS = 64 };

/* Waking threads pays from about a millisecond on. Idle threads spin and take cores from other programs. */
bool sim_run_is_worth_sharing(uint64_t operations) {
    return operations >= WORTH_SHARING;
}

int sim_run_threads(const sim_run *s, uint64_t operations) {
    return sim_run_is_worth_sharing(operations) ? s->threads : 1;
}

/* Guesses the operations of a kernel that has not run yet. The guess only decides how many host threads set up the SMs
 * and run the first epoch, and how long its first stretch is. */
static uint64_t operations_expected(const sim_grid *g) {
    return g->blocks * g->warps * USUAL_OPERATIONS;
}

typedef bool sm_work(sim_run *s, uint32_t sm);
/* The input of a loop over SMs, and its outcome. */
typedef struct sm_loop {
    sim_run *run;
    sm_work *work;
    atomic_bool failed;
} sm_loop;

static void work_on_sm(void *context, size_t sm, unsigned worker) {
    sm_loop *l = context;
    (void)worker;
    if (!l->work(l->run, (uint32_t)sm)) atomic_store_explicit(&l->failed, true, memory_order_relaxed);
}

/* Calls `work` for the first n SMs, for large launches on several threads. Returns false if a call did. */
static bool on_sms(sim_run *s, uint32_t n, sm_work *work) {
    sm_loop l = {.run = s, .work = work};
    pool_for(n, (unsigned)sim_run_threads(s, s->expected), work_on_sm, &l);
    return !l.failed;
}

/* Creates the SM, or gets one ready that an earlier launch has left. */
static bool prepare_sm(sim_run *s, uint32_t sm) {
    return sim_sm_prepare(&s->grid, s->plan, sm, &s->sms[sm]) == HAUL_OK;
}

static bool free_sm(sim_run *s, uint32_t sm) {
    sim_sm_free(&s->sms[sm]);
    return true;
}

static haul_status no_memory_for_sms(uint32_t n) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has no memory for %u SMs", n);
}

/* Finds each SM's counting and joins its checks to those of the launch. */
static haul_status connect_sms(sim_run *s) {
    const uint32_t n = s->grid.used_sms;
    s->countings = memory_zeroed(n, sizeof(sim_counting *));
    if (!s->countings) return no_memory_for_sms(n);
    for (uint32_t i = 0; i < n; i++) {
        if (s->watch) s->sms[i].hazards->watch = s->watch;
        s->countings[i] = s->sms[i].counting;
    }
    return HAUL_OK;
}

/* Takes the SMs that an earlier launch has left, and creates those that are missing, in parallel. Each SM knows its
 * grid before any is created, so that all can be freed after a failure. */
static haul_status find_sms(sim_run *s) {
    const sim_launch *l = &s->launch;
    const uint32_t n = s->grid.used_sms;
    s->sm_count = 0;
    if (l->spares) s->sms = sim_spares_take(l->spares, &s->grid, s->plan != NULL, &s->sm_count);
    if (!s->sms) s->sms = memory_zeroed(l->spares ? l->machine->sms : n, sizeof *s->sms);
    if (!s->sms) return no_memory_for_sms(n);
    for (; s->sm_count < n; s->sm_count++) s->sms[s->sm_count].grid = &s->grid;
    /* repeats the message here: messages belong to a thread */
    if (!on_sms(s, n, prepare_sm)) return no_memory_for_sms(n);
    for (uint32_t i = 0; i < n; i++) s->sms[i].serial = n == 1 && !s->grid.node;
    return s->plan ? connect_sms(s) : HAUL_OK;
}

/* An SM never runs on two threads at once, so more threads than SMs are useless. */
static void choose_threads(sim_run *s) {
    const sim_launch *l = &s->launch;
    const int wanted = l->threads ? (int)l->threads : s->grid.used_sms > 1 ? (int)pool_processors() : 1;
    s->threads = (uint32_t)wanted > s->grid.used_sms ? (int)s->grid.used_sms : wanted;
    s->grid.host_threads = (uint32_t)s->threads; /* decides when to compile */
}

/* Takes the L2 that earlier launches left, or a new one. */
static haul_status find_l2(sim_run *s) {
    const sim_launch *l = &s->launch;
    if (!l->l2 || !*l->l2) return sim_l2_create(l->machine, sim_run_threads(s, s->expected), &s->l2);
    s->l2 = *l->l2;
    *l->l2 = NULL;
    if (l->keeps_l2)
        sim_l2_begin_launch(s->l2);
    else
        sim_l2_empty(s->l2);
    return HAUL_OK;
}

/* Leaves the L2 to the next launch, or frees it. Launches that ran at the same time each had their own. */
static void leave_l2(sim_run *s) {
    if (s->launch.l2 && s->l2) {
        sim_l2_free(*s->launch.l2);
        *s->launch.l2 = s->l2;
    } else {
        sim_l2_free(s->l2);
    }
    s->l2 = NULL;
}

static haul_status set_up_counting(sim_run *s) {
    const sim_launch *l = &s->launch;
    HAUL_TRY(sim_count_plan_create(l->machine, l->program, &s->occupancy, &s->plan));
    HAUL_TRY(find_l2(s));
    sim_count_plan_set_window(s->plan, &l->window);
    sim_l2_set_aside(s->l2, l->set_aside);
    return HAUL_OK;
}

static haul_status make_room_for_locks(sim_run *s) {
    const sim_program *p = s->launch.program;
    if (!p->facts->may_lock) return HAUL_OK;
    s->grid.locked = memory_zeroed(p->function->instruction_count, sizeof *s->grid.locked);
    return s->grid.locked ? HAUL_OK : haul_no_memory("the launch's checks");
}

haul_status sim_run_set_up(sim_run *s) {
    const sim_launch *l = &s->launch;
    uint32_t cluster[3];
    sim_launch_cluster(l, cluster);
    sim_grid_describe(l, &s->occupancy, cluster, &s->grid);
    HAUL_TRY(sim_check_residency(&s->grid));
    HAUL_TRY(sim_grid_fit_frames(&s->grid));
    choose_threads(s);
    s->expected = l->rough && l->rough->operations ? l->rough->operations : operations_expected(&s->grid);
    uint64_t behind;
    const uint64_t mapped = sim_memory_first_mapped(l->memory, &behind);
    if (mapped) s->link = sim_link_between(mapped, behind);
    uint64_t from, to;
    for (unsigned k = 0; sim_memory_peer(l->memory, k, &from, &to); k++)
        if (from != to) sim_peer_lines_add(&s->peers, from, to);
    /* A compare-and-swap loop's first guess is no race with other streams, so such loops must be known. */
    if (l->follower) s->grid.uses = l->program->facts->uses;
    if (!l->check) return HAUL_OK;
    sim_facts_tell(l->program->facts, &s->grid);
    HAUL_TRY(make_room_for_locks(s));
    s->grid.early = l->uses ? l->uses->early : NULL;
    return sim_watch_create(&s->grid, l->shadow, &s->watch);
}

haul_status sim_run_set_up_part(sim_run *s, const sim_cluster_range *part, bool counted) {
    s->grid.first_cluster = part->first;
    s->grid.end_cluster = part->end;
    sim_run_begin_epochs(s);
    if (counted) HAUL_TRY(set_up_counting(s));
    return find_sms(s);
}

/* Only the SMs of a part that has run well can serve a later launch. */
void sim_run_tear_down_part(sim_run *s, bool well) {
    sim_spares *spares = well ? s->launch.spares : NULL;
    if (!spares || !sim_spares_put(spares, &s->grid, s->sms, s->sm_count)) {
        if (s->sms) on_sms(s, s->sm_count, free_sm);
        memory_free(s->sms);
    }
    memory_free(s->countings);
    sim_count_plan_free(s->plan);
    leave_l2(s);
    s->sms = NULL;
    s->countings = NULL;
    s->plan = NULL;
}

void sim_run_tear_down(sim_run *s) {
    sim_watch_free(s->watch);
    memory_free(s->grid.locked);
}
