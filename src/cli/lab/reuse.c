/* The experiment `reuse`: what L2 keeps from kernel to kernel.
 *
 * Each mode opens the machine anew, because `keep_l2` is an option of the device, and runs the same program on it: a
 * table is read twice, then a stream twice as large as L2, then the table again. The modes differ in whether L2 is
 * emptied before each kernel, as under profilers, whether a window makes the table persist, and whether persistence is
 * reset. Launches do not go through lab_measure(): they share buffers and, in most modes, the contents of L2. So they
 * do not run on a GPU beside. */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <haul/stream.h>
#include <kernels/launch.h>

#include <string.h>

/* VECTOR: bytes that a thread reads at once */
enum { THREADS = 256, BLOCKS = 264, OUTPUTS = BLOCKS * THREADS, VECTOR = 16, SECTOR = 32 };

/* How L2 is treated between launches. */
typedef struct mode {
    const char *title;
    /* keeps: earlier lines stay; window: on the table; reset: of persisting lines, before the stream */
    bool keeps, window, reset;
} mode;
static const mode modes[] = {
    {"empty before each kernel", false, false, false},
    {"as kernels leave it", true, false, false},
    {"window on the table", true, true, false},
    {"window, then a reset", true, true, true},
};

/* The kernels of a program, in order. They read the table twice, then other data, twice as large as L2, then the table
 * once more. */
typedef enum step { FIRST, AGAIN, STREAM, BEHIND, STEPS } step;

/* A device with its own L2, and what the kernels read there. */
typedef struct ground {
    haul_device *device;
    haul_kernels *kernels;
    haul_module *module;
    haul_run *run;
    haul_buffer *table, *stream, *out;
    uint64_t table_bytes, stream_bytes;
    const float *contents; /* of the table; in the workbench's memory */
} ground;

static const report_column columns[] = {
    {"mode", "L2", REPORT_TEXT, NULL},
    {"first", "First", REPORT_BYTES, "read from device memory by the first kernel that reads the table"},
    {"again", "Again", REPORT_BYTES, "by the next one, which reads it again"},
    {"behind", "After the stream", REPORT_BYTES, "by the last one, after one that reads twice as much as L2 holds"},
    {"hit_rate", "L2 hit rate", REPORT_PERCENT, "of the last one"},
    {"us", "Estimated", REPORT_MICROSECONDS, "of the last one"},
};

/* An eighth of L2 for the table, so that it surely fits; twice L2 for the stream, so that it surely evicts. Only the
 * table needs contents for the check. */
static haul_status make_buffers(lab_workbench *b, ground *g) {
    haul_device_properties p;
    haul_stream *stream;
    haul_device_properties_of(g->device, &p);
    g->table_bytes = p.l2_bytes / 8 / VECTOR * VECTOR;
    g->stream_bytes = 2 * p.l2_bytes;
    g->contents = lab_floats(b, g->table_bytes / sizeof(float), 5);
    if (!g->contents) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "lab: no memory for a table");
    HAUL_TRY(haul_buffer_create(g->device, g->table_bytes, &g->table));
    HAUL_TRY(haul_buffer_create(g->device, g->stream_bytes, &g->stream));
    HAUL_TRY(haul_buffer_create(g->device, OUTPUTS * sizeof(float), &g->out));
    HAUL_TRY(haul_buffer_write(g->table, 0, g->contents, g->table_bytes));
    HAUL_TRY(haul_stream_create(g->device, 0, &stream));
    const haul_status filled = haul_stream_fill(stream, g->stream, 0, 0, g->stream_bytes);
    haul_stream_free(stream);
    return filled;
}

/* Call close_ground() also after an error. */
static haul_status open_ground(lab_workbench *b, const mode *m, ground *g) {
    const haul_device_options options = {.keep_l2 = m->keeps};
    HAUL_TRY(haul_device_open(haul_device_name(b->lab->device), &options, &g->device));
    HAUL_TRY(haul_kernels_open(g->device, &g->kernels));
    HAUL_TRY(kernels_module(g->kernels, "reuse", &g->module));
    HAUL_TRY(haul_run_create(g->device, &g->run));
    return make_buffers(b, g);
}

static void close_ground(ground *g) {
    haul_run_free(g->run);
    haul_kernels_close(g->kernels);
    haul_device_close(g->device);
}

/* ---- a program ---- */

