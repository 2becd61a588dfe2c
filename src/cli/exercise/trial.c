/* Compiles a solution with its exercise's cases, runs it under haul's own commands, and collects their reports.
 *
 * A trial is a program: the learner's file, the exercise's check.cpp and harness.cpp, compiled by haul cc or nvcc into
 * a temporary folder. The program writes an object a line to the file `results` for each case that begins and ends.
 * `haul check --json` or `haul profile --json`, which run it, write findings or counters to the file `report`. The
 * learner's code thus never runs in this process: it may crash, loop or exit, and what it wrote until then still
 * counts. Evaluating the collected facts is judge.c's. */
#include "cli/exercise/exercise.h"

#include "base/file.h"
#include "base/process.h"
#include "base/status.h"
#include "cli/parts.h"
#include "cli/session.h"
#include "lib/compile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 60, MOST_WORDS = 24, ROUNDS = 25 }; /* SECONDS: a run's time limit; ROUNDS: of timing on a GPU */
#define LIMIT "67108864" /* warp instructions of a kernel: no solution needs a fifth of them */

/* The counters whose sum is the metric. */
typedef struct metric {
    haul_counter counters[9]; /* up to HAUL_COUNTER_COUNT */
} metric;

static const metric metrics[] = {
#define METRIC(id, name, title, least, ...) {{__VA_ARGS__, HAUL_COUNTER_COUNT}},
#include "cli/exercise/metrics.def"
#undef METRIC
};

bool exercise_on_gpu(const cli_values *v) {
    return v->device && strncmp(v->device, "gpu", 3) == 0;
}

/* ---- the command lines ---- */

/* Words of a command; they live in `memory`. */
typedef struct words {
    arena memory;
    const char *items[MOST_WORDS + 1];
    size_t count;
    bool failed;
} words;

/* Appends a word. NULL, or one too many, makes run() fail; so callers need not check each word. */
static void add(words *w, const char *word) {
    w->failed |= !word || w->count == MOST_WORDS;
    if (!w->failed) w->items[w->count++] = word;
}

/* Appends the path of a file in the folder. */
static void add_in(words *w, const text *folder, const char *name) {
    add(w, arena_printf(&w->memory, "%s/%s", text_string(folder), name));
}

/* Runs the command and frees its words. */
static haul_status run(words *w, const process_options *options, text *out, text *errors, process_end *end) {
    const haul_status status =
        w->failed ? haul_no_memory("a trial of the exercise") : process_run(w->items, options, out, errors, end);
    arena_free(&w->memory);
    return status;
}

/* ---- compiling ---- */

/* Whether nvcc compiles the program. Programs of haul cc run on virtual GPUs only; there nvcc is used if it was asked
 * for, or if there is no clang. */
static bool wants_nvcc(const exercise_trial *t) {
    const char *compiler = t->values->compiler;
    text line = {0};
    if (exercise_on_gpu(t->values)) return true;
    if (compiler) return strstr(compiler, "nvcc") != NULL;
    const bool has_clang = compile_find("clang", &line) == HAUL_OK;
    text_free(&line);
    return !has_clang;
}

/* Adds nvcc and its own flags. Fails if nvcc cannot be found, with what the user can do. */
static haul_status add_nvcc(words *w, const exercise_trial *t) {
    text path = {0};
    const char *compiler = t->values->compiler ? t->values->compiler : "nvcc";
    if (!strstr(compiler, "nvcc"))
        return haul_fail(HAUL_ERROR_COMPILER, "--compiler %s: programs for a GPU are compiled by nvcc", compiler);
    const bool found = process_find(compiler, &path);
    if (found) add(w, arena_copy(&w->memory, text_string(&path), path.length));
    text_free(&path);
    if (!found && t->values->compiler)
        return haul_fail(HAUL_ERROR_COMPILER, "--compiler %s: not found: give nvcc, clang or a path",
                         t->values->compiler);
    if (!found && exercise_on_gpu(t->values))
        return haul_fail(HAUL_ERROR_COMPILER, "programs for a GPU are compiled by nvcc, which is not in PATH");
    if (!found)
        return haul_fail(HAUL_ERROR_COMPILER, "neither clang nor nvcc is here: `haul info` says what is missing");
    add(w, "-lineinfo");
    if (exercise_on_gpu(t->values)) return HAUL_OK;
    add(w, "-cudart"); /* the runtime that haul can always replace */
    add(w, "shared");
    return HAUL_OK;
}

