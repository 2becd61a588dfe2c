#include "base/memory.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void reads_as_an_empty_string_before_anything_is_written(void **state) {
    (void)state;
    text t = {0};
    assert_string_equal(text_string(&t), "");
    text_free(&t);
}

static void joins_what_is_written(void **state) {
    (void)state;
    text t = {0};
    text_put(&t, "sectors");
    text_append(&t, ": 4096", 2);
    text_printf(&t, "%d/%s", 32, "request");
    assert_string_equal(text_string(&t), "sectors: 32/request");
    assert_int_equal(t.length, strlen("sectors: 32/request"));
    text_free(&t);
}

static void grows_over_many_small_writes(void **state) {
    (void)state;
    text t = {0};
    for (int i = 0; i < 10000; i++) text_printf(&t, "%04d", i);
    assert_int_equal(t.length, 40000);
    assert_memory_equal(t.bytes + 4 * 1234, "1234", 4);
    text_free(&t);
}

static void starts_over_in_the_same_memory(void **state) {
    (void)state;
    text t = {0};
    text_put(&t, "first");
    const char *bytes = t.bytes;
    text_clear(&t);
    assert_string_equal(text_string(&t), "");
    text_put(&t, "next");
    assert_ptr_equal(t.bytes, bytes);
    assert_string_equal(text_string(&t), "next");
    text_free(&t);
}

static void remembers_that_memory_was_out_and_ignores_later_writes(void **state) {
    (void)state;
    text t = {0};
    text_put(&t, "kept");
    memory_fail_after(1);
    for (int i = 0; i < 100; i++) text_put(&t, " and more");
    assert_true(t.failed);
    assert_memory_equal(text_string(&t), "kept", 4);
    assert_int_equal(strlen(text_string(&t)), t.length);
    text_clear(&t);
    text_put(&t, "again");
    assert_false(t.failed);
    assert_string_equal(text_string(&t), "again");
    text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_an_empty_string_before_anything_is_written),
        cmocka_unit_test(joins_what_is_written),
        cmocka_unit_test(grows_over_many_small_writes),
        cmocka_unit_test(starts_over_in_the_same_memory),
        cmocka_unit_test(remembers_that_memory_was_out_and_ignores_later_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
