/* Compiles variants from source to PTX, as many at a time as the host has cores, and removes kernels that the variant
 * does not launch.
 *
 * Compiling takes most of a search's time, and each compiler is a process of its own, so a batch is compiled in
 * parallel. Each thread writes only to its own job. Line information is left out, since nobody looks at
 * it. */
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "lib/compile.h"
#include "lib/kernel_name.h"
#include "lib/tune/internal.h"

#include <stdio.h>
#include <string.h>

/* Sets the flags and returns how many: the options', and -D NAME=VALUE for each parameter, whose texts are in
 * `defines`. */
static size_t put_flags(const tuner *t, const tune_variant *v, char (*defines)[256], const char **flags) {
    size_t count = 0;
    flags[count++] = "--no-lineinfo";
    for (size_t i = 0; i < t->options->flag_count; i++) flags[count++] = t->options->flags[i];
    for (size_t i = 0; i < t->problem->parameter_count; i++) {
        snprintf(defines[i], sizeof defines[i], "%s=%s", t->problem->parameters[i].name, tune_value(t->problem, v, i));
        flags[count++] = "-D";
        flags[count++] = defines[i];
    }
    return count;
}

/* ---- removing kernels that are not launched ---- */

/* Whether the text at `at`, at the beginning of a line, defines a kernel; sets `*name` and its length. */
static bool is_entry(const char *at, const char **name, size_t *length) {
    static const char visible[] = ".visible ", entry[] = ".entry ";
    if (strncmp(at, visible, sizeof visible - 1) == 0) at += sizeof visible - 1;
    if (strncmp(at, entry, sizeof entry - 1) != 0) return false;
    *name = at + sizeof entry - 1;
    *length = strcspn(*name, "( \n");
    return true;
}

typedef struct entries {
    arena memory;
    const char **names;
    size_t count, capacity, *found; /* found: room for kernel_name_find() */
    bool *wanted;
} entries;

static bool add_entry(entries *e, const char *name, size_t length) {
    if (e->count == e->capacity) {
        const char **names = arena_grow(&e->memory, (void *)e->names, e->count, &e->capacity, sizeof *names);
        if (!names) return false;
        e->names = names;
    }
    return (e->names[e->count++] = arena_copy(&e->memory, name, length)) != NULL;
}

/* Lists the kernels in the text. False without memory. */
static bool list_entries(const char *at, entries *e) {
    const char *name;
    size_t length;
    for (; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (is_entry(at, &name, &length) && !add_entry(e, name, length)) return false;
    e->found = ARENA_ARRAY(&e->memory, e->count, size_t);
    e->wanted = ARENA_ARRAY(&e->memory, e->count, bool);
    return e->found && e->wanted;
}

/* Overloads of one name are all kept. */
static void mark_wanted(entries *e, const char *name) {
    const size_t count = name ? kernel_name_find(name, e->names, e->count, e->found) : 0;
    for (size_t i = 0; i < count; i++) e->wanted[e->found[i]] = true;
}

/* Copies the text without the kernels that are not wanted. */
static void keep_entries(const entries *e, const char *at, text *kept) {
    const char *name;
    size_t length, index = 0;
    while (*at) {
        const char *end = at + strcspn(at, "\n");
        const char *close = is_entry(at, &name, &length) && !e->wanted[index++] ? strstr(at, "\n}") : NULL;
        if (close) end = close + 2 + strcspn(close + 2, "\n");
        end += *end == '\n';
        if (!close) text_append(kept, at, (size_t)(end - at));
        at = end;
    }
}

/* A driver compiles a whole module when it is loaded, so in a file with many kernels only those that may be launched
 * are kept. Compilers begin and end a kernel's definition at the beginning of a line. Without memory, or if no kernel
 * has the name, the whole text stays. */
static void keep_wanted(const tune_problem *p, text *ptx) {
    entries e = {0};
    text kept = {0};
    bool any = list_entries(text_string(ptx), &e);
    if (any) mark_wanted(&e, p->launch.kernel);
    if (any) mark_wanted(&e, p->reference.kernel);
    any = any && memchr(e.wanted, true, e.count);
    if (any) keep_entries(&e, text_string(ptx), &kept);
    arena_free(&e.memory);
    if (!any || kept.failed) {
        text_free(&kept);
        return;
    }
    text_free(ptx);
    *ptx = kept;
}

/* ---- compiling ---- */

/* Keeps the compiler's first error as the job's message; cu2ptx's last line only says that there was one. */
static void keep_reason(tune_job *job, const text *messages) {
    const char *first = text_string(messages), *error = strstr(first, "error");
    if (!error) {
        snprintf(job->message, sizeof job->message, "%s", haul_message());
        return;
    }
    while (error > first && error[-1] != '\n') error--;
    snprintf(job->message, sizeof job->message, "%.*s", (int)strcspn(error, "\n"), error);
}

/* Compiles one variant; failures are the job's status. */
static void compile(const tuner *t, tune_job *job) {
    char defines[TUNE_MOST_PARAMETERS][256];
    text messages = {0};
    const char **flags = memory_zeroed(1 + t->options->flag_count + 2 * TUNE_MOST_PARAMETERS, sizeof *flags);
    if (!flags) {
        job->status = haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to start the compiler");
        return;
    }
    const size_t count = put_flags(t, job->variant, defines, flags);
    const compile_options o = {t->options->compiler,
                               t->options->architecture ? t->options->architecture : t->architecture, flags, count,
                               false};
    job->status = compile_source(t->problem->source, &o, &job->ptx, &messages);
    if (job->status == HAUL_OK)
        keep_wanted(t->problem, &job->ptx);
    else
        keep_reason(job, &messages);
    text_free(&messages);
    memory_free((void *)flags);
}

typedef struct compilation {
    const tuner *tuner;
    tune_job *jobs;
} compilation;

static void compile_one(void *context, size_t job, unsigned worker) {
    const compilation *c = context;
    (void)worker;
    compile(c->tuner, &c->jobs[job]);
}

/* Source that does not compile is no error here: such variants are rejected. */
haul_status tune_compile(const tuner *t, tune_job *jobs, size_t count) {
    compilation all = {t, jobs};
    pool_for(count, pool_processors(), compile_one, &all);
    for (size_t i = 0; i < count; i++)
        if (jobs[i].status == HAUL_ERROR_OUT_OF_MEMORY) return haul_fail(jobs[i].status, "%s", jobs[i].message);
    return HAUL_OK;
}
