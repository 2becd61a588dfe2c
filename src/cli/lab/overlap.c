/* The experiment `overlap`: copies and kernels at the same time.
 *
 * The same work, max pooling over an array in host memory, is done in thirteen ways, from one copy after the other to
 * maps that haul plans itself. The time of the two transfers alone, both directions at once, is the least that any way
 * can take over the link, so all others are shown relative to it. Results of each way must have the bits of one launch
 * over the whole array. The experiment queues streams itself instead of using the workbench's launches, since time
 * between operations is what it measures. */
#include "cli/lab/workbench.h"

#include "base/memory.h"
#include "base/status.h"

#include <haul/map.h>
#include <stdlib.h>
#include <string.h>

/* Bytes each way: fewer on the virtual GPU, whose times are exact. */
static const uint64_t simulated_bytes = UINT64_C(8) << 20, measured_bytes = UINT64_C(1) << 30;
enum { RADIUS = 15, ROUNDS = 5 }; /* RADIUS: of the pooling; ROUNDS: timed runs on a GPU */

/* The objects shared by all variants; one-shot results are in `expected`. */
typedef struct ground {
    haul_device *device;
    haul_kernels *kernels;
    uint64_t bytes;
    haul_host *in, *out; /* pinned memory */
    float *pageable_in, *pageable_out, *expected;
    haul_buffer *a, *b; /* input and output on the device, for the ways without chunks */
    haul_stream *first, *second;
    haul_event *start, *middle, *end; /* middle: the second stream's end */
    bool right;                       /* the variant's results, in pinned or pageable memory, are right */
} ground;

/* One way to move the data. */
typedef struct way {
    const char *label;
    haul_status (*run)(ground *g, const struct way *way, double *us);
    unsigned chunks, depth; /* of maps; 0: planned */
    bool pageable, results; /* results: it computes, and its output is compared */
} way;

/* ---- ways ---- */

static uint32_t floats_of(const ground *g) {
    return (uint32_t)(g->bytes / sizeof(float));
}

/* Queues one launch over everything in the stream. */
static haul_status pool(ground *g, haul_stream *stream, haul_buffer *in, haul_buffer *out) {
    haul_device_use_stream(g->device, stream);
    const haul_status status = haul_maxpool15(g->kernels, HAUL_MAXPOOL15_AUTO, floats_of(g), in, out, NULL);
    haul_device_use_stream(g->device, NULL);
    return status;
}

/* Ends the measurement in the first stream and waits for it. */
static haul_status finish(ground *g, double *us) {
    HAUL_TRY(haul_event_record(g->end, g->first));
    HAUL_TRY(haul_event_wait(g->end));
    return haul_event_elapsed(g->start, g->end, us);
}

/* Copies in one stream and out in another at the same time; `middle` joins the second stream to the first. */
static haul_status run_transfers(ground *g, const way *w, double *us) {
    (void)w;
    HAUL_TRY(haul_event_record(g->start, g->first));
    HAUL_TRY(haul_stream_wait_event(g->second, g->start));
    HAUL_TRY(haul_stream_write(g->first, g->a, 0, haul_host_memory(g->in), g->bytes));
    HAUL_TRY(haul_stream_read(g->second, g->b, 0, haul_host_memory(g->out), g->bytes));
    HAUL_TRY(haul_event_record(g->middle, g->second));
    HAUL_TRY(haul_stream_wait_event(g->first, g->middle));
    return finish(g, us);
}

/* One stream, so each operation waits for the one before. */
static haul_status run_serial(ground *g, const way *w, double *us) {
    const void *in = w->pageable ? g->pageable_in : haul_host_memory(g->in);
    void *out = w->pageable ? g->pageable_out : haul_host_memory(g->out);
    HAUL_TRY(haul_event_record(g->start, g->first));
    HAUL_TRY(haul_stream_write(g->first, g->a, 0, in, g->bytes));
    HAUL_TRY(pool(g, g->first, g->a, g->b));
    HAUL_TRY(haul_stream_read(g->first, g->b, 0, out, g->bytes));
    return finish(g, us);
}

/* The kernel accesses pinned memory over the link: nothing is copied. */
static haul_status run_zero_copy(ground *g, const way *w, double *us) {
    (void)w;
    HAUL_TRY(haul_event_record(g->start, g->first));
    HAUL_TRY(pool(g, g->first, haul_host_view(g->in), haul_host_view(g->out)));
    return finish(g, us);
}

