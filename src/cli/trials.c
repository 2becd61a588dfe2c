/* Implements cli/trials.h: which schedules to try, and what their results mean. lib/launch/trials.h repeats the launch
 * from the same state and compares contents.
 *
 * Trial 0 is the launch under the usual schedule, or that of --schedule. Every other trial is compared with it, and
 * only its record and the difference are kept. A schedule is identified by its name, as --schedule takes it, so that
 * the report can say how to repeat it, and so that each is run only once even if several findings ask for it. After the
 * named orders come random ones, random:1, random:2 and so on: results do not depend on chance. */
#include "cli/trials.h"

#include "base/status.h"
#include "lib/device.h"

#include <stdio.h>
#include <string.h>

/* Schedules to try for an error, unless --schedules says otherwise. */
enum { USUAL_TRIES = 16 };

/* ---- names ---- */

/* The orders that are tried first: each leaves the usual one in one respect. */
static const char *const adversaries[] = {"reversed", "early", "late", "unfenced", "diverged", "swapped"};
enum { ADVERSARIES = sizeof adversaries / sizeof *adversaries };

/* Most schedules of a row below. Shorter rows end with NULL. */
enum { MOST_NAMED = 6 };

/* The orders that show a kind of finding best. Kinds without a row do not depend on an order, or end the launch. */
static const struct {
    haul_finding_kind kind;
    const char *schedules[MOST_NAMED];
} witnesses_of[] = {
    {HAUL_FINDING_RACE_SHARED, {"reversed", "diverged", "early", "reversed+diverged", "swapped", "reversed+early"}},
    {HAUL_FINDING_RACE_GLOBAL, {"reversed", "diverged", "early", "reversed+diverged", "late", "reversed+early"}},
    {HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, {"early", "late", "swapped", "reversed+early", "reversed+late", "reversed"}},
    {HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, {"early", "late", "swapped", "reversed+early", "reversed", "diverged"}},
    {HAUL_FINDING_MISSING_PROXY_FENCE, {"unfenced", "unfenced+early", "unfenced+reversed", "unfenced+late"}},
    {HAUL_FINDING_MISSING_COMMIT, {"early", "reversed", "swapped"}},
    {HAUL_FINDING_MATRIX_BEFORE_WAIT, {"early", "swapped", "reversed"}},
    {HAUL_FINDING_TENSOR_MEMORY_BEFORE_WAIT, {"early", "swapped", "reversed"}},
    {HAUL_FINDING_BARRIER_DIVERGENCE, {"reversed", "diverged", "reversed+diverged"}},
    {HAUL_FINDING_BARRIER_MISUSE, {"reversed", "diverged", "early"}},
    {HAUL_FINDING_MBARRIER_MISUSE, {"reversed", "early", "diverged", "reversed+early"}},
    {HAUL_FINDING_SHUFFLE_MASK, {"diverged", "reversed+diverged"}},
    {HAUL_FINDING_USE_AFTER_FREE, {"reversed", "early", "diverged"}},
    {HAUL_FINDING_UNINITIALISED_READ, {"dirty", "dirty+reversed"}},
};

/* Returns the schedules to try for a kind of finding; NULL if no order can show it. */
static const char *const *schedules_for(haul_finding_kind kind) {
    for (size_t i = 0; i < sizeof witnesses_of / sizeof *witnesses_of; i++)
        if (witnesses_of[i].kind == kind) return witnesses_of[i].schedules;
    return NULL;
}

static const char *random_name(cli_trials *t, size_t seed) {
    return arena_printf(&t->memory, "random:%zu", seed);
}

/* ---- runs ---- */

/* The items may move: earlier pointers to trials become invalid. NULL if there is no memory. */
static cli_trial *add_trial(cli_trials *t, const char *schedule) {
    if (t->count == t->capacity) {
        cli_trial *more = arena_grow(&t->memory, t->items, t->count, &t->capacity, sizeof *more);
        if (!more) return NULL;
        t->items = more;
    }
    cli_trial *new = &t->items[t->count++];
    *new = (cli_trial){.schedule = schedule};
    return new;
}

/* Returns the limit of operations for trials after the first. A kernel that ends under the usual schedule should end
 * under others soon; a trial that does not is inconclusive. The limit is a multiple of what the first trial executed,
 * with a minimum for short kernels. --limit can only lower it. */
