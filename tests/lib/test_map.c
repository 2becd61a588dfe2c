/* haul_stream_map(): any chunking gives the bits of one launch; a failure leaves an exact account. */
#include "base/disk.h"
#include "base/memory.h"
#include "lib/device.h"
#include "vgpu/driver.h"

#include <haul/kernels.h>
#include <haul/map.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RADIUS = 15 };

static haul_device *device;
static haul_kernels *kernels;
static uint32_t seed = 1;

static uint32_t draw(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 4) * below) >> 28);
}

static int open_device(void **state) {
    (void)state;
    const haul_device_options options = {.memory_bytes = 1 << 30};
    return haul_device_open("sim:h100", &options, &device) != HAUL_OK || haul_kernels_open(device, &kernels) != HAUL_OK;
}

static int close_device(void **state) {
    (void)state;
    haul_kernels_close(kernels);
    haul_device_close(device);
    return 0;
}

static float *floats(size_t n) {
    float *data = malloc((n + 1) * sizeof *data);
    for (size_t i = 0; i < n; i++) data[i] = (float)draw(1 << 20) / 1024.0f;
    return data;
}

/* ---- kernels over chunks ---- */

static haul_status pool(void *context, const haul_chunk *c) {
    (void)context;
    return haul_maxpool15(kernels, HAUL_MAXPOOL15_AUTO, (uint32_t)c->total, c->in[0], c->out, NULL);
}

static haul_status scale(void *context, const haul_chunk *c) {
    (void)context;
    return haul_saxpy(kernels, HAUL_SAXPY_AUTO, (uint32_t)c->total, 1.5f, c->in[0], c->in[1], NULL);
}

/* Two kernels: maxima of maxima. */
static haul_status pool_twice(void *context, const haul_chunk *c) {
    (void)context;
    const haul_status status =
        haul_maxpool15(kernels, HAUL_MAXPOOL15_AUTO, (uint32_t)c->total, c->in[0], c->scratch, NULL);
    if (status != HAUL_OK) return status;
    return haul_maxpool15(kernels, HAUL_MAXPOOL15_AUTO, (uint32_t)c->total, c->scratch, c->out, NULL);
}

static float *pooled(const float *in, size_t n, size_t radius) {
    float *out = malloc((n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const size_t from = i < radius ? 0 : i - radius, to = n - i <= radius ? n - 1 : i + radius;
        out[i] = in[from];
        for (size_t k = from; k <= to; k++)
            if (in[k] > out[i]) out[i] = in[k];
    }
    return out;
}

/* ---- ends ---- */

typedef struct made {
    const float *data;
    uint64_t next;
} made;

static haul_status give(void *context, uint64_t first, uint64_t items, void *bytes) {
    made *m = context;
    memcpy(bytes, m->data + first, items * sizeof(float));
    return HAUL_OK;
}

static haul_status take(void *context, uint64_t first, uint64_t items, void *bytes) {
    made *m = context;
    assert_int_equal(first, m->next); /* in order, without gaps */
    memcpy((float *)(uintptr_t)m->data + first, bytes, items * sizeof(float));
    m->next += items;
    return HAUL_OK;
}

static const char in_path[] = TEST_BUILD "/test_map.in", out_path[] = TEST_BUILD "/test_map.out",
                  partial_path[] = TEST_BUILD "/test_map.out.partial",
                  account_path[] = TEST_BUILD "/test_map.out.partial.done-0";

static void save(const float *data, size_t n) {
    FILE *f = fopen(in_path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, sizeof *data, n, f), n);
    fclose(f);
}