/* A chunk's launch (haul_chunk_function) over its items and their halo. */
static haul_status pool_chunk(void *context, const haul_chunk *c) {
    const ground *g = context;
    return haul_maxpool15(g->kernels, HAUL_MAXPOOL15_AUTO, (uint32_t)c->total, c->in[0], c->out, NULL);
}

/* Maps over the array; the report has the time from the first copy's start to the last one's end. */
static haul_status run_map(ground *g, const way *w, double *us) {
    const uint64_t items = floats_of(g);
    const haul_map map = {
        .device = g->device,
        .items = items,
        .inputs = {{.item_bytes = 4, .memory = w->pageable ? (void *)g->pageable_in : haul_host_memory(g->in)}},
        .input_count = 1,
        .output = {.item_bytes = 4, .memory = w->pageable ? (void *)g->pageable_out : haul_host_memory(g->out)},
        .before = RADIUS,
        .after = RADIUS,
        .run = pool_chunk,
        .context = g,
        .chunk_items = w->chunks ? (items + w->chunks - 1) / w->chunks : 0,
        .depth = w->depth};
    haul_map_report report;
    const haul_status status = haul_stream_map(&map, &report);
    *us = report.timeline.elapsed_us;
    haul_map_report_free(&report);
    return status;
}

static const way ways[] = {
    {.label = "transfers alone, both at once", .run = run_transfers},
    {.label = "one after the other, pageable", .run = run_serial, .pageable = true, .results = true},
    {.label = "one after the other, pinned", .run = run_serial, .results = true},
    {.label = "kernel reads and writes pinned memory", .run = run_zero_copy, .results = true},
    {.label = "16 chunks, one stream", .run = run_map, .chunks = 16, .depth = 1, .results = true},
    {.label = "16 chunks, two streams", .run = run_map, .chunks = 16, .depth = 2, .results = true},
    {.label = "16 chunks, four streams", .run = run_map, .chunks = 16, .depth = 4, .results = true},
    {.label = "4 chunks, four streams", .run = run_map, .chunks = 4, .depth = 4, .results = true},
    {.label = "8 chunks, four streams", .run = run_map, .chunks = 8, .depth = 4, .results = true},
    {.label = "32 chunks, four streams", .run = run_map, .chunks = 32, .depth = 4, .results = true},
    {.label = "64 chunks, four streams", .run = run_map, .chunks = 64, .depth = 4, .results = true},
    {.label = "planned, pinned", .run = run_map, .results = true},
    {.label = "planned, pageable", .run = run_map, .pageable = true, .results = true},
};
/* indices of `ways` that the report compares */
enum { WAYS = sizeof ways / sizeof ways[0], ALONE = 0, SERIAL = 2, PLANNED = 11 };

/* ---- measuring ---- */

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sets the median of the rounds. A virtual GPU's times do not vary, so it needs one round. A GPU has an additional
 * first round, which does not count. The output is cleared first, so that an earlier way's results cannot pass for this
 * one's. */
static haul_status measure(ground *g, const way *w, double *us) {
    const int rounds = haul_device_is_virtual(g->device) ? 1 : ROUNDS;
    double taken[ROUNDS];
    void *out = w->pageable ? (void *)g->pageable_out : haul_host_memory(g->out);
    if (w->results) memset(out, 0, g->bytes);
    if (rounds > 1) HAUL_TRY(w->run(g, w, &taken[0]));
    for (int r = 0; r < rounds; r++) HAUL_TRY(w->run(g, w, &taken[r]));
    qsort(taken, (size_t)rounds, sizeof taken[0], by_value);
    *us = taken[rounds / 2];
    if (w->results) g->right &= memcmp(out, g->expected, g->bytes) == 0;
    return HAUL_OK;
}

/* Pinned and pageable memory with the same input. */
static haul_status make_host(ground *g) {
    HAUL_TRY(haul_host_create(g->device, g->bytes, HAUL_HOST_PINNED, &g->in));
    HAUL_TRY(haul_host_create(g->device, g->bytes, HAUL_HOST_PINNED, &g->out));
    g->pageable_in = memory_alloc(g->bytes);
    g->pageable_out = memory_alloc(g->bytes);
    g->expected = memory_alloc(g->bytes);
    if (!g->pageable_in || !g->pageable_out || !g->expected)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "overlap: no memory for its arrays");
    for (uint32_t i = 0; i < floats_of(g); i++) g->pageable_in[i] = (float)((i * 2654435761u) >> 8);
    memcpy(haul_host_memory(g->in), g->pageable_in, g->bytes);
    memset(haul_host_memory(g->out), 0, g->bytes);
    return HAUL_OK;
}

