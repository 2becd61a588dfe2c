/* The experiment `saxpy`: forms of one kernel as the rungs of a ladder, from a word a thread to bulk copies.
 *
 * The rungs are the shipped forms of haul_saxpy(), in their order, without AUTO. They are measured twice: on few
 * floats, with few blocks, for counters, and on more floats for the model's time. The second launches do not run on a
 * GPU. */
#include "cli/lab/time.h"
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <math.h>

/* BLOCKS: few enough that a striding thread makes four rounds. MANY: enough floats that moving them takes the time. */
enum { FLOATS = 1 << 20, BLOCKS = 256, MANY = 1 << 21 };

static const float alpha = 1.5f;

static const report_column columns[] = {
    {"rung", "Rung", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"loads", "Loads", REPORT_COUNT, "warps' loads from global memory into registers"},
    {"stores", "Stores", REPORT_COUNT, "warps' stores to global memory"},
    {"ldgsts", "LDGSTS", REPORT_COUNT, "warps' asynchronous copies"},
    {"bulk", "Bulk", REPORT_COUNT, "bulk copies"},
    {"shared_loads", "Shared", REPORT_COUNT, "warps' loads from shared memory"},
    {"read", "Read", REPORT_BYTES, "from L2"},
    {"written", "Written", REPORT_BYTES, "to L2"},
    {"blocks", "Blocks/SM", REPORT_COUNT, "that can reside on an SM at once"},
    {"ahead", "Ahead/SM", REPORT_BYTES, "that the resident threads can have requested when they first wait"},
};

/* `ahead` of a form is what a thread requests before it first waits; the resident warps multiply it. */
static void add_row(report_table *t, unsigned rung, const haul_launch_record *r) {
    const double *n = r->counters;
    report_add_row(t);
    report_add_text(t, "%s", haul_saxpy_forms[rung].label);
    report_add_number(t, n[HAUL_COUNTER_INST_EXECUTED]);
    report_add_number(t, (double)r->classes[HAUL_CLASS_GLOBAL_LOAD].instructions);
    report_add_number(t, (double)r->classes[HAUL_CLASS_GLOBAL_STORE].instructions);
    report_add_number(t, n[HAUL_COUNTER_INST_LDGSTS]);
    report_add_number(t, n[HAUL_COUNTER_INST_TMA_LD]);
    report_add_number(t, (double)r->classes[HAUL_CLASS_SHARED_LOAD].instructions);
    report_add_number(t, 32 * n[HAUL_COUNTER_L2_READ_SECTORS]);
    report_add_number(t, 32 * n[HAUL_COUNTER_L2_WRITE_SECTORS]);
    report_add_number(t, r->occupancy.blocks_per_sm);
    report_add_number(t, 32.0 * r->occupancy.warps_per_sm * haul_saxpy_forms[rung].ahead);
}

/* Launches of either size through the kernel's host function; `with` is the form. */
static haul_status call(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const haul_saxpy_form *form = with;
    return haul_saxpy(kernels, *form, FLOATS, alpha, a[0].buffer, a[1].buffer, run);
}

static haul_status call_many(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const haul_saxpy_form *form = with;
    return haul_saxpy(kernels, *form, MANY, alpha, a[0].buffer, a[1].buffer, run);
}

/* Inputs and the host's result. The kernel's y is both, so `y` is its contents before. */
typedef struct vectors {
    const float *x, *y;
    float *result;
    size_t floats;
} vectors;

/* fmaf() rounds once, as the kernel's instruction does. */
static vectors make_vectors(lab_workbench *b, size_t floats) {
    vectors v = {lab_floats(b, floats, 1), lab_floats(b, floats, 7), lab_untouched(b, floats), floats};
    for (size_t i = 0; v.x && v.y && v.result && i < floats; i++) v.result[i] = fmaf(alpha, v.x[i], v.y[i]);
    return v;
}

/* Measures one rung on the vectors. HAUL_ERROR_UNSUPPORTED: the machine lacks what it uses. */
static haul_status measure(lab_workbench *b, haul_saxpy_form rung, const vectors *v, haul_launch_record *record) {
    lab_launch launch = {.kernel = haul_saxpy_forms[rung].kernel,
                         .function = v->floats == FLOATS ? call : call_many,
                         .with = &rung,
                         .arguments = {lab_input(v->x, v->floats), lab_result(v->y, v->result, v->floats)}};
    return lab_measure(b, &launch, record);
}

/* Measures the rungs and passes each record to `add`. Rungs that the machine does not support get a note. */
static haul_status measure_rungs(lab_workbench *b, const vectors *v,
                                 void (*add)(void *table, unsigned rung, const haul_launch_record *), void *table) {
    for (unsigned rung = HAUL_SAXPY_AUTO + 1; rung < HAUL_SAXPY_FORMS; rung++) {
        haul_launch_record record;
        const haul_status status = measure(b, (haul_saxpy_form)rung, v, &record);
        if (status == HAUL_ERROR_UNSUPPORTED) {
            report_add_note(b->section, REPORT_MUTED, "%s: not on this machine", haul_saxpy_forms[rung].label);
            continue;
        }
        HAUL_TRY(status);
        add(table, rung, &record);
    }
    return HAUL_OK;
}

/* The table and charts that add_rung() adds to. */
typedef struct rungs {
    report_table *table;
    report_chart *chart;
    report_series *series;
} rungs;

/* Categories of a chart count from 0, rungs from 1. */
static void add_rung(void *table, unsigned rung, const haul_launch_record *record) {
    const rungs *r = table;
    add_row(r->table, rung, record);
    report_add_category(r->chart, "%s", haul_saxpy_forms[rung].label);
    report_add_point(r->series, rung - 1.0, record->counters[HAUL_COUNTER_INST_EXECUTED]);
}

static void add_time(void *table, unsigned rung, const haul_launch_record *record) {
    lab_add_time_row(table, haul_saxpy_forms[rung].label, record);
}

haul_status lab_run_saxpy(lab_workbench *b) {
    const vectors few = make_vectors(b, FLOATS), many = make_vectors(b, MANY);
    rungs r = {.table =
                   report_add_table(b->section, "rungs", "2^20 floats", columns, sizeof columns / sizeof columns[0])};
    r.chart = report_add_chart(b->section, "instructions", "Warp instructions for the same bytes", REPORT_BARS,
                               (report_axis){"rung", REPORT_LINEAR, REPORT_TEXT},
                               (report_axis){"instructions", REPORT_LINEAR, REPORT_COUNT});
    r.series = report_add_series(r.chart, "instructions", REPORT_SOLID);
    lab_limit_blocks(b, BLOCKS);
    HAUL_TRY(measure_rungs(b, &few, add_rung, &r));
    lab_limit_blocks(b, 0);
    b->only_simulates = true;
    return measure_rungs(b, &many, add_time, lab_add_time_table(b->section, "2^21 floats, time by the model"));
}
