/* Several devices of one program: opening, peers, pools, and haul_stream_map() over all of them. */
#include "base/memory.h"
#include "lib/device.h"
#include "lib/numa.h"
#include "vgpu/driver.h"

#include <haul/kernels.h>
#include <haul/map.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { RADIUS = 15, SMALL = 1 << 28 };

typedef struct several {
    haul_device *devices[HAUL_MOST_DEVICES];
    haul_kernels *kernels[HAUL_MOST_DEVICES];
    size_t count;
    haul_buffer *beyond; /* for a kernel that fails */
} several;

static void must(haul_status status) {
    if (status != HAUL_OK) print_error("%s\n", haul_message());
    assert_int_equal(status, HAUL_OK);
}

static several open_all(const char *names) {
    const haul_device_options options = {.memory_bytes = SMALL};
    several s = {0};
    must(haul_devices_open(names, &options, s.devices, &s.count));
    for (size_t i = 0; i < s.count; i++) must(haul_kernels_open(s.devices[i], &s.kernels[i]));
    return s;
}

/* In the order of opening: the first one's pinned memory serves the others until they are closed. */
static void close_all(several *s) {
    for (size_t i = 0; i < s->count; i++) {
        haul_kernels_close(s->kernels[i]);
        haul_device_close(s->devices[i]);
    }
}

static float *floats(size_t n) {
    float *data = malloc(n * sizeof *data);
    uint32_t seed = 7;
    for (size_t i = 0; i < n; i++) data[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 12);
    return data;
}

static float *pooled(const float *in, size_t n) {
    float *out = malloc(n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const size_t from = i < RADIUS ? 0 : i - RADIUS, to = n - i <= RADIUS ? n - 1 : i + RADIUS;
        out[i] = in[from];
        for (size_t k = from; k <= to; k++)
            if (in[k] > out[i]) out[i] = in[k];
    }
    return out;
}

static haul_status pool(void *context, const haul_chunk *c) {
    const several *s = context;
    assert_ptr_equal(c->device, s->devices[c->device_index]);
    haul_buffer *out = s->beyond && c->device_index == 1 && c->index >= 3 ? s->beyond : c->out;
    return haul_maxpool15(s->kernels[c->device_index], HAUL_MAXPOOL15_AUTO, (uint32_t)c->total, c->in[0], out, NULL);
}

static haul_map pooling(several *s, uint64_t n, float *in, float *out) {
    return (haul_map){.devices = s->devices,
                      .device_count = s->count,
                      .items = n,
                      .inputs = {{.kind = HAUL_MAP_MEMORY, .item_bytes = 4, .memory = in}},
                      .input_count = 1,
                      .output = {.kind = HAUL_MAP_MEMORY, .item_bytes = 4, .memory = out},
                      .before = RADIUS,
                      .after = RADIUS,
                      .run = pool,
                      .context = s};
}

/* ---- opening ---- */

static void a_list_of_names_opens_all(void **state) {
    (void)state;
    several s = open_all("sim:h200,sim:h100x2,sim:h200");
    assert_int_equal(s.count, 4);
    assert_string_equal(haul_device_name(s.devices[2]), "sim:h100");
    assert_string_equal(haul_device_name(s.devices[3]), "sim:h200");
    close_all(&s);
}

static void wrong_lists_are_refused(void **state) {
    (void)state;
    haul_device *devices[HAUL_MOST_DEVICES];
    size_t count = 7;
    assert_int_equal(haul_devices_open("sim:h100,sim:h1000", NULL, devices, &count), HAUL_ERROR_NO_DEVICE);
    assert_int_equal(count, 0);
    assert_int_equal(haul_devices_open("sim:h100x9", NULL, devices, &count), HAUL_ERROR_LIMIT);
    assert_int_equal(haul_devices_open("", NULL, devices, &count), HAUL_ERROR_ARGUMENT);
}

static void devices_opened_one_by_one_share_no_map(void **state) {
    (void)state;
    const haul_device_options options = {.memory_bytes = SMALL};
    several s = {.count = 2};
    float in[8] = {0}, out[8];
    must(haul_device_open("sim:h100", &options, &s.devices[0]));
    must(haul_device_open("sim:h200", &options, &s.devices[1]));
    const haul_map m = pooling(&s, 8, in, out);
    assert_int_equal(haul_stream_map(&m, NULL), HAUL_ERROR_ARGUMENT);
    assert_non_null(strstr(haul_message(), "haul_devices_open()"));
    assert_false(haul_device_can_reach(s.devices[0], s.devices[1]));
    close_all(&s);
}

