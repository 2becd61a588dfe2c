/* Streams, events, pinned memory, pools and graphs of the virtual GPU, through the CUDA driver API. */
#include "context.h"

#include <math.h>

enum { N = 1 << 20 };

static unsigned char *pinned(size_t bytes) {
    void *host = NULL;
    OK(cu->host_allocate(&host, bytes, DRIVER_HOST_MAPPED));
    memset(host, 0, bytes);
    return host;
}

static CUstream stream(void) {
    CUstream s;
    OK(cu->stream_create(&s, DRIVER_STREAM_NON_BLOCKING, 0));
    return s;
}

static CUevent event(void) {
    CUevent e;
    OK(cu->event_create(&e, 0));
    return e;
}

static void copies_arrive_when_somebody_waits(void **state) {
    (void)state;
    CUdeviceptr a;
    CUstream s = stream();
    unsigned char *host = pinned(N);
    OK(cu->allocate(&a, N));
    OK(cu->fill_bytes_async(a, 7, N, s));
    OK(cu->copy_to_host_async(host, a, N, s));
    assert_int_equal(host[5], 0);
    OK(cu->stream_synchronize(s));
    assert_int_equal(host[5], 7);
    memset(host, 1, N);
    OK(cu->copy_to_device_async(a, host, N, s));
    host[9] = 2; /* too early: the copy has not read it yet */
    OK(cu->stream_synchronize(s));
    unsigned char got[16];
    OK(cu->copy_to_host(got, a, 16));
    assert_int_equal(got[8], 1);
    assert_int_equal(got[9], 2);
    OK(cu->release(a));
    OK(cu->stream_destroy(s));
    OK(cu->host_release(host));
}

static void pageable_memory_is_copied_before_the_call_returns(void **state) {
    (void)state;
    CUdeviceptr a;
    CUstream s = stream();
    unsigned char host[64];
    memset(host, 3, sizeof host);
    OK(cu->allocate(&a, sizeof host));
    OK(cu->copy_to_device_async(a, host, sizeof host, s));
    memset(host, 0, sizeof host);
    OK(cu->copy_to_host_async(host, a, sizeof host, s));
    assert_int_equal(host[63], 3);
    OK(cu->release(a));
    OK(cu->stream_destroy(s));
}

static void events_order_streams(void **state) {
    (void)state;
    CUdeviceptr a, b;
    CUstream first = stream(), second = stream();
    CUevent filled = event();
    unsigned char *host = pinned(N);
    OK(cu->allocate(&a, N));
    OK(cu->allocate(&b, N));
    OK(cu->fill_bytes_async(a, 9, N, first));
    OK(cu->event_record(filled, first));
    OK(cu->fill_bytes_async(a, 10, N, first));
    OK(cu->stream_wait(second, filled, 0));
    OK(cu->copy_on_device_async(b, a, N, second));
    OK(cu->copy_to_host_async(host, b, N, second));
    assert_int_equal(cu->event_query(filled), CUDA_NOT_READY);
    OK(cu->stream_synchronize(second));
    assert_int_equal(host[0], 9);
    OK(cu->event_query(filled));
    OK(cu->stream_synchronize(first));
    OK(cu->copy_to_host(host, a, 1));
    assert_int_equal(host[0], 10);
    OK(cu->release(a));
    OK(cu->release(b));
    OK(cu->event_destroy(filled));
    OK(cu->stream_destroy(first));
    OK(cu->stream_destroy(second));
    OK(cu->host_release(host));
}

