/* Matrix times vector: every form adds in the one order that kernels/matvec.cu states. */
#include "fixture.h"

static float dot(const float *a, const float *x, uint32_t columns) {
    enum { PIECE = 2048 };
    float sums[32] = {0};
    for (uint32_t first = 0; first < columns; first += PIECE) {
        float piece[32] = {0};
        for (uint32_t j = first; j < columns && j < first + PIECE; j++)
            piece[j / 4 % 32] = fmaf(a[j], x[j], piece[j / 4 % 32]);
        for (uint32_t l = 0; l < 32; l++) sums[l] += piece[l];
    }
    for (uint32_t step = 16; step > 0; step /= 2) {
        for (uint32_t l = 0; l < step; l++) sums[l] += sums[l + step];
    }
    return sums[0];
}

static void check_size(uint32_t rows, uint32_t columns) {
    size_t count = (size_t)rows * columns;
    float *a = randoms(count, rows), *x = randoms(columns, columns), *y = canaries(rows);
    for (uint32_t i = 0; i < rows; i++) y[i] = dot(a + (size_t)i * columns, x, columns);
    haul_buffer *device_a = upload(a, count), *device_x = upload(x, columns);
    for (unsigned form = HAUL_MATVEC_AUTO; form < HAUL_MATVEC_FORMS; form++) {
        haul_buffer *device_y = upload_canaries(rows);
        must(haul_matvec(kernels, (haul_matvec_form)form, rows, columns, device_a, device_x, device_y, NULL));
        assert_holds(haul_matvec_forms[form].name, device_y, y, rows);
    }
    haul_buffer_free(device_a), haul_buffer_free(device_x);
    free(a), free(x), free(y);
}

static void check_all(void) {
    static const uint32_t heights[] = {1, 7, 8, 31, 33, 257};
    static const uint32_t widths[] = {1, 3, 4, 100, 127, 128, 132, 511, 1001};
    for (size_t r = 0; r < COUNT(heights); r++) {
        for (size_t c = 0; c < COUNT(widths); c++) check_size(heights[r], widths[c]);
    }
    check_size(5, 4096);
    check_size(37, 4097); /* more than the staged form keeps of x */
    check_size(3, 9000);
    check_size(2, 2049);
    check_size(3, 70000);  /* a block's warps go around more than twice */
    check_size(300, 2052); /* two rows a block of the form split */
    check_size(601, 1028); /* four */
    check_size(5000, 12);
}

static void all_forms_add_in_the_same_order_at_any_size(void **state) {
    (void)state;
    on_each_machine(check_all);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    haul_buffer *a = upload_canaries(64), *x = upload_canaries(8), *y = upload_canaries(8);
    expect_failure(haul_matvec(kernels, 0, 8, 0, a, x, y, NULL), HAUL_ERROR_ARGUMENT, "no elements");
    expect_failure(haul_matvec(kernels, 0, 8, 8, a, x, x, NULL), HAUL_ERROR_ARGUMENT, "the same buffer");
    expect_failure(haul_matvec(kernels, 0, 1, UINT32_C(1) << 31, a, x, y, NULL), HAUL_ERROR_ARGUMENT, "below 2^31");
    haul_buffer_free(a), haul_buffer_free(x), haul_buffer_free(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_add_in_the_same_order_at_any_size),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
