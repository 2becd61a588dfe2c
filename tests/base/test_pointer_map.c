#include "base/pointer_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void keeps_the_first_value_of_each_pointer(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    static char things[COUNT];
    jmp_buf out_of_memory;
    arena memory;
    pointer_map map = {0};
    arena_init(&memory, &out_of_memory);
    assert_int_equal(setjmp(out_of_memory), 0);
    assert_null(pointer_map_find(&map, things));
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t k = 0; k < COUNT; k += 2) pointer_map_add(&map, &memory, &things[k], k + round);
    for (uint64_t k = 0; k < COUNT; k++) {
        const uint64_t *value = pointer_map_find(&map, &things[k]);
        if (k % 2)
            assert_null(value);
        else
            assert_int_equal(*value, k);
    }
    assert_int_equal(map.count, COUNT / 2);
    arena_free(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_first_value_of_each_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
