/* Runs a launch: sets it up, runs its SMs in epochs, and makes its record.
 *
 * A launch has one part, or up to three if only a sample of its blocks is counted. Each part has SMs of its own; all
 * parts share the grid, the host threads and the checks' facts about the kernel. A part runs in epochs:
 *
 * - All SMs run EPOCH operations in parallel (sm.c). They change only their own state, memory whose order no other
 *   block can see, and logs.
 * - The logs are played in SM order: requests to L2 into the one L2 and, with checks on, accesses into the one shadow.
 * - In the serial phase, one SM after another executes the operations whose order other blocks can see.
 *
 * So neither the number of host threads nor their speed affects results, counters or findings, unless threads race for
 * a value. An epoch may be cut into stretches, between which long logs are played; SMs do not notice that. If nothing
 * can run after the serial phase, waits with a time limit end, then lanes leave their joins, and then the launch is a
 * deadlock. Kernels that run but can never end are found in cycle.c.
 *
 * Checks of the launch's arguments are in limits.c, and starts of blocks in block_start.c. */
#include "exec/grid.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/pool.h"
#include "base/status.h"
#include "check/facts.h"
#include "check/internal.h"
#include "check/node.h"
#include "check/use_list.h"
#include "exec/cluster.h"
#include "exec/cycle.h"
#include "exec/fault.h"
#include "exec/grid_shape.h"
#include "exec/progress.h"
#include "exec/record.h"
#include "machine/code_fetch.h"
#include "exec/sample.h"
#include "exec/sm.h"
#include "exec/spare_sms.h"
#include "jit/compiled.h"
#include "jit/jobs.h"
#include "lower/internal.h"
#include "state/block.h"
#include "time/estimate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Operations that an SM runs in an epoch, after which all SMs synchronise. The epoch is long enough to make that cheap.
 * Logs rarely exceed these sizes in it; if they would, they are played in between. Accesses are replayed as fast from
 * short logs, and their arrays have grown in steps: what is held is a multiple of what is logged. */
enum {
    EPOCH = 1 << 16,
    LEAST_STRETCH = 1 << 10,
    FIRST_STRETCH = 1 << 12,
    SHORT_STRETCH = 1 << 9,
    REQUEST_BYTES = 32 << 20,
    ACCESS_BYTES = 16 << 20
};
/* Operations from which on a second host thread pays; operations of a warp in a short kernel. */
enum { WORTH_SHARING = 1 << 15, USUAL_OPERATIONS = 64 };
/* Host cost of a request from L1 to L2, in operations. */
enum { REQUEST_OPERATIONS = 3 };
/* Rounds in which waits with time limits end without effect before the launch counts as deadlocked. */
enum { IDLE_ROUNDS = 100 };
/* The most rounds of polling in one serial phase while some warp still reads new values. */
enum { MOST_POLLS = 64 };
/* Epochs in which all SMs only poll before a launch that may pause does pause. */
enum { VAIN_EPOCHS = 4 };
/* The most pauses of a checked launch after it has published something for other devices. */
enum { MOST_SHOWN = 256 };
/* The blocks before a sample, the sample, and the blocks after it. */
enum { MOST_PARTS = 3 };

/* A launch between sim_launch_begin() and its end. It lives on across pauses, so all state of the launch is here. */
struct sim_run {
    sim_launch launch;
    haul_occupancy occupancy; /* as the launch's check found it */
    arena *memory;
    haul_launch_record *record, *made; /* made: the sample's record, until the later parts have ended */
    sim_cluster_range parts[MOST_PARTS];
    unsigned part, part_count, counted_part;
    bool is_set_up;           /* the current part is */
    uint64_t pauses;          /* since it waited */
    bool may_pause, paused;   /* may_pause: the caller allows it now; paused: it has done so */
    unsigned vain_epochs;     /* consecutive epochs in which all SMs only polled */
    bool waits;               /* it has paused because it waits, not to let others see what it has published */
    uint32_t published;       /* times that its device had published at the last pause or check (check/node.h) */
    unsigned shown_often;     /* pauses of the latter kind */
    uint64_t happened;        /* changes of all SMs, without clock reads, at the last check */
    double host_seconds;      /* without pauses */
    sim_grid grid;            /* launch-wide constants; first_cluster and end_cluster are the current part's */
    sim_sm *sms;              /* those of the current part; if they may be kept, with room for all of the machine's */
    uint32_t sm_count;        /* created ones: grid.used_sms, or more that an earlier launch has left */
    sim_counting **countings; /* those of the SMs, in their order; NULL: nothing is counted */
    sim_count_plan *plan;     /* NULL: the current part is not counted */
    sim_l2 *l2;               /* owned while a counted part runs */
    sim_watch *watch;         /* with checks on */
    sim_facts facts;          /* with checks on */
    int threads;              /* most host threads; short epochs run on one */
    uint64_t expected;        /* estimated operations of the launch */
    uint64_t next;            /* estimated operations of the next epoch */
    uint64_t stretch;         /* operations of each SM until the next check of the logs' length */
    uint64_t requests_since, accesses_since; /* operations of each SM since that log was played */
    uint64_t requests;                       /* requests played in this epoch */
    sim_cycle cycle;                         /* finds loops in which nothing changes */
    unsigned idle;                           /* rounds without progress */
    uint64_t progress;                       /* of all SMs, when nothing could run last */
    sim_link link;                           /* first_line 0: no host memory is mapped */
    sim_peer_lines peers;                    /* memory of other devices */
    sim_progress shown;                      /* kernel NULL: there is no display */
    uint64_t executed_before;                /* operations of earlier parts */
    sim_cause cause;                         /* cause of a failure */
    bool sampled;                            /* only a part of the launch is counted */
    bool recorded;                           /* the record is filled, as far as the launch ran */
};

