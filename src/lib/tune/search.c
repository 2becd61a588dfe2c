/* tune_search(): chooses which variants to try, and in which order.
 *
 * Variants are tried in batches, of which each step filters: tune_check() before compiling, haul_diagnose()'s estimate
 * against the best one, the compiler, the comparison with the reference. The remaining variants are timed together with
 * the base, in the same rounds, so gains of different batches can be compared: each is relative to the base. The base
 * is the start, or the first variant that runs. With few combinations all are tried; else the search descends along one
 * parameter after another until a whole round changes nothing. At the end the best ones are timed again, longer, after
 * their results at full size were checked. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/tune/internal.h"

#include <stdio.h>
#include <string.h>

/* FEW: combinations that are all tried; BATCH: variants compiled and timed together */
enum { FEW = 64, BATCH = 12, FINALISTS = 4, ROUNDS = 15, FINAL_ROUNDS = 41, SECONDS = 120 };

/* Variants below the first share of the best estimate are not tried; a variant must be faster than the start by the
 * second factor to replace it. */
static const double worth_trying = 0.6, worth_changing = 1.003;

const char *const tune_outcome_names[TUNE_OUTCOMES] = {"not tried",    "timed",  "refused", "pruned",
                                                       "not compiled", "failed", "wrong"};

const char *tune_value(const tune_problem *p, const tune_variant *v, size_t parameter) {
    return p->parameters[parameter].values[v->choice[parameter]];
}

/* Whether the time for the search is over; notes it in the result. A batch that has begun is finished. */
static haul_status ask_time(tuner *t, bool *is_up) {
    const double seconds = t->options->seconds > 0 ? t->options->seconds : SECONDS;
    *is_up = clock_seconds() - t->began >= seconds;
    return tune_agree_on_time(t, is_up);
}

/* Sets the outcome and the reason, its first line: later lines may name temporary files. */
void tune_reject(tuner *t, tune_variant *v, tune_outcome outcome, const char *why) {
    v->outcome = outcome;
    v->why = arena_copy(&t->result->memory, why, strcspn(why, "\n"));
}

/* ---- variants ---- */

/* NULL if the choice has no variant yet. */
static tune_variant *find_variant(tune_result *r, const tune_problem *p, const uint16_t *choice) {
    for (size_t i = 0; i < r->count; i++)
        if (memcmp(r->variants[i].choice, choice, p->parameter_count * sizeof *choice) == 0) return &r->variants[i];
    return NULL;
}

/* The variant of that choice; NULL if there is no room for one more. */
static tune_variant *variant_of(tuner *t, const uint16_t choice[TUNE_MOST_PARAMETERS]) {
    tune_result *r = t->result;
    tune_variant *v = find_variant(r, t->problem, choice);
    if (v || r->count == r->capacity) return v;
    v = &r->variants[r->count++];
    memcpy(v->choice, choice, sizeof v->choice);
    return v;
}

/* Counts up like an odometer; false at the end. */
static bool next_choice(const tune_problem *p, uint16_t choice[TUNE_MOST_PARAMETERS]) {
    for (size_t i = p->parameter_count; i-- > 0;) {
        if (++choice[i] < p->parameters[i].value_count) return true;
        choice[i] = 0;
    }
    return false;
}

/* SIZE_MAX if there are more than that. */
static size_t count_combinations(const tune_problem *p) {
    size_t count = 1;
    for (size_t i = 0; i < p->parameter_count; i++)
        if (__builtin_mul_overflow(count, p->parameters[i].value_count, &count)) return SIZE_MAX;
    return count;
}

/* ---- a batch: checked, compiled, verified, timed ---- */

/* Frees what the job has; all zero is a valid job. */
static void end_job(tune_job *job) {
    text_free(&job->ptx);
    haul_module_unload(job->module);
    *job = (tune_job){0};
}

/* Checks a variant and raises the best estimate. */
static haul_status check_one(tuner *t, tune_variant *v) {
    HAUL_TRY(tune_check(t, v));
    if (v->outcome == TUNE_PENDING && v->share > t->best_share) t->best_share = v->share;
    return HAUL_OK;
}

