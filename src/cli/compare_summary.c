/* Implements cli/compare_summary.h: collects pairs and times, and makes tables and JSON of them.
 *
 * Only pairs outside the recorded range are kept; of the others the counts are enough. Errors are computed when the
 * table is made: for each counter in turn its differences are copied to one array, `room`, and sorted there. The number
 * of differences is small against that of pairs, so scanning all of them for each counter costs little. */
#include "cli/compare_summary.h"

#include "base/memory.h"
#include "base/status.h"
#include "report/document.h"
#include "report/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double SHORTEST_US = 3;  /* below, a launch's overhead is most of its time */
static const double SAME_TIME = 0.02; /* times that differ by less can be in the other order in the next measurement */

void compare_summary_free(compare_summary *s) {
    memory_free(s->differences);
    memory_free(s->times);
    *s = (compare_summary){0};
}

/* ---- adding ---- */

/* Both functions keep the pointer to the launch, whose list must outlive the summary. */
static haul_status add_difference(compare_summary *s, const launch_description *launch, const compare_pair *p) {
    compare_difference *grown =
        memory_grow(s->differences, s->difference_count, &s->difference_capacity, sizeof *s->differences);
    if (!grown) return haul_no_memory("the comparison");
    s->differences = grown;
    s->differences[s->difference_count++] = (compare_difference){launch, *p};
    return HAUL_OK;
}

static haul_status add_time(compare_summary *s, const launch_description *launch, double estimate_us) {
    compare_time *grown = memory_grow(s->times, s->time_count, &s->time_capacity, sizeof *s->times);
    if (!grown) return haul_no_memory("the comparison");
    s->times = grown;
    s->times[s->time_count++] = (compare_time){launch, estimate_us};
    return HAUL_OK;
}

/* A pair that is zero on both sides says nothing about the model, so it counts neither as equal nor as agreeing. */
static haul_status add_pair(compare_summary *s, const launch_description *launch, const compare_pair *p) {
    compare_counts *c = &s->counters[p->counter];
    if (compare_is_zero(p)) {
        c->zeros++;
        return HAUL_OK;
    }
    if (p->is_ordered) {
        c->ordered++;
        c->inside += p->agrees;
        return add_difference(s, launch, p);
    }
    c->pairs++;
    c->equal += p->equal;
    c->agreeing += p->agrees;
    return p->equal ? HAUL_OK : add_difference(s, launch, p);
}

/* A launch without a recorded time, or without an estimate, adds no time. */
haul_status compare_summary_add(compare_summary *s, const launch_description *launch, const haul_launch_record *record,
                                const compare_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) HAUL_TRY(add_pair(s, launch, &pairs[i]));
    if (launch->us > 0 && record->estimate_us > 0) HAUL_TRY(add_time(s, launch, record->estimate_us));
    return HAUL_OK;
}

/* ---- text ---- */

/* Errors in ascending order, of `count` pairs or times. */
typedef struct errors {
    double *items; /* in `room`, which the caller owns and the next counter reuses */
    size_t count;
} errors;

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The error that `share` of all do not exceed; NaN, shown as "-", if there is none. */
static double quantile(const errors *e, double share) {
    if (!e->count) return NAN;
    const size_t at = (size_t)(share * (double)e->count);
    return e->items[at < e->count ? at : e->count - 1];
}

/* Errors, in percent, of the counter's pairs that do not agree; of INFO, which always do, of those that are not equal.
 */
static errors errors_of(const compare_summary *s, haul_counter counter, double *room) {
    errors e = {room, 0};
    const bool is_info = haul_counters[counter].grade == HAUL_COUNTER_INFO;
    for (size_t i = 0; i < s->difference_count; i++) {
        const compare_pair *p = &s->differences[i].pair;
        if (p->counter == counter && !p->is_ordered && (is_info || !p->agrees))
            e.items[e.count++] = 100 * compare_error(p);
    }
    qsort(e.items, e.count, sizeof *e.items, by_size);
    return e;
}

/* Returns the factors by which estimates are too long or too short. */
static errors errors_of_times(const compare_summary *s, double *room) {
    errors e = {room, s->time_count};
    for (size_t i = 0; i < s->time_count; i++) {
        const double ratio = s->times[i].estimate_us / s->times[i].launch->us;
        e.items[i] = ratio < 1 ? 1 / ratio : ratio;
    }
    qsort(e.items, e.count, sizeof *e.items, by_size);
    return e;
}