/* ---- set-up ---- */

/* Returns the host threads for an epoch of about that many operations. Waking threads pays from about a millisecond on.
 * Idle threads spin and take cores from other programs. */
static int threads_for(const sim_run *s, uint64_t operations) {
    return operations < WORTH_SHARING ? 1 : s->threads;
}

/* Guesses the operations of a kernel that has not run yet. The guess only decides how many host threads set up the SMs
 * and run the first epoch. */
static uint64_t operations_expected(const sim_grid *g) {
    return g->blocks * g->warps * USUAL_OPERATIONS;
}

typedef bool sm_work(sim_run *s, uint32_t sm);

/* The input of a loop over all SMs, and its outcome. */
typedef struct sm_loop {
    sim_run *run;
    sm_work *work;
    uint64_t left;
    atomic_bool failed;
    atomic_uint busy;
} sm_loop;

static void work_on_sm(void *context, size_t sm, unsigned worker) {
    sm_loop *l = context;
    (void)worker;
    if (!l->work(l->run, (uint32_t)sm)) atomic_store_explicit(&l->failed, true, memory_order_relaxed);
}

/* Calls `work` for the first n SMs, for large launches on several threads. Returns false if a call did. */
static bool on_sms(sim_run *s, uint32_t n, sm_work *work) {
    sm_loop l = {.run = s, .work = work};
    pool_for(n, (unsigned)threads_for(s, s->expected), work_on_sm, &l);
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
static haul_status find_sms(sim_run *s, const sim_launch *l) {
    const uint32_t n = s->grid.used_sms;
    const bool may_keep = l->spares && !s->plan;
    s->sm_count = 0;
    if (may_keep) s->sms = sim_spares_take(l->spares, &s->grid, &s->sm_count);
    if (!s->sms) s->sms = memory_zeroed(may_keep ? l->machine->sms : n, sizeof *s->sms);
    if (!s->sms) return no_memory_for_sms(n);
    for (; s->sm_count < n; s->sm_count++) s->sms[s->sm_count].grid = &s->grid;
    /* repeats the message here: messages belong to a thread */
    if (!on_sms(s, n, prepare_sm)) return no_memory_for_sms(n);
    for (uint32_t i = 0; i < n; i++) s->sms[i].serial = n == 1 && !s->grid.node;
    return s->plan ? connect_sms(s) : HAUL_OK;
}

/* An SM never runs on two threads at once, so more threads than SMs are useless. */
static void choose_threads(sim_run *s, const sim_launch *l) {
    const int wanted = l->threads ? (int)l->threads : s->grid.used_sms > 1 ? (int)pool_processors() : 1;
    s->threads = (uint32_t)wanted > s->grid.used_sms ? (int)s->grid.used_sms : wanted;
    s->grid.host_threads = (uint32_t)s->threads; /* decides when to compile */
}

/* Takes an empty L2, or the one that earlier launches left. */
static haul_status find_l2(sim_run *s, const sim_launch *l) {
    if (!l->l2 || !*l->l2) return sim_l2_create(l->machine, threads_for(s, s->expected), &s->l2);
    s->l2 = *l->l2;
    *l->l2 = NULL;
    sim_l2_begin_launch(s->l2);
    return HAUL_OK;
}

/* Leaves the L2 to the next launch, whose first requests may hit, or frees it. */
static void leave_l2(sim_run *s, const sim_launch *l) {
    if (l->l2 && s->l2)
        *l->l2 = s->l2;
    else
        sim_l2_free(s->l2);
    s->l2 = NULL;
}

static haul_status set_up_counting(sim_run *s, const sim_launch *l, const haul_occupancy *occupancy) {
    HAUL_TRY(sim_count_plan_create(l->machine, l->program, occupancy, &s->plan));
    HAUL_TRY(find_l2(s, l));
    sim_count_plan_set_window(s->plan, &l->window);
    sim_l2_set_aside(s->l2, l->set_aside);
    return HAUL_OK;
}

/* Sets up the data that all parts share. */
static haul_status set_up(sim_run *s, const sim_launch *l, const haul_occupancy *occupancy) {
    uint32_t cluster[3];
    sim_launch_cluster(l, cluster);
    sim_grid_describe(l, occupancy, cluster, &s->grid);
    HAUL_TRY(sim_check_residency(&s->grid));
    HAUL_TRY(sim_grid_fit_frames(&s->grid));
    choose_threads(s, l);
    s->expected = l->rough && l->rough->operations ? l->rough->operations : operations_expected(&s->grid);
    uint64_t behind;
    const uint64_t mapped = sim_memory_first_mapped(l->memory, &behind);
    if (mapped) s->link = sim_link_between(mapped, behind);
    uint64_t from, to;
    for (unsigned k = 0; sim_memory_peer(l->memory, k, &from, &to); k++)
        if (from != to) sim_peer_lines_add(&s->peers, from, to);
    if (!l->check) return HAUL_OK;
    HAUL_TRY(sim_facts_find(&s->facts, &s->grid));
    return sim_watch_create(&s->grid, &s->watch);
}

/* Sets up the SMs for the clusters of `part`. A part that is not counted has neither plan nor L2. */
static haul_status set_up_part(sim_run *s, const sim_launch *l, const haul_occupancy *occupancy,
                               const sim_cluster_range *part, bool counted) {
    s->grid.first_cluster = part->first;
    s->grid.end_cluster = part->end;
    s->cycle = (sim_cycle){0};
    s->progress = s->requests = s->requests_since = s->accesses_since = 0;
    s->idle = s->vain_epochs = 0;
    s->next = s->expected;
    s->stretch = FIRST_STRETCH;
    if (counted) HAUL_TRY(set_up_counting(s, l, occupancy));
    return find_sms(s, l);
}

/* `well`: the part has run to its end. */
static void tear_down_part(sim_run *s, const sim_launch *l, bool well) {
    if (!well || s->plan || !l->spares || !sim_spares_put(l->spares, &s->grid, s->sms, s->sm_count)) {
        if (s->sms) on_sms(s, s->sm_count, free_sm);
        memory_free(s->sms);
    }
    memory_free(s->countings);
    sim_count_plan_free(s->plan);
    leave_l2(s, l);
    s->sms = NULL;
    s->countings = NULL;
    s->plan = NULL;
}

static void tear_down(sim_run *s) {
    sim_watch_free(s->watch);
    sim_facts_free(&s->facts);
}

/* ---- epochs ---- */

static uint64_t executed_by_all(const sim_run *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) sum += s->sms[i].executed;
    return sum;
}