/* ---- peers ---- */

static void buffers_are_copied_from_device_to_device(void **state) {
    (void)state;
    several s = open_all("sim:h200x2");
    haul_buffer *from, *to;
    haul_stream *stream;
    const uint32_t in[4] = {1, 2, 3, 4};
    uint32_t out[4] = {0};
    must(haul_buffer_create(s.devices[0], sizeof in, &from));
    must(haul_buffer_create(s.devices[1], sizeof in, &to));
    must(haul_buffer_write(from, 0, in, sizeof in));
    must(haul_stream_create(s.devices[1], 0, &stream));
    must(haul_stream_copy(stream, to, 4, from, 0, 12));
    must(haul_stream_copy(stream, to, 0, from, 12, 4));
    must(haul_stream_wait(stream));
    must(haul_buffer_read(to, 0, out, sizeof out));
    assert_int_equal(out[0], 4);
    assert_memory_equal(out + 1, in, 12);
    haul_stream_free(stream);
    close_all(&s);
}

/* A kernel of device 1 reads a buffer of device 0. */
static haul_status read_peer(several *s, haul_buffer *from, haul_buffer *to) {
    return haul_copy(s->kernels[1], HAUL_COPY_AUTO, 1024, from, to, NULL);
}

static void kernels_reach_peers_that_they_may(void **state) {
    (void)state;
    several s = open_all("sim:h100x2");
    haul_buffer *from, *to;
    must(haul_buffer_create(s.devices[0], 4096, &from));
    must(haul_buffer_create(s.devices[1], 4096, &to));
    assert_true(haul_device_can_reach(s.devices[1], s.devices[0]));
    must(haul_device_reach(s.devices[1], s.devices[0], true));
    must(haul_device_reach(s.devices[1], s.devices[0], true));
    must(read_peer(&s, from, to));
    must(haul_device_reach(s.devices[1], s.devices[0], false));
    assert_int_equal(read_peer(&s, from, to), HAUL_ERROR_FAULT);
    close_all(&s);
}

/* A copy of `bytes` by kernels of device `g`, which must count so many bytes from the peer and to it, and take as long
 * as they take on the links. Returns its time. */
static double time_copy(several *s, size_t g, haul_copy_form form, haul_buffer *from, haul_buffer *to, double read,
                        double written) {
    enum { FLOATS = 1 << 20 };
    const sim_machine *m = s->devices[g]->extras->machine(s->devices[g]->handle);
    haul_run *run;
    must(haul_run_create(s->devices[g], &run));
    must(haul_copy(s->kernels[g], form, FLOATS, from, to, run));
    const haul_launch_record *r = &run->launches[0];
    const double us = r->estimate_us;
    assert_float_equal(r->counters[HAUL_COUNTER_NVLINK_READ_BYTES], read, 0);
    assert_float_equal(r->counters[HAUL_COUNTER_NVLINK_WRITE_BYTES], written, 0);
    assert_true(us >= read / (m->peer_read_gbps * 1e3));
    assert_true(us >= written / (m->peer_write_gbps * 1e3));
    assert_int_equal(r->estimate.nvlink_read_share > 0.6, read > 0);
    assert_int_equal(r->estimate.nvlink_write_share > 0.6, written > 0);
    haul_run_free(run);
    return us;
}

/* By loads and stores, and by bulk copies. */
static void a_peers_bytes_are_counted_and_take_the_links_time(void **state) {
    (void)state;
    enum { BYTES = 4 << 20 };
    several s = open_all("sim:h200x2");
    haul_buffer *own, *other, *peers;
    must(haul_buffer_create(s.devices[0], BYTES, &own));
    must(haul_buffer_create(s.devices[0], BYTES, &other));
    must(haul_buffer_create(s.devices[1], BYTES, &peers));
    must(haul_device_reach(s.devices[0], s.devices[1], true));
    for (haul_copy_form form = HAUL_COPY_AUTO; form < HAUL_COPY_FORMS; form++) {
        const double local = time_copy(&s, 0, form, own, other, 0, 0);
        assert_true(time_copy(&s, 0, form, peers, own, BYTES, 0) > 1.5 * local);
        assert_true(time_copy(&s, 0, form, own, peers, 0, BYTES) > 1.5 * local);
    }
    close_all(&s);
}

