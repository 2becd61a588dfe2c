/* The experiment `strides`: one warp loads, then stores, words at strides of 1 to 128 elements. Loads and stores run
 * the same code, with a `direction` that names the kernel and the counters to show.
 *
 * Up to a stride of 8 elements sectors grow with the stride, since eight words of 4 bytes lie in one. Beyond that each
 * lane has a sector of its own, and only tag wavefronts and cache lines still grow. */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <stdio.h>

enum { LANES = 32 };

/* Dense up to a sector's eight words, then by powers of two and halves between them. */
static const uint32_t strides[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128};

static const report_column columns[] = {
    {"stride", "Stride", REPORT_COUNT, "elements from one lane's word to the next lane's"},
    {"requests", "Requests", REPORT_COUNT, "accesses of a warp that reach the L1 tags"},
    {"sectors", "Sectors", REPORT_COUNT, "distinct pieces of 32 bytes"},
    {"wavefronts", "Wavefronts", REPORT_COUNT, "passes that the tag stage makes of a request"},
    {"used", "Bytes used", REPORT_PERCENT, "requested bytes, as a share of the sectors' bytes"},
    {"l2_requests", "L2 requests", REPORT_COUNT, "cache lines requested from L2"},
    {"l2_sectors", "L2 sectors", REPORT_COUNT, "sectors that go on to L2"},
    {"l2_misses", "L2 misses", REPORT_COUNT, "sectors that L2 fetches, in pairs on most GPUs; stores need none"},
    {"device_sectors", "Device sectors", REPORT_COUNT, "sectors that device memory moves"},
};

/* A kernel of the stride family, and the class of its traffic. */
typedef struct direction {
    const char *kernel, *title, *chart, *l2_chart; /* title: of the table; chart, l2_chart: of the charts */
    haul_memory_class class;
    haul_counter l2_requests, l2, device;
} direction;

static const direction loads = {.kernel = "load_stride",
                                .title = "Loads of one warp",
                                .chart = "A load against its stride",
                                .l2_chart = "L2 traffic of a load",
                                .class = HAUL_CLASS_GLOBAL_LOAD,
                                .l2_requests = HAUL_COUNTER_L2_READ_REQUESTS,
                                .l2 = HAUL_COUNTER_L2_READ_SECTORS,
                                .device = HAUL_COUNTER_DRAM_READ_SECTORS};
static const direction stores = {.kernel = "store_stride",
                                 .title = "Stores of one warp",
                                 .chart = "A store against its stride",
                                 .l2_chart = "L2 traffic of a store",
                                 .class = HAUL_CLASS_GLOBAL_STORE,
                                 .l2_requests = HAUL_COUNTER_L2_WRITE_REQUESTS,
                                 .l2 = HAUL_COUNTER_L2_WRITE_SECTORS,
                                 .device = HAUL_COUNTER_DRAM_WRITE_SECTORS};

/* A load gathers the strided words into adjacent ones; a store scatters adjacent words. Words in between keep the
 * pattern of lab_untouched(), which shows that a store writes nothing else. */
static lab_launch describe(lab_workbench *b, const direction *d, uint32_t stride) {
    bool load = d->class == HAUL_CLASS_GLOBAL_LOAD;
    uint32_t span = (LANES - 1) * stride + 1;
    float *in = lab_floats(b, load ? span : LANES, stride), *out = lab_untouched(b, load ? LANES : span);
    for (uint32_t i = 0; in && out && i < LANES; i++) out[load ? i : i * stride] = in[load ? i * stride : i];
    return (lab_launch){.module = "strides",
                        .kernel = d->kernel,
                        .block = {LANES},
                        .arguments = {lab_input(in, load ? span : LANES), lab_result(NULL, out, load ? LANES : span),
                                      lab_u32(LANES), lab_u32(stride)}};
}

/* A share of used bytes below half is marked. */
static void add_row(report_table *t, const direction *d, uint32_t stride, const haul_launch_record *record) {
    const haul_traffic *traffic = &record->classes[d->class];
    double used = report_percent((double)traffic->bytes, 32.0 * (double)traffic->sectors);
    report_add_row(t);
    report_add_number(t, stride);
    report_add_number(t, (double)traffic->requests);
    report_add_number(t, (double)traffic->sectors);
    report_add_number(t, (double)traffic->wavefronts);
    report_add_number(t, used);
    report_set_tone(t, used < 50.0 ? REPORT_WARNING : REPORT_PLAIN);
    report_add_number(t, record->counters[d->l2_requests]);
    report_add_number(t, record->counters[d->l2]);
    report_add_number(t, record->counters[HAUL_COUNTER_L2_READ_MISS]);
    report_add_number(t, record->counters[d->device]);
}

/* The chart's name is also that of its file: kernel and suffix. */
static report_chart *add_chart(lab_workbench *b, const direction *d, const char *name, const char *title) {
    char full[48];
    snprintf(full, sizeof full, "%s%s", d->kernel, name);
    return report_add_chart(b->section, full, title, REPORT_LINES,
                            (report_axis){"stride, elements", REPORT_LOG2, REPORT_COUNT},
                            (report_axis){"a request", REPORT_LINEAR, REPORT_COUNT});
}

/* One table and two charts: the requests of L1, and those that go on to L2. */
static haul_status run_direction(lab_workbench *b, const direction *d) {
    report_table *t = report_add_table(b->section, d->kernel, d->title, columns, sizeof columns / sizeof columns[0]);
    report_chart *c = add_chart(b, d, "", d->chart), *l2 = add_chart(b, d, "_l2", d->l2_chart);
    report_series *sectors = report_add_series(c, "sectors", REPORT_SOLID);
    report_series *wavefronts = report_add_series(c, "wavefronts", REPORT_SOLID);
    report_series *ideal = report_add_series(c, "sectors needed", REPORT_DASHED);
    report_series *l2_requests = report_add_series(l2, "L2 requests: lines", REPORT_SOLID);
    report_series *l2_misses = report_add_series(l2, "sectors missed", REPORT_SOLID);
    report_series *l2_sectors = report_add_series(l2, "sectors asked for", REPORT_DASHED);
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        lab_launch launch = describe(b, d, strides[i]);
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, d, strides[i], &record);
        report_add_point(sectors, strides[i], (double)record.classes[d->class].sectors);
        report_add_point(wavefronts, strides[i], (double)record.classes[d->class].wavefronts);
        report_add_point(ideal, strides[i], (double)record.classes[d->class].ideal_sectors);
        report_add_point(l2_requests, strides[i], record.counters[d->l2_requests]);
        report_add_point(l2_misses, strides[i], record.counters[HAUL_COUNTER_L2_READ_MISS]);
        report_add_point(l2_sectors, strides[i], record.counters[d->l2]);
        if (strides[i] == 8) lab_show_memory(b, "Stride 8", &record);
    }
    return HAUL_OK;
}

haul_status lab_run_strides(lab_workbench *b) {
    HAUL_TRY(run_direction(b, &loads));
    return run_direction(b, &stores);
}