/* Sets the architecture to compile for, that of the device. A wrong device name thus fails before anything is
 * compiled. */
static haul_status find_architecture(const cli_values *v, char name[16]) {
    haul_device *device;
    const haul_device_options options = cli_device_options(v);
    const bool automatic = !v->device || strcmp(v->device, "auto") == 0;
    HAUL_TRY(haul_device_open(automatic ? "sim" : v->device, &options, &device));
    const unsigned architecture = haul_device_architecture(device);
    haul_device_close(device);
    /* haul cc compiles for sm_90 at most; no exercise needs more */
    snprintf(name, 16, "sm_%u", architecture && architecture < 90 ? architecture : 90);
    return HAUL_OK;
}

/* Adds the command line up to the files: nvcc's, or haul's own. */
static haul_status add_compiler(words *w, const exercise_trial *t) {
    char architecture[16];
    HAUL_TRY(find_architecture(t->values, architecture));
    if (wants_nvcc(t)) {
        HAUL_TRY(add_nvcc(w, t));
    } else {
        if (t->values->compiler && setenv("HAUL_CLANG", t->values->compiler, 1) != 0)
            return haul_no_memory("a trial of the exercise");
        add(w, cli_own_path(&w->memory));
        add(w, "cc");
    }
    add(w, "-O1"); /* for host code: kernels are always optimised */
    add(w, "-std=c++17");
    add(w, arena_printf(&w->memory, "-arch=%s", architecture));
    return HAUL_OK;
}

/* Adds the files to compile and the program's name. */
static void add_files(words *w, const exercise_trial *t) {
    const char *folder = text_string(&t->exercise->folder);
    add(w, t->source);
    add(w, arena_printf(&w->memory, "%s/check.cpp", folder));
    add(w, arena_printf(&w->memory, "%s/../harness.cpp", folder));
    add(w, "-o");
    add_in(w, &t->work, "program");
}

/* Runs the compiler and shows its messages, also those of a success: warnings teach, too. */
static haul_status run_compiler(const exercise_trial *t, words *w) {
    text out = {0}, errors = {0};
    process_end end = {0};
    const process_options options = {.alone = true};
    haul_status status = run(w, &options, &out, &errors, &end);
    if (status == HAUL_OK) fprintf(stderr, "%s%s", text_string(&out), text_string(&errors));
    if (status == HAUL_OK && end.code != 0)
        status = haul_fail(HAUL_ERROR_COMPILER, "%s: does not compile, or has no `%s`", t->source,
                           json_string_value(json_object_get(t->exercise->spec, "function")));
    text_free(&out);
    text_free(&errors);
    return status;
}

static haul_status compile(const exercise_trial *t) {
    words w = {0};
    const haul_status status = add_compiler(&w, t);
    if (status != HAUL_OK) {
        arena_free(&w.memory);
        return status;
    }
    add_files(&w, t);
    return run_compiler(t, &w);
}

/* The folder is made last, so that only a trial with a folder has something to remove. */
haul_status exercise_trial_open(exercise_trial *t, const exercise *e, const char *source, const cli_values *v) {
    *t = (exercise_trial){.exercise = e, .values = v, .source = source};
    if (!compile_is_source(source))
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: is not a CUDA file: give a .cu file", source);
    if (access(source, R_OK) != 0)
        return haul_fail(HAUL_ERROR_FILE, "%s: cannot be read: %s: `haul exercise start %s` writes one", source,
                         strerror(errno), e->name);
    text_printf(&t->work, "%s/haul-exercise-XXXXXX", file_temporary());
    t->cases = json_array();
    t->findings = json_array();
    if (t->work.failed || !t->cases || !t->findings) return haul_no_memory("a trial of the exercise");
    if (mkdtemp(t->work.bytes)) return compile(t);
    const int error = errno;
    text_clear(&t->work);
    return haul_fail(HAUL_ERROR_FILE, "no folder for temporary files: %s", strerror(error));
}

