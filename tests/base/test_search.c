#include "base/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const int sorted[] = {2, 3, 3, 3, 7, 9};
enum { COUNT = sizeof sorted / sizeof *sorted };

static size_t first_from(int wanted) {
    size_t found;
    SEARCH_FIRST(found, COUNT, k, sorted[k] < wanted);
    return found;
}

static void finds_the_first_of_equal_ones(void **state) {
    (void)state;
    assert_int_equal(first_from(3), 1);
}

static void finds_where_a_missing_one_would_be(void **state) {
    (void)state;
    assert_int_equal(first_from(0), 0);
    assert_int_equal(first_from(4), 4);
}

static void finds_the_count_when_all_are_before(void **state) {
    (void)state;
    assert_int_equal(first_from(10), COUNT);
}

static void finds_nothing_in_nothing(void **state) {
    (void)state;
    size_t found = 1;
    SEARCH_FIRST(found, 0, k, sorted[k] < 3);
    assert_int_equal(found, 0);
}

/* One past the last element that is not greater; places of ranges are found this way. */
static void takes_any_order_that_turns_once(void **state) {
    (void)state;
    size_t found;
    SEARCH_FIRST(found, COUNT, k, sorted[k] <= 3);
    assert_int_equal(found, 4);
}

static void finds_every_place_in_every_length(void **state) {
    (void)state;
    for (size_t count = 0; count < 40; count++)
        for (size_t place = 0; place <= count; place++) {
            size_t found;
            SEARCH_FIRST(found, count, k, k < place);
            assert_int_equal(found, place);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_first_of_equal_ones),       cmocka_unit_test(finds_where_a_missing_one_would_be),
        cmocka_unit_test(finds_the_count_when_all_are_before), cmocka_unit_test(finds_nothing_in_nothing),
        cmocka_unit_test(takes_any_order_that_turns_once),     cmocka_unit_test(finds_every_place_in_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
