/* Evaluates trials: needs, symptoms and scores.
 *
 * Needs are limits on metrics of the measured case; exercise.json states them as numbers, or as multiples of the ideal
 * or of the shipped solution's value. Symptoms connect observations of a trial with hints: a symptom matches if all of
 * its keys match, and the first that matches gives the hint, the exercise's own before the general ones. So authors
 * write the special ones first. docs/exercises.md describes both. The functions here read the trial and change
 * nothing. */
#include "cli/exercise/exercise.h"

#include <math.h>
#include <string.h>

/* ---- needs ---- */

const char *const exercise_metric_names[EXERCISE_METRICS] = {
#define METRIC(id, name, title, least, ...) [EXERCISE_##id] = name,
#include "cli/exercise/metrics.def"
#undef METRIC
};

/* Multiples of the bytes to be moved, below which no solution can be; 0: none. */
static const double least_of[EXERCISE_METRICS] = {
#define METRIC(id, name, title, least, ...) [EXERCISE_##id] = least,
#include "cli/exercise/metrics.def"
#undef METRIC
};

/* For time it is what the harness measured or estimated for a copy of as many bytes. */
double exercise_ideal_of(const exercise_trial *t, exercise_metric m) {
    return m == EXERCISE_TIME ? t->ideal_us : t->bytes * least_of[m];
}

/* The name is one of the table: exercise.c has checked it. Otherwise the last metric is returned. */
static exercise_metric metric_of(const char *name) {
    size_t m = 0;
    while (m + 1 < EXERCISE_METRICS && strcmp(name, exercise_metric_names[m]) != 0) m++;
    return (exercise_metric)m;
}

size_t exercise_need_count(const exercise *e) {
    return json_array_size(json_object_get(e->spec, "needs"));
}

bool exercise_needs_shipped(const exercise *e) {
    size_t i;
    json_t *need;
    json_array_foreach(json_object_get(e->spec, "needs"), i, need) {
        if (json_object_get(need, "at_most_shipped")) return true;
    }
    return false;
}

/* Returns the need's limit: a number, or a multiple of the ideal or of the shipped solution's value. */
static double limit_of(const exercise_trial *t, const json_t *spec, exercise_metric m) {
    const json_t *ideal = json_object_get(spec, "at_most_ideal"), *shipped = json_object_get(spec, "at_most_shipped");
    const json_t *least = json_object_get(spec, "at_least"), *most = json_object_get(spec, "at_most");
    if (ideal) return json_number_value(ideal) * exercise_ideal_of(t, m);
    if (shipped) return json_number_value(shipped) * t->shipped[m];
    return json_number_value(least ? least : most);
}

exercise_need exercise_need_of(const exercise_trial *t, size_t i) {
    const json_t *spec = json_array_get(json_object_get(t->exercise->spec, "needs"), i);
    const char *name = json_string_value(json_object_get(spec, "metric"));
    const exercise_metric m = metric_of(name);
    exercise_need need = {.metric = name,
                          .what = json_string_value(json_object_get(spec, "what")),
                          .value = t->metric[m],
                          .limit = limit_of(t, spec, m),
                          .at_least = json_object_get(spec, "at_least") != NULL};
    need.holds = need.at_least ? need.value >= need.limit : need.value <= need.limit;
    return need;
}

/* Whether a need on this metric does not hold; NULL: any need. Without counters no need fails. */
static bool has_failing_need(const exercise_trial *t, const char *metric) {
    for (size_t i = 0; t->counted && i < exercise_need_count(t->exercise); i++) {
        const exercise_need need = exercise_need_of(t, i);
        if (!need.holds && (!metric || strcmp(need.metric, metric) == 0)) return true;
    }
    return false;
}

/* ---- failures ---- */

const json_t *exercise_failing_case(const exercise_trial *t) {
    size_t i;
    json_t *one;
    json_array_foreach(t->cases, i, one) if (!json_is_true(json_object_get(one, "right"))) return one;
    return NULL;
}

bool exercise_passes(const exercise_trial *t) {
    return !t->ended && !exercise_failing_case(t) && !json_array_size(t->findings) && t->measured &&
           !has_failing_need(t, NULL);
}

/* ---- symptoms ---- */

/* Whether a fact has the symptom's value under `key`, or the symptom has no such key. `true` matches any number but
 * 0. */
static bool has(const json_t *symptom, const char *key, const json_t *fact) {
    const json_t *wanted = json_object_get(symptom, key);
    if (!wanted) return true;
    if (json_is_true(wanted) && json_is_number(fact)) return json_number_value(fact) != 0;
    return fact && json_equal(wanted, fact);
}

/* Whether the case has a fault with the name that the symptom asks for. */
static bool has_fault(const json_t *symptom, const json_t *one) {
    size_t i;
    json_t *fault;
    if (!json_object_get(symptom, "fault")) return true;
    json_array_foreach(json_object_get(one, "faults"), i, fault) {
        if (has(symptom, "fault", json_object_get(fault, "name"))) return true;
    }
    return false;
}