static void load(float *data, size_t n) {
    FILE *f = fopen(out_path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(data, sizeof *data, n, f), n);
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
    unlink(out_path);
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

static haul_map pooling(uint64_t n, float *in, float *out) {
    return (haul_map){.device = device,
                      .items = n,
                      .inputs = {{.kind = HAUL_MAP_MEMORY, .item_bytes = 4, .memory = in}},
                      .input_count = 1,
                      .output = {.kind = HAUL_MAP_MEMORY, .item_bytes = 4, .memory = out},
                      .before = RADIUS,
                      .after = RADIUS,
                      .run = pool};
}

static void must(haul_status status) {
    if (status != HAUL_OK) print_error("%s\n", haul_message());
    assert_int_equal(status, HAUL_OK);
}

/* ---- the same bits ---- */

static void any_chunking_of_any_ends_gives_the_bits_of_one_launch(void **state) {
    (void)state;
    for (int round = 0; round < 60; round++) {
        const size_t n = 1 + draw(round < 10 ? 64 : 20000);
        float *in = floats(n), *expected = pooled(in, n, RADIUS), *out = calloc(n + 1, sizeof *out);
        haul_map m = pooling(n, in, out);
        made source = {in, 0}, sink = {out, 0};
        haul_host *pinned_in = NULL, *pinned_out = NULL;
        m.chunk_items = 1 + draw((uint32_t)n);
        if (n / m.chunk_items > 64) m.chunk_items = n / 64;
        m.depth = draw(6);
        m.threads = draw(4);
        const uint32_t from = draw(4), to = draw(4);
        save(in, n);
        if (from == 1) m.inputs[0] = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = in_path};
        if (from == 2)
            m.inputs[0] =
                (haul_map_end){.kind = HAUL_MAP_FUNCTION, .item_bytes = 4, .transfer = give, .context = &source};
        if (from == 3) must(haul_host_register(device, in, n * 4, &pinned_in));
        if (to == 1) m.output = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = out_path};
        if (to == 2)
            m.output = (haul_map_end){.kind = HAUL_MAP_FUNCTION, .item_bytes = 4, .transfer = take, .context = &sink};
        if (to == 3) must(haul_host_register(device, out, n * 4, &pinned_out));
        haul_map_report report;
        must(haul_stream_map(&m, &report));
        if (to == 1) load(out, n);
        assert_memory_equal(out, expected, n * 4);
        assert_int_equal(report.complete_count, 1);
        assert_int_equal(report.complete[0].items, n);
        assert_int_equal(report.complete_chunks, report.chunks);
        haul_map_report_free(&report);
        haul_host_free(pinned_in);
        haul_host_free(pinned_out);
        free(in);
        free(out);
        free(expected);
    }
    assert_false(exists(partial_path));
    unlink(in_path);
}

