/* Streams, events, pinned memory, pools and graphs of the host library, on the virtual GPU. */
#include "base/memory.h"
#include "vgpu/driver.h"

#include <haul/kernels.h>
#include <haul/stream.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 1 << 16, BYTES = N * 4 };

static haul_device *device;
static haul_kernels *kernels;

static void must(haul_status status) {
    if (status != HAUL_OK) print_error("%s\n", haul_message());
    assert_int_equal(status, HAUL_OK);
}

static int set_up(void **state) {
    (void)state;
    const haul_device_options options = {.memory_bytes = 64 << 20};
    return haul_device_open("sim:h100", &options, &device) != HAUL_OK || haul_kernels_open(device, &kernels) != HAUL_OK;
}

static int tear_down(void **state) {
    (void)state;
    haul_kernels_close(kernels);
    haul_device_close(device);
    return 0;
}

static haul_host *pinned(uint8_t value) {
    haul_host *host;
    must(haul_host_create(device, BYTES, HAUL_HOST_PINNED, &host));
    memset(haul_host_memory(host), value, BYTES);
    return host;
}

static void a_missing_wait_shows(void **state) {
    (void)state;
    haul_host *host = pinned(0);
    const unsigned char *bytes = haul_host_memory(host);
    haul_buffer *buffer;
    haul_stream *stream;
    bool done = true;
    must(haul_buffer_create(device, BYTES, &buffer));
    must(haul_stream_create(device, 0, &stream));
    must(haul_stream_fill(stream, buffer, 0, 5, BYTES));
    must(haul_stream_read(stream, buffer, 0, haul_host_memory(host), BYTES));
    assert_int_equal(bytes[100], 0);
    must(haul_stream_query(stream, &done));
    assert_false(done);
    must(haul_stream_wait(stream));
    assert_int_equal(bytes[100], 5);
    must(haul_stream_query(stream, &done));
    assert_true(done);
    assert_int_equal(haul_stream_read(stream, buffer, 8, haul_host_memory(host), BYTES), HAUL_ERROR_ARGUMENT);
    haul_stream_free(stream);
    haul_buffer_free(buffer);
    haul_host_free(host);
}

/* Made in one stream, used in another one behind an event, by a kernel that ships. */
static void events_order_streams_and_tell_the_time(void **state) {
    (void)state;
    haul_host *from = pinned(1), *to = pinned(0);
    haul_buffer *in, *out;
    haul_stream *first, *second;
    haul_event *copied, *end;
    double us = -1;
    must(haul_buffer_create(device, BYTES, &in));
    must(haul_buffer_create(device, BYTES, &out));
    must(haul_stream_create(device, 0, &first));
    must(haul_stream_create(device, -1, &second));
    must(haul_event_create(device, true, &copied));
    must(haul_event_create(device, true, &end));
    must(haul_stream_write(first, in, 0, haul_host_memory(from), BYTES));
    must(haul_event_record(copied, first));
    must(haul_stream_wait_event(second, copied));
    haul_device_use_stream(device, second);
    must(haul_copy(kernels, HAUL_COPY_AUTO, N, in, out, NULL));
    haul_device_use_stream(device, NULL);
    must(haul_stream_read(second, out, 0, haul_host_memory(to), BYTES));
    must(haul_event_record(end, second));
    assert_int_equal(*(unsigned char *)haul_host_memory(to), 0);
    must(haul_event_wait(end));
    assert_memory_equal(haul_host_memory(to), haul_host_memory(from), BYTES);
    must(haul_event_elapsed(copied, end, &us));
    assert_true(us > 4); /* 256 KiB at 55 GB/s, and a kernel */
    haul_event_free(copied);
    haul_event_free(end);
    haul_stream_free(first);
    haul_stream_free(second);
    haul_buffer_free(in);
    haul_buffer_free(out);
    haul_host_free(from);
    haul_host_free(to);
}