/* Rejects a variant whose estimate is far below the best one so far. */
static void prune(tuner *t, tune_variant *v) {
    if (v->outcome == TUNE_PENDING && v->share < worth_trying * t->best_share)
        tune_reject(t, v, TUNE_PRUNED, "by estimate far from the best: see haul diagnose");
}

/* Compiles and verifies. Jobs that pass come first, `*passed` of them; the others are freed. */
static haul_status prepare(tuner *t, tune_job *jobs, size_t count, tune_data *data, size_t *passed) {
    haul_status status = tune_compile(t, jobs, count);
    *passed = 0;
    for (size_t i = 0; i < count; i++) {
        if (status == HAUL_OK && jobs[i].status != HAUL_OK)
            tune_reject(t, jobs[i].variant, TUNE_UNCOMPILED, jobs[i].message);
        else if (status == HAUL_OK)
            status = tune_verify(t, &jobs[i], data);
        if (status != HAUL_OK || jobs[i].variant->outcome != TUNE_PENDING) {
            end_job(&jobs[i]);
            continue;
        }
        const tune_job job = jobs[i];
        jobs[i] = (tune_job){0};
        jobs[(*passed)++] = job;
    }
    return status;
}

/* Times the jobs from jobs[1] on with the base in jobs[0], and ends them. If there is no base yet, the first job
 * becomes it and stays loaded. */
static haul_status time_all(tuner *t, tune_job *jobs, size_t count, unsigned rounds) {
    if (count == 0) return HAUL_OK;
    if (!t->has_base) {
        t->base = jobs[1];
        t->has_base = true;
        jobs[1] = jobs[count];
        jobs[count--] = (tune_job){0};
    }
    jobs[0] = t->base;
    haul_status status = tune_time(t, jobs, count + 1, rounds);
    for (size_t i = 1; i <= count; i++) end_job(&jobs[i]);
    return status;
}

/* Compiles, verifies and times this rank's part of the variants; all ranks then have the results of all. */
static haul_status run_pending(tuner *t, tune_variant **variants, size_t count, tune_data *data, unsigned rounds) {
    tune_job jobs[BATCH + 1] = {{0}};
    size_t n = 0, passed = 0;
    const bool had_base = t->has_base;
    for (size_t i = 0; i < count; i++)
        if (tune_is_own(t, i)) jobs[1 + n++].variant = variants[i];
    haul_status status = prepare(t, jobs + 1, n, data, &passed);
    if (status == HAUL_OK)
        status = time_all(t, jobs, passed, rounds);
    else
        for (size_t i = 1; i <= passed; i++) end_job(&jobs[i]);
    return tune_share(t, variants, count, had_base, status);
}

/* Runs one batch through all filters. */
static haul_status run_batch(tuner *t, tune_variant **variants, size_t count) {
    tune_variant *pending[BATCH];
    size_t n = 0;
    const unsigned rounds = t->options->rounds ? t->options->rounds : ROUNDS;
    for (size_t i = 0; i < count; i++) {
        HAUL_TRY(check_one(t, variants[i]));
        prune(t, variants[i]);
        if (variants[i]->outcome == TUNE_PENDING) pending[n++] = variants[i];
    }
    return run_pending(t, pending, n, &t->check, rounds);
}

/* Tries the variants that have not been tried yet, batch by batch, until time is up. */
static haul_status run_variants(tuner *t, tune_variant **variants, size_t count) {
    tune_variant *batch[BATCH];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (variants[i]->outcome == TUNE_PENDING) batch[n++] = variants[i];
        if (n < BATCH && i + 1 < count) continue;
        bool is_up = false;
        if (n) HAUL_TRY(ask_time(t, &is_up));
        if (is_up) return HAUL_OK;
        if (n) HAUL_TRY(run_batch(t, batch, n));
        n = 0;
    }
    return HAUL_OK;
}

/* ---- searches ---- */

