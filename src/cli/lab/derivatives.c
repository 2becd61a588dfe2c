/* The experiment `derivatives`: how the places where rows start affect sectors, and why differences along the slow and
 * the fast dimension differ in what L1 can reuse.
 *
 * Three layouts of the same rows (haul_rows_lay_out()): without padding, with the first row on a cache line, and with
 * all rows on one. Three kernels run on each: a copy, and a difference with the element before and with the row before.
 * A last table compares the shipped forms of the fast difference on a larger array. The host computes each result in
 * `compute`. */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <string.h>

enum { SIDE = 256 }; /* rows and columns of the array that the forms are compared on */
/* Few rows, short and long, so that the reader can check sectors by hand. */
static const struct { uint32_t n0, n1; } sizes[] = {{32, 1}, {64, 1}, {1024, 1}, {32, 2}, {32, 5}};

static const char *const layout_names[] = {"no padding", "lead padding", "padded pitch"};
enum { LAYOUTS = HAUL_PADDING_PITCH + 1, BEHIND = 32 }; /* BEHIND: floats that an array has after its last row */

/* An array of n1 rows of n0 elements with one row and one column before it. */
typedef struct grid {
    haul_rows rows; /* places of the rows, without the ones before them */
    size_t words;   /* of the array, room behind the last row included */
} grid;

/* An array with n1 rows and, for the slow difference, one more before them. */
static grid lay_out(uint32_t n0, uint32_t n1, haul_padding how) {
    grid g = {.rows = haul_rows_lay_out(n0, n1, how)};
    g.words = (size_t)g.rows.pitch * (n1 + 1) + g.rows.lead + BEHIND;
    return g;
}

/* The kernels, and indices of `names`. */
typedef enum stencil { COPY, FAST, SLOW, STENCILS } stencil;
static const char *const names[STENCILS] = {"copy_rows", "derivative_fast", "derivative_slow"};
static const float scale = 0.5f;

/* The result on the host. Elements outside of the rows stay untouched, as in the kernel. */
static void compute(stencil s, const haul_rows *r, const float *in, float *out) {
    for (uint32_t i1 = 0; i1 < r->n1; i1++) {
        for (uint32_t i0 = 0; i0 < r->n0; i0++) {
            size_t i = r->lead + (size_t)(s == SLOW ? i1 + 1 : i1) * r->pitch + i0;
            if (s == COPY) out[i] = in[i];
            if (s == FAST) out[i] = scale * (in[i] - in[i - 1]);
            if (s == SLOW) out[i] = scale * (in[i] - in[i - r->pitch]);
        }
    }
}

/* Blocks are a warp wide, or four if rows are long enough. Only the slow difference finds rows of other warps in its
 * L1, so its blocks have up to eight rows. */
