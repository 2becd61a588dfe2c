/* Each allocation of the front end fails once. Each failure gives one error and leaks nothing (the sanitizers
 * check). */
#include "ptx_test.h"

/* Parses and flattens with allocation number `n` failing; returns false once there are fewer allocations. */
static bool fails_at(const text *source, size_t n) {
    ptx_module *module;
    ptx_function *flat;
    memory_fail_after(n);
    haul_status status = ptx_module_parse("t.ptx", source->bytes, source->length, &module);
    if (status == HAUL_OK) status = ptx_inline_calls(module, ptx_find_entry(module, "calls"), &flat);
    memory_fail_after(0);
    ptx_module_free(module);
    if (status == HAUL_OK) return false;
    assert_int_equal(status, HAUL_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(haul_message(), "t.ptx: out of memory while"));
    return true;
}

static void survives_any_allocation_failing(void **state) {
    (void)state;
    text source = read_file(TEST_DATA "/ptx/nvcc-debug.ptx");
    size_t n = 1;
    while (fails_at(&source, n)) n++;
    assert_true(n > 8);
    text_free(&source);
}

static void prints_into_a_text_that_runs_out(void **state) {
    (void)state;
    text source = read_file(TEST_DATA "/ptx/nvcc-debug.ptx");
    ptx_module *module = parse(text_string(&source));
    for (size_t n = 1; n < 8; n++) {
        text out = {0};
        memory_fail_after(n);
        ptx_print_module(module, &out);
        memory_fail_after(0);
        assert_true(out.failed);
        text_free(&out);
    }
    ptx_module_free(module);
    text_free(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_any_allocation_failing),
        cmocka_unit_test(prints_into_a_text_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