/* Publishes the progress of all SMs. Nobody reads it while they run. */
static void note_progress(sim_run *s) {
    const sim_grid *g = &s->grid;
    uint64_t done = g->first_cluster * g->cluster_blocks;
    if (!sim_progress_is_wanted()) return;
    for (uint32_t i = 0; i < g->used_sms; i++) {
        const uint64_t started = (s->sms[i].next_cluster - sim_sm_first_cluster(g, i)) / g->used_sms;
        done += started * g->cluster_blocks - s->sms[i].running;
    }
    s->shown = (sim_progress){.kernel = g->program->function->name,
                              .blocks = g->blocks,
                              .done = done,
                              .operations = s->executed_before + executed_by_all(s)};
}

static void run_sm(void *context, size_t i, unsigned worker) {
    sm_loop *l = context;
    sim_sm *sm = &l->run->sms[i];
    if (sim_sm_run(sm, sm->epoch_end - l->left)) atomic_fetch_add_explicit(&l->busy, 1, memory_order_relaxed);
    if (worker == 0) sim_show_progress(&l->run->shown); /* on the thread that launches */
}

/* Runs each SM until `left` operations of its epoch are left. Returns how many SMs still have work. */
static uint32_t run_stretch(sim_run *s, uint64_t left, int threads) {
    sm_loop l = {.run = s, .left = left};
    note_progress(s);
    pool_for(s->grid.used_sms, (unsigned)threads, run_sm, &l);
    return l.busy;
}

/* Returns the fault of the lowest SM, whichever thread found its own first. */
static const sim_fault_record *first_fault(const sim_run *s) {
    for (uint32_t i = 0; i < s->grid.used_sms; i++)
        if (sim_fault_of(&s->sms[i])) return sim_fault_of(&s->sms[i]);
    return NULL;
}

/* Returns whether some SM has stopped with a fault. */
static bool has_stopped(const sim_run *s) {
    for (uint32_t i = 0; i < s->grid.used_sms; i++)
        if (s->sms[i].fault.status != HAUL_OK) return true;
    return false;
}

/* Fails with the first fault's message, or succeeds if there is none. */
static haul_status report_fault(const sim_run *s) {
    const sim_fault_record *f = first_fault(s);
    return f ? haul_fail(f->status, "%s", f->message) : HAUL_OK;
}

static sim_cause cause_of(const sim_fault_record *f) {
    if (f && f->is_assertion) return SIM_CAUSE_ASSERTION;
    const bool is_misaligned = f && f->status == HAUL_ERROR_FAULT && f->kind == HAUL_FINDING_MISALIGNED;
    return is_misaligned ? SIM_CAUSE_MISALIGNED : SIM_CAUSE_OTHER;
}