static uint64_t limit_of(const cli_trials *t) {
    static const double FACTOR = 64, LEAST = 1 << 22;
    const double executed = t->items[0].run.record ? t->items[0].run.record->counters[HAUL_COUNTER_INST_EXECUTED] : 0;
    const uint64_t limit = (uint64_t)(FACTOR * executed + LEAST), own = t->values->limit;
    return own && own < limit ? own : limit;
}

/* How the report names the end of a launch that failed. */
static const char *ending_of(haul_status status) {
    switch (status) {
    case HAUL_ERROR_DEADLOCK: return "a deadlock";
    case HAUL_ERROR_TRAP: return "a trap";
    default: return "a fault";
    }
}

/* Compares the last trial with the first and fills in its difference. There is none if either did not finish: a first
 * run that failed leaves nothing to compare with. A trial that fails where the first did not differs by that alone. */
static void compare(cli_trials *t, cli_trial *trial) {
    const cli_trial *usual = &t->items[0];
    report_difference *d = &trial->difference;
    launch_difference words;
    *d = (report_difference){.usual = usual->schedule, .schedule = trial->schedule};
    trial->is_inconclusive = trial->run.status == HAUL_ERROR_TIMEOUT;
    if (trial == usual || trial->is_inconclusive || usual->run.status != HAUL_OK) return;
    if (trial->run.status != HAUL_OK) d->ending = ending_of(trial->run.status);
    trial->differs = d->ending || launch_contents_differ(&usual->run.contents, &trial->run.contents, &words);
    if (!trial->differs || d->ending) return;
    d->variable = words.piece->variable;
    d->argument = words.piece->argument;
    d->word = words.word;
    d->words = words.words;
    memcpy(d->values, words.values, sizeof d->values);
}

/* Runs a trial and compares it. Only the first trial prints, or the user would see the kernel's output once for each
 * schedule. Contents of later trials are freed at once, since only their difference is used. */
static haul_status run(cli_trials *t, const char *schedule) {
    haul_device_options options = cli_device_options(t->values);
    options.check = true;
    HAUL_TRY(device_read_schedule(schedule, &options));
    cli_trial *trial = add_trial(t, schedule);
    if (!trial) return haul_no_memory("the schedules");
    trial->has_own_findings = options.diverged || options.dirty;
    if (t->count > 1) options.instruction_limit = limit_of(t);
    cli_session_show_prints(t->session, t->count == 1);
    HAUL_TRY(launch_trials_run(&t->launches, &options, &trial->run));
    compare(t, trial);
    if (t->count > 1) launch_contents_free(&trial->run.contents);
    return HAUL_OK;
}

/* Returns the trial of the schedule; runs it unless that has been done. */
static haul_status run_once(cli_trials *t, const char *schedule, cli_trial **trial) {
    for (size_t i = 0; i < t->count; i++) {
        *trial = &t->items[i];
        if (strcmp(t->items[i].schedule, schedule) == 0) return HAUL_OK;
    }
    const haul_status status = run(t, schedule);
    *trial = &t->items[t->count - 1];
    return status;
}

haul_status cli_trials_begin(cli_trials *t, cli_session *s, const cli_values *v, launch_description *d) {
    t->session = s;
    t->values = v;
    HAUL_TRY(cli_session_find(s, d));
    HAUL_TRY(launch_trials_begin(&t->launches, s->device, s->used->module, d));
    HAUL_TRY(run(t, v->schedule ? v->schedule : "in-order"));
    const launch_trial *first = &t->items[0].run;
    return first->record && first->record->checked ? HAUL_OK : first->status;
}

/* Runs schedules until there are `count` trials: the adversaries, then random ones. A name that was run already (that
 * of --schedule) adds no trial, and the next takes its place. */
static haul_status run_schedules(cli_trials *t, size_t count) {
    cli_trial *trial;
    for (size_t i = 0; t->count < count; i++) {
        const char *name = i < ADVERSARIES ? adversaries[i] : random_name(t, i - ADVERSARIES + 1);
        HAUL_TRY(name ? run_once(t, name, &trial) : haul_no_memory("the schedules"));
    }
    return HAUL_OK;
}

/* ---- findings of all runs ---- */

/* Whether two accesses are the same instruction or the same source line. An action of 0 means that the finding has no
 * such access. */