/* From one buffer to the next within the device; the event has happened when the copy has. */
static void buffers_are_copied_when_the_stream_comes_to_it(void **state) {
    (void)state;
    haul_host *host = pinned(7);
    unsigned char back[4] = {0};
    haul_buffer *from, *to;
    haul_stream *stream;
    haul_event *copied;
    bool done = true;
    assert_int_equal(haul_host_bytes(host), BYTES);
    must(haul_buffer_create(device, BYTES, &from));
    must(haul_buffer_create(device, BYTES, &to));
    must(haul_stream_create(device, 0, &stream));
    must(haul_event_create(device, false, &copied));
    must(haul_stream_fill(stream, to, 0, 0, BYTES));
    must(haul_stream_write(stream, from, 0, haul_host_memory(host), BYTES));
    must(haul_stream_copy(stream, to, 2, from, 1000, 2));
    must(haul_event_record(copied, stream));
    must(haul_event_query(copied, &done));
    assert_false(done);
    must(haul_event_wait(copied));
    must(haul_event_query(copied, &done));
    assert_true(done);
    must(haul_buffer_read(to, 0, back, sizeof back));
    assert_memory_equal(back, "\0\0\7\7", sizeof back);
    assert_int_equal(haul_stream_copy(stream, to, BYTES - 1, from, 0, 2), HAUL_ERROR_ARGUMENT);
    assert_int_equal(haul_stream_copy(stream, to, 0, from, BYTES - 1, 2), HAUL_ERROR_ARGUMENT);
    haul_event_free(copied);
    haul_stream_free(stream);
    haul_buffer_free(from);
    haul_buffer_free(to);
    haul_host_free(host);
}

static void kernels_take_pinned_memory_as_it_is(void **state) {
    (void)state;
    haul_host *from = pinned(3), *to = pinned(0);
    must(haul_copy(kernels, HAUL_COPY_SCALAR, N, haul_host_view(from), haul_host_view(to), NULL));
    assert_memory_equal(haul_host_memory(to), haul_host_memory(from), BYTES);
    haul_host_free(from);
    haul_host_free(to);
}

/* With checks, a buffer that is filled again too early is reported. */
static void a_source_that_changes_too_early_is_told(void **state) {
    (void)state;
    const haul_device_options options = {.memory_bytes = 64 << 20, .check = true};
    haul_device *checked;
    haul_host *host;
    haul_buffer *buffer;
    haul_stream *stream;
    must(haul_device_open("sim:h100", &options, &checked));
    must(haul_host_create(checked, BYTES, HAUL_HOST_PINNED, &host));
    must(haul_buffer_create(checked, BYTES, &buffer));
    must(haul_stream_create(checked, 0, &stream));
    unsigned char *bytes = memset(haul_host_memory(host), 1, BYTES);
    must(haul_stream_write(stream, buffer, 0, bytes, BYTES / 2));
    bytes[BYTES / 2] = 2; /* not its source */
    must(haul_stream_wait(stream));
    bytes[0] = 2; /* done */
    must(haul_stream_read(stream, buffer, 0, bytes, BYTES / 2));
    must(haul_stream_write(stream, buffer, 0, bytes, BYTES)); /* changed by the copy before it */
    must(haul_stream_wait(stream));
    must(haul_stream_write(stream, buffer, 0, bytes, BYTES));
    bytes[100]++;
    assert_int_equal(haul_stream_wait(stream), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "was changed before the copy was done"));
    haul_stream_free(stream);
    haul_device_close(checked);
}

static void memory_of_the_user_is_pinned_and_let_go(void **state) {
    (void)state;
    unsigned char mine[4096] = {0};
    haul_host *host, *again;
    assert_false(haul_host_is_pinned(device, mine, sizeof mine));
    must(haul_host_register(device, mine, sizeof mine, &host));
    assert_true(haul_host_is_pinned(device, mine + 5, 100));
    assert_false(haul_host_is_pinned(device, mine + 5, sizeof mine));
    assert_int_equal(haul_host_register(device, mine, 10, &again), HAUL_ERROR_ARGUMENT);
    haul_host_free(host);
    assert_false(haul_host_is_pinned(device, mine, sizeof mine));
}