static void the_default_stream_waits_for_blocking_streams_only(void **state) {
    (void)state;
    CUdeviceptr a, b;
    CUstream blocking, free_one = stream();
    unsigned char got = 0;
    OK(cu->stream_create(&blocking, 0, 0));
    OK(cu->allocate(&a, 1));
    OK(cu->allocate(&b, 1));
    OK(cu->fill_bytes(a, 0, 1));
    OK(cu->fill_bytes(b, 0, 1));
    OK(cu->fill_bytes_async(a, 1, 1, blocking));
    OK(cu->fill_bytes_async(b, 1, 1, free_one));
    OK(cu->copy_to_host(&got, a, 1));
    assert_int_equal(got, 1);
    OK(cu->copy_to_host(&got, b, 1));
    assert_int_equal(got, 0);
    OK(cu->synchronize());
    OK(cu->copy_to_host(&got, b, 1));
    assert_int_equal(got, 1);
    OK(cu->stream_query(free_one));
    OK(cu->stream_destroy(blocking));
    OK(cu->stream_destroy(free_one));
    OK(cu->release(a));
    OK(cu->release(b));
}

static float microseconds(CUevent from, CUevent to) {
    float ms = 0;
    OK(cu->event_elapsed(&ms, from, to));
    return ms * 1000;
}

/* 55 MB at 55 GB/s: a millisecond in each direction; both at once share 84 GB/s. */
static void the_clock_overlaps_what_different_engines_do(void **state) {
    (void)state;
    enum { BYTES = 55000000 };
    CUdeviceptr a, b;
    CUstream in = stream(), out = stream();
    CUevent start = event(), end_in = event(), end_out = event();
    unsigned char *host = pinned(2 * BYTES);
    OK(cu->allocate(&a, BYTES));
    OK(cu->allocate(&b, BYTES));
    OK(cu->event_record(start, in));
    OK(cu->copy_to_device_async(a, host, BYTES, in));
    OK(cu->event_record(end_in, in));
    OK(cu->copy_to_host_async(host + BYTES, b, BYTES, in));
    OK(cu->event_record(end_out, in));
    OK(cu->synchronize());
    assert_float_equal(microseconds(start, end_in), 1000, 10);
    assert_float_equal(microseconds(start, end_out), 2000, 20);
    OK(cu->event_record(start, in));
    OK(cu->copy_to_device_async(a, host, BYTES, in));
    OK(cu->event_record(end_in, in));
    OK(cu->copy_to_host_async(host + BYTES, b, BYTES, out));
    OK(cu->event_record(end_out, out));
    OK(cu->synchronize());
    assert_float_equal(microseconds(start, end_in), 1000, 10);
    assert_float_equal(microseconds(start, end_out), 1310, 15);
    OK(cu->release(a));
    OK(cu->release(b));
    OK(cu->host_release(host));
}

static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
                          ".visible .entry bump(.param .u64 at) {\n"
                          ".reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
                          "ld.param.u64 %rd0, [at]; ld.global.u32 %r0, [%rd0];\n"
                          "add.u32 %r0, %r0, 1; st.global.u32 [%rd0], %r0; ret; }\n";

static CUfunction kernel(CUmodule *module) {
    CUfunction f;
    OK(cu->module_load(module, ptx, 0, NULL, NULL));
    OK(cu->module_function(&f, *module, "bump"));
    return f;
}

static void kernels_reach_pinned_memory_at_the_address_that_the_host_has(void **state) {
    (void)state;
    CUmodule module;
    CUfunction f = kernel(&module);
    CUstream s = stream();
    CUdeviceptr address;
    uint32_t *host = (uint32_t *)(void *)pinned(4096), other[4] = {40};
    OK(cu->host_address(&address, host + 1, 0));
    assert_int_equal(address, (uintptr_t)(host + 1));
    void *parameters[] = {&address};
    OK(cu->launch(f, 1, 1, 1, 1, 1, 1, 0, s, parameters, NULL));
    assert_int_equal(host[1], 0);
    OK(cu->stream_synchronize(s));
    assert_int_equal(host[1], 1);
    OK(cu->host_register(other, sizeof other, 0));
    assert_int_equal(cu->host_register(other + 1, 4, 0), CUDA_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cu->host_address(&address, other, 0));
    assert_int_equal(address, (uintptr_t)other);
    OK(cu->launch(f, 1, 1, 1, 1, 1, 1, 0, s, parameters, NULL));
    OK(cu->synchronize());
    assert_int_equal(other[0], 41);
    OK(cu->host_unregister(other));
    assert_int_equal(cu->host_unregister(other), CUDA_HOST_MEMORY_NOT_REGISTERED);
    OK(cu->host_release(host));
    OK(cu->stream_destroy(s));
    OK(cu->module_unload(module));
}

