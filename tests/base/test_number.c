#include "base/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void reads_unsigned_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"0", 0},
        {"007", 7},
        {"65536", 65536},
        {"0xff", 255},
        {"0XFF", 255},
        {"18446744073709551615", UINT64_MAX},
        {"0xffffffffffffffff", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 1;
        assert_true(number_u64(cases[i].text, &value));
        assert_int_equal(value, cases[i].value);
    }
}

static void refuses_what_is_no_unsigned_number(void **state) {
    (void)state;
    static const char *const texts[] = {"",    " 1",  "1 ",  "-1",     "+1", "0x",
                                        "0xg", "12a", "1.0", "0x-0xf", "x1", "18446744073709551616"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t value = 99;
        assert_false(number_u64(texts[i], &value));
        assert_int_equal(value, 99);
    }
}

static void reads_signed_numbers_to_both_ends(void **state) {
    (void)state;
    int64_t value;
    assert_true(number_i64("-9223372036854775808", &value));
    assert_true(value == INT64_MIN);
    assert_true(number_i64("9223372036854775807", &value));
    assert_true(value == INT64_MAX);
    assert_true(number_i64("-0x10", &value));
    assert_int_equal(value, -16);
    assert_false(number_i64("9223372036854775808", &value));
    assert_false(number_i64("-9223372036854775809", &value));
    assert_false(number_i64("--1", &value));
    assert_false(number_i64("-", &value));
}

static void reads_floating_point_numbers(void **state) {
    (void)state;
    double value;
    assert_true(number_f64("1.5", &value));
    assert_true(value == 1.5);
    assert_true(number_f64("-2e-3", &value));
    assert_true(value == -2e-3);
    assert_true(number_f64("inf", &value));
    assert_true(isinf(value));
    assert_false(number_f64("", &value));
    assert_false(number_f64(" 1", &value));
    assert_false(number_f64("1.5f", &value));
    assert_false(number_f64("1e999", &value));
}

static void reads_sizes_with_binary_suffixes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"4096", 4096},
        {"64K", 65536},
        {"64k", 65536},
        {"64KB", 65536},
        {"1.5M", 3 << 19},
        {"2G", 2ull << 30},
        {"1GiB", 1ull << 30},
        {"12B", 12},
        {"3T", 3ull << 40},
        {"9007199254740993", 9007199254740993},
        {"16777215T", 16777215ull << 40},
        {"0.125K", 128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 1;
        assert_true(number_size(cases[i].text, &value));
        assert_int_equal(value, cases[i].value);
    }
}

static void refuses_what_is_no_size(void **state) {
    (void)state;
    static const char *const texts[] = {"",      "K",   "-1K", "1.5",       "0.1K",
                                        "1KiBs", "1iB", "1X",  "1.K",       ".5K",
                                        "1 K",   "1e3", "nan", "16777216T", "18446744073709551616"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t value;
        assert_false(number_size(texts[i], &value));
    }
}

static void writes_bytes_in_the_unit_that_fits(void **state) {
    (void)state;
    char out[32];
    assert_string_equal(number_format_bytes(0, out), "0 B");
    assert_string_equal(number_format_bytes(1023, out), "1023 B");
    assert_string_equal(number_format_bytes(1536, out), "1.50 KiB");
    assert_string_equal(number_format_bytes(0x1p30, out), "1.00 GiB");
    assert_string_equal(number_format_bytes(0x1p52, out), "4096.00 TiB");
}

static void writes_counts_in_groups_of_three(void **state) {
    (void)state;
    char out[32];
    assert_string_equal(number_format_count(0, out), "0");
    assert_string_equal(number_format_count(999, out), "999");
    assert_string_equal(number_format_count(1000, out), "1,000");
    assert_string_equal(number_format_count(1234567, out), "1,234,567");
    assert_string_equal(number_format_count(UINT64_MAX, out), "18,446,744,073,709,551,615");
}

static void rounds_up_to_a_multiple(void **state) {
    (void)state;
    assert_int_equal(number_align(0, 16), 0);
    assert_int_equal(number_align(1, 16), 16);
    assert_int_equal(number_align(32, 16), 32);
    assert_int_equal(number_align(13, 12), 24);
    assert_int_equal(number_align(13, 1), 13);
    assert_int_equal(number_align(13, 0), 13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_unsigned_numbers),
        cmocka_unit_test(refuses_what_is_no_unsigned_number),
        cmocka_unit_test(reads_signed_numbers_to_both_ends),
        cmocka_unit_test(reads_floating_point_numbers),
        cmocka_unit_test(reads_sizes_with_binary_suffixes),
        cmocka_unit_test(refuses_what_is_no_size),
        cmocka_unit_test(writes_bytes_in_the_unit_that_fits),
        cmocka_unit_test(writes_counts_in_groups_of_three),
        cmocka_unit_test(rounds_up_to_a_multiple),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
