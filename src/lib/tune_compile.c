/* Variants from source to PTX, as many at a time as the host has cores. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/compile.h"
#include "lib/tune_internal.h"

#include <stdio.h>
#include <string.h>

/* The options' flags, and -D NAME=VALUE for each parameter, which live in one text. */
static size_t put_flags(const tuner *t, const tune_variant *v, char (*defines)[256], const char **flags) {
    size_t count = 0;
    for (size_t i = 0; i < t->options->flag_count; i++) flags[count++] = t->options->flags[i];
    for (size_t i = 0; i < t->problem->parameter_count; i++) {
        snprintf(defines[i], sizeof defines[i], "%s=%s", t->problem->parameters[i].name, tune_value(t->problem, v, i));
        flags[count++] = "-D";
        flags[count++] = defines[i];
    }
    return count;
}

/* What the compiler said first says why; cu2ptx's own last line only that it did. */
static void keep_reason(tune_job *job, const text *messages) {
    const char *first = text_string(messages), *error = strstr(first, "error");
    if (!error) {
        snprintf(job->message, sizeof job->message, "%s", haul_message());
        return;
    }
    while (error > first && error[-1] != '\n') error--;
    snprintf(job->message, sizeof job->message, "%.*s", (int)strcspn(error, "\n"), error);
}

static void compile(const tuner *t, tune_job *job) {
    char defines[TUNE_MOST_PARAMETERS][256];
    text messages = {0};
    const char **flags = memory_zeroed(t->options->flag_count + 2 * TUNE_MOST_PARAMETERS, sizeof *flags);
    if (!flags) {
        job->status = haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to start the compiler");
        return;
    }
    const size_t count = put_flags(t, job->variant, defines, flags);
    const compile_options o = {t->options->compiler,
                               t->options->architecture ? t->options->architecture : t->architecture, flags, count};
    job->status = compile_source(t->problem->source, &o, &job->ptx, &messages);
    if (job->status != HAUL_OK) keep_reason(job, &messages);
    text_free(&messages);
    memory_free((void *)flags);
}

haul_status tune_compile(const tuner *t, tune_job *jobs, size_t count) {
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++) compile(t, &jobs[i]);
    for (size_t i = 0; i < count; i++)
        if (jobs[i].status == HAUL_ERROR_OUT_OF_MEMORY) return haul_fail(jobs[i].status, "%s", jobs[i].message);
    return HAUL_OK;
}
