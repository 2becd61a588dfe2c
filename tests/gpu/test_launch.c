/* Launches from C on a device that haul takes for a real one (libcuda.c): what is checked before the driver sees them,
 * and that a device serves on after a refusal. */
#include <haul/haul.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                          ".visible .entry store(.param .u64 p, .param .u32 v)\n{\n"
                          ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
                          "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [v];\nst.global.u32 [%rd1], %r1;\nret;\n}\n";

typedef struct fixture {
    haul_device *device, *other;
    haul_module *module;
    haul_buffer *buffer, *foreign;
    haul_argument arguments[2];
    haul_launch launch;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f || haul_device_open("gpu:0", NULL, &f->device) != HAUL_OK) return -1;
    if (haul_device_open("sim:h100", NULL, &f->other) != HAUL_OK) return -1;
    if (haul_module_load(f->device, "store", ptx, sizeof ptx - 1, &f->module) != HAUL_OK) return -1;
    if (haul_buffer_create(f->device, 256, &f->buffer) != HAUL_OK) return -1;
    if (haul_buffer_create(f->other, 256, &f->foreign) != HAUL_OK) return -1;
    f->arguments[0] = (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = f->buffer};
    f->arguments[1] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = 7};
    f->launch = (haul_launch){
        .kernel = "store", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = f->arguments, .argument_count = 2};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    haul_device_close(f->device);
    haul_device_close(f->other);
    free(f);
    return 0;
}

static void refuse(fixture *f, haul_status status, const char *words) {
    haul_status got = haul_launch_run(f->module, &f->launch, NULL);
    if (got != status) fail_msg("status %d, not %d: %s", (int)got, (int)status, haul_message());
    if (!strstr(haul_message(), words)) fail_msg("'%s' has no '%s'", haul_message(), words);
}

static void a_launch_runs_and_leaves_a_record_without_counters(void **state) {
    fixture *f = *state;
    haul_run *run;
    uint32_t word = 0;
    assert_false(haul_device_is_virtual(f->device));
    assert_int_equal(haul_run_create(f->device, &run), HAUL_OK);
    assert_int_equal(haul_launch_run(f->module, &f->launch, run), HAUL_OK);
    assert_int_equal(run->stamp, HAUL_MEASURED);
    assert_string_equal(run->launches[0].kernel, "store");
    assert_true(run->launches[0].counters[HAUL_COUNTER_INST_GLOBAL_ST] < 0);
    assert_int_equal(haul_buffer_read(f->buffer, 0, &word, sizeof word), HAUL_OK);
    assert_int_equal(word, 7);
    haul_run_free(run);
}

static void arguments_are_held_against_the_parameters(void **state) {
    fixture *f = *state;
    f->launch.argument_count = 1;
    refuse(f, HAUL_ERROR_ARGUMENT, "takes 2 arguments, 1 given");
    f->launch.argument_count = 2;
    f->arguments[1].kind = HAUL_ARGUMENT_I64;
    refuse(f, HAUL_ERROR_ARGUMENT, "argument 2 is 8 bytes, but parameter");
    f->arguments[1] = (haul_argument){.kind = HAUL_ARGUMENT_BYTES, .size = 4};
    refuse(f, HAUL_ERROR_ARGUMENT, "argument 2 has no bytes");
    f->arguments[1] = (haul_argument){.kind = HAUL_ARGUMENT_I32};
    f->arguments[0].buffer = NULL;
    refuse(f, HAUL_ERROR_ARGUMENT, "argument 1 is not a buffer");
    f->arguments[0].buffer = f->foreign;
    refuse(f, HAUL_ERROR_ARGUMENT, "argument 1 is a buffer on sim:h100, the kernel is on gpu:0");
}

static void extents_are_held_against_the_device(void **state) {
    fixture *f = *state;
    f->launch.grid[1] = 0;
    refuse(f, HAUL_ERROR_LIMIT, "grid y 0");
    f->launch.grid[1] = 1;
    f->launch.block[0] = 1024, f->launch.block[1] = 4;
    refuse(f, HAUL_ERROR_LIMIT, "threads per block 4096, but gpu:0 allows 1024");
}

static void unknown_kernels_are_told(void **state) {
    fixture *f = *state;
    f->launch.kernel = "stores";
    refuse(f, HAUL_ERROR_NOT_FOUND, "stores");
}

static void a_kernel_s_fault_has_its_meaning(void **state) {
    fixture *f = *state;
    setenv("FAKE_CUDA", "cuCtxSynchronize=717", 1);
    refuse(f, HAUL_ERROR_FAULT, "of the wrong state space");
    setenv("FAKE_CUDA", "cuCtxSynchronize=719", 1);
    refuse(f, HAUL_ERROR_TRAP, "CUDA_ERROR_LAUNCH_FAILED");
    unsetenv("FAKE_CUDA");
    assert_int_equal(haul_launch_run(f->module, &f->launch, NULL), HAUL_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_launch_runs_and_leaves_a_record_without_counters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arguments_are_held_against_the_parameters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(extents_are_held_against_the_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_kernels_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_kernel_s_fault_has_its_meaning, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
