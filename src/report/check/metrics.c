/* Metrics that expectations name: reads them from the record of a launch.
 *
 * The rows of metrics.def are quotients of sums over instructions, such as sectors over requests, or values of a whole
 * launch. Counters by name are allowed too. Each metric says for which classes of instructions it is counted; `group
 * metric` narrows that. */
#include "report/check/metrics.h"

#include "report/profile/memory_tables.h"

#include <string.h>

/* ---- the table ---- */

/* Sets of classes, as metrics.def uses them. */
#define OF(class) (1u << HAUL_CLASS_##class)
#define BULK (OF(BULK_LOAD) | OF(BULK_STORE))
#define LDGSTS (OF(LDGSTS_ACCESS) | OF(LDGSTS_BYPASS))
#define TAGGED                                                                                                 \
    (OF(GLOBAL_LOAD) | OF(GLOBAL_STORE) | OF(GLOBAL_ATOMIC) | OF(GLOBAL_REDUCTION) | LDGSTS | OF(LOCAL_LOAD) | \
     OF(LOCAL_STORE))
#define CACHED (OF(GLOBAL_LOAD) | OF(LOCAL_LOAD) | OF(LDGSTS_ACCESS))
#define BANKED (OF(SHARED_LOAD) | OF(SHARED_STORE) | OF(SHARED_ATOMIC) | LDGSTS)
#define MEMORY (TAGGED | BANKED | BULK)

/* part / whole of traffic; for a launch, its value. */
#define METRIC(id, name, unit, classes, part, whole, text)           \
    static void measure_##id(const haul_traffic *t, double out[2]) { \
        (void)t;                                                     \
        out[0] = (double)(part);                                     \
        out[1] = (double)(whole);                                    \
    }
#define LAUNCH_METRIC(id, name, unit, value, text)         \
    static double take_##id(const haul_launch_record *r) { \
        return (double)(value);                            \
    }
#include "report/check/metrics.def"

typedef struct metric_row {
    const char *name, *text;
    report_unit unit;
    uint32_t classes;
    void (*measure)(const haul_traffic *traffic, double out[2]); /* NULL: a metric of launches */
    double (*take)(const haul_launch_record *record);
} metric_row;

static const metric_row rows[] = {
#define METRIC(id, name, unit, classes, part, whole, text) {name, text, REPORT_##unit, classes, measure_##id, NULL},
#define LAUNCH_METRIC(id, name, unit, value, text) {name, text, REPORT_##unit, 0, NULL, take_##id},
#include "report/check/metrics.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct {
    const char *name, *text;
    uint32_t classes;
} groups[] = {
#define GROUP(name, classes, text) {name, text, classes},
#include "report/check/metrics.def"
};
enum { GROUPS = sizeof groups / sizeof *groups };

void report_visit_metrics(void (*visit)(void *context, const char *name, report_unit unit, bool group,
                                        const char *text),
                          void *context) {
    for (size_t i = 0; i < ROWS; i++) visit(context, rows[i].name, rows[i].unit, false, rows[i].text);
    for (size_t i = 0; i < GROUPS; i++) visit(context, groups[i].name, REPORT_TEXT, true, groups[i].text);
}

/* ---- lookup ---- */

/* A counter has no row in the table; it is read from the launch's counters. */
static bool find_counter(const char *name, report_metric *metric) {
    haul_counter counter = haul_counter_find(name);
    if (counter == HAUL_COUNTER_COUNT) return false;
    *metric = (report_metric){
        .name = haul_counters[counter].key, .unit = REPORT_COUNT, .row = -1, .of_launch = true, .counter = counter};
    return true;
}

bool report_metric_at(size_t index, report_metric *metric) {
    if (index >= ROWS) return false;
    *metric = (report_metric){.name = rows[index].name,
                              .unit = rows[index].unit,
                              .row = (int)index,
                              .of_launch = !rows[index].measure,
                              .classes = rows[index].classes};
    return true;
}

