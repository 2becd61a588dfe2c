#include "cli/lab/workbench.h"

#include "base/status.h"

enum { LANES = 32 };

static const uint32_t strides[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128};

static const report_column columns[] = {
    {"stride", "Stride", REPORT_COUNT, "elements from one lane's word to the next lane's"},
    {"requests", "Requests", REPORT_COUNT, "accesses of a warp that reach the L1 tags"},
    {"sectors", "Sectors", REPORT_COUNT, "distinct pieces of 32 bytes"},
    {"wavefronts", "Wavefronts", REPORT_COUNT, "passes that the tag stage makes of a request"},
    {"used", "Bytes used", REPORT_PERCENT, "bytes asked for, of the bytes in the sectors"},
    {"l2_sectors", "L2 sectors", REPORT_COUNT, "sectors that go on to L2"},
    {"device_sectors", "Device sectors", REPORT_COUNT, "sectors that device memory moves; L2 reads them in pairs"},
};

/* A kernel of the stride family, and where its traffic is found. */
typedef struct direction {
    const char *kernel, *title, *chart;
    haul_memory_class class;
    haul_counter l2, device;
} direction;

static const direction loads = {.kernel = "load_stride",
                                .title = "Loads of one warp",
                                .chart = "A load against its stride",
                                .class = HAUL_CLASS_GLOBAL_LOAD,
                                .l2 = HAUL_COUNTER_L2_READ_SECTORS,
                                .device = HAUL_COUNTER_DRAM_READ_SECTORS};
static const direction stores = {.kernel = "store_stride",
                                 .title = "Stores of one warp",
                                 .chart = "A store against its stride",
                                 .class = HAUL_CLASS_GLOBAL_STORE,
                                 .l2 = HAUL_COUNTER_L2_WRITE_SECTORS,
                                 .device = HAUL_COUNTER_DRAM_WRITE_SECTORS};

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
    report_add_number(t, record->counters[d->l2]);
    report_add_number(t, record->counters[d->device]);
}

static haul_status run_direction(lab_workbench *b, const direction *d) {
    report_table *t = report_add_table(b->section, d->kernel, d->title, columns, sizeof columns / sizeof columns[0]);
    report_chart *c = report_add_chart(b->section, d->kernel, d->chart, REPORT_LINES,
                                       (report_axis){"stride, elements", REPORT_LOG2, REPORT_COUNT},
                                       (report_axis){"a request", REPORT_LINEAR, REPORT_COUNT});
    report_series *sectors = report_add_series(c, "sectors", REPORT_SOLID);
    report_series *wavefronts = report_add_series(c, "wavefronts", REPORT_SOLID);
    report_series *ideal = report_add_series(c, "sectors needed", REPORT_DASHED);
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        lab_launch launch = describe(b, d, strides[i]);
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, d, strides[i], &record);
        report_add_point(sectors, strides[i], (double)record.classes[d->class].sectors);
        report_add_point(wavefronts, strides[i], (double)record.classes[d->class].wavefronts);
        report_add_point(ideal, strides[i], (double)record.classes[d->class].ideal_sectors);
        if (strides[i] == 8) lab_show_memory(b, "Stride 8", &record);
    }
    return HAUL_OK;
}

haul_status lab_run_strides(lab_workbench *b) {
    HAUL_TRY(run_direction(b, &loads));
    return run_direction(b, &stores);
}
