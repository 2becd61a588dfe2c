/* The numbers of some launches, for comparison: from records of runs, from what haul printed, or from a baseline.
 *
 * A snapshot is plain data: nothing in it depends on the device or the session that it was made with. All of it lives
 * in its arena. */
#ifndef HAUL_REPORT_DIFF_SNAPSHOT_H
#define HAUL_REPORT_DIFF_SNAPSHOT_H

#include "base/arena.h"
#include "base/text.h"
#include "report/check/check.h"
#include "report/code.h"
#include "report/source.h"

#include <haul/run.h>
#include <haul/status.h>

/* A number of a whole launch: a counter, a metric of launches, or a cell of a table. */
typedef struct report_value {
    const char *name;
    report_unit unit;
    double number;
    double low, high; /* of measured times: the shortest and the longest; else both `number` */
} report_value;

/* A source file; `code` is empty if its text is not known. */
typedef struct report_snapshot_file {
    struct report_snapshot_file *next;
    const char *name;
    report_code code;
} report_snapshot_file;

/* A source line that accesses memory. */
typedef struct report_snapshot_line {
    const char *file; /* a name of report_snapshot_file; "PTX" without line information */
    uint32_t line;    /* 0: unknown */
    const char *code; /* report/code.h; "" if the source is not there */
    haul_traffic classes[HAUL_CLASS_COUNT];
} report_snapshot_line;

typedef struct report_snapshot_finding {
    const char *kind, *file, *code, *what;
    uint32_t line;
    uint64_t count; /* threads */
} report_snapshot_finding;

typedef struct report_snapshot_launch {
    const char *kernel; /* without parameters; of a table its name and the row's texts */
    const char *symbol; /* in full: templates of one name have different ones */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    report_value *values;
    size_t value_count, value_capacity;
    report_snapshot_line *lines; /* by file and line */
    size_t line_count, line_capacity;
    bool has_lines; /* false: the record has none */
    report_snapshot_finding *findings;
    size_t finding_count, finding_capacity;
    bool checked;
    bool zeros_omitted;   /* a counter that is not among the values is 0 */
    const char **outputs; /* hashes of the buffers after the kernel */
    size_t output_count, output_capacity;
} report_snapshot_launch;

typedef struct report_snapshot {
    arena memory;
    const char *label;  /* for people: "saxpy.cu at HEAD~1" */
    const char *device; /* "sim:h100"; NULL: not known */
    /* Files below the first folder are named as if they were in the second; NULL: none are. */
    const char *root, *stands_for;
    report_snapshot_file *files;
    report_snapshot_launch *launches;
    size_t launch_count, launch_capacity;
} report_snapshot;

void report_snapshot_free(report_snapshot *s);

/* Facts that a record lacks. */
typedef struct report_snapshot_facts {
    report_sources *sources;
    const report_verdict *verdict;      /* NULL: the launch was not checked */
    const haul_launch_record *measured; /* the same launch on a GPU, or NULL */
    const uint64_t *outputs;            /* hashes of the launch's buffers after the kernel */
    size_t output_count;
} report_snapshot_facts;

/* Appends a launch. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status report_snapshot_add(report_snapshot *s, const haul_launch_record *record,
                                const report_snapshot_facts *facts);

/* Whether the text holds results rather than launches to run: what report_snapshot_read() takes. */
bool report_is_snapshot(const char *bytes, size_t length);
/* Appends the launches of a baseline, of lines that `haul replay`, `profile --json` or `check --json` printed, or the
 * rows of a report's tables, such as lab.json. `name` stands for the path. Errors: HAUL_ERROR_SYNTAX,
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status report_snapshot_read(report_snapshot *s, const char *name, const char *bytes, size_t length);

/* Writes a baseline, with the launches sorted by kernel: JSON with a line of text for each number of a launch and for
 * each source line, and without line numbers, so that version control shows a change where it is and comments change
 * nothing. */
haul_status report_snapshot_write(report_snapshot *s, text *out);

/* ---- for the parts of this folder: all need the arena's jump point ---- */

report_snapshot_launch *snapshot_push(report_snapshot *s, const char *symbol);
void snapshot_add_value(report_snapshot *s, report_snapshot_launch *launch, const char *name, report_unit unit,
                        double number);
/* The line, added if it is new. */
report_snapshot_line *snapshot_line(report_snapshot *s, report_snapshot_launch *launch, const char *file, uint32_t line,
                                    const char *code);
const char *snapshot_copy(report_snapshot *s, const char *string);

#endif
