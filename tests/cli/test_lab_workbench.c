/* The workbench of experiments: a result that is not the host's is reported, counted and fails the section's check. */
#include "cli/lab/workbench.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { N = 100 };

typedef struct fixture {
    lab lab;
    report_section *section;
    lab_workbench bench;
} fixture;

static void open_bench(fixture *f) {
    f->lab = (lab){.document = report_document_new("test", "A test")};
    f->section = report_add_section(f->lab.document, "section", "A section");
    assert_int_equal(haul_device_open("sim:h100", NULL, &f->lab.device), HAUL_OK);
    assert_int_equal(lab_workbench_begin(&f->bench, &f->lab, f->section), HAUL_OK);
}

static void close_bench(fixture *f) {
    haul_device_close(f->lab.device);
    report_document_free(f->lab.document);
}

static haul_status copy(fixture *f, const char *module, const char *kernel, const float *expected) {
    lab_launch launch = {
        .module = module,
        .kernel = kernel,
        .block = {128},
        .arguments = {lab_input(lab_floats(&f->bench, N, 1), N), lab_result(NULL, expected, N), lab_u32(N)}};
    haul_launch_record record;
    return lab_measure(&f->bench, &launch, &record);
}

static void a_right_result_passes(void **state) {
    (void)state;
    fixture f;
    open_bench(&f);
    assert_int_equal(copy(&f, "copy", "copy_scalar", lab_floats(&f.bench, N, 1)), HAUL_OK);
    assert_int_equal(lab_workbench_end(&f.bench, HAUL_OK), HAUL_OK);
    assert_int_equal(f.lab.document->checks, 1);
    assert_int_equal(f.lab.document->failed_checks, 0);
    close_bench(&f);
}

static void a_wrong_result_is_told_and_fails_the_check(void **state) {
    (void)state;
    fixture f;
    open_bench(&f);
    float *expected = lab_floats(&f.bench, N, 1);
    expected[42] = 2.0f;
    assert_int_equal(copy(&f, "copy", "copy_scalar", expected), HAUL_OK);
    assert_string_equal(f.section->last->text, "copy_scalar: element 42 is 0.575461447, but must be 2");
    assert_int_equal(lab_workbench_end(&f.bench, HAUL_OK), HAUL_OK);
    assert_int_equal(f.lab.document->failed_checks, 1);
    close_bench(&f);
}

static void an_unknown_module_or_kernel_is_an_error(void **state) {
    (void)state;
    fixture f;
    open_bench(&f);
    const float *expected = lab_floats(&f.bench, N, 1);
    assert_int_equal(copy(&f, "no_module", "copy_scalar", expected), HAUL_ERROR_NOT_FOUND);
    assert_int_equal(copy(&f, "copy", "no_kernel", expected), HAUL_ERROR_NOT_FOUND);
    assert_int_equal(lab_workbench_end(&f.bench, HAUL_ERROR_NOT_FOUND), HAUL_ERROR_NOT_FOUND);
    assert_int_equal(f.lab.document->checks, 0);
    close_bench(&f);
}

static void no_memory_for_arrays_is_an_error_of_the_launch(void **state) {
    (void)state;
    fixture f;
    open_bench(&f);
    assert_int_equal(copy(&f, "copy", "copy_scalar", NULL), HAUL_ERROR_OUT_OF_MEMORY);
    lab_workbench_end(&f.bench, HAUL_ERROR_OUT_OF_MEMORY);
    close_bench(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_result_passes),
        cmocka_unit_test(a_wrong_result_is_told_and_fails_the_check),
        cmocka_unit_test(an_unknown_module_or_kernel_is_an_error),
        cmocka_unit_test(no_memory_for_arrays_is_an_error_of_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