static void a_fault_in_a_stream_is_told_by_every_wait(void **state) {
    (void)state;
    CUmodule module;
    CUfunction f = kernel(&module);
    CUstream s = stream();
    CUdeviceptr nowhere = 64;
    void *parameters[] = {&nowhere};
    OK(cu->launch(f, 1, 1, 1, 1, 1, 1, 0, s, parameters, NULL));
    assert_int_equal(cu->stream_synchronize(s), CUDA_ILLEGAL_ADDRESS);
    assert_int_equal(cu->synchronize(), CUDA_ILLEGAL_ADDRESS);
    assert_int_equal(cu->fill_bytes_async(nowhere, 0, 0, s), CUDA_SUCCESS);
    assert_int_equal(cu->launch(f, 1, 1, 1, 1, 1, 1, 0, s, parameters, NULL), CUDA_ILLEGAL_ADDRESS);
    OK(cu->stream_destroy(s));
    OK(cu->module_unload(module));
    assert_int_equal(close_context(NULL), 0);
    assert_int_equal(open_context(NULL), 0);
}

static void add_one(void *data) {
    ++*(int *)data;
}

static void host_functions_are_called_in_their_turn(void **state) {
    (void)state;
    CUstream s = stream();
    CUdeviceptr a;
    int calls = 0;
    OK(cu->allocate(&a, 4));
    OK(cu->fill_words_async(a, 5, 1, s));
    OK(cu->stream_host(s, add_one, &calls));
    assert_int_equal(calls, 0);
    OK(cu->stream_synchronize(s));
    assert_int_equal(calls, 1);
    OK(cu->release(a));
    OK(cu->stream_destroy(s));
}

static void pools_give_back_in_stream_order_and_keep_high_water_marks(void **state) {
    (void)state;
    CUstream s = stream();
    CUmemoryPool pool;
    CUdeviceptr a, b;
    uint64_t used = 0, high = 0;
    const CUmemPoolProps properties = {.allocation = 1, .location = {.type = 1}, .max_bytes = 3 * N};
    OK(cu->pool_create(&pool, &properties));
    OK(cu->pool_allocate(&a, 2 * N, pool, s));
    OK(cu->release_async(a, s));
    OK(cu->pool_get(pool, DRIVER_POOL_USED, &used));
    assert_int_equal(used, 2 * N);
    OK(cu->pool_allocate(&b, 2 * N, pool, s)); /* fits once the stream has freed its memory */
    assert_int_equal(cu->pool_allocate(&a, 2 * N, pool, s), CUDA_OUT_OF_MEMORY);
    assert_non_null(strstr(haul_message(), "2.00 MiB of its 3.00 MiB"));
    OK(cu->pool_get(pool, DRIVER_POOL_USED_HIGH, &high));
    assert_int_equal(high, 2 * N);
    OK(cu->release_async(b, s));
    OK(cu->stream_synchronize(s));
    OK(cu->pool_get(pool, DRIVER_POOL_USED, &used));
    assert_int_equal(used, 0);
    OK(cu->pool_destroy(pool));
    OK(cu->allocate_async(&a, 64, s));
    OK(cu->release_async(a, s));
    OK(cu->stream_destroy(s));
}

/* Returns the bytes that the pool holds. */
static uint64_t reserved(CUmemoryPool pool) {
    uint64_t bytes = 0;
    OK(cu->pool_get(pool, DRIVER_POOL_RESERVED, &bytes));
    return bytes;
}

