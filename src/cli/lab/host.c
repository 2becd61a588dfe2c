/* The experiment `host`: what the host's calls cost beside the device's work, and how the default stream orders others.
 *
 * The work is two equal halves, each a copy in, a kernel and a copy out. Ways differ in the streams of the halves, in a
 * tiny fill in the default stream between them, and in what the host does meanwhile. Times come from the virtual clock
 * (src/time/clock.h), which charges calls and the host's own work, so the experiment runs on virtual GPUs only. Each
 * way has buffers, streams and events of its own. */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <haul/stream.h>
#include <string.h>

enum { HALVES = 2, FLOATS = 1 << 20, BYTES = FLOATS * 4, SMALL = 64 };
static const double HOST_WORK_US = 200; /* of MEANWHILE and BEHIND */

/* The streams of the two halves of the work. */
typedef enum streams { DEFAULT, APART, ORDERED } streams;

typedef struct way {
    const char *label;
    streams streams;
    bool fill;                                 /* in the default stream, between the two halves */
    enum { NO_WORK, MEANWHILE, BEHIND } works; /* when the host computes */
    bool reads;                                /* the host then reads the results */
    haul_host_kind kind;                       /* of the results' memory */
} way;

static const way ways[] = {
    {.label = "all in the default stream", .streams = DEFAULT},
    {.label = "two streams", .streams = APART},
    {.label = "two streams, a fill in the default stream", .streams = APART, .fill = true},
    {.label = "two ordered streams", .streams = ORDERED},
    {.label = "two ordered streams, a fill in the default stream", .streams = ORDERED, .fill = true},
    {.label = "two streams, the host computes meanwhile", .streams = APART, .works = MEANWHILE},
    {.label = "two streams, the host waits, then computes", .streams = APART, .works = BEHIND},
    {.label = "two streams, the host reads pinned results", .streams = APART, .reads = true},
    {.label = "two streams, the host reads write-combined results",
     .streams = APART,
     .reads = true,
     .kind = HAUL_HOST_WRITE_COMBINED},
};
/* All but WAYS are indices of `ways` that the checks compare. */
enum { WAYS = sizeof ways / sizeof ways[0], IN_DEFAULT = 0, TWO = 1, ORDERED_FILL = 4, BESIDE = 5, AFTER = 6 };

typedef struct ground {
    haul_device *device;
    haul_kernels *kernels;
    haul_stream *stream[HALVES], *default_stream, *clock; /* clock: only for events */
    haul_event *start, *end;
    haul_host *in, *out[HALVES];
    haul_buffer *a[HALVES], *b[HALVES], *small;
    float *expected; /* of either half: both have the same input */
    bool right;
} ground;

/* ---- a way ---- */

/* Makes what a way needs. Call clear_ground() also after an error. */
static haul_status make_ground(ground *g, const way *w) {
    HAUL_TRY(haul_stream_default(g->device, &g->default_stream));
    HAUL_TRY(haul_stream_create(g->device, 0, &g->clock));
    HAUL_TRY(haul_event_create(g->device, true, &g->start));
    HAUL_TRY(haul_event_create(g->device, true, &g->end));
    HAUL_TRY(haul_host_create(g->device, BYTES, HAUL_HOST_PINNED, &g->in));
    HAUL_TRY(haul_buffer_create(g->device, SMALL, &g->small));
    for (int k = 0; k < HALVES; k++) {
        if (w->streams == APART) HAUL_TRY(haul_stream_create(g->device, 0, &g->stream[k]));
        if (w->streams == ORDERED) HAUL_TRY(haul_stream_create_ordered(g->device, 0, &g->stream[k]));
        if (w->streams == DEFAULT) g->stream[k] = g->default_stream;
        HAUL_TRY(haul_host_create(g->device, BYTES, w->kind, &g->out[k]));
        HAUL_TRY(haul_buffer_create(g->device, BYTES, &g->a[k]));
        HAUL_TRY(haul_buffer_create(g->device, BYTES, &g->b[k]));
    }
    return HAUL_OK;
}

/* The default stream is not owned; haul_stream_free() ignores it. */
static void clear_ground(ground *g) {
    for (int k = 0; k < HALVES; k++) {
        haul_stream_free(g->stream[k]);
        haul_host_free(g->out[k]);
        haul_buffer_free(g->a[k]);
        haul_buffer_free(g->b[k]);
    }
    haul_stream_free(g->clock);
    haul_event_free(g->start);
    haul_event_free(g->end);
    haul_host_free(g->in);
    haul_buffer_free(g->small);
}

/* Queues half `k` in its stream and does not wait. */
static haul_status queue_half(ground *g, int k) {
    HAUL_TRY(haul_stream_write(g->stream[k], g->a[k], 0, haul_host_memory(g->in), BYTES));
    haul_device_use_stream(g->device, g->stream[k]);
    const haul_status launched = haul_maxpool15(g->kernels, HAUL_MAXPOOL15_AUTO, FLOATS, g->a[k], g->b[k], NULL);
    haul_device_use_stream(g->device, NULL);
    HAUL_TRY(launched);
    return haul_stream_read(g->stream[k], g->b[k], 0, haul_host_memory(g->out[k]), BYTES);
}

