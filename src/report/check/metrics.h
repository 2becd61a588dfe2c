/* The metrics of expectations, computed from a launch's record. */
#ifndef HAUL_REPORT_CHECK_METRICS_H
#define HAUL_REPORT_CHECK_METRICS_H

#include "report/check/scope.h"
#include "report/format.h"

#include <haul/run.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A metric, and the instructions that it covers. */
typedef struct report_metric {
    const char *name;
    report_unit unit;
    int row;          /* row of metrics.def; negative: a counter */
    bool of_launch;   /* the metric has no value for a line */
    uint32_t classes; /* bits of haul_memory_class */
    haul_counter counter;
} report_metric;

/* Finds a metric by its name; false if there is none. */
bool report_find_metric(const char *name, report_metric *metric);
/* Limits it to the group's instructions. Returns NULL, or the error: "no such group of instructions", "... does not
 * count them". */
const char *report_limit_metric(report_metric *metric, const char *group);

typedef enum report_reading {
    REPORT_READ,
    REPORT_NOTHING, /* no such instruction was executed there */
    REPORT_UNKNOWN  /* the record lacks it */
} report_reading;

/* The metric's value over the scope's lines, or the whole launch if it names no line. Percentages are 0..100. */
report_reading report_read_metric(const report_metric *metric, const report_scope *scope, report_sources *sources,
                                  const haul_launch_record *record, double *value);

/* The instruction with the most of the metric, or the least; NULL if none has any. For metrics of instructions. */
const haul_instruction_record *report_worst_instruction(const report_metric *metric, const haul_launch_record *record,
                                                        bool most);

/* The metric at this place of metrics.def; false after the last. */
bool report_metric_at(size_t index, report_metric *metric);
/* The value of a metric of instructions over traffic by class. */
report_reading report_read_traffic(const report_metric *metric, const haul_traffic classes[HAUL_CLASS_COUNT],
                                   double *value);

/* Calls `visit` for each name: metrics, then metrics of launches, then groups (unit REPORT_TEXT). */
void report_visit_metrics(void (*visit)(void *context, const char *name, report_unit unit, bool group,
                                        const char *text),
                          void *context);

#endif