static void planned_chunks_have_a_ramp_and_give_the_same_bits(void **state) {
    (void)state;
    enum { N = 3000001 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    haul_map m = pooling(N, in, out);
    haul_map_report report;
    must(haul_stream_map(&m, &report));
    assert_memory_equal(out, expected, N * sizeof *out);
    assert_true(report.chunks >= 4);
    haul_map_report_free(&report);
    free(in);
    free(out);
    free(expected);
}

static void two_inputs_are_added_in_place(void **state) {
    (void)state;
    enum { N = 10007 };
    float *x = floats(N), *y = floats(N), expected[N];
    for (size_t i = 0; i < N; i++) expected[i] = __builtin_fmaf(1.5f, x[i], y[i]);
    haul_map m = pooling(N, x, y);
    m.inputs[1] = m.output;
    m.input_count = 2;
    m.in_place = true;
    m.in_place_input = 1;
    m.before = m.after = 0;
    m.chunk_items = 999;
    m.run = scale;
    must(haul_stream_map(&m, NULL)); /* and back into y itself */
    assert_memory_equal(y, expected, sizeof expected);
    free(x);
    free(y);
}

static void a_chain_of_kernels_takes_the_sum_of_the_halos(void **state) {
    (void)state;
    enum { N = 5003 };
    float *in = floats(N), *expected = pooled(in, N, 2 * RADIUS), *out = calloc(N, sizeof *out);
    haul_map m = pooling(N, in, out);
    m.before = m.after = 2 * RADIUS;
    m.scratch_bytes = 4;
    m.chunk_items = 700;
    m.run = pool_twice;
    must(haul_stream_map(&m, NULL));
    assert_memory_equal(out, expected, N * sizeof *out);
    free(in);
    free(out);
    free(expected);
}

/* A run of one launch's bits whatever the halo, with chunks that are no smaller than it, and buffers no larger than the
 * data. */
static void a_large_halo_makes_large_chunks(void **state) {
    (void)state;
    enum { N = 400000 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    static const uint64_t halos[] = {100000, 300000, UINT64_C(1) << 40};
    for (size_t k = 0; k < 3; k++) {
        haul_map m = pooling(N, in, out);
        haul_map_report report;
        m.before = m.after = halos[k];
        memset(out, 0, N * sizeof *out);
        must(haul_stream_map(&m, &report));
        assert_memory_equal(out, expected, N * sizeof *out);
        assert_true(report.chunk_items >= (halos[k] < N ? halos[k] : N));
        assert_true(report.device_bytes <= report.depth * 2 * 3 * N * sizeof *out);
        haul_map_report_free(&report);
    }
    free(in);
    free(out);
    free(expected);
}

static void no_items_are_fine(void **state) {
    (void)state;
    float in[1] = {0}, out[1] = {7};
    haul_map m = pooling(0, in, out);
    must(haul_stream_map(&m, NULL));
    assert_true(out[0] == 7);
    m.output = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = out_path};
    must(haul_stream_map(&m, NULL));
    load(out, 0);
}

static void a_mapper_runs_again(void **state) {
    (void)state;
    enum { N = 4099 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    haul_map m = pooling(N, in, out);
    haul_mapper *mapper;
    m.chunk_items = 512;
    must(haul_mapper_create(&m, &mapper));
    for (int k = 0; k < 3; k++) {
        haul_map_report report;
        memset(out, 0, N * sizeof *out);
        must(haul_mapper_run(mapper, &report));
        assert_memory_equal(out, expected, N * sizeof *out);
        haul_map_report_free(&report);
    }
    haul_mapper_free(mapper);
    free(in);
    free(out);
    free(expected);
}

static bool cancel_after_two(void *context, const haul_map_progress *progress) {
    if (progress->complete == 2) haul_mapper_cancel(*(haul_mapper **)context);
    return true;
}

static void a_mapper_is_cancelled_and_runs_again(void **state) {
    (void)state;
    enum { N = 4099 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    haul_map m = pooling(N, in, out);
    haul_mapper *mapper;
    haul_map_report report;
    m.chunk_items = 512;
    m.progress = cancel_after_two;
    m.progress_context = &mapper;
    must(haul_mapper_create(&m, &mapper));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(haul_mapper_run(mapper, &report), HAUL_ERROR_CANCELLED);
        assert_true(report.complete_chunks >= 2 && report.complete_chunks < report.chunks);
        haul_map_report_free(&report);
    }
    haul_mapper_free(mapper);
    free(in);
    free(out);
    free(expected);
}

/* ---- time ---- */

static haul_map_report timed(haul_map *m) {
    haul_map_report report;
    must(haul_stream_map(m, &report));
    return report;
}

static void the_timeline_shows_overlap_and_is_the_same_every_time(void **state) {
    (void)state;
    enum { N = 4 << 20 };
    haul_host *in, *out;
    must(haul_host_create(device, N * 4, HAUL_HOST_PINNED, &in));
    must(haul_host_create(device, N * 4, HAUL_HOST_PINNED, &out));
    memset(haul_host_memory(in), 0, N * 4);
    haul_map m = pooling(N, haul_host_memory(in), haul_host_memory(out));
    m.chunk_items = N / 16;
    m.depth = 1;
    haul_map_report serial = timed(&m);
    m.depth = 4;
    haul_map_report overlapped = timed(&m), again = timed(&m);
    assert_int_equal(overlapped.timeline.count, 3 * 16);
    assert_true(overlapped.timeline.elapsed_us < 0.75 * serial.timeline.elapsed_us);
    assert_true(haul_timeline_efficiency(&overlapped.timeline) > 0.85);
    assert_true(haul_timeline_efficiency(&serial.timeline) < 0.6);
    assert_int_equal(again.timeline.count, overlapped.timeline.count);
    for (size_t i = 0; i < again.timeline.count; i++) {
        const haul_operation *a = &again.timeline.operations[i], *b = &overlapped.timeline.operations[i];
        assert_float_equal((float)(a->end_us - a->start_us), (float)(b->end_us - b->start_us), 2);
    }
    haul_map_report_free(&serial);
    haul_map_report_free(&overlapped);
    haul_map_report_free(&again);
    haul_host_free(in);
    haul_host_free(out);
}

/* ---- wrong use ---- */

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    float in[8] = {0}, out[8];
    haul_map m = pooling(8, in, in + 4);
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_ARGUMENT);
    m = pooling(8, in, out);
    m.device_budget = 16;
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(haul_message(), "budget of 16 B"));
    m = pooling(8, NULL, out);
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_ARGUMENT);
    m = pooling(8, in, out);
    m.inputs[0] = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = "/nowhere/to be found"};
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_FILE);
    save(in, 7);
    m.inputs[0].path = in_path;
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_ARGUMENT);
    unlink(in_path);
    m = pooling(8, in, out);
    m.run = NULL;
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_ARGUMENT);
}

/* ---- failures ---- */

static bool stop_after_three(void *context, const haul_map_progress *p) {
    (void)context;
    return p->complete < 3;
}

/* Exactly what the report says is there. */
static void account_is_exact(const haul_map_report *r, const float *out, const float *expected) {
    uint64_t next = 0;
    for (size_t k = 0; k < r->complete_count; k++) {
        const haul_map_range *range = &r->complete[k];
        assert_true(range->items > 0 && (k == 0 || range->first > next));
        next = range->first + range->items;
        assert_memory_equal(out + range->first, expected + range->first, range->items * 4);
    }
}

