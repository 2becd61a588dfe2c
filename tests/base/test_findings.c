#include <haul/run.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void every_kind_is_found_by_its_key(void **state) {
    (void)state;
    for (size_t i = 0; i < HAUL_FINDING_COUNT; i++) assert_int_equal(haul_finding_find(haul_finding_kinds[i].key), i);
}

static void an_unknown_key_has_no_kind(void **state) {
    (void)state;
    assert_int_equal(haul_finding_find("race"), HAUL_FINDING_COUNT);
    assert_int_equal(haul_finding_find(""), HAUL_FINDING_COUNT);
}

static void every_kind_says_why_and_what_to_do(void **state) {
    (void)state;
    for (size_t i = 0; i < HAUL_FINDING_COUNT; i++) {
        assert_true(strlen(haul_finding_kinds[i].why) > 0);
        assert_true(strlen(haul_finding_kinds[i].cure) > 0);
        assert_non_null(haul_grade_names[haul_finding_kinds[i].grade]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_found_by_its_key),
        cmocka_unit_test(an_unknown_key_has_no_kind),
        cmocka_unit_test(every_kind_says_why_and_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
