/* Formulas: their values, and the messages for wrong ones. */
#include "lib/tune/formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const formula_name names[] = {{"SIZE", 1000, false}, {"THREADS", 256, false}, {"ENGINE", 0, true}};

static int64_t value_of(const char *formula) {
    int64_t value = INT64_MIN;
    assert_int_equal(formula_evaluate("grid", formula, names, 3, &value), HAUL_OK);
    return value;
}

static void assert_wrong(const char *formula, const char *message) {
    int64_t value;
    assert_int_equal(formula_evaluate("grid", formula, names, 3, &value), HAUL_ERROR_ARGUMENT);
    assert_string_equal(haul_message(), message);
}

static void numbers_and_names_are_combined_by_strength(void **state) {
    (void)state;
    assert_int_equal(value_of("2 + 3 * 4"), 14);
    assert_int_equal(value_of("(2 + 3) * 4 - 1"), 19);
    assert_int_equal(value_of("SIZE % THREADS"), 232);
    assert_int_equal(value_of("SIZE / THREADS / 3"), 1);
    assert_int_equal(value_of("48K"), 49152);
    assert_int_equal(value_of("2 - 5"), -3);
}

static void ceil_divides_upwards(void **state) {
    (void)state;
    assert_int_equal(value_of("ceil(SIZE, THREADS)"), 4);
    assert_int_equal(value_of("ceil(1024, THREADS)"), 4);
    assert_int_equal(value_of("min(SIZE, 3) + max(1, 2)"), 5);
}

static void conditions_are_ones_and_zeros(void **state) {
    (void)state;
    assert_int_equal(value_of("THREADS <= 256 && SIZE > 999"), 1);
    assert_int_equal(value_of("THREADS != 256"), 0);
    assert_int_equal(value_of("(1 < 2) + (3 >= 3) + (4 == 5)"), 2);
}

static void wrong_formulas_say_what_is_wrong(void **state) {
    (void)state;
    assert_wrong("ceil(SIZE, TREADS)", "grid: `ceil(SIZE, TREADS)`: there is no TREADS: did you mean THREADS?");
    assert_wrong("SIZE /", "grid: `SIZE /`: a number or a name is missing at its end");
    assert_wrong("(1", "grid: `(1`: `)` is missing at its end");
    assert_wrong("1 2", "grid: `1 2`: cannot be read from `2` on");
    assert_wrong("SIZE / 0", "grid: `SIZE / 0`: divides by zero");
    assert_wrong("ceil(1, 0)", "grid: `ceil(1, 0)`: ceil divides by what is not above zero");
    assert_wrong("ENGINE + 1", "grid: `ENGINE + 1`: ENGINE has no number here");
    assert_wrong("9223372036854775807 + 1", "grid: `9223372036854775807 + 1`: the number gets too large");
    assert_wrong("10000000000G", "grid: `10000000000G`: the number gets too large");
}

static void deep_nesting_ends(void **state) {
    (void)state;
    char formula[512];
    int64_t value;
    memset(formula, '(', sizeof formula - 1);
    formula[sizeof formula - 1] = '\0';
    assert_int_equal(formula_evaluate("grid", formula, NULL, 0, &value), HAUL_ERROR_ARGUMENT);
}

static void names_are_found_as_whole_words(void **state) {
    (void)state;
    assert_true(formula_has("min(RESIDENT, 4)", "RESIDENT"));
    assert_false(formula_has("RESIDENTS + A_RESIDENT", "RESIDENT"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_names_are_combined_by_strength),
        cmocka_unit_test(ceil_divides_upwards),
        cmocka_unit_test(conditions_are_ones_and_zeros),
        cmocka_unit_test(wrong_formulas_say_what_is_wrong),
        cmocka_unit_test(deep_nesting_ends),
        cmocka_unit_test(names_are_found_as_whole_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
