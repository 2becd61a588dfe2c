/* Runs the epochs of a part.
 *
 * - All SMs run EPOCH operations in parallel (sm.c). They change only their own state, memory whose order no other
 *   block can see, and logs.
 * - The logs are played in SM order: requests to L2 into the one L2 and, with checks on, accesses into the one shadow.
 * - In the serial phase, one SM after another executes the operations whose order other blocks can see.
 *
 * So neither the number of host threads nor their speed affects results, counters or findings, unless threads race for
 * a value. An epoch may be cut into stretches, between which long logs are played; SMs do not notice that. If nothing
 * can run after the serial phase, waits with a time limit end, then lanes leave their joins, and then the launch is a
 * deadlock. Kernels that run but can never end are found in cycle.c. */
#include "base/pool.h"
#include "base/status.h"
#include "check/internal.h"
#include "check/node.h"
#include "exec/run.h"

#include <stdatomic.h>
#include <string.h>

/* Operations that an SM runs in an epoch, after which all SMs synchronise. The epoch is long enough to make that cheap.
 * Logs rarely exceed these sizes in it; if they would, they are played in between. Accesses are replayed as fast from
 * short logs, and their arrays have grown in steps: what is held is a multiple of what is logged. */
enum {
    EPOCH = 1 << 16,
    LEAST_STRETCH = 1 << 10,
    FIRST_STRETCH = 1 << 12,
    SHORT_STRETCH = 1 << 9,
    REQUEST_BYTES = 32 << 20,
    ACCESS_BYTES = 3 << 20
};
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

void sim_run_begin_epochs(sim_run *s) {
    s->cycle = (sim_cycle){0};
    s->progress = s->requests = s->requests_since = s->accesses = s->most_accesses = 0;
    s->idle = s->vain_epochs = 0;
    memset(s->logged, 0, sizeof s->logged);
    s->next = s->expected;
    s->stretch = s->watch ? LEAST_STRETCH : FIRST_STRETCH; /* logs of accesses grow faster than those of requests */
}

uint64_t sim_run_executed(const sim_run *s) {
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
                              .operations = s->executed_before + sim_run_executed(s)};
}

/* The input of a stretch: the operations that it leaves of each SM's epoch, and the first SM that has not run. `busy`:
 * the number of SMs that still have work after it. */
typedef struct stretch {
    sim_run *run;
    uint64_t left;
    uint32_t first;
    atomic_uint busy;
} stretch;

static void run_sm(void *context, size_t i, unsigned worker) {
    stretch *l = context;
    sim_sm *sm = &l->run->sms[l->first + i];
    if (sim_sm_run(sm, sm->epoch_end - l->left)) atomic_fetch_add_explicit(&l->busy, 1, memory_order_relaxed);
    if (worker == 0) sim_show_progress(&l->run->shown); /* on the thread that launches */
}

const sim_fault_record *sim_run_first_fault(const sim_run *s) {
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
    const sim_fault_record *f = sim_run_first_fault(s);
    return f ? haul_fail(f->status, "%s", f->message) : HAUL_OK;
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
    s->accesses = 0;
    return s->watch ? sim_watch_play(s->watch, s->sms, s->grid.used_sms, threads) : HAUL_OK;
}

static uint64_t accesses_of(const sim_run *s, uint32_t first, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t i = first; s->watch && i < first + count; i++) bytes += sim_access_log_bytes(&s->sms[i].hazards->log);
    return bytes;
}

/* Gives the batch the arrays of the last one's logs if those have been played: they are large, and still in the host's
 * caches. */
static void hand_on_logs(sim_run *s, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; s->watch && i < count; i++) {
        sim_access_log *last = &s->sms[s->logged[i]].hazards->log, *now = &s->sms[first + i].hazards->log;
        if (!sim_access_log_bytes(last) && !sim_access_log_bytes(now)) {
            const sim_access_log kept = *now;
            *now = *last;
            *last = kept;
        }
        s->logged[i] = first + i;
    }
}

/* Returns the number of SMs that run together. Batches are about equal, so that the last one keeps all host threads
 * busy, too. */
static uint32_t batch_of(const sim_run *s) {
    const uint32_t sms = s->grid.used_sms, batches = s->watch ? (sms + SIM_RUN_BATCH - 1) / SIM_RUN_BATCH : 1;
    return (sms + batches - 1) / batches;
}

/* Runs each SM until `left` operations of its epoch are left, and sets *busy to the number of SMs that still have work.
 * With checks on, a batch of SMs follows another, and its log of accesses is played before the next one begins: an SM
 * runs for longer before that, so that its data stay in the host's caches, and all batches use the same arrays. */
