/* Declarations of mangled symbols; skipped on a machine without a C++ library. */
#include "base/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void check(const char *const *symbols, size_t count, const char *expected) {
    text lines = {0};
    demangle_all(symbols, count, &lines);
    if (strcmp(text_string(&lines), expected) != 0) fail_msg("%s\n  is not\n%s", text_string(&lines), expected);
    text_free(&lines);
}

static int needs_a_library(void **state) {
    (void)state;
    text lines = {0};
    demangle_all(&(const char *){"_Z1gPf"}, 1, &lines);
    const bool there = lines.length > 1;
    text_free(&lines);
    return there ? 0 : -1;
}

static void declarations_are_a_line_each(void **state) {
    (void)state;
    static const char *const symbols[] = {"_Z2ldIfLi4EEvPT_i", "plain", "_ZN4blas5saxpyEif", "_Znonsense", "_Z1gPf"};
    check(symbols, 5, "void ld<float, 4>(float*, int)\n\nblas::saxpy(int, float)\n\ng(float*)\n");
}

static void no_symbols_have_no_lines(void **state) {
    (void)state;
    check(NULL, 0, "");
}

/* b<a, a>, then pairs of pairs: a few more letters double the declaration's length. */
static const char *doubled(unsigned times, char symbol[2048]) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t length = (size_t)snprintf(symbol, 2048, "_Z1f1a1bIS_S_E");
    for (unsigned i = 1; i <= times; i++) {
        char number[3] = {i < 36 ? digits[i] : digits[i / 36], i < 36 ? '\0' : digits[i % 36], '\0'};
        length += (size_t)snprintf(symbol + length, 2048 - length, "S0_IS%s_S%s_E", number, number);
    }
    return symbol;
}

static void a_declaration_that_is_too_long_is_left_out(void **state) {
    (void)state;
    char symbol[2048];
    const char *const symbols[] = {"_Z1gPf", doubled(10, symbol), "_Z1hPd"};
    check(symbols, 3, "g(float*)\n\nh(double*)\n");
}

static void a_symbol_that_has_no_end_costs_a_second(void **state) {
    (void)state;
    char symbol[2048];
    const char *const symbols[] = {"_Z1gPf", doubled(60, symbol), "_Z1hPd"};
    check(symbols, 3, "g(float*)\n\n\n"); /* the symbols after it are not reached */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations_are_a_line_each),
        cmocka_unit_test(no_symbols_have_no_lines),
        cmocka_unit_test(a_declaration_that_is_too_long_is_left_out),
        cmocka_unit_test(a_symbol_that_has_no_end_costs_a_second),
    };
    if (needs_a_library(NULL) != 0) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
