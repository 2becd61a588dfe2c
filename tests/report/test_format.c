#include "report/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void check(report_unit unit, double value, const char *expected) {
    char out[REPORT_NUMBER_SIZE];
    assert_string_equal(report_format(unit, value, out), expected);
}

static void counts_have_their_thousands_set_apart(void **state) {
    (void)state;
    check(REPORT_COUNT, 0, "0");
    check(REPORT_COUNT, 1234, "1,234");
    check(REPORT_COUNT, -1234567, "-1,234,567");
    check(REPORT_COUNT, 1e15, "1,000,000,000,000,000");
}

static void averages_of_counts_keep_two_digits(void **state) {
    (void)state;
    check(REPORT_COUNT, 4.5, "4.50");
}

static void each_unit_has_its_form(void **state) {
    (void)state;
    check(REPORT_RATIO, 4, "4.00");
    check(REPORT_RATIO, 0.999, "1.00");
    check(REPORT_PERCENT, 44.444, "44.4%");
    check(REPORT_BYTES, 1536, "1.50 KiB");
    check(REPORT_MICROSECONDS, 1234.5, "1,234.50 us");
    check(REPORT_SECONDS, 1.25, "1.25 s");
    check(REPORT_RATE, 2.35e12, "2.35 TB/s");
    check(REPORT_RATE, 999.999e9, "1.00 TB/s");
}

static void what_is_no_number_is_a_dash(void **state) {
    (void)state;
    check(REPORT_COUNT, NAN, "-");
    check(REPORT_PERCENT, INFINITY, "-");
    assert_true(isnan(report_percent(1, 0)));
    assert_true(isnan(report_ratio(1, 0)));
}

static void extreme_numbers_fit(void **state) {
    (void)state;
    static const double extremes[] = {1.7e308, -1.7e308, 5e-324};
    char out[REPORT_NUMBER_SIZE + 1];
    for (int unit = 0; unit < REPORT_UNIT_COUNT; unit++)
        for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
            memset(out, 'x', sizeof out);
            report_format((report_unit)unit, extremes[i], out);
            assert_non_null(memchr(out, '\0', REPORT_NUMBER_SIZE));
            assert_int_equal(out[REPORT_NUMBER_SIZE], 'x');
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_have_their_thousands_set_apart),
        cmocka_unit_test(averages_of_counts_keep_two_digits),
        cmocka_unit_test(each_unit_has_its_form),
        cmocka_unit_test(what_is_no_number_is_a_dash),
        cmocka_unit_test(extreme_numbers_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