static bool is_same_place(const haul_launch_record *r, const haul_finding_access *a, const haul_finding_access *b) {
    if (!a->action || !b->action) return a->action == b->action;
    if (a->instruction == b->instruction) return true;
    const haul_source_place *p = report_user_place(&r->instructions[a->instruction].place);
    const haul_source_place *q = report_user_place(&r->instructions[b->instruction].place);
    return p->file && q->file && p->line == q->line && strcmp(p->file, q->file) == 0;
}

/* Whether the record has a finding of that kind at the same place. Threads and addresses may differ: they depend on the
 * schedule. */
static bool has_finding(const haul_launch_record *r, const haul_finding *f) {
    for (size_t i = 0; i < r->finding_count; i++) {
        const haul_finding *known = &r->findings[i];
        if (known->kind == f->kind && is_same_place(r, &known->access, &f->access) &&
            is_same_place(r, &known->other, &f->other))
            return true;
    }
    return false;
}

/* Inserts behind the findings of the same grade, most serious first. The caller has made room. */
static void add_finding(haul_launch_record *r, const haul_finding *f) {
    size_t at = r->finding_count++;
    for (; at > 0 && r->findings[at - 1].grade > f->grade; at--) r->findings[at] = r->findings[at - 1];
    r->findings[at] = *f;
}

/* Makes the outcome's record: the first run's, with the findings of all trials, each once. Texts of findings that only
 * another schedule showed say which. Trials that may have findings of their own, and inconclusive ones, are left
 * out. */
static haul_status join_findings(cli_trials *t) {
    size_t most = 1;
    for (size_t i = 0; i < t->count; i++) most += t->items[i].run.record ? t->items[i].run.record->finding_count : 0;
    t->record = *t->items[0].run.record;
    t->record.finding_count = 0;
    t->record.findings = ARENA_ARRAY(&t->memory, most, haul_finding);
    if (!t->record.findings) return haul_no_memory("the findings");
    for (size_t i = 0; i < t->count; i++) {
        const haul_launch_record *r = t->items[i].run.record;
        const bool counts = !i || (!t->items[i].is_inconclusive && !t->items[i].has_own_findings);
        for (size_t k = 0; r && counts && k < r->finding_count; k++) {
            haul_finding f = r->findings[k];
            if (has_finding(&t->record, &f)) continue;
            if (i) f.what = arena_printf(&t->memory, "under --schedule %s: %s", t->items[i].schedule, f.what);
            if (!f.what) return haul_no_memory("the findings");
            add_finding(&t->record, &f);
        }
    }
    return HAUL_OK;
}

/* ---- results that differ ---- */

/* Instructions whose results legitimately depend on the order: names that begin with `name`, and that use `operand`. */
static const struct {
    const char *name, *operand, *what;
    haul_action action;
} explanations[] = {
    {"atom.", "", "the order of atomic operations", HAUL_ACTION_ATOMIC},
    {"red.", "", "the order of atomic operations", HAUL_ACTION_ATOMIC},
    {"cp.reduce.", "", "the order of atomic operations", HAUL_ACTION_ATOMIC},
    {"call", " malloc,", "the order of allocations", HAUL_ACTION_ALLOCATE},
    {"mov.", "%clock", "the time that the kernel reads", HAUL_ACTION_READ},
    {"mov.", "%globaltimer", "the time that the kernel reads", HAUL_ACTION_READ},
};
enum { EXPLANATIONS = sizeof explanations / sizeof *explanations };

/* Finds the first such instruction. Returns its explanation; NULL if there is none. */
static const char *explain(const haul_launch_record *r, haul_finding_access *access) {
    for (size_t i = 0; i < r->instruction_count; i++)
        for (size_t k = 0; k < EXPLANATIONS; k++) {
            const char *name = explanations[k].name;
            if (strncmp(r->instructions[i].mnemonic, name, strlen(name)) != 0) continue;
            if (!strstr(r->instructions[i].text, explanations[k].operand)) continue;
            *access = (haul_finding_access){.action = explanations[k].action, .instruction = i};
            return explanations[k].what;
        }
    return NULL;
}

/* Findings are sorted by grade, so the first one tells. */
static bool has_errors(const haul_launch_record *r) {
    return r->finding_count && r->findings[0].grade == HAUL_GRADE_ERROR;
}

/* A difference that nothing explains is a warning. One that other findings, or the order of atomics and the like,
 * explain is advice, so that kernels with sums of floating-point numbers pass. */
