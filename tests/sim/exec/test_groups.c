/* Cooperative groups as nvcc compiles them: grids whose blocks wait for each other. */
#include "kernel.h"

enum { BLOCKS = 200, THREADS = 64, ROUNDS = 3 };

static haul_status rotate(uint32_t blocks, uint32_t *numbers, bool checks, haul_run **run) {
    haul_device *device;
    haul_module *module;
    haul_buffer *from, *to;
    const haul_device_options options = {.check = checks};
    assert_int_equal(haul_device_open("sim:h100", &options, &device), HAUL_OK);
    assert_int_equal(haul_module_load_file(device, TEST_DATA "/ptx/groups.ptx", &module), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, blocks * sizeof *numbers, &from), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, blocks * sizeof *numbers, &to), HAUL_OK);
    assert_int_equal(haul_buffer_write(from, 0, numbers, blocks * sizeof *numbers), HAUL_OK);
    assert_int_equal(haul_run_create(device, run), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = from},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = to},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = ROUNDS}};
    const haul_launch launch = {.kernel = "rotate",
                                .grid = {blocks, 1, 1},
                                .block = {THREADS, 1, 1},
                                .arguments = arguments,
                                .argument_count = 3};
    const haul_status status = haul_launch_run(module, &launch, *run);
    if (status == HAUL_OK) assert_int_equal(haul_buffer_read(from, 0, numbers, blocks * sizeof *numbers), HAUL_OK);
    haul_device_close(device);
    return status;
}

static void check_rotation(bool checks) {
    uint32_t numbers[BLOCKS];
    haul_run *run;
    for (uint32_t i = 0; i < BLOCKS; i++) numbers[i] = 7 * i;
    if (rotate(BLOCKS, numbers, checks, &run) != HAUL_OK) fail_msg("%s", haul_message());
    expect_words(numbers, BLOCKS, 7 * ((i + ROUNDS) % BLOCKS));
    if (run->launches[0].finding_count)
        fail_msg("%s: %s", haul_finding_kinds[run->launches[0].findings[0].kind].key,
                 run->launches[0].findings[0].what);
    haul_run_free(run);
}

static void a_grid_meets(void **state) {
    (void)state;
    check_rotation(false);
}

static void checks_find_nothing(void **state) {
    (void)state;
    check_rotation(true);
}

static void blocks_that_cannot_all_be_there_are_refused(void **state) {
    (void)state;
    enum { TOO_MANY = 132 * 32 + 1 };
    uint32_t *numbers = calloc(TOO_MANY, sizeof *numbers);
    haul_run *run;
    assert_int_equal(rotate(TOO_MANY, numbers, false, &run), HAUL_ERROR_LIMIT);
    assert_non_null(strstr(haul_message(), "blocks that wait for each other 4225, but h100 allows 4224"));
    haul_run_free(run);
    free(numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_meets),
        cmocka_unit_test(checks_find_nothing),
        cmocka_unit_test(blocks_that_cannot_all_be_there_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