/* Sums the buffer `in`. A window over it makes its lines persist. */
static haul_status launch(ground *g, haul_buffer *in, bool window) {
    const haul_argument arguments[] = {
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = in},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = g->out},
        {.kind = HAUL_ARGUMENT_I32, .integer = (int64_t)(haul_buffer_bytes(in) / VECTOR)}};
    haul_launch l = {.kernel = "reuse_sum",
                     .grid = {BLOCKS, 1, 1},
                     .block = {THREADS, 1, 1},
                     .arguments = arguments,
                     .argument_count = sizeof arguments / sizeof *arguments};
    if (window)
        l.window = (haul_l2_window){.buffer = in,
                                    .bytes = g->table_bytes,
                                    .hit_ratio = 1,
                                    .hit = HAUL_L2_PERSISTING,
                                    .miss = HAUL_L2_STREAMING};
    return haul_launch_run(g->module, &l, g->run);
}

/* A window needs a part of L2 that is set aside for persisting lines. */
static haul_status run_steps(ground *g, const mode *m) {
    if (m->window) HAUL_TRY(haul_l2_set_aside(g->device, 2 * g->table_bytes, NULL));
    for (step s = FIRST; s < STEPS; s++) {
        if (s == STREAM && m->reset) HAUL_TRY(haul_l2_reset(g->device));
        HAUL_TRY(launch(g, s == STREAM ? g->stream : g->table, m->window && s != STREAM));
    }
    return HAUL_OK;
}

/* The last kernel's sums, in the order of kernels/reuse.cu: thread t adds every OUTPUTS-th vector from t on. */
static bool sums_are_right(const ground *g, const float *out) {
    const size_t count = g->table_bytes / VECTOR;
    for (size_t t = 0; t < OUTPUTS; t++) {
        float sum = 0;
        for (size_t i = t; i < count; i += OUTPUTS) {
            const float *v = g->contents + 4 * i;
            sum += (v[0] + v[1]) + (v[2] + v[3]);
        }
        if (memcmp(&sum, &out[t], sizeof sum) != 0) return false;
    }
    return true;
}

static haul_status verify(lab_workbench *b, const ground *g) {
    float *out = lab_untouched(b, OUTPUTS);
    if (!out) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "lab: no memory for results");
    HAUL_TRY(haul_buffer_read(g->out, 0, out, OUTPUTS * sizeof *out));
    b->launches++;
    b->wrong += !sums_are_right(g, out);
    return HAUL_OK;
}

/* By step, as the run recorded the launches in order. */
static double bytes_read(const ground *g, step s) {
    return SECTOR * g->run->launches[s].counters[HAUL_COUNTER_DRAM_READ_SECTORS];
}

static void add_row(report_table *t, report_series *chart, const mode *m, const ground *g) {
    const haul_launch_record *last = &g->run->launches[BEHIND];
    const double hits = last->counters[HAUL_COUNTER_L2_READ_HIT], misses = last->counters[HAUL_COUNTER_L2_READ_MISS];
    report_add_row(t);
    report_add_text(t, "%s", m->title);
    report_add_number(t, bytes_read(g, FIRST));
    report_add_number(t, bytes_read(g, AGAIN));
    report_add_number(t, bytes_read(g, BEHIND));
    report_add_number(t, report_percent(hits, hits + misses));
    report_add_number(t, last->estimate_us);
    report_add_point(chart, (double)(m - modes), bytes_read(g, BEHIND));
}

static haul_status run_mode(lab_workbench *b, const mode *m, report_table *t, report_series *chart) {
    ground g = {0};
    haul_status status = open_ground(b, m, &g);
    if (status == HAUL_OK) status = run_steps(&g, m);
    if (status == HAUL_OK) status = verify(b, &g);
    if (status == HAUL_OK) add_row(t, chart, m, &g);
    close_ground(&g);
    return status;
}

haul_status lab_run_reuse(lab_workbench *b) {
    report_table *t = report_add_table(b->section, "programs", "A table of an eighth of L2, read by three kernels",
                                       columns, sizeof columns / sizeof columns[0]);
    report_chart *c = report_add_chart(b->section, "behind", "Read from device memory by the last kernel", REPORT_BARS,
                                       (report_axis){"L2", REPORT_LINEAR, REPORT_TEXT},
                                       (report_axis){"bytes", REPORT_LINEAR, REPORT_BYTES});
    report_series *s = report_add_series(c, "after the stream", REPORT_SOLID);
    for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++) {
        report_add_category(c, "%s", modes[k].title);
        HAUL_TRY(run_mode(b, &modes[k], t, s));
    }
    return HAUL_OK;
}
