/* The kernels that verify results on the device: that they pass what is right is tested by `haul bench`; here, that
 * they find what is wrong. */
#include "fixture.h"

#include <kernels/verify.h>

enum { ELEMENTS = 4096, FLOATS = ELEMENTS + VERIFY_GUARD, THREADS = 256 };

static haul_argument array(haul_buffer *buffer) {
    return (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = buffer};
}

static haul_argument number(haul_argument_kind kind, int64_t value) {
    return (haul_argument){.kind = kind, .integer = value};
}

static void run(const char *kernel, uint32_t threads, const haul_argument *arguments, size_t count) {
    haul_module *module;
    must(kernels_module(kernels, "verify", &module));
    const haul_launch launch = {.kernel = kernel,
                                .grid = {(threads + THREADS - 1) / THREADS, 1, 1},
                                .block = {THREADS, 1, 1},
                                .arguments = arguments,
                                .argument_count = count};
    must(haul_launch_run(module, &launch, NULL));
}

/* A result that verify_copy takes for right. */
static haul_buffer *copied(void) {
    haul_buffer *out;
    must(haul_buffer_create(device, FLOATS * sizeof(float), &out));
    const haul_argument poison[] = {array(out), number(HAUL_ARGUMENT_I64, ELEMENTS)};
    const haul_argument values[] = {
        array(out), number(HAUL_ARGUMENT_I64, ELEMENTS), number(HAUL_ARGUMENT_I64, 0), {.kind = HAUL_ARGUMENT_F32}};
    float *guard = malloc(VERIFY_GUARD * sizeof(float));
    run("verify_poison", FLOATS, poison, 2);
    must(haul_buffer_read(out, ELEMENTS * sizeof(float), guard, VERIFY_GUARD * sizeof(float)));
    run("verify_fill", FLOATS, values, 4);
    must(haul_buffer_write(out, ELEMENTS * sizeof(float), guard, VERIFY_GUARD * sizeof(float)));
    free(guard);
    return out;
}

static uint64_t count_wrong(const char *kernel, uint32_t lanes, haul_buffer *out, uint32_t n, uint32_t a, uint32_t b) {
    haul_buffer *errors;
    uint64_t count = 0;
    must(haul_buffer_create(device, sizeof count, &errors));
    must(haul_buffer_write(errors, 0, &count, sizeof count));
    const haul_argument arguments[] = {array(out), number(HAUL_ARGUMENT_I64, n), number(HAUL_ARGUMENT_I32, a),
                                       number(HAUL_ARGUMENT_I32, b), array(errors)};
    run(kernel, (n + VERIFY_GUARD) * lanes, arguments, 5);
    must(haul_buffer_read(errors, 0, &count, sizeof count));
    haul_buffer_free(errors);
    return count;
}

static void a_right_result_has_no_wrong_elements(void **state) {
    (void)state;
    haul_buffer *out = copied();
    assert_int_equal(count_wrong("verify_copy", 1, out, ELEMENTS, 0, 0), 0);
    haul_buffer_free(out);
}

static void each_wrong_element_counts(void **state) {
    (void)state;
    static const uint32_t places[] = {0, 1000, ELEMENTS - 1};
    haul_buffer *out = copied();
    for (size_t i = 0; i < COUNT(places); i++) {
        const float wrong = -1.0f;
        must(haul_buffer_write(out, places[i] * sizeof(float), &wrong, sizeof wrong));
        assert_int_equal(count_wrong("verify_copy", 1, out, ELEMENTS, 0, 0), i + 1);
    }
    haul_buffer_free(out);
}

static void a_write_behind_the_result_counts(void **state) {
    (void)state;
    haul_buffer *out = copied();
    const float written = 0.0f;
    must(haul_buffer_write(out, ELEMENTS * sizeof(float), &written, sizeof written));
    assert_int_equal(count_wrong("verify_copy", 1, out, ELEMENTS, 0, 0), 1);
    haul_buffer_free(out);
}

/* A copy of the input is nobody else's result, nor is what was never written. */
static void no_work_takes_anothers_result(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        uint32_t lanes, n, a, b;
    } works[] = {
        {"verify_saxpy", 1, ELEMENTS, 0, 0},       {"verify_gather", 1, ELEMENTS, 64, 64},
        {"verify_transpose", 1, ELEMENTS, 64, 64}, {"verify_maxpool", 1, ELEMENTS, 0, 0},
        {"verify_stencil", 1, ELEMENTS, 64, 4},    {"verify_fused", 1, ELEMENTS, 8, 512},
        {"verify_matvec", 32, 64, 64, 0},
    };
    haul_buffer *copy = copied(), *poison = copied();
    const haul_argument arguments[] = {array(poison), number(HAUL_ARGUMENT_I64, ELEMENTS)};
    run("verify_poison", FLOATS, arguments, 2);
    for (size_t i = 0; i < COUNT(works); i++) {
        const uint32_t n = works[i].n;
        assert_true(count_wrong(works[i].kernel, works[i].lanes, copy, n, works[i].a, works[i].b) > n / 2);
        assert_int_equal(count_wrong(works[i].kernel, works[i].lanes, poison, n, works[i].a, works[i].b), n);
    }
    haul_buffer_free(copy);
    haul_buffer_free(poison);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_result_has_no_wrong_elements),
        cmocka_unit_test(each_wrong_element_counts),
        cmocka_unit_test(a_write_behind_the_result_counts),
        cmocka_unit_test(no_work_takes_anothers_result),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