/* Adds a row for each counter with pairs that are not zero. Counters of grade INFO are not compared, so the cell for
 * agreeing pairs stays empty. */
static void add_counters(const compare_summary *s, report_section *section, double *room) {
    static const report_column columns[] = {
        {"counter", "Counter", REPORT_TEXT, NULL},
        {"grade", "Grade", REPORT_TEXT, NULL},
        {"pairs", "Not zero", REPORT_COUNT, "pairs that are not zero on both sides"},
        {"equal", "Equal", REPORT_COUNT, "of these, in the recorded range"},
        {"agreeing", "Agree", REPORT_COUNT, "of these, as far as the grade asks"},
        {"ordered", "By order", REPORT_COUNT, "further pairs, which depend on the order of blocks"},
        {"inside", "Inside", REPORT_COUNT, "of these, recorded within the range over orders"},
        {"median_error", "Median error", REPORT_PERCENT, "of the others"},
        {"worst_error", "Worst", REPORT_PERCENT, NULL},
    };
    report_table *t = report_add_table(section, "counters", NULL, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < HAUL_COUNTER_COUNT; i++) {
        const compare_counts *c = &s->counters[i];
        if (!c->pairs && !c->ordered) continue;
        const errors e = errors_of(s, (haul_counter)i, room);
        report_add_row(t);
        report_add_text(t, "%s", haul_counters[i].key);
        report_add_text(t, "%s", compare_grade_name((haul_counter)i));
        report_add_number(t, (double)c->pairs);
        report_add_number(t, (double)c->equal);
        if (haul_counters[i].grade == HAUL_COUNTER_INFO)
            report_add_empty(t);
        else
            report_add_number(t, (double)c->agreeing);
        report_add_number(t, c->ordered ? (double)c->ordered : NAN);
        report_add_number(t, c->ordered ? (double)c->inside : NAN);
        report_add_number(t, quantile(&e, 0.5));
        report_add_number(t, quantile(&e, 1));
    }
}

/* Whether both launches do the same work: the kernels have the same name, and the arguments the same sizes and numbers.
 * They differ in their code, their grid or their block: they are variants of one kernel. */
static bool are_variants(const launch_description *a, const launch_description *b) {
    if (a->argument_count != b->argument_count || strcmp(a->kernel, b->kernel) != 0) return false;
    for (size_t i = 0; i < a->argument_count; i++) {
        const launch_argument *x = &a->arguments[i], *y = &b->arguments[i];
        if (x->kind != y->kind || x->words != y->words || x->integer != y->integer) return false;
    }
    return true;
}

static bool is_faster(const launch_description *a, const launch_description *b) {
    return a->us < b->us * (1 - SAME_TIME);
}

/* Kendall's tau between variants: of the pairs of variants whose recorded times differ, the share that the estimates
 * order as recorded, less the share in the other order. NaN, shown as "-", if there is no pair. */
static double rank_correlation(const compare_summary *s) {
    size_t pairs = 0;
    double sum = 0;
    for (size_t i = 0; i < s->time_count; i++) {
        for (size_t j = 0; j < s->time_count; j++) {
            const compare_time *a = &s->times[i], *b = &s->times[j];
            if (i == j || !is_faster(a->launch, b->launch) || !are_variants(a->launch, b->launch)) continue;
            pairs++;
            sum += (a->estimate_us < b->estimate_us) - (a->estimate_us > b->estimate_us);
        }
    }
    return pairs ? sum / (double)pairs : NAN;
}

/* The mean error in percent of recorded times that are not too short to tell one kernel from another; NaN if there is
 * none. */
static double mean_error(const compare_summary *s) {
    size_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < s->time_count; i++) {
        const double us = s->times[i].launch->us;
        if (us < SHORTEST_US) continue;
        count++;
        sum += fabs(s->times[i].estimate_us - us) / us;
    }
    return count ? 100 * sum / (double)count : NAN;
}

