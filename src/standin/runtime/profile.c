/* haul profile -- PROGRAM: counters of its launches, summed by kernel.
 *
 * record.c passes each counted launch to standin_profile_launch(), with the run that has its record. For each kernel it
 * keeps the sums by shape, and the run of the longest launch, whose table the report shows. At the program's end the
 * sums are scaled from the counted launches to all launches; a shape's launches resemble each other most. Tables and
 * their rendering are in src/report. */
#include "base/mangled.h"
#include "base/status.h"
#include "lib/launch/launches.h"
#include "machine/machine.h"
#include "report/json.h"
#include "report/ncu/ncu.h"
#include "report/profile/profile.h"
#include "standin/report.h"

#include <errno.h>
#include <stdio.h>

/* Lines in a table by default, instructions in the mix, length of names, bytes of a sector. */
enum { LINES = 10, MIX = 12, NAME = 256, SECTOR = 32 };

static report_sources sources;
static text out;

/* Reports name devices only if there are several. */
static bool has_several(void) {
    return standin_device_count() > 1;
}

/* The options for a launch on the named virtual GPU. The first call reads the folders of sources. */
static report_profile_options options_of(const standin_kernel_record *k, const char *machine) {
    if (!sources.folders) report_sources_init(&sources, standin_asked.source.items, standin_asked.source.count);
    return (report_profile_options){.lines = standin_asked.lines ? (size_t)standin_asked.lines : LINES,
                                    .mix = MIX,
                                    .share = REPORT_ADVICE_SHARE,
                                    .sources = &sources,
                                    .simulated = machine,
                                    .has_device = has_several(),
                                    .device = k->device};
}

/* The kernel's name in the source. */
static const char *name_of(const standin_kernel_record *k, char name[NAME]) {
    return mangled_copy(k->symbol, name, NAME);
}

/* Figures that are not known are negative. */
static double or_zero(double value) {
    return value > 0 ? value : 0;
}

/* ---- a launch ---- */

/* One line of JSON, with all counters. */
static haul_status put_launch_json(const standin_kernel_record *k, uint64_t number, const haul_run *run) {
    const haul_launch_record *r = &run->launches[0];
    json_t *profile = NULL;
    const report_profile_options options = options_of(k, run->machine);
    HAUL_TRY(report_profile_json(r, &options, &profile));
    json_t *line = json_pack(
        "{s:I, s:o, s:o, s:o, s:i, s:o, s:o}", "launch", (json_int_t)number, "kernel", report_json_string(r->kernel),
        "grid", report_json_extent(r->grid), "block", report_json_extent(r->block), "smem", (int)r->shared_bytes,
        "counters", launch_counters_to_json(HAUL_SIMULATED, r), "estimate_us", report_json_number(r->estimate_us));
    bool whole = line && json_object_update(line, profile) == 0;
    if (whole && has_several()) whole = json_object_set_new(line, "device", json_integer((json_int_t)k->device)) == 0;
    json_decref(profile);
    if (whole) return report_json_put(line, JSON_COMPACT, &out);
    json_decref(line);
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
}

/* A document for this launch alone. */
static haul_status put_launch_text(const standin_kernel_record *k, uint64_t number, const haul_run *run) {
    char name[32];
    const report_profile_options options = options_of(k, run->machine);
    snprintf(name, sizeof name, "launch-%llu", (unsigned long long)number);
    report_document *d = report_document_new(name, NULL);
    text_printf(&out, "Launch %llu of the program", (unsigned long long)number);
    if (has_several()) text_printf(&out, ", on device %u", k->device);
    text_put(&out, "\n\n");
    haul_status status = report_add_profile(d, name, run->launches, &options);
    if (status == HAUL_OK) status = report_write_text(d, report_terminal_of(standin_report_descriptor()), &out);
    report_document_free(d);
    return status;
}

/* ---- rows of --csv ---- */

static report_ncu_table *csv;