static haul_status report_difference_of(cli_trials *t, const cli_trial *trial) {
    haul_finding f = {.kind = HAUL_FINDING_SCHEDULE_DEPENDENT_RESULT, .grade = HAUL_GRADE_ADVICE};
    text what = {0};
    report_put_difference(&what, &trial->difference);
    const char *explained = has_errors(&t->record) ? NULL : explain(&t->record, &f.access);
    if (explained)
        text_printf(&what, "; %s, first in this line, may be the cause", explained);
    else if (has_errors(&t->record))
        text_put(&what, "; the launch's errors may be the cause");
    else
        f.grade = HAUL_GRADE_WARNING;
    f.what = arena_copy(&t->memory, text_string(&what), what.length);
    text_free(&what);
    if (!f.what) return haul_no_memory("the findings");
    add_finding(&t->record, &f);
    return HAUL_OK;
}

/* Reports the first trial that differs; one finding for the launch is enough. */
static haul_status compare_results(cli_trials *t) {
    for (size_t i = 1; i < t->count; i++) {
        if (!t->items[i].differs) continue;
        t->differs = true;
        return report_difference_of(t, &t->items[i]);
    }
    return HAUL_OK;
}

/* ---- witnesses ---- */

/* Runs the schedule for a witness, unless it has been run, and stores the difference if there is one. The usual
 * schedule is no try. */
static haul_status try_schedule(cli_trials *t, const char *schedule, report_witness *w) {
    cli_trial *trial = NULL;
    HAUL_TRY(schedule ? run_once(t, schedule, &trial) : haul_no_memory("the schedules"));
    if (!trial || trial == &t->items[0]) return HAUL_OK;
    w->tried++;
    if (!trial->differs) return HAUL_OK;
    report_difference *found = ARENA_ARRAY(&t->memory, 1, report_difference);
    if (!found) return haul_no_memory("the schedules");
    *found = trial->difference;
    w->found = found;
    return HAUL_OK;
}

/* First those that suit the kind, then random ones. */
static haul_status look_for_witness(cli_trials *t, haul_finding_kind kind, size_t most, report_witness *w) {
    const char *const *named = schedules_for(kind);
    for (size_t i = 0; named && i < MOST_NAMED && named[i] && w->tried < most && !w->found; i++)
        HAUL_TRY(try_schedule(t, named[i], w));
    for (size_t seed = 1; named && w->tried < most && !w->found; seed++)
        HAUL_TRY(try_schedule(t, random_name(t, seed), w));
    return HAUL_OK;
}

/* Looks for a witness of each error. A launch that fails under the usual schedule has none: nothing can be compared. */
static haul_status find_witnesses(cli_trials *t) {
    const size_t most = t->values->schedules ? t->values->schedules : USUAL_TRIES;
    t->witnesses = ARENA_ARRAY(&t->memory, t->record.finding_count + 1, report_witness);
    if (!t->witnesses) return haul_no_memory("the schedules");
    for (size_t i = 0; i < t->record.finding_count && t->items[0].run.status == HAUL_OK; i++) {
        const haul_finding *f = &t->record.findings[i];
        if (f->grade == HAUL_GRADE_ERROR) HAUL_TRY(look_for_witness(t, f->kind, most, &t->witnesses[i]));
    }
    return HAUL_OK;
}

/* Witnesses may run further schedules; `compared` counts those before. */
haul_status cli_trials_compare(cli_trials *t) {
    const size_t usual = t->values->schedules ? t->values->schedules : 1;
    HAUL_TRY(run_schedules(t, usual));
    const size_t compared = t->count;
    HAUL_TRY(join_findings(t));
    if (t->values->schedules) HAUL_TRY(compare_results(t));
    if (t->values->witness) HAUL_TRY(find_witnesses(t));
    t->compared = compared;
    return HAUL_OK;
}

haul_status cli_trials_end(cli_trials *t) {
    if (!t->session) return HAUL_OK;
    const haul_device_options options = {.check = true, .instruction_limit = t->values->limit};
    cli_session_show_prints(t->session, true);
    const haul_status status = launch_trials_end(&t->launches);
    device_set_schedule(t->session->device, &options);
    for (size_t i = 0; i < t->count; i++) launch_trial_free(&t->items[i].run);
    arena_free(&t->memory);
    *t = (cli_trials){0};
    return status;
}
