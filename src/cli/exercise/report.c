/* Output of tests and scores: cases, findings, needs, points and hints, as sections of a report document.
 *
 * The facts come from a trial, as JSON objects that harness.cpp and `haul check` wrote; judge.c says which needs hold
 * and which hint fits. Missing keys read as empty texts and zeros, so a program that was killed in the middle is
 * reported as far as it came. */
#include "cli/exercise/exercise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the key's text, or "". */
static const char *text_of(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

/* Returns the key's number, or 0. */
static long long number_of(const json_t *object, const char *key) {
    return (long long)json_integer_value(json_object_get(object, key));
}

/* ---- cases ---- */

/* Says how many results of a case are wrong, where the first one is, and, if the harness found out, by how many places
 * the results are shifted. */
static void put_values(const json_t *one, text *out) {
    const json_t *first = json_object_get(one, "first");
    const json_int_t row = json_integer_value(json_array_get(first, 0)),
                     column = json_integer_value(json_array_get(first, 1));
    text_printf(out, "%lld of %lld results are wrong, the first at [", number_of(one, "wrong"), number_of(one, "of"));
    if (number_of(one, "rows") > 1) text_printf(out, "%lld][", (long long)row);
    text_printf(out, "%lld]: %s instead of %s", (long long)column, text_of(one, "got"), text_of(one, "want"));
    if (number_of(one, "shift"))
        text_printf(out, "; these are the values of %lld places %s", llabs(number_of(one, "shift")),
                    number_of(one, "shift") > 0 ? "before" : "behind");
}

/* The end of a case, or program, that did not end by itself. */
static const char *ended_text(const char *ended) {
    if (ended && strcmp(ended, "too-slow") == 0) return "did not end in time";
    if (ended && strcmp(ended, "signal") == 0) return "ended by a signal";
    return "ended the program";
}

/* Describes how the case ended: right, a failed CUDA call, not at all, or with wrong results and faults. */
static void describe_case(const exercise_trial *t, const json_t *one, text *out) {
    size_t i;
    json_t *fault;
    if (json_is_true(json_object_get(one, "right"))) {
        text_put(out, "right");
    } else if (json_object_get(one, "call")) {
        text_printf(out, "%s: %s", text_of(one, "call"), text_of(one, "text"));
    } else if (!json_object_get(one, "right")) {
        text_put(out, ended_text(t->ended));
    } else {
        if (json_object_get(one, "wrong")) put_values(one, out);
        json_array_foreach(json_object_get(one, "faults"), i, fault)
            text_printf(out, "%s%s", out->length ? "; " : "", text_of(fault, "text"));
    }
}

/* A row for each case that began. */
static void add_cases(report_section *s, const exercise_trial *t) {
    static const report_column columns[] = {{"case", "Case", REPORT_TEXT, NULL},
                                            {"result", "Result", REPORT_TEXT, NULL}};
    report_table *table = report_add_table(s, "cases", NULL, columns, 2);
    size_t i;
    json_t *one;
    json_array_foreach(t->cases, i, one) {
        text how = {0};
        describe_case(t, one, &how);
        report_add_row(table);
        report_add_text(table, "%s", text_of(one, "name"));
        report_add_text(table, "%s", text_string(&how));
        report_set_tone(table, json_is_true(json_object_get(one, "right")) ? REPORT_GOOD : REPORT_BAD);
        text_free(&how);
    }
}

/* ---- findings ---- */

/* Returns the path without folders. */
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A note for each finding; one without a file is about the solution as a whole. */
static void add_findings(report_section *s, const exercise_trial *t) {
    size_t i;
    json_t *finding;
    json_array_foreach(t->findings, i, finding) {
        const char *file = text_of(finding, "file"), *grade = text_of(finding, "grade");
        report_add_note(s, strcmp(grade, "error") == 0 ? REPORT_BAD : REPORT_WARNING, "%s:%lld: %s: %s: %s",
                        *file ? file_name(file) : t->source, number_of(finding, "line"), grade,
                        text_of(finding, "kind"), text_of(finding, "what"));
    }
}

/* ---- needs ---- */

/* Adds the table of needs, which is empty unless traffic was counted. */
static void add_needs(report_section *s, const exercise_trial *t) {
    static const report_column columns[] = {
        {"need", "Needed", REPORT_TEXT, NULL},
        {"measured", "Measured", REPORT_COUNT, "sum over all launches of the measured case"},
        {"limit", "At least / at most", REPORT_TEXT, NULL},
    };
    if (!t->counted || !exercise_need_count(t->exercise)) return;
    char number[REPORT_NUMBER_SIZE];
    report_table *table = report_add_table(s, "needs", NULL, columns, 3);
    for (size_t i = 0; i < exercise_need_count(t->exercise); i++) {
        const exercise_need need = exercise_need_of(t, i);
        report_add_row(table);
        report_add_text(table, "%s", need.what);
        report_add_number(table, round(need.value));
        report_set_tone(table, need.holds ? REPORT_GOOD : REPORT_BAD);
        report_add_text(table, "at %s %s", need.at_least ? "least" : "most",
                        report_format(REPORT_COUNT, floor(need.limit), number));
    }
}

/* ---- a test ---- */

/* Begins the section, with what the program printed. */
static report_section *start(report_document *d, const exercise_trial *t, const char *what) {
    char title[512];
    snprintf(title, sizeof title, "%s of %s", what, t->source);
    report_section *s = report_add_section(d, t->exercise->name, title);
    if (t->output.length) report_add_code(s, text_string(&t->output));
    return s;
}

/* The last line says whether the test passed. A hint is shown only if it did not. */
void exercise_report_test(report_document *d, const exercise_trial *t) {
    report_section *s = start(d, t, "Test");
    add_cases(s, t);
    add_findings(s, t);
    add_needs(s, t);
    const char *hint = exercise_hint_for(t);
    if (t->ended) report_add_note(s, REPORT_BAD, "%s %s", t->source, ended_text(t->ended));
    if (hint) report_add_note(s, REPORT_WARNING, "Hint: %s", hint);
    if (exercise_passes(t) && exercise_on_gpu(t->values))
        report_check(s, true, "%s is right on the GPU; without --device gpu, its memory traffic is looked at too",
                     t->source);
    else if (exercise_passes(t))
        report_check(s, true, "%s solves %s; `haul exercise score %s` compares it with the shipped solution", t->source,
                     t->exercise->name, t->exercise->name);
    else
        report_check(s, false, "%s does not solve %s yet", t->source, t->exercise->name);
}

/* ---- a score ---- */

static const char *const titles[EXERCISE_METRICS] = {
#define METRIC(id, name, title, least, ...) [EXERCISE_##id] = title,
#include "cli/exercise/metrics.def"
#undef METRIC
};

/* Results may stay in L2, so the ideal of device memory is shown only if it is what counts. */
static double shown_ideal(const exercise_trial *t, exercise_metric m) {
    const bool hidden = m == EXERCISE_DEVICE_SECTORS && exercise_scored_sectors(t->exercise) != m;
    return hidden ? 0 : exercise_ideal_of(t, m);
}

/* A row: the metric of both solutions, and the ideal if there is one. */
static void add_metric(report_table *table, exercise_metric m, const exercise_trial *own,
                       const exercise_trial *shipped) {
    const double ideal = shown_ideal(own, m);
    report_add_row(table);
    report_add_text(table, "%s", titles[m]);
    report_add_number(table, own->metric[m]);
    report_add_number(table, shipped->metric[m]);
    if (ideal > 0)
        report_add_number(table, ideal);
    else
        report_add_empty(table);
}

static void add_metrics(report_section *s, const exercise_trial *own, const exercise_trial *shipped) {
    static const report_column columns[] = {
        {"what", "Measured case", REPORT_TEXT, NULL},
        {"own", "Yours", REPORT_COUNT, NULL},
        {"shipped", "Shipped", REPORT_COUNT, "the solution that comes with haul"},
        {"ideal", "Ideal", REPORT_COUNT, "each byte moved once; the time that a copy of as many bytes takes"},
    };
    report_table *table = report_add_table(s, "metrics", NULL, columns, 4);
    for (exercise_metric m = 0; m < EXERCISE_METRICS; m++) add_metric(table, m, own, shipped);
}

/* A row for each part of the score; deductions have a maximum of 0. */
static void add_points(report_section *s, const exercise_trial *own, const exercise_score *score) {
    static const report_column columns[] = {{"part", "Part", REPORT_TEXT, NULL},
                                            {"points", "Points", REPORT_COUNT, NULL},
                                            {"of", "Of", REPORT_COUNT, NULL}};
    const struct {
        const char *name;
        double points, of;
    } rows[] = {{"time", score->time, 50},
                {titles[exercise_scored_sectors(own->exercise)], score->sectors, 25},
                {"wavefronts", score->wavefronts, 25},
                {"kinds of findings", -10. * (double)score->findings, 0},
                {"needs that do not hold", -20. * (double)score->needs, 0},
                {"score", score->points, 100}};
    report_table *table = report_add_table(s, "points", NULL, columns, 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        report_add_row(table);
        report_add_text(table, "%s", rows[i].name);
        report_add_number(table, rows[i].points);
        report_add_number(table, rows[i].of);
    }
}

/* A solution that does not pass its cases gets its cases instead of points. */
void exercise_report_score(report_document *d, const exercise_trial *own, const exercise_trial *shipped,
                           const exercise_trial *gpu) {
    report_section *s = start(d, own, "Score");
    const exercise_score score = exercise_score_of(own, shipped);
    if (!score.points && (own->ended || exercise_failing_case(own))) {
        add_cases(s, own);
        report_add_note(s, REPORT_WARNING, "`haul exercise test %s` says what is wrong", own->exercise->name);
    } else {
        add_metrics(s, own, shipped);
        add_needs(s, own);
        add_points(s, own, &score);
    }
    add_findings(s, own);
    if (gpu && gpu->measured)
        report_add_paragraph(s, "On the GPU: %.2f us, %.1f GB/s, %.1f %% of a copy's rate.", gpu->us,
                             gpu->bytes / gpu->us / 1000, 100 * gpu->ideal_us / gpu->us);
    report_check(s, score.points > 0, "score %d of 100", score.points);
}
