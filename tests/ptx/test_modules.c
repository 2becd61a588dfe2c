/* Modules about declarations and directives, with ptxas 13.0's verdict on each, which haul's must match.
 * tools/forms/modules.py records them: group, version, target, ptxas's message (empty: accepted) and text. */
#include "ptx_test.h"

enum { LEAST_MODULES = 1000, LEAST_CASES = 300 };

static bool is_taken(const char *version, const char *target, const char *module) {
    text source = {0};
    ptx_module *result;
    text_printf(&source, ".version %s\n.target sm_%s\n%s\n", version, target, module);
    const bool taken = ptx_module_parse("t.ptx", text_string(&source), source.length, &result) == HAUL_OK;
    if (taken) ptx_module_free(result);
    text_free(&source);
    return taken;
}

/* Splits the line at its tabs; returns false, with a message, if haul and ptxas differ. */
static bool judges_alike(char *line) {
    char *rest = line;
    const char *group = strsep(&rest, "\t"), *version = strsep(&rest, "\t"), *target = strsep(&rest, "\t");
    const char *message = strsep(&rest, "\t");
    assert_non_null(rest);
    const bool taken = is_taken(version, target, rest);
    if (taken == !*message) return true;
    print_error("%s, .version %s, sm_%s: %s\n  haul: %s, ptxas: %s\n", group, version, target, rest,
                taken ? "takes it" : haul_message(), *message ? message : "takes it");
    return false;
}

/* Judges the file's modules, of which there are at least so many. */
static void judge(const char *path, unsigned least) {
    text all = read_file(path);
    unsigned modules = 0, differences = 0;
    char *rest = all.bytes;
    for (char *line; (line = strsep(&rest, "\n")) && *line; modules++) differences += !judges_alike(line);
    assert_int_equal(differences, 0);
    assert_true(modules >= least);
    text_free(&all);
}

static void judges_modules_as_ptxas_does(void **state) {
    (void)state;
    judge(TEST_DATA "/ptx/modules.txt", LEAST_MODULES);
}

/* Small cases of all chapters of the manual. */
static void judges_the_manuals_cases_as_ptxas_does(void **state) {
    (void)state;
    judge(TEST_DATA "/ptx/manual.txt", LEAST_CASES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(judges_modules_as_ptxas_does),
                                       cmocka_unit_test(judges_the_manuals_cases_as_ptxas_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