static haul_status measure(lab_workbench *b, stencil s, const grid *g, haul_launch_record *record) {
    const haul_rows *r = &g->rows;
    const float *in = lab_floats(b, g->words, 1);
    float *out = lab_untouched(b, g->words);
    if (in && out) compute(s, r, in, out);
    uint32_t wide = r->n0 < 128 ? 32 : 128, high = s == SLOW && r->n1 > 1 ? 8 : 1;
    lab_launch launch = {.module = "derivatives",
                         .kernel = names[s],
                         .grid = {lab_blocks(r->n0, wide), lab_blocks(r->n1, high)},
                         .block = {wide, high},
                         .arguments = {lab_input(in, g->words), lab_result(NULL, out, g->words), lab_u32(r->n0),
                                       lab_u32(r->n1), lab_u32(r->pitch), lab_u32(r->lead)}};
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

/* The copy shows the layouts alone: a sector beyond the ideal is one that a row fills only in part. */
static haul_status run_copies(lab_workbench *b) {
    report_table *t = report_add_table(b->section, "copy", "A copy of the rows: sectors loaded", copy_columns,
                                       sizeof copy_columns / sizeof copy_columns[0]);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        uint64_t ideal = (uint64_t)sizes[k].n0 * sizes[k].n1 / 8;
        report_add_row(t);
        report_add_text(t, "%u x %u", sizes[k].n0, sizes[k].n1);
        report_add_number(t, (double)ideal);
        for (unsigned how = HAUL_PADDING_NONE; how < LAYOUTS; how++) {
            grid g = lay_out(sizes[k].n0, sizes[k].n1, (haul_padding)how);
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

static void add_row(report_table *t, const grid *g, unsigned how, const haul_launch_record *record) {
    const haul_traffic *load = &record->classes[HAUL_CLASS_GLOBAL_LOAD];
    report_add_row(t);
    report_add_text(t, "%u x %u", g->rows.n0, g->rows.n1);
    report_add_text(t, "%s", layout_names[how]);
    report_add_number(t, (double)load->requests);
    report_add_number(t, (double)load->sectors);
    report_add_number(t, (double)load->hits);
    report_add_number(t, report_percent((double)load->hits, (double)load->sectors));
    report_add_number(t, (double)record->classes[HAUL_CLASS_GLOBAL_STORE].sectors);
    report_add_number(t, record->counters[HAUL_COUNTER_L2_READ_SECTORS]);
}

/* A difference in all sizes and layouts. Hits are sectors that an earlier load has fetched into L1. */
static haul_status run_differences(lab_workbench *b, stencil s, const char *title) {
    report_table *t = report_add_table(b->section, names[s], title, difference_columns,
                                       sizeof difference_columns / sizeof difference_columns[0]);
    haul_launch_record record;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (unsigned how = HAUL_PADDING_NONE; how < LAYOUTS; how++) {
            grid g = lay_out(sizes[k].n0, sizes[k].n1, (haul_padding)how);
            HAUL_TRY(measure(b, s, &g, &record));
            add_row(t, &g, how, &record);
        }
    }
    return HAUL_OK;
}

/* ---- the forms of the fast difference ---- */

static const report_column form_columns[] = {
    {"form", "Form", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"loads", "Loads", REPORT_COUNT, "warps' loads from global memory"},
    {"sectors", "Sectors", REPORT_COUNT, "sectors that these touch"},
    {"shared_loads", "Shared loads", REPORT_COUNT, "warps' loads from shared memory"},
    {"wavefronts", "Wavefronts", REPORT_COUNT, "that these take"},
    {"conflicts", "Conflicts", REPORT_COUNT, "of these because of bank conflicts"},
};

/* The launch through the kernel's host function; `with` is the form. */
static haul_status call_fast(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const haul_derivative_fast_form *form = with;
    const haul_rows rows = haul_rows_lay_out(SIDE, SIDE, HAUL_PADDING_PITCH);
    return haul_derivative_fast(kernels, *form, &rows, scale, a[0].buffer, a[1].buffer, run);
}

static void add_form(report_table *t, const char *label, const haul_launch_record *r) {
    const haul_traffic *load = &r->classes[HAUL_CLASS_GLOBAL_LOAD], *shared = &r->classes[HAUL_CLASS_SHARED_LOAD];
    report_add_row(t);
    report_add_text(t, "%s", label);
    report_add_number(t, r->counters[HAUL_COUNTER_INST_EXECUTED]);
    report_add_number(t, (double)load->instructions);
    report_add_number(t, (double)load->sectors);
    report_add_number(t, (double)shared->instructions);
    report_add_number(t, (double)shared->shared_wavefronts);
    report_add_number(t, r->counters[HAUL_COUNTER_SHARED_LD_CONFLICTS]);
}

/* All shipped forms on one array, so that only the instructions and the way through shared memory differ. */
static haul_status run_forms(lab_workbench *b) {
    const grid g = lay_out(SIDE, SIDE, HAUL_PADDING_PITCH);
    const float *in = lab_floats(b, g.words, 1);
    float *out = lab_untouched(b, g.words);
    if (in && out) compute(FAST, &g.rows, in, out);
    report_table *t = report_add_table(b->section, "forms", "Forms of the fast difference: 256 x 256, padded pitch",
                                       form_columns, sizeof form_columns / sizeof form_columns[0]);
    for (haul_derivative_fast_form form = HAUL_DERIVATIVE_FAST_PLAIN; form < HAUL_DERIVATIVE_FAST_FORMS; form++) {
        lab_launch launch = {.kernel = haul_derivative_fast_forms[form].kernel,
                             .function = call_fast,
                             .with = &form,
                             .arguments = {lab_input(in, g.words), lab_result(NULL, out, g.words)}};
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_form(t, haul_derivative_fast_forms[form].label, &record);
    }
    return HAUL_OK;
}

static haul_status show_one(lab_workbench *b) {
    grid g = lay_out(1024, 1, HAUL_PADDING_PITCH);
    haul_launch_record record;
    HAUL_TRY(measure(b, FAST, &g, &record));
    lab_show_memory(b, "Fast difference, 1024 x 1, padded pitch", &record);
    return HAUL_OK;
}

haul_status lab_run_derivatives(lab_workbench *b) {
    HAUL_TRY(run_copies(b));
    HAUL_TRY(run_differences(b, FAST, "Difference along the fast dimension: in[i] - in[i - 1]"));
    HAUL_TRY(run_differences(b, SLOW, "Difference along the slow dimension: in[i] - in[i - pitch]"));
    HAUL_TRY(run_forms(b));
    return show_one(b);
}
