#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void fails_the_chosen_allocation_once(void **state) {
    (void)state;
    memory_fail_after(3);
    void *first = memory_alloc(1), *second = memory_zeroed(1, 1);
    assert_non_null(first);
    assert_non_null(second);
    assert_null(memory_resize(first, 100));
    first = memory_resize(first, 100);
    assert_non_null(first);
    memory_free(first);
    memory_free(second);
}

static void fails_nothing_once_switched_off(void **state) {
    (void)state;
    memory_fail_after(1);
    memory_fail_after(0);
    void *p = memory_alloc(1);
    assert_non_null(p);
    memory_free(p);
}

static void keeps_the_old_block_when_a_resize_fails(void **state) {
    (void)state;
    char *p = memory_alloc(6);
    strcpy(p, "bytes");
    memory_fail_after(1);
    assert_null(memory_resize(p, 1000));
    assert_string_equal(p, "bytes");
    memory_free(p);
}

static void gives_a_block_for_no_bytes(void **state) {
    (void)state;
    void *blocks[] = {memory_alloc(0), memory_zeroed(0, 8), memory_resize(NULL, 0)};
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(blocks[i]);
        memory_free(blocks[i]);
    }
}

static void refuses_products_that_overflow(void **state) {
    (void)state;
    volatile size_t huge = SIZE_MAX / 2;
    assert_null(memory_zeroed(huge, 4));
}

static void grows_an_array_by_doubling_only_when_it_is_full(void **state) {
    (void)state;
    size_t capacity = 0;
    int *items = NULL;
    for (int i = 0; i < 100; i++) {
        int *grown = memory_grow(items, (size_t)i, &capacity, sizeof *items);
        assert_non_null(grown);
        items = grown;
        items[i] = i;
    }
    assert_int_equal(capacity, 128);
    assert_int_equal(items[99], 99);
    memory_fail_after(1);
    assert_ptr_equal(memory_grow(items, 127, &capacity, sizeof *items), items);
    assert_null(memory_grow(items, 128, &capacity, sizeof *items));
    assert_int_equal(capacity, 128);
    assert_int_equal(items[99], 99);
    capacity = SIZE_MAX / 2 + 1;
    assert_null(memory_grow(items, capacity, &capacity, sizeof *items));
    memory_free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fails_the_chosen_allocation_once),
        cmocka_unit_test(fails_nothing_once_switched_off),
        cmocka_unit_test(keeps_the_old_block_when_a_resize_fails),
        cmocka_unit_test(gives_a_block_for_no_bytes),
        cmocka_unit_test(refuses_products_that_overflow),
        cmocka_unit_test(grows_an_array_by_doubling_only_when_it_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
