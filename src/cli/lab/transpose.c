/* The experiment `transpose`: the forms of haul_transpose(). Written by columns, each lane's word takes a sector of its
 * own, so the stores of the plain form move eight times the sectors that are needed. The others go through shared
 * memory or registers, and differ in bank conflicts, in memory, and in how much they request ahead. */
#include "cli/lab/workbench.h"

#include "base/status.h"

enum { ROWS = 512, COLUMNS = 384, FLOATS = ROWS * COLUMNS };

static const report_column columns[] = {
    {"form", "Form", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"loads", "Loads", REPORT_COUNT, "warps' loads from global memory"},
    {"load_sectors", "sectors", REPORT_COUNT, "that these touch"},
    {"stores", "Stores", REPORT_COUNT, "warps' stores to global memory"},
    {"store_sectors", "sectors", REPORT_COUNT, "that these touch"},
    {"shared", "Shared wavefronts", REPORT_COUNT, "of loads and stores"},
    {"conflicts", "Conflicts", REPORT_COUNT, "of these, those that bank conflicts add"},
    {"tile", "Shared memory", REPORT_BYTES, "of a block"},
    {"ahead", "Ahead/SM", REPORT_BYTES, "that the resident threads can have requested when they first wait"},
};

/* Conflicts are those of loads and stores together. */
static void add_row(report_table *t, const haul_kernel_form *form, const haul_launch_record *r) {
    const double *n = r->counters;
    const haul_traffic *load = &r->classes[HAUL_CLASS_GLOBAL_LOAD], *store = &r->classes[HAUL_CLASS_GLOBAL_STORE];
    double conflicts = n[HAUL_COUNTER_SHARED_LD_CONFLICTS] + n[HAUL_COUNTER_SHARED_ST_CONFLICTS];
    report_add_row(t);
    report_add_text(t, "%s", form->label);
    report_add_number(t, n[HAUL_COUNTER_INST_EXECUTED]);
    report_add_number(t, (double)load->instructions);
    report_add_number(t, (double)load->sectors);
    report_add_number(t, (double)store->instructions);
    report_add_number(t, (double)store->sectors);
    report_add_number(t, n[HAUL_COUNTER_SHARED_LD_WAVEFRONTS] + n[HAUL_COUNTER_SHARED_ST_WAVEFRONTS]);
    report_add_number(t, conflicts);
    report_set_tone(t, conflicts > 0 ? REPORT_WARNING : REPORT_GOOD);
    report_add_number(t, r->occupancy.shared_per_block);
    report_add_number(t, 32.0 * r->occupancy.warps_per_sm * form->ahead);
}

/* Launches through the kernel's host function; `with` is the form. */
static haul_status call(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const haul_transpose_form *form = with;
    return haul_transpose(kernels, *form, ROWS, COLUMNS, a[0].buffer, a[1].buffer, run);
}

/* The matrix is not square, so that rows and columns cannot be mixed up unnoticed. */
haul_status lab_run_transpose(lab_workbench *b) {
    const float *in = lab_floats(b, FLOATS, 1);
    float *out = lab_untouched(b, FLOATS);
    for (size_t i = 0; in && out && i < FLOATS; i++) out[i % COLUMNS * ROWS + i / COLUMNS] = in[i];
    report_table *t =
        report_add_table(b->section, "forms", "512 x 384 floats", columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = HAUL_TRANSPOSE_PLAIN; i < HAUL_TRANSPOSE_FORMS; i++) {
        haul_transpose_form form = (haul_transpose_form)i;
        lab_launch launch = {.kernel = haul_transpose_forms[form].kernel,
                             .function = call,
                             .with = &form,
                             .arguments = {lab_input(in, FLOATS), lab_result(NULL, out, FLOATS)}};
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, &haul_transpose_forms[form], &record);
        if (form == HAUL_TRANSPOSE_WIDE) lab_show_memory(b, "The wide padded tile", &record);
    }
    return HAUL_OK;
}
