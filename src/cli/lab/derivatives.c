#include "cli/lab/bench.h"

#include "base/status.h"

#include <string.h>

enum { LINE = 32 }; /* floats of a cache line */

static const struct { uint32_t n0, n1; } sizes[] = {{32, 1}, {64, 1}, {1024, 1}, {32, 2}, {32, 5}};

typedef enum layout { UNPADDED, LEAD, PITCH, LAYOUTS } layout;
static const char *const layout_names[LAYOUTS] = {"no padding", "lead padding", "padded pitch"};

/* An array of n1 rows of n0 elements with one row and one column before it. */
typedef struct grid {
    uint32_t n0, n1, pitch, lead;
    size_t words;
} grid;

static grid lay_out(uint32_t n0, uint32_t n1, layout how) {
    uint32_t tight = n0 + 2;
    grid g = {.n0 = n0, .n1 = n1, .pitch = tight, .lead = how == UNPADDED ? 1 : LINE};
    if (how == PITCH) g.pitch = (tight + LINE - 1) / LINE * LINE;
    g.words = (size_t)g.pitch * (n1 + 1) + g.lead + LINE;
    return g;
}

typedef enum stencil { COPY, FAST, SLOW, STENCILS } stencil;
static const char *const kernels[STENCILS] = {"copy_rows", "derivative_fast", "derivative_slow"};
static const float scale = 0.5f;

static void compute(stencil s, const grid *g, const float *in, float *out) {
    for (uint32_t i1 = 0; i1 < g->n1; i1++) {
        for (uint32_t i0 = 0; i0 < g->n0; i0++) {
            size_t i = g->lead + (size_t)(s == SLOW ? i1 + 1 : i1) * g->pitch + i0;
            if (s == COPY) out[i] = in[i];
            if (s == FAST) out[i] = scale * (in[i] - in[i - 1]);
            if (s == SLOW) out[i] = scale * (in[i] - in[i - g->pitch]);
        }
    }
}

/* Rows are a warp wide, or four where there is enough of them. Only the slow difference finds rows of other warps in
 * its L1, so it gets blocks of up to eight rows. */
static haul_status measure(lab_bench *b, stencil s, const grid *g, haul_launch_record *record) {
    const float *in = lab_floats(b, g->words, 1);
    float *out = lab_untouched(b, g->words);
    if (in && out) compute(s, g, in, out);
    uint32_t wide = g->n0 < 128 ? 32 : 128, high = s == SLOW && g->n1 > 1 ? 8 : 1;
    lab_launch launch = {.module = "derivatives",
                         .kernel = kernels[s],
                         .grid = {lab_blocks(g->n0, wide), lab_blocks(g->n1, high)},
                         .block = {wide, high},
                         .arguments = {lab_input(in, g->words), lab_result(NULL, out, g->words), lab_u32(g->n0),
                                       lab_u32(g->n1), lab_u32(g->pitch), lab_u32(g->lead)}};
    if (s != COPY) launch.arguments[6] = lab_f32(scale);
    return lab_measure(b, &launch, record);
}

static const report_column copy_columns[] = {
    {"size", "Size", REPORT_TEXT, "fast x slow dimension"},
    {"ideal", "Ideal", REPORT_COUNT, "sectors if every row began on one"},
    {"unpadded", "No padding", REPORT_COUNT, "sectors loaded; rows are n0 + 2 words apart, the first begins at word 1"},
    {"lead", "Lead padding", REPORT_COUNT, "sectors loaded; the first row begins at word 32"},
    {"pitch", "Padded pitch", REPORT_COUNT, "sectors loaded; rows are a multiple of 32 words apart too"},
};

static haul_status run_copies(lab_bench *b) {
    report_table *t = report_add_table(b->section, "copy", "A copy of the rows: sectors loaded", copy_columns,
                                       sizeof copy_columns / sizeof copy_columns[0]);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        uint64_t ideal = (uint64_t)sizes[k].n0 * sizes[k].n1 / 8;
        report_add_row(t);
        report_add_text(t, "%u x %u", sizes[k].n0, sizes[k].n1);
        report_add_number(t, (double)ideal);
        for (layout how = UNPADDED; how < LAYOUTS; how++) {
            grid g = lay_out(sizes[k].n0, sizes[k].n1, how);
            haul_launch_record record;
            HAUL_TRY(measure(b, COPY, &g, &record));
            uint64_t sectors = record.classes[HAUL_CLASS_GLOBAL_LOAD].sectors;
            report_add_number(t, (double)sectors);
            report_set_tone(t, sectors > ideal ? REPORT_WARNING : REPORT_GOOD);
        }
    }
    return HAUL_OK;
}

static const report_column difference_columns[] = {
    {"size", "Size", REPORT_TEXT, "fast x slow dimension"},
    {"layout", "Layout", REPORT_TEXT, NULL},
    {"requests", "Load requests", REPORT_COUNT, "two loads a warp"},
    {"sectors", "Sectors", REPORT_COUNT, "sectors that the loads touch"},
    {"hits", "Hits", REPORT_COUNT, "of these found in L1"},
    {"hit_rate", "Hit rate", REPORT_PERCENT, NULL},
    {"store_sectors", "Stored", REPORT_COUNT, "sectors that the stores touch"},
    {"l2_sectors", "L2 sectors", REPORT_COUNT, "sectors read from L2"},
};

static void add_row(report_table *t, const grid *g, layout how, const haul_launch_record *record) {
    const haul_traffic *load = &record->classes[HAUL_CLASS_GLOBAL_LOAD];
    report_add_row(t);
    report_add_text(t, "%u x %u", g->n0, g->n1);
    report_add_text(t, "%s", layout_names[how]);
    report_add_number(t, (double)load->requests);
    report_add_number(t, (double)load->sectors);
    report_add_number(t, (double)load->hits);
    report_add_number(t, report_percent((double)load->hits, (double)load->sectors));
    report_add_number(t, (double)record->classes[HAUL_CLASS_GLOBAL_STORE].sectors);
    report_add_number(t, record->counters[HAUL_COUNTER_L2_READ_SECTORS]);
}

static haul_status run_differences(lab_bench *b, stencil s, const char *title) {
    report_table *t = report_add_table(b->section, kernels[s], title, difference_columns,
                                       sizeof difference_columns / sizeof difference_columns[0]);
    haul_launch_record record;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (layout how = UNPADDED; how < LAYOUTS; how++) {
            grid g = lay_out(sizes[k].n0, sizes[k].n1, how);
            HAUL_TRY(measure(b, s, &g, &record));
            add_row(t, &g, how, &record);
        }
    }
    return HAUL_OK;
}

static haul_status show_one(lab_bench *b) {
    grid g = lay_out(1024, 1, PITCH);
    haul_launch_record record;
    HAUL_TRY(measure(b, FAST, &g, &record));
    lab_show_memory(b, "Fast difference, 1024 x 1, padded pitch", &record);
    return HAUL_OK;
}

static haul_status run_all(lab_bench *b) {
    HAUL_TRY(run_copies(b));
    HAUL_TRY(run_differences(b, FAST, "Difference along the fast dimension: in[i] - in[i - 1]"));
    HAUL_TRY(run_differences(b, SLOW, "Difference along the slow dimension: in[i] - in[i - pitch]"));
    return show_one(b);
}

haul_status lab_run_derivatives(lab *l, report_section *section) {
    lab_bench b;
    HAUL_TRY(lab_bench_begin(&b, l, section));
    return lab_bench_end(&b, run_all(&b));
}
