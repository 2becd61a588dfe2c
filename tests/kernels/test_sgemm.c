/* The tiled matrix product. */
#include "fixture.h"

static void check_sgemm(uint32_t n) {
    size_t count = (size_t)n * n;
    float *a = randoms(count, n), *b = randoms(count, n + 1), *c = canaries(count);
    for (size_t i = 0; i < count; i++) {
        c[i] = 0.0f;
        for (uint32_t k = 0; k < n; k++) c[i] = fmaf(a[i / n * n + k], b[(size_t)k * n + i % n], c[i]);
    }
    haul_buffer *device_a = upload(a, count), *device_b = upload(b, count), *device_c = upload_canaries(count);
    const haul_argument arguments[] = {B(device_a), B(device_b), B(device_c), U(n)};
    shape s = {.grid = {(n + 15) / 16, (n + 15) / 16}, .block = {16, 16}};
    launch("sgemm", "sgemm_tiled", s, arguments, 4);
    assert_holds("sgemm_tiled", device_c, c, count);
    haul_buffer_free(device_a), haul_buffer_free(device_b);
    free(a), free(b), free(c);
}

static void matrix_products_are_right_for_any_side(void **state) {
    (void)state;
    check_sgemm(1);
    check_sgemm(15);
    check_sgemm(16);
    check_sgemm(33);
    check_sgemm(64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_products_are_right_for_any_side),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
