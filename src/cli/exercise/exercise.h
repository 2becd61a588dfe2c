/* The parts of `haul exercise`: an exercise from its folder, a trial of a solution, and its evaluation.
 *
 * exercises/exercises.json lists the exercises. Each folder has starter.cu, check.cpp (cases and reference),
 * solution.cu and exercise.json; docs/exercises.md describes their contents. */
#ifndef HAUL_CLI_EXERCISE_EXERCISE_H
#define HAUL_CLI_EXERCISE_EXERCISE_H

#include "base/text.h"
#include "cli/options.h"
#include "report/document.h"

#include <haul/haul.h>
#include <jansson.h>

/* ---- exercises ---- */

typedef struct exercise_list {
    json_t *names;   /* array of strings */
    json_t *general; /* symptoms of any exercise: array of objects */
    text folder;     /* exercises/, without a slash at the end */
} exercise_list;

typedef struct exercise {
    const char *name;
    json_t *spec;    /* exercise.json, checked */
    json_t *general; /* of the list */
    text folder;     /* of the exercise */
} exercise;

/* Call the _free() functions also after an error. Errors: HAUL_ERROR_FILE; HAUL_ERROR_SYNTAX if a file lacks something;
 * HAUL_ERROR_NOT_FOUND, with a similar name, if an exercise is not listed. An exercise lives as long as its list. */
haul_status exercise_list_open(exercise_list *list);
void exercise_list_free(exercise_list *list);
haul_status exercise_open(exercise *e, const exercise_list *list, const char *name);
void exercise_free(exercise *e);

const char *exercise_title(const exercise *e);
size_t exercise_hint_count(const exercise *e);
const char *exercise_hint(const exercise *e, size_t number); /* from 1 on */

/* ---- trials ---- */

/* Metrics of the measured case: sums over all launches of the solution. */
typedef enum exercise_metric {
#define METRIC(id, ...) EXERCISE_##id,
#include "cli/exercise/metrics.def"
#undef METRIC
    EXERCISE_METRICS
} exercise_metric;

extern const char *const exercise_metric_names[EXERCISE_METRICS];

/* A program made of a solution, and the observations of its runs. The trial owns all JSON. */
typedef struct exercise_trial {
    const exercise *exercise;
    const cli_values *values;
    const char *source;     /* the solution's file */
    text work;              /* a temporary folder; removed with the trial */
    text output;            /* what the program printed */
    json_t *cases;          /* objects of harness.cpp, begin and end merged; a case without "right" did not end */
    json_t *findings;       /* objects of `haul check --json`: errors and warnings only, each kind and place once */
    const char *ended;      /* NULL: it ended by itself; else "too-slow", "signal" or "exit" */
    bool measured, counted; /* there are times; there are metrics */
    double metric[EXERCISE_METRICS];
    double shipped[EXERCISE_METRICS]; /* of the shipped solution, if a need or a score is compared with them */
    double bytes, us, ideal_us;       /* of the measured case */
} exercise_trial;

/* Compiles the solution in `source`; the compiler's messages go to standard error. Call exercise_trial_free() also
 * after an error. Errors: HAUL_ERROR_COMPILER, HAUL_ERROR_FILE. */
haul_status exercise_trial_open(exercise_trial *t, const exercise *e, const char *source, const cli_values *v);
void exercise_trial_free(exercise_trial *t);

/* Runs all cases but the last, under `haul check`, or directly on a GPU. */
haul_status exercise_trial_check(exercise_trial *t);
/* Runs the last case and counts its traffic, on a virtual GPU. `measured` is false if it did not end or is wrong. */
haul_status exercise_trial_measure(exercise_trial *t);
/* Times the last case on a GPU, compiled by nvcc: sets `us` and `ideal_us`. */
haul_status exercise_trial_time(exercise_trial *t);

bool exercise_on_gpu(const cli_values *v);

/* ---- evaluation ---- */

/* A need of the exercise, compared with a measured trial. */
typedef struct exercise_need {
    const char *metric, *what;
    double value, limit; /* the limit is already multiplied */
    bool at_least, holds;
} exercise_need;

size_t exercise_need_count(const exercise *e);
/* Whether a need is a multiple of the shipped solution's value. */
bool exercise_needs_shipped(const exercise *e);
exercise_need exercise_need_of(const exercise_trial *t, size_t i);

/* The lower limit of a metric for any solution, 0 if not known; for time the harness's ideal. */
double exercise_ideal_of(const exercise_trial *t, exercise_metric m);
/* The sectors that the score uses: of L1, unless exercise.json has `scored`. */
exercise_metric exercise_scored_sectors(const exercise *e);

/* The first case that is wrong, or NULL. */
const json_t *exercise_failing_case(const exercise_trial *t);
/* Whether all cases are right, there are no findings and all needs hold. */
bool exercise_passes(const exercise_trial *t);
/* The hint of the first matching symptom, of the exercise's own or of the general ones; NULL if none matches. */
const char *exercise_hint_for(const exercise_trial *t);

/* The score of 100, from a trial that passed its cases and a trial of the shipped solution. */
typedef struct exercise_score {
    double time, sectors, wavefronts; /* points: of 50, 25 and 25 */
    size_t findings, needs;           /* kinds of findings: each costs 10 points; failed needs: 20 each */
    int points;
} exercise_score;
exercise_score exercise_score_of(const exercise_trial *own, const exercise_trial *shipped);

void exercise_report_test(report_document *d, const exercise_trial *t);
/* `gpu` may be NULL: no GPU times. */
void exercise_report_score(report_document *d, const exercise_trial *own, const exercise_trial *shipped,
                           const exercise_trial *gpu);

#endif