/* Reads through haul_host_read(), which charges the host's time by the kind of memory. */
static haul_status read_results(lab_workbench *b, ground *g) {
    float *copy = lab_untouched(b, FLOATS);
    if (!copy) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "lab: no memory for results");
    for (int k = 0; k < HALVES; k++) HAUL_TRY(haul_host_read(g->out[k], 0, copy, BYTES));
    return HAUL_OK;
}

/* Measures until the host can continue with something else. */
static haul_status run(lab_workbench *b, ground *g, const way *w, double *us) {
    HAUL_TRY(haul_event_record(g->start, g->clock));
    HAUL_TRY(queue_half(g, 0));
    if (w->fill) HAUL_TRY(haul_stream_fill(g->default_stream, g->small, 0, 0, SMALL));
    HAUL_TRY(queue_half(g, 1));
    if (w->works == MEANWHILE) HAUL_TRY(haul_host_compute(g->device, HOST_WORK_US, NULL, NULL));
    HAUL_TRY(haul_device_wait(g->device));
    if (w->works == BEHIND) HAUL_TRY(haul_host_compute(g->device, HOST_WORK_US, NULL, NULL));
    if (w->reads) HAUL_TRY(read_results(b, g));
    HAUL_TRY(haul_event_record(g->end, g->clock));
    HAUL_TRY(haul_event_wait(g->end));
    return haul_event_elapsed(g->start, g->end, us);
}

/* Runs one way and compares its results with the expected ones. */
static haul_status measure(lab_workbench *b, const float *in, ground *all, const way *w, double *us) {
    ground g = {.device = all->device, .kernels = all->kernels};
    haul_status status = make_ground(&g, w);
    if (status == HAUL_OK) {
        memcpy(haul_host_memory(g.in), in, BYTES);
        status = run(b, &g, w, us);
    }
    for (int k = 0; status == HAUL_OK && k < HALVES; k++)
        all->right &= memcmp(haul_host_memory(g.out[k]), all->expected, BYTES) == 0;
    clear_ground(&g);
    return status;
}

/* ---- all ways ---- */

/* One launch, without a stream. */
static haul_status compute_expected(ground *g, const float *in) {
    haul_buffer *a, *b = NULL;
    HAUL_TRY(haul_buffer_create(g->device, BYTES, &a));
    haul_status status = haul_buffer_create(g->device, BYTES, &b);
    if (status == HAUL_OK) status = haul_buffer_write(a, 0, in, BYTES);
    if (status == HAUL_OK) status = haul_maxpool15(g->kernels, HAUL_MAXPOOL15_AUTO, FLOATS, a, b, NULL);
    if (status == HAUL_OK) status = haul_buffer_read(b, 0, g->expected, BYTES);
    haul_buffer_free(a);
    haul_buffer_free(b);
    return status;
}

static const report_column columns[] = {
    {"way", "Way", REPORT_TEXT, "two halves: a copy in, max pooling and a copy out each"},
    {"us", "Time", REPORT_MICROSECONDS, "until the host is also done"},
    {"ratio", "Of two streams", REPORT_SPEEDUP, "relative to the time of two streams alone"},
};

static void show(report_section *section, const double us[WAYS]) {
    report_table *t = report_add_table(section, "ways", "4 MiB in and out for each half", columns,
                                       sizeof columns / sizeof columns[0]);
    for (int w = 0; w < WAYS; w++) {
        report_add_row(t);
        report_add_text(t, "%s", ways[w].label);
        report_add_number(t, us[w]);
        report_add_number(t, report_ratio(us[w], us[TWO]));
    }
}

haul_status lab_run_host(lab_workbench *b) {
    ground g = {.device = b->lab->device, .kernels = b->own.kernels, .right = true};
    const float *in = lab_floats(b, FLOATS, 11);
    double us[WAYS];
    g.expected = lab_untouched(b, FLOATS);
    if (!haul_device_is_virtual(g.device)) return HAUL_OK; /* host times come from the virtual clock */
    if (!in || !g.expected) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "lab: no memory for arrays");
    HAUL_TRY(compute_expected(&g, in));
    for (int w = 0; w < WAYS; w++) HAUL_TRY(measure(b, in, &g, &ways[w], &us[w]));
    show(b->section, us);
    report_check(b->section, g.right, "all variants gave the bits of one launch");
    report_check(b->section, us[ORDERED_FILL] > 0.99 * us[IN_DEFAULT],
                 "a fill in the default stream takes the overlap away");
    report_check(b->section, us[AFTER] - us[BESIDE] > 0.9 * (us[TWO] < HOST_WORK_US ? us[TWO] : HOST_WORK_US),
                 "host work beside the device takes no time of its own");
    return HAUL_OK;
}