/* Blocks that wait for each other in turn, as in look-back scans, take all their turns here. Returns whether any path
 * waited for this phase. */
static bool run_ordered(sim_run *s) {
    bool any = false, news = false;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) {
        any |= s->sms[i].ordered > 0;
        news |= sim_sm_run_ordered(&s->sms[i]);
    }
    for (unsigned k = 0; news && k < MOST_POLLS; k++) {
        news = false;
        for (uint32_t i = 0; i < s->grid.used_sms; i++) news |= sim_sm_poll_again(&s->sms[i]);
    }
    return any;
}

static bool all_stuck(const sim_run *s) {
    for (uint32_t i = 0; i < s->grid.used_sms; i++)
        if (!s->sms[i].stuck) return false;
    return true;
}

static bool time_out_waits(sim_run *s) {
    bool any = false;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) any |= sim_sm_time_out_waits(&s->sms[i]);
    return any;
}

static bool release_joins(sim_run *s) {
    bool any = false;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) any |= sim_sm_release_joins(&s->sms[i]);
    return any;
}

/* Nothing can run. Ends waits with time limits first, as long as that has an effect. Then releases lanes that wait for
 * others of their warp. Returns false if neither is possible. */
static bool revive(sim_run *s) {
    uint64_t progress = 0;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) progress += s->sms[i].progress;
    s->idle = progress == s->progress ? s->idle + 1 : 0;
    s->progress = progress;
    if (s->idle < IDLE_ROUNDS && time_out_waits(s)) return true;
    s->idle = 0;
    return release_joins(s);
}

/* Describes where all threads are, as far as `message` has room. */
static void describe_all(const sim_run *s, char *message, size_t size) {
    sim_stuck stuck = {0};
    for (uint32_t i = 0; i < s->grid.used_sms; i++) sim_sm_describe_stuck(&s->sms[i], &stuck);
    sim_stuck_tell(&stuck, message, size);
}

/* Threads that wait for a thread with a fault are no second defect. */
static haul_status report_deadlock(const sim_run *s, const char *why) {
    char stuck[700] = "";
    HAUL_TRY(report_fault(s));
    for (uint32_t i = 0; i < s->grid.used_sms; i++)
        if (s->sms[i].hazards) sim_hazard_deadlock(&s->sms[i]);
    describe_all(s, stuck, sizeof stuck);
    return haul_fail(HAUL_ERROR_DEADLOCK, "deadlock in kernel %s: %s:%s", s->grid.program->function->name, why, stuck);
}

/* Fails if the launch has executed more operations than its limit. A fault that was passed over goes first: it may be
 * why the kernel does not end. */
static haul_status check_limit(const sim_run *s, uint64_t now) {
    char where[400] = "";
    if (now <= s->grid.instruction_limit) return HAUL_OK;
    HAUL_TRY(report_fault(s));
    describe_all(s, where, sizeof where);
    return haul_fail(HAUL_ERROR_TIMEOUT,
                     "kernel %s has not ended after %llu operations; raise the limit (--limit) if it is meant to run "
                     "that long:%s",
                     s->grid.program->function->name, (unsigned long long)now, where);
}

/* Returns whether the rest of the epoch would change nothing, so that it may end now. */
static bool all_rest(const sim_run *s) {
    for (uint32_t i = 0; i < s->grid.used_sms; i++)
        if (!sim_sm_rests(&s->sms[i])) return false;
    return true;
}

/* Plays the SMs' requests into L2 and empties their logs. */
static haul_status play_requests(sim_run *s, int threads) {
    sim_link *link = s->link.first_line ? &s->link : NULL;
    if (!s->plan) return HAUL_OK;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) s->requests += sim_counting_waiting(s->countings[i]);
    s->requests_since = 0;
    return sim_counting_drain(s->l2, s->countings, s->grid.used_sms, threads, link, s->peers.count ? &s->peers : NULL);
}

/* Plays the SMs' logged accesses into the shadow of global memory, which finds races between blocks. */
static haul_status play_accesses(sim_run *s, int threads) {
    s->accesses_since = 0;
    return s->watch ? sim_watch_play(s->watch, s->sms, s->grid.used_sms, threads) : HAUL_OK;
}

/* Bounds the next stretch so that a log with `bytes` for that many operations stays below `limit`. Returns whether
 * the log must be played first. */
static bool is_long(sim_run *s, uint64_t bytes, uint64_t operations, uint64_t limit) {
    const uint64_t half = limit / 2, most = half * operations / (bytes + 1);
    if (most < s->stretch) s->stretch = most > LEAST_STRETCH ? most : LEAST_STRETCH;
    return bytes >= half;
}

