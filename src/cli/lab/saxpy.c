#include "cli/lab/workbench.h"

#include "base/status.h"

#include <math.h>

enum {
    FLOATS = 1 << 20,
    BLOCKS = 256
}; /* BLOCKS: so many that a thread that strides through the array goes four rounds */

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
    {"ahead", "Ahead/SM", REPORT_BYTES, "that the resident threads can have asked for when they first wait"},
};

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

static haul_status call(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const haul_saxpy_form *form = with;
    return haul_saxpy(kernels, *form, FLOATS, alpha, a[0].buffer, a[1].buffer, run);
}

static haul_status measure(lab_workbench *b, haul_saxpy_form rung, const float *x, const float *y, const float *result,
                           haul_launch_record *record) {
    lab_launch launch = {.kernel = haul_saxpy_forms[rung].kernel,
                         .function = call,
                         .with = &rung,
                         .arguments = {lab_input(x, FLOATS), lab_result(y, result, FLOATS)}};
    return lab_measure(b, &launch, record);
}

haul_status lab_run_saxpy(lab_workbench *b) {
    const float *x = lab_floats(b, FLOATS, 1), *y = lab_floats(b, FLOATS, 7);
    float *result = lab_untouched(b, FLOATS);
    for (size_t i = 0; x && y && result && i < FLOATS; i++) result[i] = fmaf(alpha, x[i], y[i]);
    report_table *t = report_add_table(b->section, "rungs", "2^20 floats", columns, sizeof columns / sizeof columns[0]);
    report_chart *c = report_add_chart(b->section, "instructions", "Warp instructions for the same bytes", REPORT_BARS,
                                       (report_axis){"rung", REPORT_LINEAR, REPORT_TEXT},
                                       (report_axis){"instructions", REPORT_LINEAR, REPORT_COUNT});
    report_series *s = report_add_series(c, "instructions", REPORT_SOLID);
    lab_limit_blocks(b, BLOCKS);
    for (unsigned rung = HAUL_SAXPY_AUTO + 1; rung < HAUL_SAXPY_FORMS; rung++) {
        haul_launch_record record;
        haul_status status = measure(b, (haul_saxpy_form)rung, x, y, result, &record);
        if (status == HAUL_ERROR_UNSUPPORTED) {
            report_add_note(b->section, REPORT_MUTED, "%s: not on this machine", haul_saxpy_forms[rung].label);
            continue;
        }
        HAUL_TRY(status);
        add_row(t, rung, &record);
        report_add_category(c, "%s", haul_saxpy_forms[rung].label);
        report_add_point(s, rung - 1.0, record.counters[HAUL_COUNTER_INST_EXECUTED]);
    }
    return HAUL_OK;
}
