/* The experiment `matvec`: y = A x by the forms of haul_matvec(). All of them need each element of A once; the forms
 * differ in how many sectors their loads touch in L1 for it, and in where x is kept. */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <math.h>

enum { ROWS = 1024, COLUMNS = 1024, FLOATS = ROWS * COLUMNS };

static const report_column columns[] = {
    {"form", "Form", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"loads", "Loads", REPORT_COUNT, "warps' loads from global memory, of A and of x"},
    {"sectors", "L1 sectors", REPORT_COUNT, "that these touch; A has 131,072"},
    {"hit_rate", "L1 hits", REPORT_PERCENT, NULL},
    {"l2_read", "L2 read", REPORT_BYTES, "A has 4 MiB"},
    {"shared_loads", "Shared loads", REPORT_COUNT, "warps' loads from shared memory"},
    {"conflicts", "Conflicts", REPORT_COUNT, "wavefronts that bank conflicts add to these"},
};

/* One form, from its record. */
static void add_row(report_table *t, const char *label, const haul_launch_record *r) {
    const haul_traffic *load = &r->classes[HAUL_CLASS_GLOBAL_LOAD];
    report_add_row(t);
    report_add_text(t, "%s", label);
    report_add_number(t, r->counters[HAUL_COUNTER_INST_EXECUTED]);
    report_add_number(t, (double)load->instructions);
    report_add_number(t, (double)load->sectors);
    report_add_number(t, report_percent((double)load->hits, (double)load->sectors));
    report_add_number(t, 32 * r->counters[HAUL_COUNTER_L2_READ_SECTORS]);
    report_add_number(t, (double)r->classes[HAUL_CLASS_SHARED_LOAD].instructions);
    report_add_number(t, r->counters[HAUL_COUNTER_SHARED_LD_CONFLICTS]);
}

/* In the order that kernels/matvec.cu states. */
static float dot(const float *a, const float *x) {
    float sums[32] = {0};
    for (size_t j = 0; j < COLUMNS; j++) sums[j / 4 % 32] = fmaf(a[j], x[j], sums[j / 4 % 32]);
    for (size_t step = 16; step > 0; step /= 2) {
        for (size_t l = 0; l < step; l++) sums[l] += sums[l + step];
    }
    return sums[0];
}

/* a[]: A, x, y. `with` is the form. */
static haul_status call(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const haul_matvec_form *form = with;
    return haul_matvec(kernels, *form, ROWS, COLUMNS, a[0].buffer, a[1].buffer, a[2].buffer, run);
}

/* The tables of the plain form show what adjacent lanes a row apart cost. */
haul_status lab_run_matvec(lab_workbench *b) {
    const float *a = lab_floats(b, FLOATS, 1), *x = lab_floats(b, COLUMNS, 7);
    float *y = lab_untouched(b, ROWS);
    for (size_t i = 0; a && x && y && i < ROWS; i++) y[i] = dot(a + i * COLUMNS, x);
    report_table *t =
        report_add_table(b->section, "forms", "1024 x 1024 floats", columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = HAUL_MATVEC_PLAIN; i < HAUL_MATVEC_FORMS; i++) {
        haul_matvec_form form = (haul_matvec_form)i;
        lab_launch launch = {.kernel = haul_matvec_forms[form].kernel,
                             .function = call,
                             .with = &form,
                             .arguments = {lab_input(a, FLOATS), lab_input(x, COLUMNS), lab_result(NULL, y, ROWS)}};
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, haul_matvec_forms[form].label, &record);
        if (form == HAUL_MATVEC_PLAIN) lab_show_memory(b, "A thread a row", &record);
    }
    return HAUL_OK;
}
