/* C = A * f(B), in every form: the same bits, whatever the tiles are; on tensor cores, single precision's accuracy. */
#include "fixture.h"

static float f(float x) {
    return fmaf(x, fabsf(x), 0.5f * x);
}

static void compute(const float *a, const float *b, float *c, uint32_t m, uint32_t k, uint32_t n) {
    for (uint32_t i = 0; i < m; i++) {
        for (uint32_t j = 0; j < n; j++) c[(size_t)i * n + j] = 0.0f;
        for (uint32_t l = 0; l < k; l++) {
            for (uint32_t j = 0; j < n; j++)
                c[(size_t)i * n + j] = fmaf(a[(size_t)i * k + l], f(b[(size_t)l * n + j]), c[(size_t)i * n + j]);
        }
    }
}

/* Half of the elements are negative. */
static float *signed_randoms(size_t count, uint32_t seed) {
    float *floats = randoms(count, seed);
    for (size_t i = 0; i < count; i++) floats[i] -= 0.5f;
    return floats;
}

/* Whether the form, or what AUTO takes, multiplies on tensor cores. */
static bool by_tensor_cores(unsigned form, uint32_t k) {
    const bool hopper = haul_device_architecture(device) >= 90 && haul_device_architecture(device) < 100;
    return form == HAUL_FUSED_TENSOR || (form == HAUL_FUSED_AUTO && hopper && k <= 64);
}

/* The bound that <haul/kernels.h> gives, against sums in double precision; nothing behind the result is written. */
static void assert_close(haul_buffer *c, const float *a, const float *b, uint32_t m, uint32_t k, uint32_t n) {
    const size_t count = (size_t)m * n;
    float *got = canaries(count), *untouched = canaries(0);
    must(haul_buffer_read(c, 0, got, (count + MARGIN) * sizeof *got));
    for (size_t at = 0; at < count; at++) {
        double sum = 0, size = 0;
        for (uint32_t l = 0; l < k; l++) {
            const double product = (double)a[at / n * k + l] * f(b[(size_t)l * n + at % n]);
            sum += product;
            size += fabs(product);
        }
        if (fabs(got[at] - sum) > size / (1 << 20))
            fail_msg("%ux%ux%u: element %zu is %.9g, not %.9g", m, k, n, at, (double)got[at], sum);
    }
    assert_memory_equal(got + count, untouched, MARGIN * sizeof(float));
    free(got), free(untouched);
}

static void check_size(uint32_t m, uint32_t k, uint32_t n) {
    size_t count_a = (size_t)m * k, count_b = (size_t)k * n, count_c = (size_t)m * n;
    float *a = signed_randoms(count_a, m), *b = signed_randoms(count_b, n), *c = canaries(count_c);
    compute(a, b, c, m, k, n);
    haul_buffer *device_a = upload(a, count_a), *device_b = upload(b, count_b), *temporary = upload_canaries(count_b);
    for (unsigned form = HAUL_FUSED_AUTO; form < HAUL_FUSED_FORMS; form++) {
        if (haul_fused_forms[form].architecture > haul_device_architecture(device)) continue;
        if (form == HAUL_FUSED_TENSOR && k > 64) continue;
        haul_buffer *device_c = upload_canaries(count_c);
        must(haul_fused(kernels, (haul_fused_form)form, m, k, n, device_a, device_b, temporary, device_c, NULL));
        if (by_tensor_cores(form, k))
            assert_close(device_c, a, b, m, k, n), haul_buffer_free(device_c);
        else
            assert_holds(haul_fused_forms[form].name, device_c, c, count_c);
    }
    haul_buffer_free(device_a), haul_buffer_free(device_b), haul_buffer_free(temporary);
    free(a), free(b), free(c);
}

static void check_all(void) {
    static const uint32_t sizes[][3] = {{1, 1, 1},     {16, 8, 1024}, {17, 9, 516},  {32, 32, 1000}, {31, 33, 777},
                                        {48, 16, 255}, {64, 40, 260}, {100, 3, 129}, {128, 64, 132}, {127, 128, 130}};
    for (size_t i = 0; i < COUNT(sizes); i++) check_size(sizes[i][0], sizes[i][1], sizes[i][2]);
}

static void all_forms_give_the_same_bits_at_any_size(void **state) {
    (void)state;
    on_each_machine(check_all);
}

/* Rings go around many times, and some blocks have one tile more than others. */
static void check_strides(void) {
    for (uint32_t blocks = 1; blocks <= 3; blocks++) {
        haul_kernels_limit_blocks(kernels, blocks);
        check_size(32, 20, 2600);
        check_size(128, 64, 1030);
        check_size(16, 7, 4099);
    }
    haul_kernels_limit_blocks(kernels, 0);
}

static void a_block_goes_on_from_tile_to_tile(void **state) {
    (void)state;
    on_each_machine(check_strides);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    haul_buffer *a = upload_canaries(64), *b = upload_canaries(64), *c = upload_canaries(64);
    expect_failure(haul_fused(kernels, HAUL_FUSED_ROLES, 129, 1, 1, a, b, NULL, c, NULL), HAUL_ERROR_ARGUMENT,
                   "A is 129 x 1");
    expect_failure(haul_fused(kernels, HAUL_FUSED_TENSOR, 8, 65, 8, a, b, NULL, c, NULL), HAUL_ERROR_ARGUMENT,
                   "form tensor takes up to 128 x 64");
    expect_failure(haul_fused(kernels, HAUL_FUSED_TWO_KERNELS, 8, 8, 8, a, b, NULL, c, NULL), HAUL_ERROR_ARGUMENT,
                   "temporary: no buffer");
    expect_failure(haul_fused(kernels, 0, 8, 8, UINT32_C(1) << 31, a, b, NULL, c, NULL), HAUL_ERROR_ARGUMENT,
                   "below 2^31");
    expect_failure(haul_fused(kernels, 0, 8, 0, 8, a, b, NULL, c, NULL), HAUL_ERROR_ARGUMENT, "no elements");
    haul_buffer_free(a), haul_buffer_free(b), haul_buffer_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_give_the_same_bits_at_any_size),
        cmocka_unit_test(a_block_goes_on_from_tile_to_tile),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