/* All are checked before the first is compiled: the last ones may be the best by estimate. */
static haul_status search_everything(tuner *t) {
    uint16_t choice[TUNE_MOST_PARAMETERS] = {0};
    tune_result *r = t->result;
    do variant_of(t, choice);
    while (next_choice(t->problem, choice));
    tune_variant **all = ARENA_ARRAY(&r->memory, r->count, tune_variant *);
    if (!all) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "tune: no memory");
    for (size_t i = 0; i < r->count; i++) {
        all[i] = &r->variants[i];
        HAUL_TRY(check_one(t, all[i])); /* the last ones may be the best by estimate */
    }
    HAUL_TRY(run_variants(t, all, r->count));
    r->exhaustive = !r->out_of_time;
    return HAUL_OK;
}

/* Whether `a` was timed and has a greater gain than `b`, which may be NULL. */
static bool is_better(const tune_variant *a, const tune_variant *b) {
    return a->outcome == TUNE_TIMED && (!b || b->outcome != TUNE_TIMED || a->gain > b->gain);
}

/* Tries every value of one parameter, the others as in `*current`, which becomes the best of them. */
static haul_status walk_along(tuner *t, size_t parameter, tune_variant **current) {
    tune_variant *line[TUNE_MOST_VALUES];
    size_t count = 0;
    for (size_t i = 0; i < t->problem->parameters[parameter].value_count; i++) {
        uint16_t choice[TUNE_MOST_PARAMETERS];
        memcpy(choice, (*current)->choice, sizeof choice);
        choice[parameter] = (uint16_t)i;
        tune_variant *v = variant_of(t, choice);
        if (v) line[count++] = v;
    }
    HAUL_TRY(run_variants(t, line, count));
    for (size_t i = 0; i < count; i++)
        if (is_better(line[i], *current)) *current = line[i];
    return HAUL_OK;
}

/* Coordinate descent. It may end in a local optimum; --exhaustive tries everything. */
static haul_status descend(tuner *t, tune_variant *start) {
    tune_variant *current = start, *before;
    do {
        before = current;
        for (size_t i = 0; i < t->problem->parameter_count; i++) HAUL_TRY(walk_along(t, i, &current));
    } while (current != before && !t->result->out_of_time);
    return HAUL_OK;
}

/* ---- the winner ---- */

/* Lists the best variants; the base takes part in any case. Returns how many. */
static size_t choose_finalists(const tuner *t, tune_variant **finalists, size_t most) {
    size_t count = 0;
    for (; count < most; count++) {
        tune_variant *best = NULL;
        for (size_t i = 0; i < t->result->count; i++) {
            tune_variant *v = &t->result->variants[i];
            bool taken = v == t->base.variant;
            for (size_t k = 0; k < count; k++) taken |= finalists[k] == v;
            if (!taken && is_better(v, best)) best = v;
        }
        if (!best) break;
        finalists[count] = best;
    }
    return count;
}

/* Times finalists again, longer, on results that were compared with the reference's at full size. */
static haul_status run_finals(tuner *t) {
    tune_variant *finalists[FINALISTS];
    const size_t count = choose_finalists(t, finalists, FINALISTS);
    for (size_t i = 0; i < count; i++) finalists[i]->outcome = TUNE_PENDING;
    return run_pending(t, finalists, count, tune_timed_data(t), FINAL_ROUNDS);
}

/* The base stays the best unless another is faster by more than noise, in the first quartile of the rounds as well. */
static void choose_best(tuner *t) {
    tune_result *r = t->result;
    const tune_variant *base = t->base.variant;
    r->best = base;
    for (size_t i = 0; i < r->count; i++)
        if (is_better(&r->variants[i], r->best)) r->best = &r->variants[i];
    if (r->best->gain < worth_changing || r->best->least < 1) r->best = base;
    r->start = r->start && r->start->outcome == TUNE_TIMED ? r->start : NULL;
}

/* ---- the search ---- */

