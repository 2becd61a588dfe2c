#include "base/mangled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void check(const char *symbol, const char *expected) {
    size_t length;
    const char *name = mangled_name(symbol, &length);
    if (length != strlen(expected) || strncmp(name, expected, length) != 0)
        fail_msg("%s: %.*s, not %s", symbol, (int)length, name, expected);
}

static void plain_symbols_stay(void **state) {
    (void)state;
    check("saxpy", "saxpy");
    check("", "");
    check("_Zaxpy", "_Zaxpy");
}

static void functions_lose_their_parameters(void **state) {
    (void)state;
    check("_Z5saxpyifPKfPf", "saxpy");
    check("_ZL5saxpyif", "saxpy");
    check("_Z9transposeILi32EEvPf", "transpose");
}

static void namespaces_are_left_out(void **state) {
    (void)state;
    check("_ZN4blas5saxpyEif", "saxpy");
    check("_ZN4blas4fastL5saxpyEif", "saxpy");
}

static void variables_in_functions_have_their_own(void **state) {
    (void)state;
    check("_ZZ11bad_no_waitE1s", "s");
    check("_ZZ9transposeILi32EEvPfE4tile", "tile");
    check("_ZZN4blas5saxpyEifE4tile_0", "tile");
    check("_ZZ5saxpy", "_ZZ5saxpy");
}

static void lengths_beyond_the_end_are_not_believed(void **state) {
    (void)state;
    check("_Z99x", "_Z99x");
    check("_Z99999999999999999999x", "_Z99999999999999999999x");
    check("_Z0x", "_Z0x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_symbols_stay),
        cmocka_unit_test(functions_lose_their_parameters),
        cmocka_unit_test(namespaces_are_left_out),
        cmocka_unit_test(variables_in_functions_have_their_own),
        cmocka_unit_test(lengths_beyond_the_end_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
