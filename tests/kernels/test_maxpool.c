/* Max pooling of radius 15: the window ends where the array does. */
#include "fixture.h"

/* Every window's largest, clamped to the array. */
static void pool(const float *in, float *out, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = i < 15 ? 0 : i - 15, to = i + 15 < n ? i + 15 : n - 1;
        out[i] = in[from];
        for (uint32_t k = from; k <= to; k++) out[i] = fmaxf(out[i], in[k]);
    }
}

static void check_size(uint32_t n) {
    float *in = randoms(n, n), *out = canaries(n);
    pool(in, out, n);
    haul_buffer *from = upload(in, n);
    for (unsigned form = HAUL_MAXPOOL15_AUTO; form < HAUL_MAXPOOL15_FORMS; form++) {
        haul_buffer *to = upload_canaries(n);
        must(haul_maxpool15(kernels, (haul_maxpool15_form)form, n, from, to, NULL));
        assert_holds(haul_maxpool15_forms[form].name, to, out, n);
    }
    haul_buffer_free(from);
    free(in), free(out);
}

static void check_all(void) {
    for_each_size(check_size);
    for (uint32_t n = 6; n < 70; n++) check_size(n);
    for (uint32_t n = 8170; n < 8210; n += 3) check_size(n);
    check_size(100003);
}

static void windows_are_clamped_to_the_array_at_any_size(void **state) {
    (void)state;
    on_each_machine(check_all);
}

static void a_size_beyond_an_int_is_refused(void **state) {
    (void)state;
    expect_failure(haul_maxpool15(kernels, HAUL_MAXPOOL15_AUTO, UINT32_C(1) << 31, NULL, NULL, NULL),
                   HAUL_ERROR_ARGUMENT, "below 2^31");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_clamped_to_the_array_at_any_size),
        cmocka_unit_test(a_size_beyond_an_int_is_refused),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
