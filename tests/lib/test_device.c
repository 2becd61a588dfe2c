/* Devices and their buffers. */
#include <haul/haul.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

static void expect_message(haul_status got, haul_status want, const char *text) {
    if (got != want) fail_msg("status %d, not %d: %s", (int)got, (int)want, haul_message());
    if (!strstr(haul_message(), text)) fail_msg("'%s' has no '%s'", haul_message(), text);
}

static void a_virtual_device_has_its_machines_name(void **state) {
    (void)state;
    haul_device *device;
    assert_int_equal(haul_device_open("sim:a100", NULL, &device), HAUL_OK);
    assert_string_equal(haul_device_name(device), "sim:a100");
    assert_non_null(strstr(haul_device_product(device), "A100"));
    assert_true(haul_device_is_virtual(device));
    haul_device_close(device);
    assert_int_equal(haul_device_open("sim", NULL, &device), HAUL_OK);
    assert_string_equal(haul_device_name(device), "sim:h100");
    haul_device_close(device);
    haul_device_close(NULL);
}

static void a_device_says_its_architecture_and_size(void **state) {
    (void)state;
    haul_device *device;
    assert_int_equal(haul_device_open("sim:a100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_device_architecture(device), 80);
    assert_int_equal(haul_device_sm_count(device), 108);
    haul_device_close(device);
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_device_architecture(device), 90);
    assert_int_equal(haul_device_sm_count(device), 132);
    haul_device_close(device);
}

/* As the CUDA programming guide and the data sheet have them; of L2 five eighths may persist. */
static void a_device_says_its_limits(void **state) {
    (void)state;
    haul_device *device;
    haul_device_properties p;
    assert_int_equal(haul_device_open("sim:a100", NULL, &device), HAUL_OK);
    haul_device_properties_of(device, &p);
    assert_int_equal(p.architecture, 80);
    assert_int_equal(p.sms, 108);
    assert_int_equal(p.memory_bytes, UINT64_C(80) << 30);
    assert_int_equal(p.shared_per_block, 48 << 10);
    assert_int_equal(p.shared_per_block_optin, 163 << 10);
    assert_int_equal(p.l2_bytes, 40 << 20);
    assert_int_equal(p.persisting_l2_bytes, 25 << 20);
    assert_int_equal(p.window_bytes, 128 << 20);
    assert_int_equal(p.copy_engines, 3);
    assert_int_equal(p.clusters, 0);
    assert_int_equal(p.memory_bus_bits, 5120);
    assert_int_equal(p.unified_addresses, 1);
    haul_device_close(device);
}

static const char kernel[] = ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry k() {\nret;\n}\n";

static void blocks_per_sm_follow_from_threads_and_shared_memory(void **state) {
    (void)state;
    haul_device *device;
    haul_module *module;
    uint32_t blocks;
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_module_load(device, "k", kernel, sizeof kernel - 1, &module), HAUL_OK);
    assert_int_equal(haul_module_blocks_per_sm(module, "k", 256, 0, &blocks), HAUL_OK);
    assert_int_equal(blocks, 8); /* of 2048 threads */
    assert_int_equal(haul_module_blocks_per_sm(module, "k", 256, 100 * 1024, &blocks), HAUL_OK);
    assert_int_equal(blocks, 2); /* of 228 KiB */
    assert_int_equal(haul_module_blocks_per_sm(module, "k", 256, 300 * 1024, &blocks), HAUL_OK);
    assert_int_equal(blocks, 0);
    expect_message(haul_module_blocks_per_sm(module, "none", 256, 0, &blocks), HAUL_ERROR_NOT_FOUND, "none");
    haul_device_close(device);
}

static void unknown_devices_are_refused(void **state) {
    (void)state;
    haul_device *device;
    expect_message(haul_device_open("sim:h900", NULL, &device), HAUL_ERROR_NO_DEVICE, "no such machine; there are ");
    assert_null(device);
    expect_message(haul_device_open("tpu", NULL, &device), HAUL_ERROR_ARGUMENT, "device 'tpu'");
    expect_message(haul_device_open("gpu:one", NULL, &device), HAUL_ERROR_ARGUMENT, "number");
    expect_message(haul_device_open("", NULL, &device), HAUL_ERROR_ARGUMENT, "device ''");
}

static void memory_that_the_address_space_does_not_have_is_refused(void **state) {
    (void)state;
    const haul_device_options options = {.memory_bytes = UINT64_MAX / 2};
    haul_device *device;
    expect_message(haul_device_open("sim:h100", &options, &device), HAUL_ERROR_OUT_OF_MEMORY,
                   "open the device with less");
}

/* Returns the address space of the process, in pages: sanitizers take it for themselves. */
static unsigned long address_space(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1) pages = ULONG_MAX;
    if (file) fclose(file);
    return pages;
}

