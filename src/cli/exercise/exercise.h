/* The parts of `haul exercise`: an exercise as its folder describes it, a trial of a solution, and what comes of it.
 *
 * exercises/exercises.json lists the exercises. The folder of each has starter.cu, check.cpp (cases and reference),
 * solution.cu and exercise.json; docs/exercises.md says what that holds. */
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
    json_t *general; /* the list's */
    text folder;     /* its own */
} exercise;

/* End both with their _free(), after an error too. Errors: HAUL_ERROR_FILE, HAUL_ERROR_SYNTAX for a file that does not
 * say what it has to, HAUL_ERROR_NOT_FOUND with a near name for one that is not listed. An exercise lives as long as
 * its list. */
haul_status exercise_list_open(exercise_list *list);
void exercise_list_free(exercise_list *list);
haul_status exercise_open(exercise *e, const exercise_list *list, const char *name);
void exercise_free(exercise *e);

const char *exercise_title(const exercise *e);
size_t exercise_hint_count(const exercise *e);
const char *exercise_hint(const exercise *e, size_t number); /* from 1 on */

/* ---- trials ---- */

/* What is counted of the measured case: the sum over all launches of the solution. */
typedef enum exercise_metric {
#define METRIC(id, ...) EXERCISE_##id,
#include "cli/exercise/metrics.def"
#undef METRIC
    EXERCISE_METRICS
} exercise_metric;

extern const char *const exercise_metric_names[EXERCISE_METRICS];

/* A program made of a solution, and what was seen of it. All JSON is owned by the trial. */
typedef struct exercise_trial {
    const exercise *exercise;
    const cli_values *values;
    const char *source; /* the solution's file */
    text work;          /* a temporary folder; removed with the trial */
    text output;        /* what the program printed */
    json_t *cases;    /* objects as harness.cpp writes them, begin and end as one; a case without "right" did not end */
    json_t *findings; /* objects as `haul check --json` has them, errors and warnings only, each kind and place once */
    const char *ended;      /* NULL: by itself; else "too-slow", "signal" or "exit" */
    bool measured, counted; /* the times are there; the metrics are */
    double metric[EXERCISE_METRICS];
    double shipped[EXERCISE_METRICS]; /* those of the shipped solution, where a need or a score is held against them */
    double bytes, us, ideal_us;       /* of the measured case */
} exercise_trial;

/* Compiles the solution in `source`. The compiler's messages go to standard error. Errors: HAUL_ERROR_COMPILER,
 * HAUL_ERROR_FILE. End it with exercise_trial_free(), after an error too. */
haul_status exercise_trial_open(exercise_trial *t, const exercise *e, const char *source, const cli_values *v);
void exercise_trial_free(exercise_trial *t);

/* Tries all cases but the last under `haul check`, or on a GPU as they are. */
haul_status exercise_trial_check(exercise_trial *t);
/* Tries the last one and counts what it moves, on a virtual GPU. `measured` is false when it did not end or is wrong.
 */
haul_status exercise_trial_measure(exercise_trial *t);
/* Times the last one on a GPU: `us` and `ideal_us`; compiled by nvcc. */
haul_status exercise_trial_time(exercise_trial *t);

bool exercise_on_gpu(const cli_values *v);

/* ---- what comes of it ---- */

/* A need of the exercise, held against a trial that was measured. */
typedef struct exercise_need {
    const char *metric, *what;
    double value, limit; /* the limit is the ideal's multiple already */
    bool at_least, holds;
} exercise_need;

size_t exercise_need_count(const exercise *e);
/* Whether one of them is a multiple of what the shipped solution takes. */
bool exercise_needs_shipped(const exercise *e);
exercise_need exercise_need_of(const exercise_trial *t, size_t i);

/* The least that any solution needs of a metric, 0 where that is not known; of time the harness's ideal. */
double exercise_ideal_of(const exercise_trial *t, exercise_metric m);
/* The sectors that count for the score: of L1, unless exercise.json has `scored`. */
exercise_metric exercise_scored_sectors(const exercise *e);

/* The first case that is not right, or NULL. */
const json_t *exercise_failing_case(const exercise_trial *t);
/* Whether all cases are right, nothing was found and all needs hold. */
bool exercise_passes(const exercise_trial *t);
/* The hint of the first symptom that the trial has, of the exercise's own or of the general ones; NULL: none has. */
const char *exercise_hint_for(const exercise_trial *t);

/* The score of 100, from a trial that passed its cases and one of the shipped solution. */
typedef struct exercise_score {
    double time, sectors, wavefronts; /* points: of 50, 25 and 25 */
    size_t findings, needs;           /* kinds that were found: each takes 10 points; needs that do not hold: 20 */
    int points;
} exercise_score;
exercise_score exercise_score_of(const exercise_trial *own, const exercise_trial *shipped);

void exercise_report_test(report_document *d, const exercise_trial *t);
/* `gpu` may be NULL: no times of a GPU. */
void exercise_report_score(report_document *d, const exercise_trial *own, const exercise_trial *shipped,
                           const exercise_trial *gpu);

#endif
