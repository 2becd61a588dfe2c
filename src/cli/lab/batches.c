/* The experiment `batches`: four adjacent words a thread, loaded one by one or as a vector. The forms are separate
 * kernels of kernels/batches.cu, which explains how they differ. The result is the input. */
#include "cli/lab/time.h"
#include "cli/lab/workbench.h"

#include "base/status.h"

enum { WORDS = 8192, MANY = 1 << 20, BLOCK = 128 }; /* WORDS: for counters; MANY: for times */

/* Forms from the plainest to the best. */
static const struct {
    const char *kernel, *label;
} forms[] = {
    {"batch_looped", "loop"},
    {"batch_unrolled", "unrolled"},
    {"batch_restrict", "unrolled, __restrict__"},
    {"batch_vector", "int4"},
};

static const report_column columns[] = {
    {"form", "Form", REPORT_TEXT, "how a thread loads its four words"},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"loads", "Loads", REPORT_COUNT, "warps' load instructions, a request each"},
    {"stores", "Stores", REPORT_COUNT, "warps' store instructions, a request each"},
    {"load_sectors", "Load sectors", REPORT_COUNT, "sectors that the loads touch"},
    {"per_request", "Sectors/Req", REPORT_RATIO, "sectors that one request touches"},
    {"hit_rate", "L1 hits", REPORT_PERCENT, "sectors of loads that L1 had"},
    {"l2_sectors", "L2 sectors", REPORT_COUNT, "sectors read from L2: the same for all"},
    {"store_sectors", "Store sectors", REPORT_COUNT, "sectors that the stores touch"},
};

/* Sectors above the ideal are marked: they are requested more than once. */
static void add_row(report_table *t, const char *label, const haul_launch_record *record) {
    const haul_traffic *load = &record->classes[HAUL_CLASS_GLOBAL_LOAD];
    const haul_traffic *store = &record->classes[HAUL_CLASS_GLOBAL_STORE];
    double per_request = report_ratio((double)load->sectors, (double)load->requests);
    report_add_row(t);
    report_add_text(t, "%s", label);
    report_add_number(t, record->counters[HAUL_COUNTER_INST_EXECUTED]);
    report_add_number(t, (double)load->instructions);
    report_add_number(t, (double)store->instructions);
    report_add_number(t, (double)load->sectors);
    report_set_tone(t, load->sectors > load->ideal_sectors ? REPORT_WARNING : REPORT_PLAIN);
    report_add_number(t, per_request);
    report_add_number(t, report_percent((double)load->hits, (double)load->sectors));
    report_add_number(t, record->counters[HAUL_COUNTER_L2_READ_SECTORS]);
    report_add_number(t, (double)store->sectors);
    report_set_tone(t, store->sectors > store->ideal_sectors ? REPORT_WARNING : REPORT_PLAIN);
}

/* Each thread has four words, so the grid has a quarter of the words' threads. */
static haul_status measure(lab_workbench *b, size_t form, const float *in, size_t words, haul_launch_record *record) {
    lab_launch launch = {.module = "batches",
                         .kernel = forms[form].kernel,
                         .grid = {(uint32_t)(words / 4 / BLOCK)},
                         .block = {BLOCK},
                         .arguments = {lab_input(in, words), lab_result(NULL, in, words), lab_u32((uint32_t)words)}};
    return lab_measure(b, &launch, record);
}

/* Adds the model's times, from enough words that moving them, and not the launch, takes the time. */
static haul_status add_times(lab_workbench *b) {
    const float *in = lab_floats(b, MANY, 1);
    b->only_simulates = true;
    report_table *t = lab_add_time_table(b->section, "2^20 words, time by the model");
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        haul_launch_record record;
        HAUL_TRY(measure(b, i, in, MANY, &record));
        lab_add_time_row(t, forms[i].label, &record);
    }
    return HAUL_OK;
}

/* First counters on all devices, then the model's times. */
haul_status lab_run_batches(lab_workbench *b) {
    const float *in = lab_floats(b, WORDS, 1);
    report_table *t = report_add_table(b->section, "forms", "8,192 words, four a thread", columns,
                                       sizeof columns / sizeof columns[0]);
    report_chart *c = report_add_chart(b->section, "sectors", "Sectors that the loads touch", REPORT_BARS,
                                       (report_axis){"form", REPORT_LINEAR, REPORT_TEXT},
                                       (report_axis){"sectors", REPORT_LINEAR, REPORT_COUNT});
    report_series *touched = report_add_series(c, "touched at L1", REPORT_SOLID);
    report_series *missed = report_add_series(c, "read from L2", REPORT_SOLID);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        haul_launch_record record;
        HAUL_TRY(measure(b, i, in, WORDS, &record));
        add_row(t, forms[i].label, &record);
        report_add_category(c, "%s", forms[i].label);
        report_add_point(touched, (double)i, (double)record.classes[HAUL_CLASS_GLOBAL_LOAD].sectors);
        report_add_point(missed, (double)i, record.counters[HAUL_COUNTER_L2_READ_SECTORS]);
    }
    return add_times(b);
}