static void a_device_with_less_memory_opens_where_the_address_space_is_short(void **state) {
    (void)state;
    const haul_device_options options = {.memory_bytes = 1 << 20};
    haul_device *device;
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    little = (struct rlimit){.rlim_cur = (rlim_t)8 << 30, .rlim_max = before.rlim_max};
    if (address_space() > 1 << 20 || setrlimit(RLIMIT_AS, &little)) skip();
    expect_message(haul_device_open("sim:h100", NULL, &device), HAUL_ERROR_OUT_OF_MEMORY, "open the device with less");
    assert_int_equal(haul_device_open("sim:h100", &options, &device), HAUL_OK);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    haul_device_close(device);
}

static void buffers_hold_what_is_written(void **state) {
    (void)state;
    haul_device *device;
    haul_buffer *buffer, *empty;
    char got[8] = "";
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 8, &buffer), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 0, &empty), HAUL_OK);
    assert_int_equal(haul_buffer_bytes(buffer), 8);
    assert_int_equal(haul_buffer_bytes(empty), 0);
    assert_int_equal(haul_buffer_address(buffer) % 512, 0);
    assert_int_not_equal(haul_buffer_address(buffer), haul_buffer_address(empty));
    assert_int_equal(haul_buffer_write(buffer, 3, "abcde", 5), HAUL_OK);
    assert_int_equal(haul_buffer_read(buffer, 4, got, 4), HAUL_OK);
    assert_memory_equal(got, "bcde", 4);
    assert_int_equal(haul_buffer_read(buffer, 8, got, 0), HAUL_OK);
    assert_int_equal(haul_buffer_write(empty, 0, NULL, 0), HAUL_OK);
    haul_device_close(device); /* ends the buffers too */
}

static void copies_stay_inside_buffers(void **state) {
    (void)state;
    haul_device *device;
    haul_buffer *buffer;
    char bytes[16] = "";
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 8, &buffer), HAUL_OK);
    expect_message(haul_buffer_write(buffer, 1, bytes, 8), HAUL_ERROR_ARGUMENT,
                   "buffer of 8 bytes: 8 bytes from 1 on reach beyond its end");
    expect_message(haul_buffer_read(buffer, 9, bytes, 0), HAUL_ERROR_ARGUMENT, "beyond its end");
    expect_message(haul_buffer_read(buffer, UINT64_MAX, bytes, 2), HAUL_ERROR_ARGUMENT, "beyond its end");
    haul_device_close(device);
}

static void devices_live_side_by_side(void **state) {
    (void)state;
    haul_device *one, *two;
    haul_buffer *in_one, *in_two;
    int value = 1, got = 0;
    assert_int_equal(haul_device_open("sim:h100", NULL, &one), HAUL_OK);
    assert_int_equal(haul_device_open("sim:a100", NULL, &two), HAUL_OK);
    assert_int_equal(haul_buffer_create(one, 4, &in_one), HAUL_OK);
    assert_int_equal(haul_buffer_create(two, 4, &in_two), HAUL_OK);
    assert_int_equal(haul_buffer_write(in_one, 0, &value, 4), HAUL_OK);
    value = 2;
    assert_int_equal(haul_buffer_write(in_two, 0, &value, 4), HAUL_OK);
    haul_device_close(two);
    assert_int_equal(haul_buffer_read(in_one, 0, &got, 4), HAUL_OK);
    assert_int_equal(got, 1);
    haul_device_close(one);
}

static void freed_memory_is_used_again_at_the_same_place(void **state) {
    (void)state;
    haul_device *device;
    haul_buffer *buffers[3];
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    for (int b = 0; b < 3; b++) assert_int_equal(haul_buffer_create(device, 1000, &buffers[b]), HAUL_OK);
    const uint64_t second = haul_buffer_address(buffers[1]);
    haul_buffer_free(buffers[1]);
    assert_int_equal(haul_buffer_create(device, 900, &buffers[1]), HAUL_OK);
    assert_int_equal(haul_buffer_address(buffers[1]), second);
    haul_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_virtual_device_has_its_machines_name),
        cmocka_unit_test(a_device_says_its_architecture_and_size),
        cmocka_unit_test(a_device_says_its_limits),
        cmocka_unit_test(blocks_per_sm_follow_from_threads_and_shared_memory),
        cmocka_unit_test(unknown_devices_are_refused),
        cmocka_unit_test(memory_that_the_address_space_does_not_have_is_refused),
        cmocka_unit_test(a_device_with_less_memory_opens_where_the_address_space_is_short),
        cmocka_unit_test(buffers_hold_what_is_written),
        cmocka_unit_test(copies_stay_inside_buffers),
        cmocka_unit_test(devices_live_side_by_side),
        cmocka_unit_test(freed_memory_is_used_again_at_the_same_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
