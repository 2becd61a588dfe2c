/* Transposes, in every form. */
#include "fixture.h"

static void check_size(uint32_t rows, uint32_t columns) {
    size_t count = (size_t)rows * columns;
    float *in = randoms(count, rows), *out = canaries(count);
    for (size_t i = 0; i < count; i++) out[i % columns * rows + i / columns] = in[i];
    haul_buffer *from = upload(in, count);
    for (unsigned form = HAUL_TRANSPOSE_AUTO; form < HAUL_TRANSPOSE_FORMS; form++) {
        haul_buffer *to = upload_canaries(count);
        must(haul_transpose(kernels, (haul_transpose_form)form, rows, columns, from, to, NULL));
        assert_holds(haul_transpose_forms[form].name, to, out, count);
    }
    haul_buffer_free(from);
    free(in), free(out);
}

static void check_all(void) {
    static const uint32_t sides[] = {1, 2, 3, 4, 31, 32, 33, 60, 63, 64, 65, 68, 127, 132};
    for (size_t r = 0; r < COUNT(sides); r++) {
        for (size_t c = 0; c < COUNT(sides); c++) check_size(sides[r], sides[c]);
    }
    check_size(1, 5000);
    check_size(5000, 1);
    check_size(1100, 260); /* more than one band of tiles down */
    check_size(260, 1100);
    check_size(1157, 193);
}

static void every_element_changes_places_at_any_size(void **state) {
    (void)state;
    on_each_machine(check_all);
}

static double shared_conflicts(haul_transpose_form form) {
    enum { SIDE = 128 };
    haul_run *run;
    haul_buffer *in = upload_canaries(SIDE * SIDE), *out = upload_canaries(SIDE * SIDE);
    must(haul_run_create(device, &run));
    must(haul_transpose(kernels, form, SIDE, SIDE, in, out, run));
    const double *n = run->launches[0].counters;
    double conflicts = n[HAUL_COUNTER_SHARED_LD_CONFLICTS] + n[HAUL_COUNTER_SHARED_ST_CONFLICTS];
    haul_run_free(run);
    haul_buffer_free(in), haul_buffer_free(out);
    return conflicts;
}

static void padding_and_the_swizzle_leave_no_conflicts(void **state) {
    (void)state;
    skip_on_hardware();
    assert_true(shared_conflicts(HAUL_TRANSPOSE_PADDED) == 0);
    assert_true(shared_conflicts(HAUL_TRANSPOSE_SWIZZLED) == 0);
    assert_true(shared_conflicts(HAUL_TRANSPOSE_WIDE) > 0);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    haul_buffer *a = upload_canaries(64), *b = upload_canaries(64);
    expect_failure(haul_transpose(kernels, 0, 0, 4, a, b, NULL), HAUL_ERROR_ARGUMENT, "no elements");
    expect_failure(haul_transpose(kernels, 0, 4, 4, a, a, NULL), HAUL_ERROR_ARGUMENT, "the same buffer");
    expect_failure(haul_transpose(kernels, 0, 100, 100, a, b, NULL), HAUL_ERROR_ARGUMENT, "40000 are needed");
    haul_buffer_free(a), haul_buffer_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_changes_places_at_any_size),
        cmocka_unit_test(padding_and_the_swizzle_leave_no_conflicts),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