/* Between stretches: plays the logs that have grown long. `ran`: operations of each SM since the last call. */
static haul_status play_long_logs(sim_run *s, uint64_t ran, int threads) {
    uint64_t requests = 0, accesses = 0;
    /* A checked kernel may log more per instruction than it has so far: stores may follow loads. */
    s->stretch = s->watch && ran < EPOCH / 4 ? 4 * ran : EPOCH;
    if (!s->plan) return HAUL_OK;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) {
        requests += sim_counting_waiting(s->countings[i]) * sizeof(sim_log_entry);
        if (s->watch) accesses += sim_access_log_bytes(&s->sms[i].hazards->log);
    }
    if (is_long(s, requests, s->requests_since += ran, REQUEST_BYTES)) HAUL_TRY(play_requests(s, threads));
    if (is_long(s, accesses, s->accesses_since += ran, ACCESS_BYTES)) HAUL_TRY(play_accesses(s, threads));
    return HAUL_OK;
}

/* Runs all SMs as far as they can within an epoch, of about `expected` operations or more: launches with few warps may
 * have long loops. */
static haul_status run_epoch(sim_run *s, uint64_t expected, uint32_t *busy) {
    const uint64_t before = executed_by_all(s);
    int threads = threads_for(s, expected);
    if (threads < (int)s->threads && s->stretch > SHORT_STRETCH) s->stretch = SHORT_STRETCH;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) sim_sm_begin_epoch(&s->sms[i], s->sms[i].executed + EPOCH);
    *busy = 1;
    /* An epoch ends early if no SM can do anything useful, but never before its first stretch. */
    for (uint64_t left = EPOCH; left && *busy && !(left < EPOCH && all_rest(s));) {
        const uint64_t now = s->stretch < left ? s->stretch : left;
        left -= now;
        *busy = run_stretch(s, left, threads);
        if (threads == 1) threads = threads_for(s, executed_by_all(s) - before);
        if (left && *busy) HAUL_TRY(play_long_logs(s, now, threads));
    }
    if (has_stopped(s)) return report_fault(s);
    HAUL_TRY(play_requests(s, threads));
    return play_accesses(s, threads);
}

/* Returns whether warps did nothing but poll in this epoch, perhaps with clock reads. */
static bool only_polls(sim_run *s) {
    uint64_t happened = 0;
    bool polls = true;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) {
        happened += s->sms[i].changes - s->sms[i].ticks;
        polls = polls && sim_sm_polls(&s->sms[i]);
    }
    const bool is_quiet = happened == s->happened;
    s->happened = happened;
    return is_quiet && (polls || (s->cycle.quiet && all_rest(s)));
}

/* Returns whether that has gone on for several epochs. If warps wait for the host, the launch may pause. */
static bool polls_in_vain(sim_run *s) {
    s->vain_epochs = only_polls(s) ? s->vain_epochs + 1 : 0;
    return s->vain_epochs >= VAIN_EPOCHS;
}

/* Kernels of other devices may use what was published before this one does anything else; a check sees both orders. The
 * number of such pauses is limited, since each one costs an epoch. */
static bool has_published(sim_run *s) {
    const sim_node_launch *l = s->grid.node;
    if (!l || s->shown_often >= MOST_SHOWN) return false;
    const uint32_t now = sim_node_published(l->node, l->device), before = s->published;
    s->published = now;
    s->shown_often += before && now != before;
    return before && now != before;
}

/* Runs epochs until all blocks have ended or the launch pauses. */
static haul_status run_epochs(sim_run *s) {
    for (;;) {
        uint64_t before = executed_by_all(s);
        uint32_t busy;
        HAUL_TRY(run_epoch(s, s->next, &busy));
        if (busy == 0) return report_fault(s);
        bool ordered = run_ordered(s);
        if (has_stopped(s)) return report_fault(s);
        uint64_t now = executed_by_all(s);
        /* The next epoch is expected to be like this one; that decides its number of host threads. */
        s->next = now - before + REQUEST_OPERATIONS * s->requests;
        s->requests = 0;
        HAUL_TRY(check_limit(s, s->executed_before + now));
        /* If a path waited for the serial phase, it has run in that. */
        const bool stuck = !ordered && all_stuck(s);
        if (stuck && !revive(s)) return report_deadlock(s, "nothing can run");
        if (stuck) continue;
        const bool repeats = sim_cycle_found(&s->cycle, s->sms, s->grid.used_sms);
        s->waits = s->may_pause && (repeats || polls_in_vain(s));
        s->pauses += s->waits;
        s->paused = s->waits || (s->may_pause && has_published(s));
        if (s->paused) return s->grid.node ? play_accesses(s, 1) : HAUL_OK; /* other devices' follow */
        if (repeats) return report_deadlock(s, "what runs only goes round in loops, in which nothing changes");
    }
}

/* A launch that ends early is checked as far as it ran. */
static haul_status run_all(sim_run *s) {
    const haul_status ran = run_epochs(s);
    const haul_status played = ran == HAUL_OK ? HAUL_OK : play_accesses(s, 1);
    return played == HAUL_OK ? ran : played;
}

