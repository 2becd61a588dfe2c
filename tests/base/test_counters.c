#include <haul/run.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void every_counter_is_found_by_its_key(void **state) {
    (void)state;
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) assert_int_equal(haul_counter_find(haul_counters[i].key), i);
}

static void an_unknown_key_has_no_counter(void **state) {
    (void)state;
    assert_int_equal(haul_counter_find("inst_global"), HAUL_COUNTER_COUNT);
    assert_int_equal(haul_counter_find(""), HAUL_COUNTER_COUNT);
}

static void every_counter_says_what_it_counts(void **state) {
    (void)state;
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) {
        assert_true(strlen(haul_counters[i].ncu) > 0);
        assert_true(strlen(haul_counters[i].unit) > 0);
        assert_true(strlen(haul_counters[i].text) > 0);
    }
}

static void every_class_has_its_own_name(void **state) {
    (void)state;
    for (size_t i = 0; i < HAUL_CLASS_COUNT; i++) {
        assert_non_null(haul_class_names[i]);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(haul_class_names[i], haul_class_names[j]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_is_found_by_its_key),
        cmocka_unit_test(an_unknown_key_has_no_counter),
        cmocka_unit_test(every_counter_says_what_it_counts),
        cmocka_unit_test(every_class_has_its_own_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
