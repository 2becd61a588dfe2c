/* Runs variants on the device: compares results with the reference's, and measures times.
 *
 * Buffers are made once for all variants, from formulas that may use only SIZE; scalars may depend on the variant and
 * are set before each launch. Results are compared by the hashes of all buffers, at a small size (check_size) that
 * leaves tails. Times come from the full size, with as many sets of buffers as timing needs. If both sizes are equal,
 * one set of data serves both. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "lib/kernel_name.h"
#include "lib/timing.h"
#include "lib/tune/internal.h"

#include <string.h>

/* ---- data ---- */

/* Other arguments are scalars. */
static bool is_buffer(const char *argument) {
    return strncmp(argument, "buf:", 4) == 0;
}

/* Scalars are zeros at first: they may depend on the variant. */
static haul_status parse_buffers(tuner *t, tune_data *data) {
    const tune_problem *p = t->problem;
    const tune_names names = tune_names_of(t, NULL, data->size);
    data->arguments = ARENA_ARRAY(&data->list.memory, p->argument_count, launch_argument);
    data->wanted = ARENA_ARRAY(&data->list.memory, p->argument_count, uint64_t);
    if (!data->arguments || !data->wanted) return haul_no_memory("tune's variants");
    for (size_t i = 0; i < p->argument_count; i++) {
        const char *expanded;
        if (!is_buffer(p->arguments[i])) continue;
        HAUL_TRY(tune_expand(&data->list.memory, p->arguments[i], &names, &expanded));
        HAUL_TRY(launch_parse_argument(&data->list, expanded, &data->arguments[i]));
    }
    return HAUL_OK;
}

/* Bytes of one set of buffers. */
static uint64_t bytes_of(const tuner *t, const tune_data *data) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->problem->argument_count; i++) bytes += data->arguments[i].words * 4;
    return bytes;
}

/* Data for verification only needs one set. */
haul_status tune_data_open(tuner *t, tune_data *data, int64_t size, bool timed) {
    data->size = size;
    HAUL_TRY(parse_buffers(t, data));
    data->set_count = timed ? timing_sets(t->device, bytes_of(t, data)) : 1;
    data->sets = ARENA_ARRAY(&data->list.memory, data->set_count, launch_workspace);
    if (!data->sets) return haul_no_memory("tune's variants");
    for (size_t i = 0; i < data->set_count; i++)
        HAUL_TRY(launch_workspace_start(t->device, NULL, data->arguments, t->problem->argument_count, &data->sets[i]));
    return HAUL_OK;
}

void tune_data_close(tune_data *data) {
    for (size_t i = 0; data->sets && i < data->set_count; i++) launch_workspace_end(&data->sets[i]);
    launch_list_free(&data->list);
    *data = (tune_data){0};
}

tune_data *tune_timed_data(tuner *t) {
    return t->problem->size == t->problem->check_size ? &t->check : &t->timed;
}

/* ---- launches ---- */

/* Sets this variant's scalars in the workspace's argument list. */
static haul_status set_scalars(tuner *t, const tune_variant *v, const tune_data *data, launch_workspace *w) {
    const tune_names names = tune_names_of(t, v, data->size);
    haul_status status = HAUL_OK;
    launch_list scratch = {0};
    for (size_t i = 0; status == HAUL_OK && i < t->problem->argument_count; i++) {
        const char *expanded;
        launch_argument a;
        if (is_buffer(t->problem->arguments[i])) continue;
        status = tune_expand(&scratch.memory, t->problem->arguments[i], &names, &expanded);
        if (status == HAUL_OK) status = launch_parse_argument(&scratch, expanded, &a);
        if (status == HAUL_OK && !a.scalar)
            status = haul_fail(HAUL_ERROR_ARGUMENT, "--arg %s: must be a number or a buffer", expanded);
        if (status == HAUL_OK) w->arguments[i] = (haul_argument){.kind = a.kind, .integer = a.integer, .real = a.real};
    }
    launch_list_free(&scratch);
    return status;
}

/* The reference may be another kernel of the same file. */
static haul_status find_symbols(const tuner *t, tune_job *job) {
    const char *reference = t->problem->reference.kernel;
    HAUL_TRY(haul_module_find_kernel(job->module, t->problem->launch.kernel, &job->kernel));
    return reference ? haul_module_find_kernel(job->module, reference, &job->reference) : HAUL_OK;
}

const char *tune_symbol(const tuner *t, const tune_job *job, const tune_launch *l) {
    return l == &t->problem->reference ? job->reference : job->kernel;
}

/* Launches the variant, or the reference, with this shape. */
static haul_status launch(const tuner *t, const tune_job *job, const tune_launch *l, const tune_shape *s,
                          const launch_workspace *w) {
    haul_launch launch = {.kernel = tune_symbol(t, job, l),
                          .shared_bytes = s->shared,
                          .arguments = w->arguments,
                          .argument_count = l->argument_count ? l->argument_count : t->problem->argument_count};
    memcpy(launch.grid, s->grid, sizeof launch.grid);
    memcpy(launch.block, s->block, sizeof launch.block);
    bool opted_in;
    HAUL_TRY(module_opt_in(job->module, &launch, &opted_in));
    return haul_launch_run(job->module, &launch, NULL);
}

/* Evaluates block, shared memory and grid for the size. */
static haul_status find_shape(const tuner *t, const tune_job *job, const tune_launch *l, int64_t size, tune_shape *s) {
    tune_names names = tune_names_of(t, job->variant, size);
    HAUL_TRY(tune_shape_block(l, &names, s));
    return tune_shape_grid(t, job, l, &names, s);
}

