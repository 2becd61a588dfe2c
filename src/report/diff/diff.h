/* The changes between two snapshots: launches, source lines, findings and results.
 *
 * Launches are matched by kernel and shape, then by kernel, then, if one is left on either side, with each other. The
 * lines of a launch are matched by content: a line that has only moved, because another was inserted, is the same line.
 * A line that was edited is matched with the one in its place that is most like it. */
#ifndef HAUL_REPORT_DIFF_DIFF_H
#define HAUL_REPORT_DIFF_DIFF_H

#include "report/check/metrics.h"
#include "report/diff/snapshot.h"
#include "report/document.h"

/* A value on both sides; NaN on a side that lacks it. */
typedef struct report_change {
    const char *name;
    report_unit unit;
    double before, after;
} report_change;

/* A line of a launch; NULL on a side that lacks it. */
typedef struct report_line_pair {
    const report_snapshot_line *before, *after;
    bool changed;
} report_line_pair;

/* A finding; NULL on a side that lacks it. */
typedef struct report_finding_pair {
    const report_snapshot_finding *before, *after;
    bool changed;
} report_finding_pair;

typedef struct report_launch_pair {
    const report_snapshot_launch *before, *after;
    report_change *values; /* those that changed */
    size_t value_count;
    report_line_pair *lines; /* all, in the order of the lines after, then those that are gone */
    size_t line_count;
    report_finding_pair *findings;
    size_t finding_count;
    size_t outputs; /* results that differ; 0 if they are not comparable */
    bool changed;
} report_launch_pair;

typedef struct report_diff {
    arena memory;
    const report_snapshot *before, *after;
    report_launch_pair *launches; /* in the order of `after`, then those that are gone */
    size_t launch_count;
    size_t changed; /* launches that differ */
} report_diff;

/* Both snapshots must live as long. Call report_diff_free() also after an error. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status report_diff_make(report_diff *d, const report_snapshot *before, const report_snapshot *after);
void report_diff_free(report_diff *d);

/* Whether two values of a report are the same: whole numbers exactly, others in five digits. */
bool report_same_value(double a, double b);
/* The value of a launch with this name; NULL if it has none, or `launch` is NULL. */
const report_value *report_value_of(const report_snapshot_launch *launch, const char *name);

/* ---- limits: what --fail-on gives ---- */

typedef enum report_limit_kind {
    REPORT_LIMIT_METRIC,   /* of instructions: of the launch, and of each line */
    REPORT_LIMIT_VALUE,    /* of the launch: a metric, a counter, a column of a table */
    REPORT_LIMIT_FINDINGS, /* new findings */
    REPORT_LIMIT_OUTPUTS   /* results that differ */
} report_limit_kind;

/* [GROUP] METRIC>N[%]: it may not grow by more than N; with <, not fall by more. */
typedef struct report_limit {
    report_limit_kind kind;
    const char *text;
    char name[96], group[96]; /* group: "" if none is named */
    report_metric metric;
    bool falls;
    double amount;
    bool is_percent; /* of the value before */
} report_limit;

/* `given` must live as long. Errors: HAUL_ERROR_ARGUMENT with the metric that is meant, or the form. */
haul_status report_read_limit(const char *given, report_limit *limit);

/* A limit that was exceeded. */
typedef struct report_breach {
    const report_limit *limit; /* NULL: a launch is not in the baseline, or is gone */
    const report_launch_pair *launch;
    report_change change; /* of the line if `of_line`, else of the launch */
    bool of_line;
    const report_line_pair *line;           /* the line to blame; NULL: none */
    const report_snapshot_finding *finding; /* a new one, of the limit `findings`; or NULL */
} report_breach;

typedef struct report_breaches {
    arena memory;
    report_breach *items;
    size_t count, capacity;
} report_breaches;

/* Applies each limit to each launch and each line that both sides have. `strict`: a launch that one side lacks is a
 * breach. Errors: HAUL_ERROR_ARGUMENT if no launch has the metric; HAUL_ERROR_OUT_OF_MEMORY. */
haul_status report_judge(const report_diff *d, const report_limit *limits, size_t count, bool strict,
                         report_breaches *breaches);
void report_breaches_free(report_breaches *breaches);

/* ---- writing ---- */

/* Adds a section for each launch that changed, or one that says that none did, and a note for each breach. */
void report_add_diff(report_document *d, const report_diff *diff, const report_breaches *breaches);
/* The same as JSON; the caller owns `*json`. */
haul_status report_diff_json(const report_diff *diff, const report_breaches *breaches, json_t **json);
/* "kernel.cu:12: saxpy: sectors/request grew from 4.00 to 5.00 (+25.0%): more than ..." */
void report_put_breach(const report_breach *breach, text *out);

/* ---- for the parts of this folder ---- */

/* The changed metrics of a class of a line; returns how many, at most `most`. */
size_t report_line_changes(const report_line_pair *pair, haul_memory_class class, report_change *changes, size_t most);

#endif