/* Adds one row over all recorded times; no table if there is none. */
static void add_times(const compare_summary *s, report_section *section, double *room) {
    static const report_column columns[] = {
        {"launches", "Recorded times", REPORT_COUNT, NULL},
        {"median", "Estimates off by, median", REPORT_RATIO, "a ratio, whichever is longer"},
        {"nine_of_ten", "Nine of ten", REPORT_RATIO, "at most"},
        {"worst", "Worst", REPORT_RATIO, NULL},
        {"mean_error", "Mean error", REPORT_PERCENT, "of the launches of 3 us and more"},
        {"tau", "Kendall's tau", REPORT_RATIO, "between variants of the same kernel"},
    };
    if (!s->time_count) return;
    const errors e = errors_of_times(s, room);
    report_table *t = report_add_table(section, "times", NULL, columns, sizeof columns / sizeof *columns);
    report_add_row(t);
    report_add_number(t, (double)e.count);
    report_add_number(t, quantile(&e, 0.5));
    report_add_number(t, quantile(&e, 0.9));
    report_add_number(t, quantile(&e, 1));
    report_add_number(t, mean_error(s));
    report_add_number(t, rank_correlation(s));
}

/* `room` has space for the errors of any counter, and for those of the times. */
haul_status compare_summary_put_text(compare_summary *s, text *out) {
    const size_t most = s->difference_count > s->time_count ? s->difference_count : s->time_count;
    double *room = memory_alloc((most + 1) * sizeof *room);
    if (!room) return haul_no_memory("the comparison");
    report_document *d = report_document_new("compare", NULL);
    report_section *section = report_add_section(d, "summary", "By counter");
    add_counters(s, section, room);
    add_times(s, section, room);
    haul_status status =
        d ? report_write_text(d, report_terminal_of(STDOUT_FILENO), out) : haul_no_memory("the comparison");
    report_document_free(d);
    memory_free(room);
    return status;
}

/* ---- JSON ---- */

json_t *compare_orders_json(const compare_pair *p) {
    return json_pack("[o, o]", report_json_number(p->orders.low), report_json_number(p->orders.high));
}

static json_t *difference_json(const compare_difference *d) {
    const compare_pair *p = &d->pair;
    json_t *object = json_pack("{s:I, s:o, s:o, s:o, s:o, s:f, s:b}", "id", (json_int_t)d->launch->id, "kernel",
                               report_json_string(d->launch->kernel), "low", report_json_number(p->low), "high",
                               report_json_number(p->high), "ours", report_json_number(p->ours), "error",
                               compare_error(p), "agrees", p->agrees);
    if (p->is_ordered) json_object_set_new(object, "orders", compare_orders_json(p));
    return object;
}

/* Counters without pairs are listed, too: `zero_pairs` then shows that the counter was recorded. `not_compared` is the
 * reason if the model does not claim the counter. */
static json_t *counter_json(const compare_summary *s, haul_counter counter) {
    const compare_counts *c = &s->counters[counter];
    const char *reason = compare_reason(counter);
    json_t *differences = json_array();
    for (size_t i = 0; i < s->difference_count; i++) {
        if (s->differences[i].pair.counter == counter)
            json_array_append_new(differences, difference_json(&s->differences[i]));
    }
    json_t *object =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "counter", haul_counters[counter].key, "grade",
                  compare_grade_name(counter), "zero_pairs", (json_int_t)c->zeros, "nonzero_pairs",
                  (json_int_t)c->pairs, "equal", (json_int_t)c->equal, "agreeing", (json_int_t)c->agreeing, "ordered",
                  (json_int_t)c->ordered, "inside", (json_int_t)c->inside, "differences", differences);
    if (reason) json_object_set_new(object, "not_compared", json_string(reason));
    return object;
}

/* Adds the fields `counters` and `times` to the object with the sums. */
void compare_summary_put_json(const compare_summary *s, json_t *object) {
    json_t *counters = json_array(), *times = json_array();
    for (int i = 0; i < HAUL_COUNTER_COUNT; i++) json_array_append_new(counters, counter_json(s, (haul_counter)i));
    for (size_t i = 0; i < s->time_count; i++) {
        const compare_time *t = &s->times[i];
        json_array_append_new(times, json_pack("{s:I, s:o, s:f, s:f}", "id", (json_int_t)t->launch->id, "kernel",
                                               report_json_string(t->launch->kernel), "us", t->launch->us,
                                               "estimate_us", t->estimate_us));
    }
    json_object_set_new(object, "counters", counters);
    json_object_set_new(object, "times", times);
}
