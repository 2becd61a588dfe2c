/* Runs a launch part by part: sets each up, runs its SMs in epochs, and makes the record.
 *
 * Checks of the launch's arguments are in limits.c, and starts of blocks in block_start.c. */
#include "base/memory.h"
#include "base/status.h"
#include "check/follow.h"
#include "check/internal.h"
#include "check/use_list.h"
#include "exec/grid.h"
#include "exec/run.h"
#include "jit/compiled.h"
#include "jit/jobs.h"

#include <stdio.h>
#include <time.h>

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
    const haul_status ran = sim_run_epochs(s);
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

static sim_cause cause_of(const sim_fault_record *f) {
    if (f && f->is_assertion) return SIM_CAUSE_ASSERTION;
    const bool is_misaligned = f && f->status == HAUL_ERROR_FAULT && f->kind == HAUL_FINDING_MISALIGNED;
    return is_misaligned ? SIM_CAUSE_MISALIGNED : SIM_CAUSE_OTHER;
}
/* Returns whether the checks lacked host memory somewhere. Their findings are incomplete then, so the launch fails. */
static bool checks_failed(const sim_run *s) {
    bool failed = false;
    for (uint32_t i = 0; i < s->grid.used_sms; i++)
        if (s->sms[i].hazards) failed |= s->sms[i].hazards->failed || s->sms[i].hazards->findings.failed;
    return failed || (s->launch.follower && sim_follower_failed(s->launch.follower));
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
    if (status == HAUL_OK && l->uncounted && l->rough) sim_run_find_rough_time(s, l->rough);
    if (record && s->is_set_up && (status == HAUL_OK || l->check)) {
        *record = (haul_launch_record){.occupancy = s->occupancy, .ended_by = status};
        haul_status filled = sim_run_record(s, record);
        s->recorded = true;
        if (status == HAUL_OK) status = filled;
    }
    if (status == HAUL_OK && l->program->compiled) sim_compiled_ended(l->program->compiled, s->sms, s->grid.used_sms);
    if (s->is_set_up && l->overrun) add_overruns(s, l->overrun);
    if (s->watch && l->uses) sim_watch_uses(s->watch, l->uses);
    if (l->follower && l->uses) sim_follower_uses(l->follower, l->uses);
    if (s->is_set_up) s->cause = cause_of(sim_run_first_fault(s));
    if (s->is_set_up) s->executed_before += sim_run_executed(s);
    sim_run_tear_down_part(s, status == HAUL_OK);
    s->is_set_up = false;
    return status;
}

/* Runs the current part, or goes on with it after a pause, and ends it unless it pauses again. */
static haul_status run_part(sim_run *s) {
    const bool counted = s->part == s->counted_part;
    haul_launch_record *record = s->made ? s->made : s->record;
    haul_status status = HAUL_OK;
    if (!s->is_set_up) {
        status = sim_run_set_up_part(s, &s->parts[s->part], counted && !s->launch.uncounted);
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
    if (s->is_set_up) sim_run_tear_down_part(s, false);
    memory_free(s->made);
    sim_run_tear_down(s);
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
    haul_status status = sim_run_set_up(s);
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