/* Removes the files that a trial may have made, by name, and the folder. */
static void remove_work(const exercise_trial *t) {
    static const char *const names[] = {"program", "results", "report"};
    text path = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        text_clear(&path);
        text_printf(&path, "%s/%s", text_string(&t->work), names[i]);
        if (!path.failed) unlink(text_string(&path));
    }
    rmdir(text_string(&t->work));
    text_free(&path);
}

void exercise_trial_free(exercise_trial *t) {
    if (t->work.length) remove_work(t);
    json_decref(t->cases);
    json_decref(t->findings);
    text_free(&t->work);
    text_free(&t->output);
    *t = (exercise_trial){0};
}

/* ---- JSON, one value a line ---- */

/* Calls `take` with the object of each line of a file in the temporary folder. Stops at an incomplete line, as a killed
 * program leaves it. A missing file has no lines. */
static haul_status read_lines(const exercise_trial *t, const char *name, void (*take)(void *, json_t *),
                              void *context) {
    json_error_t error;
    text path = {0};
    text_printf(&path, "%s/%s", text_string(&t->work), name);
    FILE *file = path.failed ? NULL : fopen(text_string(&path), "r");
    text_free(&path);
    if (!file) return HAUL_OK; /* nothing was launched or started */
    for (json_t *line; (line = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error));) {
        take(context, line);
        json_decref(line);
    }
    fclose(file);
    return HAUL_OK;
}

/* Merges the lines of a case into one object; the first value of a key stays. */
static void take_case(void *context, json_t *line) {
    json_t *cases = context, *last = json_array_get(cases, json_array_size(cases) - 1);
    const json_t *number = json_object_get(line, "case");
    if (last && json_equal(json_object_get(last, "case"), number))
        json_object_update_missing(last, line);
    else
        json_array_append(cases, line);
}

/* Whether both objects have equal values under the key, or neither has one. */
static bool same(const json_t *a, const json_t *b, const char *key) {
    const json_t *x = json_object_get(a, key), *y = json_object_get(b, key);
    return x && y ? json_equal(x, y) : x == y;
}

/* Adds a finding unless it is advice, or one of its kind at its place is there: a mistake in a loop over sizes would be
 * listed for each case. */
static void take_finding(json_t *findings, json_t *finding) {
    size_t i;
    json_t *other;
    const char *grade = json_string_value(json_object_get(finding, "grade"));
    if (!grade || strcmp(grade, "advice") == 0) return;
    json_array_foreach(findings, i, other) {
        if (same(finding, other, "kind") && same(finding, other, "file") && same(finding, other, "line")) return;
    }
    json_array_append(findings, finding);
}

/* Takes a line of `haul check --json`: a launch with its findings. */
static void take_check(void *context, json_t *line) {
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(line, "findings"), i, finding) take_finding(context, finding);
}

/* Takes a line of `haul profile --json`: adds the launch's counters to the metrics. */
static void take_launch(void *context, json_t *line) {
    exercise_trial *t = context;
    const json_t *counters = json_object_get(line, "counters");
    for (size_t m = 0; m < EXERCISE_METRICS; m++)
        for (const haul_counter *c = metrics[m].counters; *c != HAUL_COUNTER_COUNT; c++)
            t->metric[m] += json_number_value(json_object_get(counters, haul_counters[*c].key));
}

/* ---- runs ---- */

/* Notes how a program ended that did not end by itself. That is a fact about the solution, not an error. begun: whether
 * any case began. */
static void keep_end(exercise_trial *t, const process_end *end, bool begun) {
    const json_t *last = json_array_get(t->cases, json_array_size(t->cases) - 1);
    if (end->too_slow)
        t->ended = "too-slow";
    else if (end->signal || end->code > 128)
        t->ended = "signal";
    else if (begun && !json_object_get(last, "right") && !json_object_get(last, "call"))
        t->ended = "exit";
}