/* Rounds of a flag that goes there and back. */
static const char turns[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry turns(.param .u64 mine, .param .u64 theirs, .param .u32 rounds, .param .u32 begins) {\n"
    ".reg .b64 %m, %t; .reg .b32 %n, %k, %v, %b; .reg .pred %p, %q;\n"
    "ld.param.u64 %m, [mine]; ld.param.u64 %t, [theirs]; ld.param.u32 %n, [rounds];\n"
    "ld.param.u32 %b, [begins]; setp.ne.u32 %q, %b, 0; mov.u32 %k, 1;\n"
    "round: @%q st.release.sys.global.u32 [%t], %k;\n"
    "poll: ld.acquire.sys.global.u32 %v, [%m]; setp.lt.u32 %p, %v, %k; @%p bra poll;\n"
    "@!%q st.release.sys.global.u32 [%t], %k;\n"
    "add.u32 %k, %k, 1; setp.le.u32 %p, %k, %n; @%p bra round; ret; }\n";

/* Two kernels that take turns wait for both ways of the links in each round, however often they have polled. */
static void waits_for_a_peer_take_both_ways(void **state) {
    (void)state;
    enum { ROUNDS = 50 };
    several s = open_all("sim:h200x2");
    const double ways = 2 * ROUNDS * s.devices[0]->extras->machine(s.devices[0]->handle)->peer_flag_us;
    haul_buffer *flags[2];
    haul_stream *streams[2];
    haul_module *modules[2];
    haul_event *events[2][2];
    for (size_t g = 0; g < 2; g++) {
        const uint32_t zero = 0;
        must(haul_buffer_create(s.devices[g], sizeof zero, &flags[g]));
        must(haul_buffer_write(flags[g], 0, &zero, sizeof zero));
        must(haul_device_reach(s.devices[g], s.devices[1 - g], true));
        must(haul_stream_create(s.devices[g], 0, &streams[g]));
        must(haul_module_load(s.devices[g], "turns", turns, sizeof turns - 1, &modules[g]));
        for (size_t e = 0; e < 2; e++) must(haul_event_create(s.devices[g], true, &events[g][e]));
    }
    for (size_t g = 0; g < 2; g++) {
        const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = flags[g]},
                                           {.kind = HAUL_ARGUMENT_BUFFER, .buffer = flags[1 - g]},
                                           {.kind = HAUL_ARGUMENT_I32, .integer = ROUNDS},
                                           {.kind = HAUL_ARGUMENT_I32, .integer = g == 0}};
        const haul_launch launch = {
            .kernel = "turns", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 4};
        must(haul_event_record(events[g][0], streams[g]));
        must(haul_stream_launch(streams[g], modules[g], &launch));
        must(haul_event_record(events[g][1], streams[g]));
    }
    for (size_t g = 0; g < 2; g++) {
        double us;
        must(haul_stream_wait(streams[g]));
        must(haul_event_elapsed(events[g][0], events[g][1], &us));
        assert_true(us > 0.9 * ways && us < 1.5 * ways);
        for (size_t e = 0; e < 2; e++) haul_event_free(events[g][e]);
        haul_stream_free(streams[g]);
    }
    close_all(&s);
}

static void geforces_are_no_peers(void **state) {
    (void)state;
    several s = open_all("sim:rtx4090x2");
    assert_false(haul_device_can_reach(s.devices[0], s.devices[1]));
    assert_int_equal(haul_device_reach(s.devices[0], s.devices[1], true), HAUL_ERROR_UNSUPPORTED);
    close_all(&s);
}

static void a_pool_lets_a_peer_in(void **state) {
    (void)state;
    several s = open_all("sim:h100x2");
    haul_pool *pool;
    haul_stream *stream;
    haul_buffer *from, *to;
    must(haul_pool_create(s.devices[0], 0, &pool));
    must(haul_stream_create(s.devices[0], 0, &stream));
    must(haul_pool_let(pool, s.devices[1], true));
    must(haul_pool_allocate(pool, stream, 4096, "shared", &from));
    must(haul_stream_wait(stream));
    must(haul_buffer_create(s.devices[1], 4096, &to));
    must(read_peer(&s, from, to));
    must(haul_pool_let(pool, s.devices[1], false));
    assert_int_equal(read_peer(&s, from, to), HAUL_ERROR_FAULT);
    must(haul_pool_release(from, stream));
    must(haul_pool_free(pool));
    haul_stream_free(stream);
    close_all(&s);
}