static void a_cancelled_run_tells_what_is_complete(void **state) {
    (void)state;
    enum { N = 8192 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    haul_map m = pooling(N, in, out);
    haul_map_report report;
    m.chunk_items = 1024;
    m.progress = stop_after_three;
    assert_int_equal(haul_stream_map(&m, &report), HAUL_ERROR_CANCELLED);
    assert_true(report.complete_chunks >= 3);
    account_is_exact(&report, out, expected);
    haul_map_report_free(&report);
    free(in);
    free(out);
    free(expected);
}

static void reopen(void) {
    close_device(NULL);
    assert_int_equal(open_device(NULL), 0);
}

typedef enum source_of_failure { DRIVER, DISK, MEMORY } source_of_failure;

static void arm(source_of_failure source, unsigned n) {
    if (source == DRIVER) sim_driver_fail_call(n);
    if (source == DISK) disk_fail_after(n, ENOSPC);
    if (source == MEMORY) memory_fail_after(n);
}

/* Fails once at each place in turn, until a run has fewer such places. */
static void fail_everywhere(source_of_failure source, bool files, unsigned step) {
    enum { N = 6000 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    haul_status status = HAUL_ERROR_INTERNAL;
    save(in, N);
    for (unsigned n = 1; status != HAUL_OK; n += step) {
        haul_map m = pooling(N, in, out);
        haul_map_report report;
        m.chunk_items = 1000;
        m.depth = 3;
        m.threads = 2;
        if (files) {
            m.inputs[0] = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = in_path};
            m.output = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = out_path};
        }
        memset(out, 0, N * sizeof *out);
        arm(source, n);
        status = haul_stream_map(&m, &report);
        arm(source, 0);
        assert_true(n < 40000);
        assert_false(exists(partial_path));
        if (status != HAUL_OK) assert_false(exists(out_path));
        if (status != HAUL_OK) assert_true(*haul_message() != '\0');
        if (!files) account_is_exact(&report, out, expected);
        haul_map_report_free(&report);
        if (source == MEMORY && status != HAUL_OK) reopen(); /* queued work that lacks memory is the context's end */
    }
    if (files) load(out, N);
    assert_memory_equal(out, expected, N * sizeof *out);
    unlink(in_path);
    free(in);
    free(out);
    free(expected);
    reopen();
}

static void every_call_of_the_driver_may_fail(void **state) {
    (void)state;
    fail_everywhere(DRIVER, false, 1);
    fail_everywhere(DRIVER, true, 3);
}

static void every_file_operation_may_fail(void **state) {
    (void)state;
    fail_everywhere(DISK, true, 1);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    fail_everywhere(MEMORY, false, 97);
}

static void short_reads_and_writes_are_completed(void **state) {
    (void)state;
    enum { N = 5000 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    haul_map m = pooling(N, in, out);
    m.inputs[0] = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = in_path};
    m.output = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = out_path};
    m.chunk_items = 900;
    save(in, N);
    disk_move_at_most(777);
    must(haul_stream_map(&m, NULL));
    disk_move_at_most(0);
    load(out, N);
    assert_memory_equal(out, expected, N * sizeof *out);
    unlink(in_path);
    free(in);
    free(out);
    free(expected);
}

static void a_partial_file_may_be_kept(void **state) {
    (void)state;
    enum { N = 8192 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    haul_map m = pooling(N, in, out);
    haul_map_report report;
    m.output = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = out_path};
    m.chunk_items = 1024;
    m.progress = stop_after_three;
    m.keep_partial = true;
    assert_int_equal(haul_stream_map(&m, &report), HAUL_ERROR_CANCELLED);
    assert_true(exists(partial_path) && !exists(out_path));
    assert_int_equal(rename(partial_path, out_path), 0);
    load(out, N);
    account_is_exact(&report, out, expected);
    assert_true(exists(account_path));
    unlink(account_path);
    haul_map_report_free(&report);
    free(in);
    free(out);
    free(expected);
}

static haul_status fault_in_the_fourth(void *context, const haul_chunk *c) {
    if (c->index == 3) {
        const haul_chunk beyond = {.total = c->total, .in = {c->in[0]}, .out = context};
        return pool(NULL, &beyond);
    }
    return pool(NULL, c);
}