static haul_status write_printed(const sim_run *s, const sim_print_sink *sink) {
    const uint32_t n = s->grid.used_sms;
    const sim_print_log **logs = memory_zeroed(n, sizeof *logs);
    if (!logs)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has no memory for the kernel's printed text");
    for (uint32_t i = 0; i < n; i++) logs[i] = &s->sms[i].printed;
    haul_status status = sim_print_logs_write(logs, n, sink);
    memory_free(logs);
    return status;
}

static bool has_printed(const sim_run *s) {
    for (uint32_t i = 0; s->sms && i < s->grid.used_sms; i++)
        if (s->sms[i].printed.count) return true;
    return false;
}

/* Shows the progress at the end of the part. */
static void show_end(sim_run *s, bool well) {
    if (!s->shown.kernel) return; /* no display, or nothing has run */
    s->shown.ended = !well || s->grid.end_cluster == s->grid.clusters;
    s->shown.prints = has_printed(s);
    if (s->shown.ended || s->shown.prints) sim_show_progress(&s->shown);
}

/* Prints even if the kernel failed: its output may tell why. */
static haul_status run_and_print(sim_run *s, const sim_print_sink *sink) {
    haul_status ran = run_all(s);
    if (s->paused) return HAUL_OK;
    show_end(s, ran == HAUL_OK);
    if (ran != HAUL_OK) {
        char why[1024];
        snprintf(why, sizeof why, "%s", haul_message());
        (void)write_printed(s, sink);
        return haul_fail(ran, "%s", why);
    }
    return write_printed(s, sink);
}

/* ---- the record ---- */

/* Sums the waits that the SMs count themselves; the counters' share is added by sim_counting_work(). */
static sim_waits waits_of_all(const sim_run *s) {
    sim_waits sum = {0};
    for (uint32_t i = 0; i < s->grid.used_sms; i++) {
        sum.memory += s->sms[i].waits.memory;
        sum.staged += s->sms[i].waits.staged;
        sum.staged_groups += s->sms[i].waits.staged_groups;
        sum.barriers += s->sms[i].waits.barriers;
        sum.longest = fmax(sum.longest, s->sms[i].waits.longest);
        sum.operations += (double)s->sms[i].executed;
    }
    sum.link_read = (double)s->link.read;
    sum.link_written = (double)s->link.written;
    sum.peer_read = (double)sim_peer_lines_read(&s->peers);
    sum.peer_written = (double)sim_peer_lines_written(&s->peers);
    return sum;
}

static bool is_poll(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    return i->op == PTX_OP_LD && order != PTX_MOD_NONE && order != PTX_MOD_WEAK;
}

/* Leaves out loads of a strong order that warps have done while the launch waited: polls, whose time is that of the
 * flag's way. One for each pause is not. */
static void leave_out_polls(const sim_run *s, const haul_traffic *traffic, sim_waits *waits) {
    const ptx_function *f = s->launch.program->function;
    double polls = 0;
    if (!s->pauses) return;
    for (size_t i = 0; i < f->instruction_count; i++)
        polls += is_poll(&f->instructions[i]) ? (double)traffic[i].instructions : 0;
    const double idle = polls > 0 ? fmax(0, 1 - (double)s->pauses / polls) : 0;
    for (size_t b = 0; b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
            if (!is_poll(&f->instructions[i])) continue;
            const double runs = idle * (double)traffic[i].instructions;
            waits->memory = fmax(0, waits->memory - runs);
            waits->path = fmax(0, waits->path - runs * s->launch.program->costs[b].path);
            waits->fixed = fmax(0, waits->fixed - runs * s->launch.program->costs[b].fixed);
        }
}

/* Puts the findings of the SMs and those of the slices of global memory's shadow into the record. */
static haul_status record_findings(const sim_run *s, arena *memory, haul_launch_record *r) {
    const uint32_t n = s->grid.used_sms;
    const sim_findings **lists = ARENA_ARRAY(memory, n + SIM_WATCH_SLICES, const sim_findings *);
    for (uint32_t i = 0; i < n; i++) lists[i] = &s->sms[i].hazards->findings;
    for (uint32_t i = 0; i < SIM_WATCH_SLICES; i++) lists[n + i] = sim_watch_findings(s->watch, i);
    if (!sim_findings_record(lists, n + SIM_WATCH_SLICES, s->grid.warps, memory, r))
        return haul_no_memory("the record of the launch");
    r->checked = true;
    return HAUL_OK;
}

/* Returns whether the checks lacked host memory somewhere. Their findings are incomplete then, so the launch fails. */
static bool checks_failed(const sim_run *s) {
    bool failed = false;
    for (uint32_t i = 0; i < s->grid.used_sms; i++)
        if (s->sms[i].hazards) failed |= s->sms[i].hazards->failed || s->sms[i].hazards->findings.failed;
    return failed;
}