static void what_failed_before_says_nothing_of_a_call(void **state) {
    (void)state;
    unsigned char mine[4096] = {0};
    haul_buffer *buffer;
    haul_host *host, *again;
    must(haul_host_register(device, mine, sizeof mine, &host));
    assert_int_equal(haul_buffer_create(device, UINT64_MAX / 2, &buffer), HAUL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(haul_host_register(device, mine, 10, &again), HAUL_ERROR_ARGUMENT);
    assert_non_null(strstr(haul_message(), "the host memory is already registered"));
    haul_host_free(host);
}

static void a_graph_repeats_a_pipeline(void **state) {
    (void)state;
    haul_host *from = pinned(1), *to = pinned(0);
    haul_buffer *buffer;
    haul_stream *stream;
    haul_graph *graph;
    must(haul_buffer_create(device, BYTES, &buffer));
    must(haul_stream_create(device, 0, &stream));
    must(haul_graph_capture_begin(stream));
    must(haul_stream_write(stream, buffer, 0, haul_host_memory(from), BYTES));
    must(haul_stream_read(stream, buffer, 0, haul_host_memory(to), BYTES));
    must(haul_graph_capture_end(stream, &graph));
    for (uint8_t k = 10; k < 13; k++) {
        memset(haul_host_memory(from), k, BYTES);
        must(haul_graph_launch(graph, stream));
        must(haul_stream_wait(stream));
        assert_int_equal(((unsigned char *)haul_host_memory(to))[BYTES - 1], k);
    }
    haul_graph_free(graph);
    haul_stream_free(stream);
    haul_buffer_free(buffer);
    haul_host_free(from);
    haul_host_free(to);
}

static void pools_have_limits_marks_and_leak_reports(void **state) {
    (void)state;
    haul_pool *pool;
    haul_stream *stream;
    haul_buffer *a, *b, *c;
    haul_pool_usage usage;
    must(haul_pool_create(device, 4 << 20, &pool));
    must(haul_stream_create(device, 0, &stream));
    must(haul_pool_allocate(pool, stream, 3 << 20, "rows", &a));
    assert_int_equal(haul_pool_allocate(pool, stream, 2 << 20, "columns", &b), HAUL_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(haul_message(), "2.00 MiB asked for; 3.00 MiB of its limit of 4.00 MiB"));
    must(haul_pool_release(a, stream));
    must(haul_pool_allocate(pool, stream, 2 << 20, "columns", &b));
    must(haul_pool_allocate(pool, stream, 64, NULL, &c));
    must(haul_pool_usage_of(pool, &usage));
    assert_int_equal(usage.used, (2 << 20) + 64);
    assert_int_equal(usage.used_high, 3 << 20);
    assert_int_equal(usage.buffers, 2);
    must(haul_pool_reset_high(pool));
    must(haul_pool_usage_of(pool, &usage));
    assert_int_equal(usage.used_high, (2 << 20) + 64);
    assert_int_equal(haul_pool_free(pool), HAUL_ERROR_ARGUMENT);
    assert_non_null(strstr(haul_message(), "2 buffers, 2.00 MiB in all"));
    assert_non_null(strstr(haul_message(), "columns"));
    haul_stream_free(stream);
}

static void too_much_device_memory_is_told_in_numbers(void **state) {
    (void)state;
    haul_buffer *buffer;
    uint64_t left, total;
    assert_int_equal(haul_buffer_create(device, 1 << 30, &buffer), HAUL_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(haul_message(), "1.00 GiB asked for"));
    must(haul_device_memory(device, &left, &total));
    assert_int_equal(total, 64 << 20);
}

static void l2_is_set_up(void **state) {
    (void)state;
    haul_buffer *buffer;
    haul_stream *stream;
    uint32_t fetch;
    uint64_t aside;
    must(haul_buffer_create(device, BYTES, &buffer));
    must(haul_stream_create(device, 0, &stream));
    must(haul_l2_set_fetch(device, 32));
    must(haul_l2_fetch(device, &fetch));
    assert_int_equal(fetch, 32);
    must(haul_l2_set_aside(device, 4 << 20, &aside));
    assert_int_equal(aside, 4 << 20);
    assert_int_equal(haul_l2_set_aside(device, 1 << 30, NULL), HAUL_ERROR_ARGUMENT);
    must(haul_l2_keep(stream, buffer, 0, BYTES, 0.5f));
    assert_int_equal(haul_l2_keep(stream, buffer, 0, BYTES, 1.5f), HAUL_ERROR_ARGUMENT);
    must(haul_l2_keep(stream, buffer, 0, 0, 0));
    must(haul_l2_reset(device));
    haul_stream_free(stream);
    haul_buffer_free(buffer);
}

/* ---- one address space ---- */

static void host_memory_has_one_address_for_host_and_kernels(void **state) {
    (void)state;
    static const haul_host_kind kinds[] = {HAUL_HOST_PINNED, HAUL_HOST_WRITE_COMBINED, HAUL_HOST_MANAGED};
    for (size_t k = 0; k < 3; k++) {
        haul_host *in, *out;
        must(haul_host_create(device, BYTES, kinds[k], &in));
        must(haul_host_create(device, BYTES, kinds[k], &out));
        assert_int_equal(haul_buffer_address(haul_host_view(in)), (uintptr_t)haul_host_memory(in));
        assert_int_equal(haul_host_is_pinned(device, haul_host_memory(in), BYTES), kinds[k] != HAUL_HOST_MANAGED);
        memset(haul_host_memory(in), 7 + (int)k, BYTES);
        memset(haul_host_memory(out), 0, BYTES);
        must(haul_copy(kernels, HAUL_COPY_AUTO, N, haul_host_view(in), haul_host_view(out), NULL));
        assert_memory_equal(haul_host_memory(out), haul_host_memory(in), BYTES);
        haul_host_free(in);
        haul_host_free(out);
    }
}

static void registered_memory_keeps_its_address(void **state) {
    (void)state;
    haul_host *host;
    void *memory = memory_alloc(BYTES);
    must(haul_host_register(device, memory, BYTES, &host));
    assert_int_equal(haul_buffer_address(haul_host_view(host)), (uintptr_t)memory);
    haul_host_free(host);
    memory_free(memory);
}

/* ---- the host's own time ---- */

/* Microseconds by the device's clock. */
static double now(void) {
    return sim_driver_now();
}

static void reading_write_combined_memory_takes_the_host_long(void **state) {
    (void)state;
    static unsigned char bytes[BYTES];
    double us[2], written;
    for (int k = 0; k < 2; k++) {
        haul_host *host;
        must(haul_host_create(device, BYTES, k ? HAUL_HOST_WRITE_COMBINED : HAUL_HOST_PINNED, &host));
        const double start = now();
        must(haul_host_write(host, 0, bytes, BYTES));
        written = now() - start;
        must(haul_host_read(host, 0, bytes, BYTES));
        us[k] = now() - start - written;
        assert_true(written > 0 && written < 2 * us[0]);
        assert_int_equal(haul_host_read(host, 1, bytes, BYTES), HAUL_ERROR_ARGUMENT);
        haul_host_free(host);
    }
    assert_true(us[1] > 40 * us[0]);
}

static void add_call(void *calls) {
    ++*(int *)calls;
}

/* The copy takes 80 us over the link, the host 50: together 80, one behind the other 130. */
static void host_work_goes_on_beside_a_copy(void **state) {
    (void)state;
    enum { LARGE = 4 << 20 };
    haul_stream *stream;
    haul_host *host;
    haul_buffer *buffer;
    double us[2];
    int calls = 0;
    must(haul_host_create(device, LARGE, HAUL_HOST_PINNED, &host));
    must(haul_buffer_create(device, LARGE, &buffer));
    must(haul_stream_create(device, 0, &stream));
    for (int waits = 0; waits < 2; waits++) {
        const double start = now();
        must(haul_stream_write(stream, buffer, 0, haul_host_memory(host), LARGE));
        if (waits) must(haul_stream_wait(stream));
        must(haul_host_compute(device, 50, add_call, &calls));
        must(haul_stream_wait(stream));
        us[waits] = now() - start;
    }
    assert_int_equal(calls, 2);
    assert_true(us[0] > 70 && us[0] < 90);
    assert_true(us[1] > us[0] + 45);
    assert_int_equal(haul_host_compute(device, -1, NULL, NULL), HAUL_ERROR_ARGUMENT);
    haul_stream_free(stream);
    haul_buffer_free(buffer);
    haul_host_free(host);
}

/* ---- the default stream ---- */

/* Two copies of 4 MiB in opposite directions, each in a stream, with a fill in the default stream between the calls. */
static double time_around_the_default_stream(haul_status (*create)(haul_device *, int, haul_stream **)) {
    enum { LARGE = 4 << 20 };
    haul_stream *stream[2], *between;
    haul_host *host[2];
    haul_buffer *buffer[3];
    for (int k = 0; k < 2; k++) {
        must(create(device, 0, &stream[k]));
        must(haul_host_create(device, LARGE, HAUL_HOST_PINNED, &host[k]));
    }
    for (int k = 0; k < 3; k++) must(haul_buffer_create(device, LARGE, &buffer[k]));
    must(haul_stream_default(device, &between));
    const double start = now();
    must(haul_stream_write(stream[0], buffer[0], 0, haul_host_memory(host[0]), LARGE));
    must(haul_stream_fill(between, buffer[2], 0, 1, 64));
    must(haul_stream_read(stream[1], buffer[1], 0, haul_host_memory(host[1]), LARGE));
    must(haul_device_wait(device));
    const double us = now() - start;
    haul_stream_free(between); /* stays */
    for (int k = 0; k < 2; k++) {
        haul_stream_free(stream[k]);
        haul_host_free(host[k]);
    }
    for (int k = 0; k < 3; k++) haul_buffer_free(buffer[k]);
    return us;
}

static void the_default_stream_orders_those_that_take_part(void **state) {
    (void)state;
    const double apart = time_around_the_default_stream(haul_stream_create),
                 ordered = time_around_the_default_stream(haul_stream_create_ordered);
    assert_true(ordered > 1.4 * apart); /* both directions at once share the link */
}

static void work_of_the_default_stream_comes_behind_ordered_streams(void **state) {
    (void)state;
    haul_stream *ordered, *between;
    haul_buffer *buffer;
    unsigned char bytes[BYTES];
    must(haul_buffer_create(device, BYTES, &buffer));
    must(haul_stream_create_ordered(device, 0, &ordered));
    must(haul_stream_default(device, &between));
    must(haul_stream_fill(ordered, buffer, 0, 1, BYTES));
    must(haul_stream_fill(between, buffer, 0, 2, BYTES / 2));
    must(haul_stream_fill(ordered, buffer, 0, 3, BYTES / 4));
    must(haul_device_wait(device));
    must(haul_buffer_read(buffer, 0, bytes, BYTES));
    assert_int_equal(bytes[0], 3);
    assert_int_equal(bytes[BYTES / 4], 2);
    assert_int_equal(bytes[BYTES / 2], 1);
    haul_stream_free(ordered);
    haul_buffer_free(buffer);
}

/* Sectors that the second of two equal copies reads from device memory. */
static double sectors_of_a_second_copy(bool keep_l2) {
    haul_device *own;
    haul_kernels *copies;
    haul_buffer *in, *out;
    haul_run *run;
    must(haul_device_open("sim:h100", &(haul_device_options){.memory_bytes = 64 << 20, .keep_l2 = keep_l2}, &own));
    must(haul_kernels_open(own, &copies));
    must(haul_buffer_create(own, BYTES, &in));
    must(haul_buffer_create(own, BYTES, &out));
    must(haul_run_create(own, &run));
    for (int k = 0; k < 2; k++) must(haul_copy(copies, HAUL_COPY_AUTO, N, in, out, run));
    const double sectors = run->launches[1].counters[HAUL_COUNTER_DRAM_READ_SECTORS];
    must(haul_l2_reset(own));
    haul_run_free(run);
    haul_kernels_close(copies);
    haul_device_close(own);
    return sectors;
}

static void l2_is_empty_before_each_launch_unless_it_is_kept(void **state) {
    (void)state;
    assert_int_equal(sectors_of_a_second_copy(false), BYTES / 32);
    assert_int_equal(sectors_of_a_second_copy(true), 0);
}

static void windows_beyond_the_largest_are_refused(void **state) {
    (void)state;
    haul_device *large;
    haul_device_properties limits;
    haul_buffer *buffer;
    haul_stream *stream;
    haul_module *module;
    static const char ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry k() {\nret;\n}\n";
    must(haul_device_open("sim:h100", &(haul_device_options){.memory_bytes = 256 << 20}, &large));
    haul_device_properties_of(large, &limits);
    must(haul_buffer_create(large, limits.window_bytes + 1, &buffer));
    must(haul_stream_create(large, 0, &stream));
    must(haul_l2_keep(stream, buffer, 0, limits.window_bytes, 0.5f));
    assert_int_equal(haul_l2_keep(stream, buffer, 0, limits.window_bytes + 1, 0.5f), HAUL_ERROR_ARGUMENT);
    assert_non_null(strstr(haul_message(), "sim:h100 allows 128.00 MiB"));
    must(haul_module_load(large, "k", ptx, sizeof ptx - 1, &module));
    const haul_launch launch = {.kernel = "k",
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .window = {.buffer = buffer, .bytes = limits.window_bytes + 1, .hit_ratio = 1}};
    assert_int_equal(haul_launch_run(module, &launch, NULL), HAUL_ERROR_ARGUMENT);
    haul_stream_free(stream);
    haul_device_close(large);
}

/* Its shape is known when it is queued, what it did when it is done. */
static void launches_in_streams_leave_their_record_when_they_are_done(void **state) {
    (void)state;
    haul_stream *stream;
    haul_buffer *in, *out;
    haul_run *run;
    must(haul_stream_create(device, 0, &stream));
    must(haul_buffer_create(device, BYTES, &in));
    must(haul_buffer_create(device, BYTES, &out));
    must(haul_run_create(device, &run));
    haul_device_use_stream(device, stream);
    for (unsigned k = 0; k < 40; k++) must(haul_copy(kernels, HAUL_COPY_AUTO, N, in, out, run));
    assert_int_equal(run->launch_count, 40);
    assert_non_null(run->launches[0].kernel);
    assert_true(run->launches[0].counters[HAUL_COUNTER_INST_GLOBAL_LD] < 0);
    must(haul_stream_wait(stream));
    for (unsigned k = 0; k < 40; k++) {
        assert_true(run->launches[k].counters[HAUL_COUNTER_INST_GLOBAL_LD] > 0);
        assert_true(run->launches[k].instruction_count > 0);
        assert_true(run->launches[k].estimate_us > 0);
    }
    haul_stream_free(stream); /* launches go to the default stream again */
    must(haul_copy(kernels, HAUL_COPY_AUTO, N, in, out, run));
    assert_int_equal(run->launch_count, 41);
    haul_run_free(run);
    haul_buffer_free(in);
    haul_buffer_free(out);
}

/* Microseconds from the first launch to the end of the last, of so many streams with a launch each. */
static double time_of_copies(unsigned streams, haul_buffer *in, haul_buffer *const out[2]) {
    haul_stream *stream[2];
    haul_event *start, *end[2];
    double us = 0;
    must(haul_event_create(device, true, &start));
    for (unsigned k = 0; k < streams; k++) {
        must(haul_stream_create(device, 0, &stream[k]));
        must(haul_event_create(device, true, &end[k]));
        if (k == 0) must(haul_event_record(start, stream[0]));
        haul_device_use_stream(device, stream[k]);
        must(haul_copy(kernels, HAUL_COPY_AUTO, N, in, out[k], NULL));
        must(haul_event_record(end[k], stream[k]));
    }
    haul_device_use_stream(device, NULL);
    for (unsigned k = 0; k < streams; k++) {
        double until;
        must(haul_event_wait(end[k]));
        must(haul_event_elapsed(start, end[k], &until));
        us = until > us ? until : us;
        haul_event_free(end[k]);
        haul_stream_free(stream[k]);
    }
    haul_event_free(start);
    return us;
}

static void kernels_of_two_streams_run_at_the_same_time(void **state) {
    (void)state;
    haul_buffer *in, *out[2];
    must(haul_buffer_create(device, BYTES, &in));
    must(haul_buffer_create(device, BYTES, &out[0]));
    must(haul_buffer_create(device, BYTES, &out[1]));
    haul_kernels_limit_blocks(kernels, 16);
    const double one = time_of_copies(1, in, out), two = time_of_copies(2, in, out);
    haul_kernels_limit_blocks(kernels, 0);
    assert_true(two >= one && two < 1.3 * one);
    haul_buffer_free(in);
    haul_buffer_free(out[0]);
    haul_buffer_free(out[1]);
}

static void count_call(void *data) {
    ++*(unsigned *)data;
}

static void failures_leak_nothing(void **state) {
    (void)state;
    for (unsigned n = 1; n < 40; n++) {
        haul_stream *stream = NULL;
        haul_event *event = NULL;
        haul_host *host = NULL;
        haul_pool *pool = NULL;
        unsigned calls = 0;
        if (n % 2)
            sim_driver_fail_call(n / 2 + 1);
        else
            memory_fail_after(n / 2);
        haul_status status = haul_stream_create(device, 0, &stream);
        if (status == HAUL_OK) status = haul_event_create(device, false, &event);
        if (status == HAUL_OK) status = haul_host_create(device, 100, HAUL_HOST_WRITE_COMBINED, &host);
        if (status == HAUL_OK) status = haul_pool_create(device, 0, &pool);
        if (status == HAUL_OK) status = haul_stream_call(stream, count_call, &calls);
        if (status == HAUL_OK) status = haul_event_record(event, stream);
        if (status == HAUL_OK) status = haul_event_wait(event);
        sim_driver_fail_call(0);
        memory_fail_after(0);
        if (status == HAUL_OK) assert_int_equal(calls, 1);
        haul_stream_free(stream);
        haul_event_free(event);
        haul_host_free(host);
        must(haul_pool_free(pool));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_wait_shows),
        cmocka_unit_test(events_order_streams_and_tell_the_time),
        cmocka_unit_test(buffers_are_copied_when_the_stream_comes_to_it),
        cmocka_unit_test(kernels_take_pinned_memory_as_it_is),
        cmocka_unit_test(a_source_that_changes_too_early_is_told),
        cmocka_unit_test(memory_of_the_user_is_pinned_and_let_go),
        cmocka_unit_test(what_failed_before_says_nothing_of_a_call),
        cmocka_unit_test(a_graph_repeats_a_pipeline),
        cmocka_unit_test(pools_have_limits_marks_and_leak_reports),
        cmocka_unit_test(too_much_device_memory_is_told_in_numbers),
        cmocka_unit_test(l2_is_set_up),
        cmocka_unit_test(host_memory_has_one_address_for_host_and_kernels),
        cmocka_unit_test(registered_memory_keeps_its_address),
        cmocka_unit_test(reading_write_combined_memory_takes_the_host_long),
        cmocka_unit_test(host_work_goes_on_beside_a_copy),
        cmocka_unit_test(the_default_stream_orders_those_that_take_part),
        cmocka_unit_test(work_of_the_default_stream_comes_behind_ordered_streams),
        cmocka_unit_test(l2_is_empty_before_each_launch_unless_it_is_kept),
        cmocka_unit_test(windows_beyond_the_largest_are_refused),
        cmocka_unit_test(launches_in_streams_leave_their_record_when_they_are_done),
        cmocka_unit_test(kernels_of_two_streams_run_at_the_same_time),
        cmocka_unit_test(failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
