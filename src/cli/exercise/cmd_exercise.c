/* haul exercise: tasks for learners, and trials of their solutions.
 *
 * The first operand is an action of the table `actions`, the second an exercise, the third the action's own word.
 * `start` and `hint` only read the exercise's files. `test` and `score` compile the learner's file into a program with
 * the exercise's cases and run it (trial.c), evaluate what was seen (judge.c) and report it (report.c). The exit status
 * is 1 if the solution failed, which is no error of the command. */
#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/status.h"
#include "cli/exercise/exercise.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "report/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One command line: the action, its exercise, and the words after that. */
typedef struct exercise_job {
    const cli_values *values;
    exercise_list list;
    exercise exercise; /* if the action has one */
    const char *word;  /* after its name, or NULL */
    text out;
    bool failed; /* the solution failed */
} exercise_job;

typedef struct action {
    const char *name, *word; /* what may follow the exercise's name; nothing reads it */
    bool wants_exercise;
    haul_status (*run)(exercise_job *j);
} action;

/* ---- list ---- */

/* Adds an exercise's row; reading its file also checks it. */
static haul_status add_listed(exercise_job *j, report_table *t, const char *name) {
    exercise e;
    const haul_status status = exercise_open(&e, &j->list, name);
    if (status == HAUL_OK) {
        report_add_row(t);
        report_add_text(t, "%s", name);
        report_add_text(t, "%s", exercise_title(&e));
        report_add_number(t, (double)exercise_hint_count(&e));
    }
    exercise_free(&e);
    return status;
}

/* The table of exercises, in the order of exercises.json. */
static haul_status list(exercise_job *j) {
    static const report_column columns[] = {{"name", "Exercise", REPORT_TEXT, NULL},
                                            {"title", "Task", REPORT_TEXT, NULL},
                                            {"hints", "Hints", REPORT_COUNT, NULL}};
    report_document *d = report_document_new("exercises", "Exercises");
    report_table *t = report_add_table(report_add_section(d, "exercises", "Exercises"), "exercises", NULL, columns, 3);
    size_t i;
    json_t *name;
    haul_status status = HAUL_OK;
    json_array_foreach(j->list.names, i, name) {
        if (status == HAUL_OK) status = add_listed(j, t, json_string_value(name));
    }
    if (status == HAUL_OK) status = cli_put_document(d, j->values, &j->out);
    report_document_free(d);
    return status;
}

/* ---- start ---- */

/* Writes a file that must not exist, so that no learner's work is ever lost. */
static haul_status write_new(const char *path, const text *content, const char *name) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        return haul_fail(HAUL_ERROR_FILE, "%s: already exists and stays as it is: `haul exercise start %s OTHER.cu`",
                         path, name);
    if (file < 0) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be made: %s", path, strerror(errno));
    const bool whole = write(file, text_string(content), content->length) == (ssize_t)content->length;
    if (close(file) == 0 && whole) return HAUL_OK;
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
}

/* The learner's file: the one given, else NAME.cu here. */
static const char *source_of(const exercise_job *j, text *path) {
    if (j->word) return j->word;
    text_printf(path, "%s.cu", j->exercise.name);
    return text_string(path);
}

static haul_status start(exercise_job *j) {
    text path = {0}, starter = {0}, content = {0};
    const char *name = j->exercise.name, *own = source_of(j, &path);
    text_printf(&starter, "%s/starter.cu", text_string(&j->exercise.folder));
    haul_status status = path.failed || starter.failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for a name")
                                                       : file_read(text_string(&starter), &content);
    if (status == HAUL_OK) status = write_new(own, &content, name);
    if (status == HAUL_OK && !j->values->quiet)
        text_printf(&j->out,
                    "%s: written; the task is in its first lines\n\n  haul exercise test %s%s%s\n"
                    "  haul exercise hint %s\n",
                    own, name, j->word ? " " : "", j->word ? j->word : "", name);
    text_free(&path);
    text_free(&starter);
    text_free(&content);
    return status;
}