/* Whether a case with the tag `right_case` is right, or the symptom has no such tag. */
static bool has_right_case(const json_t *symptom, const exercise_trial *t) {
    size_t i;
    json_t *one;
    if (!json_object_get(symptom, "right_case")) return true;
    json_array_foreach(t->cases, i, one) {
        if (json_is_true(json_object_get(one, "right")) && has(symptom, "right_case", json_object_get(one, "tag")))
            return true;
    }
    return false;
}

/* Compares the symptom with the first case that failed. If none did, `one` is NULL, and only symptoms without such keys
 * fit. */
static bool fits_case(const json_t *symptom, const exercise_trial *t) {
    static const char *const keys[] = {"shape", "written", "zeros", "shift", "call"};
    const json_t *one = exercise_failing_case(t);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!has(symptom, keys[i], json_object_get(one, keys[i]))) return false;
    return has(symptom, "case", json_object_get(one, "tag")) && has_fault(symptom, one) && has_right_case(symptom, t);
}

/* All three keys must fit the same finding. */
static bool fits_finding(const json_t *symptom, const exercise_trial *t) {
    size_t i;
    json_t *finding;
    if (!json_object_get(symptom, "finding")) return true;
    json_array_foreach(t->findings, i, finding) {
        if (has(symptom, "finding", json_object_get(finding, "kind")) &&
            has(symptom, "space", json_object_get(finding, "space")) &&
            has(symptom, "action", json_object_get(finding, "action")))
            return true;
    }
    return false;
}

static bool fits_end(const json_t *symptom, const exercise_trial *t) {
    const char *ended = json_string_value(json_object_get(symptom, "ended"));
    return !ended || (t->ended && strcmp(ended, t->ended) == 0);
}

/* Whether the symptom matches the trial in all of its keys. */
static bool fits(const json_t *symptom, const exercise_trial *t) {
    const json_t *need = json_object_get(symptom, "need");
    if (need && !has_failing_need(t, json_string_value(need))) return false;
    return fits_case(symptom, t) && fits_finding(symptom, t) && fits_end(symptom, t);
}

static const char *first_hint(const json_t *symptoms, const exercise_trial *t) {
    size_t i;
    json_t *symptom;
    json_array_foreach(symptoms, i, symptom) {
        if (fits(symptom, t)) return json_string_value(json_object_get(symptom, "hint"));
    }
    return NULL;
}

const char *exercise_hint_for(const exercise_trial *t) {
    if (exercise_passes(t)) return NULL;
    const char *hint = first_hint(json_object_get(t->exercise->spec, "symptoms"), t);
    return hint ? hint : first_hint(t->exercise->general, t);
}

/* ---- scores ---- */

/* The share of the points that the shipped solution's value is of one's own. Using nothing gets all points. */
static double share(double own, double shipped, double points) {
    return own <= shipped ? points : points * shipped / own;
}

/* Sectors of the kind of memory that the exercise is about. */
exercise_metric exercise_scored_sectors(const exercise *e) {
    const char *name = json_string_value(json_object_get(e->spec, "scored"));
    return name ? metric_of(name) : EXERCISE_SECTORS;
}

static size_t count_failing_needs(const exercise_trial *t) {
    size_t failing = 0;
    for (size_t i = 0; t->counted && i < exercise_need_count(t->exercise); i++)
        failing += !exercise_need_of(t, i).holds;
    return failing;
}

/* Counts kinds, not findings: the same mistake in two lines costs the points once. */
static size_t count_kinds(const json_t *findings) {
    size_t kinds = 0, i;
    json_t *finding;
    json_array_foreach(findings, i, finding) {
        size_t k = 0;
        while (k < i &&
               !json_equal(json_object_get(json_array_get(findings, k), "kind"), json_object_get(finding, "kind")))
            k++;
        kinds += k == i;
    }
    return kinds;
}

/* Parts are computed also for wrong solutions, which get no points. */
exercise_score exercise_score_of(const exercise_trial *own, const exercise_trial *shipped) {
    const exercise_metric sectors = exercise_scored_sectors(own->exercise);
    exercise_score s = {
        .time = share(own->us, shipped->us, 50),
        .sectors = share(own->metric[sectors], shipped->metric[sectors], 25),
        .wavefronts = share(own->metric[EXERCISE_WAVEFRONTS], shipped->metric[EXERCISE_WAVEFRONTS], 25),
        .findings = count_kinds(own->findings),
        .needs = count_failing_needs(own),
    };
    const double points = s.time + s.sectors + s.wavefronts - 10. * (double)s.findings - 20. * (double)s.needs;
    const bool right = own->measured && !own->ended && !exercise_failing_case(own);
    s.points = right && points > 0 ? (int)floor(points + 0.5) : 0;
    return s;
}