/* The command line has checked the options. */
static haul_status put_launch_csv(const standin_kernel_record *k, uint64_t stream, const haul_run *run) {
    const report_profile_options options = options_of(k, run->machine);
    const report_ncu_launch launch = {.record = run->launches,
                                      .machine = sim_machine_find(run->machine),
                                      .sources = options.sources,
                                      .device = k->device,
                                      .stream = stream};
    const report_ncu_options asked = {standin_asked.page, standin_asked.kernel_base, standin_asked.metrics,
                                      program_invocation_name};
    if (!csv) HAUL_TRY(report_ncu_open(&asked, &csv));
    return report_ncu_put(csv, &launch, &out);
}

/* As text, single launches appear only with --all; as JSON and as CSV, always. */
static void put_launch(const standin_kernel_record *k, const standin_launch_place *l, const haul_run *run) {
    const uint64_t number = l->number;
    haul_status status = HAUL_OK;
    if (standin_asked.json)
        status = put_launch_json(k, number, run);
    else if (standin_asked.csv)
        status = put_launch_csv(k, l->stream, run);
    else if (standin_asked.every_launch)
        status = put_launch_text(k, number, run);
    if (status != HAUL_OK) fprintf(stderr, "haul: %s\n", haul_message());
    standin_print(&out);
}

/* The run with the longest estimate is kept, the others are freed. */
void standin_profile_launch(standin_kernel_record *k, standin_shape *s, const standin_launch_place *l, haul_run *run) {
    const haul_launch_record *r = &run->launches[0];
    if (!standin_asked.quiet) put_launch(k, l, run);
    standin_trace_launch(run);
    k->counted++;
    k->blocks += report_blocks(r);
    k->counted_blocks += report_counted_blocks(r);
    s->counted++;
    s->sums.us += or_zero(r->estimate_us);
    s->sums.read += SECTOR * or_zero(r->counters[HAUL_COUNTER_DRAM_READ_SECTORS]);
    s->sums.written += SECTOR * or_zero(r->counters[HAUL_COUNTER_DRAM_WRITE_SECTORS]);
    if (k->worst && k->worst->launches[0].estimate_us >= r->estimate_us) {
        haul_run_free(run);
        return;
    }
    haul_run_free(k->worst);
    k->worst = run;
}

/* ---- the program ---- */

/* Adds sums, times a factor. */
static void add_scaled(standin_sums *to, const standin_sums *sums, double scale) {
    to->us += sums->us * scale;
    to->read += sums->read * scale;
    to->written += sums->written * scale;
}

/* 0 if nothing was counted, as then nothing is known. */
static double ratio(uint64_t launches, uint64_t counted) {
    return counted ? (double)launches / (double)counted : 0;
}

/* Launches that were not counted get the mean of counted ones of their shape, or else of other shapes. Shapes with
 * counted launches are scaled first; their sum is then scaled to the launches of all shapes. */
static standin_sums sums_of_all(const standin_kernel_record *k) {
    standin_sums all = {0}, scaled = {0};
    uint64_t launches = 0;
    for (size_t row = 0; row < STANDIN_SHAPE_ROWS; row++)
        for (const standin_shape *s = k->shapes[row]; s; s = s->next) {
            if (!s->counted) continue;
            add_scaled(&scaled, &s->sums, ratio(s->launches, s->counted));
            launches += s->launches;
        }
    add_scaled(&all, &scaled, ratio(k->launches, launches));
    return all;
}

/* A row of the table of kernels. */
static void add_kernel(report_table *t, const standin_kernel_record *k) {
    char name[NAME];
    const standin_sums all = sums_of_all(k);
    report_add_row(t);
    report_add_text(t, "%s", name_of(k, name));
    report_add_number(t, (double)k->launches);
    report_add_number(t, (double)k->counted);
    report_add_number(t, all.us);
    report_add_number(t, all.read);
    report_add_number(t, all.written);
    if (has_several()) report_add_number(t, k->device);
}

/* Over all kernels that the filter takes. Blocks are those of counted launches. */
typedef struct totals {
    uint64_t launches, counted, blocks, counted_blocks;
} totals;

static totals totals_of(const standin_kernel_record *kernels) {
    totals t = {0};
    for (const standin_kernel_record *k = kernels; k; k = k->next) {
        if (!k->wanted) continue;
        t.launches += k->launches;
        t.counted += k->counted;
        t.blocks += k->blocks;
        t.counted_blocks += k->counted_blocks;
    }
    return t;
}

