/* SAXPY: each rung on each size, with grids that cover the array and grids that stride through it. */
#include "fixture.h"

static void check_rung(haul_saxpy_form form, uint32_t n) {
    float *x = randoms(n, n), *y = randoms(n, n + 1), *out = canaries(n);
    for (uint32_t i = 0; i < n; i++) out[i] = fmaf(1.5f, x[i], y[i]);
    haul_buffer *device_x = upload(x, n), *device_y = upload(y, n);
    must(haul_saxpy(kernels, form, n, 1.5f, device_x, device_y, NULL));
    assert_holds(haul_saxpy_forms[form].name, device_y, out, n);
    assert_holds("x", device_x, x, n);
    free(x), free(y), free(out);
}

/* Few blocks, so that threads make from none to many rounds; 0 is what the device holds at once. */
static void check_size(uint32_t n) {
    for (unsigned form = HAUL_SAXPY_AUTO; form < HAUL_SAXPY_FORMS; form++) {
        if (haul_saxpy_forms[form].architecture > haul_device_architecture(device)) continue;
        for (uint32_t blocks = 0; blocks <= 3; blocks++) {
            haul_kernels_limit_blocks(kernels, blocks);
            check_rung((haul_saxpy_form)form, n);
        }
    }
    haul_kernels_limit_blocks(kernels, 0);
}

static void check_all(void) {
    for_each_size(check_size);
    check_size(40 * 1024 + 5); /* stages are filled many times */
}

static void every_rung_is_right_for_any_size_and_grid(void **state) {
    (void)state;
    on_each_machine(check_all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rung_is_right_for_any_size_and_grid),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