/* Launches once on data as at the beginning, and hashes the results into data->arguments. */
static haul_status run_fresh(tuner *t, const tune_job *job, const tune_launch *l, tune_data *data) {
    tune_shape shape;
    launch_workspace *w = &data->sets[0];
    HAUL_TRY(find_shape(t, job, l, data->size, &shape));
    HAUL_TRY(launch_workspace_refill(w, data->arguments));
    HAUL_TRY(set_scalars(t, job->variant, data, w));
    HAUL_TRY(launch(t, job, l, &shape, w));
    return launch_workspace_take(w, data->arguments);
}

/* ---- verifying ---- */

/* Runs the reference in this job's module, or the variant itself if there is no reference kernel; its hashes are then
 * what all others must have. */
static haul_status run_reference(tuner *t, const tune_job *job, tune_data *data) {
    const tune_launch *l = t->problem->reference.kernel ? &t->problem->reference : &t->problem->launch;
    HAUL_TRY(run_fresh(t, job, l, data));
    for (size_t i = 0; i < t->problem->argument_count; i++) data->wanted[i] = data->arguments[i].hash;
    data->known = true;
    return HAUL_OK;
}

static bool as_wanted(const tuner *t, const tune_data *data) {
    for (size_t i = 0; i < t->problem->argument_count; i++)
        if (data->arguments[i].hash != data->wanted[i]) return false;
    return true;
}

/* Runs the variant and compares. The first one also runs the reference. */
static haul_status hold(tuner *t, tune_job *job, tune_data *data, bool *right) {
    if (!data->known) HAUL_TRY(run_reference(t, job, data));
    HAUL_TRY(run_fresh(t, job, &t->problem->launch, data));
    *right = as_wanted(t, data);
    return HAUL_OK;
}

/* Whether the device is lost for the search: after a fault a GPU's context is unusable, and whatever comes next fails
 * as well. */
static bool is_lost(haul_status status) {
    return status == HAUL_ERROR_FAULT || status == HAUL_ERROR_TIMEOUT || status == HAUL_ERROR_TRAP;
}

/* A variant that fails is rejected, and the search goes on. Only a lack of memory, or a lost GPU, ends it. */
haul_status tune_verify(tuner *t, tune_job *job, tune_data *data) {
    bool right = false;
    haul_status status = HAUL_OK;
    if (!job->module)
        status = haul_module_load(t->device, t->problem->source, text_string(&job->ptx), job->ptx.length, &job->module);
    if (status == HAUL_OK) status = find_symbols(t, job);
    if (status == HAUL_OK) status = find_shape(t, job, &t->problem->launch, t->problem->size, &job->shape);
    if (status == HAUL_OK) status = hold(t, job, data, &right);
    if (status == HAUL_ERROR_OUT_OF_MEMORY) return status;
    if (status != HAUL_OK) tune_reject(t, job->variant, TUNE_FAILED, haul_message());
    if (status == HAUL_OK && !right)
        tune_reject(t, job->variant, TUNE_WRONG, "its results differ from the reference's");
    return is_lost(status) && !haul_device_is_virtual(t->device) ? status : HAUL_OK;
}

/* ---- timing ---- */

typedef struct timed_job {
    tuner *tuner;
    tune_job *job;
} timed_job;

/* The variant as lib/timing.h calls it. */
static haul_status queue(void *context, unsigned set) {
    const timed_job *w = context;
    tune_data *data = tune_timed_data(w->tuner);
    launch_workspace *workspace = &data->sets[set];
    HAUL_TRY(set_scalars(w->tuner, w->job->variant, data, workspace));
    return launch(w->tuner, w->job, &w->tuner->problem->launch, &w->job->shape, workspace);
}

/* Fills in the variant's times, its gain over the first job, and its rate. */
static haul_status summarise(tuner *t, tune_variant *v, const double *own, const double *first, size_t rounds) {
    timing_summary s, gain;
    int64_t bytes = 0;
    tune_names names = tune_names_of(t, v, t->problem->size);
    HAUL_TRY(timing_summarise(own, rounds, &s));
    HAUL_TRY(timing_compare(own, first, rounds, &gain));
    if (t->problem->bytes) HAUL_TRY(formula_evaluate("bytes", t->problem->bytes, names.items, names.count, &bytes));
    v->outcome = TUNE_TIMED;
    v->us = s.median, v->low = s.low, v->high = s.high;
    v->gain = gain.median, v->least = gain.low;
    v->rate = s.median > 0 ? (double)bytes / s.median * 1e6 : 0;
    return HAUL_OK;
}

haul_status tune_time(tuner *t, tune_job *jobs, size_t count, unsigned rounds) {
    timing_plan plan = timing_plan_for(t->device, rounds);
    plan.sets = (unsigned)tune_timed_data(t)->set_count;
    timing_work *works = memory_zeroed(count, sizeof *works);
    timed_job *contexts = memory_zeroed(count, sizeof *contexts);
    double *samples = memory_zeroed(count * plan.rounds, sizeof *samples);
    haul_status status = works && contexts && samples ? HAUL_OK : haul_no_memory("tune's variants");
    for (size_t i = 0; status == HAUL_OK && i < count; i++) {
        contexts[i] = (timed_job){t, &jobs[i]};
        works[i] = (timing_work){queue, &contexts[i]};
    }
    if (status == HAUL_OK) status = timing_measure(t->device, works, count, &plan, samples);
    for (size_t i = 0; status == HAUL_OK && i < count; i++)
        status = summarise(t, jobs[i].variant, samples + i * plan.rounds, samples, plan.rounds);
    memory_free(works);
    memory_free(contexts);
    memory_free(samples);
    return status;
}
