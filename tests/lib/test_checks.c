/* Checks that begin and end while a device is open. */
#include "../sim/kernel.h"

static const char ptx[] = HEAD ".visible .entry race(.param .u64 out) {\n"
                               ".reg .b64 %rd<2>; .reg .b32 %r<3>; .shared .align 4 .u32 s;\n"
                               "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; st.shared.u32 [s], %r0;\n"
                               "ld.shared.u32 %r1, [s]; st.global.u32 [%rd0], %r1; ret; }\n"
                               ".visible .entry write(.param .u64 out) {\n"
                               ".reg .b64 %rd<2>;\n"
                               "ld.param.u64 %rd0, [out]; st.global.u32 [%rd0], 7; ret; }\n"
                               ".visible .entry read(.param .u64 in, .param .u64 out) {\n"
                               ".reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;\n"
                               "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.global.u32 %r0, [%rd0];\n"
                               "setp.eq.u32 %p0, %r0, 7; @%p0 bra done; st.global.u32 [%rd1], 1; done: ret; }\n";

static haul_device *device;
static haul_module *module;
static haul_buffer *in, *out;
static haul_run *run;

/* As for a device that may be checked later: opened with checks, which then end. */
static int set_up(void **state) {
    (void)state;
    return haul_device_open("sim:h200", &(haul_device_options){.check = true}, &device) != HAUL_OK ||
           haul_device_set_checks(device, NULL) != HAUL_OK ||
           haul_module_load(device, "checks.ptx", ptx, strlen(ptx), &module) != HAUL_OK ||
           haul_buffer_create(device, 4, &in) != HAUL_OK || haul_buffer_create(device, 4, &out) != HAUL_OK ||
           haul_run_create(device, &run) != HAUL_OK;
}

static int tear_down(void **state) {
    (void)state;
    haul_run_free(run);
    haul_device_close(device);
    return 0;
}

static void check(bool on) {
    assert_int_equal(haul_device_set_checks(device, &(haul_device_options){.check = on}), HAUL_OK);
}

static const haul_launch_record *launch(const char *kernel, uint32_t threads, size_t count, haul_buffer *first,
                                        haul_buffer *second) {
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = first},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = second}};
    const haul_launch l = {
        .kernel = kernel, .grid = {1, 1, 1}, .block = {threads, 1, 1}, .arguments = arguments, .argument_count = count};
    if (haul_launch_run(module, &l, run) != HAUL_OK) fail_msg("%s", haul_message());
    return &run->launches[run->launch_count - 1];
}

static void each_launch_is_checked_or_not(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        check(i % 2);
        const haul_launch_record *r = launch("race", 64, 1, out, NULL);
        assert_int_equal(r->checked, i % 2);
        assert_int_equal(r->finding_count > 0, i % 2);
    }
}

static void unwritten_memory_is_found_though_checks_began_later(void **state) {
    (void)state;
    check(true);
    const haul_launch_record *r = launch("read", 1, 2, in, out);
    assert_int_equal(r->finding_count, 1);
    assert_int_equal(r->findings[0].kind, HAUL_FINDING_UNINITIALISED_READ);
}

static void what_unchecked_launches_wrote_is_initialised(void **state) {
    (void)state;
    launch("write", 1, 1, in, NULL);
    check(true);
    assert_int_equal(launch("read", 1, 2, in, out)->finding_count, 0);
}

static void a_device_opened_without_checks_has_no_unwritten_memory(void **state) {
    (void)state;
    haul_device *plain;
    haul_device *const checked = device;
    haul_module *const loaded = module;
    haul_buffer *a, *b;
    assert_int_equal(haul_device_open("sim:h200", NULL, &plain), HAUL_OK);
    assert_int_equal(haul_buffer_create(plain, 4, &a), HAUL_OK);
    assert_int_equal(haul_buffer_create(plain, 4, &b), HAUL_OK);
    assert_int_equal(haul_module_load(plain, "checks.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    device = plain;
    check(true);
    assert_int_equal(launch("read", 1, 2, a, b)->finding_count, 0);
    haul_device_close(plain);
    device = checked;
    module = loaded;
}

static void an_order_lasts_until_the_next_settings(void **state) {
    (void)state;
    const haul_device_options reversed = {.check = true, .schedule = HAUL_SCHEDULE_REVERSED};
    uint32_t word;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(haul_device_set_checks(device, i ? &reversed : NULL), HAUL_OK);
        launch("race", 64, 1, out, NULL);
        assert_int_equal(haul_buffer_read(out, 0, &word, 4), HAUL_OK);
        assert_int_equal(word, i ? 0 : 32); /* the last warp's first lane */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_launch_is_checked_or_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unwritten_memory_is_found_though_checks_began_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_unchecked_launches_wrote_is_initialised, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_opened_without_checks_has_no_unwritten_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_order_lasts_until_the_next_settings, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