/* ---- hint ---- */

/* report_json_put() takes the object, also one that could not be made. */
static haul_status put_hint_json(exercise_job *j, size_t number) {
    return report_json_put(json_pack("{s:s, s:I, s:I, s:s}", "exercise", j->exercise.name, "number", (json_int_t)number,
                                     "hints", (json_int_t)exercise_hint_count(&j->exercise), "hint",
                                     exercise_hint(&j->exercise, number)),
                           JSON_COMPACT, &j->out);
}

/* Shows one hint, the first without a number. */
static haul_status hint(exercise_job *j) {
    const size_t count = exercise_hint_count(&j->exercise);
    char *end = NULL;
    const unsigned long number = j->word ? strtoul(j->word, &end, 10) : 1;
    if (j->word && (*end || *j->word < '0' || *j->word > '9' || number < 1 || number > count))
        return haul_fail(HAUL_ERROR_ARGUMENT, "hint %s: %s has hints 1 to %zu", j->word, j->exercise.name, count);
    if (j->values->json) return put_hint_json(j, number);
    if (j->values->quiet) return HAUL_OK;
    text_printf(&j->out, "Hint %lu of %zu: ", number, count);
    report_put_wrapped(&j->out, report_terminal_of(STDOUT_FILENO), 0, exercise_hint(&j->exercise, number));
    if (number < count)
        text_printf(&j->out, "\nThe next one: haul exercise hint %s %lu\n", j->exercise.name, number + 1);
    return HAUL_OK;
}

/* ---- test and score ---- */

/* Appends the document to the output and frees it. */
static haul_status put(exercise_job *j, report_document *d) {
    const haul_status status =
        d ? cli_put_document(d, j->values, &j->out) : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    report_document_free(d);
    return status;
}

/* Runs the cases and, if all of them are right, the measured one. On a GPU there are neither findings nor counters: the
 * measured case is timed instead. */
static haul_status try_all(exercise_trial *t) {
    HAUL_TRY(exercise_trial_check(t));
    if (t->ended || exercise_failing_case(t)) return HAUL_OK;
    return exercise_on_gpu(t->values) ? exercise_trial_time(t) : exercise_trial_measure(t);
}

/* Compiles and measures the shipped solution, on the same machine. `path` gets its file and must live as long as the
 * trial. */
static haul_status measure_shipped(exercise_trial *t, const exercise *e, const cli_values *v, text *path) {
    text_printf(path, "%s/solution.cu", text_string(&e->folder));
    HAUL_TRY(exercise_trial_open(t, e, text_string(path), v));
    return exercise_trial_measure(t);
}

/* Gives `own` the shipped solution's values. */
static haul_status hold_against_shipped(exercise_trial *own, exercise_trial *shipped, text *path) {
    HAUL_TRY(measure_shipped(shipped, own->exercise, own->values, path));
    memcpy(own->shipped, shipped->metric, sizeof own->shipped);
    return HAUL_OK;
}

/* The shipped solution runs only if a need refers to it. */
static haul_status test(exercise_job *j) {
    text path = {0}, other = {0};
    exercise_trial t, shipped = {0};
    haul_status status = exercise_trial_open(&t, &j->exercise, source_of(j, &path), j->values);
    if (status == HAUL_OK) status = try_all(&t);
    if (status == HAUL_OK && t.counted && exercise_needs_shipped(&j->exercise))
        status = hold_against_shipped(&t, &shipped, &other);
    if (status == HAUL_OK) {
        report_document *d = report_document_new("exercise", exercise_title(&j->exercise));
        exercise_report_test(d, &t);
        status = put(j, d);
        j->failed = !exercise_passes(&t);
    }
    exercise_trial_free(&t);
    exercise_trial_free(&shipped);
    text_free(&path);
    text_free(&other);
    return status;
}

