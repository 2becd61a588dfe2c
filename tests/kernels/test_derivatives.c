/* Differences along either dimension, in every form and layout. */
#include "fixture.h"

typedef enum kind { COPY, FAST, SLOW } kind;

static void compute(kind which, const haul_rows *r, const float *in, float *out) {
    for (uint32_t i1 = 0; i1 < r->n1; i1++) {
        for (uint32_t i0 = 0; i0 < r->n0; i0++) {
            size_t i = r->lead + (size_t)(i1 + (which == SLOW)) * r->pitch + i0;
            out[i] = which == COPY ? in[i] : 0.25f * (in[i] - in[i - (which == FAST ? 1 : r->pitch)]);
        }
    }
}

static const haul_kernel_form *forms_of(kind which, unsigned *count) {
    *count = which == COPY ? (unsigned)HAUL_COPY_ROWS_FORMS : (unsigned)HAUL_DERIVATIVE_SLOW_FORMS;
    if (which == FAST) *count = HAUL_DERIVATIVE_FAST_FORMS;
    if (which == COPY) return haul_copy_rows_forms;
    return which == FAST ? haul_derivative_fast_forms : haul_derivative_slow_forms;
}

static haul_status run(kind which, unsigned form, const haul_rows *r, haul_buffer *in, haul_buffer *out) {
    if (which == COPY) return haul_copy_rows(kernels, (haul_copy_rows_form)form, r, in, out, NULL);
    if (which == FAST) return haul_derivative_fast(kernels, (haul_derivative_fast_form)form, r, 0.25f, in, out, NULL);
    return haul_derivative_slow(kernels, (haul_derivative_slow_form)form, r, 0.25f, in, out, NULL);
}

static void check_rows(kind which, haul_rows r) {
    size_t floats = haul_rows_floats(&r);
    float *in = randoms(floats, r.n0 + r.n1), *out = canaries(floats);
    compute(which, &r, in, out);
    haul_buffer *from = upload(in, floats);
    unsigned count;
    const haul_kernel_form *forms = forms_of(which, &count);
    for (unsigned form = 0; form < count; form++) {
        haul_buffer *to = upload_canaries(floats);
        must(run(which, form, &r, from, to));
        assert_holds(form ? forms[form].kernel : forms[form].name, to, out, floats);
    }
    haul_buffer_free(from);
    free(in), free(out);
}

static void differences_are_right_for_any_layout(void **state) {
    (void)state;
    for (kind which = COPY; which <= SLOW; which++) {
        check_rows(which, (haul_rows){1, 1, 2, 1});
        check_rows(which, (haul_rows){32, 5, 34, 1});
        check_rows(which, (haul_rows){33, 7, 40, 3});
        check_rows(which, (haul_rows){31, 65, 31, 2});
        check_rows(which, (haul_rows){97, 33, 128, 32});
        check_rows(which, (haul_rows){1000, 9, 1024, 32});
    }
}

static void padding_aligns_the_first_row_or_all_of_them(void **state) {
    (void)state;
    for (uint32_t n0 = 30; n0 <= 34; n0++) {
        haul_rows none = haul_rows_lay_out(n0, 5, HAUL_PADDING_NONE),
                  lead = haul_rows_lay_out(n0, 5, HAUL_PADDING_LEAD);
        haul_rows pitch = haul_rows_lay_out(n0, 5, HAUL_PADDING_PITCH);
        assert_int_equal(none.lead, 1);
        assert_int_equal(none.pitch, n0 + 2);
        assert_int_equal(lead.lead, 32);
        assert_int_equal(pitch.pitch, n0 <= 30 ? 32 : 64);
        for (kind which = COPY; which <= SLOW; which++) {
            check_rows(which, none);
            check_rows(which, lead);
            check_rows(which, pitch);
        }
    }
}

static void rows_must_not_overlap_and_have_an_element_before_them(void **state) {
    (void)state;
    haul_buffer *in = upload_canaries(100), *out = upload_canaries(100);
    expect_failure(haul_derivative_fast(kernels, 0, &(haul_rows){8, 2, 8, 0}, 1, in, out, NULL), HAUL_ERROR_ARGUMENT,
                   "haul_derivative_fast: lead 0");
    expect_failure(haul_derivative_slow(kernels, 0, &(haul_rows){8, 2, 7, 1}, 1, in, out, NULL), HAUL_ERROR_ARGUMENT,
                   "pitch 7");
    expect_failure(haul_copy_rows(kernels, 0, &(haul_rows){8, 0, 8, 1}, in, out, NULL), HAUL_ERROR_ARGUMENT,
                   "no elements");
    expect_failure(haul_copy_rows(kernels, 0, &(haul_rows){8, 100, 8, 1}, in, out, NULL), HAUL_ERROR_ARGUMENT,
                   "in: the buffer has");
    haul_buffer_free(in), haul_buffer_free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_right_for_any_layout),
        cmocka_unit_test(padding_aligns_the_first_row_or_all_of_them),
        cmocka_unit_test(rows_must_not_overlap_and_have_an_element_before_them),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