static void a_pool_holds_freed_memory_up_to_its_threshold(void **state) {
    (void)state;
    CUmemoryPool pool;
    CUdeviceptr a;
    uint64_t threshold = N;
    const CUmemPoolProps properties = {.allocation = 1, .location = {.type = 1}};
    OK(cu->pool_create(&pool, &properties));
    OK(cu->pool_set(pool, DRIVER_POOL_RELEASE_THRESHOLD, &threshold));
    OK(cu->pool_allocate(&a, 2 * N, pool, NULL));
    assert_int_equal(reserved(pool), 2 * N);
    OK(cu->release_async(a, NULL));
    OK(cu->stream_synchronize(NULL));
    assert_int_equal(reserved(pool), N);
    OK(cu->pool_trim(pool, N / 2));
    assert_int_equal(reserved(pool), N / 2);
    threshold = 0;
    OK(cu->pool_set(pool, DRIVER_POOL_RELEASE_THRESHOLD, &threshold));
    assert_int_equal(reserved(pool), 0);
    OK(cu->pool_destroy(pool));
}

static void a_captured_pipeline_is_launched_as_often_as_wanted(void **state) {
    (void)state;
    CUmodule module;
    CUfunction f = kernel(&module);
    CUstream first = stream(), second = stream();
    CUevent fork = event(), join = event();
    CUdeviceptr a;
    CUgraph graph;
    CUgraphExec executable;
    uint32_t *host = (uint32_t *)(void *)pinned(8);
    OK(cu->allocate(&a, 4));
    OK(cu->capture_begin(first, DRIVER_CAPTURE_THREAD_LOCAL));
    OK(cu->copy_to_device_async(a, host, 4, first));
    OK(cu->event_record(fork, first));
    OK(cu->stream_wait(second, fork, 0));
    void *parameters[] = {&a};
    OK(cu->launch(f, 1, 1, 1, 1, 1, 1, 0, second, parameters, NULL));
    assert_int_equal(cu->event_synchronize(fork), CUDA_CAPTURED_EVENT);
    OK(cu->event_record(join, second));
    OK(cu->stream_wait(first, join, 0));
    OK(cu->copy_to_host_async(host + 1, a, 4, first));
    OK(cu->capture_end(first, &graph));
    OK(cu->graph_instantiate(&executable, graph, 0));
    OK(cu->graph_destroy(graph));
    OK(cu->stream_synchronize(first));
    assert_int_equal(host[1], 0);
    for (uint32_t k = 1; k < 4; k++) {
        host[0] = 10 * k;
        OK(cu->graph_launch(executable, first));
        OK(cu->stream_synchronize(first));
        assert_int_equal(host[1], 10 * k + 1);
    }
    OK(cu->executable_destroy(executable));
    OK(cu->capture_begin(first, 0));
    OK(cu->event_record(fork, first));
    OK(cu->stream_wait(second, fork, 0));
    OK(cu->fill_bytes_async(a, 0, 4, second));
    assert_int_equal(cu->capture_end(first, &graph), CUDA_STREAM_CAPTURE_UNJOINED);
    OK(cu->release(a));
    OK(cu->stream_destroy(first));
    OK(cu->stream_destroy(second));
    OK(cu->host_release(host));
    OK(cu->module_unload(module));
}

static void limits_are_kept(void **state) {
    (void)state;
    size_t value = 0;
    OK(cu->limit_set(DRIVER_LIMIT_L2_FETCH, 33));
    OK(cu->limit_get(&value, DRIVER_LIMIT_L2_FETCH));
    assert_int_equal(value, 64);
    assert_int_equal(cu->limit_set(DRIVER_LIMIT_L2_FETCH, 4096), CUDA_INVALID_VALUE);
    OK(cu->limit_get(&value, DRIVER_LIMIT_PRINT));
    assert_int_equal(value, 132 << 16);
    OK(cu->limit_set(DRIVER_LIMIT_PRINT, 4096));
    OK(cu->limit_get(&value, DRIVER_LIMIT_PRINT));
    assert_int_equal(value, 512 << 10);
    OK(cu->limit_set(DRIVER_LIMIT_PRINT, 1 << 24));
    OK(cu->limit_get(&value, DRIVER_LIMIT_PRINT));
    assert_int_equal(value, 1 << 24);
    OK(cu->limit_set(DRIVER_LIMIT_PERSISTING_L2, 1 << 20));
    OK(cu->limit_get(&value, DRIVER_LIMIT_PERSISTING_L2));
    assert_int_equal(value, 1 << 20);
    assert_int_equal(cu->limit_set(DRIVER_LIMIT_PERSISTING_L2, (size_t)1 << 40), CUDA_INVALID_VALUE);
    OK(cu->persisting_reset());
}