/* trials: one's own, the shipped one, one's own on a GPU. Traffic always comes from the virtual GPU. The program for
 * the GPU is compiled first: if nvcc is missing, that shows before anything runs. */
static haul_status score_with(exercise_job *j, exercise_trial trials[3], text paths[2]) {
    cli_values simulated = *j->values;
    const bool on_gpu = exercise_on_gpu(j->values);
    const char *source = source_of(j, &paths[0]);
    if (on_gpu) simulated.device = NULL, simulated.compiler = NULL;
    if (on_gpu) HAUL_TRY(exercise_trial_open(&trials[2], &j->exercise, source, j->values));
    HAUL_TRY(exercise_trial_open(&trials[0], &j->exercise, source, &simulated));
    HAUL_TRY(try_all(&trials[0]));
    if (trials[0].measured) HAUL_TRY(hold_against_shipped(&trials[0], &trials[1], &paths[1]));
    if (trials[0].measured && on_gpu) HAUL_TRY(exercise_trial_time(&trials[2]));
    report_document *d = report_document_new("exercise", exercise_title(&j->exercise));
    exercise_report_score(d, &trials[0], &trials[1], on_gpu ? &trials[2] : NULL);
    j->failed = !exercise_score_of(&trials[0], &trials[1]).points;
    return put(j, d);
}

static haul_status score(exercise_job *j) {
    exercise_trial trials[3] = {{0}};
    text paths[2] = {{0}};
    const haul_status status = score_with(j, trials, paths);
    for (size_t i = 0; i < 3; i++) exercise_trial_free(&trials[i]);
    for (size_t i = 0; i < 2; i++) text_free(&paths[i]);
    return status;
}

/* ---- the actions ---- */

static const action actions[] = {
    {"list", NULL, false, list},     {"start", "FILE.cu", true, start}, {"hint", "NUMBER", true, hint},
    {"test", "FILE.cu", true, test}, {"score", "FILE.cu", true, score},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

/* Fails with the nearest action. */
static haul_status find_action(const char *name, const action **found) {
    const char *names[ACTIONS];
    for (size_t i = 0; i < ACTIONS; i++) {
        *found = &actions[i];
        names[i] = actions[i].name;
        if (strcmp(name, names[i]) == 0) return HAUL_OK;
    }
    const char *near = nearest_name(name, names, ACTIONS);
    if (near) return haul_fail(HAUL_ERROR_ARGUMENT, "unknown action %s: did you mean %s?", name, near);
    return haul_fail(HAUL_ERROR_ARGUMENT, "unknown action %s: it is list, start, hint, test or score", name);
}

/* Checks the number of operands, opens the exercise and runs the action. */
static haul_status run_action(exercise_job *j) {
    const text_list *given = &j->values->operands;
    const action *a;
    if (!given->count) return haul_fail(HAUL_ERROR_ARGUMENT, "no action is given: list, start, hint, test or score");
    HAUL_TRY(find_action(given->items[0], &a));
    const size_t most = a->wants_exercise ? 3 : 1;
    if (a->wants_exercise && given->count < 2)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: which exercise? `haul exercise list` lists them", a->name);
    if (given->count > most)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s` is one word too many: haul exercise %s%s", a->name,
                         given->items[most], a->name, a->wants_exercise ? " NAME" : "");
    HAUL_TRY(exercise_list_open(&j->list));
    if (a->wants_exercise) HAUL_TRY(exercise_open(&j->exercise, &j->list, given->items[1]));
    j->word = given->count > 2 ? given->items[2] : NULL;
    HAUL_TRY(a->run(j));
    return j->values->quiet ? HAUL_OK : cli_print(&j->out);
}

int cli_run_exercise(const cli_values *values) {
    exercise_job j = {.values = values};
    const haul_status status = run_action(&j);
    exercise_free(&j.exercise);
    exercise_list_free(&j.list);
    text_free(&j.out);
    if (status != HAUL_OK) return cli_fail("exercise");
    return j.failed ? CLI_FINDINGS : CLI_FINE;
}