/* Estimates the time of an uncounted launch from all that is known of it: the number of operations and its waits. */
static void find_rough_time(const sim_run *s, const sim_launch *l, const haul_occupancy *occupancy,
                            sim_rough_time *rough) {
    static const double CYCLES_AN_OPERATION = 4;
    const uint64_t operations = executed_by_all(s);
    if (rough->operations == operations) return;
    haul_launch_record shape = {.occupancy = *occupancy};
    sim_waits waits = waits_of_all(s);
    waits.slots = (double)operations;
    waits.path = waits.slots * CYCLES_AN_OPERATION;
    memcpy(shape.grid, l->grid, sizeof shape.grid);
    memcpy(shape.block, l->block, sizeof shape.block);
    rough->operations = operations;
    rough->us = sim_estimate_us(l->machine, &shape, &waits);
    rough->load = sim_estimate_load(l->machine, &shape, &waits);
}

/* An uncounted launch has a record of its shape and its estimated time; each counter is -1. */
static void fill_uncounted(const sim_launch *l, arena *memory, haul_launch_record *r) {
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) r->counters[i] = -1;
    sim_record_shape(l, memory, r);
    sim_record_instructions(l->program, NULL, memory, r);
    r->estimate_us = l->rough ? l->rough->us : -1;
}

/* Scales the counts of a sample by clusters, so that they stand for the whole launch. */
static void scale_sample(const sim_grid *g, haul_traffic *traffic, haul_launch_record *r, sim_waits *waits) {
    const uint64_t counted = g->end_cluster - g->first_cluster;
    if (counted == g->clusters) return;
    const double scale = (double)g->clusters / (double)counted;
    sim_sample_scale_record(r, scale);
    sim_sample_scale_traffic(traffic, g->program->function->instruction_count, scale);
    sim_sample_scale_waits(waits, scale);
    r->sampled_blocks = counted * g->cluster_blocks;
}

/* Allocation failures of the arena jump here. */
static haul_status fill_record(sim_run *s, const sim_launch *l, arena *memory, haul_launch_record *r) {
    jmp_buf out_of_memory, *const outer = memory->out_of_memory;
    if (setjmp(out_of_memory)) {
        memory->out_of_memory = outer;
        return haul_no_memory("the record of the launch");
    }
    memory->out_of_memory = &out_of_memory;
    if (!s->plan) {
        fill_uncounted(l, memory, r);
        memory->out_of_memory = outer;
        return HAUL_OK;
    }
    haul_traffic *traffic = ARENA_ARRAY(memory, l->program->function->instruction_count + 1, haul_traffic);
    for (uint32_t i = 0; i < s->grid.used_sms; i++) sim_native_settle(s->sms[i].native);
    r->code = sim_code_fetch_of(l->machine, l->program->code_bytes, l->program->param_bytes, s->grid.used_sms);
    sim_counting_finish(s->l2, s->countings, s->grid.used_sms, r, traffic);
    sim_peer_lines_record(&s->peers, r);
    sim_record_shape(l, memory, r);
    sim_waits waits = waits_of_all(s);
    sim_counting_work(s->l2, s->countings, s->grid.used_sms, traffic, &waits);
    leave_out_polls(s, traffic, &waits);
    scale_sample(&s->grid, traffic, r, &waits);
    r->estimate_us = sim_estimate_us(l->machine, r, &waits);
    r->estimate = sim_estimate(l->machine, r, &waits);
    if (l->load) *l->load = sim_estimate_load(l->machine, r, &waits);
    sim_record_instructions(l->program, traffic, memory, r);
    sim_counting_record_samples(s->countings, s->grid.used_sms, memory, r);
    const haul_status status = l->check ? record_findings(s, memory, r) : HAUL_OK;
    memory->out_of_memory = outer;
    return status;
}

/* Merges the SMs' accesses beyond allocations, which are allowed where memory is mapped as on hardware. */
static void add_overruns(const sim_run *s, sim_overrun *all) {
    for (uint32_t i = 0; i < s->grid.used_sms; i++) {
        const sim_overrun *o = &s->sms[i].overrun;
        if (o->furthest.size) sim_overrun_add(all, &o->furthest, o->wrote);
    }
}

/* Ends the part. `record`: gets its counts as those of the whole launch; NULL: not wanted. Checked launches have a
 * record even if they failed, as their findings may explain the failure. */
static haul_status end_part(sim_run *s, haul_status status, haul_launch_record *record) {
    const sim_launch *l = &s->launch;
    if (status == HAUL_OK && checks_failed(s))
        status = haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for checks");
    if (status == HAUL_OK && l->uncounted && l->rough) find_rough_time(s, l, &s->occupancy, l->rough);
    if (record && s->is_set_up && (status == HAUL_OK || l->check)) {
        *record = (haul_launch_record){.occupancy = s->occupancy, .ended_by = status};
        haul_status filled = fill_record(s, l, s->memory, record);
        s->recorded = true;
        if (status == HAUL_OK) status = filled;
    }
    if (status == HAUL_OK && l->program->compiled) sim_compiled_ended(l->program->compiled, s->sms, s->grid.used_sms);
    if (s->is_set_up && l->overrun) add_overruns(s, l->overrun);
    if (s->watch && l->uses) sim_watch_uses(s->watch, l->uses);
    if (s->is_set_up) s->cause = cause_of(first_fault(s));
    if (s->is_set_up) s->executed_before += executed_by_all(s);
    tear_down_part(s, l, status == HAUL_OK);
    s->is_set_up = false;
    return status;
}