/* ---- the host's nodes ---- */

/* The virtual device's place on the bus is that of a folder as in sysfs. */
static void a_device_is_near_the_node_that_sysfs_names(void **state) {
    (void)state;
    several s = open_all("sim:h100");
    char folder[512];
    const char *const devices = TEST_BUILD "/test_devices.pci";
    int bus = 0;
    s.devices[0]->driver->device_attribute(&bus, DRIVER_DEVICE_PCI_BUS, s.devices[0]->handle);
    snprintf(folder, sizeof folder, "%s/0000:%02x:00.0", devices, (unsigned)bus);
    assert_int_equal(numa_node_of(s.devices[0], devices), -1);
    mkdir(devices, 0777);
    mkdir(folder, 0777);
    strcat(folder, "/numa_node");
    FILE *f = fopen(folder, "w");
    assert_non_null(f);
    fputs("1\n", f);
    fclose(f);
    assert_int_equal(numa_node_of(s.devices[0], devices), 1);
    unlink(folder);
    *strrchr(folder, '/') = '\0';
    rmdir(folder);
    rmdir(devices);
    close_all(&s);
}

/* ---- maps ---- */

typedef struct taken {
    float *data;
    uint64_t next;
} taken;

static haul_status give(void *context, uint64_t first, uint64_t items, void *bytes) {
    memcpy(bytes, (float *)context + first, items * sizeof(float));
    return HAUL_OK;
}

static haul_status take(void *context, uint64_t first, uint64_t items, void *bytes) {
    taken *t = context;
    assert_int_equal(first, t->next); /* in order, without gaps */
    memcpy(t->data + first, bytes, items * sizeof(float));
    t->next += items;
    return HAUL_OK;
}

static void map_over(const char *names) {
    enum { N = 30011 };
    several s = open_all(names);
    float *in = floats(N), *expected = pooled(in, N), *out = calloc(N, sizeof *out);
    for (unsigned round = 0; round < 8; round++) {
        haul_map m = pooling(&s, N, in, out);
        haul_host *pinned[2] = {0};
        haul_map_report report;
        taken t = {out, 0};
        m.chunk_items = 700 + 513 * round;
        m.depth = round % 4;
        if (round & 1) m.inputs[0] = (haul_map_end){HAUL_MAP_FUNCTION, 4, .transfer = give, .context = in};
        if (round & 2) m.output = (haul_map_end){HAUL_MAP_FUNCTION, 4, .transfer = take, .context = &t};
        if (round & 4 && !(round & 1)) must(haul_host_register(s.devices[1], in, N * sizeof *in, &pinned[0]));
        if (round & 4 && !(round & 2)) must(haul_host_register(s.devices[0], out, N * sizeof *out, &pinned[1]));
        memset(out, 0, N * sizeof *out);
        must(haul_stream_map(&m, &report));
        assert_memory_equal(out, expected, N * sizeof *out);
        assert_int_equal(report.complete[0].items, N);
        for (size_t i = 0; i < s.count; i++) assert_true(report.device[i].chunks > 0);
        haul_map_report_free(&report);
        haul_host_free(pinned[0]);
        haul_host_free(pinned[1]);
    }
    close_all(&s);
    free(in);
    free(out);
    free(expected);
}

static void two_and_four_devices_give_the_bits_of_one(void **state) {
    (void)state;
    map_over("sim:h100x2");
    map_over("sim:h200,sim:a100,sim:h100,sim:rtx4090");
}

static haul_map_report pinned_run(several *s, uint64_t n) {
    haul_host *in, *out;
    haul_map_report report;
    must(haul_host_create(s->devices[0], n * 4, HAUL_HOST_PINNED, &in));
    must(haul_host_create(s->devices[0], n * 4, HAUL_HOST_PINNED, &out));
    memset(haul_host_memory(in), 0, n * 4);
    haul_map m = pooling(s, n, haul_host_memory(in), haul_host_memory(out));
    m.chunk_items = 128 << 10;
    must(haul_stream_map(&m, &report));
    haul_host_free(in);
    haul_host_free(out);
    return report;
}

