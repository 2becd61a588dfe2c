/* The experiment `rows`: forms of gather and scatter, on rows of 32 bytes to 2 KiB.
 *
 * All launches move the same bytes, so that tables and charts can be compared across widths: shorter rows are more
 * rows. The order of the rows is a permutation, by multiplication with an odd number modulo a power of two. Both
 * kernels have the same forms, so an enumerator of haul_gather_form serves for scatter, too. */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <string.h>

enum { FLOATS = 1 << 18, WIDTHS = 4, HASH = 40503 }; /* FLOATS: moved by each launch; HASH: odd, for a permutation */

static const uint32_t widths[WIDTHS] = {32, 128, 512, 2048}; /* bytes of a row */

static const report_column columns[] = {
    {"form", "Form", REPORT_TEXT, NULL},
    {"row", "Row", REPORT_BYTES, "length"},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"loads", "Loads", REPORT_COUNT, "warps' loads from global memory, of indices too"},
    {"per_load", "Bytes/load", REPORT_COUNT, "requested by one of them; 512 fill a warp's 16-byte access"},
    {"bulk", "Bulk copies", REPORT_COUNT, "in and out"},
    {"l2_read", "L2 read", REPORT_BYTES, NULL},
    {"dram_read", "DRAM read", REPORT_BYTES, NULL},
};

/* One direction: the same table, indices and result for every form. */
typedef struct direction {
    const char *name, *title;
    const haul_kernel_form *forms;
    bool scatter;
} direction;

static const direction directions[] = {
    {"gather", "Gather: 1 MiB of rows, each from anywhere", haul_gather_forms, false},
    {"scatter", "Scatter: 1 MiB of rows, each to anywhere", haul_scatter_forms, true},
};

/* One launch; also what the host function gets as `with`. */
typedef struct row_case {
    const direction *way;
    uint32_t bytes; /* of a row */
    unsigned form;
} row_case;

/* A power of two, which row_at() relies on. */
static uint32_t count_of(const row_case *c) {
    return FLOATS * 4 / c->bytes;
}

/* The row that index `i` names. */
static uint32_t row_at(const row_case *c, uint32_t i) {
    return i * HASH & (count_of(c) - 1);
}

/* a[]: the rows, the indices, the result. Indices have 4 bytes. */
static haul_status call(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const row_case *c = with;
    if (c->way->scatter)
        return haul_scatter(kernels, (haul_scatter_form)c->form, count_of(c), c->bytes, 4, a[0].buffer, a[1].buffer,
                            a[2].buffer, run);
    return haul_gather(kernels, (haul_gather_form)c->form, count_of(c), c->bytes, 4, a[0].buffer, a[1].buffer,
                       a[2].buffer, run);
}

/* The indices, as the words of floats, and the result. */
static void compute(const row_case *c, const float *in, float *index, float *out) {
    uint32_t floats = c->bytes / 4;
    for (uint32_t i = 0; i < count_of(c); i++) {
        uint32_t row = row_at(c, i);
        memcpy(&index[i], &row, sizeof row);
        memcpy(out + (size_t)(c->way->scatter ? row : i) * floats, in + (size_t)(c->way->scatter ? i : row) * floats,
               c->bytes);
    }
}

/* Makes the host's arrays anew for each launch; the arena frees them with the experiment. */
static haul_status measure(lab_workbench *b, const row_case *c, haul_launch_record *record) {
    const float *in = lab_floats(b, FLOATS, 1);
    float *index = lab_untouched(b, count_of(c)), *out = lab_untouched(b, FLOATS);
    if (in && index && out) compute(c, in, index, out);
    lab_launch launch = {
        .kernel = c->way->forms[c->form].kernel,
        .function = call,
        .with = c,
        .parameter = c->bytes,
        .arguments = {lab_input(in, FLOATS), lab_input(index, count_of(c)), lab_result(NULL, out, FLOATS)}};
    return lab_measure(b, &launch, record);
}

static void add_row(report_table *t, const row_case *c, const haul_launch_record *r) {
    const double *n = r->counters;
    const haul_traffic *load = &r->classes[HAUL_CLASS_GLOBAL_LOAD];
    report_add_row(t);
    report_add_text(t, "%s", c->way->forms[c->form].label);
    report_add_number(t, c->bytes);
    report_add_number(t, n[HAUL_COUNTER_INST_EXECUTED]);
    report_add_number(t, (double)load->instructions);
    report_add_number(t, report_ratio((double)load->bytes, (double)load->instructions));
    report_add_number(t, n[HAUL_COUNTER_INST_TMA_LD] + n[HAUL_COUNTER_INST_TMA_ST]);
    report_add_number(t, 32 * n[HAUL_COUNTER_L2_READ_SECTORS]);
    report_add_number(t, 32 * n[HAUL_COUNTER_DRAM_READ_SECTORS]);
}

static report_chart *add_chart(lab_workbench *b, const direction *way) {
    report_chart *c = report_add_chart(b->section, way->scatter ? "scatter_instructions" : "gather_instructions",
                                       "Warp instructions for the same bytes", REPORT_LINES,
                                       (report_axis){"bytes of a row", REPORT_LOG2, REPORT_COUNT},
                                       (report_axis){"instructions", REPORT_LOG2, REPORT_COUNT});
    return c;
}

/* Measures one form for all widths; a series of the chart. A form that the machine lacks gets one note. */
static haul_status run_form(lab_workbench *b, const direction *way, unsigned form, report_table *t,
                            report_chart *chart) {
    report_series *s = NULL;
    for (size_t w = 0; w < WIDTHS; w++) {
        const row_case c = {way, widths[w], form};
        haul_launch_record record;
        haul_status status = measure(b, &c, &record);
        if (status == HAUL_ERROR_UNSUPPORTED) {
            report_add_note(b->section, REPORT_MUTED, "%s: not on this machine", way->forms[form].label);
            return HAUL_OK;
        }
        HAUL_TRY(status);
        add_row(t, &c, &record);
        if (!s) s = report_add_series(chart, way->forms[form].label, REPORT_SOLID);
        report_add_point(s, c.bytes, record.counters[HAUL_COUNTER_INST_EXECUTED]);
        if (form == HAUL_GATHER_WARP && w == 0 && !way->scatter)
            lab_show_memory(b, "A warp a row of 32 bytes", &record);
    }
    return HAUL_OK;
}

haul_status lab_run_rows(lab_workbench *b) {
    for (size_t d = 0; d < sizeof directions / sizeof directions[0]; d++) {
        const direction *way = &directions[d];
        report_table *t =
            report_add_table(b->section, way->name, way->title, columns, sizeof columns / sizeof columns[0]);
        report_chart *chart = add_chart(b, way);
        for (unsigned form = HAUL_GATHER_WORDS; form < HAUL_GATHER_FORMS; form++)
            HAUL_TRY(run_form(b, way, form, t, chart));
    }
    return HAUL_OK;
}