/* Runs the current part, or goes on with it after a pause, and ends it unless it pauses again. */
static haul_status run_part(sim_run *s) {
    const bool counted = s->part == s->counted_part;
    haul_launch_record *record = s->made ? s->made : s->record;
    haul_status status = HAUL_OK;
    if (!s->is_set_up) {
        status = set_up_part(s, &s->launch, &s->occupancy, &s->parts[s->part], counted && !s->launch.uncounted);
        s->is_set_up = status == HAUL_OK;
    }
    if (s->is_set_up)
        status = run_and_print(s, &s->launch.print);
    else
        show_end(s, false);
    return s->paused ? HAUL_OK : end_part(s, status, counted ? record : NULL);
}

/* Parts run in the order of their blocks, since blocks may wait for others with lower numbers. A sample's record is
 * kept apart until all parts have ended: a later part may fail. */
static haul_status choose_parts(sim_run *s) {
    const sim_cluster_range sample = sim_sample_of(&s->launch, &s->grid);
    s->sampled = sample.end - sample.first < s->grid.clusters;
    if (sample.first) s->parts[s->part_count++] = (sim_cluster_range){0, sample.first};
    s->counted_part = s->part_count;
    s->parts[s->part_count++] = sample;
    if (sample.end < s->grid.clusters) s->parts[s->part_count++] = (sim_cluster_range){sample.end, s->grid.clusters};
    if (!s->sampled || !s->record) return HAUL_OK;
    s->made = memory_zeroed(1, sizeof *s->made);
    return s->made ? HAUL_OK : haul_no_memory("the record of the launch");
}

static haul_status run_parts(sim_run *s) {
    for (; s->part < s->part_count; s->part++) {
        HAUL_TRY(run_part(s));
        if (s->paused) return HAUL_OK;
    }
    if (s->made) *s->record = *s->made;
    return HAUL_OK;
}

/* Fills in the caller's results besides the record, and frees the launch. Uncounted parts do not watch mapped host
 * memory, so they may have written it. */
static void finish(sim_run *s, haul_status status) {
    const sim_launch *l = &s->launch;
    if (s->recorded && (status == HAUL_OK || l->check)) s->record->host_seconds = s->host_seconds;
    const bool all_counted = !l->uncounted && !s->sampled;
    if (l->wrote_host && (s->link.written || (!all_counted && s->link.first_line))) *l->wrote_host = true;
    if (l->cause) *l->cause = s->cause;
    sim_launch_drop(s);
}

bool sim_launch_waits(const sim_run *s) {
    return s->waits;
}

uint64_t sim_launch_changes(const sim_run *s) {
    return s->happened;
}

void sim_launch_drop(sim_run *s) {
    if (!s) return;
    if (s->is_set_up) tear_down_part(s, &s->launch, false);
    memory_free(s->made);
    tear_down(s);
    memory_free(s);
}

/* Copies the launch, but not the data that it points to. After this, finish() reports and frees, on success and on
 * failure. */
haul_status sim_launch_begin(const sim_launch *l, arena *memory, haul_launch_record *record, sim_run **run) {
    haul_occupancy occupancy = {0};
    *run = NULL;
    HAUL_TRY(sim_launch_check(l, &occupancy));
    sim_run *s = memory_zeroed(1, sizeof *s);
    if (!s) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has no memory for it");
    s->launch = *l;
    s->occupancy = occupancy;
    s->memory = memory;
    s->record = record;
    haul_status status = set_up(s, &s->launch, &s->occupancy);
    if (status == HAUL_OK) status = choose_parts(s);
    if (status == HAUL_OK)
        *run = s;
    else
        finish(s, status);
    return status;
}

/* Memory may have been allocated, mapped or freed during the pause, and flags may have been written. */
static void forget_places(sim_run *s) {
    s->paused = false;
    s->vain_epochs = 0;
    for (uint32_t i = 0; s->is_set_up && i < s->grid.used_sms; i++) sim_sm_forget_places(&s->sms[i]);
}

/* Adds up the time before and after pauses. No launch returns while the compiler's library is being loaded: see
 * sim_jobs_await_library(). */
haul_status sim_launch_go_on(sim_run **run, bool may_pause) {
    sim_run *s = *run;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    s->may_pause = may_pause;
    if (s->paused) forget_places(s);
    const haul_status status = run_parts(s);
    clock_gettime(CLOCK_MONOTONIC, &end);
    s->host_seconds += (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    sim_jobs_await_library();
    if (s->paused) return HAUL_OK;
    finish(s, status);
    *run = NULL;
    return status;
}

haul_status sim_launch_run(const sim_launch *l, arena *memory, haul_launch_record *record) {
    sim_run *run;
    HAUL_TRY(sim_launch_begin(l, memory, record, &run));
    return sim_launch_go_on(&run, false);
}