static void two_devices_take_half_the_time_of_one(void **state) {
    (void)state;
    several one = open_all("sim:h100"), two = open_all("sim:h100x2");
    haul_map_report a = pinned_run(&one, 4 << 20), b = pinned_run(&two, 4 << 20), again = pinned_run(&two, 4 << 20);
    assert_true(b.timeline.elapsed_us < 0.6 * a.timeline.elapsed_us);
    assert_float_equal((float)b.timeline.elapsed_us, (float)again.timeline.elapsed_us, 1);
    haul_map_report_free(&a);
    haul_map_report_free(&b);
    haul_map_report_free(&again);
    close_all(&one);
    close_all(&two);
}

/* An A100's link has half the rate of an H100's. */
static void a_faster_device_gets_more_chunks(void **state) {
    (void)state;
    several s = open_all("sim:a100,sim:h100");
    haul_map_report r = pinned_run(&s, 8 << 20);
    assert_true(r.device[1].chunks > r.device[0].chunks * 3 / 2);
    assert_int_equal(r.device[0].items + r.device[1].items, 8 << 20);
    haul_map_report_free(&r);
    close_all(&s);
}

/* Each item crosses the link to the host once, whatever the halo. */
static void a_large_halo_comes_from_the_chunk_before(void **state) {
    (void)state;
    enum { N = 500000, HALO = 70000 };
    static const char *const names[] = {"sim:h100", "sim:h200x2", "sim:rtx4090x2"};
    float *in = floats(N), *expected = pooled(in, N), *out = calloc(N, sizeof *out);
    for (unsigned k = 0; k < 6; k++) {
        several s = open_all(names[k / 2]);
        haul_map m = pooling(&s, N, in, out);
        haul_map_report r;
        haul_host *pinned = NULL;
        m.before = m.after = HALO;
        m.chunk_items = 80000;
        if (k % 2) must(haul_host_register(s.devices[0], in, N * sizeof *in, &pinned));
        memset(out, 0, N * sizeof *out);
        must(haul_stream_map(&m, &r));
        assert_memory_equal(out, expected, N * sizeof *out);
        const bool are_peers = k / 2 < 2;
        if (are_peers) assert_int_equal(r.timeline.bytes[HAUL_ENGINE_TO_DEVICE], N * 4);
        if (are_peers) assert_true(r.halo_bytes > N * 4);
        if (!are_peers) assert_true(r.timeline.bytes[HAUL_ENGINE_TO_DEVICE] > N * 4);
        haul_map_report_free(&r);
        haul_host_free(pinned);
        close_all(&s);
    }
    free(in);
    free(out);
    free(expected);
}

static void a_failing_device_is_named_and_leaves_an_account(void **state) {
    (void)state;
    enum { N = 30000 };
    several s = open_all("sim:h100x2");
    float *in = floats(N), *expected = pooled(in, N), *out = calloc(N, sizeof *out);
    haul_map m = pooling(&s, N, in, out);
    haul_map_report r;
    must(haul_buffer_create(s.devices[1], 1 << 20, &s.beyond));
    s.beyond->address += UINT64_C(1) << 36;
    m.chunk_items = 1000;
    m.depth = 2;
    assert_int_equal(haul_stream_map(&m, &r), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "device 1 (sim:h100)"));
    assert_true(r.complete_chunks >= 1 && r.complete_chunks < r.chunks);
    for (size_t k = 0; k < r.complete_count; k++)
        assert_memory_equal(out + r.complete[k].first, expected + r.complete[k].first, r.complete[k].items * 4);
    haul_map_report_free(&r);
    s.beyond->address -= UINT64_C(1) << 36;
    close_all(&s);
    free(in);
    free(out);
    free(expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_names_opens_all),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(devices_opened_one_by_one_share_no_map),
        cmocka_unit_test(buffers_are_copied_from_device_to_device),
        cmocka_unit_test(kernels_reach_peers_that_they_may),
        cmocka_unit_test(a_peers_bytes_are_counted_and_take_the_links_time),
        cmocka_unit_test(waits_for_a_peer_take_both_ways),
        cmocka_unit_test(geforces_are_no_peers),
        cmocka_unit_test(a_pool_lets_a_peer_in),
        cmocka_unit_test(a_device_is_near_the_node_that_sysfs_names),
        cmocka_unit_test(two_and_four_devices_give_the_bits_of_one),
        cmocka_unit_test(two_devices_take_half_the_time_of_one),
        cmocka_unit_test(a_faster_device_gets_more_chunks),
        cmocka_unit_test(a_large_halo_comes_from_the_chunk_before),
        cmocka_unit_test(a_failing_device_is_named_and_leaves_an_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