static haul_status nothing_ran(const tuner *t) {
    const tune_variant *v = &t->result->variants[0];
    const char *why = v->why ? v->why : "time was up before it was tried";
    char message[512];
    snprintf(message, sizeof message, "%s", why);
    return haul_fail(HAUL_ERROR_NOT_FOUND, "%s: none of %zu variants could be timed; the first: %s: %s",
                     t->problem->name, t->result->count, tune_outcome_names[v->outcome], message);
}

static haul_status check_problem(const tuner *t) {
    const tune_problem *p = t->problem;
    if (!p->parameter_count || t->result->combinations < 2)
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "%s: nothing to tune: give a parameter two values or more, as in --try "
                         "THREADS=128,256",
                         p->name);
    if (t->options->exhaustive && t->result->combinations > TUNE_MOST_VARIANTS)
        return haul_fail(HAUL_ERROR_LIMIT, "%s: more than %d combinations: leave --exhaustive out", p->name,
                         TUNE_MOST_VARIANTS);
    return HAUL_OK;
}

static haul_status find_start(tuner *t, tune_variant **start) {
    uint16_t choice[TUNE_MOST_PARAMETERS] = {0};
    tune_result *r = t->result;
    r->capacity = r->combinations < TUNE_MOST_VARIANTS ? r->combinations : TUNE_MOST_VARIANTS;
    r->variants = ARENA_ARRAY(&r->memory, r->capacity, tune_variant);
    if (!r->variants) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "tune: no memory");
    for (size_t i = 0; i < t->problem->parameter_count; i++) choice[i] = (uint16_t)t->problem->parameters[i].start;
    *start = variant_of(t, choice);
    r->start = *start;
    return run_variants(t, start, 1);
}

static haul_status search(tuner *t) {
    tune_variant *start = NULL;
    HAUL_TRY(check_problem(t));
    HAUL_TRY(tune_data_open(t, &t->check, t->problem->check_size, t->problem->size == t->problem->check_size));
    if (tune_timed_data(t) != &t->check) HAUL_TRY(tune_data_open(t, &t->timed, t->problem->size, true));
    HAUL_TRY(find_start(t, &start));
    HAUL_TRY(t->options->exhaustive || t->result->combinations <= FEW ? search_everything(t) : descend(t, start));
    if (!t->has_base) return nothing_ran(t);
    HAUL_TRY(run_finals(t));
    choose_best(t);
    return HAUL_OK;
}

haul_status tune_search(haul_device *device, const tune_problem *problem, const tune_options *options,
                        tune_result *result) {
    tuner t = {.device = device, .problem = problem, .options = options, .result = result, .began = clock_seconds()};
    *result = (tune_result){.combinations = count_combinations(problem)};
    snprintf(t.architecture, sizeof t.architecture, "sm_%u", haul_device_architecture(device));
    haul_status status = search(&t);
    end_job(&t.base);
    tune_data_close(&t.check);
    tune_data_close(&t.timed);
    result->seconds = clock_seconds() - t.began;
    return status;
}

void tune_result_free(tune_result *result) {
    arena_free(&result->memory);
    *result = (tune_result){0};
}

/* ---- parameters from the command line ---- */

haul_status tune_parse_parameter(arena *memory, const char *string, tune_parameter *p) {
    const char *equals = strchr(string, '=');
    *p = (tune_parameter){0};
    char *copy = arena_copy(memory, string, strlen(string));
    if (!copy) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "tune: no memory");
    if (!equals || equals == string || !equals[1])
        return haul_fail(HAUL_ERROR_ARGUMENT, "--try %s: write NAME=VALUE,VALUE,...", string);
    copy[equals - string] = '\0';
    p->name = copy;
    for (char *value = copy + (equals - string) + 1; value;) {
        char *comma = strchr(value, ',');
        if (comma) *comma++ = '\0';
        if (!*value) return haul_fail(HAUL_ERROR_ARGUMENT, "--try %s: a value is missing", string);
        if (p->value_count == TUNE_MOST_VALUES)
            return haul_fail(HAUL_ERROR_LIMIT, "--try %s: more than %d values", p->name, TUNE_MOST_VALUES);
        p->values[p->value_count++] = value;
        value = comma;
    }
    return HAUL_OK;
}