/* The table of all kernels, and notes on what was scaled. */
static void add_kernels(report_document *d, const standin_kernel_record *kernels) {
    static const report_column columns[] = {
        {"kernel", "Kernel", REPORT_TEXT, NULL},
        {"launches", "Launches", REPORT_COUNT, NULL},
        {"counted", "Counted", REPORT_COUNT, NULL},
        {"us", "Estimated, all", REPORT_MICROSECONDS, NULL},
        {"device_read", "Read, all", REPORT_BYTES, "from device memory"},
        {"device_written", "Written, all", REPORT_BYTES, "to device memory"},
        {"device", "Device", REPORT_COUNT, "its number"}, /* if there are several */
    };
    const size_t column_count = sizeof columns / sizeof *columns - !has_several();
    report_section *s = report_add_section(d, "kernels", "Kernels of this program");
    report_table *t = report_add_table(s, "kernels", "Kernels", columns, column_count);
    for (const standin_kernel_record *k = kernels; k; k = k->next)
        if (k->wanted) add_kernel(t, k);
    const totals all = totals_of(kernels);
    if (!all.launches)
        report_add_paragraph(s, kernels ? "No launch was of a kernel that --kernel names."
                                        : "The program launched no kernel.");
    if (all.counted < all.launches)
        report_add_paragraph(
            s,
            "%llu of %llu launches counted, the sums scaled: each of the others counts as much as the mean "
            "of its kernel's counted launches with the same grid, block and shared memory.",
            (unsigned long long)all.counted, (unsigned long long)all.launches);
    if (all.counted_blocks < all.blocks)
        report_add_paragraph(s, "%llu of %llu blocks counted in the counted launches, the counters scaled.",
                             (unsigned long long)all.counted_blocks, (unsigned long long)all.blocks);
}

/* The memory tables of each kernel's longest launch. */
static haul_status add_worst(report_document *d, const standin_kernel_record *kernels) {
    char name[NAME];
    for (const standin_kernel_record *k = kernels; k; k = k->next) {
        if (!k->worst) continue;
        const report_profile_options options = options_of(k, k->worst->machine);
        HAUL_TRY(report_add_profile(d, name_of(k, name), k->worst->launches, &options));
    }
    return HAUL_OK;
}

/* The table's rows as JSON, in a last line after those of the launches. */
static haul_status put_kernels_json(const standin_kernel_record *kernels) {
    report_document *d = report_document_new("program", NULL);
    add_kernels(d, kernels);
    report_section *s = d ? d->sections : NULL;
    json_t *rows = s ? report_json_rows(s->blocks->table) : NULL;
    report_document_free(d);
    const totals all = totals_of(kernels);
    const bool scaled = all.counted < all.launches || all.counted_blocks < all.blocks;
    return report_json_put(json_pack("{s:o, s:I, s:I, s:b, s:I, s:I}", "kernels", rows, "launches",
                                     (json_int_t)all.launches, "counted", (json_int_t)all.counted, "scaled",
                                     (int)scaled, "blocks", (json_int_t)all.blocks, "counted_blocks",
                                     (json_int_t)all.counted_blocks),
                           JSON_COMPACT, &out);
}

/* With --json and --csv only the HTML file is written here. */
static haul_status write_document(report_document *d) {
    haul_status status = HAUL_OK;
    if (standin_asked.html) status = report_write_html(d, &out);
    if (standin_asked.html && status == HAUL_OK) status = standin_write(standin_asked.html, &out);
    if (status == HAUL_OK && !standin_asked.json && !standin_asked.csv && !standin_asked.quiet)
        status = report_write_text(d, report_terminal_of(standin_report_descriptor()), &out);
    return status;
}

haul_status standin_put_profile(const standin_kernel_record *kernels) {
    report_document *d = report_document_new("program", "Memory profile");
    add_kernels(d, kernels);
    haul_status status = add_worst(d, kernels);
    if (status == HAUL_OK) status = write_document(d);
    if (status == HAUL_OK && standin_asked.json) status = put_kernels_json(kernels);
    report_document_free(d);
    standin_print(&out);
    return status == HAUL_OK ? standin_put_trace() : status;
}