bool report_find_metric(const char *name, report_metric *metric) {
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0) return report_metric_at(i, metric);
    return find_counter(name, metric);
}

const char *report_limit_metric(report_metric *metric, const char *group) {
    size_t i = 0;
    while (i < GROUPS && strcmp(groups[i].name, group) != 0) i++;
    if (i == GROUPS) return "no such group of instructions";
    if (metric->of_launch) return "is of the whole launch, not of some instructions";
    /* Bulk copies have sectors, but any number of sectors a request, so they count only if named. */
    uint32_t countable = metric->classes | (metric->classes & OF(GLOBAL_LOAD) && metric->classes != CACHED ? BULK : 0);
    metric->classes = countable & groups[i].classes;
    return metric->classes ? NULL : "is not counted for these instructions";
}

/* ---- reading ---- */

/* Sums the traffic of instructions of the metric's classes within the scope. */
static haul_traffic sum_of(const report_metric *metric, const report_scope *scope, report_sources *sources,
                           const haul_launch_record *record) {
    haul_traffic sum = {0};
    for (size_t i = 0; i < record->instruction_count; i++) {
        const haul_instruction_record *r = &record->instructions[i];
        if (!(metric->classes >> r->memory_class & 1) || !r->traffic.instructions) continue;
        if (!scope->first || report_scope_has_place(scope, sources, &r->place)) haul_traffic_add(&sum, &r->traffic);
    }
    return sum;
}

/* Returns the instruction with the largest or smallest value; NULL if none has any. */
const haul_instruction_record *report_worst_instruction(const report_metric *metric, const haul_launch_record *record,
                                                        bool most) {
    const haul_instruction_record *worst = NULL;
    double worst_value = 0, parts[2];
    for (size_t i = 0; i < record->instruction_count; i++) {
        const haul_instruction_record *r = &record->instructions[i];
        if (!(metric->classes >> r->memory_class & 1) || !r->traffic.instructions) continue;
        rows[metric->row].measure(&r->traffic, parts);
        double value = parts[1] == 0 ? 0 : parts[0] / parts[1];
        if (parts[1] == 0 || (worst && (most ? value <= worst_value : value >= worst_value))) continue;
        worst = r;
        worst_value = value;
    }
    return worst;
}

report_reading report_read_traffic(const report_metric *metric, const haul_traffic classes[HAUL_CLASS_COUNT],
                                   double *value) {
    haul_traffic sum = {0};
    double parts[2];
    for (size_t i = 0; i < HAUL_CLASS_COUNT; i++)
        if (metric->classes >> i & 1) haul_traffic_add(&sum, &classes[i]);
    rows[metric->row].measure(&sum, parts);
    if (parts[1] == 0 || !sum.instructions) return REPORT_NOTHING;
    *value = parts[0] / parts[1];
    return REPORT_READ;
}

static report_reading read_launch(const report_metric *metric, const haul_launch_record *record, double *value) {
    *value = metric->row < 0 ? record->counters[metric->counter] : rows[metric->row].take(record);
    return *value >= 0 ? REPORT_READ : REPORT_UNKNOWN; /* NaN is unknown too */
}

/* A count of a whole launch may be zero; on a line, zero means that the expectation is at the wrong line. */
report_reading report_read_metric(const report_metric *metric, const report_scope *scope, report_sources *sources,
                                  const haul_launch_record *record, double *value) {
    if (metric->of_launch) return read_launch(metric, record, value);
    if (!record->instruction_count) return REPORT_UNKNOWN;
    double parts[2];
    haul_traffic sum = sum_of(metric, scope, sources, record);
    rows[metric->row].measure(&sum, parts);
    if (parts[1] == 0 || (scope->first && !sum.instructions)) return REPORT_NOTHING;
    *value = parts[0] / parts[1];
    return REPORT_READ;
}