/* As an H200 answers. */
static void some_limits_are_read_only_or_not_there(void **state) {
    (void)state;
    size_t value = 0;
    OK(cu->limit_get(&value, DRIVER_LIMIT_PENDING_LAUNCHES));
    assert_int_equal(value, 2048);
    OK(cu->limit_get(&value, DRIVER_LIMIT_SHARED));
    assert_int_equal(value, 227 << 10);
    assert_int_equal(cu->limit_set(DRIVER_LIMIT_SHARED, 4096), CUDA_NOT_PERMITTED);
    assert_int_equal(cu->limit_get(&value, DRIVER_LIMIT_SYNC_DEPTH), CUDA_UNSUPPORTED_LIMIT);
    assert_int_equal(cu->limit_get(&value, 10), CUDA_INVALID_VALUE);
}

/* Returns the time of two launches of a kernel, the second with the attribute or without it. */
static double time_two(CUfunction f, CUstream s, bool is_programmatic) {
    CUlaunchAttribute attribute = {.id = DRIVER_LAUNCH_PROGRAMMATIC, .value.is_programmatic = is_programmatic};
    CUlaunchConfig config = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = s, .attributes = &attribute, .attribute_count = 1};
    CUevent begin = event(), end = event();
    float ms = 0;
    OK(cu->event_record(begin, s));
    for (int i = 0; i < 2; i++) OK(cu->launch_ex(&config, f, NULL, NULL));
    OK(cu->event_record(end, s));
    OK(cu->event_synchronize(end));
    OK(cu->event_elapsed(&ms, begin, end));
    OK(cu->event_destroy(begin));
    OK(cu->event_destroy(end));
    return (double)ms * 1e3;
}

/* If the kernel in front triggers the launch early, it costs nothing. */
static void an_early_launch_is_hidden_behind_the_kernel_in_front(void **state) {
    (void)state;
    static const char early_ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry plain() { ret; }\n"
        ".visible .entry early() { griddepcontrol.launch_dependents; griddepcontrol.wait; ret; }\n";
    CUmodule module;
    CUfunction plain, early;
    CUstream s = stream();
    OK(cu->module_load(&module, early_ptx, 0, NULL, NULL));
    OK(cu->module_function(&plain, module, "plain"));
    OK(cu->module_function(&early, module, "early"));
    const double launches = time_two(plain, s, false);
    assert_true(fabs(time_two(plain, s, true) - launches) < 0.1);
    assert_true(time_two(early, s, false) >= launches);
    const double hidden = time_two(early, s, false) - time_two(early, s, true);
    assert_true(fabs(hidden - sim_machine_find("h100")->launch_us) < 0.1);
    OK(cu->module_unload(module));
    OK(cu->stream_destroy(s));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_early_launch_is_hidden_behind_the_kernel_in_front),
        cmocka_unit_test(copies_arrive_when_somebody_waits),
        cmocka_unit_test(pageable_memory_is_copied_before_the_call_returns),
        cmocka_unit_test(events_order_streams),
        cmocka_unit_test(the_default_stream_waits_for_blocking_streams_only),
        cmocka_unit_test(the_clock_overlaps_what_different_engines_do),
        cmocka_unit_test(kernels_reach_pinned_memory_at_the_address_that_the_host_has),
        cmocka_unit_test(a_fault_in_a_stream_is_told_by_every_wait),
        cmocka_unit_test(host_functions_are_called_in_their_turn),
        cmocka_unit_test(pools_give_back_in_stream_order_and_keep_high_water_marks),
        cmocka_unit_test(a_pool_holds_freed_memory_up_to_its_threshold),
        cmocka_unit_test(a_captured_pipeline_is_launched_as_often_as_wanted),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(some_limits_are_read_only_or_not_there),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
