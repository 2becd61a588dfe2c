#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void every_code_has_its_own_text(void **state) {
    (void)state;
    static const haul_status codes[] = {
#define STATUS(name, value, text) HAUL_##name,
#include "base/status.def"
#undef STATUS
    };
    enum { COUNT = sizeof codes / sizeof *codes };
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(strlen(haul_status_text(codes[i])) > 0);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(haul_status_text(codes[i]), haul_status_text(codes[j]));
    }
}

static void an_unknown_code_has_a_text_too(void **state) {
    (void)state;
    assert_string_equal(haul_status_text((haul_status)77), "unknown status");
}

static void records_the_message_and_gives_the_status_back(void **state) {
    (void)state;
    assert_int_equal(haul_fail(HAUL_ERROR_FILE, "%s: cannot be opened", "x.ptx"), HAUL_ERROR_FILE);
    assert_string_equal(haul_message(), "x.ptx: cannot be opened");
}

static void keeps_the_message_on_one_line(void **state) {
    (void)state;
    haul_fail(HAUL_ERROR_SYNTAX, "a\nb\r\tc\033[2J");
    assert_string_equal(haul_message(), "a b  c [2J");
}

static void cuts_a_message_that_is_too_long(void **state) {
    (void)state;
    char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    haul_fail(HAUL_ERROR_SYNTAX, "%s", longer);
    assert_int_equal(strlen(haul_message()), 1023);
    haul_fail_in(HAUL_ERROR_SYNTAX, "%s", longer);
    assert_int_equal(strlen(haul_message()), 1023);
}

static void an_outer_function_puts_its_part_in_front(void **state) {
    (void)state;
    haul_fail(HAUL_ERROR_SYNTAX, "line 3: no such instruction");
    assert_int_equal(haul_fail_in(HAUL_ERROR_SYNTAX, "%s", "a.ptx"), HAUL_ERROR_SYNTAX);
    assert_string_equal(haul_message(), "a.ptx: line 3: no such instruction");
}

static void a_message_may_quote_the_one_before(void **state) {
    (void)state;
    haul_fail(HAUL_ERROR_FILE, "inner");
    haul_fail(HAUL_ERROR_FILE, "outer: %s: %s", haul_message(), haul_message());
    assert_string_equal(haul_message(), "outer: inner: inner");
}

static haul_status first_failure(haul_status a, haul_status b) {
    HAUL_TRY(a);
    HAUL_TRY(b);
    return HAUL_OK;
}

static void try_returns_the_first_failure(void **state) {
    (void)state;
    assert_int_equal(first_failure(HAUL_OK, HAUL_OK), HAUL_OK);
    assert_int_equal(first_failure(HAUL_OK, HAUL_ERROR_TRAP), HAUL_ERROR_TRAP);
    assert_int_equal(first_failure(HAUL_ERROR_LIMIT, HAUL_ERROR_TRAP), HAUL_ERROR_LIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_own_text),
        cmocka_unit_test(an_unknown_code_has_a_text_too),
        cmocka_unit_test(records_the_message_and_gives_the_status_back),
        cmocka_unit_test(keeps_the_message_on_one_line),
        cmocka_unit_test(cuts_a_message_that_is_too_long),
        cmocka_unit_test(an_outer_function_puts_its_part_in_front),
        cmocka_unit_test(a_message_may_quote_the_one_before),
        cmocka_unit_test(try_returns_the_first_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