static haul_status make_device(ground *g) {
    HAUL_TRY(haul_buffer_create(g->device, g->bytes, &g->a));
    HAUL_TRY(haul_buffer_create(g->device, g->bytes, &g->b));
    HAUL_TRY(haul_stream_create(g->device, 0, &g->first));
    HAUL_TRY(haul_stream_create(g->device, 0, &g->second));
    HAUL_TRY(haul_event_create(g->device, true, &g->start));
    HAUL_TRY(haul_event_create(g->device, true, &g->middle));
    return haul_event_create(g->device, true, &g->end);
}

/* The result that every variant must give: one launch over everything. */
static haul_status compute_expected(ground *g) {
    HAUL_TRY(haul_buffer_write(g->a, 0, g->pageable_in, g->bytes));
    HAUL_TRY(haul_maxpool15(g->kernels, HAUL_MAXPOOL15_AUTO, floats_of(g), g->a, g->b, NULL));
    return haul_buffer_read(g->b, 0, g->expected, g->bytes);
}

static void clear(ground *g) {
    haul_stream_free(g->first);
    haul_stream_free(g->second);
    haul_event_free(g->start);
    haul_event_free(g->middle);
    haul_event_free(g->end);
    haul_buffer_free(g->a);
    haul_buffer_free(g->b);
    haul_host_free(g->in);
    haul_host_free(g->out);
    memory_free(g->pageable_in);
    memory_free(g->pageable_out);
    memory_free(g->expected);
    haul_kernels_close(g->kernels);
}

/* Measures all ways on a device. `right`: all results were. */
static haul_status measure_all(haul_device *device, double us[WAYS], bool *right) {
    ground g = {.device = device, .right = true};
    g.bytes = haul_device_is_virtual(device) ? simulated_bytes : measured_bytes;
    haul_status status = haul_kernels_open(device, &g.kernels);
    if (status == HAUL_OK) status = make_host(&g);
    if (status == HAUL_OK) status = make_device(&g);
    if (status == HAUL_OK) status = compute_expected(&g);
    for (int w = 0; status == HAUL_OK && w < WAYS; w++) status = measure(&g, &ways[w], &us[w]);
    *right = g.right;
    clear(&g);
    return status;
}

/* ---- the report ---- */

static const report_column columns[] = {
    {"way", "Way", REPORT_TEXT, "how data goes in, through the kernel, and out"},
    {"us", "Time", REPORT_MICROSECONDS, "from the first copy's start to the last one's end"},
    {"ratio", "Of transfers", REPORT_SPEEDUP, "relative to the time of the two transfers alone"},
    {"measured_us", "Measured", REPORT_MICROSECONDS, "the same on the GPU, with 1 GiB each way"},
    {"measured_ratio", "Of transfers", REPORT_SPEEDUP, "relative to the transfers alone on the GPU"},
};

/* `measured` is NULL without a GPU beside. */
static void show(report_section *section, const double us[WAYS], const double *measured) {
    report_table *t = report_add_table(section, "ways", "In, through max pooling, and out", columns,
                                       sizeof columns / sizeof columns[0]);
    for (int w = 0; w < WAYS; w++) {
        report_add_row(t);
        report_add_text(t, "%s", ways[w].label);
        report_add_number(t, us[w]);
        report_add_number(t, report_ratio(us[w], us[ALONE]));
        if (!measured) continue;
        report_add_number(t, measured[w]);
        report_add_number(t, report_ratio(measured[w], measured[ALONE]));
    }
}

/* Skipped under a profiler: the times of its copies are not counters. */
haul_status lab_run_overlap(lab_workbench *b) {
    const lab *l = b->lab;
    const bool beside = l->real && l->real != l->device;
    double us[WAYS], measured[WAYS];
    bool right, also_right = true;
    if (l->once) return HAUL_OK;
    HAUL_TRY(measure_all(l->device, us, &right));
    if (beside) HAUL_TRY(measure_all(l->real, measured, &also_right));
    show(b->section, us, beside ? measured : NULL);
    report_check(b->section, right && also_right, "all variants gave the bits of one launch");
    report_check(b->section, us[PLANNED] < 0.8 * us[SERIAL], "planned chunks take less than one after the other");
    return HAUL_OK;
}
