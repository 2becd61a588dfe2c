/* The experiment `maxpool`: the largest of 31 neighbours, read from global memory each time, or staged in shared
 * memory. The plain form asks L1 for each element up to 31 times. These are hits, but each takes L1's bandwidth, and
 * bytes of sectors for an output show how much. */
#include "cli/lab/workbench.h"

#include "base/status.h"

enum { FLOATS = 1 << 16, RADIUS = 15 };

static const report_column columns[] = {
    {"form", "Form", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"loads", "Loads", REPORT_COUNT, "warps' loads from global memory"},
    {"sectors", "L1 sectors", REPORT_COUNT, "sectors that these touch"},
    {"per_output", "Bytes/output", REPORT_RATIO, "bytes of those sectors for each output; 4 are needed"},
    {"hit_rate", "L1 hits", REPORT_PERCENT, NULL},
    {"l2_sectors", "L2 sectors", REPORT_COUNT, "sectors read from L2"},
    {"shared_loads", "Shared loads", REPORT_COUNT, "warps' loads from shared memory"},
    {"conflicts", "Conflicts", REPORT_COUNT, "wavefronts that bank conflicts add to these"},
};

/* Four bytes an output would be each element once. */
static void add_row(report_table *t, const char *label, const haul_launch_record *r) {
    const haul_traffic *load = &r->classes[HAUL_CLASS_GLOBAL_LOAD];
    report_add_row(t);
    report_add_text(t, "%s", label);
    report_add_number(t, r->counters[HAUL_COUNTER_INST_EXECUTED]);
    report_add_number(t, (double)load->instructions);
    report_add_number(t, (double)load->sectors);
    report_add_number(t, 32.0 * (double)load->sectors / FLOATS);
    report_add_number(t, report_percent((double)load->hits, (double)load->sectors));
    report_add_number(t, r->counters[HAUL_COUNTER_L2_READ_SECTORS]);
    report_add_number(t, (double)r->classes[HAUL_CLASS_SHARED_LOAD].instructions);
    report_add_number(t, r->counters[HAUL_COUNTER_SHARED_LD_CONFLICTS]);
}

/* Neighbours outside of the array do not count. */
static void compute(const float *in, float *out) {
    for (int i = 0; i < FLOATS; i++) {
        int from = i < RADIUS ? 0 : i - RADIUS, to = i < FLOATS - RADIUS ? i + RADIUS : FLOATS - 1;
        out[i] = in[from];
        for (int k = from + 1; k <= to; k++) out[i] = in[k] > out[i] ? in[k] : out[i];
    }
}

/* Launches through the kernel's host function; `with` is the form. */
static haul_status call(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const haul_maxpool15_form *form = with;
    return haul_maxpool15(kernels, *form, FLOATS, a[0].buffer, a[1].buffer, run);
}

/* All forms compute the same bits: a maximum does not depend on the order. */
haul_status lab_run_maxpool(lab_workbench *b) {
    const float *in = lab_floats(b, FLOATS, 1);
    float *out = lab_untouched(b, FLOATS);
    if (in && out) compute(in, out);
    report_table *t =
        report_add_table(b->section, "forms", "2^16 floats, radius 15", columns, sizeof columns / sizeof columns[0]);
    for (haul_maxpool15_form form = HAUL_MAXPOOL15_PLAIN; form < HAUL_MAXPOOL15_FORMS; form++) {
        lab_launch launch = {.kernel = haul_maxpool15_forms[form].kernel,
                             .function = call,
                             .with = &form,
                             .arguments = {lab_input(in, FLOATS), lab_result(NULL, out, FLOATS)}};
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, haul_maxpool15_forms[form].label, &record);
        if (form == HAUL_MAXPOOL15_PLAIN) lab_show_memory(b, "Plain max pooling", &record);
    }
    return HAUL_OK;
}
