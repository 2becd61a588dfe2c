/* The table of modules, and what every host function of a kernel checks. */
#include "fixture.h"

#include <kernels/kernels.h>
#include <kernels/tuned/sm_90.h>

static void modules_are_found_by_name_and_nothing_else_is(void **state) {
    (void)state;
    const haul_kernel_module *m = haul_kernel_module_find("saxpy", 80);
    assert_non_null(m);
    assert_string_equal(m->name, "saxpy");
    assert_int_equal(strlen(m->ptx), m->end - m->ptx);
    assert_non_null(strstr(m->ptx, "saxpy_scalar"));
    assert_int_equal(m->architecture, 80);
    assert_int_equal(haul_kernel_module_find("saxpy", 90)->architecture, 90);
    assert_null(haul_kernel_module_find("sax", 80));
    assert_null(haul_kernel_module_find("", 80));
}

static void a_module_is_loaded_once(void **state) {
    (void)state;
    haul_module *first, *again;
    must(kernels_module(kernels, "copy", &first));
    must(kernels_module(kernels, "copy", &again));
    assert_ptr_equal(first, again);
    expect_failure(kernels_module(kernels, "none", &first), HAUL_ERROR_NOT_FOUND, "'none'");
}

static bool has_kernel(haul_module *m, const char *name) {
    for (size_t i = 0; i < haul_module_kernel_count(m); i++)
        if (strcmp(haul_module_kernel_name(m, i), name) == 0) return true;
    return false;
}

/* All forms of all families: only kernels.def lists them. */
static const haul_kernel_form all_forms[] = {
#define FORM(FORM, ...) {__VA_ARGS__},
#define HAUL_KERNEL_COPY FORM
#define HAUL_KERNEL_SAXPY FORM
#define HAUL_KERNEL_MAXPOOL15 FORM
#define HAUL_KERNEL_COPY_ROWS FORM
#define HAUL_KERNEL_DERIVATIVE_FAST FORM
#define HAUL_KERNEL_DERIVATIVE_SLOW FORM
#include <haul/kernels.def>
};

static void every_form_s_kernel_is_in_its_module(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(all_forms); i++) {
        haul_module *m;
        must(kernels_module(kernels, all_forms[i].module, &m));
        if (!has_kernel(m, all_forms[i].kernel)) fail_msg("%s: no %s", all_forms[i].module, all_forms[i].kernel);
    }
}

static void buffers_are_checked(void **state) {
    (void)state;
    haul_buffer *small, *large;
    must(haul_buffer_create(device, 396, &small));
    must(haul_buffer_create(device, 400, &large));
    expect_failure(haul_copy(kernels, HAUL_COPY_AUTO, 100, small, large, NULL), HAUL_ERROR_ARGUMENT,
                   "haul_copy: in: the buffer has 396 bytes, 400 are needed");
    expect_failure(haul_copy(kernels, HAUL_COPY_AUTO, 99, small, NULL, NULL), HAUL_ERROR_ARGUMENT, "out: no buffer");
    expect_failure(haul_copy(kernels, HAUL_COPY_AUTO, 99, large, large, NULL), HAUL_ERROR_ARGUMENT,
                   "out is written and cannot be the same buffer as in");
    expect_failure(haul_copy(kernels, HAUL_COPY_AUTO, 0, small, large, NULL), HAUL_ERROR_ARGUMENT, "no elements");
    must(haul_copy(kernels, HAUL_COPY_AUTO, 99, small, large, NULL));
    haul_buffer_free(small), haul_buffer_free(large);
}

static void forms_are_checked(void **state) {
    (void)state;
    skip_on_hardware();
    haul_buffer *x = upload_canaries(8), *y = upload_canaries(8);
    expect_failure(haul_saxpy(kernels, HAUL_SAXPY_FORMS, 8, 1, x, y, NULL), HAUL_ERROR_ARGUMENT,
                   "there are forms 1 to");
    haul_buffer_free(x), haul_buffer_free(y);
    use_machine(0);
    x = upload_canaries(8), y = upload_canaries(8);
    expect_failure(haul_saxpy(kernels, HAUL_SAXPY_BULK, 8, 1, x, y, NULL), HAUL_ERROR_UNSUPPORTED, "needs sm_90");
    must(haul_saxpy(kernels, HAUL_SAXPY_AUTO, 8, 1, x, y, NULL));
    haul_buffer_free(x), haul_buffer_free(y);
    use_machine(1);
}

static uint32_t blocks_launched(haul_run *run) {
    return run->launches[run->launch_count - 1].grid[0];
}

static void a_grid_covers_the_work_or_fills_the_device(void **state) {
    (void)state;
    enum { N = 1 << 21 };
    skip_on_hardware();
    haul_run *run;
    haul_buffer *x, *y;
    must(haul_run_create(device, &run));
    must(haul_buffer_create(device, N * 4, &x));
    must(haul_buffer_create(device, N * 4, &y));
    must(haul_saxpy(kernels, HAUL_SAXPY_VECTOR, N, 1, x, y, run));
    const uint32_t block = 4 * run->launches[0].block[0]; /* a vector a thread */
    assert_int_equal(blocks_launched(run), (N + block - 1) / block);
    must(haul_saxpy(kernels, HAUL_SAXPY_REGISTERS, N, 1, x, y, run));
    assert_int_equal(blocks_launched(run), 132 * run->launches[1].occupancy.blocks_per_sm);
    haul_kernels_limit_blocks(kernels, 7);
    must(haul_saxpy(kernels, HAUL_SAXPY_REGISTERS, N, 1, x, y, run));
    assert_int_equal(blocks_launched(run), 7);
    haul_kernels_limit_blocks(kernels, 0);
    must(haul_saxpy(kernels, HAUL_SAXPY_REGISTERS, 5000, 1, x, y, run));
    assert_int_equal(blocks_launched(run), 5);
    haul_run_free(run);
    haul_buffer_free(x), haul_buffer_free(y);
}

static void recommended_form_is(const char *machine, const char *kernel) {
    haul_device *d;
    haul_kernels *k;
    haul_buffer *in, *out;
    haul_run *run;
    must(haul_device_open(machine, NULL, &d));
    must(haul_kernels_open(d, &k));
    must(haul_buffer_create(d, 64, &in));
    must(haul_buffer_create(d, 64, &out));
    must(haul_run_create(d, &run));
    must(haul_copy(k, HAUL_COPY_AUTO, 16, in, out, run));
    assert_string_equal(run->launches[0].kernel, kernel);
    haul_run_free(run);
    haul_kernels_close(k);
    haul_device_close(d);
}

static void blocks_are_paced_where_memory_does_not_outrun_them(void **state) {
    (void)state;
    recommended_form_is("sim:a100", "copy_paced");
    recommended_form_is("sim:h100", "copy_paced");
    recommended_form_is("sim:h200", "copy_vector");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_paced_where_memory_does_not_outrun_them),
        cmocka_unit_test(modules_are_found_by_name_and_nothing_else_is),
        cmocka_unit_test(a_module_is_loaded_once),
        cmocka_unit_test(every_form_s_kernel_is_in_its_module),
        cmocka_unit_test(buffers_are_checked),
        cmocka_unit_test(forms_are_checked),
        cmocka_unit_test(a_grid_covers_the_work_or_fills_the_device),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