static void a_fault_of_a_kernel_leaves_the_chunks_before_it(void **state) {
    (void)state;
    enum { N = 8192 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    haul_buffer *gone;
    must(haul_buffer_create(device, 1 << 20, &gone));
    gone->address += UINT64_C(1) << 36;
    haul_map m = pooling(N, in, out);
    haul_map_report report;
    m.chunk_items = 1024;
    m.depth = 2;
    m.run = fault_in_the_fourth;
    m.context = gone;
    assert_int_equal(haul_stream_map(&m, &report), HAUL_ERROR_FAULT);
    assert_true(report.complete_chunks >= 1 && report.complete_chunks <= 3);
    account_is_exact(&report, out, expected);
    haul_map_report_free(&report);
    gone->address -= UINT64_C(1) << 36;
    reopen();
    free(in);
    free(out);
    free(expected);
}

/* ---- continuing ---- */

static haul_map to_file(uint64_t n) {
    haul_map m = pooling(n, NULL, NULL);
    m.inputs[0] = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = in_path};
    m.output = (haul_map_end){.kind = HAUL_MAP_FILE, .item_bytes = 4, .path = out_path};
    m.chunk_items = 1024;
    m.resume = true;
    return m;
}

/* Runs a map that ends after three chunks. */
static void stop(haul_map m) {
    m.progress = stop_after_three;
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_CANCELLED);
    assert_true(exists(partial_path) && exists(account_path));
}

static void append(const char *line) {
    FILE *f = fopen(account_path, "a");
    assert_non_null(f);
    fputs(line, f);
    fclose(f);
}

static void a_run_continues_what_another_left(void **state) {
    (void)state;
    enum { N = 16384 };
    float *in = floats(N), *expected = pooled(in, N, RADIUS), *out = calloc(N, sizeof *out);
    save(in, N);
    for (int k = 0; k < 3; k++) {
        haul_map m = to_file(N);
        haul_map_report report;
        stop(m);
        if (k == 1) m.chunk_items = 700;  /* chunks with items that are missing are computed again */
        if (k == 2) append("4096 12288"); /* a line without its end does not count */
        must(haul_stream_map(&m, &report));
        assert_true(report.resumed_chunks >= 3 && report.resumed_chunks < report.chunks);
        assert_int_equal(report.complete[0].items, N);
        haul_map_report_free(&report);
        load(out, N);
        assert_memory_equal(out, expected, N * sizeof *out);
        assert_false(exists(partial_path) || exists(account_path));
    }
    unlink(in_path);
    free(in);
    free(out);
    free(expected);
}

static void only_the_same_run_is_continued(void **state) {
    (void)state;
    enum { N = 16384 };
    float *in = floats(N), *out = calloc(N, sizeof *out);
    save(in, N);
    haul_map m = to_file(N);
    stop(m);
    m.identity = 1; /* another kernel */
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_ARGUMENT);
    assert_non_null(strstr(haul_message(), "cannot be resumed"));
    m.identity = 0;
    save(in, N); /* another input, though its bytes are the same */
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_ARGUMENT);
    m.resume = false; /* begins anew */
    haul_map_report report;
    must(haul_stream_map(&m, &report));
    assert_int_equal(report.resumed_chunks, 0);
    assert_false(exists(account_path));
    haul_map_report_free(&report);
    load(out, N);
    m = pooling(N, in, out);
    m.resume = true;
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_ARGUMENT);
    unlink(in_path);
    free(in);
    free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_chunking_of_any_ends_gives_the_bits_of_one_launch),
        cmocka_unit_test(planned_chunks_have_a_ramp_and_give_the_same_bits),
        cmocka_unit_test(two_inputs_are_added_in_place),
        cmocka_unit_test(a_chain_of_kernels_takes_the_sum_of_the_halos),
        cmocka_unit_test(a_large_halo_makes_large_chunks),
        cmocka_unit_test(no_items_are_fine),
        cmocka_unit_test(a_mapper_runs_again),
        cmocka_unit_test(a_mapper_is_cancelled_and_runs_again),
        cmocka_unit_test(the_timeline_shows_overlap_and_is_the_same_every_time),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_cancelled_run_tells_what_is_complete),
        cmocka_unit_test(every_call_of_the_driver_may_fail),
        cmocka_unit_test(every_file_operation_may_fail),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(short_reads_and_writes_are_completed),
        cmocka_unit_test(a_partial_file_may_be_kept),
        cmocka_unit_test(a_fault_of_a_kernel_leaves_the_chunks_before_it),
        cmocka_unit_test(a_run_continues_what_another_left),
        cmocka_unit_test(only_the_same_run_is_continued),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