static haul_status run_stretch(sim_run *s, uint64_t left, int threads, uint32_t *busy) {
    const uint32_t sms = s->grid.used_sms, batch = batch_of(s);
    stretch l = {.run = s, .left = left};
    for (; l.first < sms; l.first += batch) {
        const uint32_t count = sms - l.first < batch ? sms - l.first : batch;
        note_progress(s);
        hand_on_logs(s, l.first, count);
        const uint64_t before = accesses_of(s, l.first, count);
        pool_for(count, (unsigned)threads, run_sm, &l);
        const uint64_t logged = accesses_of(s, l.first, count) - before;
        if (logged > s->most_accesses) s->most_accesses = logged;
        s->accesses += logged;
        if (batch < sms || s->accesses >= ACCESS_BYTES / 2) HAUL_TRY(play_accesses(s, threads));
    }
    *busy = l.busy;
    return HAUL_OK;
}

/* Bounds the next stretch so that a log with `bytes` for that many operations stays below half of `limit`. */
static void bound_stretch(sim_run *s, uint64_t bytes, uint64_t operations, uint64_t limit) {
    const uint64_t most = limit / 2 * operations / (bytes + 1);
    if (most < s->stretch) s->stretch = most > LEAST_STRETCH ? most : LEAST_STRETCH;
}

/* Between stretches: chooses the length of the next one, and plays requests if their logs have grown long. `ran`:
 * operations of each SM in the last stretch. */
static haul_status end_stretch(sim_run *s, uint64_t ran, int threads) {
    uint64_t requests = 0;
    /* A checked kernel may log more per instruction than it has so far: stores may follow loads. */
    s->stretch = s->watch && ran < EPOCH / 4 ? 4 * ran : EPOCH;
    bound_stretch(s, s->most_accesses, ran, ACCESS_BYTES);
    s->most_accesses = 0;
    if (!s->plan) return HAUL_OK;
    for (uint32_t i = 0; i < s->grid.used_sms; i++)
        requests += sim_counting_waiting(s->countings[i]) * sizeof(sim_log_entry);
    bound_stretch(s, requests, s->requests_since += ran, REQUEST_BYTES);
    return requests >= REQUEST_BYTES / 2 ? play_requests(s, threads) : HAUL_OK;
}

/* Runs all SMs as far as they can within an epoch, of about `expected` operations or more: launches with few warps may
 * have long loops. */
static haul_status run_epoch(sim_run *s, uint64_t expected, uint32_t *busy) {
    const uint64_t before = sim_run_executed(s);
    int threads = sim_run_threads(s, expected);
    if (!sim_run_is_worth_sharing(expected) && s->stretch > SHORT_STRETCH) s->stretch = SHORT_STRETCH;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) sim_sm_begin_epoch(&s->sms[i], s->sms[i].executed + EPOCH);
    *busy = 1;
    /* An epoch ends early if no SM can do anything useful, but never before its first stretch. */
    for (uint64_t left = EPOCH; left && *busy && !(left < EPOCH && all_rest(s));) {
        const uint64_t now = s->stretch < left ? s->stretch : left;
        left -= now;
        HAUL_TRY(run_stretch(s, left, threads, busy));
        if (threads == 1) threads = sim_run_threads(s, sim_run_executed(s) - before);
        if (left && *busy) HAUL_TRY(end_stretch(s, now, threads));
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

/* A kernel that reads a clock, or sleeps longer each time as libcu++'s waits do, never returns to an earlier state. If
 * all SMs only poll, and nobody else can make a change, its clocks are advanced by leaps that double, so that its own
 * timeouts come soon. Returns whether even days of that have changed nothing. `now`: operations executed. */
static bool waits_for_ever(sim_run *s, uint64_t now) {
    enum { MOST_OPERATIONS = 1 << 22, BEFORE_LEAPS = MOST_OPERATIONS / 4 }; /* of an SM */
    const uint64_t first = UINT64_C(1) << 20, last = UINT64_C(1) << 50;
    if (s->may_pause || !polls_in_vain(s)) {
        s->vain_since = now;
        s->leap = 0;
        return false;
    }
    const uint64_t polled = (now - s->vain_since) / s->grid.used_sms;
    if (polled < BEFORE_LEAPS) return false;
    if (s->leap == last) return polled >= MOST_OPERATIONS;
    s->leap = s->leap ? 2 * s->leap : first;
    for (uint32_t i = 0; i < s->grid.used_sms; i++) s->sms[i].waited += s->leap;
    return false;
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
static haul_status run_until_pause(sim_run *s) {
    for (;;) {
        uint64_t before = sim_run_executed(s);
        uint32_t busy;
        HAUL_TRY(run_epoch(s, s->next, &busy));
        if (busy == 0) return report_fault(s);
        bool ordered = run_ordered(s);
        if (has_stopped(s)) return report_fault(s);
        uint64_t now = sim_run_executed(s);
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
        if (repeats || waits_for_ever(s, now))
            return report_deadlock(s, "what runs only goes round in loops, in which nothing changes");
    }
}

/* A launch that ends early is checked as far as it ran. */
haul_status sim_run_epochs(sim_run *s) {
    const haul_status ran = run_until_pause(s);
    const haul_status played = ran == HAUL_OK ? HAUL_OK : play_accesses(s, 1);
    return played == HAUL_OK ? ran : played;
}
