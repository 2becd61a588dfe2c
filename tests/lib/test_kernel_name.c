/* Names of kernels, and the messages for names that mean none or several. */
#include "base/demangle.h"
#include "lib/kernel_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char *const symbols[] = {
    "plain",                      /* extern "C" */
    "_Z6singlePdi",               /* single(double*, int) */
    "_Z4overPfi",                 /* over(float*, int) */
    "_Z4overPdi",                 /* over(double*, int) */
    "_ZN4blas2ldIfLj4EEEvPKT_i",  /* void blas::ld<float, 4u>(float const*, int) */
    "_ZN4blas2ldImLj4EEEvPKT_i",  /* void blas::ld<unsigned long, 4u>(unsigned long const*, int) */
    "_ZN4blas2ldIdLj2EEEvPKT_i",  /* void blas::ld<double, 2u>(double const*, int) */
    "_ZN4blas4fastL6hiddenEPKfb", /* blas::fast::hidden(float const*, bool) */
    "_Z3addI3vecIfLi2EEEvPT_",    /* void add<vec<float, 2> >(vec<float, 2>*) */
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

static bool has_demangler(void) {
    text lines = {0};
    demangle_all(symbols + 1, 1, &lines);
    const bool has = lines.length > 1;
    text_free(&lines);
    return has;
}

/* `expected` in the order of the symbols, -1 behind the last. */
static void means(const char *name, const int *expected) {
    size_t found[SYMBOLS], count = kernel_name_find(name, symbols, SYMBOLS, found), wanted = 0;
    for (; expected[wanted] >= 0; wanted++)
        if (wanted >= count || (int)found[wanted] != expected[wanted])
            fail_msg("`%s` has not %d", name, expected[wanted]);
    if (count != wanted) fail_msg("`%s` means %zu kernels, not %zu", name, count, wanted);
}
#define MEANS(name, ...) means(name, (const int[]){__VA_ARGS__, -1})
#define MEANS_NONE(name) means(name, (const int[]){-1})

static void symbols_and_source_names_are_taken(void **state) {
    (void)state;
    MEANS("plain", 0);
    MEANS("_Z6singlePdi", 1);
    MEANS("single", 1);
    MEANS("_Z4overPdi", 3);
    MEANS("hidden", 7);
    MEANS_NONE("sing");
    MEANS_NONE("blas");
    MEANS_NONE("");
}

static void a_name_of_several_means_all(void **state) {
    (void)state;
    MEANS("over", 2, 3);
    MEANS("ld", 4, 5, 6);
}

static void declarations_are_taken(void **state) {
    (void)state;
    if (!has_demangler()) skip();
    MEANS("ld<float, 4u>", 4);
    MEANS("blas::ld<float, 4u>", 4);
    MEANS("ld<float, 4u>(float const*, int)", 4);
    MEANS("void blas::ld<float, 4u>(float const*, int)", 4);
    MEANS("over(double*, int)", 3);
    MEANS("blas::ld", 4, 5, 6);
    MEANS("fast::hidden", 7);
    MEANS("blas::fast::hidden(float const*, bool)", 7);
    MEANS("add<vec<float, 2> >", 8);
    MEANS("add<vec<float, 2>>(vec<float, 2>*)", 8);
    MEANS_NONE("ld<float, 5>");
    MEANS_NONE("ld<float>");
    MEANS_NONE("over(int)");
    MEANS_NONE("las::ld<float, 4>");
    MEANS_NONE("<");
    MEANS_NONE("::");
    MEANS_NONE("((((");
}

static void spelling_does_not_matter(void **state) {
    (void)state;
    if (!has_demangler()) skip();
    MEANS("ld<float,4>", 4);
    MEANS("  ld < float , 4ul > ( const float * , int )  ", 4);
    MEANS("ld<unsigned long int, 4>", 5);
    MEANS("ld<unsigned long,4>(const unsigned long*,int)", 5);
    MEANS("blas::fast::hidden(const float *, bool)", 7);
}

static void is_said(haul_status status, haul_status expected, const char *words) {
    assert_int_equal(status, expected);
    if (!strstr(haul_message(), words)) fail_msg("%s\n  has no: %s", haul_message(), words);
}

static void several_are_listed(void **state) {
    (void)state;
    size_t found[SYMBOLS], count = kernel_name_find("ld", symbols, SYMBOLS, found);
    const bool declared = has_demangler();
    is_said(kernel_name_ambiguous("ld", symbols, found, count), HAUL_ERROR_ARGUMENT,
            declared ? "`ld` is the name of 3 kernels, give one in full: `blas::ld<float, 4u>`, `blas::ld<unsigned "
                       "long, 4u>`, `blas::ld<double, 2u>`"
                     : "give one in full: `_ZN4blas2ldIfLj4EEEvPKT_i`");
    count = kernel_name_find("over", symbols, SYMBOLS, found);
    is_said(kernel_name_ambiguous("over", symbols, found, count), HAUL_ERROR_ARGUMENT,
            declared ? "`over(float*, int)`, `over(double*, int)`" : "`_Z4overPfi`, `_Z4overPdi`");
}

static void what_is_near_is_told(void **state) {
    (void)state;
    is_said(kernel_name_unknown("sngle", "a.ptx", symbols, SYMBOLS), HAUL_ERROR_NOT_FOUND,
            "no kernel `sngle` in a.ptx: did you mean `single`?");
    is_said(kernel_name_unknown("of_nobody", "a.ptx", symbols, SYMBOLS), HAUL_ERROR_NOT_FOUND,
            "no kernel `of_nobody` in a.ptx, which has 9: `plain`, ...");
    is_said(kernel_name_unknown("ld", "a.ptx", symbols, 0), HAUL_ERROR_NOT_FOUND, "there is none at all in a.ptx");
    is_said(kernel_name_unknown("over(int)", "a.ptx", symbols, SYMBOLS), HAUL_ERROR_NOT_FOUND,
            has_demangler() ? "no kernel `over(int)` in a.ptx; there is `over(float*, int)`, `over(double*, int)`"
                            : "there is `_Z4overPfi`");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_and_source_names_are_taken),
        cmocka_unit_test(a_name_of_several_means_all),
        cmocka_unit_test(declarations_are_taken),
        cmocka_unit_test(spelling_does_not_matter),
        cmocka_unit_test(several_are_listed),
        cmocka_unit_test(what_is_near_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