/* Runs the program behind the words in `w`, in `mode` (test or measure), and collects its cases. Fails only if the
 * program could not run at all. */
static haul_status run_program(exercise_trial *t, words *w, const char *mode, const char *rounds) {
    text errors = {0};
    process_end end = {0};
    const process_options options = {.seconds = t->values->trial_seconds ? cli_u32(t->values->trial_seconds) : SECONDS,
                                     .alone = true};
    add_in(w, &t->work, "program");
    add_in(w, &t->work, "results");
    add(w, mode);
    if (rounds) add(w, rounds);
    const size_t before = json_array_size(t->cases);
    haul_status status = run(w, &options, &t->output, &errors, &end);
    if (status == HAUL_OK) status = read_lines(t, "results", take_case, t->cases);
    const bool begun = json_array_size(t->cases) > before;
    if (status == HAUL_OK) keep_end(t, &end, begun);
    /* Without a case the program did not even begin: its output says why. */
    if (status == HAUL_OK && !begun && !end.too_slow)
        status = haul_fail(HAUL_ERROR_FILE, "the program of %s cannot be run: %.600s", t->source,
                           errors.length ? text_string(&errors) : "it prints no reason");
    text_free(&errors);
    return status;
}

/* haul COMMAND --device ... --, up to the program's own words. */
static void add_command(words *w, const exercise_trial *t, const char *command) {
    add(w, cli_own_path(&w->memory));
    add(w, command);
    add(w, "--device");
    add(w, t->values->device && strcmp(t->values->device, "auto") != 0 ? t->values->device : "sim");
    if (strcmp(command, "run") == 0) return;
    add(w, "--json");
    add(w, "--out");
    add_in(w, &t->work, "report");
}

/* A lower limit than haul's default, so that an endless kernel is found within seconds. */
static void add_limit(words *w, const exercise_trial *t) {
    const unsigned long long limit = t->values->limit;
    add(w, "--limit");
    add(w, limit ? arena_printf(&w->memory, "%llu", limit) : LIMIT);
    if (t->values->threads) {
        add(w, "--threads");
        add(w, arena_printf(&w->memory, "%llu", (unsigned long long)t->values->threads));
    }
}

haul_status exercise_trial_check(exercise_trial *t) {
    words w = {0};
    add_command(&w, t, exercise_on_gpu(t->values) ? "run" : "check");
    if (!exercise_on_gpu(t->values)) add_limit(&w, t);
    add(&w, "--");
    HAUL_TRY(run_program(t, &w, "test", NULL));
    return exercise_on_gpu(t->values) ? HAUL_OK : read_lines(t, "report", take_check, t->findings);
}

/* Only a measured case that is right has times. */
static void keep_times(exercise_trial *t) {
    const json_t *last = json_array_get(t->cases, json_array_size(t->cases) - 1);
    t->bytes = json_number_value(json_object_get(last, "bytes"));
    t->us = json_number_value(json_object_get(last, "us"));
    t->ideal_us = json_number_value(json_object_get(last, "ideal_us"));
    t->metric[EXERCISE_TIME] = t->us;
    t->measured = t->us > 0 && !t->ended;
}

/* --launches: every launch counts, since the metrics are sums. */
haul_status exercise_trial_measure(exercise_trial *t) {
    words w = {0};
    add_command(&w, t, "profile");
    add(&w, "--launches");
    add(&w, "1000000");
    add_limit(&w, t);
    add(&w, "--");
    HAUL_TRY(run_program(t, &w, "measure", "1"));
    HAUL_TRY(read_lines(t, "report", take_launch, t));
    keep_times(t);
    t->counted = t->measured;
    return HAUL_OK;
}

haul_status exercise_trial_time(exercise_trial *t) {
    words w = {0};
    char rounds[16];
    snprintf(rounds, sizeof rounds, "%d", ROUNDS);
    add_command(&w, t, "run");
    add(&w, "--");
    HAUL_TRY(run_program(t, &w, "measure", rounds));
    keep_times(t);
    return HAUL_OK;
}
